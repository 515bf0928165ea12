//! Move ordering in stages: TT move, good captures by MVV-LVA and capture history, killer moves, quiet moves by history,
//! bad captures (SEE below zero). Quiet moves are generated only when a node gets that far.

use smalt_chess::{Move, Moves, Piece, Position, Role, Square};

use super::check_info::{CheckInfo, QuietBonus, QuietBonuses};
use super::histories::{Context, Histories, PieceTo, QuietHistories};
use super::move_scoring::{MoveScorer, ScoredMoves};
use super::params::exchange_values;
use super::transposition::TranspositionTable;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Stage {
    TtMove,
    GenerateCaptures,
    GoodCaptures,
    FirstKiller,
    SecondKiller,
    GenerateQuiets,
    Quiets,
    BadCaptures,
}

/// Which moves to pick.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PickMode {
    All,
    /// Captures and promotions with a static exchange evaluation (SEE) of at least this, in centipawns.
    WinningCaptures(i32),
}

/// Picks the moves of one node, each once.
pub(super) struct MovePicker {
    stage: Stage,
    mode: PickMode,
    tt_move: Option<Move>,
    killers: [Option<Move>; 2],
    /// Captures, then quiet moves.
    scored: Box<ScoredMoves>,
    skips_quiets: bool,
}

/// Inputs of move scoring.
pub(super) struct PickContext<'a> {
    pub(super) histories: &'a Histories,
    pub(super) context: Context,
    pub(super) check_info: &'a CheckInfo<'a>,
    pub(super) table: &'a TranspositionTable,
}

impl PickContext<'_> {
    /// Prefetches the TT entry of the position after a move.
    fn prefetch_after(&self, position: &Position, mv: Move) {
        self.table.prefetch(position.likely_key_after(mv));
    }
}

impl MovePicker {
    /// A picker that uses an empty `buffer`, returned by [`MovePicker::into_buffer`]. TT move and killers may be
    /// illegal.
    pub(super) fn new(
        position: &Position,
        mode: PickMode,
        tt_move: Option<Move>,
        killers: [Option<Move>; 2],
        buffer: Box<ScoredMoves>,
    ) -> MovePicker {
        let tt_move = tt_move.filter(|&mv| {
            let fits = match mode {
                PickMode::All => true,
                PickMode::WinningCaptures(least) => {
                    !mv.is_quiet() && position.exchange_reaches(mv, least, &exchange_values())
                }
            };
            position.is_legal(mv) && fits
        });
        MovePicker {
            stage: if tt_move.is_some() { Stage::TtMove } else { Stage::GenerateCaptures },
            mode,
            tt_move,
            killers,
            scored: buffer,
            skips_quiets: false,
        }
    }

    /// Returns the cleared buffer for the next picker.
    pub(super) fn into_buffer(mut self) -> Box<ScoredMoves> {
        self.scored.clear();
        self.scored
    }

    /// Records a searched move that did not raise alpha, for the malus.
    #[inline]
    pub(super) fn add_tried(&mut self, mv: Move) {
        self.scored.tried.push(mv);
    }

    /// The moves recorded by [`MovePicker::add_tried`], in order.
    #[inline]
    pub(super) fn tried(&self) -> &[Move] {
        &self.scored.tried
    }

    /// Skips all remaining quiet moves.
    pub(super) fn skip_quiets(&mut self) {
        self.skips_quiets = true;
    }

    pub(super) fn next(&mut self, pick_context: &PickContext<'_>) -> Option<Move> {
        let position = pick_context.check_info.position;
        loop {
            match self.stage {
                Stage::TtMove => {
                    // Its TT entry was prefetched before.
                    self.stage = Stage::GenerateCaptures;
                    return self.tt_move;
                }
                Stage::GenerateCaptures => {
                    self.generate_captures(position, pick_context);
                    self.stage = Stage::GoodCaptures;
                }
                Stage::GoodCaptures => match self.next_good_capture(position, pick_context) {
                    Some(mv) => return Some(mv),
                    None if self.mode == PickMode::All => self.stage = Stage::FirstKiller,
                    None => return None,
                },
                Stage::FirstKiller | Stage::SecondKiller => {
                    let which = usize::from(self.stage == Stage::SecondKiller);
                    self.stage = if which == 0 { Stage::SecondKiller } else { Stage::GenerateQuiets };
                    if let Some(killer) = self.killers[which].take()
                        && !self.skips_quiets
                        && Some(killer) != self.tt_move
                        && position.is_legal(killer)
                    {
                        pick_context.prefetch_after(position, killer);
                        self.killers[which] = Some(killer);
                        return Some(killer);
                    }
                }
                Stage::GenerateQuiets => {
                    self.scored.begin_stage();
                    if !self.skips_quiets {
                        self.generate_quiets(position, pick_context);
                    }
                    self.stage = Stage::Quiets;
                }
                Stage::Quiets => {
                    if !self.skips_quiets
                        && let Some(mv) = self.scored.take()
                    {
                        self.prefetch_next(position, pick_context);
                        return Some(mv);
                    }
                    self.stage = Stage::BadCaptures;
                    self.scored.return_to_first_stage();
                    self.prefetch_next(position, pick_context);
                }
                Stage::BadCaptures => {
                    let mv = self.scored.take()?;
                    self.prefetch_next(position, pick_context);
                    return Some(mv);
                }
            }
        }
    }

    // Not inlined: one copy for all nodes.
    #[inline(never)]
    fn generate_captures(&mut self, position: &Position, pick_context: &PickContext<'_>) {
        let scorer = CaptureScorer { position, histories: pick_context.histories };
        self.scored.fill(position, Moves::Captures, [self.tt_move], scorer);
        self.prefetch_next(position, pick_context);
    }

    // Not inlined: one copy for all nodes.
    #[inline(never)]
    fn generate_quiets(&mut self, position: &Position, pick_context: &PickContext<'_>) {
        let histories = pick_context.histories.quiet_in(pick_context.context);
        let scorer =
            QuietScorer { position, histories, quiet_bonuses: pick_context.check_info.quiet_bonuses() };
        let known = [self.tt_move, self.killers[0], self.killers[1]];
        self.scored.fill(position, Moves::Quiets, known, scorer);
        self.prefetch_next(position, pick_context);
    }

    /// The best remaining good capture; bad captures are deferred to the last stage.
    // Not inlined: one copy for all nodes.
    #[inline(never)]
    fn next_good_capture(&mut self, position: &Position, pick_context: &PickContext<'_>) -> Option<Move> {
        let least = match self.mode {
            PickMode::All => 0,
            PickMode::WinningCaptures(least) => least,
        };
        loop {
            let mv = self.scored.peek_good()?;
            let wins = !is_minor_promotion(mv) && position.exchange_reaches(mv, least, &exchange_values());
            if wins {
                self.scored.advance();
            } else {
                self.scored.defer_bad_capture();
            }
            if self.scored.peek_good().is_some() {
                self.prefetch_next(position, pick_context);
            }
            if wins {
                return Some(mv);
            }
        }
    }

    /// Prefetches the TT entry after the next move, while the current one is searched.
    #[inline]
    fn prefetch_next(&self, position: &Position, pick_context: &PickContext<'_>) {
        if let Some(mv) = self.scored.peek() {
            pick_context.prefetch_after(position, mv);
        }
    }
}

/// Whether the move is an underpromotion.
pub(super) fn is_minor_promotion(mv: Move) -> bool {
    mv.promoted_to().is_some_and(|role| role != Role::Queen)
}

/// Scores captures by most valuable victim (MVV) and capture history.
struct CaptureScorer<'a> {
    position: &'a Position,
    histories: &'a Histories,
}

impl MoveScorer for CaptureScorer<'_> {
    type Mover = ();

    #[inline(always)]
    fn mover(&self, _: Square) {}

    #[inline(always)]
    fn score(&self, (): &(), mv: Move) -> i32 {
        let taken = self.position.captured_role(mv);
        let victim = taken.map_or(0, |role| exchange_values()[role.index()]);
        let promotion = mv.promoted_to().map_or(0, |role| exchange_values()[role.index()]);
        let history = taken.map_or(0, |role| self.histories.capture(PieceTo::of(self.position, mv), role));
        16 * (victim + promotion) + history
    }
}

/// Scores quiet moves by their histories and by check and threat bonuses.
struct QuietScorer<'a> {
    position: &'a Position,
    histories: QuietHistories<'a>,
    quiet_bonuses: QuietBonuses<'a>,
}

impl MoveScorer for QuietScorer<'_> {
    type Mover = (Piece, QuietBonus);

    #[inline(always)]
    fn mover(&self, from: Square) -> (Piece, QuietBonus) {
        let piece = self.position.piece_at(from).expect("a move begins there");
        (piece, self.quiet_bonuses.of(piece, from))
    }

    #[inline(always)]
    fn score(&self, (piece, bonus): &(Piece, QuietBonus), mv: Move) -> i32 {
        let (threat_index, early) = bonus.to(mv.to());
        let early = if mv.is_castle() { self.quiet_bonuses.castling_bonus(mv) } else { early };
        early + self.histories.of(mv, PieceTo::new(*piece, mv.to()), threat_index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::histories::ThreatIndex;
    use crate::search::params::PARAMETERS as P;

    use crate::search::ThreadHistories;

    fn pick_all(fen: &str, mode: PickMode, tt_move: Option<&str>, killers: [Option<&str>; 2]) -> Vec<String> {
        let position: Position = fen.parse().unwrap();
        let moves = position.legal_moves();
        let find = |text: &str| *moves.iter().find(|mv| format!("{mv:?}") == text).unwrap();
        let mut picker = MovePicker::new(
            &position,
            mode,
            tt_move.map(find),
            killers.map(|killer| killer.map(find)),
            Box::default(),
        );
        let tables = ThreadHistories::new().unwrap();
        let context = Context {
            turn: position.turn(),
            pawn_key: position.pawn_key(),
            before: [PieceTo::NONE; 4],
            in_check: false,
        };
        let table = TranspositionTable::new(1);
        let pick_context = PickContext {
            histories: &tables.histories,
            context,
            check_info: &CheckInfo::new(&position),
            table: &table,
        };
        let picked = std::iter::from_fn(|| picker.next(&pick_context));
        let picked = picked.map(|mv| format!("{mv:?}")).collect();
        assert_eq!(picker.next(&pick_context), None);
        picked
    }

    #[test]
    fn quiet_moves_rank_by_histories_and_bonuses() {
        for fen in [
            KIWIPETE,
            "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
            "5k2/8/8/8/8/8/8/4K2R w K - 0 1",
            "6k1/8/8/8/8/8/8/4KR2 w F - 0 1",
            "4k3/2p1p3/8/3B4/8/1n3n2/P3P1R1/Q6K w - - 0 1",
        ] {
            let position: Position = fen.parse().unwrap();
            let moves = position.legal_moves();
            let mut tables = ThreadHistories::new().unwrap();
            let before = [PieceTo::of(&position, moves[0]), PieceTo::NONE, PieceTo::NONE, PieceTo::NONE];
            let context =
                Context { turn: position.turn(), pawn_key: position.pawn_key(), before, in_check: false };
            let check_info = CheckInfo::new(&position);
            for (taught, &mv) in (1..).zip(moves.iter().filter(|mv| mv.is_quiet())) {
                let (place, threat_index) = (PieceTo::of(&position, mv), check_info.threat_index(mv));
                tables.histories.update_quiet(context, mv, place, threat_index, 7 * taught);
            }
            let histories = tables.histories.quiet_in(context);
            let scorer =
                QuietScorer { position: &position, histories, quiet_bonuses: check_info.quiet_bonuses() };
            for &mv in moves.iter().filter(|mv| mv.is_quiet()) {
                let threat_index = check_info.threat_index(mv);
                let threat_bonus = match position.moved_role(mv) {
                    Role::Knight | Role::Bishop => P.order_threat_minor(),
                    Role::Rook => P.order_threat_rook(),
                    Role::Queen => P.order_threat_queen(),
                    Role::Pawn | Role::King => 0,
                };
                let is_check = position.after(mv).is_check();
                let mut score = tables.histories.quiet(context, mv, PieceTo::of(&position, mv), threat_index);
                score += P.order_check() * i32::from(is_check);
                score += threat_bonus * i32::from(threat_index == ThreatIndex::new(true, false));
                score -=
                    threat_bonus / 2 * i32::from(threat_index == ThreatIndex::new(false, true) && !is_check);
                assert_eq!(scorer.score(&scorer.mover(mv.from()), mv), score, "{mv:?} in {fen}");
            }
        }
    }

    #[test]
    fn a_returned_buffer_has_no_tried_moves() {
        let position = Position::start();
        let new = |buffer| MovePicker::new(&position, PickMode::All, None, [None; 2], buffer);
        let mut picker = new(Box::default());
        let moves = position.legal_moves();
        moves.iter().for_each(|&mv| picker.add_tried(mv));
        assert_eq!(picker.tried(), moves.as_slice());
        assert!(new(picker.into_buffer()).tried().is_empty());
    }

    /// More legal moves than in any reachable position.
    const MANY: &str = "knQQQQQQ/ppQ4Q/QQ5Q/Q6Q/Q6Q/Q6Q/Q6Q/QQQQQQQK w - - 0 1";

    const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

    #[test]
    fn every_legal_move_is_handed_out_once() {
        for (tt_move, killers) in [
            (None, [None; 2]),
            (Some("e5g6"), [Some("a2a3"), None]),
            (Some("a2a3"), [Some("a2a3"), None]),
            (Some("e5g6"), [Some("a2a3"), Some("e1h1")]),
            (None, [None, Some("a2a3")]),
        ] {
            let mut picked = pick_all(KIWIPETE, PickMode::All, tt_move, killers);
            if let Some(first) = tt_move {
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
        let picked = pick_all(KIWIPETE, PickMode::All, None, [Some("a2a4"), None]);
        assert_eq!(picked[0], "e2a6");
        let mut last = picked[picked.len() - 5..].to_vec();
        last.sort();
        assert_eq!(last, ["e5d7", "e5f7", "e5g6", "f3f6", "f3h3"]);
        let killer = picked.iter().position(|mv| mv == "a2a4").unwrap();
        assert!(picked[..killer].iter().all(|mv| ["e2a6", "g2h3", "d5e6"].contains(&mv.as_str())));
    }

    #[test]
    fn all_of_hundreds_of_moves_are_picked() {
        let fen = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1";
        assert_eq!(pick_all(fen, PickMode::All, None, [None; 2]).len(), 218);
    }

    #[test]
    fn all_captures_are_picked_after_skipping_quiets() {
        let tables = ThreadHistories::new().unwrap();
        let table = TranspositionTable::new(1);
        // One buffer for all, as in a search: leftovers of a larger node must not matter.
        let mut buffer = Box::default();
        for fen in [MANY, KIWIPETE, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "7k/8/8/8/8/8/6q1/7K w - - 0 1"] {
            let position: Position = fen.parse().unwrap();
            let legal = position.legal_moves();
            let captures = legal.iter().filter(|mv| !mv.is_quiet()).count();
            let context = Context {
                turn: position.turn(),
                pawn_key: position.pawn_key(),
                before: [PieceTo::NONE; 4],
                in_check: false,
            };
            let pick_context = PickContext {
                histories: &tables.histories,
                context,
                check_info: &CheckInfo::new(&position),
                table: &table,
            };
            let known = legal.last().copied();
            for mode in 0..=legal.len() {
                let mut picker = MovePicker::new(&position, PickMode::All, known, [known, None], buffer);
                let mut picked: Vec<Move> = Vec::new();
                for _ in 0..mode {
                    picked.extend(picker.next(&pick_context));
                }
                picker.skip_quiets();
                let rest: Vec<Move> = std::iter::from_fn(|| picker.next(&pick_context)).collect();
                assert!(rest.iter().all(|&mv| !mv.is_quiet() || Some(mv) == known));
                assert_eq!(picker.next(&pick_context), None);
                picked.extend(rest);
                assert_eq!(picked.iter().filter(|mv| !mv.is_quiet()).count(), captures);
                picked.sort();
                let count = picked.len();
                picked.dedup();
                assert!(picked.len() == count && picked.iter().all(|mv| legal.contains(mv)));
                assert!(mode < legal.len() || count == legal.len());
                buffer = picker.into_buffer();
            }
        }
    }

    #[test]
    fn only_captures_that_win_enough_are_handed_out_on_request() {
        let picked = pick_all(KIWIPETE, PickMode::WinningCaptures(0), Some("a2a3"), [None; 2]);
        assert!(picked.contains(&"e2a6".to_owned()) && !picked.contains(&"f3f6".to_owned()));
        assert!(pick_all(KIWIPETE, PickMode::WinningCaptures(900), None, [None; 2]).is_empty());
    }
}
