//! Many workers without engines, as async tasks of one process: each fetches pairs from a real server, waits, and
//! sends games of random legal moves to a real coordinator, to find the limits of a fleet.
//!
//! Start `nats-server -js`, then this, then the run:
//!
//! ```text
//! cargo run --release --example fleet_simulation -- nats://127.0.0.1:4222 WORKERS SECONDS_A_GAME
//! smalt-tournament match --engine builtin --engine 'cmd=builtin name=other' --games 10000 --nodes 1 --nats nats://127.0.0.1:4222
//! ```
//!
//! It ends with the run, and prints the waiting time for pairs and the time until a result is stored.

#![expect(clippy::print_stdout, reason = "it prints what it measured")]

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result, bail};
use async_nats::Client;
use async_nats::jetstream::{self, AckKind, consumer::PullConsumer};
use futures_util::StreamExt;
use smalt_chess::{CastlingMode, DrawClaims, Game, Outcome, UciMove};
use smalt_fleet::wire::{Announcement, RecordMessage, Response, WorkMessage, WorkerRequest, decode, encode};
use smalt_fleet::{RUNS, Subjects};
use smalt_match::game::{BinaryReport, GameRecord, MachineReport, PlyRecord, SearchRecord, Termination};
use smalt_match::run::OpenedGame;
use smalt_protocol::Score;
use smalt_testing::Random;

/// Plies after the opening until a side resigns.
const PLIES: usize = 100;

/// Measurements of all workers.
#[derive(Debug, Default)]
struct Measured {
    fetched: Vec<Duration>,
    stored: Vec<Duration>,
    again: usize,
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, workers, seconds] = arguments.as_slice() else { bail!("give URL WORKERS SECONDS_A_GAME") };
    let (workers, seconds): (u64, f64) = (workers.parse()?, seconds.parse()?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(simulate(url, workers, Duration::from_secs_f64(seconds)))
}

async fn simulate(url: &str, workers: u64, length: Duration) -> Result<()> {
    let client = async_nats::connect(url).await?;
    let mut announced = client.subscribe(RUNS).await?;
    let announcement = announced.next().await.context("nobody announces a run")?;
    let run: Announcement = decode(&announcement.payload)?;
    let names = Subjects::of(&run.run);
    let mut halted = client.subscribe(names.halt()).await?;
    let measured = Arc::new(Mutex::new(Measured::default()));
    let mut tasks = tokio::task::JoinSet::new();
    let begun = Instant::now();
    for number in 0..workers {
        // One connection per ten workers, like ten slots of one machine.
        let client = if number % 10 == 0 { async_nats::connect(url).await? } else { client.clone() };
        tasks.spawn(work(client, names.clone(), number, length, Arc::clone(&measured)));
    }
    tokio::select! {
        _ = halted.next() => {}
        Some(ended) = tasks.join_next() => ended??,
    }
    tasks.shutdown().await;
    let mut measured = measured.lock().unwrap_or_else(PoisonError::into_inner);
    let games = measured.stored.len();
    let rate = games as f64 / begun.elapsed().as_secs_f64();
    println!("{games} results stored, {rate:.1} a second, {} sent again", measured.again);
    show("a pair was waited for", &mut measured.fetched);
    show("a result was stored after", &mut measured.stored);
    Ok(())
}

fn show(what: &str, times: &mut [Duration]) {
    times.sort_unstable();
    let at =
        |share: f64| times.get(((times.len() as f64 - 1.0) * share) as usize).copied().unwrap_or_default();
    println!("{what}: median {:?}, 99 % {:?}, longest {:?}", at(0.5), at(0.99), at(1.0));
}

async fn work(
    client: Client,
    names: Subjects,
    number: u64,
    length: Duration,
    measured: Arc<Mutex<Measured>>,
) -> Result<()> {
    let id = format!("anyone.simulated{number}");
    join(&client, &names, &id).await?;
    // Spread over time, like real games.
    tokio::time::sleep(length.mul_f64((number % 97) as f64 / 97.0)).await;
    let mut context = jetstream::new(client.clone());
    context.set_timeout(Duration::from_secs(30));
    let consumer: PullConsumer =
        context.get_consumer_from_stream(names.consumer(), names.stream()).await.context("no consumer")?;
    let mut random = Random(number);
    loop {
        let asked = Instant::now();
        let mut batch = consumer.batch().max_messages(1).expires(Duration::from_secs(5)).messages().await?;
        let Some(Ok(message)) = batch.next().await else { continue };
        let waited = asked.elapsed();
        measured.lock().unwrap_or_else(PoisonError::into_inner).fetched.push(waited);
        let work = decode::<WorkMessage>(&message.payload)?.to_work(2)?;
        let Some(Response::Games { games }) =
            ask(&client, &names, &id, WorkerRequest::Take { pair: work.pair }).await
        else {
            continue;
        };
        for opened in work.games.iter().filter(|opened| games.contains(&opened.game.number)) {
            tokio::time::sleep(length).await;
            let record = Box::new(RecordMessage::from(&random_game(opened, length, &mut random)));
            let question = WorkerRequest::Result { pair: work.pair, game: opened.game.number, record };
            let sent = Instant::now();
            while ask(&client, &names, &id, question.clone()).await != Some(Response::Stored) {
                measured.lock().unwrap_or_else(PoisonError::into_inner).again += 1;
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
            measured.lock().unwrap_or_else(PoisonError::into_inner).stored.push(sent.elapsed());
        }
        let _ = message.ack_with(AckKind::Ack).await;
    }
}

async fn join(client: &Client, names: &Subjects, id: &str) -> Result<()> {
    let engine = BinaryReport { name: "Random".to_owned(), author: String::new(), sha256: "0".repeat(64) };
    let introduction = MachineReport {
        name: id.to_owned(),
        program: "simulation".to_owned(),
        cpu: String::new(),
        cores: 1,
        slots: 1,
        speed: 1_000_000,
        engines: vec![engine.clone(), engine],
    };
    let Some(Response::Config(config)) = ask(client, names, id, WorkerRequest::Config).await else {
        bail!("no configuration");
    };
    let question = WorkerRequest::Join { config: config.digest(), machine: Box::new(introduction) };
    match ask(client, names, id, question).await {
        Some(Response::Welcome { .. }) => Ok(()),
        other => bail!("not welcome: {other:?}"),
    }
}

async fn ask(client: &Client, names: &Subjects, id: &str, question: WorkerRequest) -> Option<Response> {
    let bytes = encode(&question).ok()?;
    // Replies go to the worker's own inbox.
    let reply = format!("_INBOX.{id}.{}", client.new_inbox());
    let request = async_nats::Request::new().payload(bytes.into()).inbox(reply);
    let answer = client.send_request(names.ask(id), request);
    let answer = tokio::time::timeout(Duration::from_secs(10), answer).await;
    decode(&answer.ok()?.ok()?.payload).ok()
}

/// A game of random moves; a side resigns at its end unless it is over before.
fn random_game(opened: &OpenedGame, length: Duration, random: &mut Random) -> GameRecord {
    let mode = CastlingMode::of(&opened.opening.position);
    let mut game = Game::new(opened.opening.position);
    let mut plies = Vec::new();
    for &mv in &opened.opening.moves {
        plies.push(PlyRecord { mv: UciMove::from_move(mv, mode), search: None });
        game.play(mv).expect("openings are legal");
    }
    while plies.len() < opened.opening.moves.len() + PLIES && game.ending(DrawClaims::Automatic).is_none() {
        let mv = *random.choose(&game.position().legal_moves());
        let search = SearchRecord {
            score: Some(Score::Centipawns(37)),
            depth: Some(12),
            nodes: Some(123_456),
            elapsed: length / (2 * PLIES as u32),
            ..SearchRecord::default()
        };
        plies.push(PlyRecord { mv: UciMove::from_move(mv, mode), search: Some(search) });
        game.play(mv).expect("it is one of the legal moves");
    }
    let given_up = Outcome::Win(game.position().turn().opposite());
    let (outcome, termination) = game
        .ending(DrawClaims::Automatic)
        .map_or((given_up, Termination::Resignation), |ending| (ending.outcome(), ending.into()));
    GameRecord {
        game: opened.game,
        fen: opened.opening.fen.clone(),
        plies,
        outcome,
        termination,
        started: SystemTime::now(),
        duration: length,
        fault: None,
        peak_memory: [None; 2],
        machine: None,
    }
}
