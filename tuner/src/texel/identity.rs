//! Settings that determine the course of a fit, by name: a checkpoint can be resumed only with equal settings. The
//! number of epochs is not one of them.

use super::{Players, Task};
use crate::fit_data::FitData;
use crate::labels::{PointOfView, SourceOptions};
use crate::loss::LabelledRows;
use crate::optimizer::{Identity, Method};
use crate::weights::schema::Bounds;
use crate::weights::variables::Constraints;
use smalt_chess::splitmix::splitmix;

/// Identity of a fit with this steepness. Names are those of the flags.
pub(super) fn identity_of<R: LabelledRows>(table: &FitData<R>, task: &Task, k: f64) -> Identity {
    let settings = &task.settings;
    let mut given: Vec<(&str, String)> = vec![
        ("positions", format!("of hash {:016x}", table.hash)),
        ("--validation", format!("{} positions", table.validation.labels().len())),
        ("--params", format!("of hash {:016x}", hash_of(&task.start))),
        ("--only", list(&task.selection.only)),
        ("--freeze", list(&task.selection.freeze)),
        ("--lambda", task.result_share.to_string()),
        ("--l2", task.penalty.strength.to_string()),
        ("--unconstrained", on(task.constraints == Constraints::None)),
        ("--bound", list(&task.bounds.iter().map(bound).collect::<Vec<_>>())),
        ("--adjust-for-players", on(task.players == Players::Adjust)),
        ("--method", format!("{:?}", settings.method).to_lowercase()),
        ("--seed", settings.seed.to_string()),
    ];
    // Defaults are omitted: checkpoints of earlier versions lack them.
    let sources = table.train.labels().all_options();
    if sources.iter().any(|options| *options != SourceOptions::default()) {
        given.push(("options of the data sources", list(&sources.iter().map(source).collect::<Vec<_>>())));
    }
    if settings.method == Method::Adam {
        given.extend([
            ("--rate", settings.rate.to_string()),
            ("--schedule", format!("{:?}", settings.schedule).to_lowercase()),
            ("--batch", settings.batch.to_string()),
        ]);
    }
    Identity { k, given: given.into_iter().map(|(name, value)| (name.to_owned(), value)).collect() }
}

fn hash_of(start: &[f64]) -> u64 {
    let bits = |&number: &f64| match number as i32 {
        integer if f64::from(integer) == number => u64::from(integer.cast_unsigned()),
        _ => number.to_bits(),
    };
    start.iter().fold(0, |hash, number| splitmix(hash ^ bits(number)))
}

fn list(words: &[String]) -> String {
    if words.is_empty() { "not given".to_owned() } else { words.join(" ") }
}

fn on(is_on: bool) -> String {
    (if is_on { "given" } else { "not given" }).to_owned()
}

fn source(options: &SourceOptions) -> String {
    let view = if options.view == PointOfView::White { "white" } else { "mover" };
    let share = options.result_share.map_or_else(String::new, |share| format!("lambda={share},"));
    let validation = options.validation.map_or_else(String::new, |share| format!("validation={share},"));
    format!("weight={},{share}{validation}view={view}", options.weight)
}

fn bound((name, bounds): &(String, Bounds)) -> String {
    format!("{name}={}..{}", bounds.least, bounds.most)
}
