//! Files of a run: `-pgnout`, `-epdout`, `-log`, `-config`; and output: `-crc32`, `-output`, `-report`.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::bail;

use super::flag::Flag;
use super::log::{Level, LogFile};
use super::output_options::Style;
use crate::cli::output::{bytes_of, refuse_store_path};
use crate::cli::run_files::NamedOutput;
use smalt_match::plan::{Figure, LinePattern, Notation, PgnForm, parse_word};
use smalt_workbench::calendar::UtcTime;
use smalt_workbench::input::bytes_without_bom;
use smalt_workbench::output_file::is_same_file;

/// A PGN file, with its length if games are appended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PgnOut {
    pub(super) path: PathBuf,
    pub(super) after: Option<u64>,
    pub(super) figures: Vec<Figure>,
    pub(super) form: PgnForm,
    pub(super) notation: Notation,
    /// Patterns of engine output for move comments.
    pub(super) match_lines: Vec<LinePattern>,
}

/// `-pgnout FILE [min] [fi]`, or `-pgnout [file=] append= notation= …`.
pub(super) fn pgn(flag: &Flag<'_>) -> anyhow::Result<PgnOut> {
    let mut file = None;
    let mut appends = true;
    let mut figures = Vec::new();
    let mut form = PgnForm::Full;
    let mut notation = Notation::San;
    let mut match_lines = Vec::new();
    for word in flag.words {
        match word.split_once('=') {
            Some(("file", value)) => file = Some(value),
            Some(("append", value)) => appends = flag.truth("append", value)?,
            Some(("notation", value)) => {
                notation = parse_word(value)
                    .map_err(|_| flag.refuse("notation", value, "the notations are san, lan and uci"))?;
            }
            Some(("min", value)) => form = pgn_form(flag.truth("min", value)?),
            // Only finished games are ever written.
            Some(("fi", value)) => {
                flag.truth("fi", value)?;
            }
            Some((key, value)) if parse_word::<Figure>(key).is_ok() => {
                if flag.truth(key, value)? {
                    figures.extend(parse_word::<Figure>(key));
                }
            }
            Some(("match_line", value)) => {
                let pattern = value.parse::<LinePattern>();
                match_lines
                    .push(pattern.map_err(|error| flag.refuse("match_line", value, &error.to_string()))?);
            }
            Some((key, _)) => {
                return Err(flag.unknown(
                    key,
                    "file, append, notation, nodes, seldepth, nps, hashfull, tbhits, timeleft, latency, pv, min and \
                     match_line",
                ));
            }
            // Only finished games are ever written.
            None if word == "fi" && file.is_some() => {}
            None if word == "min" && file.is_some() => form = PgnForm::Minimal,
            None if file.is_none() => file = Some(word.as_str()),
            None => bail!("-pgnout: {word:?} is not understood"),
        }
    }
    let path = file.map_or_else(|| default_name("pgn"), PathBuf::from);
    let after = appends.then(|| bytes_of(&path));
    Ok(PgnOut { path, after, figures, form, notation, match_lines })
}

/// `fastchess_20260729_190734.pgn`: fastchess's default file name.
fn default_name(extension: &str) -> PathBuf {
    PathBuf::from(format!(
        "fastchess_{}.{extension}",
        UtcTime::of(SystemTime::now()).file_stamp().replace('-', "_")
    ))
}

fn pgn_form(is_minimal: bool) -> PgnForm {
    if is_minimal { PgnForm::Minimal } else { PgnForm::Full }
}

/// `-output format=`.
pub(super) fn style(flag: &Flag<'_>) -> anyhow::Result<Style> {
    let mut style = Style::Fastchess;
    for (key, value) in flag.pairs()? {
        style = match (key, value) {
            ("format", "fastchess") => Style::Fastchess,
            ("format", "cutechess") => Style::Cutechess,
            ("format", _) => return Err(flag.refuse(key, value, "the formats are fastchess and cutechess")),
            _ => return Err(flag.unknown(key, "format")),
        };
    }
    Ok(style)
}

/// A flag with one boolean key, such as `-report penta=` and `-crc32 pgn=`.
pub(super) fn switch(flag: &Flag<'_>, wanted: &str) -> anyhow::Result<bool> {
    let mut is_on = true;
    for (key, value) in flag.pairs()? {
        if key != wanted {
            return Err(flag.unknown(key, wanted));
        }
        is_on = flag.truth(key, value)?;
    }
    Ok(is_on)
}

/// A file of final positions, with its length if they are appended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EpdOut {
    pub(super) path: PathBuf,
    pub(super) after: Option<u64>,
}

/// `-epdout FILE`, or `-epdout [file=] append=`.
pub(super) fn epd(flag: &Flag<'_>) -> anyhow::Result<EpdOut> {
    let (mut file, mut appends) = (None, true);
    for word in flag.words {
        match word.split_once('=') {
            Some(("file", value)) => file = Some(value),
            Some(("append", value)) => appends = flag.truth("append", value)?,
            Some((key, _)) if file.is_some() => return Err(flag.unknown(key, "file and append")),
            _ if file.is_none() => file = Some(word.as_str()),
            _ => bail!("-epdout: {word:?} is not understood"),
        }
    }
    let path = file.map_or_else(|| default_name("epd"), PathBuf::from);
    let after = appends.then(|| bytes_of(&path));
    Ok(EpdOut { path, after })
}

/// A log, and the folder for engine output if requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LogOut {
    pub(super) log: LogFile,
    pub(super) engines: Option<PathBuf>,
}

/// `-log file= level= append= compress= engine=`: warnings and errors; with level=info also standard output; with
/// level=trace or engine=true engine output goes to a folder beside it, one file per game. Without a file there is no
/// log.
pub(super) fn log(flag: &Flag<'_>) -> anyhow::Result<Option<LogOut>> {
    let (mut path, mut level) = (None::<PathBuf>, Level::Warn);
    let (mut appends, mut compresses, mut wants_engines) = (true, false, false);
    for (key, value) in flag.pairs()? {
        match key {
            "file" => {
                refuse_store_path(Path::new(value)).map_err(|refusal| refusal.error)?;
                path = Some(PathBuf::from(value));
            }
            "level" => {
                level = Level::named(value).ok_or_else(|| {
                    flag.refuse(key, value, "the levels are trace, info, warn, err and fatal")
                })?;
            }
            "append" => appends = flag.truth(key, value)?,
            // Lines are always written at once, which does no harm.
            "realtime" => {
                flag.truth(key, value)?;
            }
            "engine" => wants_engines = flag.truth(key, value)?,
            "compress" => compresses = flag.truth(key, value)?,
            _ => return Err(flag.unknown(key, "file, level, realtime, append, engine and compress")),
        }
    }
    let Some(path) = path else { return Ok(None) };
    let engines = (wants_engines || level == Level::Trace).then(|| {
        let mut folder = path.clone().into_os_string();
        folder.push(".games");
        PathBuf::from(folder)
    });
    Ok(Some(LogOut { log: LogFile { path, level, appends, compresses }, engines }))
}

/// `-config`: the run to continue, and where the state of this one is saved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Config {
    /// Store of a run to continue.
    pub(super) resume: Option<PathBuf>,
    /// fastchess configuration of a run to continue.
    pub(super) load: Option<PathBuf>,
    /// The configuration to write.
    pub(super) outname: Option<PathBuf>,
    /// Name in the loaded configuration, if that is another file.
    pub(super) saved_name: Option<PathBuf>,
    /// The store to keep.
    pub(super) keep: Option<PathBuf>,
    /// Whether to drop the results of the loaded configuration.
    pub(super) drops_stats: bool,
}

/// `-config file= outname= discard= stats=`. `file` may also be a store of Smalt; `outname=NAME.db` is the store
/// itself, otherwise the store is kept beside `outname` as `….db`.
pub(super) fn config(flag: &Flag<'_>) -> anyhow::Result<Config> {
    let mut config = Config::default();
    for (key, value) in flag.pairs()? {
        let path = PathBuf::from(value);
        match key {
            "file" | "outname" if value.is_empty() => return Err(flag.refuse(key, value, "expected a file")),
            "file" if is_json(&path) => config.load = Some(path),
            "file" if path.is_file() && has_json_extension(&path) => {
                bail!("{} is no configuration of fastchess", path.display())
            }
            "file" => config.resume = Some(store_name(&path)),
            "outname" if is_db(&path) => config.keep = Some(path),
            // No place for a store: /dev/null, say.
            "outname" if path.exists() && !path.is_file() && !path.is_dir() => {}
            "outname" => {
                config.keep = Some(path.with_extension("db"));
                config.outname = Some(path);
            }
            "discard" if flag.truth(key, value)? => (config.load, config.resume) = (None, None),
            "discard" => {}
            "stats" => config.drops_stats = !flag.truth(key, value)?,
            _ => return Err(flag.unknown(key, "file, outname, discard and stats")),
        }
    }
    Ok(config)
}

/// The store's name: `….db` for a configuration `….json`.
fn store_name(path: &Path) -> PathBuf {
    if has_json_extension(path) { path.with_extension("db") } else { path.to_owned() }
}

fn has_json_extension(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json")
}

fn is_db(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "db")
}

/// Refuses two flags with the same file, except pipes and terminals.
pub(super) fn check_apart<'a>(named: impl Iterator<Item = NamedOutput<'a>>) -> anyhow::Result<()> {
    let mut files: Vec<NamedOutput<'_>> = Vec::new();
    for (flag, path) in named {
        if let Some((other, _)) = files.iter().find(|(_, other)| is_same_file(path, other)) {
            bail!("{other} and {flag} are the same file, {}", path.display());
        }
        files.push((flag, path));
    }
    Ok(())
}

fn is_json(path: &Path) -> bool {
    let is_object = |bytes: Vec<u8>| bytes_without_bom(&bytes).trim_ascii_start().starts_with(b"{");
    path.is_file() && std::fs::read(path).is_ok_and(is_object)
}
