//! The JSON format of results: written by a run, read to resume, compare and plot.

use std::collections::BTreeMap;
use std::iter;
use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smalt_chess::{CastlingMode, Move, Position, San, UciMove};
use smalt_driver::Protocol;
use smalt_protocol::{ReportedScore, Score};
use smalt_workbench::json::SCHEMA;
use smalt_workbench::json::to_text;

use crate::ask::{AnswerFailure, EngineAnswer, EngineInfo, LateMove, Length, SuiteOutcome};
use crate::grade::{Grade, MateClaim, MoveList, announced_mate};
use crate::plan::{Limit, Memory, Plan, SuiteEntrant};
use crate::rating::{self, RatingEstimate, TriedPuzzle, puzzle_condition, puzzle_rating};
use crate::suite::{self, Problem, Puzzle, Suite};

/// One engine on one suite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Record {
    /// Version of this form.
    #[serde(default)]
    pub schema: u32,
    /// Old name of `schema`.
    #[serde(default)]
    pub format: u32,
    /// Name of the suite.
    pub suite: String,
    /// Engine name in the run.
    pub engine: String,
    /// Reported name (`id name`), version included.
    #[serde(default)]
    pub engine_id: Option<String>,
    /// SHA-256 of the engine's files, in hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine_program: Option<String>,
    /// Limit of a position, e.g. `nodes 20000`; null for a move list.
    pub limit: Option<String>,
    /// Protocol: `uci` or `xboard`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
    #[serde(flatten)]
    pub settings: RunSettings,
    /// Number of positions of the suite.
    pub positions: usize,
    /// Number of solved positions.
    pub solved: usize,
    /// Sum of points.
    pub points: u64,
    /// Most points that could be scored.
    pub max_points: u64,
    /// Points in percent of the maximum.
    pub percent: f64,
    /// Elo rating from STS or puzzles; null if neither gives one.
    pub rating: Option<f64>,
    /// Half-width of the rating's 95% interval, from the sample of positions alone.
    #[serde(default)]
    pub rating_error: Option<f64>,
    /// Condition of the rating.
    #[serde(default)]
    pub rating_condition: Option<String>,
    /// Late answers: the principal variation at the limit counts instead.
    #[serde(default)]
    pub late: usize,
    /// Number of solved positions if late moves counted.
    #[serde(default)]
    pub solved_with_late: usize,
    /// Points if late moves counted.
    #[serde(default)]
    pub points_with_late: u64,
    /// Number of positions lost by engine faults.
    #[serde(default)]
    pub faults: usize,
    /// Number of positions not asked, or without a move in a list.
    #[serde(default)]
    pub unanswered: usize,
    /// Reason of an early end.
    #[serde(default)]
    pub ended_by: Option<String>,
    /// Points by theme.
    pub themes: Vec<ThemeRecord>,
    /// Results by position, in suite order.
    pub results: Vec<ResultRecord>,
}

/// Engine settings that affect its answers, other than the limit. Runs with different settings cannot be resumed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunSettings {
    /// Option values by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
    /// Lines sent before the first of the protocol.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initstr: Option<String>,
    /// Whether hash tables were kept between positions.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keep_hash: bool,
    /// Grace time in milliseconds; only with a time limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grace_ms: Option<u64>,
    /// Number of iterations with a solution that ended a search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub early_stop: Option<u32>,
}

impl RunSettings {
    /// The settings of an engine in a run.
    pub(crate) fn new(plan: &Plan, entrant: &SuiteEntrant) -> RunSettings {
        RunSettings {
            options: entrant.engine.option_texts(),
            initstr: entrant.engine.initstr.clone(),
            keep_hash: plan.memory == Memory::Kept,
            grace_ms: matches!(entrant.limit, Limit::MoveTime(_)).then(|| milliseconds(plan.grace)),
            early_stop: plan.early_stop.map(NonZeroU32::get),
        }
    }
}

/// A theme of a suite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThemeRecord {
    /// Name of the theme.
    pub name: String,
    /// Number of its positions.
    pub positions: usize,
    /// Number of solved positions.
    pub solved: usize,
    /// Sum of points.
    pub points: u64,
    /// Most points that could be scored.
    pub max_points: u64,
}

/// The result of a position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResultRecord {
    /// Id of the position in the suite.
    pub id: String,
    /// The position.
    pub fen: String,
    /// Theme of the position; empty if the suite has none.
    #[serde(default)]
    pub theme: String,
    /// Puzzle of the problem.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub puzzle: Option<PuzzleRecord>,
    /// The graded move in UCI notation; null without a legal one.
    #[serde(rename = "move")]
    pub mv: Option<String>,
    /// The move in SAN.
    #[serde(default)]
    pub san: Option<String>,
    /// Solutions in SAN.
    #[serde(default)]
    pub best: Vec<String>,
    /// Moves to avoid, in SAN.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub avoid: Vec<String>,
    /// Points of the move.
    pub points: u32,
    /// Most points of the position.
    pub max_points: u32,
    /// Whether it was solved.
    pub solved: bool,
    /// Milliseconds from the question to the answer.
    pub time_ms: Option<u64>,
    /// Milliseconds until the engine settled on its solution.
    pub solved_after_ms: Option<u64>,
    /// Nodes until then.
    #[serde(default)]
    pub solved_after_nodes: Option<u64>,
    /// Iteration in which it found the solution.
    #[serde(default)]
    pub solved_after_depth: Option<u32>,
    /// Last depth, in plies.
    pub depth: Option<u32>,
    /// Last number of nodes.
    pub nodes: Option<u64>,
    /// Last score, from the side to move's view: `{"cp": 31}` (centipawns) or `{"mate": 3}` (moves).
    pub score: Option<ScoreRecord>,
    /// Last mate announced within the limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mate: Option<MateRecord>,
    /// Whether the search was stopped early with a solution.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stopped_early: bool,
    /// A late move. `move`, depth, nodes and score are then those of the PV at the limit; `time_ms` is the time of
    /// the late move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late: Option<LateRecord>,
    /// Name of the fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// Description of the fault, which follows the engine's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault_text: Option<String>,
}

/// A Lichess puzzle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PuzzleRecord {
    /// Puzzle id, shared by the positions of a puzzle.
    pub name: String,
    /// Themes of the puzzle.
    pub themes: Vec<String>,
    /// Elo of the puzzle.
    pub rating: f64,
    /// Deviation of the rating, in Elo.
    pub deviation: f64,
}

/// An announced mate, checked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MateRecord {
    /// Moves to mate; negative if the side to move is mated.
    pub moves: i32,
    /// Error of its line (PV); absent for a legal line that mates in the announced number of moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_error: Option<String>,
    /// Whether it is forced: `proved`, `refuted`, or `unknown` if the proof needs too many positions.
    pub proof: String,
    /// Whether the announcement is wrong: the mate is not forced in that many moves, or its line is illegal or does
    /// not mate. A truncated line is not wrong.
    pub wrong: bool,
}

impl From<&MateClaim> for MateRecord {
    fn from(claim: &MateClaim) -> MateRecord {
        MateRecord {
            moves: claim.moves,
            line_error: claim.line.as_ref().err().map(ToString::to_string),
            proof: claim.proof.name().to_owned(),
            wrong: claim.is_wrong(),
        }
    }
}

/// A late move with its points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LateRecord {
    /// The move in UCI notation.
    #[serde(rename = "move")]
    pub mv: String,
    /// The move in SAN.
    pub san: String,
    /// Points that it would score.
    pub points: u32,
    /// Whether it solves the problem.
    pub solved: bool,
}

/// A score from the side to move's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ScoreRecord {
    /// Centipawns.
    Cp(i32),
    /// Moves to mate; negative if the side to move is mated.
    Mate(i32),
}

/// Name of a position that was not searched.
const NOT_ASKED: &str = "not-asked";

impl Record {
    /// Results of an engine's run: answers by problem, and how it ended. `earlier` has the results of the same run
    /// before it was interrupted, by problem ([`Record::answered`]).
    pub(crate) fn from_asked(
        suite: &Suite,
        plan: &Plan,
        entrant: &SuiteEntrant,
        engine: &EngineInfo,
        answers: &[Option<EngineAnswer>],
        outcome: &SuiteOutcome,
        earlier: &[Option<ResultRecord>],
    ) -> Record {
        let earlier = earlier.iter().map(Option::as_ref).chain(iter::repeat(None));
        let results = suite.problems.iter().zip(answers).zip(earlier);
        let results = results.map(|((problem, answer), earlier)| {
            let new = || ResultRecord::from_answer(suite, problem, answer.as_ref());
            earlier.cloned().unwrap_or_else(new)
        });
        let mut record = Record::new(suite, entrant.name.clone(), results.collect());
        record.engine_id = (!engine.name.is_empty()).then(|| engine.name.clone());
        record.engine_program.clone_from(&engine.program);
        record.limit = Some(entrant.limit.to_string());
        record.protocol = engine.protocol.map(|protocol| protocol.name().to_owned());
        record.settings = RunSettings::new(plan, entrant);
        record.ended_by = match outcome {
            SuiteOutcome::Complete => None,
            SuiteOutcome::Interrupted => Some("interrupted".to_owned()),
            SuiteOutcome::Disqualified(words) => Some(words.clone()),
        };
        record.estimate_rating(suite, entrant.limit, engine.protocol);
        record
    }

    /// Whether any problem was answered.
    pub(crate) fn answered_any(&self) -> bool {
        self.unanswered < self.positions
    }

    /// Results by problem; `None` if missing.
    pub(crate) fn answered(&self, suite: &Suite) -> Vec<Option<ResultRecord>> {
        let same = |(problem, result): (&Problem, &ResultRecord)| {
            let is_same = result.id == problem.id && result.fen == problem.epd.position.to_fen();
            (is_same && !result.is_unanswered()).then(|| result.clone())
        };
        suite.problems.iter().zip(&self.results).map(same).collect()
    }

    /// Results of a move list; `name` is the engine's name.
    pub fn from_moves(suite: &Suite, name: &str, list: &MoveList) -> Record {
        let results = suite.problems.iter().zip(&list.moves).map(|(problem, listed)| {
            let mv = listed.as_ref().and_then(|listed| listed.mv.ok());
            let announced = listed.as_ref().and_then(|listed| listed.announced);
            let mut result = ResultRecord::new(suite, problem, mv, problem.goal.grade(mv, announced));
            let (fault, text) = match listed.as_ref().map(|listed| (listed.mv, &listed.text)) {
                Some((Ok(_), _)) => return result,
                Some((Err(why), text)) => (why.name(), why.words(text)),
                None => (NOT_ASKED, "has no move in the list".to_owned()),
            };
            result.fault = Some(fault.to_owned());
            result.fault_text = Some(text);
            result
        });
        Record::new(suite, name.to_owned(), results.collect())
    }

    fn new(suite: &Suite, engine: String, results: Vec<ResultRecord>) -> Record {
        let (points, max_points) = total(&results);
        let unanswered = results.iter().filter(|result| result.is_unanswered()).count();
        let puzzles = if unanswered == 0 { tried_puzzles(&results) } else { Vec::new() };
        let rating = puzzle_rating(&puzzles);
        Record {
            schema: SCHEMA,
            format: SCHEMA,
            suite: suite.name.clone(),
            engine,
            engine_id: None,
            engine_program: None,
            limit: None,
            protocol: None,
            settings: RunSettings::default(),
            positions: results.len(),
            solved: results.iter().filter(|result| result.solved).count(),
            points,
            max_points,
            percent: percent(points, max_points),
            rating: rating.map(|estimate| estimate.rating),
            rating_error: rating.map(|estimate| estimate.error),
            rating_condition: (!puzzles.is_empty()).then(|| puzzle_condition(&puzzles)),
            late: results.iter().filter(|result| result.late.is_some()).count(),
            solved_with_late: results.iter().filter(|result| result.with_late().1).count(),
            points_with_late: results.iter().map(|result| u64::from(result.with_late().0)).sum(),
            faults: results.iter().filter(|result| result.fault.is_some()).count() - unanswered,
            unanswered,
            ended_by: None,
            themes: suite.themes.iter().map(|theme| ThemeRecord::new(theme, &results)).collect(),
            results,
        }
    }

    /// Sets the rating if the published line applies: a UCI engine on all of STS, with cleared hash, without faults,
    /// with its full time, and within it for 19 of 20 answers.
    fn estimate_rating(&mut self, suite: &Suite, limit: Limit, protocol: Option<Protocol>) {
        let had_its_time = self.settings.early_stop.is_none() && self.late * 20 <= self.positions;
        let is_calibrated = protocol == Some(Protocol::Uci) && had_its_time && !self.settings.keep_hash;
        let answered_all = self.unanswered == 0 && self.faults == 0;
        if suite.name != suite::STS || !answered_all || !is_calibrated {
            return;
        }
        let points: Vec<u32> = self.results.iter().map(|result| result.points).collect();
        if let (Some(estimate), Limit::MoveTime(time)) = (RatingEstimate::new(&points, limit), limit) {
            self.rating = Some(estimate.rating);
            self.rating_error = Some(estimate.error);
            self.rating_condition = Some(rating::condition(time.as_millis()));
        }
    }
}

/// Percent of points; 0 without points.
pub(crate) fn percent(points: u64, max_points: u64) -> f64 {
    if max_points == 0 { 0.0 } else { 100.0 * points as f64 / max_points as f64 }
}

/// The puzzles of the results; a puzzle is solved if all its positions are.
fn tried_puzzles(results: &[ResultRecord]) -> Vec<TriedPuzzle> {
    let mut tried: BTreeMap<&str, TriedPuzzle> = BTreeMap::new();
    for result in results {
        let Some(puzzle) = &result.puzzle else { continue };
        let (rating, deviation) = (puzzle.rating, puzzle.deviation);
        let entry = tried.entry(&puzzle.name).or_insert(TriedPuzzle { rating, deviation, solved: true });
        entry.solved &= result.solved;
    }
    tried.into_values().collect()
}

fn total<'a>(results: impl IntoIterator<Item = &'a ResultRecord>) -> (u64, u64) {
    results.into_iter().fold((0, 0), |(points, most), result| {
        (points + u64::from(result.points), most + u64::from(result.max_points))
    })
}

impl ThemeRecord {
    fn new(name: &str, results: &[ResultRecord]) -> ThemeRecord {
        let own = || results.iter().filter(|result| result.has_theme(name));
        let (points, max_points) = total(own());
        let solved = own().filter(|result| result.solved).count();
        ThemeRecord { name: name.to_owned(), positions: own().count(), solved, points, max_points }
    }
}

impl ResultRecord {
    fn new(suite: &Suite, problem: &Problem, mv: Option<Move>, grade: Grade) -> ResultRecord {
        let position = &problem.epd.position;
        let san = |mv: Move| San::from_move(mv, position).to_string();
        ResultRecord {
            id: problem.id.clone(),
            fen: position.to_fen(),
            theme: suite.themes[problem.theme].clone(),
            puzzle: problem.puzzle.as_ref().map(PuzzleRecord::from),
            mv: mv.map(|mv| coordinates(mv, position)),
            san: mv.map(san),
            best: problem.goal.best.iter().copied().map(san).collect(),
            avoid: problem.goal.avoid.iter().copied().map(san).collect(),
            points: grade.points,
            max_points: grade.max_points,
            solved: grade.solved,
            time_ms: None,
            solved_after_ms: None,
            solved_after_nodes: None,
            solved_after_depth: None,
            depth: None,
            nodes: None,
            score: None,
            mate: None,
            stopped_early: false,
            late: None,
            fault: None,
            fault_text: None,
        }
    }

    fn from_answer(suite: &Suite, problem: &Problem, answer: Option<&EngineAnswer>) -> ResultRecord {
        let Some(answer) = answer else {
            let mut result = ResultRecord::new(suite, problem, None, problem.goal.grade(None, None));
            result.fault = Some(NOT_ASKED.to_owned());
            result.fault_text = Some("was not asked".to_owned());
            return result;
        };
        let mv = answer.outcome.as_ref().ok().copied();
        let failure = answer.outcome.as_ref().err();
        let grade = problem.goal.grade(mv, answer.announced());
        ResultRecord {
            time_ms: Some(milliseconds(answer.time)),
            solved_after_ms: answer.settled.map(|settled| milliseconds(settled.time)),
            solved_after_nodes: answer.settled.and_then(|settled| settled.nodes),
            solved_after_depth: answer.settled.and_then(|settled| settled.depth),
            depth: answer.depth,
            nodes: answer.nodes,
            score: answer.score.map(ScoreRecord::from),
            mate: answer.mate.as_ref().map(MateRecord::from),
            stopped_early: answer.length == Length::StoppedEarly,
            late: match answer.length {
                Length::Late(late) => Some(LateRecord::new(problem, late)),
                Length::Full | Length::StoppedEarly => None,
            },
            fault: failure.map(|failure| failure.name().to_owned()),
            fault_text: failure.map(AnswerFailure::to_string),
            ..ResultRecord::new(suite, problem, mv, grade)
        }
    }

    /// Points, and whether it was solved, with the late move counted.
    fn with_late(&self) -> (u32, bool) {
        self.late.as_ref().map_or((self.points, self.solved), |late| (late.points, late.solved))
    }

    fn has_theme(&self, name: &str) -> bool {
        match &self.puzzle {
            Some(puzzle) if !puzzle.themes.is_empty() => puzzle.themes.iter().any(|theme| theme == name),
            _ => self.theme == name,
        }
    }

    /// Whether there is no answer but a fault.
    pub(crate) fn is_unanswered(&self) -> bool {
        self.fault.as_deref() == Some(NOT_ASKED)
    }
}

impl From<&Puzzle> for PuzzleRecord {
    fn from(puzzle: &Puzzle) -> PuzzleRecord {
        PuzzleRecord {
            name: puzzle.name.clone(),
            themes: puzzle.themes.clone(),
            rating: puzzle.rating,
            deviation: puzzle.deviation,
        }
    }
}

impl LateRecord {
    fn new(problem: &Problem, late: LateMove) -> LateRecord {
        let grade = problem.goal.grade(Some(late.mv), announced_mate(late.score));
        LateRecord {
            mv: coordinates(late.mv, &problem.epd.position),
            san: San::from_move(late.mv, &problem.epd.position).to_string(),
            points: grade.points,
            solved: grade.solved,
        }
    }
}

fn coordinates(mv: Move, position: &Position) -> String {
    UciMove::from_move(mv, CastlingMode::of(position)).to_string()
}

fn milliseconds(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl From<ReportedScore> for ScoreRecord {
    fn from(reported: ReportedScore) -> ScoreRecord {
        match reported.score {
            Score::Centipawns(value) => ScoreRecord::Cp(value),
            Score::Mate(moves) => ScoreRecord::Mate(moves),
        }
    }
}

/// Why a file has no results.
#[derive(Debug, thiserror::Error)]
pub enum RecordsError {
    #[error("{file}: {source}")]
    Json {
        /// The file, as it was named.
        file: String,
        /// JSON error, with line and column.
        source: serde_json::Error,
    },
    #[error("{file} has format {format}, this program reads up to {SCHEMA}: use a newer smalt-suites")]
    TooNew {
        /// The file, as it was named.
        file: String,
        format: u32,
    },
}

/// Formats results: one object for one run, otherwise a list.
pub fn to_json<'a>(records: impl IntoIterator<Item = &'a Record>) -> String {
    let records: Vec<&Record> = records.into_iter().collect();
    match records.as_slice() {
        [record] => to_text(record),
        records => to_text(records),
    }
}

/// Parses the output of [`to_json`]; `file` is the name in errors.
///
/// # Errors
/// If it has another form, or a later format version.
pub fn from_json(text: &str, file: &str) -> Result<Vec<Record>, RecordsError> {
    let json = |source| RecordsError::Json { file: file.to_owned(), source };
    let records: Vec<Record> = if text.trim_start().starts_with('[') {
        serde_json::from_str(text).map_err(json)?
    } else {
        vec![serde_json::from_str(text).map_err(json)?]
    };
    match records.iter().map(|record| record.format.max(record.schema)).max() {
        Some(format) if format > SCHEMA => Err(RecordsError::TooNew { file: file.to_owned(), format }),
        _ => Ok(records),
    }
}
