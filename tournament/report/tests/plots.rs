//! Charts as people see them: what stands in the SVG, and what can't be drawn.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use smalt_report::plot::{Axis, BarChart, LineChart};

fn lines() -> LineChart {
    LineChart::new("Error <by> epoch", Axis::new("epoch"), Axis::in_unit("evaluation", "centipawns"))
        .line("training", (1..30).map(|epoch| (f64::from(epoch), 0.1 + 0.02 / f64::from(epoch))))
        .line_with_errors("validation", [(1.0, 0.13, 0.002), (20.0, 0.11, 0.001), (f64::NAN, 1.0, 0.0)])
}

fn texts(svg: &str) -> Vec<String> {
    let texts = svg.split("<text").skip(1).map(|rest| rest.split_once('>').unwrap().1);
    texts.map(|text| text.split("</text>").next().unwrap().trim().to_owned()).collect()
}

#[test]
fn a_line_chart_says_what_it_shows() {
    let svg = lines().to_svg().unwrap();
    let texts = texts(&svg);
    for label in
        ["Error &lt;by&gt; epoch", "epoch", "evaluation (centipawns)", "training", "validation", "0.11"]
    {
        assert!(texts.iter().any(|text| text == label), "{label}: {texts:?}");
    }
    assert!(svg.contains("viewBox=\"0 0 800 520\"") && svg.contains("width=\"100%\""));
    assert!(svg.contains("#0072B2") && svg.contains("#D55E00"), "the lines differ in color");
}

#[test]
fn a_bar_chart_names_its_bars_and_grows_with_them() {
    let chart = |bars: usize| {
        (0..bars).fold(BarChart::new("Elo", Axis::in_unit("rating", "Elo")), |chart, index| {
            chart.bar(format!("engine {index}"), 100.0 * index as f64 - 150.0, Some(20.0))
        })
    };
    let svg = chart(4).to_svg().unwrap();
    let texts = texts(&svg);
    for label in ["engine 0", "engine 3", "rating (Elo)", "-100", "0", "100"] {
        assert!(texts.iter().any(|text| text == label), "{label}: {texts:?}");
    }
    let height =
        |svg: &str| svg.split("viewBox=\"0 0 800 ").nth(1).unwrap().split('"').next().unwrap().to_owned();
    assert_ne!(height(&svg), height(&chart(5).to_svg().unwrap()));
}

#[test]
fn letters_can_be_read_on_a_phone() {
    let svg = lines().to_svg().unwrap();
    let sizes =
        svg.split("font-size=\"").skip(1).map(|rest| rest.split('"').next().unwrap().parse::<f64>().unwrap());
    // A phone shows 800 units on about 390 points of width; below 9 points letters are hard to read.
    assert!(sizes.fold(f64::INFINITY, f64::min) * 390.0 / 800.0 >= 8.5);
}

#[test]
fn nothing_can_not_be_drawn() {
    let axis = || Axis::new("x");
    assert!(LineChart::new("none", axis(), axis()).to_svg().is_err());
    assert!(LineChart::new("none", axis(), axis()).line("a", [(f64::NAN, 1.0)]).to_svg().is_err());
    let error = BarChart::new("no bars", axis()).to_svg().unwrap_err().to_string();
    assert!(error.contains("no bars"), "{error}");
}
