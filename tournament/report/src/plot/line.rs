//! Line charts: error per epoch, rating per build, score per game.

use std::ops::Range;

use plotters::coord::CoordTranslate;
use plotters::element::DashedPathElement;
use plotters::prelude::*;

use super::head::{LegendEntry, LegendSample, PlotHead, mark};
use super::path::{Point, clipped, thinned};
use super::range::{Marked, around, marked, marked_by_powers, round_step};
use super::{Axis, COLORS, Drawn, FONT, GRID, Paper, PlotError, TEXT, shown};

/// Height of the chart below title and legend.
const BODY: u32 = 500;

/// Maximum number of marks on a line.
const MARKED: usize = 40;
const MARKS: usize = 6;

/// Horizontal resolution of a chart, in columns.
const COLUMNS: usize = 250;

/// Lines and bands in one pair of axes.
#[derive(Clone, Debug, PartialEq)]
pub struct LineChart {
    title: String,
    x: Axis,
    y: Axis,
    lines: Vec<PlotLine>,
    levels: Vec<(String, f64)>,
    settled: f64,
    scale: Scale,
}

/// Scale of the x axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scale {
    Linear,
    /// Linear, with ticks at whole numbers only.
    Counted,
    Logarithmic,
}

/// Label of a tick.
type TickLabel = Box<dyn Fn(&f64) -> String>;

impl Scale {
    fn place(self, x: f64) -> f64 {
        match self {
            Scale::Linear | Scale::Counted => x,
            Scale::Logarithmic => x.log10(),
        }
    }

    /// The range of x with its ticks, and their labels.
    fn marked(self, places: Range<f64>) -> (Marked, TickLabel) {
        match self {
            Scale::Linear | Scale::Counted => {
                let step = round_step(&places, 8);
                let step = if self == Scale::Counted { step.max(1.0) } else { step };
                (marked(places, step), Box::new(move |x| shown(*x, step)))
            }
            Scale::Logarithmic => {
                (marked_by_powers(places), Box::new(|x| shown(10_f64.powf(*x), 10_f64.powf(x.floor()))))
            }
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
struct PlotLine {
    name: String,
    points: Vec<Point>,
    /// Ends of each point's error bar.
    errors: Vec<(f64, f64)>,
    /// x and both ends of an interval, drawn as a band.
    band: Vec<(f64, f64, f64)>,
}

impl LineChart {
    /// A chart without lines.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> LineChart {
        let (lines, levels) = (Vec::new(), Vec::new());
        let settled = f64::NEG_INFINITY;
        LineChart { title: title.into(), x, y, lines, levels, settled, scale: Scale::Linear }
    }

    /// Makes x logarithmic for the lines added afterwards; their x must be above zero.
    #[must_use]
    pub fn on_logarithmic_x(mut self) -> LineChart {
        self.scale = Scale::Logarithmic;
        self
    }

    /// Puts ticks of x at whole numbers only.
    #[must_use]
    pub fn on_counted_x(mut self) -> LineChart {
        self.scale = Scale::Counted;
        self
    }

    /// Adds a line. Points that are not finite are skipped.
    #[must_use]
    pub fn line(mut self, name: impl Into<String>, points: impl IntoIterator<Item = Point>) -> LineChart {
        let points = points.into_iter().map(|(x, y)| (self.scale.place(x), y));
        let points = points.filter(|(x, y)| x.is_finite() && y.is_finite()).collect();
        self.lines.push(PlotLine { name: name.into(), points, ..PlotLine::default() });
        self
    }

    /// Adds a line with error bars: x, y, half-width of the interval.
    #[must_use]
    pub fn line_with_errors(
        self,
        name: impl Into<String>,
        points: impl IntoIterator<Item = (f64, f64, f64)>,
    ) -> LineChart {
        let points: Vec<_> =
            points.into_iter().filter(|(x, y, error)| [x, y, error].iter().all(|n| n.is_finite())).collect();
        let mut chart = self.line(name, points.iter().map(|&(x, y, _)| (x, y)));
        if let Some(line) = chart.lines.last_mut() {
            line.errors = points.iter().map(|&(_, y, error)| (y - error, y + error)).collect();
        }
        chart
    }

    /// Adds a line with a band: x, y, and both ends of the interval, if known.
    #[must_use]
    pub fn line_with_band(
        self,
        name: impl Into<String>,
        points: impl IntoIterator<Item = (f64, f64, Option<[f64; 2]>)>,
    ) -> LineChart {
        let points: Vec<_> = points.into_iter().collect();
        let scale = self.scale;
        let mut chart = self.line(name, points.iter().map(|&(x, y, _)| (x, y)));
        let interval = |&(x, _, ends): &(f64, f64, Option<[f64; 2]>)| {
            ends.map(|[low, high]| (scale.place(x), low, high))
        };
        let is_finite = |&(x, low, high): &(f64, f64, f64)| [x, low, high].iter().all(|n| n.is_finite());
        if let Some(line) = chart.lines.last_mut() {
            line.band = points.iter().filter_map(interval).filter(is_finite).collect();
        }
        chart
    }

    /// Adds a named horizontal line.
    #[must_use]
    pub fn level(mut self, name: impl Into<String>, y: f64) -> LineChart {
        self.levels.push((name.into(), y));
        self
    }

    /// Fits the range of y to the points from this x on; earlier points outside it are cut off.
    #[must_use]
    pub fn settled_from(mut self, x: f64) -> LineChart {
        self.settled = self.scale.place(x);
        self
    }

    fn head(&self) -> PlotHead {
        let named = self.lines.iter().enumerate().filter(|(_, line)| !line.name.is_empty());
        let lines = named
            .map(|(index, line)| LegendEntry { name: line.name.clone(), sample: LegendSample::Line(index) });
        let named = self.levels.iter().filter(|(name, _)| !name.is_empty());
        let levels = named.map(|(name, _)| LegendEntry { name: name.clone(), sample: LegendSample::Level });
        PlotHead::new(&self.title, lines.chain(levels))
    }

    /// Ranges of x and y.
    fn ranges(&self) -> Option<[Range<f64>; 2]> {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let xs = points().map(|point| point.0);
        let last = xs.clone().fold(f64::NEG_INFINITY, f64::max);
        let counts = |x: f64| x >= self.settled.min(last);
        let heights = self.lines.iter().flat_map(|line| {
            let points = line.points.iter().filter(|point| counts(point.0)).map(|point| point.1);
            let errors = line.errors.iter().flat_map(|&(low, high)| [low, high]);
            let band = line.band.iter().filter(|part| counts(part.0)).flat_map(|part| [part.1, part.2]);
            points.chain(errors).chain(band)
        });
        let levels = self.levels.iter().map(|level| level.1);
        Some([around(xs)?, around(heights.chain(levels))?])
    }
}

impl Drawn for LineChart {
    fn height(&self) -> u32 {
        self.head().height() + BODY
    }

    fn draw(&self, paper: &Paper<'_>) -> Result<(), PlotError> {
        let empty = || PlotError::Empty { title: self.title.clone() };
        let [x_range, y_range] = self.ranges().ok_or_else(empty)?;
        let (x_marks, x_shown) = self.scale.marked(x_range.clone());
        let y_step = round_step(&y_range, 6);

        paper.fill(&WHITE).map_err(PlotError::from_drawing)?;
        let body = self.head().draw(paper)?;
        let mut chart = ChartBuilder::on(&body)
            .margin(14)
            .margin_top(8)
            .margin_right(24)
            .x_label_area_size(74)
            .y_label_area_size(140)
            .build_cartesian_2d(x_marks, marked(y_range.clone(), y_step))
            .map_err(PlotError::from_drawing)?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID)
            .label_style((FONT, TEXT))
            .axis_desc_style((FONT, TEXT))
            .x_desc(&self.x.label)
            .y_desc(&self.y.label)
            .x_label_formatter(&x_shown)
            .y_label_formatter(&|number| shown(*number, y_step))
            .draw()
            .map_err(PlotError::from_drawing)?;
        for (index, line) in self.lines.iter().enumerate() {
            draw_band(&mut chart, index, line, &y_range)?;
        }
        let level = |y: f64| {
            let ends = [(x_range.start, y), (x_range.end, y)];
            DashedPathElement::new(ends, 12, 8, BLACK.stroke_width(2))
        };
        let levels = self.levels.iter().map(|&(_, y)| level(y));
        chart.draw_series(levels).map_err(PlotError::from_drawing)?;
        for (index, line) in self.lines.iter().enumerate() {
            draw_line(&mut chart, index, line, &y_range)?;
        }
        paper.present().map_err(PlotError::from_drawing)
    }
}

type Context<'a, 'b, C> = ChartContext<'a, SVGBackend<'b>, C>;

fn draw_band<'a, 'b: 'a, C: CoordTranslate<From = Point>>(
    chart: &mut Context<'a, 'b, C>,
    index: usize,
    line: &PlotLine,
    heights: &Range<f64>,
) -> Result<(), PlotError> {
    let edge = |end: fn(&(f64, f64, f64)) -> f64| -> Vec<Point> {
        let points = line.band.iter().map(|part| (part.0, end(part).clamp(heights.start, heights.end)));
        thinned(&points.collect::<Vec<_>>(), COLUMNS)
    };
    let (low, high) = (edge(|part| part.1), edge(|part| part.2));
    let corners: Vec<Point> = low.into_iter().chain(high.into_iter().rev()).collect();
    let area = (corners.len() > 3).then(|| Polygon::new(corners, COLORS[index % COLORS.len()].mix(0.18)));
    chart.draw_series(area).map_err(PlotError::from_drawing)?;
    Ok(())
}

fn draw_line<'a, 'b: 'a, C: CoordTranslate<From = Point>>(
    chart: &mut Context<'a, 'b, C>,
    index: usize,
    line: &PlotLine,
    heights: &Range<f64>,
) -> Result<(), PlotError> {
    let color = COLORS[index % COLORS.len()];
    let points = thinned(&line.points, COLUMNS);
    let parts =
        clipped(&points, heights).into_iter().map(|part| PathElement::new(part, color.stroke_width(3)));
    chart.draw_series(parts).map_err(PlotError::from_drawing)?;
    let bars = line.points.iter().zip(&line.errors);
    let bars =
        bars.map(|(&(x, _), &(low, high))| PathElement::new([(x, low), (x, high)], color.stroke_width(2)));
    chart.draw_series(bars).map_err(PlotError::from_drawing)?;
    let every = if points.len() <= MARKED { 1 } else { points.len().div_ceil(MARKS) };
    let marks = points.iter().skip(every / 2).step_by(every).filter(|point| heights.contains(&point.1));
    let marks = marks.map(|&point| EmptyElement::at(point) + mark(index, (0, 0)));
    chart.draw_series(marks).map_err(PlotError::from_drawing)?;
    Ok(())
}
