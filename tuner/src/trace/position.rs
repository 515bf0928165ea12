//! The trace of one position: coefficients of the parameters, the engine's own score, and the score from the
//! coefficients.

use super::header::{Header, fits};
use crate::loss::add_up;

/// A weight and its coefficient.
pub(crate) type Coefficient = (u16, f32);

/// The trace of a position, White's view.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// Static score of the engine, in its units.
    pub score: f64,
    /// 0 (endgame) to the header's phase.
    pub phase: f64,
    /// 0 to the header's scale and above.
    pub scale: f64,
    /// Part of the score without parameters.
    pub rest: f64,
    /// Coefficients, White minus Black.
    pub linear: Vec<Coefficient>,
    /// Coefficients of White's and of Black's sums under curves.
    pub sides: [Vec<Coefficient>; 2],
    /// Contributions of groups to the score as stated by the engine, by name.
    pub groups: Vec<(String, f64)>,
}

/// An engine's reply to a position.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reply {
    Trace(Trace),
    Skip,
}

impl Reply {
    /// Parses a line `trace …`; `None` for other lines. Repeated coefficients of a weight add up.
    pub(crate) fn parse(line: &str, header: &Header) -> Option<Result<Reply, String>> {
        let words = line.trim().strip_prefix("trace ")?;
        Some(parse(words, header))
    }
}

fn parse(words: &str, header: &Header) -> Result<Reply, String> {
    let mut trace = Trace { phase: header.phase, scale: header.scale, ..Trace::default() };
    let mut words = words.split_ascii_whitespace();
    let mut has_score = false;
    let mut side = None;
    while let Some(word) = words.next() {
        if let Some((index, coefficient)) = word.split_once(':') {
            let weight = index.parse::<u16>().ok().filter(|&i| usize::from(i) < header.schema.weights.len());
            let weight = weight.ok_or_else(|| format!("{word}: no parameter has this index"))?;
            let coefficient = coefficient.parse().ok().filter(|number: &f32| number.is_finite());
            let coefficient = coefficient.ok_or_else(|| format!("{word}: no coefficient"))?;
            let declared = &header.schema.weights[usize::from(weight)];
            let list = match (side, declared.curve) {
                (None, None) => &mut trace.linear,
                (Some(side), Some(_)) => &mut trace.sides[side as usize],
                (None, Some(_)) => {
                    return Err(format!(
                        "{word}: {} has a curve: it belongs after `white` or `black`",
                        declared.name
                    ));
                }
                (Some(_), None) => {
                    return Err(format!("{word}: {} has no curve: it belongs before `white`", declared.name));
                }
            };
            list.push((weight, coefficient));
            continue;
        }
        let mut number = || {
            let number = words.next().and_then(|number| number.parse::<f64>().ok());
            number.filter(|&number| fits(number)).ok_or_else(|| format!("{word}: expected a number"))
        };
        match word {
            "skip" => return Ok(Reply::Skip),
            "score" => (trace.score, has_score) = (number()?, true),
            "phase" => trace.phase = number()?.clamp(0.0, header.phase),
            "scale" => trace.scale = number()?,
            "rest" => trace.rest = number()?,
            "white" => side = Some(0),
            "black" => side = Some(1),
            "group" => {
                let name = words.next().ok_or("group: expected a name")?.to_owned();
                let number = words.next().and_then(|number| number.parse().ok());
                let number = number.filter(|number: &f64| number.is_finite());
                trace.groups.push((name, number.ok_or("group: expected a number")?));
            }
            _ => {
                return Err(format!(
                    "{word}: expected score, phase, scale, rest, group, white, black or INDEX:COUNT"
                ));
            }
        }
    }
    if !has_score {
        return Err("no score".to_owned());
    }
    for list in [&mut trace.linear].into_iter().chain(&mut trace.sides) {
        add_up(list);
        list.retain(|entry| entry.1 != 0.0);
        if list.iter().any(|entry| !entry.1.is_finite()) {
            return Err("the sum of repeated coefficients is too large".to_owned());
        }
        if list.len() > u16::MAX.into() {
            return Err(format!("more than {} coefficients in a row", u16::MAX));
        }
    }
    Ok(Reply::Trace(trace))
}

impl Trace {
    /// Middlegame and endgame shares of the score.
    pub(crate) fn shares(&self, header: &Header) -> [f64; 2] {
        let middlegame = self.phase / header.phase;
        [middlegame, (1.0 - middlegame) * self.scale / header.scale]
    }

    /// Score from the coefficients, in the engine's units.
    pub(crate) fn evaluate(&self, header: &Header, parameters: &[f64]) -> f64 {
        self.by_group(header, parameters).iter().map(|(_, score)| score).sum::<f64>() + self.rest
    }

    /// Contribution of each group to the score, in header order; zero ones are skipped.
    pub(super) fn by_group<'h>(&self, header: &'h Header, parameters: &[f64]) -> Vec<(&'h str, f64)> {
        let shares = self.shares(header);
        let mut groups: Vec<(&str, f64)> = Vec::new();
        let mut add = |name: &'h str, score: f64| match groups.iter_mut().find(|group| group.0 == name) {
            Some(group) => group.1 += score,
            None => groups.push((name, score)),
        };
        let pair =
            |weight: u16| [parameters[2 * usize::from(weight)], parameters[2 * usize::from(weight) + 1]];
        for &(weight, coefficient) in &self.linear {
            let declared = &header.schema.weights[usize::from(weight)];
            let [middlegame, endgame] = pair(weight);
            let value =
                if declared.is_single { middlegame } else { middlegame * shares[0] + endgame * shares[1] };
            add(declared.group(), value * f64::from(coefficient));
        }
        for (index, curve) in header.curves.iter().enumerate() {
            let of_curve = |weight: u16| {
                let declared = &header.schema.weights[usize::from(weight)];
                declared.curve.is_some_and(|curve| curve.index == index).then_some(declared)
            };
            let mut group = None;
            let mut sums = [[0.0; 2]; 2];
            for (side, sums) in self.sides.iter().zip(&mut sums) {
                for &(weight, coefficient) in side {
                    let Some(declared) = of_curve(weight) else { continue };
                    group = Some(declared.group());
                    let [middlegame, endgame] = pair(weight);
                    sums[0] += middlegame * f64::from(coefficient);
                    sums[1] += if declared.is_single { middlegame } else { endgame } * f64::from(coefficient);
                }
            }
            let Some(group) = group else { continue };
            let value = |half: usize| {
                let bend = &curve.bends[half];
                bend.value(sums[0][half]) - bend.value(sums[1][half])
            };
            add(group, value(0) * shares[0] + value(1) * shares[1]);
        }
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_a_file_cannot_hold_are_refused() {
        let header = Header::parse("trace parameter a 1\ntrace ready\n").unwrap();
        let is_read = |line: &str| Reply::parse(line, &header).unwrap().is_ok();
        assert!(is_read("trace score 1e38 rest -1e38 0:1e38 0:1e38"));
        for line in ["score 1e39", "score 1 rest -1e39", "score 1 scale 1e39", "score 1 0:3e38 0:3e38"] {
            assert!(!is_read(&format!("trace {line}")), "{line}");
        }
        assert!(Header::parse("trace scale 1e39\ntrace parameter a 1\ntrace ready\n").is_err());

        let parameters: String = (0..1 << 16).map(|index| format!("trace parameter p{index} 1\n")).collect();
        let header = Header::parse(&(parameters + "trace ready\n")).unwrap();
        let line = |count: u32| (0..count).map(|index| format!(" {index}:1")).collect::<String>();
        let read = |count| Reply::parse(&format!("trace score 1{}", line(count)), &header).unwrap();
        assert!(read(65_535).is_ok());
        assert!(read(65_536).unwrap_err().contains("more than 65535"));
    }
}
