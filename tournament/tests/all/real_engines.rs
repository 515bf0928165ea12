//! A short gauntlet of engines packaged by Debian.

use crate::support::Place;

#[test]
#[ignore = "needs the chess engines of Debian"]
fn real_engines_play_without_losing_on_time_and_leave() {
    let place = Place::new();
    // The margin allows for a busy machine; an engine with a wrong clock exceeds even that.
    let arguments = [
        "gauntlet", "--engine", "stockfish", "--opponent", "toga2", "--opponent", "glaurung", "--tc",
        "2+0.05", "--timemargin", "2000", "--games", "2", "--store", "run.db",
    ];
    place.check(&arguments, 0);
    let results = place.results("run.db");
    assert_eq!(results["games_finished"], 4);
    for entrant in results["entrants"].as_array().unwrap() {
        for fault in ["time_losses", "crashes", "illegal_moves"] {
            assert_eq!(entrant[fault], 0, "{entrant}");
        }
    }
    place.await_nobody();
}
