//! The registry of engines.

use std::path::Path;

use smalt_workbench::entrant::Registry;

use super::exit::{OrRefuse, Refusal};
use super::output::print_info;

/// The registry of this file or the configuration folder, then the built-in one.
pub(super) fn registry(path: Option<&Path>) -> Result<Registry, Refusal> {
    Registry::load(path, &mut |words| print_info(&words)).or_usage()
}
