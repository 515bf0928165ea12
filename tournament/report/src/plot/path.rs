//! The visible part of a line: thinned to the resolution, clipped to the chart.

use std::ops::Range;

/// A point: x, y.
pub(super) type Point = (f64, f64);

/// At most four points for each of `columns` columns of equal width: first, lowest, highest and last, in their order,
/// so that peaks survive. x must not decrease.
pub(super) fn thinned(points: &[Point], columns: usize) -> Vec<Point> {
    if points.len() <= 4 * columns {
        return points.to_vec();
    }
    let (start, end) = (points[0].0, points[points.len() - 1].0);
    let width = (end - start) / columns as f64;
    let column = |point: &Point| ((point.0 - start) / width) as usize;
    let mut kept = Vec::with_capacity(4 * columns);
    for part in points.chunk_by(|first, second| column(first) == column(second)) {
        let by_height = |&a: &usize, &b: &usize| part[a].1.total_cmp(&part[b].1);
        let (least, most) = ((0..part.len()).min_by(by_height), (0..part.len()).max_by(by_height));
        let mut wanted = [Some(0), least, most, Some(part.len() - 1)];
        wanted.sort_unstable();
        let mut places: Vec<usize> = wanted.into_iter().flatten().collect();
        places.dedup();
        kept.extend(places.into_iter().map(|place| part[place]));
    }
    kept
}

/// The parts of a line between two heights.
pub(super) fn clipped(points: &[Point], heights: &Range<f64>) -> Vec<Vec<Point>> {
    if let [point] = points {
        let inside = heights.start <= point.1 && point.1 <= heights.end;
        return if inside { vec![vec![*point]] } else { Vec::new() };
    }
    let mut parts: Vec<Vec<Point>> = Vec::new();
    for pair in points.windows(2) {
        let Some((from, to)) = clipped_step(pair[0], pair[1], heights) else { continue };
        match parts.last_mut() {
            Some(part) if part.last() == Some(&from) => part.push(to),
            _ => parts.push(vec![from, to]),
        }
    }
    parts
}

fn clipped_step(from: Point, to: Point, heights: &Range<f64>) -> Option<(Point, Point)> {
    let (least, most) = (from.1.min(to.1), from.1.max(to.1));
    if most < heights.start || least > heights.end {
        return None;
    }
    let at = |y: f64| (from.0 + (to.0 - from.0) * (y - from.1) / (to.1 - from.1), y);
    let inside = |point: Point| match point.1 {
        y if y < heights.start => at(heights.start),
        y if y > heights.end => at(heights.end),
        _ => point,
    };
    Some((inside(from), inside(to)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_keeps_its_peaks() {
        let points: Vec<Point> = (0..10_000)
            .map(|index| (f64::from(index), if index == 7_777 { 99.0 } else { f64::from(index % 7) }))
            .collect();
        let kept = thinned(&points, 100);
        assert!(kept.len() <= 404, "{}", kept.len());
        assert!(kept.contains(&(7_777.0, 99.0)));
        assert_eq!((kept[0], kept[kept.len() - 1]), (points[0], points[9_999]));
        assert!(kept.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert_eq!(thinned(&points[..400], 100), &points[..400]);
    }

    #[test]
    fn a_line_is_cut_where_it_leaves_the_chart() {
        let points = [(0.0, 20.0), (1.0, 0.0), (2.0, 0.0), (3.0, -20.0), (4.0, -20.0), (5.0, 0.0)];
        let parts = clipped(&points, &(-10.0..10.0));
        assert_eq!(
            parts,
            [vec![(0.5, 10.0), (1.0, 0.0), (2.0, 0.0), (2.5, -10.0)], vec![(4.5, -10.0), (5.0, 0.0)]]
        );
        assert_eq!(clipped(&[(0.0, 5.0)], &(-10.0..10.0)), [vec![(0.0, 5.0)]]);
        assert!(clipped(&[(0.0, 50.0)], &(-10.0..10.0)).is_empty());
    }
}
