//! Progress display: a bar or spinner on a terminal, nothing otherwise.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::optimizer::Step;

/// A progress line on standard error; hidden without a terminal.
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A spinner for work of unknown length.
    pub(crate) fn spinner(words: &'static str) -> Progress {
        let bar = ProgressBar::new_spinner().with_prefix(words);
        bar.set_style(style("{spinner} {prefix} {msg}"));
        bar.enable_steady_tick(Duration::from_millis(200));
        Progress { bar }
    }

    /// A bar for a fit with this maximum number of epochs.
    pub(crate) fn fit(epochs: u64) -> Progress {
        let bar = ProgressBar::new(epochs);
        bar.set_style(style("{bar:24} epoch {pos}/{len} {msg}, at most {eta} left"));
        Progress { bar }
    }

    pub(crate) fn set_message(&self, words: String) {
        self.bar.set_message(words);
    }

    pub(crate) fn step(&self, step: &Step) {
        let speed = step.positions as f64 / step.time.as_secs_f64().max(1e-9) / 1e6;
        let (train, validation) = (step.train, step.validation);
        self.bar
            .set_message(format!("train {train:.6} validation {validation:.6}, {speed:.1} M positions/s"));
        self.bar.set_position(step.epoch);
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
