//! Formats search progress for xboard.

use smalt_chess::{Move, Position, San};
use smalt_protocol::xboard::engine::Status;
use smalt_protocol::xboard::{EngineMessage, Thinking};

use crate::bench::per_second;
use crate::search::Progress;
use crate::serve::output::Output;

/// Sends the thinking output, one line per PV.
pub(super) fn send_info(output: &Output, position: &Position, progress: &Progress) {
    for line in &progress.lines {
        let pv = write_line(position, &line.moves);
        output.send(EngineMessage::Thinking(Thinking {
            depth: progress.depth.unsigned_abs(),
            depth_mark: None,
            score: line.reported(),
            time: progress.time,
            nodes: progress.nodes,
            selective_depth: Some(line.selective_depth as u32),
            nps: Some(per_second(progress.nodes, progress.time)),
            tbhits: Some(progress.tbhits).filter(|&hits| hits > 0),
            pv: &pv,
        }));
    }
}

/// Moves in SAN.
fn write_line(position: &Position, moves: &[Move]) -> String {
    let mut position = *position;
    let texts = moves.iter().map(|&mv| {
        let text = San::from_move(mv, &position).to_string();
        position.play(mv);
        text
    });
    texts.collect::<Vec<_>>().join(" ")
}

/// Status of an analysis (`stat01`).
pub(super) fn status(position: &Position, latest: Option<&Progress>, time: std::time::Duration) -> Status {
    let moves = position.count_legal_moves() as u32;
    Status {
        time,
        nodes: latest.map_or(0, |progress| progress.nodes),
        depth: latest.map_or(0, |progress| progress.depth.unsigned_abs()),
        moves_left: if latest.is_some() { 0 } else { moves },
        moves,
    }
}
