//! `play`: a human against an engine in the browser.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::net::IpAddr;
use std::num::{NonZeroU32, NonZeroU64};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, anyhow};
use clap::{Args, Parser, ValueEnum};
use smalt_about::names_or_files;
use smalt_dashboard::play::{
    ColorChoice, EngineSetup, NewGame, PlayError, PlayServer, PlaySettings, StartPosition,
};
use smalt_dashboard::{BoundAddress, ClientLimits, PlayOnForm, Token};
use smalt_driver::EngineCommand;
use smalt_driver::process::StopSignals;
use smalt_match::game::GameRecord;
use smalt_match::pgn::PgnWriter;
use smalt_match::plan::{Entrant, Plan, Timeouts};
use smalt_match::run::engine_timeouts;
use smalt_match::store::Store;
use smalt_protocol::TimeControl;
use smalt_workbench::decompress::DecompressReader;
use smalt_workbench::entrant::{BUILTIN, Registry};
use smalt_workbench::flags::RegistryFlag;
use smalt_workbench::input::{MAX_INPUT, read_all};
use toml::{Table, Value};

use super::exit::{Exit, OrRefuse, Refusal};
use super::intent::{command_of, single_engine};
use super::page_address::{PageFlags, refuse_page};
use super::registry::registry;
use super::stored_run::{read_run, refuse_store};

/// Default limits of the engine, without flags or its own limits.
const USUAL_LIMITS: &str = "movetime=1000";

/// Maximum number of play pages that a live page serves at once.
const MAX_PAGES: usize = 4;

pub(super) const EXAMPLES: &str = "\
Examples:
  smalt-tournament play
  smalt-tournament play --level 1500 --tc 300+3 --side black
  smalt-tournament play --engine stockfish --fen '8/8/8/4k3/8/8/4P3/4K3 w - - 0 1'
  smalt-tournament play --chess960
  smalt-tournament play run.db --game 17 --ply 40 --engine mine

Open the printed address. The page moves by drag, tap or keys (e2e4, Nf3, O-O), starts other games with any color, level, time \
control and position, and analyzes with several lines. The game is held by this program: a page that is closed or loses its \
connection continues where it was. Without a time control the engine has one second for each move, and there are no clocks.";

/// Against whom, from where, and how.
#[derive(Args, Clone, Debug)]
pub(super) struct PlayFlags {
    /// Store of a run: play on from one of its games (needs --game)
    #[arg(value_name = "RUN.db", requires = "game", conflicts_with_all = ["fen", "pgn", "chess960"])]
    run: Option<PathBuf>,
    /// Engine: a command with its arguments, a name from the registry, builtin, key=value words, or an engine of RUN.db [default: builtin]
    #[arg(long, value_name = "ENGINE", add = names_or_files(Registry::names_to_complete))]
    engine: Option<String>,
    /// Rating to which the engine is limited (UCI_Elo), e.g. 1500
    #[arg(long, value_name = "ELO")]
    level: Option<i64>,
    /// Side of the human [default: white, and in another position the side to move]
    #[arg(long, value_enum, value_name = "SIDE")]
    side: Option<SideFlag>,
    #[command(flatten)]
    engines: RegistryFlag,
    /// Time control of both sides: moves/seconds+increment, e.g. 300+3
    #[arg(long, value_name = "TC", help_heading = "Time control")]
    tc: Option<TimeControl>,
    /// Time for each move of the engine, in milliseconds [default: 1000]
    #[arg(long, value_name = "MS", conflicts_with = "tc", help_heading = "Time control")]
    movetime: Option<NonZeroU64>,
    /// Nodes for each move of the engine, e.g. 20000
    #[arg(long, value_name = "N", help_heading = "Time control")]
    nodes: Option<NonZeroU64>,
    /// Depth of each search of the engine, in plies, e.g. 10
    #[arg(long, value_name = "PLIES", help_heading = "Time control")]
    depth: Option<NonZeroU32>,
    /// Position to start from [default: the start position]
    #[arg(long, value_name = "FEN", conflicts_with_all = ["pgn", "chess960"], help_heading = "Start")]
    fen: Option<String>,
    /// PGN file with a game to play on from, e.g. games.pgn (.gz and .zst are read as they are)
    #[arg(long, value_name = "FILE", conflicts_with = "chess960", help_heading = "Start")]
    pgn: Option<PathBuf>,
    /// Number of the game in RUN.db or in the PGN file [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Start")]
    game: Option<u32>,
    /// Number of plies of that game that are played [default: all]
    #[arg(long, value_name = "PLIES", requires = "game", help_heading = "Start")]
    ply: Option<usize>,
    /// Chess960 from this start position, 0 to 959, e.g. 518 [default: a random one]
    #[arg(long, value_name = "NUMBER", num_args = 0..=1, require_equals = true, help_heading = "Start")]
    chess960: Option<Option<u16>>,
    /// Address of the page.
    #[command(flatten)]
    page: PageFlags,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SideFlag {
    White,
    Black,
    Random,
}

impl From<SideFlag> for ColorChoice {
    fn from(side: SideFlag) -> ColorChoice {
        match side {
            SideFlag::White => ColorChoice::White,
            SideFlag::Black => ColorChoice::Black,
            SideFlag::Random => ColorChoice::Random,
        }
    }
}

/// Serves the page until a signal.
pub(super) fn play(flags: &PlayFlags) -> Result<Exit, Refusal> {
    let (engine, game) = prepare(flags)?;
    let place = flags.page.bind()?;
    let mut signals = StopSignals::catch().context("listen to signals").or_failed()?;
    let announcement = flags.page.announcement(&place);
    let _page = start_page(place, engine, game, flags.page.host.clone())?;
    announcement.print()?;
    signals.wait();
    Ok(Exit::Done)
}

/// The engine and the first game.
fn prepare(flags: &PlayFlags) -> Result<(EngineSetup, NewGame), Refusal> {
    let run = flags.run.as_deref().map(|path| stored_game(path, flags.game.unwrap_or(1))).transpose()?;
    let (engine, limits) = engine(flags, run.as_ref().map(|(plan, _)| plan))?;
    let start = start(flags, run.map(|(_, pgn)| pgn))?;
    let usual = if matches!(start, StartPosition::Fen(_) | StartPosition::Pgn { .. }) {
        ColorChoice::Mover
    } else {
        ColorChoice::White
    };
    let color = flags.side.map_or(usual, Into::into);
    Ok((engine, NewGame { color, start, level: flags.level, limits }))
}

fn start_page(
    place: BoundAddress,
    engine: EngineSetup,
    game: NewGame,
    hosts: Vec<String>,
) -> Result<PlayServer, Refusal> {
    let name = engine.name.clone();
    let settings = PlaySettings { engine, game, hosts, limits: ClientLimits::default() };
    PlayServer::start(place, settings).map_err(|error| match error {
        PlayError::Server(error) => refuse_page(error, "--listen"),
        error => Refusal { exit: Exit::Usage, error: anyhow!("{name}: {error}") },
    })
}

/// Engines that a live page may start.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum StartableEngines {
    /// Those of its run, which the user of this machine started, and the built-in one.
    OfRun,
    /// The built-in one: its stores may come from others, and name any program.
    Builtin,
}

/// The play pages that a live page serves; the oldest one ends when there are too many.
pub(super) struct PlayPages {
    /// Address and access rules of the live page.
    address: IpAddr,
    token: Option<Token>,
    hosts: Vec<String>,
    engines: StartableEngines,
    pages: Mutex<VecDeque<PlayServer>>,
}

/// `play` as words.
#[derive(Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct PlayWords {
    #[command(flatten)]
    flags: PlayFlags,
}

impl PlayPages {
    pub(super) fn new(place: &BoundAddress, hosts: &[String], engines: StartableEngines) -> PlayPages {
        PlayPages {
            address: place.socket().ip(),
            token: place.token().cloned(),
            hosts: hosts.to_vec(),
            engines,
            pages: Mutex::default(),
        }
    }

    /// Serves a page on a free port; returns `PORT/?token=TOKEN`.
    pub(super) fn play_on(&self, store: &Path, from: &PlayOnForm) -> Result<String, Refusal> {
        let plan = read_run(&Store::read(store).map_err(refuse_store)?)?.plan;
        if from.engine != BUILTIN && plan.entrants.iter().all(|entrant| entrant.name != from.engine) {
            return Err(anyhow!("this run has no engine {:?}", from.engine)).or_usage();
        }
        if from.engine != BUILTIN && self.engines == StartableEngines::Builtin {
            return Err(anyhow!(
                "the page of `serve` starts no program that a store names: choose builtin, or use the command"
            ))
            .or_usage();
        }
        if from.game == 0 {
            return Err(anyhow!("this run has no game 0: games are numbered from 1")).or_usage();
        }
        let words = [
            format!("--game={}", from.game),
            format!("--ply={}", from.ply),
            format!("--engine={}", from.engine),
        ];
        let words = words.into_iter().map(OsString::from).chain(["--".into(), store.as_os_str().to_owned()]);
        let (engine, game) = prepare(&PlayWords::try_parse_from(words).or_usage()?.flags)?;
        let place = BoundAddress::bind((self.address, 0).into(), self.token.clone());
        let place = place.map_err(|error| refuse_page(error, "--listen"))?;
        let port = place.socket().port();
        let page = start_page(place, engine, game, self.hosts.clone())?;
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        pages.push_back(page);
        let oldest = if pages.len() > MAX_PAGES { pages.pop_front() } else { None };
        drop(pages);
        // This waits for its engine.
        drop(oldest);
        let token = self.token.as_ref().map(|token| format!("?token={}", token.as_text()));
        Ok(format!("{port}/{}", token.unwrap_or_default()))
    }
}

fn setup(entrant: &Entrant, is_named: bool, command: EngineCommand) -> EngineSetup {
    EngineSetup {
        name: entrant.name.clone(),
        is_named,
        command,
        protocol: entrant.engine.proto,
        options: entrant.engine.option_texts().into_iter().collect(),
        timeouts: engine_timeouts(&Timeouts::default(), entrant),
        scores: entrant.scores(),
    }
}

/// The engine and its limits: those of flags, otherwise its own.
fn engine(flags: &PlayFlags, run: Option<&Plan>) -> Result<(EngineSetup, String), Refusal> {
    let words = flags.engine.as_deref().unwrap_or(BUILTIN);
    let typed = limit_words(flags);
    if let Some(entrant) = run.and_then(|plan| plan.entrants.iter().find(|entrant| entrant.name == words)) {
        let limits = typed.unwrap_or_else(|| USUAL_LIMITS.to_owned());
        return Ok((setup(entrant, true, command_of(entrant)?), limits));
    }
    let registry = registry(flags.engines.path.as_deref())?;
    let mut table = registry.parse_engine(words).context("--engine").or_usage()?;
    table.entry("proto").or_insert_with(|| Value::from("auto"));
    let limits = typed.or_else(|| own_limits(&table)).unwrap_or_else(|| USUAL_LIMITS.to_owned());
    let is_named = table.contains_key("name");
    let (entrant, command) = single_engine(table, &registry)?;
    Ok((setup(&entrant, is_named, command), limits))
}

/// Limits of flags as words.
fn limit_words(flags: &PlayFlags) -> Option<String> {
    let words = [
        flags.tc.as_ref().map(|tc| format!("tc={tc}")),
        flags.movetime.map(|ms| format!("movetime={ms}")),
        flags.nodes.map(|nodes| format!("nodes={nodes}")),
        flags.depth.map(|depth| format!("depth={depth}")),
    ];
    let words: Vec<String> = words.into_iter().flatten().collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// Limits in the words of an engine.
fn own_limits(engine: &Table) -> Option<String> {
    let word = |key: &&str| match engine.get(*key)? {
        Value::String(text) => Some(format!("{key}={text}")),
        value => Some(format!("{key}={value}")),
    };
    let words: Vec<String> = ["tc", "movetime", "nodes", "depth"].iter().filter_map(word).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// Start of the game.
fn start(flags: &PlayFlags, stored: Option<String>) -> Result<StartPosition, Refusal> {
    let pgn = |text, game| StartPosition::Pgn { text, game, plies: flags.ply };
    if let Some(text) = stored {
        return Ok(pgn(text, 1));
    }
    if let Some(path) = &flags.pgn {
        let read = || -> anyhow::Result<String> {
            let text = read_all(DecompressReader::open(path)?, MAX_INPUT)?;
            Ok(String::from_utf8_lossy(&text).into_owned())
        };
        let text = read().with_context(|| format!("read {}", path.display())).or_usage()?;
        return Ok(pgn(text, flags.game.unwrap_or(1) as usize));
    }
    if flags.game.is_some() {
        return Err(anyhow!("--game: of which games? Give RUN.db or --pgn FILE")).or_usage();
    }
    Ok(match (&flags.fen, flags.chess960) {
        (Some(fen), _) => StartPosition::Fen(fen.clone()),
        (None, Some(number)) => StartPosition::Chess960(number),
        (None, None) => StartPosition::Standard,
    })
}

/// The plan of a run, and one of its games as PGN.
fn stored_game(path: &Path, number: u32) -> Result<(Plan, String), Refusal> {
    let store = Store::read(path).map_err(refuse_store)?;
    let prepared = read_run(&store)?;
    let mut found: Option<GameRecord> = None;
    store.for_each_game_of(number - 1..=number - 1, |record| found = Some(record)).map_err(refuse_store)?;
    let game = found.ok_or_else(|| anyhow!("{} has no finished game {number}", path.display())).or_usage()?;
    let pgn = PgnWriter::new(&prepared.plan, prepared.openings).write(&game);
    Ok((prepared.plan, pgn))
}
