//! Engines in foreign words: rewritten into ours, which are nearly the same, and read by the one reader of entrants.

use std::path::PathBuf;

use anyhow::{Context, bail};
use smalt_workbench::entrant::{Registry, SkippedEngine, merge, parse_keys, split_words};
use toml::{Table, Value};

use super::flag::Flag;
use smalt_match::plan::{BookFormat, OpeningsSettings, Order};

/// Reads an engine; the words of `-each` come last, so that they have the last word, as they have there.
pub(super) fn engine(
    engine: &Flag<'_>,
    each: &[String],
    registry: &Registry,
    left_out: &[SkippedEngine],
) -> anyhow::Result<Table> {
    let context = || format!("-{} {}", engine.name, engine.words.join(" "));
    let mut settings = Table::new();
    let mut words = Vec::new();
    let mut arguments: Vec<String> = Vec::new();
    for word in engine.words.iter().chain(each) {
        match word.split_once('=') {
            Some(("arg", value)) => arguments.push(value.to_owned()),
            Some(("args", value)) => {
                arguments.extend(split_words(value).with_context(context)?);
            }
            Some(("conf", name)) => {
                settings = known(name, registry, left_out).with_context(context)?;
                let own = settings.get("args").and_then(Value::as_array).into_iter().flatten();
                arguments.extend(own.filter_map(Value::as_str).map(str::to_owned));
            }
            Some(("book" | "bookdepth", _)) => {}
            _ => words.push(rewritten(word).with_context(context)?),
        }
    }
    merge(&mut settings, parse_keys(&words).with_context(context)?);
    settings.insert("args".to_owned(), Value::from(arguments));
    settle_clock(&mut settings);
    Ok(settings)
}

/// The openings that come of `book=` and `bookdepth=`, where all engines have the same: as each would play from its book
/// by chance, games begin with moves of it by chance. Of books of their own nobody could say what is compared.
pub(super) fn common_book(engines: &[Flag<'_>], each: &[String]) -> anyhow::Result<Option<OpeningsSettings>> {
    let books = engines.iter().map(|engine| own_book(engine, each)).collect::<anyhow::Result<Vec<_>>>()?;
    let Some(first) = books.first() else { return Ok(None) };
    if books.iter().any(|book| book != first) {
        bail!(
            "book= and bookdepth= are supported where they are the same for all engines; say them with -each"
        );
    }
    match first {
        OwnBook { file: None, depth: None } => Ok(None),
        OwnBook { file: None, depth: Some(depth) } => bail!("bookdepth={depth} needs book="),
        OwnBook { file: Some(file), depth } => Ok(Some(OpeningsSettings {
            file: file.clone(),
            format: Some(BookFormat::Polyglot),
            order: Order::Random,
            book_depth: *depth,
            ..OpeningsSettings::default()
        })),
    }
}

/// The Polyglot book from which an engine is to play its first moves, and for how many.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct OwnBook {
    file: Option<PathBuf>,
    depth: Option<u32>,
}

fn own_book(engine: &Flag<'_>, each: &[String]) -> anyhow::Result<OwnBook> {
    let mut book = OwnBook::default();
    for word in engine.words.iter().chain(each) {
        match word.split_once('=') {
            Some(("book", file)) => book.file = Some(PathBuf::from(file)),
            Some(("bookdepth", depth)) => {
                let moves = depth.parse().with_context(|| format!("{word}: expected a number of moves"))?;
                book.depth = Some(moves);
            }
            _ => {}
        }
    }
    Ok(book)
}

fn known(name: &str, registry: &Registry, left_out: &[SkippedEngine]) -> anyhow::Result<Table> {
    let Some(engine) = registry.find(name) else {
        if let Some(engine) = left_out.iter().find(|engine| engine.name == name) {
            bail!("conf={name}: {}", engine.reason);
        }
        let names: Vec<&str> = registry.names().collect();
        bail!("conf={name}: no engine of that name in engines.json (there are {})", names.join(", "));
    };
    Ok(engine.clone())
}

/// One word in ours.
fn rewritten(word: &str) -> anyhow::Result<String> {
    Ok(match word.split_once('=') {
        Some(("plies", value)) => format!("depth={value}"),
        Some(("tc", value)) => format!("tc={}", time_control(value)),
        Some(("st", value)) => format!("st={}", value.strip_suffix('s').unwrap_or(value)),
        Some(("restart", "auto")) => "restart=off".to_owned(),
        Some(("initstr", _)) => {
            bail!("{word}: lines for the start of an engine are not supported; use option.NAME=")
        }
        Some(_) => word.to_owned(),
        None if word == "trust" => {
            bail!("trust: not supported, since every result is checked by the rules")
        }
        None if word == "ponder" || word == "whitepov" => format!("{word}=on"),
        None => bail!("{word}: expected key=value"),
    })
}

/// `inf/60+0.6` and `infinite` of fastchess, and seconds with an `s` behind them.
fn time_control(text: &str) -> String {
    if matches!(text, "inf" | "infinite") {
        return "inf".to_owned();
    }
    let rest_of_game = text.strip_prefix("inf/").or_else(|| text.strip_prefix("infinite/"));
    let parts: Vec<&str> =
        rest_of_game.unwrap_or(text).split('+').map(|part| part.strip_suffix('s').unwrap_or(part)).collect();
    parts.join("+")
}

/// Unlimited time besides another limit is how cutechess says that there is only the other limit.
fn settle_clock(settings: &mut Table) {
    let is_limited = ["nodes", "depth", "movetime"].iter().any(|key| settings.contains_key(*key));
    let is_unlimited = settings.get("tc").and_then(Value::as_str) == Some("inf");
    if is_unlimited && is_limited {
        settings.remove("tc");
    }
}
