//! User commands to a running run.

use std::num::NonZeroU32;

use super::{Coordinator, RunError, SessionState};
use crate::plan::{EngineSettings, GrowthError, Plan};
use crate::run::control::{ControlAnswer, ControlCommand};
use crate::run::event::{Disqualification, RunEvent};

impl Coordinator<'_> {
    /// Continues the session of the previous coordinator after the run has grown.
    #[must_use]
    pub fn carry_on(mut self, state: SessionState) -> Self {
        let SessionState { is_paused, concurrency, faults, disqualified } = state;
        self.goes_on = true;
        self.is_paused = is_paused;
        self.concurrency = concurrency;
        self.disqualified = disqualified;
        self.faults.iter_mut().zip(faults).for_each(|(now, before)| *now = before);
        self
    }

    pub(super) fn state(&self) -> SessionState {
        SessionState {
            is_paused: self.is_paused,
            concurrency: self.concurrency,
            faults: self.faults.clone(),
            disqualified: self.disqualified.clone(),
        }
    }

    /// Whether another pair may start.
    pub(super) fn may_start(&self) -> bool {
        let is_held = self.is_paused || self.is_handed_over();
        !is_held && self.concurrency.is_none_or(|most| (self.playing as usize) < most)
    }

    /// Carries out a command.
    pub(super) fn control(&mut self, command: ControlCommand) -> Result<ControlAnswer, RunError> {
        if self.stop.is_some() {
            return Ok(Err("the run is stopping".to_owned()));
        }
        let words = match command {
            ControlCommand::Pause => {
                self.set_pause(true)?;
                "Paused: games in progress are finished, and no others start".to_owned()
            }
            ControlCommand::Continue => {
                self.set_pause(false)?;
                "The run continues".to_owned()
            }
            ControlCommand::Concurrency(games) => {
                let slots = self.queue.slots();
                if slots > 0 && games > slots {
                    return Ok(Err(format!(
                        "the run was started with concurrency {slots}, which is its limit"
                    )));
                }
                self.concurrency = Some(games);
                self.save_session()?;
                format!("At most {games} concurrent games from now on")
            }
            ControlCommand::Withdraw(entrant) => return self.withdraw(entrant),
            ControlCommand::Extend(games) => return self.extend(games),
            ControlCommand::Add(engine) => return self.add_engine(&engine),
        };
        self.notify(&RunEvent::Notice(&words));
        Ok(Ok(words))
    }

    fn set_pause(&mut self, is_paused: bool) -> Result<(), RunError> {
        self.is_paused = is_paused;
        self.save_session()
    }

    /// Records what other programs show of the session.
    fn save_session(&self) -> Result<(), RunError> {
        let slots = self.concurrency.unwrap_or_else(|| self.queue.slots());
        Ok(self.store.update_session(slots, self.is_paused)?)
    }

    fn withdraw(&mut self, entrant: usize) -> Result<ControlAnswer, RunError> {
        let Some(found) = self.prepared.plan.entrants.get(entrant) else {
            return Ok(Err("no such engine plays in this session".to_owned()));
        };
        let name = found.name.clone();
        if let Some(earlier) = self.disqualified.get(&entrant) {
            return Ok(Err(format!("{name} {earlier}")));
        }
        self.disqualify(entrant, Disqualification::Withdrawn)?;
        Ok(Ok(format!("{name} plays no more games in this session")))
    }

    fn extend(&mut self, games: NonZeroU32) -> Result<ControlAnswer, RunError> {
        let words = format!("{games} further games of each pairing");
        self.grow(|plan| plan.extended(games), words)
    }

    fn add_engine(&mut self, engine: &str) -> Result<ControlAnswer, RunError> {
        let settings: EngineSettings = match toml::from_str(engine) {
            Ok(settings) => settings,
            Err(error) => return Ok(Err(error.message().to_owned())),
        };
        let words = format!("{} joins the run", settings.name.as_deref().unwrap_or("An engine"));
        self.grow(|plan| plan.joined(settings), words)
    }

    /// Stores a larger plan. The games in progress are finished; the next coordinator plays the plan.
    fn grow(
        &mut self,
        grow: impl FnOnce(&Plan) -> Result<Plan, GrowthError>,
        words: String,
    ) -> Result<ControlAnswer, RunError> {
        if self.prepared.plan.fleet().is_some() {
            return Ok(Err(
                "a run on other machines cannot grow while it is played: stop it, then `resume --games`"
                    .to_owned(),
            ));
        }
        let plan = match grow(self.grown.as_ref().unwrap_or(&self.prepared.plan)) {
            Ok(plan) => plan,
            Err(error) => return Ok(Err(error.to_string())),
        };
        self.store.change_plan(&plan.settings.to_toml())?;
        self.grown = Some(plan);
        self.notify(&RunEvent::Notice(&words));
        Ok(Ok(words))
    }
}
