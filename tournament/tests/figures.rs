//! Figures of a run: the same number means the same in every form in which it is shown.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use serde_json::Value;
use support::Place;
use support::made::{mixed, sprt, store};
use support::served::{Served, get};

/// All fields of an entrant or a pairing that statistics make.
fn statistics(results: &Value) -> Vec<Value> {
    let fields = ["elo", "elo_error", "elo_low", "elo_high", "nelo", "nelo_error", "los", "draw_ratio"];
    fields.map(|field| results[field].clone()).to_vec()
}

#[test]
fn an_unfinished_pair_changes_no_statistics_and_is_shown_apart() {
    let place = Place::new();
    store(&place, "whole.db", &sprt("cmd=a name=new", "400"), 160, mixed);
    store(&place, "half.db", &sprt("cmd=a name=new", "400"), 161, mixed);
    let [whole, half] = ["whole.db", "half.db"].map(|run| place.results(run));
    for (part, places) in [("entrants", 2), ("pairings", 1)] {
        for index in 0..places {
            let [whole, half] = [&whole, &half].map(|results| &results[part][index]);
            assert!(whole["elo"].is_number());
            assert_eq!(statistics(whole), statistics(half), "{part} {index}");
            assert_eq!(whole["penta"], half["penta"]);
            assert_eq!((&whole["unpaired_games"], &half["unpaired_games"]), (&0.into(), &1.into()));
        }
    }
    assert_eq!(whole["entrants"][0]["games"], 160);
    assert_eq!(half["entrants"][0]["games"], 161);
    let note = "Unfinished pairs, not counted in Elo, normalized Elo, LOS and pairs: 1 game new - old";
    for (arguments, shows) in [
        (&["standings", "half.db"][..], true),
        (&["report", "half.db"][..], true),
        (&["standings", "whole.db"][..], false),
        (&["report", "whole.db"][..], false),
    ] {
        assert_eq!(place.check(arguments, 0).0.contains(note), shows, "{arguments:?}");
    }
    place.check(&["report", "half.db", "-o", "half.html"], 0);
    assert!(place.read("half.html").contains(note));
    // The curves end where the tables stand.
    let served = Served::start(&place, &["half.db", "--listen", "0"]);
    let page = get(served.address, "/api/runs/0").json();
    assert_eq!(statistics(&page["results"]["entrants"][0]), statistics(&half["entrants"][0]));
    let curves = get(served.address, "/api/runs/0/curves?entrant=0").json();
    let last = curves["elo"].as_array().unwrap().last().unwrap();
    assert_eq!((&last[0], &last[1]), (&160.into(), &half["entrants"][0]["elo"]));
}

/// A tournament of single games has no pairs: its games count one by one.
#[test]
fn single_games_count_as_games() {
    let place = Place::new();
    let flags = ["--format", "round-robin", "--engine", "cmd=a name=a", "--engine", "cmd=b name=b"];
    store(&place, "one.db", &[&flags[..], &["--nodes", "1000", "--games", "5"]].concat(), 5, mixed);
    let results = place.results("one.db");
    let first = &results["entrants"][0];
    assert_eq!((&first["games"], &first["unpaired_games"]), (&5.into(), &0.into()));
    assert!(first["elo"].is_number(), "{first}");
}
