//! `-config file=`: continues a match.

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use smalt_match::store::Store;
use smalt_workbench::output_file::is_same_file;

use super::Typed;
use crate::cli::compat::config::{ConfigFile, NOT_IN_CONFIG};
use crate::cli::compat::files::{self, Config};
use crate::cli::compat::flag::{Flag, flags};
use crate::cli::compat::{Dialect, Request};
use crate::cli::exit::{OrRefuse, Refusal};
use crate::cli::intent::make_absolute;
use crate::cli::output::{make_outputs_absolute, print_info};
use crate::cli::stored_run::{read_played_run, refuse_store};

/// A configuration to continue. As in fastchess, earlier flags are ignored, except `-each`.
pub(super) struct LoadedConfig<'a> {
    path: PathBuf,
    file: ConfigFile,
    /// Flags equivalent to the file.
    arguments: Vec<String>,
    /// Flags that change it.
    changes: Vec<&'a Flag<'a>>,
    drops_stats: bool,
}

/// Plan flags that may change when resuming from the store; report flags are not part of the plan.
const RESUMABLE: [&str; 4] = ["concurrency", "recover", "log", "debug"];

/// Report flags, which may change too.
const REPORTS: [&str; 11] = [
    "report", "output", "ratinginterval", "scoreinterval", "outcomeinterval", "resultformat", "show-latency",
    "testEnv", "crc32", "autosaveinterval", "config",
];

/// Refuses flags after `-config file=STORE` that would change the resumed run; as in fastchess, earlier flags are
/// ignored.
pub(super) fn check_store_changes(flags: &[Flag<'_>], store: &Path) -> Result<(), Refusal> {
    let behind =
        flags.iter().rposition(|flag| flag.name == "config").map_or(flags, |place| &flags[place + 1..]);
    let fixed: Vec<_> = behind
        .iter()
        .filter(|flag| !RESUMABLE.iter().chain(&REPORTS).any(|name| *name == flag.name))
        .collect();
    if fixed.is_empty() {
        return Ok(());
    }
    let plan = read_played_run(&Store::read(store).map_err(refuse_store)?)?.plan;
    let is_same = |written: &Option<PathBuf>, named: PathBuf| {
        written.as_ref() == Some(&std::path::absolute(&named).unwrap_or(named))
    };
    for flag in fixed {
        let keeps = match flag.name {
            "pgnout" => is_same(&plan.settings.output.pgn, files::pgn(flag).or_usage()?.path),
            "epdout" => is_same(&plan.settings.output.epd, files::epd(flag).or_usage()?.path),
            _ => false,
        };
        if !keeps {
            let error = anyhow!(
                "-{} cannot be changed: the run resumes from its store {}; it may stand before -config, where it does not count",
                flag.name,
                store.display()
            );
            return Err(error).or_usage();
        }
    }
    Ok(())
}

impl<'a> LoadedConfig<'a> {
    /// The last configuration that a command line loads.
    pub(super) fn of(flags: &'a [Flag<'a>]) -> anyhow::Result<Option<LoadedConfig<'a>>> {
        let Some(place) = flags.iter().rposition(|flag| flag.name == "config") else { return Ok(None) };
        let Config { load: Some(path), outname, keep, drops_stats, .. } = files::config(&flags[place])?
        else {
            return Ok(None);
        };
        let file = ConfigFile::read(&path)?;
        let mut arguments = file.to_arguments();
        if let Some(outname) = outname.or(keep) {
            arguments.extend(["-config".to_owned(), format!("outname={}", outname.display())]);
        }
        let earlier = flags[..place].iter().filter(|flag| flag.name == "each");
        let changes = earlier.chain(&flags[place + 1..]).collect();
        Ok(Some(LoadedConfig { path, file, arguments, changes, drops_stats }))
    }

    pub(super) fn request(&self, dialect: Dialect) -> Result<Request, Refusal> {
        let arguments = self.arguments_with(&self.changes);
        let flags = flags(&arguments).or_usage()?;
        let mut typed = Typed::read(dialect, &flags)?;
        if dialect == Dialect::Fastchess {
            typed.shown.notes = format!("Loading config file: {}\n", self.path.display());
        }
        let name = Some(self.file.name()).filter(|name| !name.is_empty()).map(PathBuf::from);
        if let Some(name) = name {
            let Config { outname, saved_name, .. } = &mut typed.config;
            let target = if is_same_file(&name, &self.path) { outname } else { saved_name };
            target.get_or_insert(name);
        }
        let store = self.file.store().filter(|_| !self.drops_stats);
        let prior = self.file.prior().filter(|_| !self.drops_stats);
        if store.is_some() || prior.is_some() {
            typed.append_to_files(self.file.played());
        }
        match store {
            Some(store) => {
                self.check_changes(dialect, store)?;
                typed.keeps_store |= self.file.keeps_store();
                typed.config.resume = Some(store.to_owned());
            }
            None => typed.prior = prior,
        }
        if let Some(store) = self.file.missing_store().filter(|_| !self.drops_stats) {
            print_info(&format!(
                "Warning: the store {} is missing: the run resumes from the results in {}, without {NOT_IN_CONFIG}",
                store.display(),
                self.path.display()
            ));
        }
        typed.request()
    }

    /// The flags of the file, followed by these.
    fn arguments_with(&self, changes: &[&Flag<'_>]) -> Vec<String> {
        let mut arguments = self.arguments.clone();
        for flag in changes {
            arguments.push(format!("-{}", flag.name));
            arguments.extend_from_slice(flag.words);
        }
        arguments
    }

    /// Refuses flags that would change the games, which the store determines.
    fn check_changes(&self, dialect: Dialect, store: &Path) -> Result<(), Refusal> {
        let plan = |changes: &[&Flag<'_>]| {
            let arguments = self.arguments_with(changes);
            let flags = flags(&arguments).or_usage()?;
            let mut typed = Typed::read(dialect, &flags)?;
            typed.append_to_files(0);
            let mut settings = typed.plan().or_usage()?.settings;
            make_absolute(&mut settings);
            make_outputs_absolute(&mut settings.output);
            settings.output.pgn = settings.output.pgn.map(|path| std::path::absolute(&path).unwrap_or(path));
            Ok::<_, Refusal>(settings)
        };
        let fixed = self.changes.iter().filter(|flag| !RESUMABLE.contains(&flag.name));
        for flag in fixed {
            if plan(&[*flag])? != plan(&[])? {
                let error = anyhow!(
                    "-{} cannot be changed: the run resumes from its store {}; -config file={} stats=false begins anew",
                    flag.name,
                    store.display(),
                    self.path.display()
                );
                return Err(error).or_usage();
            }
        }
        Ok(())
    }
}
