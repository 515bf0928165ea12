//! Rating lists through the program, from PGN and stores, compared with Ordo's output.

use std::io::Write;

use crate::support::{Place, duel, scripted};

/// White's wins, draws, Black's wins in each pairing of the gauntlet rated by Ordo.
const GAUNTLET: [(&str, &str, [usize; 3]); 6] = [
    ("Hero", "Anchor", [22, 12, 6]),
    ("Anchor", "Hero", [10, 11, 19]),
    ("Hero", "Mid", [15, 15, 10]),
    ("Mid", "Hero", [14, 13, 13]),
    ("Hero", "Weak", [33, 5, 2]),
    ("Weak", "Hero", [3, 6, 31]),
];

fn game(white: &str, black: &str, result: &str) -> String {
    format!(
        "[Event \"e\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\n1. e4 {{+0.10/3 [x]}} {result}\n\n"
    )
}

fn gauntlet() -> String {
    let mut text = String::new();
    for (white, black, counts) in GAUNTLET {
        for (result, count) in ["1-0", "1/2-1/2", "0-1"].into_iter().zip(counts) {
            text.push_str(&game(white, black, result).repeat(count));
        }
    }
    text
}

fn json(place: &Place, arguments: &[&str]) -> serde_json::Value {
    let (out, _) = place.check(&[&["ratings"], arguments, &["--json", "-"]].concat(), 0);
    serde_json::from_str(&out).unwrap()
}

fn player<'a>(list: &'a serde_json::Value, name: &str) -> &'a serde_json::Value {
    list["players"].as_array().unwrap().iter().find(|player| player["name"] == name).unwrap()
}

/// Ordo's scale sets 202 points to 76%, Smalt's 400 to ten times the odds: 0.9% apart. On one scale ratings agree to
/// a tenth (Ordo equates points; the likelihood depends on individual results), and so do both shared parameters.
#[test]
fn the_gauntlet_that_ordo_rated_is_rated_alike() {
    let place = Place::new();
    place.write("games.pgn", &gauntlet());
    let list = json(&place, &["games.pgn", "--anchor", "Anchor=2500", "--simulations", "400"]);
    let ordo_per_elo = 202.0 / (400.0 * (0.76f64 / 0.24).log10());
    for (name, published) in [("Hero", 2614.1), ("Mid", 2596.4), ("Weak", 2281.0), ("Anchor", 2500.0)] {
        let ours = player(&list, name)["rating"].as_f64().unwrap();
        let on_its_scale = 2500.0 + (ours - 2500.0) * ordo_per_elo;
        assert!((on_its_scale - published).abs() < 0.1, "{name}: {ours}");
    }
    assert!((list["white_advantage"].as_f64().unwrap() * ordo_per_elo - 29.86).abs() < 0.01);
    assert!((list["draw_rate"].as_f64().unwrap() - 0.3150).abs() < 5e-5);
    // Ordo's errors are standard errors of simulated tournaments.
    let simulated = |name: &str| player(&list, name)["simulated_error"].as_f64().unwrap();
    let exact = |name: &str| player(&list, name)["rating_error"].as_f64().unwrap();
    for name in ["Hero", "Mid", "Weak"] {
        assert!((simulated(name) / exact(name) - 1.0).abs() < 0.15, "{name}");
    }
    assert_eq!(simulated("Anchor"), 0.0);
    assert_eq!(list["games"], 240);
    assert_eq!(list["pairings"].as_array().unwrap().len(), 3);
}

#[test]
fn requested_tables_are_shown() {
    let place = Place::new();
    place.write("games.pgn", &gauntlet());
    let (out, err) =
        place.check(&["ratings", "games.pgn", "--anchor", "Anchor=2500", "--head-to-head", "--los"], 0);
    insta::assert_snapshot!("ratings_text", out);
    assert_eq!(err, "");
    let (out, _) = place.check(&["ratings", "games.pgn", "--format", "csv"], 0);
    insta::assert_snapshot!("ratings_csv", out.replace('\r', ""));
    let (out, _) = place.check(&["ratings", "games.pgn", "--table", "markdown", "--los"], 0);
    insta::assert_snapshot!("ratings_markdown", out);
}

#[test]
fn ratings_report_skipped_games_with_file_and_line_and_exit_with_3() {
    let place = Place::new();
    let text = [
        game("a", "b", "1-0"),
        game("a", "b", "*"),
        game("b", "a", "1-0"),
        game("a", "b", "1/2-1/2").replace("[White \"a\"]\n", ""),
        game("b", "a", "1/2-1/2"),
    ];
    place.write("games.pgn", &text.concat());
    let (_, err) = place.check(&["ratings", "games.pgn"], 3);
    assert_eq!(
        err,
        "games.pgn, line 8: the game is unfinished (`*`); it is not counted\n\
         games.pgn, line 22: the game has no White; it is not counted\n"
    );
    let (list, _) = place.check(&["ratings", "games.pgn", "--json", "-"], 3);
    let list: serde_json::Value = serde_json::from_str(&list).unwrap();
    assert_eq!(list["games"], 3);
    assert_eq!(list["left_out"][0]["line"], 8);
    place.write("none.pgn", "nothing");
    let (_, err) = place.check(&["ratings", "none.pgn"], 2);
    assert!(err.ends_with("there are no games to rate in none.pgn\n"), "{err}");
}

#[test]
fn several_files_are_one_list_whatever_their_packing() {
    let place = Place::new();
    let whole = gauntlet();
    let (first, second) = whole.split_at(whole[..whole.len() / 2].rfind("[Event").unwrap());
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(first.as_bytes()).unwrap();
    std::fs::write(place.path("a.pgn.gz"), encoder.finish().unwrap()).unwrap();
    std::fs::write(place.path("b.pgn.zst"), zstd::encode_all(second.as_bytes(), 1).unwrap()).unwrap();
    place.write("games.pgn", &whole);
    let rating = |list: &serde_json::Value| player(list, "Hero")["rating"].as_f64().unwrap();
    let parts = json(&place, &["a.pgn.gz", "b.pgn.zst", "--average", "2300"]);
    let one = json(&place, &["games.pgn", "--average", "2300"]);
    assert!((rating(&parts) - rating(&one)).abs() < 1e-6);
}

#[test]
fn a_store_and_its_pgn_are_rated_alike() {
    let place = Place::new();
    let (a, b) = (
        scripted("a", "--info-lines 1 --fault illegal-move@5 --fault illegal-move@10"),
        scripted("b", "--fault illegal-move@12"),
    );
    let arguments = duel(&a, &b, "--depth 1 --games 6 --maxmoves 8");
    place.check(&[&arguments[..], &["--store", "run.db", "--pgn", "run.pgn"]].concat(), 0);
    assert_eq!(json(&place, &["run.db"])["players"], json(&place, &["run.pgn"])["players"]);
}

#[test]
fn perfect_and_unconnected_players_are_noted_and_rated_with_a_prior() {
    let place = Place::new();
    let text =
        [gauntlet(), game("Best", "Hero", "1-0"), game("Hero", "Worst", "1-0"), game("X", "Y", "1/2-1/2")];
    place.write("games.pgn", &text.concat());
    let (out, _) = place.check(&["ratings", "games.pgn", "--average", "2500"], 0);
    insta::assert_snapshot!("ratings_groups", out);
    let list = json(&place, &["games.pgn", "--average", "2500", "--prior", "400"]);
    assert!(list["players"].as_array().unwrap().iter().all(|player| player["rating"].is_f64()));
    assert_eq!(list["players"][0]["name"], "Best");
}

#[test]
fn anchors_are_read_with_their_errors_and_wrong_ones_refused() {
    let place = Place::new();
    place.write("games.pgn", &gauntlet());
    for anchor in ["Hero=2600±20", "Hero=2600+-20", "Hero=2600+/-20"] {
        let list = json(&place, &["games.pgn", "--anchor", anchor, "--anchor", "Anchor=2500±20"]);
        let error = player(&list, "Hero")["rating_error"].as_f64().unwrap();
        assert!(error > 1.0 && error < 20.0, "{error}");
    }
    let refusal = |anchor: &str| place.check(&["ratings", "games.pgn", "--anchor", anchor], 2).1;
    assert!(refusal("hero=2").contains("did you mean \"Hero\"?"));
    assert!(refusal("Hero").contains("expected NAME=RATING"));
    assert!(refusal("Hero=x").contains("\"x\" is not a number"));
}

#[test]
fn a_side_that_never_loses_is_rated_and_a_list_of_wins_alone_is_refused_with_advice() {
    let place = Place::new();
    let text = [game("a", "b", "1-0"), game("b", "a", "1/2-1/2"), game("a", "b", "1/2-1/2")];
    place.write("games.pgn", &text.concat());
    let (out, _) = place.check(&["ratings", "games.pgn"], 0);
    assert!(out.contains("it is set to that of all games"), "{out}");
    let list = json(&place, &["games.pgn"]);
    assert_eq!(
        (&list["draw_rate_source"], &list["draw_rate_error"]),
        (&"open".into(), &serde_json::Value::Null)
    );
    assert!((list["draw_rate"].as_f64().unwrap() - 2.0 / 3.0).abs() < 1e-9);
    place.write("won.pgn", &game("a", "b", "1-0"));
    let (_, err) = place.check(&["ratings", "won.pgn"], 2);
    assert!(err.contains("no two players can be compared") && err.contains("--prior"), "{err}");
    json(&place, &["won.pgn", "--prior", "300"]);
}

/// An anchor that won everything is not comparable: the others are rated, and the output reports that nothing fixes
/// the scale.
#[test]
fn an_anchor_that_won_all_its_games_is_said_to_hold_nothing() {
    let place = Place::new();
    let text = [
        game("stockfish", "a", "1-0").repeat(3),
        game("b", "stockfish", "0-1").repeat(3),
        game("a", "b", "1-0"),
        game("b", "a", "1/2-1/2").repeat(4),
        game("b", "a", "1-0"),
    ];
    place.write("games.pgn", &text.concat());
    let arguments = ["games.pgn", "--anchor", "stockfish=3500"];
    let (out, _) = place.check(&[&["ratings"], &arguments[..]].concat(), 0);
    assert!(out.contains("No anchor can be compared with the rated players"), "{out}");
    assert!(out.contains("lost no points to the list"), "{out}");
    let list = json(&place, &arguments);
    assert_eq!(list["anchored"], false);
    assert!(player(&list, "a")["rating"].is_f64() && player(&list, "stockfish")["rating"].is_null());
    let (out, _) = place.check(&[&["ratings"], &arguments[..], &["--prior", "300"]].concat(), 0);
    assert!(!out.contains("No anchor"), "{out}");
}

#[test]
fn aliases_are_one_player_and_lists_of_names_choose_the_games() {
    let place = Place::new();
    let renamed = gauntlet().replacen("\"Hero\"", "\"Hero, 2\"", 60);
    place.write("games.pgn", &renamed);
    place.write("whole.pgn", &gauntlet());
    place.write("aliases.csv", "Hero, \"Hero, 2\"\n");
    let players = |list: &serde_json::Value| -> Vec<String> {
        let names = list["players"].as_array().unwrap().iter();
        names.map(|player| player["name"].as_str().unwrap().to_owned()).collect()
    };
    let list = json(&place, &["games.pgn", "-Y", "aliases.csv"]);
    assert_eq!(list["players"], json(&place, &["whole.pgn"])["players"]);
    assert_eq!(json(&place, &["games.pgn"])["players"].as_array().unwrap().len(), 5);
    place.write("names", "Hero\nMid\nAnchor\n");
    assert_eq!(players(&json(&place, &["whole.pgn", "-i", "names"])), ["Hero", "Mid", "Anchor"]);
    place.write("weak", "Weak\n");
    let without = json(&place, &["whole.pgn", "--exclude", "weak"]);
    assert_eq!((players(&without).len(), &without["games"]), (3, &160.into()));
    let (_, err) = place.check(&["ratings", "whole.pgn", "-i", "weak"], 2);
    assert!(err.contains("no games are left"), "{err}");
}

#[test]
fn errors_have_the_requested_confidence_and_players_with_few_games_are_hidden() {
    let place = Place::new();
    place.write("games.pgn", &[gauntlet(), game("Hero", "New", "1/2-1/2")].concat());
    let error = |list: &serde_json::Value| player(list, "Hero")["rating_error"].as_f64().unwrap();
    let (usual, narrow) = (json(&place, &["games.pgn"]), json(&place, &["games.pgn", "-F", "68.2689492137"]));
    assert!((error(&usual) / error(&narrow) - 1.959_964).abs() < 1e-5);
    assert!((narrow["confidence"].as_f64().unwrap() - 0.682_689_492_137).abs() < 1e-9);
    let shown = json(&place, &["games.pgn", "-t", "10"]);
    assert_eq!((shown["players"].as_array().unwrap().len(), error(&shown)), (4, error(&usual)));
    let (out, _) = place.check(&["ratings", "games.pgn", "--min-games", "10", "--simulations", "20"], 0);
    assert!(out.contains("Not shown, with too few games: 1 player"), "{out}");
    assert!(out.contains("of 20 simulated lists were usable"), "{out}");
    place.check(&["ratings", "games.pgn", "-e", "errors.csv"], 0);
    let matrix = place.read("errors.csv");
    assert_eq!(matrix.lines().count(), 6, "{matrix}");
    assert!(matrix.starts_with("error of the difference,New,Hero,"), "{matrix}");
    let (_, err) = place.check(&["ratings", "games.pgn", "-F", "100"], 2);
    assert!(err.contains("--confidence"), "{err}");
}

#[test]
fn names_of_players_move_no_cursor() {
    let place = Place::new();
    let [first, second] = ["Evil\u{1b}[2J", "Turned\u{202e}"];
    place.write("games.pgn", &[game(first, "b", "1-0"), game(second, "d", "1-0")].concat());
    let list = ["ratings", "games.pgn", "--prior", "100", "--simulations", "5"];
    for (form, row) in [("text", "  Turned\\u{202e} "), ("markdown", " | Turned\\\\u{202e} |")] {
        let (out, _) = place.check(&[&list[..], &["--format", form]].concat(), 0);
        assert_eq!(out.lines().filter(|line| line.contains(row)).count(), 1, "{out}");
        assert!(out.contains("2 groups that no game connects:"), "{out}");
        assert!(out.contains("Evil\\u{1b}[2J") && out.contains("Turned\\u{202e}"), "{out}");
        assert!(!out.contains(['\u{1b}', '\u{202e}']), "{out:?}");
    }
}
