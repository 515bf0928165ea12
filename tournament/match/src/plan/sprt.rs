//! Section `[sprt]`: a sequential test, which ends the run early.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smalt_stats::Sprt;
use smalt_stats::sprt::{Model, SprtError};
use smalt_workbench::entrant::text;

use super::value::defaults;

/// Section `[sprt]`: a sequential test. By default both error rates are 5 %, and the hypotheses are those of a patch
/// that gains up to five Elo.
#[derive(Args, Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
#[command(next_help_heading = "SPRT")]
pub struct SprtSettings {
    /// Elo difference of hypothesis H0
    #[arg(long, value_name = "ELO", allow_negative_numbers = true, default_value = "0")]
    pub elo0: f64,
    /// Elo difference of hypothesis H1 (in a race 3.5 by default)
    #[arg(long, value_name = "ELO", allow_negative_numbers = true, default_value = "5")]
    pub elo1: f64,
    /// Probability of accepting H1 when H0 is true; in a race, of accepting any candidate that is not better
    #[arg(long, value_name = "SHARE", default_value = "0.05")]
    pub alpha: f64,
    /// Probability of accepting H0 when H1 is true (in a race 0.4 by default)
    #[arg(long, value_name = "SHARE", default_value = "0.05")]
    pub beta: f64,
    /// Elo model of the hypotheses: normalized, logistic or bayesian
    #[arg(long, value_name = "MODEL", default_value = "normalized")]
    #[serde(with = "text")]
    #[schemars(with = "String")]
    pub model: Model,
}

impl Default for SprtSettings {
    fn default() -> SprtSettings {
        defaults()
    }
}

impl SprtSettings {
    /// The test.
    ///
    /// # Errors
    /// If its hypotheses or error rates are invalid.
    pub fn test(&self) -> Result<Sprt, SprtError> {
        Sprt::new(self.elo0, self.elo1, self.alpha, self.beta, self.model)
    }
}
