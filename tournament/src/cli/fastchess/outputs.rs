//! Where games and lines go, from foreign words: `-pgnout`, `-epdout`, `-log`, `-config`, `-crc32`, `-output`, `-report`.

use std::path::{Path, PathBuf};

use anyhow::bail;

use super::lines::Style;
use super::log::{Level, LogFile};
use super::words::Flag;
use crate::cli::output::{bytes_of, spare_stores};
use smalt_match::plan::{Figure, Notation, PgnForm, parse_word};

/// A PGN file, and how many bytes it has; none if it is to be emptied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PgnOut {
    pub(super) path: PathBuf,
    pub(super) after: Option<u64>,
    pub(super) figures: Vec<Figure>,
    pub(super) form: PgnForm,
    pub(super) notation: Notation,
}

/// `-pgnout FILE [min] [fi]`, or `-pgnout file= append= notation= …`.
pub(super) fn pgn(flag: &Flag<'_>) -> anyhow::Result<PgnOut> {
    let mut file = None;
    let mut appends = true;
    let mut figures = Vec::new();
    let mut form = PgnForm::Full;
    let mut notation = Notation::San;
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
                return Err(flag.refuse(
                    "match_line",
                    value,
                    "lines of engines are not written into the PGN",
                ));
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
    let Some(file) = file.filter(|file| !file.is_empty()) else { bail!("-pgnout needs a file") };
    let path = PathBuf::from(file);
    let after = appends.then(|| bytes_of(&path));
    Ok(PgnOut { path, after, figures, form, notation })
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

/// A flag with one key that is true or false, as `-report penta=` and `-crc32 pgn=`.
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

/// A file of last positions, and how many bytes it has; none if it is to be emptied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EpdOut {
    pub(super) path: PathBuf,
    pub(super) after: Option<u64>,
}

/// `-epdout FILE`, or `-epdout file= append=`.
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
    let Some(file) = file.filter(|file| !file.is_empty()) else { bail!("-epdout needs a file") };
    let path = PathBuf::from(file);
    let after = appends.then(|| bytes_of(&path));
    Ok(EpdOut { path, after })
}

/// A log, and a folder for what engines say if that is wanted too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LogOut {
    pub(super) log: LogFile,
    pub(super) engines: Option<PathBuf>,
}

/// `-log file= level= append= engine=`: the file gets what standard output gets, which is what level info has there, or
/// only what went wrong; what engines say goes into a folder beside it, a file a game.
pub(super) fn log(flag: &Flag<'_>) -> anyhow::Result<LogOut> {
    let (mut path, mut level, mut appends, mut wants_engines) = (None, Level::Info, true, false);
    for (key, value) in flag.pairs()? {
        match key {
            "file" => {
                spare_stores(Path::new(value)).map_err(|refusal| refusal.error)?;
                path = Some(PathBuf::from(value));
            }
            "level" => {
                level = Level::named(value).ok_or_else(|| {
                    flag.refuse(key, value, "the levels are trace, info, warn, err and fatal")
                })?;
            }
            "append" => appends = flag.truth(key, value)?,
            // Every line is written at once, which is no wrong where nobody needs it.
            "realtime" => {
                flag.truth(key, value)?;
            }
            "engine" => wants_engines = flag.truth(key, value)?,
            "compress" if flag.truth(key, value)? => {
                return Err(flag.refuse(key, value, "logs are not compressed"));
            }
            "compress" => {}
            _ => return Err(flag.unknown(key, "file, level, realtime, append, engine and compress")),
        }
    }
    let path: PathBuf = path.ok_or_else(|| anyhow::anyhow!("-log needs file="))?;
    let engines = (wants_engines || level == Level::Trace).then(|| {
        let mut folder = path.clone().into_os_string();
        folder.push(".games");
        PathBuf::from(folder)
    });
    Ok(LogOut { log: LogFile { path, level, appends }, engines })
}

/// What `-config` asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Config {
    /// Go on with this one.
    pub(super) resume: Option<PathBuf>,
    /// Keep the state here.
    pub(super) keep: Option<PathBuf>,
}

/// `-config file=`, `-config outname=`: our store stands in for the file of settings. Where that is called `….json` the
/// store is called `….db` in both, since nobody should take a database for a text.
pub(super) fn config(flag: &Flag<'_>) -> anyhow::Result<Config> {
    let mut config = Config::default();
    for (key, value) in flag.pairs()? {
        match key {
            "file" if is_json(Path::new(value)) => {
                return Err(flag.refuse(
                    key,
                    value,
                    "settings that fastchess saved cannot be read; a run is gone on with by its store",
                ));
            }
            "file" => config.resume = Some(store_name(value)),
            "outname" => config.keep = Some(store_name(value)),
            // Only a run that was stopped leaves anything that was not asked for.
            "discard" => {
                flag.truth(key, value)?;
            }
            "stats" => {
                if !flag.truth(key, value)? {
                    return Err(flag.refuse(key, value, "settings and results of a store belong together"));
                }
            }
            _ => return Err(flag.unknown(key, "file, outname, discard and stats")),
        }
    }
    Ok(config)
}

fn store_name(name: &str) -> PathBuf {
    let path = PathBuf::from(name);
    match path.extension().is_some_and(|extension| extension == "json") {
        true => path.with_extension("db"),
        false => path,
    }
}

fn is_json(path: &Path) -> bool {
    std::fs::read(path).is_ok_and(|bytes| bytes.trim_ascii_start().starts_with(b"{"))
}
