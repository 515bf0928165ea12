//! The queue, end to end: jobs with scripted engines, run by a daemon that is killed at times.

use std::process::Child;

use serde_json::Value;
use smalt_testing::process;

#[cfg(all(feature = "nats", unix))]
use crate::support::fleet::{Server, dismiss, worker, write_engines};
use crate::support::served::{HttpResponse, request, request_with_body};
use crate::support::{Place, scripted, timeless, wait_until};

/// A match with this number of games.
fn job(games: &str) -> Vec<String> {
    let (first, second) = (scripted("first", "--seed 1"), scripted("second", "--seed 2"));
    let words = ["match", "--engine", &first, "--engine", &second, "--games", games];
    let words = words.into_iter().chain("--depth 1 --maxmoves 20 --seed 3".split(' '));
    words.map(str::to_owned).collect()
}

fn queue(place: &Place, words: &[&str]) -> String {
    place.check(&[&["queue", "--queue", "queue.db"], words].concat(), 0).0
}

fn add(place: &Place, flags: &[&str], job: &[String]) {
    let job: Vec<&str> = job.iter().map(String::as_str).collect();
    queue(place, &[&["add"], flags, &["--"], &job[..]].concat());
}

fn start(place: &Place, flags: &[&str]) -> Child {
    place.start(&[&["queue", "--queue", "queue.db", "run", "--slots", "2"], flags].concat())
}

fn jobs(place: &Place) -> Vec<Value> {
    let jobs: Value = serde_json::from_str(&queue(place, &["list", "--json", "-"])).unwrap();
    jobs["jobs"].as_array().unwrap().clone()
}

fn job_of(place: &Place, id: i64) -> Value {
    jobs(place).into_iter().find(|job| job["id"] == id).unwrap()
}

pub(crate) fn await_state(place: &Place, id: i64, state: &str) {
    wait_until(&format!("job {id} {state}"), || job_of(place, id)["state"] == state);
}

fn await_slots(place: &Place, id: i64, slots: u64) {
    wait_until(&format!("job {id} on {slots} slots"), || job_of(place, id)["running"] == slots);
}

/// Stops the daemon like Ctrl-C.
pub(crate) fn stop(daemon: Child) {
    process::signal(daemon.id(), "-TERM");
    assert_eq!(process::wait_for_output(daemon).status.code(), Some(0));
}

#[test]
fn jobs_share_the_slots_and_survive_kills_of_the_daemon() {
    let place = Place::new();
    let games = "400";
    add(&place, &["--name", "one"], &job(games));
    add(&place, &["--name", "two"], &job(games));
    let mut daemon = start(&place, &["--no-page"]);
    await_slots(&place, 1, 1);
    await_slots(&place, 2, 1);
    for games in [20, 60, 100] {
        place.await_games("queue-jobs/job-1.db", games);
        daemon.kill().unwrap();
        daemon.wait().unwrap();
        daemon = start(&place, &["--no-page"]);
    }
    await_state(&place, 1, "done");
    await_state(&place, 2, "done");
    stop(daemon);
    place.await_nobody();
    let words: Vec<String> = job(games);
    let words: Vec<&str> = words.iter().map(String::as_str).chain(["--store", "whole.db"]).collect();
    place.check(&words, 0);
    let whole = timeless(&place.read("whole.pgn"));
    for id in [1, 2] {
        assert_eq!(timeless(&place.read(&format!("queue-jobs/job-{id}.pgn"))), whole);
        let job = job_of(&place, id);
        assert_eq!((&job["progress"], &job["flag"]), (&"400 of 400 games".into(), &"".into()));
    }
    let shown = queue(&place, &["show", "1"]);
    assert!(!shown.contains("Played: 0"), "{shown}");
    assert!(shown.contains(" +0000 added\n") && shown.contains("started with concurrency 1"), "{shown}");
}

/// Ends all processes of the folder at once, as a restart of the machine does.
#[cfg(target_os = "linux")]
fn kill_everything(place: &Place) {
    let folder = place.path("").canonicalize().unwrap();
    for process in std::fs::read_dir("/proc").unwrap().flatten() {
        if std::fs::read_link(process.path().join("cwd")).is_ok_and(|its| its.starts_with(&folder)) {
            let pid: u32 = process.file_name().to_str().unwrap().parse().unwrap();
            process::signal(pid, "-KILL");
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_restart_of_the_machine_loses_no_job_and_no_game() {
    let place = Place::new();
    add(&place, &["--name", "playing"], &job("200"));
    add(&place, &["--name", "paused", "--hours", "3"], &job("4"));
    queue(&place, &["pause", "2"]);
    let mut daemon = start(&place, &["--no-page"]);
    place.await_games("queue-jobs/job-1.db", 20);
    kill_everything(&place);
    daemon.wait().unwrap();
    place.await_nobody();
    assert_eq!(job_of(&place, 1)["running"], 0, "nobody plays it any more");
    assert!(queue(&place, &["show", "1"]).starts_with("Job 1, playing: waiting\n"));
    let paused = job_of(&place, 2);
    let daemon = start(&place, &["--no-page"]);
    await_state(&place, 1, "done");
    assert_eq!(job_of(&place, 2), paused);
    assert_eq!(paused["state"], "paused");
    stop(daemon);
    let words = job("200");
    let words: Vec<&str> = words.iter().map(String::as_str).chain(["--store", "whole.db"]).collect();
    place.check(&words, 0);
    let whole = timeless(&place.read("whole.pgn"));
    assert_eq!(timeless(&place.read("queue-jobs/job-1.pgn")), whole);
}

#[test]
fn a_job_of_a_higher_priority_takes_the_slots_and_gives_them_back() {
    let place = Place::new();
    add(&place, &["--name", "long"], &job("100000"));
    let daemon = start(&place, &["--no-page"]);
    await_slots(&place, 1, 2);
    add(&place, &["--priority", "1"], &job("20"));
    await_state(&place, 2, "done");
    await_slots(&place, 1, 2);
    queue(&place, &["pause", "1"]);
    await_slots(&place, 1, 0);
    assert_eq!(job_of(&place, 1)["state"], "paused");
    queue(&place, &["resume", "1"]);
    await_slots(&place, 1, 2);
    queue(&place, &["budget", "1", "0.0001"]);
    await_state(&place, 1, "out-of-time");
    await_slots(&place, 1, 0);
    queue(&place, &["remove", "1"]);
    assert_eq!(jobs(&place).len(), 1);
    stop(daemon);
}

#[test]
#[cfg(all(feature = "nats", unix))]
#[ignore = "needs nats-server"]
fn fleet_jobs_of_one_server_play_by_priority() {
    let place = Place::new();
    write_engines(&place, "0");
    let server = Server::start(&place, &[]);
    let url = server.url();
    let remote = |games: &str| {
        let words = ["match", "--engine", "first", "--engine", "second", "--engines", "engines.toml"];
        let server = ["--nats", &url, "--lease", "1", "--games", games];
        let words = words.into_iter().chain(server).chain("--depth 1 --maxmoves 20".split(' '));
        words.map(str::to_owned).collect::<Vec<_>>()
    };
    add(&place, &[], &remote("100000"));
    add(&place, &["--priority", "-1"], &remote("4"));
    // There are slots for two jobs.
    let daemon = start(&place, &["--no-page"]);
    let playing = worker(&place, &url, "one");
    place.await_games("queue-jobs/job-1.db", 4);
    add(&place, &["--priority", "1"], &remote("20"));
    await_state(&place, 3, "done");
    let shown = queue(&place, &["show", "1"]);
    assert!(shown.contains(" +0000 stopped\n"), "{shown}");
    let games = place.results("queue-jobs/job-1.db")["games_finished"].as_u64().unwrap();
    place.await_games("queue-jobs/job-1.db", games + 4);
    let waiting = queue(&place, &["show", "2"]);
    assert!(waiting.contains("waiting") && !waiting.contains("started"), "{waiting}");
    queue(&place, &["remove", "1"]);
    await_state(&place, 2, "done");
    stop(daemon);
    dismiss([playing]);
}

#[test]
fn jobs_that_fail_or_have_faults_are_flagged() {
    let place = Place::new();
    let failing = ["match", "--engine", "./none", "--engine", "./nobody"].map(str::to_owned);
    add(&place, &[], &failing);
    let mut faulty = job("4");
    faulty[2] = scripted("first", "--seed 1 --fault illegal-move@2");
    add(&place, &[], &faulty);
    let daemon = start(&place, &["--no-page"]);
    await_state(&place, 1, "failed");
    await_state(&place, 2, "done");
    stop(daemon);
    let flag = |id| job_of(&place, id)["flag"].as_str().unwrap().to_owned();
    assert!(
        flag(1).starts_with("exited with code 2: smalt-tournament: ") && flag(1).contains("none"),
        "{}",
        flag(1)
    );
    assert!(flag(2).starts_with("first: illegal moves "), "{}", flag(2));
    let list = queue(&place, &["list"]);
    assert!(list.contains("failed") && list.contains("first: illegal moves"), "{list}");
}

#[test]
fn a_store_belongs_to_one_run_and_is_played_by_one_job_at_a_time() {
    let place = Place::new();
    let mut words = job("4");
    words.extend(["--store", "x.db"].map(str::to_owned));
    let line: Vec<&str> = words.iter().map(String::as_str).collect();
    place.check(&line, 0);
    let refused = place.check(&[&["queue", "--queue", "queue.db", "add", "--"], &line[..]].concat(), 2).1;
    assert!(refused.contains("x.db exists already"), "{refused}");
    // Both would start at once: each gets one of two slots.
    add(&place, &[], &["resume", "--games", "20", "x.db"].map(str::to_owned));
    add(&place, &[], &["resume", "x.db", "--games", "40"].map(str::to_owned));
    // The store of another queue, whose file was deleted.
    std::fs::create_dir_all(place.path("queue-jobs")).unwrap();
    std::fs::copy(place.path("x.db"), place.path("queue-jobs/job-3.db")).unwrap();
    add(&place, &[], &job("4"));
    let daemon = start(&place, &["--no-page"]);
    await_state(&place, 1, "done");
    await_state(&place, 2, "done");
    await_state(&place, 3, "failed");
    stop(daemon);
    let progress = [1, 2].map(|id| job_of(&place, id)["progress"].as_str().unwrap().to_owned());
    assert_eq!(progress, ["20 of 20 games", "40 of 40 games"]);
    let flag = job_of(&place, 3)["flag"].as_str().unwrap().to_owned();
    assert!(flag.contains("exists already"), "{flag}");
}

#[test]
fn wrong_words_of_a_queue_are_refused() {
    let place = Place::new();
    let refused = |words: &[&str]| place.check(&[&["queue", "--queue", "queue.db"], words].concat(), 2).1;
    assert!(refused(&["add", "--", "elo", "--wdl", "1,2,3"]).contains("\"elo\" cannot be queued"));
    let test = ["add", "--", "sprt", "--engine", "a", "--engine", "b"];
    for (words, reason) in [
        (&["--elo5", "0"][..], "unexpected argument '--elo5' found"),
        (&["--tc"], "a value is required for '--tc <TC>'"),
        (&["--elo0", "5", "--elo1", "0"], "elo0"),
    ] {
        let message = refused(&[&test[..], words].concat());
        assert!(message.contains(reason), "{message}");
    }
    assert!(refused(&["add", "--", "run", "none.toml"]).contains("none.toml"));
    assert!(refused(&["pause", "7"]).contains("there is no job 7"));
    assert_eq!(queue(&place, &["list"]), "No jobs\n");
    assert_eq!(place.check(&["queue", "--queue", "none.db", "list"], 0).0, "No jobs\n");
    assert!(!place.path("none.db").exists(), "only a job or a daemon makes a queue");
    let daemon = start(&place, &["--no-page"]);
    wait_until("the lock", || place.path("queue-jobs/lock").exists());
    assert!(refused(&["run", "--no-page"]).contains("another daemon plays this queue"));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(place.path("queue.db"), place.path("link.db")).unwrap();
        let linked = place.check(&["queue", "--queue", "link.db", "run", "--no-page"], 2).1;
        assert!(linked.contains("another daemon plays this queue"), "{linked}");
    }
    stop(daemon);
    place.write("text.db", "no queue at all, and long enough to be read as something");
    assert!(place.check(&["queue", "--queue", "text.db", "list"], 2).1.contains("it is not a queue"));
}

#[test]
fn the_page_shows_jobs_and_adds_and_pauses_them_with_the_token() {
    let place = Place::new();
    place.write("token", "0123456789abcdef");
    // A port that was just free.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let daemon = start(&place, &["--listen", &port.to_string(), "--token-file", "token"]);
    wait_until("the page", || std::net::TcpStream::connect(port).is_ok());
    let send = |line: &str, token: &str, body: &str| -> HttpResponse {
        let length = body.len();
        let head = format!(
            "{line} HTTP/1.1\nHost: {port}\nContent-Type: application/json\nContent-Length: {length}{token}"
        );
        request_with_body(port, &head, body)
    };
    let token = "\nAuthorization: Bearer 0123456789abcdef";
    let words = job("100000").iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
    let form = serde_json::json!({ "command": words, "name": "of the page", "priority": 2 }).to_string();
    assert_eq!(send("POST /api/queue", "", &form).status, 401);
    assert_eq!(jobs(&place).len(), 0);
    let wrong = send("POST /api/queue", token, "{\"command\": \"rm -rf .\"}");
    assert!(wrong.status == 400 && wrong.body.contains("cannot be queued"), "{}", wrong.body);
    assert_eq!(send("POST /api/queue", token, &form).status, 204);
    await_slots(&place, 1, 2);
    let get = |path: &str| request(port, &format!("GET {path} HTTP/1.1\nHost: {port}{token}")).json();
    wait_until("the run on the page", || get("/api/queue")["jobs"][0]["run"] == 0);
    wait_until("games on the page", || get("/api/runs")[0]["results"]["games_finished"].as_u64() > Some(0));
    assert_eq!(send("POST /api/queue/1/pause", token, "{}").status, 204);
    await_slots(&place, 1, 0);
    let listed = get("/api/queue");
    assert_eq!((&listed["jobs"][0]["state"], &listed["schema"]), (&"paused".into(), &1.into()));
    assert_eq!(send("POST /api/queue/9/pause", token, "{}").status, 400);
    stop(daemon);
}
