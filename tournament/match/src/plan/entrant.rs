//! One of the engines of a run: its complete settings, and what follows from them. Starts nothing.

use smalt_protocol::{OptionDeclaration, OptionKind};
pub use smalt_workbench::entrant::{EngineSettings, Program, Role};

use super::clock::MoveClock;

/// One of the engines of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Entrant {
    /// Its name in this run; no other has it.
    pub name: String,
    /// Which side of a gauntlet it is on.
    pub role: Role,
    /// What is run.
    pub program: Program,
    /// Its time.
    pub clock: MoveClock,
    /// All its settings.
    pub engine: EngineSettings,
}

/// From whose point of view an engine tells its scores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScoreView {
    /// From the mover's, as both protocols want it.
    #[default]
    Mover,
    /// From White's.
    White,
}

/// What engines call the number of their threads.
const THREADS: [&str; 2] = ["Threads", "Cores"];

fn is_threads(name: &str) -> bool {
    THREADS.iter().any(|threads| threads.eq_ignore_ascii_case(name))
}

/// Whether an engine that declares these options uses more threads by its default than its entrant's plan says.
pub fn declares_more_threads(entrant: &Entrant, options: &[OptionDeclaration]) -> bool {
    let is_set = entrant.engine.options.keys().any(|name| is_threads(name));
    let more = |option: &OptionDeclaration| match option.kind {
        OptionKind::Spin { default, .. } => is_threads(&option.name) && default > 1,
        _ => false,
    };
    !is_set && options.iter().any(more)
}

impl Entrant {
    /// From whose point of view it tells its scores.
    pub fn scores(&self) -> ScoreView {
        if self.engine.whitepov { ScoreView::White } else { ScoreView::Mover }
    }

    /// How many threads of its engine work at the same time, as far as its options say.
    pub fn threads(&self) -> usize {
        let set = self.engine.options.iter().find(|(name, _)| is_threads(name));
        set.and_then(|(_, text)| text.0.parse().ok()).unwrap_or(1).max(1)
    }
}
