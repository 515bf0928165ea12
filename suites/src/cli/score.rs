//! `score`: every engine on every suite, with results shown and written after each.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::anyhow;
use smalt_driver::Engine;
use smalt_driver::entrant::Protocol;
use smalt_driver::process::Interrupt;

use super::arguments::ScoreFlags;
use super::exit::{Exit, OrRefuse, Refusal};
use super::progress::{Bar, Loudness};
use super::results::Results;
use super::{intent, output, signals};
use crate::ask::{self, Asked, Checked, Introduction, Outcome, Questions};
use crate::plan::{Entrant, Plan};
use crate::record::{Record, ResultRecord, Settings};
use crate::suite::Suite;

/// How much of a run is lost at most if the machine fails.
const SAVE_EVERY: Duration = Duration::from_secs(2);

/// Scores engines, and gives what came of it.
pub(super) fn score(flags: &ScoreFlags) -> Result<(Exit, Vec<Record>), Refusal> {
    let mut suites = Vec::new();
    for text in &flags.suites {
        suites.push(intent::suite(text)?);
    }
    check_names(&suites, &flags.suites)?;
    let plan = intent::plan(flags)?;
    let earlier = flags.resume.as_deref().map(|file| to_resume(file, &plan, &suites)).transpose()?;
    let earlier = earlier.unwrap_or_default();
    let interrupt = Interrupt::new().or_failed()?;
    signals::listen(interrupt.clone()).or_failed()?;
    let mut checked = Vec::new();
    for entrant in &plan.entrants {
        let engine = ask::check(entrant, &interrupt).or_usage()?;
        check_resumed(&earlier, entrant, &engine.introduction)?;
        checked.push(engine);
    }
    let loudness = if flags.output.quiet { Loudness::Quiet } else { Loudness::Usual };
    if flags.resume.is_some() && flags.resume == flags.output.json {
        check_kept(&earlier, &plan, &suites)?;
    }
    let of_this_run = |record: &&Record| !is_other(record, &plan, &suites);
    let ahead = earlier.iter().filter(of_this_run).cloned().collect();
    let mut run = Run {
        plan: &plan,
        checked,
        earlier: &earlier,
        interrupt: &interrupt,
        loudness,
        results: Results::new(&flags.output, ahead)?,
    };
    let mut exit = Exit::Done;
    for suite in &suites {
        exit = exit.max(intent::exit_of(suite)).max(run.score(suite)?);
        if exit == Exit::Interrupted {
            break;
        }
    }
    run.results.finish()?;
    if exit == Exit::Interrupted {
        output::tell(&hint(flags.output.json.as_deref()));
    }
    if exit == Exit::LeftOut && !run.results.has_answers() {
        return Err(anyhow!("no engine gave an answer")).or_failed();
    }
    Ok((exit, run.results.into_records()))
}

/// Results are told apart by the names of their suites.
fn check_names(suites: &[Suite], typed: &[String]) -> Result<(), Refusal> {
    for (index, suite) in suites.iter().enumerate() {
        if let Some(first) = suites[..index].iter().position(|other| other.name == suite.name) {
            let words = format!("{:?} and {:?} are both called {}", typed[first], typed[index], suite.name);
            return Err(anyhow!("{words}: results could not be told apart")).or_usage();
        }
    }
    Ok(())
}

/// The file that is gone on with is written again: it must not hold what this run would not write.
fn check_kept(earlier: &[Record], plan: &Plan, suites: &[Suite]) -> Result<(), Refusal> {
    let other = earlier.iter().find(|record| record.answered_any() && is_other(record, plan, suites));
    other.map_or(Ok(()), |record| {
        let words = format!(
            "it holds results of {} on {}, which this run would overwrite",
            record.engine, record.suite
        );
        Err(anyhow!("--json and --resume name one file, and {words}: name another for --json")).or_usage()
    })
}

/// How an interrupted run is gone on with.
fn hint(json: Option<&Path>) -> String {
    match json.filter(|path| !output::is_standard_output(path)) {
        Some(file) => format!("interrupted; to go on, give the same command and --resume {}", file.display()),
        None => "interrupted; with --json FILE the results so far would be kept for --resume FILE".to_owned(),
    }
}

/// Whether the engine of the earlier results is this one.
fn check_resumed(earlier: &[Record], entrant: &Entrant, now: &Introduction) -> Result<(), Refusal> {
    let other = earlier
        .iter()
        .filter(|record| record.engine == entrant.name && record.answered_any())
        .filter_map(|record| record.engine_id.as_deref())
        .find(|id| !now.name.is_empty() && *id != now.name);
    match other {
        Some(id) => {
            Err(anyhow!("{} is {:?} now and was {id:?} in the results to resume", entrant.name, now.name))
                .or_usage()
        }
        None => Ok(()),
    }
}

/// The results to go on with: none where the run has just begun, or is still to begin.
fn to_resume(file: &Path, plan: &Plan, suites: &[Suite]) -> Result<Vec<Record>, Refusal> {
    if !file.exists() {
        output::tell(&format!("{} does not exist yet: all positions are asked", file.display()));
        return Ok(Vec::new());
    }
    let earlier = output::read_records(file)?;
    tell_unmatched(file, &earlier, plan, suites);
    Ok(earlier)
}

/// All that is asked in a run.
fn runs<'a>(plan: &'a Plan, suites: &'a [Suite]) -> impl Iterator<Item = (&'a Suite, &'a Entrant)> {
    suites.iter().flat_map(|suite| plan.entrants.iter().map(move |entrant| (suite, entrant)))
}

/// Whether nothing of this run can be taken from an earlier one.
fn is_other(earlier: &Record, plan: &Plan, suites: &[Suite]) -> bool {
    runs(plan, suites).all(|(suite, entrant)| difference(earlier, plan, suite, entrant).is_some())
}

/// Tells where nothing can be taken from the results to resume, and why.
fn tell_unmatched(file: &Path, earlier: &[Record], plan: &Plan, suites: &[Suite]) {
    let others: Vec<&Record> = earlier.iter().filter(|record| is_other(record, plan, suites)).collect();
    for record in &others {
        let differences =
            runs(plan, suites).filter_map(|(suite, entrant)| difference(record, plan, suite, entrant));
        let nearest = differences.min();
        let why = nearest.map(|why| why.words(record)).unwrap_or_default();
        output::tell(&format!(
            "{}: nothing is taken from {} of {}: {why}",
            file.display(),
            record.suite,
            record.engine
        ));
    }
    if others.len() == earlier.len() {
        output::tell(&format!("{} holds nothing of this run: all positions are asked", file.display()));
    }
}

/// Why an earlier run is not this one; the nearest to it first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Difference {
    NoAnswer,
    Settings,
    Limit(String),
    Engine(String),
    Suite(String),
}

fn difference(earlier: &Record, plan: &Plan, suite: &Suite, entrant: &Entrant) -> Option<Difference> {
    let limit = entrant.limit.to_string();
    if earlier.suite != suite.name {
        Some(Difference::Suite(suite.name.clone()))
    } else if earlier.engine != entrant.name {
        Some(Difference::Engine(entrant.name.clone()))
    } else if earlier.limit.as_ref() != Some(&limit) {
        Some(Difference::Limit(limit))
    } else if earlier.settings != Settings::new(plan, entrant) {
        Some(Difference::Settings)
    } else if earlier.answered(suite).iter().all(Option::is_none) {
        Some(Difference::NoAnswer)
    } else {
        None
    }
}

impl Difference {
    fn words(&self, earlier: &Record) -> String {
        match self {
            Difference::NoAnswer => "it has no answer to a position of this run".to_owned(),
            Difference::Settings => {
                "it was run with other settings (options, --keep-hash, --grace, --early-stop)".to_owned()
            }
            Difference::Limit(now) => {
                let then = earlier.limit.as_deref().unwrap_or("no limit");
                format!("it was run with {then}, and this is with {now}")
            }
            Difference::Engine(now) => format!("this run has no engine of that name (but {now})"),
            Difference::Suite(now) => format!("this run has no suite of that name (but {now})"),
        }
    }
}

/// A run and what it has brought so far.
struct Run<'a> {
    plan: &'a Plan,
    /// What the engines say of themselves, and they, until they are asked.
    checked: Vec<Checked>,
    /// The results of the same run before it was interrupted.
    earlier: &'a [Record],
    interrupt: &'a Interrupt,
    loudness: Loudness,
    results: Results<'a>,
}

impl Run<'_> {
    fn score(&mut self, suite: &Suite) -> Result<Exit, Refusal> {
        let mut exit = Exit::Done;
        for (index, entrant) in self.plan.entrants.iter().enumerate() {
            let first = self.checked[index].engine.take();
            let record = self.ask(suite, entrant, &self.checked[index].introduction, first, &mut exit);
            self.results.add(suite, record)?;
            if exit == Exit::Interrupted {
                break;
            }
        }
        self.results.end_suite(suite)?;
        Ok(exit)
    }

    fn ask(
        &self,
        suite: &Suite,
        entrant: &Entrant,
        introduction: &Introduction,
        first: Option<Box<dyn Engine>>,
        exit: &mut Exit,
    ) -> Record {
        let answered = self.answered(suite, entrant);
        let is_open = |&index: &usize| answered.get(index).is_none_or(Option::is_none);
        let open: Vec<usize> = (0..suite.problems.len()).filter(is_open).collect();
        if self.loudness == Loudness::Usual {
            self.announce(suite, entrant, open.len());
        }
        let mut bar = Bar::new(suite, entrant, self.loudness);
        bar.resume(&answered);
        let (problems, interrupt) = (&suite.problems, self.interrupt);
        let mut so_far = Asked { answers: vec![None; problems.len()], outcome: Outcome::Interrupted };
        let mut saved_at = Instant::now();
        let questions = Questions { problems, indexes: &open, entrant, plan: self.plan };
        let asked = ask::ask_all(questions, first, interrupt, |progress| {
            bar.add(&progress);
            so_far.answers[progress.index] = Some(progress.answer.clone());
            if saved_at.elapsed() >= SAVE_EVERY {
                let earlier = answered.clone();
                let record = Record::from_asked(suite, self.plan, entrant, introduction, &so_far, earlier);
                // What fails here fails again at the end, where it is told.
                let _ = self.results.save(&record);
                saved_at = Instant::now();
            }
        });
        drop(bar);
        match &asked.outcome {
            Outcome::Complete => {}
            Outcome::Interrupted => *exit = Exit::Interrupted,
            Outcome::StruckOut(words) => {
                let never_spoke = entrant.protocol == Protocol::Uci && introduction.protocol.is_none();
                let hint =
                    if never_spoke { "; does it speak xboard (proto=xboard, proto=auto)?" } else { "" };
                output::tell(&format!(
                    "{} is out: it would not start three times running: {words}{hint}",
                    entrant.name
                ));
                *exit = (*exit).max(Exit::LeftOut);
            }
        }
        Record::from_asked(suite, self.plan, entrant, introduction, &asked, answered)
    }

    /// What the earlier run of the same engine with the same settings has answered already.
    fn answered(&self, suite: &Suite, entrant: &Entrant) -> Vec<Option<ResultRecord>> {
        self.earlier
            .iter()
            .find(|record| difference(record, self.plan, suite, entrant).is_none())
            .map(|record| record.answered(suite))
            .unwrap_or_default()
    }

    fn announce(&self, suite: &Suite, entrant: &Entrant, open: usize) {
        let all = suite.problems.len();
        let done = if open < all { format!(" ({} answered before)", all - open) } else { String::new() };
        let (limit, askers) = (entrant.limit, self.plan.concurrency);
        output::tell(&format!(
            "{}: {}, {all} positions{done}, {limit}, {askers} at a time",
            suite.name, entrant.name
        ));
    }
}
