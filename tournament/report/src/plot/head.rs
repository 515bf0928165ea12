//! The head of a chart: title and legend.

use plotters::element::{Drawable, PointCollection};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::{COLORS, FONT, LETTER, Paper, PlotError, TEXT, TITLE, WIDTH, shortened};

/// Height of a title.
const TITLE_HEIGHT: u32 = 52;

/// Height of a line of the legend.
const LINE_HEIGHT: u32 = 38;

/// Width of a sample left of a legend name.
const SAMPLE: u32 = 36;

const MARGIN: u32 = 14;

/// Maximum number of characters of a name in the legend.
const LONGEST_NAME: usize = 46;

/// Maximum number of characters of a title.
const LONGEST_TITLE: usize = 50;

/// Legend sample of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LegendSample {
    /// A line with the marks of this series.
    Line(usize),
    /// A dashed line without color.
    Level,
    /// An area of this color.
    Area(RGBColor),
}

/// An entry of the legend.
#[derive(Clone, Debug)]
pub(super) struct LegendEntry {
    pub(super) name: String,
    pub(super) sample: LegendSample,
}

/// The title and the legend lines below it.
#[derive(Clone, Debug)]
pub(super) struct PlotHead {
    title: String,
    /// Each entry with its position.
    entries: Vec<(LegendEntry, u32, u32)>,
    height: u32,
}

impl PlotHead {
    pub(super) fn new(title: &str, entries: impl IntoIterator<Item = LegendEntry>) -> PlotHead {
        let (mut x, mut y) = (MARGIN, TITLE_HEIGHT);
        let mut placed = Vec::new();
        for entry in entries {
            let name = shortened(&entry.name, LONGEST_NAME);
            let width = SAMPLE + LETTER * name.chars().count() as u32 + 2 * LETTER;
            if x > MARGIN && x + width > WIDTH - MARGIN {
                (x, y) = (MARGIN, y + LINE_HEIGHT);
            }
            placed.push((LegendEntry { name, ..entry }, x, y));
            x += width;
        }
        let height = if placed.is_empty() { y } else { y + LINE_HEIGHT };
        PlotHead { title: shortened(title, LONGEST_TITLE), entries: placed, height }
    }

    pub(super) fn height(&self) -> u32 {
        self.height
    }

    /// Draws it and returns the area below.
    pub(super) fn draw<'a>(&self, paper: &Paper<'a>) -> Result<Paper<'a>, PlotError> {
        let (upper, lower) = paper.split_vertically(self.height);
        let style = |size| (FONT, size).into_text_style(&upper);
        let title = style(TITLE).pos(Pos::new(HPos::Center, VPos::Center));
        let middle = (WIDTH as i32 / 2, TITLE_HEIGHT as i32 / 2);
        upper.draw_text(&self.title, &title, middle).map_err(PlotError::from_drawing)?;
        let name = style(TEXT).pos(Pos::new(HPos::Left, VPos::Center));
        for (entry, x, y) in &self.entries {
            let (x, y) = (*x as i32, (y + LINE_HEIGHT / 2 - 4) as i32);
            draw_sample(&upper, entry.sample, (x, y))?;
            let place = (x + SAMPLE as i32, y);
            upper.draw_text(&entry.name, &name, place).map_err(PlotError::from_drawing)?;
        }
        Ok(lower)
    }
}

fn draw_sample(paper: &Paper<'_>, sample: LegendSample, (x, y): (i32, i32)) -> Result<(), PlotError> {
    let line = |from: i32, to: i32, style: ShapeStyle| PathElement::new([(x + from, y), (x + to, y)], style);
    match sample {
        LegendSample::Line(index) => {
            put(paper, &line(0, 28, COLORS[index % COLORS.len()].stroke_width(3)))?;
            put(paper, &mark(index, (x + 14, y)))
        }
        LegendSample::Level => {
            put(paper, &line(0, 11, BLACK.stroke_width(2)))?;
            put(paper, &line(17, 28, BLACK.stroke_width(2)))
        }
        LegendSample::Area(color) => {
            put(paper, &Rectangle::new([(x + 4, y - 10), (x + 24, y + 10)], color.filled()))
        }
    }
}

pub(super) fn put<'p, 'e, E>(paper: &Paper<'p>, element: &'e E) -> Result<(), PlotError>
where
    &'e E: PointCollection<'e, (i32, i32)>,
    E: Drawable<SVGBackend<'p>>,
{
    paper.draw(element).map_err(PlotError::from_drawing)
}

/// The mark of a line, so that lines differ without color: polygons of many, four or three corners.
pub(super) fn mark(index: usize, (x, y): (i32, i32)) -> Polygon<(i32, i32)> {
    let color = COLORS[index % COLORS.len()];
    let corner = |angle: f64| {
        let (sine, cosine) = angle.sin_cos();
        (x + (6.5 * sine).round() as i32, y - (6.5 * cosine).round() as i32)
    };
    let corners = [12, 4, 3][index % 3];
    let corners =
        (0..corners).map(|number| corner(f64::from(number) / f64::from(corners) * std::f64::consts::TAU));
    Polygon::new(corners.collect::<Vec<_>>(), color.filled())
}
