//! Plays a prepared run until it ends, or until a command enlarges it.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

use anyhow::{Context, anyhow};
use smalt_dashboard::{LiveBoard, Publisher};
use smalt_match::game::{GameObserver, TablebaseAdjudicator};
use smalt_match::game_file::GameFiles;
use smalt_match::opening::EngineBook;
use smalt_match::plan::Plan;
use smalt_match::run::{
    Binaries, Coordinator, Event, LocalWorkers, Processors, Queue, RunEnd, RunError, RunEvent, RunObserver,
    SessionState, SlotConfig,
};
use smalt_match::setup::Prepared;
use smalt_match::standings::Standings;
use smalt_match::store::Store;
use smalt_workbench::program::{own_program, start_reaper};

use super::compat::output::CompatOutput;
use super::display::Display;
use super::events::EventWriter;
use super::exit::{Exit, OrRefuse, Refusal};
use super::output::print_info;
use super::output_style::OutputStyle;
use super::stored_run::refuse_store;

/// The workers of a session.
pub(super) enum Workers {
    /// Local slots, their processors, and tablebases.
    Local {
        slots: usize,
        processors: Processors,
        tablebases: Option<TablebaseAdjudicator>,
        /// Books of the entrants' own.
        books: Vec<Option<EngineBook>>,
    },
    Remote(Box<dyn Queue>),
}

/// A prepared run with its workers.
pub(super) struct Session {
    pub(super) prepared: Prepared,
    pub(super) players: Workers,
    pub(super) store: Store,
    pub(super) games: GameFiles,
    pub(super) binaries: Option<Binaries>,
}

impl Session {
    /// Plays until the run ends or grows; `state` comes from the session before it grew. Returns its plan, and whether all events
    /// were written, too.
    pub(super) fn play(
        self,
        (sender, events): &(Sender<Event>, Receiver<Event>),
        style: &OutputStyle,
        state: Option<SessionState>,
    ) -> Result<(Plan, RunEnd, Result<(), Refusal>), Refusal> {
        let Session { prepared, players, store, games, binaries } = self;
        let plan = &prepared.plan;
        let path = store.path().to_owned();
        let mut boards = Vec::new();
        let mut queue: Box<dyn Queue> = match players {
            Workers::Remote(queue) => queue,
            Workers::Local { slots, processors, tablebases, books } => {
                let terms = SlotConfig::of(
                    plan,
                    plan.settings.clock.measured,
                    tablebases,
                    &own_program()?,
                    start_reaper(),
                );
                boards = std::iter::repeat_with(Arc::<LiveBoard>::default).take(slots).collect();
                let observers =
                    boards.iter().map(|board| Arc::clone(board) as Arc<dyn GameObserver>).collect();
                let terms = SlotConfig { observers, binaries, books, ..terms };
                let local = LocalWorkers::start(slots, &Arc::new(terms), sender, processors);
                Box::new(local.context("start threads").or_failed()?)
            }
        };
        let mut display = observers(plan, &store, style)?;
        match Publisher::start(&path, boards) {
            Ok(publisher) => display.others.push(Box::new(publisher)),
            Err(error) => print_info(&format!("Warning: failed to show the games in progress: {error}")),
        }
        let coordinator = Coordinator::new(&prepared, store, &mut *queue, &mut display, games);
        let mut coordinator = coordinator.map_err(refuse_run)?;
        if let Some(state) = state {
            coordinator = coordinator.carry_on(state);
        }
        let end = coordinator.run(events).map_err(|error| {
            let refusal = refuse_run(error);
            let advice = format!("resume with: smalt-tournament resume {}", path.display());
            Refusal { error: anyhow!("{refusal}; {advice}"), ..refusal }
        })?;
        Ok((prepared.plan, end, display.events.map_or(Ok(()), EventWriter::finish)))
    }
}

/// The display, and the event file if requested.
fn observers(plan: &Plan, store: &Store, style: &OutputStyle) -> Result<Observers, Refusal> {
    let display: Box<dyn RunObserver> = match style {
        OutputStyle::Native(verbosity) => Box::new(Display::new(plan, store.path(), *verbosity)),
        OutputStyle::Compat(shown) => {
            let mut output = CompatOutput::new(plan, (**shown).clone());
            store.for_each_game(|record| output.count_earlier(&record)).map_err(refuse_store)?;
            Box::new(output)
        }
    };
    let mut events = None;
    if let Some(path) = &plan.settings.output.events {
        let names = plan.entrants.iter().map(|entrant| entrant.name.clone()).collect();
        let opened = EventWriter::open(path, names, plan.settings.output.rating_interval);
        events = Some(opened.with_context(|| format!("write {}", path.display())).or_failed()?);
    }
    Ok(Observers { others: vec![display], events })
}

struct Observers {
    events: Option<EventWriter>,
    others: Vec<Box<dyn RunObserver>>,
}

impl RunObserver for Observers {
    fn on_event(&mut self, event: &RunEvent<'_>, standings: &Standings) {
        self.others.iter_mut().for_each(|observer| observer.on_event(event, standings));
        if let Some(events) = &mut self.events {
            events.on_event(event, standings);
        }
    }
}

fn refuse_run(error: RunError) -> Refusal {
    match error {
        RunError::Store(error) => refuse_store(error),
        other => Refusal { exit: Exit::Failed, error: other.into() },
    }
}
