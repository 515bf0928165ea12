//! Training data: random openings, positions in every format, the same bytes at any concurrency and after kills.

use std::collections::HashSet;
use std::path::Path;

use smalt_chess::CastlingMode;
use smalt_dataset::format::Format;
use smalt_dataset::{Dataset, Sample};
use smalt_testing::process;

#[cfg(unix)]
use crate::support::scripted_program;
use crate::support::{Place, finish, scripted, signal, texts};

/// Generates data with an engine that plays by its seed and sees a score of 12 centipawns.
fn datagen<'a>(engine: &'a str, words: &'a str) -> Vec<&'a str> {
    let usual = ["datagen", "--engine", engine, "--depth", "1", "--maxmoves", "30", "--store", "run.db"];
    usual.into_iter().chain(words.split(' ')).collect()
}

fn read(path: &Path) -> Vec<Sample> {
    let mut samples = Vec::new();
    let take = |sample| {
        samples.push(sample);
        Ok(())
    };
    Dataset::open(path).unwrap().for_each(take, |skipped| panic!("{skipped:?}")).unwrap();
    samples
}

/// The games of a store: start position, number of opening plies, and moves.
fn games(place: &Place) -> Vec<(Option<String>, usize, Vec<String>)> {
    let store = smalt_match::store::Store::read(&place.path("run.db")).unwrap();
    let mut games = Vec::new();
    let each = |record: smalt_match::game::GameRecord| {
        let moves = record.plies.iter().map(|ply| ply.mv.to_string()).collect();
        games.push((record.fen.clone(), record.book_plies(), moves));
    };
    store.for_each_game(each).unwrap();
    games
}

#[test]
fn an_engine_plays_itself_from_random_openings_and_its_positions_are_written() {
    let place = Place::new();
    let engine = scripted("mine", "--info-lines 1 --score 12");
    let (out, err) = place.check(&datagen(&engine, "--games 6 --positions all --data x.plain"), 0);
    assert!(out.contains("positions written") && out.contains("Stockfish's .plain"), "{out}");
    assert!(err.contains("8 random plies"), "{err}");
    assert!(!out.contains("Elo") && !out.contains("mine-2"), "one engine against itself has no Elo: {out}");
    for words in ["games won by White", "games drawn", "games won by Black", "positions written per second"] {
        assert!(out.contains(words), "{words}: {out}");
    }
    let games = games(&place);
    let openings: HashSet<_> = games.iter().map(|(_, plies, moves)| (*plies, moves[..8].join(" "))).collect();
    assert!(openings.len() == 6 && openings.iter().all(|(plies, _)| *plies == 8), "{openings:?}");
    let samples = read(&place.path("x.plain"));
    // The engine may see the same position in two games, which is written once.
    let searched: usize = games.iter().map(|(_, plies, moves)| moves.len() - plies).sum();
    assert!(samples.len() <= searched && samples.len() + 6 > searched, "{} of {searched}", samples.len());
    assert!(samples.iter().all(|sample| sample.ply >= 8 && sample.mv.is_some()));
    assert!(samples.iter().all(|sample| sample.score.map(i16::abs) == Some(12)));
    assert!(!place.path("run.pgn").exists());
    let results = place.results("run.db");
    let names: Vec<_> = results["entrants"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["mine", "mine-2"]);
}

#[test]
fn a_store_gives_data_in_every_format_and_by_other_rules() {
    let place = Place::new();
    let engine = scripted("mine", "--info-lines 1 --score 12");
    place.check(&datagen(&engine, "--games 3 --data x.bin --positions all --duplicates keep"), 0);
    place.check(&["standings", "run.db"], 0);
    assert!(!place.path("run.db-wal").exists() && !place.path("run.db-shm").exists());
    let whole = read(&place.path("x.bin")).len();
    for format in ["fen", "epd", "book", "csv", "plain", "bullet", "viri", "binpack"] {
        let file = format!("y.{format}");
        let (out, _) = place.check(&["export", "run.db", "--data", &file, "--data-format", format], 0);
        assert!(out.contains(format.parse::<Format>().unwrap().name()), "{out}");
        let path = place.path(&file);
        let mut count = 0;
        let take = |_| {
            count += 1;
            Ok(())
        };
        let dataset = Dataset::open_as(&path, format.parse().ok()).unwrap();
        dataset.for_each(take, |skipped| panic!("{format}: {skipped:?}")).unwrap();
        assert_eq!(count, whole, "{format}");
    }
    let count = |words: &str| {
        let arguments: Vec<&str> =
            "export run.db --data z.csv --force".split(' ').chain(words.split(' ')).collect();
        place.check(&arguments, 0);
        read(&place.path("z.csv")).len()
    };
    assert_eq!(count("--per-game 5"), 15);
    assert_eq!(count("--max-score 11"), 0);
    assert!((1..whole).contains(&count("--positions quiet")));
    assert!((1..whole).contains(&count("--game 2")));
    let (_, err) = place.check(&["export", "run.db", "--positions", "all"], 2);
    assert!(err.contains("x.bin: it exists already"), "{err}");
}

#[test]
#[cfg_attr(windows, ignore = "Windows has no such signals")]
fn the_data_are_the_same_at_any_concurrency_and_after_kills() {
    let engine = scripted("mine", "--info-lines 1 --score 12 --think 1");
    let arguments = |concurrency: &'static str| {
        let mut all = datagen(&engine, "--games 24 --data x.viri --chess960-share 0.3 --concurrency");
        all.push(concurrency);
        all
    };
    let whole = Place::new();
    whole.check(&arguments("1"), 0);
    let expected = std::fs::read(whole.path("x.viri")).unwrap();
    assert!(!read(&whole.path("x.viri")).is_empty());

    let place = Place::new();
    let mut child = place.start(&arguments("3"));
    place.await_games("run.db", 3);
    child.kill().unwrap();
    child.wait().unwrap();
    // Ctrl-C ends the next session, which writes what there is.
    let played = games(&place).len() as u64;
    let child = place.start(&["resume", "run.db"]);
    place.await_games("run.db", played + 1);
    signal(child.id(), "-INT");
    finish(child, 130);
    let part = read(&place.path("x.viri")).len();
    assert!((1..read(&whole.path("x.viri")).len()).contains(&part));
    place.check(&["resume", "run.db"], 0);
    assert_eq!(std::fs::read(place.path("x.viri")).unwrap(), expected);
    place.await_nobody();
}

#[test]
fn games_of_chess960_come_by_their_share() {
    let place = Place::new();
    let engine = scripted("mine", "--info-lines 1 --score 12");
    place.check(&datagen(&engine, "--games 8 --chess960-share 1 --random-plies 4 --data x.viri"), 0);
    let games = games(&place);
    assert!(games.iter().all(|(fen, plies, _)| fen.is_some() && *plies == 4), "{games:?}");
    let samples = read(&place.path("x.viri"));
    assert!(samples.iter().any(|sample| CastlingMode::of(&sample.position) == CastlingMode::Chess960));
    let (_, err) = place.check(&datagen(&engine, "--games 8 --chess960-share 1.5 --data y.viri"), 2);
    assert!(err.contains("chess960-share 1.5: expected a share from 0 to 1"), "{err}");
}

#[test]
fn games_lost_by_a_fault_give_no_positions() {
    let place = Place::new();
    let engine = scripted("mine", "--info-lines 1 --score 12 --fault illegal-move@3");
    let (out, _) = place.check(&datagen(&engine, "--games 2 --data x.txt"), 0);
    assert!(out.contains("lost by a fault"), "{out}");
    assert_eq!(read(&place.path("x.txt")), []);
}

#[test]
#[cfg(unix)]
fn openings_come_from_the_engine_where_it_has_genfens() {
    let place = Place::new();
    let first = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    let second = "rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 2";
    let script = format!(
        "#!/bin/sh\ncase \"$1\" in genfens*) echo \"$1|$2\" > asked\necho info string genfens {first}\n\
         echo info string genfens {second}\nexit;; esac\nexec '{}' --score 12\n",
        scripted_program()
    );
    smalt_testing::process::write_script(place.path("mine"), &script);
    // A mistake leaves no openings that would be in the way of the corrected command.
    place.check(&datagen("./mine", "--genfens --seed 9 --games 2 --data x.viri --tb /nowhere"), 2);
    assert!(!place.path("x.viri.openings.epd").exists());
    // The format of a book that the engine reads is not that of its openings.
    place.check(&datagen("./mine", "--genfens --seed 9 --games 2 --data x.viri --book-format pgn"), 0);
    assert_eq!(place.read("asked"), "genfens 2 seed 9 book None|quit\n");
    assert_eq!(place.read("x.viri.openings.epd"), format!("{first}\n{second}\n"));
    let starts: Vec<_> = games(&place).into_iter().map(|(fen, plies, _)| (fen.unwrap(), plies)).collect();
    assert_eq!(starts, [(first.to_owned(), 0), (second.to_owned(), 0)]);
    let (_, err) = place.check(&["resume", "run.db", "--games", "4"], 2);
    assert!(err.contains("(--genfens) for 2 games, and further ones would repeat them"), "{err}");

    let place = Place::new();
    let engine = scripted("mine", "");
    let (_, err) = place.check(&datagen(&engine, "--genfens --games 2 --data x.viri"), 2);
    assert!(err.contains("mine: ") && err.contains("genfens"), "{err}");
    // The built-in engine judges its openings itself.
    place.check(&datagen("builtin", "--genfens --games 3 --data z.viri"), 0);
    assert_eq!(place.read("z.viri.openings.epd").lines().count(), 3);
}

#[test]
fn a_file_that_is_there_or_has_no_format_is_refused_before_the_first_game() {
    let place = Place::new();
    let engine = scripted("mine", "");
    place.write("x.viri", "precious");
    let check = |words: &str, expected: &str| {
        let (_, err) = place.check(&datagen(&engine, words), 2);
        assert!(err.contains(expected), "{err}");
        assert!(!place.path("run.db").exists());
    };
    check("--games 2 --data x.viri", "x.viri: it exists already");
    check("--games 2 --data x.data", "no format has the extension .data");
    check("--games 2", "give --data FILE");
    for special in ["-", if cfg!(unix) { "/dev/null" } else { "-" }] {
        check(&format!("--games 2 --data {special} --data-format viri"), "expected a regular file");
    }
    check("--games 2 --data x.plain --pgn x.plain", "--pgn and --data are the same file");
    assert_eq!(place.read("x.viri"), "precious");
}

#[test]
fn each_position_is_written_once_unless_duplicates_are_kept() {
    let place = Place::new();
    let engine = scripted("mine", "--info-lines 1 --score 12");
    // Games from one opening are the same games.
    let words = "--random-plies 0 --games 4 --positions all --duplicates keep --data x.plain";
    place.check(&datagen(&engine, words), 0);
    let keys = |path: &str| -> Vec<u64> {
        read(&place.path(path)).iter().map(|sample| sample.position.key()).collect()
    };
    let all = keys("x.plain");
    let (out, _) = place.check(&["export", "run.db", "--data", "y.plain", "--duplicates", "drop"], 0);
    assert!(out.contains("positions skipped"), "{out}");
    let once = keys("y.plain");
    assert!(once.len() < all.len(), "{} of {}", once.len(), all.len());
    assert_eq!(once.iter().collect::<HashSet<_>>().len(), once.len());
    assert_eq!(once.iter().collect::<HashSet<_>>(), all.iter().collect::<HashSet<_>>());
}

#[test]
fn a_position_without_a_score_leaves_its_place_to_one_with_a_score() {
    let place = Place::new();
    let (silent, seer) = (scripted("silent", ""), scripted("seer", "--info-lines 1 --score 12"));
    let mut arguments = datagen(&silent, "--random-plies 0 --games 2 --positions all --data x.plain");
    arguments.extend(["--duplicates", "drop", "--engine", &seer]);
    place.check(&arguments, 0);
    let mut white = Vec::new();
    let store = smalt_match::store::Store::read(&place.path("run.db")).unwrap();
    store.for_each_game(|record| white.push(record.game.white)).unwrap();
    assert_eq!(white, [0, 1]);
    // The first game begins without a score, the second one with a score.
    let start = smalt_chess::Position::start().key();
    assert!(read(&place.path("x.plain")).iter().any(|sample| sample.position.key() == start));
}

#[test]
fn data_that_the_run_did_not_write_are_kept_when_it_is_resumed() {
    let place = Place::new();
    let engine = scripted("mine", "--info-lines 1 --score 12");
    place.check(&datagen(&engine, "--games 2 --positions all --data x.viri"), 0);
    let first = read(&place.path("x.viri")).len();
    // Its own file grows.
    place.check(&["resume", "run.db", "--games", "4"], 0);
    let second = read(&place.path("x.viri")).len();
    assert!(second > first && !place.path("x-2.viri").exists(), "{first} {second}");
    place.write("x.viri", "of another run");
    for games in ["6", "8"] {
        let (_, err) = place.check(&["resume", "run.db", "--games", games], 0);
        assert!(err.contains("x.viri is not the file that this run wrote, and is kept"), "{err}");
        assert_eq!(place.read("x.viri"), "of another run");
    }
    assert!(read(&place.path("x-2.viri")).len() > second && !place.path("x-3.viri").exists());
}

#[test]
fn results_are_shown_and_written_where_the_data_cannot_be() {
    let place = Place::new();
    std::fs::create_dir(place.path("d")).unwrap();
    let engine = scripted("mine", "--info-lines 1 --score 12 --think 1");
    let child = place.start(&datagen(&engine, "--games 12 --concurrency 1 --data d/x.viri --json r.json"));
    place.await_games("run.db", 2);
    std::fs::remove_dir(place.path("d")).unwrap();
    let output = process::wait_for_output(child);
    let (out, err) = texts(&output);
    assert!(!output.status.success() && out.contains("mine-2") && err.contains("x.viri"), "{out}{err}");
    assert!(place.read("r.json").contains("\"games_finished\": 12"));
}

#[test]
fn the_ending_of_an_exported_file_is_its_format_whatever_that_of_the_run_was() {
    let place = Place::new();
    let engine = scripted("mine", "--info-lines 1 --score 12");
    place.check(&datagen(&engine, "--games 2 --data x.bin --data-format viri"), 0);
    for (file, format) in [("y.plain", Format::Plain), ("y.bullet", Format::Bullet)] {
        let (out, _) = place.check(&["export", "run.db", "--data", file], 0);
        assert!(out.contains(format.name()), "{out}");
    }
}

#[test]
#[cfg(all(feature = "nats", unix))]
#[ignore = "needs nats-server"]
fn a_fleet_gives_the_data_of_one_machine() {
    use crate::support::fleet::{Server, dismiss, worker, write_engines};
    let place = Place::new();
    let server = Server::start(&place, &[]);
    write_engines(&place, "0");
    let workers = ["a", "b"].map(|name| worker(&place, &server.url(), name));
    let url = server.url();
    let mut arguments = datagen("first", "--engines engines.toml --games 12 --data x.viri --nats");
    arguments.push(&url);
    place.check(&arguments, 0);
    dismiss(workers);
    drop(server);
    let here = Place::new();
    write_engines(&here, "0");
    here.check(&datagen("first", "--engines engines.toml --games 12 --data x.viri"), 0);
    assert_eq!(std::fs::read(place.path("x.viri")).unwrap(), std::fs::read(here.path("x.viri")).unwrap());
}
