//! `export`: writes the games of a store in a given format, game by game, so that stores may have any size.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, anyhow, bail};
use smalt_chess::Outcome;
use smalt_driver::nearest::nearest;

use super::arguments::{ExportFlags, ExportForm};
use super::data::write_data;
use super::exit::{Exit, OrRefuse, Refusal};
use super::intent::section;
use super::output::{check_data_target, check_output, print, print_info, refuse_store_path};
use super::stored_run::{read_played_run, read_run, refuse_store};
use super::view::place_of;
use crate::export::{CSV_HEADER, Filter, JsonGame, Span, csv_line, epd_line};
use smalt_match::game::{GameRecord, Termination};
use smalt_match::pgn::PgnWriter;
use smalt_match::plan::{Plan, Settings, merge_settings};
use smalt_match::store::{Store, StoredFault};
use smalt_report::sanitize::{escape_json, sanitize};
use smalt_workbench::json::Versioned;
use smalt_workbench::output_file::{Draft, Existing, Output, is_special};

/// Exports the games of a store.
pub(super) fn export(flags: &ExportFlags) -> Result<Exit, Refusal> {
    let store = Store::read(&flags.store).map_err(refuse_store)?;
    let plan = read_run(&store)?.plan;
    let names: Vec<String> = plan.entrants.iter().map(|entrant| entrant.name.clone()).collect();
    let filter = filter(flags, &names).or_usage()?;
    check_numbers(flags, &store)?;
    if !flags.data.given.is_empty() {
        return positions(flags, &store, &filter, &plan);
    }
    let form = flags.what.or_else(|| flags.output.as_deref().and_then(form_of)).unwrap_or(ExportForm::Pgn);
    let failed = || {
        flags.output.as_ref().map_or("write the games".to_owned(), |path| format!("write {}", path.display()))
    };
    let target = flags.output.as_deref().map(ExportTarget::open).transpose()?;
    let sink: Box<dyn Write> = match &target {
        Some(target) => Box::new(target.handle().with_context(failed).or_failed()?),
        None => Box::new(io::stdout()),
    };
    let mut output = BufWriter::new(sink);
    let written = match form {
        ExportForm::Transcript => transcripts(&store, &filter, &names, &mut output)?,
        form => games(&store, form, &filter, &plan, &names, &mut output)?,
    };
    let written = written.and_then(|()| output.flush());
    drop(output);
    if let Some(ExportTarget::File { output, draft }) = target {
        let written = written.with_context(failed).or_failed();
        return written.and_then(|()| replace(&output, draft, flags.force)).map(|()| Exit::Done);
    }
    match written {
        // A closed pipe is no error.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe || flags.output.is_some() => {
            Err(error).with_context(failed).or_failed()
        }
        _ => Ok(Exit::Done),
    }
}

/// Exports labelled positions; defaults are the run's settings.
fn positions(flags: &ExportFlags, store: &Store, filter: &Filter, plan: &Plan) -> Result<Exit, Refusal> {
    let mut layer = plan.settings.to_layer();
    if flags.data.given.get("data").is_some_and(|data| data.get("file").is_some()) {
        // The extension of the new file determines the format.
        section(&mut layer, "data").remove("format");
    }
    merge_settings(&mut layer, flags.data.given.clone());
    let settings: Settings = layer.try_into().context("change the settings").or_usage()?;
    let file = settings.data.output(settings.run.seed).or_usage()?;
    let file = file.context("no file of training data: give --data FILE").or_usage()?;
    check_data_target(&file.path)?;
    check_output(&file.path, Existing::with_force(flags.force))?;
    print(&write_data(store, plan, file, |record| filter.passes(record))?)?;
    Ok(Exit::Done)
}

/// Where an export is written.
enum ExportTarget {
    /// A pipe or a device.
    Stream(File),
    File {
        output: Output,
        draft: Draft,
    },
}

impl ExportTarget {
    fn open(path: &Path) -> Result<ExportTarget, Refusal> {
        refuse_store_path(path)?;
        if is_special(path) {
            let opened = File::options().write(true).open(path);
            return opened
                .map(ExportTarget::Stream)
                .with_context(|| format!("write {}", path.display()))
                .or_usage();
        }
        let output = Output::check(path, Existing::Replace).or_usage()?;
        let draft = output.draft().or_usage()?;
        Ok(ExportTarget::File { output, draft })
    }

    fn handle(&self) -> io::Result<File> {
        match self {
            ExportTarget::Stream(file) => file.try_clone(),
            ExportTarget::File { draft, .. } => draft.as_file().try_clone(),
        }
    }
}

/// Replaces an older export whose lines are all in the new one; with force any file.
fn replace(output: &Output, draft: Draft, force: bool) -> Result<(), Refusal> {
    let path = output.path();
    let lines = |path: &Path| -> io::Result<_> { Ok(BufReader::new(File::open(path)?).split(b'\n')) };
    // The last line of a list has no comma.
    let bare = |line: io::Result<Vec<u8>>| {
        line.map(|line| line.strip_suffix(b",").map_or(line.clone(), <[u8]>::to_vec))
    };
    let is_held = || -> io::Result<bool> {
        let new = lines(draft.path())?.map(bare).collect::<io::Result<HashSet<_>>>()?;
        for line in lines(path)?.map(bare) {
            if !new.contains(&line?) {
                return Ok(false);
            }
        }
        Ok(true)
    };
    let context = || format!("write {}", path.display());
    let is_filled = std::fs::metadata(path).is_ok_and(|file| file.len() > 0);
    if is_filled && !force && !is_held().with_context(context).or_usage()? {
        return Err(anyhow!(
            "write {}: it exists already, and holds what the export does not; give --force to replace it, or choose another name",
            path.display()
        ))
        .or_usage();
    }
    output.replace(draft).or_failed()
}

/// Game numbers that do not exist are an error instead of an empty file.
fn check_numbers(flags: &ExportFlags, store: &Store) -> Result<(), Refusal> {
    let (mut games, mut pairs) = (NumbersSeen::default(), NumbersSeen::default());
    if flags.game.is_none() && flags.pair.is_none() {
        return Ok(());
    }
    let each = |record: GameRecord| {
        games.see(record.game.number, flags.game);
        pairs.see(record.game.pair, flags.pair);
    };
    store.for_each_game(each).map_err(refuse_store)?;
    games.check("game", flags.game).and_then(|()| pairs.check("pair", flags.pair)).or_usage()
}

/// Tracks which of the requested numbers exist.
#[derive(Default)]
struct NumbersSeen {
    /// Largest number, from 0.
    last: Option<u32>,
    is_found: bool,
}

impl NumbersSeen {
    fn see(&mut self, number: u32, wanted: Option<Span>) {
        self.last = self.last.max(Some(number));
        self.is_found |= wanted.is_some_and(|span| span.holds(number));
    }

    fn check(&self, what: &str, wanted: Option<Span>) -> anyhow::Result<()> {
        let Some(span) = wanted.filter(|_| !self.is_found) else { return Ok(()) };
        match self.last {
            Some(last) => bail!("--{what} {span}: no such {what} is stored; the last is {}", last + 1),
            None => bail!("--{what} {span}: no {what} is stored yet"),
        }
    }
}

/// Format by file name.
fn form_of(path: &Path) -> Option<ExportForm> {
    match path.extension()?.to_str()? {
        "csv" => Some(ExportForm::Csv),
        "json" => Some(ExportForm::Json),
        "jsonl" | "ndjson" => Some(ExportForm::Jsonl),
        "epd" => Some(ExportForm::Epd),
        _ => None,
    }
}

fn filter(flags: &ExportFlags, names: &[String]) -> anyhow::Result<Filter> {
    let termination = |text: &String| {
        text.parse().map_err(|error| {
            let known: Vec<&str> = Termination::all().map(Termination::name).collect();
            let begun = || known.iter().find(|name| !text.is_empty() && name.starts_with(text)).copied();
            let hint = nearest(text, known.iter().copied()).or_else(begun);
            let hint = hint.map(|hint| format!(" (did you mean {hint:?}?)")).unwrap_or_default();
            anyhow!("--termination: {error}{hint}; there are {}", known.join(", "))
        })
    };
    let outcome = flags.result.as_ref().map(|text| {
        Outcome::parse(text).with_context(|| format!("--result {text:?}: expected 1-0, 0-1 or 1/2-1/2"))
    });
    Ok(Filter {
        entrants: flags.engine.iter().map(|name| place_of(name, names)).collect::<anyhow::Result<_>>()?,
        outcome: outcome.transpose()?,
        terminations: flags.termination.iter().map(termination).collect::<anyhow::Result<_>>()?,
        games: flags.game,
        pairs: flags.pair,
    })
}

/// A PGN writer with the opening names of the book, if it can still be read.
fn pgn_writer(store: &Store, form: ExportForm, plan: &Plan) -> PgnWriter {
    let openings = match form {
        ExportForm::Pgn => {
            read_played_run(store).map(|prepared| prepared.openings).unwrap_or_else(|refusal| {
                print_info(&format!(
                    "Opening names come from the positions, since the book cannot be read: {}",
                    refusal.error
                ));
                Arc::default()
            })
        }
        _ => Arc::default(),
    };
    PgnWriter::new(plan, openings)
}

/// After the first write error the remaining games are only read.
fn games(
    store: &Store,
    form: ExportForm,
    filter: &Filter,
    plan: &Plan,
    names: &[String],
    output: &mut impl Write,
) -> Result<io::Result<()>, Refusal> {
    let pgn = pgn_writer(store, form, plan);
    let mut count = 0_u64;
    let mut written = match form {
        ExportForm::Csv => output.write_all(CSV_HEADER.as_bytes()),
        ExportForm::Json => output.write_all(b"["),
        _ => Ok(()),
    };
    let text = |record: &GameRecord, count: u64| match form {
        ExportForm::Csv => csv_line(record, names),
        ExportForm::Epd => epd_line(record, names),
        ExportForm::Json => format!("{}\n{}", if count > 0 { "," } else { "" }, json(record, names)),
        ExportForm::Jsonl => json(record, names) + "\n",
        ExportForm::Pgn | ExportForm::Transcript => pgn.write(record),
    };
    let each = |record: GameRecord| {
        if written.is_ok() && filter.passes(&record) {
            written = output.write_all(text(&record, count).as_bytes());
            count += 1;
        }
    };
    store.for_each_game(each).map_err(refuse_store)?;
    if form == ExportForm::Json {
        written = written.and_then(|()| output.write_all(b"\n]\n"));
    }
    Ok(written)
}

fn json(record: &GameRecord, names: &[String]) -> String {
    let json = serde_json::to_string(&Versioned::of(JsonGame::of(record, names)));
    escape_json(&json.expect("a game is texts and finite numbers"))
}

/// Transcripts of all faults.
fn transcripts(
    store: &Store,
    filter: &Filter,
    names: &[String],
    output: &mut impl Write,
) -> Result<io::Result<()>, Refusal> {
    let mut written = Ok(());
    let each = |StoredFault { game, fault }: StoredFault| {
        let wanted = filter.games.is_none_or(|span| game.is_some_and(|number| span.holds(number)))
            && (filter.entrants.is_empty() || filter.entrants.contains(&fault.entrant));
        if written.is_ok() && wanted {
            let place =
                game.map_or_else(|| "between games".to_owned(), |number| format!("game {}", number + 1));
            let name = names.get(fault.entrant).map_or("?", String::as_str);
            let lines: String = fault.transcript.iter().map(|line| sanitize(line) + "\n").collect();
            let text =
                format!("{place}: {name} {} ({})\n{lines}\n", sanitize(&fault.words), sanitize(&fault.name));
            written = output.write_all(text.as_bytes());
        }
    };
    store.for_each_fault(each).map_err(refuse_store)?;
    Ok(written)
}
