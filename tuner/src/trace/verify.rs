//! Verifies traces before a fit: coefficients times parameters must equal the engine's own score.

use smalt_chess::Position;

use super::header::Header;
use super::position::Trace;

/// Differences listed per group.
pub(crate) const NAMED: usize = 10;

/// A position whose coefficients do not give the engine's score.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Difference {
    pub fen: String,
    pub engine: f64,
    /// Value from the coefficients.
    pub coefficients: f64,
    /// Contribution of each group by the coefficients.
    pub groups: Vec<(String, f64)>,
}

/// Differences of one group, or of the whole score.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Differences {
    /// The group; `None` for the whole score.
    pub group: Option<String>,
    /// Number of differing positions.
    pub count: u64,
    pub greatest: f64,
    /// The first of them.
    pub first: Vec<Difference>,
}

/// Compares scores position by position.
pub(crate) struct Verification {
    /// Tolerance in score units.
    pub tolerance: f64,
    pub positions: u64,
    /// Differences of the score, and of each group for which the engine states its contribution.
    pub differences: Vec<Differences>,
}

impl Verification {
    /// Without positions; the tolerance is in score units.
    pub(crate) fn new(tolerance: f64) -> Verification {
        Verification { tolerance, positions: 0, differences: Vec::new() }
    }

    pub(super) fn compare(&mut self, header: &Header, position: &Position, trace: &Trace) {
        self.positions += 1;
        let groups = trace.by_group(header, &header.start);
        let score = groups.iter().map(|(_, score)| score).sum::<f64>() + trace.rest;
        let mut note = |group: Option<&str>, engine: f64, coefficients: f64| {
            let distance = (engine - coefficients).abs();
            if distance <= self.tolerance {
                return;
            }
            let known = self.differences.iter().position(|entry| entry.group.as_deref() == group);
            let index = known.unwrap_or(self.differences.len());
            if known.is_none() {
                let group = group.map(str::to_owned);
                self.differences.push(Differences { group, count: 0, greatest: 0.0, first: Vec::new() });
            }
            let entry = &mut self.differences[index];
            entry.count += 1;
            entry.greatest = entry.greatest.max(distance);
            if entry.first.len() < NAMED {
                let groups = groups.iter().map(|&(name, score)| (name.to_owned(), score)).collect();
                entry.first.push(Difference { fen: position.to_fen(), engine, coefficients, groups });
            }
        };
        note(None, trace.score, score);
        for (name, engine) in &trace.groups {
            let own = groups.iter().find(|group| group.0 == name).map_or(0.0, |group| group.1);
            note(Some(name), *engine, own);
        }
    }

    /// True if any position differs.
    pub(crate) fn has_failed(&self) -> bool {
        !self.differences.is_empty()
    }

    /// Whether the whole score differs in as many positions as are listed.
    pub(super) fn is_full(&self) -> bool {
        self.differences.iter().any(|entry| entry.group.is_none() && entry.count >= NAMED as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::position::Reply;

    #[test]
    fn differences_are_named_by_group_up_to_ten() {
        let text = "trace version 1\ntrace parameter material.pawn 100 100\ntrace parameter mobility.rook 4 8\ntrace ready\n";
        let header = Header::parse(text).unwrap();
        let position = Position::start();
        let mut verification = Verification::new(1.0);
        let mut compare = |line: &str| match Reply::parse(line, &header) {
            Some(Ok(Reply::Trace(trace))) => verification.compare(&header, &position, &trace),
            other => panic!("{other:?}"),
        };
        compare("trace score 101 0:1");
        compare("trace score 104 group material 100 group mobility 4 0:1 1:1");
        for _ in 0..12 {
            compare("trace score 110 group mobility 9 0:1 1:1 phase 24");
        }
        assert_eq!((verification.positions, verification.differences.len()), (14, 2));
        let [score, mobility] = &verification.differences[..] else { panic!() };
        assert_eq!(
            (score.group.as_deref(), score.count, score.first.len(), score.greatest),
            (None, 12, 10, 6.0)
        );
        assert_eq!((mobility.group.as_deref(), mobility.count), (Some("mobility"), 12));
        assert_eq!(mobility.first[0].coefficients, 4.0);
        assert_eq!(score.first[0].groups, [("material".to_owned(), 100.0), ("mobility".to_owned(), 4.0)]);
        assert!(verification.has_failed() && verification.is_full());
    }
}
