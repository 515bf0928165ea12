//! The plan of a run, complete and validated: engines, limits, concurrency.

use std::fmt;
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::time::Duration;

use smalt_driver::WorkLimit;
use smalt_driver::process::Reaper;
use smalt_protocol::SearchLimits;
pub(crate) use smalt_workbench::entrant::Program;
use smalt_workbench::entrant::{EngineSettings, NameError, Names, REMARKS, Registry, ResolveError};
use toml::Table;

use crate::grade::Tablebases;

/// Everything about a run except its suites.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// At least one engine; names are unique.
    pub entrants: Vec<SuiteEntrant>,
    /// Number of positions in parallel, each on its own process.
    pub concurrency: NonZeroUsize,
    /// Whether hash tables are kept between positions.
    pub memory: Memory,
    /// Number of consecutive iterations with a solution that end a search early.
    pub early_stop: Option<NonZeroU32>,
    /// Grace time after the limit; later answers are late.
    pub grace: Duration,
    /// Timeout of a search without a time limit.
    pub longest_move: Duration,
    /// Tablebases by which announced mates are checked.
    pub tables: Option<Tablebases>,
    /// Ends engine processes if this program is killed.
    pub reaper: Option<Reaper>,
}

/// An engine with all settings that affect its answers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SuiteEntrant {
    /// Its name in this run.
    pub name: String,
    pub program: Program,
    /// All other settings.
    pub engine: EngineSettings,
    pub limit: Limit,
}

/// Limit of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    MoveTime(Duration),
    /// A number of nodes.
    Nodes(u64),
    /// A number of plies.
    Depth(u32),
}

/// Whether hash tables are kept between positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Memory {
    /// Cleared: each position is a new game.
    Cleared,
    Kept,
}

/// Why an entrant is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EntrantError {
    #[error("engine {number} has no cmd: give a program, a name of the registry, or builtin")]
    NoCommand {
        /// Number of the entrant, from 1.
        number: usize,
    },
    #[error("engine {name:?}: tc is for games; give movetime, nodes or depth")]
    GameClock { name: String },
    #[error("engine {name:?}: {key} is for games; a position is asked without it")]
    ForGames { name: String, key: String },
    #[error("engine {name:?}: give one of movetime, nodes and depth")]
    SeveralLimits { name: String },
    #[error("engine {name:?}: {key} must be above zero")]
    Zero { name: String, key: &'static str },
    /// An empty or duplicate name.
    #[error(transparent)]
    Name(#[from] NameError),
    #[error("engine {number}: {words}")]
    Value {
        /// Number of the entrant, from 1.
        number: usize,
        words: String,
    },
}

impl Limit {
    /// Search limits for the engine.
    pub(crate) fn to_search_limits(self) -> SearchLimits {
        match self {
            Limit::MoveTime(time) => SearchLimits { move_time: Some(time), ..SearchLimits::default() },
            Limit::Nodes(nodes) => SearchLimits { nodes: Some(nodes), ..SearchLimits::default() },
            Limit::Depth(depth) => SearchLimits { depth: Some(depth), ..SearchLimits::default() },
        }
    }

    /// Whether a search with this time, nodes and depth exceeded its limit. Time has the `grace`; nodes and depth
    /// have the tolerance of [`WorkLimit::is_overrun`].
    pub(crate) fn is_passed(
        self,
        grace: Duration,
        time: Duration,
        nodes: Option<u64>,
        depth: Option<u32>,
    ) -> bool {
        let work = WorkLimit::default();
        match self {
            Limit::MoveTime(limit) => time > limit + grace,
            Limit::Nodes(limit) => WorkLimit { nodes: Some(limit), ..work }.is_overrun(nodes, depth),
            Limit::Depth(limit) => WorkLimit { depth: Some(limit), ..work }.is_overrun(nodes, depth),
        }
    }

    /// The only limit that is set.
    ///
    /// # Errors
    /// If several are set, or it is zero.
    pub(crate) fn from_parts(
        name: &str,
        movetime: Option<u64>,
        nodes: Option<u64>,
        depth: Option<u32>,
    ) -> Result<Option<Limit>, EntrantError> {
        let zero = |key| Err(EntrantError::Zero { name: name.to_owned(), key });
        match (movetime, nodes, depth) {
            (None, None, None) => Ok(None),
            (Some(0), None, None) => zero("movetime"),
            (None, Some(0), None) => zero("nodes"),
            (None, None, Some(0)) => zero("depth"),
            (Some(ms), None, None) => Ok(Some(Limit::MoveTime(Duration::from_millis(ms)))),
            (None, Some(nodes), None) => Ok(Some(Limit::Nodes(nodes))),
            (None, None, Some(depth)) => Ok(Some(Limit::Depth(depth))),
            _ => Err(EntrantError::SeveralLimits { name: name.to_owned() }),
        }
    }
}

impl fmt::Display for Limit {
    /// The flag without its dashes: `movetime 200`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::MoveTime(time) => write!(f, "movetime {}", time.as_millis()),
            Limit::Nodes(nodes) => write!(f, "nodes {nodes}"),
            Limit::Depth(depth) => write!(f, "depth {depth}"),
        }
    }
}

/// Fills in inherited settings of entrants. Precedence: own settings, `--each`, registry, limit of the run.
pub(crate) fn resolve_entrants(
    typed: &[Table],
    each: &Table,
    registry: &Registry,
    limit: Limit,
) -> Result<Vec<SuiteEntrant>, EntrantError> {
    let mut names = Names::default();
    let resolve = |(number, own)| resolve(own, each, registry, limit, &mut names, number);
    (1..).zip(typed).map(resolve).collect()
}

/// Entrant keys that have an effect on a position.
pub(crate) const FOR_POSITIONS: [&str; 16] = [
    "cmd", "repo", "ref", "build", "name", "args", "dir", "proto", "movetime", "nodes", "depth", "restart",
    "stderr", "initstr", "debug", "options",
];

fn resolve(
    own: &Table,
    each: &Table,
    registry: &Registry,
    limit: Limit,
    names: &mut Names,
    number: usize,
) -> Result<SuiteEntrant, EntrantError> {
    let found = registry.resolve(own, each, &Table::new(), names).map_err(|error| match error {
        ResolveError::NoCommand => EntrantError::NoCommand { number },
        ResolveError::Name(error) => EntrantError::Name(error),
        ResolveError::Value(words) => EntrantError::Value { number, words },
    })?;
    let program = found.program().ok_or(EntrantError::NoCommand { number })?;
    let name = found.name.clone().unwrap_or_default();
    let unused = |key: &&String| ![&FOR_POSITIONS[..], &REMARKS].concat().contains(&key.as_str());
    match own.keys().chain(each.keys()).find(unused) {
        Some(key) if key == "tc" => return Err(EntrantError::GameClock { name }),
        Some(key) => return Err(EntrantError::ForGames { name, key: key.clone() }),
        None => {}
    }
    let chosen = Limit::from_parts(
        &name,
        found.movetime.map(NonZeroU64::get),
        found.nodes.map(NonZeroU64::get),
        found.depth.map(NonZeroU32::get),
    )?;
    Ok(SuiteEntrant { limit: chosen.unwrap_or(limit), name, program, engine: found })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(words: &[&str], each: &str) -> Result<Vec<SuiteEntrant>, EntrantError> {
        let registry = Registry::shipped();
        let typed: Vec<_> = words.iter().map(|text| registry.parse_engine(text).unwrap()).collect();
        let each = if each.is_empty() { Table::new() } else { registry.parse_engine(each).unwrap() };
        resolve_entrants(&typed, &each, &registry, Limit::Depth(3))
    }

    #[test]
    fn an_engine_inherits_what_it_does_not_say() {
        let entrants =
            resolved(&["toga2", "cmd=toga2 option.Hash=4 nodes=5", "builtin"], "option.hash=8").unwrap();
        let shown = |entrant: &SuiteEntrant| {
            (
                entrant.name.clone(),
                entrant.limit,
                entrant
                    .engine
                    .options
                    .iter()
                    .map(|(name, text)| format!("{name}={}", text.0))
                    .collect::<Vec<_>>(),
            )
        };
        let options = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        assert_eq!(
            shown(&entrants[0]),
            ("toga2".into(), Limit::Depth(3), options(&["OwnBook=false", "hash=8"]))
        );
        assert_eq!(
            shown(&entrants[1]),
            ("toga2-2".into(), Limit::Nodes(5), options(&["Hash=4", "OwnBook=false"]))
        );
        assert_eq!(shown(&entrants[2]), ("smalt".into(), Limit::Depth(3), options(&["hash=8"])));
        assert_eq!(entrants[2].program, Program::Builtin);
    }

    #[test]
    fn a_limit_has_some_room_before_it_is_passed() {
        const GRACE: Duration = Duration::from_millis(100);
        let check = |limit: Limit, ms, nodes, depth, expected| {
            let is_passed = limit.is_passed(GRACE, Duration::from_millis(ms), nodes, depth);
            assert_eq!(is_passed, expected, "{limit} {ms} {nodes:?} {depth:?}");
        };
        let time = Limit::MoveTime(Duration::from_millis(200));
        check(time, 300, Some(99_000_000), Some(99), false);
        check(time, 301, None, None, true);
        check(Limit::Nodes(1000), 99_000, Some(21_000), Some(99), false);
        check(Limit::Nodes(1000), 1, Some(21_001), Some(1), true);
        check(Limit::Nodes(5_000_000), 1, Some(7_500_000), Some(99), false);
        check(Limit::Depth(5), 99_000, Some(99_000_000), Some(7), false);
        check(Limit::Depth(5), 1, Some(1), Some(8), true);
        check(Limit::Nodes(1), 1, None, None, false);
    }

    #[test]
    fn contradictions_are_refused() {
        let check = |words: &[&str], expected: &str| {
            assert_eq!(resolved(words, "").unwrap_err().to_string(), expected);
        };
        check(&["cmd=a tc=1+0.1"], "engine \"a\": tc is for games; give movetime, nodes or depth");
        check(&["cmd=a ponder=on"], "engine \"a\": ponder is for games; a position is asked without it");
        check(&["cmd=a role=opponent"], "engine \"a\": role is for games; a position is asked without it");
        check(&["cmd=a nodes=1 depth=2"], "engine \"a\": give one of movetime, nodes and depth");
        check(&["name=a"], "engine 1 has no cmd: give a program, a name of the registry, or builtin");
        check(&["a", "name=a cmd=b"], "two engines are called \"a\": give one of them another with name=");
    }
}
