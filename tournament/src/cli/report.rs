//! `report`: a report of a run in one file.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::anyhow;
use clap::Args;

use super::exit::{Exit, OrRefuse, Refusal};
use super::output::{print, write_text};
use super::stored_run::refuse_store;
use super::view::LoadedRun;
use crate::plot::{Figures, figures};
use crate::report::{Faults, GameList, Highlights, RunReport, csv, html::html, markdown::markdown};
use smalt_match::progress::RunState;
use smalt_match::store::StoreUse;
use smalt_workbench::output_file::Existing;

pub(super) const EXAMPLES: &str = "\
Examples:
  smalt-tournament report run.db -o report.html
  smalt-tournament report run.db | gh pr comment -F -
  smalt-tournament report run.db -o standings.csv

The HTML file is self-contained and has no scripts: it can be mailed or archived. It has the curves of games that faults \
ended, of games in which a lead was lost, and of the last game; it names the programs, folders and options of the plan.";

/// Format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum ReportForm {
    /// A page with charts, all in one file
    Html,
    /// Tables and faults, for a pull request
    Markdown,
    /// Tables alone, with an empty line between them
    Csv,
}

#[derive(Args, Clone, Debug)]
pub(super) struct ReportFlags {
    /// Store of the run
    #[arg(value_name = "RUN.db")]
    store: PathBuf,
    /// Output file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Overwrite an existing file
    #[arg(long, requires = "output")]
    force: bool,
    /// Format [default: by the name of the file, else markdown]
    #[arg(short, long, value_enum, value_name = "FORM")]
    format: Option<ReportForm>,
}

pub(super) fn report(flags: &ReportFlags) -> Result<Exit, Refusal> {
    let form = form(flags)?;
    let report = gather(&flags.store)?;
    let text = match form {
        ReportForm::Html => html(&report).or_failed()?,
        ReportForm::Markdown => markdown(&report),
        ReportForm::Csv => csv(&report),
    };
    match &flags.output {
        Some(path) => write_text(path, &text, Existing::with_force(flags.force))?,
        None => print(&text)?,
    }
    Ok(Exit::Done)
}

fn form(flags: &ReportFlags) -> Result<ReportForm, Refusal> {
    let Some(path) = flags.output.as_deref().filter(|_| flags.format.is_none()) else {
        return Ok(flags.format.unwrap_or(ReportForm::Markdown));
    };
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("html" | "htm") => Ok(ReportForm::Html),
        Some("md" | "markdown") => Ok(ReportForm::Markdown),
        Some("csv") => Ok(ReportForm::Csv),
        _ => {
            let shown = path.display();
            Err(anyhow!("{shown}: unknown format; end the name in .html, .md or .csv, or give --format"))
                .or_usage()
        }
    }
}

fn gather(path: &Path) -> Result<RunReport, Refusal> {
    // Declared before the store, so that it is dropped after it.
    let occupancy = StoreUse::of(path);
    let (mut games, mut highlights) = (GameList::default(), Highlights::default());
    let mut span: Option<(SystemTime, SystemTime)> = None;
    let run = LoadedRun::read(path, |record, names, opening| {
        games.add(record, names, opening);
        highlights.add(record, names);
        let (begin, end) = (record.started, record.started + record.duration);
        span = Some(span.map_or((begin, end), |(first, last)| (first.min(begin), last.max(end))));
    })?;
    let mut faults = Faults::default();
    run.store.for_each_fault(|fault| faults.add(fault)).map_err(refuse_store)?;
    let stored = run.store.run().map_err(refuse_store)?;
    let viewed = figures::viewed(&run.plan);
    Ok(RunReport {
        figures: Figures::of_run(&run.standings, &run.openings, &viewed, None),
        state: RunState::of(occupancy.is_in_use(), &run.standings).to_string(),
        begun: stored.created,
        length: span.and_then(|(begin, end)| end.duration_since(begin).ok()),
        programs: run.store.engines().map_err(refuse_store)?,
        plan: run.plan,
        standings: run.standings,
        faults,
        games,
        highlights,
    })
}
