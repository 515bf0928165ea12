//! One test per fault: it happens in the middle of a run; the game has the right termination and loser, the other
//! games are played, and no process is left.

use crate::support::{Place, duel, finish, scripted, scripted_program, texts, wait_until};

/// Checks how the games of an engine with this fault end, in both protocols: terminations with their counts.
fn check(fault: &str, expected: &[(&str, u64)]) {
    check_speaking("uci", fault, expected);
    check_speaking("xboard", fault, expected);
}

fn check_speaking(protocol: &str, fault: &str, expected: &[(&str, u64)]) {
    check_with_clock("--tc 0.3+0.05 --timemargin 250", protocol, fault, expected);
}

fn check_with_clock(clock: &str, protocol: &str, fault: &str, expected: &[(&str, u64)]) {
    let place = Place::new();
    let script = format!("--speak {protocol} --delay 900 --flood 5 --fault {fault}");
    let bad = format!("{} proto={protocol}", scripted("bad", &script));
    let good = scripted("good", "--seed 5");
    let rest = format!("{clock} --games 2 --maxmoves 12 --store run.db --quiet");
    let arguments = duel(&good, &bad, &rest);
    let (_, err) = place.check(&arguments, 0);
    let results = place.results("run.db");
    let mut wanted = serde_json::Map::new();
    for (name, games) in expected {
        wanted.insert((*name).to_owned(), (*games).into());
    }
    assert_eq!(results["terminations"], serde_json::Value::Object(wanted), "{protocol} {fault}\n{err}");
    let faults: u64 =
        expected.iter().filter(|(name, _)| *name != "maximum moves").map(|(_, games)| games).sum();
    assert_eq!(results["entrants"][0]["wins"], faults, "the good engine wins by faults, and only by them");
    assert_eq!(results["entrants"][1]["losses"], faults);
    place.await_nobody();
}

const PLAYED: (&str, u64) = ("maximum moves", 2);
const OTHER: (&str, u64) = ("maximum moves", 1);

#[test]
fn an_exit_is_a_disconnect_and_the_engine_is_started_again() {
    check("exit@3", &[("disconnect", 2)]);
}

#[test]
fn a_crash_is_a_disconnect() {
    check("crash@3", &[("disconnect", 2)]);
}

#[test]
fn an_exit_after_a_move_shows_at_the_next_one() {
    check("exit-after-bestmove@3", &[("disconnect", 2)]);
}

#[test]
fn closing_the_output_is_a_disconnect() {
    check("close-stdout@3", &[("disconnect", 2)]);
}

#[test]
fn half_a_line_before_the_exit_is_no_move() {
    check("half-line-exit@3", &[("disconnect", 2)]);
}

#[test]
fn a_hang_is_a_stall() {
    check("hang@15", &[("maximum moves", 1), ("stall", 1)]);
}

#[test]
fn silence_is_a_stall() {
    check_speaking("uci", "no-bestmove@15", &[OTHER, ("stall", 1)]);
    // It answers the ping after the move-now command: it is alive, but out of time.
    check_speaking("xboard", "no-bestmove@15", &[OTHER, ("time forfeit", 1)]);
}

#[test]
fn info_lines_for_ever_gain_no_time() {
    check_speaking("uci", "info-forever@15", &[OTHER, ("stall", 1)]);
    check_speaking("xboard", "info-forever@15", &[OTHER, ("time forfeit", 1)]);
}

#[test]
fn a_late_move_is_a_time_forfeit_and_does_not_leak_into_the_next_game() {
    check("late@3", &[OTHER, ("time forfeit", 1)]);
}

#[test]
fn an_illegal_move_has_its_own_name() {
    check("illegal-move@3", &[OTHER, ("illegal move", 1)]);
}

#[test]
fn a_null_move_is_none() {
    check("null-move@3", &[OTHER, ("missing move", 1)]);
}

#[test]
fn no_move_where_there_is_one_is_missing() {
    check_speaking("uci", "none-move@3", &[OTHER, ("missing move", 1)]);
    check_speaking("xboard", "none-move@3", &[OTHER, ("missing move", 1)]);
}

#[test]
fn a_word_that_is_no_move_is_malformed() {
    check("malformed-bestmove@3", &[("malformed move", 1), OTHER]);
}

#[test]
fn an_answer_without_a_move_lacks_it() {
    check("missing-move@3", &[OTHER, ("missing move", 1)]);
}

#[test]
fn half_a_line_is_no_answer() {
    check("half-line@15", &[OTHER, ("stall", 1)]);
}

#[test]
fn claims_of_xboard_engines_are_checked() {
    check_speaking("xboard", "resign@3", &[OTHER, ("resignation", 1)]);
    check_speaking("xboard", "false-result@3", &[("false claim", 1), OTHER]);
    check_speaking("xboard", "refuse-move@3", &[("false claim", 1), OTHER]);
}

#[test]
fn a_line_without_end_ends_the_game() {
    check("endless-line@15", &[("endless line", 1), OTHER]);
}

#[test]
fn a_second_best_move_is_not_taken_for_the_next() {
    check("stray-bestmove@all", &[PLAYED]);
}

#[test]
fn harmless_protocol_errors_cost_nothing() {
    check("crlf", &[PLAYED]);
    check("trailing-garbage@all", &[PLAYED]);
    check("invalid-utf8@all", &[PLAYED]);
    check("nul-bytes@all", &[PLAYED]);
}

#[test]
fn a_flood_is_drained() {
    // The speed of the flood depends on the machine: it must be read, in any time.
    for protocol in ["uci", "xboard"] {
        check_with_clock("--tc 30+0.1", protocol, "flood-stderr@3", &[PLAYED]);
        check_with_clock("--tc 30+0.1", protocol, "flood-stdout@3 --fault ignore-quit", &[PLAYED]);
    }
}

#[test]
fn what_an_engine_starts_ends_with_it() {
    check("grandchild", &[PLAYED]);
}

#[test]
fn an_engine_that_never_starts_is_disqualified_and_the_others_go_on() {
    let place = Place::new();
    let (good, other) = (scripted("good", ""), scripted("other", ""));
    let [bad, deaf] = ["bad", "gone"].map(|name| scripted(name, "--fault exit-at-start"));
    let arguments = [
        "gauntlet", "--engine", &good, "--opponent", &bad, "--opponent", &other, "--opponent", &deaf,
        "--depth", "1", "--games", "4", "--maxmoves", "5", "--store", "run.db",
    ];
    let (out, err) = place.check(&arguments, 3);
    assert!(
        out.contains("Faults: failed starts 6\n  bad: failed starts 3\n  gone: failed starts 3\n"),
        "{out}"
    );
    let (printed, _) = place.check(&["standings", "run.db"], 0);
    assert!(printed.contains("Faults: failed starts 6\n"), "{printed}");
    assert!(err.contains("bad is disqualified: it failed to start 3 times running"), "{err}");
    assert_eq!(err.matches("bad exited with code 1 while starting").count(), 3, "{err}");
    assert!(err.contains("8 games were skipped"), "{err}");
    let results = place.results("run.db");
    assert_eq!((&results["games_planned"], &results["games_finished"]), (&12.into(), &4.into()));
    assert_eq!(results["games_left_out"], 8);
    let why = results["entrants"][1]["out"].as_str().unwrap();
    assert!(why.starts_with("failed to start 3 times running"), "{why}");
    assert!(results["entrants"][0]["out"].is_null());
    let absence = format!("bad is disqualified: it {why}");
    let (printed, _) = place.check(&["status", "run.db"], 0);
    assert!(printed.contains(&absence) && printed.contains("8 games are skipped"), "{printed}");
    let (printed, _) = place.check(&["report", "run.db"], 0);
    assert!(printed.contains("4 of 12 games, 8 skipped, stopped"), "{printed}");
    assert!(printed.contains("bad is disqualified: it failed to start 3 times running"), "{printed}");
    assert_eq!(place.read("run.pgn").matches("[White ").count(), 4);
    place.await_nobody();
}

/// The games count without a fault, but there is one warning.
#[test]
fn an_engine_that_dies_of_quit_has_lost_nothing_by_it() {
    let abort = if cfg!(windows) {
        "was ended by exception 0xC0000409 (aborted)"
    } else {
        "was ended by SIGABRT (a failed assertion)"
    };
    for (protocol, fault, words) in [
        ("uci", "exit-at-quit", "exited with code 1"),
        ("uci", "crash-at-quit", abort),
        ("xboard", "exit-at-quit", "exited with code 1"),
        ("xboard", "crash-at-quit", abort),
    ] {
        let place = Place::new();
        let script = format!("--speak {protocol} --fault {fault}");
        let bad = format!("{} proto={protocol} restart=on", scripted("bad", &script));
        let good = scripted("good", "");
        let rest = "--depth 1 --games 4 --maxmoves 4 --store run.db";
        let (out, err) = place.check(&duel(&good, &bad, rest), 0);
        let warning = format!("Warning: bad {words} after quit");
        assert_eq!(err.matches(&warning).count(), 1, "{err}");
        assert!(out.contains("Terminations: maximum moves 4\nFaults: none"), "{out}");
        place.await_nobody();
    }
}

#[test]
fn an_engine_that_ignores_its_limit_and_stop_runs_out_of_time() {
    check_speaking("uci", "ignore-limit@15 --fault ignore-stop", &[OTHER, ("stall", 1)]);
    // It answers the ping after the move-now command.
    check_speaking("xboard", "ignore-limit@15 --fault ignore-stop", &[OTHER, ("time forfeit", 1)]);
}

#[test]
fn a_slow_start_costs_nothing() {
    check("slow-start", &[PLAYED]);
}

/// A duel with an engine that is never ready, with timeouts of half a second; checks the fault's text.
fn check_never_ready(protocol: &str, fault: &str, times: &str, expected: &str) {
    let place = Place::new();
    let bad = scripted("bad", &format!("--speak {protocol} --fault {fault}"));
    let bad = format!("{bad} proto={protocol}");
    let good = scripted("good", "");
    let mut arguments = duel(&good, &bad, "--depth 1 --games 2 --store run.db --timeouts");
    arguments.push(times);
    let (_, err) = place.check(&arguments, 3);
    assert!(err.contains("bad is disqualified: it failed to start 3 times running"), "{err}");
    assert!(err.contains(expected), "{err}");
    assert_eq!(place.results("run.db")["games_finished"], 0);
    place.await_nobody();
}

#[test]
fn an_engine_without_readyok_is_disqualified() {
    check_never_ready(
        "uci",
        "no-readyok",
        "ping=0.5",
        "did not answer `isready` with `readyok` within 500ms",
    );
    check_never_ready("xboard", "no-readyok", "ping=0.5", "within 500ms");
    check_never_ready("uci", "no-uciok", "start=0.5", "within 500ms");
    check_never_ready("xboard", "no-uciok", "start=0.5", "within 500ms");
}

/// It sends no features, takes positions piece by piece, and its moves lack the prefix `move`.
#[test]
fn an_engine_of_the_first_version_of_xboard_s_protocol_plays_a_match() {
    let place = Place::new();
    place.write("book.epd", "r3k2r/pppq1ppp/2n2n2/8/8/2N2N2/PPPQ1PPP/R3K2R b KQkq - 0 1\n");
    let (good, old) = (scripted("good", ""), scripted("old", "--speak xboard1 --info-lines 1"));
    let old = format!("{old} proto=xboard");
    let rest = "--tc 30+1 --games 4 --maxmoves 12 --openings book.epd --resign off --draw off --timeouts start=3 \
                --store run.db";
    let rest: Vec<&str> = rest.split_whitespace().collect();
    let (out, _) = place.check(&duel(&good, &old, &rest.join(" ")), 0);
    assert!(out.contains("Faults: none"), "{out}");
    let results = place.results("run.db");
    assert_eq!(results["games_finished"], 4, "{results}");
    assert_eq!(place.read("run.pgn").matches("[SetUp \"1\"]").count(), 4);
    place.await_nobody();
}

#[test]
fn an_option_of_a_value_that_cannot_be_is_refused_once() {
    let place = Place::new();
    let bad = format!("{} option.UCI_Chess960=abc", scripted("bad", ""));
    let good = scripted("good", "");
    let (_, err) = place.check(&duel(&good, &bad, "--depth 1 --games 2 --store run.db"), 2);
    assert_eq!(
        err.matches("engine \"bad\": failed to set an option: \"abc\" is neither true nor false").count(),
        1,
        "{err}"
    );
    assert!(!place.path("run.db").exists());
}

#[test]
fn an_option_that_an_engine_lacks_is_refused_before_the_run_with_the_right_name() {
    let place = Place::new();
    let good = scripted("good", "");
    let arguments = duel(&good, "cmd=builtin option.Hsah=64", "--depth 1 --games 2 --store run.db");
    let (_, err) = place.check(&arguments, 2);
    assert!(err.contains("the engine has none of that name: did you mean Hash?"), "{err}");
    assert!(!place.path("run.db").exists());
    let bad = format!("{} option.Hush=16", scripted("bad", ""));
    // Unless the plan allows a warning.
    let arguments = duel(&good, &bad, "--depth 1 --games 2 --store b.db --maxmoves 5 --bad-options warn");
    let (_, err) = place.check(&arguments, 0);
    assert_eq!(err.matches("Warning: bad plays without option Hush").count(), 1, "{err}");
    assert_eq!(place.results("b.db")["games_finished"], 2);
}

/// No fault, but the games differ from the plan, so there is a warning.
#[test]
fn an_engine_that_ignores_its_limit_gets_stop_and_a_warning() {
    for (protocol, limit, words) in [
        ("uci", "--nodes 10", "10 nodes"),
        ("uci", "--depth 1", "1 plies"),
        ("xboard", "--depth 1", "1 plies"),
    ] {
        let place = Place::new();
        let script = format!("--speak {protocol} --fault ignore-limit@all");
        let (good, bad) = (scripted("good", ""), format!("{} proto={protocol}", scripted("bad", &script)));
        let rest = format!("{limit} --games 2 --maxmoves 3 --resign off --store run.db");
        let (out, err) = place.check(&duel(&good, &bad, &rest), 0);
        let warning = format!("Warning: bad ignores its limit of {words} a move");
        assert_eq!(err.matches(&warning).count(), 1, "{protocol} {limit}: {err}");
        assert!(out.contains("Terminations: maximum moves 2\nFaults: none\nBeyond the limit"), "{out}");
        assert!(out.contains("bad in 6 of 6 moves"), "{out}");
        assert_eq!(place.results("run.db")["entrants"][1]["overruns"], 6);
    }
}

#[test]
fn a_long_search_without_a_time_limit_is_warned_about() {
    let place = Place::new();
    let (good, slow) = (scripted("good", ""), scripted("slow", "--delay 900 --fault late@2"));
    let rest = "--depth 1 --longest-move 3 --games 2 --maxmoves 3 --store run.db";
    let (out, err) = place.check(&duel(&good, &slow, rest), 0);
    let warning = "Warning: slow has searched for 0.3 s without a time limit: it loses after 3 s";
    assert_eq!(err.matches(warning).count(), 1, "{err}");
    assert!(out.contains("Terminations: maximum moves 2\n"), "{out}");
}

#[test]
fn repeated_openings_without_a_clock_are_a_warning() {
    let place = Place::new();
    place.write("two.epd", "8/8/8/4k3/8/8/8/2B1K1N1 w - -\n8/8/8/4k3/8/8/8/R3K3 w - -\n");
    let (first, second) = (scripted("first", ""), scripted("second", ""));
    for (name, limit, games, times) in
        [("six", "--depth 1", 6, 1), ("four", "--depth 1", 4, 0), ("clock", "--tc 60+1", 6, 0)]
    {
        let rest = format!("{limit} --openings two.epd --games {games} --maxmoves 3 --store {name}.db");
        let (_, err) = place.check(&duel(&first, &second, &rest), 0);
        let warning = "Warning: all openings have been used";
        assert_eq!(err.matches(warning).count(), times, "{name}: {err}");
    }
}

#[test]
fn an_engine_that_cannot_be_held_to_nodes_is_refused_before_the_first_game() {
    let place = Place::new();
    let rest = "--nodes 1000 --games 2 --maxmoves 3 --store run.db";
    let deaf = scripted("deaf", "--speak xboard --fault ignore-stop --think 1500");
    let deaf = format!("{deaf} proto=xboard");
    let (_, err) = place.check(&duel(&scripted("good", ""), &deaf, rest), 2);
    assert!(err.contains("engine \"deaf\" cannot be held to a number of nodes"), "{err}");
    assert!(!place.path("run.db").exists());
}

#[test]
fn xboard_engines_with_a_node_limit_are_a_warning() {
    let place = Place::new();
    let rest = "--nodes 1 --games 2 --maxmoves 3 --store run.db";
    let other = format!("{} proto=xboard", scripted("other", "--speak xboard --info-lines 2"));
    let (_, err) = place.check(&duel(&scripted("good", ""), &other, rest), 0);
    assert_eq!(
        err.matches("Warning: other speaks the xboard protocol, which has no node limit").count(),
        1,
        "{err}"
    );
}

#[test]
fn a_fault_stops_the_run_where_the_plan_says_so() {
    let place = Place::new();
    let (good, bad) = (scripted("good", ""), scripted("bad", "--fault illegal-move@2"));
    let arguments = duel(&good, &bad, "--depth 1 --games 50 --maxmoves 5 --on-fault stop --store run.db");
    let (_, err) = place.check(&arguments, 1);
    assert!(err.contains("Stopped after a fault (bad answered"), "{err}");
    assert!(err.contains("resume"), "{err}");
    assert!(place.results("run.db")["games_finished"].as_u64().unwrap() < 3);
    place.await_nobody();
}

/// All moves of a game, and lines that no rule-conforming engine sends, by ply.
const GAME: &str = "e2e4,e7e5,g1f3,b8c6,f1b5,a7a6,b5a4,g8f6";
const WRONG_GUESSES: &str = "c7c5,b1c3,d7d6,f1c4,g8f6,b5c6,b7b5";

#[test]
fn the_stop_of_a_ponder_miss_is_on_the_clock_of_the_ponderer() {
    let place = Place::new();
    let script = format!("--moves {GAME} --guesses {WRONG_GUESSES} --fault slow-stop --delay 700");
    let slow = format!("{} ponder=on", scripted("slow", &script));
    let good = scripted("good", &format!("--moves {GAME}"));
    let rest = "--tc 2 --openings startpos --games 2 --maxmoves 4 --resign off --draw off --store run.db";
    let (_, err) = place.check(&duel(&good, &slow, rest), 0);
    let results = place.results("run.db");
    assert_eq!(results["entrants"][1]["time_losses"], 2, "{results}\n{err}");
}

#[test]
fn a_repeated_bestmove_does_not_answer_the_next_go() {
    for protocol in ["uci", "xboard"] {
        check_with_clock("--tc 30+0.1", protocol, "late-repeat@all --delay 30 --think 60", &[PLAYED]);
    }
}

#[test]
fn an_info_line_of_ten_megabytes_costs_nothing_and_its_rest_is_counted() {
    let place = Place::new();
    for protocol in ["uci", "xboard"] {
        let script = format!("--speak {protocol} --fault long-info@3 --flood 10");
        let (good, long) = (scripted("good", ""), format!("{} proto={protocol}", scripted("long", &script)));
        let rest = format!("--tc 30+0.1 --games 2 --maxmoves 12 --store {protocol}.db");
        let (out, err) = place.check(&duel(&good, &long, &rest), 0);
        assert!(out.contains("Terminations: maximum moves 2\nFaults: none"), "{out}");
        assert!(err.contains("Warning: long wrote lines of more than 65536 bytes: 104"), "{err}");
    }
}

#[test]
fn an_engine_has_five_seconds_to_save_what_it_has_learned() {
    let place = Place::new();
    let (good, slow) = (scripted("good", ""), scripted("slow", "--fault slow-quit --delay 2500"));
    let rest = "--depth 1 --games 2 --maxmoves 3 --store run.db";
    let (_, err) = place.check(&duel(&good, &slow, rest), 0);
    assert!(!err.contains("Warning: slow"), "{err}");
}

#[test]
fn an_engine_killed_after_quit_is_a_warning() {
    let place = Place::new();
    let (good, deaf) = (scripted("good", ""), scripted("deaf", "--fault ignore-quit"));
    let rest = "--depth 1 --games 2 --maxmoves 3 --timeouts quit=0.2 --store run.db";
    let (_, err) = place.check(&duel(&good, &deaf, rest), 0);
    let warning = "Warning: deaf did not exit within 0.2 s of quit and was killed";
    assert_eq!(err.matches(warning).count(), 1, "{err}");
}

#[test]
fn what_an_engine_starts_in_a_session_of_its_own_ends_with_it() {
    check("daemon", &[PLAYED]);
}

#[test]
fn the_last_words_on_standard_error_are_in_the_message_the_log_and_the_report() {
    let place = Place::new();
    let (good, bad) = (scripted("good", ""), scripted("bad", "--fault loud-crash@3"));
    let rest = "--depth 1 --games 1 --maxmoves 12 --log logs --store run.db";
    let (_, err) = place.check(&duel(&good, &bad, rest), 0);
    let words = "last lines on standard error: `thread 'search' panicked at src/search.rs:42:5: | index out of bounds`";
    assert!(err.contains(words), "{err}");
    let log = place.read("logs/game-000001.log");
    assert!(log.contains("bad ! thread 'search' panicked at src/search.rs:42:5:"), "{log}");
    let (printed, _) = place.check(&["export", "run.db", "--what", "transcript"], 0);
    assert!(printed.contains(words) && printed.contains("! index out of bounds"), "{printed}");
}

/// The program is missing while it is rebuilt.
#[test]
#[cfg_attr(windows, ignore = "its engine is a shell script")]
fn an_engine_that_is_rebuilt_for_a_second_is_not_disqualified() {
    let place = Place::new();
    let script =
        format!("#!/bin/sh\necho >> tried\n[ -e ready ] || exit 1\nexec {} --name new\n", scripted_program());
    place.script("new.sh", &script);
    let good = scripted("good", "");
    let child = place.start(&duel(&good, "cmd=./new.sh", "--depth 1 --games 2 --maxmoves 3 --store run.db"));
    let tries = || std::fs::read_to_string(place.path("tried")).map_or(0, |text| text.lines().count());
    wait_until("two starts", || tries() >= 2);
    place.write("ready", "");
    let (_, err) = texts(&finish(child, 0));
    assert!(!err.contains("is disqualified"), "{err}");
    assert_eq!(place.results("run.db")["games_finished"], 2);
}

/// Child processes of a process, from the kernel's list.
#[cfg(target_os = "linux")]
fn children(process: u32) -> Vec<String> {
    let tasks = std::fs::read_dir(format!("/proc/{process}/task")).unwrap().flatten();
    let lists = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// A shutdown, or a service manager, signals all processes at once.
#[cfg(target_os = "linux")]
#[test]
fn a_stop_that_reaches_the_engines_first_is_no_loss() {
    let place = Place::new();
    let (first, second) = (scripted("first", "--seed 1"), scripted("second", "--seed 2"));
    let arguments = duel(
        &first,
        &second,
        "--depth 1 --maxmoves 40 --games 100000 --concurrency 2 --store run.db --quiet",
    );
    let mut run = place.start(&arguments);
    let mut games = 0;
    for _ in 0..3 {
        place.await_games("run.db", games + 4);
        let mut all = children(run.id());
        all.push(run.id().to_string());
        // Some may have exited.
        let _ = smalt_testing::process::command("kill").arg("-TERM").args(&all).output().unwrap();
        finish(run, 143);
        games = place.results("run.db")["games_finished"].as_u64().unwrap();
        run = place.start(&["resume", "run.db", "--quiet"]);
    }
    place.await_games("run.db", games + 4);
    smalt_testing::process::signal(run.id(), "-TERM");
    finish(run, 143);
    let results = place.results("run.db");
    assert_eq!(results["terminations"]["disconnect"], serde_json::Value::Null, "{results}");
    for entrant in [0, 1] {
        let entrant = &results["entrants"][entrant];
        assert_eq!([&entrant["crashes"], &entrant["failed_starts"]], [0, 0], "{results}");
    }
    place.await_nobody();
}
