//! Formats search progress as UCI `info` lines.

use smalt_chess::{CastlingMode, Move, UciMove};
use smalt_protocol::uci::EngineMessage;
use smalt_protocol::{Info, Moves, Wdl};

use crate::bench::per_second;
use crate::engine::Choice;
use crate::search::score::is_mate;
use crate::search::{Progress, PvLine};
use crate::serve::output::Output;
use crate::serve::settings::Settings;

/// Sends an `info` line for each PV (MultiPV).
pub(super) fn send_info(output: &Output, settings: &Settings, progress: &Progress) {
    for (index, line) in progress.lines.iter().enumerate() {
        let pv: Vec<UciMove> =
            line.moves.iter().map(|&mv| UciMove::from_move(mv, settings.castling)).collect();
        output.send(EngineMessage::Info(Info {
            depth: Some(progress.depth.unsigned_abs()),
            selective_depth: Some(line.selective_depth as u32),
            multipv: Some(index as u32 + 1),
            score: Some(line.reported()),
            wdl: settings.shows_wdl.then(|| chances(line)),
            nodes: Some(progress.nodes),
            nps: Some(per_second(progress.nodes, progress.time)),
            hashfull: Some(progress.hashfull),
            tbhits: Some(progress.tbhits).filter(|&hits| hits > 0),
            time: Some(progress.time),
            pv: Moves::from_slice(&pv),
            ..Info::default()
        }));
    }
}

/// Sends `bestmove`; `(none)` if the game is over.
pub(super) fn send_bestmove(output: &Output, castling: CastlingMode, choice: Choice) {
    use smalt_protocol::uci::engine::BestMove;
    let text = |mv: Move| UciMove::from_move(mv, castling);
    let best = choice.best.map_or(BestMove::None, |mv| BestMove::Move(text(mv)));
    output.send(EngineMessage::BestMove { best, ponder: choice.ponder.map(text) });
}

/// Score in centipawns that wins half of the games and draws the other half. An estimate, not fitted to games.
const EVEN_WIN: f64 = 130.0;
/// Scale of the logistic curve, in centipawns. Also an estimate.
const SPREAD: f64 = 65.0;

/// Win, draw and loss probabilities from a logistic model of the score.
fn chances(line: &PvLine) -> Wdl {
    let thousandths = |score: f64| (1000.0 / (1.0 + ((EVEN_WIN - score) / SPREAD).exp())).round() as u32;
    let score = match line.score {
        mate if is_mate(mate) => f64::from(mate.signum()) * 1e6,
        score => f64::from(score),
    };
    let (win, loss) = (thousandths(score), thousandths(-score));
    Wdl { win, draw: 1000 - (win + loss).min(1000), loss }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::score::mated_in;
    use smalt_protocol::Bound;

    #[test]
    fn chances_add_up_and_follow_the_score() {
        let of =
            |score| chances(&PvLine { score, bound: Bound::Exact, moves: Vec::new(), selective_depth: 0 });
        for score in (-2000..=2000).step_by(7) {
            let Wdl { win, draw, loss } = of(score);
            assert_eq!(win + draw + loss, 1000);
            let Wdl { win: opposite_win, loss: opposite_loss, .. } = of(-score);
            assert_eq!((win, loss), (opposite_loss, opposite_win));
        }
        assert_eq!(of(mated_in(4)), Wdl { win: 0, draw: 0, loss: 1000 });
    }
}
