//! A run that is ready to be played: its programs, its workers and its files.

use std::num::NonZeroUsize;
use std::sync::mpsc::{self, Receiver, Sender};

use anyhow::{Context, anyhow};
use smalt_dashboard::BoundAddress;
use smalt_driver::process::LookupError;
use smalt_match::game::{MachineReport, TablebaseAdjudicator};
use smalt_match::game_file::GameFiles;
use smalt_match::plan::{Entrant, FleetSettings, Plan};
use smalt_match::run::{Binaries, Event, Processors, Queue, engine_command, measure_speed};
use smalt_match::setup::{Prepared, engine_books};
use smalt_match::store::Store;
use smalt_report::format::count;
use smalt_workbench::concurrency::{Concurrent, cores, spare_cores, within_limits};
use smalt_workbench::program::own_program;
use smalt_workbench::source::is_unbuilt;

use super::exit::{Exit, OrRefuse, Refusal};
use super::output::print_info;
use super::registry::registry;
use super::session::Workers;

/// A run whose files exist and whose workers are ready.
pub(super) struct StartedRun {
    pub(super) prepared: Prepared,
    pub(super) pool: WorkerPool,
    pub(super) store: Store,
    pub(super) outputs: Outputs,
    pub(super) binaries: Option<Binaries>,
}

/// Game files and live page of a run.
pub(super) struct Outputs {
    pub(super) games: GameFiles,
    pub(super) page: Option<BoundAddress>,
}

/// Engine programs of a local run.
pub(super) fn own_binaries(plan: &Plan) -> Result<Option<Binaries>, Refusal> {
    if plan.fleet().is_some() {
        return Ok(None);
    }
    let binaries = Binaries::of(plan, &own_program()?);
    Ok(Some(binaries.map_err(|words| anyhow!(words)).or_usage()?))
}

/// Measures this machine for scaled time controls, once: a resumed run keeps the value.
pub(super) fn measure_machine(plan: &mut Plan) -> Result<(), Refusal> {
    if plan.fleet().is_some() || !plan.is_scaled() || plan.settings.clock.measured.is_some() {
        return Ok(());
    }
    let measured = measure_speed(&own_program()?);
    let measured = measured.context("measure the speed of this machine").or_failed()?;
    plan.settings.clock.measured = Some(measured);
    let factors =
        plan.entrants.iter().filter(|entrant| entrant.clock.reference.is_some()).map(|entrant| {
            format!("{} {:.3}", entrant.name, entrant.clock.factor(plan.settings.clock.measured))
        });
    let factors: Vec<String> = factors.collect();
    print_info(&format!("{measured} nodes/s on this machine: clocks are multiplied, {}", factors.join(", ")));
    Ok(())
}

/// Locates engines of a local run; names a distributed run.
pub(super) fn check_location(plan: &mut Plan) -> Result<(), Refusal> {
    if plan.fleet().is_none() {
        return locate_engines(plan);
    }
    if plan.settings.output.log.is_some() {
        let words = "--log: transcripts are kept where the games are played: leave it out with --nats and --ssh, and give it to workers";
        return Err(Refusal { exit: Exit::Usage, error: anyhow!(words) });
    }
    #[cfg(feature = "nats")]
    super::fleet::name_run(plan)?;
    Ok(())
}

/// Checks that every engine program exists; commits of a bisection are built later.
fn locate_engines(plan: &Plan) -> Result<(), Refusal> {
    let own_program = own_program()?;
    for entrant in plan.entrants.iter().filter(|entrant| !is_unbuilt(&entrant.engine)) {
        let located = engine_command(entrant, &own_program).locate();
        let refused =
            |error| anyhow!("engine {:?}: failed to {error}{}", entrant.name, hint(entrant, &error));
        located.map_err(refused).or_usage()?;
    }
    Ok(())
}

/// The registry name, or `builtin`, that a misspelled command may have meant.
fn hint(entrant: &Entrant, error: &LookupError) -> String {
    let command = entrant.engine.cmd.as_deref().filter(|command| !command.contains(std::path::is_separator));
    match (command, error) {
        (Some(command), LookupError::NotFound { hint: None, .. }) => {
            let registry = registry(None).unwrap_or_default();
            let name = registry.nearest_name(command).filter(|name| *name != command);
            name.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
        }
        _ => String::new(),
    }
}

/// The workers of a run and their events.
pub(super) struct WorkerPool {
    pub(super) players: Workers,
    pub(super) events: (Sender<Event>, Receiver<Event>),
}

impl WorkerPool {
    /// Prepares the workers; `known` lists machines of earlier sessions.
    pub(super) fn of(prepared: &Prepared, known: &[MachineReport]) -> Result<WorkerPool, Refusal> {
        let plan = &prepared.plan;
        let tablebases = plan.tablebases().map(TablebaseAdjudicator::open).transpose().or_usage()?;
        let books = engine_books(plan).or_usage()?;
        let events = mpsc::channel();
        let players = match plan.fleet() {
            Some(fleet) => Workers::Remote(connect(plan, fleet, tablebases, known, &events.0)?),
            None => {
                let width = plan.threads_of_a_game();
                let games = Concurrent::Games { threads: width };
                let slots =
                    within_limits(slots(prepared), games, &mut print_info).context("play").or_usage()?;
                let processors = Processors::assign(&plan.settings.run.affinity, slots, width).or_usage()?;
                Workers::Local { slots, processors, tablebases, books }
            }
        };
        Ok(WorkerPool { players, events })
    }
}

/// Connects to the NATS server.
fn connect(
    plan: &Plan,
    fleet: &FleetSettings,
    tablebases: Option<TablebaseAdjudicator>,
    known: &[MachineReport],
    events: &Sender<Event>,
) -> Result<Box<dyn Queue>, Refusal> {
    #[cfg(feature = "nats")]
    return Ok(Box::new(super::fleet::start(plan, fleet, tablebases, known, events)?));
    #[cfg(not(feature = "nats"))]
    {
        let _ = (plan, fleet, tablebases, known, events);
        Err(Refusal { exit: Exit::Usage, error: anyhow!("--nats: this program was built without NATS") })
    }
}

/// Number of slots: cores less one unless set, and at most the number of pairs.
fn slots(prepared: &Prepared) -> usize {
    let cores = cores();
    let wanted = prepared.plan.settings.run.concurrency.map_or_else(spare_cores, NonZeroUsize::get);
    if wanted > cores {
        print_info(&format!(
            "Warning: concurrency {wanted} on {}: engines will wait for each other",
            count(cores, "core")
        ));
    }
    wanted.min(prepared.schedule.pairs().max(1) as usize)
}
