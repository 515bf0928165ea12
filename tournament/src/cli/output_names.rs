//! Names of output files: defaults, and existing stores.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, anyhow};

use super::exit::{OrRefuse, Refusal};
use super::output::print_info;
use super::output_style::OutputStyle;
use super::stored_run::refuse_store;
use smalt_match::named_file::numbered;
use smalt_match::plan::{OutputSettings, Plan};
use smalt_match::store::Store;
use smalt_workbench::calendar::UtcTime;
use smalt_workbench::sqlite_journal::journals;

/// Names of the store and the PGN file. The default is format and date; the PGN file is beside the store.
pub(super) struct OutputNames {
    typed: OutputSettings,
    stem: String,
    has_pgn: bool,
    /// Whether the PGN file may exist.
    takes_any_pgn: bool,
}

impl OutputNames {
    /// Names from the plan, with defaults.
    pub(super) fn of(plan: &Plan, style: &OutputStyle) -> OutputNames {
        let (has_pgn, takes_any_pgn) = match style {
            OutputStyle::Native(_) => {
                let has_data = plan.settings.data.file.is_some();
                (
                    plan.settings.output.pgn.is_some() || !has_data,
                    plan.settings.output.pgn.is_none() || plan.settings.output.pgn_after.is_some(),
                )
            }
            OutputStyle::Compat(shown) => (shown.has_pgn(), true),
        };
        let kind = match (&plan.sprt, &plan.settings.data.file) {
            (Some(_), _) => "sprt".to_owned(),
            (None, Some(_)) => "datagen".to_owned(),
            (None, None) => plan.format().to_string(),
        };
        let stem = format!("{kind}-{}", UtcTime::of(SystemTime::now()).file_stamp());
        OutputNames { typed: plan.settings.output.clone(), stem, has_pgn, takes_any_pgn }
    }

    /// Whether the names are defaults, so that another attempt can choose others.
    pub(super) fn are_defaults(&self) -> bool {
        self.typed.store.is_none() && self.takes_any_pgn
    }

    /// Sets the names in the plan, numbered from the second attempt on.
    pub(super) fn set(&self, plan: &mut Plan, attempt: u32) {
        let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
        let number = if attempt > 1 { format!("-{attempt}") } else { String::new() };
        let store = self.typed.store.clone();
        let store = store.unwrap_or_else(|| PathBuf::from(format!("{}{number}.db", self.stem)));
        let pgn = self.typed.pgn.clone().unwrap_or_else(|| store.with_extension("pgn"));
        plan.settings.output.store = Some(absolute(store));
        plan.settings.output.pgn = self.has_pgn.then(|| absolute(pgn));
    }
}

/// Renames an earlier run's store to a numbered name: in fastchess and cutechess mode the same command line starts a
/// new run.
pub(super) fn set_aside(store: &Path) -> Result<(), Refusal> {
    if !store.exists() {
        return Ok(());
    }
    // Checkpoints the write-ahead log; fails if the store is in use.
    Store::resume(store).map_err(refuse_store)?.close();
    if let Some((_, journal)) = journals(store).next() {
        return Err(anyhow!(
            "rename {}: another program has it open, and {} with it",
            store.display(),
            journal.display()
        ))
        .or_failed();
    }
    for number in 2.. {
        let aside = numbered(store, number);
        if journals(&aside).next().is_some() {
            continue;
        }
        match std::fs::hard_link(store, &aside) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            linked => {
                let moved = linked.and_then(|()| std::fs::remove_file(store));
                moved.with_context(|| format!("rename {}", store.display())).or_failed()?;
                print_info(&format!("The store of the earlier run is {} now", aside.display()));
                break;
            }
        }
    }
    Ok(())
}
