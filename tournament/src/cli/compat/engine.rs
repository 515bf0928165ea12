//! Engines in other programs' words: translated to Smalt's, which are nearly the same, and then parsed like any
//! entrant.

use std::collections::HashMap;
use std::path::{Path, is_separator};

use anyhow::{Context, bail};
use smalt_driver::EngineCommand;
use smalt_workbench::entrant::{BUILTIN, Registry, SkippedEngine, merge, parse_keys, split_words};
use toml::{Table, Value};

use super::dialect::Dialect;
use super::flag::Flag;

/// Parses an engine; the words of `-each` come last, so that they take precedence, as in fastchess and cutechess.
pub(super) fn engine(
    engine: &Flag<'_>,
    each: &[String],
    registry: &Registry,
    skipped: &[SkippedEngine],
) -> anyhow::Result<Table> {
    let context = || format!("-{} {}", engine.name, engine.words.join(" "));
    let mut settings = Table::new();
    let mut words = Vec::new();
    let (mut arguments, mut initial_lines): (Vec<String>, Vec<&str>) = (Vec::new(), Vec::new());
    for word in engine.words.iter().chain(each) {
        match word.split_once('=') {
            Some(("arg", value)) => arguments.push(value.to_owned()),
            Some(("args", value)) => {
                arguments.extend(split_words(value).with_context(context)?);
            }
            Some(("conf", name)) => {
                settings = known(name, registry, skipped).with_context(context)?;
                let own = settings.get("args").and_then(Value::as_array).into_iter().flatten();
                arguments.extend(own.filter_map(Value::as_str).map(str::to_owned));
            }
            Some(("initstr", lines)) => initial_lines.push(lines),
            _ => words.push(rewritten(word).with_context(context)?),
        }
    }
    merge(&mut settings, parse_keys(&words).with_context(context)?);
    settings.insert("args".to_owned(), Value::from(arguments));
    if !initial_lines.is_empty() {
        settings.insert("initstr".to_owned(), Value::from(initial_lines.join("\n")));
    }
    if !settings.contains_key("book") {
        settings.remove("bookdepth");
    }
    settle_clock(&mut settings);
    Ok(settings)
}

/// The default names of a dialect.
pub(super) fn set_names(flags: &[Flag<'_>], engines: &mut [Table], dialect: Dialect) {
    name_quick(flags, engines);
    if dialect == Dialect::Fastchess {
        name_as_fastchess(engines);
    }
}

/// fastchess's default names: the file name of the command without extension, numbered if not unique.
fn name_as_fastchess(engines: &mut [Table]) {
    let mut seen: HashMap<String, u32> = HashMap::new();
    for engine in engines {
        let text = |key: &str| engine.get(key).and_then(Value::as_str);
        let file = || Path::new(text("cmd")?).file_stem()?.to_str();
        let Some(name) = text("name").or_else(file).map(str::to_owned) else { continue };
        let count = seen.entry(name.clone()).or_default();
        *count += 1;
        let name = if *count > 1 { format!("{name}_{count}") } else { name };
        engine.insert("name".to_owned(), Value::from(name));
    }
}

/// fastchess's names for the two engines of `-quick`: their commands, with 1 and 2 appended if equal.
fn name_quick(flags: &[Flag<'_>], engines: &mut [Table]) {
    let are_quick = flags.iter().zip(engines).filter(|(flag, _)| flag.name == "quick");
    let mut quick: Vec<&mut Table> = are_quick.map(|(_, engine)| engine).collect();
    for pair in quick.chunks_mut(2) {
        let command = |engine: &Table| engine.get("cmd").and_then(Value::as_str).map(str::to_owned);
        let are_same = pair.iter().all(|engine| command(engine) == command(pair[0]));
        for (engine, number) in pair.iter_mut().zip(["1", "2"]) {
            let Some(name) = command(engine) else { continue };
            let name = if are_same { name + number } else { name };
            engine.entry("name").or_insert(Value::from(name));
        }
    }
}

/// Bare names of programs in the current folder become paths: fastchess looks there after PATH, cutechess before.
pub(super) fn find_here(engines: &mut [Table], dialect: Dialect) {
    for engine in engines.iter_mut().filter(|engine| !engine.contains_key("dir")) {
        let Some(name) = engine.get("cmd").and_then(Value::as_str) else { continue };
        if name == BUILTIN || name.contains(is_separator) || !Path::new(name).is_file() {
            continue;
        }
        let here = Path::new(".").join(name);
        let is_program = |path: &Path| EngineCommand::new(path).locate().is_ok();
        if !is_program(Path::new(name)) || dialect != Dialect::Fastchess && is_program(&here) {
            engine.insert("cmd".to_owned(), Value::from(here.display().to_string()));
        }
    }
}

fn known(name: &str, registry: &Registry, skipped: &[SkippedEngine]) -> anyhow::Result<Table> {
    let Some(engine) = registry.find(name) else {
        if let Some(engine) = skipped.iter().find(|engine| engine.name == name) {
            bail!("conf={name}: {}", engine.reason);
        }
        let names: Vec<&str> = registry.names().collect();
        bail!("conf={name}: no engine of that name in engines.json (there are {})", names.join(", "));
    };
    Ok(engine.clone())
}

fn rewritten(word: &str) -> anyhow::Result<String> {
    Ok(match word.split_once('=') {
        Some(("plies", value)) => format!("depth={value}"),
        Some(("tc", value)) => format!("tc={}", time_control(value)),
        Some(("st", value)) => format!("st={}", value.strip_suffix('s').unwrap_or(value)),
        Some(("restart", "auto")) => "restart=off".to_owned(),
        Some(_) => word.to_owned(),
        None if ["ponder", "whitepov", "trust", "debug"].contains(&word) => format!("{word}=on"),
        None => bail!("{word}: expected key=value"),
    })
}

/// Translates fastchess's `inf/60+0.6` and `infinite`, and seconds with a trailing `s`.
fn time_control(text: &str) -> String {
    if matches!(text, "inf" | "infinite") {
        return "inf".to_owned();
    }
    let rest_of_game = text.strip_prefix("inf/").or_else(|| text.strip_prefix("infinite/"));
    let parts: Vec<&str> =
        rest_of_game.unwrap_or(text).split('+').map(|part| part.strip_suffix('s').unwrap_or(part)).collect();
    parts.join("+")
}

/// In cutechess, unlimited time with another limit means that only the other limit applies.
fn settle_clock(settings: &mut Table) {
    let is_limited = ["nodes", "depth", "movetime"].iter().any(|key| settings.contains_key(*key));
    let is_unlimited = settings.get("tc").and_then(Value::as_str) == Some("inf");
    if is_unlimited && is_limited {
        settings.remove("tc");
    }
}
