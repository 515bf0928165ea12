//! The order in which a node tries its moves, found in stages so that a node that is soon refuted need not list
//! its quiet moves: the table's move, winning captures, killers, quiet moves by history, losing captures.

use smalt_chess::{Move, Moves, Piece, Position, Role, Square};

use super::histories::{Context, Histories, Place, QuietHistories};
use super::outlook::{Outlook, Promise, Promises};
use super::params::exchange_values;
use super::ranking::{Ranked, Ranker};
use super::transposition::TranspositionTable;

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
    pub(super) fn next(&mut self, knowledge: &Knowledge<'_>) -> Option<Move> {
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

    // Not inlined: one copy for all nodes.
    #[inline(never)]
    fn list_captures(&mut self, position: &Position, knowledge: &Knowledge<'_>) {
        let ranker = CaptureRanker { position, histories: knowledge.histories };
        self.ranked.fill(position, Moves::Captures, [self.table_move], ranker);
        self.prefetch_next(position, knowledge);
    }

    // Not inlined: one copy for all nodes.
    #[inline(never)]
    fn list_quiets(&mut self, position: &Position, knowledge: &Knowledge<'_>) {
        let histories = knowledge.histories.quiet_in(knowledge.context);
        let ranker = QuietRanker { position, histories, promises: knowledge.outlook.promises() };
        let known = [self.table_move, self.killers[0], self.killers[1]];
        self.ranked.fill(position, Moves::Quiets, known, ranker);
        self.prefetch_next(position, knowledge);
    }

    /// The best capture left that does not lose material; losing ones are put aside.
    // Not inlined: one copy for all nodes.
    #[inline(never)]
    fn winning_capture(&mut self, position: &Position, knowledge: &Knowledge<'_>) -> Option<Move> {
        let least = match self.wanted {
            Wanted::All => 0,
            Wanted::CapturesWinning(least) => least,
        };
        loop {
            let mv = self.ranked.peek_unless_aside()?;
            let wins = !is_minor_promotion(mv) && position.exchange_reaches(mv, least, &exchange_values());
            if wins {
                self.ranked.advance();
            } else {
                self.ranked.put_aside();
            }
            if self.ranked.peek_unless_aside().is_some() {
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
        if let Some(mv) = self.ranked.peek() {
            knowledge.prefetch_after(position, mv);
        }
    }
}

/// Whether a pawn becomes less than a queen.
pub(super) fn is_minor_promotion(mv: Move) -> bool {
    mv.promoted_to().is_some_and(|role| role != Role::Queen)
}

/// The most valuable victim first, and what has done well before.
struct CaptureRanker<'a> {
    position: &'a Position,
    histories: &'a Histories,
}

impl Ranker for CaptureRanker<'_> {
    type Mover = ();

    #[inline(always)]
    fn mover(&self, _: Square) {}

    #[inline(always)]
    fn rank(&self, (): &(), mv: Move) -> i32 {
        let taken = self.position.captured_role(mv);
        let victim = taken.map_or(0, |role| exchange_values()[role.index()]);
        let promotion = mv.promoted_to().map_or(0, |role| exchange_values()[role.index()]);
        let history = taken.map_or(0, |role| self.histories.capture(Place::of(self.position, mv), role));
        16 * (victim + promotion) + history
    }
}

/// What has done well before, and what the position promises.
struct QuietRanker<'a> {
    position: &'a Position,
    histories: QuietHistories<'a>,
    promises: Promises<'a>,
}

impl Ranker for QuietRanker<'_> {
    type Mover = (Piece, Promise);

    #[inline(always)]
    fn mover(&self, from: Square) -> (Piece, Promise) {
        let piece = self.position.piece_at(from).expect("a move begins there");
        (piece, self.promises.of(piece, from))
    }

    #[inline(always)]
    fn rank(&self, (piece, promise): &(Piece, Promise), mv: Move) -> i32 {
        let (exposure, early) = promise.to(mv.to());
        let early = if mv.is_castle() { self.promises.of_castling(mv) } else { early };
        early + self.histories.of(mv, Place::new(*piece, mv.to()), exposure)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::histories::Exposure;
    use crate::search::params::PARAMETERS as P;

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
        let knowledge = Knowledge {
            histories: &experience.histories,
            context,
            outlook: &Outlook::new(&position),
            table: &table,
        };
        let picked = std::iter::from_fn(|| picker.next(&knowledge));
        let picked = picked.map(|mv| format!("{mv:?}")).collect();
        assert_eq!(picker.next(&knowledge), None);
        picked
    }

    #[test]
    fn quiet_moves_rank_by_their_histories_and_what_the_position_promises() {
        for fen in [
            KIWIPETE,
            "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
            "5k2/8/8/8/8/8/8/4K2R w K - 0 1",
            "6k1/8/8/8/8/8/8/4KR2 w F - 0 1",
            "4k3/2p1p3/8/3B4/8/1n3n2/P3P1R1/Q6K w - - 0 1",
        ] {
            let position: Position = fen.parse().unwrap();
            let moves = position.legal_moves();
            let mut experience = Experience::new();
            let before = [Place::of(&position, moves[0]), Place::NONE, Place::NONE];
            let context = Context { turn: position.turn(), pawn_key: position.pawn_key(), before };
            let outlook = Outlook::new(&position);
            for (taught, &mv) in (1..).zip(moves.iter().filter(|mv| mv.is_quiet())) {
                let (place, exposure) = (Place::of(&position, mv), outlook.exposure(mv));
                experience.histories.teach_quiet(context, mv, place, exposure, 7 * taught);
            }
            let histories = experience.histories.quiet_in(context);
            let ranker = QuietRanker { position: &position, histories, promises: outlook.promises() };
            for &mv in moves.iter().filter(|mv| mv.is_quiet()) {
                let exposure = outlook.exposure(mv);
                let stake = match position.moved_role(mv) {
                    Role::Knight | Role::Bishop => P.order_threat_minor(),
                    Role::Rook => P.order_threat_rook(),
                    Role::Queen => P.order_threat_queen(),
                    Role::Pawn | Role::King => 0,
                };
                let is_check = position.after(mv).is_check();
                let mut rank = experience.histories.quiet(context, mv, Place::of(&position, mv), exposure);
                rank += P.order_check() * i32::from(is_check);
                rank += stake * i32::from(exposure == Exposure::new(true, false));
                rank -= stake / 2 * i32::from(exposure == Exposure::new(false, true) && !is_check);
                assert_eq!(ranker.rank(&ranker.mover(mv.from()), mv), rank, "{mv:?} in {fen}");
            }
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

    /// More moves than play can reach.
    const MANY: &str = "knQQQQQQ/ppQ4Q/QQ5Q/Q6Q/Q6Q/Q6Q/Q6Q/QQQQQQQK w - - 0 1";

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
        let table = TranspositionTable::new(1);
        // One buffer for all, as in a search: what a larger node has left in it must not show.
        let mut buffer = Box::default();
        for fen in [MANY, KIWIPETE, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "7k/8/8/8/8/8/6q1/7K w - - 0 1"] {
            let position: Position = fen.parse().unwrap();
            let legal = position.legal_moves();
            let captures = legal.iter().filter(|mv| !mv.is_quiet()).count();
            let context =
                Context { turn: position.turn(), pawn_key: position.pawn_key(), before: [Place::NONE; 3] };
            let knowledge = Knowledge {
                histories: &experience.histories,
                context,
                outlook: &Outlook::new(&position),
                table: &table,
            };
            let known = legal.last().copied();
            for wanted in 0..=legal.len() {
                let mut picker = Picker::new(&position, Wanted::All, known, [known, None], buffer);
                let mut picked: Vec<Move> = Vec::new();
                for _ in 0..wanted {
                    picked.extend(picker.next(&knowledge));
                }
                picker.skip_quiets();
                let rest: Vec<Move> = std::iter::from_fn(|| picker.next(&knowledge)).collect();
                assert!(rest.iter().all(|&mv| !mv.is_quiet() || Some(mv) == known));
                assert_eq!(picker.next(&knowledge), None);
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
