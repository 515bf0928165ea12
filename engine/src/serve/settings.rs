//! The engine's options and their effects, for both protocols.

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;
use std::time::Duration;

use smalt_chess::CastlingMode;
use smalt_chess::notation::polyglot::{PolyglotBook, PolyglotError};
use smalt_protocol::option::OptionValueError;
use smalt_protocol::{OptionDeclaration, OptionKind, OptionValue, option};

use crate::engine::{Engine, NoMemoryError, NoThreadMemoryError};
use crate::evaluation::{Parameters, ParametersError};
#[cfg(feature = "tune")]
use crate::search::params::{SearchParameters, tuning};
use crate::search::{FiftyMoves, ProbeRule};
use crate::strength::{ELO_RANGE, Strength};
use crate::tablebases::{NoTablesError, SyzygyTables};

/// The protocol options that are not settings of the engine.
pub(super) struct Settings {
    declarations: Vec<OptionDeclaration>,
    /// `UCI_Chess960`: castling notation.
    pub(super) castling: CastlingMode,
    pub(super) shows_wdl: bool,
    is_limited: bool,
    elo: u32,
    uses_book: bool,
    book_path: String,
}

/// Why an option could not be set.
#[derive(Debug, thiserror::Error)]
pub(super) enum SetOptionError {
    #[error("there is no option {0:?}")]
    Unknown(String),
    #[error(transparent)]
    Value(#[from] OptionValueError),
    #[error(transparent)]
    Memory(#[from] NoMemoryError),
    #[error(transparent)]
    ThreadMemory(#[from] NoThreadMemoryError),
    #[error("can't read {path}: {source}")]
    Read { path: String, source: std::io::Error },
    #[error("{path} holds no parameters: {source}")]
    Parameters { path: String, source: ParametersError },
    #[error("{path} is not a Polyglot book: {source}")]
    Book { path: String, source: PolyglotError },
    #[error(transparent)]
    Tables(#[from] NoTablesError),
}

pub(super) const HASH: &str = "Hash";
const CLEAR_HASH: &str = "Clear Hash";
pub(super) const THREADS: &str = "Threads";
const MULTI_PV: &str = "MultiPV";
pub(super) const PONDER: &str = "Ponder";
const MOVE_OVERHEAD: &str = "Move Overhead";
const NODESTIME: &str = "nodestime";
pub(super) const CHESS960: &str = "UCI_Chess960";
pub(super) const SHOW_WDL: &str = "UCI_ShowWDL";
pub(super) const LIMIT_STRENGTH: &str = "UCI_LimitStrength";
pub(super) const ELO: &str = "UCI_Elo";
const OWN_BOOK: &str = "OwnBook";
const BOOK_FILE: &str = "BookFile";
const SEED: &str = "Seed";
const EVAL_FILE: &str = "EvalFile";

pub(super) const SYZYGY_PATH: &str = "SyzygyPath";
const SYZYGY_DEPTH: &str = "SyzygyProbeDepth";
const SYZYGY_FIFTY_MOVES: &str = "Syzygy50MoveRule";
const SYZYGY_PIECES: &str = "SyzygyProbeLimit";

/// Largest `Hash`, in megabytes.
const LARGEST_HASH: i64 = 1 << 20;

fn declare() -> Vec<OptionDeclaration> {
    let spin = |default, min, max| OptionKind::Spin { default, min, max };
    let check = |default| OptionKind::Check { default };
    let text = || OptionKind::Text { default: String::new() };
    let overhead = Engine::DEFAULT_MOVE_OVERHEAD.as_millis() as i64;
    let (weakest, strongest) = (i64::from(*ELO_RANGE.start()), i64::from(*ELO_RANGE.end()));
    let options = [
        (HASH, spin(Engine::DEFAULT_HASH as i64, 1, LARGEST_HASH)),
        (CLEAR_HASH, OptionKind::Button),
        (THREADS, spin(1, 1, 1024)),
        (MULTI_PV, spin(1, 1, 500)),
        (PONDER, check(false)),
        (MOVE_OVERHEAD, spin(overhead, 0, 10_000)),
        (NODESTIME, spin(0, 0, 10_000)),
        (CHESS960, check(false)),
        (SHOW_WDL, check(false)),
        (LIMIT_STRENGTH, check(false)),
        (ELO, spin(strongest, weakest, strongest)),
        (OWN_BOOK, check(false)),
        (BOOK_FILE, text()),
        // Some interfaces store numbers as signed 32-bit integers.
        (SEED, spin(0, 0, i64::from(i32::MAX))),
        (EVAL_FILE, text()),
        (SYZYGY_PATH, text()),
        (SYZYGY_DEPTH, spin(1, 1, 100)),
        (SYZYGY_FIFTY_MOVES, check(true)),
        (SYZYGY_PIECES, spin(7, 0, 7)),
    ];
    let declaration = |(name, kind): (&str, OptionKind)| OptionDeclaration { name: name.to_owned(), kind };
    let options = options.into_iter().map(declaration);
    #[cfg(feature = "tune")]
    let options = options.chain(declare_constants());
    options.collect()
}

/// The search parameters as options.
#[cfg(feature = "tune")]
fn declare_constants() -> impl Iterator<Item = OptionDeclaration> {
    SearchParameters::ALL.iter().filter_map(|parameter| {
        let (min, max) = (i64::from(parameter.min), i64::from(parameter.max));
        let kind = OptionKind::Spin { default: i64::from(tuning::get(parameter.name)?), min, max };
        Some(OptionDeclaration { name: parameter.name.to_owned(), kind })
    })
}

impl Settings {
    pub(super) fn new() -> Settings {
        Settings {
            declarations: declare(),
            castling: CastlingMode::Standard,
            shows_wdl: false,
            is_limited: false,
            elo: *ELO_RANGE.end(),
            uses_book: false,
            book_path: String::new(),
        }
    }

    /// All options, in the order of the `option` lines.
    pub(super) fn declarations(&self) -> &[OptionDeclaration] {
        &self.declarations
    }

    /// Sets an option. Returns a message if there is something to report.
    pub(super) fn set(
        &mut self,
        engine: &mut Engine,
        name: &str,
        text: &str,
    ) -> Result<Option<String>, SetOptionError> {
        let option = option::find(&self.declarations, name);
        let option = option.ok_or_else(|| SetOptionError::Unknown(name.to_owned()))?;
        let value = option.parse_value(text)?;
        let name = option.name.clone();
        match (name.as_str(), value) {
            (HASH, OptionValue::Spin(megabytes)) => engine.set_hash(to_count(megabytes))?,
            (CLEAR_HASH, _) => engine.clear_hash(),
            (THREADS, OptionValue::Spin(threads)) => engine.set_threads(to_count(threads))?,
            (MULTI_PV, OptionValue::Spin(lines)) => engine.set_lines(to_count(lines)),
            (MOVE_OVERHEAD, OptionValue::Spin(ms)) => {
                engine.set_move_overhead(Duration::from_millis(ms.unsigned_abs()));
            }
            (NODESTIME, OptionValue::Spin(nodes)) => engine.set_nodes_per_ms(nodes.unsigned_abs()),
            (CHESS960, OptionValue::Check(is_on)) => {
                self.castling = if is_on { CastlingMode::Chess960 } else { CastlingMode::Standard };
            }
            (SHOW_WDL, OptionValue::Check(is_on)) => self.shows_wdl = is_on,
            (LIMIT_STRENGTH, OptionValue::Check(is_on)) => self.limit(engine, is_on, self.elo),
            (ELO, OptionValue::Spin(elo)) => {
                self.limit(engine, self.is_limited, u32::try_from(elo).unwrap_or(u32::MAX));
            }
            (OWN_BOOK, OptionValue::Check(is_on)) => self.use_book(engine, is_on)?,
            (BOOK_FILE, OptionValue::Text(path)) => {
                self.book_path = path;
                self.open_book(engine)?;
            }
            (SEED, OptionValue::Spin(seed)) => engine.set_seed(seed.unsigned_abs()),
            (EVAL_FILE, OptionValue::Text(path)) => engine.set_parameters(Arc::new(read_parameters(&path)?)),
            (SYZYGY_PATH, OptionValue::Text(path)) => return open_tables(engine, &path),
            (SYZYGY_DEPTH, OptionValue::Spin(depth)) => {
                let depth = i32::try_from(depth).unwrap_or(i32::MAX);
                engine.set_probe_rule(ProbeRule { depth, ..engine.probe_rule() });
            }
            (SYZYGY_FIFTY_MOVES, OptionValue::Check(is_on)) => {
                let fifty_moves = if is_on { FiftyMoves::Respected } else { FiftyMoves::Ignored };
                engine.set_probe_rule(ProbeRule { fifty_moves, ..engine.probe_rule() });
            }
            (SYZYGY_PIECES, OptionValue::Spin(most)) => {
                engine.set_probe_rule(ProbeRule { pieces: to_count(most), ..engine.probe_rule() });
            }
            #[cfg(feature = "tune")]
            (name, OptionValue::Spin(value)) => {
                tuning::set(name, i32::try_from(value).unwrap_or_default());
            }
            // `Ponder` only announces the interface's setting.
            _ => {}
        }
        Ok(None)
    }

    pub(super) fn use_book(&mut self, engine: &mut Engine, is_used: bool) -> Result<(), SetOptionError> {
        self.uses_book = is_used;
        self.open_book(engine)
    }

    /// Whether `BookFile` is set.
    pub(super) fn has_book_file(&self) -> bool {
        !self.book_path.is_empty()
    }

    /// Opens the book, if enabled. An unreadable book is not used.
    fn open_book(&self, engine: &mut Engine) -> Result<(), SetOptionError> {
        engine.set_book(None);
        if self.uses_book && !self.book_path.is_empty() {
            engine.set_book(Some(read_book(&self.book_path)?));
        }
        Ok(())
    }

    pub(super) fn strength(&self) -> Strength {
        if self.is_limited { Strength::Limited(self.elo) } else { Strength::Full }
    }

    fn limit(&mut self, engine: &mut Engine, is_limited: bool, elo: u32) {
        (self.is_limited, self.elo) = (is_limited, elo);
        engine.set_strength(self.strength());
    }
}

/// Sets `SyzygyPath` and returns what was found; an empty path disables the tablebases.
fn open_tables(engine: &mut Engine, path: &str) -> Result<Option<String>, SetOptionError> {
    engine.set_tablebases(None);
    if path.is_empty() {
        return Ok(None);
    }
    let tables = SyzygyTables::open(path)?;
    let found = tables.to_string();
    engine.set_tablebases(Some(Arc::new(tables)));
    Ok(Some(found))
}

/// Maximum size in bytes of a book, and of a file of parameters.
const MAX_BOOK: u64 = 1 << 31;
const MAX_PARAMETERS: u64 = 1 << 26;

/// Reads a file of an option. A device such as /dev/zero has no end.
fn read_file(path: &str, limit: u64) -> Result<Vec<u8>, SetOptionError> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(limit + 1).read_to_end(&mut bytes));
    let fits = |read: usize| read as u64 <= limit;
    let too_long = || io::Error::other(format!("it has more than {limit} bytes"));
    let read = read.and_then(|read| fits(read).then_some(bytes).ok_or_else(too_long));
    read.map_err(|source| SetOptionError::Read { path: path.to_owned(), source })
}

fn read_book(path: &str) -> Result<PolyglotBook<Vec<u8>>, SetOptionError> {
    PolyglotBook::new(read_file(path, MAX_BOOK)?)
        .map_err(|source| SetOptionError::Book { path: path.to_owned(), source })
}

fn to_count(value: i64) -> usize {
    usize::try_from(value).unwrap_or(1)
}

/// Loads `EvalFile`; without a path the embedded parameters.
fn read_parameters(path: &str) -> Result<Parameters, SetOptionError> {
    if path.is_empty() {
        return Ok(Parameters::embedded().clone());
    }
    let text = String::from_utf8(read_file(path, MAX_PARAMETERS)?)
        .map_err(|error| SetOptionError::Read { path: path.to_owned(), source: io::Error::other(error) })?;
    Parameters::parse_toml(&text)
        .map_err(|source| SetOptionError::Parameters { path: path.to_owned(), source })
}
