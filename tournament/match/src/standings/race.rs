//! A race as JSON and as a table: after complete rounds, accepted candidates first.

use schemars::JsonSchema;
use serde::Serialize;
use smalt_report::{Column, ColumnKind, Interval, Sign, Table, format};
use smalt_stats::Counts;
use smalt_stats::race::{Candidate, CandidateVerdict, Race};

use super::Standings;
use super::elo::{SprtEstimate, elo, sequential_elo};
use crate::schedule::CandidateRounds;

/// A race as JSON.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RaceJson {
    /// Name of the base, against which all candidates play.
    base: String,
    /// Elo difference of H0.
    elo0: f64,
    /// Elo difference of H1.
    elo1: f64,
    /// Probability of accepting any candidate if H0 is true for all.
    alpha: f64,
    /// Probability of rejecting a candidate for which H1 is true.
    beta: f64,
    /// Elo model: `logistic`, `normalized` or `bayesian`.
    model: String,
    /// LLR at which a candidate is rejected.
    lower: f64,
    /// LLR at which a candidate is accepted.
    upper: f64,
    /// Number of accepted candidates at which the race ends.
    winners: usize,
    /// Whether the race is undecided.
    is_open: bool,
    /// Accepted candidates first, then by LLR.
    candidates: Vec<CandidateJson>,
    #[serde(skip)]
    rows: Vec<CandidateRow>,
}

/// A candidate of a race.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
struct CandidateJson {
    /// Name of the candidate.
    name: String,
    /// `undecided`, `better` or `not better`.
    verdict: &'static str,
    /// Log-likelihood ratio against the base.
    llr: f64,
    /// Number of games before the verdict.
    games: u64,
    /// Number of these pairs with 0, ½, 1, 1½ and 2 points for the candidate.
    penta: [u64; 5],
    #[serde(flatten)]
    test: SprtEstimate,
    /// Number of games after the verdict, for an unbiased estimate.
    estimate_games: u64,
    /// Elo from the games after the verdict, on which no decision depends; null before they are complete, and after nothing but wins or losses.
    estimate_elo: Option<f64>,
    /// Lower end of the 95 % interval of `estimate_elo`.
    estimate_elo_low: Option<f64>,
    /// Upper end of the 95 % interval of `estimate_elo`.
    estimate_elo_high: Option<f64>,
    /// Likelihood of superiority from the same games, in [0, 1].
    estimate_los: Option<f64>,
}

/// A row of the table.
#[derive(Clone, Debug, PartialEq)]
struct CandidateRow {
    place: usize,
    test: Interval,
    estimate: Interval,
}

impl RaceJson {
    pub(super) fn of(race: &Race, rounds: &CandidateRounds, standings: &Standings) -> RaceJson {
        let (rules, test) = (race.rules(), race.test());
        let name = |entrant: usize| standings.entrants()[entrant].name.clone();
        let mut order: Vec<usize> = (0..race.candidates().len()).collect();
        let key = |candidate: &Candidate| match candidate.verdict {
            CandidateVerdict::Better => 2,
            CandidateVerdict::Undecided => 1,
            CandidateVerdict::NotBetter => 0,
        };
        order.sort_by(|&a, &b| {
            let [a, b] = [a, b].map(|candidate| &race.candidates()[candidate]);
            key(b).cmp(&key(a)).then(b.llr.total_cmp(&a.llr))
        });
        let mut candidates = Vec::new();
        let mut rows = Vec::new();
        for (place, &number) in (1..).zip(&order) {
            let candidate = &race.candidates()[number];
            let of_test = test.estimate_of(&Counts::Pairs(candidate.pairs));
            let estimate = candidate.estimate();
            rows.push(CandidateRow {
                place,
                test: of_test.as_ref().map(sequential_elo).unwrap_or_default(),
                estimate: elo(estimate),
            });
            candidates.push(CandidateJson {
                name: name(rounds.candidates()[number]),
                verdict: word(candidate.verdict),
                llr: candidate.llr,
                games: candidate.pairs.games(),
                penta: candidate.pairs.0,
                test: of_test.into(),
                estimate_games: candidate.further_pairs.games(),
                estimate_elo: estimate.and_then(|found| found.elo).map(|elo| elo.value),
                estimate_elo_low: estimate.and_then(|found| found.elo_interval.low),
                estimate_elo_high: estimate.and_then(|found| found.elo_interval.high),
                estimate_los: estimate.map(|found| found.los),
            });
        }
        RaceJson {
            base: name(rounds.base()),
            elo0: rules.elo0,
            elo1: rules.elo1,
            alpha: rules.alpha,
            beta: rules.beta,
            model: rules.model.to_string(),
            lower: test.bounds().lower,
            upper: test.bounds().upper,
            winners: rules.winners,
            is_open: race.is_open(),
            candidates,
            rows,
        }
    }

    pub(super) fn to_table(&self) -> Table {
        let mut table = Table::new([
            Column::new("#", ColumnKind::Integer),
            Column::new("candidate", ColumnKind::Text),
            Column::new("verdict", ColumnKind::Text),
            Column::new("LLR", ColumnKind::Number(2, Sign::Both)),
            Column::new("games before the verdict", ColumnKind::Integer),
            Column::new("pairs (0, ½, 1, 1½, 2)", ColumnKind::Text),
            Column::new("elo given the stopping rule", ColumnKind::Interval(1, Sign::Both)),
            Column::new("games after it", ColumnKind::Integer),
            Column::new("unbiased elo", ColumnKind::Interval(1, Sign::Both)),
        ]);
        for (candidate, row) in self.candidates.iter().zip(&self.rows) {
            let is_racing = self.is_open && candidate.verdict == word(CandidateVerdict::Undecided);
            table.push([
                (row.place as u64).into(),
                candidate.name.clone().into(),
                if is_racing { "in the race" } else { candidate.verdict }.into(),
                candidate.llr.into(),
                candidate.games.into(),
                candidate.penta.map(|count| count.to_string()).join(", ").into(),
                row.test.into(),
                Some(candidate.estimate_games).filter(|&games| games > 0).into(),
                row.estimate.into(),
            ]);
        }
        table
    }

    /// Progress as one line.
    pub(super) fn progress(&self) -> String {
        let count = |verdict: CandidateVerdict| {
            self.candidates.iter().filter(|candidate| candidate.verdict == word(verdict)).count()
        };
        let [better, dropped, left] =
            [CandidateVerdict::Better, CandidateVerdict::NotBetter, CandidateVerdict::Undecided].map(count);
        let left = format!("{left} {}", if self.is_open { "in the race" } else { "undecided" });
        let (lower, upper, alpha) = (self.lower, self.upper, format::percent(self.alpha, 1));
        format!(
            "Race against {}: {better} better, {dropped} not better, {left}; LLR bounds ({lower:.2}, {upper:.2}) \
             [{:.2}, {:.2}] {}; any false acceptance has a probability of {alpha} at most",
            self.base, self.elo0, self.elo1, self.model
        )
    }
}

fn word(verdict: CandidateVerdict) -> &'static str {
    match verdict {
        CandidateVerdict::Better => "better",
        CandidateVerdict::NotBetter => "not better",
        CandidateVerdict::Undecided => "undecided",
    }
}
