//! Statistics in the formats of fastchess and cutechess, with `inf` and `nan` for values that are not finite.

use smalt_stats::{Estimate, MatchStatistics, Pentanomial, Wdl};

/// `value +/- error`; an infinite value has the sign of the score.
pub(super) fn estimate(estimate: Option<Estimate>, score: f64, decimals: usize) -> String {
    match estimate {
        Some(Estimate { value, error: Some(error) }) => format!("{value:.decimals$} +/- {error:.decimals$}"),
        Some(Estimate { value, error: None }) => format!("{value:.decimals$} +/- nan"),
        None if score > 0.5 => "inf +/- nan".to_owned(),
        None if score < 0.5 => "-inf +/- nan".to_owned(),
        None => format!("{:.decimals$} +/- nan", 0.0),
    }
}

/// A ratio with two decimals; `inf` for x/0, `nan` for 0/0.
pub(super) fn ratio(above: u64, below: u64) -> String {
    match (above, below) {
        (0, 0) => "nan".to_owned(),
        (_, 0) => "inf".to_owned(),
        _ => format!("{:.2}", above as f64 / below as f64),
    }
}

pub(super) fn percent_drawn(results: Wdl) -> f64 {
    if results.games() > 0 { 100.0 * results.draws as f64 / results.games() as f64 } else { 0.0 }
}

/// Counts of two entrants from the first one's view; with pairs, games of complete pairs only.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Score {
    pub(super) games: Wdl,
    pub(super) pairs: Pentanomial,
    /// Pairs of a win and a loss.
    pub(super) split: u64,
    /// Pairs of two draws.
    pub(super) drawn: u64,
}

impl Score {
    /// Statistics of a report: by pairs, or by games.
    pub(super) fn statistics(&self, by_pairs: bool) -> Option<MatchStatistics> {
        if by_pairs { self.pairs.normal_statistics() } else { self.games.normal_statistics() }
    }
}

/// The lines of fastchess's report from `Elo:` on.
pub(super) fn report(score: &Score, by_pairs: bool) -> String {
    let Some(found) = score.statistics(by_pairs) else { return String::new() };
    let Wdl { wins, draws, losses } = score.games;
    let games = score.games.games();
    let points = score.games.points();
    let Pentanomial([lost_both, lost, even, won, won_both]) = score.pairs;
    let pairs_ratio = if by_pairs {
        format!(", PairsRatio: {}", ratio(won + won_both, lost + lost_both))
    } else {
        String::new()
    };
    let mut text = format!(
        "Elo: {}, nElo: {}\nLOS: {:.2} %, DrawRatio: {:.2} %{pairs_ratio}\nGames: {games}, Wins: {wins}, Losses: {losses}, \
         Draws: {draws}, Points: {points:.1} ({:.2} %)\n",
        estimate(found.elo, found.score, 2),
        estimate(found.nelo, found.score, 2),
        100.0 * found.los,
        100.0 * found.draw_ratio,
        100.0 * points / games as f64,
    );
    if by_pairs {
        text.push_str(&format!(
            "Ptnml(0-2): [{lost_both}, {lost}, {even}, {won}, {won_both}], WL/DD Ratio: {}\n",
            ratio(score.split, score.drawn)
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block printed by fastchess (quoted in fishtest's worker).
    #[test]
    fn a_report_has_fastchess_s_lines_to_the_last_digit() {
        let score = Score {
            games: Wdl::new(248, 166, 266),
            pairs: Pentanomial([43, 61, 144, 55, 37]),
            split: 119,
            drawn: 25,
        };
        assert_eq!(
            report(&score, true),
            "Elo: -9.20 +/- 20.93, nElo: -11.50 +/- 26.11\n\
             LOS: 19.41 %, DrawRatio: 42.35 %, PairsRatio: 0.88\n\
             Games: 680, Wins: 248, Losses: 266, Draws: 166, Points: 331.0 (48.68 %)\n\
             Ptnml(0-2): [43, 61, 144, 55, 37], WL/DD Ratio: 4.76\n"
        );
    }

    #[test]
    fn one_sided_scores_are_infinite() {
        let score =
            Score { games: Wdl::new(2, 0, 0), pairs: Pentanomial([0, 0, 0, 0, 1]), ..Score::default() };
        let text = report(&score, true);
        assert!(text.starts_with("Elo: inf +/- nan, nElo: inf +/- nan\n"), "{text}");
        assert!(text.contains("PairsRatio: inf\n") && text.ends_with("WL/DD Ratio: nan\n"), "{text}");
    }
}
