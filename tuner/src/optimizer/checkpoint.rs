//! Checkpoints of a fit: solver state, position and best parameters so far. TOML, because it can hold infinite numbers.

use std::cell::{Cell, RefCell};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use argmin::core::checkpointing::{Checkpoint, CheckpointingFrequency};
use argmin::core::{Error, State as _};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use smalt_workbench::input::{MAX_INPUT, read_all};
use smalt_workbench::output_file::Output;
use toml::{Table, Value};

use super::watch::{MonitoredSolver, Record};
use super::{OptimizeError, Problem, SolverState};

/// Version of the format. Older versions lack settings of the fit and are refused, as are newer ones.
const FORMAT: u32 = 2;

/// Time between two writes.
const PAUSE: Duration = Duration::from_secs(5);

/// Settings that a checkpoint and the resumed fit must share.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Identity {
    /// Steepness of the sigmoid.
    pub k: f64,
    /// All other settings that determine the course of the fit, by name, as text.
    #[serde(default)]
    pub given: BTreeMap<String, String>,
}

impl Identity {
    /// Descriptions of the settings that differ from another fit; empty if none do.
    fn differences(&self, other: &Identity) -> Vec<String> {
        let nothing = "not given".to_owned();
        let value = |identity: &Identity, name: &str| {
            if name == "--k" { Some(identity.k.to_string()) } else { identity.given.get(name).cloned() }
        };
        let k = "--k".to_owned();
        let names: BTreeSet<&String> = self.given.keys().chain(other.given.keys()).chain([&k]).collect();
        let differs = |name: &&String| value(self, name) != value(other, name);
        let words = |name: &String| {
            let [own, other] = [self, other].map(|identity| value(identity, name).unwrap_or(nothing.clone()));
            format!("{name} is {own} in it, and now {other}")
        };
        names.into_iter().filter(differs).map(words).collect()
    }
}

#[derive(Serialize, Deserialize)]
struct Saved<S> {
    format: u32,
    identity: Identity,
    position: Standing,
    record: Record,
    solver: S,
}

impl Saved<Table> {
    /// Whether all lists have a number for each variable, and the best parameters are all of them.
    fn fits(&self, problem: &Problem<'_>) -> bool {
        let count = problem.start().len();
        let is_point = |list: &[Value]| list.len() == count && list.iter().all(Value::is_float);
        // L-BFGS has lists of steps and of changes of the gradient, Adam one list of each kind.
        let memory = |name: &str| self.solver.get(name).and_then(Value::as_array);
        let is_memory_sound = match (memory("s"), memory("y")) {
            (Some(steps), Some(changes)) => {
                let mut all = steps.iter().chain(changes);
                steps.len() == changes.len()
                    && all.all(|list| list.as_array().is_some_and(|list| is_point(list)))
            }
            _ => ["mean", "square"].map(memory).iter().all(|list| list.is_some_and(|list| is_point(list))),
        };
        let Standing { point, gradient, .. } = &self.position;
        is_memory_sound
            && point.len() == count
            && gradient.as_ref().is_none_or(|gradient| gradient.len() == count)
            && self.record.best.len() == problem.whole(point).len()
    }
}

/// Iteration, parameters and cost of the solver.
#[derive(Serialize, Deserialize)]
struct Standing {
    epochs: u64,
    cost: f64,
    previous_cost: f64,
    point: Vec<f64>,
    gradient: Option<Vec<f64>>,
}

/// The steepness that a checkpoint was made with, and so the fit that resumes from it.
pub(crate) fn steepness_of(path: &Path) -> Result<f64, OptimizeError> {
    Ok(identity_in(path)?.k)
}

/// Identity stored in a checkpoint.
fn identity_in(path: &Path) -> Result<Identity, OptimizeError> {
    #[derive(Deserialize)]
    struct Head {
        format: u32,
        identity: Identity,
    }
    let head: Head = parse(path)?;
    check_format(path, head.format)?;
    Ok(head.identity)
}

fn parse<T: DeserializeOwned>(path: &Path) -> Result<T, OptimizeError> {
    let refused = |words: String| OptimizeError::Checkpoint { path: path.display().to_string(), words };
    let read = File::open(path).and_then(|file| read_all(file, MAX_INPUT));
    let bytes = read.map_err(|error| refused(error.to_string()))?;
    toml::from_slice(&bytes)
        .map_err(|error| refused(format!("not a checkpoint of a fit: {}", error.message())))
}

fn check_format(path: &Path, format: u32) -> Result<(), OptimizeError> {
    let words = match format.cmp(&FORMAT) {
        Ordering::Equal => return Ok(()),
        Ordering::Greater => format!("format {format} is newer than this program, which reads {FORMAT}"),
        Ordering::Less => format!("format {format} lacks the settings of the fit: start the fit again"),
    };
    Err(OptimizeError::Checkpoint { path: path.display().to_string(), words })
}

/// A solver with its state and the record of its watch.
pub(super) struct Resumed<S> {
    pub(super) solver: S,
    pub(super) state: SolverState,
    pub(super) record: Record,
}

/// Reads a checkpoint back.
pub(super) fn load<S: DeserializeOwned>(
    path: &Path,
    identity: &Identity,
    problem: &Problem<'_>,
) -> Result<Resumed<S>, OptimizeError> {
    let refused = |words: String| OptimizeError::Checkpoint { path: path.display().to_string(), words };
    let differences = identity_in(path)?.differences(identity);
    if !differences.is_empty() {
        return Err(refused(format!("it belongs to another fit: {}", differences.join("; "))));
    }
    if !parse::<Saved<Table>>(path)?.fits(problem) {
        return Err(refused("damaged: its lists do not have a number for each variable".to_owned()));
    }
    let saved: Saved<S> = parse(path)?;
    let Standing { epochs, cost, previous_cost, point, gradient } = saved.position;
    let mut state = SolverState::new().param(point).cost(cost);
    state.iter = epochs;
    state.prev_cost = previous_cost;
    state.grad = gradient;
    Ok(Resumed { solver: saved.solver, state, record: saved.record })
}

/// A file that another program changes during the fit is kept, and the checkpoint is written beside it.
pub(super) struct CheckpointWriter {
    output: Rc<RefCell<Output>>,
    identity: Identity,
    last: Cell<Option<Instant>>,
}

impl CheckpointWriter {
    pub(super) fn new(output: &Rc<RefCell<Output>>, identity: &Identity) -> CheckpointWriter {
        CheckpointWriter { output: Rc::clone(output), identity: identity.clone(), last: Cell::new(None) }
    }
}

impl<'w, 'v, S: Serialize + Clone> Checkpoint<MonitoredSolver<'w, 'v, S>, SolverState> for CheckpointWriter {
    fn save(&self, solver: &MonitoredSolver<'w, 'v, S>, state: &SolverState) -> Result<(), Error> {
        let saved = Saved {
            format: FORMAT,
            identity: self.identity.clone(),
            position: Standing {
                // An iteration that was stopped does not count.
                epochs: solver.record().steps.len() as u64,
                cost: state.cost,
                previous_cost: state.prev_cost,
                point: state.get_param().cloned().unwrap_or_default(),
                gradient: state.grad.clone(),
            },
            record: solver.record().clone(),
            solver: solver.solver().clone(),
        };
        let text = toml::to_string(&saved)?;
        self.output.borrow_mut().rewrite(text.as_bytes())?;
        self.last.set(Some(Instant::now()));
        Ok(())
    }

    fn save_cond(
        &self,
        solver: &MonitoredSolver<'w, 'v, S>,
        state: &SolverState,
        _: u64,
    ) -> Result<(), Error> {
        let is_due = self.last.get().is_none_or(|last| last.elapsed() >= PAUSE);
        if is_due { self.save(solver, state) } else { Ok(()) }
    }

    fn load(&self) -> Result<Option<(MonitoredSolver<'w, 'v, S>, SolverState)>, Error> {
        Ok(None)
    }

    fn frequency(&self) -> CheckpointingFrequency {
        CheckpointingFrequency::Always
    }
}
