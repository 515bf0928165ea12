//! `score`: runs every engine on every suite; prints and writes the results after each.

use std::path::{Path, PathBuf};
use std::thread::{self, Scope};

use anyhow::anyhow;
use smalt_driver::Protocol;
use smalt_driver::process::Interrupt;

use super::arguments::ScoreFlags;
use super::exit::{Exit, OrRefuse, Refusal};
use super::progress::{ScoreBar, Verbosity};
use super::results::{ResultList, SavePace};
use super::resume::{self, Earlier};
use super::{Builtin, intent, output};
use crate::ask::{self, Checked, SuiteAnswers, SuiteOutcome, WorkerPool};
use crate::plan::{Memory, Plan, SuiteEntrant};
use crate::record::Record;
use crate::suite::Suite;
use smalt_workbench::engine_files::input_files;
use smalt_workbench::entrant::Registry;
use smalt_workbench::output_file::{self, Existing, check_apart, is_same_file};

/// Scores the engines; returns exit code and results.
pub(super) fn score(flags: &ScoreFlags, builtin: Builtin) -> Result<(Exit, Vec<Record>), Refusal> {
    let mut suites = Vec::new();
    for text in &flags.suites {
        suites.push(intent::suite(text)?);
    }
    check_names(&suites, &flags.suites)?;
    let plan = intent::plan(flags, builtin)?;
    let earlier = match &flags.resume {
        Some(file) => Earlier::read(file, &plan, &suites)?,
        None => Earlier::none(&plan, &suites),
    };
    let is_written_again =
        |file: &Path| flags.output.result.json.as_deref().is_some_and(|json| is_same_file(file, json));
    earlier.check_new_names()?;
    if flags.resume.as_deref().is_some_and(is_written_again) {
        earlier.check_all_kept()?;
    }
    let inputs = inputs_of(flags, &plan);
    check_standard_errors(flags, &plan, &inputs)?;
    let inputs = inputs.iter().map(PathBuf::as_path);
    let results = ResultList::new(&flags.output, inputs, earlier.of_this_run(), flags.resume.as_deref())?;
    let interrupt = Interrupt::new().or_failed()?;
    raise_on_signals(&interrupt).or_failed()?;
    let mut checked = Vec::new();
    for entrant in &plan.entrants {
        let engine = ask::check(entrant, plan.reaper.as_ref(), &interrupt).or_usage()?;
        earlier.check_engine(entrant, &engine.introduction, flags.allow_mixed)?;
        checked.push(engine);
    }
    let verbosity = if flags.output.quiet { Verbosity::Quiet } else { Verbosity::Usual };
    let mut run = ScoredRun {
        plan: &plan,
        checked,
        earlier: &earlier,
        interrupt: &interrupt,
        verbosity,
        allows_mixed: flags.allow_mixed,
        results,
    };
    let exit = thread::scope(|scope| run.score_all(&suites, scope))?;
    run.results.finish()?;
    if exit == Exit::Interrupted {
        output::print_info(&resume::hint(&flags.output));
    }
    if exit == Exit::Skipped && !run.results.has_answers() {
        return Err(anyhow!("no engine gave an answer")).or_failed();
    }
    Ok((exit, run.results.into_records()))
}

/// The files that a run reads: suites, registry, and those of the engines.
fn inputs_of(flags: &ScoreFlags, plan: &Plan) -> Vec<PathBuf> {
    let own_program = std::env::current_exe().unwrap_or_default();
    let read = plan.entrants.iter().flat_map(|entrant| {
        let program = entrant.engine.command_of(&entrant.program, &own_program).locate().ok();
        input_files(&entrant.engine, program)
    });
    flags
        .suites
        .iter()
        .map(PathBuf::from)
        .chain(Registry::path(flags.registry.path.as_deref()))
        .chain(read)
        .collect()
}

/// Checks that the standard error of no engine goes into a store, an output or an input. Engines may share a file.
fn check_standard_errors(flags: &ScoreFlags, plan: &Plan, inputs: &[PathBuf]) -> Result<(), Refusal> {
    for file in plan.entrants.iter().filter_map(|entrant| entrant.engine.stderr.as_deref()) {
        let files: Vec<&Path> = flags.output.files().chain([file]).collect();
        check_apart(&files, inputs.iter().map(PathBuf::as_path)).or_usage()?;
        output_file::check(file, Existing::Replace).or_usage()?;
    }
    Ok(())
}

/// The first signal ends all waits, so that results are still written; the second ends the program.
pub(super) fn raise_on_signals(interrupt: &Interrupt) -> std::io::Result<()> {
    let interrupt = interrupt.clone();
    smalt_workbench::signals::handle(move || interrupt.raise(), || {})
}

/// Suites must have distinct names, since results are identified by them.
fn check_names(suites: &[Suite], typed: &[String]) -> Result<(), Refusal> {
    for (index, suite) in suites.iter().enumerate() {
        if let Some(first) = suites[..index].iter().position(|other| other.name == suite.name) {
            let words = format!("{:?} and {:?} are both called {}", typed[first], typed[index], suite.name);
            return Err(anyhow!("{words}: results could not be distinguished")).or_usage();
        }
    }
    Ok(())
}

/// A run with its results so far.
struct ScoredRun<'a> {
    plan: &'a Plan,
    /// Engines with their reported names, before the first question.
    checked: Vec<Checked>,
    /// Results of the same run before it was interrupted.
    earlier: &'a Earlier<'a>,
    interrupt: &'a Interrupt,
    verbosity: Verbosity,
    allows_mixed: bool,
    results: ResultList<'a>,
}

impl<'a> ScoredRun<'a> {
    fn score_all<'scope>(
        &mut self,
        suites: &'a [Suite],
        scope: &'scope Scope<'scope, 'a>,
    ) -> Result<Exit, Refusal> {
        let mut exit = Exit::Done;
        let mut kept = None;
        for suite in suites {
            exit = exit.max(intent::exit_of(suite));
            for (index, entrant) in self.plan.entrants.iter().enumerate() {
                let mut pool = kept.take().unwrap_or_else(|| {
                    let checked = &mut self.checked[index];
                    let files = checked.files.clone().filter(|_| !self.allows_mixed);
                    WorkerPool::new(scope, entrant, self.plan, self.interrupt, checked.engine.take(), files)
                });
                let record = self.ask(suite, index, &mut pool, &mut exit);
                self.results.add(suite, record)?;
                if self.stays() {
                    kept = Some(pool);
                } else {
                    pool.dismiss();
                }
                if exit == Exit::Interrupted {
                    break;
                }
            }
            self.results.end_suite(suite)?;
            if exit == Exit::Interrupted {
                break;
            }
        }
        if let Some(pool) = kept {
            pool.dismiss();
        }
        Ok(exit)
    }

    /// Whether engine processes are kept from suite to suite, which saves their start. They quit if another engine is
    /// next, to free memory and threads, and if hash tables are kept, since results on one suite would then depend on
    /// the one before.
    fn stays(&self) -> bool {
        self.plan.entrants.len() == 1 && self.plan.memory == Memory::Cleared
    }

    fn ask(
        &mut self,
        suite: &'a Suite,
        index: usize,
        pool: &mut WorkerPool<'_, 'a>,
        exit: &mut Exit,
    ) -> Record {
        let (entrant, introduction) = (&self.plan.entrants[index], &self.checked[index].introduction);
        let answered = self.earlier.answered(suite, entrant);
        let is_open = |&index: &usize| answered.get(index).is_none_or(Option::is_none);
        let open: Vec<usize> = (0..suite.problems.len()).filter(is_open).collect();
        if self.verbosity == Verbosity::Usual {
            self.announce(suite, entrant, open.len());
        }
        let record = |answers: &[_], outcome: &_| {
            Record::from_asked(suite, self.plan, entrant, introduction, answers, outcome, &answered)
        };
        let mut bar = ScoreBar::new(suite, entrant, self.verbosity);
        bar.resume(&answered);
        let mut pace = SavePace::default();
        let SuiteAnswers { answers, outcome } = pool.ask(&suite.problems, &open, |progress| {
            bar.add(&progress);
            pace.save(|| {
                // A failed save fails again at the end, where it is reported.
                let _ = self.results.save(&record(progress.answers, &SuiteOutcome::Interrupted));
            });
        });
        drop(bar);
        match &outcome {
            SuiteOutcome::Complete => {}
            SuiteOutcome::Interrupted => *exit = Exit::Interrupted,
            SuiteOutcome::Disqualified(words) => {
                let never_spoke = entrant.engine.proto == Protocol::Uci && introduction.protocol.is_none();
                let hint =
                    if never_spoke { "; does it speak xboard (proto=xboard, proto=auto)?" } else { "" };
                output::print_info(&format!("{} is disqualified: it {words}{hint}", entrant.name));
                *exit = (*exit).max(Exit::Skipped);
            }
        }
        let record = record(&answers, &outcome);
        if record.faults > 0 {
            *exit = (*exit).max(Exit::Skipped);
        }
        record
    }

    fn announce(&self, suite: &Suite, entrant: &SuiteEntrant, open: usize) {
        let all = suite.problems.len();
        let done = if open < all { format!(" ({} answered before)", all - open) } else { String::new() };
        let (limit, workers) = (entrant.limit, self.plan.concurrency);
        output::print_info(&format!(
            "{}: {}, {all} positions{done}, {limit}, {workers} at a time",
            suite.name, entrant.name
        ));
    }
}
