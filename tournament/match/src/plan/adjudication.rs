//! Section `[adjudication]`: rules that end games early. Values only; [`crate::game::adjudicate`] and
//! [`crate::game::tablebases`] apply them.

use std::path::PathBuf;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::value::{OnOff, defaults, word};

/// Section `[adjudication]`: rules that end games early.
#[derive(Args, Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
#[command(next_help_heading = "Adjudication")]
pub struct AdjudicationSettings {
    /// Draw adjudication, or off: both scores within `score` centipawns for `movecount` moves from move `movenumber` on;
    /// captures and pawn moves reset the count
    #[arg(long, value_name = "RULE", default_value = "movenumber=40 movecount=8 score=10")]
    #[schemars(with = "RuleSchema<DrawRule>")]
    pub draw: OnOff<DrawRule>,
    /// Resign adjudication, or off: behind by `score` centipawns for `movecount` moves, seen by both sides or one
    #[arg(long, value_name = "RULE", default_value = "movecount=4 score=700 sides=both")]
    #[schemars(with = "RuleSchema<ResignRule>")]
    pub resign: OnOff<ResignRule>,
    /// Mate adjudication, or off, e.g. 'movecount=1 sides=both': a mate announced for `movecount` moves
    #[arg(long, value_name = "RULE", default_value = "off", hide_short_help = true)]
    #[schemars(with = "RuleSchema<MateRule>")]
    pub mate: OnOff<MateRule>,
    /// Adjudication by Syzygy tablebases.
    #[command(flatten)]
    #[serde(deserialize_with = "read_tablebases", serialize_with = "write_tablebases")]
    #[schemars(with = "RuleSchema<TablebaseRule>")]
    pub tablebases: TablebaseRule,
    /// Number of moves of each side after which a game is a draw; 0: no limit
    #[arg(long, value_name = "N", default_value = "300")]
    pub maxmoves: u32,
}

impl Default for AdjudicationSettings {
    fn default() -> AdjudicationSettings {
        defaults()
    }
}

impl AdjudicationSettings {
    pub fn rules(&self) -> AdjudicationRules {
        AdjudicationRules {
            draw: self.draw.on().copied(),
            resign: self.resign.on().copied(),
            mate: self.mate.on().copied(),
            max_moves: Some(self.maxmoves).filter(|&moves| moves > 0),
        }
    }
}

/// A rule in the JSON schema: a table, words, or `off`.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum RuleSchema<T> {
    Table(T),
    Words(String),
}

/// Reads tablebase settings: `off`, words, or a table.
fn read_tablebases<'de, D: Deserializer<'de>>(deserializer: D) -> Result<TablebaseRule, D::Error> {
    let switch: OnOff<TablebaseRule> = OnOff::deserialize(deserializer)?;
    Ok(match switch {
        OnOff::On(TablebaseRule { path: None, .. }) => return Err(serde::de::Error::missing_field("path")),
        OnOff::On(rule) => rule,
        OnOff::Off => TablebaseRule::default(),
    })
}

fn write_tablebases<S: Serializer>(rule: &TablebaseRule, serializer: S) -> Result<S::Ok, S::Error> {
    if rule.path.is_some() { rule.serialize(serializer) } else { serializer.serialize_str("off") }
}

/// The active adjudication rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AdjudicationRules {
    pub draw: Option<DrawRule>,
    pub resign: Option<ResignRule>,
    pub mate: Option<MateRule>,
    /// Move number after which the game is a draw.
    pub max_moves: Option<u32>,
}

/// Win of the engine that announces a mate for a number of moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MateRule {
    /// Number of its consecutive moves.
    pub movecount: u32,
    /// Engines that must report the mate score.
    #[serde(default)]
    pub sides: Sides,
}

/// Draw if both scores are near zero for a number of moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DrawRule {
    /// First move number at which the rule applies.
    #[serde(default)]
    pub movenumber: u32,
    /// Number of consecutive moves of each side.
    pub movecount: u32,
    /// Maximum score of a draw for either side, in centipawns.
    pub score: u32,
}

/// Loss of the engine whose score is low for a number of moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResignRule {
    /// First move number at which the rule applies.
    #[serde(default)]
    pub movenumber: u32,
    /// Number of its consecutive moves.
    pub movecount: u32,
    /// Minimum deficit of its score, in centipawns.
    pub score: u32,
    /// Sides whose score counts; fastchess's `twosided` is true or false.
    #[serde(default, alias = "twosided")]
    pub sides: Sides,
}

/// Whose scores count for a resignation, or a mate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Sides {
    /// The other side must agree.
    #[default]
    #[serde(alias = "true")]
    Both,
    /// One side is enough: the loser for a resignation, the winner for a mate.
    #[serde(alias = "false")]
    One,
}

/// Adjudication by Syzygy tablebases: a game ends as soon as they have its result. Off without a path.
#[derive(Args, Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
#[command(next_help_heading = "Adjudication")]
pub struct TablebaseRule {
    /// Folders of Syzygy tablebases for adjudication, separated by colons (semicolons on Windows), e.g. /srv/syzygy
    #[arg(id = "tb", long = "tb", value_name = "PATH")]
    pub path: Option<PathBuf>,
    /// Maximum number of pieces for tablebases, kings included; 0: as many as they have
    #[arg(
        id = "tb_pieces",
        long = "tb-pieces",
        value_name = "N",
        requires = "tb",
        default_value = "0",
        hide_short_help = true
    )]
    pub pieces: u32,
    /// Tablebase results that end games: wins, draws or both
    #[arg(id = "tb_adjudicate", long = "tb-adjudicate", value_name = "RESULTS", requires = "tb", value_parser = word::<TablebaseResults>(), default_value = "both", hide_short_help = true)]
    pub adjudicate: TablebaseResults,
    /// Fifty-move rule with tablebases: respected or ignored
    #[arg(id = "tb_fifty", long = "tb-fifty", value_name = "HOW", requires = "tb", value_parser = word::<FiftyMoves>(), default_value = "respected", hide_short_help = true)]
    pub fifty: FiftyMoves,
}

impl Default for TablebaseRule {
    fn default() -> TablebaseRule {
        defaults()
    }
}

impl TablebaseRule {
    /// The rule, if a path is given.
    pub(crate) fn on(&self) -> Option<&TablebaseRule> {
        self.path.is_some().then_some(self)
    }
}

/// Which results of tables end a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TablebaseResults {
    #[serde(alias = "win")]
    Wins,
    #[serde(alias = "draw")]
    Draws,
    #[default]
    Both,
}

/// Whether a win that takes more than fifty moves without a capture or a pawn move is one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FiftyMoves {
    /// Such a win is a draw.
    #[default]
    Respected,
    /// Such a win is a win.
    Ignored,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_from_words() {
        assert_eq!(
            "movenumber=40 movecount=8 score=10".parse(),
            Ok(OnOff::On(DrawRule { movenumber: 40, movecount: 8, score: 10 }))
        );
        let one_sided = OnOff::On(ResignRule { movenumber: 0, movecount: 3, score: 600, sides: Sides::One });
        assert_eq!("movecount=3 score=600 twosided=false".parse(), Ok(one_sided));
        let rule: TablebaseRule =
            smalt_workbench::entrant::from_words("path=/a:/b pieces=5 adjudicate=win fifty=ignored").unwrap();
        assert_eq!((rule.pieces, rule.adjudicate), (5, TablebaseResults::Wins));
        assert_eq!(rule.fifty, FiftyMoves::Ignored);
    }

    #[test]
    fn wrong_words_are_refused_with_their_reason() {
        let check = |text: &str, expected: &str| {
            assert_eq!(text.parse::<OnOff<ResignRule>>().unwrap_err().to_string(), expected);
        };
        check(
            "moves=3 score=2",
            "unknown key \"moves\": the keys are movenumber, movecount, score, sides, twosided",
        );
        check("movecount=3", "score is missing");
        check("movecount=3 score=-3", "bad value in \"score=-3\": expected a whole number");
        check("movecount=3 score=3 sides=no", "bad value in \"sides=no\": expected both, true, false or one");
    }
}
