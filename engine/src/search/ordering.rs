//! The order in which a node tries its moves, found in stages so that a node that is soon refuted need not list
//! its quiet moves: the table's move, winning captures, killers, quiet moves by history, losing captures.

use std::hint::select_unpredictable;

use smalt_chess::{Move, MoveList, Moves, Position, Role};

use super::histories::{Context, Histories, Place};
use super::outlook::Outlook;
use super::params::exchange_values;
use super::transposition::TranspositionTable;

/// Moves of a node, how early to try each, and which of them were searched in vain.
pub(super) struct Ranked {
    moves: Vec<Move>,
    /// As long as `moves`. A move's rank times [`INDICES`], plus `INDICES` - 1 - its index: of equal ranks the first is the
    /// greatest, and the low bits tell the index. [`NEVER`] for known moves and behind the last one up to `end`; else no
    /// two are equal.
    ranks: Vec<i32>,
    /// Where the moves of the stage begin and end; both are multiples of [`LANES`].
    start: usize,
    end: usize,
    /// Of `ranks`, the one that comes next in this stage, or [`NEVER`] if none is left; those before it were greater. Among
    /// captures, one that was put aside when no other is left.
    next: i32,
    /// Moves that were searched and did not raise alpha.
    tried: Vec<Move>,
}

/// More than any position has moves, and what fills the lanes behind its captures: 62 queens have 27 each at most, and the
/// king 8.
const INDICES: i32 = 1 << 11;

/// No rank is farther from zero: quiet moves reach six histories and what checks and threats are worth, captures less.
const GREATEST_RANK: i32 = (1 << 18) - 1;

/// Ranks that the processor compares at once.
const LANES: usize = 8;

/// The rank of what must not be handed out.
const NEVER: i32 = i32::MIN;

/// Taken from the rank of a capture that is put aside (it loses material, or promotes to less than a queen), in the unit
/// of [`Ranked::ranks`], so that it comes after all others.
const LOSS: i32 = 1 << 30;

/// The least that a move without a loss has, in that unit.
const LEAST: i32 = -(1 << 29);

impl Default for Ranked {
    fn default() -> Ranked {
        Ranked { moves: Vec::new(), ranks: Vec::new(), start: 0, end: 0, next: NEVER, tried: Vec::new() }
    }
}

impl Ranked {
    /// Forgets all moves.
    fn clear(&mut self) {
        (self.start, self.end, self.next) = (0, 0, NEVER);
        self.tried.clear();
    }

    /// A new stage begins, as yet without moves.
    fn begin_stage(&mut self) {
        (self.start, self.next) = (self.end, NEVER);
    }

    /// Goes back to the first stage, of two, for what was put aside there.
    fn return_to_first_stage(&mut self) {
        // All others, from there up, have been handed out.
        (self.start, self.end, self.next) = (0, self.start, LEAST);
        self.advance();
    }

    /// Fills the stage, which has no moves yet; those that are `known` are never handed out.
    #[inline(always)]
    fn fill<const N: usize>(&mut self, moves: &[Move], known: [Option<Move>; N], rank: impl Fn(Move) -> i32) {
        let end = self.start + moves.len();
        debug_assert!(end <= INDICES as usize);
        self.end = end.next_multiple_of(LANES);
        let Some(&filler) = moves.first() else { return };
        if self.ranks.len() < end + LANES {
            self.moves.resize(2 * end + LANES, filler);
            self.ranks.resize(2 * end + LANES, NEVER);
        }
        // No move has the bits 0. No branch on whether a move is known: the processor could not foresee it.
        let known = known.map(|mv| mv.map_or(0, Move::to_bits));
        let first = INDICES - 1 - self.start as i32;
        self.ranks[end..end + LANES].fill(NEVER);
        let places = self.moves[self.start..end].iter_mut().zip(&mut self.ranks[self.start..end]);
        let mut greatest = NEVER;
        for (index, (&mv, (own_place, place_of_rank))) in (0..).zip(moves.iter().zip(places)) {
            let value = rank(mv);
            debug_assert!(value.abs() <= GREATEST_RANK);
            let unique = value * INDICES + first - index;
            let unique = select_unpredictable(known.contains(&mv.to_bits()), NEVER, unique);
            (*own_place, *place_of_rank) = (mv, unique);
            greatest = greatest.max(unique);
        }
        self.next = greatest;
    }

    /// The rank of the move that comes next, and the move.
    #[inline]
    fn peek(&self) -> Option<(i32, Move)> {
        (self.next > NEVER).then(|| (self.next, self.moves[index_of(self.next)]))
    }

    /// Goes on to the greatest rank below the one that comes next.
    #[inline]
    fn advance(&mut self) {
        let (lanes, _) = self.ranks[self.start..self.end].as_chunks::<LANES>();
        let greater = |best: [i32; LANES], lanes: &[i32; LANES]| {
            let left = lanes.map(|rank| if rank < self.next { rank } else { NEVER });
            std::array::from_fn(|lane| best[lane].max(left[lane]))
        };
        self.next = lanes.iter().fold([NEVER; LANES], greater).into_iter().fold(NEVER, i32::max);
    }

    /// Hands out the move that comes next.
    #[inline]
    fn take(&mut self) -> Option<Move> {
        let (_, mv) = self.peek()?;
        self.advance();
        Some(mv)
    }

    /// Puts the move that comes next aside, for the last stage.
    #[inline]
    fn put_aside(&mut self) {
        let rank = self.next;
        // First, for the processor would have to wait for a rank that it has just written.
        self.advance();
        self.ranks[index_of(rank)] = rank - LOSS;
    }
}

/// The index of a move by its rank in [`Ranked::ranks`].
#[inline]
fn index_of(rank: i32) -> usize {
    (INDICES - 1 - (rank & (INDICES - 1))) as usize
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
    /// The captures, then the quiet moves.
    ranked: Box<Ranked>,
    skips_quiets: bool,
}

/// What a picker works with.
pub(super) struct Knowledge<'a> {
    pub(super) histories: &'a Histories,
    pub(super) context: Context,
    pub(super) outlook: &'a Outlook<'a>,
    pub(super) list: &'a mut MoveList,
    pub(super) table: &'a TranspositionTable,
}

impl Knowledge<'_> {
    /// Asks the memory for what the table knows of the position behind a move.
    fn prefetch_after(&self, position: &Position, mv: Move) {
        self.table.prefetch(position.likely_key_after(mv));
    }
}

impl Picker {
    /// A picker that uses an empty `buffer`, to be had back from [`Picker::into_buffer`]. Moves remembered from
    /// elsewhere need not be legal.
    pub(super) fn new(
        position: &Position,
        wanted: Wanted,
        table_move: Option<Move>,
        killers: [Option<Move>; 2],
        buffer: Box<Ranked>,
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
            ranked: buffer,
            skips_quiets: false,
        }
    }

    /// The buffer, ready for another picker.
    pub(super) fn into_buffer(mut self) -> Box<Ranked> {
        self.ranked.clear();
        self.ranked
    }

    /// Remembers a move that was searched and did not raise alpha.
    #[inline]
    pub(super) fn note_tried(&mut self, mv: Move) {
        self.ranked.tried.push(mv);
    }

    /// The moves of [`Picker::note_tried`], in order.
    #[inline]
    pub(super) fn tried(&self) -> &[Move] {
        &self.ranked.tried
    }

    /// Quiet moves not yet handed out are left out.
    pub(super) fn skip_quiets(&mut self) {
        self.skips_quiets = true;
    }

    /// The next move to try.
    pub(super) fn next(&mut self, knowledge: &mut Knowledge<'_>) -> Option<Move> {
        let position = knowledge.outlook.position;
        loop {
            match self.stage {
                Stage::Table => {
                    // Memory has been asked for it when the table gave the move.
                    self.stage = Stage::ListCaptures;
                    return self.table_move;
                }
                Stage::ListCaptures => {
                    self.list_captures(position, knowledge);
                    self.stage = Stage::Captures;
                }
                Stage::Captures => match self.winning_capture(position, knowledge) {
                    Some(mv) => return Some(mv),
                    None if self.wanted == Wanted::All => self.stage = Stage::FirstKiller,
                    None => return None,
                },
                Stage::FirstKiller | Stage::SecondKiller => {
                    let which = usize::from(self.stage == Stage::SecondKiller);
                    self.stage = if which == 0 { Stage::SecondKiller } else { Stage::ListQuiets };
                    if let Some(killer) = self.killers[which].take()
                        && !self.skips_quiets
                        && Some(killer) != self.table_move
                        && position.is_legal(killer)
                    {
                        knowledge.prefetch_after(position, killer);
                        self.killers[which] = Some(killer);
                        return Some(killer);
                    }
                }
                Stage::ListQuiets => {
                    self.ranked.begin_stage();
                    if !self.skips_quiets {
                        self.list_quiets(position, knowledge);
                    }
                    self.stage = Stage::Quiets;
                }
                Stage::Quiets => {
                    if !self.skips_quiets
                        && let Some(mv) = self.ranked.take()
                    {
                        self.prefetch_next(position, knowledge);
                        return Some(mv);
                    }
                    self.stage = Stage::LosingCaptures;
                    self.ranked.return_to_first_stage();
                    self.prefetch_next(position, knowledge);
                }
                Stage::LosingCaptures => {
                    let mv = self.ranked.take()?;
                    self.prefetch_next(position, knowledge);
                    return Some(mv);
                }
            }
        }
    }

    fn list_captures(&mut self, position: &Position, knowledge: &mut Knowledge<'_>) {
        knowledge.list.clear();
        position.generate(Moves::Captures, knowledge.list);
        let rank = |mv| capture_rank(position, mv, knowledge.histories);
        self.ranked.fill(knowledge.list, [self.table_move], rank);
        self.prefetch_next(position, knowledge);
    }

    fn list_quiets(&mut self, position: &Position, knowledge: &mut Knowledge<'_>) {
        knowledge.list.clear();
        position.generate(Moves::Quiets, knowledge.list);
        let histories = knowledge.histories.quiet_in(knowledge.context);
        let known = [self.table_move, self.killers[0], self.killers[1]];
        let promises = knowledge.outlook.promises();
        self.ranked.fill(knowledge.list, known, |mv| {
            let (exposure, promise) = promises.of(mv);
            histories.of(mv, Place::of(position, mv), exposure) + promise
        });
        self.prefetch_next(position, knowledge);
    }

    /// The best capture left that does not lose material; losing ones are put aside.
    fn winning_capture(&mut self, position: &Position, knowledge: &Knowledge<'_>) -> Option<Move> {
        let least = match self.wanted {
            Wanted::All => 0,
            Wanted::CapturesWinning(least) => least,
        };
        loop {
            let (rank, mv) = self.ranked.peek()?;
            if rank < LEAST {
                return None;
            }
            let wins = !is_minor_promotion(mv) && position.exchange_reaches(mv, least, &exchange_values());
            if wins {
                self.ranked.advance();
            } else {
                self.ranked.put_aside();
            }
            if self.ranked.next >= LEAST {
                self.prefetch_next(position, knowledge);
            }
            if wins {
                return Some(mv);
            }
        }
    }

    /// Asks the memory for what the table knows of the position behind the move that comes next: near the leaves it is there
    /// once the move before has been searched.
    #[inline]
    fn prefetch_next(&self, position: &Position, knowledge: &Knowledge<'_>) {
        if let Some((_, mv)) = self.ranked.peek() {
            knowledge.prefetch_after(position, mv);
        }
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
            Box::default(),
        );
        let experience = Experience::new();
        let context =
            Context { turn: position.turn(), pawn_key: position.pawn_key(), before: [Place::NONE; 3] };
        let table = TranspositionTable::new(1);
        let mut knowledge = Knowledge {
            histories: &experience.histories,
            context,
            outlook: &Outlook::new(&position),
            list: &mut MoveList::new(),
            table: &table,
        };
        let picked = std::iter::from_fn(|| picker.next(&mut knowledge));
        let picked = picked.map(|mv| format!("{mv:?}")).collect();
        assert_eq!(picker.next(&mut knowledge), None);
        picked
    }

    /// Some rank for each move, many of them equal, to the very ends of what a rank may be.
    fn some_rank(mv: Move) -> i32 {
        (i32::from(mv.to_bits()) * 37 % 7 - 3) * (GREATEST_RANK / 3)
    }

    #[test]
    fn moves_come_by_rank_and_of_equal_rank_in_the_order_of_the_list() {
        let position: Position = KIWIPETE.parse().unwrap();
        let moves = position.legal_moves();
        // One buffer for all, with what the list before has left in it.
        let mut ranked = Ranked::default();
        for count in (0..=moves.len()).rev() {
            let (known, list) = ([moves.get(3).copied(), None], &moves[..count]);
            let mut expected: Vec<Move> = list.iter().copied().filter(|&mv| Some(mv) != known[0]).collect();
            expected.sort_by_key(|&mv| std::cmp::Reverse(some_rank(mv)));
            ranked.clear();
            ranked.fill(list, known, some_rank);
            assert_eq!(std::iter::from_fn(|| ranked.take()).collect::<Vec<_>>(), expected);
            assert_eq!(ranked.take(), None);
        }
    }

    #[test]
    fn what_is_put_aside_comes_last_in_its_own_order() {
        let position: Position = KIWIPETE.parse().unwrap();
        let moves = position.legal_moves();
        let is_even = |mv: Move| mv.to_bits().is_multiple_of(2);
        for keeps in [|_| true, |_| false, is_even] {
            let mut ranked = Ranked::default();
            ranked.fill(&moves, [None], some_rank);
            let mut picked = Vec::new();
            while let Some((_, mv)) = ranked.peek().filter(|&(rank, _)| rank >= LEAST) {
                if keeps(mv) {
                    picked.extend(ranked.take());
                } else {
                    ranked.put_aside();
                }
            }
            ranked.begin_stage();
            ranked.return_to_first_stage();
            picked.extend(std::iter::from_fn(|| ranked.take()));
            let mut expected = moves.to_vec();
            expected.sort_by_key(|&mv| (!keeps(mv), std::cmp::Reverse(some_rank(mv))));
            assert_eq!(picked, expected);
        }
    }

    #[test]
    fn a_buffer_given_back_remembers_nothing_that_was_tried() {
        let position = Position::start();
        let new = |buffer| Picker::new(&position, Wanted::All, None, [None; 2], buffer);
        let mut picker = new(Box::default());
        let moves = position.legal_moves();
        moves.iter().for_each(|&mv| picker.note_tried(mv));
        assert_eq!(picker.tried(), moves.as_slice());
        assert!(new(picker.into_buffer()).tried().is_empty());
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
    fn whenever_quiet_moves_are_no_longer_wanted_all_captures_come() {
        let experience = Experience::new();
        let (table, mut list) = (TranspositionTable::new(1), MoveList::new());
        // One buffer for all, as in a search: what a larger node has left in it must not show.
        let mut buffer = Box::default();
        let many = "knQQQQQQ/ppQ4Q/QQ5Q/Q6Q/Q6Q/Q6Q/Q6Q/QQQQQQQK w - - 0 1";
        for fen in [many, KIWIPETE, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "7k/8/8/8/8/8/6q1/7K w - - 0 1"] {
            let position: Position = fen.parse().unwrap();
            let legal = position.legal_moves();
            let captures = legal.iter().filter(|mv| !mv.is_quiet()).count();
            let context =
                Context { turn: position.turn(), pawn_key: position.pawn_key(), before: [Place::NONE; 3] };
            let mut knowledge = Knowledge {
                histories: &experience.histories,
                context,
                outlook: &Outlook::new(&position),
                list: &mut list,
                table: &table,
            };
            let known = legal.last().copied();
            for wanted in 0..=legal.len() {
                let mut picker = Picker::new(&position, Wanted::All, known, [known, None], buffer);
                let mut picked: Vec<Move> = Vec::new();
                for _ in 0..wanted {
                    picked.extend(picker.next(&mut knowledge));
                }
                picker.skip_quiets();
                let rest: Vec<Move> = std::iter::from_fn(|| picker.next(&mut knowledge)).collect();
                assert!(rest.iter().all(|&mv| !mv.is_quiet() || Some(mv) == known));
                assert_eq!(picker.next(&mut knowledge), None);
                picked.extend(rest);
                assert_eq!(picked.iter().filter(|mv| !mv.is_quiet()).count(), captures);
                picked.sort();
                let count = picked.len();
                picked.dedup();
                assert!(picked.len() == count && picked.iter().all(|mv| legal.contains(mv)));
                assert!(wanted < legal.len() || count == legal.len());
                buffer = picker.into_buffer();
            }
        }
    }

    #[test]
    fn only_captures_that_win_enough_are_handed_out_on_request() {
        let picked = pick_all(KIWIPETE, Wanted::CapturesWinning(0), Some("a2a3"), [None; 2]);
        assert!(picked.contains(&"e2a6".to_owned()) && !picked.contains(&"f3f6".to_owned()));
        assert!(pick_all(KIWIPETE, Wanted::CapturesWinning(900), None, [None; 2]).is_empty());
    }
}
