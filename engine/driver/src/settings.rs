//! Settings of an engine process: protocol, pondering, restart.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an engine speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// The Universal Chess Interface.
    #[default]
    Uci,
    /// The Chess Engine Communication Protocol of xboard and WinBoard.
    #[serde(alias = "cecp", alias = "winboard")]
    Xboard,
    /// Whichever of the two the engine answers to.
    Auto,
}

impl Protocol {
    /// Its name, as it is stored and shown.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Protocol::Uci => "uci",
            Protocol::Xboard => "xboard",
            Protocol::Auto => "auto",
        }
    }
}

/// Whether an engine is started anew for each game or position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Restart {
    /// A new process for each game or position.
    On,
    /// One process for all, unless the engine asks for restarts (xboard `reuse=0`).
    #[default]
    #[serde(alias = "auto")]
    Off,
}

/// Whether an engine may think on its opponent's time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Pondering {
    #[default]
    #[serde(alias = "false")]
    Off,
    #[serde(alias = "true")]
    On,
}
