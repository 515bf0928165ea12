//! `ratings`: one rating list from stores and PGN files.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use smalt_driver::nearest::nearest;
use smalt_stats::Elo;
use smalt_stats::ratings::{Anchor, Parameter, RatingError};

use super::exit::{Exit, OrRefuse, Refusal};
use super::output::{check_output, is_standard_output, print, print_info, write_json, write_text};
use super::view::TableForm;
use super::{stored_run, view};
use crate::ratings::json::{RatingListJson, SkippedGame};
use crate::ratings::pgn::{Consequence, Notice};
use crate::ratings::report::{self, ListParts, Visibility};
use crate::ratings::{Games, ListOptions, RatingList, pgn};
use smalt_workbench::decompress::DecompressReader;
use smalt_workbench::input::read_text;
use smalt_workbench::output_file::{Existing, check_apart};

/// Maximum number of notices shown per file; the JSON has all.
const NOTICES_SHOWN: usize = 10;

pub(super) const EXAMPLES: &str = "\
Examples:
  smalt-tournament ratings run.db --anchor stockfish=3500
  smalt-tournament ratings *.pgn games.pgn.zst --anchor A=2500±15 --anchor B=2710±20 --simulations 1000
  smalt-tournament ratings games.pgn --format csv --json list.json

The model: the expected score is the logistic function of the difference in rating plus White's advantage \
(400 points are ten times the odds: Bradley-Terry), and Davidson's rule says how many of the games are drawn. \
Ratings, White's advantage and draw rate are fitted together by maximum likelihood; errors are 95% half-widths \
from the full covariance, and, with --simulations, from the same games with results drawn at random. \
Ordo has the same expected score on its own scale, 0.9% narrower (202 points are 76%), and equates points \
instead; BayesElo draws by Rao and Kupper's rule, which rates lopsided results otherwise.

Players who won all their games, or lost all, have no finite rating: they stand at the top and the bottom of the list, \
and their games say nothing about the others. Players without games against rated ones have none either; the groups \
are listed. Where the stronger side never lost, the draw rate cannot be fitted: it is set to that of all games, and the \
output says so. With --prior ERROR all players get ratings; the prior of each is the average ± ERROR.

Unfinished (`*`) and broken games are skipped and reported with file and line; the exit code is then 3.";

#[derive(Args, Clone, Debug)]
pub(super) struct RatingFlags {
    /// Stores of runs, and PGN files (plain, .gz or .zst)
    #[arg(required = true, value_name = "RUN.db|GAMES.pgn")]
    files: Vec<PathBuf>,
    /// Anchor, a known rating: NAME=RATING, or NAME=RATING±ERROR (also +- or +/-), e.g. stockfish=3500±15; may be repeated
    #[arg(long, value_name = "NAME=RATING")]
    anchor: Vec<String>,
    /// Mean of all ratings, without anchors
    #[arg(long, value_name = "RATING", default_value_t = 0.0, allow_negative_numbers = true)]
    average: f64,
    /// Prior: 95 % error in Elo of every player without an anchor before any game, e.g. 400 [default: none]
    #[arg(long, value_name = "ERROR")]
    prior: Option<f64>,
    /// White's advantage in Elo, e.g. 35 [default: fitted]
    #[arg(long, value_name = "ELO", allow_negative_numbers = true)]
    white_advantage: Option<f64>,
    /// Share of draws between equal players, e.g. 0.4 [default: fitted]
    #[arg(long, value_name = "SHARE")]
    draw_rate: Option<f64>,
    /// Number of simulated lists for errors by simulation; 500 players take about 0.15 s of CPU per list
    #[arg(long, value_name = "N", default_value_t = 0)]
    simulations: u64,
    /// Random seed of the simulations
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Names that mean the same player: a line each, the shown name first, with commas between (Ordo's -Y) [default: none]
    #[arg(short = 'Y', long, value_name = "FILE")]
    aliases: Option<PathBuf>,
    /// Only games between players named in this file, a line each (Ordo's -i) [default: all]
    #[arg(short, long, value_name = "FILE")]
    include: Option<PathBuf>,
    /// Skip games of players named in this file, a line each (Ordo's -x) [default: none]
    #[arg(short = 'x', long, value_name = "FILE")]
    exclude: Option<PathBuf>,
    /// Minimum number of games of players that are shown; all are rated (Ordo's -t)
    #[arg(short = 't', long, value_name = "N", default_value_t = 0)]
    min_games: u64,
    /// Confidence of the errors as a share (Ordo's -F, where it is a percentage: 95 is read as 0.95)
    #[arg(short = 'F', long, value_name = "SHARE", default_value_t = 0.95)]
    confidence: f64,
    /// Errors of the differences between all players, as CSV (Ordo's -e; `-`: standard output)
    #[arg(short = 'e', long, value_name = "FILE")]
    error_matrix: Option<PathBuf>,
    /// Print a table of head-to-head points and expected points
    #[arg(long)]
    head_to_head: bool,
    /// Print a table of likelihoods of superiority (LOS) of each player over each other
    #[arg(long)]
    los: bool,
    /// Format of the tables
    #[arg(long = "format", alias = "table", value_enum, value_name = "FORMAT", default_value = "text")]
    table: TableForm,
    /// JSON file of the whole list (`-`: standard output)
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Overwrite an existing file of --error-matrix
    #[arg(long)]
    force: bool,
}

pub(super) fn ratings(flags: &RatingFlags) -> Result<Exit, Refusal> {
    let outputs: Vec<&Path> =
        [&flags.error_matrix, &flags.json].into_iter().flatten().map(PathBuf::as_path).collect();
    let lists = [&flags.aliases, &flags.include, &flags.exclude].into_iter().flatten();
    check_apart(&outputs, flags.files.iter().chain(lists).map(PathBuf::as_path)).or_usage()?;
    if let Some(file) = &flags.error_matrix {
        check_output(file, Existing::with_force(flags.force))?;
    }
    let mut games = Games::default();
    let (mut skipped, mut exit) = (Vec::new(), Exit::Done);
    for file in &flags.files {
        let notices = read(file, &mut games)?;
        if notices.iter().any(|notice| notice.consequence == Consequence::Skipped) {
            exit = Exit::Skipped;
        }
        skipped.extend(notices.into_iter().map(|notice| SkippedGame {
            file: file.display().to_string(),
            line: notice.line,
            reason: notice.words,
        }));
    }
    if games.count() == 0 {
        return Err(anyhow!("there are no games to rate in {}", list(&flags.files))).or_usage();
    }
    let games = chosen(flags, games)?;
    let options = options(flags, &games).or_usage()?;
    let bar = bar(options.simulations);
    let rated = RatingList::fit(&games, &options, || bar.inc(1));
    bar.finish_and_clear();
    let rated = rated.map_err(|error| anyhow!("no ratings: {error}{}", advice(&error))).or_usage()?;
    if let Some(file) = &flags.error_matrix {
        write_text(file, &report::error_matrix(&rated).to_csv(), Existing::with_force(flags.force))?;
    }
    if let Some(file) = &flags.json {
        write_json(file, &RatingListJson::of(&rated, skipped))?;
        if is_standard_output(file) {
            return Ok(exit);
        }
    }
    print(&text(flags, &rated))?;
    Ok(exit)
}

/// Progress bar of the simulations; hidden without a terminal or without simulations.
fn bar(simulations: u64) -> ProgressBar {
    if simulations == 0 {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(simulations);
    if let Ok(style) =
        ProgressStyle::with_template("{bar:30} {pos}/{len} simulations, {elapsed} passed, {eta} left")
    {
        bar.set_style(style);
    }
    bar
}

/// Advice for an error of the fit.
fn advice(error: &RatingError) -> &'static str {
    match error {
        RatingError::NothingToCompare | RatingError::NotConverged => {
            " (with --prior ERROR all are rated: each is average ± ERROR before any game)"
        }
        _ => "",
    }
}

fn list(files: &[PathBuf]) -> String {
    let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    names.join(", ")
}

/// The games after --aliases, --include and --exclude.
fn chosen(flags: &RatingFlags, games: Games) -> Result<Games, Refusal> {
    if [&flags.aliases, &flags.include, &flags.exclude].iter().all(|file| file.is_none()) {
        return Ok(games);
    }
    let names = |file: &Option<PathBuf>| file.as_deref().map(read_names).transpose();
    let aliases = names(&flags.aliases)?.unwrap_or_default();
    let (include, exclude) = (names(&flags.include)?, names(&flags.exclude)?);
    let main_name = |name: &str| aliases.iter().find(|line| line.iter().any(|alias| alias == name));
    let is_in = |lines: &[Vec<String>], name: &str| lines.iter().flatten().any(|listed| listed == name);
    let rename = |name| -> Option<&str> {
        let shown = main_name(name).and_then(|line| line.first()).map_or(name, String::as_str);
        let is_listed = |lines: &Vec<Vec<String>>| is_in(lines, shown) || is_in(lines, name);
        let is_chosen = include.as_ref().is_none_or(is_listed) && !exclude.as_ref().is_some_and(is_listed);
        is_chosen.then_some(shown)
    };
    let chosen = games.renamed(rename);
    if chosen.count() == 0 {
        return Err(anyhow!("no games are left by --aliases, --include and --exclude")).or_usage();
    }
    Ok(chosen)
}

/// Names in a file, one list per line, separated by commas, with or without quotation marks.
fn read_names(path: &Path) -> Result<Vec<Vec<String>>, Refusal> {
    let text = read_text(path).with_context(|| format!("read {}", path.display())).or_usage()?;
    Ok(text.lines().map(names_of_line).filter(|names| !names.is_empty()).collect())
}

fn names_of_line(line: &str) -> Vec<String> {
    let (mut names, mut is_quoted) = (vec![String::new()], false);
    for letter in line.chars() {
        match letter {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => names.push(String::new()),
            _ => names.last_mut().expect("there is one from the first").push(letter),
        }
    }
    names.iter().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

fn options(flags: &RatingFlags, games: &Games) -> anyhow::Result<ListOptions> {
    let anchors = flags.anchor.iter().map(|text| parse_anchor(text, games));
    let parameter = |value: Option<f64>| value.map_or(Parameter::Fitted, Parameter::Fixed);
    if flags.prior.is_some_and(|error| error.is_nan() || error <= 0.0) {
        return Err(anyhow!("--prior must be above zero"));
    }
    let confidence = if flags.confidence > 1.0 { flags.confidence / 100.0 } else { flags.confidence };
    if !(confidence > 0.0 && confidence < 1.0) {
        return Err(anyhow!("--confidence must be above 0 and below 1 (or 100, in percent)"));
    }
    Ok(ListOptions {
        confidence,
        least_games: flags.min_games,
        anchors: anchors.collect::<anyhow::Result<_>>()?,
        average: Elo(flags.average),
        prior: flags.prior.map(Elo),
        white_advantage: parameter(flags.white_advantage),
        draw_rate: parameter(flags.draw_rate),
        simulations: flags.simulations,
        seed: flags.seed,
    })
}

fn text(flags: &RatingFlags, rated: &RatingList) -> String {
    let shown = |is_wanted: bool| if is_wanted { Visibility::Yes } else { Visibility::No };
    let parts = ListParts { head_to_head: shown(flags.head_to_head), los: shown(flags.los) };
    let tables = report::tables(rated, parts);
    match flags.table {
        TableForm::Csv => joined(tables.iter().map(|table| table.to_csv()), "\r\n"),
        TableForm::Markdown => {
            let tables = tables.iter().map(|table| table.to_markdown());
            joined(tables.chain([report::remarks(rated)]), "\n")
        }
        TableForm::Text => {
            let tables = tables.iter().map(|table| table.to_text());
            joined(tables.chain([report::remarks(rated)]), "\n")
        }
    }
}

/// Parts separated by empty lines.
fn joined(parts: impl Iterator<Item = String>, line_end: &str) -> String {
    parts.map(|part| format!("{}{line_end}", part.trim_end())).collect::<Vec<_>>().join(line_end)
}

/// Adds the games of a file; prints and returns notices.
fn read(path: &Path, games: &mut Games) -> Result<Vec<Notice>, Refusal> {
    if stored_run::is_store(path) {
        let standings = view::read_standings(path)?;
        standings.add_games(games);
        return Ok(Vec::new());
    }
    let failed = || format!("read {}", path.display());
    let notices =
        DecompressReader::open(path).and_then(|source| pgn::read(source, games)).with_context(failed);
    let notices = notices.or_usage()?;
    for notice in notices.iter().take(NOTICES_SHOWN) {
        print_info(&format!("{}, {notice}", path.display()));
    }
    if notices.len() > NOTICES_SHOWN {
        let games = notices.iter().filter(|notice| notice.consequence == Consequence::Skipped).count();
        print_info(&format!(
            "{}: {} such lines in all, {games} games skipped",
            path.display(),
            notices.len()
        ));
    }
    Ok(notices)
}

/// Parses `NAME=RATING` or `NAME=RATING±ERROR`.
fn parse_anchor(text: &str, games: &Games) -> anyhow::Result<Anchor> {
    let (name, rating) =
        text.rsplit_once('=').with_context(|| format!("--anchor {text:?}: expected NAME=RATING"))?;
    let player = games.find(name).ok_or_else(|| {
        let hint = nearest(name, games.names().iter().map(String::as_str));
        let hint = hint.map(|hint| format!(" (did you mean {hint:?}?)")).unwrap_or_default();
        anyhow!("--anchor: no player is called {name:?}{hint}")
    })?;
    let parted = ["±", "+/-", "+-"].iter().find_map(|sign| rating.split_once(sign));
    let (rating, error) = parted.unwrap_or((rating, "0"));
    let number = |text: &str| -> anyhow::Result<Elo> {
        Ok(Elo(text.trim().parse().with_context(|| format!("--anchor: {text:?} is not a number"))?))
    };
    Ok(Anchor { player, rating: number(rating)?, error: number(error)? })
}
