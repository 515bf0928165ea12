//! A run of an earlier version is read, exported and resumed. `tests/data/run_of_0.1.db.zst` is the store (format 5) that
//! version 0.1.0 at f3d2a81 wrote in the folder /tmp/g2, and `run_of_0.1.pgn` the PGN that it wrote beside it:
//!
//! ```text
//! smalt-tournament match --engine 'cmd=builtin name=first nodes=300' --engine 'cmd=builtin name=second nodes=100' \
//!     --games 6 --plies 4 --maxmoves 24 --draw 'movenumber=10 movecount=4 score=60' --resign 'movecount=3 score=500' \
//!     --seed 11 --concurrency 1 --store run.db --pgn run.pgn --pgn-comments nodes,seldepth
//! ```

use crate::support::Place;

const STORE: &[u8] = include_bytes!("../data/run_of_0.1.db.zst");
const PGN: &str = include_str!("../data/run_of_0.1.pgn");

/// A folder with the old run, whose plan names files in it.
fn place() -> Place {
    let place = Place::new();
    std::fs::write(place.path("run.db"), zstd::decode_all(STORE).unwrap()).unwrap();
    place.write("run.pgn", PGN);
    let folder = place.path("").display().to_string().replace('\\', "/");
    let store = rusqlite::Connection::open(place.path("run.db")).unwrap();
    store.execute("UPDATE run SET plan = replace(plan, '/tmp/g2/', ?1)", [folder]).unwrap();
    store.close().unwrap();
    place
}

#[test]
fn an_old_run_is_exported_as_it_was() {
    let place = place();
    let before = std::fs::read(place.path("run.db")).unwrap();
    assert_eq!(place.check(&["export", "run.db"], 0).0, PGN);
    let results = place.results("run.db");
    let counts = ["wins", "draws", "losses"].map(|key| results["entrants"][0][key].as_u64().unwrap());
    assert_eq!((counts, &results["entrants"][0]["name"]), ([1, 5, 0], &"first".into()));
    let (ratings, _) = place.check(&["ratings", "run.db"], 0);
    assert!(ratings.contains("first    30.1 ± 68.0"), "{ratings}");
    assert!(std::fs::read(place.path("run.db")).unwrap() == before, "reading changes nothing");
}

#[test]
fn an_old_run_is_resumed_to_more_games() {
    let place = place();
    place.check(&["resume", "run.db", "--games", "8", "--allow-mixed"], 0);
    let results = place.results("run.db");
    assert_eq!(results["games_finished"], 8);
    for pgn in [place.read("run.pgn"), place.check(&["export", "run.db"], 0).0] {
        assert!(pgn.starts_with(PGN), "the old games are as they were");
        assert_eq!(pgn.matches("[Event ").count(), 8);
    }
}
