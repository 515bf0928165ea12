//! Faults that the scripted engine does not have; the engines are shell scripts.

use crate::support::{Place, duel, scripted};

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
