//! What ends games and tournaments early, from foreign words: draw, resignation, tests, tables.

use std::path::PathBuf;

use smalt_stats::sprt::Model;

use super::Dialect;
use super::words::Flag;
use smalt_match::plan::{
    DrawRule, FiftyMoves, ResignRule, Sides, SprtFile, Switch, TablebaseResults, TablebaseRule, Text,
};

/// `-draw movenumber= movecount= score=`.
pub(super) fn draw(flag: &Flag<'_>) -> anyhow::Result<DrawRule> {
    let mut rule = DrawRule { movenumber: 0, movecount: 1, score: 0 };
    for (key, value) in flag.pairs()? {
        match key {
            "movenumber" => rule.movenumber = flag.value(key, value)?,
            "movecount" => rule.movecount = flag.value(key, value)?,
            "score" => rule.score = flag.value(key, value)?,
            _ => return Err(flag.unknown(key, "movenumber, movecount and score")),
        }
    }
    Ok(rule)
}

/// `-resign movecount= score= twosided=`.
pub(super) fn resign(flag: &Flag<'_>) -> anyhow::Result<ResignRule> {
    let mut rule = ResignRule { movecount: 1, score: 0, sides: Sides::One };
    for (key, value) in flag.pairs()? {
        match key {
            "movecount" => rule.movecount = flag.value(key, value)?,
            "score" => rule.score = flag.value(key, value)?,
            "twosided" => {
                rule.sides = if flag.truth(key, value)? { Sides::Both } else { Sides::One };
            }
            _ => return Err(flag.unknown(key, "movecount, score and twosided")),
        }
    }
    Ok(rule)
}

/// `-sprt elo0= elo1= alpha= beta= model=`.
pub(super) fn sprt(flag: &Flag<'_>, dialect: Dialect) -> anyhow::Result<SprtFile> {
    let model = match dialect {
        Dialect::Fastchess => Model::Normalized,
        Dialect::Cutechess => Model::Logistic,
    };
    let mut test = SprtFile {
        elo0: Some(0.0),
        elo1: None,
        alpha: Some(0.05),
        beta: Some(0.05),
        model: Some(Text(model)),
    };
    for (key, value) in flag.pairs()? {
        match key {
            "elo0" => test.elo0 = Some(flag.value(key, value)?),
            "elo1" => test.elo1 = Some(flag.value(key, value)?),
            "alpha" => test.alpha = Some(flag.value(key, value)?),
            "beta" => test.beta = Some(flag.value(key, value)?),
            "model" => {
                let model: Model =
                    value.parse().map_err(|error| flag.refuse(key, value, &format!("{error}")))?;
                test.model = Some(Text(model));
            }
            _ => return Err(flag.unknown(key, "elo0, elo1, alpha, beta and model")),
        }
    }
    if test.elo1.is_none() {
        anyhow::bail!("-sprt needs elo1=");
    }
    Ok(test)
}

/// `-tb`, `-tbpieces`, `-tbignore50` and `-tbadjudicate`, which belong together.
#[derive(Clone, Debug, Default)]
pub(super) struct Tables {
    path: Option<PathBuf>,
    pieces: Option<u32>,
    fifty: FiftyMoves,
    results: Option<TablebaseResults>,
}

impl Tables {
    /// Takes one of the flags.
    pub(super) fn take(&mut self, flag: &Flag<'_>) -> anyhow::Result<()> {
        match flag.name {
            // Folders are parted by colons, by semicolons in cutechess.
            "tb" => self.path = Some(PathBuf::from(flag.word()?.replace(';', ":"))),
            "tbpieces" => self.pieces = Some(flag.number()?),
            "tbignore50" => {
                flag.alone()?;
                self.fifty = FiftyMoves::Ignored;
            }
            _ => {
                self.results = Some(match flag.word()? {
                    "WIN_LOSS" | "WON_LOST" => TablebaseResults::Wins,
                    "DRAW" => TablebaseResults::Draws,
                    "BOTH" => TablebaseResults::Both,
                    other => anyhow::bail!("-tbadjudicate {other}: the settings are WIN_LOSS, DRAW and BOTH"),
                });
            }
        }
        Ok(())
    }

    /// The rule of a plan.
    pub(super) fn rule(&self) -> anyhow::Result<Switch<TablebaseRule>> {
        let Some(path) = self.path.clone() else {
            let is_asked =
                self.pieces.is_some() || self.results.is_some() || self.fifty != FiftyMoves::default();
            anyhow::ensure!(!is_asked, "-tbpieces, -tbignore50 and -tbadjudicate need -tb PATHS");
            return Ok(Switch::Off);
        };
        Ok(Switch::On(TablebaseRule {
            path,
            pieces: self.pieces.unwrap_or(0),
            adjudicate: self.results.unwrap_or_default(),
            fifty: self.fifty,
        }))
    }
}
