//! State followed by pages: the game, the engine's lines, and both clocks.

use std::sync::Arc;
use std::time::{Duration, Instant};

use smalt_chess::Color;

use crate::stream::{Followed, event};

/// State of the session for pages. Texts are JSON, made once for all followers; a new number means a new text.
#[derive(Clone, Debug)]
pub(super) struct PlaySnapshot {
    pub(super) game: (u64, Arc<str>),
    pub(super) thinking: (u64, Arc<str>),
    pub(super) clocks: Clocks,
    /// The game as PGN.
    pub(super) pgn: Arc<str>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Clocks {
    /// Times left when the running clock started; `None` without clocks.
    pub(super) left: Option<[Duration; 2]>,
    /// Side whose clock is running, and since when.
    pub(super) running: Option<(Color, Instant)>,
}

impl Clocks {
    /// Current times left, in milliseconds, as JSON.
    fn to_json(self) -> String {
        let Some(mut left) = self.left else { return "null".to_owned() };
        if let Some((color, since)) = self.running {
            let own = &mut left[color.index()];
            *own = own.saturating_sub(since.elapsed());
        }
        let [white, black] = left.map(|left| left.as_millis());
        let running = match self.running {
            Some((Color::White, _)) => "\"white\"",
            Some((Color::Black, _)) => "\"black\"",
            None => "null",
        };
        format!("{{\"white_ms\":{white},\"black_ms\":{black},\"running\":{running}}}")
    }
}

impl Followed for PlaySnapshot {
    /// Events: `game`, `thinking`, and `clocks`, with the times at the moment of sending.
    fn events(&self, known: Option<&PlaySnapshot>) -> String {
        let mut events = String::new();
        if known.is_none_or(|known| known.game.0 != self.game.0) {
            events.push_str(&event("game", &self.game.1));
        }
        if known.is_none_or(|known| known.clocks != self.clocks) {
            events.push_str(&event("clocks", &self.clocks.to_json()));
        }
        if known.is_none_or(|known| known.thinking.0 != self.thinking.0) {
            events.push_str(&event("thinking", &self.thinking.1));
        }
        events
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_sent_what_it_does_not_know() {
        let before = PlaySnapshot {
            game: (1, "1".into()),
            thinking: (1, "null".into()),
            clocks: Clocks::default(),
            pgn: "".into(),
        };
        let all = "event: game\ndata: 1\n\nevent: clocks\ndata: null\n\nevent: thinking\ndata: null\n\n";
        assert_eq!(before.events(None), all);
        let left = Some([Duration::from_millis(1500), Duration::from_secs(2)]);
        let clocks = Clocks { left, running: None };
        let after = PlaySnapshot { clocks, ..before.clone() };
        assert_eq!(
            after.events(Some(&before)),
            "event: clocks\ndata: {\"white_ms\":1500,\"black_ms\":2000,\"running\":null}\n\n"
        );
        assert_eq!(before.events(Some(&before)), "");
    }
}
