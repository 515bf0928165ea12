//! Faults that the scripted engine does not have; the engines are shell scripts.

use smalt_testing::process::signal;

use crate::support::{Place, duel, finish, scripted, scripted_program};

/// A UCI engine that does this after `go`.
fn uci_script(place: &Place, go: &str) {
    let lines = format!(
        "#!/bin/sh\nwhile read -r line; do case $line in uci) echo uciok;; isready) echo readyok;; go*) {go};; \
         quit) exit;; esac; done\n"
    );
    place.script("bad.sh", &lines);
}

/// The runner is stopped in the middle of the search.
#[test]
fn what_does_not_depend_on_time_counts_though_the_runner_was_suspended() {
    let stop = "kill -STOP $PPID; sleep 1; kill -CONT $PPID";
    for (answer, termination) in
        [("exit 9", "disconnect"), ("echo bestmove e2e2", "illegal move"), ("echo bestmove", "missing move")]
    {
        let place = Place::new();
        uci_script(&place, &format!("{stop}; {answer}"));
        let good = scripted("good", "");
        let rest = "--tc 2+0.1 --timemargin 100 --games 1 --store run.db --quiet";
        let (_, err) = place.check(&duel(&good, "cmd=./bad.sh", rest), 0);
        assert!(!err.contains("is played again"), "{err}");
        let results = place.results("run.db");
        assert_eq!(results["terminations"], serde_json::json!({ termination: 1 }), "{answer}: {err}");
    }
}

/// The handshake of xboard needs no answer.
#[test]
fn a_program_that_never_writes_is_disqualified() {
    let place = Place::new();
    let good = scripted("good", "");
    for protocol in ["xboard", "auto"] {
        let silent = format!("cmd=sleep args=1000 name=silent proto={protocol}");
        let rest = "--tc 0.2+0.05 --timemargin 50 --games 4 --quiet --timeouts";
        let mut arguments = duel(&good, &silent, rest);
        arguments.extend(["start=0.3 stop=0.3", "--store", protocol]);
        let (_, err) = place.check(&arguments, 3);
        assert!(err.contains("silent is disqualified: it failed to start 3 times running"), "{err}");
        assert_eq!(place.results(protocol)["games_finished"], 0, "{err}");
    }
    place.await_nobody();
}

#[test]
fn an_xboard_engine_that_only_answers_ping_gave_no_move() {
    let place = Place::new();
    let lines = "#!/bin/sh\nwhile read -r word rest; do case $word in \
                 protover) echo feature ping=1 done=1;; ping) echo pong $rest;; quit) exit;; esac; done\n";
    place.script("bad.sh", lines);
    let rest = "--tc 0.2+0.05 --timemargin 50 --games 1 --timeouts stop=0.3 --store run.db";
    let (_, err) = place.check(&duel(&scripted("good", ""), "cmd=./bad.sh proto=xboard", rest), 0);
    assert!(err.contains("gave no best move within") && err.contains(", though it answered `ping`"), "{err}");
}

/// An answer without its line feed, and one in wrong words.
#[test]
fn the_message_of_a_timeout_quotes_what_was_written() {
    for (answer, words) in [
        ("printf 'bestmove e7e5'", "; it has written `bestmove e7e5` without a line feed"),
        ("echo BESTMOVE e7e5", "; the last line that was not understood is `BESTMOVE e7e5`"),
    ] {
        let place = Place::new();
        uci_script(&place, answer);
        let rest = "--tc 0.2+0.05 --timemargin 50 --games 1 --timeouts stop=0.3 --store run.db";
        let (_, err) = place.check(&duel(&scripted("good", ""), "cmd=./bad.sh", rest), 0);
        assert!(err.contains(words), "{err}");
    }
}

/// Each move leaves a process that the runner adopts.
#[cfg(target_os = "linux")]
#[test]
fn adopted_children_that_exit_are_reaped_during_the_run() {
    let place = Place::new();
    uci_script(&place, "(true &); echo bestmove 0000");
    let rest = "--tc 20+1 --games 1000 --store run.db --quiet";
    let run = place.start(&duel(&scripted("good", ""), "cmd=./bad.sh", rest));
    place.await_games("run.db", 60);
    let is_zombie_of = |stat: String| {
        let (_, rest) = stat.rsplit_once(')')?;
        let mut fields = rest.split_ascii_whitespace();
        Some(fields.next()? == "Z" && fields.next()? == run.id().to_string())
    };
    let stats = std::fs::read_dir("/proc").unwrap().flatten();
    let stats = stats.filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok());
    let zombies = stats.filter_map(is_zombie_of).filter(|&is_one| is_one).count();
    assert!(zombies < 20, "{zombies} zombies");
    signal(run.id(), "-TERM");
    finish(run, 143);
    place.await_nobody();
}

#[test]
fn check_names_option_lines_that_are_not_used() {
    let place = Place::new();
    let lines = ["A type slider", "type check", "Depth type button", "depth  type button", ""]
        .map(|line| if line.is_empty() { "uciok".to_owned() } else { format!("option name {line}\\n") });
    let engine = scripted_program();
    place.script("odd.sh", &format!("#!/bin/sh\n{engine} | sed -u 's/^uciok$/{}/'\n", lines.concat()));
    let (out, _) = place.check(&["check", "cmd=./odd.sh", "--json", "-"], 0);
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    let findings = report["findings"].as_array().unwrap().iter();
    let words: Vec<&str> = findings
        .filter(|finding| finding["step"] == "options" && finding["result"] == "warning")
        .map(|finding| finding["words"].as_str().unwrap())
        .collect();
    let ignored = "is ignored: it has no name or no known type";
    assert!(words[0].contains("name A type slider") && words[0].contains(ignored), "{words:?}");
    assert!(words[1].contains("option name type check") && words[1].contains(ignored), "{words:?}");
    assert_eq!(words[2..], ["option \"depth\" is declared twice: the last line holds"], "{words:?}");
}
