//! `elo`: statistics of given counts.

use std::path::Path;

use anyhow::anyhow;
use schemars::JsonSchema;
use serde::Serialize;
use smalt_report::{Sign, format};
use smalt_stats::{Counts, MAX_COUNT, MatchFigures, MatchStatistics, Sprt};

use super::exit::{Exit, OrRefuse, Refusal};
use super::output::{is_standard_output, print, write_text};
use smalt_match::plan::{Flags, SprtSettings};
use smalt_match::standings::json::SprtEstimate;
use smalt_match::standings::report;
use smalt_workbench::json::{Versioned, to_text};
use smalt_workbench::output_file::Existing;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CountList<const N: usize>(pub(super) [u64; N]);

impl<const N: usize> std::str::FromStr for CountList<N> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Result<Vec<u64>, _> = text.split(',').map(|number| number.trim().parse()).collect();
        let numbers = numbers.ok().and_then(|numbers| numbers.try_into().ok());
        let numbers: [u64; N] =
            numbers.ok_or_else(|| format!("expected {N} whole numbers between commas"))?;
        match numbers.iter().find(|&&number| number > MAX_COUNT) {
            Some(number) => Err(format!("{number} is more than {MAX_COUNT}")),
            None => Ok(CountList(numbers)),
        }
    }
}

/// The statistics of a match from its results.
#[derive(Serialize, JsonSchema)]
pub(super) struct EloJson {
    #[serde(flatten)]
    figures: MatchFigures,
    /// Log-likelihood ratio; null without hypotheses.
    llr: Option<f64>,
    /// Verdict of the sequential test; null without hypotheses.
    verdict: Option<String>,
    #[serde(flatten)]
    estimate: SprtEstimate,
}

/// Prints the statistics and, with hypotheses, the test. A file of other results is replaced by force only: no store has their
/// counts.
pub(super) fn elo(
    counts: Counts,
    test: &Flags<SprtSettings>,
    json: Option<&Path>,
    existing: Existing,
) -> Result<Exit, Refusal> {
    let Some(found) = counts.statistics() else {
        return Err(anyhow!("there are no games: all counts are zero")).or_usage();
    };
    let sprt = test_of(test)?;
    let llr = sprt.as_ref().and_then(|sprt| sprt.llr_of(&counts));
    let estimate = sprt.as_ref().and_then(|sprt| sprt.estimate_of(&counts));
    if sprt.is_some() && llr.is_none() {
        return Err(anyhow!("BayesElo bounds need single games: give --wdl, or another --model")).or_usage();
    }
    if let Some(file) = json {
        let verdict = sprt.as_ref().zip(llr).map(|(sprt, llr)| sprt.verdict(llr).to_string());
        let (figures, estimate) = (MatchFigures::of(counts), estimate.into());
        let results = EloJson { figures, llr, verdict, estimate };
        write_text(file, &to_text(&Versioned::of(results)), existing)?;
        if is_standard_output(file) {
            return Ok(Exit::Done);
        }
    }
    let estimate = estimate.map(|found| report::estimate_after_test(&found)).unwrap_or_default();
    print(&(text(&found, &counts, sprt.as_ref().zip(llr)) + &estimate))?;
    Ok(Exit::Done)
}

/// The test given by flags, if any. Both hypotheses must be given, since counts do not show which were tested.
pub(super) fn test_of(flags: &Flags<SprtSettings>) -> Result<Option<Sprt>, Refusal> {
    if flags.given.is_empty() {
        return Ok(None);
    }
    let lacks = |key| !flags.given.contains_key(key);
    let missing = match (lacks("elo0"), lacks("elo1")) {
        (true, true) => "its hypotheses: --elo0 and --elo1 are missing",
        (true, false) => "both hypotheses: --elo0 is missing",
        (false, true) => "both hypotheses: --elo1 is missing",
        (false, false) => return flags.settings.test().map(Some).or_usage(),
    };
    Err(anyhow!("a sequential test needs {missing}")).or_usage()
}

/// Text in fastchess's format.
fn text(found: &MatchStatistics, counts: &Counts, test: Option<(&Sprt, f64)>) -> String {
    let nelo = found.nelo.map_or_else(
        || format::MISSING.to_owned(),
        |nelo| format::estimate(nelo.value, nelo.error, 2, Sign::Negative),
    );
    let pairs_ratio =
        found.pairs_ratio.map_or_else(|| format::MISSING.to_owned(), |ratio| format!("{ratio:.2}"));
    let mut text = format!(
        "Elo: {}, nElo: {nelo}\nLOS: {:.2} %, Score: {:.2} %, DrawRatio: {:.2} %, PairsRatio: {pairs_ratio}\n\
         Elo at any look: {}\n",
        format::interval(&report::elo(Some(*found)), 2, Sign::Negative),
        100.0 * found.los,
        100.0 * found.score,
        100.0 * found.draw_ratio,
        format::interval(&report::elo_at_any_look(counts), 2, Sign::Negative),
    );
    if let Some((sprt, llr)) = test {
        let bounds = sprt.bounds();
        text.push_str(&format!(
            "LLR: {llr:.3} ({:.2}, {:.2}) [{:.2}, {:.2}] {}: {}\n",
            bounds.lower,
            bounds.upper,
            sprt.elo0(),
            sprt.elo1(),
            sprt.model(),
            sprt.verdict(llr),
        ));
    }
    text
}
