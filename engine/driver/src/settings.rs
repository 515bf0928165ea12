//! How an engine is run: its protocol, whether it ponders, and whether it is restarted.

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
    /// It is.
    On,
    /// One process serves them all, unless it says itself that it cannot.
    #[default]
    #[serde(alias = "auto")]
    Off,
}

/// Whether an engine may think on its opponent's time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Pondering {
    /// It waits.
    #[default]
    #[serde(alias = "false")]
    Off,
    /// It may.
    #[serde(alias = "true")]
    On,
}
