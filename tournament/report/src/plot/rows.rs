//! Frame of the charts with one horizontal row per name: bars, intervals and shares.

use std::ops::Range;

use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::head::PlotHead;
use super::range::{Marked, marked, round_step};
use super::{FONT, GRID, LETTER, Paper, PlotError, TEXT, shortened, shown};

/// Height of a row with the gap to the next.
const ROW: u32 = 46;

/// Height of the axis.
const AXIS: u32 = 114;

/// Maximum number of characters of a name.
const LONGEST_NAME: usize = 24;

/// The chart in plotters' coordinates: each row is one high, the first from −1 to 0, the second from −2 to −1.
pub(super) type Rows<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Marked, RangedCoordf64>>;

/// Frame of a chart with rows.
pub(super) struct RowFrame<'a> {
    pub(super) head: PlotHead,
    pub(super) axis: &'a str,
    pub(super) names: Vec<&'a str>,
    pub(super) range: Range<f64>,
}

/// Height of a chart with this number of rows, with its head.
pub(super) fn height(head: &PlotHead, rows: usize) -> u32 {
    head.height() + AXIS + ROW * rows as u32
}

/// The middle of a row, moved up by `above`.
pub(super) fn row(index: usize, above: f64) -> f64 {
    above - 0.5 - index as f64
}

impl RowFrame<'_> {
    /// Draws head, names, axis and the content of the rows.
    pub(super) fn draw(
        &self,
        paper: &Paper<'_>,
        fill: impl FnOnce(&mut Rows<'_, '_>) -> Result<(), PlotError>,
    ) -> Result<(), PlotError> {
        paper.fill(&WHITE).map_err(PlotError::from_drawing)?;
        let body = self.head.draw(paper)?;
        let names: Vec<String> = self.names.iter().map(|name| shortened(name, LONGEST_NAME)).collect();
        let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let step = round_step(&self.range, 6);
        let mut chart = ChartBuilder::on(&body)
            .margin(14)
            .margin_top(0)
            .margin_right(40)
            .x_label_area_size(74)
            .y_label_area_size(LETTER * longest as u32 + 16)
            .build_cartesian_2d(marked(self.range.clone(), step), -(names.len() as f64)..0.0)
            .map_err(PlotError::from_drawing)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .y_labels(0)
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID)
            .label_style((FONT, TEXT))
            .axis_desc_style((FONT, TEXT))
            .x_desc(self.axis)
            .x_label_formatter(&|number| shown(*number, step))
            .draw()
            .map_err(PlotError::from_drawing)?;
        fill(&mut chart)?;
        let style = (FONT, TEXT).into_text_style(paper).pos(Pos::new(HPos::Right, VPos::Center));
        for (index, name) in names.iter().enumerate() {
            let (_, y) = chart.backend_coord(&(0.0, row(index, 0.0)));
            let x = (LETTER * longest as u32 + 16) as i32;
            paper.draw_text(name, &style, (x, y)).map_err(PlotError::from_drawing)?;
        }
        paper.present().map_err(PlotError::from_drawing)
    }
}

/// A vertical line across all rows.
pub(super) fn upright(chart: &mut Rows<'_, '_>, x: f64, rows: usize) -> Result<(), PlotError> {
    let line = PathElement::new([(x, -(rows as f64)), (x, 0.0)], BLACK.stroke_width(2));
    chart.draw_series([line]).map_err(PlotError::from_drawing)?;
    Ok(())
}
