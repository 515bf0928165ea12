//! Single elimination. The best seeds meet last and get the byes. A level pairing gets tiebreak pairs until it is
//! decided or their maximum is reached; then the better seed advances.

use super::pairings::{NextRound, Pairing, PairingScore, PlayedRound, ScheduledPairing};
use crate::plan::Lead;

/// One known round of the bracket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BracketRound {
    /// Its ties in bracket order.
    pub ties: Vec<Tie>,
}

/// Two entrants that meet, or one with a bye.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tie {
    /// The better seed first; `None` for a bye.
    pub entrants: (usize, Option<usize>),
    /// Score, if they play.
    pub score: Option<PairingScore>,
    /// Tiebreak games so far.
    pub further_games: u32,
    pub winner: Option<usize>,
}

/// The next round, or `None` if there is a champion.
pub(super) fn next(
    seeds: &[usize],
    games: u32,
    tiebreak_pairs: u32,
    played: &[PlayedRound],
) -> Option<NextRound> {
    let bracket = bracket(seeds, games, tiebreak_pairs, played);
    let current = bracket.last()?;
    let round = u32::try_from(bracket.len() - 1).ok()?;
    let waiting: Vec<&Tie> = current.ties.iter().filter(|tie| tie.winner.is_none()).collect();
    let goes_on = played.last().is_some_and(|last| last.round == round);
    let pairings: Vec<ScheduledPairing> = waiting.into_iter().filter_map(scheduled).collect();
    (!pairings.is_empty()).then_some(NextRound { round, pairings, games: if goes_on { 2 } else { games } })
}

fn scheduled(tie: &Tie) -> Option<ScheduledPairing> {
    let pairing = Pairing { first: tie.entrants.0, second: tie.entrants.1? };
    Some(ScheduledPairing { pairing, lead: Lead::First, first_opening: None })
}

/// All known rounds: those played, and the one that follows. `games` is the number of games of a pairing
/// without tiebreaks.
pub(super) fn bracket(
    seeds: &[usize],
    games: u32,
    tiebreak_pairs: u32,
    played: &[PlayedRound],
) -> Vec<BracketRound> {
    let mut rounds = Vec::new();
    let mut places = first_places(seeds);
    for round in 0.. {
        let of_round = played.iter().filter(|played| played.round == round);
        let mut ties: Vec<Tie> = places.chunks(2).filter_map(|places| tie(places, seeds)).collect();
        of_round.flat_map(|played| &played.pairings).for_each(|score| add(&mut ties, score));
        let total = |tie: &Tie| tie.score.map_or(0, |score| (score.first + score.second) / 2);
        for tie in &mut ties {
            tie.further_games = total(tie).saturating_sub(games);
            // A tiebreak pair decides only when both games are over.
            let is_whole = total(tie) >= games && tie.further_games.is_multiple_of(2);
            tie.winner = winner(tie, games + 2 * tiebreak_pairs, is_whole);
        }
        let complete = ties.iter().all(|tie| tie.winner.is_some());
        places = ties.iter().map(|tie| tie.winner).collect();
        let last = ties.len() <= 1;
        rounds.push(BracketRound { ties });
        if !complete || last {
            break;
        }
    }
    rounds
}

fn add(ties: &mut [Tie], score: &PairingScore) {
    let tie = ties.iter_mut().find(|tie| (tie.entrants.0, tie.entrants.1) == pair_of(score));
    if let Some(sum) = tie.and_then(|tie| tie.score.as_mut()) {
        sum.first += score.first;
        sum.second += score.second;
    }
}

fn pair_of(score: &PairingScore) -> (usize, Option<usize>) {
    (score.pairing.first, Some(score.pairing.second))
}

/// A tie, the better seed first; one place may be empty in the first round.
fn tie(places: &[Option<usize>], seeds: &[usize]) -> Option<Tie> {
    let mut there: Vec<usize> = places.iter().flatten().copied().collect();
    there.sort_by_key(|entrant| seeds.iter().position(|seed| seed == entrant));
    let entrants = (*there.first()?, there.get(1).copied());
    let score = entrants.1.map(|second| PairingScore::new(Pairing { first: entrants.0, second }));
    Some(Tie { entrants, score, further_games: 0, winner: None })
}

/// The winner. After `most_games` a level pairing goes to the better seed.
fn winner(tie: &Tie, most_games: u32, is_whole: bool) -> Option<usize> {
    let (better, other) = tie.entrants;
    let (Some(other), Some(score)) = (other, tie.score) else { return Some(better) };
    match score.first.cmp(&score.second) {
        _ if !is_whole => None,
        std::cmp::Ordering::Greater => Some(better),
        std::cmp::Ordering::Less => Some(other),
        std::cmp::Ordering::Equal => ((score.first + score.second) / 2 >= most_games).then_some(better),
    }
}

/// Bracket of the first round: the two best seeds can meet only in the final, and so on; places beyond the last seed
/// are empty.
fn first_places(seeds: &[usize]) -> Vec<Option<usize>> {
    let mut order = vec![0_usize];
    while order.len() < seeds.len() {
        let size = 2 * order.len();
        order = order.iter().flat_map(|&seed| [seed, size - 1 - seed]).collect();
    }
    order.into_iter().map(|seed| seeds.get(seed).copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays a whole tournament with these half points of the first entrant of each pairing; returns the rounds.
    fn play(
        entrants: usize,
        games: u32,
        tiebreak_pairs: u32,
        result: impl Fn(Pairing) -> u32,
    ) -> Vec<PlayedRound> {
        let seeds: Vec<usize> = (0..entrants).collect();
        let mut played = Vec::new();
        while let Some(next) = next(&seeds, games, tiebreak_pairs, &played) {
            let score = |scheduled: &ScheduledPairing| {
                let first = result(scheduled.pairing).min(2 * next.games);
                PairingScore { pairing: scheduled.pairing, first, second: 2 * next.games - first }
            };
            let pairings = next.pairings.iter().map(score).collect();
            played.push(PlayedRound { round: next.round, pairings, games: next.games });
            assert!(played.len() < 100);
        }
        played
    }

    fn pairs(round: &PlayedRound) -> Vec<(usize, usize)> {
        round.pairings.iter().map(|score| (score.pairing.first, score.pairing.second)).collect()
    }

    #[test]
    fn the_best_meet_last() {
        let rounds = play(8, 2, 1, |_| 4);
        assert_eq!(pairs(&rounds[0]), [(0, 7), (3, 4), (1, 6), (2, 5)]);
        assert_eq!(pairs(&rounds[1]), [(0, 3), (1, 2)]);
        assert_eq!(pairs(&rounds[2]), [(0, 1)]);
        assert_eq!(rounds.len(), 3);
    }

    #[test]
    fn either_winner_advances() {
        for entrants in 2..40 {
            // The worst seed wins all its pairings.
            let rounds = play(entrants, 2, 1, |pairing| u32::from(pairing.second + 1 != entrants) * 4);
            let seeds: Vec<usize> = (0..entrants).collect();
            let last = bracket(&seeds, 2, 1, &rounds).pop().unwrap();
            assert_eq!(last.ties.len(), 1);
            assert_eq!(last.ties[0].winner, Some(entrants - 1));
            let met: usize = rounds.iter().map(|round| round.pairings.len()).sum();
            assert_eq!(met, entrants - 1, "everybody but one loses once");
        }
    }

    #[test]
    fn the_best_seeds_have_the_byes() {
        let rounds = play(5, 2, 1, |_| 4);
        assert_eq!(pairs(&rounds[0]), [(3, 4)]);
        assert_eq!(pairs(&rounds[1]), [(0, 3), (1, 2)]);
        let seeds = [0, 1, 2, 3, 4];
        let first = &bracket(&seeds, 2, 1, &rounds)[0];
        let byes: Vec<_> = first.ties.iter().filter(|tie| tie.entrants.1.is_none()).collect();
        assert_eq!(byes.iter().map(|tie| tie.winner).collect::<Vec<_>>(), [Some(0), Some(1), Some(2)]);
    }

    #[test]
    fn a_level_pairing_goes_on_by_pairs_and_then_the_better_seed_does() {
        let rounds = play(2, 4, 3, |_| u32::MAX / 2);
        assert_eq!(rounds.len(), 1, "that was no level one");
        let level = |games: u32| PlayedRound {
            round: 0,
            pairings: vec![PairingScore {
                first: games,
                second: games,
                ..PairingScore::new(Pairing { first: 0, second: 1 })
            }],
            games,
        };
        let mut played = vec![level(4)];
        for _ in 0..3 {
            let next = next(&[0, 1], 4, 3, &played).unwrap();
            assert_eq!((next.round, next.games, next.pairings.len()), (0, 2, 1));
            played.push(level(2));
        }
        assert_eq!(next(&[0, 1], 4, 3, &played), None);
        let tie = bracket(&[0, 1], 4, 3, &played)[0].ties[0];
        assert_eq!((tie.winner, tie.further_games), (Some(0), 6));
    }
}
