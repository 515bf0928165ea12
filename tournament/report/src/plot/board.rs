//! Heat maps of 8 × 8 numbers, in pairs: values after a change and before it.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::head::{LegendEntry, LegendSample, PlotHead, put};
use super::{COLORS, Drawn, FONT, Paper, PlotError, TEXT, WIDTH, shortened};
use crate::format::{Sign, number};

/// Cells of a board side, and sizes of a cell and of a board with its title and labels.
const CELLS: usize = 8;
const CELL: i32 = 46;
const NAMES: i32 = 24;
const TITLE_HEIGHT: i32 = 44;
const BOARD: i32 = TITLE_HEIGHT + CELL * CELLS as i32 + NAMES;

/// Font size of the numbers: the smallest legible on a phone.
const SMALL: u32 = 28;

const MARGIN: i32 = 5;
const LONGEST_TITLE: usize = 28;

/// Pairs of 8 × 8 boards with one color scale: blue above zero, orange below.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatMap {
    title: String,
    unit: String,
    columns: [char; CELLS],
    rows: [char; CELLS],
    boards: Vec<[BoardFigures; 2]>,
}

/// A title, and numbers row by row from the upper left.
type BoardFigures = (String, [f64; CELLS * CELLS]);

impl HeatMap {
    /// An empty chart with the unit of all numbers, and labels of the columns (from the left) and rows (from the
    /// top).
    pub fn new(title: impl Into<String>, unit: &str, columns: [char; CELLS], rows: [char; CELLS]) -> HeatMap {
        HeatMap { title: title.into(), unit: unit.to_owned(), columns, rows, boards: Vec::new() }
    }

    /// Adds two boards side by side, numbers row by row from the upper left. Cells without a finite number are empty.
    #[must_use]
    pub fn boards(mut self, left: BoardFigures, right: BoardFigures) -> HeatMap {
        self.boards.push([left, right]);
        self
    }

    /// Largest absolute value.
    fn most(&self) -> Option<f64> {
        let numbers = self.boards.iter().flatten().flat_map(|(_, numbers)| numbers);
        numbers.copied().filter(|number| number.is_finite()).map(f64::abs).reduce(f64::max)
    }

    fn head(&self) -> PlotHead {
        let most = self.most().unwrap_or(0.0);
        let entry = |share: f64, unit: &str| {
            let name = format!("{}{unit}", number(share * most, 0, Sign::Both));
            LegendEntry { name, sample: LegendSample::Area(color(share)) }
        };
        let unit = format!(" {}", self.unit);
        PlotHead::new(
            &self.title,
            [entry(-1.0, ""), entry(-0.5, ""), entry(0.0, ""), entry(0.5, ""), entry(1.0, &unit)],
        )
    }

    fn draw_board(
        &self,
        paper: &Paper<'_>,
        board: &BoardFigures,
        (x, y): (i32, i32),
        most: f64,
    ) -> Result<(), PlotError> {
        let text = |size, color: &RGBColor| {
            (FONT, size).into_font().color(color).pos(Pos::new(HPos::Center, VPos::Center))
        };
        let write = |words: String, place, style| put(paper, &Text::new(words, place, style));
        let width = CELL * CELLS as i32;
        let (left, top) = (x + NAMES, y + TITLE_HEIGHT);
        write(
            shortened(&board.0, LONGEST_TITLE),
            (left + width / 2, y + TITLE_HEIGHT / 2),
            text(TEXT, &BLACK),
        )?;
        for index in 0..CELLS * CELLS {
            let (row, column) = (index / CELLS, index % CELLS);
            let (x, y) = (left + CELL * column as i32, top + CELL * row as i32);
            let share = if most > 0.0 { board.1[index] / most } else { 0.0 };
            let ground = color(if share.is_finite() { share } else { 0.0 });
            put(paper, &Rectangle::new([(x, y), (x + CELL - 1, y + CELL - 1)], ground.filled()))?;
            let ink = if share.abs() > 0.6 { WHITE } else { BLACK };
            let middle = (x + CELL / 2, y + CELL / 2);
            if board.1[index].is_finite() {
                write(number(board.1[index], 0, Sign::Negative), middle, text(SMALL, &ink))?;
            }
        }
        for (place, (column, row)) in (0..).zip(self.columns.iter().zip(&self.rows)) {
            let along = CELL * place + CELL / 2;
            write(row.to_string(), (x + NAMES / 2, top + along), text(SMALL, &BLACK))?;
            write(column.to_string(), (left + along, top + width + NAMES / 2), text(SMALL, &BLACK))?;
        }
        Ok(())
    }
}

impl Drawn for HeatMap {
    fn height(&self) -> u32 {
        self.head().height() + BOARD as u32 * self.boards.len() as u32 + MARGIN as u32
    }

    fn draw(&self, paper: &Paper<'_>) -> Result<(), PlotError> {
        let most = self.most().ok_or_else(|| PlotError::Empty { title: self.title.clone() })?;
        paper.fill(&WHITE).map_err(PlotError::from_drawing)?;
        let body = self.head().draw(paper)?;
        for (index, [left, right]) in (0..).zip(&self.boards) {
            let y = BOARD * index;
            self.draw_board(&body, left, (MARGIN, y), most)?;
            self.draw_board(&body, right, (WIDTH as i32 / 2 + MARGIN / 2, y), most)?;
        }
        paper.present().map_err(PlotError::from_drawing)
    }
}

/// From orange through white to blue, for shares from −1 to 1.
fn color(share: f64) -> RGBColor {
    let RGBColor(red, green, blue) = if share < 0.0 { COLORS[1] } else { COLORS[0] };
    let mixed = |part: u8| (255.0 + (f64::from(part) - 255.0) * share.abs().min(1.0)).round() as u8;
    RGBColor(mixed(red), mixed(green), mixed(blue))
}
