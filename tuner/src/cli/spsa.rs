//! The command `spsa`: learning rates, validation matches and the report of the result. [`TuningSession`] plays the
//! games, `crate::spsa` moves the values.

use std::path::Path;

use anyhow::anyhow;
use smalt_report::format::count;
use smalt_report::{Cell, Column, ColumnKind as CellKind, Sign, Table};

use super::arguments::SpsaFlags;
use super::json::{SpsaJson, SpsaParameterJson};
use super::tuning::{TuningSession, written_line};
use super::{Exit, OrRefuse, Refusal, print_info, show};
use crate::games::{EnginePair, Entrant};
use crate::prove::{Verdict, prove};
use crate::spsa::{ELO_PER_STEP, Forecast, SpsaState, Validation, ValidationSchedule};
use crate::tuning::{ColumnKind, TunableParam, Tuning as _, TuningRun};

/// File of the checkpoint.
const CHECKPOINT: &str = "spsa.json";

/// Hypotheses of a validation match, in normalized Elo: the values lost strength, or did not.
const HYPOTHESES: [&str; 2] = ["-5", "0"];

/// Seeds of validation matches are this far from those of rounds.
const VALIDATION_SEED: u64 = 1 << 32;

pub(super) fn run(flags: &SpsaFlags) -> Result<Exit, Refusal> {
    let begin = |mut parameters: Vec<TunableParam>, pairs, seed| {
        if let Some(parameter) = parameters.iter().find(|parameter| parameter.kind == ColumnKind::Choice) {
            let words = "SPSA tunes numbers: tune it with `smalt-tuner clop`, or leave it out with --freeze";
            return Err(anyhow!("{} is categorical; {words}", parameter.name)).or_usage();
        }
        propose(flags.elo, &mut parameters, pairs)?;
        Ok(SpsaState::new(parameters, pairs, seed))
    };
    let mut session = TuningSession::open(&flags.tuning, CHECKPOINT, begin)?;
    check_rate(flags.elo, &session.state.run)?;
    // A resumed tuning continues with the validation that it began with.
    let given = flags.validate.map(|interval| ValidationSchedule { interval, games: flags.validation_games });
    session.state.schedule = given.or(session.state.schedule);
    let validate_if_due = |session: &mut TuningSession<'_, SpsaState>| match session.state.schedule {
        Some(schedule) if session.state.is_validation_due(schedule.interval) => {
            validate(schedule.games, session)
        }
        _ => Ok(()),
    };
    // A tuning that was stopped in its last validation match.
    validate_if_due(&mut session)?;
    session.play(validate_if_due)?;
    let written = session.write_values()?;
    let (state, written) = (&session.state, written.as_deref());
    show(&page(state, written), flags.tuning.result.json.as_deref(), &session.outputs, || {
        document(state, written)
    })?;
    Ok(Exit::Done)
}

/// Refuses an `--elo` that sets another learning rate than the one the tuning began with.
fn check_rate(elo: Option<f64>, run: &TuningRun) -> Result<(), Refusal> {
    let Some(elo) = elo else { return Ok(()) };
    let rate = Forecast::best(run.parameters.len(), run.pairs, elo).rate;
    // A checkpoint stores rates as decimal numbers.
    if run.parameters.iter().all(|parameter| (parameter.rate / rate - 1.0).abs() < 1e-9) {
        return Ok(());
    }
    let words =
        format!("--elo {elo} sets another learning rate (r_end {rate:.5}) than the tuning began with");
    Err(anyhow!(words)).or_usage()
}

/// Plays the current values against the last ones that passed, and goes back to those if the current ones are rejected.
fn validate(games: u64, session: &mut TuningSession<'_, SpsaState>) -> Result<(), Refusal> {
    let (state, folder) = (&session.state, tempfile::tempdir().or_failed()?);
    let (current, accepted) = (state.best(), state.rounded(state.accepted()));
    if current == accepted {
        let games: u64 = state.run.games.iter().sum();
        print_info(&format!(
            "validation after {}: no match, the values are those that passed last",
            count(games as usize, "game")
        ));
        return Ok(());
    }
    let seed = state.run.seed.wrapping_add(VALIDATION_SEED + state.run.rounds);
    let mut arguments = session.arguments("sprt", seed, folder.path());
    let [elo0, elo1] = HYPOTHESES;
    arguments.set("--elo0", elo0);
    arguments.set("--elo1", elo1);
    arguments.set_number("--games", Some(games));
    let pair = EnginePair {
        tournament: session.tournament.clone(),
        arguments,
        entrants: [("tuned", &current), ("base", &accepted)].map(|(name, values)| Entrant {
            name,
            engine: session.settings.engine.clone(),
            options: session.options(values),
        }),
        json: folder.path().join("sprt.json"),
    };
    let proof = prove(&pair, &session.stop, &mut |_| ()).map_err(|error| session.refusal(error))?;
    session.state.add_validation(proof.verdict != Verdict::NotBetter, proof.games, proof.llr[0]);
    if let Some(validation) = session.state.validations.last() {
        print_info(&sentence(validation));
    }
    session.keep()
}

fn sentence(validation: &Validation) -> String {
    let [wins, draws, losses] = validation.games;
    let (at, llr) = (validation.at, validation.llr);
    let words = if validation.is_kept { "kept" } else { "rejected, back to the last values that passed" };
    format!(
        "validation after {}: {wins} - {losses} - {draws}, LLR {llr:.2}: {words}",
        count(at as usize, "game")
    )
}

/// Sets the learning rate that suits the expected gain, where one is given, and says what the games buy.
fn propose(elo: Option<f64>, parameters: &mut [TunableParam], pairs: u64) -> Result<(), Refusal> {
    let number = parameters.len();
    let mean_rate = parameters.iter().map(|parameter| parameter.rate).sum::<f64>() / number as f64;
    let forecast = match elo {
        Some(elo) => Forecast::best(number, pairs, elo),
        None => Forecast::of(number, pairs, mean_rate, 0.0),
    };
    if !forecast.deviation.is_finite() {
        return Err(anyhow!("r_end {mean_rate}: too large a learning rate; about 0.002 is usual")).or_usage();
    }
    let gain = elo.map_or_else(String::new, |elo| {
        parameters.iter_mut().for_each(|parameter| parameter.rate = forecast.rate);
        format!("; {:.1} of {elo} Elo are gained in the mean", forecast.gain)
    });
    print_info(&format!(
        "{}, {}, r_end {:.5}: if a step (c_end) costs {ELO_PER_STEP} Elo, noise leaves each parameter \
         within ±{:.2} steps of its place and costs {:.1} Elo in all{gain}",
        count(number, "parameter"),
        count(2 * pairs as usize, "game"),
        forecast.rate,
        1.96 * forecast.deviation,
        forecast.noise,
    ));
    if elo.is_some() && forecast.gain <= 0.0 {
        print_info("Warning: noise outweighs the gain: play more games, or tune fewer parameters (--only)");
    }
    Ok(())
}

fn document<'a>(state: &'a SpsaState, written: Option<&'a Path>) -> SpsaJson<'a> {
    let run = &state.run;
    let parameters = run.parameters.iter().zip(state.best());
    SpsaJson {
        games: run.games.iter().sum(),
        rounds: run.rounds,
        seed: run.seed,
        knobs: parameters
            .map(|(parameter, after)| SpsaParameterJson {
                name: &parameter.name,
                before: parameter.start,
                after,
            })
            .collect(),
        validations: &state.validations,
        written,
    }
}

fn page(state: &SpsaState, written: Option<&Path>) -> String {
    let run = &state.run;
    let mut table = Table::new([
        Column::new("parameter", CellKind::Text),
        Column::new("before", CellKind::Number(3, Sign::Negative)),
        Column::new("after", CellKind::Number(3, Sign::Negative)),
        Column::new("in steps", CellKind::Number(2, Sign::Both)),
    ]);
    for (parameter, after) in run.parameters.iter().zip(state.best()) {
        let steps = (after - parameter.start) / parameter.step;
        let numbers = [parameter.start, after, steps].map(Cell::from);
        table.push(std::iter::once(Cell::from(parameter.name.as_str())).chain(numbers));
    }
    let [wins, draws, losses] = run.games;
    let mut page = table.to_text();
    page.push_str(&format!(
        "{} in {}\n",
        count((wins + draws + losses) as usize, "game"),
        count(run.rounds as usize, "round")
    ));
    for validation in &state.validations {
        page.push_str(&format!("{}\n", sentence(validation)));
    }
    page.push_str(&written_line(written));
    page
}
