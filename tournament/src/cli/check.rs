//! `check`: is this engine fit to play?

use std::path::PathBuf;

use clap::Args;
use smalt_about::names_or_files;
use smalt_workbench::entrant::Registry;
use toml::{Table, Value};

use super::exit::{Exit, OrRefuse, Refusal};
use super::intent::single_engine;
use super::output::{is_standard_output, print, write_json};
use super::registry::registry;
use crate::check::{CheckReport, CheckResult, EngineUnderTest, Finding, check as examine};
use smalt_report::sanitize::sanitize_lines;
use smalt_workbench::flags::RegistryFlag;

pub(super) const EXAMPLES: &str = "\
Examples:
  smalt-tournament check ./mine
  smalt-tournament check 'cmd=gnuchess args=\"--uci\" option.Hash=16' --json report.json

The exit code is 0 if all checks passed, 1 if one failed, 2 for wrong usage, 3 if none failed and some were skipped. A \
warning is something that a runner can work around. Most engines take some seconds, one that ignores its limits up to a \
minute: no check begins after that, and the skipped ones are named.";

#[derive(Args, Clone, Debug)]
pub(super) struct CheckFlags {
    /// Engine: a command with its arguments, a name from the registry, builtin, or key=value words
    #[arg(add = names_or_files(Registry::names_to_complete))]
    engine: String,
    #[command(flatten)]
    engines: RegistryFlag,
    /// JSON file of all findings (`-`: standard output)
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

pub(super) fn check(flags: &CheckFlags) -> Result<Exit, Refusal> {
    let is_quiet = flags.json.as_deref().is_some_and(is_standard_output);
    let registry = registry(flags.engines.path.as_deref())?;
    let mut engine = registry.parse_engine(&flags.engine).or_usage()?;
    engine.entry("proto").or_insert_with(|| Value::from("auto"));
    let report = examined(engine, &registry, !is_quiet)?;
    if let Some(file) = &flags.json {
        write_json(file, &report)?;
    }
    if !is_quiet {
        print(&sanitize_lines(&summary(&report)))?;
    }
    Ok(match (report.fit, report.complete) {
        (false, _) => Exit::Failed,
        (true, false) => Exit::Skipped,
        (true, true) => Exit::Done,
    })
}

/// Checks a UCI engine with the last line and exit codes of `fastchess -compliance`.
pub(super) fn compliance(program: &str, arguments: &[String]) -> Result<Exit, Refusal> {
    let engine = Table::from_iter([
        ("cmd".to_owned(), Value::from(program)),
        ("args".to_owned(), Value::from(arguments.to_vec())),
        ("proto".to_owned(), Value::from("uci")),
    ]);
    let report = examined(engine, &registry(None)?, true)?;
    if !report.fit {
        print(&sanitize_lines(&summary(&report)))?;
        return Ok(Exit::Failed);
    }
    print("Engine passed all compliance checks.\n")?;
    Ok(Exit::Done)
}

/// Checks an entrant; prints each finding at once if `is_shown`.
fn examined(engine: Table, registry: &Registry, is_shown: bool) -> Result<CheckReport, Refusal> {
    let mut failed = None;
    let report = examine(&subject(engine, registry)?, &mut |finding| {
        if is_shown && failed.is_none() {
            failed = print(&sanitize_lines(&finding_text(finding))).err();
        }
    });
    failed.map_or(Ok(report), Err)
}

/// The entrant as in a plan.
fn subject(engine: Table, registry: &Registry) -> Result<EngineUnderTest, Refusal> {
    let (entrant, command) = single_engine(engine, registry)?;
    let options = entrant.engine.options.iter().map(|(name, text)| (name.clone(), text.0.clone())).collect();
    Ok(EngineUnderTest { name: entrant.name, command, protocol: entrant.engine.proto, options })
}

/// A finding with its transcript lines.
fn finding_text(finding: &Finding) -> String {
    let result = match finding.result {
        CheckResult::Ok => "ok     ",
        CheckResult::Inapplicable => "n/a    ",
        CheckResult::Skipped => "skipped",
        CheckResult::Warning => "warning",
        CheckResult::Failure => "failure",
    };
    let mut text = format!("{result}  {}: {}\n", finding.step, finding.words);
    for line in &finding.lines {
        text.push_str(&format!("           {line}\n"));
    }
    text
}

/// The last line of output: fitness, failures and warnings.
fn summary(report: &CheckReport) -> String {
    let count = |wanted| report.findings.iter().filter(|finding| finding.result == wanted).count();
    let (warnings, failures) = (count(CheckResult::Warning), count(CheckResult::Failure));
    let fit = match (report.fit, report.complete) {
        (false, _) => "not fit to play",
        (true, false) => "fit to play as far as it was checked",
        (true, true) => "fit to play",
    };
    format!(
        "{} ({}): {fit}, {}, {}\n",
        report.engine,
        report.protocol,
        smalt_report::format::count(failures, "failure"),
        smalt_report::format::count(warnings, "warning")
    )
}
