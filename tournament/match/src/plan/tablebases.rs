//! When games are ended by endgame tables. Values only; who looks them up is [`crate::game::tablebases`].

use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::rules::{RuleError, read_words, refuse};

/// A game is over as soon as the tables know its result.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TablebaseRule {
    /// Folders with Syzygy tables (`.rtbw`), parted by colons.
    pub path: PathBuf,
    /// The most pieces at which they are asked, kings included; 0 is as many as they have.
    #[serde(default)]
    pub pieces: u32,
    /// Which results are called.
    #[serde(default)]
    pub adjudicate: TablebaseResults,
    /// Whether the rule of fifty moves counts.
    #[serde(default)]
    pub fifty: FiftyMoves,
}

/// Which results of tables end a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TablebaseResults {
    /// Wins.
    #[serde(alias = "win")]
    Wins,
    /// Draws.
    #[serde(alias = "draw")]
    Draws,
    /// Both.
    #[default]
    Both,
}

/// Whether a win that takes more than fifty moves without a capture or a pawn move is one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FiftyMoves {
    /// It is a draw.
    #[default]
    Respected,
    /// It is a win.
    Ignored,
}

impl FromStr for TablebaseRule {
    type Err = RuleError;

    /// Reads `path=/tables pieces=5 adjudicate=both fifty=respected`; only the path is needed.
    fn from_str(text: &str) -> Result<TablebaseRule, RuleError> {
        let (mut path, mut pieces) = (None, 0);
        let (mut adjudicate, mut fifty) = (TablebaseResults::default(), FiftyMoves::default());
        let take = |key: &str, value: &str| {
            Some(match key {
                "path" => {
                    path = Some(PathBuf::from(value));
                    Ok(())
                }
                "pieces" => value
                    .parse()
                    .map(|value| pieces = value)
                    .map_err(|_| "pieces is a whole number".to_owned()),
                "adjudicate" => value.parse().map(|value| adjudicate = value),
                "fifty" => value.parse().map(|value| fifty = value),
                _ => return None,
            })
        };
        read_words(text, take, "path, pieces, adjudicate and fifty")?;
        let path = path.ok_or_else(|| refuse(text, "path is missing"))?;
        Ok(TablebaseRule { path, pieces, adjudicate, fifty })
    }
}

impl FromStr for TablebaseResults {
    type Err = String;

    fn from_str(text: &str) -> Result<TablebaseResults, String> {
        match text {
            "win" | "wins" => Ok(TablebaseResults::Wins),
            "draw" | "draws" => Ok(TablebaseResults::Draws),
            "both" => Ok(TablebaseResults::Both),
            _ => Err("adjudicate is wins, draws or both".to_owned()),
        }
    }
}

impl FromStr for FiftyMoves {
    type Err = String;

    fn from_str(text: &str) -> Result<FiftyMoves, String> {
        match text {
            "respected" => Ok(FiftyMoves::Respected),
            "ignored" => Ok(FiftyMoves::Ignored),
            _ => Err("fifty is respected or ignored".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_read_from_words() {
        let rule: TablebaseRule = "path=/a:/b pieces=5 adjudicate=win fifty=ignored".parse().unwrap();
        assert_eq!((rule.pieces, rule.adjudicate), (5, TablebaseResults::Wins));
        assert_eq!(rule.fifty, FiftyMoves::Ignored);
        let rule: TablebaseRule = "path=/a".parse().unwrap();
        assert_eq!((rule.adjudicate, rule.fifty), (TablebaseResults::Both, FiftyMoves::Respected));
    }

    #[test]
    fn wrong_words_are_refused() {
        let check = |text: &str, expected: &str| {
            assert_eq!(text.parse::<TablebaseRule>().unwrap_err().to_string(), expected);
        };
        check("pieces=5", "bad word \"pieces=5\": path is missing");
        check("path=a fifty=no", "bad word \"fifty=no\": fifty is respected or ignored");
        check("tables=a", "bad word \"tables=a\": the keys are path, pieces, adjudicate and fifty");
    }
}
