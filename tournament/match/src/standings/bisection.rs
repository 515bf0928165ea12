//! A bisection as JSON and as a table: commits after complete rounds, oldest first.

use schemars::JsonSchema;
use serde::Serialize;
use smalt_report::{Column, ColumnKind, Table, format};
use smalt_stats::bisection::{Bisection, BisectionVerdict};

use super::Standings;
use crate::schedule::CandidateRounds;

/// Minimum probability to list a commit without games.
const SHOWN: f64 = 0.01;

/// A bisection as JSON.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct BisectionJson {
    /// The good commit.
    base: String,
    /// Elo of the change, in the view of the later commit: below zero for a loss.
    elo: f64,
    /// Elo model: `logistic`, `normalized` or `bayesian`.
    model: String,
    /// Probability at which the search ends.
    confidence: f64,
    /// Whether the bisection is undecided.
    is_open: bool,
    /// `undecided`, `found` or `no change`.
    verdict: &'static str,
    /// The commit that was found.
    commit: Option<String>,
    /// Probability that no commit changed the strength.
    no_change: f64,
    /// Number of games in complete pairs.
    games: u64,
    /// The commits after the good one, oldest first.
    commits: Vec<CommitJson>,
}

/// A commit of a bisection.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
struct CommitJson {
    /// Name of the commit.
    name: String,
    /// Probability that this commit changed the strength.
    probability: f64,
    /// Probability that this commit or an earlier one did.
    changed: f64,
    /// Games against the good commit.
    games: u64,
    /// Number of pairs with 0, ½, 1, 1½ and 2 points against the good commit.
    penta: [u64; 5],
}

/// Name of a commit and the unplayable ones directly before it, of which `first` is the first; names of commits begin with the
/// short hash.
pub fn hypothesis_name(first: &str, own: &str) -> String {
    let hash = first.split(' ').next().unwrap_or_default();
    if first == own { own.to_owned() } else { format!("one of {hash}^..{own}") }
}

impl BisectionJson {
    pub(super) fn of(
        bisection: &Bisection,
        rounds: &CandidateRounds,
        standings: &Standings,
    ) -> BisectionJson {
        let name = |entrant: usize| standings.entrants()[entrant].name.clone();
        let title = |commit: usize| {
            let first = bisection.first_of_hypothesis(commit);
            let [first, own] = [first, commit].map(|commit| name(rounds.candidates()[commit]));
            hypothesis_name(&first, &own)
        };
        let (rules, mut changed) = (bisection.rules(), 0.0);
        let of_commits = bisection.probabilities().iter().zip(bisection.pairs());
        let commits = of_commits.enumerate().map(|(commit, (&probability, pairs))| {
            changed += probability;
            CommitJson { name: title(commit), probability, changed, games: pairs.games(), penta: pairs.0 }
        });
        let (verdict, commit) = match bisection.verdict() {
            BisectionVerdict::Undecided => ("undecided", None),
            BisectionVerdict::Found(commit) => ("found", Some(title(commit))),
            BisectionVerdict::NoChange => ("no change", None),
        };
        BisectionJson {
            base: name(rounds.base()),
            elo: rules.elo,
            model: rules.model.to_string(),
            confidence: rules.confidence,
            is_open: bisection.is_open(),
            verdict,
            commit,
            no_change: bisection.no_change(),
            games: bisection.all_pairs().games(),
            commits: commits.collect(),
        }
    }

    pub(super) fn to_table(&self) -> Table {
        let mut table = Table::new([
            Column::new("#", ColumnKind::Integer),
            Column::new("commit", ColumnKind::Text),
            Column::new("probability", ColumnKind::Percent(1)),
            Column::new("this or earlier", ColumnKind::Percent(1)),
            Column::new("games", ColumnKind::Integer),
            Column::new("pairs (0, ½, 1, 1½, 2)", ColumnKind::Text),
        ]);
        for (number, commit) in (1_u64..).zip(&self.commits) {
            if commit.games > 0 || commit.probability >= SHOWN {
                table.push([
                    number.into(),
                    commit.name.clone().into(),
                    commit.probability.into(),
                    commit.changed.into(),
                    commit.games.into(),
                    commit.penta.map(|count| count.to_string()).join(", ").into(),
                ]);
            }
        }
        table
    }

    /// Progress as one line.
    pub(super) fn progress(&self) -> String {
        let change = format!("{} {} Elo", if self.elo < 0.0 { "lost" } else { "gained" }, self.elo.abs());
        let games = format::count(usize::try_from(self.games).unwrap_or(usize::MAX), "game");
        let likeliest = self.commits.iter().max_by(|a, b| a.probability.total_cmp(&b.probability));
        let finding = match (&self.commit, likeliest) {
            (Some(commit), Some(likeliest)) => {
                format!("{commit} {change} (probability {})", format::percent(likeliest.probability, 1))
            }
            _ if self.verdict == "no change" => {
                format!("no commit {change} (probability {})", format::percent(self.no_change, 1))
            }
            (_, Some(likeliest)) => format!(
                "undecided which commit {change}; most likely {} ({})",
                likeliest.name,
                format::percent(likeliest.probability, 1)
            ),
            (_, None) => "no commits".to_owned(),
        };
        format!("Bisection after {}: {finding}; {games}, {}", self.base, self.model)
    }
}
