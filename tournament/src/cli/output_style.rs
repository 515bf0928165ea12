//! Output style of a run: its own, or that of an emulated program.

use super::compat::OutputOptions;
use super::display::Verbosity;

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
}
