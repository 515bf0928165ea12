//! Results of a run: printed as they arrive, and written to files after each suite.

use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, Instant};

use super::arguments::OutputFlags;
use super::exit::{OrRefuse, Refusal};
use super::output::{self, OutputFiles, TextSink};
use crate::record::{Record, to_json};
use crate::report::{self, ReportStyle};
use crate::suite::Suite;
use smalt_workbench::output_file::{Existing, check_apart, is_same_file};

/// Interval of saves: the work lost at most if the machine fails, unless saving is slow.
const SAVE_EVERY: Duration = Duration::from_secs(2);

/// Saving takes at most one part in N of the time, however large the results are.
const SAVE_SHARE: u32 = 100;

/// Schedule of saves during a run.
pub(super) struct SavePace {
    due: Instant,
}

impl Default for SavePace {
    fn default() -> SavePace {
        SavePace { due: Instant::now() + SAVE_EVERY }
    }
}

impl SavePace {
    pub(super) fn save(&mut self, save: impl FnOnce()) {
        let begun = Instant::now();
        if begun >= self.due {
            save();
            let ended = Instant::now();
            self.due = ended + pause_after(ended - begun);
        }
    }
}

/// Pause after a save of this duration.
fn pause_after(save: Duration) -> Duration {
    SAVE_EVERY.max(save * SAVE_SHARE)
}

/// All results so far.
pub(super) struct ResultList<'a> {
    flags: &'a OutputFlags,
    people: TextSink,
    records: Vec<Record>,
    /// Results of the interrupted run that this run has not reached yet.
    ahead: Vec<Record>,
    markdown: String,
    failed: String,
    outputs: OutputFiles,
}

impl<'a> ResultList<'a> {
    /// Checks before the run that all files are writable and none is among the `inputs`. `ahead` are results of an
    /// interrupted run: they stay in the JSON until their run has added its record.
    pub(super) fn new<'b>(
        flags: &'a OutputFlags,
        inputs: impl IntoIterator<Item = &'b Path>,
        ahead: Vec<Record>,
        resumed: Option<&Path>,
    ) -> Result<ResultList<'a>, Refusal> {
        let files: Vec<&Path> = flags.files().collect();
        check_apart(&files, inputs).or_usage()?;
        let mut outputs = OutputFiles::default();
        for file in files.iter().copied() {
            let is_resumed = resumed.is_some_and(|resumed| is_same_file(file, resumed));
            outputs.add(file, Existing::with_force(flags.result.force || is_resumed))?;
        }
        let people = TextSink::beside(files);
        let (markdown, failed) = (String::new(), String::new());
        Ok(ResultList { flags, people, records: Vec::new(), ahead, markdown, failed, outputs })
    }

    /// Writes the JSON with partial results, so that a run can be resumed after any failure.
    pub(super) fn save(&mut self, so_far: &Record) -> Result<(), Refusal> {
        let file = self.flags.result.json.as_deref().filter(|path| !output::is_standard_output(path));
        let Some(file) = file else { return Ok(()) };
        let ahead = self.ahead.iter().filter(|ahead| !is_of_same_run(ahead, so_far));
        self.outputs.write(file, &to_json(self.records.iter().chain([so_far]).chain(ahead)))
    }

    /// Prints a result and writes it to the files; standard output is written at the end.
    pub(super) fn add(&mut self, suite: &Suite, record: Record) -> Result<(), Refusal> {
        let separator = if self.records.is_empty() { "" } else { "\n" };
        let mut text = format!("{separator}{}", report::run_report(&record, ReportStyle::Text));
        if self.flags.failures {
            let failures = report::failures(&record, ReportStyle::Text);
            text.extend((!failures.is_empty()).then(|| format!("\n{failures}")));
            self.add_markdown(&report::run_report(&record, ReportStyle::Markdown));
            self.add_markdown(&report::failures(&record, ReportStyle::Markdown));
        } else {
            self.add_markdown(&report::run_report(&record, ReportStyle::Markdown));
        }
        self.people.show(&text)?;
        self.ahead.retain(|ahead| !is_of_same_run(ahead, &record));
        self.records.push(record);
        self.write_files(Some(suite), |path| !output::is_standard_output(path))
    }

    /// Prints the engines of a suite side by side once all results of the suite are known.
    pub(super) fn end_suite(&mut self, suite: &Suite) -> Result<(), Refusal> {
        let runs: Vec<&Record> = self.records.iter().filter(|record| record.suite == suite.name).collect();
        let text = report::side_by_side(&runs, ReportStyle::Text);
        let markdown = report::side_by_side(&runs, ReportStyle::Markdown);
        let missed = missed(suite, &runs);
        self.failed.push_str(&missed);
        if !text.is_empty() {
            self.people.show(&format!("\n{text}"))?;
            self.add_markdown(&markdown);
        }
        self.write_files(None, |path| !output::is_standard_output(path))
    }

    /// Writes the outputs that go to standard output. Fails if another program changed a file during the run.
    pub(super) fn finish(&mut self) -> Result<(), Refusal> {
        self.write_files(None, output::is_standard_output)?;
        self.outputs.check_unchanged()
    }

    pub(super) fn into_records(self) -> Vec<Record> {
        self.records
    }

    /// Whether any engine answered a question.
    pub(super) fn has_answers(&self) -> bool {
        self.records.iter().any(Record::answered_any)
    }

    /// Number of positions without an answer.
    pub(super) fn unanswered(&self) -> usize {
        self.records.iter().map(|record| record.unanswered).sum()
    }

    fn add_markdown(&mut self, text: &str) {
        if !text.is_empty() {
            self.markdown.push_str(if self.markdown.is_empty() { "" } else { "\n" });
            self.markdown.push_str(text);
        }
    }

    /// Writes the selected files. The missed positions of the `running` suite are known only once its record is
    /// added.
    fn write_files(
        &mut self,
        running: Option<&Suite>,
        wanted: impl Fn(&Path) -> bool,
    ) -> Result<(), Refusal> {
        let flags = self.flags;
        let wants = |file: &'a Option<std::path::PathBuf>| file.as_deref().filter(|path| wanted(path));
        if let Some(path) = wants(&flags.result.json) {
            self.outputs.write(path, &to_json(self.records.iter().chain(&self.ahead)))?;
        }
        if let Some(path) = wants(&flags.csv) {
            self.outputs.write(path, &report::positions(&self.records).to_csv())?;
        }
        if let Some(path) = wants(&flags.markdown) {
            self.outputs.write(path, &self.markdown)?;
        }
        if let Some(path) = wants(&flags.plot) {
            self.outputs.write(path, &report::score_plot(&self.records).or_failed()?)?;
        }
        if let Some(path) = wants(&flags.failed).filter(|_| running.is_none()) {
            self.outputs.write(path, &self.failed)?;
        }
        Ok(())
    }
}

/// Whether two records are of the same engine on the same suite.
fn is_of_same_run(one: &Record, other: &Record) -> bool {
    one.suite == other.suite && one.engine == other.engine
}

/// Problems that any run missed, as EPD.
fn missed(suite: &Suite, runs: &[&Record]) -> String {
    let indexes: HashSet<usize> = runs
        .iter()
        .flat_map(|run| run.results.iter().enumerate())
        .filter(|(_, result)| !result.solved)
        .map(|(index, _)| index)
        .collect();
    let problems = suite.problems.iter().enumerate().filter(|(index, _)| indexes.contains(index));
    problems.map(|(_, problem)| format!("{}\n", problem.epd)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saving_is_a_small_part_of_the_work() {
        assert_eq!(pause_after(Duration::from_millis(3)), SAVE_EVERY);
        assert_eq!(pause_after(Duration::from_millis(300)), Duration::from_secs(30));
    }
}
