//! Races, end to end: scripted engines, one of them better than the base.

use serde_json::Value;
use smalt_chess::{Color, Outcome};
use smalt_match::schedule::ScheduledGame;

use crate::support::made::store;
use crate::support::{Place, finish, scripted, scripted_program, timeless};

/// The base loses all games against `good` and wins all others.
fn entrants() -> [String; 4] {
    [
        scripted("base", "--seed 1 --fault illegal-move@6"),
        scripted("good", "--seed 2"),
        scripted("bad", "--seed 3 --fault illegal-move@3"),
        scripted("worse", "--seed 4 --fault illegal-move@2"),
    ]
}

fn race<'a>(entrants: &'a [String; 4], rest: &[&'a str]) -> Vec<&'a str> {
    let [base, good, bad, worse] = entrants;
    let mut arguments = vec!["race", "--base", base];
    [bad, good, worse].into_iter().for_each(|candidate| arguments.extend(["--candidate", candidate]));
    arguments.extend("--each restart=on --depth 1 --maxmoves 12 --seed 7 --store run.db".split(' '));
    arguments.extend("--elo1 200 --round-pairs 3 --estimate-pairs 8 --games 60".split(' '));
    arguments.extend(rest);
    arguments
}

fn candidate<'a>(results: &'a Value, name: &str) -> &'a Value {
    let candidates = results["course"]["candidates"].as_array().unwrap();
    candidates.iter().find(|candidate| candidate["name"] == name).unwrap()
}

#[test]
fn the_better_candidate_wins_the_race_and_gets_an_estimate_from_later_games() {
    let place = Place::new();
    let (out, err) = place.check(&race(&entrants(), &["--concurrency", "2", "--rating-interval", "2"]), 0);
    // The number of games is known once the verdict is.
    let finished: Vec<&str> = err.lines().filter(|line| line.starts_with("Finished game")).collect();
    let last = format!("[{0}/{0}] ", finished.len());
    assert!(finished[0].contains("} [1] ") && finished.last().unwrap().contains(&last), "{err}");
    assert!(err.contains("\n2 games, ") && err.contains(" left\n"), "{err}");
    let is_open = |line: &&str| line.contains(" games, ") && !line.contains(" of ");
    assert!(!err.lines().filter(is_open).any(|line| line.ends_with(" left")), "{err}");
    let results = place.results("run.db");
    let course = &results["course"];
    assert_eq!((&course["kind"], &course["base"]), (&"race".into(), &"base".into()));
    assert_eq!((&course["is_open"], &course["alpha"]), (&false.into(), &0.05.into()));
    let verdict = |name| candidate(&results, name)["verdict"].as_str().unwrap().to_owned();
    assert_eq!(["good", "bad", "worse"].map(verdict), ["better", "not better", "not better"]);
    let good = candidate(&results, "good");
    assert_eq!(good["estimate_games"], 16);
    assert_eq!(good["penta"][4].as_u64().unwrap() * 2, good["games"].as_u64().unwrap());
    assert!(good["estimate_elo_low"].as_f64().unwrap() > 0.0, "{good}");
    assert_eq!(results["games_planned"], results["games_finished"]);
    assert_eq!(results["sprt"], Value::Null);
    for text in [&out, &place.check(&["standings", "run.db"], 0).0] {
        assert!(text.contains("Race against base: 1 better, 2 not better, 0 undecided"), "{text}");
    }
    place.check(&["report", "run.db", "-o", "report.html"], 0);
    assert!(place.read("report.html").contains("unbiased elo"));
}

#[test]
fn a_race_is_the_same_at_any_concurrency_and_after_kills() {
    let pgn = |place: &Place| timeless(&place.read("run.pgn"));
    let place = Place::new();
    place.check(&race(&entrants(), &["--concurrency", "1"]), 0);
    let (expected, results) = (pgn(&place), place.results("run.db"));
    let place = Place::new();
    place.check(&race(&entrants(), &["--concurrency", "8"]), 0);
    assert_eq!(pgn(&place), expected);
    let place = Place::new();
    let entrants = entrants();
    let mut child = place.start(&race(&entrants, &["--concurrency", "2"]));
    for games in [3, 14] {
        place.await_games("run.db", games);
        child.kill().unwrap();
        child.wait().unwrap();
        child = place.start(&["resume", "run.db"]);
    }
    finish(child, 0);
    assert_eq!(pgn(&place), expected);
    assert_eq!(place.results("run.db")["course"], results["course"]);
}

/// All candidates play the openings in the same order.
#[test]
fn candidates_meet_the_base_in_the_same_openings() {
    let place = Place::new();
    place.check(&race(&entrants(), &[]), 0);
    let (pgn, mut openings) =
        (place.read("run.pgn"), std::collections::BTreeMap::<String, Vec<String>>::new());
    for game in pgn.split("\n\n[").map(|game| game.trim_start_matches('[')) {
        let tag = |name: &str| {
            let line = game.lines().find(|line| line.trim_start_matches('[').starts_with(name));
            line.and_then(|line| line.split('"').nth(1)).unwrap_or_default().to_owned()
        };
        let (white, black) = (tag("White "), tag("Black "));
        let candidate = if white == "base" { black } else { white };
        openings.entry(candidate).or_default().push(tag("FEN "));
    }
    let longest = openings.values().max_by_key(|openings| openings.len()).unwrap().clone();
    assert!(longest.len() > 10 && longest[0] != longest[2], "{longest:?}");
    assert_eq!(openings.len(), 3);
    assert!(openings.values().all(|openings| longest.starts_with(openings)), "{openings:?}");
}

#[test]
fn a_race_without_its_base_stops_and_accepts_no_candidate() {
    let place = Place::new();
    let entrants = entrants();
    let rest = ["--disqualify-after", "2", "--concurrency", "1"];
    let (_, err) = place.check(&race(&entrants, &rest), 1);
    assert!(err.contains("base, the base of the race"), "{err}");
    let results = place.results("run.db");
    assert_eq!(candidate(&results, "good")["verdict"], "undecided");
}

/// Games that were not played give no Elo estimate: they are skipped, and resume plays them.
#[test]
#[cfg_attr(windows, ignore = "its engine is a shell script")]
fn games_for_the_estimate_of_a_candidate_that_stops_starting_are_left_out() {
    let place = Place::new();
    let mut entrants = entrants();
    place.check(&race(&entrants, &["--concurrency", "1"]), 0);
    let expected = place.results("run.db");
    let games = candidate(&expected, "good")["games"].as_u64().unwrap();
    let place = Place::new();
    let script = format!(
        "#!/bin/sh\necho >> started\n[ -e fixed ] || [ $(wc -l < started) -le {} ] || exit 1\n\
         exec {} --name good --seed 2\n",
        games + 6,
        scripted_program()
    );
    place.script("good.sh", &script);
    entrants[1] = "cmd=./good.sh name=good".to_owned();
    let (_, err) = place.check(&race(&entrants, &["--concurrency", "1"]), 3);
    assert!(err.contains("good is disqualified") && err.contains("its games are skipped"), "{err}");
    let results = place.results("run.db");
    assert_eq!(candidate(&results, "good")["verdict"], "better");
    assert_eq!(results["terminations"]["walkover"], Value::Null);
    let left_out = results["games_left_out"].as_u64().unwrap();
    assert!((1..16).contains(&left_out), "{results}");
    let (text, _) = place.check(&["status", "run.db"], 0);
    assert!(text.contains(&format!("{left_out} games are skipped; `resume` plays them")), "{text}");
    place.write("fixed", "");
    place.check(&["resume", "run.db"], 0);
    let results = place.results("run.db");
    assert_eq!(results["course"], expected["course"]);
    assert_eq!(results["games_left_out"], 0);
}

/// While a race is open its rounds need all games, as in a knockout.
#[test]
fn a_candidate_that_cannot_be_started_loses_by_walkover_while_the_race_is_open() {
    let place = Place::new();
    let mut entrants = entrants();
    entrants[3] = scripted("gone", "--fault exit-at-start");
    let (_, err) = place.check(&race(&entrants, &["--concurrency", "1"]), 3);
    assert!(err.contains("gone is disqualified") && err.contains("its games are lost"), "{err}");
    let results = place.results("run.db");
    assert_eq!(candidate(&results, "good")["estimate_games"], 16);
    assert!(results["terminations"]["walkover"].as_u64() > Some(0), "{results}");
    let (text, _) = place.check(&["report", "run.db"], 0);
    assert!(text.contains("gone is disqualified") && text.contains("its games are lost"), "{text}");
}

#[test]
fn a_race_that_goes_on_shows_who_leads() {
    let place = Place::new();
    let flags = [
        "--format", "race", "--base", "cmd=a name=a", "--candidate", "cmd=b name=b", "--candidate",
        "cmd=c name=c", "--nodes", "1000", "--elo1", "100", "--round-pairs", "8", "--alpha", "0.07",
    ];
    let outcome = |game: ScheduledGame| match (game.pair % 7, game.white, game.black) {
        (0, _, 1) => Outcome::Win(Color::Black),
        (1, 1, _) => Outcome::Win(Color::White),
        (2 | 3, 2, _) => Outcome::Win(Color::Black),
        _ => Outcome::Draw,
    };
    store(&place, "run.db", &flags, 32, outcome);
    let (tables, _) = place.check(&["standings", "run.db"], 0);
    assert!(tables.contains("in the race") && tables.contains("elo given the stopping rule"), "{tables}");
    assert!(tables.contains("has a probability of 7.0% at most"), "{tables}");
    assert!(tables.contains("games before the verdict") && tables.contains("games after it"), "{tables}");
    let results = place.results("run.db");
    let llr = |name| candidate(&results, name)["llr"].as_f64().unwrap();
    assert!(llr("c") > llr("b"), "{results}");
    assert_eq!(results["course"]["is_open"], true);
    // The number of games is open.
    for command in ["status", "report"] {
        let (text, _) = place.check(&[command, "run.db"], 0);
        assert!(text.contains("32 games, ") && !text.contains("of 64 games"), "{text}");
    }
}

#[test]
fn invalid_races_are_refused() {
    let place = Place::new();
    let refused = |arguments: &[&str], words: &str| {
        let (_, err) = place.check(arguments, 2);
        assert!(err.contains(words), "{err}");
    };
    let two = ["plan", "--format", "race", "--candidate", "cmd=a", "--candidate", "cmd=b"];
    refused(&two, "2 candidates and 0 bases");
    refused(&[&two[..5], &["--base", "cmd=c"]].concat(), "1 candidate and 1 base:");
    let whole = [&two[..], &["--base", "cmd=c"]].concat();
    refused(&[&whole[..], &["--no-repeat"]].concat(), "a race counts pairs");
    refused(&[&whole[..], &["--rounds", "3"]].concat(), "follow from its results");
    refused(&[&whole[..], &["--elo0", "5", "--elo1", "1"]].concat(), "elo0 must be less than elo1");
    refused(
        &["plan", "--format", "match", "--engine", "a", "--engine", "b", "--winners", "2"],
        "is not a race",
    );
    refused(
        &["plan", "--format", "match", "--engine", "a", "--engine", "b", "--round-pairs", "2"],
        "is not a race or bisection",
    );
}

#[cfg(all(feature = "nats", unix))]
#[test]
#[ignore = "needs nats-server"]
fn a_fleet_plays_the_race_of_one_machine() {
    use crate::support::fleet::{Server, dismiss, worker};

    let place = Place::new();
    let server = Server::start(&place, &[]);
    let engine = |(name, fault): (&str, &str)| {
        let cmd = scripted_program();
        format!(
            "[[engine]]\nname = \"{name}\"\ncmd = \"{cmd}\"\nargs = [\"--name\", \"{name}\"{fault}]\nrestart = \"on\"\n"
        )
    };
    let fault = |at: u32| format!(", \"--fault\", \"illegal-move@{at}\"");
    let engines = [("base", &*fault(6)), ("good", ""), ("bad", &*fault(3))].map(engine);
    place.write("engines.toml", &engines.concat());
    let arguments = "race --base base --candidate bad --candidate good --engines engines.toml --depth 1 \
                     --maxmoves 12 --seed 7 --elo1 200 --round-pairs 3 --estimate-pairs 8 --games 60";
    let race = |rest: &'static str| arguments.split_whitespace().chain(rest.split(' ')).collect::<Vec<_>>();
    place.check(&race("--store here.db --pgn here.pgn"), 0);
    let workers = ["a", "b"].map(|name| worker(&place, &server.url(), name));
    let url = server.url();
    place.check(&[&race("--store run.db --pgn run.pgn")[..], &["--nats", &url, "--lease", "1"]].concat(), 0);
    dismiss(workers);
    drop(server);
    assert_eq!(place.results("run.db")["course"], place.results("here.db")["course"]);
    assert_eq!(candidate(&place.results("run.db"), "good")["verdict"], "better");
    place.await_nobody();
}
