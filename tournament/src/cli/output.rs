//! Writing of results: to standard output, or to files. Whoever closed the pipe has no need of the text.

use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, anyhow};
use serde::Serialize;

use super::exit::{OrRefuse, Refusal};
use super::view::is_store;

/// Whether a path means standard output.
pub(super) fn is_standard_output(path: &Path) -> bool {
    path == Path::new("-")
}

/// Writes a text to standard output.
pub(super) fn print(text: &str) -> Result<(), Refusal> {
    let mut output = io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(error).context("write the result").or_failed()
        }
        _ => Ok(()),
    }
}

/// Writes a line of information to standard error.
pub(super) fn tell(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Writes results for scripts.
pub(super) fn write_json(path: &Path, results: &impl Serialize) -> Result<(), Refusal> {
    let mut text = serde_json::to_string_pretty(results).context("write JSON").or_failed()?;
    text.push('\n');
    write_text(path, &text)
}

/// How long a file is to which is to be appended; 0 where there is none.
pub(super) fn bytes_of(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |file| file.len())
}

/// Refuses to write to a store, or to what is called like one: it is the truth of a run.
pub(super) fn spare_stores(path: &Path) -> Result<(), Refusal> {
    if is_store(path) {
        return Err(anyhow!("{} is a store, and nothing is written over that", path.display())).or_usage();
    }
    Ok(())
}

/// Writes a text to a file, or to standard output.
pub(super) fn write_text(path: &Path, text: &str) -> Result<(), Refusal> {
    if is_standard_output(path) {
        return print(text);
    }
    spare_stores(path)?;
    std::fs::write(path, text).with_context(|| format!("write {}", path.display())).or_failed()
}
