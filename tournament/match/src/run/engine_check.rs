//! Starts engines once before a run: finds a misspelled option, or a limit that an engine does not support, before
//! the first game. Other failures are handled during the run.

use std::path::Path;

use smalt_driver::{ConversationError, Fault, Protocol, SetOptionError, StartFailure, WaitContext};

use super::engine_command::{engine_command, engine_timeouts};
use crate::plan::{BadOptions, Entrant, Plan};

/// Why an engine is incompatible with the plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnfitEngine {
    /// Unknown option or invalid value.
    #[error("engine {name:?}: failed to {error}")]
    Option { name: String, error: SetOptionError },
    /// The engine does not support the limit.
    #[error("engine {name:?} {fault}")]
    Limit { name: String, fault: Fault },
}

/// Starts each engine that needs a check, once.
///
/// # Errors
/// The first incompatible engine.
pub fn check_engines(plan: &Plan, own_program: &Path) -> Result<(), UnfitEngine> {
    plan.entrants.iter().try_for_each(|entrant| check_engine(entrant, plan, own_program))
}

/// Starts an engine once and quits it.
///
/// # Errors
/// If it does not start.
pub fn check_start(entrant: &Entrant, plan: &Plan, own_program: &Path) -> Result<(), StartFailure> {
    let timeouts = engine_timeouts(&plan.settings.timeouts, entrant);
    let command = engine_command(entrant, own_program);
    smalt_driver::start(&command, entrant.engine.proto, timeouts, None, &mut WaitContext::none())?.quit();
    Ok(())
}

fn check_engine(entrant: &Entrant, plan: &Plan, own_program: &Path) -> Result<(), UnfitEngine> {
    let has_options =
        !entrant.engine.options.is_empty() && plan.settings.run.bad_options == BadOptions::Fault;
    let may_lack_limit = entrant.clock.nodes.is_some() && entrant.engine.proto != Protocol::Uci;
    if !has_options && !may_lack_limit {
        return Ok(());
    }
    let context = &mut WaitContext::none();
    let command = engine_command(entrant, own_program);
    let started = smalt_driver::start(
        &command,
        entrant.engine.proto,
        engine_timeouts(&plan.settings.timeouts, entrant),
        None,
        context,
    );
    let Ok(mut engine) = started else { return Ok(()) };
    let name = || entrant.name.clone();
    for (option, text) in entrant.engine.options.iter().filter(|_| has_options) {
        match engine.set_option(option, text, context) {
            Ok(_) => {}
            Err(SetOptionError::Conversation(_)) => return Ok(()),
            Err(error) => return Err(UnfitEngine::Option { name: name(), error }),
        }
    }
    let fitted = engine.fit_limits(&entrant.clock.kind_of_limits(), None, context);
    engine.quit();
    match fitted {
        Err(ConversationError::Fault(fault @ Fault::NoNodeLimit)) => {
            Err(UnfitEngine::Limit { name: name(), fault })
        }
        Ok(_) | Err(_) => Ok(()),
    }
}
