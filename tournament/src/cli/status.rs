//! `status`: progress, speed and faults of a run, which may be in progress.

use std::path::{Path, PathBuf};

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use smalt_report::format;

use super::exit::{Exit, Refusal};
use super::output::{is_standard_output, print, write_json};
use super::stored_run::{read_run, refuse_store};
use super::view::count;
use smalt_match::game::{BinaryReport, MachineReport};
use smalt_match::progress::{Pace, RunState, is_paused};
use smalt_match::standings::{MachineResults, SIGNIFICANCE, Standings, report};
use smalt_match::store::{Store, StoreUse, StoredFault, StoredSession};
use smalt_report::sanitize::sanitize;
use smalt_report::sanitize::sanitize_lines;
use smalt_workbench::calendar::UtcTime;

/// Number of faults shown by default.
const MAX_FAULTS: usize = 20;

#[derive(Args, Clone, Debug)]
pub(super) struct StatusFlags {
    /// Store of the run
    #[arg(value_name = "RUN.db")]
    store: PathBuf,
    /// Print every fault
    #[arg(long)]
    faults: bool,
    /// Print the last lines of the protocol before each fault
    #[arg(long)]
    transcripts: bool,
    /// JSON file of the status (`-`: standard output)
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// The status of a run.
#[derive(Serialize, JsonSchema)]
pub(super) struct StatusJson<'a> {
    /// State of the run.
    state: RunState,
    /// Whether it is paused.
    is_paused: bool,
    /// Maximum number of concurrent games; null if it is not running, or runs on other machines.
    concurrency: Option<u32>,
    /// Process of the runner; null if it is not running.
    pid: Option<u32>,
    /// Number of games in the store.
    games_finished: u64,
    /// Number of games of the whole run.
    games_planned: u32,
    /// Number of games skipped because a player is disqualified.
    games_left_out: u64,
    /// Games an hour of the present session; null before its first games.
    games_per_hour: Option<f64>,
    /// Estimated seconds to the end; null if unknown.
    seconds_left: Option<f64>,
    /// The faults of engines, in the order of the games.
    faults: Vec<FaultJson<'a>>,
    /// The remote machines.
    machines: &'a [MachineJson<'a>],
}

/// A remote machine and its number of games.
#[derive(Serialize, JsonSchema)]
struct MachineJson<'a> {
    /// Name of the worker.
    name: &'a str,
    /// Version of its program.
    program: &'a str,
    /// Model of the processor.
    cpu: &'a str,
    /// Number of processors.
    cores: u32,
    /// Number of concurrent games.
    slots: u32,
    /// Nodes per second of its benchmark.
    nps: u64,
    /// Number of games that it played.
    games: u64,
    /// Chi-square of its results against all other machines; null if incomparable.
    residual: Option<f64>,
    /// p-value of that statistic.
    residual_p: Option<f64>,
    /// Programs of the engines on it.
    binaries: Vec<BinaryJson<'a>>,
}

/// A program of an engine on a machine.
#[derive(Serialize, JsonSchema)]
struct BinaryJson<'a> {
    /// Name of the engine.
    engine: &'a str,
    /// Name that the engine reports.
    id: &'a str,
    /// SHA-256 of the program, in hexadecimal.
    sha256: &'a str,
}

/// A fault of an engine.
#[derive(Serialize, JsonSchema)]
struct FaultJson<'a> {
    /// Number of the game, from 1; null between games.
    game: Option<u32>,
    /// Name of the engine.
    engine: &'a str,
    /// Name of the fault.
    name: &'a str,
    /// Description of the fault, which follows the engine's name.
    words: &'a str,
}

/// Prints the status of a run.
pub(super) fn status(flags: &StatusFlags) -> Result<Exit, Refusal> {
    let path = &flags.store;
    // Declared before the store, so that it is dropped after it.
    let occupancy = StoreUse::of(path);
    let store = Store::read(path).map_err(refuse_store)?;
    let standings = count(&store)?;
    let games = MachineResults::read(&store).map_err(refuse_store)?;
    let machines = store.machines().map_err(refuse_store)?;
    let machines: Vec<_> = machines.iter().map(|found| machine(found, &games, &standings)).collect();
    let state = RunState::of(occupancy.is_in_use(), &standings);
    let session = store.latest_session().map_err(refuse_store)?;
    let speed = session.and_then(|session| Pace::of(&session, state, &standings));
    let mut faults = Vec::new();
    store.for_each_fault(|fault| faults.push(fault)).map_err(refuse_store)?;
    if let Some(file) = &flags.json {
        let running = session.filter(|_| state == RunState::Running);
        write_json(
            file,
            &StatusJson { machines: &machines, ..to_json(state, running, speed, &standings, &faults) },
        )?;
        if is_standard_output(file) {
            return Ok(Exit::Done);
        }
    }
    let mut text = format!("{}, {}\n", report::games(&standings), state_text(state, session.as_ref(), path));
    text.push_str(&disqualified_text(&standings));
    text.push_str(&speed_text(speed, state));
    text.push_str(&standings.test().map(|test| report::test(&test)).unwrap_or_default());
    text.push_str(&report::unpaired(&standings).unwrap_or_default());
    for (entrant, own_name) in store.engines().map_err(refuse_store)? {
        text.push_str(&format!("  {}: {own_name}\n", name(&standings, entrant)));
    }
    text.push_str(&machines_text(&machines));
    let plan = read_run(&store)?.plan;
    // Without an address the run has its own server, for its ssh hosts.
    let fleet = plan.fleet().filter(|fleet| state == RunState::Running && fleet.nats.is_some());
    if let Some(fleet) = fleet {
        let words = if machines.is_empty() { "No worker has played yet; start one" } else { "More workers" };
        text.push_str(&format!("{words}: smalt-tournament worker --nats {}\n", fleet.url()));
    }
    text.push_str(&report::terminations(&standings));
    text.push_str(&faults_text(&faults, &standings, flags));
    print(&sanitize_lines(&text))?;
    Ok(Exit::Done)
}

fn name(standings: &Standings, entrant: usize) -> &str {
    standings.entrants().get(entrant).map_or("?", |tally| tally.name.as_str())
}

fn to_json<'a>(
    state: RunState,
    running: Option<StoredSession>,
    speed: Option<Pace>,
    standings: &'a Standings,
    faults: &'a [StoredFault],
) -> StatusJson<'a> {
    let fault = |StoredFault { game, fault }: &'a StoredFault| FaultJson {
        game: game.map(|number| number + 1),
        engine: name(standings, fault.entrant),
        name: &fault.name,
        words: &fault.words,
    };
    StatusJson {
        state,
        is_paused: running.is_some_and(|session| session.is_paused),
        concurrency: running.map(|session| session.slots).filter(|slots| *slots > 0),
        pid: running.map(|session| session.pid),
        games_finished: standings.games_finished(),
        games_planned: standings.games_planned(),
        games_left_out: standings.games_skipped(),
        games_per_hour: speed.map(|speed| speed.games_per_hour),
        seconds_left: speed.and_then(|speed| speed.left).map(|left| left.as_secs_f64()),
        faults: faults.iter().map(fault).collect(),
        machines: &[],
    }
}

fn machine<'a>(
    found: &'a MachineReport,
    games: &MachineResults,
    standings: &'a Standings,
) -> MachineJson<'a> {
    let binary = |(entrant, engine): (usize, &'a BinaryReport)| BinaryJson {
        engine: name(standings, entrant),
        id: &engine.name,
        sha256: &engine.sha256,
    };
    let residual = games.residual_of(&found.name);
    MachineJson {
        name: &found.name,
        program: &found.program,
        cpu: &found.cpu,
        cores: found.cores,
        slots: found.slots,
        nps: found.speed,
        games: games.games_of(&found.name),
        residual: residual.map(|residual| residual.chi_square),
        residual_p: residual.map(|residual| residual.p),
        binaries: found.engines.iter().enumerate().map(binary).collect(),
    }
}

fn machines_text(machines: &[MachineJson<'_>]) -> String {
    let mut text = String::new();
    for machine in machines {
        text.push_str(&format!(
            "On {}: {}, concurrency {}, {}, {} nodes/s, {} ({})\n",
            machine.name,
            format::count(machine.games as usize, "game"),
            machine.slots,
            format::count(machine.cores as usize, "core"),
            format::grouped(machine.nps.cast_signed()),
            machine.cpu,
            machine.program
        ));
        if let Some((residual, p)) =
            machine.residual.zip(machine.residual_p).filter(|(_, p)| *p < SIGNIFICANCE)
        {
            text.push_str(&format!(
                "    Its results differ significantly from those of the other machines: chi-square {residual:.1}, p = {p:.1e}\n"
            ));
        }
        for binary in &machine.binaries {
            let digest = binary.sha256.get(..16).unwrap_or_default();
            text.push_str(&format!("    {}: {}, SHA-256 {digest}…\n", binary.engine, binary.id));
        }
    }
    text
}

fn state_text(state: RunState, session: Option<&StoredSession>, path: &Path) -> String {
    match (state, session) {
        (RunState::Running, Some(session)) => format!(
            "{} (process {}, {}, since {})",
            if is_paused(session, state) { "paused".to_owned() } else { state.to_string() },
            session.pid,
            match session.slots {
                0 => "on other machines".to_owned(),
                slots => format!("concurrency {slots}"),
            },
            UtcTime::of(session.started).pgn_time()
        ),
        (RunState::Stopped, _) => {
            format!("{state}; resume with: smalt-tournament resume {}", path.display())
        }
        (state, _) => state.to_string(),
    }
}

/// Disqualified entrants and skipped games.
fn disqualified_text(standings: &Standings) -> String {
    let mut text = String::new();
    for (&entrant, words) in standings.disqualified() {
        text.push_str(&report::absence(name(standings, entrant), words));
        text.push('\n');
    }
    match standings.games_skipped() {
        0 => {}
        games => text.push_str(&format!("{games} games are skipped; `resume` plays them\n")),
    }
    text
}

fn speed_text(speed: Option<Pace>, state: RunState) -> String {
    let Some(speed) = speed else { return String::new() };
    let rate = format::grouped(speed.games_per_hour.round() as i64);
    match state {
        RunState::Running if let Some(left) = speed.left => {
            format!("{rate} games/h, {} left\n", format::duration(left))
        }
        RunState::Stopped if let Some(left) = speed.left.filter(|left| !left.is_zero()) => {
            format!("{rate} games/h before; that is {} for the rest\n", format::duration(left))
        }
        _ => format!("{rate} games/h\n"),
    }
}

fn faults_text(faults: &[StoredFault], standings: &Standings, flags: &StatusFlags) -> String {
    let listed = if flags.faults || flags.transcripts { faults.len() } else { faults.len().min(MAX_FAULTS) };
    let mut text = String::new();
    for StoredFault { game, fault } in &faults[..listed] {
        let place = game.map_or_else(|| "Between games".to_owned(), |number| format!("Game {}", number + 1));
        text.push_str(&format!("{place}: {} {}\n", name(standings, fault.entrant), sanitize(&fault.words)));
        if flags.transcripts {
            fault.transcript.iter().for_each(|line| text.push_str(&format!("    {}\n", sanitize(line))));
        }
    }
    if listed < faults.len() {
        text.push_str(&format!("and {} more: --faults\n", faults.len() - listed));
    }
    text
}
