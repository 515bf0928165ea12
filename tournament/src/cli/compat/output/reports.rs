//! Reports over all games, in the format of either program.

use smalt_match::schedule::ScheduledGame;
use smalt_match::standings::{Standings, TestState};
use smalt_stats::{Verdict, Wdl};

use super::{CompatOutput, Dialect, Level, RULE, Style};
use crate::cli::compat::result_format::Row;
use crate::cli::compat::statistics::{self, estimate, percent_drawn};

impl CompatOutput {
    /// Prints `Score of A vs B: w - l - d  [s] n` in cutechess's style. fastchess prints it after the last game too,
    /// and for more than two engines.
    pub(super) fn print_score(&mut self, game: &ScheduledGame, standings: &Standings) {
        let is_fastchess = self.shown.dialect == Dialect::Fastchess;
        let interval = self.shown.score_interval;
        let is_time = interval > 0 && (self.finished + self.prior_games).is_multiple_of(interval);
        let is_last = is_fastchess && standings.games_missing() == 0;
        if self.shown.style != Style::Cutechess || !(is_time || is_last) {
            return;
        }
        if self.is_duel() {
            self.print(&self.score_line(standings));
        } else if is_fastchess {
            let (first, second) = (game.white.min(game.black), game.white.max(game.black));
            let score = self.scores.get(&(first, second)).copied().unwrap_or_default();
            self.print(&score_of(&self.names[first], &self.names[second], score.games));
        }
    }

    /// The score of a match of two.
    pub(super) fn score_line(&self, standings: &Standings) -> String {
        score_of(&self.names[0], &self.names[1], standings.entrants()[0].results)
    }

    /// fastchess's lines when the test is decided; the other programs have none.
    pub(super) fn print_decision(&mut self, standings: &Standings) {
        let Some(test) = standings.test().filter(|_| self.shown.dialect == Dialect::Fastchess) else {
            return;
        };
        let says = accepted(test.verdict).unwrap_or("none");
        let (elo0, elo1) = (test.sprt.elo0(), test.sprt.elo1());
        let text = format!("SPRT ([{elo0:.2}, {elo1:.2}]) completed - {says} was accepted\n");
        if self.shown.style == Style::Fastchess {
            self.report(standings);
            return self.print(&text);
        }
        self.note(Level::Info, &text);
        if self.is_duel() {
            self.print(&self.score_line(standings));
        }
        self.report(standings);
        self.print("Tournament finished\n");
    }

    pub(super) fn fastchess_report(&self, standings: &Standings) -> String {
        let figures =
            statistics::report(&self.scores.get(&(0, 1)).copied().unwrap_or_default(), self.shown.by_pairs);
        let test = standings.test().map(|test| llr_line(&test)).unwrap_or_default();
        if figures.is_empty() && test.is_empty() {
            return String::new();
        }
        let matchup = self.matchup.as_ref().map(ToString::to_string).unwrap_or_default();
        format!("{RULE}{matchup}{figures}{test}{RULE}")
    }

    /// Elo and test in cutechess's style; fastchess's version has two decimals and no results by color.
    pub(super) fn cutechess_report(&self, standings: &Standings) -> String {
        let results = standings.entrants()[0].results;
        let Some(found) = results.normal_statistics() else { return String::new() };
        let (mut text, decimals) = match self.shown.dialect {
            Dialect::Fastchess => (String::new(), 2),
            Dialect::Cutechess | Dialect::CChessCli => (self.results_by_color(), 1),
        };
        text.push_str(&format!(
            "Elo difference: {}, LOS: {:.decimals$} %, DrawRatio: {:.decimals$} %\n",
            estimate(found.elo, found.score, decimals),
            100.0 * found.los,
            percent_drawn(results),
        ));
        if let Some(test) = standings.test() {
            let bounds = test.sprt.bounds();
            let (share, says) = (percentage(&test), accepted(test.verdict));
            let says = says.map(|says| format!(" - {says} was accepted")).unwrap_or_default();
            text.push_str(&format!(
                "SPRT: llr {:.2} ({share:.1}%), lbound {:.2}, ubound {:.2}{says}\n",
                test.llr, bounds.lower, bounds.upper
            ));
        }
        text
    }

    pub(super) fn results_by_color(&self) -> String {
        let first = &self.names[0];
        let [as_white, as_black] = self.players[0].by_color;
        let mut white = as_white;
        white += as_black.mirrored();
        let lines = [
            (format!("{first} playing White"), as_white),
            (format!("{first} playing Black"), as_black),
            ("White vs Black".to_owned(), white),
        ];
        let lines = lines.iter().filter(|(_, results)| results.games() > 0);
        lines.map(|(who, results)| format!("...      {who}: {}\n", score_words(*results))).collect()
    }

    /// cutechess-cli's ranking: challengers of a gauntlet first, with rank 0, then the others by points.
    pub(super) fn cutechess_ranking(&self, standings: &Standings) -> String {
        let share = |player: usize| {
            let results = self.players[player].all();
            if results.games() == 0 { -1.0 } else { results.points() / results.games() as f64 }
        };
        let mut order: Vec<usize> = (0..self.players.len()).collect();
        order.sort_by(|&a, &b| self.seeds[b].cmp(&self.seeds[a]).then(share(b).total_cmp(&share(a))));
        let width = self.names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let format = &self.shown.result_format;
        let mut text = format.header(width);
        let mut rank = 0;
        for player in order {
            rank += u32::from(!self.seeds[player]);
            let row = Row {
                rank,
                name: &self.names[player],
                time_control: &self.time_controls[player],
                results: &self.players[player],
            };
            text.push_str(&format.row(&row, width));
        }
        let (finished, planned) = (standings.games_finished(), standings.games_planned());
        text + &format!("{finished} of {planned} games finished.\n")
    }
}

pub(super) fn accepted(verdict: Verdict) -> Option<&'static str> {
    match verdict {
        Verdict::Continue => None,
        Verdict::AcceptH0 => Some("H0"),
        Verdict::AcceptH1 => Some("H1"),
    }
}

fn score_of(first: &str, second: &str, results: Wdl) -> String {
    format!("Score of {first} vs {second}: {}\n", score_words(results))
}

/// `3 - 1 - 6  [0.600] 10`
pub(super) fn score_words(results: Wdl) -> String {
    let games = results.games();
    let share = if games > 0 { results.points() / games as f64 } else { 0.0 };
    format!("{} - {} - {}  [{share:.3}] {games}", results.wins, results.losses, results.draws)
}

/// The LLR as a percentage of the bound on its side.
fn percentage(test: &TestState) -> f64 {
    let bounds = test.sprt.bounds();
    100.0 * if test.llr < 0.0 { test.llr / bounds.lower } else { test.llr / bounds.upper }
}

fn llr_line(test: &TestState) -> String {
    let bounds = test.sprt.bounds();
    format!(
        "LLR: {:.2} ({:.1}%) ({:.2}, {:.2}) [{:.2}, {:.2}]\n",
        test.llr,
        percentage(test).copysign(test.llr),
        bounds.lower,
        bounds.upper,
        test.sprt.elo0(),
        test.sprt.elo1(),
    )
}
