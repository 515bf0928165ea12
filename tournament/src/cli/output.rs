//! Output of results: to standard output or files, with checks of these files. A closed pipe is no error.

use std::mem::discriminant;
use std::path::Path;

use anyhow::{Context, anyhow};
use serde::Serialize;
use serde_json::Value;
use smalt_dataset::write::check_target;

use super::exit::{Exit, OrRefuse, Refusal};
use super::stored_run::is_store;
use smalt_match::plan::OutputSettings;
use smalt_workbench::json::{Versioned, to_text};
use smalt_workbench::output_file::{self, Existing, OutputError};
pub(super) use smalt_workbench::standard_output::{
    TextSink, is_standard_output, print, print_info, print_with,
};

/// Writes results as JSON.
pub(super) fn write_json(path: &Path, results: &impl Serialize) -> Result<(), Refusal> {
    let results = &Versioned::of(results);
    refuse_foreign_file(path, results)?;
    write_text(path, &to_text(results), Existing::Replace)
}

/// Length of a file to append to; 0 if it does not exist.
pub(super) fn bytes_of(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |file| file.len())
}

/// Refuses to overwrite a store, or a file with the name of one.
pub(super) fn refuse_store_path(path: &Path) -> Result<(), Refusal> {
    if is_store(path) {
        return Err(anyhow!("{} is a store, which is never overwritten", path.display())).or_usage();
    }
    Ok(())
}

/// Checks that a path can be replaced by a training data file.
pub(super) fn check_data_target(path: &Path) -> Result<(), Refusal> {
    refuse_store_path(path)?;
    check_target(path).with_context(|| format!("write {}", path.display())).or_usage()
}

/// Refuses to overwrite a file that is not a whole file of results of the same kind.
pub(super) fn refuse_foreign_file(path: &Path, results: &impl Serialize) -> Result<(), Refusal> {
    if is_standard_output(path) || !path.is_file() {
        return Ok(());
    }
    let old = std::fs::read(path).with_context(|| format!("read {}", path.display())).or_usage()?;
    let new = serde_json::to_value(results).context("write JSON").or_failed()?;
    let is_ours = serde_json::from_slice::<Value>(&old)
        .is_ok_and(|old| old.get("schema") == new.get("schema") && has_form_of(&old, &new));
    if old.is_empty() || is_ours {
        return Ok(());
    }
    Err(anyhow!(
        "write {}: it exists already and is not a file of such results; choose another name",
        path.display()
    ))
    .or_usage()
}

/// Whether JSON has the keys of other JSON, with values of the same types, also in the entries of its lists. Null is of every type.
fn has_form_of(old: &Value, new: &Value) -> bool {
    let is_of_type = |old: &Value, new: &Value| match (old, new) {
        (Value::Null, _) | (_, Value::Null) => true,
        (Value::Array(old), Value::Array(new)) => {
            new.first().is_none_or(|new| old.iter().all(|old| has_form_of(old, new)))
        }
        _ => discriminant(old) == discriminant(new),
    };
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            let has = |(key, new): (&String, &Value)| old.get(key).is_some_and(|old| is_of_type(old, new));
            old.len() == new.len() && new.iter().all(has)
        }
        _ => is_of_type(old, new),
    }
}

/// Writes a text to a file, or to standard output.
pub(super) fn write_text(path: &Path, text: &str, existing: Existing) -> Result<(), Refusal> {
    if is_standard_output(path) {
        return print(text);
    }
    refuse_store_path(path)?;
    output_file::write(path, text.as_bytes(), existing).map_err(|error| match error {
        OutputError::Exists(_) | OutputError::Store(_) => Refusal { exit: Exit::Usage, error: error.into() },
        OutputError::Io { .. } | OutputError::Changed { .. } => {
            Refusal { exit: Exit::Failed, error: error.into() }
        }
    })
}

/// Checks before the run that [`write_text`] can write the file at its end.
pub(super) fn check_output(path: &Path, existing: Existing) -> Result<(), Refusal> {
    if is_standard_output(path) {
        return Ok(());
    }
    refuse_store_path(path)?;
    output_file::check(path, existing).or_usage()
}

/// Makes paths absolute, so that a run can be resumed from another folder.
pub(super) fn make_outputs_absolute(output: &mut OutputSettings) {
    let OutputSettings { json, events, epd, log, token_file, .. } = output;
    for path in
        [json, events, epd, log, token_file].into_iter().flatten().filter(|path| !is_standard_output(path))
    {
        *path = std::path::absolute(&*path).unwrap_or_else(|_| path.clone());
    }
}
