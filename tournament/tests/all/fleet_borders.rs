//! Access to distributed runs: secrets and certificates, equal engines everywhere, and dishonest workers.

use std::time::Duration;

use async_nats::jetstream::{self, consumer::PullConsumer};
use async_nats::{Client, ConnectOptions};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures_util::{FutureExt, StreamExt};
use nkeys::KeyPair;
use serde_json::json;
use smalt_fleet::wire::{
    Announcement, RecordMessage, Response, WorkMessage, WorkerNotice, WorkerRequest, decode, encode,
};
use smalt_fleet::{RUNS, Subjects};
use smalt_match::game::{BinaryReport, MachineReport};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use smalt_testing::process::WatchedProgram;

use crate::support::fleet::{Server, dismiss, matched, over, worker, wrap_engines, write_engines};
use crate::support::{Place, finish, signal, texts};

/// The permissions documented in `worker --help`, and no others.
const USERS: &str = r#"
authorization {
  users = [
    { user: coordinator, password: "open sesame", permissions: {
      publish: ["smalt.runs", "smalt.run.*.halt", "smalt.run.*.work.*", "$JS.API.>", "_INBOX.>"],
      subscribe: ["smalt.runs", "smalt.run.*.ask.>", "_INBOX.coordinator.>"] } }
    { user: worker, password: "sesame too", permissions: {
      publish: ["smalt.run.*.ask.worker.*", "$JS.API.CONSUMER.INFO.>", "$JS.API.CONSUMER.MSG.NEXT.>", "$JS.ACK.>"],
      subscribe: ["smalt.runs", "smalt.run.*.halt", "_INBOX.worker.>"] } }
    { user: mallory, password: "sesame three", permissions: {
      publish: ["smalt.run.*.ask.mallory.*", "$JS.API.CONSUMER.INFO.>", "$JS.API.CONSUMER.MSG.NEXT.>", "$JS.ACK.>"],
      subscribe: ["smalt.runs", "smalt.run.*.halt", "_INBOX.mallory.>"] } }
  ]
}
"#;

/// Makes a certificate for localhost and its authority.
#[expect(clippy::disallowed_methods, reason = "openssl makes certificates")]
fn make_certificates(place: &Place) {
    place.write("san.cnf", "subjectAltName=DNS:localhost,IP:127.0.0.1\n");
    let new = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=Authority -keyout ca.key -out ca.pem";
    let request = "req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout server.key -out server.csr";
    let sign = "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile san.cnf -out server.pem";
    for words in [new, request, sign] {
        let mut command = std::process::Command::new("openssl");
        let output = command.args(words.split(' ')).current_dir(place.path(".")).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
#[ignore = "needs nats-server"]
fn users_passwords_and_certificates_authenticate_and_nothing_else() {
    let place = Place::new();
    make_certificates(&place);
    let path = |name: &str| place.path(name).display().to_string();
    let tls =
        format!("tls {{ cert_file: \"{}\", key_file: \"{}\" }}\n", path("server.pem"), path("server.key"));
    place.write("nats.conf", &format!("{tls}{USERS}"));
    let server = Server::start(&place, &["-c", &path("nats.conf")]);
    write_engines(&place, "0");
    place.write("password", "open sesame\n");
    place.write("wrong", "sesame\n");
    let url = format!("tls://localhost:{}", server.port);
    let enter = |password: &'static str| {
        ["--nats-user", "coordinator", "--nats-password-file", password, "--nats-ca", "ca.pem"]
    };
    let check = |more: &[&str], code: i32, words: &str| {
        let (_, err) = place.check(&[&over(&url, "2")[..], more].concat(), code);
        assert!(err.contains(words), "{err}");
        assert!(!err.contains("sesame"), "{err}");
        assert!(!place.path("run.db").exists() || code == 0, "nothing was begun");
    };
    check(&enter("wrong"), 1, "authorization");
    check(&enter("password")[..4], 1, "--nats-ca");
    check(&["--nats-user", "coordinator", "--nats-ca", "ca.pem"], 2, "SMALT_NATS_PASSWORD");
    check(&["--nats-creds", "nothing.creds", "--nats-ca", "ca.pem"], 2, "nothing.creds");
    let mut command =
        place.command(&["worker", "--nats", &url, "--engines", "engines.toml", "--speed", "1000"]);
    command.args(["--nats-user", "worker", "--nats-ca", "ca.pem"]).env("SMALT_NATS_PASSWORD", "sesame too");
    let worker = command.spawn().unwrap();
    check(&enter("password"), 0, "joins");
    dismiss([worker]);
    for file in ["run.db", "run.pgn"] {
        let bytes = std::fs::read(place.path(file)).unwrap();
        assert!(!bytes.windows(6).any(|word| word == b"sesame"), "{file}");
    }
}

#[test]
#[ignore = "needs nats-server"]
fn an_nkey_authenticates() {
    let place = Place::new();
    let pair = KeyPair::new_user();
    place.write("nats.conf", &format!("authorization {{ users = [ {{ nkey: {} }} ] }}\n", pair.public_key()));
    place.write("seed", &pair.seed().unwrap());
    let server = Server::start(&place, &["-c", place.path("nats.conf").to_str().unwrap()]);
    write_engines(&place, "0");
    let url = server.url();
    place.check(&over(&url, "2"), 1);
    let arguments = ["worker", "--nats", &url, "--nats-nkey", "seed", "--engines", "engines.toml"];
    let worker = place.start(&[&arguments[..], &["--speed", "1000"]].concat());
    place.check(&[&over(&url, "2")[..], &["--nats-nkey", "seed"]].concat(), 0);
    dismiss([worker]);
}

/// A NATS token: header, claims, and the issuer's signature (JSON web token, ed25519-nkey).
fn token(issuer: &KeyPair, name: &str, subject: &str, nats: &serde_json::Value) -> String {
    let header = json!({ "typ": "JWT", "alg": "ed25519-nkey" });
    let claims = json!({
        "jti": name, "iat": 1_700_000_000, "iss": issuer.public_key(), "name": name, "sub": subject, "nats": nats,
    });
    let text = |value: &serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let signed = format!("{}.{}", text(&header), text(&claims));
    let signature = URL_SAFE_NO_PAD.encode(issuer.sign(signed.as_bytes()).unwrap());
    format!("{signed}.{signature}")
}

#[test]
#[ignore = "needs nats-server"]
fn credentials_of_an_account_open_the_door() {
    let place = Place::new();
    let (operator, user) = (KeyPair::new_operator(), KeyPair::new_user());
    let (account, system) = (KeyPair::new_account(), KeyPair::new_account());
    let all = json!({
        "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true, "conn": -1, "leaf": -1,
    });
    let mut with_streams = all.clone();
    for limit in ["mem_storage", "disk_storage", "streams", "consumer"] {
        with_streams[limit] = json!(-1);
    }
    let of_account = |key: &KeyPair, name: &str, limits: &serde_json::Value| {
        let claims = json!({ "type": "account", "version": 2, "limits": limits });
        token(&operator, name, &key.public_key(), &claims)
    };
    let own = json!({ "type": "operator", "version": 2, "system_account": system.public_key() });
    place.write("operator.jwt", &token(&operator, "operator", &operator.public_key(), &own));
    let (playing, watching) =
        (of_account(&account, "players", &with_streams), of_account(&system, "system", &all));
    place.write(
        "nats.conf",
        &format!(
            "operator: {}\nsystem_account: {system}\nresolver: MEMORY\nresolver_preload: {{ {}: {playing}, {system}: \
             {watching} }}\n",
            place.path("operator.jwt").display(),
            account.public_key(),
            system = system.public_key(),
        ),
    );
    let claims = json!({ "type": "user", "version": 2, "subs": -1, "data": -1, "payload": -1 });
    let credentials = |key: &KeyPair| {
        let token = token(&account, "player", &user.public_key(), &claims);
        let seed = key.seed().unwrap();
        format!(
            "-----BEGIN NATS USER JWT-----\n{token}\n------END NATS USER JWT------\n\n\
             -----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY SEED------\n"
        )
    };
    place.write("player.creds", &credentials(&user));
    place.write("stolen.creds", &credentials(&KeyPair::new_user()));
    let server = Server::start(&place, &["-c", place.path("nats.conf").to_str().unwrap()]);
    write_engines(&place, "0");
    let url = server.url();
    place.check(&over(&url, "2"), 1);
    place.check(&[&over(&url, "2")[..], &["--nats-creds", "stolen.creds"]].concat(), 1);
    let arguments = ["worker", "--nats", &url, "--nats-creds", "player.creds", "--engines", "engines.toml"];
    let worker = place.start(&[&arguments[..], &["--speed", "1000"]].concat());
    place.check(&[&over(&url, "2")[..], &["--nats-creds", "player.creds"]].concat(), 0);
    dismiss([worker]);
}

#[test]
fn secrets_in_addresses_are_refused() {
    let place = Place::new();
    write_engines(&place, "0");
    let (_, err) = place.check(&over("nats://me:hush@127.0.0.1:1", "2"), 2);
    assert!(err.contains("--nats-password-file") && !err.contains("hush"), "{err}");
    let (_, err) = place.check(&["worker", "--nats", "nats://me:hush@127.0.0.1:1"], 2);
    assert!(err.contains("--nats-password-file") && !err.contains("hush"), "{err}");
    let (_, err) = place.check(&over("nats://127.0.0.1:1", "2"), 1);
    assert!(err.contains("connect to nats://127.0.0.1:1"), "{err}");
}

#[test]
fn what_cannot_be_meant_is_refused_before_anything_begins() {
    let place = Place::new();
    write_engines(&place, "0");
    let check = |arguments: &[&str], words: &str| {
        let (_, err) = place.check(arguments, 2);
        assert!(err.contains(words), "{err}");
        assert!(!place.path("run.db").exists());
    };
    let url = "nats://127.0.0.1:1";
    for more in [["--lease", "5"], ["--nats-user", "me"], ["--nats-ca", "ca.pem"]] {
        check(&matched("2", &more), "these settings are for runs over a NATS server: give nats, too");
    }
    check(&[&over(url, "2")[..], &["--nats-password-file", "p"]].concat(), "give the user, too");
    check(&[&over(url, "2")[..], &["--concurrency", "2"]].concat(), "give it to each worker");
    for name in ["", "a\u{1b}[2Jb"] {
        check(&["worker", "--nats", url, "--name", name], "--name: name");
    }
    check(&["worker", "--nats", url, "--concurrency", "2000"], "1024 is the maximum");
    place.write("seed", "no seed\n");
    check(&[&over(url, "2")[..], &["--nats-nkey", "seed"]].concat(), "/seed: its first line is not the seed");
}

#[test]
fn no_engine_is_given_the_password() {
    let place = Place::new();
    write_engines(&place, "0");
    let seen = place.path("seen");
    wrap_engines(&place, &format!("env >> {}\nexec $ENGINE \"$@\"", seen.display()));
    let mut command = place.command(&matched("2", &[]));
    command.env("SMALT_NATS_PASSWORD", "open sesame").env("SMALT_ANOTHER", "seen");
    finish(command.spawn().unwrap(), 0);
    let seen = place.read("seen");
    assert!(seen.contains("SMALT_ANOTHER=seen") && !seen.contains("sesame"), "{seen}");
}

#[test]
#[ignore = "needs nats-server"]
fn workers_with_other_binaries_are_refused_unless_that_is_permitted() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    write_engines(&place, "0");
    let engines = place.read("engines.toml");
    let program = engines.split('"').find(|word| word.ends_with("scripted_engine")).unwrap();
    // The same engine in another file.
    let mut bytes = std::fs::read(program).unwrap();
    bytes.push(0);
    let other = place.path("other_engine");
    smalt_testing::process::write_program(&other, &bytes);
    let first = worker(&place, &server.url(), "a");
    place.check(&over(&server.url(), "2"), 0);
    dismiss([first]);
    place.write("engines.toml", &engines.replace(program, other.to_str().unwrap()));
    let second = worker(&place, &server.url(), "b");
    let mut run = WatchedProgram::new(place.start(&["resume", "run.db", "--games", "4"]));
    run.wait_for("b was refused: its first is another file (SHA-256");
    assert!(run.is_running(), "nobody may play");
    crate::support::signal(run.id(), "-INT");
    run.finish(130);
    dismiss([second]);
    let third = worker(&place, &server.url(), "c");
    place.check(&["resume", "run.db", "--allow-mixed"], 0);
    dismiss([third]);
    let (status, _) = place.check(&["status", "run.db"], 0);
    assert!(status.contains("On a: 2 games") && status.contains("On c: 2 games"), "{status}");
}

#[test]
#[ignore = "needs nats-server"]
fn a_worker_whose_engine_is_rebuilt_in_mid_run_stops_playing() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    write_engines(&place, "5");
    let program = crate::support::scripted_program();
    smalt_testing::process::copy_program(&program, place.path("engine"));
    let engines = place.read("engines.toml").replace(&program, place.path("engine").to_str().unwrap());
    place.write("engines.toml", &engines.replace("[[engine]]\n", "[[engine]]\nrestart = \"on\"\n"));
    let mut worker = WatchedProgram::new(worker(&place, &server.url(), "a"));
    let run = place.start(&over(&server.url(), "400"));
    place.await_games("run.db", 1);
    crate::runs::rebuild(&place, "engine");
    worker.wait_for("has changed since the run began");
    worker.finish(1);
    crate::support::signal(run.id(), "-INT");
    crate::support::finish(run, 130);
}

#[test]
#[ignore = "needs nats-server"]
fn a_worker_without_the_engines_says_what_it_lacks() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    write_engines(&place, "0");
    place.write("none.toml", "");
    let url = server.url();
    let arguments =
        ["worker", "--nats", &url, "--engines", "none.toml", "--speed", "1000", "--name", "lacking"];
    let lacking = place.start(&arguments);
    let mut run = WatchedProgram::new(place.start(&over(&url, "20")));
    run.wait_for("lacking cannot play: failed to find the engine");
    let able = worker(&place, &url, "able");
    run.finish(0);
    crate::support::signal(lacking.id(), "-INT");
    let (_, err) = texts(&finish(lacking, 130));
    assert!(
        err.contains("engines.toml of this machine has no \"first\" or \"scripted_engine\"; add it"),
        "{err}"
    );
    dismiss([able]);
}

#[test]
#[ignore = "needs nats-server"]
fn two_runs_on_one_server_do_not_disturb_each_other() {
    let places = [Place::new(), Place::new()];
    let server = Server::start(&places[0], &[]);
    for place in &places {
        write_engines(place, "0");
    }
    let runs = places.each_ref().map(|place| place.start(&over(&server.url(), "8")));
    let workers = ["a", "b"].map(|name| worker(&places[0], &server.url(), name));
    for run in runs {
        finish(run, 0);
    }
    dismiss(workers);
    for place in &places {
        assert_eq!(place.results("run.db")["games_finished"], 8);
    }
}

/// A minimal worker that speaks to a coordinator.
struct RawWorker {
    client: Client,
    names: Subjects,
    subject: String,
}

impl RawWorker {
    /// Waits for a run; `id` is `USER.PROCESS`.
    async fn start(url: &str, id: &str, options: ConnectOptions) -> RawWorker {
        let client = options.custom_inbox_prefix(format!("_INBOX.{id}")).connect(url).await.unwrap();
        let mut announced = client.subscribe(RUNS).await.unwrap();
        let announcement: Announcement = decode(&announced.next().await.unwrap().payload).unwrap();
        let names = Subjects::of(&announcement.run);
        RawWorker { client, subject: names.ask(id), names }
    }

    async fn ask(&self, question: WorkerRequest) -> Response {
        let answer = self.client.request(self.subject.clone(), encode(&question).unwrap().into()).await;
        decode(&answer.unwrap().payload).unwrap()
    }

    /// Joins with different engines.
    async fn join(&self) {
        let engine = |name: &str| BinaryReport {
            name: name.to_owned(),
            author: String::new(),
            sha256: "0".repeat(64),
        };
        let introduction = MachineReport {
            name: "raw".to_owned(),
            program: "raw".to_owned(),
            cpu: String::new(),
            cores: 1,
            slots: 1,
            speed: 1_000_000,
            engines: vec![engine("first"), engine("second")],
        };
        let Response::Config(config) = self.ask(WorkerRequest::Config).await else {
            panic!("no configuration")
        };
        let join = WorkerRequest::Join { config: config.digest(), machine: Box::new(introduction) };
        assert!(matches!(self.ask(join).await, Response::Welcome { .. }));
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// Joins a run, leases a pair, and sends an illegal move.
async fn send_impossible_game(url: &str) -> Response {
    let worker = RawWorker::start(url, "anyone.raw", ConnectOptions::new()).await;
    worker.join().await;
    let context = jetstream::new(worker.client.clone());
    let consumer: PullConsumer =
        context.get_consumer_from_stream(worker.names.consumer(), worker.names.stream()).await.unwrap();
    let mut batch =
        consumer.batch().max_messages(1).expires(Duration::from_secs(20)).messages().await.unwrap();
    let message = batch.next().await.unwrap().unwrap();
    let pair = decode::<WorkMessage>(&message.payload).unwrap().pair();
    worker.ask(WorkerRequest::Take { pair }).await;
    let record = r#"{"moves":"a1a8////1/","outcome":"1-0","termination":"checkmate","duration_us":5,"peak_memory":[null,null]}"#;
    let record: RecordMessage = serde_json::from_str(record).unwrap();
    worker.ask(WorkerRequest::Result { pair, game: 2 * pair, record: Box::new(record) }).await
}

#[test]
#[ignore = "needs nats-server"]
fn a_worker_with_an_impossible_game_is_disqualified_and_its_pair_is_played_by_another() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    write_engines(&place, "0");
    let run = place.command(&over(&server.url(), "6")).spawn().unwrap();
    let answer = runtime().block_on(send_impossible_game(&server.url()));
    assert!(matches!(answer, Response::Refused { words } if words.contains("a1a8, which is illegal")));
    let honest = worker(&place, &server.url(), "honest");
    let (_, err) = texts(&finish(run, 0));
    assert!(err.contains("raw was removed: disqualified: its game 1 is invalid"), "{err}");
    assert_eq!(place.results("run.db")["games_finished"], 6);
    dismiss([honest]);
}

#[test]
#[ignore = "needs nats-server"]
fn an_idle_first_worker_does_not_exclude_others() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    write_engines(&place, "0");
    let run = place.command(&over(&server.url(), "6")).spawn().unwrap();
    runtime().block_on(async {
        RawWorker::start(&server.url(), "anyone.idle", ConnectOptions::new()).await.join().await;
    });
    let honest = worker(&place, &server.url(), "honest");
    finish(run, 0);
    assert_eq!(place.results("run.db")["games_finished"], 6);
    dismiss([honest]);
}

#[test]
#[ignore = "needs nats-server"]
fn unreadable_messages_in_the_queue_of_a_fleet_run_are_replaced() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    write_engines(&place, "0");
    let url = server.url();
    let run = runtime().block_on(async {
        let client = async_nats::connect(&url).await.unwrap();
        let mut pairs = client.subscribe("smalt.run.*.work.*").await.unwrap();
        client.flush().await.unwrap();
        let run = place.start(&over(&url, "6"));
        let pairs = [pairs.next().await.unwrap(), pairs.next().await.unwrap()].map(|pair| pair.subject);
        let context = jetstream::new(client);
        for subject in
            [pairs[0].to_string(), pairs[1].to_string(), pairs[0].replace(".work.0", ".work.nothing")]
        {
            context.publish(subject, "poison".into()).await.unwrap().await.unwrap();
        }
        run
    });
    let mut worker = WatchedProgram::new(worker(&place, &url, "bench"));
    worker.wait_for("Deleted an unreadable message of the queue");
    finish(run, 0);
    assert_eq!(place.results("run.db")["games_finished"], 6);
    signal(worker.id(), "-INT");
    worker.finish(130);
}

/// A worker logged in as mallory, and the permission errors of the server.
async fn mallory(url: &str) -> (RawWorker, UnboundedReceiver<String>) {
    let (sender, errors) = unbounded_channel();
    let options = ConnectOptions::with_user_and_password("mallory".to_owned(), "sesame three".to_owned());
    let options = options.event_callback(move |event| {
        if let async_nats::Event::ServerError(error) = event {
            let _ = sender.send(error.to_string());
        }
        std::future::ready(())
    });
    (RawWorker::start(url, "mallory.1", options).await, errors)
}

#[test]
#[ignore = "needs nats-server"]
fn a_fleet_worker_leaves_only_when_its_own_coordinator_ends_the_run() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    write_engines(&place, "0");
    let url = server.url();
    let run = place.start(&over(&url, "20"));
    runtime().block_on(async {
        let client = async_nats::connect(&url).await.unwrap();
        let mut announced = client.subscribe(RUNS).await.unwrap();
        let announcement = announced.next().await.unwrap();
        let Announcement { run, session, .. } = decode(&announcement.payload).unwrap();
        let halt = Subjects::of(&run).halt();
        let mut worker = WatchedProgram::new(worker(&place, &url, "bench"));
        worker.wait_for("Playing for");
        // What others know is the name of the session, not its secret.
        for payload in ["halt".to_owned(), session] {
            client.publish(halt.clone(), payload.into()).await.unwrap();
        }
        client.flush().await.unwrap();
        worker.wait_for("The run is over");
        signal(worker.id(), "-INT");
        let text = worker.finish(130);
        assert_eq!(text.matches("Playing for").count(), 1, "{text}");
    });
    finish(run, 0);
}

#[test]
#[ignore = "needs nats-server"]
fn foreign_announcements_do_not_move_a_fleet_worker() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    write_engines(&place, "1");
    let url = server.url();
    let worker = WatchedProgram::new(worker(&place, &url, "bench"));
    let mut run = place.start(&over(&url, "20"));
    runtime().block_on(async {
        let client = async_nats::connect(&url).await.unwrap();
        let mut announced = client.subscribe(RUNS).await.unwrap();
        let Announcement { run: name, .. } = decode(&announced.next().await.unwrap().payload).unwrap();
        // The SHA-256 of this secret begins with the name of the session.
        let (secret, session) = ("secret", "2bb80d537b1da3e38bd30361aa855686bde0eacd");
        let forged = Announcement { run: name.clone(), session: session.to_owned(), name: String::new() };
        while run.try_wait().unwrap().is_none() {
            client.publish(RUNS, encode(&forged).unwrap().into()).await.unwrap();
            client.publish(Subjects::of(&name).halt(), secret.into()).await.unwrap();
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    });
    finish(run, 0);
    signal(worker.id(), "-INT");
    let text = worker.finish(130);
    assert_eq!(text.matches("Playing for").count(), 1, "{text}");
}

#[test]
#[ignore = "needs nats-server"]
fn a_worker_can_neither_speak_for_another_nor_read_its_answers() {
    let place = Place::new();
    place.write("nats.conf", USERS);
    let config = place.path("nats.conf");
    let server = Server::start(&place, &["-c", config.to_str().unwrap()]);
    write_engines(&place, "0");
    let enter = |user: &str, password: &str, arguments: &[&str]| {
        let mut command = place.command(arguments);
        command.args(["--nats-user", user]).env("SMALT_NATS_PASSWORD", password);
        command.spawn().unwrap()
    };
    let url = server.url();
    let run = enter("coordinator", "open sesame", &over(&url, "4"));
    runtime().block_on(async {
        let (mallory, mut errors) = mallory(&url).await;
        assert!(
            matches!(mallory.ask(WorkerRequest::Config).await, Response::Config(_)),
            "it may ask for itself"
        );
        // Replies to others, all subjects, and requests of others.
        for subject in ["_INBOX.>", "_INBOX.worker.>", ">", "smalt.run.*.ask.>"] {
            let _subscriber = mallory.client.subscribe(subject).await.unwrap();
            let words = errors.recv().await.unwrap();
            assert!(words.contains("Permissions Violation for Subscription"), "{subject}: {words}");
        }
        let leaving = encode(&WorkerRequest::Notify(WorkerNotice::Leaving)).unwrap();
        for subject in [mallory.names.ask("worker.1"), mallory.names.halt(), RUNS.to_owned()] {
            mallory.client.publish(subject.clone(), leaving.clone().into()).await.unwrap();
            let words = errors.recv().await.unwrap();
            assert!(words.contains("Permissions Violation for Publish"), "{subject}: {words}");
        }
        // The coordinator does not reply to another user's inbox.
        let mut own = mallory.client.subscribe("_INBOX.mallory.2.answer").await.unwrap();
        let terms = encode(&WorkerRequest::Config).unwrap();
        let ask = mallory.subject.clone();
        mallory.client.publish_with_reply(ask, "_INBOX.mallory.2.answer", terms.into()).await.unwrap();
        assert!(
            matches!(mallory.ask(WorkerRequest::Config).await, Response::Config(_)),
            "answers come in turn"
        );
        assert!(own.next().now_or_never().is_none(), "it has asked as another process");
    });
    let arguments = ["worker", "--nats", &url, "--engines", "engines.toml", "--speed", "1000"];
    let worker = enter("worker", "sesame too", &arguments);
    finish(run, 0);
    dismiss([worker]);
}
