//! Which chess is played, and how games are written. Values only; who writes is [`crate::pgn`].

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use smalt_chess::CastlingMode;
use smalt_chess::notation::pgn::MoveNotation;

/// Which chess is played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Variant {
    /// Standard chess; openings whose castling is that of Chess960 are played as that.
    #[default]
    Standard,
    /// Chess960, also called Fischer Random.
    #[serde(alias = "fischerandom")]
    Chess960,
}

impl Variant {
    /// How castling is written in a game that begins in a position of this mode.
    pub fn mode(self, position: CastlingMode) -> CastlingMode {
        match self {
            Variant::Standard => position,
            Variant::Chess960 => CastlingMode::Chess960,
        }
    }
}

/// Figures that move comments may bear behind score, depth and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Figure {
    /// `n=12345`: nodes.
    Nodes,
    /// `nps=1000000`: nodes a second, by our clock.
    Nps,
    /// `sd=30`: the longest line looked at, in plies.
    Seldepth,
    /// `hashfull=123`: how full the transposition table is, in thousandths.
    Hashfull,
    /// `tb=12`: positions found in endgame tables.
    Tbhits,
    /// `latency=0.000012s`: the runner's own delay before the move.
    Latency,
    /// `tl=59.500s`: what the clock showed after the move.
    Timeleft,
    /// `pv="g1f3 g8f6"`: the principal variation.
    Pv,
}

/// All figures by name, in the order in which they are written.
const FIGURES: [(&str, Figure); 8] = [
    ("nodes", Figure::Nodes),
    ("nps", Figure::Nps),
    ("seldepth", Figure::Seldepth),
    ("hashfull", Figure::Hashfull),
    ("tbhits", Figure::Tbhits),
    ("latency", Figure::Latency),
    ("timeleft", Figure::Timeleft),
    ("pv", Figure::Pv),
];

impl FromStr for Figure {
    type Err = String;

    fn from_str(text: &str) -> Result<Figure, String> {
        let found = FIGURES.iter().find(|(name, _)| *name == text);
        found.map(|(_, figure)| *figure).ok_or_else(|| {
            let names: Vec<&str> = FIGURES.iter().map(|(name, _)| *name).collect();
            format!("the figures of comments are {}", names.join(", "))
        })
    }
}

/// Whether what depends on time is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Times {
    /// Dates, durations, and the time of each move.
    #[default]
    On,
    /// Nothing of that kind: deterministic games then have the same bytes whenever they are played.
    Off,
}

/// How much is written of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PgnForm {
    /// All tags, and a comment behind each move.
    #[default]
    Full,
    /// The seven tags that every game has, and where it begins; no comments.
    Minimal,
}

/// How the moves of a game are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Notation {
    /// `Nf3`, as PGN has it.
    #[default]
    San,
    /// `Ng1f3`: both squares of every move.
    Lan,
    /// `g1f3`.
    Uci,
}

impl From<Notation> for MoveNotation {
    fn from(notation: Notation) -> MoveNotation {
        match notation {
            Notation::San => MoveNotation::San,
            Notation::Lan => MoveNotation::Lan,
            Notation::Uci => MoveNotation::Uci,
        }
    }
}

/// Whether principal variations are kept in the store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PvRecord {
    /// They are not.
    #[default]
    Dropped,
    /// They are.
    Kept,
}

/// How games are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameWriting {
    /// What move comments bear besides, in order, none twice.
    pub figures: Vec<Figure>,
    /// Whether what depends on time is written.
    pub times: Times,
    /// How much is written.
    pub form: PgnForm,
    /// How moves are written.
    pub notation: Notation,
}

impl GameWriting {
    /// These figures in their order, each once.
    pub fn new(mut figures: Vec<Figure>, times: Times, form: PgnForm, notation: Notation) -> GameWriting {
        figures.sort_unstable();
        figures.dedup();
        GameWriting { figures, times, form, notation }
    }

    /// Whether principal variations must be kept to write this.
    pub fn pv_record(&self) -> PvRecord {
        if self.figures.contains(&Figure::Pv) { PvRecord::Kept } else { PvRecord::Dropped }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_by_their_names() {
        for (name, figure) in FIGURES {
            assert_eq!(name.parse(), Ok(figure));
        }
        let error = "knps".parse::<Figure>().unwrap_err();
        assert!(error.ends_with("nodes, nps, seldepth, hashfull, tbhits, latency, timeleft, pv"), "{error}");
    }

    #[test]
    fn principal_variations_are_kept_only_to_be_written() {
        let figures = vec![Figure::Pv, Figure::Nodes, Figure::Pv];
        let writing = GameWriting::new(figures, Times::On, PgnForm::Full, Notation::San);
        assert_eq!(writing.figures, [Figure::Nodes, Figure::Pv]);
        assert_eq!(writing.pv_record(), PvRecord::Kept);
        assert_eq!(GameWriting::default().pv_record(), PvRecord::Dropped);
    }
}
