//! The lines of c-chess-cli.

use smalt_match::game::{GameRecord, Termination, TerminationKind};
use smalt_match::schedule::ScheduledGame;
use smalt_match::standings::Standings;
use smalt_stats::Verdict;

use super::reports::score_words;
use super::{CompatOutput, Level};

impl CompatOutput {
    /// Assigns a slot number, from 1, to a game that starts.
    pub(super) fn take_slot(&mut self, game: &ScheduledGame) -> usize {
        let free = self.slots.iter().position(Option::is_none).unwrap_or(self.slots.len());
        if free == self.slots.len() {
            self.slots.push(None);
        }
        self.slots[free] = Some(game.number);
        free + 1
    }

    /// Frees the slot of a finished game and returns its number; 0 without a slot.
    pub(super) fn leave_slot(&mut self, game: &ScheduledGame) -> usize {
        let slot = self.slots.iter().position(|running| *running == Some(game.number));
        slot.map_or(0, |slot| {
            self.slots[slot] = None;
            slot + 1
        })
    }

    /// The score of the pairing, the state of the test, and at intervals all scores.
    pub(super) fn c_chess_cli_scores(&mut self, record: &GameRecord, standings: &Standings) {
        let (white, black) = (record.game.white, record.game.black);
        let met = (white.min(black), white.max(black));
        let mut text = format!("Score of {}", self.pairing_line(met));
        if let Some(test) = standings.test() {
            let bounds = test.sprt.bounds();
            let says = match test.verdict {
                Verdict::Continue => "",
                Verdict::AcceptH0 => ". H0 accepted.",
                Verdict::AcceptH1 => ". H1 accepted.",
            };
            text.push_str(&format!(
                "SPRT: LLR = {:.3} [{:.3},{:.3}]{says}\n",
                test.llr, bounds.lower, bounds.upper
            ));
        }
        if !self.is_duel() && self.finished.is_multiple_of(u64::from(self.games_of_pairing)) {
            text.push_str("Tournament update:\n");
            self.scores.keys().for_each(|&pairing| text.push_str(&self.pairing_line(pairing)));
        }
        self.print(&text);
    }

    /// `A vs B: 1 - 0 - 2  [0.667] 3`
    fn pairing_line(&self, (first, second): (usize, usize)) -> String {
        let results = self.scores.get(&(first, second)).map(|score| score.games).unwrap_or_default();
        format!("{} vs {}: {}\n", self.names[first], self.names[second], score_words(results))
    }

    /// Appends the samples of a game.
    pub(super) fn write_samples(&mut self, record: &GameRecord) {
        let written = self.sampler.as_mut().map_or(Ok(()), |sampler| sampler.write(record));
        if let Err(error) = written {
            self.warn(Level::Err, &format!("Warning: write the samples: {error}"));
        }
    }
}

/// The ending in c-chess-cli's words.
pub(super) fn reason(termination: Termination) -> &'static str {
    match termination {
        Termination::Repetition => "3-fold repetition",
        Termination::FiftyMoves => "50 moves rule",
        Termination::Checkmate | Termination::Stalemate | Termination::InsufficientMaterial => {
            termination.name()
        }
        _ if termination.kind() == TerminationKind::Move => "rules infraction",
        _ => termination.pgn_word(),
    }
}
