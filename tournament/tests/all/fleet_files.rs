//! Files that travel to workers: engines, the files of their options, and tablebases.

use std::process::Child;

use async_nats::jetstream::{self, object_store::ObjectStore};
use futures_util::StreamExt;
use smalt_testing::process::WatchedProgram;

use crate::fastchess::BOOK_OF_ONE_MOVE;
use crate::git_engines::{BUILD, OTHER_BENCH, commit_with_bench, repository};
use crate::support::fleet::{Network, Proxy, Server, dismiss, matched};
use crate::support::{LONG, Place, finish, scripted_program, signal, texts, timeless, wait_until};

/// The documented permissions of coordinators, and of workers that accept files.
const USERS: &str = r#"
authorization {
  users = [
    { user: coordinator, password: "open sesame", permissions: {
      publish: ["smalt.runs", "smalt.run.*.halt", "smalt.run.*.work.*", "$JS.API.>", "_INBOX.>", "$O.>"],
      subscribe: ["smalt.runs", "smalt.run.*.ask.>", "_INBOX.coordinator.>"] } }
    { user: worker, password: "sesame too", permissions: {
      publish: ["smalt.run.*.ask.worker.*", "$JS.API.CONSUMER.INFO.>", "$JS.API.CONSUMER.MSG.NEXT.>", "$JS.ACK.>",
        "$JS.API.STREAM.INFO.*", "$JS.API.DIRECT.GET.*", "$JS.API.DIRECT.GET.*.$O.>"],
      subscribe: ["smalt.runs", "smalt.run.*.halt", "_INBOX.worker.>"] } }
  ]
}
"#;

/// Two engines without arguments, one with a file option, and a registry in which the run has them alone.
fn write_engines(place: &Place) {
    for (name, seed) in [("first", 1), ("second", 2)] {
        let program = place.path(name);
        let script = format!(
            "#!/bin/sh\nexec {} --name {name} --seed {seed} --option 'EvalFile type string default <empty>'\n",
            scripted_program()
        );
        smalt_testing::process::write_script(&program, &script);
    }
    place.write("net.bin", "weights\n");
    let [first, second, net] =
        ["first", "second", "net.bin"].map(|name| place.path(name).display().to_string());
    let engine = format!("[[engine]]\nname = \"first\"\ncmd = \"{first}\"\noptions.EvalFile = \"{net}\"\n");
    place.write("engines.toml", &format!("{engine}[[engine]]\nname = \"second\"\ncmd = \"{second}\"\n"));
    place.write("none.toml", "");
}

/// A worker on another machine: with other folders, and no engine in its registry.
fn worker(place: &Place, url: &str, more: &[&str]) -> Child {
    let arguments =
        ["worker", "--nats", url, "--engines", "none.toml", "--name", "bare", "--concurrency", "1"];
    let mut command = place.command(&[&arguments[..], &["--speed", "1000000"], more].concat());
    command.env("XDG_CACHE_HOME", place.path("elsewhere")).env("SMALT_NATS_PASSWORD", "sesame too");
    command.stderr(std::process::Stdio::piped()).spawn().unwrap()
}

#[test]
#[ignore = "needs nats-server"]
fn fleet_workers_play_with_the_files_of_a_run() {
    let place = Place::new();
    write_engines(&place);
    // As many bytes as a table has beyond a multiple of 64, behind the magic number: no game has three pieces.
    std::fs::create_dir(place.path("tables")).unwrap();
    let table = [&[0x71, 0xe8, 0x23, 0x5d][..], &[0; 76]].concat();
    std::fs::write(place.path("tables/KQvK.rtbw"), &table).unwrap();
    place.write("nats.conf", USERS);
    place.write("password", "open sesame\n");
    let server = Server::start(&place, &["-c", place.path("nats.conf").to_str().unwrap()]);
    let url = server.url();
    let login = ["--nats-user", "coordinator", "--nats-password-file", "password"];
    let run = ["--nats", &url, "--lease", "1", "--tb", "tables", "--send-files"];
    let accepting = worker(&place, &url, &["--nats-user", "worker", "--accept-files"]);
    let (_, err) = place.check(&matched("4", &[&run[..], &login].concat()), 0);
    assert!(err.contains("bare joins"), "{err}");
    dismiss([accepting]);
    let received = place.path("elsewhere/smalt/files");
    let files = std::fs::read_dir(&received).unwrap().map(|entry| entry.unwrap().path());
    let mut names: Vec<_> = files
        .flat_map(|folder| std::fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["KQvK.rtbw", "engine", "engine", "file"]);
}

#[test]
#[ignore = "needs nats-server"]
fn fleet_workers_start_no_program_of_a_run_unless_they_accept_files() {
    let place = Place::new();
    write_engines(&place);
    let server = Server::start(&place, &[]);
    let url = server.url();
    let run = place.start(&matched("2", &["--nats", &url, "--lease", "1", "--send-files"]));
    let mut cautious = WatchedProgram::new(worker(&place, &url, &[]));
    cautious.wait_for("the run sends its files to workers with --accept-files");
    let accepting = worker(&place, &url, &["--accept-files"]);
    let (_, err) = texts(&finish(run, 0));
    assert!(err.contains("bare joins"), "{err}");
    dismiss([accepting]);
    signal(cautious.id(), "-INT");
    cautious.finish(130);
}

#[test]
#[ignore = "needs nats-server"]
fn fleet_workers_refuse_a_program_that_counts_other_nodes_than_its_commit() {
    let place = Place::new();
    write_engines(&place);
    repository(&place);
    commit_with_bench(&place);
    let second = place.path("second").display().to_string();
    let engines = format!(
        "[[engine]]\nname = \"first\"\nrepo = \"{}\"\nbuild = \"{BUILD}\"\n\
         [[engine]]\nname = \"second\"\ncmd = \"{second}\"\n",
        place.path("mine").display()
    );
    place.write("engines.toml", &engines);
    let server = Server::start(&place, &[]);
    let url = server.url();
    let mut run =
        WatchedProgram::new(place.start(&matched("2", &["--nats", &url, "--lease", "1", "--send-files"])));
    run.wait_for("Waiting for workers");
    place.write("wrong", "");
    let mut wrong = WatchedProgram::new(worker(&place, &url, &["--accept-files"]));
    wrong.wait_for(OTHER_BENCH);
    run.wait_for(OTHER_BENCH);
    signal(wrong.id(), "-INT");
    wrong.finish(130);
    std::fs::remove_file(place.path("wrong")).unwrap();
    let right = worker(&place, &url, &["--accept-files"]);
    let err = run.finish(0);
    assert!(err.contains(OTHER_BENCH) && err.contains("bare joins"), "{err}");
    assert!(err.find(OTHER_BENCH) < err.find("bare joins"), "{err}");
    dismiss([right]);
}

#[test]
#[ignore = "needs nats-server"]
fn fleet_workers_refuse_a_file_with_another_content() {
    let place = Place::new();
    write_engines(&place);
    let server = Server::start(&place, &[]);
    let url = server.url();
    let run = place.start(&matched("2", &["--nats", &url, "--lease", "1", "--send-files"]));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let digest =
        smalt_workbench::engine_files::sha256(&mut std::fs::File::open(place.path("first")).unwrap())
            .unwrap();
    runtime.block_on(async {
        let store = wait_for_file(&url, &digest).await;
        store.put(digest.as_str(), &mut &b"#!/bin/sh\ntouch harmed\n"[..]).await.unwrap();
    });
    let mut worker = WatchedProgram::new(worker(&place, &url, &["--accept-files"]));
    worker.wait_for(&format!("and {digest} was announced"));
    signal(run.id(), "-INT");
    finish(run, 130);
    signal(worker.id(), "-INT");
    worker.finish(130);
    assert!(
        !place.path("harmed").exists()
            && !place.path(&format!("elsewhere/smalt/files/{digest}/engine")).exists()
    );
}

#[test]
#[ignore = "needs nats-server"]
fn fleet_files_of_a_killed_coordinator_are_used_and_deleted_by_the_next() {
    let place = Place::new();
    write_engines(&place);
    let server = Server::start(&place, &[]);
    let url = server.url();
    let mut run =
        WatchedProgram::new(place.start(&matched("2", &["--nats", &url, "--lease", "1", "--send-files"])));
    run.wait_for("Waiting for workers");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let digest =
        smalt_workbench::engine_files::sha256(&mut std::fs::File::open(place.path("first")).unwrap())
            .unwrap();
    let store = runtime.block_on(wait_for_file(&url, &digest));
    signal(run.id(), "-KILL");
    wait_until("the end of the coordinator", || !run.is_running());
    // It also finds another content under the right name, and replaces it.
    runtime.block_on(async {
        store.put(digest.as_str(), &mut &b"#!/bin/sh\ntouch harmed\n"[..]).await.unwrap();
    });
    let accepting = worker(&place, &url, &["--accept-files"]);
    let (_, err) = place.check(&["resume", "run.db"], 0);
    assert!(err.contains("bare joins") && !place.path("harmed").exists(), "{err}");
    dismiss([accepting]);
    runtime.block_on(async {
        let context = jetstream::new(async_nats::connect(&url).await.unwrap());
        let is_empty = async { while context.stream_names().next().await.is_some() {} };
        tokio::time::timeout(LONG, is_empty).await.expect("the run should leave nothing on the server");
    });
}

#[test]
#[ignore = "needs nats-server"]
fn fleet_files_that_the_server_has_lost_are_sent_again() {
    let place = Place::new();
    write_engines(&place);
    let mut server = Server::start(&place, &[]);
    let url = server.url();
    let mut run =
        WatchedProgram::new(place.start(&matched("2", &["--nats", &url, "--lease", "1", "--send-files"])));
    run.wait_for("Waiting for workers");
    server.kill();
    std::fs::remove_dir_all(place.path("js")).unwrap();
    server.come_back();
    let accepting = worker(&place, &url, &["--accept-files"]);
    let err = run.finish(0);
    assert!(err.contains("bare joins"), "{err}");
    dismiss([accepting]);
}

#[test]
#[ignore = "needs nats-server"]
fn fleet_runs_stop_while_they_send_files() {
    let place = Place::new();
    write_engines(&place);
    // More than a silent network takes.
    std::fs::write(place.path("net.bin"), vec![1; 1 << 26]).unwrap();
    let server = Server::start(&place, &[]);
    let proxy = Proxy::start(server.port);
    let mut run = WatchedProgram::new(
        place.start(&matched("2", &["--nats", &proxy.url(), "--lease", "1", "--send-files"])),
    );
    run.wait_for("Sending files to the server");
    proxy.turn(Network::Silent);
    signal(run.id(), "-INT");
    run.finish(130);
}

#[test]
#[ignore = "needs nats-server"]
fn fleet_files_are_sent_again_after_a_lost_connection() {
    let place = Place::new();
    write_engines(&place);
    std::fs::write(place.path("net.bin"), vec![1; 1 << 24]).unwrap();
    let server = Server::start(&place, &[]);
    let proxy = Proxy::start(server.port);
    // The connection is lost within the large file.
    proxy.limit(1 << 23);
    let mut run = WatchedProgram::new(
        place.start(&matched("2", &["--nats", &proxy.url(), "--lease", "1", "--send-files"])),
    );
    proxy.await_silence();
    proxy.turn(Network::Cut);
    run.wait_for("The NATS server is unreachable");
    proxy.turn(Network::Up);
    let accepting = worker(&place, &server.url(), &["--accept-files"]);
    let err = run.finish(0);
    assert!(
        err.contains("Warning: failed to send the files of the run to ") && err.contains("net.bin"),
        "{err}"
    );
    assert!(err.contains("; trying again") && err.contains("bare joins"), "{err}");
    dismiss([accepting]);
}

#[test]
#[ignore = "needs nats-server"]
fn fleet_files_that_the_server_does_not_take_end_the_run_and_leave_nothing_there() {
    let place = Place::new();
    write_engines(&place);
    // Room for the queue of the run, and none for its files.
    place.write(
        "nats.conf",
        "accounts { A { jetstream: { max_streams: 1 }, users: [ { user: author, password: \"open sesame\" } ] } }\n",
    );
    place.write("password", "open sesame\n");
    let server = Server::start(&place, &["-c", place.path("nats.conf").to_str().unwrap()]);
    let url = server.url();
    let login = ["--nats-user", "author", "--nats-password-file", "password"];
    let run = ["--nats", &url, "--lease", "1", "--send-files"];
    let (_, err) = place.check(&matched("2", &[&run[..], &login].concat()), 1);
    assert!(err.contains("failed to send the files of the run to ") && err.contains("streams"), "{err}");
    assert_eq!(err.matches("; trying again").count(), 4, "{err}");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let left: Vec<String> = runtime.block_on(async {
        let options =
            async_nats::ConnectOptions::with_user_and_password("author".into(), "open sesame".into());
        let context = jetstream::new(options.connect(&url).await.unwrap());
        context.stream_names().map(Result::unwrap).collect().await
    });
    assert!(left.is_empty(), "{left:?}");
}

/// A match of two games from the start position.
fn from_start<'a>(more: &[&'a str]) -> Vec<&'a str> {
    matched("2", &[&["--openings", "startpos"], more].concat())
}

#[test]
#[ignore = "needs nats-server"]
fn fleet_workers_play_from_the_book_of_an_engine() {
    let place = Place::new();
    write_engines(&place);
    std::fs::write(place.path("book.bin"), BOOK_OF_ONE_MOVE).unwrap();
    let book = format!("[[engine]]\nbook = \"{}\"\n", place.path("book.bin").display());
    place.write("engines.toml", &place.read("engines.toml").replacen("[[engine]]\n", &book, 1));
    let server = Server::start(&place, &[]);
    let url = server.url();
    let (_, err) = place.check(&from_start(&["--nats", &url]), 2);
    assert!(err.contains("workers have no book of an engine unless --send-files sends it"), "{err}");
    let accepting = worker(&place, &url, &["--accept-files"]);
    place.check(&from_start(&["--nats", &url, "--lease", "1", "--send-files"]), 0);
    dismiss([accepting]);
    let distributed = timeless(&place.read("run.pgn"));
    assert_eq!(distributed.matches("{book}").count(), 1, "{distributed}");
    std::fs::remove_file(place.path("run.db")).unwrap();
    std::fs::remove_file(place.path("run.pgn")).unwrap();
    place.check(&from_start(&["--concurrency", "1"]), 0);
    assert_eq!(distributed, timeless(&place.read("run.pgn")));
}

/// Waits until the only run on a server has sent a file; returns its bucket.
async fn wait_for_file(url: &str, digest: &str) -> ObjectStore {
    let context = jetstream::new(async_nats::connect(url).await.unwrap());
    let find = async {
        loop {
            let names: Vec<String> =
                context.stream_names().filter_map(|name| async { name.ok() }).collect().await;
            if let Some(name) = names.iter().find_map(|name| name.strip_prefix("OBJ_"))
                && let Ok(store) = context.get_object_store(name).await
                && store.info(digest).await.is_ok()
            {
                return store;
            }
        }
    };
    tokio::time::timeout(LONG, find).await.expect("the file should be sent")
}

#[test]
#[ignore = "needs nats-server"]
fn a_local_run_moves_to_a_fleet_and_back_in_mid_run() {
    let place = Place::new();
    write_engines(&place);
    let server = Server::start(&place, &[]);
    let url = server.url();
    let stop_after = |run: Child, games: u64| {
        place.await_games("run.db", games);
        signal(run.id(), "-INT");
        finish(run, 130);
    };
    stop_after(place.start(&matched("1000", &["--concurrency", "1"])), 1);
    let accepting = worker(&place, &url, &["--accept-files"]);
    let played = place.results("run.db")["games_finished"].as_u64().unwrap();
    let resumed = ["resume", "run.db"];
    stop_after(place.start(&[&resumed[..], &["--nats", &url, "--send-files"]].concat()), played + 2);
    dismiss([accepting]);
    drop(server);
    place.check(&[&resumed[..], &["--nats", "off", "--concurrency", "1"]].concat(), 0);
    assert_eq!(place.results("run.db")["games_finished"], 1000);
    let here = Place::new();
    write_engines(&here);
    here.check(&matched("1000", &["--concurrency", "1"]), 0);
    assert_eq!(timeless(&place.read("run.pgn")), timeless(&here.read("run.pgn")));
}
