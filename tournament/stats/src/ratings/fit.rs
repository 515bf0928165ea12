//! Fits the rating list: checks the input, skips unrated players, and runs the search.

use super::search::{LikelihoodProblem, ParameterValues, SharedParameters};
use super::{
    Pairing, Parameter, ParameterSource, Rating, RatingError, RatingOptions, Ratings, Unrated, linked,
};
use crate::counts::Wdl;

/// See [`Ratings::fit`].
pub(super) fn fit(
    players: usize,
    pairings: &[Pairing],
    options: &RatingOptions,
) -> Result<Ratings, RatingError> {
    check(players, pairings, options)?;
    let free = without_anchors(options);
    let (question, options, is_anchored) = match RatedPlayers::new(players, pairings, options) {
        Err(RatingError::NothingToCompare) if !options.anchors.is_empty() => {
            (RatedPlayers::new(players, pairings, &free)?, &free, false)
        }
        question => (question?, options, !options.anchors.is_empty()),
    };
    let conclude = |problem: LikelihoodProblem<'_>| {
        let maximum = problem.solve()?;
        problem.conclude(maximum)
    };
    let (solution, shared) = question.answer(options, conclude)?;
    let players = question.verdicts.iter().enumerate().map(|(player, verdict)| match verdict {
        Some(reason) => Rating::Unrated(*reason),
        None => Rating::Rated(solution.rating(player)),
    });
    Ok(Ratings {
        players: players.collect(),
        white_advantage: (solution.white_advantage, source(options.white_advantage, shared.white_advantage)),
        draw_rate: (solution.draw_rate, source(options.draw_rate, shared.draw_rate)),
        log_likelihood: solution.log_likelihood,
        is_anchored,
        rows: solution.rows,
        covariance: solution.covariance,
    })
}

/// Most likely values without errors, searched from the values of another list of the same players.
pub(super) fn values_near(
    guess: &Ratings,
    pairings: &[Pairing],
    options: &RatingOptions,
) -> Result<ParameterValues, RatingError> {
    let players = guess.players().len();
    check(players, pairings, options)?;
    let free = without_anchors(options);
    let options = if guess.is_anchored() { options } else { &free };
    let climb = |mut problem: LikelihoodProblem<'_>| {
        problem.begin_at(guess);
        let maximum = problem.solve()?;
        Some(problem.values(&maximum))
    };
    let question = RatedPlayers::new(players, pairings, options)?;
    let (mut values, _) = question.answer(options, climb)?;
    for (value, verdict) in values.players.iter_mut().zip(&question.verdicts) {
        *value = value.filter(|_| verdict.is_none());
    }
    Ok(values)
}

fn without_anchors(options: &RatingOptions) -> RatingOptions {
    RatingOptions { anchors: Vec::new(), ..options.clone() }
}

/// Rated players and their games.
struct RatedPlayers {
    verdicts: Vec<Option<Unrated>>,
    used: Vec<Pairing>,
    total: Wdl,
}

impl RatedPlayers {
    fn new(
        players: usize,
        pairings: &[Pairing],
        options: &RatingOptions,
    ) -> Result<RatedPlayers, RatingError> {
        let verdicts = linked::unrated(players, pairings, &options.anchors);
        let used: Vec<Pairing> = pairings
            .iter()
            .filter(|pairing| verdicts[pairing.white].is_none() && verdicts[pairing.black].is_none())
            .copied()
            .collect();
        let total: Wdl = used.iter().map(|pairing| pairing.results).sum();
        if total.games() == 0 {
            return Err(RatingError::NothingToCompare);
        }
        Ok(RatedPlayers { verdicts, used, total })
    }

    /// Result of the first attempt that converges, with the parameters it held fixed.
    fn answer<T>(
        &self,
        options: &RatingOptions,
        solve: impl Fn(LikelihoodProblem<'_>) -> Option<T>,
    ) -> Result<(T, SharedParameters), RatingError> {
        let rated: Vec<bool> = self.verdicts.iter().map(Option::is_none).collect();
        attempts(options, &self.total)
            .into_iter()
            .find_map(|shared| {
                Some((solve(LikelihoodProblem::new(&rated, &self.used, options, shared))?, shared))
            })
            .ok_or(RatingError::NotConverged)
    }
}

fn check(players: usize, pairings: &[Pairing], options: &RatingOptions) -> Result<(), RatingError> {
    let named = pairings.iter().flat_map(|pairing| [pairing.white, pairing.black]);
    let anchored = options.anchors.iter().map(|anchor| anchor.player);
    if let Some(player) = named.chain(anchored).find(|&player| player >= players) {
        return Err(RatingError::UnknownPlayer { player, players });
    }
    if let Some(pairing) = pairings.iter().find(|pairing| pairing.white == pairing.black) {
        return Err(RatingError::PlayedHimself(pairing.white));
    }
    let mut is_anchored = vec![false; players];
    for anchor in &options.anchors {
        if std::mem::replace(&mut is_anchored[anchor.player], true) {
            return Err(RatingError::AnchoredTwice(anchor.player));
        }
        ensure("rating", anchor.rating.0, anchor.rating.0.is_finite())?;
        ensure("error of a rating", anchor.error.0, anchor.error.0.is_finite() && anchor.error.0 >= 0.0)?;
    }
    ensure("average of ratings", options.average.0, options.average.0.is_finite())?;
    if let Parameter::Fixed(value) = options.white_advantage {
        ensure("advantage of White", value, value.is_finite())?;
    }
    if let Parameter::Fixed(value) = options.draw_rate {
        ensure("draw rate between 0 and 1", value, value > 0.0 && value < 1.0)?;
    }
    Ok(())
}

fn ensure(what: &'static str, value: f64, is_sound: bool) -> Result<(), RatingError> {
    if is_sound { Ok(()) } else { Err(RatingError::BadNumber { what, value }) }
}

/// Parameters to try in turn: first everything fitted as requested, then with one parameter after the other held,
/// since the ratings alone may have a maximum where these diverge.
fn attempts(options: &RatingOptions, total: &Wdl) -> Vec<SharedParameters> {
    let mut attempts = Vec::new();
    for white_advantage in advantages(options.white_advantage, total) {
        for draw_rate in draw_rates(options.draw_rate, total) {
            attempts.push(SharedParameters { white_advantage, draw_rate });
        }
    }
    attempts
}

/// If one color made all points, the advantage diverges and is not fitted.
fn advantages(wanted: Parameter, total: &Wdl) -> Vec<Parameter> {
    let is_one_sided = total.wins + total.draws == 0 || total.losses + total.draws == 0;
    match wanted {
        Parameter::Fitted if is_one_sided => vec![Parameter::Fixed(0.0)],
        Parameter::Fitted => vec![Parameter::Fitted, Parameter::Fixed(0.0)],
        fixed @ Parameter::Fixed(_) => vec![fixed],
    }
}

/// Without draws the rate is 0, a maximum; with draws only it is held as if one more game had been decided.
fn draw_rates(wanted: Parameter, total: &Wdl) -> Vec<Parameter> {
    let (draws, games) = (total.draws as f64, total.games() as f64);
    match wanted {
        Parameter::Fitted if total.draws == 0 => vec![Parameter::Fitted],
        Parameter::Fitted if total.draws == total.games() => vec![Parameter::Fixed(draws / (games + 1.0))],
        Parameter::Fitted => vec![Parameter::Fitted, Parameter::Fixed(draws / games)],
        fixed @ Parameter::Fixed(_) => vec![fixed],
    }
}

fn source(wanted: Parameter, taken: Parameter) -> ParameterSource {
    match (wanted, taken) {
        (Parameter::Fixed(_), _) => ParameterSource::Given,
        (Parameter::Fitted, Parameter::Fixed(_)) => ParameterSource::Open,
        (Parameter::Fitted, Parameter::Fitted) => ParameterSource::Fitted,
    }
}
