//! Search parameters, embedded from `params/search.toml` at compile time.
//!
//! Names and ranges are declared here, values there. A missing, unknown or duplicate name or a value out of range fails
//! the build, and the search uses constants. With the feature `tune` they are variables and UCI options, for SPSA.

use smalt_chess::position::ExchangeValues;

/// Declares the parameters: name and range of each.
macro_rules! parameters {
    ($($(#[$doc:meta])* $name:ident in $min:literal..=$max:literal,)*) => {
        /// Values of all parameters.
        struct Numbers {
            $($name: i32,)*
        }

        const EMBEDDED: Numbers = {
            let text = include_str!("../../params/search.toml").as_bytes();
            assert!(count_settings(text) == SearchParameters::ALL.len());
            Numbers { $($name: read(text, stringify!($name), $min, $max),)* }
        };

        impl SearchParameters {
            /// All parameters, in declaration order.
            pub const ALL: &[Parameter] =
                &[$(Parameter { name: stringify!($name), min: $min, max: $max },)*];

            $(
                $(#[$doc])*
                #[inline(always)]
                pub fn $name(self) -> i32 {
                    #[cfg(not(feature = "tune"))]
                    return EMBEDDED.$name;
                    #[cfg(feature = "tune")]
                    return tuning::VALUES.$name.load(std::sync::atomic::Ordering::Relaxed);
                }
            )*
        }

        #[cfg(feature = "tune")]
        pub mod tuning {
            //! The parameters as variables, for builds with the feature `tune`.

            use super::{EMBEDDED, SearchParameters};
            use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

            pub(super) struct TunedValues {
                $(pub(super) $name: AtomicI32,)*
            }

            pub(super) static VALUES: TunedValues = TunedValues { $($name: AtomicI32::new(EMBEDDED.$name),)* };

            /// Value of a parameter; `None` if the name is unknown.
            pub fn get(name: &str) -> Option<i32> {
                variable(name).map(|variable| variable.load(Relaxed))
            }

            /// Sets a parameter, clamped to its range. False if the name is unknown.
            pub fn set(name: &str, value: i32) -> bool {
                let parameter = SearchParameters::ALL.iter().find(|parameter| parameter.name == name);
                let (Some(parameter), Some(variable)) = (parameter, variable(name)) else { return false };
                variable.store(value.clamp(parameter.min, parameter.max), Relaxed);
                true
            }

            fn variable(name: &str) -> Option<&'static AtomicI32> {
                match name {
                    $(stringify!($name) => Some(&VALUES.$name),)*
                    _ => None,
                }
            }
        }
    };
}

/// Search parameters. Scores in centipawns, depths in plies, reductions in 1024ths of a ply.
#[derive(Clone, Copy, Debug)]
pub struct SearchParameters;

/// Name and range of a search parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// Key in the file and name of the UCI option.
    pub name: &'static str,
    pub min: i32,
    pub max: i32,
}

parameters! {
    /// SEE value of a pawn, in centipawns.
    see_pawn in 50..=200,
    /// SEE value of a knight.
    see_knight in 200..=500,
    /// SEE value of a bishop.
    see_bishop in 200..=500,
    /// SEE value of a rook.
    see_rook in 300..=800,
    /// SEE value of a queen.
    see_queen in 600..=1500,
    /// Least depth with aspiration windows.
    aspiration_depth in 1..=12,
    /// Half width of the first aspiration window.
    aspiration_window in 4..=100,
    /// Growth of the window after a fail, in percent.
    aspiration_growth in 10..=200,
    /// Half width above which the window is opened fully.
    aspiration_max in 50..=2000,
    /// Most plies by which repeated fail highs reduce the root depth.
    aspiration_less_deep_max in 0..=8,
    /// Reverse futility pruning: greatest depth.
    reverse_futility_depth in 2..=16,
    /// Reverse futility pruning: margin per ply.
    reverse_futility_margin in 20..=200,
    /// Razoring: greatest depth.
    razoring_depth in 0..=8,
    /// Razoring: margin per ply.
    razoring_margin in 100..=600,
    /// Null move pruning: least depth.
    null_move_depth in 1..=6,
    /// Null move pruning: base reduction in plies.
    null_move_reduction in 2..=6,
    /// Null move pruning: depth per ply of further reduction.
    null_move_depth_divisor in 2..=10,
    /// Null move pruning: score above beta per ply of further reduction.
    null_move_score_divisor in 50..=500,
    /// Null move pruning: most plies of reduction by score.
    null_move_score_max in 1..=6,
    /// Null move pruning: least static evaluation, relative to beta, at depth 0.
    null_move_margin_base in -200..=400,
    /// Null move pruning: how much that falls per ply of depth.
    null_move_margin in 0..=50,
    /// Null move pruning: least depth with verification search.
    null_move_verified_depth in 8..=30,
    /// ProbCut: least depth.
    probcut_depth in 3..=10,
    /// ProbCut: margin above beta.
    probcut_margin in 50..=400,
    /// ProbCut: reduction in plies.
    probcut_reduction in 2..=8,
    /// Internal iterative reduction (IIR): least depth.
    iir_depth in 2..=10,
    /// Late move pruning (LMP): greatest depth.
    lmp_depth in 2..=16,
    /// Late move pruning: base move count.
    lmp_base in 1..=10,
    /// Futility pruning of quiet moves: greatest reduced depth.
    futility_depth in 2..=16,
    /// Futility pruning: base margin.
    futility_base in 0..=300,
    /// Futility pruning: margin per ply.
    futility_margin in 20..=250,
    /// Futility pruning of captures: greatest reduced depth.
    futility_capture_depth in -1..=16,
    /// Futility pruning of captures: base margin.
    futility_capture_base in 0..=600,
    /// Futility pruning of captures: margin per ply.
    futility_capture_margin in 20..=500,
    /// Futility pruning of captures: capture history per centipawn.
    futility_capture_history_divisor in 8..=500,
    /// History pruning: greatest reduced depth.
    history_pruning_depth in 1..=10,
    /// History pruning: margin per ply.
    history_pruning_margin in 500..=8000,
    /// SEE pruning: greatest depth.
    see_pruning_depth in 2..=16,
    /// SEE pruning: threshold of captures per ply.
    see_pruning_capture in 20..=200,
    /// SEE pruning: threshold of quiet moves per ply squared.
    see_pruning_quiet in 5..=100,
    /// Singular extension: least depth.
    singular_depth in 4..=12,
    /// Singular extension: how many plies shallower the TT entry may be.
    singular_tt_depth_margin in 0..=6,
    /// Singular extension: the singular search has depth (depth - 1) / this.
    singular_depth_divisor in 2..=3,
    /// Most double extensions on a line.
    singular_double_max in 0..=100,
    /// Negative extension when the TT score beats beta, in plies.
    singular_negative in 0..=3,
    /// Negative extension at cut nodes, in plies.
    singular_negative_cut in 0..=3,
    /// Singular extension: margin below the TT score per ply.
    singular_margin in 1..=8,
    /// Double extension: further margin.
    singular_double_margin in 0..=100,
    /// Late move reduction (LMR) of quiet moves: base.
    lmr_base in 0..=2000,
    /// LMR of quiet moves: factor of ln(depth) * ln(move count).
    lmr_factor in 100..=1000,
    /// LMR of captures: base.
    lmr_capture_base in -1000..=2000,
    /// LMR of captures: factor of ln(depth) * ln(move count).
    lmr_capture_factor in 0..=1000,
    /// LMR: more when not improving.
    lmr_not_improving in 0..=2000,
    /// LMR: more when the node never was on a PV (ttPv).
    lmr_not_pv in 0..=2000,
    /// LMR: more at cut nodes.
    lmr_cut_node in 0..=3000,
    /// LMR: less for killer moves.
    lmr_killer in 0..=3000,
    /// LMR: less for checks.
    lmr_check in 0..=3000,
    /// LMR: more for quiet moves when the TT move is a capture.
    lmr_tt_capture in 0..=2000,
    /// LMR: more when the child count of cutoffs is high.
    lmr_cutoffs in 0..=3000,
    /// Child cutoff count from which reductions grow.
    lmr_cutoffs_min in 1..=10,
    /// LMR: more for each move of the node that has raised alpha.
    lmr_alpha_raise in 0..=3000,
    /// Re-search a ply deeper when the reduced search beats the best score by this margin.
    deeper_margin in 0..=1000,
    /// Re-search a ply shallower when it beats the best score by less than this.
    shallower_margin in 0..=100,
    /// Hindsight: least reduction after which a node is searched a ply deeper.
    hindsight_deeper_reduction in 1..=100,
    /// Hindsight: loss of evaluation above which a reduced node is searched a ply shallower.
    hindsight_shallower_margin in 0..=5000,
    /// LMR: history per 1024th of a ply.
    lmr_history_divisor in 1..=50,
    /// History bonus per ply of depth.
    history_bonus in 20..=500,
    /// Subtracted from the bonus.
    history_bonus_offset in -200..=400,
    /// Maximum bonus.
    history_bonus_max in 400..=4000,
    /// History malus per ply of depth.
    history_malus in 20..=500,
    /// Subtracted from the malus.
    history_malus_offset in -200..=400,
    /// Maximum malus.
    history_malus_max in 400..=4000,
    /// Weight of pawn history, in 1024ths.
    pawn_history_weight in 0..=2048,
    /// Share of the bonus for the previous quiet move after a fail low, in 1024ths.
    history_prior_quiet_share in 0..=2048,
    /// Move ordering bonus of quiet checks, in history units.
    order_check in 0..=30000,
    /// Move ordering bonus of a knight or bishop for leaving a threat by a pawn; moving into one costs half.
    order_threat_minor in 0..=32768,
    /// The same for a rook and threats by pawns and minor pieces.
    order_threat_rook in 0..=32768,
    /// The same for a queen and threats by less valuable pieces.
    order_threat_queen in 0..=32768,
    /// Weight of beta in a fail-high score, against the depth as weight of the score.
    fail_high_weight in 0..=8,
    /// Quiescence futility margin.
    quiescence_margin in 0..=400,
    /// Quiescence: most captures searched, checks and recaptures aside.
    quiescence_captures in 1..=100,
    /// Quiescence: weight of beta in a stand-pat fail high, in 1024ths.
    quiescence_fail_high_weight in 0..=1024,
    /// Pawn correction history: maximum correction in centipawns.
    correction_pawn in 0..=200,
    /// Minor piece correction history: maximum correction.
    correction_minor in 0..=200,
    /// Non-pawn correction history: maximum correction per color.
    correction_non_pawn in 0..=200,
    /// Continuation correction history: maximum correction.
    correction_continuation in 0..=200,
    /// Divisor of difference times depth in a correction history update.
    correction_depth in 1..=32,
    /// Soft limit: thousandths of the remaining clock from move `time_full_share_move` on.
    time_share in 10..=150,
    /// Move number from which the soft limit is `time_share`.
    time_full_share_move in 1..=100,
    /// Soft limit at move 0: thousandths of the remaining clock. It grows evenly to `time_share`.
    time_first_share in 1..=150,
    /// Soft limit: thousandths of the increment.
    time_increment_share in 0..=1000,
    /// Hard limit in thousandths of the soft limit.
    time_hard_factor in 1000..=10000,
    /// Hard limit in thousandths of the remaining clock.
    time_hard_share in 100..=950,
    /// Most moves to go that are planned for.
    time_moves_max in 2..=200,
    /// Hard limit for the last move before the time control, in thousandths of the clock.
    time_last_move_share in 100..=950,
    /// Hard limit for other moves before the time control, in thousandths of the clock.
    time_control_share in 100..=950,
    /// Best move stability: factor of the soft limit after a change, in thousandths.
    time_stability_base in 1000..=2000,
    /// Best move stability: decrease per stable iteration, in thousandths.
    time_stability_step in 0..=140,
    /// Best move stability: most iterations counted.
    time_stability_max in 0..=7,
    /// Node share: factor when the best move took no nodes, in thousandths.
    time_effort_base in 1000..=3000,
    /// Node share: decrease when it took all nodes, in thousandths.
    time_effort_factor in 0..=3000,
    /// Node share: least factor, in thousandths.
    time_effort_min in 100..=1000,
    /// Node share: greatest factor, in thousandths.
    time_effort_max in 1000..=3000,
    /// Score trend: drop in centipawns that doubles the time.
    time_drop_divisor in 30..=1000,
    /// Score trend: least factor, in thousandths.
    time_drop_min in 500..=1000,
    /// Score trend: greatest factor, in thousandths.
    time_drop_max in 1000..=3000,
    /// Known win against a lone king: base value; with the pawn ranks less than a queen.
    ending_win in 400..=700,
    /// KPK: per rank of the pawn.
    ending_pawn_rank in 0..=30,
    /// KBNK: per step of the lone king toward the corner of the bishop.
    ending_mate_corner in 0..=200,
    /// KBNK: per step of the lone king from the center.
    ending_mate_center in 0..=100,
    /// KBNK: penalty per step between the kings.
    ending_mate_king in 0..=100,
    /// KBNK: penalty per step from the knight to the lone king.
    ending_mate_knight in 0..=50,
    /// KBNK: penalty per escape square of the lone king.
    ending_mate_free in 0..=50,
}

/// The embedded search parameters.
pub const PARAMETERS: SearchParameters = SearchParameters;

/// Piece values for static exchange evaluation (SEE), pawn to king.
#[inline(always)]
pub(crate) fn exchange_values() -> ExchangeValues {
    let p = PARAMETERS;
    [p.see_pawn(), p.see_knight(), p.see_bishop(), p.see_rook(), p.see_queen(), 0]
}

/// Number of assignments in the text.
const fn count_settings(text: &[u8]) -> usize {
    let (mut at, mut count, mut in_comment) = (0, 0, false);
    while at < text.len() {
        match text[at] {
            b'\n' => in_comment = false,
            b'#' => in_comment = true,
            b'=' if !in_comment => count += 1,
            _ => {}
        }
        at += 1;
    }
    count
}

/// Value of the line `name = number`.
const fn read(text: &[u8], name: &str, min: i32, max: i32) -> i32 {
    let mut at = 0;
    while at < text.len() {
        let line = at;
        while at < text.len() && text[at] != b'\n' {
            at += 1;
        }
        if let Some(start) = value_start(text, line, name.as_bytes()) {
            let value = read_number(text, start);
            assert!(min <= value && value <= max, "search.toml: a number is out of its range");
            return value;
        }
        at += 1;
    }
    panic!("search.toml: a name is missing")
}

/// Start of the value, if the line assigns to that name.
const fn value_start(text: &[u8], line: usize, name: &[u8]) -> Option<usize> {
    let mut at = 0;
    while at < name.len() {
        if line + at >= text.len() || text[line + at] != name[at] {
            return None;
        }
        at += 1;
    }
    let mut at = line + name.len();
    while at < text.len() && text[at] == b' ' {
        at += 1;
    }
    if at >= text.len() || text[at] != b'=' {
        return None;
    }
    at += 1;
    while at < text.len() && text[at] == b' ' {
        at += 1;
    }
    Some(at)
}

const fn read_number(text: &[u8], start: usize) -> i32 {
    let negative = start < text.len() && text[start] == b'-';
    let mut at = if negative { start + 1 } else { start };
    let first = at;
    let mut value = 0;
    while at < text.len() && text[at].is_ascii_digit() {
        value = value * 10 + (text[at] - b'0') as i32;
        at += 1;
    }
    let at_end = at == text.len() || text[at] == b'\n' || text[at] == b'\r';
    assert!(at > first && at_end, "search.toml: a value is not a number");
    if negative { -value } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_by_name() {
        let text = b"# depth = 9\ndepth_most = 5\ndepth = -12\n";
        assert_eq!(read(text, "depth", -20, 20), -12);
        assert_eq!(read(text, "depth_most", 0, 20), 5);
        assert_eq!(read(b"width = 2\r\ndepth = 7\r\n", "depth", 0, 20), 7);
        assert_eq!(count_settings(text), 2);
    }

    #[test]
    #[should_panic(expected = "missing")]
    fn a_missing_name_is_refused() {
        read(b"depth = 3\n", "width", 0, 9);
    }

    #[test]
    #[should_panic(expected = "range")]
    fn a_number_out_of_range_is_refused() {
        read(b"depth = 30\n", "depth", 0, 9);
    }
}
