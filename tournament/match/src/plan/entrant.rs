//! An entrant: its complete settings and facts derived from them.

use smalt_chess::Color;
use smalt_protocol::{OptionDeclaration, OptionKind, ReportedScore};
pub use smalt_workbench::entrant::{EngineSettings, Program, Role};

use super::clock::MoveClock;

/// One of the engines of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Entrant {
    /// Unique name in this run.
    pub name: String,
    pub role: Role,
    pub program: Program,
    /// Time control and limits.
    pub clock: MoveClock,
    pub engine: EngineSettings,
}

/// Point of view of an engine's scores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScoreView {
    /// Side to move, as both protocols require.
    #[default]
    Mover,
    /// White, whichever side moves.
    White,
}

impl ScoreView {
    /// Converts a score reported by the engine of this side to that side's view.
    #[must_use]
    pub fn of_mover(self, mover: Color, score: ReportedScore) -> ReportedScore {
        match (self, mover) {
            (ScoreView::White, Color::Black) => score.negated(),
            _ => score,
        }
    }
}

/// Option names for the number of threads.
const THREADS: [&str; 2] = ["Threads", "Cores"];

fn is_threads(name: &str) -> bool {
    THREADS.iter().any(|threads| threads.eq_ignore_ascii_case(name))
}

/// Whether the engine's default number of threads exceeds the entrant's plan.
pub(crate) fn declares_more_threads(entrant: &Entrant, options: &[OptionDeclaration]) -> bool {
    let is_set = entrant.engine.options.keys().any(|name| is_threads(name));
    let more = |option: &OptionDeclaration| match option.kind {
        OptionKind::Spin { default, .. } => is_threads(&option.name) && default > 1,
        _ => false,
    };
    !is_set && options.iter().any(more)
}

impl Entrant {
    /// Point of view of its scores.
    pub fn scores(&self) -> ScoreView {
        if self.engine.whitepov { ScoreView::White } else { ScoreView::Mover }
    }

    /// Number of search threads set by its options.
    pub(super) fn threads(&self) -> usize {
        let set = self.engine.options.iter().find(|(name, _)| is_threads(name));
        set.and_then(|(_, text)| text.0.parse().ok()).unwrap_or(1).max(1)
    }
}
