//! fastchess command lines with unexpected meanings, and output lines that come at a certain time.

use crate::fastchess::{duel, engine, line, run, words};
use crate::fastchess_resume::{fastchess_config, stopped_run};
use crate::support::{Place, scripted_program};

fn games_in(place: &Place, file: &str) -> usize {
    place.read(file).matches("[Event ").count()
}

#[test]
fn append_false_empties_no_file_of_a_match_that_goes_on() {
    let place = Place::new();
    let files = "-pgnout file=g.pgn append=false -epdout file=e.epd append=false";
    run(&place, "fastchess", &line(&duel(), &format!("-rounds 1 -each depth=1 -maxmoves 2 {files}")), 0);
    let resumed = |stats: bool| {
        let words = words(&format!("-config file=config.json stats={stats} -rounds 2 {files}"));
        run(&place, "fastchess", &words, 0).0
    };
    let out = resumed(true);
    let notes = "Resuming from 2 games, ignoring -pgnout append=false.\n\
                 Resuming from 2 games, ignoring -epdout append=false.\nStarted game 3 of 4 (A vs B)\n";
    assert!(out.contains(notes), "{out}");
    assert_eq!((games_in(&place, "g.pgn"), place.read("e.epd").lines().count()), (4, 4));
    let out = resumed(false);
    assert!(out.contains("Started game 1 of 4 ") && !out.contains("Resuming"), "{out}");
    assert_eq!((games_in(&place, "g.pgn"), place.read("e.epd").lines().count()), (4, 4));
    let place = stopped_run("-pgnout g.pgn");
    let same = words("-config file=config.json -recover -pgnout file=g.pgn append=false");
    let (out, _) = run(&place, "fastchess", &same, 0);
    assert!(out.contains(" games, ignoring -pgnout append=false.\n"), "{out}");
    assert_eq!(games_in(&place, "g.pgn"), 6);
}

#[test]
fn a_test_has_two_rounds_unless_more_are_asked_for() {
    let place = Place::new();
    let flags = "-each depth=1 -maxmoves 1 -sprt elo0=0 elo1=5";
    let (out, _) = run(&place, "fastchess", &line(&duel(), flags), 0);
    assert!(out.contains("Started game 1 of 4 (A vs B)\n"), "{out}");
    let (_, err) = run(&place, "fastchess", &line(&duel(), "-each depth=1 -rounds 0"), 2);
    assert!(err.contains("-rounds 0: expected a number above zero"), "{err}");
}

#[cfg(unix)]
#[test]
fn a_signal_ends_a_run_with_the_exit_code_of_fastchess() {
    use crate::support::{finish, signal, texts, wait_until};
    let place = Place::new();
    let flags = "-each depth=1 -maxmoves 1 -rounds 0 -sprt elo0=0 elo1=0.01 -pgnout file=g.pgn";
    let line = line(&duel(), flags);
    let words: Vec<&str> = ["fastchess"].into_iter().chain(line.iter().map(String::as_str)).collect();
    let child = place.start(&words);
    wait_until("a game", || std::fs::read_to_string(place.path("g.pgn")).is_ok_and(|pgn| !pgn.is_empty()));
    signal(child.id(), "-INT");
    let (out, _) = texts(&finish(child, 1));
    assert!(out.contains("Started game 1 of 1000000 (A vs B)\n"), "{out}");
    assert!(out.contains("Tournament was interrupted. To resume the tournament, run: "), "{out}");
}

#[test]
fn a_decided_test_ends_in_the_style_that_was_asked_for() {
    let place = Place::new();
    let engines = [engine("A", "--info-lines 1"), engine("B", "--info-lines 1 --fault illegal-move@1")];
    let flags = "-rounds 100 -each depth=1 restart=on -sprt elo0=0 elo1=500 -output format=cutechess";
    let (out, _) = run(&place, "fastchess", &line(&engines, flags), 0);
    let (_, end) = out.rsplit_once("Score of A vs B: ").unwrap();
    let lines: Vec<&str> = end.lines().collect();
    assert!(lines[1].starts_with("Elo difference: "), "{out}");
    assert!(lines[2].starts_with("SPRT: llr ") && lines[2].ends_with(" - H1 was accepted"), "{out}");
    assert_eq!(lines[3..5], ["Tournament finished", "Finished match"], "{out}");
    assert!(!out.contains("completed"), "{out}");
}

#[test]
fn the_score_is_shown_after_the_last_game_and_for_each_pairing() {
    let place = Place::new();
    let scores = |engines: &[Vec<String>], interval: u32| {
        let flags = format!(
            "-output format=cutechess -scoreinterval {interval} -rounds 2 -each depth=1 -maxmoves 1 -recover"
        );
        let (out, _) = run(&place, "fastchess", &line(engines, &flags), 0);
        out.lines().filter_map(|line| line.strip_prefix("Score of ")).map(str::to_owned).collect::<Vec<_>>()
    };
    let last = "A vs B: 0 - 0 - 4  [0.500] 4";
    assert_eq!(scores(&duel(), 0), [last]);
    assert_eq!(scores(&duel(), 3), ["A vs B: 0 - 0 - 3  [0.500] 3", last]);
    let three = [duel().to_vec(), vec![engine("C", "--info-lines 1")]].concat();
    let found = scores(&three, 1);
    assert_eq!(found.len(), 12, "{found:?}");
    for pairing in ["A vs B", "A vs C", "B vs C"] {
        assert!(found.contains(&format!("{pairing}: 0 - 0 - 4  [0.500] 4")), "{found:?}");
    }
}

#[test]
fn the_ranking_of_many_engines_comes_after_pairs_of_games() {
    let place = Place::new();
    let three = [duel().to_vec(), vec![engine("C", "--info-lines 1")]].concat();
    let flags = "-ratinginterval 3 -rounds 2 -each depth=1 -maxmoves 1";
    let (out, _) = run(&place, "fastchess", &line(&three, flags), 0);
    let reports: Vec<usize> = out
        .lines()
        .scan(0, |games, line| {
            *games += usize::from(line.starts_with("Finished game"));
            Some((*games, line))
        })
        .filter(|(_, line)| line.starts_with("Rank "))
        .map(|(games, _)| games)
        .collect();
    assert_eq!(reports, [6, 12], "{out}");
}

#[test]
fn games_and_rounds_that_are_swapped_are_so_where_a_match_goes_on() {
    let place = Place::new();
    let config = fastchess_config(&place);
    place.write("config.json", &config.to_string());
    let resumed = words("-config file=config.json -games 5 -rounds 2");
    let (out, _) = run(&place, "fastchess", &resumed, 0);
    assert!(out.contains("Started game 5 of 10 (A vs B)\n"), "{out}");
    assert_eq!(out.matches("Finished game").count(), 6, "{out}");
}

#[test]
fn what_fastchess_takes_without_an_effect_is_taken() {
    let place = Place::new();
    place.write("book.epd", include_str!("../data/first_moves.epd"));
    let flags = "-rounds 1 -each depth=1 -maxmoves 1 -tbpieces 6 -log level=info -event My Cup -pgnout g.pgn \
                 -openings file=book.epd plies=-1";
    let (out, err) = run(&place, "fastchess", &line(&duel(), flags), 0);
    assert_eq!(out.matches("Finished game").count(), 2, "{out}");
    assert!(err.contains("-tbpieces, -tbignore50 and -tbadjudicate do nothing without -tb PATHS"), "{err}");
    assert!(place.read("g.pgn").contains("[Event \"MyCup\"]\n"), "{}", place.read("g.pgn"));
}

#[test]
fn engines_of_quick_have_the_names_of_their_commands() {
    let place = Place::new();
    place.write("book.epd", include_str!("../data/first_moves.epd"));
    let cmd = scripted_program();
    let flags = format!("-quick cmd={cmd} cmd={cmd} book=book.epd -rounds 1 -concurrency 1 -maxmoves 1");
    let (out, _) = run(&place, "fastchess", &words(&flags), 0);
    assert!(out.contains(&format!("Started game 1 of 2 ({cmd}1 vs {cmd}2)\n")), "{out}");
}

#[test]
fn the_reason_for_the_stop_comes_before_the_result_of_the_game() {
    let place = Place::new();
    let crash = [engine("A", ""), engine("B", "--fault crash@1")];
    let (out, _) = run(&place, "fastchess", &line(&crash, "-rounds 4 -each depth=1 -maxmoves 10"), 1);
    let stop = "Game 1 stalled / disconnected and no recover option set for engine, stopping tournament.\n";
    assert!(out.contains(&format!("{stop}Finished game 1 (A vs B): ")), "{out}");
    assert_eq!(out.matches("no recover option set").count(), 1, "{out}");
}

#[test]
fn arguments_with_spaces_come_back_from_the_configuration() {
    let place = Place::new();
    let [mut first, second] = duel();
    first[3] = "args=--name 'A B' --seed 1".to_owned();
    run(&place, "fastchess", &line(&[first, second], "-rounds 1 -each depth=1 -maxmoves 2"), 0);
    let saved: serde_json::Value = serde_json::from_str(&place.read("config.json")).unwrap();
    assert_eq!(saved["engines"][0]["args"], "--name \"A B\" --seed 1");
    let (out, _) = run(&place, "fastchess", &words("-config file=config.json -rounds 2"), 0);
    assert!(out.contains("Finished game 4 "), "{out}");
}

/// Pairings and first moves of `-rounds 4` with a book of three openings, as in fastchess 1.8.2: each pairing takes
/// the next of as many openings as there are rounds, or as the book has.
#[test]
fn each_pairing_of_many_engines_takes_the_next_opening() {
    let place = Place::new();
    let book = ["e4", "d4", "c4"].map(|mv| format!("1. {mv} *\n\n"));
    place.write("book.pgn", &book.concat());
    let three = [duel().to_vec(), vec![engine("C", "--info-lines 1")]].concat();
    let played = |rounds: u32| {
        let flags = format!(
            "-rounds {rounds} -each depth=1 -maxmoves 2 -openings file=book.pgn order=sequential -pgnout file=g.pgn append=false"
        );
        let (out, _) = run(&place, "fastchess", &line(&three, &flags), 0);
        let started = out.lines().filter(|line| line.starts_with("Started game"));
        let pairings = started.map(|line| line.split_once('(').unwrap().1.trim_end_matches(')').to_owned());
        let pgn = place.read("g.pgn");
        let moves: String = pgn.match_indices("\n1. ").map(|(at, _)| &pgn[at + 4..=at + 4]).collect();
        (pairings.collect::<Vec<_>>(), moves)
    };
    let (pairings, moves) = played(2);
    let round = ["A vs B", "B vs A", "A vs C", "C vs A", "B vs C", "C vs B"];
    assert_eq!(pairings, [round, round].concat());
    assert_eq!(moves, "eeddeeddeedd");
    let (_, moves) = played(4);
    assert_eq!(moves, "eeddcc".repeat(4));
}

#[cfg(unix)]
#[test]
fn a_bare_command_may_be_a_program_in_the_current_folder() {
    let place = Place::new();
    // `true` is a program in PATH, too.
    for name in ["Engine1", "true"] {
        place.script(name, &format!("#!/bin/sh\nexec {} \"$@\"\n", scripted_program()));
    }
    let play = |face: &str, name: &str, code: i32| {
        let flags = format!(
            "-engine cmd={name} name=A -engine cmd=./Engine1 name=B -rounds 1 -each depth=1 -maxmoves 1"
        );
        run(&place, face, &words(&flags), code)
    };
    for (face, name) in [("fastchess", "Engine1"), ("cutechess", "Engine1"), ("cutechess", "true")] {
        let (out, _) = play(face, name, 0);
        assert!(out.contains("Started game 1 of "), "{face} {name}: {out}");
    }
    let (out, err) = play("fastchess", "true", 1);
    assert!(!out.contains("Finished game 1"), "{out}\n{err}");
}
