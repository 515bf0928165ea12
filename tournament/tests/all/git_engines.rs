//! Engines that are built from commits of a git repository.

use std::process::Command;

use crate::support::{Place, scripted_program};

/// A repository `mine` in the folder, whose engine is a script that starts the scripted engine.
fn repository(place: &Place) {
    std::fs::create_dir(place.path("mine")).unwrap();
    git(place, &["init", "--quiet", "--initial-branch=main"]);
    commit(place, "first", "First version");
    commit(place, "second", "Second version");
}

#[expect(clippy::disallowed_methods, reason = "git makes the repository")]
fn git(place: &Place, arguments: &[&str]) -> String {
    let identity = ["-c", "user.name=A", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"];
    let output =
        Command::new("git").args(identity).args(arguments).current_dir(place.path("mine")).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn commit(place: &Place, name: &str, message: &str) {
    place.write("mine/engine.sh", &format!("#!/bin/sh\nexec '{}' --name {name}\n", scripted_program()));
    git(place, &["add", "engine.sh"]);
    git(place, &["commit", "--quiet", "-m", message]);
}

const BUILD: &str = "chmod +x engine.sh && cp engine.sh {exe}";

fn played<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let common = ["--games", "4", "--depth", "1", "--maxmoves", "20", "--store", "run.db"];
    more.iter().copied().chain(common).collect()
}

#[test]
fn two_revisions_are_built_and_play_a_test() {
    let place = Place::new();
    repository(&place);
    let short = |revision: &str| git(&place, &["rev-parse", revision])[..8].to_owned();
    let (new, base) =
        (format!("{} Second version", short("HEAD")), format!("{} First version", short("HEAD~1")));
    // The repository is that of the current folder.
    let arguments = played(&["sprt", "--git", "HEAD~1..main", "--build", BUILD]);
    let output = place.command(&arguments).current_dir(place.path("mine")).output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{err}");
    assert!(err.contains(&format!("Building {new} of .")), "{err}");
    let results = place.results("mine/run.db");
    let names: Vec<_> =
        results["entrants"].as_array().unwrap().iter().map(|entrant| &entrant["name"]).collect();
    assert_eq!(names, [&new, &base]);
    assert_eq!(results["games_finished"], 4);
}

#[test]
fn a_run_is_resumed_when_the_built_program_is_gone() {
    let place = Place::new();
    repository(&place);
    let engine =
        |name: &str, revision: &str| format!("git=mine ref={revision} name={name} \"build={BUILD}\"");
    let (new, base) = (engine("new", "main"), engine("base", "HEAD~1"));
    place.check(&played(&["match", "--engine", &new, "--engine", &base]), 0);
    std::fs::remove_dir_all(place.path("cache")).unwrap();
    let (_, err) = place.check(&["resume", "run.db", "--games", "6"], 0);
    assert!(err.contains("Second version"), "{err}");
    assert_eq!(place.results("run.db")["games_finished"], 6);
}

#[test]
fn a_failing_build_is_an_error_before_any_game() {
    let place = Place::new();
    repository(&place);
    let engine = "git=mine ref=main 'build=echo no such header; exit 1'";
    let (_, err) = place.check(&played(&["match", "--engine", engine, "--engine", "builtin"]), 2);
    assert!(
        err.contains("Second version failed (exit status: 1)") && err.contains("no such header"),
        "{err}"
    );
    assert!(!place.path("run.db").exists());
    let (_, err) = place.check(&played(&["match", "--engine", "git=mine", "--engine", "builtin"]), 2);
    assert!(err.contains("no build command for mine"), "{err}");
    let (_, err) = place.check(&played(&["sprt", "--git", "main", "--build", BUILD]), 2);
    assert!(err.contains("expected two revisions BASE..NEW"), "{err}");
}
