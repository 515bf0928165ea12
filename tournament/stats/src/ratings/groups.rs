//! Connected groups of players, by games.

use super::Pairing;

/// Groups of players connected by games, the group with most games first; players in ascending order. Players without
/// games form their own groups, at the end. Pairings with unknown players are ignored.
pub fn groups(players: usize, pairings: &[Pairing]) -> Vec<Vec<usize>> {
    let mut leaders: Vec<usize> = (0..players).collect();
    let mut games = vec![0; players];
    for pairing in pairings.iter().filter(|pairing| pairing.white < players && pairing.black < players) {
        let [white, black] = [pairing.white, pairing.black].map(|player| leader(&mut leaders, player));
        leaders[white.max(black)] = white.min(black);
        games[pairing.white] += pairing.results.games();
    }
    let mut members: Vec<(u64, Vec<usize>)> = vec![(0, Vec::new()); players];
    for player in 0..players {
        let group = &mut members[leader(&mut leaders, player)];
        group.0 += games[player];
        group.1.push(player);
    }
    members.retain(|(_, group)| !group.is_empty());
    members.sort_by_key(|(games, _)| std::cmp::Reverse(*games));
    members.into_iter().map(|(_, group)| group).collect()
}

/// The first player of the group, with path compression.
fn leader(leaders: &mut [usize], player: usize) -> usize {
    let mut current = player;
    while leaders[current] != current {
        leaders[current] = leaders[leaders[current]];
        current = leaders[current];
    }
    current
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::Wdl;

    #[test]
    fn players_are_grouped_by_their_games() {
        let met = |white, black, games| Pairing { white, black, results: Wdl::new(games, 0, 0) };
        let pairings = [met(0, 3, 1), met(5, 4, 9), met(2, 1, 1), met(2, 3, 1), met(9, 0, 1)];
        assert_eq!(groups(7, &pairings), [vec![4, 5], vec![0, 1, 2, 3], vec![6]]);
        assert_eq!(groups(0, &[]), Vec::<Vec<usize>>::new());
    }
}
