//! The game as PGN, with the engine's scores as comments.

use smalt_chess::notation::pgn::PgnGame;
use smalt_chess::{CastlingMode, Color, MoveComment, SearchComment};
use smalt_match::opening::classify;
use smalt_match::pgn::comment_score;
use smalt_workbench::calendar::UtcTime;

use super::game::PlayedGame;

/// Formats the game; `names` are White's and Black's.
pub(super) fn pgn(played: &PlayedGame, names: [&str; 2]) -> String {
    let mut game = PgnGame::new(*played.game().start());
    let started = UtcTime::of(played.started);
    game.set_tag("Event", "Casual game");
    game.set_tag("Date", &started.pgn_date());
    game.set_tag("White", names[0]);
    game.set_tag("Black", names[1]);
    if played.mode == CastlingMode::Chess960 {
        game.set_tag("Variant", "Chess960");
    }
    if let Some((eco, name)) = opening(played) {
        game.set_tag("ECO", eco);
        game.set_tag("Opening", name);
    }
    // PGN has no notation for a time per move.
    let clock = Some(played.clock.to_string()).filter(|clock| !clock.contains("/move"));
    game.set_tag("TimeControl", clock.as_deref().unwrap_or("-"));
    if let Some(level) = played.level {
        game.set_tag(
            if played.engine() == Color::White { "WhiteElo" } else { "BlackElo" },
            &level.to_string(),
        );
    }
    if let Some(end) = &played.end {
        game.set_tag("Termination", end.termination);
    }
    for (ply, mv) in played.plies().iter().zip(played.game().moves()) {
        game.push_move(*mv).expect("the moves of a game are legal");
        if let Some(score) = ply.score {
            let comment = SearchComment {
                score: comment_score(score),
                depth: ply.depth.unwrap_or(0),
                time: ply.elapsed,
                rest: String::new(),
            };
            game.push_comment(MoveComment::Search(comment).to_string());
        }
    }
    if let Some(end) = &played.end {
        game.push_comment(end.sentence.as_str());
    }
    game.set_outcome(played.end.as_ref().map(|end| end.outcome));
    game.to_string()
}

/// ECO code and name of the opening.
pub(super) fn opening(played: &PlayedGame) -> Option<(&'static str, &'static str)> {
    let positions: Vec<_> = played.game().plies().map(|(position, mv)| position.after(mv)).collect();
    classify(&positions)
}
