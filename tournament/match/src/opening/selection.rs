//! The openings of a run in order of use, stored compactly as text and parsed on demand.

use std::collections::HashMap;

use smalt_chess::{Move, Position};
use smalt_report::sanitize::sanitize;

use super::Opening;
use super::generate::Variation;

/// Openings by order of use, from 0; they repeat after the last.
#[derive(Clone, Debug, Default)]
pub struct Openings {
    /// One line each: FEN (empty for the start position), moves in hexadecimal, ECO, name, separated by tabs.
    text: String,
    /// Start and end of each line.
    lines: Vec<(u32, u32)>,
    /// Index in the book to index of use, while openings are inserted.
    wanted: HashMap<u32, u32>,
    variation: Variation,
}

impl Openings {
    /// All of these openings, in order.
    pub(super) fn in_order(openings: impl Iterator<Item = Opening>) -> Openings {
        let mut all = Openings::default();
        for opening in openings {
            let line = all.push(&opening);
            all.lines.push(line);
        }
        all
    }

    /// A selection by book indices, to be filled with [`Self::put`].
    pub(super) fn at_places(places: impl IntoIterator<Item = u32>) -> Openings {
        let wanted: HashMap<u32, u32> = places.into_iter().zip(0..).collect();
        Openings { lines: vec![(0, 0); wanted.len()], wanted, ..Openings::default() }
    }

    pub(super) fn wants(&self, place: u32) -> bool {
        self.wanted.contains_key(&place)
    }

    pub(super) fn put(&mut self, place: u32, opening: &Opening) {
        if let Some(used) = self.wanted.remove(&place) {
            self.lines[used as usize] = self.push(opening);
        }
    }

    pub(super) fn is_complete(&self) -> bool {
        self.wanted.is_empty()
    }

    fn push(&mut self, opening: &Opening) -> (u32, u32) {
        let start = self.text.len();
        // Names of a book are shown by terminals and pages.
        let plain = |text: &Option<String>| sanitize(text.as_deref().unwrap_or_default()).replace('\t', " ");
        self.text.push_str(opening.fen.as_deref().unwrap_or_default());
        self.text.push('\t');
        opening.moves.iter().for_each(|mv| self.text.push_str(&format!("{:04x}", mv.to_bits())));
        self.text.push_str(&format!("\t{}\t{}", plain(&opening.eco), plain(&opening.name)));
        (start as u32, self.text.len() as u32)
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The same openings with random variation at each use.
    #[must_use]
    pub(crate) fn varied(self, variation: Variation) -> Openings {
        Openings { variation, ..self }
    }

    /// The opening of this use; the start position if there are none.
    pub fn get(&self, used: usize) -> Opening {
        self.variation.vary(self.written(used), used as u64)
    }

    fn written(&self, used: usize) -> Opening {
        let Some(&(start, end)) = self.lines.get(used % self.lines.len().max(1)) else {
            return Opening::standard();
        };
        parse(&self.text[start as usize..end as usize]).expect("openings are parsed before they are kept")
    }
}

fn parse(line: &str) -> Option<Opening> {
    let mut fields = line.splitn(4, '\t');
    let fen = fields.next().filter(|fen| !fen.is_empty()).map(str::to_owned);
    let position =
        fen.as_deref().map_or_else(|| Some(Position::start()), |fen| Position::from_fen(fen).ok())?;
    let moves = fields.next()?.as_bytes().chunks(4).map(|digits| {
        let bits = u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
        Move::from_bits(bits)
    });
    let moves = moves.collect::<Option<Vec<Move>>>()?;
    let mut text = || fields.next().filter(|text| !text.is_empty()).map(str::to_owned);
    let (eco, name) = (text(), text());
    Some(Opening { fen, position, moves, name, eco })
}

#[cfg(test)]
mod tests {
    use smalt_chess::Game;

    use super::*;

    #[test]
    fn the_name_of_an_opening_has_no_hidden_characters() {
        let name = "a\u{1b}[2J\tb\u{202e}".to_owned();
        let openings = Openings::in_order([Opening { name: Some(name), ..Opening::standard() }].into_iter());
        assert_eq!(openings.get(0).name.as_deref(), Some("a\\u{1b}[2J b\\u{202e}"));
    }

    #[test]
    fn openings_come_back_as_they_were_and_again() {
        let mut game = Game::default();
        for mv in ["e2e4", "e7e5", "g1f3"] {
            let mv = smalt_chess::UciMove::parse(mv).unwrap().to_move(game.position()).unwrap();
            game.play(mv).unwrap();
        }
        let from_fen = |fen: &str| Opening::from_position(Position::from_fen(fen).unwrap());
        let all = [
            Opening { moves: game.moves().to_vec(), eco: Some("C40".into()), ..Opening::standard() },
            Opening {
                name: Some("Two rooks, one king".into()),
                ..from_fen("4k3/8/8/8/8/8/8/RR2K3 w B - 12 34")
            },
            from_fen("rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 2"),
        ];
        let openings = Openings::in_order(all.iter().cloned());
        for used in 0..9 {
            assert_eq!(openings.get(used), all[used % 3]);
        }
        let mut picked = Openings::at_places([7, 2, 5]);
        for place in 0..9 {
            if picked.wants(place) {
                picked.put(place, &all[place as usize % 3]);
            }
        }
        assert!(picked.is_complete());
        assert_eq!([picked.get(0), picked.get(1), picked.get(2)], [1, 2, 2].map(|index| all[index].clone()));
    }
}
