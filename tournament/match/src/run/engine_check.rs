//! Tries engines before a run begins: a misspelled option, or a limit that an engine cannot be held to, is found before the
//! first game and not in it. An engine that fails otherwise is left to the run.

use std::path::Path;

use smalt_driver::Protocol;
use smalt_driver::{ConversationError, Fault, SetOptionError, WaitContext};

use super::slot::{command, engine_timeouts};
use crate::plan::{BadOptions, Entrant, Plan};

/// Why a run with this engine would not be what was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnfitEngine {
    /// It has no such option, or not of that value.
    #[error("entrant {name:?}: failed to {error}")]
    Option {
        /// The entrant's name.
        name: String,
        /// What is wrong.
        error: SetOptionError,
    },
    /// It cannot be held to the limit.
    #[error("entrant {name:?} {fault}")]
    Limit {
        /// The entrant's name.
        name: String,
        /// What is wrong.
        fault: Fault,
    },
}

/// Starts each engine of which something has to be found out, once.
///
/// # Errors
/// The first engine that does not fit.
pub fn check_engines(plan: &Plan, own_program: &Path) -> Result<(), UnfitEngine> {
    plan.entrants.iter().try_for_each(|entrant| check_engine(entrant, plan, own_program))
}

fn check_engine(entrant: &Entrant, plan: &Plan, own_program: &Path) -> Result<(), UnfitEngine> {
    let has_options =
        !entrant.engine.options.is_empty() && plan.settings.run.bad_options == BadOptions::Fault;
    let may_lack_limit = entrant.clock.nodes.is_some() && entrant.engine.proto != Protocol::Uci;
    if !has_options && !may_lack_limit {
        return Ok(());
    }
    let context = &mut WaitContext::none();
    let command = command(entrant, own_program);
    let started = smalt_driver::start(
        &command,
        entrant.engine.proto,
        engine_timeouts(&plan.settings.timeouts),
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
