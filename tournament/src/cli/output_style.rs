//! Output style of a run: its own, or that of an emulated program.

use super::compat::output::OutputOptions;
use super::display::Verbosity;

/// Output style of a run.
pub(super) enum OutputStyle {
    Native(Verbosity),
    /// Output of fastchess or cutechess.
    Compat(Box<OutputOptions>),
}

/// Output style of these flags.
pub(super) fn face(is_quiet: bool) -> OutputStyle {
    OutputStyle::Native(if is_quiet { Verbosity::Quiet } else { Verbosity::Usual })
}
