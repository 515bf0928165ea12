//! Resumes an interrupted run: decides which earlier results can be reused.

use std::path::Path;

use anyhow::anyhow;

use super::arguments::OutputFlags;
use super::exit::{OrRefuse, Refusal};
use super::output;
use crate::ask::EngineInfo;
use crate::plan::{Plan, SuiteEntrant};
use crate::record::{Record, ResultRecord, RunSettings};
use crate::suite::Suite;
use smalt_workbench::entrant::check_new_name;

/// Results of an interrupted run, for reuse.
pub(super) struct Earlier<'a> {
    records: Vec<Record>,
    plan: &'a Plan,
    suites: &'a [Suite],
}

impl<'a> Earlier<'a> {
    pub(super) fn none(plan: &'a Plan, suites: &'a [Suite]) -> Earlier<'a> {
        Earlier { records: Vec::new(), plan, suites }
    }

    /// Reads results from a file; empty if it does not exist yet. Warns about those of another run.
    pub(super) fn read(file: &Path, plan: &'a Plan, suites: &'a [Suite]) -> Result<Earlier<'a>, Refusal> {
        if !file.exists() {
            output::print_info(&format!("{} does not exist yet: all positions are run", file.display()));
            return Ok(Earlier::none(plan, suites));
        }
        let earlier = Earlier { records: output::read_records(file)?, plan, suites };
        earlier.warn_of_other_runs(file);
        Ok(earlier)
    }

    /// Checks the names of engines without earlier results.
    pub(super) fn check_new_names(&self) -> Result<(), Refusal> {
        let is_new =
            |entrant: &&SuiteEntrant| self.records.iter().all(|record| record.engine != entrant.name);
        let mut new = self.plan.entrants.iter().filter(is_new);
        new.try_for_each(|entrant| check_new_name(&entrant.name)).or_usage()
    }

    /// Refuses a file that is both resumed and overwritten if it holds results that this run would drop.
    pub(super) fn check_all_kept(&self) -> Result<(), Refusal> {
        let other = self.records.iter().find(|record| record.answered_any() && self.is_other(record));
        other.map_or(Ok(()), |record| {
            let words = format!(
                "it holds results of {} on {}, which this run would overwrite",
                record.engine, record.suite
            );
            Err(anyhow!("--json and --resume name one file, and {words}: name another for --json")).or_usage()
        })
    }

    /// Checks that the earlier results come from this engine.
    pub(super) fn check_engine(
        &self,
        entrant: &SuiteEntrant,
        now: &EngineInfo,
        allow_mixed: bool,
    ) -> Result<(), Refusal> {
        let answered = || {
            let records = self.records.iter();
            records.filter(|record| record.engine == entrant.name && record.answered_any())
        };
        let name = &entrant.name;
        let mut ids = answered().filter_map(|record| record.engine_id.as_deref());
        if let Some(id) = ids.find(|id| !now.name.is_empty() && *id != now.name) {
            let words = anyhow!("{name} is {:?} now and was {id:?} in the results to resume", now.name);
            return Err(words).or_usage();
        }
        let mut programs = answered().filter_map(|record| record.engine_program.as_ref());
        if !allow_mixed && programs.any(|then| now.program.as_ref().is_some_and(|now| now != then)) {
            return Err(anyhow!(
                "the program of {name} has changed since the results to resume, which would mix two engines; put the old \
                 file back, or permit it by --allow-mixed"
            ))
            .or_usage();
        }
        Ok(())
    }

    /// Results of this run, to be kept until their engine and suite run.
    pub(super) fn of_this_run(&self) -> Vec<Record> {
        self.records.iter().filter(|record| !self.is_other(record)).cloned().collect()
    }

    /// Answers of the same engine with the same settings, by problem.
    pub(super) fn answered(&self, suite: &Suite, entrant: &SuiteEntrant) -> Vec<Option<ResultRecord>> {
        self.records
            .iter()
            .find(|record| self.difference(record, suite, entrant).is_none())
            .map(|record| record.answered(suite))
            .unwrap_or_default()
    }

    /// All pairs of suite and engine of this run.
    fn runs(&self) -> impl Iterator<Item = (&'a Suite, &'a SuiteEntrant)> {
        let (suites, entrants) = (self.suites, &self.plan.entrants);
        suites.iter().flat_map(move |suite| entrants.iter().map(move |entrant| (suite, entrant)))
    }

    /// Whether a record belongs to no suite and engine of this run.
    fn is_other(&self, record: &Record) -> bool {
        self.runs().all(|(suite, entrant)| self.difference(record, suite, entrant).is_some())
    }

    /// Warns about results that cannot be reused, with the reason.
    fn warn_of_other_runs(&self, file: &Path) {
        let others: Vec<&Record> = self.records.iter().filter(|record| self.is_other(record)).collect();
        for record in &others {
            let differences =
                self.runs().filter_map(|(suite, entrant)| self.difference(record, suite, entrant));
            let why = differences.min().map(|nearest| nearest.words(record)).unwrap_or_default();
            output::print_info(&format!(
                "{}: nothing is taken from {} of {}: {why}",
                file.display(),
                record.suite,
                record.engine
            ));
        }
        if others.len() == self.records.len() {
            output::print_info(&format!(
                "{} holds nothing of this run: all positions are run",
                file.display()
            ));
        }
    }

    fn difference(&self, earlier: &Record, suite: &Suite, entrant: &SuiteEntrant) -> Option<Difference> {
        let limit = entrant.limit.to_string();
        if earlier.suite != suite.name {
            Some(Difference::Suite(suite.name.clone()))
        } else if earlier.engine != entrant.name {
            Some(Difference::Engine(entrant.name.clone()))
        } else if earlier.limit.as_ref() != Some(&limit) {
            Some(Difference::Limit(limit))
        } else if earlier.settings != RunSettings::new(self.plan, entrant) {
            Some(Difference::RunSettings)
        } else if earlier.answered(suite).iter().all(Option::is_none) {
            Some(Difference::NoAnswer)
        } else {
            None
        }
    }
}

/// Difference of an earlier run from this one, smallest first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Difference {
    NoAnswer,
    RunSettings,
    Limit(String),
    Engine(String),
    Suite(String),
}

impl Difference {
    fn words(&self, earlier: &Record) -> String {
        match self {
            Difference::NoAnswer => "it has no answer to a position of this run".to_owned(),
            Difference::RunSettings => {
                "it was run with other settings (options, initstr, --keep-hash, --grace, --early-stop)"
                    .to_owned()
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

/// How to resume an interrupted run from this results file.
pub(super) fn hint(flags: &OutputFlags) -> String {
    match flags.result.json.as_deref().filter(|path| !output::is_standard_output(path)) {
        Some(file) => {
            let others = [&flags.csv, &flags.markdown, &flags.failed, &flags.plot];
            let force =
                if !flags.result.force && others.into_iter().any(Option::is_some) { " --force" } else { "" };
            format!("interrupted; to resume, give the same command with --resume {}{force}", file.display())
        }
        None => "interrupted; with --json FILE the results so far would be kept for --resume FILE".to_owned(),
    }
}
