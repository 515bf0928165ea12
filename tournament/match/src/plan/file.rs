//! What a user may write: the TOML file of a plan, or the same as flags. All keys are optional here; nothing is
//! compared with anything else yet. Values that are texts (clocks, models) are read, too, so that an error has a line.

use std::fmt::{self, Display};
use std::net::SocketAddr;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use smalt_driver::nearest::nearest_key;
use smalt_protocol::TimeControl;
use smalt_stats::sprt::Model;

use super::book_format::BookFormat;
use super::encounter::OpeningPolicy;
use super::entrant::EntrantFile;
use super::fleet::FleetFile;
use super::machine::{Affinity, TimeoutsFile};
use super::rules::{DrawRule, MateRule, ResignRule};
use super::tablebases::TablebaseRule;
use super::value::{Switch, Text};
use super::writing::{Figure, Notation, PgnForm, Times, Variant};

/// A plan as it was typed.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct PlanFile {
    /// The run as a whole.
    pub run: RunFile,
    /// The clock of every entrant that has none of its own.
    pub clock: ClockFile,
    /// How long engines may take for what is not a move.
    pub timeouts: TimeoutsFile,
    /// Where games begin.
    pub openings: OpeningsFile,
    /// When games are ended early.
    pub adjudication: AdjudicationFile,
    /// When the run is ended early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtFile>,
    /// How it is played on other machines.
    #[serde(skip_serializing_if = "FleetFile::says_nothing")]
    pub fleet: FleetFile,
    /// Where results go.
    pub output: OutputFile,
    /// What holds for every entrant that does not say otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub each: Option<EntrantFile>,
    /// Who plays.
    #[serde(rename = "entrant", skip_serializing_if = "Vec::is_empty")]
    pub entrants: Vec<EntrantFile>,
}

/// The run as a whole.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct RunFile {
    /// The event's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    /// Who meets whom.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// Games of each encounter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub games: Option<u32>,
    /// How often everything is gone through; of a Swiss tournament, its rounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
    /// How many of the first entrants are the challengers of a gauntlet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seeds: Option<usize>,
    /// Whether everybody keeps the color of the first game of an encounter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noswap: Option<bool>,
    /// Whether every pair begins with the same of two having White, as other runners have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_lead: Option<bool>,
    /// Whether the second of two begins with White.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reverse: Option<bool>,
    /// Whether the seed shuffles the order of encounters, or the seeding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shuffle: Option<bool>,
    /// How many further pairs a level encounter of a knockout has at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tiebreak_pairs: Option<u32>,
    /// What all chance follows from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Games at the same time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<usize>,
    /// What happens after a fault of an engine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_fault: Option<OnFault>,
    /// After how many faults an entrant plays no more; 0 is never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strike_after: Option<u32>,
    /// What happens where an engine has no such option as its entrant's, or not of that value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bad_options: Option<BadOptions>,
    /// Milliseconds between the end of a game and the start of the next one in its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait: Option<u64>,
    /// Which chess is played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<Variant>,
    /// Whether games are bound to processors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub affinity: Option<Text<Affinity>>,
}

/// Who meets whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// The challengers meet all others.
    Gauntlet,
    /// Everybody meets everybody.
    RoundRobin,
    /// Two meet.
    Match,
    /// The winner of an encounter goes on.
    Knockout,
    /// Each meets all before it, one newcomer after the other.
    Pyramid,
    /// Those meet who have about as many points.
    Swiss,
}

impl Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Gauntlet => "gauntlet",
            Format::RoundRobin => "round-robin",
            Format::Match => "match",
            Format::Knockout => "knockout",
            Format::Pyramid => "pyramid",
            Format::Swiss => "swiss",
        })
    }
}

/// What happens after a fault of an engine; the game is lost in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnFault {
    /// It is started again, and the run goes on.
    Recover,
    /// The run stops, and can be resumed.
    Stop,
    /// The run stops if an engine's process broke down or did not answer; after other faults it goes on.
    StopOnCrash,
}

/// What happens where an engine has no such option as its entrant's, or not of that value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum BadOptions {
    /// That is a fault of the entrant, which does not play: nobody shall take other settings for those that were meant.
    #[default]
    Fault,
    /// It plays without the option, and a warning tells it.
    Warn,
}

/// How much time, or how much work, a move may take. Whatever is set counts.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ClockFile {
    /// A clock for the game: moves/seconds+increment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tc: Option<Text<TimeControl>>,
    /// Milliseconds for each move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub movetime: Option<u64>,
    /// Nodes for each move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Plies for each move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Milliseconds that a move may be late.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timemargin: Option<u64>,
    /// Seconds after which a move without any other limit of time is given up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longest_move: Option<u64>,
    /// Whether the time that a side uses goes to its opponent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hourglass: Option<bool>,
    /// All times are for a machine on which Smalt visits so many nodes a second, and are scaled to this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<u64>,
    /// How many it visits on this machine, as it was measured when the run began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<u64>,
}

impl ClockFile {
    /// Whether it says how long to think, not only how exactly that is taken.
    pub fn has_limit(&self) -> bool {
        self.tc.is_some() || self.movetime.is_some() || self.nodes.is_some() || self.depth.is_some()
    }
}

/// Where games begin.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct OpeningsFile {
    /// An EPD, PGN or Polyglot file, or `builtin`, or `chess960`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// How they follow one another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<Order>,
    /// The first one, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<usize>,
    /// How many plies of a PGN game are taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plies: Option<u32>,
    /// How the file is written, where its name does not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<BookFormat>,
    /// How many moves of each side are taken from a Polyglot book.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub book_depth: Option<u32>,
    /// Whether both games of a pair have the same opening.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeat: Option<bool>,
    /// Which encounters have the same openings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<OpeningPolicy>,
}

/// How openings follow one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// As the seed shuffles them.
    Random,
    /// As in the file.
    Sequential,
}

/// When games are ended early.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct AdjudicationFile {
    /// A draw when both engines see one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draw: Option<Switch<DrawRule>>,
    /// A loss for an engine that sees one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resign: Option<Switch<ResignRule>>,
    /// A win for an engine that announces a mate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mate: Option<Switch<MateRule>>,
    /// The result that endgame tables know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tablebases: Option<Switch<TablebaseRule>>,
    /// A draw after so many moves of each side; 0 is never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maxmoves: Option<u32>,
}

/// When the run is ended early.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct SprtFile {
    /// The hypothesis that the challenger is no better than this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elo0: Option<f64>,
    /// The hypothesis that it is this much better.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elo1: Option<f64>,
    /// How often a false H0 may be taken for H1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alpha: Option<f64>,
    /// How often a false H1 may be taken for H0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beta: Option<f64>,
    /// In which unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<Text<Model>>,
}

impl SprtFile {
    fn or(self, other: SprtFile) -> SprtFile {
        SprtFile {
            elo0: self.elo0.or(other.elo0),
            elo1: self.elo1.or(other.elo1),
            alpha: self.alpha.or(other.alpha),
            beta: self.beta.or(other.beta),
            model: self.model.or(other.model),
        }
    }
}

/// Where results go.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct OutputFile {
    /// The run's store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store: Option<PathBuf>,
    /// The games.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pgn: Option<PathBuf>,
    /// What its move comments bear besides score, depth and time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pgn_comments: Option<Vec<Figure>>,
    /// Whether all tags and comments are written to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pgn_form: Option<PgnForm>,
    /// How its moves are written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pgn_notation: Option<Notation>,
    /// Whether what depends on time is written to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pgn_times: Option<Times>,
    /// Append to that file, whose first bytes, so many, are not this run's; without it there must be no such file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pgn_after: Option<u64>,
    /// All results for scripts; `-` is standard output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub json: Option<PathBuf>,
    /// What happens, as JSON lines; `-` is standard output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<PathBuf>,
    /// The last positions of all games.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epd: Option<PathBuf>,
    /// The same for that file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epd_after: Option<u64>,
    /// The folder of full transcripts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<PathBuf>,
    /// Where the live page is served while the run goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub serve: Option<SocketAddr>,
    /// The file with the token that it asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub serve_token: Option<PathBuf>,
    /// Whether it is served when the run is over, too, until the program is told to end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub serve_after: Option<bool>,
    /// After how many games the standings are shown; 0 is only at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rating_interval: Option<u64>,
}

/// Why a text is no plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}, {place}: {message}{}", .hint.as_ref().map(|hint| format!(" (did you mean `{hint}`?)")).unwrap_or_default())]
pub struct PlanFileError {
    /// The file, as the user named it.
    pub file: String,
    /// `line N`, or `the plan` where no line is known.
    pub place: String,
    /// What is wrong.
    pub message: String,
    /// The nearest right name.
    pub hint: Option<String>,
}

impl PlanFile {
    /// Reads a plan; `file` is the name that errors shall bear.
    ///
    /// # Errors
    /// If it is not TOML, has an unknown key, or a value that does not fit its key.
    pub fn parse(text: &str, file: &str) -> Result<PlanFile, PlanFileError> {
        parse_toml(text, file)
    }

    /// The plan as a file.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("a plan has only tables, texts and numbers")
    }

    /// The embedded default plan.
    pub fn shipped() -> PlanFile {
        Self::parse(super::DEFAULT_PLAN, "data/gauntlet.toml").expect("the shipped plan is tested")
    }

    /// The settings of the shipped plan without its entrants: what holds where a user says nothing.
    pub fn defaults() -> PlanFile {
        PlanFile { entrants: Vec::new(), each: None, ..Self::shipped() }
    }

    /// This plan, with what it does not say taken from another. Entrants are taken only if there are none.
    #[must_use]
    pub fn or(self, other: PlanFile) -> PlanFile {
        let hourglass = self.clock.hourglass.or(other.clock.hourglass);
        let scale = self.clock.scale.or(other.clock.scale);
        let measured = self.clock.measured.or(other.clock.measured);
        let clock = if self.clock.has_limit() {
            ClockFile {
                hourglass,
                scale,
                measured,
                timemargin: self.clock.timemargin.or(other.clock.timemargin),
                longest_move: self.clock.longest_move.or(other.clock.longest_move),
                ..self.clock
            }
        } else {
            ClockFile {
                hourglass,
                scale,
                measured,
                timemargin: self.clock.timemargin.or(other.clock.timemargin),
                longest_move: self.clock.longest_move.or(other.clock.longest_move),
                ..other.clock
            }
        };
        PlanFile {
            run: RunFile {
                name: self.run.name.or(other.run.name),
                site: self.run.site.or(other.run.site),
                format: self.run.format.or(other.run.format),
                games: self.run.games.or(other.run.games),
                rounds: self.run.rounds.or(other.run.rounds),
                seeds: self.run.seeds.or(other.run.seeds),
                noswap: self.run.noswap.or(other.run.noswap),
                same_lead: self.run.same_lead.or(other.run.same_lead),
                reverse: self.run.reverse.or(other.run.reverse),
                shuffle: self.run.shuffle.or(other.run.shuffle),
                tiebreak_pairs: self.run.tiebreak_pairs.or(other.run.tiebreak_pairs),
                seed: self.run.seed.or(other.run.seed),
                concurrency: self.run.concurrency.or(other.run.concurrency),
                on_fault: self.run.on_fault.or(other.run.on_fault),
                strike_after: self.run.strike_after.or(other.run.strike_after),
                bad_options: self.run.bad_options.or(other.run.bad_options),
                wait: self.run.wait.or(other.run.wait),
                variant: self.run.variant.or(other.run.variant),
                affinity: self.run.affinity.or(other.run.affinity),
            },
            clock,
            timeouts: self.timeouts.or(other.timeouts),
            openings: OpeningsFile {
                file: self.openings.file.or(other.openings.file),
                order: self.openings.order.or(other.openings.order),
                start: self.openings.start.or(other.openings.start),
                plies: self.openings.plies.or(other.openings.plies),
                format: self.openings.format.or(other.openings.format),
                book_depth: self.openings.book_depth.or(other.openings.book_depth),
                repeat: self.openings.repeat.or(other.openings.repeat),
                policy: self.openings.policy.or(other.openings.policy),
            },
            adjudication: AdjudicationFile {
                draw: self.adjudication.draw.or(other.adjudication.draw),
                resign: self.adjudication.resign.or(other.adjudication.resign),
                mate: self.adjudication.mate.or(other.adjudication.mate),
                tablebases: self.adjudication.tablebases.or(other.adjudication.tablebases),
                maxmoves: self.adjudication.maxmoves.or(other.adjudication.maxmoves),
            },
            sprt: match (self.sprt, other.sprt) {
                (Some(own), Some(other)) => Some(own.or(other)),
                (own, other) => own.or(other),
            },
            fleet: self.fleet.or(other.fleet),
            output: OutputFile {
                store: self.output.store.or(other.output.store),
                pgn: self.output.pgn.or(other.output.pgn),
                pgn_comments: self.output.pgn_comments.or(other.output.pgn_comments),
                pgn_form: self.output.pgn_form.or(other.output.pgn_form),
                pgn_notation: self.output.pgn_notation.or(other.output.pgn_notation),
                pgn_times: self.output.pgn_times.or(other.output.pgn_times),
                pgn_after: self.output.pgn_after.or(other.output.pgn_after),
                json: self.output.json.or(other.output.json),
                events: self.output.events.or(other.output.events),
                epd: self.output.epd.or(other.output.epd),
                epd_after: self.output.epd_after.or(other.output.epd_after),
                log: self.output.log.or(other.output.log),
                serve: self.output.serve.or(other.output.serve),
                serve_token: self.output.serve_token.or(other.output.serve_token),
                serve_after: self.output.serve_after.or(other.output.serve_after),
                rating_interval: self.output.rating_interval.or(other.output.rating_interval),
            },
            each: self.each.or(other.each),
            entrants: if self.entrants.is_empty() { other.entrants } else { self.entrants },
        }
    }
}

/// Reads a TOML document with all that its errors need: file, line, nearest key.
fn parse_toml<T: serde::de::DeserializeOwned>(text: &str, file: &str) -> Result<T, PlanFileError> {
    toml::from_str(text).map_err(|error| {
        let message = error.message().to_owned();
        let line = error.span().map(|span| 1 + text[..span.start].matches('\n').count());
        PlanFileError {
            file: file.to_owned(),
            place: line.map_or_else(|| "the whole".to_owned(), |line| format!("line {line}")),
            hint: nearest_key(&message),
            message,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let said = PlanFile::parse(text, "p.toml").unwrap_err().to_string();
        // What stands for … is a list that grows.
        let (start, end) = expected.split_once('…').unwrap_or((expected, ""));
        assert!(said.starts_with(start) && said.ends_with(end), "{said}");
        assert!(expected.contains('…') || said == expected, "{said}");
    }

    #[test]
    fn errors_say_where_and_what_was_meant() {
        check(
            "[run]\ngames = 2\ncocurrency = 3\n",
            "p.toml, line 3: unknown field `cocurrency`, … (did you mean `concurrency`?)",
        );
        check(
            "[clock]\ntc = \"10+x\"\n",
            "p.toml, line 2: bad time \"x\": expected seconds like 60 or 0.5, or minutes and seconds like 1:30, up to a year",
        );
        check(
            "[adjudication]\n\ndraw = \"movecount=x\"\n",
            "p.toml, line 3: bad word \"movecount=x\": movecount is a whole number",
        );
        check(
            "[run]\nformat = \"gauntlett\"\n",
            "p.toml, line 2: unknown variant `gauntlett`, … (did you mean `gauntlet`?)",
        );
    }

    #[test]
    fn the_shipped_plan_is_a_plan() {
        assert!(PlanFile::shipped().entrants.len() > 1);
    }

    #[test]
    fn what_is_printed_reads_the_same() {
        let plan = PlanFile::shipped();
        assert_eq!(PlanFile::parse(&plan.to_toml(), "again").unwrap(), plan);
    }
}
