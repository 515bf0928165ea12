//! Single games, end to end: clocks, pondering, Chess960, tablebases, and reproducible output.

use crate::support::{LONG, Place, duel, scripted, scripted_program};

/// A match of two entrants with further arguments; returns its PGN.
fn play(place: &Place, first: &str, second: &str, arguments: &[&str]) -> String {
    let mut all = duel(first, second, "--store run.db");
    all.extend(arguments);
    place.check(&all, 0);
    place.read("run.pgn")
}

#[test]
fn moves_are_written_in_the_notation_that_is_wanted() {
    let place = Place::new();
    let engines =
        [scripted("a", "--moves e2e4,e7e5,g1f3,b8c6"), scripted("b", "--moves e2e4,e7e5,g1f3,b8c6")];
    let words = "--depth 1 --games 2 --maxmoves 2 --openings startpos --pgn-form minimal --pgn-notation";
    for (notation, moves) in [
        ("san", "1. e4 e5 2. Nf3 Nc6 1/2-1/2"),
        ("lan", "1. e2e4 e7e5 2. Ng1f3 Nb8c6 1/2-1/2"),
        ("uci", "1. e2e4 e7e5 2. g1f3 b8c6 1/2-1/2"),
    ] {
        let (store, pgn) = (format!("{notation}.db"), format!("{notation}.pgn"));
        let rest = format!("{words} {notation} --store {store} --pgn {pgn}");
        place.check(&duel(&engines[0], &engines[1], &rest), 0);
        assert_eq!(place.read(&pgn).matches(moves).count(), 2, "{}", place.read(&pgn));
    }
}

fn transcripts(place: &Place) -> String {
    place.check(&["status", "run.db", "--transcripts"], 0).0
}

const QUICK: [&str; 8] = ["--depth", "1", "--games", "2", "--maxmoves", "20", "--resign", "off"];

/// Output of the same plan at this concurrency, without time-dependent data.
fn timeless_bytes(concurrency: &str) -> String {
    let place = Place::new();
    let entrants = [scripted("hero", "--info-lines 2 --score 12"), scripted("other", "--seed 1")];
    let arguments = [
        "--nodes",
        "10",
        "--games",
        "12",
        "--maxmoves",
        "40",
        "--pgn-times",
        "off",
        "--pgn-comments",
        "nodes,nps,seldepth,latency,timeleft,pv",
        "--concurrency",
        concurrency,
    ];
    play(&place, &entrants[0], &entrants[1], &arguments)
}

#[test]
fn without_times_the_same_plan_writes_the_same_bytes() {
    let once = timeless_bytes("1");
    assert!(once.contains("+0.12/2, n=2, pv=") && !once.contains("[GameStartTime"), "{once}");
    assert_eq!(once, timeless_bytes("2"));
    assert_eq!(once, timeless_bytes("8"));
}

#[test]
fn a_killed_and_resumed_run_writes_the_same_bytes() {
    let entrants = [scripted("hero", "--think 1"), scripted("other", "--seed 1")];
    let arguments = |store: &'static str| {
        let mut all = vec!["match", "--engine", &entrants[0], "--engine", &entrants[1], "--store", store];
        all.extend(["--nodes", "10", "--games", "16", "--maxmoves", "30", "--concurrency", "2"]);
        all.extend(["--pgn-times", "off"]);
        all
    };
    let place = Place::new();
    place.check(&arguments("whole.db"), 0);
    let mut child = place.start(&arguments("run.db"));
    place.await_games("run.db", 4);
    child.kill().unwrap();
    child.wait().unwrap();
    place.check(&["resume", "run.db"], 0);
    assert_eq!(place.read("run.pgn"), place.read("whole.pgn"));
}

#[test]
#[cfg(unix)]
fn a_run_killed_between_its_store_and_its_pgn_is_resumed() {
    use smalt_testing::process::{command, wait_until};
    let place = Place::new();
    let made = command("mkfifo").arg(place.path("games.pgn")).status().unwrap();
    assert!(made.success());
    let [hero, other] = ["hero", "other"].map(|name| scripted(name, ""));
    let words = "--depth 1 --games 2 --maxmoves 10 --store run.db --pgn games.pgn";
    // To open the pipe waits for a reader.
    let mut run = place.start(&duel(&hero, &other, words));
    wait_until("the store", || place.path("run.db").exists());
    run.kill().unwrap();
    run.wait().unwrap();
    std::fs::remove_file(place.path("games.pgn")).unwrap();
    place.check(&["resume", "run.db"], 0);
    assert_eq!(place.results("run.db")["games_finished"], 2);
    assert_eq!(place.read("games.pgn").matches("[Event ").count(), 2);
    // A run that is refused its PGN leaves no store.
    let (_, err) = place.check(&duel(&hero, &other, &words.replace("run.db", "other.db")), 2);
    assert!(err.contains("games.pgn: it exists already") && !place.path("other.db").exists(), "{err}");
}

#[test]
fn chess960_is_set_in_engines_and_written_to_the_pgn() {
    let place = Place::new();
    // Shredder-FEN, then X-FEN: White castles with the b-file rook, and with the outermost rooks.
    place.write(
        "960.epd",
        "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GBgb - 0 1\n1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w KQkq -\n",
    );
    let castling = "--moves e1b1,a7a6";
    let (a, b) = (scripted("a", castling), scripted("b", castling));
    let arguments =
        ["--depth", "1", "--games", "4", "--maxmoves", "1", "--variant", "chess960", "--openings", "960.epd"];
    let pgn = play(&place, &a, &b, &arguments);
    assert_eq!(pgn.matches("[Variant \"Chess960\"]").count(), 4, "{pgn}");
    assert_eq!(pgn.matches("1. O-O-O ").count(), 4, "{pgn}");
}

/// The protocols write castling differently, and Chess960 differs from standard chess in both.
#[test]
fn castling_of_chess960_is_understood_between_the_protocols() {
    let place = Place::new();
    place.write("960.epd", "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GBgb - 0 1\n");
    let castling = "--moves e1b1,e8g8,a2a3,a7a6";
    let a = scripted("a", castling);
    let b = format!("{} proto=xboard", scripted("b", &format!("--speak xboard {castling}")));
    let mut arguments = vec!["--depth", "1", "--games", "2", "--maxmoves", "2", "--variant", "chess960"];
    arguments.extend(["--openings", "960.epd", "--pgn-form", "minimal", "--log", "said"]);
    let pgn = play(&place, &a, &b, &arguments);
    assert_eq!(pgn.matches("[Variant \"Chess960\"]").count(), 2, "{pgn}");
    assert_eq!(pgn.matches("1. O-O-O O-O 2. a3 a6 1/2-1/2").count(), 2, "{pgn}");
    assert_eq!(place.results("run.db")["terminations"]["maximum moves"], 2, "{pgn}");
    let said = ["said/game-000001.log", "said/game-000002.log"].map(|file| place.read(file)).concat();
    assert!(said.contains(" b > usermove O-O-O\n") && said.contains(" b > usermove O-O\n"), "{said}");
    assert!(said.contains(" moves e1b1 e8g8"), "{said}");
}

#[test]
fn an_illegal_move_is_named_in_the_game() {
    let place = Place::new();
    let cheat = scripted("cheat", "--moves e2e5,e2e5");
    place.write("start.epd", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n");
    let mut arguments = QUICK.to_vec();
    arguments.extend(["--openings", "start.epd"]);
    let pgn = play(&place, &cheat, &scripted("fair", ""), &arguments);
    assert!(pgn.contains("White makes an illegal move: e2e5"), "{pgn}");
    assert!(transcripts(&place).contains("e2e5"));
}

#[test]
fn an_hourglass_runs_for_both_and_is_written_as_such() {
    let place = Place::new();
    let mut arguments = QUICK[2..].to_vec();
    arguments.extend(["--tc", "20", "--hourglass", "--pgn-comments", "timeleft"]);
    let pgn = play(&place, &scripted("a", "--think 20"), &scripted("b", "--seed 2"), &arguments);
    assert!(pgn.contains("[TimeControl \"*20\"]"), "{pgn}");
    // The engine that uses no time gains its opponent's.
    assert!(pgn.contains("tl=20.1"), "{pgn}");
}

#[test]
fn an_hourglass_without_a_clock_is_refused() {
    let place = Place::new();
    let (a, b) = (scripted("a", ""), scripted("b", ""));
    let arguments = duel(&a, &b, "--nodes 5 --hourglass --store run.db");
    let (_, err) = place.check(&arguments, 2);
    assert!(err.contains("hourglass: engine \"a\" has no tc"), "{err}");
    assert!(!place.path("run.db").exists());
}

#[test]
fn tables_that_are_not_there_are_refused_before_the_run() {
    let place = Place::new();
    let (a, b) = (scripted("a", ""), scripted("b", ""));
    let arguments = duel(&a, &b, "--depth 1 --tb . --store run.db");
    let (_, err) = place.check(&arguments, 2);
    assert!(err.contains("it has no .rtbw file"), "{err}");
    assert!(!place.path("run.db").exists() && !place.path("run.pgn").exists());
}

#[test]
#[ignore = "needs the files of ../shared/data"]
fn tablebases_end_games() {
    let place = Place::new();
    let tables = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data/syzygy");
    // The only move captures the queen, and the remaining four pieces are in the tablebases. A position known before
    // a move is skipped.
    place.write("ends.epd", "8/8/8/8/8/p3k3/8/3QK3 w - - 0 1\nk7/1Q6/8/8/7p/8/8/3R1K2 b - - 0 1\n");
    let mut arguments = QUICK.to_vec();
    arguments.extend(["--openings", "ends.epd", "--tb", tables]);
    let pgn = play(&place, &scripted("a", ""), &scripted("b", ""), &arguments);
    assert!(pgn.contains("White wins by adjudication: SyzygyTB"), "{pgn}");
    assert_eq!(place.results("run.db")["terminations"]["tablebase win"], 2);
}

#[test]
fn processors_that_are_not_there_are_refused_before_the_run() {
    let place = Place::new();
    let (a, b) = (scripted("a", ""), scripted("b", ""));
    let arguments = duel(&a, &b, "--depth 1 --affinity 9999 --store run.db");
    let (_, err) = place.check(&arguments, 2);
    assert!(err.contains("bind games to processor 9999"), "{err}");
    assert!(!place.path("run.db").exists());
}

#[test]
fn an_engine_that_is_slow_to_start_is_given_up_by_its_time_out() {
    let place = Place::new();
    let (slow, b) = (scripted("slow", "--fault no-uciok"), scripted("b", ""));
    let begun = std::time::Instant::now();
    let arguments = duel(&slow, &b, "--depth 1 --timeouts start=0.2 --store run.db");
    place.check(&arguments, 3);
    assert!(begun.elapsed() < LONG);
    assert!(transcripts(&place).contains("200ms"), "{}", transcripts(&place));
}

/// A match against an xboard engine with this fault at its second move; returns its PGN and the counts of
/// terminations.
fn against_xboard(fault: &str) -> (String, serde_json::Value) {
    let place = Place::new();
    let liar = scripted("liar", &format!("--speak xboard --fault {fault}@2"));
    let pgn = play(&place, &format!("{liar} proto=xboard"), &scripted("fair", ""), &QUICK);
    (pgn, place.results("run.db")["terminations"].clone())
}

#[test]
fn a_resignation_loses_without_a_fault() {
    let (pgn, endings) = against_xboard("resign");
    assert!(pgn.contains("White resigns") || pgn.contains("Black resigns"), "{pgn}");
    assert!(endings["resignation"].as_u64() >= Some(1), "{endings}");
}

#[test]
fn a_false_claim_of_a_result_loses() {
    let (pgn, endings) = against_xboard("false-result");
    assert!(pgn.contains("makes a false claim of the result"), "{pgn}");
    assert!(endings["false claim"].as_u64() >= Some(1), "{endings}");
}

#[test]
fn clocks_are_scaled_to_this_machine_and_the_pgn_has_both() {
    let place = Place::new();
    let mut arguments = QUICK[2..].to_vec();
    arguments.extend(["--tc", "10+1", "--scale-clock", "1"]);
    let pgn = play(&place, &scripted("a", ""), &scripted("b", ""), &arguments);
    // A machine of one node per second would need far more; the measured one gets the minimum.
    assert!(pgn.contains("[TimeControl \"0.1+0.01\"]"), "{pgn}");
    assert!(pgn.contains("[WhiteAgreedTimeControl \"10+1\"]"), "{pgn}");
}

#[test]
fn an_entrant_has_a_scale_of_its_own() {
    let place = Place::new();
    let mut arguments = QUICK[2..].to_vec();
    arguments.extend(["--tc", "10+1"]);
    let scaled = format!("{} scale=1", scripted("a", ""));
    let pgn = play(&place, &scaled, &scripted("b", ""), &arguments);
    assert!(pgn.contains("[WhiteTimeControl \"0.1+0.01\"]\n[BlackTimeControl \"10+1\"]"), "{pgn}");
    assert!(pgn.contains("[WhiteAgreedTimeControl \"10+1\"]\n[BlackAgreedTimeControl \"10+1\"]"), "{pgn}");
}

/// Both engines report +90 for themselves; the one that reports from White's view says, as Black, that it is behind.
#[test]
fn scores_from_white_s_view_are_turned_for_black() {
    let place = Place::new();
    let entrant = |name: &str, more: &str| format!("{}{more}", scripted(name, "--info-lines 1 --score 90"));
    let pgn = play(&place, &entrant("a", ""), &entrant("b", " whitepov=on"), &QUICK);
    assert!(pgn.contains("{-0.90/") && pgn.contains("{+0.90/"), "{pgn}");
}

#[test]
fn an_engine_that_says_that_it_has_no_move_loses_by_that() {
    let place = Place::new();
    let pgn = play(&place, &scripted("a", "--fault none-move@2"), &scripted("b", ""), &QUICK);
    assert!(pgn.contains("White makes an illegal move: none"), "{pgn}");
    assert!(pgn.contains("[Termination \"illegal move\"]"), "{pgn}");
}

#[test]
fn standard_error_goes_to_the_file_that_the_entrant_names() {
    let place = Place::new();
    let noisy = format!("{} stderr=noise.txt", scripted("noisy", "--fault flood-stderr --flood 1"));
    play(&place, &noisy, &scripted("b", ""), &QUICK);
    assert!(place.path("noise.txt").metadata().unwrap().len() > 1_000_000);
}

#[test]
#[ignore = "needs the chess engines of Debian"]
fn real_engines_ponder_and_play_to_the_end() {
    let place = Place::new();
    let arguments = [
        "--tc", "1+0.05", "--timemargin", "1000", "--games", "2", "--pgn-comments", "nodes", "--maxmoves",
        "60",
    ];
    play(&place, "cmd=stockfish ponder=on", "cmd=toga2 ponder=on", &arguments);
    let results = place.results("run.db");
    assert_eq!(results["games_finished"], 2);
    for entrant in results["entrants"].as_array().unwrap() {
        assert_eq!((&entrant["time_losses"], &entrant["crashes"]), (&0.into(), &0.into()), "{entrant}");
    }
    place.await_nobody();
}

#[cfg(unix)]
#[test]
fn a_score_that_is_a_bound_adjudicates_nothing() {
    let play_with = |bound: &str| {
        let place = Place::new();
        let filter = format!("sed -u 's/ score cp -*[0-9]*/&{bound}/'");
        place.script("engine", &format!("#!/bin/sh\n'{}' \"$@\" | {filter}\n", scripted_program()));
        let cmd = place.path("engine");
        let engine = |name: &str, score: i32| {
            format!("\"cmd={}\" name={name} \"args=--info-lines 1 --score {score}\"", cmd.display())
        };
        let rest = ["--depth", "1", "--games", "2", "--maxmoves", "8", "--resign", "movecount=2 score=600"];
        play(&place, &engine("a", 900), &engine("b", -900), &rest)
    };
    assert_eq!(play_with("").matches(" wins by adjudication").count(), 2);
    for bound in [" lowerbound", " upperbound"] {
        let pgn = play_with(bound);
        assert_eq!(pgn.matches("1/2-1/2\n\n").count(), 2, "{pgn}");
        assert!(!pgn.contains("wins by adjudication"), "{pgn}");
    }
}
