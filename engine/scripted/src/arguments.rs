//! Command-line arguments: the moves to play and the faults to show.

use std::time::Duration;

use lexopt::{Arg, Parser, ValueExt};
use smalt_chess::UciMove;
use smalt_protocol::OptionDeclaration;
use smalt_protocol::uci::EngineMessage;

use crate::fault::{self, PlannedFault, ScriptedFault};
use crate::output::Dialect;

pub(crate) enum ScriptRequest {
    Play(Script),
    /// Act as the child that outlives the engine.
    Linger(Duration),
    /// Act as the process that starts such a child in a new session.
    Detach,
    Help,
    Version,
}

/// How the engine behaves.
pub(crate) struct Script {
    pub(crate) name: String,
    pub(crate) dialect: Dialect,
    /// Whether it switches to the other protocol on `xboard`.
    pub(crate) is_bilingual: bool,
    /// Whether it can play Chess960.
    pub(crate) chess960: bool,
    /// Moves by ply, sent as they are.
    pub(crate) moves: Vec<String>,
    /// Expected replies by ply.
    pub(crate) guesses: Vec<String>,
    /// Selects the legal move to play beyond the script.
    pub(crate) seed: u64,
    pub(crate) info_lines: u32,
    pub(crate) features: String,
    /// Move reported at once, before thinking.
    pub(crate) first: Option<UciMove>,
    /// Score of info lines in centipawns, from the engine's point of view.
    pub(crate) score: i32,
    pub(crate) think: Duration,
    pub(crate) delay: Duration,
    pub(crate) flood_bytes: usize,
    pub(crate) options: Vec<OptionDeclaration>,
    faults: Vec<PlannedFault>,
}

impl Script {
    /// Whether a fault without a trigger was requested.
    pub(crate) fn has(&self, fault: ScriptedFault) -> bool {
        self.faults.iter().any(|planned| planned.fault == fault)
    }

    /// The fault of a search, counted from 1.
    pub(crate) fn fault_at(&self, search: u32) -> Option<ScriptedFault> {
        self.faults.iter().find(|planned| planned.shows_at(search)).map(|planned| planned.fault)
    }
}

impl Default for Script {
    fn default() -> Script {
        Script {
            name: "Smalt Scripted".to_owned(),
            dialect: Dialect::Uci,
            is_bilingual: false,
            chess960: true,
            moves: Vec::new(),
            guesses: Vec::new(),
            features: String::new(),
            seed: 0,
            info_lines: 0,
            first: None,
            score: 0,
            think: Duration::ZERO,
            delay: Duration::from_secs(1),
            flood_bytes: 100 << 20,
            options: Vec::new(),
            faults: Vec::new(),
        }
    }
}

pub(crate) fn help() -> String {
    format!(
        "\
An engine for tests. It answers at once with a legal move, and misbehaves on command.

Usage: smalt-scripted [OPTIONS]

  --name NAME            the name that it gives
  --speak PROTOCOL       uci, xboard (version 2), xboard1, or both: as it is asked (default uci)
  --no-chess960          does not offer to play Chess960
  --moves LIST           its answers by the ply of the game, between commas or spaces, unchecked;
                         two engines with the same list play that game
  --guesses LIST         expected replies by the ply of its move, to ponder on
  --features TEXT        more features of xboard's protocol, as they are sent: nps=1
  --seed N               choose other moves where there is no list (default 0)
  --info-lines N         number of info lines before each answer (default 0)
  --first MOVE           send an info line about this move at once, before it thinks
  --score CP             the score in them, from its own view (default 0)
  --think MS             thinking time in milliseconds; stop ends it (default 0)
  --option DECLARATION   offer an option: \"Hash type spin default 16 min 1 max 64\"; may be repeated
  --fault NAME[@N]       misbehave; at the Nth go since its start (default the first), or @all
  --delay MS             how late the faults late, late-repeat and slow-… are (default 1000)
  --flood MB             how much the floods send (default 100)
  --help                 print this
  --version              print the version

Without its faults it answers go infinite and go ponder when stop or ponderhit comes, as it should.
What hangs ends by itself after ten minutes.

Faults:
{}
Exit codes: 0 after quit, 1 by a fault, 2 wrong usage.
",
        fault::List
    )
}

pub(crate) fn parse(mut parser: Parser) -> Result<ScriptRequest, lexopt::Error> {
    let mut script = Script::default();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("help") | Arg::Short('h') => return Ok(ScriptRequest::Help),
            Arg::Long("version") | Arg::Short('V') => return Ok(ScriptRequest::Version),
            Arg::Long("linger") => {
                return Ok(ScriptRequest::Linger(Duration::from_secs(parser.value()?.parse()?)));
            }
            Arg::Long("detach") => return Ok(ScriptRequest::Detach),
            Arg::Long("name") => script.name = parser.value()?.string()?,
            Arg::Long("speak") => {
                (script.dialect, script.is_bilingual) = parse_dialects(&parser.value()?.string()?)?;
            }
            Arg::Long("no-chess960") => script.chess960 = false,
            Arg::Long("moves") => script.moves = parse_moves(&parser.value()?.string()?),
            Arg::Long("guesses") => script.guesses = parse_moves(&parser.value()?.string()?),
            Arg::Long("features") => script.features = parser.value()?.string()?,
            Arg::Long("seed") => script.seed = parser.value()?.parse()?,
            Arg::Long("info-lines") => script.info_lines = parser.value()?.parse()?,
            Arg::Long("first") => script.first = Some(parser.value()?.parse_with(UciMove::parse)?),
            Arg::Long("score") => script.score = parser.value()?.parse()?,
            Arg::Long("think") => script.think = Duration::from_millis(parser.value()?.parse()?),
            Arg::Long("delay") => script.delay = Duration::from_millis(parser.value()?.parse()?),
            Arg::Long("flood") => {
                script.flood_bytes = parser.value()?.parse::<usize>()?.saturating_mul(1 << 20);
            }
            Arg::Long("option") => script.options.push(parse_option(&parser.value()?.string()?)?),
            Arg::Long("fault") => {
                script.faults.push(parser.value()?.parse_with(|text| {
                    PlannedFault::parse(text).ok_or("no such fault, or no such moment for it")
                })?);
            }
            other => return Err(other.unexpected()),
        }
    }
    Ok(ScriptRequest::Play(script))
}

/// Parses the first protocol, and whether the other one is supported.
fn parse_dialects(name: &str) -> Result<(Dialect, bool), lexopt::Error> {
    match name {
        "uci" => Ok((Dialect::Uci, false)),
        "xboard" => Ok((Dialect::Xboard(2), false)),
        "xboard1" => Ok((Dialect::Xboard(1), false)),
        "both" => Ok((Dialect::Uci, true)),
        _ => Err(format!("no protocol: {name:?}").into()),
    }
}

fn parse_moves(list: &str) -> Vec<String> {
    list.split([',', ' ']).filter(|mv| !mv.is_empty()).map(str::to_owned).collect()
}

fn parse_option(declaration: &str) -> Result<OptionDeclaration, lexopt::Error> {
    match EngineMessage::parse(&format!("option name {declaration}")) {
        EngineMessage::Option(option) => Ok(option),
        _ => Err(format!("no declaration of an option: {declaration:?}").into()),
    }
}
