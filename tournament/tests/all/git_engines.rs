//! Engines built from git commits.

use std::process::Command;

use smalt_testing::process;

use crate::queue::{await_state, stop};
use crate::support::{Place, scripted_program, texts};
#[cfg(target_os = "linux")]
use crate::support::{scripted, signal, wait_until};

/// A repository `mine` in the folder, whose engine is a script that starts the scripted engine.
pub(crate) fn repository(place: &Place) {
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

pub(crate) fn commit(place: &Place, arguments: &str, message: &str) {
    commit_script(place, &format!("exec '{}' --name {arguments}", scripted_program()), message);
}

fn commit_script(place: &Place, lines: &str, message: &str) {
    place.write("mine/engine.sh", &format!("#!/bin/sh\n{lines}\n"));
    git(place, &["add", "engine.sh"]);
    git(place, &["commit", "--quiet", "-m", message]);
}

/// Commits an engine with a Bench line, which counts another node while the file `wrong` exists.
#[cfg(feature = "nats")]
pub(crate) fn commit_with_bench(place: &Place) {
    let lines = format!(
        "if [ \"$1\" = bench ]; then [ -e '{}' ] && echo 'Nodes searched: 101' || echo 'Nodes searched: 100'; exit; fi\n\
         exec '{}' --name first",
        place.path("wrong").display(),
        scripted_program()
    );
    commit_script(place, &lines, "Third version\n\nBench: 100");
}

/// What a worker says of this engine while it counts another node.
#[cfg(feature = "nats")]
pub(crate) const OTHER_BENCH: &str = "the commit message says Bench: 100, and the program counts 101";

pub(crate) const BUILD: &str = "chmod +x engine.sh && cp engine.sh {exe}";

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
    // The repository is the current folder's.
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
fn a_commit_with_hidden_characters_in_its_subject_is_a_valid_engine() {
    let place = Place::new();
    repository(&place);
    commit(&place, "third", "Launch\tthe \u{1f469}\u{200d}\u{1f680}");
    let arguments = played(&["sprt", "--git", "HEAD~1..main", "--build", BUILD]);
    let output = place.command(&arguments).current_dir(place.path("mine")).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let name = place.results("mine/run.db")["entrants"][0]["name"].as_str().unwrap().to_owned();
    assert!(name.ends_with(" Launch the \u{1f469}\\u{200d}\u{1f680}"), "{name}");
}

#[test]
fn a_queued_test_plays_the_commits_that_its_revisions_named_when_it_was_added() {
    let place = Place::new();
    repository(&place);
    let short = |revision: &str| git(&place, &["rev-parse", revision])[..8].to_owned();
    let names = ["HEAD", "HEAD~1"].map(short);
    let names = [format!("{} Second version", names[0]), format!("{} First version", names[1])];
    let add = |job: &[&str]| {
        let words = [&["queue", "--queue", "../queue.db", "add", "--"], job].concat();
        let output = place.command(&words).current_dir(place.path("mine")).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        texts(&output).1
    };
    let limits = ["--games", "4", "--depth", "1", "--maxmoves", "20"];
    let range = ["sprt", "--git", "HEAD~1..main", "--build", BUILD];
    let said = add(&[&range[..], &limits].concat());
    assert!(said.contains(&format!("main is {}", names[0])), "{said}");
    assert!(said.contains(&format!("HEAD~1 is {}", names[1])), "{said}");
    let (new, base) = ("--engine=git=. ref=main", "git=. ref=HEAD~1");
    add(&[&["match", new, "--engine", base, "--build", BUILD], &limits[..]].concat());
    commit(&place, "third", "Third version");
    let daemon = place.start(&["queue", "--queue", "queue.db", "run", "--slots", "2", "--no-page"]);
    for job in [1, 2] {
        await_state(&place, job, "done");
        let results = place.results(&format!("queue-jobs/job-{job}.db"));
        let played = results["entrants"].as_array().unwrap().iter().map(|entrant| &entrant["name"]);
        assert_eq!(played.collect::<Vec<_>>(), names.each_ref());
    }
    stop(daemon);
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
        err.contains("Second version failed (exited with code 1)") && err.contains("no such header"),
        "{err}"
    );
    assert!(!place.path("run.db").exists());
    let (_, err) = place.check(&played(&["match", "--engine", "git=mine", "--engine", "builtin"]), 2);
    assert!(err.contains("no build command for mine"), "{err}");
    let (_, err) = place.check(&played(&["sprt", "--git", "main", "--build", BUILD]), 2);
    assert!(err.contains("expected two revisions BASE..NEW"), "{err}");
}

/// A build that waits while `wait` exists: its program is half written, and its last process is one that no death signal reaches.
/// `builds` has a line for each build.
#[cfg(target_os = "linux")]
fn waiting_build(place: &Place) -> String {
    let [builds, wait, process, runner] =
        ["builds", "wait", "process", "runner"].map(|name| place.path(name).display().to_string());
    format!(
        "[ -z \"$GIT_DIR\" ] || exit 1; echo built >>{builds}; echo $PPID >{runner}; if [ -e {wait} ]; then \
         echo half >{{exe}}; sleep 600 & echo $! >{process}; wait; fi; {BUILD}"
    )
}

/// Waits for the process that a waiting build has started.
#[cfg(target_os = "linux")]
fn await_process(place: &Place, name: &str) -> u32 {
    let read = || std::fs::read_to_string(place.path(name)).ok()?.trim().parse().ok();
    wait_until(name, || read().is_some());
    read().unwrap()
}

/// A killed process may wait for its parent, and has no command line then.
#[cfg(target_os = "linux")]
fn await_end(process: u32) {
    let line = || std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    wait_until("the end of the build", || line().is_empty());
}

#[test]
#[cfg(target_os = "linux")]
fn a_build_ends_with_a_killed_run_and_the_next_run_builds_once() {
    let place = Place::new();
    repository(&place);
    let (build, second) = (waiting_build(&place), scripted("second", ""));
    let arguments = played(&[
        "match", "--engine", "git=mine ref=main name=first", "--build", &build, "--engine", &second,
    ]);
    place.write("wait", "");
    // As in a git hook of another repository.
    let mut run = place.command(&arguments).env("GIT_DIR", "elsewhere").spawn().unwrap();
    let process = await_process(&place, "process");
    run.kill().unwrap();
    run.wait().unwrap();
    await_end(process);
    std::fs::remove_file(place.path("wait")).unwrap();
    place.check(&arguments, 0);
    assert_eq!(place.read("builds"), "built\nbuilt\n");
    assert_eq!(place.results("run.db")["games_finished"], 4);
}

#[test]
#[cfg(target_os = "linux")]
fn a_build_ends_with_the_killed_daemon_or_runner_of_a_queue() {
    for victim in ["daemon", "runner"] {
        let place = Place::new();
        repository(&place);
        let (build, second) = (waiting_build(&place), scripted("second", ""));
        let limits = ["--games", "4", "--depth", "1", "--maxmoves", "20"];
        let engines = ["match", "--engine", "git=mine ref=main", "--build", &build, "--engine", &second];
        let queue = ["queue", "--queue", "queue.db"];
        place.check(&[&queue[..], &["add", "--"], &engines, &limits].concat(), 0);
        place.write("wait", "");
        let daemon = || place.start(&[&queue[..], &["run", "--slots", "1", "--no-page"]].concat());
        let mut running = daemon();
        let process = await_process(&place, "process");
        if victim == "daemon" {
            running.kill().unwrap();
            running.wait().unwrap();
            await_end(process);
            std::fs::remove_file(place.path("wait")).unwrap();
            running = daemon();
        } else {
            signal(await_process(&place, "runner"), "-KILL");
            await_state(&place, 1, "failed");
            await_end(process);
            std::fs::remove_file(place.path("wait")).unwrap();
            place.check(&[&queue[..], &["resume", "1"]].concat(), 0);
        }
        await_state(&place, 1, "done");
        stop(running);
        assert_eq!(place.read("builds"), "built\nbuilt\n", "{victim}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn an_interrupted_bisection_ends_its_build() {
    let place = Place::new();
    repository(&place);
    let process = place.path("process").display().to_string();
    let build =
        format!("if grep -q second engine.sh; then sleep 600 & echo $! >{process}; wait; fi; {BUILD}");
    let range = ["bisect", "--git", "HEAD~1..main", "--build", &build, "--elo", "200", "--depth", "1"];
    let arguments = [&range[..], &["--round-pairs", "2", "--store", "run.db"]].concat();
    let run = place.command(&arguments).current_dir(place.path("mine")).spawn().unwrap();
    let process = await_process(&place, "process");
    signal(run.id(), "-INT");
    let (_, err) = texts(&process::finish(run, 130));
    await_end(process);
    assert!(err.contains("Second version was interrupted") && !err.contains("Skipped"), "{err}");
}

#[test]
#[cfg(target_os = "linux")]
fn interrupted_runs_end_the_bench_of_a_build_and_the_wait_for_it() {
    let place = Place::new();
    repository(&place);
    let process = place.path("process").display().to_string();
    let bench = format!("if [ \"$1\" = bench ]; then sleep 600 & echo $! >{process}; wait; fi");
    let script = format!("{bench}\nexec '{}' --name third", scripted_program());
    commit_script(&place, &script, "Third version\n\nBench: 12");
    let run =
        ["bisect", "--git", "HEAD~1..main", "--build", BUILD, "--elo", "200", "--depth", "1", "--store"];
    let start = |store| {
        let mut command = place.command(&[&run[..], &[store]].concat());
        command.current_dir(place.path("mine")).spawn().unwrap()
    };
    let building = start("building.db");
    let process = await_process(&place, "process");
    let mut waiting = process::WatchedProgram::new(start("waiting.db"));
    waiting.wait_for("Waiting for another run that builds");
    signal(waiting.id(), "-INT");
    waiting.finish(130);
    signal(building.id(), "-INT");
    let (_, err) = texts(&process::finish(building, 130));
    await_end(process);
    assert!(err.contains("Third version was interrupted"), "{err}");
}

/// Adds a commit that leaves the program as it is, and one that does not build; the next one builds again.
fn break_build(place: &Place) {
    place.write("mine/README", "An engine.");
    git(place, &["add", "README"]);
    git(place, &["commit", "--quiet", "-m", "Say what it is"]);
    git(place, &["mv", "engine.sh", "other.sh"]);
    git(place, &["commit", "--quiet", "-m", "Break the build"]);
    git(place, &["mv", "other.sh", "engine.sh"]);
}

/// A range of commits: one does not build, one does not start, and from the next on all games are lost.
fn history(place: &Place) {
    repository(place);
    commit(place, "third", "Third version");
    break_build(place);
    commit(place, "fourth", "Fourth version");
    commit(place, "silent --no-such-flag", "Do not start");
    commit(place, "fifth --fault illegal-move@3", "Prune more");
    commit(place, "sixth --fault illegal-move@3", "Sixth version");
}

fn bisection<'a>(rest: &[&'a str]) -> Vec<&'a str> {
    let common = ["bisect", "--git", "HEAD~8..main", "--build", BUILD, "--elo", "200", "--round-pairs", "2"];
    let played = ["--each", "restart=on", "--depth", "1", "--maxmoves", "12", "--store", "run.db"];
    common.into_iter().chain(played).chain(rest.iter().copied()).collect()
}

#[test]
fn a_bisection_finds_the_commit_that_lost_and_survives_a_kill() {
    let place = Place::new();
    history(&place);
    let start =
        |rest: &[&str]| place.command(&bisection(rest)).current_dir(place.path("mine")).spawn().unwrap();
    let (out, err) = texts(&process::wait_for_output(start(&["--exit-on-verdict"])));
    let before = err.split("Finished game 1").next().unwrap();
    assert_eq!(before.matches("Building ").count(), 2, "the good commit and the first that plays: {err}");
    assert!(err.contains("Skipped: ") && err.contains("Do not start: "), "{err}");
    assert!(err.matches("Building ").count() < 9, "not all commits are built: {err}");
    // The loss may come from the commit that does not start.
    let short = |revision: &str| git(&place, &["rev-parse", revision])[..8].to_owned();
    let found = format!("one of {}^..{} Prune more", short("HEAD~2"), short("HEAD~1"));
    assert!(out.contains(&format!("{found} lost 200 Elo (probability ")), "{out}{err}");
    let course = place.results("mine/run.db")["course"].clone();
    assert_eq!((&course["kind"], &course["verdict"]), (&"bisect".into(), &"found".into()));
    assert!(course["commit"].as_str().unwrap().ends_with("Prune more"), "{course}");
    let commits = course["commits"].as_array().unwrap();
    assert_eq!(commits.len(), 8);
    let played: u64 = commits.iter().map(|commit| commit["games"].as_u64().unwrap()).sum();
    assert!(played > 0 && course["games"] == played, "{course}");

    for name in ["run.db", "run.pgn"] {
        std::fs::remove_file(place.path("mine").join(name)).unwrap();
    }
    let mut child = start(&["--concurrency", "1"]);
    place.await_games("mine/run.db", 3);
    child.kill().unwrap();
    child.wait().unwrap();
    // Programs that the cache has lost are built again.
    std::fs::remove_dir_all(place.path("cache")).unwrap();
    place.check(&["resume", "mine/run.db"], 0);
    assert_eq!(place.results("mine/run.db")["course"], course);
}

/// A range of three commits, one with the program of the good one, one that does not build, and one that loses all games; returns
/// the name of the last two.
fn short_history(place: &Place) -> String {
    repository(place);
    break_build(place);
    commit(place, "third --fault illegal-move@3", "Prune more");
    let short = |revision: &str| git(place, &["rev-parse", revision])[..8].to_owned();
    format!("one of {}^..{} Prune more", short("HEAD~1"), short("main"))
}

/// Finds the commit that lost in a short history.
fn short_bisection(place: &Place, found: &str, more: &[&str]) -> String {
    let range = ["bisect", "--git", "HEAD~3..main", "--build", BUILD, "--elo", "200", "--round-pairs", "2"];
    let played = ["--each", "restart=on", "--depth", "1", "--maxmoves", "12", "--store", "run.db"];
    let arguments = [&range[..], &played, &["--exit-on-verdict"], more].concat();
    let child = place.command(&arguments).current_dir(place.path("mine")).spawn().unwrap();
    let (out, err) = texts(&process::finish(child, 0));
    assert!(out.contains(&format!("{found} lost 200 Elo (probability ")), "{out}");
    assert!(err.contains("Skipped: building ") && err.contains("Break the build failed"), "{err}");
    assert!(
        err.contains("Skipped: 1 commit: ") && err.contains("Say what it is has the program of "),
        "{err}"
    );
    err
}

#[test]
fn a_bisection_skips_what_does_not_build_and_what_has_the_same_program() {
    let place = Place::new();
    let found = short_history(&place);
    short_bisection(&place, &found, &[]);
    // Only the commit that lost has played.
    let course = place.results("mine/run.db")["course"].clone();
    assert_eq!(course["commits"].as_array().unwrap().len(), 3);
    assert_eq!(course["commits"][2]["games"], course["games"], "{course}");
}

#[test]
fn a_bisection_says_what_it_lacks() {
    let place = Place::new();
    repository(&place);
    let refused = |arguments: &[&str]| {
        let command = place.command(arguments).current_dir(place.path("mine")).output().unwrap();
        assert_eq!(command.status.code(), Some(2));
        texts(&command).1
    };
    assert!(refused(&["bisect", "--elo", "5"]).contains("--git GOOD..BAD --build COMMAND"));
    let range = ["bisect", "--git", "main..HEAD~1", "--build", BUILD];
    assert!(refused(&range).contains("is not an ancestor of"));
    let wrong = ["bisect", "--git", "HEAD~1..main", "--build", BUILD, "--elo0", "5"];
    assert!(refused(&wrong).contains("a bisection has --elo and --confidence instead"));
    let unsure = ["bisect", "--git", "HEAD~1..main", "--build", BUILD, "--confidence", "0.4"];
    assert!(refused(&unsure).contains("--confidence 0.4: expected a probability above 0.5 and below 1"));
    let nothing = ["bisect", "--git", "HEAD~1..main", "--build", BUILD, "--path", "README"];
    assert!(refused(&nothing).contains("no commit after HEAD~1 that changes files of --path"));
}

/// A worker on another machine, with another cache, and a recipe for the repository.
#[cfg(feature = "nats")]
fn builder(place: &Place, url: &str, build: &str) -> std::process::Child {
    let repo = place.path("mine").display().to_string();
    let recipe = format!("[[engine]]\nname = \"mine\"\nrepo = '{repo}'\nbuild = '{build}'\n");
    place.write("engines.toml", &recipe);
    let worker = ["worker", "--nats", url, "--engines", "engines.toml", "--name", "builder"];
    let mut worker = place.command(&[&worker[..], &["--concurrency", "1", "--speed", "1000000"]].concat());
    worker.env("XDG_CACHE_HOME", place.path("elsewhere")).spawn().unwrap()
}

#[cfg(feature = "nats")]
#[test]
#[ignore = "needs nats-server"]
fn a_bisection_of_a_fleet_has_only_commits_that_play() {
    use crate::support::fleet::{Server, dismiss};
    let place = Place::new();
    let found = short_history(&place);
    let server = Server::start(&place, &[]);
    let url = server.url();
    let worker = builder(&place, &url, BUILD);
    let err = short_bisection(&place, &found, &["--nats", &url]);
    assert!(err.contains("builder joins"), "{err}");
    assert_eq!(place.results("mine/run.db")["course"]["commits"].as_array().unwrap().len(), 1);
    dismiss([worker]);
}

#[cfg(feature = "nats")]
#[test]
#[ignore = "needs nats-server"]
fn a_worker_of_a_fleet_builds_commits_by_its_own_recipe() {
    use crate::support::fleet::Server;
    let place = Place::new();
    repository(&place);
    let server = Server::start(&place, &[]);
    let url = server.url();
    place.write("wait", "");
    let wait = place.path("wait").display().to_string();
    // The run builds the engines, too, in another cache.
    let build =
        format!("while [ -e {wait} ] && [ -z ${{XDG_CACHE_HOME%%*elsewhere}} ]; do sleep 0.1; done; {BUILD}");
    let mut worker = process::WatchedProgram::new(builder(&place, &url, &build));
    worker.wait_for("Waiting for a run");
    let run = ["sprt", "--git", "HEAD~1..main", "--build", &build, "--nats", &url];
    let run = place.command(&played(&run)).current_dir(place.path("mine")).spawn().unwrap();
    let mut run = process::WatchedProgram::new(run);
    run.wait_for("A worker prepares the engines of the run");
    std::fs::remove_file(place.path("wait")).unwrap();
    run.wait_for("builder joins");
    let err = run.finish(0);
    assert!(!err.contains("Waiting for workers"), "{err}");
    assert_eq!(place.results("mine/run.db")["games_finished"], 4);
    let built = std::fs::read_dir(place.path("elsewhere/smalt/builds")).unwrap();
    assert_eq!(built.filter(|entry| entry.as_ref().unwrap().path().join("engine").exists()).count(), 2);
    process::signal(worker.id(), "-INT");
    let messages = worker.finish(130);
    assert_eq!(messages.matches("Building ").count(), 2, "{messages}");
}
