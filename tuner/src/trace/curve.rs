//! Curves of non-linear parameter groups, with derivatives. A curve applies to the sum of one side; the score is
//! White's value minus Black's.

/// Curves for middlegame and endgame.
#[derive(Clone, Debug, PartialEq)]
pub struct CurveForm {
    pub name: String,
    /// Middlegame and endgame.
    pub bends: [Bend; 2],
}

impl CurveForm {
    /// Start values of weights in a group of zeros; see [`crate::weights::schema::Curve`].
    pub(crate) fn lift(&self) -> [f64; 2] {
        self.bends.each_ref().map(|bend| match bend {
            Bend::Quadratic(divisor) => (divisor / 100.0).max(1.0),
            Bend::Table(points) if bend.slope(0.0) == 0.0 => {
                let rise = points.windows(2).find(|pair| pair[0].1 != pair[1].1);
                rise.map_or(0.0, |pair| (pair[0].0.max(0.0) + pair[1].0) / 10.0)
            }
            _ => 0.0,
        })
    }
}

/// A function of a sum.
#[derive(Clone, Debug, PartialEq)]
pub enum Bend {
    Zero,
    /// max(x, 0) / divisor.
    Linear(f64),
    /// x · max(x, 0) / divisor.
    Quadratic(f64),
    /// most / (1 + e^((center − x) / width)).
    Sigmoid {
        /// Limit for large sums.
        most: f64,
        /// Sum at half of the limit.
        center: f64,
        /// Distance from the center to 73% of the limit.
        width: f64,
    },
    /// Linear interpolation between points (x, y) with increasing x; constant outside.
    Table(Vec<(f64, f64)>),
}

impl Bend {
    /// Parses `zero`, `linear D`, `quadratic D`, `sigmoid MOST CENTER WIDTH` or `table X:Y X:Y …`.
    ///
    /// # Errors
    /// The reason, if the words are invalid.
    pub(crate) fn parse(words: &[&str]) -> Result<Bend, String> {
        let (form, rest) = words.split_first().ok_or("expected the form of a curve")?;
        let finite = |word: &str| word.parse().ok().filter(|number: &f64| number.is_finite());
        let numbers: Option<Vec<f64>> = rest.iter().map(|word| finite(word)).collect();
        let bend = match (*form, numbers.as_deref()) {
            ("zero", Some([])) => Some(Bend::Zero),
            ("linear", Some(&[divisor])) if divisor > 0.0 => Some(Bend::Linear(divisor)),
            ("quadratic", Some(&[divisor])) if divisor > 0.0 => Some(Bend::Quadratic(divisor)),
            ("sigmoid", Some(&[most, center, width])) if width > 0.0 => {
                Some(Bend::Sigmoid { most, center, width })
            }
            ("table", None) => {
                let point = |word: &&str| {
                    let (x, y) = word.split_once(':')?;
                    Some((finite(x)?, finite(y)?))
                };
                let points: Option<Vec<(f64, f64)>> = rest.iter().map(point).collect();
                let is_rising = |points: &Vec<(f64, f64)>| {
                    points.len() > 1 && points.windows(2).all(|pair| pair[0].0 < pair[1].0)
                };
                points.filter(is_rising).map(Bend::Table)
            }
            _ => None,
        };
        bend.ok_or_else(|| {
            format!(
                "{}: expected zero, linear D, quadratic D, sigmoid MOST CENTER WIDTH or table X:Y X:Y …",
                words.join(" ")
            )
        })
    }

    /// The value at a sum.
    #[inline]
    pub(crate) fn value(&self, x: f64) -> f64 {
        match self {
            Bend::Zero => 0.0,
            Bend::Linear(divisor) => x.max(0.0) / divisor,
            Bend::Quadratic(divisor) => x * x.max(0.0) / divisor,
            Bend::Sigmoid { most, center, width } => most / (1.0 + ((center - x) / width).exp()),
            Bend::Table(points) => match segment(points, x) {
                Some([(x0, y0), (x1, y1)]) => y0 + (y1 - y0) * (x - x0) / (x1 - x0),
                None => {
                    if x < points[0].0 {
                        points[0].1
                    } else {
                        points[points.len() - 1].1
                    }
                }
            },
        }
    }

    /// The derivative at a sum; at a corner the right-hand one.
    #[inline]
    pub(crate) fn slope(&self, x: f64) -> f64 {
        match self {
            Bend::Zero => 0.0,
            Bend::Linear(divisor) => {
                if x >= 0.0 {
                    1.0 / divisor
                } else {
                    0.0
                }
            }
            Bend::Quadratic(divisor) => 2.0 * x.max(0.0) / divisor,
            Bend::Sigmoid { most, center, width } => {
                let share = 1.0 / (1.0 + ((center - x) / width).exp());
                most * share * (1.0 - share) / width
            }
            Bend::Table(points) => {
                segment(points, x).map_or(0.0, |[(x0, y0), (x1, y1)]| (y1 - y0) / (x1 - x0))
            }
        }
    }
}

/// The two points around a sum; `None` outside the table.
fn segment(points: &[(f64, f64)], x: f64) -> Option<[(f64, f64); 2]> {
    let next = points.partition_point(|point| point.0 <= x);
    (next > 0 && next < points.len()).then(|| [points[next - 1], points[next]])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(words: &str, values: &[(f64, f64)]) {
        let bend = Bend::parse(&words.split(' ').collect::<Vec<_>>()).unwrap();
        for &(x, expected) in values {
            assert!((bend.value(x) - expected).abs() < 1e-9, "{words} at {x}: {}", bend.value(x));
        }
        for x in [-37.3, -1.2, 3.1, 44.7, 130.9] {
            let slope = (bend.value(x + 1e-5) - bend.value(x - 1e-5)) / 2e-5;
            assert!((bend.slope(x) - slope).abs() < 1e-6, "{words} at {x}: {} is not {slope}", bend.slope(x));
        }
    }

    #[test]
    fn curves_have_their_values_and_slopes() {
        check("zero", &[(10.0, 0.0)]);
        check("linear 20", &[(-5.0, 0.0), (40.0, 2.0)]);
        check("quadratic 720", &[(-60.0, 0.0), (60.0, 5.0)]);
        check("sigmoid 500 100 20", &[(100.0, 250.0)]);
        check("table 0:0 10:5 50:100", &[(-3.0, 0.0), (5.0, 2.5), (30.0, 52.5), (60.0, 100.0)]);
        for bad in
            ["", "linear", "linear 0", "quadratic x", "sigmoid 1 2", "table 0:0", "table 1:0 0:1", "cubic 1"]
        {
            assert!(Bend::parse(&bad.split_whitespace().collect::<Vec<_>>()).is_err(), "{bad}");
        }
    }
}
