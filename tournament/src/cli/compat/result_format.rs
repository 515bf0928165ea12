//! cutechess-cli's `-resultformat`: columns of the ranking table, by token or by format name; and each player's
//! outcomes, listed at the end.

use std::collections::BTreeMap;

use anyhow::bail;
use smalt_stats::{GameResult, Wdl};

use super::statistics::estimate;
use smalt_match::game::Termination;

const DEFAULT: &str = "Rank,Name,Elo,Error,Games,Score,DScore";

const NAMED: [(&str, &str); 13] = [
    ("minimal", "Rank,Name"),
    ("small", "Rank,Name,Games,Points"),
    ("short", "Rank,Name,Elo,Games"),
    ("concise", "Rank,Name,Elo,Error,Games"),
    ("default", DEFAULT),
    ("with-points", "Rank,Name,Elo,Error,Games,Points,Score,DScore"),
    ("wide", "Rank,Name,Elo,Error,Games,W,L,D,Points,Score,DScore"),
    ("wide2", "Rank,Name,Elo,Error,Games,W,L,D,Points,Score,DScore,wScore,bScore"),
    ("per-color", "Rank,Name,Elo,Error,Games,W,L,D,Points,wW,wL,wD,wPoints,bW,bL,bD,bPoints"),
    ("ordo", "Rank,Name,Elo,Points,Games,Score"),
    ("term", "Rank,Name,Elo,Error,Games,Score,Time,Illegal,Discon,Stall,WrClaim"),
    (
        "draws",
        "Rank,Name,Elo,Error,Games,W,L,D,Points,Score,DScore,DStale,DMater,DRepet,DMoves,DAdj,DAgree,OtherD",
    ),
    ("wide3", "Rank,Name,TC,Elo,Error,Games,WLDStats,DrawStats,Terminations"),
];

/// Named groups of columns.
const GROUPS: [(&str, &str); 3] = [
    ("WLDStats", "W,L,D,Points,Score,wW,wL,wD,wPoints,wScore,bW,bL,bD,bPoints,bScore"),
    ("DrawStats", "DScore,DStale,DMater,DRepet,DMoves,DAdj,DAgree,OtherD"),
    ("Terminations", "Time,Illegal,Discon,Stall,WrClaim"),
];

/// Results of one player by color and by ending.
#[derive(Clone, Debug, Default)]
pub(super) struct PlayerResults {
    /// With White and with Black.
    pub(super) by_color: [Wdl; 2],
    endings: BTreeMap<(Termination, bool), u64>,
    outcomes: BTreeMap<String, u64>,
}

impl PlayerResults {
    /// Counts a game; `color` is 0 for White and 1 for Black, and `sentence` tells how the game ended.
    pub(super) fn add(
        &mut self,
        color: usize,
        outcome: GameResult,
        termination: Termination,
        sentence: &str,
    ) {
        self.by_color[color].record(outcome);
        *self.endings.entry((termination, outcome == GameResult::Loss)).or_default() += 1;
        let outcome = match outcome {
            GameResult::Win => format!("Win: {sentence}"),
            GameResult::Draw => sentence.to_owned(),
            GameResult::Loss => format!("Loss: {sentence}"),
        };
        *self.outcomes.entry(outcome).or_default() += 1;
    }

    pub(super) fn all(&self) -> Wdl {
        let mut all = self.by_color[0];
        all += self.by_color[1];
        all
    }

    /// The list of outcomes in cutechess-cli's format.
    pub(super) fn outcomes(&self, name: &str) -> String {
        let outcomes = self.outcomes.iter().map(|(outcome, count)| format!("   \"{outcome}\": {count}\n"));
        format!("\nPlayer: {name}\n{}", outcomes.collect::<String>())
    }

    fn count(&self, is_counted: impl Fn(Termination, bool) -> bool) -> u64 {
        let counted =
            |((termination, lost), _): &(&(Termination, bool), &u64)| is_counted(*termination, *lost);
        self.endings.iter().filter(counted).map(|(_, count)| count).sum()
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<'a> {
    pub(super) rank: u32,
    pub(super) name: &'a str,
    pub(super) time_control: &'a str,
    pub(super) results: &'a PlayerResults,
}

/// A column: its token, its header, its width (negative: left-aligned), and its values.
struct Column {
    token: &'static str,
    header: &'static str,
    width: isize,
    value: fn(&Row<'_>) -> String,
}

const fn column(
    token: &'static str,
    header: &'static str,
    width: isize,
    value: fn(&Row<'_>) -> String,
) -> Column {
    Column { token, header, width, value }
}

fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}

fn points_share(results: Wdl) -> f64 {
    if results.games() > 0 { results.points() / results.games() as f64 } else { 0.0 }
}

fn draw_share(results: Wdl) -> f64 {
    if results.games() > 0 { results.draws as f64 / results.games() as f64 } else { 0.0 }
}

/// Elo difference and error of these results, without decimals.
fn elo(results: Wdl) -> (String, String) {
    let found = results.normal_statistics();
    let score = found.map_or(0.5, |found| found.score);
    let text = estimate(found.and_then(|found| found.elo), score, 0);
    let (value, error) = text.split_once(" +/- ").unwrap_or((&text, "nan"));
    (value.to_owned(), error.to_owned())
}

fn los(results: Wdl) -> String {
    format!("{:.1}%", results.normal_statistics().map_or(50.0, |found| 100.0 * found.los))
}

fn lost_by(row: &Row<'_>, terminations: &[Termination]) -> String {
    row.results.count(|found, lost| lost && terminations.contains(&found)).to_string()
}

fn drawn_by(row: &Row<'_>, terminations: &[Termination]) -> String {
    row.results.count(|found, _| terminations.contains(&found)).to_string()
}

const ILLEGAL: [Termination; 4] = [
    Termination::IllegalMove,
    Termination::MissingMove,
    Termination::MalformedMove,
    Termination::EndlessLine,
];

/// All columns, in the order of `-resultformat help`.
const COLUMNS: [Column; 46] = [
    column("Rank", "Rank", 4, |row| row.rank.to_string()),
    column("Name", "Name", -25, |row| row.name.to_owned()),
    column("Games", "Games", 7, |row| row.results.all().games().to_string()),
    column("W", "Wins", 7, |row| row.results.all().wins.to_string()),
    column("L", "Losses", 7, |row| row.results.all().losses.to_string()),
    column("D", "Draws", 7, |row| row.results.all().draws.to_string()),
    column("wW", "WWins", 7, |row| row.results.by_color[0].wins.to_string()),
    column("wL", "WLoss.", 7, |row| row.results.by_color[0].losses.to_string()),
    column("wD", "WDraws", 7, |row| row.results.by_color[0].draws.to_string()),
    column("wPoints", "WPoints", 8, |row| format!("{:.1}", row.results.by_color[0].points())),
    column("bW", "BWins", 7, |row| row.results.by_color[1].wins.to_string()),
    column("bL", "BLoss.", 7, |row| row.results.by_color[1].losses.to_string()),
    column("bD", "BDraws", 7, |row| row.results.by_color[1].draws.to_string()),
    column("bPoints", "BPoints", 8, |row| format!("{:.1}", row.results.by_color[1].points())),
    column("Points", "Points", 8, |row| format!("{:.1}", row.results.all().points())),
    column("Score", "Score", 7, |row| percent(points_share(row.results.all()))),
    column("DScore", "Draw", 7, |row| percent(draw_share(row.results.all()))),
    column("Elo", "Elo", 7, |row| elo(row.results.all()).0),
    column("Error", "+/-", 7, |row| elo(row.results.all()).1),
    column("LOS", "LOS", 7, |row| los(row.results.all())),
    column("wScore", "White", 7, |row| percent(points_share(row.results.by_color[0]))),
    column("wDScore", "WDraw", 7, |row| percent(draw_share(row.results.by_color[0]))),
    column("wElo", "WElo", 7, |row| elo(row.results.by_color[0]).0),
    column("wError", "W+/-", 7, |row| elo(row.results.by_color[0]).1),
    column("wLOS", "WLOS", 7, |row| los(row.results.by_color[0])),
    column("bScore", "Black", 7, |row| percent(points_share(row.results.by_color[1]))),
    column("bDScore", "BDraw", 7, |row| percent(draw_share(row.results.by_color[1]))),
    column("bElo", "BElo", 7, |row| elo(row.results.by_color[1]).0),
    column("bError", "B+/-", 7, |row| elo(row.results.by_color[1]).1),
    column("bLOS", "BLOS", 7, |row| los(row.results.by_color[1])),
    column("Time", "Time", 7, |row| lost_by(row, &[Termination::TimeForfeit])),
    column("Illegal", "Illegal", 7, |row| lost_by(row, &ILLEGAL)),
    column("Discon", "Discon", 7, |row| lost_by(row, &[Termination::Disconnect, Termination::Walkover])),
    column("Stall", "Stall", 7, |row| lost_by(row, &[Termination::Stall])),
    column("WrClaim", "WrClaim", 7, |row| lost_by(row, &[Termination::FalseClaim])),
    column("RegulL", "RegulL", 7, |row| lost_by(row, &[Termination::Checkmate])),
    column("RegulW", "RegulW", 7, |row| {
        row.results.count(|found, lost| !lost && found == Termination::Checkmate).to_string()
    }),
    column("OtherW", "OtherW", 7, |row| {
        let regular = row.results.count(|found, lost| !lost && found == Termination::Checkmate);
        row.results.all().wins.saturating_sub(regular).to_string()
    }),
    column("DStale", "DStale", 7, |row| drawn_by(row, &[Termination::Stalemate])),
    column("DMater", "DMater", 7, |row| drawn_by(row, &[Termination::InsufficientMaterial])),
    column("DRepet", "DRepet", 7, |row| drawn_by(row, &[Termination::Repetition])),
    column("DMoves", "DMoves", 7, |row| drawn_by(row, &[Termination::FiftyMoves])),
    column("DAdj", "DAdj", 7, |row| {
        let adjudicated =
            [Termination::DrawAdjudication, Termination::TablebaseDraw, Termination::MaximumMoves];
        drawn_by(row, &adjudicated)
    }),
    // Draw offers are not passed on, so there are no agreed draws. No variant has counting rules.
    column("DAgree", "DAgree", 7, |_| "0".to_owned()),
    column("OtherD", "OtherD", 7, |_| "0".to_owned()),
    column("TC", "TC", 14, |row| row.time_control.to_owned()),
];

/// The columns of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ResultFormat(Vec<usize>);

impl Default for ResultFormat {
    fn default() -> ResultFormat {
        ResultFormat(columns_of(DEFAULT).into_iter().flatten().collect())
    }
}

/// Indices of the columns of a list of tokens; `None` for an unknown token.
fn columns_of(tokens: &str) -> Vec<Option<usize>> {
    let find = |token: &str| COLUMNS.iter().position(|column| column.token == token);
    tokens.split(',').map(str::trim).filter(|token| !token.is_empty()).map(find).collect()
}

impl ResultFormat {
    /// Parses a format name, or comma-separated tokens of columns and groups.
    pub(super) fn parse(text: &str) -> anyhow::Result<ResultFormat> {
        let named = NAMED.iter().find(|(name, _)| *name == text);
        let mut tokens = named.map_or(text, |(_, tokens)| tokens).to_owned();
        for (group, columns) in GROUPS {
            tokens = tokens.replace(group, columns);
        }
        let mut columns = Vec::new();
        for (found, token) in columns_of(&tokens).into_iter().zip(tokens.split(',')) {
            let Some(found) = found else {
                bail!("-resultformat {text}: unknown column {token:?}; -resultformat help lists them");
            };
            columns.push(found);
        }
        Ok(ResultFormat(columns))
    }

    /// All formats, columns and groups.
    pub(super) fn help() -> String {
        let lines = |list: &[(&str, &str)]| -> String {
            list.iter().map(|(name, tokens)| format!("{name}\n   {tokens}\n")).collect()
        };
        let tokens: Vec<&str> = COLUMNS.iter().map(|column| column.token).collect();
        format!(
            "Option -resultformat accepts a comma separated list of fields or one of following format names:\n\n{}\n\
             Field tokens:\n   {}\n\nNamed shortcuts:\n{}",
            lines(&NAMED),
            tokens.join(" "),
            lines(&GROUPS)
        )
    }

    pub(super) fn header(&self, name_width: usize) -> String {
        self.line(name_width, |column| column.header.to_owned())
    }

    pub(super) fn row(&self, row: &Row<'_>, name_width: usize) -> String {
        self.line(name_width, |column| (column.value)(row))
    }

    fn line(&self, name_width: usize, text: impl Fn(&Column) -> String) -> String {
        let cells: Vec<String> = self
            .0
            .iter()
            .map(|&place| {
                let column = &COLUMNS[place];
                let width = column.width.unsigned_abs();
                let text = text(column);
                if column.width < 0 {
                    format!("{text:<width$}", width = width.max(name_width))
                } else {
                    format!("{text:>width$}")
                }
            })
            .collect();
        format!("{}\n", cells.join(" ").trim_end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_named_format_has_known_columns() {
        for (name, _) in NAMED {
            assert!(!ResultFormat::parse(name).unwrap().0.is_empty(), "{name}");
        }
        assert_eq!(ResultFormat::parse("default").unwrap(), ResultFormat::default());
        assert!(ResultFormat::help().contains("\nwide3\n   Rank,Name,TC,Elo,"));
    }

    #[test]
    fn columns_are_chosen_by_their_tokens() {
        let mut results = PlayerResults::default();
        results.add(0, GameResult::Win, Termination::Checkmate, "White mates");
        results.add(1, GameResult::Loss, Termination::TimeForfeit, "Black loses on time");
        results.add(1, GameResult::Draw, Termination::Repetition, "Draw by 3-fold repetition");
        let row = Row { rank: 1, name: "A", time_control: "10+0.1", results: &results };
        let format = ResultFormat::parse("Name, W,wPoints,bPoints,Terminations,DRepet").unwrap();
        assert_eq!(
            format.header(0) + &format.row(&row, 0),
            "Name                         Wins  WPoints  BPoints    Time Illegal  Discon   Stall WrClaim  DRepet\n\
             A                               1      1.0      0.5       1       0       0       0       0       1\n"
        );
        assert!(ResultFormat::parse("Rank,Nmae").is_err());
        assert_eq!(
            results.outcomes("A"),
            "\nPlayer: A\n   \"Draw by 3-fold repetition\": 1\n   \"Loss: Black loses on time\": 1\n   \"Win: White mates\": 1\n"
        );
    }
}
