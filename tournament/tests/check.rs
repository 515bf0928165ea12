//! `check`: sound engines are fit, and each fault is told with the lines that show it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use support::{Place, scripted};

fn report(place: &Place, arguments: &str, code: i32) -> serde_json::Value {
    let engine = scripted("it", arguments);
    let (out, _) = place.check(&["check", &engine, "--json", "-"], code);
    serde_json::from_str(&out).unwrap()
}

/// The results of the findings of one step.
fn results<'a>(report: &'a serde_json::Value, step: &str) -> Vec<&'a str> {
    let findings = report["findings"].as_array().unwrap().iter();
    findings
        .filter(|finding| finding["step"] == step)
        .map(|finding| finding["result"].as_str().unwrap())
        .collect()
}

#[test]
fn an_engine_that_keeps_the_protocol_is_fit() {
    let place = Place::new();
    let found = report(&place, "--info-lines 1", 0);
    assert_eq!(found["fit"], true, "{found:#}");
    for step in
        ["start", "limits", "quit", "isready while thinking", "unknown commands", "quit while thinking"]
    {
        assert!(!results(&found, step).contains(&"failure"), "{step}: {found:#}");
    }
    place.await_nobody();
}

#[test]
fn faults_make_an_engine_unfit_and_are_shown_with_their_lines() {
    let place = Place::new();
    let illegal = report(&place, "--info-lines 1 --fault illegal-move@1", 1);
    assert!(results(&illegal, "limits").contains(&"failure"), "{illegal:#}");
    let finding = illegal["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|finding| finding["result"] == "failure")
        .unwrap();
    assert!(finding["words"].as_str().unwrap().contains("illegal"), "{finding:#}");
    assert!(!finding["lines"].as_array().unwrap().is_empty());
    let crash = report(&place, "--fault crash@1", 1);
    assert!(results(&crash, "limits").contains(&"failure"), "{crash:#}");
    place.await_nobody();
}

#[test]
fn a_missing_engine_is_wrong_usage() {
    let (_, err) = Place::new().check(&["check", "./nobody"], 2);
    assert!(err.contains("failed to find `./nobody`"), "{err}");
}
