//! The report of a night as Markdown and HTML: the Elo of each proof, games, hours, and the origin of each accepted
//! version.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use smalt_report::format::{count, duration, grouped};
use smalt_report::plot::{Axis, Chart as _, IntervalChart};
use smalt_report::{Cell, Column, ColumnKind, Interval, Sign, Table, html, markdown};

use super::{Step, StepKind, StepResult, UnfinishedStep};
use crate::prove::{Proof, Verdict};

/// Interval at which the page of a running night is written, and loaded by a browser.
pub(crate) const REFRESH: Duration = Duration::from_secs(20);

/// What a report shows.
#[derive(Debug)]
pub(crate) struct Report<'a> {
    pub settings: Value,
    pub steps: &'a [Step],
    /// The step after the finished ones.
    pub next: UnfinishedStep,
    /// Whether the next step is running.
    pub is_running: bool,
    /// Accepted versions, in their order.
    pub versions: Vec<AcceptedVersion>,
}

/// A version that a proof accepted.
#[derive(Debug)]
pub(crate) struct AcceptedVersion {
    pub generation: u32,
    /// The kind of its proof.
    pub kind: StepKind,
    pub file: PathBuf,
    /// Its changes, where the numbers have names.
    pub changes: Option<Table>,
}

/// A part of the report.
enum Block {
    Heading(String),
    Text(String),
    Table(Table),
    Chart(IntervalChart),
}

impl Report<'_> {
    pub(crate) fn to_markdown(&self) -> String {
        let block = |block: Block| match block {
            Block::Heading(text) => format!("## {}\n", markdown::escaped(&text)),
            Block::Text(text) => format!("{}\n", markdown::escaped(&text)),
            Block::Table(table) => table.to_markdown(),
            Block::Chart(_) => String::new(),
        };
        let parts: Vec<String> =
            self.blocks().into_iter().map(block).filter(|text| !text.is_empty()).collect();
        format!("# {}\n\n{}", self.title(), parts.join("\n"))
    }

    pub(crate) fn to_html(&self) -> String {
        let block = |block: Block| match block {
            Block::Heading(text) => format!("<h2>{}</h2>\n", html::escaped(&text)),
            Block::Text(text) => format!("<p>{}</p>\n", html::escaped(&text)),
            Block::Table(table) => table.to_html(),
            Block::Chart(chart) => {
                chart.to_svg().map_or_else(|_| String::new(), |svg| format!("<figure>\n{svg}</figure>\n"))
            }
        };
        let body: String = self.blocks().into_iter().map(block).collect();
        let title = self.title();
        let page = html::page(&title, &format!("<h1>{}</h1>\n{body}", html::escaped(&title)));
        if !self.is_running {
            return page;
        }
        let refresh = format!("<meta http-equiv=\"refresh\" content=\"{}\">\n<title>", REFRESH.as_secs());
        page.replacen("<title>", &refresh, 1)
    }

    fn title(&self) -> String {
        let engine = self.settings["engine"].as_str().unwrap_or_default();
        format!("Tuning of {engine} by night")
    }

    /// Time of all steps, with that of the next one so far.
    pub(crate) fn time(&self) -> Duration {
        self.steps.iter().map(|step| step.time).sum::<Duration>() + self.next.time
    }

    /// Number of games of these kinds of steps, with those of the next one so far.
    pub(crate) fn games(&self, kinds: &[StepKind]) -> u64 {
        let finished = self.steps.iter().filter(|step| kinds.contains(&step.result.kind()));
        let unfinished = self.next.games.filter(|_| kinds.contains(&self.next.kind));
        finished.map(|step| step.result.games()).sum::<u64>() + unfinished.map_or(0, |[played, _]| played)
    }

    /// Elo of the accepted versions together and the half-width of its 95 % interval; each proof's is corrected for its
    /// stopping rule, and their errors are independent.
    pub(crate) fn gain(&self) -> (f64, f64) {
        let accepted = self.steps.iter().filter_map(|step| step.result.proof());
        let accepted = accepted.filter(|proof| proof.verdict == Verdict::Better);
        let (elo, variance) = accepted
            .filter_map(|proof| proof.interval().value.zip(proof.interval().error))
            .fold((0.0, 0.0), |(sum, variance), (elo, error)| (sum + elo, variance + error.powi(2)));
        (elo, variance.sqrt())
    }

    fn blocks(&self) -> Vec<Block> {
        let mut blocks: Vec<Block> = self.summary().into_iter().map(Block::Text).collect();
        let table = self.table();
        if !table.is_empty() {
            blocks.push(Block::Table(table));
        }
        blocks.extend(self.chart().map(Block::Chart));
        for version in &self.versions {
            blocks.extend(self.origin(version));
        }
        blocks.push(Block::Heading("Settings".to_owned()));
        blocks.push(Block::Table(settings_table(&self.settings)));
        blocks
    }

    pub(crate) fn summary(&self) -> Vec<String> {
        let games = |kinds: &[StepKind]| grouped(self.games(kinds) as i64);
        let proofs = self.steps.iter().filter(|step| step.result.proof().is_some()).count();
        let (elo, error) = self.gain();
        let mut texts = Vec::new();
        if self.is_running {
            texts.push(format!("Running: {}.", self.next.words()));
        }
        let accepted = format!("{} of {} accepted.", self.versions.len(), count(proofs, "candidate"));
        texts.push(if self.versions.is_empty() {
            accepted
        } else {
            format!(
                "{accepted} Elo of all accepted versions together: {elo:+.1} ± {error:.1}, in games against each \
                 other; each proof's is corrected for its stopping rule."
            )
        });
        texts.push(format!(
            "Games: {} for data, {} of proofs, {} of SPSA; {} in all steps.",
            games(&[StepKind::Games]),
            games(&[StepKind::Proof, StepKind::SpsaProof]),
            games(&[StepKind::Spsa]),
            duration(self.time()),
        ));
        texts
    }

    /// One row for each candidate, in the order of the proofs.
    fn table(&self) -> Table {
        let mut table = Table::new([
            Column::new("generation", ColumnKind::Integer),
            Column::new("of", ColumnKind::Text),
            Column::new("verdict", ColumnKind::Text),
            Column::new("Elo", ColumnKind::Interval(1, Sign::Both)),
            Column::new("LLR", ColumnKind::Number(2, Sign::Negative)),
            Column::new("proof games", ColumnKind::Integer),
            Column::new("pairs 0, ½, 1, 1½, 2", ColumnKind::Text),
            Column::new("games for it", ColumnKind::Integer),
            Column::new("positions", ColumnKind::Integer),
            Column::new("validation error", ColumnKind::Text),
            Column::new("time", ColumnKind::Duration),
        ]);
        let is_search = |kind: StepKind| matches!(kind, StepKind::Spsa | StepKind::SpsaProof);
        let rows = self.steps.chunk_by(|one, other| {
            one.generation == other.generation
                && is_search(one.result.kind()) == is_search(other.result.kind())
        });
        for row in rows {
            let of = if is_search(row[0].result.kind()) { "search" } else { "evaluation" };
            let (mut games, mut fitted, mut error, mut verdict) = (0, None, None, Cell::Missing);
            for step in row {
                match &step.result {
                    StepResult::Games { games: played, .. } => games += played,
                    StepResult::Spsa { change, games: played, .. } => {
                        games += played;
                        verdict = without_proof(*change);
                    }
                    StepResult::Fit { change, positions, validation_error: [before, after], .. } => {
                        fitted = Some(*positions);
                        error = Some(format!("{before:.6} → {after:.6}"));
                        verdict = without_proof(*change);
                    }
                    _ => {}
                }
            }
            let proof = row.iter().find_map(|step| step.result.proof());
            if let Some(proof) = proof {
                verdict = verdict_words(proof.verdict).into();
            }
            let pairs =
                proof.and_then(|proof| proof.pairs).map(|pairs| pairs.map(|n| n.to_string()).join(", "));
            table.push([
                Cell::from(i64::from(row[0].generation)),
                of.into(),
                verdict,
                proof.map(Proof::interval).into(),
                proof.map(|proof| proof.llr[0]).into(),
                proof.map(|proof| proof.games.iter().sum::<u64>()).into(),
                pairs.into(),
                games.into(),
                fitted.into(),
                error.into(),
                row.iter().map(|step| step.time).sum::<Duration>().into(),
            ]);
        }
        table
    }

    fn chart(&self) -> Option<IntervalChart> {
        let chart = IntervalChart::new("Elo of each candidate", Axis::new("Elo over the version before it"));
        let mut proofs = self.steps.iter().filter_map(|step| Some((step, step.result.proof()?))).peekable();
        proofs.peek()?;
        Some(proofs.fold(chart, |chart, (step, proof)| {
            let what = if step.result.kind() == StepKind::Proof { "evaluation" } else { "search" };
            let name = format!("{} {what}, {}", step.generation, verdict_words(proof.verdict));
            let Interval { value, low, high, .. } = proof.interval();
            let error = high.zip(low).map(|(high, low)| (high - low) / 2.0);
            chart.value(name, value.unwrap_or(f64::NAN), error)
        }))
    }

    /// Where an accepted version comes from, and what it changed.
    fn origin(&self, version: &AcceptedVersion) -> Vec<Block> {
        let AcceptedVersion { generation, kind, file, changes } = version;
        let of = if *kind == StepKind::Proof { "evaluation" } else { "search" };
        let heading = format!("Generation {generation}: accepted {of}");
        let mut blocks = vec![Block::Heading(heading), Block::Text(file.display().to_string())];
        let mut table =
            Table::new([Column::new("step", ColumnKind::Text), Column::new("origin", ColumnKind::Text)]);
        let mut parameters = None;
        for step in self.steps.iter().filter(|step| step.generation == *generation) {
            let words = match (&step.result, kind) {
                (StepResult::Games { seed, command, .. }, StepKind::Proof) => {
                    format!("seed {seed}: {}", without_search_parameters(command))
                }
                (StepResult::Positions { hash, .. }, StepKind::Proof) => format!("hash {hash}"),
                (StepResult::Rescore { unscored, scale, errors, command, .. }, StepKind::Proof) => {
                    let errors =
                        errors.map_or_else(String::new, |errors| format!("{}, ", rescore_words(errors)));
                    format!("{unscored} records not scored, {errors}scale {scale:.3}: {command}")
                }
                (StepResult::Fit { data_hash, command, .. }, StepKind::Proof) => {
                    format!("data hash {data_hash}: {command}")
                }
                (StepResult::Spsa { command, parameters: moved, .. }, StepKind::SpsaProof) => {
                    parameters = Some(parameter_table(moved));
                    without_search_parameters(command)
                }
                (StepResult::Proof { proof, command }, StepKind::Proof)
                | (StepResult::SpsaProof { proof, command }, StepKind::SpsaProof) => {
                    format!("{}: {}", proof_words(proof), without_search_parameters(command))
                }
                _ => continue,
            };
            table.push([Cell::from(step.result.kind().name()), words.into()]);
        }
        blocks.push(Block::Table(table));
        blocks.extend(changes.clone().or(parameters).map(Block::Table));
        blocks
    }
}

fn without_proof(change: super::Change) -> Cell {
    change.reason().map_or(Cell::Missing, Cell::from)
}

fn verdict_words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Better => "accepted",
        Verdict::NotBetter => "rejected",
        Verdict::Undecided => "undecided",
    }
}

/// The result of a proof in one line.
pub(crate) fn proof_words(proof: &Proof) -> String {
    let [llr, lower, upper] = proof.llr;
    let elo = smalt_report::format::interval(&proof.interval(), 1, Sign::Both);
    let games = grouped(proof.games.iter().sum::<u64>() as i64);
    format!(
        "{}: Elo {elo}, LLR {llr:.2} ({lower:.2}, {upper:.2}), {games} games",
        verdict_words(proof.verdict)
    )
}

/// How well the scores before and after a rescoring predict the results.
pub(crate) fn rescore_words([own, engine, blended]: [f64; 3]) -> String {
    format!("error of the results {own:.6} by own scores, {engine:.6} by the engine's, {blended:.6} blended")
}

/// A command with `…` for the options of search parameters, of which an engine has a hundred. `night.db` and the JSON of
/// the night have it whole.
fn without_search_parameters(command: &str) -> String {
    let mut parts = command.split(" \"option.");
    let mut words = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once('"') {
            Some((option, rest)) if !option.starts_with("EvalFile=") => {
                let dots = if words.ends_with('…') { "" } else { " …" };
                words.extend([dots, rest]);
            }
            _ => words.extend([" \"option.", part]),
        }
    }
    words
}

fn parameter_table(moved: &[(String, f64, f64)]) -> Table {
    let mut table = Table::new([
        Column::new("parameter", ColumnKind::Text),
        Column::new("before", ColumnKind::Number(3, Sign::Negative)),
        Column::new("after", ColumnKind::Number(3, Sign::Negative)),
    ]);
    for (name, before, after) in moved {
        table.push([Cell::from(name.as_str()), (*before).into(), (*after).into()]);
    }
    table
}

fn settings_table(settings: &Value) -> Table {
    let mut table = Table::new([Column::new("setting", ColumnKind::Text), Column::new("", ColumnKind::Text)]);
    for (key, value) in settings.as_object().into_iter().flatten() {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        table.push([Cell::from(key.as_str()), text.into()]);
    }
    table
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests::{proof, results};
    use super::super::{Change, accepted};
    use super::*;

    #[test]
    fn a_report_has_elo_games_and_the_origin_of_each_accepted_version() {
        let step = |generation, result| Step { generation, time: Duration::from_secs(600), result };
        let first = results(Verdict::Better, Change::Changed).into_iter().map(|result| step(1, result));
        let second = results(Verdict::NotBetter, Change::Changed).into_iter().map(|result| step(2, result));
        let steps: Vec<Step> = first.chain(second).collect();
        let version = |kind| AcceptedVersion {
            generation: accepted(&steps, kind),
            kind,
            file: "night/1/evaluation.toml".into(),
            changes: None,
        };
        let next = UnfinishedStep {
            generation: 3,
            kind: StepKind::Games,
            time: Duration::from_secs(180),
            games: Some([1200, 24_000]),
        };
        let settings = json!({"engine": "builtin", "games": 100});
        let report = Report {
            settings,
            steps: &steps,
            next,
            is_running: true,
            versions: vec![version(StepKind::Proof), version(StepKind::SpsaProof)],
        };
        let (text, page) = (report.to_markdown(), report.to_html());
        // Two accepted proofs of +30 (5, 52).
        let error = (2.0_f64).sqrt() * 23.5;
        for words in [
            "Running: generation 3, games: 1,200 of 24,000, 3m 00s so far.",
            "2 of 4 candidates accepted",
            &format!("+60.0 ± {error:.1}"),
            "1,400 for data, 400 of proofs, 128 of SPSA; 2h 23m",
            "0.110000 blended, scale 0.800: command",
            "Generation 1: accepted evaluation",
            "data hash ff00: command",
            "seed 7: command",
            "margin",
        ] {
            assert!(text.contains(words) && page.contains(words), "{words}: {text}");
        }
        assert!(page.contains("http-equiv=\"refresh\"") && page.contains("<svg"));
        assert!(!Report { is_running: false, versions: Vec::new(), ..report }.to_html().contains("refresh"));
        assert!(proof_words(&proof(Verdict::Undecided)).starts_with("undecided: Elo +30"));
    }

    #[test]
    fn commands_are_shown_without_search_parameters() {
        let command = |options: &str| {
            format!("sprt --engine '\"cmd=x\"{options}' --opponent '\"cmd=y\"{options}' --nodes 5")
        };
        let [all, shown] =
            [" \"option.EvalFile=a b\" \"option.margin=5\" \"option.depth=7\"", " \"option.EvalFile=a b\" …"];
        assert_eq!(without_search_parameters(&command(all)), command(shown));
        assert_eq!(without_search_parameters("texel --lambda 0.1"), "texel --lambda 0.1");
    }
}
