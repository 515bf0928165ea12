//! Handles workers' notices: started games, faults, warnings, leaving.

use super::{Effect, FleetState, notice};
use crate::wire::WorkerNotice;
use smalt_match::game::EngineFault;
use smalt_match::run::{Disqualification, Event};

impl FleetState {
    pub(super) fn handle_notice(&mut self, worker: &str, report: WorkerNotice) -> Vec<Effect> {
        match report {
            WorkerNotice::Alive | WorkerNotice::Unfit { .. } => Vec::new(),
            WorkerNotice::Started { game } => self.game_started(worker, game).into_iter().collect(),
            WorkerNotice::Fault { entrant, .. }
            | WorkerNotice::Warning { entrant, .. }
            | WorkerNotice::Unable { entrant, .. }
                if self.engines.name(entrant as usize).is_none() =>
            {
                self.disqualify(worker, "it reports an engine that the run does not have").1
            }
            WorkerNotice::Fault { entrant, name, words, transcript } => {
                let fault = EngineFault { entrant: entrant as usize, name, words, transcript };
                vec![Effect::Send(Event::RemoteFault(fault))]
            }
            WorkerNotice::Warning { entrant, words } => {
                vec![Effect::Send(Event::EngineWarning { entrant: entrant as usize, words })]
            }
            WorkerNotice::Unable { entrant, times, words } => {
                self.unable(worker, entrant as usize, times, words)
            }
            WorkerNotice::Leaving => {
                let member = self.members.remove(worker);
                member.map(|member| notice(format!("{} has left", member.machine.name))).into_iter().collect()
            }
        }
    }

    /// A started game, reported once by the worker with the lease.
    fn game_started(&mut self, worker: &str, game: u32) -> Option<Effect> {
        let out = self.out.get_mut(self.pair_of.get(&game)?)?;
        let hold = out.hold.as_mut().filter(|hold| hold.worker == worker && !hold.started.contains(&game))?;
        let opened = out.work.games.iter().find(|opened| opened.game.number == game)?;
        hold.started.push(game);
        Some(Effect::Send(Event::GameStarted(opened.game)))
    }

    /// A worker that cannot start an engine leaves. The entrant stays in the run even without other workers, since
    /// others may join.
    fn unable(&mut self, worker: &str, entrant: usize, times: u32, words: String) -> Vec<Effect> {
        let name = self.engines.name(entrant).unwrap_or_default().to_owned();
        self.members.disqualify(worker, format!("{name} did not start"));
        let Some(member) = self.members.remove(worker) else { return Vec::new() };
        let disqualification = Disqualification::Starts { times: times as usize, words };
        vec![notice(format!("{} leaves: {name} {disqualification}", member.machine.name))]
    }
}
