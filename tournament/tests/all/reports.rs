//! Plots and reports of runs and files: content, errors, and escaping of names.

use std::fmt::Write;

use smalt_chess::{Color, Outcome};
use smalt_match::game::{FaultReport, Termination};
use smalt_match::schedule::ScheduledGame;
use smalt_match::store::Store;

use crate::support::Place;
use crate::support::made::{HOSTILE, ROUND_ROBIN, mixed, record, sprt, store, store_of_plan};

/// Texts of the SVG; panics with the place of an XML error.
fn texts(svg: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(svg).unwrap_or_else(|error| panic!("{error}\n{svg}"));
    let words = document.descendants().filter(|node| node.tag_name().name() == "text");
    words.filter_map(|node| node.text()).map(|text| text.trim().to_owned()).collect()
}

/// Plots to standard output and checks the texts in the drawing.
fn check_plot(place: &Place, arguments: &[&str], expected: &[&str]) -> String {
    let svg = place.check(&[&["plot"], arguments].concat(), 0).0;
    let texts = texts(&svg);
    for text in expected {
        assert!(texts.iter().any(|found| found.contains(text)), "{arguments:?}: {text}: {texts:?}");
    }
    svg
}

fn refused(place: &Place, arguments: &[&str], words: &str) {
    let (out, error) = place.check(arguments, 2);
    assert!(out.is_empty() && error.contains(words), "{arguments:?}: {error}");
}

#[test]
fn every_kind_of_plot_says_what_it_shows() {
    let place = Place::new();
    store(&place, "run.db", &sprt("cmd=a name=new", "400"), 100, mixed);
    check_plot(
        &place,
        &["run.db"],
        &[
            "LLR of new", "50 against 0 Elo, normalized", "games", "log-likelihood ratio (nats)",
            "H1 from +2.94",
        ],
    );
    check_plot(&place, &["run.db", "--kind", "elo"], &["Elo of new", "difference (Elo)", "games"]);
    check_plot(&place, &["run.db", "--kind", "ratings"], &["rating, mean 0 (Elo)", "new", "old"]);
    check_plot(&place, &["run.db", "--kind", "penta"], &["Pairs of games of new", "1½", "pairs"]);
    check_plot(
        &place,
        &["run.db", "--kind", "openings"],
        &["new by opening", "1. e4 e5 (100)", "share of its games (%)"],
    );
    check_plot(
        &place,
        &["run.db", "--game", "2"],
        &[
            "old (White)",
            "new (Black)",
            "evaluation, White's view (pawns)",
            "time left (s)",
            "time used (s)",
            "move",
        ],
    );
    check_plot(&place, &["run.db", "--kind", "elo", "--engine", "old"], &["Elo of old"]);
    place.check(&["plot", "run.db", "--kind", "all", "--game", "1", "-o", "all"], 0);
    for kind in ["elo", "llr", "ratings", "penta", "openings", "game"] {
        texts(&place.read(&format!("all/{kind}.svg")));
    }
    let elo = place.read("all/elo.svg");
    assert_eq!(elo, place.check(&["plot", "run.db", "--kind", "elo"], 0).0, "the same each time");
}

#[test]
fn what_cannot_be_drawn_is_refused_in_words() {
    let place = Place::new();
    store(&place, "empty.db", &ROUND_ROBIN, 0, mixed);
    refused(&place, &["plot", "empty.db"], "no finite Elo");
    refused(&place, &["plot", "empty.db", "--kind", "llr"], "give --elo0 and --elo1");
    refused(&place, &["plot", "empty.db", "--kind", "game"], "give --game N");
    refused(&place, &["plot", "empty.db", "--game", "3"], "there is no game 3");
    refused(&place, &["plot", "empty.db", "--kind", "ratings"], "these games rate no engine");
    refused(&place, &["plot", "empty.db", "--kind", "penta", "--kind", "elo"], "give a folder");
    let both = ["plot", "empty.db", "--kind", "penta", "--kind", "elo", "-o", "x.svg"];
    refused(&place, &both, "x.svg: several kinds are several files");
    assert!(!place.path("x.svg").exists(), "no folder has the name of a drawing");
    refused(&place, &["plot", "empty.db", "--kind", "all", "-o", "all"], "no finished game");
    refused(&place, &["plot", "empty.db", "--engine", "aa"], "did you mean \"a\"");
    refused(&place, &["plot", "none.pgn"], "none.pgn");
    place.write("empty.pgn", "");
    refused(&place, &["plot", "empty.pgn"], "no finished game");
    place.write("plain.pgn", "[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n");
    refused(&place, &["plot", "plain.pgn", "--game", "1"], "this game has no evaluations and no times");
    refused(&place, &["plot", "plain.pgn"], "all games were won");
    refused(&place, &["plot", "plain.pgn", "--kind", "penta"], "no pairs");
    refused(&place, &["report", "none.db"], "none.db");
    store(&place, "run.db", &ROUND_ROBIN, 2, mixed);
    refused(&place, &["report", "run.db", "-o", "report.pdf"], ".html, .md or .csv");
}

#[test]
fn a_one_sided_run_has_no_elo_and_all_else() {
    let place = Place::new();
    let wins = |game: ScheduledGame| Outcome::Win(if game.white == 0 { Color::White } else { Color::Black });
    store(&place, "run.db", &sprt("cmd=a name=new", "100"), 10, wins);
    refused(&place, &["plot", "run.db", "--kind", "elo"], "all games were won");
    check_plot(&place, &["run.db", "--kind", "penta"], &["5 (100.0%)"]);
    place.check(&["report", "run.db", "-o", "report.html"], 0);
    let page = place.read("report.html");
    assert!(page.contains("&gt; -15") && page.contains("Pairs of games of new"), "{page}");
}

/// Games in fastchess's format: pairs per round, evaluations and times in comments.
fn foreign(games: u32) -> String {
    let mut text = String::new();
    for number in 0..games {
        let (white, black) = if number % 2 == 0 { ("A", "B") } else { ("B", "A") };
        let result = ["1-0", "1/2-1/2", "0-1", "1/2-1/2", "1/2-1/2", "0-1"][number as usize % 6];
        write!(
            text,
            "[Event \"x\"]\n[Round \"{}\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\
             [ECO \"C{}\"]\n[TimeControl \"10+0.1\"]\n\n\
             1. e4 {{book}} e5 {{book}} 2. Nf3 {{+0.35/12 0.41s}} Nc6 {{-0.20/11 0.250s, n=5000}}\n\
             3. Bb5 {{+M5/20 1.100s}} a6 {{-M4/18 0.100s, A wins by adjudication}} {result}\n\n",
            number / 2 + 1,
            20 + number / 2 % 7
        )
        .unwrap();
    }
    text
}

#[test]
fn a_foreign_pgn_is_plotted_from_the_data_it_has() {
    let place = Place::new();
    place.write("games.pgn", &foreign(60));
    check_plot(&place, &["games.pgn"], &["Elo of A", "difference (Elo)"]);
    check_plot(&place, &["games.pgn", "--kind", "penta"], &["Pairs of games of A", "pairs"]);
    check_plot(&place, &["games.pgn", "--kind", "openings"], &["C20 (10)", "C26 (8)"]);
    check_plot(&place, &["games.pgn", "--elo0", "0", "--elo1", "20"], &["LLR of A", "20 against 0 Elo, "]);
    let svg = check_plot(&place, &["games.pgn", "--game", "2"], &["B (White)", "A (Black)", "time left (s)"]);
    // Ten seconds minus the times used: the clock is computed from the time control.
    assert!(texts(&svg).iter().any(|text| text == "9.5"), "{:?}", texts(&svg));
}

#[test]
fn ten_thousand_games_make_no_large_drawing() {
    let place = Place::new();
    place.write("games.pgn", &foreign(10_000));
    for kind in ["elo", "llr", "openings"] {
        let svg = check_plot(&place, &["games.pgn", "--kind", kind, "--elo0", "0", "--elo1", "1"], &[]);
        assert!(svg.len() < 100_000, "{kind}: {}", svg.len());
    }
}

/// Checks that a page is one file without external resources or scripts.
fn check_self_contained(page: &str) {
    for word in ["<script", "<img", "<link", "<iframe", "<object", "url(", "@import"] {
        assert!(!page.contains(word), "{word}");
    }
    // Links lead only to places on the page.
    for link in page.split("<a ").skip(1) {
        let id = link.strip_prefix("href=\"#").and_then(|rest| rest.split('"').next()).unwrap();
        assert_eq!(page.matches(&format!(" id=\"{id}\"")).count(), 1, "{id}");
    }
    for (start, _) in page.match_indices("<svg") {
        let end = start + page[start..].find("</svg>").unwrap() + "</svg>".len();
        roxmltree::Document::parse(&page[start..end]).unwrap();
    }
    // Namespace names are not requested.
    let others = page.matches("http").count() - page.matches("http-equiv").count();
    assert_eq!(others, page.matches("xmlns=\"http://www.w3.org/2000/svg\"").count());
}

#[test]
fn a_report_is_one_file_in_which_names_are_text() {
    let place = Place::new();
    let first = format!("cmd=a 'name={HOSTILE}' option.Hash=16");
    store(&place, "run.db", &sprt(&first, "200"), 41, mixed);
    let mut store = Store::resume(&place.path("run.db")).unwrap();
    let mut lost = record(
        ScheduledGame { number: 41, pair: 20, round: 20, white: 1, black: 0, opening: 20 },
        Outcome::Win(Color::White),
    );
    lost.termination = Termination::Disconnect;
    lost.fault = Some(FaultReport {
        color: Color::Black,
        name: "crashed".to_owned(),
        words: format!("was ended by SIGSEGV {HOSTILE}"),
        transcript: vec!["> go".to_owned(), format!("< info string {HOSTILE}</pre><script>")],
        illegal_move: None,
        overrun: None,
    });
    store.save(&lost).unwrap();
    store.close();
    place.check(&["report", "run.db", "-o", "report.html"], 0);
    let page = place.read("report.html");
    check_self_contained(&page);
    for part in [
        "LLR: ", "Games to look at", "Standings", "Charts", "Pairings", "Terminations", "Faults", "Speed",
        "Settings", "Hash=16", "42 games",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(page.contains("&lt;/pre&gt;&lt;script&gt;") && page.contains("10+0.1"));
    assert_eq!(
        page.matches("<figure>").count(),
        4 + 3 * 2,
        "Elo, LLR, pairs, openings; three games, each twice"
    );
    for link in
        ["<a href=\"#game-42\">Game 42</a>: ", "<a href=\"#game-42\">42</a>", "<a href=\"#game-40\">40</a>"]
    {
        assert_eq!(page.matches(link).count(), 1, "{link}");
    }
    assert!(page.contains("Evaluation: Black disconnects") && page.contains("Time left on the clock"));
    let (markdown, _) = place.check(&["report", "run.db"], 0);
    assert!(
        markdown.matches("<img").count() == markdown.matches("\\<img").count()
            && markdown.contains("Game 42"),
        "{markdown}"
    );
    let (csv, _) = place.check(&["report", "run.db", "--format", "csv"], 0);
    assert!(csv.contains("\"'=<img"), "{csv}");
    for svg in ["elo", "llr", "penta", "openings", "ratings"] {
        check_plot(&place, &["run.db", "--kind", svg], &[]);
    }
}

#[test]
fn a_report_for_a_pull_request_is_short() {
    let place = Place::new();
    store(&place, "run.db", &ROUND_ROBIN, 24, mixed);
    place.check(&["report", "run.db", "-o", "report.md"], 0);
    let text = place.read("report.md").replace(env!("CARGO_PKG_VERSION"), "VERSION");
    insta::assert_snapshot!(text);
    place.check(&["report", "run.db", "-o", "report.csv"], 0);
    let csv = place.read("report.csv");
    assert_eq!(csv.split("\r\n\r\n").count(), 5, "standings, crosstable, pairings, endings, speed: {csv}");
}

#[test]
fn a_report_works_without_games_and_with_many() {
    let place = Place::new();
    store(&place, "empty.db", &ROUND_ROBIN, 0, mixed);
    place.check(&["report", "empty.db", "-o", "empty.html"], 0);
    let page = place.read("empty.html");
    assert!(page.contains("0 of 24 games, stopped") && !page.contains("<figure>"), "{page}");
    check_self_contained(&page);
    store(&place, "one.db", &ROUND_ROBIN, 1, mixed);
    place.check(&["report", "one.db", "-o", "one.html"], 0);
    check_self_contained(&place.read("one.html"));
    store(&place, "many.db", &sprt("cmd=a name=new", "3000"), 2_010, |game| {
        if game.pair % 2 == 0 { Outcome::Draw } else { Outcome::Win(Color::White) }
    });
    place.check(&["report", "many.db", "-o", "many.html"], 0);
    let page = place.read("many.html");
    assert!(page.contains("and 10 more games without a fault"), "the list of games ends somewhere");
    assert!(page.len() < 1_000_000, "{}", page.len());
    assert_eq!(page.matches("<article ").count(), 3, "of games without leads and faults, the last");
}

#[test]
fn a_knockout_is_reported_with_its_bracket() {
    let place = Place::new();
    let mut flags = ROUND_ROBIN;
    flags[1] = "knockout";
    let first_wins =
        |game: ScheduledGame| Outcome::Win(if game.white < game.black { Color::White } else { Color::Black });
    store(&place, "run.db", &flags, 100, first_wins);
    place.check(&["report", "run.db", "-o", "report.html"], 0);
    let page = place.read("report.html");
    assert!(
        page.contains("Champion: a") && page.contains("<h2>Progress</h2>") && page.contains("a (bye)"),
        "{page}"
    );
    refused(&place, &["plot", "run.db", "--engine", "a", "--kind", "elo"], "all games were won");
    check_plot(&place, &["run.db", "--engine", "b", "--kind", "penta"], &["Pairs of games of b"]);
}

/// The variance of the anchor adds to that of the games.
#[test]
fn a_gauntlet_against_a_known_engine_has_ratings_on_its_scale_with_its_error() {
    let place = Place::new();
    let run = |name: &str, words: &str| {
        let opponent = format!("\"cmd=b\" name=b rating=2700 source=Some_List {words}");
        let flags = [
            "--format", "gauntlet", "--engine", "cmd=a name=a", "--opponent", &opponent, "--opponent",
            "cmd=c name=c", "--nodes", "1000", "--games", "40",
        ];
        store(&place, name, &flags, 80, mixed);
        place.results(name)
    };
    let rating = |results: &serde_json::Value, entrant: usize| {
        let row = &results["entrants"][entrant];
        [&row["scale_rating"], &row["scale_rating_error"]].map(|number| number.as_f64().unwrap())
    };
    let exact = run("exact.db", "rating-error=0");
    let unsure = run("unsure.db", "rating-error=60");
    assert_eq!(rating(&exact, 1), [2700.0, 0.0]);
    let ([value, error], [same, wider]) = (rating(&exact, 0), rating(&unsure, 0));
    assert!((value - same).abs() < 0.01, "{value} {same}");
    assert!((wider.powi(2) - error.powi(2) - 60.0_f64.powi(2)).abs() < 1.0, "{error} {wider}");
    assert_eq!(unsure["scale"]["source"], "Some_List");
    assert_eq!(unsure["scale"]["anchors"][0]["rating_error"], 60.0);
    let (tables, _) = place.check(&["standings", "unsure.db"], 0);
    assert!(tables.contains("Ratings on the scale of Some_List (anchors: b 2700 ± 60)"), "{tables}");
    store(&place, "none.db", &ROUND_ROBIN, 24, mixed);
    assert_eq!(place.results("none.db")["scale"], serde_json::Value::Null);
}

#[test]
fn stored_names_with_hidden_characters_are_escaped_and_new_ones_refused() {
    let place = Place::new();
    let names = ["cmd=a name=STORED", "cmd=b name=b"];
    let flags =
        ["--engine", names[0], "--engine", names[1], "--nodes", "1000", "--games", "4", "--seed", "1"];
    let (plan, _) = place.check(&[&["plan"], &flags[..]].concat(), 0);
    store_of_plan(&place, "run.db", plan.replace("STORED", "a\\u202Eb\\u200B"), 3, mixed);
    for arguments in
        [&["standings", "run.db"][..], &["export", "run.db"], &["export", "run.db", "--what", "epd"]]
    {
        let (out, _) = place.check(arguments, 0);
        assert!(out.contains("u{202e}b"), "{out}");
        let is_row =
            |line: &str| line.starts_with(['1', '2']) && line[1..].starts_with("  a\\u{202e}b\\u{200b} ");
        assert!(arguments[0] != "standings" || out.lines().any(is_row), "{out}");
        assert!(!out.contains(['\u{202e}', '\u{200b}']), "{out:?}");
    }
    let new = ["match", "--engine", "cmd=a name=a\u{202e}", "--engine", names[1], "--store", "new.db"];
    let (_, error) = place.check(&new, 2);
    assert!(error.contains("hidden characters") && !error.contains('\u{202e}'), "{error:?}");
    assert!(!place.path("new.db").exists());
}
