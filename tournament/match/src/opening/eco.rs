//! ECO codes and names of openings, found by position, so that transpositions have the same name.

use std::collections::HashMap;
use std::sync::LazyLock;

use smalt_chess::notation::san::San;
use smalt_chess::{Game, Position};
use smalt_data::ECO;

/// Code and name by position key.
static BY_POSITION: LazyLock<HashMap<u64, (&str, &str)>> =
    LazyLock::new(|| ECO.text.lines().filter_map(entry).collect());

fn entry(line: &str) -> Option<(u64, (&str, &str))> {
    let mut fields = line.split('\t');
    let (eco, name, moves) = (fields.next()?, fields.next()?, fields.next()?);
    let mut game = Game::default();
    for word in moves.split(' ').filter(|word| !word.ends_with('.')) {
        let mv = San::parse(word).ok()?.to_move(game.position()).ok()?;
        game.play(mv).ok()?;
    }
    Some((game.position().repetition_key(), (eco, name)))
}

/// Code and name of the last of these positions found in the table.
pub fn classify<'a>(
    positions: impl IntoIterator<Item = &'a Position>,
) -> Option<(&'static str, &'static str)> {
    positions.into_iter().filter_map(|position| BY_POSITION.get(&position.repetition_key())).last().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(moves: &str) -> Option<(&'static str, &'static str)> {
        let mut positions = vec![Position::start()];
        for word in moves.split_whitespace() {
            let mut next = *positions.last().unwrap();
            next.play(San::parse(word).unwrap().to_move(&next).unwrap());
            positions.push(next);
        }
        classify(&positions)
    }

    #[test]
    fn every_line_of_the_table_is_an_opening() {
        assert_eq!(ECO.text.lines().filter_map(entry).count(), ECO.text.lines().count());
    }

    #[test]
    fn openings_have_their_codes_and_names_by_any_order_of_moves() {
        assert_eq!(of("e4 c5"), Some(("B20", "Sicilian Defense")));
        assert_eq!(of("c4 d5 d4"), Some(("D06", "Queen's Gambit")));
        assert_eq!(of("e4 e5 Nf3 Nc6 Bb5 h5"), Some(("C60", "Ruy Lopez")), "the last that is known");
        assert_eq!(of(""), None);
    }
}
