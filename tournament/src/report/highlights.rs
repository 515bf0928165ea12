//! Highlights: games ended by a fault, games with a lost lead, and the last games. A few of each, in order of
//! numbers, so that every report stays small.

use std::collections::{BTreeMap, VecDeque};

use smalt_chess::Color;

use crate::plot::GameCurves;
use crate::plot::charts::pawns;
use smalt_match::game::{GameRecord, Termination};

/// Maximum number of games of each kind.
const FAULTS: usize = 6;
const LEADS: usize = 6;
const LAST: usize = 3;

/// Minimum lead, in pawns.
const LEAST_LEAD: f64 = 1.5;

#[derive(Clone, Debug)]
pub(super) struct Highlight {
    /// Game number, from 1.
    pub(super) number: u32,
    pub(super) course: GameCurves,
    pub(super) result: String,
    /// Reason other than the termination; `None` for one of the last games.
    pub(super) why: Option<String>,
}

/// Collects the highlights of all games.
#[derive(Clone, Debug, Default)]
pub(crate) struct Highlights {
    /// First game of each loser and kind of fault.
    faults: BTreeMap<(usize, Termination), Highlight>,
    /// Lost leads with their size, the largest first.
    leads: Vec<(f64, Highlight)>,
    last: VecDeque<Highlight>,
}

impl Highlights {
    /// Adds a game, with the names of the entrants.
    pub(crate) fn add(&mut self, record: &GameRecord, names: &[String]) {
        let course = GameCurves::of_record(record, names);
        if course.moves.is_empty() {
            return;
        }
        let game = Highlight {
            number: record.game.number + 1,
            result: record.outcome.to_string(),
            course,
            why: None,
        };
        self.add_fault(record, &game);
        self.add_lead(record, &game);
        if self.last.len() == LAST {
            self.last.pop_front();
        }
        self.last.push_back(game);
    }

    fn add_fault(&mut self, record: &GameRecord, game: &Highlight) {
        let (Some(loser), true) = (record.loser(), record.termination.is_fault()) else { return };
        let key = (record.entrant(loser), record.termination);
        if self.faults.len() < FAULTS && !self.faults.contains_key(&key) {
            let why = record.fault.as_ref();
            let why = why.map(|fault| format!("{} {}", game.course.players[loser.index()], fault.words));
            self.faults.insert(key, Highlight { why, ..game.clone() });
        }
    }

    fn add_lead(&mut self, record: &GameRecord, game: &Highlight) {
        if record.termination.is_fault() {
            return;
        }
        let lost = [Color::White, Color::Black].map(|color| {
            // A draw loses half as much as a loss.
            let share = match record.loser() {
                Some(loser) if loser == color => 1.0,
                Some(_) => 0.0,
                None => 0.5,
            };
            (share * lead(&game.course, color), color)
        });
        let (lost, color) = if lost[0].0 >= lost[1].0 { lost[0] } else { lost[1] };
        let most = lead(&game.course, color);
        if lost <= 0.0 || most < LEAST_LEAD {
            return;
        }
        let place = self.leads.partition_point(|(other, _)| *other >= lost);
        if place < LEADS {
            let name = &game.course.players[color.index()];
            let why = format!("{name} was {most:.1} pawns ahead by both scores, and did not win");
            self.leads.insert(place, (lost, Highlight { why: Some(why), ..game.clone() }));
            self.leads.truncate(LEADS);
        }
    }

    /// The highlights, without duplicates.
    pub(super) fn games(&self) -> Vec<&Highlight> {
        let leads = self.leads.iter().map(|(_, game)| game);
        let mut games: BTreeMap<u32, &Highlight> = BTreeMap::new();
        for game in self.faults.values().chain(leads).chain(&self.last) {
            games.entry(game.number).or_insert(game);
        }
        games.into_values().collect()
    }
}

/// Largest lead of a side in pawns in two consecutive scores of both engines; 0 if it never led.
fn lead(course: &GameCurves, color: Color) -> f64 {
    let of_side = |white: f64| if color == Color::White { white } else { -white };
    let both = course.moves.windows(2).filter(|both| both[0].color != both[1].color);
    let seen =
        both.filter_map(|both| Some([both[0].score?, both[1].score?].map(|score| of_side(pawns(score)))));
    seen.map(|[first, second]| first.min(second)).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use smalt_chess::{Outcome, UciMove};
    use smalt_protocol::Score;

    use super::*;
    use smalt_match::game::{FaultReport, PlyRecord, SearchRecord};
    use smalt_match::schedule::ScheduledGame;

    /// A game with these alternating scores, each from the engine's own view.
    fn record(number: u32, scores: &[i32], outcome: Outcome, termination: Termination) -> GameRecord {
        let ply = |&score: &i32| PlyRecord {
            mv: UciMove::parse("e2e4").unwrap(),
            search: Some(SearchRecord { score: Some(Score::Centipawns(score)), ..SearchRecord::default() }),
        };
        let fault = FaultReport {
            color: Color::Black,
            name: "late".to_owned(),
            words: "overstepped its time".to_owned(),
            transcript: Vec::new(),
            illegal_move: None,
            overrun: None,
        };
        GameRecord {
            game: ScheduledGame { number, pair: number / 2, round: 0, white: 0, black: 1, opening: 0 },
            fen: None,
            plies: scores.iter().map(ply).collect(),
            outcome,
            termination,
            started: UNIX_EPOCH,
            duration: Duration::ZERO,
            fault: termination.is_fault().then_some(fault),
            peak_memory: [None, None],
            machine: None,
        }
    }

    fn kept(records: &[GameRecord]) -> Vec<(u32, Option<String>)> {
        let names = ["first".to_owned(), "second".to_owned()];
        let mut games = Highlights::default();
        records.iter().for_each(|record| games.add(record, &names));
        games.games().into_iter().map(|game| (game.number, game.why.clone())).collect()
    }

    const WHITE_WINS: Outcome = Outcome::Win(Color::White);

    #[test]
    fn a_lead_is_what_both_saw() {
        // Black was ahead by 4 in its own view and by 2.5 in White's.
        let lost = record(0, &[-250, 400, 100, -100], WHITE_WINS, Termination::Checkmate);
        let quiet = (1..5).map(|number| record(number, &[10, -10], Outcome::Draw, Termination::Repetition));
        let kept = kept(&std::iter::once(lost).chain(quiet).collect::<Vec<_>>());
        let words = "second was 2.5 pawns ahead by both scores, and did not win";
        let numbers: Vec<u32> = kept.iter().map(|game| game.0).collect();
        assert_eq!(numbers, [1, 3, 4, 5], "the lost lead, and the last three");
        assert_eq!((kept[0].1.as_deref(), kept[1].1.as_deref()), (Some(words), None));
    }

    #[test]
    fn of_many_games_few_are_kept_and_those_of_the_greatest_leads() {
        let lead = |number: u32| (number * 37 % 500).cast_signed();
        let scores = |number: u32| [-lead(number), lead(number), 50, -50];
        let draws =
            (0..500).map(|number| record(number, &scores(number), WHITE_WINS, Termination::Checkmate));
        let late = (500..900).map(|number| record(number, &[0, 0], WHITE_WINS, Termination::TimeForfeit));
        let kept = kept(&draws.chain(late).collect::<Vec<_>>());
        let weight = |words: &str| {
            kept.iter().filter(|game| game.1.as_deref().is_some_and(|why| why.contains(words))).count()
        };
        assert_eq!((weight("5.0 pawns ahead"), weight("ahead"), weight("overstepped")), (5, LEADS, 1));
        assert_eq!(kept.len(), LEADS + 1 + LAST);
    }

    #[test]
    fn a_winner_loses_no_lead_and_a_game_without_moves_has_no_highlight() {
        let won = record(0, &[300, -300], WHITE_WINS, Termination::Checkmate);
        assert_eq!(kept(&[won]), [(1, None)]);
        assert!(kept(&[record(0, &[], WHITE_WINS, Termination::TimeForfeit)]).is_empty());
    }
}
