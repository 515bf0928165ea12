//! How far a run has come: a bar on a terminal, and nothing elsewhere.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::ask::Progress;
use crate::grade::announced_mate;
use crate::plan::Entrant;
use crate::suite::Suite;

/// Whether progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loudness {
    /// It is, on a terminal.
    Usual,
    /// It is not.
    Quiet,
}

/// A running score.
pub(super) struct Bar<'a> {
    bar: ProgressBar,
    suite: &'a Suite,
    solved: u32,
    points: u32,
}

impl<'a> Bar<'a> {
    pub(super) fn new(suite: &'a Suite, entrant: &Entrant, loudness: Loudness) -> Bar<'a> {
        let target = match loudness {
            Loudness::Usual => ProgressDrawTarget::stderr(),
            Loudness::Quiet => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(Some(suite.problems.len() as u64), target);
        let style = ProgressStyle::with_template("{prefix} {wide_bar} {pos}/{len} {per_sec} {msg} {eta}");
        bar.set_style(style.expect("the template is well-formed"));
        bar.set_prefix(format!("{} {}", suite.name, entrant.name));
        Bar { bar, suite, solved: 0, points: 0 }
    }

    /// One more answer.
    pub(super) fn add(&mut self, progress: &Progress<'_>) {
        let goal = &self.suite.problems[progress.index].goal;
        let mv = progress.answer.outcome.as_ref().ok().copied();
        let grade = goal.grade(mv, announced_mate(progress.answer.score));
        self.solved += u32::from(grade.solved);
        self.points += grade.points;
        self.bar.set_message(format!("{} solved, {} points", self.solved, self.points));
        self.bar.inc(1);
    }
}

impl Drop for Bar<'_> {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
