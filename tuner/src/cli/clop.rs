//! The command `clop`: the warnings before a tuning and the report of its result. [`TuningSession`] plays the games,
//! `crate::clop` fits the landscape.

use std::path::Path;

use anyhow::{Context, anyhow};
use smalt_report::format::{count, number};
use smalt_report::{Cell, Column, ColumnKind as CellKind, Sign, Table};

use super::arguments::{ClopFlags, TuningFlags};
use super::json::{ChoiceJson, ClopJson, ClopParameterJson, ValueJson};
use super::tuning::{TuningSession, written_line};
use super::{Exit, OrRefuse, Outputs, Refusal, print_info, show};
use crate::clop::{ClopState, Region};
use crate::plot::landscape;
use crate::tuning::{ColumnKind, TunableParam, Tuning as _};

/// File of the checkpoint.
const CHECKPOINT: &str = "clop.json";

/// Above this number of parameters SPSA is the better method.
const MANY: usize = 10;

pub(super) fn run(flags: &ClopFlags) -> Result<Exit, Refusal> {
    let TuningFlags { result, output, checkpoint, .. } = &flags.tuning;
    let others = [&result.json, output, checkpoint].into_iter().flatten().map(AsRef::as_ref);
    let plot = Outputs::check([flags.plot.as_ref()], others, result.force)?;
    let begin = |parameters: Vec<TunableParam>, pairs, seed| {
        if let Some(parameter) = parameters.iter().find(|parameter| parameter.min >= parameter.max) {
            return Err(anyhow!("{}: its range has one value alone", parameter.name)).or_usage();
        }
        let count = parameters.len();
        if count > MANY {
            print_info(&format!(
                "Warning: {count} parameters: above {MANY} `smalt-tuner spsa` needs fewer games"
            ));
        }
        Ok(ClopState::new(parameters, pairs, seed))
    };
    let mut session = TuningSession::open(&flags.tuning, CHECKPOINT, begin)?;
    session.play(|_| Ok(()))?;
    if let Some(path) = &flags.plot {
        let svg = landscape(&session.state).with_context(|| path.display().to_string()).or_failed()?;
        plot.write(path, &svg)?;
    }
    let written = session.write_values()?;
    let (state, written) = (&session.state, written.as_deref());
    let result = TuningResult::of(state);
    show(&result.page(state, written), flags.tuning.result.json.as_deref(), &session.outputs, || {
        result.document(state, written)
    })?;
    Ok(Exit::Done)
}

struct TuningResult {
    best: Vec<f64>,
    regions: Vec<Region>,
    /// Elo of the best point over the start values, and its standard error.
    gain: (f64, f64),
}

impl TuningResult {
    fn of(state: &ClopState) -> TuningResult {
        let best = state.best();
        let start: Vec<f64> = state.run.parameters.iter().map(|parameter| parameter.start).collect();
        let gain = state.landscape().difference(&best, &start);
        TuningResult { best, regions: state.regions(), gain }
    }

    fn page(&self, state: &ClopState, written: Option<&Path>) -> String {
        let mut table = Table::new([
            Column::new("parameter", CellKind::Text),
            Column::new("before", CellKind::Text),
            Column::new("best", CellKind::Text),
            Column::new("95 % region", CellKind::Text),
        ]);
        for ((parameter, best), region) in state.run.parameters.iter().zip(&self.best).zip(&self.regions) {
            let shown = |value: f64| match parameter.kind {
                ColumnKind::Float => number(value, 3, Sign::Negative),
                ColumnKind::Int => number(value, 0, Sign::Negative),
                ColumnKind::Choice => parameter.text(value),
            };
            let region = match region {
                Region::Interval([low, high]) => format!("{} to {}", shown(*low), shown(*high)),
                Region::Choices(choices) => {
                    let choice = |(word, (elo, error, best)): (&String, &(f64, f64, f64))| {
                        format!("{word} {elo:+.1} ± {:.1} Elo (best: {:.0}%)", 1.96 * error, 100.0 * best)
                    };
                    parameter.choices.iter().zip(choices).map(choice).collect::<Vec<_>>().join(", ")
                }
            };
            let cells = [parameter.name.clone(), shown(parameter.start), shown(*best), region];
            table.push(cells.map(|text| Cell::from(text.as_str())));
        }
        let (elo, error) = self.gain;
        let games: u64 = state.run.games.iter().sum();
        format!(
            "{}{} in {}; best values over the start values: {elo:+.1} ± {:.1} Elo by the fitted landscape\n{}",
            table.to_text(),
            count(games as usize, "game"),
            count(state.run.rounds as usize, "round"),
            1.96 * error,
            written_line(written),
        )
    }

    fn document<'a>(&self, state: &'a ClopState, written: Option<&'a Path>) -> ClopJson<'a> {
        let all = state.run.parameters.iter().zip(&self.best).zip(&self.regions);
        let (elo, error) = self.gain;
        ClopJson {
            games: state.run.games.iter().sum(),
            rounds: state.run.rounds,
            seed: state.run.seed,
            parameters: all.map(|((parameter, best), region)| to_json(parameter, *best, region)).collect(),
            elo,
            elo_error: 1.96 * error,
            written,
        }
    }
}

fn to_json<'a>(parameter: &'a TunableParam, best: f64, region: &Region) -> ClopParameterJson<'a> {
    let shown = |value: f64| match parameter.choices.is_empty() {
        true => ValueJson::Number(value),
        false => ValueJson::Choice(parameter.text(value)),
    };
    let (interval, choices) = match region {
        Region::Interval([low, high]) => (Some((*low, *high)), None),
        Region::Choices(choices) => (None, Some(parameter.choices.iter().zip(choices))),
    };
    let choice = |(choice, &(elo, error, best)): (&'a String, &(f64, f64, f64))| ChoiceJson {
        choice,
        elo,
        elo_error: 1.96 * error,
        best,
    };
    ClopParameterJson {
        name: &parameter.name,
        before: shown(parameter.start),
        after: shown(best),
        low: interval.map(|(low, _)| low),
        high: interval.map(|(_, high)| high),
        choices: choices.map(|choices| choices.map(choice).collect()),
    }
}
