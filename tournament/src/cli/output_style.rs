//! Output style of a run: its own, or that of an emulated program.

use super::compat::OutputOptions;
use super::display::Verbosity;
use super::run_files::NamedOutput;

/// Output style of a run.
pub(super) enum OutputStyle {
    Native(Verbosity),
    /// Output of fastchess or cutechess.
    Compat(Box<OutputOptions>),
}

impl OutputStyle {
    /// The own style, with or without progress.
    pub(super) fn native(is_quiet: bool) -> OutputStyle {
        OutputStyle::Native(if is_quiet { Verbosity::Quiet } else { Verbosity::Usual })
    }

    /// Output files that are not in the plan.
    pub(super) fn further_outputs(&self) -> Vec<NamedOutput<'_>> {
        match self {
            OutputStyle::Native(_) => Vec::new(),
            OutputStyle::Compat(shown) => shown.files(),
        }
    }
}
