//! Charts as readers see them: content and size of the SVG, and inputs that cannot be drawn.

use smalt_report::plot::{Axis, BarChart, Chart, HeatMap, IntervalChart, LineChart, ShareChart, stacked};

/// A hostile engine name.
const HOSTILE: &str = "<img src=x onerror=alert(1)> & \"quoted\" \u{1b}[2J\u{202e}\u{fffe}";

/// The drawing as XML; panics with the place of an error.
fn parsed(svg: &str) -> roxmltree::Document<'_> {
    roxmltree::Document::parse(svg).unwrap_or_else(|error| panic!("{error}\n{svg}"))
}

fn texts(svg: &str) -> Vec<String> {
    let document = parsed(svg);
    let words =
        document.descendants().filter(|node| node.has_tag_name("text") || node.tag_name().name() == "text");
    words.filter_map(|node| node.text()).map(|text| text.trim().to_owned()).collect()
}

fn check_texts(chart: &dyn Chart, expected: &[&str]) -> String {
    let svg = chart.to_svg().unwrap();
    let texts = texts(&svg);
    for text in expected {
        assert!(texts.iter().any(|found| found == text), "{text}: {texts:?}");
    }
    svg
}

fn height(svg: &str) -> u32 {
    let view = svg.split("viewBox=\"0 0 800 ").nth(1).unwrap();
    view.split('"').next().unwrap().parse().unwrap()
}

fn lines() -> LineChart {
    LineChart::new("Error <by> epoch", Axis::new("epoch"), Axis::in_unit("evaluation", "centipawns"))
        .line("training", (1..30).map(|epoch| (f64::from(epoch), 0.1 + 0.02 / f64::from(epoch))))
        .line_with_errors("validation", [(1.0, 0.13, 0.002), (20.0, 0.11, 0.001), (f64::NAN, 1.0, 0.0)])
}

fn bars(count: usize) -> BarChart {
    (0..count).fold(BarChart::new("Elo", Axis::in_unit("rating", "Elo")), |chart, index| {
        chart.bar(format!("engine {index}"), 100.0 * index as f64 - 150.0, format!("{index}!"))
    })
}

fn board(title: &str, number: f64) -> (String, [f64; 64]) {
    (title.to_owned(), std::array::from_fn(|index| number + index as f64))
}

fn boards() -> HeatMap {
    let (files, ranks) = (['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'], ['8', '7', '6', '5', '4', '3', '2', '1']);
    HeatMap::new("Knights", "centipawns", files, ranks).boards(board("before", -60.0), board("after", -31.0))
}

#[test]
fn a_line_chart_says_what_it_shows() {
    let svg = check_texts(
        &lines(),
        &["Error <by> epoch", "epoch", "evaluation (centipawns)", "training", "validation", "0.11"],
    );
    assert!(svg.contains("width=\"100%\""));
    assert!(svg.contains("#0072B2") && svg.contains("#D55E00"), "the lines differ in color");
}

#[test]
fn a_bar_chart_names_its_bars_and_grows_with_them() {
    let svg =
        check_texts(&bars(4), &["engine 0", "engine 3", "rating (Elo)", "-100", "0", "100", "0!", "3!"]);
    assert!(height(&svg) < height(&bars(5).to_svg().unwrap()));
}

#[test]
fn intervals_shares_and_boards_say_what_they_show() {
    let chart = IntervalChart::new("Ratings", Axis::in_unit("rating", "Elo"))
        .value("a", 3500.0, Some(12.0))
        .value("unrated", f64::NAN, None);
    let svg = check_texts(&chart, &["Ratings", "rating (Elo)", "a", "unrated", "3490", "3500", "3510"]);
    assert_eq!(svg.matches("<polygon").count(), 1, "only one of them has a rating");
    let chart = ShareChart::new("By opening", Axis::in_unit("share", "%"), ["won", "drawn", "lost"])
        .row("C42 (8)", [4.0, 2.0, 2.0])
        .row("none", [0.0; 3]);
    check_texts(&chart, &["won", "drawn", "lost", "C42 (8)", "none", "share (%)", "100"]);
    check_texts(
        &boards(),
        &["Knights", "before", "after", "a", "h", "1", "8", "-60", "32", "+60 centipawns"],
    );
}

#[test]
fn bars_of_a_group_have_different_colors() {
    let chart = BarChart::new("Points", Axis::in_unit("points", "%"))
        .of_series(["new", "old"])
        .group("Undermine", [(80.0, "8 of 10".to_owned()), (70.0, "7 of 10".to_owned())]);
    let svg = check_texts(&chart, &["new", "old", "Undermine", "8 of 10", "7 of 10"]);
    // Each color appears in the legend and in its bar.
    assert_eq!((svg.matches("fill=\"#0072B2\"").count(), svg.matches("fill=\"#D55E00\"").count()), (2, 2));
}

#[test]
fn a_logarithmic_axis_is_labeled_with_plain_numbers() {
    let chart = LineChart::new("Solved", Axis::in_unit("time", "ms"), Axis::in_unit("solved", "%"))
        .on_logarithmic_x()
        .line("a", [(0.0, 0.0), (1.0, 10.0), (10.0, 50.0), (180.0, 90.0)]);
    check_texts(&chart, &["1", "2", "5", "10", "100", "60"]);
}

#[test]
fn whatever_a_name_is_the_drawing_is_xml() {
    let axis = || Axis::in_unit(HOSTILE, HOSTILE);
    let charts: [&dyn Chart; 5] = [
        &LineChart::new(HOSTILE, axis(), axis()).line(HOSTILE, [(1.0, 1.0), (2.0, 3.0)]).level(HOSTILE, 2.0),
        &BarChart::new(HOSTILE, axis()).bar(HOSTILE, 1.0, HOSTILE),
        &IntervalChart::new(HOSTILE, axis()).value(HOSTILE, 1.0, Some(0.5)),
        &ShareChart::new(HOSTILE, axis(), [HOSTILE; 3]).row(HOSTILE, [1.0; 3]),
        &HeatMap::new(HOSTILE, HOSTILE, ['<'; 8], ['&'; 8]).boards(board(HOSTILE, 0.0), board(HOSTILE, 0.0)),
    ];
    for chart in charts {
        let svg = chart.to_svg().unwrap();
        let document = parsed(&svg);
        assert!(document.descendants().all(|node| node.tag_name().name() != "img"), "{svg}");
        assert!(!svg.contains(['\u{1b}', '\u{202e}']));
    }
    parsed(&stacked(&charts).unwrap());
}

#[test]
fn the_same_numbers_make_the_same_drawing() {
    assert_eq!(lines().to_svg().unwrap(), lines().to_svg().unwrap());
    assert_eq!(boards().to_svg().unwrap(), boards().to_svg().unwrap());
}

#[test]
fn a_long_line_makes_no_large_drawing() {
    let chart = |points: u32| {
        let point = |index: u32| {
            let x = f64::from(index);
            let (y, error) = ((x / 7.0).sin() * 40.0, 400.0 / x.sqrt().max(1.0));
            (x, y, Some([y - error, y + error]))
        };
        LineChart::new("Elo", Axis::new("games"), Axis::new("Elo"))
            .line_with_band("a", (1..=points).map(point))
            .to_svg()
            .unwrap()
    };
    let (small, large) = (chart(1_000), chart(100_000));
    assert!(large.len() < 80_000, "{}", large.len());
    assert!(large.len() < 2 * small.len(), "{} {}", small.len(), large.len());
}

#[test]
fn what_begins_far_off_does_not_flatten_the_rest() {
    let points = [
        (1.0, 700.0, Some([-200.0, 1600.0])),
        (10.0, 20.0, Some([-10.0, 50.0])),
        (100.0, 10.0, Some([5.0, 15.0])),
    ];
    let chart = |settled: f64| {
        LineChart::new("Elo", Axis::new("games"), Axis::new("Elo"))
            .line_with_band("a", points)
            .settled_from(settled)
    };
    assert!(texts(&chart(0.0).to_svg().unwrap()).contains(&"1000".to_owned()));
    let svg = check_texts(&chart(10.0), &["20", "40"]);
    assert!(!texts(&svg).contains(&"200".to_owned()), "{svg}");
    // Nothing is drawn outside the chart's height.
    for number in
        svg.split("points=\"").skip(1).flat_map(|rest| rest.split('"').next().unwrap().split_whitespace())
    {
        let y: i64 = number.split(',').nth(1).unwrap().parse().unwrap();
        assert!((0..=i64::from(height(&svg))).contains(&y), "{number}");
    }
}

#[test]
fn letters_can_be_read_on_a_phone() {
    let charts: [&dyn Chart; 3] = [&lines(), &bars(3), &boards()];
    for svg in charts.map(|chart| chart.to_svg().unwrap()) {
        let sizes = svg.split("font-size=\"").skip(1);
        let sizes = sizes.map(|rest| rest.split('"').next().unwrap().parse::<f64>().unwrap());
        // A phone shows 800 units on about 390 points of width; below 9 points letters are hard to read.
        assert!(sizes.fold(f64::INFINITY, f64::min) * 390.0 / 800.0 >= 8.5);
    }
}

#[test]
fn nothing_can_not_be_drawn() {
    let axis = || Axis::new("x");
    assert!(LineChart::new("none", axis(), axis()).to_svg().is_err());
    assert!(LineChart::new("none", axis(), axis()).level("level", 1.0).to_svg().is_err());
    assert!(LineChart::new("none", axis(), axis()).line("a", [(f64::NAN, 1.0)]).to_svg().is_err());
    assert!(IntervalChart::new("none", axis()).value("a", f64::INFINITY, None).to_svg().is_err());
    assert!(ShareChart::new("none", axis(), ["", "", ""]).row("a", [0.0; 3]).to_svg().is_err());
    let error = BarChart::new("no bars", axis()).to_svg().unwrap_err().to_string();
    assert!(error.contains("no bars"), "{error}");
    assert!(stacked(&[&LineChart::new("none", axis(), axis())]).is_err());
    assert!(stacked(&[&LineChart::new("none", axis(), axis()), &bars(1)]).is_ok());
}
