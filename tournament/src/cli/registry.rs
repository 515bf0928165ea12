//! The registry of engines, and their names for completions.

use std::path::Path;

use smalt_about::CompletionCandidate;
use smalt_workbench::entrant::{BUILTIN, Registry};

use super::exit::{OrRefuse, Refusal};
use super::output::print_info;

/// The registry of this file or the configuration folder, then the built-in one.
pub(super) fn registry(path: Option<&Path>) -> Result<Registry, Refusal> {
    Registry::load(path, &mut |words| print_info(&words)).or_usage()
}

/// The names of engines for completions: the registry of the user, Debian's engines, and the built-in one.
pub(super) fn engine_names() -> Vec<CompletionCandidate> {
    let registry = registry(None).unwrap_or_default();
    registry.names().chain([BUILTIN]).map(CompletionCandidate::new).collect()
}
