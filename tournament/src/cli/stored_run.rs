//! Reads the run of a store; a store error becomes an exit code.

use std::path::Path;

use anyhow::{Context, anyhow};
use smalt_workbench::entrant::Registry;
use smalt_workbench::input::{SQLITE, begins_with};

use super::exit::{Exit, OrRefuse, Refusal};
use smalt_match::plan::{Plan, Settings};
use smalt_match::setup::Prepared;
use smalt_match::store::{Store, StoreError};

/// Exit code of a store error: usage if the file is at fault, else failure.
pub(super) fn refuse_store(error: StoreError) -> Refusal {
    let exit = if error.is_about_the_file() { Exit::Usage } else { Exit::Failed };
    Refusal { exit, error: error.into() }
}

/// Whether a file is a store, by its first bytes or its name, so that a damaged store is refused as such.
pub(super) fn is_store(path: &Path) -> bool {
    begins_with(path, SQLITE) || path.extension().is_some_and(|extension| extension == "db")
}

/// The run of a store, without openings.
pub(super) fn read_run(store: &Store) -> Result<Prepared, Refusal> {
    Ok(Prepared::without_openings(read_plan(store)?))
}

pub(super) fn read_plan(store: &Store) -> Result<Plan, Refusal> {
    let run = store.run().map_err(refuse_store)?;
    let name = store.path().display().to_string();
    let settings = Settings::parse_layer(&run.plan, &name).or_usage()?;
    Plan::of_layers(settings, &Registry::default()).context(name).or_usage()
}

/// The run of a store, with its original openings.
pub(super) fn read_played_run(store: &Store) -> Result<Prepared, Refusal> {
    let (prepared, book) = Prepared::new(read_plan(store)?).or_usage()?;
    let (found, begun) = (book.fingerprint(), store.run().map_err(refuse_store)?.openings);
    if found != begun {
        let error = anyhow!(
            "the openings of this run have changed: it began with {begun}, and now there are {found}; put the old file back"
        );
        return Err(Refusal { exit: Exit::Usage, error });
    }
    Ok(prepared)
}
