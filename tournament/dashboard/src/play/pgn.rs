//! The game as PGN, with the engine's scores as comments.

use smalt_chess::notation::pgn::PgnGame;
use smalt_chess::{CastlingMode, Color, MoveComment, SearchComment};
use smalt_match::opening::classify;
use smalt_match::pgn::comment_score;
use smalt_report::sanitize::sanitize;
use smalt_workbench::calendar::UtcTime;

use super::game::PlayedGame;

/// Formats the game; `names` are White's and Black's.
pub(super) fn pgn(played: &PlayedGame, names: [&str; 2]) -> String {
    let mut game = PgnGame::new(*played.game().start());
    let started = UtcTime::of(played.started);
    game.set_tag("Event", "Casual game");
    game.set_tag("Date", &started.pgn_date());
    for (tag, name) in ["White", "Black"].into_iter().zip(names) {
        game.set_tag(tag, &sanitize(name));
    }
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
        game.push_comment(sanitize(&end.sentence));
    }
    game.set_outcome(played.end.as_ref().map(|end| end.outcome));
    game.to_string()
}

/// ECO code and name of the opening.
pub(super) fn opening(played: &PlayedGame) -> Option<(&'static str, &'static str)> {
    let positions: Vec<_> = played.game().plies().map(|(position, mv)| position.after(mv)).collect();
    classify(&positions)
}

#[cfg(test)]
mod tests {
    use smalt_chess::Position;
    use smalt_match::plan::MoveClock;
    use smalt_workbench::entrant::from_words;

    use super::super::command::StartLine;
    use super::*;

    #[test]
    fn the_name_of_an_engine_has_no_hidden_characters() {
        let clock = MoveClock::of(&from_words("depth=1").unwrap()).unwrap();
        let game = PlayedGame::new(1, StartLine::new(Position::start()), Color::White, clock, None);
        let text = pgn(&game, ["Human", "e\u{1b}[2Jvil\u{202e}"]);
        assert!(text.contains("[Black \"e\\\\u{1b}[2Jvil\\\\u{202e}\"]"), "{text}");
    }
}
