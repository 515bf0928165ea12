//! Selects the positions of one PGN game, resolved by the engine's quiescence search on request.

use std::sync::Arc;

use smalt::evaluation::Parameters;
use smalt::search::Resolver;
use smalt_chess::notation::pgn::PgnGame;
use smalt_chess::{MoveComment, Position};
use smalt_dataset::Sample;
use smalt_dataset::choose::{Dropped, Filter, GamePosition, PositionReason};

use super::{NoisyPositions, Rules};

/// Selects positions; one per thread.
pub(super) struct Chooser {
    filter: Filter,
    resolver: Option<Resolver>,
}

/// A game with its number and the numbers of its players.
pub(super) struct Numbered {
    pub(super) game: PgnGame,
    pub(super) number: u32,
    pub(super) players: [u8; 2],
}

impl Chooser {
    pub(super) fn new(rules: &Rules) -> Chooser {
        let resolver = || Resolver::new(Arc::new(Parameters::embedded().clone()));
        Chooser {
            filter: rules.filter(),
            resolver: (rules.unquiet == NoisyPositions::Resolve).then(resolver),
        }
    }

    /// Selected positions of a game with a result, and the dropped ones.
    pub(super) fn choose(&mut self, numbered: &Numbered) -> (Vec<Sample>, Dropped) {
        let Numbered { game, number, players } = numbered;
        let mut dropped = Dropped::default();
        let outcome = game.outcome().expect("games without a result are refused before");
        let positions = positions(game);
        let wanted = self.filter.choose(&positions, outcome, *number, &mut dropped);
        let mut samples = Vec::with_capacity(wanted.len());
        for place in wanted {
            match self.at_rest(&place.position) {
                Some(position) => {
                    let sample = Sample { players: *players, ..place.sample(outcome, *number) };
                    let mv = sample.mv.filter(|_| position == place.position);
                    samples.push(Sample { position, mv, ..sample });
                }
                None => dropped.count(PositionReason::Unresolved),
            }
        }
        (samples, dropped)
    }

    fn at_rest(&mut self, position: &Position) -> Option<Position> {
        match &mut self.resolver {
            Some(resolver) => resolver.quiet_leaf(position),
            None => Some(*position),
        }
    }
}

fn positions(game: &PgnGame) -> Vec<GamePosition> {
    let mut position = *game.start();
    let mut before = None;
    let mut positions = Vec::new();
    for played in game.main_line() {
        let comment = played.comments().find_map(|text| MoveComment::parse(text).ok());
        let score = match &comment {
            Some(MoveComment::Search(search)) => Some(search.score),
            Some(MoveComment::Book) | None => None,
        };
        positions.push(GamePosition {
            position,
            before,
            next: played.mv,
            score,
            is_book: comment == Some(MoveComment::Book),
            ply: GamePosition::ply_of(&position),
        });
        before = Some(played.mv);
        position.play(played.mv);
    }
    positions
}
