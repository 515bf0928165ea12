//! Every format and every kind of openings, end to end with scripted engines.

use std::collections::BTreeMap;
use std::io::Write;

use serde_json::Value;

use crate::support::{Place, finish, restarted, scripted, timeless};

/// Engines that play differently from each other but deterministically. Some lose by an illegal move.
fn entrants(count: usize) -> Vec<String> {
    (0..count)
        .map(|index| {
            let fault =
                if index % 3 == 2 { format!(" --fault illegal-move@{}", 3 + index) } else { String::new() };
            scripted(&format!("e{index}"), &format!("--seed {index}{fault}"))
        })
        .collect()
}

fn arguments<'a>(format: &'a str, entrants: &'a [String], rest: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec![format];
    entrants.iter().for_each(|entrant| arguments.extend(["--engine", entrant]));
    arguments.extend(["--depth", "1", "--maxmoves", "12", "--seed", "7", "--store", "run.db"]);
    arguments.extend(rest);
    arguments
}

/// A run with engines restarted for each game, so that games are independent.
fn play(format: &str, count: usize, rest: &[&str]) -> (Place, Value) {
    let place = Place::new();
    let entrants = entrants(count);
    place.check(&[&arguments(format, &entrants, &["--each", "restart=on"])[..], rest].concat(), 0);
    let results = place.results("run.db");
    (place, results)
}

fn tags(pgn: &str, name: &str) -> Vec<String> {
    let prefix = format!("[{name} \"");
    pgn.lines()
        .filter_map(|line| line.strip_prefix(&prefix)?.strip_suffix("\"]"))
        .map(str::to_owned)
        .collect()
}

/// Number of games by name.
fn games_each(pgn: &str) -> BTreeMap<String, u32> {
    let mut games = BTreeMap::new();
    for name in tags(pgn, "White").into_iter().chain(tags(pgn, "Black")) {
        *games.entry(name).or_default() += 1;
    }
    games
}

#[test]
fn a_double_round_robin_pairs_every_engine_with_every_other() {
    let (place, results) = play("round-robin", 5, &["--games", "2", "--rounds", "2"]);
    assert_eq!(results["games_finished"], 40);
    assert!(games_each(&place.read("run.pgn")).values().all(|&games| games == 16));
    assert_eq!(results["pairings"].as_array().unwrap().len(), 10);
    assert_eq!(results["course"], Value::Null);
}

#[test]
fn seeds_are_the_challengers_of_a_gauntlet() {
    let (place, results) = play("gauntlet", 5, &["--games", "2", "--seeds", "2"]);
    assert_eq!(results["games_finished"], 12);
    let games = games_each(&place.read("run.pgn"));
    assert_eq!(games.values().copied().collect::<Vec<_>>(), [6, 6, 4, 4, 4]);
}

#[test]
fn newcomers_of_a_pyramid_meet_all_before_them() {
    let (place, results) = play("pyramid", 4, &["--games", "2"]);
    assert_eq!(results["games_finished"], 12);
    let pgn = place.read("run.pgn");
    let newest: Vec<String> = tags(&pgn, "White")
        .into_iter()
        .zip(tags(&pgn, "Black"))
        .map(|(white, black)| white.max(black))
        .collect();
    assert!(newest.is_sorted(), "{newest:?}");
}

#[test]
fn a_knockout_ends_with_an_undefeated_champion() {
    let (place, results) = play("knockout", 6, &["--games", "2", "--tiebreak-pairs", "1"]);
    let course = &results["course"];
    assert_eq!(course["kind"], "knockout");
    let rounds = course["rounds"].as_array().unwrap();
    assert_eq!(rounds.len(), 3);
    let encounters: Vec<&Value> =
        rounds.iter().flat_map(|round| round["encounters"].as_array().unwrap()).collect();
    assert_eq!(encounters.iter().filter(|met| met["second"] != Value::Null).count(), 5);
    let champion = course["champion"].as_str().unwrap();
    for met in encounters {
        let is_there = [&met["first"], &met["second"]].iter().any(|name| *name == champion);
        assert!(!is_there || met["winner"] == champion, "{met}");
    }
    assert_eq!(results["games_planned"], results["games_finished"]);
    let (tables, _) = place.check(&["standings", "run.db"], 0);
    assert!(tables.contains(&format!("Champion: {champion}")), "{tables}");
}

#[test]
fn a_swiss_tournament_repeats_no_pairing() {
    let (place, results) = play("swiss", 7, &["--games", "2", "--rounds", "3"]);
    assert_eq!(results["games_finished"], 18);
    let course = &results["course"];
    assert_eq!((&course["kind"], &course["complete"]), (&"swiss".into(), &3.into()));
    for place in course["places"].as_array().unwrap() {
        let mut met: Vec<&str> = place["met"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let count = met.len();
        met.sort_unstable();
        met.dedup();
        assert_eq!(met.len(), count);
        assert_eq!(count as u64 + place["byes"].as_u64().unwrap(), 3);
    }
    let (tables, _) = place.check(&["standings", "run.db"], 0);
    assert!(tables.contains("buchholz") && tables.contains("3 of 3 rounds are over"), "{tables}");
}

#[test]
fn tournaments_by_results_are_the_same_at_any_concurrency_and_after_kills() {
    for format in ["knockout", "swiss"] {
        let rest = ["--games", "2", "--concurrency", "1"];
        let (place, results) = play(format, 7, &rest);
        let expected = timeless(&place.read("run.pgn"));
        for concurrency in ["2", "8"] {
            let (place, _) = play(format, 7, &["--games", "2", "--concurrency", concurrency]);
            assert_eq!(timeless(&place.read("run.pgn")), expected, "{format} at {concurrency}");
        }
        let place = Place::new();
        let entrants = entrants(7);
        let rest = ["--each", "restart=on", "--games", "2", "--concurrency", "2"];
        let mut child = place.start(&arguments(format, &entrants, &rest));
        for games in [1, 6, 11] {
            place.await_games("run.db", games);
            child.kill().unwrap();
            child.wait().unwrap();
            place.await_nobody();
            child = place.start(&["resume", "run.db", "--concurrency", "2"]);
        }
        finish(child, 0);
        assert_eq!(timeless(&place.read("run.pgn")), expected, "{format} after kills");
        assert_eq!(place.results("run.db")["course"], results["course"]);
    }
}

/// Level games at the limit are draws, and a decided test stops the games: in every format of two.
#[test]
fn a_sequential_test_ends_any_tournament_of_two() {
    for format in ["match", "round-robin", "gauntlet", "pyramid", "knockout", "swiss"] {
        let place = Place::new();
        let (good, bad) = (scripted("good", ""), restarted(&scripted("bad", "--fault illegal-move@all")));
        let opponent = if format == "gauntlet" { "--opponent" } else { "--engine" };
        let arguments = [
            format, "--engine", &good, opponent, &bad, "--depth", "1", "--maxmoves", "4", "--games", "400",
            "--elo0", "0", "--elo1", "50", "--store", "run.db",
        ];
        let (out, _) = place.check(&arguments, 0);
        let results = place.results("run.db");
        assert_eq!(results["sprt"]["verdict"], "H1", "{format}: {results:#}");
        assert!(results["games_finished"].as_u64() < Some(400), "{format}");
        assert!(out.contains("H1 is accepted"), "{out}");
        place.await_nobody();
    }
}

/// The better seed comes first whatever the seed shuffles: the test measures the first entrant.
#[test]
fn a_sequential_test_takes_the_view_of_the_first_entrant_however_they_are_seeded() {
    for seed in ["1", "2", "3", "4"] {
        let place = Place::new();
        let (good, bad) = (scripted("good", ""), restarted(&scripted("bad", "--fault illegal-move@all")));
        let arguments = [
            "knockout", "--engine", &bad, "--engine", &good, "--shuffle", "--seed", seed, "--depth", "1",
            "--maxmoves", "4", "--games", "400", "--alpha", "0.05", "--store", "run.db",
        ];
        place.check(&arguments, 0);
        assert_eq!(place.results("run.db")["sprt"]["verdict"], "H0", "{seed}");
    }
}

/// If later games depend on results, an entrant that cannot be started loses by walkover, and the rest is played.
#[test]
fn an_engine_that_cannot_start_loses_by_walkover() {
    for format in ["knockout", "swiss"] {
        let place = Place::new();
        let mut all = entrants(4);
        all[1] = scripted("gone", "--fault exit-at-start");
        let rest = ["--games", "2", "--pgn", "run.pgn"];
        let (_, err) = place.check(&arguments(format, &all, &rest), 3);
        assert!(err.contains("gone failed to start 3 times running"), "{err}");
        assert!(err.contains("; its games are lost\n"), "{err}");
        assert!(err.contains("were lost as walkovers by disqualified entrants"), "{err}");
        let results = place.results("run.db");
        assert_eq!(results["games_planned"], results["games_finished"], "{format}");
        let walkovers = results["terminations"]["walkover"].as_u64().unwrap();
        assert!(walkovers >= 2 && walkovers.is_multiple_of(2), "{format}: {walkovers}");
        let gone = &results["entrants"][1];
        assert_eq!((gone["name"].as_str(), &gone["points"]), (Some("gone"), &0.0.into()), "{results:#}");
        assert!(gone["failed_starts"].as_u64() >= Some(3), "{gone}");
        assert!(place.read("run.pgn").contains("does not appear"), "{format}");
        place.await_nobody();
    }
}

#[test]
fn wrong_combinations_are_refused_in_words() {
    let place = Place::new();
    let entrants = entrants(4);
    let check = |format: &str, rest: &[&str], expected: &str| {
        let (_, err) = place.check(&[&arguments(format, &entrants, &[])[..], rest].concat(), 2);
        assert!(err.contains(expected), "{err}");
        assert!(!place.path("run.db").exists());
    };
    check("knockout", &["--rounds", "3"], "the rounds of a knockout follow from the number of engines");
    check("swiss", &["--rounds", "4"], "4 engines have 3 opponents each");
    check("swiss", &["--tiebreak-pairs", "4"], "a swiss has no level pairings to decide");
    check("gauntlet", &["--seeds", "4"], "4 challengers of 4 engines; 1 to 3 can be");
    check("round-robin", &["--seeds", "1"], "a round-robin has no challengers");
    check(
        "round-robin",
        &["--rounds", "0"],
        "invalid value '0' for '--rounds <N>': expected a whole number above zero",
    );
    check("round-robin", &["--games", "4000000000"], "are too many");
    check("round-robin", &["--book-depth", "4"], "book-depth is for Polyglot books");
    check("round-robin", &["--openings", "book.zip"], "unknown format");
}

const LINES: &str = "\
rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - id \"King's Pawn\"; eco \"B00\";
7k/6Q1/6K1/8/8/8/8/8 b - - 0 1
rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1
nonsense
rnbqkbnr/pppppppp/8/8/2P5/8/PP1PPPPP/RNBQKBNR b KQkq - 0 1
";

/// A match from these openings in order; returns the start positions of its games.
fn begins(place: &Place, file: &str, rest: &[&str]) -> Vec<String> {
    let entrants = entrants(2);
    let rest = [&["--openings", file, "--games", "8"], rest].concat();
    let (_, err) = place.check(&arguments("match", &entrants, &rest), 0);
    let pgn = place.read("run.pgn");
    for name in ["run.db", "run.pgn"] {
        std::fs::remove_file(place.path(name)).unwrap();
    }
    let mut begins: Vec<String> =
        tags(&pgn, "FEN").iter().map(|fen| fen.split(' ').next().unwrap()[18..].to_owned()).collect();
    begins.extend(
        err.lines()
            .filter(|line| line.contains("skipped") || line.contains("will repeat"))
            .map(str::to_owned),
    );
    begins
}

#[test]
fn books_are_read_plain_and_compressed_and_bad_lines_reported() {
    let place = Place::new();
    place.write("book.epd", LINES);
    std::fs::write(place.path("book.epd.zst"), zstd::encode_all(LINES.as_bytes(), 1).unwrap()).unwrap();
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(LINES.as_bytes()).unwrap();
    std::fs::write(place.path("book"), gz.finish().unwrap()).unwrap();
    let plain = begins(&place, "book.epd", &["--order", "sequential", "--start", "2"]);
    let (d4, c4, e4) =
        ("8/8/3P4/8/PPP1PPPP/RNBQKBNR", "8/8/2P5/8/PP1PPPPP/RNBQKBNR", "8/8/4P3/8/PPPP1PPP/RNBQKBNR");
    assert_eq!(plain[..8], [d4, d4, c4, c4, e4, e4, d4, d4]);
    let printed = plain[8..].join("\n").replace(place.path("").to_str().unwrap(), "");
    assert!(printed.contains("book.epd, line 2: skipped, is a finished game: checkmate"), "{printed}");
    assert!(printed.contains("book.epd, line 4: skipped, is not a valid position"), "{printed}");
    assert!(printed.contains("2 of 5 were skipped, 3 openings are left"), "{printed}");
    assert!(printed.contains("the games need 4 openings and there are 3: they will repeat"), "{printed}");
    for (file, format) in [("book.epd.zst", "epd"), ("book", "epd")] {
        let rest = ["--order", "sequential", "--start", "2", "--book-format", format];
        assert_eq!(begins(&place, file, &rest)[..8], plain[..8], "{file}");
    }
}

#[test]
fn names_of_openings_come_into_the_games_and_out_of_the_store() {
    let place = Place::new();
    place.write("book.epd", LINES);
    let entrants = entrants(2);
    let rest = ["--openings", "book.epd", "--order", "sequential", "--games", "2"];
    place.check(&arguments("match", &entrants, &rest), 0);
    let pgn = place.read("run.pgn");
    assert_eq!(tags(&pgn, "Opening"), ["King's Pawn"; 2]);
    assert_eq!(tags(&pgn, "ECO"), ["B00"; 2]);
    assert_eq!(place.check(&["export", "run.db"], 0).0, pgn);
    std::fs::remove_file(place.path("book.epd")).unwrap();
    let (out, err) = place.check(&["export", "run.db"], 0);
    assert!(err.contains("Opening names come from the positions"), "{err}");
    assert_eq!((tags(&out, "ECO").len(), tags(&pgn, "ECO").len()), (2, 2));
    assert_eq!(place.results("run.db")["games_finished"], 2, "who only looks needs no openings");
}

#[test]
fn the_opening_policy_sets_the_opening_of_game_pair_and_pairing() {
    let place = Place::new();
    place.write("book.epd", LINES);
    let distinct = |rest: &[&str]| {
        let mut begins = begins(&place, "book.epd", rest);
        begins.truncate(8);
        begins.dedup();
        begins.len()
    };
    assert_eq!(distinct(&[]), 4, "each pair another than the one before");
    assert_eq!(distinct(&["--no-repeat"]), 8);
    assert_eq!(distinct(&["--opening-policy", "pairing"]), 1);
}

#[test]
fn the_start_positions_of_chess960_are_played_by_number() {
    let place = Place::new();
    let entrants = entrants(2);
    let rest = ["--openings", "chess960", "--order", "sequential", "--start", "1", "--games", "4"];
    place.check(&arguments("match", &entrants, &rest), 0);
    let fens = tags(&place.read("run.pgn"), "FEN");
    assert!(fens[0].starts_with("bbqnnrkr/") && fens[2].starts_with("bqnbnrkr/"), "{fens:?}");
}

#[test]
fn a_book_is_checked() {
    let place = Place::new();
    place.write("book.epd", &format!("{LINES}{LINES}"));
    let (out, _) = place.check(&["openings", "--check", "book.epd"], 3);
    assert!(out.contains("line 2: is a finished game: checkmate\n"), "{out}");
    assert!(out.ends_with("openings 6\nskipped 4\nrepeated 3\n"), "{out}");
    assert_eq!(
        place.check(&["openings", "--check", "builtin"], 0).0,
        "openings 10000\nskipped 0\nrepeated 0\n"
    );
    let (_, err) = place.check(&["openings", "--check", "none.epd"], 2);
    assert!(err.contains("none.epd"), "{err}");
}
