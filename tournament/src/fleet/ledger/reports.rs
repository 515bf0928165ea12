//! What workers tell without being asked: games that begin, faults and warnings, and that they leave.

use super::members::Hearing;
use super::{Effect, Ledger, notice};
use crate::fleet::wire::Report;
use crate::game::EngineFault;
use crate::run::{Event, Strike};

/// Why a worker is struck off that tells too much.
const FLOOD: &str = "it tells of too many faults and warnings";

impl Ledger {
    pub(super) fn hear(&mut self, worker: &str, report: Report) -> Vec<Effect> {
        match report {
            Report::Alive | Report::Unfit { .. } => Vec::new(),
            Report::Started { game } => {
                let out = self.pair_of.get(&game).and_then(|pair| self.out.get(pair));
                let out = out.filter(|out| out.hold.as_ref().is_some_and(|hold| hold.worker == worker));
                let opened =
                    out.and_then(|out| out.work.games.iter().find(|opened| opened.game.number == game));
                opened.map(|opened| Effect::Tell(Event::GameStarted(opened.game))).into_iter().collect()
            }
            Report::Fault { entrant, .. }
            | Report::Warning { entrant, .. }
            | Report::Unable { entrant, .. }
                if self.engines.name(entrant as usize).is_none() =>
            {
                self.strike(worker, "it tells of no entrant").1
            }
            Report::Fault { entrant, name, words, transcript } => {
                let fault = EngineFault { entrant: entrant as usize, name, words, transcript };
                self.hear_fault(worker, fault)
            }
            Report::Warning { entrant, words } => match self.members.hear(worker) {
                Hearing::Flood => self.strike(worker, FLOOD).1,
                Hearing::Unheard => Vec::new(),
                Hearing::Whole | Hearing::Brief => {
                    vec![Effect::Tell(Event::EngineWarning { entrant: entrant as usize, words })]
                }
            },
            Report::Unable { entrant, times, words } => self.dismiss(worker, entrant as usize, times, &words),
            Report::Leaving => {
                self.farewell(worker).map(|name| notice(format!("{name} has left"))).into_iter().collect()
            }
        }
    }

    /// A fault outside of games cannot be replayed: it is noted, and only of one who has played.
    fn hear_fault(&mut self, worker: &str, mut fault: EngineFault) -> Vec<Effect> {
        let is_proved = self.members.get_mut(worker).is_some_and(|member| member.is_proved);
        match self.members.hear(worker) {
            Hearing::Flood => return self.strike(worker, FLOOD).1,
            Hearing::Unheard => return Vec::new(),
            Hearing::Brief => fault.transcript.clear(),
            Hearing::Whole => {}
        }
        if is_proved { vec![Effect::Tell(Event::FaultElsewhere(fault))] } else { Vec::new() }
    }

    /// A worker that cannot start an engine plays no more. The entrant stays in the run, even if nobody else is there: the
    /// word of one machine is not enough, and others may come.
    fn dismiss(&mut self, worker: &str, entrant: usize, times: u32, words: &str) -> Vec<Effect> {
        let name = self.engines.name(entrant).unwrap_or_default().to_owned();
        self.members.send_away(worker, format!("{name} did not start"));
        let Some(machine) = self.farewell(worker) else { return Vec::new() };
        let strike = Strike::Starts { times: times as usize, words: words.to_owned() };
        vec![notice(format!("{machine} leaves: {name} {strike}"))]
    }

    /// A worker is gone; the name of its machine.
    fn farewell(&mut self, worker: &str) -> Option<String> {
        let name = self.members.remove(worker)?.machine.name;
        if self.engines.doubt(&name) {
            self.vouch_again();
        }
        Some(name)
    }
}
