//! The games being played, for those who look on: they are not in the store before they are over.
//!
//! Each slot has a [`DemoBoard`], on which it shows the state of its game after every move; that costs the game some
//! fifty nanoseconds and no wait. A [`Publisher`] looks at the boards a few times a second and copies what changed to a
//! small file beside the store, but only while somebody has that file open ([`Onlooker`]). So pages of this process and
//! of others see the same, and no page can slow a game. Knows no HTTP and no chess but moves.

mod board;
mod file;
mod onlooker;
mod publisher;

pub use board::{DemoBoard, SideShown, Thought};
pub use file::{LiveGame, LiveSide, LiveThought, path_of};
pub use onlooker::Onlooker;
pub use publisher::Publisher;
