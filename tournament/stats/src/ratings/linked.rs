//! Which players can be compared.
//!
//! In the graph with an edge from each player to everyone they took points from, a group has a finite maximum of the
//! likelihood if it is strongly connected (L. R. Ford, *Solution of a Ranking Problem from Binary Comparisons*,
//! 1957).

use super::{Anchor, Pairing, Unrated};

/// Why each player cannot be rated with the others; `None` for rated players.
pub(super) fn unrated(players: usize, pairings: &[Pairing], anchors: &[Anchor]) -> Vec<Option<Unrated>> {
    let arrows = Arrows::new(players, pairings, anchors);
    let Some(center) = arrows.center(anchors) else {
        return vec![Some(Unrated::Unlinked); players];
    };
    let beaten = arrows.reach(center, Direction::Along);
    let beating = arrows.reach(center, Direction::Against);
    (0..players)
        .map(|player| match (beating[player], beaten[player]) {
            (true, true) => None,
            (true, false) => Some(Unrated::AboveAll),
            (false, true) => Some(Unrated::BelowAll),
            (false, false) => Some(Unrated::Unlinked),
        })
        .collect()
}

enum Direction {
    Along,
    Against,
}

struct Arrows {
    along: Vec<Vec<usize>>,
    against: Vec<Vec<usize>>,
    games: Vec<u64>,
}

impl Arrows {
    /// Anchors have edges both ways between them: their ratings are known whatever their games.
    fn new(players: usize, pairings: &[Pairing], anchors: &[Anchor]) -> Arrows {
        let mut arrows = Arrows {
            along: vec![Vec::new(); players],
            against: vec![Vec::new(); players],
            games: vec![0; players],
        };
        for pairing in pairings {
            let Pairing { white, black, results } = *pairing;
            if results.wins + results.draws > 0 {
                arrows.add(white, black);
            }
            if results.losses + results.draws > 0 {
                arrows.add(black, white);
            }
            arrows.games[white] += results.games();
            arrows.games[black] += results.games();
        }
        for two in anchors.windows(2) {
            arrows.add(two[0].player, two[1].player);
            arrows.add(two[1].player, two[0].player);
        }
        arrows
    }

    fn add(&mut self, from: usize, to: usize) {
        self.along[from].push(to);
        self.against[to].push(from);
    }

    /// An anchor, or else a player of the group with most games; `None` without games.
    fn center(&self, anchors: &[Anchor]) -> Option<usize> {
        if let Some(anchor) = anchors.first() {
            return Some(anchor.player);
        }
        let mut is_placed = vec![false; self.games.len()];
        let mut best: Option<(u64, usize)> = None;
        for player in 0..self.games.len() {
            if is_placed[player] || self.games[player] == 0 {
                continue;
            }
            let group = self.group(player);
            let games = group.iter().map(|&member| self.games[member]).sum();
            group.iter().for_each(|&member| is_placed[member] = true);
            let has_company = group.len() > 1;
            if has_company && best.is_none_or(|(most, _)| games > most) {
                best = Some((games, player));
            }
        }
        best.map(|(_, player)| player)
    }

    fn group(&self, player: usize) -> Vec<usize> {
        let along = self.reach(player, Direction::Along);
        let against = self.reach(player, Direction::Against);
        (0..self.games.len()).filter(|&other| along[other] && against[other]).collect()
    }

    fn reach(&self, start: usize, direction: Direction) -> Vec<bool> {
        let arrows = match direction {
            Direction::Along => &self.along,
            Direction::Against => &self.against,
        };
        let mut is_reached = vec![false; arrows.len()];
        is_reached[start] = true;
        let mut waiting = vec![start];
        while let Some(player) = waiting.pop() {
            for &next in &arrows[player] {
                if !std::mem::replace(&mut is_reached[next], true) {
                    waiting.push(next);
                }
            }
        }
        is_reached
    }
}
