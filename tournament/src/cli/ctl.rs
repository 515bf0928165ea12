//! `ctl`: controls a run in progress from another terminal, or for the live page.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Sender;

use anyhow::{Context, anyhow};
use clap::{Args, Parser, Subcommand};
use smalt_dashboard::{BoundAddress, PageCommands, PlayOnForm, RunControl};

use super::data::check_made_openings;
use super::exit::{Exit, OrRefuse, Refusal};
use super::intent::{make_absolute, refuse_slots};
use super::output::print_info;
use super::play_page::{PlayPages, StartableEngines};
use super::registry::registry;
use super::stored_run::{read_run, refuse_store};
use super::view::place_of;
use smalt_match::plan::{Plan, Settings, positive};
use smalt_match::run::{ControlCommand, ControlListener, Event, check_engines, check_start};
use smalt_match::store::Store;
use smalt_workbench::entrant::{BUILTIN, join_words};
use smalt_workbench::program::own_program;

pub(super) const EXAMPLES: &str = "\
Examples:
  smalt-tournament ctl run.db pause
  smalt-tournament ctl run.db resume
  smalt-tournament ctl run.db concurrency 2
  smalt-tournament ctl run.db withdraw old-version
  smalt-tournament ctl run.db extend 100
  smalt-tournament ctl run.db add stockfish
  smalt-tournament ctl run.db add \"cmd=./new name=new option.Hash=64\"

The run must be in progress on this machine; it answers within a second. A command is written to RUN.db-ctl, so that anyone with write \
access to it controls the run. `add` and `extend` are for gauntlets, round robins and matches without a sequential test: \
games in progress are finished, then the run continues with the larger plan. A newcomer plays first, until it has as many games as the others. \
To change a run that is not in progress, give flags to `resume`.";

/// Which run, and what it is to do.
#[derive(Args, Clone, Debug)]
pub(super) struct CtlFlags {
    /// Store of the run
    #[arg(value_name = "RUN.db")]
    store: PathBuf,
    /// What the run is to do.
    #[command(subcommand)]
    action: Action,
}

#[derive(Clone, Debug, Subcommand)]
enum Action {
    /// Start no more games; those in progress are finished
    Pause,
    /// Resume a paused run
    #[command(name = "resume", alias = "continue")]
    Continue,
    /// Limit the number of concurrent games, at most to that with which the run was started
    Concurrency {
        /// Number of games
        #[arg(value_parser = positive::<NonZeroUsize>)]
        games: NonZeroUsize,
    },
    /// Withdraw an engine: its games are skipped for this session
    Withdraw {
        /// Name of the engine in the run
        engine: String,
    },
    /// Play further games of each pairing
    Extend {
        /// Number of further games of each pairing, an even one
        #[arg(value_parser = positive::<NonZeroU32>)]
        games: NonZeroU32,
    },
    /// Add an engine; it meets those that it would have met from the start
    Add {
        /// Engine: its name in the registry, or key=value words as for --engine
        #[arg(required = true, value_name = "ENGINE")]
        engine: Vec<String>,
    },
}

/// Listens for commands to the run of this store until the returned value is dropped.
pub(super) fn listen(store: &Path, events: &Sender<Event>) -> Option<ControlListener> {
    let events = events.clone();
    ControlListener::start(store, move |request| events.send(Event::Control(request)).is_ok())
        .map_err(|error| print_info(&format!("Warning: failed to listen to `ctl`: {error}")))
        .ok()
}

/// Sends a command to a run.
pub(super) fn ctl(flags: &CtlFlags) -> Result<Exit, Refusal> {
    let answer = send(&flags.store, &flags.action)?;
    print_info(&format!("{}: {answer}", flags.store.display()));
    Ok(Exit::Done)
}

/// Sends a command to the run of a store; returns its answer.
fn send(path: &Path, action: &Action) -> Result<String, Refusal> {
    let plan = read_run(&Store::read(path).map_err(refuse_store)?)?.plan;
    let command = match action {
        Action::Pause => ControlCommand::Pause,
        Action::Continue => ControlCommand::Continue,
        Action::Concurrency { games } => {
            refuse_slots(true, plan.fleet().is_some())?;
            ControlCommand::Concurrency(games.get())
        }
        Action::Withdraw { engine } => {
            let names: Vec<String> = plan.entrants.iter().map(|entrant| entrant.name.clone()).collect();
            ControlCommand::Withdraw(place_of(engine, &names).or_usage()?)
        }
        Action::Extend { games } => {
            check_made_openings(&plan).or_usage()?;
            plan.extended(*games).or_usage()?;
            ControlCommand::Extend(*games)
        }
        Action::Add { engine } => ControlCommand::Add(newcomer(&plan, engine)?),
    };
    command.send(path).or_failed()
}

/// Settings of a joining engine that starts, as TOML.
fn newcomer(plan: &Plan, words: &[String]) -> Result<String, Refusal> {
    let registry = registry(None)?;
    let words = match words {
        [all] => all.clone(),
        several => join_words(several),
    };
    let engine = registry.parse_engine(&words).with_context(|| format!("{words:?}")).or_usage()?;
    let mut alone =
        Settings { entrants: vec![plan.newcomer(&engine, &registry).or_usage()?], ..Settings::default() };
    make_absolute(&mut alone);
    let engine = alone.entrants.swap_remove(0);
    let grown = plan.joined(engine).or_usage()?;
    let entrant = grown.entrants.last().expect("the newcomer has joined");
    let started = check_start(entrant, &grown, &own_program()?);
    started.with_context(|| format!("start {:?}", entrant.name)).or_usage()?;
    check_engines(&grown, &own_program()?).or_usage()?;
    toml::to_string(&entrant.engine).context("write the settings of the engine").or_failed()
}

/// The commands available to the page at `place`: those of `ctl`, and games played on.
pub(super) fn page_commands(
    suite: Option<&Path>,
    place: &BoundAddress,
    hosts: &[String],
    engines: StartableEngines,
) -> PageCommands {
    let control = PageControl { plays: PlayPages::new(place, hosts, engines) };
    PageCommands { control: Arc::new(control), suite: suite.map(Path::to_owned) }
}

struct PageControl {
    plays: PlayPages,
}

/// A command of a page.
#[derive(Parser)]
#[command(no_binary_name = true, disable_help_flag = true, disable_help_subcommand = true)]
struct PageCommand {
    #[command(subcommand)]
    action: Action,
}

impl RunControl for PageControl {
    fn send(&self, store: &Path, words: &[String]) -> Result<String, String> {
        let refuse = |refusal: Refusal| refusal.to_string();
        if words.is_empty() {
            return Err("no command is given".to_owned());
        }
        let command = PageCommand::try_parse_from(words).map_err(|error| first_line(&error.to_string()))?;
        if let Action::Add { engine } = &command.action {
            check_is_registered(engine).map_err(refuse)?;
        }
        send(store, &command.action).map_err(refuse)
    }

    fn play_on(&self, store: &Path, from: &PlayOnForm) -> Result<String, String> {
        self.plays.play_on(store, from).map_err(|refusal| refusal.to_string())
    }
}

/// A page can start only programs that the user of this machine registered.
fn check_is_registered(engine: &[String]) -> Result<(), Refusal> {
    let registry = registry(None)?;
    match engine {
        [name] if name == BUILTIN || registry.names().any(|known| known == name.as_str()) => Ok(()),
        _ => Err(anyhow!("the page adds engines of the registry only, by name; use `ctl` for others"))
            .or_usage(),
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_gives_the_commands_of_ctl_and_starts_registered_engines_only() {
        let folder = tempfile::tempdir().unwrap();
        let place = BoundAddress::bind(([127, 0, 0, 1], 0).into(), None).unwrap();
        let control = PageControl { plays: PlayPages::new(&place, &[], StartableEngines::Builtin) };
        let send = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
            control.send(&folder.path().join("run.db"), &words).unwrap_err()
        };
        assert!(send(&["pause"]).contains("run.db"), "the command is known, the store is not there");
        assert_eq!(send(&[]), "no command is given");
        assert!(send(&["stop"]).contains("unrecognized subcommand"));
        assert!(send(&["extend", "0"]).contains("invalid value"));
        assert!(send(&["add", "cmd=/bin/sh"]).contains("registry only"));
        assert!(send(&["add", "/bin/sh"]).contains("registry only"));
        assert!(send(&["add", BUILTIN]).contains("run.db"));
    }
}
