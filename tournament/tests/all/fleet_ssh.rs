//! Runs on ssh hosts: a real sshd on loopback, and real workers that a run starts there.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

use smalt_testing::process::{WatchedProgram, command, finish, signal, wait_until};

use crate::git_engines::{BUILD, OTHER_BENCH, commit, commit_with_bench, repository};
use crate::queue::{await_state, stop};
use crate::support::fleet::{Network, Proxy, matched, write_engines};
use crate::support::{Place, scripted, timeless};

/// A separate sshd that accepts the test's user; killed on drop. Its sessions run in the test's folder.
struct Sshd {
    port: u16,
    child: Child,
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

impl Sshd {
    fn start(place: &Place) -> Sshd {
        for key in ["host_key", "user_key"] {
            let mut keygen = command("ssh-keygen");
            keygen.args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(place.path(key));
            assert!(keygen.status().unwrap().success());
        }
        let port = free_port();
        std::fs::create_dir_all(place.path("host/smalt")).unwrap();
        let folder = place.path("").display().to_string();
        place.write(
            "sshd_config",
            &format!(
                "Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}host_key\nPidFile none\nUsePAM no\n\
                 AuthorizedKeysFile {folder}user_key.pub\nStrictModes no\nPermitRootLogin yes\n\
                 SetEnv XDG_CONFIG_HOME={folder}host XDG_CACHE_HOME={folder}host/cache\n\
                 ForceCommand echo Welcome; cd {folder}host && eval \"$SSH_ORIGINAL_COMMAND\"\n"
            ),
        );
        // Debian's service creates it; only root needs it.
        let _ = std::fs::create_dir_all("/run/sshd");
        let mut sshd = command("/usr/sbin/sshd");
        sshd.args(["-D", "-e", "-f"]).arg(place.path("sshd_config")).current_dir("/");
        sshd.stdin(Stdio::null()).stdout(Stdio::null());
        sshd.stderr(std::fs::File::create(place.path("sshd.log")).unwrap());
        let child = sshd.spawn().expect("openssh-server should be installed");
        wait_until("sshd", || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok());
        Sshd { port, child }
    }
}

impl Drop for Sshd {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Configures the hosts `near` and `far`, both this machine, at these ports. The ssh of a run in this folder reads
/// this file; otherwise ssh reads the user's.
fn write_hosts(place: &Place, near: u16, far: u16) {
    let folder = place.path("").display().to_string();
    let host = |name: &str, port: u16| format!("Host {name}\n  Port {port}\n");
    place.write(
        "ssh_config",
        &format!(
            "{}{}Host *\n  HostName 127.0.0.1\n  IdentityFile {folder}user_key\n  IdentitiesOnly yes\n  \
             UserKnownHostsFile {folder}known_hosts\n  StrictHostKeyChecking no\n",
            host("near", near),
            host("far", far)
        ),
    );
    std::fs::create_dir_all(place.path("bin")).unwrap();
    place.script("bin/ssh", &format!("#!/bin/sh\nexec /usr/bin/ssh -F {folder}ssh_config \"$@\"\n"));
}

/// The program with this folder's ssh.
fn with_ssh(place: &Place, arguments: &[&str]) -> Command {
    let mut command = place.command(arguments);
    let path = format!("{}:{}", place.path("bin").display(), std::env::var("PATH").unwrap());
    command.env("PATH", path);
    command
}

/// A match of this number of games on both hosts.
fn on_hosts(games: &str) -> Vec<&str> {
    matched(games, &["--ssh", "near/1,far/1", "--lease", "1"])
}

/// Checks that the games are those of a local run, each once, and no process is left on any host.
fn check_end(place: &Place, think: &str, games: &str) {
    let local = Place::new();
    write_engines(&local, think);
    local.check(&matched(games, &["--concurrency", "1"]), 0);
    assert_eq!(timeless(&place.read("run.pgn")), timeless(&local.read("run.pgn")));
    assert_eq!(place.results("run.db")["games_finished"], games.parse::<u64>().unwrap());
    place.await_nobody();
}

#[test]
#[ignore = "needs nats-server and sshd"]
fn ssh_hosts_need_nothing_but_the_copies_that_a_run_makes_once() {
    let place = Place::new();
    let sshd = Sshd::start(&place);
    write_hosts(&place, sshd.port, sshd.port);
    // Long enough for both to join.
    write_engines(&place, "5");
    let err = WatchedProgram::new(with_ssh(&place, &on_hosts("20")).spawn().unwrap()).finish(0);
    assert!(err.contains("/smalt-tournament (") && err.contains("/scripted_engine ("), "{err}");
    assert!(err.contains("near joins: concurrency 1") && err.contains("far joins: concurrency 1"), "{err}");
    check_end(&place, "5", "20");
    std::fs::remove_file(place.path("run.db")).unwrap();
    std::fs::remove_file(place.path("run.pgn")).unwrap();
    let err = WatchedProgram::new(with_ssh(&place, &on_hosts("4")).spawn().unwrap()).finish(0);
    assert!(!err.contains("copying") && err.contains("near: connected"), "{err}");
}

#[test]
#[ignore = "needs nats-server and sshd"]
fn an_engine_of_the_hosts_own_registry_is_used_instead_of_a_copy() {
    let place = Place::new();
    let sshd = Sshd::start(&place);
    write_hosts(&place, sshd.port, sshd.port);
    write_engines(&place, "0");
    let engines = place.read("engines.toml");
    place.write("host/smalt/engines.toml", &engines.replace("\"--seed\", \"2\"", "\"--seed\", \"9\""));
    finish(with_ssh(&place, &on_hosts("6")).spawn().unwrap(), 0);
    let local = Place::new();
    local.write("engines.toml", &place.read("host/smalt/engines.toml"));
    local.check(&matched("6", &["--concurrency", "1"]), 0);
    assert_eq!(timeless(&place.read("run.pgn")), timeless(&local.read("run.pgn")));
    place.await_nobody();
}

#[test]
#[ignore = "needs nats-server and sshd"]
fn a_copied_engine_plays_only_where_it_counts_the_nodes_of_its_commit() {
    let place = Place::new();
    let sshd = Sshd::start(&place);
    write_hosts(&place, sshd.port, sshd.port);
    repository(&place);
    commit_with_bench(&place);
    let second = scripted("second", "");
    let engines = ["match", "--engine", "git=mine ref=main", "--build", BUILD, "--engine", &second];
    let limits = ["--games", "4", "--depth", "1", "--maxmoves", "20", "--store", "run.db"];
    let arguments = [&engines[..], &limits, &["--ssh", "near/1", "--lease", "1"]].concat();
    let mut run = WatchedProgram::new(with_ssh(&place, &arguments).spawn().unwrap());
    run.wait_for("near: copying ");
    place.write("wrong", "");
    run.wait_for(OTHER_BENCH);
    std::fs::remove_file(place.path("wrong")).unwrap();
    let err = run.finish(0);
    assert!(err.find("connecting again") < err.find("near joins"), "{err}");
    place.await_nobody();
}

#[test]
#[ignore = "needs nats-server and sshd"]
fn a_lost_ssh_connection_is_made_again_and_loses_no_game() {
    let place = Place::new();
    let sshd = Sshd::start(&place);
    let proxy = Proxy::start(sshd.port);
    write_hosts(&place, sshd.port, proxy.port());
    write_engines(&place, "3");
    // No other host can finish the run before this one joins again.
    let arguments = matched("20", &["--ssh", "far/1", "--lease", "1"]);
    let mut run = WatchedProgram::new(with_ssh(&place, &arguments).spawn().unwrap());
    run.wait_for("far joins");
    place.await_games("run.db", 3);
    proxy.turn(Network::Cut);
    run.wait_for("connecting again");
    proxy.turn(Network::Up);
    run.wait_for("far: connected");
    // The lease of its lost worker may continue: then the new one has another name.
    let messages = run.finish(0);
    let joined = messages.lines().filter(|line| line.starts_with("far") && line.contains(" joins: "));
    assert_eq!(joined.count(), 2, "{messages}");
    check_end(&place, "3", "20");
}

#[test]
#[ignore = "needs nats-server and sshd"]
fn a_killed_run_leaves_no_worker_on_its_ssh_hosts_and_is_resumed_there() {
    let place = Place::new();
    let sshd = Sshd::start(&place);
    write_hosts(&place, sshd.port, sshd.port);
    write_engines(&place, "1");
    let mut run = with_ssh(&place, &on_hosts("12")).spawn().unwrap();
    place.await_games("run.db", 3);
    run.kill().unwrap();
    run.wait().unwrap();
    place.await_nobody();
    finish(with_ssh(&place, &["resume", "run.db"]).spawn().unwrap(), 0);
    check_end(&place, "1", "12");
}

#[test]
#[ignore = "needs nats-server and sshd"]
fn a_run_none_of_whose_ssh_hosts_answers_is_not_begun() {
    let place = Place::new();
    let _sshd = Sshd::start(&place);
    write_hosts(&place, free_port(), free_port());
    write_engines(&place, "0");
    let err = WatchedProgram::new(with_ssh(&place, &on_hosts("4")).spawn().unwrap()).finish(1);
    assert!(
        err.contains("failed to start a worker over ssh: ") && err.contains("Connection refused"),
        "{err}"
    );
    assert!(!place.path("run.db").exists());
    place.await_nobody();
}

/// Process id of the worker on a host.
fn worker_on(place: &Place, host: &str) -> u32 {
    let pattern = format!("{}/.*worker --attached .*--name={host}", place.path("host/cache").display());
    let mut worker = None;
    wait_until(&format!("a worker on {host}"), || {
        let found = command("pgrep").args(["-n", "-f", &pattern]).output().unwrap();
        worker = String::from_utf8_lossy(&found.stdout).trim().parse().ok();
        worker.is_some()
    });
    worker.unwrap()
}

/// A queue tests two commits on two hosts. Both workers and the daemon are killed or disconnected.
#[test]
#[ignore = "needs nats-server and sshd"]
fn a_disturbed_evening_of_the_queue_ends_like_a_quiet_one() {
    let place = Place::new();
    let sshd = Sshd::start(&place);
    write_hosts(&place, sshd.port, sshd.port);
    repository(&place);
    commit(&place, "base --seed 1 --think 1", "Base");
    commit(&place, "new --seed 2 --think 1", "Change");
    let test = ["sprt", "--git", "main~1..main", "--build", BUILD, "--depth", "1", "--maxmoves", "60"];
    let test = [&test[..], &["--elo0", "0", "--elo1", "40", "--model", "logistic", "--seed", "5"]].concat();
    let queue = place.path("queue.db").display().to_string();
    let hosts = ["--ssh", "near/1,far/1", "--lease", "1"];
    let added = [&["queue", "--queue", &queue, "add", "--"], &test[..], &hosts[..]].concat();
    assert!(place.command(&added).current_dir(place.path("mine")).status().unwrap().success());
    let start = || with_ssh(&place, &["queue", "--queue", &queue, "run", "--no-page"]).spawn().unwrap();
    let mut daemon = start();
    place.await_games("queue-jobs/job-1.db", 6);
    let frozen = worker_on(&place, "far");
    signal(frozen, "-STOP");
    for games in [12, 18, 24, 30, 36] {
        place.await_games("queue-jobs/job-1.db", games);
        daemon.kill().unwrap();
        daemon.wait().unwrap();
        daemon = start();
    }
    place.await_games("queue-jobs/job-1.db", 42);
    signal(worker_on(&place, "near"), "-KILL");
    signal(frozen, "-CONT");
    await_state(&place, 1, "done");
    stop(daemon);
    place.await_nobody();
    let quiet = [&test[..], &["--concurrency", "1", "--store", "../quiet.db"]].concat();
    finish(place.command(&quiet).current_dir(place.path("mine")).spawn().unwrap(), 0);
    let [disturbed, quiet] = ["queue-jobs/job-1.db", "quiet.db"].map(|store| place.results(store));
    assert_eq!((&quiet["sprt"]["verdict"], &quiet["games_finished"]), (&"H0".into(), &80.into()));
    assert_eq!(disturbed["sprt"], quiet["sprt"]);
    // Games of later pairs may end before the deciding one.
    let [disturbed, quiet] = ["queue-jobs/job-1.pgn", "quiet.pgn"].map(|games| timeless(&place.read(games)));
    assert!(disturbed.starts_with(&quiet), "{disturbed}\n{quiet}");
}
