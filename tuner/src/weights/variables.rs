//! Free variables of a fit: free parameters, ties, bounds and order constraints.
//!
//! During a fit, a violated bound or order adds its squared size times [`STIFFNESS`], so that every solver minimizes
//! the same smooth function; [`Variables::project`] removes the remaining violations.

use std::collections::BTreeMap;

use super::schema::{Bounds, Schema};

/// Cost of a violation of one centipawn, in mean squared error: as large as the data's effect on the most influential
/// weights, so that final violations are far below one.
const STIFFNESS: f64 = 5e-6;

/// Whether the schema's constraints apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constraints {
    /// Each term obeys the schema's constraints.
    Schema,
    /// Bounds only.
    None,
}

/// Free parameters as the solver's variables.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Variables {
    /// Parameters of each variable, in ascending order of the first.
    members: Vec<Vec<usize>>,
    bounds: Vec<Bounds>,
    /// Pairs of variables with the first at most the second, along each list.
    rising: Vec<(usize, usize)>,
}

impl Variables {
    /// Variables of free parameters in ascending order; `bounds` narrows the engine's bounds, by parameter. Fixed
    /// parameters constrain no others: a list is ordered over its free numbers.
    pub(crate) fn new(
        schema: &Schema,
        free: &[usize],
        constraints: Constraints,
        bounds: &BTreeMap<usize, Bounds>,
    ) -> Variables {
        let mut members: Vec<Vec<usize>> = Vec::new();
        let mut of_parameter = BTreeMap::new();
        for &index in free {
            let twin = schema.weight_of(index).twin.map(|twin| 2 * twin + index % 2);
            let twin = twin.filter(|_| constraints == Constraints::Schema);
            let known = twin.and_then(|twin| of_parameter.get(&twin).copied());
            let variable = known.unwrap_or(members.len());
            of_parameter.insert(index, variable);
            match known {
                Some(variable) => members[variable].push(index),
                None => members.push(vec![index]),
            }
        }
        let held = |members: &Vec<usize>| {
            let given = members.iter().filter_map(|index| bounds.get(index));
            given.fold(schema.weight_of(members[0]).bounds, |held, more| {
                let most = held.most.min(more.most).max(held.least);
                Bounds { least: held.least.max(more.least).min(most), most }
            })
        };
        let rises = |index: &usize| constraints == Constraints::Schema && schema.weight_of(*index).rises;
        let pair = |&index: &usize| Some((of_parameter[&index], *of_parameter.get(&(index + 2))?));
        let rising = free.iter().filter(|index| rises(index)).filter_map(pair).collect();
        Variables { bounds: members.iter().map(held).collect(), members, rising }
    }

    pub(crate) fn len(&self) -> usize {
        self.members.len()
    }

    /// Parameters of each variable.
    pub(crate) fn members(&self) -> &[Vec<usize>] {
        &self.members
    }

    /// Bounds of a variable: its own, and the nearest known values below and above it in a list.
    pub(crate) fn bounds(&self, variable: usize, known: &[Option<f64>]) -> Bounds {
        let nearest = |next: &dyn Fn(usize) -> Option<usize>| {
            std::iter::successors(next(variable), |other| next(*other)).find_map(|other| known[other])
        };
        let below = |of: usize| self.rising.iter().find(|pair| pair.1 == of).map(|pair| pair.0);
        let above = |of: usize| self.rising.iter().find(|pair| pair.0 == of).map(|pair| pair.1);
        let Bounds { least, most } = self.bounds[variable];
        Bounds {
            least: nearest(&below).map_or(least, |value| value.max(least)),
            most: nearest(&above).map_or(most, |value| value.min(most)),
        }
    }

    /// Variables at these parameters: the mean of tied ones.
    pub(crate) fn point(&self, parameters: &[f64]) -> Vec<f64> {
        let mean = |members: &Vec<usize>| {
            members.iter().map(|&index| parameters[index]).sum::<f64>() / members.len() as f64
        };
        self.members.iter().map(mean).collect()
    }

    /// Sets the parameters of the variables.
    pub(crate) fn apply(&self, point: &[f64], parameters: &mut [f64]) {
        for (members, &number) in self.members.iter().zip(point) {
            members.iter().for_each(|&index| parameters[index] = number);
        }
    }

    /// Cost of all violations; adds its gradient to `gradient`.
    pub(crate) fn penalize(&self, point: &[f64], gradient: &mut [f64]) -> f64 {
        let mut cost = 0.0;
        for (index, (&number, bounds)) in point.iter().zip(&self.bounds).enumerate() {
            let breach = number - number.clamp(bounds.least, bounds.most);
            cost += STIFFNESS * breach * breach;
            gradient[index] += 2.0 * STIFFNESS * breach;
        }
        for &(lower, upper) in &self.rising {
            let breach = (point[lower] - point[upper]).max(0.0);
            cost += STIFFNESS * breach * breach;
            gradient[lower] += 2.0 * STIFFNESS * breach;
            gradient[upper] -= 2.0 * STIFFNESS * breach;
        }
        cost
    }

    /// Projects a point onto the constraints: numbers into their bounds, lists into rising order by pooling adjacent
    /// violators (Ayer and others, 1955). `weight` is the coverage of a variable.
    pub(crate) fn project(&self, point: &mut [f64], weight: impl Fn(usize) -> f64) {
        let mut seen = 0;
        while seen < self.rising.len() {
            let mut chain = vec![self.rising[seen].0];
            let mut next = seen;
            // The two numbers of a weight alternate in the list of pairs.
            while let Some(pair) = self.rising[next..].iter().find(|pair| pair.0 == chain[chain.len() - 1]) {
                chain.push(pair.1);
                next = self.rising.iter().position(|other| other == pair).unwrap_or(next);
            }
            let is_first = !self.rising.iter().any(|pair| pair.1 == chain[0]);
            if is_first {
                pool(&chain, point, &weight);
            }
            seen += 1;
        }
        for (number, bounds) in point.iter_mut().zip(&self.bounds) {
            *number = number.clamp(bounds.least, bounds.most);
        }
    }
}

/// Pools adjacent values until they are in order.
fn pool(chain: &[usize], point: &mut [f64], weight: &impl Fn(usize) -> f64) {
    // Mean, weight and length of each pool.
    let mut pools: Vec<(f64, f64, usize)> = Vec::with_capacity(chain.len());
    for &index in chain {
        pools.push((point[index], weight(index).max(1e-9), 1));
        while let [.., (lower, lower_weight, lower_length), (upper, upper_weight, upper_length)] = pools[..]
            && lower > upper
        {
            pools.truncate(pools.len() - 2);
            let weight = lower_weight + upper_weight;
            let mean = (lower * lower_weight + upper * upper_weight) / weight;
            pools.push((mean, weight, lower_length + upper_length));
        }
    }
    let numbers = pools.iter().flat_map(|&(mean, _, length)| std::iter::repeat_n(mean, length));
    for (&index, number) in chain.iter().zip(numbers) {
        point[index] = number;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smalt::evaluation::schema::{Constraint, SCHEMA, Term, WEIGHTS};

    fn all(constraints: Constraints) -> Variables {
        let free: Vec<usize> = (0..2 * WEIGHTS).collect();
        Variables::new(Schema::own(), &free, constraints, &BTreeMap::new())
    }

    #[test]
    fn mirrored_boards_have_half_as_many_variables() {
        let mirrored = SCHEMA.iter().filter(|entry| entry.constraint == Constraint::Mirrored).count();
        assert!(mirrored > 0);
        assert_eq!(all(Constraints::None).len(), 2 * WEIGHTS);
        assert_eq!(all(Constraints::Schema).len(), 2 * WEIGHTS - mirrored * 64);
        let mut parameters: Vec<f64> = (0..2 * WEIGHTS).map(|index| index as f64).collect();
        let variables = all(Constraints::Schema);
        variables.apply(&variables.point(&parameters.clone()), &mut parameters);
        let start = 2 * Term::SquareRook.start();
        assert_eq!(parameters[start], parameters[start + 14]);
        assert_eq!(parameters[start + 1], parameters[start + 15]);
        assert_ne!(parameters[start], parameters[start + 16]);
    }

    #[test]
    fn lists_rise_when_settled_and_hold_their_weighted_mean() {
        let variables = all(Constraints::Schema);
        let mut parameters = vec![0.0; 2 * WEIGHTS];
        let start = 2 * Term::MobilityKnight.start();
        let numbers = [5.0, 1.0, 3.0, 2.0, 8.0, 7.0, 9.0, 9.0, 4.0];
        for (index, number) in numbers.into_iter().enumerate() {
            parameters[start + 2 * index] = number;
        }
        let mut point = variables.point(&parameters);
        variables.project(&mut point, |_| 1.0);
        variables.apply(&point, &mut parameters);
        let projected: Vec<f64> = (0..9).map(|index| parameters[start + 2 * index]).collect();
        assert!(projected.is_sorted(), "{projected:?}");
        assert!((projected.iter().sum::<f64>() - numbers.iter().sum::<f64>()).abs() < 1e-9);
        assert_eq!(variables.penalize(&point, &mut vec![0.0; point.len()]), 0.0);
    }

    #[test]
    fn the_nearest_known_neighbours_bound_a_variable() {
        let variables = all(Constraints::Schema);
        let of = |place: usize| {
            let parameter = 2 * (Term::MobilityKnight.start() + place);
            variables.members().iter().position(|members| members.contains(&parameter)).unwrap()
        };
        let mut known = vec![None; variables.len()];
        let own = variables.bounds(of(4), &known);
        assert!(own.least < -1000.0 && own.most > 1000.0);
        (known[of(0)], known[of(1)], known[of(8)]) = (Some(-50.0), Some(2.0), Some(3.0));
        assert_eq!(variables.bounds(of(4), &known), Bounds { least: 2.0, most: 3.0 });
        assert_eq!(variables.bounds(of(8), &known), Bounds { least: 2.0, ..own });
    }

    #[test]
    fn slopes_of_breaches_are_what_finite_differences_say() {
        let bounds = BTreeMap::from([(4, Bounds { least: 10.0, most: 20.0 })]);
        let free: Vec<usize> = (0..2 * WEIGHTS).collect();
        let variables = Variables::new(Schema::own(), &free, Constraints::Schema, &bounds);
        let point: Vec<f64> = (0..variables.len()).map(|index| (index * 37 % 101) as f64 - 50.0).collect();
        let mut gradient = vec![0.0; point.len()];
        variables.penalize(&point, &mut gradient);
        let cost = |point: &[f64]| variables.penalize(point, &mut vec![0.0; point.len()]);
        for index in (0..point.len()).step_by(7) {
            let (mut above, mut below) = (point.clone(), point.clone());
            above[index] += 1e-3;
            below[index] -= 1e-3;
            let slope = (cost(&above) - cost(&below)) / 2e-3;
            assert!((slope - gradient[index]).abs() < 1e-7, "{index}: {slope}, {}", gradient[index]);
        }
    }

    #[test]
    fn numbers_stay_within_bounds() {
        let bounds = BTreeMap::from([(0, Bounds { least: 80.0, most: 120.0 })]);
        let variables = Variables::new(Schema::own(), &[0, 1], Constraints::Schema, &bounds);
        let mut point = [300.0, 40_000.0];
        variables.project(&mut point, |_| 1.0);
        assert_eq!(point, [120.0, 30_000.0]);
        let beyond = BTreeMap::from([(0, Bounds { least: 40_000.0, most: 50_000.0 })]);
        Variables::new(Schema::own(), &[0, 1], Constraints::Schema, &beyond).project(&mut point, |_| 1.0);
        assert_eq!(point, [30_000.0; 2]);
    }
}
