//! Game records as PGN, with the tags and comments that users' scripts read.

use std::fmt::{self, Write as _};
use std::num::NonZeroU64;
use std::sync::Arc;
use std::time::Duration;

use smalt_chess::notation::pgn::PgnGame;
use smalt_chess::{CommentScore, MoveComment, Position, SearchComment};
use smalt_protocol::{Score, TimeControl};
use smalt_report::sanitize::{is_hidden, sanitize};

use crate::game::{GameRecord, SearchRecord, Termination};
use crate::opening::{Openings, eco};
use crate::plan::{Figure, GameWriting, MoveClock, PgnForm, PgnStyle, Plan, TimeFlow, Times, Variant};
use smalt_workbench::calendar::UtcTime;

/// Maximum number of plies in which an opening name is looked up.
const OPENING_PLIES: usize = 40;

/// Usual length of score, depth and time in a comment, in bytes.
const COMMENT_BYTES: usize = 32;

/// Writes the games of one run as PGN.
#[derive(Clone, Debug)]
pub struct PgnWriter {
    event: String,
    site: Option<String>,
    names: Vec<String>,
    clocks: Vec<MoveClock>,
    flow: TimeFlow,
    is_scaled: bool,
    measured: Option<NonZeroU64>,
    variant: Variant,
    writing: GameWriting,
    openings: Arc<Openings>,
    /// Reported names and authors of the engines, if written.
    engines: Option<Vec<[String; 2]>>,
}

impl PgnWriter {
    /// A writer for a plan; opening names are omitted if `openings` is empty.
    pub fn new(plan: &Plan, openings: Arc<Openings>) -> PgnWriter {
        let output = &plan.settings.output;
        PgnWriter {
            openings,
            engines: (output.pgn_style == PgnStyle::Fastchess)
                .then(|| vec![Default::default(); plan.entrants.len()]),
            event: sanitize(plan.name()),
            site: plan.settings.run.site.as_deref().map(sanitize),
            names: plan.entrants.iter().map(|entrant| sanitize(&entrant.name)).collect(),
            clocks: plan.entrants.iter().map(|entrant| entrant.clock.clone()).collect(),
            flow: plan.flow(),
            is_scaled: plan.is_scaled(),
            measured: plan.settings.clock.measured,
            variant: plan.settings.run.variant,
            writing: plan.settings.output.writing(),
        }
    }

    /// Sets the reported name and author of an engine, for the tags of games.
    pub(crate) fn set_engine(&mut self, entrant: usize, name: &str, author: &str) {
        if let Some(engine) = self.engines.as_mut().and_then(|engines| engines.get_mut(entrant)) {
            *engine = [name.to_owned(), author.to_owned()];
        }
    }

    /// One game, followed by an empty line.
    pub fn write(&self, record: &GameRecord) -> String {
        let start = record.fen.as_deref().and_then(|fen| Position::from_fen(fen).ok()).unwrap_or_default();
        let mut game = PgnGame::new(start);
        let first_positions = self.push_moves(&mut game, record);
        self.push_tags(&mut game, record, &first_positions);
        game.set_outcome(Some(record.outcome));
        format!("{}\n", game.written_in(self.writing.notation.into()))
    }

    fn push_tags(&self, game: &mut PgnGame, record: &GameRecord, first_positions: &[Position]) {
        let [white, black] = [record.game.white, record.game.black];
        game.set_tag("Event", &self.event);
        if let Some(site) = &self.site {
            game.set_tag("Site", site);
        }
        game.set_tag("Round", &(record.game.round + 1).to_string());
        game.set_tag("White", &self.names[white]);
        game.set_tag("Black", &self.names[black]);
        if self.writing.form == PgnForm::Full {
            self.push_engines(game, [white, black]);
        }
        if self.variant == Variant::Chess960 {
            game.set_tag("Variant", "Chess960");
        }
        let started = UtcTime::of(record.started);
        if self.writing.times == Times::On {
            game.set_tag("Date", &started.pgn_date());
        }
        if self.writing.form == PgnForm::Minimal {
            return;
        }
        if self.writing.times == Times::On {
            game.set_tag("GameDuration", &hours(record.duration));
            game.set_tag("GameStartTime", &started.pgn_time());
            game.set_tag("GameEndTime", &UtcTime::of(record.started + record.duration).pgn_time());
        }
        game.set_tag("PlyCount", &record.plies.len().to_string());
        game.set_tag("Termination", self.termination_word(record.termination));
        self.push_opening(game, record, first_positions);
        self.push_clocks(game, record);
    }

    fn termination_word(&self, termination: Termination) -> &'static str {
        match (self.writing.style, termination) {
            (PgnStyle::Fastchess, Termination::Stall) => Termination::Disconnect.pgn_word(),
            (PgnStyle::Fastchess, Termination::EndlessLine) => Termination::IllegalMove.pgn_word(),
            _ => termination.pgn_word(),
        }
    }

    /// Text of the last comment: how the game ended.
    fn sentence(&self, record: &GameRecord) -> String {
        match (self.writing.style, record.termination) {
            (PgnStyle::Smalt, _) | (_, Termination::IllegalMove) => record.sentence(),
            (PgnStyle::Fastchess, Termination::MissingMove) => {
                format!("{}: (none)", record.fastchess_sentence())
            }
            (PgnStyle::Fastchess, _) => record.fastchess_sentence(),
        }
    }

    /// The reported names and authors of the engines, under fastchess's tags.
    fn push_engines(&self, game: &mut PgnGame, players: [usize; 2]) {
        let tags = [["EngineWhiteName", "EngineWhiteAuthor"], ["EngineBlackName", "EngineBlackAuthor"]];
        for (player, tags) in players.into_iter().zip(tags) {
            let reported =
                self.engines.as_ref().and_then(|engines| engines.get(player)).into_iter().flatten();
            for (tag, text) in tags.into_iter().zip(reported).filter(|(_, text)| !text.is_empty()) {
                game.set_tag(tag, &sanitize(text));
            }
        }
    }

    /// Time controls of the game, and the nominal ones if they are scaled to the machine.
    fn push_clocks(&self, game: &mut PgnGame, record: &GameRecord) {
        let players = [record.game.white, record.game.black];
        let tags = |measured: Option<NonZeroU64>| {
            players.map(|entrant| {
                let clock = self.clocks[entrant].scaled(measured);
                match self.writing.style {
                    PgnStyle::Smalt => time_control_tag(self.flow, &clock),
                    PgnStyle::Fastchess => fastchess_time_control(&clock),
                }
            })
        };
        let speed = record.machine.as_ref().map(|machine| machine.speed);
        let [white, black] = tags(speed.or(self.measured));
        if white == black {
            game.set_tag("TimeControl", &white);
        } else {
            game.set_tag("WhiteTimeControl", &white);
            game.set_tag("BlackTimeControl", &black);
        }
        if self.is_scaled {
            let [white, black] = tags(None);
            game.set_tag("WhiteAgreedTimeControl", &white);
            game.set_tag("BlackAgreedTimeControl", &black);
        }
    }

    fn push_opening(&self, game: &mut PgnGame, record: &GameRecord, first_positions: &[Position]) {
        let opening = (!self.openings.is_empty()).then(|| self.openings.get(record.game.opening));
        let (eco, name) = opening.map_or((None, None), |opening| (opening.eco, opening.name));
        // The number of a book position is not a name.
        let name = name.filter(|name| !name.bytes().all(|byte| byte.is_ascii_digit()));
        let (eco, name) = if eco.is_none() && name.is_none() {
            let known = eco::classify(first_positions);
            known.map_or((None, None), |(eco, name)| (Some(eco.to_owned()), Some(name.to_owned())))
        } else {
            (eco, name)
        };
        for (tag, text) in [("ECO", eco), ("Opening", name)] {
            if let Some(text) = text {
                game.set_tag(tag, &text);
            }
        }
    }

    /// Returns the positions for the lookup of the opening name.
    fn push_moves(&self, game: &mut PgnGame, record: &GameRecord) -> Vec<Position> {
        let mut first_positions = vec![*game.start()];
        let sentence = self.sentence(record);
        let last = record.plies.len().wrapping_sub(1);
        for (index, ply) in record.plies.iter().enumerate() {
            let Ok(mv) = ply.mv.to_move(game.position()) else { break };
            game.push_legal(mv);
            if first_positions.len() <= OPENING_PLIES {
                first_positions.push(*game.position());
            }
            if self.writing.form == PgnForm::Minimal {
                continue;
            }
            let rest = if index == last { sentence.as_str() } else { "" };
            game.push_comment(comment(ply.search.as_ref(), &self.writing, rest));
        }
        if record.plies.is_empty() {
            game.push_comment(sentence);
        }
        first_positions
    }
}

/// The comment of a move; the score is from the mover's view.
fn comment(search: Option<&SearchRecord>, writing: &GameWriting, sentence: &str) -> String {
    let Some(search) = search else { return joined(MoveComment::Book.to_string(), sentence) };
    let mut rest = String::new();
    let figures: &[Figure] = match writing.style {
        PgnStyle::Smalt => &writing.figures,
        PgnStyle::Fastchess => &FASTCHESS_ORDER,
    };
    for &figure in figures.iter().filter(|figure| writing.figures.contains(figure)) {
        match writing.style {
            PgnStyle::Smalt => push_figure(&mut rest, figure, search, writing.times),
            PgnStyle::Fastchess => push_fastchess_figure(&mut rest, figure, search),
        }
        .expect("a string takes any text");
    }
    for line in &search.lines {
        let separator = if rest.is_empty() { "" } else { ", " };
        // A closing brace would end the comment, and a hidden character moves the cursor of a terminal.
        let line = line.replace(|letter: char| matches!(letter, '{' | '}') || is_hidden(letter), "?");
        write!(rest, "{separator}line=\"{line}\"").expect("a string takes any text");
    }
    let rest = joined(rest, sentence);
    let time = Some(search.elapsed).filter(|_| writing.times == Times::On);
    let Some(score) = search.score else {
        return joined(time.map_or_else(String::new, |time| format!("{:.3}s", time.as_secs_f64())), &rest);
    };
    let comment = SearchComment { score: comment_score(score), depth: search.depth.unwrap_or(0), time, rest };
    let mut text = String::with_capacity(COMMENT_BYTES + comment.rest.len());
    write!(text, "{}", MoveComment::Search(comment)).expect("a string takes any text");
    text
}

fn joined(mut text: String, rest: &str) -> String {
    if !text.is_empty() && !rest.is_empty() {
        text.push_str(", ");
    }
    text.push_str(rest);
    text
}

/// Order of figures in fastchess's comments.
const FASTCHESS_ORDER: [Figure; 8] = [
    Figure::Timeleft,
    Figure::Latency,
    Figure::Nodes,
    Figure::Seldepth,
    Figure::Nps,
    Figure::Hashfull,
    Figure::Tbhits,
    Figure::Pv,
];

/// Appends a figure in fastchess's format; its readers expect each requested one.
fn push_fastchess_figure(text: &mut String, figure: Figure, search: &SearchRecord) -> fmt::Result {
    text.push_str(if text.is_empty() { "" } else { ", " });
    let seconds = |time: Option<Duration>| time.unwrap_or_default().as_secs_f64();
    match figure {
        Figure::Timeleft => write!(text, "tl={:.3}s", seconds(search.left)),
        Figure::Latency => write!(text, "latency={:.3}s", seconds(search.latency)),
        Figure::Nodes => write!(text, "n={}", search.nodes.unwrap_or(0)),
        Figure::Seldepth => write!(text, "sd={}", search.selective_depth.unwrap_or(0)),
        Figure::Nps => {
            let (nodes, time) = (search.nodes.unwrap_or(0) as f64, search.elapsed.as_secs_f64());
            write!(text, "nps={:.0}", if time > 0.0 { nodes / time } else { 0.0 })
        }
        Figure::Hashfull => write!(text, "hashfull={}", search.hashfull.unwrap_or(0)),
        Figure::Tbhits => write!(text, "tbhits={}", search.tbhits.unwrap_or(0)),
        Figure::Pv => {
            let moves: Vec<String> = search.pv.iter().map(ToString::to_string).collect();
            write!(text, "pv=\"{}\"", moves.join(" "))
        }
    }
}

/// Appends a field if the engine reported it; time-dependent ones only if times are written.
fn push_figure(text: &mut String, figure: Figure, search: &SearchRecord, times: Times) -> fmt::Result {
    let timed = |time: Option<Duration>| time.filter(|_| times == Times::On).map(|time| time.as_secs_f64());
    let separator = if text.is_empty() { "" } else { ", " };
    match figure {
        Figure::Nodes => search.nodes.map_or(Ok(()), |nodes| write!(text, "{separator}n={nodes}")),
        Figure::Nps => match (search.nodes, timed(Some(search.elapsed))) {
            (Some(nodes), Some(seconds)) if seconds > 0.0 => {
                write!(text, "{separator}nps={:.0}", nodes as f64 / seconds)
            }
            _ => Ok(()),
        },
        Figure::Seldepth => {
            search.selective_depth.map_or(Ok(()), |plies| write!(text, "{separator}sd={plies}"))
        }
        Figure::Hashfull => {
            search.hashfull.map_or(Ok(()), |thousandths| write!(text, "{separator}hashfull={thousandths}"))
        }
        Figure::Tbhits => search.tbhits.map_or(Ok(()), |hits| write!(text, "{separator}tb={hits}")),
        Figure::Latency => {
            timed(search.latency).map_or(Ok(()), |time| write!(text, "{separator}latency={time:.6}s"))
        }
        Figure::Timeleft => {
            timed(search.left).map_or(Ok(()), |time| write!(text, "{separator}tl={time:.3}s"))
        }
        Figure::Pv if search.pv.is_empty() => Ok(()),
        Figure::Pv => {
            let moves: Vec<String> = search.pv.iter().map(ToString::to_string).collect();
            write!(text, "{separator}pv=\"{}\"", moves.join(" "))
        }
    }
}

/// Converts an engine's score for a comment: engines count mates in moves, comments in plies.
pub fn comment_score(score: Score) -> CommentScore {
    match score {
        Score::Centipawns(value) => CommentScore::Centipawns(value),
        Score::Mate(moves) if moves > 0 => CommentScore::Mates(moves.unsigned_abs().saturating_mul(2) - 1),
        Score::Mate(moves) => CommentScore::Mated(moves.unsigned_abs().saturating_mul(2)),
    }
}

/// The TimeControl tag (PGN standard, section 9.6.1): colons between periods, an asterisk before the time of an
/// hourglass.
fn time_control_tag(flow: TimeFlow, clock: &MoveClock) -> String {
    // A space follows commas between limits of different kinds, but not between periods.
    let text = clock.to_string().replace(", ", "\0").replace(',', ":").replace('\0', ", ");
    match flow {
        TimeFlow::Usual => text,
        TimeFlow::Hourglass => format!("*{text}"),
    }
}

/// fastchess's TimeControl tag, which has times only.
fn fastchess_time_control(clock: &MoveClock) -> String {
    match clock.move_time {
        Some(time) => format!("{}/move", time.as_secs_f64()),
        None if clock.control == TimeControl::UNLIMITED => "-".to_owned(),
        None => clock.control.to_string(),
    }
}

fn hours(duration: Duration) -> String {
    let seconds = duration.as_secs();
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Notation;

    #[test]
    fn comments_have_the_form_that_scripts_read() {
        let search = |score, depth| SearchRecord {
            score,
            depth,
            elapsed: Duration::from_micros(412_700),
            ..SearchRecord::default()
        };
        let check = |search: Option<SearchRecord>, rest: &str, expected: &str| {
            assert_eq!(comment(search.as_ref(), &GameWriting::default(), rest), expected);
        };
        check(Some(search(Some(Score::Centipawns(35)), Some(12))), "", "+0.35/12 0.412s");
        check(Some(search(Some(Score::Mate(2)), Some(9))), "A mates", "+M3/9 0.412s, A mates");
        check(Some(search(Some(Score::Mate(-2)), None)), "", "-M4/0 0.412s");
        check(Some(search(None, None)), "", "0.413s");
        check(None, "", "book");
    }

    #[test]
    fn figures_are_written_on_request_and_times_not_where_they_are_off() {
        let search = SearchRecord {
            score: Some(Score::Centipawns(-7)),
            depth: Some(9),
            nodes: Some(5000),
            elapsed: Duration::from_millis(10),
            latency: Some(Duration::from_micros(12)),
            selective_depth: Some(15),
            hashfull: Some(987),
            tbhits: Some(3),
            left: Some(Duration::from_millis(59_500)),
            pv: ["g1f3", "g8f6"].map(|mv| mv.parse().unwrap()).into(),
            ..SearchRecord::default()
        };
        let all = ["nodes", "nps", "seldepth", "hashfull", "tbhits", "latency", "timeleft", "pv"];
        let figures: Vec<Figure> = all.iter().map(|name| crate::plan::parse_word(name).unwrap()).collect();
        let check = |times, expected: &str| {
            let writing = GameWriting::new(figures.clone(), times, PgnForm::Full, Notation::San);
            assert_eq!(comment(Some(&search), &writing, "White mates"), expected);
        };
        check(
            Times::On,
            "-0.07/9 0.010s, n=5000, nps=500000, sd=15, hashfull=987, tb=3, latency=0.000012s, tl=59.500s, pv=\"g1f3 g8f6\", White mates",
        );
        check(Times::Off, "-0.07/9, n=5000, sd=15, hashfull=987, tb=3, pv=\"g1f3 g8f6\", White mates");
        let commented =
            SearchRecord { lines: [Box::from("info string pgncomment {x}")].into(), ..search.clone() };
        let writing = GameWriting::new(Vec::new(), Times::Off, PgnForm::Full, Notation::San);
        assert_eq!(comment(Some(&commented), &writing, ""), "-0.07/9, line=\"info string pgncomment ?x?\"");
        let all = GameWriting::new(figures.clone(), Times::On, PgnForm::Full, Notation::San);
        let fastchess = GameWriting { style: PgnStyle::Fastchess, ..all };
        let quiet = SearchRecord { score: Some(Score::Centipawns(0)), ..SearchRecord::default() };
        assert_eq!(
            comment(Some(&quiet), &fastchess, ""),
            "0.00/0 0.000s, tl=0.000s, latency=0.000s, n=0, sd=0, nps=0, hashfull=0, tbhits=0, pv=\"\""
        );
        let silent = SearchRecord { elapsed: Duration::from_millis(1), ..SearchRecord::default() };
        let timeless = GameWriting::new(Vec::new(), Times::Off, PgnForm::Full, Notation::San);
        assert_eq!(comment(Some(&silent), &timeless, ""), "");
    }
}
