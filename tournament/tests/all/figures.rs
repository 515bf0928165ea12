//! Figures of a run are equal in every format.

use serde_json::Value;
use smalt_chess::{Color, Outcome};
use smalt_match::schedule::ScheduledGame;
use smalt_report::format::{self, Sign};

use crate::support::Place;
use crate::support::made::{ROUND_ROBIN, mixed, sprt, store};
use crate::support::served::{Served, get};

/// All statistical fields of an entrant or a pairing.
fn statistics(results: &Value) -> Vec<Value> {
    let fields = ["elo", "elo_error", "elo_low", "elo_high", "nelo", "nelo_error", "los", "draw_ratio"];
    fields.map(|field| results[field].clone()).to_vec()
}

#[test]
fn an_unfinished_pair_changes_no_statistics_and_is_shown_apart() {
    let place = Place::new();
    store(&place, "whole.db", &sprt("cmd=a name=new", "400"), 160, mixed);
    store(&place, "half.db", &sprt("cmd=a name=new", "400"), 161, mixed);
    let [whole, half] = ["whole.db", "half.db"].map(|run| place.results(run));
    for (part, places) in [("entrants", 2), ("pairings", 1)] {
        for index in 0..places {
            let [whole, half] = [&whole, &half].map(|results| &results[part][index]);
            assert!(whole["elo"].is_number());
            assert_eq!(statistics(whole), statistics(half), "{part} {index}");
            assert_eq!(whole["penta"], half["penta"]);
            assert_eq!((&whole["unpaired_games"], &half["unpaired_games"]), (&0.into(), &1.into()));
        }
    }
    assert_eq!(whole["entrants"][0]["games"], 160);
    assert_eq!(half["entrants"][0]["games"], 161);
    let note = "Unfinished pairs, not counted in Elo, normalized Elo, LOS and pairs: 1 game new - old";
    for (arguments, shows) in [
        (&["standings", "half.db"][..], true),
        (&["report", "half.db"][..], true),
        (&["standings", "whole.db"][..], false),
        (&["report", "whole.db"][..], false),
    ] {
        assert_eq!(place.check(arguments, 0).0.contains(note), shows, "{arguments:?}");
    }
    place.check(&["report", "half.db", "-o", "half.html"], 0);
    assert!(place.read("half.html").contains(note));
    // The curves end at the values of the tables.
    let served = Served::start(&place, &["half.db", "--listen", "0"]);
    let page = get(served.address, "/api/runs/0").json();
    assert_eq!(statistics(&page["results"]["entrants"][0]), statistics(&half["entrants"][0]));
    let curves = get(served.address, "/api/runs/0/curves?entrant=0").json();
    let last = curves["elo"].as_array().unwrap().last().unwrap();
    assert_eq!((&last[0], &last[1]), (&160.into(), &half["entrants"][0]["elo"]));
}

/// A tournament of single games has no pairs: games count singly.
#[test]
fn single_games_count_as_games() {
    let place = Place::new();
    let flags = ["--format", "round-robin", "--engine", "cmd=a name=a", "--engine", "cmd=b name=b"];
    store(&place, "one.db", &[&flags[..], &["--nodes", "1000", "--games", "5"]].concat(), 5, mixed);
    let results = place.results("one.db");
    let first = &results["entrants"][0];
    assert_eq!((&first["games"], &first["unpaired_games"]), (&5.into(), &0.into()));
    assert!(first["elo"].is_number(), "{first}");
}

/// An Elo with its interval from JSON.
fn interval(row: &Value, field: &str) -> format::Interval {
    let number = |ending: &str| row[&format!("{field}{ending}")].as_f64();
    let (low, high) = (number("_low"), number("_high"));
    let half = low.zip(high).map(|(low, high)| (high - low) / 2.0);
    format::Interval { value: number(""), error: number("_error").or(half), low, high }
}

/// The values of a pairing as table text.
fn pairing_cells(pairing: &Value) -> Vec<String> {
    let count = |field: &str| pairing[field].as_u64().unwrap();
    let [wins, draws, losses] = ["wins", "draws", "losses"].map(count);
    let pairs: Vec<String> = pairing["penta"].as_array().unwrap().iter().map(Value::to_string).collect();
    vec![
        format!("{} - {}", pairing["first"].as_str().unwrap(), pairing["second"].as_str().unwrap()),
        format::interval(&interval(pairing, "elo"), 1, Sign::Both),
        format::percent(pairing["los"].as_f64().unwrap(), 1),
        format::number(wins as f64 + draws as f64 / 2.0, 1, Sign::Negative),
        (wins + draws + losses).to_string(),
        format!("{wins}-{draws}-{losses}"),
        pairs.join(", "),
    ]
}

/// An entrant's values in every format, as table text derived from the JSON.
fn cells(entrant: &Value) -> Vec<String> {
    let number = |field: &str| entrant[field].as_f64();
    let estimate = |field: &str, error: &str, decimals| {
        number(field).map_or_else(
            || format::MISSING.to_owned(),
            |value| format::estimate(value, number(error), decimals, Sign::Both),
        )
    };
    let percent = |field: &str| {
        number(field).map_or_else(|| format::MISSING.to_owned(), |share| format::percent(share, 1))
    };
    vec![
        entrant["rank"].to_string(),
        entrant["name"].as_str().unwrap().to_owned(),
        estimate("rating", "rating_error", 1),
        format::interval(&interval(entrant, "elo"), 1, Sign::Both),
        estimate("nelo", "nelo_error", 1),
        percent("los"),
        format::number(number("points").unwrap(), 1, Sign::Negative),
        entrant["games"].to_string(),
        entrant["wins"].to_string(),
        entrant["draws"].to_string(),
        entrant["losses"].to_string(),
        percent("drawn"),
    ]
}

/// The crosstable in Markdown, with the results of the pairings and the ranks of the entrants.
fn crosstable(results: &Value) -> Vec<String> {
    let list = |field: &str| results[field].as_array().unwrap();
    let mut entrants: Vec<&Value> = list("entrants").iter().collect();
    entrants.sort_by_key(|entrant| entrant["rank"].as_u64());
    let points = |row: &Value, column: &Value| {
        list("pairings").iter().find_map(|pairing| {
            let sides = (&pairing["first"], &pairing["second"]);
            let won = match () {
                () if sides == (&row["name"], &column["name"]) => "wins",
                () if sides == (&column["name"], &row["name"]) => "losses",
                () => return None,
            };
            let count = |field: &str| pairing[field].as_u64().unwrap();
            let games = count("wins") + count("draws") + count("losses");
            Some(format!("{:.1}/{games}", count(won) as f64 + count("draws") as f64 / 2.0))
        })
    };
    let cell =
        |row: &Value, column: &Value| points(row, column).unwrap_or_else(|| format::MISSING.to_owned());
    let cells = |row: &Value| entrants.iter().map(|column| cell(row, column)).collect::<Vec<_>>().join(" | ");
    let row =
        |row: &&Value| format!("| {} | {} | {} |", row["rank"], row["name"].as_str().unwrap(), cells(row));
    entrants.iter().map(row).collect()
}

/// The rows of the tables of a page in Markdown.
fn html_rows(html: &str) -> String {
    let begin = regex::Regex::new("<td[^>]*>").unwrap();
    let rows = html.lines().filter(|line| line.starts_with("<tr><td"));
    let text =
        |row| begin.replace_all(row, "| ").replace("<tr>", "").replace("</td>", " ").replace("</tr>", "|\n");
    rows.map(text).collect::<String>().replace("&gt;", ">").replace("&lt;", "<")
}

/// One of three engines wins all games against another, so that everything occurs: ratings, ± and open ends, LOS of
/// one-sided results, and drawn games outside drawn pairs.
fn one_sided(game: ScheduledGame) -> Outcome {
    match (game.white, game.black) {
        (0, 2) => Outcome::Win(Color::White),
        (2, 0) => Outcome::Win(Color::Black),
        _ => mixed(game),
    }
}

#[test]
#[cfg_attr(windows, ignore = "mingw's mathematical functions differ in the last digit")]
fn every_form_shows_the_same_figures() {
    let place = Place::new();
    store(&place, "run.db", &ROUND_ROBIN, 24, one_sided);
    let results = place.results("run.db");
    let (text, _) = place.check(&["standings", "run.db"], 0);
    let (markdown, _) = place.check(&["report", "run.db"], 0);
    let (csv, _) = place.check(&["standings", "run.db", "--table", "csv"], 0);
    place.check(&["report", "run.db", "-o", "run.html"], 0);
    let html = html_rows(&place.read("run.html"));
    let is_shown = |row: &str| markdown.contains(row) && html.contains(row);
    let served = Served::start(&place, &["run.db", "--listen", "0"]);
    let page = get(served.address, "/api/runs/0").json();
    let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut seen = 0;
    for entrant in results["entrants"].as_array().unwrap() {
        let cells = cells(entrant);
        // A report has the columns of the page in its order, then the others.
        let leading = [0, 1, 2, 3, 6, 7, 8, 9, 10, 5].map(|column: usize| cells[column].as_str());
        let row = format!("| {} | 0 | {} | {} |", leading.join(" | "), cells[4], cells[11]);
        assert!(is_shown(&row), "{row}\n{markdown}{html}");
        let line = squeezed(&cells.join(" "));
        assert!(text.lines().any(|other| squeezed(other).starts_with(&line)), "{line}\n{text}");
        let rows = csv.lines().map(|line| line.split(',').collect());
        let fields: Vec<&str> = rows.into_iter().find(|fields: &Vec<&str>| fields[1] == cells[1]).unwrap();
        let heads: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
        for (head, field) in
            [("elo", "elo"), ("nelo", "nelo"), ("los", "los"), ("drawn", "drawn"), ("rating", "rating")]
        {
            let shown = fields[heads.iter().position(|other| *other == head).unwrap()].parse::<f64>().ok();
            let known = entrant[field].as_f64();
            assert!(
                shown.zip(known).is_none_or(|(a, b)| (a - b).abs() < 1e-9)
                    && shown.is_some() == known.is_some(),
                "{head}"
            );
            seen += 1;
        }
    }
    assert_eq!(seen, 15);
    for pairing in results["pairings"].as_array().unwrap() {
        let cells = pairing_cells(pairing);
        let line = squeezed(&cells.join(" "));
        assert!(text.lines().any(|other| squeezed(other) == line), "{line}\n{text}");
        let leading = [0, 1, 3, 4, 5, 2, 6].map(|column: usize| cells[column].as_str());
        let row = format!("| {} |", leading.join(" | "));
        assert!(is_shown(&row), "{row}\n{markdown}{html}");
    }
    for row in crosstable(&results) {
        assert!(is_shown(&row), "{row}\n{markdown}{html}");
    }
    // The page uses the same numbers, to the last digit.
    let mut written = results.clone();
    written.as_object_mut().unwrap().remove("schema");
    assert_eq!(page["results"], written);
    // A pairing won by one side: the same LOS in table and JSON, below 100%.
    let pairing =
        results["pairings"].as_array().unwrap().iter().find(|pairing| pairing["second"] == "c").unwrap();
    assert_eq!((&pairing["penta"], &pairing["los"]), (&serde_json::json!([0, 0, 0, 0, 4]), &0.9375.into()));
    assert!(text.lines().any(|line| line.starts_with("a - c") && line.contains(" 93.8%")), "{text}");
}

/// A gauntlet's Elo is relative to the entrant's own opponents: an opponent that won all games ranks above a strong
/// challenger, and no bound is shown before five pairs.
#[test]
fn ranks_follow_one_scale_and_a_single_win_bounds_nothing() {
    let place = Place::new();
    let flags = [
        "--format", "gauntlet", "--engine", "cmd=a name=a", "--opponent", "cmd=b name=b", "--opponent",
        "cmd=c name=c",
    ];
    let flags = [&flags[..], &["--nodes", "1000", "--games", "12"]].concat();
    // The challenger draws with b and loses one game in four to c: c ranks first, b level with the challenger.
    let outcome = |game: ScheduledGame| match (game.white, game.black) {
        (2, _) if game.pair % 4 == 1 => Outcome::Win(Color::White),
        (0, 1) if game.pair.is_multiple_of(8) => Outcome::Win(Color::White),
        (0, 1) if game.pair % 8 == 4 => Outcome::Win(Color::Black),
        _ => Outcome::Draw,
    };
    store(&place, "run.db", &flags, 24, outcome);
    let results = place.results("run.db");
    let entrants = results["entrants"].as_array().unwrap();
    let mut by_rank: Vec<&Value> = entrants.iter().collect();
    by_rank.sort_by_key(|entrant| entrant["rank"].as_u64());
    assert_eq!(by_rank[0]["name"], "c");
    let ratings: Vec<f64> = by_rank.iter().map(|entrant| entrant["rating"].as_f64().unwrap()).collect();
    assert!(ratings.is_sorted_by(|a, b| a >= b), "{ratings:?}");
    let wins = |game: ScheduledGame| Outcome::Win(if game.white == 0 { Color::White } else { Color::Black });
    store(&place, "won.db", &sprt("cmd=a name=new", "100"), 2, wins);
    let (text, _) = place.check(&["standings", "won.db"], 0);
    assert!(!text.contains("> ") && !text.contains("< "), "{text}");
    let won = &place.results("won.db")["entrants"][0];
    assert_eq!((&won["elo_low"], &won["los"]), (&Value::Null, &0.5.into()));
}

/// The length of an open test is unknown: no end is announced, only the mean number of games left.
#[test]
#[cfg_attr(windows, ignore = "mingw's mathematical functions differ in the last digit")]
fn an_open_sequential_test_shows_the_expected_games() {
    let place = Place::new();
    // Pairs of 2, 0, 1½ and 1 points in turn.
    let nearly_even = |game: ScheduledGame| match game.pair % 4 {
        0 => Outcome::Win(if game.white == 0 { Color::White } else { Color::Black }),
        1 => Outcome::Win(if game.white == 0 { Color::Black } else { Color::White }),
        2 if game.white == 0 => Outcome::Win(Color::White),
        _ => Outcome::Draw,
    };
    store(&place, "run.db", &sprt("cmd=a name=new", "1000000"), 40, nearly_even);
    let (status, _) = place.check(&["status", "run.db"], 0);
    assert!(
        status.contains("more games on average if H0 is true") && !status.contains("for the rest"),
        "{status}"
    );
    let test = place.results("run.db")["sprt"].clone();
    assert_eq!(test["verdict"], "continue");
    for field in ["games_left_h0", "games_left_h1", "sprt_elo", "sprt_elo_low", "sprt_elo_high", "sprt_los"] {
        assert!(test[field].is_number(), "{field}: {test}");
    }
    assert!(test["games_left_h0"].as_f64() > test["games_left_h1"].as_f64(), "its LLR is above 0: {test}");
    let number = |field: &str| test[field].as_f64().unwrap();
    let llr = format!("{:.2} ({:.2}, {:.2})", number("llr"), number("lower"), number("upper"));
    let elo = format::interval(&interval(&test, "sprt_elo"), 2, Sign::Both);
    place.check(&["report", "run.db", "-o", "run.html"], 0);
    let printed = ["standings", "status", "report"].map(|command| place.check(&[command, "run.db"], 0).0);
    for text in printed.into_iter().chain([place.read("run.html")]) {
        assert!(text.contains(&llr) && text.contains(&elo), "{llr}, {elo}: {text}");
    }
    let served = Served::start(&place, &["run.db", "--listen", "0"]);
    let page = get(served.address, "/api/runs/0").json();
    assert_eq!((&page["seconds_left"], &page["results"]["sprt"]), (&Value::Null, &test));
    place.check(&["report", "run.db", "-o", "run.html"], 0);
    assert!(place.read("run.html").contains("Elo given the stopping rule: "));
}

#[test]
fn the_leader_is_compared_with_the_second_unless_both_won_all_games() {
    let place = Place::new();
    let ranked = |results: &Value, rank: u64| {
        let mut entrants = results["entrants"].as_array().unwrap().iter();
        entrants.find(|entrant| entrant["rank"] == rank).unwrap().clone()
    };
    store(&place, "many.db", &ROUND_ROBIN, 24, mixed);
    let results = place.results("many.db");
    let (leader, [first, second]) = (&results["leader"], [1, 2].map(|rank| ranked(&results, rank)));
    assert_eq!((&leader["name"], &leader["ahead_of"]), (&first["name"], &second["name"]));
    assert!(leader["los"].as_f64().is_some_and(|los| (0.5..1.0).contains(&los)), "{leader}");
    store(&place, "two.db", &sprt("cmd=a name=new", "400"), 160, mixed);
    let results = place.results("two.db");
    let (leader, first) = (&results["leader"], ranked(&results, 1));
    assert_eq!((&leader["name"], &leader["los"]), (&first["name"], &first["los"]), "the LOS of the table");
    let engines = ["--engine", "cmd=a name=a", "--opponent", "cmd=b name=b", "--opponent", "cmd=c name=c"];
    let gauntlet = [&["--format", "gauntlet", "--nodes", "1000", "--games", "8"][..], &engines].concat();
    let first_loses =
        |game: ScheduledGame| Outcome::Win(if game.white == 0 { Color::Black } else { Color::White });
    store(&place, "shared.db", &gauntlet, 16, first_loses);
    let leader = &place.results("shared.db")["leader"];
    assert_eq!((&leader["ahead_of"], &leader["los"]), (&Value::Null, &Value::Null), "{leader}");
    store(&place, "empty.db", &ROUND_ROBIN, 0, mixed);
    assert_eq!(place.results("empty.db")["leader"], Value::Null);
}

#[test]
fn elo_of_counts_after_a_sequential_test_is_unbiased() {
    let place = Place::new();
    let counts = ["elo", "--penta", "220,9800,21200,10150,260", "--elo0", "0", "--elo1", "2"];
    let (text, _) = place.check(&counts, 0);
    assert!(text.contains("Elo given the stopping rule: +1.62 ± 1.35, LOS: 98.98 %"), "{text}");
    let (json, _) = place.check(&[&counts[..], &["--json", "-"]].concat(), 0);
    let found: Value = serde_json::from_str(&json).unwrap();
    for (field, expected) in [("sprt_elo", 1.62368), ("sprt_elo_low", 0.25682), ("sprt_elo_high", 2.96424)] {
        assert!((found[field].as_f64().unwrap() - expected).abs() < 1e-4, "{found}");
    }
    assert!(found["elo_always_low"].as_f64() < found["elo_low"].as_f64(), "{found}");
}
