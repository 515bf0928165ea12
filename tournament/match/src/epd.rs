//! The last position of a game, as EPD: `id` names the game, `c0` says how it ended, `c9` the result.

use smalt_chess::{Epd, Game, Position};
use smalt_report::sanitize::sanitize;

use crate::game::GameRecord;

/// Final position of a game.
pub fn final_position(record: &GameRecord) -> Position {
    let start = record.fen.as_deref().and_then(|fen| Position::from_fen(fen).ok()).unwrap_or_default();
    let mut game = Game::new(start);
    for ply in &record.plies {
        let Ok(mv) = ply.mv.to_move(game.position()) else { break };
        if game.play(mv).is_err() {
            break;
        }
    }
    *game.position()
}

/// One EPD line with its line feed.
pub fn epd_line(record: &GameRecord, names: &[String]) -> String {
    let mut epd = Epd::new(final_position(record));
    let [white, black] = [record.game.white, record.game.black].map(|entrant| sanitize(&names[entrant]));
    epd.push_text("id", &format!("game {}: {white} - {black}", record.game.number + 1));
    epd.push_text("c0", &record.sentence());
    epd.push_text("c9", &record.outcome.to_string());
    format!("{epd}\n")
}
