//! Progress of a run: a bar on a terminal, otherwise a line every ten seconds.

use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::output;
use crate::ask::{AnswerProgress, EngineAnswer};
use crate::grade::Grade;
use crate::plan::SuiteEntrant;
use crate::record::{ResultRecord, percent};
use crate::suite::Suite;

/// Interval of progress lines without a terminal.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Whether progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verbosity {
    Usual,
    Quiet,
}

pub(super) struct ScoreBar<'a> {
    bar: ProgressBar,
    title: String,
    suite: &'a Suite,
    score: RunningScore,
    begun: Instant,
    /// When the next line is due; `None` on a terminal and in a quiet run.
    line_due: Option<Instant>,
}

#[derive(Clone, Copy, Debug, Default)]
struct RunningScore {
    /// Answers since the start of the bar.
    asked: u32,
    /// Answers of the interrupted run.
    resumed: u32,
    solved: u32,
    points: u64,
    max_points: u64,
}

impl<'a> ScoreBar<'a> {
    pub(super) fn new(suite: &'a Suite, entrant: &SuiteEntrant, verbosity: Verbosity) -> ScoreBar<'a> {
        let (target, is_plain) = match verbosity {
            Verbosity::Usual => (ProgressDrawTarget::stderr(), !stderr().is_terminal()),
            Verbosity::Quiet => (ProgressDrawTarget::hidden(), false),
        };
        let bar = ProgressBar::with_draw_target(Some(suite.problems.len() as u64), target);
        let style = ProgressStyle::with_template("{prefix} {wide_bar} {pos}/{len} {msg} {eta}");
        bar.set_style(style.expect("the template is well-formed"));
        let title = format!("{}: {}", suite.name, entrant.name);
        bar.set_prefix(title.clone());
        let begun = Instant::now();
        let line_due = is_plain.then(|| begun + LINE_EVERY);
        ScoreBar { bar, title, suite, score: RunningScore::default(), begun, line_due }
    }

    /// Sets the results of the interrupted run.
    pub(super) fn resume(&mut self, results: &[Option<ResultRecord>]) {
        for result in results.iter().flatten() {
            let (points, max_points, solved) = (result.points, result.max_points, result.solved);
            self.score.add(Grade { points, max_points, solved });
            self.score.resumed += 1;
        }
        self.bar.set_position(self.score.resumed.into());
        self.bar.reset_eta();
    }

    pub(super) fn add(&mut self, progress: &AnswerProgress<'_>) {
        let goal = &self.suite.problems[progress.index].goal;
        let answer = progress.answers[progress.index].as_ref();
        let mv = answer.and_then(|answer| answer.outcome.as_ref().ok().copied());
        let announced = answer.and_then(EngineAnswer::announced);
        self.score.add(goal.grade(mv, announced));
        self.score.asked += 1;
        let now = Instant::now();
        let words = self.score.words(now.saturating_duration_since(self.begun));
        if self.line_due.is_some_and(|due| now >= due) {
            let done = self.score.asked + self.score.resumed;
            output::print_info(&format!("{}, {done} of {}, {words}", self.title, self.suite.problems.len()));
            self.line_due = Some(now + LINE_EVERY);
        }
        self.bar.set_message(words);
        self.bar.inc(1);
    }
}

impl RunningScore {
    fn add(&mut self, grade: Grade) {
        self.solved += u32::from(grade.solved);
        self.points += u64::from(grade.points);
        self.max_points += u64::from(grade.max_points);
    }

    /// `4.9 positions/s, 31 solved, 289 points (72.3%)`; the percentage is of the points asked so far.
    fn words(&self, since: Duration) -> String {
        let rate = f64::from(self.asked) / since.as_secs_f64().max(1e-3);
        let percent = percent(self.points, self.max_points);
        let (solved, points) = (self.solved, self.points);
        format!("{rate:.1} positions/s, {solved} solved, {points} points ({percent:.1}%)")
    }
}

impl Drop for ScoreBar<'_> {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_running_score_counts_what_was_asked() {
        let mut score = RunningScore { asked: 3, resumed: 1, ..RunningScore::default() };
        for points in [10, 7, 0, 10] {
            score.add(Grade { points, max_points: 10, solved: points == 10 });
        }
        assert_eq!(score.words(Duration::from_secs(2)), "1.5 positions/s, 2 solved, 27 points (67.5%)");
    }
}
