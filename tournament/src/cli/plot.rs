//! `plot`: charts of a run or a PGN file.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::Args;
use smalt_report::plot::{Chart, PlotError, stacked};

use super::elo::test_of;
use super::exit::{Exit, OrRefuse, Refusal};
use super::output::{is_standard_output, print, write_text};
use super::stored_run::is_store;
use super::view::{LoadedRun, place_of};
use crate::plot::pgn::{PgnFigures, game_of};
use crate::plot::{Figures, GameCurves, charts, figures};
use smalt_match::plan::{Flags, SprtSettings};
use smalt_workbench::decompress::DecompressReader;
use smalt_workbench::output_file::Existing;

pub(super) const EXAMPLES: &str = "\
Examples:
  smalt-tournament plot run.db -o elo.svg
  smalt-tournament plot run.db --kind all -o pictures/
  smalt-tournament plot run.db --game 17 -o game.svg
  smalt-tournament plot games.pgn.zst --engine mine --kind openings > openings.svg
  smalt-tournament plot games.pgn --elo0 0 --elo1 5 -o llr.svg

A run is seen as its first entrant sees it, or its challengers, or all if there are many sides. In PGN, whichever program wrote \
it, two games of a round with reversed colors are a pair; evaluations and times come from comments like \
{+0.35/12 0.41s}, and the clock from the time control where no comment has it.";

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum PlotKind {
    /// Elo over games, with its 95% band
    Elo,
    /// The log-likelihood ratio of a sequential test, between its bounds
    Llr,
    /// Everybody's rating with its error
    Ratings,
    /// How many pairs of games brought 0, ½, 1, 1½ and 2 points
    Penta,
    /// Wins, draws and losses by opening
    Openings,
    /// Evaluation, clocks and times of one game (--game N)
    Game,
    /// All of these for which there are numbers, a file each in a folder
    All,
}

#[derive(Args, Clone, Debug)]
pub(super) struct PlotFlags {
    /// Store of a run, or a PGN file (plain, .gz or .zst)
    #[arg(value_name = "RUN.db|GAMES.pgn")]
    file: PathBuf,
    /// SVG file [default: standard output], or a folder for several kinds
    #[arg(short, long, value_name = "FILE.svg|FOLDER")]
    output: Option<PathBuf>,
    /// Overwrite existing files
    #[arg(long, requires = "output")]
    force: bool,
    /// Kind of plot; may be repeated [default: game with --game, llr with an SPRT, else elo]
    #[arg(short, long, value_enum, value_name = "KIND")]
    kind: Vec<PlotKind>,
    /// Engine whose results are drawn; may be repeated [default: the first of two, the challengers, or all]
    #[arg(long, value_name = "NAME")]
    engine: Vec<String>,
    /// Number of the game, for one game's evaluations and clocks, e.g. 17
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    game: Option<u32>,
    /// A test that the run did not have, from the first engine's point of view.
    #[command(flatten)]
    test: Flags<SprtSettings>,
}

/// Data of a store or a PGN file.
struct PlotData {
    figures: Figures,
    game: Option<GameCurves>,
}

pub(super) fn plot(flags: &PlotFlags) -> Result<Exit, Refusal> {
    if flags.kind.contains(&PlotKind::Game) && flags.game.is_none() {
        return Err(anyhow!("--kind game needs the number of the game: give --game N")).or_usage();
    }
    let existing = Existing::with_force(flags.force);
    let source = if is_store(&flags.file) { of_store(flags)? } else { of_pgn(flags)? };
    let shown = flags.file.display().to_string();
    let kinds = kinds(flags, &source);
    if let [kind] = kinds[..] {
        let svg = draw(kind, &source).with_context(|| shown.clone()).or_usage()?;
        write(flags.output.as_deref(), &svg, existing)?;
        return Ok(Exit::Done);
    }
    let folder = folder(flags.output.as_deref())?;
    let mut drawings = Vec::new();
    for kind in kinds {
        match draw(kind, &source) {
            Ok(svg) => drawings.push((kind, svg)),
            // Not requested by name.
            Err(_) if flags.kind.contains(&PlotKind::All) => {}
            Err(error) => return Err(error.context(shown)).or_usage(),
        }
    }
    if drawings.is_empty() {
        return Err(anyhow!("{shown}: there is nothing to plot: no finished game")).or_usage();
    }
    std::fs::create_dir_all(folder).with_context(|| format!("make {}", folder.display())).or_usage()?;
    for (kind, svg) in drawings {
        write(Some(&folder.join(format!("{}.svg", name_of(kind)))), &svg, existing)?;
    }
    Ok(Exit::Done)
}

/// Folder for several plots; an SVG file name is refused.
fn folder(output: Option<&Path>) -> Result<&Path, Refusal> {
    let words = "several kinds are several files: give a folder, -o FOLDER";
    let Some(path) = output.filter(|path| !is_standard_output(path)) else {
        return Err(anyhow!(words)).or_usage();
    };
    if !path.is_dir() && (is_drawing(path) || path.exists()) {
        return Err(anyhow!("{}: {words}", path.display())).or_usage();
    }
    Ok(path)
}

fn is_drawing(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("svg"))
}

fn write(path: Option<&Path>, svg: &str, existing: Existing) -> Result<(), Refusal> {
    match path.filter(|path| !is_standard_output(path)) {
        Some(path) if !is_drawing(path) => {
            Err(anyhow!("{}: drawings are SVG: give a file.svg", path.display())).or_usage()
        }
        Some(path) => write_text(path, svg, existing),
        None => print(svg),
    }
}

fn name_of(kind: PlotKind) -> String {
    clap::ValueEnum::to_possible_value(&kind).map(|value| value.get_name().to_owned()).unwrap_or_default()
}

fn kinds(flags: &PlotFlags, source: &PlotData) -> Vec<PlotKind> {
    if flags.kind.contains(&PlotKind::All) {
        return vec![
            PlotKind::Elo,
            PlotKind::Llr,
            PlotKind::Ratings,
            PlotKind::Penta,
            PlotKind::Openings,
            PlotKind::Game,
        ];
    }
    if !flags.kind.is_empty() {
        return flags.kind.clone();
    }
    match () {
        () if flags.game.is_some() => vec![PlotKind::Game],
        () if source.figures.test.is_some() => vec![PlotKind::Llr],
        () => vec![PlotKind::Elo],
    }
}

fn of_store(flags: &PlotFlags) -> Result<PlotData, Refusal> {
    let mut course = None;
    let run = LoadedRun::read(&flags.file, |record, names, _| {
        if flags.game == Some(record.game.number + 1) {
            course = Some(GameCurves::of_record(record, names));
        }
    })?;
    check_game(flags, course.is_some())?;
    let viewed = places(flags, &run.names)?.unwrap_or_else(|| figures::viewed(&run.plan));
    let figures = Figures::of_run(&run.standings, &run.openings, &viewed, test_of(&flags.test)?);
    Ok(PlotData { figures, game: course })
}

fn of_pgn(flags: &PlotFlags) -> Result<PlotData, Refusal> {
    let path = &flags.file;
    let open = || DecompressReader::open(path).with_context(|| format!("read {}", path.display())).or_usage();
    let read = PgnFigures::read(open()?).with_context(|| format!("read {}", path.display())).or_failed()?;
    let game = match flags.game {
        Some(number) => game_of(open()?, number).with_context(|| path.display().to_string()).or_usage()?,
        None => None,
    };
    check_game(flags, game.is_some())?;
    if read.count() == 0 && game.is_none() {
        return Err(anyhow!("{}: there is no finished game between two named players", path.display()))
            .or_usage();
    }
    let viewed = places(flags, read.names())?.unwrap_or_default();
    let figures = read.figures(&viewed, test_of(&flags.test)?);
    Ok(PlotData { figures, game: game.as_ref().map(GameCurves::of_pgn) })
}

fn check_game(flags: &PlotFlags, was_found: bool) -> Result<(), Refusal> {
    match flags.game {
        Some(number) if !was_found => {
            Err(anyhow!("{}: there is no game {number} (yet)", flags.file.display())).or_usage()
        }
        _ => Ok(()),
    }
}

fn places(flags: &PlotFlags, names: &[String]) -> Result<Option<Vec<usize>>, Refusal> {
    let places: anyhow::Result<Vec<usize>> = flags.engine.iter().map(|name| place_of(name, names)).collect();
    Ok(Some(places.or_usage()?).filter(|places| !places.is_empty()))
}

/// Draws a kind of chart; if there is no data, the error tells what to do.
fn draw(kind: PlotKind, source: &PlotData) -> anyhow::Result<String> {
    let figures = &source.figures;
    match kind {
        PlotKind::Elo => explained(
            &[&charts::elo(figures)],
            "no finite Elo: nothing was played, or all games were won, or all lost",
        ),
        PlotKind::Llr => {
            let test =
                figures.test.as_ref().context("there is no sequential test: give --elo0 and --elo1")?;
            explained(&[&charts::llr(test)], "the test has no whole pair of games yet")
        }
        PlotKind::Ratings => explained(&[&charts::ratings(figures)], "these games rate no engine"),
        PlotKind::Penta => {
            let charts: Vec<_> = figures.sides.iter().map(charts::pairs).collect();
            explained(&dynamic(&charts), "there are no pairs of games with reversed colors")
        }
        PlotKind::Openings => {
            let charts: Vec<_> = figures.sides.iter().map(charts::openings).collect();
            explained(&dynamic(&charts), "there are no games")
        }
        PlotKind::Game => {
            let course = source.game.as_ref().context("no game is named: give --game N")?;
            explained(&dynamic(&charts::game(course)), "this game has no evaluations and no times")
        }
        PlotKind::All => unreachable!("it stands for the others"),
    }
}

fn dynamic<C: Chart>(charts: &[C]) -> Vec<&dyn Chart> {
    charts.iter().map(|chart| chart as &dyn Chart).collect()
}

/// Charts below each other; `otherwise` is the error without data.
fn explained(charts: &[&dyn Chart], otherwise: &str) -> anyhow::Result<String> {
    match stacked(charts) {
        Err(PlotError::Empty { .. }) => Err(anyhow!("nothing to plot: {otherwise}")),
        drawn => Ok(drawn?),
    }
}
