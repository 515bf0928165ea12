//! Game files of a run: created at the start, reopened on resume. Other content is kept.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::anyhow;

use super::exit::{Exit, Refusal};
use super::output::print_info;
use super::stored_run::refuse_store;
use smalt_match::game_file::{GameFile, GameFiles, GameFormat, Sharing};
use smalt_match::pgn::PgnWriter;
use smalt_match::plan::OutputSettings;
use smalt_match::run::RunError;
use smalt_match::setup::Prepared;
use smalt_match::store::{Store, StoreError};

/// Kind of game file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GameFileKind {
    Pgn,
    Epd,
}

impl GameFileKind {
    const ALL: [GameFileKind; 2] = [GameFileKind::Pgn, GameFileKind::Epd];

    fn path(self, output: &mut OutputSettings) -> &mut Option<PathBuf> {
        match self {
            GameFileKind::Pgn => &mut output.pgn,
            GameFileKind::Epd => &mut output.epd,
        }
    }

    /// Length before the run, if the file is shared.
    fn bytes_before(self, output: &mut OutputSettings) -> &mut Option<u64> {
        match self {
            GameFileKind::Pgn => &mut output.pgn_after,
            GameFileKind::Epd => &mut output.epd_after,
        }
    }

    fn flag(self) -> &'static str {
        match self {
            GameFileKind::Pgn => "--pgn",
            GameFileKind::Epd => "--epd",
        }
    }

    /// The error of a file that cannot be created.
    fn refuse(self, path: &Path, error: io::Error) -> Refusal {
        let (shown, flag) = (path.display(), self.flag());
        let error = match error.kind() {
            ErrorKind::AlreadyExists => {
                anyhow!(
                    "create {shown}: it exists already; choose another {flag}, or append to it with --append"
                )
            }
            _ => anyhow::Error::new(error).context(format!("create {shown}")),
        };
        Refusal { exit: Exit::Usage, error }
    }

    fn text(self, prepared: &Prepared) -> GameFormat {
        let Prepared { plan, openings, .. } = prepared;
        match self {
            GameFileKind::Pgn => GameFormat::Pgn(PgnWriter::new(plan, Arc::clone(openings))),
            GameFileKind::Epd => {
                GameFormat::Epd(plan.entrants.iter().map(|entrant| entrant.name.clone()).collect())
            }
        }
    }
}

/// Why a run cannot start.
pub(super) enum BeginError {
    Taken(Refusal),
    Other(Refusal),
}

impl From<Refusal> for BeginError {
    fn from(refusal: Refusal) -> BeginError {
        BeginError::Other(refusal)
    }
}

impl From<StoreError> for BeginError {
    fn from(error: StoreError) -> BeginError {
        let is_taken = matches!(error, StoreError::Exists(_) | StoreError::LeftJournal { .. });
        let refusal = refuse_store(error);
        if is_taken { BeginError::Taken(refusal) } else { BeginError::Other(refusal) }
    }
}

impl From<BeginError> for Refusal {
    fn from(error: BeginError) -> Refusal {
        match error {
            BeginError::Taken(refusal) | BeginError::Other(refusal) => refusal,
        }
    }
}

/// Creates the files of a new run, or opens those to append to. Files in `emptied` may exist, and keep their content.
///
/// # Errors
/// If a file exists without --append, or the system refuses.
pub(super) fn begin(prepared: &Prepared, emptied: &[PathBuf]) -> Result<GameFiles, BeginError> {
    let mut output = prepared.plan.settings.output.clone();
    let mut files = GameFiles::default();
    for kind in GameFileKind::ALL {
        let Some(path) = kind.path(&mut output).take() else { continue };
        let text = kind.text(prepared);
        let opened = if emptied.contains(&path) || kind.bytes_before(&mut output).is_some() {
            GameFile::append(&path, text)
        } else {
            GameFile::create(&path, text)
        };
        match opened {
            Ok(file) => files.0.push(file),
            Err(error) => {
                files.discard();
                let is_taken = error.kind() == ErrorKind::AlreadyExists;
                let refusal = kind.refuse(&path, error);
                return Err(if is_taken { BeginError::Taken(refusal) } else { BeginError::Other(refusal) });
            }
        }
    }
    Ok(files)
}

/// Opens the files of a resumed run. A file of the same name from elsewhere is left unchanged; the games go to a new
/// file beside it, which becomes part of the plan.
pub(super) fn resume(prepared: &mut Prepared, store: &Store) -> Result<GameFiles, Refusal> {
    let mut files = GameFiles::default();
    for kind in GameFileKind::ALL {
        let output = &mut prepared.plan.settings.output;
        let Some(path) = kind.path(output).clone() else { continue };
        let sharing = kind.bytes_before(output).map_or(Sharing::Own, Sharing::After);
        let mut text = kind.text(prepared);
        let authors = store.authors().map_err(refuse_store)?;
        for (entrant, name) in store.engines().map_err(refuse_store)? {
            text.set_engine(entrant, &name, authors.get(&entrant).map_or("", String::as_str));
        }
        let file = match reopen(kind, &path, text.clone(), sharing, store)? {
            Some(file) => file,
            None => {
                let created = GameFile::create_beside(&path, text);
                let file = created.map_err(|error| kind.refuse(&path, error))?;
                let beside = file.path().to_owned();
                print_info(&format!(
                    "Warning: {} holds games of other runs and stays as it is; the games of this run go to {}",
                    path.display(),
                    beside.display()
                ));
                *kind.path(&mut prepared.plan.settings.output) = Some(beside);
                file
            }
        };
        files.0.push(file);
    }
    Ok(files)
}

fn reopen(
    kind: GameFileKind,
    path: &Path,
    text: GameFormat,
    sharing: Sharing,
    store: &Store,
) -> Result<Option<GameFile>, Refusal> {
    let reopened = GameFile::resume(path, text, sharing, |text, each| {
        Ok(store.for_each_game(|record| each(record.game.number, &text.write(&record)))?)
    });
    reopened.map_err(|error| match error {
        RunError::Store(error) => refuse_store(error),
        RunError::Pgn(error) => kind.refuse(path, error),
        other => Refusal { exit: Exit::Failed, error: other.into() },
    })
}
