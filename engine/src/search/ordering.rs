//! The order in which a node tries its moves, found in stages so that a node that is soon refuted need not list
//! its quiet moves: the table's move, winning captures, killers, quiet moves by history, losing captures.

use std::hint::select_unpredictable;

use smalt_chess::{Move, MoveList, Moves, Position, Role};

use super::histories::{Context, Histories, Place};
use super::params::exchange_values;

/// A move and how early to try it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranked {
    mv: Move,
    rank: i32,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Stage {
    Table,
    ListCaptures,
    Captures,
    FirstKiller,
    SecondKiller,
    ListQuiets,
    Quiets,
    LosingCaptures,
    Done,
}

/// Which moves a node tries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wanted {
    /// All of them.
    All,
    /// Captures and promotions that win at least so many centipawns in exchanges.
    CapturesWinning(i32),
}

/// Hands out the moves of one node, each once.
pub(super) struct Picker {
    stage: Stage,
    wanted: Wanted,
    table_move: Option<Move>,
    killers: [Option<Move>; 2],
    /// Losing captures found so far, then captures already tried, then what is left.
    moves: Vec<Ranked>,
    losing: usize,
    next: usize,
    skips_quiets: bool,
}

/// What a picker reads besides the position.
pub(super) struct Knowledge<'a> {
    pub(super) histories: &'a Histories,
    pub(super) context: Context,
    pub(super) list: &'a mut MoveList,
}

impl Picker {
    /// A picker that uses an empty `buffer`, to be had back from [`Picker::into_buffer`]. Moves remembered from
    /// elsewhere need not be legal.
    pub(super) fn new(
        position: &Position,
        wanted: Wanted,
        table_move: Option<Move>,
        killers: [Option<Move>; 2],
        buffer: Vec<Ranked>,
    ) -> Picker {
        let table_move = table_move.filter(|&mv| {
            let fits = match wanted {
                Wanted::All => true,
                Wanted::CapturesWinning(least) => {
                    !mv.is_quiet() && position.exchange_reaches(mv, least, &exchange_values())
                }
            };
            position.is_legal(mv) && fits
        });
        Picker {
            stage: if table_move.is_some() { Stage::Table } else { Stage::ListCaptures },
            wanted,
            table_move,
            killers,
            moves: buffer,
            losing: 0,
            next: 0,
            skips_quiets: false,
        }
    }

    /// The buffer, emptied.
    pub(super) fn into_buffer(mut self) -> Vec<Ranked> {
        self.moves.clear();
        self.moves
    }

    /// Quiet moves not yet handed out are left out.
    pub(super) fn skip_quiets(&mut self) {
        self.skips_quiets = true;
    }

    /// The next move to try.
    pub(super) fn next(&mut self, position: &Position, knowledge: &mut Knowledge<'_>) -> Option<Move> {
        loop {
            match self.stage {
                Stage::Table => {
                    self.stage = Stage::ListCaptures;
                    return self.table_move;
                }
                Stage::ListCaptures => {
                    self.list_captures(position, knowledge);
                    self.stage = Stage::Captures;
                }
                Stage::Captures => match self.winning_capture(position) {
                    Some(mv) => return Some(mv),
                    None if self.wanted == Wanted::All => self.stage = Stage::FirstKiller,
                    None => self.stage = Stage::Done,
                },
                Stage::FirstKiller | Stage::SecondKiller => {
                    let which = usize::from(self.stage == Stage::SecondKiller);
                    self.stage = if which == 0 { Stage::SecondKiller } else { Stage::ListQuiets };
                    if let Some(killer) = self.killers[which].take()
                        && !self.skips_quiets
                        && Some(killer) != self.table_move
                        && position.is_legal(killer)
                    {
                        self.killers[which] = Some(killer);
                        return Some(killer);
                    }
                }
                Stage::ListQuiets => {
                    if !self.skips_quiets {
                        self.list_quiets(position, knowledge);
                    }
                    self.stage = Stage::Quiets;
                }
                Stage::Quiets => {
                    if !self.skips_quiets
                        && let Some(mv) = self.take_best()
                    {
                        return Some(mv);
                    }
                    self.stage = Stage::LosingCaptures;
                    self.next = 0;
                }
                Stage::LosingCaptures => {
                    if self.next < self.losing {
                        self.next += 1;
                        return Some(self.moves[self.next - 1].mv);
                    }
                    self.stage = Stage::Done;
                }
                Stage::Done => return None,
            }
        }
    }

    fn list_captures(&mut self, position: &Position, knowledge: &mut Knowledge<'_>) {
        knowledge.list.clear();
        position.generate(Moves::Captures, knowledge.list);
        self.rank_all(knowledge.list, [self.table_move], |mv| {
            capture_rank(position, mv, knowledge.histories)
        });
    }

    fn list_quiets(&mut self, position: &Position, knowledge: &mut Knowledge<'_>) {
        knowledge.list.clear();
        position.generate(Moves::Quiets, knowledge.list);
        self.next = self.moves.len();
        let histories = knowledge.histories.quiet_in(knowledge.context);
        let known = [self.table_move, self.killers[0], self.killers[1]];
        self.rank_all(knowledge.list, known, |mv| histories.of(mv, Place::of(position, mv)));
    }

    /// Appends the moves with their ranks, but for those that are `known`.
    #[inline(always)]
    fn rank_all<const N: usize>(
        &mut self,
        moves: &[Move],
        known: [Option<Move>; N],
        rank: impl Fn(Move) -> i32,
    ) {
        // No move has the bits 0. Known moves are written, too, and then written over: that is cheaper than to branch.
        let known = known.map(|mv| mv.map_or(0, Move::to_bits));
        let start = self.moves.len();
        let Some(&filler) = moves.first() else { return };
        self.moves.resize(start + moves.len(), Ranked { mv: filler, rank: 0 });
        let places = &mut self.moves[start..];
        let mut count = 0;
        for &mv in moves {
            places[count] = Ranked { mv, rank: rank(mv) };
            count += usize::from(!known.contains(&mv.to_bits()));
        }
        self.moves.truncate(start + count);
    }

    /// The best capture left that does not lose material; losing ones are put aside.
    fn winning_capture(&mut self, position: &Position) -> Option<Move> {
        let least = match self.wanted {
            Wanted::All => 0,
            Wanted::CapturesWinning(least) => least,
        };
        while let Some(mv) = self.take_best() {
            let wins = !is_minor_promotion(mv) && position.exchange_reaches(mv, least, &exchange_values());
            if wins {
                return Some(mv);
            }
            self.moves.swap(self.losing, self.next - 1);
            self.losing += 1;
        }
        None
    }

    fn take_best(&mut self) -> Option<Move> {
        let left = &mut self.moves[self.next..];
        let (mut best, mut rank) = (0, left.first()?.rank);
        for (index, ranked) in left.iter().enumerate() {
            // Which one is better cannot be foreseen: a wrong guess costs more than both assignments.
            best = select_unpredictable(ranked.rank > rank, index, best);
            rank = rank.max(ranked.rank);
        }
        left.swap(0, best);
        self.next += 1;
        Some(self.moves[self.next - 1].mv)
    }
}

/// Whether a pawn becomes less than a queen.
pub(super) fn is_minor_promotion(mv: Move) -> bool {
    mv.promoted_to().is_some_and(|role| role != Role::Queen)
}

/// The most valuable victim first, and what has done well before.
fn capture_rank(position: &Position, mv: Move, histories: &Histories) -> i32 {
    let taken = position.captured_role(mv);
    let victim = taken.map_or(0, |role| exchange_values()[role.index()]);
    let promotion = mv.promoted_to().map_or(0, |role| exchange_values()[role.index()]);
    let history = taken.map_or(0, |role| histories.capture(Place::of(position, mv), role));
    16 * (victim + promotion) + history
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Experience;

    fn pick_all(
        fen: &str,
        wanted: Wanted,
        table_move: Option<&str>,
        killers: [Option<&str>; 2],
    ) -> Vec<String> {
        let position: Position = fen.parse().unwrap();
        let moves = position.legal_moves();
        let find = |text: &str| *moves.iter().find(|mv| format!("{mv:?}") == text).unwrap();
        let mut picker = Picker::new(
            &position,
            wanted,
            table_move.map(find),
            killers.map(|killer| killer.map(find)),
            Vec::new(),
        );
        let experience = Experience::new();
        let context =
            Context { turn: position.turn(), pawn_key: position.pawn_key(), before: [Place::NONE; 3] };
        let mut knowledge =
            Knowledge { histories: &experience.histories, context, list: &mut MoveList::new() };
        std::iter::from_fn(|| picker.next(&position, &mut knowledge)).map(|mv| format!("{mv:?}")).collect()
    }

    const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

    #[test]
    fn every_legal_move_is_handed_out_once() {
        for (table_move, killers) in [
            (None, [None; 2]),
            (Some("e5g6"), [Some("a2a3"), None]),
            (Some("a2a3"), [Some("a2a3"), None]),
            (Some("e5g6"), [Some("a2a3"), Some("e1h1")]),
            (None, [None, Some("a2a3")]),
        ] {
            let mut picked = pick_all(KIWIPETE, Wanted::All, table_move, killers);
            if let Some(first) = table_move {
                assert_eq!(picked[0], first);
            }
            picked.sort();
            let position: Position = KIWIPETE.parse().unwrap();
            let mut legal: Vec<_> = position.legal_moves().iter().map(|mv| format!("{mv:?}")).collect();
            legal.sort();
            assert_eq!(picked, legal);
        }
    }

    #[test]
    fn winning_captures_come_first_and_losing_ones_last() {
        let picked = pick_all(KIWIPETE, Wanted::All, None, [Some("a2a4"), None]);
        assert_eq!(picked[0], "e2a6");
        let mut last = picked[picked.len() - 5..].to_vec();
        last.sort();
        assert_eq!(last, ["e5d7", "e5f7", "e5g6", "f3f6", "f3h3"]);
        let killer = picked.iter().position(|mv| mv == "a2a4").unwrap();
        assert!(picked[..killer].iter().all(|mv| ["e2a6", "g2h3", "d5e6"].contains(&mv.as_str())));
    }

    #[test]
    fn positions_with_hundreds_of_moves_are_handed_out_whole() {
        let fen = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1";
        assert_eq!(pick_all(fen, Wanted::All, None, [None; 2]).len(), 218);
    }

    #[test]
    fn only_captures_that_win_enough_are_handed_out_on_request() {
        let picked = pick_all(KIWIPETE, Wanted::CapturesWinning(0), Some("a2a3"), [None; 2]);
        assert!(picked.contains(&"e2a6".to_owned()) && !picked.contains(&"f3f6".to_owned()));
        assert!(pick_all(KIWIPETE, Wanted::CapturesWinning(900), None, [None; 2]).is_empty());
    }
}
