//! `score`: every engine on every suite, with results shown and written after each.

use anyhow::anyhow;
use smalt_driver::process::Interrupt;

use super::arguments::ScoreFlags;
use super::exit::{Exit, OrRefuse, Refusal};
use super::progress::{Bar, Loudness};
use super::results::Results;
use super::{intent, output, signals};
use crate::ask::{self, Outcome};
use crate::plan::{Entrant, Plan};
use crate::record::Record;
use crate::suite::Suite;

/// Scores engines, and gives what came of it.
pub(super) fn score(flags: &ScoreFlags) -> Result<(Exit, Vec<Record>), Refusal> {
    let mut suites = Vec::new();
    for text in &flags.suites {
        suites.push(intent::suite(text)?);
    }
    let plan = intent::plan(flags)?;
    let interrupt = Interrupt::new().or_failed()?;
    signals::listen(interrupt.clone()).or_failed()?;
    let mut ids = Vec::new();
    for entrant in &plan.entrants {
        ids.push(ask::check(entrant, &interrupt).or_usage()?);
    }
    let loudness = if flags.output.quiet { Loudness::Quiet } else { Loudness::Usual };
    let mut run =
        Run { plan: &plan, ids: &ids, interrupt: &interrupt, loudness, results: Results::new(&flags.output) };
    let mut exit = Exit::Done;
    for suite in &suites {
        exit = exit.max(intent::exit_of(suite)).max(run.score(suite)?);
        if exit == Exit::Interrupted {
            break;
        }
    }
    run.results.finish()?;
    if exit == Exit::LeftOut && !run.results.has_answers() {
        return Err(anyhow!("no engine gave an answer")).or_failed();
    }
    Ok((exit, run.results.into_records()))
}

/// A run and what it has brought so far.
struct Run<'a> {
    plan: &'a Plan,
    /// What the engines call themselves.
    ids: &'a [String],
    interrupt: &'a Interrupt,
    loudness: Loudness,
    results: Results<'a>,
}

impl Run<'_> {
    fn score(&mut self, suite: &Suite) -> Result<Exit, Refusal> {
        let mut exit = Exit::Done;
        for (entrant, id) in self.plan.entrants.iter().zip(self.ids) {
            let record = self.ask(suite, entrant, id, &mut exit);
            self.results.add(suite, record)?;
            if exit == Exit::Interrupted {
                break;
            }
        }
        self.results.end_suite(suite)?;
        Ok(exit)
    }

    fn ask(&self, suite: &Suite, entrant: &Entrant, id: &str, exit: &mut Exit) -> Record {
        if self.loudness == Loudness::Usual {
            let (positions, limit, askers) = (suite.problems.len(), entrant.limit, self.plan.concurrency);
            output::tell(&format!(
                "{}: {}, {positions} positions, {limit}, {askers} at a time",
                suite.name, entrant.name
            ));
        }
        let mut bar = Bar::new(suite, entrant, self.loudness);
        let asked =
            ask::ask_all(&suite.problems, entrant, self.plan, self.interrupt, |progress| bar.add(&progress));
        drop(bar);
        match &asked.outcome {
            Outcome::Complete => {}
            Outcome::Interrupted => *exit = Exit::Interrupted,
            Outcome::StruckOut(words) => {
                output::tell(&format!(
                    "{} is out: it would not start three times running: {words}",
                    entrant.name
                ));
                *exit = (*exit).max(Exit::LeftOut);
            }
        }
        Record::from_asked(suite, entrant, id, &asked)
    }
}
