//! Section `[output]`: output files and their formats. Values only; [`crate::pgn`] writes.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use smalt_chess::notation::pgn::MoveNotation;

use super::value::{defaults, word};

/// Section `[output]`: output files and their formats.
#[derive(Args, Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
#[command(next_help_heading = "Output")]
pub struct OutputSettings {
    /// Store of the run, a database [default: FORMAT-DATE.db]
    #[arg(long, value_name = "RUN.db")]
    pub store: Option<PathBuf>,
    /// PGN file of the games [default: as the store, with .pgn; none with --data]
    #[arg(long, value_name = "FILE")]
    pub pgn: Option<PathBuf>,
    /// Number of first bytes of the PGN file that are not of this run; games are appended
    #[arg(skip)]
    pub pgn_after: Option<u64>,
    /// Extra fields in PGN move comments: nodes, nps, seldepth, hashfull, tbhits, latency, timeleft, pv
    #[arg(long, value_name = "FIELDS", value_delimiter = ',', value_parser = word::<Figure>(), hide_short_help = true)]
    pub pgn_comments: Vec<Figure>,
    /// Amount of PGN: full, or minimal (seven tags, no comments)
    #[arg(long, value_name = "FORM", value_parser = word::<PgnForm>(), default_value = "full", hide_short_help = true)]
    pub pgn_form: PgnForm,
    /// Notation of PGN moves: san, lan (both squares) or uci
    #[arg(long, value_name = "NOTATION", value_parser = word::<Notation>(), default_value = "san", hide_short_help = true)]
    pub pgn_notation: Notation,
    /// Regular expression of engine output for PGN move comments: the last line of a search that matches (may be repeated)
    #[arg(id = "pgn_match_lines", long = "pgn-match-line", value_name = "REGEX", hide_short_help = true)]
    #[schemars(with = "Vec<String>")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pgn_match_lines: Vec<LinePattern>,
    /// Style of PGN: smalt, or fastchess (its extra fields in its order, zero if the engine does not report it; its engine tags)
    #[arg(long, value_name = "STYLE", value_parser = word::<PgnStyle>(), default_value = "smalt", hide_short_help = true)]
    pub pgn_style: PgnStyle,
    /// Dates and times in the PGN: on or off
    #[arg(long, value_name = "SWITCH", value_parser = word::<Times>(), default_value = "on", hide_short_help = true)]
    pub pgn_times: Times,
    /// JSON file of all results (`-`: standard output)
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// JSON lines of all events, appended as they happen (`-`: standard output)
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub events: Option<PathBuf>,
    /// EPD file to which the final position of each game is appended
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub epd: Option<PathBuf>,
    /// Number of first bytes of the EPD file that are not of this run; positions are appended
    #[arg(skip)]
    pub epd_after: Option<u64>,
    /// Folder of full transcripts, one file per game (`-`: standard output)
    #[arg(long, value_name = "FOLDER")]
    pub log: Option<PathBuf>,
    /// Address of the live page during the run, e.g. 8064: a port of this machine, or ADDRESS:PORT (see `serve`)
    #[arg(long, alias = "listen", value_name = "ADDR", value_parser = parse_address)]
    pub serve: Option<SocketAddr>,
    /// File with the token of the page, created if missing, e.g. page-token [default: read-only page]
    #[arg(long, alias = "serve-token", value_name = "FILE", requires = "serve", hide_short_help = true)]
    #[serde(alias = "serve-token")]
    pub token_file: Option<PathBuf>,
    /// Keep the live page open after the run, until Ctrl-C
    #[arg(long, requires = "serve", hide_short_help = true)]
    pub serve_after: bool,
    /// URL to which the results are posted as JSON when the run ends, e.g. https://example.org/hook
    #[arg(long, value_name = "URL", value_parser = parse_url, hide_short_help = true)]
    pub webhook: Option<String>,
    /// Number of games between two tables of standings; 0: only at the end (a terminal always shows them)
    #[arg(long, value_name = "N", default_value = "0", hide_short_help = true)]
    pub rating_interval: u64,
    /// Exit code by the verdict of an SPRT: 0 if H1 was accepted, 10 if H0, 11 if undecided
    #[arg(long, hide_short_help = true)]
    pub exit_on_verdict: bool,
}

impl Default for OutputSettings {
    fn default() -> OutputSettings {
        defaults()
    }
}

impl OutputSettings {
    /// Settings of the PGN writer.
    pub fn writing(&self) -> GameWriting {
        GameWriting {
            style: self.pgn_style,
            ..GameWriting::new(self.pgn_comments.clone(), self.pgn_times, self.pgn_form, self.pgn_notation)
        }
    }
}

/// Checks that a text is an address of the web.
fn parse_url(text: &str) -> Result<String, String> {
    let is_one = ["http://", "https://"].iter().any(|scheme| {
        text.strip_prefix(scheme).is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/'))
    });
    let is_printable = text.bytes().all(|byte| byte.is_ascii_graphic());
    if is_one && is_printable {
        Ok(text.to_owned())
    } else {
        Err("expected an address like https://example.org/hook".to_owned())
    }
}

/// Parses a port on loopback, or an address with a port.
///
/// # Errors
/// If the text is neither.
pub fn parse_address(text: &str) -> Result<SocketAddr, String> {
    let own = |port| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let port = text.parse::<u16>().ok().map(own);
    let address = port.or_else(|| text.parse().ok());
    address.ok_or_else(|| "expected a port, or an address with its port like 0.0.0.0:8064".to_owned())
}

/// A regular expression matched against engine lines.
#[derive(Clone, Debug)]
pub struct LinePattern(pub Regex);

impl FromStr for LinePattern {
    type Err = regex::Error;

    fn from_str(text: &str) -> Result<LinePattern, regex::Error> {
        Regex::new(text).map(LinePattern)
    }
}

impl Eq for LinePattern {}

impl PartialEq for LinePattern {
    fn eq(&self, other: &LinePattern) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl Serialize for LinePattern {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.as_str())
    }
}

impl<'de> Deserialize<'de> for LinePattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<LinePattern, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// Extra fields of PGN move comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Figure {
    /// `n=12345`: nodes.
    Nodes,
    /// `nps=1000000`: nodes a second, by our clock.
    Nps,
    /// `sd=30`: selective depth, in plies.
    Seldepth,
    /// `hashfull=123`: transposition table use, in thousandths.
    Hashfull,
    /// `tb=12`: positions found in tablebases.
    Tbhits,
    /// `latency=0.000012s`: the runner's own delay before the move.
    Latency,
    /// `tl=59.500s`: time left on the clock after the move.
    Timeleft,
    /// `pv="g1f3 g8f6"`: the principal variation.
    Pv,
}

/// Whether dates and times are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Times {
    /// Dates, durations, and the time of each move.
    #[default]
    On,
    /// No dates and times: deterministic games then give the same bytes in every run.
    Off,
}

/// How much of a game the PGN has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PgnForm {
    /// All tags, and a comment behind each move.
    #[default]
    Full,
    /// The seven tags that every game has, and where it begins; no comments.
    Minimal,
}

/// Notation of the moves in PGN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
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

/// Fields and tags of the PGN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PgnStyle {
    /// Extra fields as far as they are known.
    #[default]
    Smalt,
    /// Extra fields in the order of fastchess, zero if the engine does not report it; tags with the names and authors that the
    /// engines tell.
    Fastchess,
}

/// Which principal variations the store keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PvRecord {
    /// Those of the losing move and of the reply to it.
    #[default]
    LosingMove,
    All,
}

/// Settings of the PGN writer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameWriting {
    /// Extra fields of move comments, in order and unique.
    pub figures: Vec<Figure>,
    /// Whether dates and times are written.
    pub times: Times,
    /// How much is written.
    pub form: PgnForm,
    /// How moves are written.
    pub notation: Notation,
    /// Style of the extra fields and tags.
    pub style: PgnStyle,
}

impl GameWriting {
    /// Sorts the fields and removes duplicates.
    pub(crate) fn new(
        mut figures: Vec<Figure>,
        times: Times,
        form: PgnForm,
        notation: Notation,
    ) -> GameWriting {
        figures.sort_unstable();
        figures.dedup();
        GameWriting { figures, times, form, notation, style: PgnStyle::default() }
    }

    /// The principal variations that this output needs.
    pub fn pv_record(&self) -> PvRecord {
        if self.figures.contains(&Figure::Pv) { PvRecord::All } else { PvRecord::LosingMove }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_principal_variations_are_kept_only_to_be_written() {
        let figures = vec![Figure::Pv, Figure::Nodes, Figure::Pv];
        let writing = GameWriting::new(figures, Times::On, PgnForm::Full, Notation::San);
        assert_eq!(writing.figures, [Figure::Nodes, Figure::Pv]);
        assert_eq!(writing.pv_record(), PvRecord::All);
        assert_eq!(GameWriting::default().pv_record(), PvRecord::LosingMove);
    }
}
