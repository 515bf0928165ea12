//! The constants of the search, read by the compiler from `params/search.toml`.
//!
//! The names and ranges stand here, the numbers there. The compiler does the reading, so a missing, unknown or
//! doubled name, or a number out of its range, stops the build, and the search sees plain constants. Built with the
//! feature `tune` it sees variables instead, each of them an option over UCI, for tuners that play games.

use smalt_chess::position::ExchangeValues;

/// Declares the constants: for each its name and the range in which a tuner may move it.
macro_rules! parameters {
    ($($(#[$doc:meta])* $name:ident in $min:literal..=$max:literal,)*) => {
        /// The numbers of the file.
        struct Numbers {
            $($name: i32,)*
        }

        const EMBEDDED: Numbers = {
            let text = include_str!("../../params/search.toml").as_bytes();
            assert!(count_settings(text) == SearchParameters::ALL.len());
            Numbers { $($name: read(text, stringify!($name), $min, $max),)* }
        };

        impl SearchParameters {
            /// All constants, in the order of the file.
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
            //! The constants as variables, for a build with the feature `tune`.

            use super::{EMBEDDED, SearchParameters};
            use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

            pub(super) struct Values {
                $(pub(super) $name: AtomicI32,)*
            }

            pub(super) static VALUES: Values = Values { $($name: AtomicI32::new(EMBEDDED.$name),)* };

            /// The value of a constant; `None` where no constant has the name.
            pub fn get(name: &str) -> Option<i32> {
                variable(name).map(|variable| variable.load(Relaxed))
            }

            /// Changes a constant for the searches to come, held to its range. False where no constant has the name.
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

/// The constants of the search. Scores in centipawns, depths in plies, reductions in 1024ths of a ply.
#[derive(Clone, Copy, Debug)]
pub struct SearchParameters;

/// Name and range of a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// As in the file, and as an option over UCI.
    pub name: &'static str,
    /// The least value.
    pub min: i32,
    /// The greatest value.
    pub max: i32,
}

parameters! {
    /// What a pawn is worth in exchanges.
    exchange_pawn in 50..=200,
    /// What a knight is worth in exchanges.
    exchange_knight in 200..=500,
    /// What a bishop is worth in exchanges.
    exchange_bishop in 200..=500,
    /// What a rook is worth in exchanges.
    exchange_rook in 300..=800,
    /// What a queen is worth in exchanges.
    exchange_queen in 600..=1500,
    /// From this depth on the root is searched with a window around the last score.
    aspiration_depth in 1..=12,
    /// Half of the first window.
    aspiration_window in 4..=100,
    /// How much wider the window gets when it fails, in hundredths.
    aspiration_growth in 10..=200,
    /// Half of the widest window; a wider one is opened whole.
    aspiration_most in 50..=2000,
    /// After scores above the window the root is searched less deep by a ply each, by so many at most.
    aspiration_less_deep_most in 0..=8,
    /// Deepest node with reverse futility.
    reverse_futility_depth in 2..=16,
    /// Margin for each ply.
    reverse_futility_margin in 20..=200,
    /// Deepest node with razoring.
    razoring_depth in 0..=8,
    /// Margin for each ply.
    razoring_margin in 100..=600,
    /// Least depth for a null move.
    null_move_depth in 1..=6,
    /// Plies that a null move saves at least.
    null_move_reduction in 2..=6,
    /// A ply more for so many plies of depth.
    null_move_depth_divisor in 2..=10,
    /// A ply more for so much score above beta.
    null_move_score_divisor in 50..=500,
    /// Most plies more for the score.
    null_move_score_most in 1..=6,
    /// From this depth on a search without null moves has to confirm what a null move says.
    null_move_verified_depth in 8..=30,
    /// Least depth for the capture test.
    probcut_depth in 3..=10,
    /// Margin above beta.
    probcut_margin in 50..=400,
    /// Plies that the capture test saves.
    probcut_reduction in 2..=8,
    /// Least depth that is reduced where the table knows no move.
    iterative_reduction_depth in 2..=10,
    /// Deepest node where late moves are left out.
    late_move_pruning_depth in 2..=16,
    /// Moves looked at in any case.
    late_move_pruning_base in 1..=10,
    /// Deepest (reduced) node where quiet moves are left out by score.
    futility_depth in 2..=16,
    /// Margin at depth 0.
    futility_base in 0..=300,
    /// Margin for each ply.
    futility_margin in 20..=250,
    /// Deepest (reduced) node where captures are left out by score.
    futility_capture_depth in -1..=16,
    /// Margin for captures at depth 0.
    futility_capture_base in 0..=600,
    /// Margin for captures for each ply.
    futility_capture_margin in 20..=500,
    /// So much history of a capture counts as a centipawn there.
    futility_capture_history_divisor in 8..=500,
    /// Deepest (reduced) node where quiet moves are left out by history.
    history_pruning_depth in 1..=10,
    /// How bad the history must be, for each ply.
    history_pruning_margin in 500..=8000,
    /// Deepest node where moves are left out by exchange.
    exchange_pruning_depth in 2..=16,
    /// What a capture may lose for each ply.
    exchange_pruning_capture in 20..=200,
    /// What a quiet move may lose for each ply squared.
    exchange_pruning_quiet in 5..=100,
    /// Least depth for singular extensions.
    singular_depth in 4..=12,
    /// So many plies less deep the table's entry may be.
    singular_table_margin in 0..=6,
    /// The other moves are searched to the depth, less one, divided by this.
    singular_depth_divisor in 2..=3,
    /// Most moves of a line that are extended by two plies.
    singular_double_most in 0..=100,
    /// Plies taken off where the table's score is above beta, but other moves are about as good.
    singular_negative in 0..=3,
    /// Plies taken off where a cut is expected, and other moves are about as good.
    singular_negative_cut in 0..=3,
    /// Margin below the table's score for each ply.
    singular_margin in 1..=8,
    /// How much further below for two plies.
    singular_double_margin in 0..=100,
    /// Reduction of quiet moves, constant part.
    reduction_base in 0..=2000,
    /// Reduction of quiet moves, factor of the logarithms.
    reduction_factor in 100..=1000,
    /// Reduction of captures, constant part.
    reduction_capture_base in -1000..=2000,
    /// Reduction of captures, factor of the logarithms.
    reduction_capture_factor in 0..=1000,
    /// More where the static score is not improving.
    reduction_not_improving in 0..=2000,
    /// More outside of the principal variation.
    reduction_not_pv in 0..=2000,
    /// More where a cut is expected.
    reduction_cut_node in 0..=3000,
    /// Less for killers.
    reduction_killer in 0..=3000,
    /// Less for checks.
    reduction_check in 0..=3000,
    /// More for quiet moves where the table's move is a capture.
    reduction_table_capture in 0..=2000,
    /// More where the nodes after this one were often refuted.
    reduction_cutoffs in 0..=3000,
    /// How often is often.
    reduction_cutoffs_least in 1..=10,
    /// A surprising late move is searched a ply deeper where it beats the best score by this margin.
    deeper_margin in 0..=1000,
    /// A surprising late move is searched a ply less deep where it beats the best score by less than this margin.
    shallower_margin in 0..=100,
    /// Least reduction that is taken back by a ply where the move did its side no harm.
    reconsider_deeper_reduction in 1..=100,
    /// Harm that a reduced move must have done its side for a ply less.
    reconsider_shallower_margin in 0..=5000,
    /// So much history is worth a 1024th of a ply.
    reduction_history_divisor in 1..=50,
    /// History bonus for each ply.
    history_bonus in 20..=500,
    /// Taken off the bonus.
    history_bonus_offset in -200..=400,
    /// Greatest bonus.
    history_bonus_most in 400..=4000,
    /// History malus for each ply.
    history_malus in 20..=500,
    /// Taken off the malus.
    history_malus_offset in -200..=400,
    /// Greatest malus.
    history_malus_most in 400..=4000,
    /// What the history by the pawns counts, in 1024ths.
    history_structure_weight in 0..=2048,
    /// Share of the bonus for a move that nothing was found against, in 1024ths.
    history_unanswered_share in 0..=2048,
    /// How much earlier a quiet move is tried that gives check, in the unit of histories.
    order_check in 0..=30000,
    /// How much earlier a knight's or bishop's move is tried that leaves a pawn's attack for a square without one, in the
    /// unit of histories; half as much later one that walks into such an attack without giving check.
    order_threat_minor in 0..=32768,
    /// The same for rooks and the attacks of pawns and minor pieces.
    order_threat_rook in 0..=32768,
    /// The same for queens and the attacks of all less valuable pieces.
    order_threat_queen in 0..=32768,
    /// How much of beta goes into a score above it, for each ply of depth that goes into it of the score.
    fail_high_weight in 0..=8,
    /// What a capture may add in quiescence beyond the piece.
    quiescence_margin in 0..=400,
    /// Captures looked at in quiescence, but for checks and for retaking.
    quiescence_captures in 1..=100,
    /// How much of beta goes into a static score above it, in 1024ths.
    quiescence_fail_high_weight in 0..=1024,
    /// The largest correction by pawns.
    correction_pawn in 0..=200,
    /// The largest correction by minor pieces and kings.
    correction_minor in 0..=200,
    /// The largest correction by the pieces of each side.
    correction_pieces in 0..=200,
    /// The largest correction by the last two moves.
    correction_continuation in 0..=200,
    /// What a correction is taught: the difference times the depth, divided by this.
    correction_depth in 1..=32,
    /// Thousandths of the remaining clock for a move.
    time_share in 10..=150,
    /// Thousandths of the increment for a move.
    time_increment_share in 0..=1000,
    /// Hard limit, in thousandths of the soft one.
    time_hard_factor in 1000..=10000,
    /// Hard limit, in thousandths of the remaining clock.
    time_hard_share in 100..=950,
    /// To the next control so many moves are expected at most.
    time_moves_most in 2..=200,
    /// Hard limit before the last move to the control, in thousandths of the remaining clock.
    time_last_move_share in 100..=950,
    /// Hard limit before other moves to the control, in thousandths of the remaining clock.
    time_control_share in 100..=950,
    /// What the soft limit is multiplied with after the best move has changed, in thousandths.
    time_stability_base in 1000..=2000,
    /// How much less that is for each iteration that ends with the same best move, in thousandths.
    time_stability_step in 0..=140,
    /// So many iterations count at most.
    time_stability_most in 0..=7,
    /// What the soft limit is multiplied with besides where the best move took no nodes, in thousandths.
    time_effort_base in 1000..=3000,
    /// How much less that is where it took all nodes, in thousandths.
    time_effort_factor in 0..=3000,
    /// The least that this comes to, in thousandths.
    time_effort_least in 100..=1000,
    /// The most that this comes to, in thousandths.
    time_effort_most in 1000..=3000,
    /// So many centipawns that the score falls add the time once more.
    time_drop_divisor in 30..=1000,
    /// What is left of the time at least when the score rises, in thousandths.
    time_drop_least in 500..=1000,
    /// What the time is multiplied with at most when the score falls, in thousandths.
    time_drop_most in 1000..=3000,
    /// What a win against a lone king counts before all else; with the pawn's ranks less than a queen.
    ending_win in 400..=700,
    /// More for each rank that the last pawn has gone.
    ending_pawn_rank in 0..=30,
    /// More for each step that the mated king is nearer to the corner of the bishop.
    ending_mate_corner in 0..=200,
    /// More for each step that he is from the center.
    ending_mate_center in 0..=100,
    /// Less for each step between the kings.
    ending_mate_king in 0..=100,
    /// Less for each step of the knight to him.
    ending_mate_knight in 0..=50,
    /// Less for each square that he can go to.
    ending_mate_free in 0..=50,
}

/// The constants that the engine was built with.
pub const PARAMETERS: SearchParameters = SearchParameters;

/// Values of the pieces in exchanges.
#[inline(always)]
pub fn exchange_values() -> ExchangeValues {
    let p = PARAMETERS;
    [p.exchange_pawn(), p.exchange_knight(), p.exchange_bishop(), p.exchange_rook(), p.exchange_queen(), 0]
}

/// How many lines of the text set something.
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

/// The number of a line `name = number`.
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

/// Where the value begins, if the line sets that name.
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
    assert!(at > first && (at == text.len() || text[at] == b'\n'), "search.toml: a value is not a number");
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
