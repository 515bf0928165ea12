//! The version of the form in each JSON answer of a page.

use serde_json::Value;

use crate::support::served::{Served, get};
use crate::support::{Place, duel, scripted};

/// The routes of a source file that a request of GET answers.
fn routes(source: &str) -> Vec<String> {
    let lines = source.lines().filter(|line| line.contains("get("));
    let paths = lines.filter_map(|line| line.split_once(".route(\"")?.1.split('"').next());
    paths.map(|path| path.replace("{run}", "0").replace("{number}", "1")).collect()
}

/// Checks that every object among the answers has the version.
fn check(served: &Served, source: &str, count: usize) {
    let routes = routes(source);
    let is_json = |path: &&String| !path.ends_with("/pgn") && !path.ends_with("/events");
    let paths: Vec<_> = routes.iter().filter(is_json).collect();
    assert_eq!(paths.len(), count, "{routes:?}");
    for path in paths {
        let answer = get(served.address, path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        match answer.json() {
            // A server without a queue, or without a token.
            Value::Null => assert!(path == "/api/queue" || path == "/api/commands", "{path}"),
            Value::Array(all) => {
                assert!(!all.is_empty() && all.iter().all(|one| one["schema"] == 1), "{path}")
            }
            object => assert_eq!(object["schema"], 1, "{path}: {object}"),
        }
    }
}

#[test]
fn every_json_answer_of_a_page_has_its_version() {
    let place = Place::new();
    let (first, second) = (scripted("first", ""), scripted("second", "--seed 2"));
    place.check(&duel(&first, &second, "--games 2 --depth 1 --maxmoves 4 --store run.db"), 0);
    let served = Served::start(&place, &["run.db", "--listen", "0"]);
    check(&served, include_str!("../../dashboard/src/pages.rs"), 10);
    drop(served);
    let served = Served::of_command(&place, &["play", "--engine", &first, "--serve", "0"]);
    check(&served, include_str!("../../dashboard/src/play/routes.rs"), 1);
}
