//! When a game is ended before its natural end. Values only; who applies them is [`crate::game::adjudicate`].

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// All rules; those that are missing do not hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AdjudicationRules {
    /// A draw when both engines see one.
    pub draw: Option<DrawRule>,
    /// A loss for an engine that sees one.
    pub resign: Option<ResignRule>,
    /// A win for an engine that announces a mate.
    pub mate: Option<MateRule>,
    /// A draw after so many moves of each side.
    pub max_moves: Option<u32>,
}

/// A win for the engine that announces a mate for some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct MateRule {
    /// So many of its moves in a row.
    pub movecount: u32,
    /// Who must see it.
    #[serde(default)]
    pub sides: Sides,
}

/// A draw when both engines see one for some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct DrawRule {
    /// Not before so many moves of each side were played.
    pub movenumber: u32,
    /// So many moves of each side in a row.
    pub movecount: u32,
    /// The greatest score, in centipawns either way, that is called a draw.
    pub score: u32,
}

/// A loss for the engine that sees one for some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ResignRule {
    /// So many of its moves in a row.
    pub movecount: u32,
    /// The score, in centipawns, that it must be behind.
    pub score: u32,
    /// Who must see it.
    #[serde(default)]
    pub sides: Sides,
}

/// Whose scores count for a resignation, or a mate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sides {
    /// The other side must agree.
    #[default]
    Both,
    /// The word of one is enough: of the loser for a resignation, of the winner for a mate.
    One,
}

/// Why words are no rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("bad word {word:?}: {reason}")]
pub struct RuleError {
    /// The word.
    pub word: String,
    /// What should stand there.
    pub reason: String,
}

pub(super) fn refuse(word: &str, reason: impl Into<String>) -> RuleError {
    RuleError { word: word.to_owned(), reason: reason.into() }
}

/// Calls back with each `key=value`.
pub(super) fn read_words(
    text: &str,
    mut take: impl FnMut(&str, &str) -> Option<Result<(), String>>,
    keys: &str,
) -> Result<(), RuleError> {
    for word in text.split_whitespace() {
        let Some((key, value)) = word.split_once('=') else {
            return Err(refuse(
                word,
                format!("expected key=value, with the keys {keys}, or the one word off"),
            ));
        };
        match take(key, value) {
            Some(Ok(())) => {}
            Some(Err(reason)) => return Err(refuse(word, reason)),
            None => return Err(refuse(word, format!("the keys are {keys}"))),
        }
    }
    Ok(())
}

fn number(key: &str, value: &str, slot: &mut Option<u32>) -> Result<(), String> {
    *slot = Some(value.parse().map_err(|_| format!("{key} is a whole number"))?);
    Ok(())
}

impl FromStr for DrawRule {
    type Err = RuleError;

    /// Reads `movenumber=40 movecount=8 score=10`.
    fn from_str(text: &str) -> Result<DrawRule, RuleError> {
        let (mut movenumber, mut movecount, mut score) = (None, None, None);
        let take = |key: &str, value: &str| {
            Some(match key {
                "movenumber" => number(key, value, &mut movenumber),
                "movecount" => number(key, value, &mut movecount),
                "score" => number(key, value, &mut score),
                _ => return None,
            })
        };
        read_words(text, take, "movenumber, movecount and score")?;
        let missing = |key| refuse(text, format!("{key} is missing"));
        Ok(DrawRule {
            movenumber: movenumber.unwrap_or(0),
            movecount: movecount.ok_or_else(|| missing("movecount"))?,
            score: score.ok_or_else(|| missing("score"))?,
        })
    }
}

impl FromStr for ResignRule {
    type Err = RuleError;

    /// Reads `movecount=4 score=700 sides=both`; also fastchess's `twosided=true`.
    fn from_str(text: &str) -> Result<ResignRule, RuleError> {
        let (mut movecount, mut score, mut sides) = (None, None, Sides::Both);
        let take = |key: &str, value: &str| {
            Some(match (key, value) {
                ("movecount", _) => number(key, value, &mut movecount),
                ("score", _) => number(key, value, &mut score),
                ("sides", _) => value.parse().map(|value| sides = value),
                ("twosided", "true") => {
                    sides = Sides::Both;
                    Ok(())
                }
                ("twosided", "false") => {
                    sides = Sides::One;
                    Ok(())
                }
                ("twosided", _) => Err("twosided is true or false".to_owned()),
                _ => return None,
            })
        };
        read_words(text, take, "movecount, score and sides")?;
        let missing = |key| refuse(text, format!("{key} is missing"));
        Ok(ResignRule {
            movecount: movecount.ok_or_else(|| missing("movecount"))?,
            score: score.ok_or_else(|| missing("score"))?,
            sides,
        })
    }
}

impl FromStr for Sides {
    type Err = String;

    fn from_str(text: &str) -> Result<Sides, String> {
        match text {
            "both" => Ok(Sides::Both),
            "one" => Ok(Sides::One),
            _ => Err("sides is both or one".to_owned()),
        }
    }
}

impl FromStr for MateRule {
    type Err = RuleError;

    /// Reads `movecount=2 sides=both`.
    fn from_str(text: &str) -> Result<MateRule, RuleError> {
        let (mut movecount, mut sides) = (None, Sides::Both);
        let take = |key: &str, value: &str| {
            Some(match key {
                "movecount" => number(key, value, &mut movecount),
                "sides" => value.parse().map(|value| sides = value),
                _ => return None,
            })
        };
        read_words(text, take, "movecount and sides")?;
        let movecount = movecount.ok_or_else(|| refuse(text, "movecount is missing"))?;
        Ok(MateRule { movecount, sides })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_from_words() {
        assert_eq!(
            "movenumber=40 movecount=8 score=10".parse(),
            Ok(DrawRule { movenumber: 40, movecount: 8, score: 10 })
        );
        assert_eq!(
            "movecount=3 score=600 twosided=false".parse(),
            Ok(ResignRule { movecount: 3, score: 600, sides: Sides::One })
        );
    }

    #[test]
    fn wrong_words_are_refused_with_their_reason() {
        let check = |text: &str, expected: &str| {
            assert_eq!(text.parse::<ResignRule>().unwrap_err().to_string(), expected);
        };
        check(
            "movecount",
            "bad word \"movecount\": expected key=value, with the keys movecount, score and sides, or the one word off",
        );
        check("moves=3", "bad word \"moves=3\": the keys are movecount, score and sides");
        check("movecount=3", "bad word \"movecount=3\": score is missing");
        check("score=-3", "bad word \"score=-3\": score is a whole number");
    }
}
