//! Files of a run in JetStream's object store: a bucket for each run, with objects named by their SHA-256.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use async_nats::Client;
use async_nats::jetstream::object_store::{Config, ObjectStore};
use async_nats::jetstream::{self, Context};
use ring::digest::{Context as Digest, SHA256, digest};
use tokio::io::AsyncReadExt;
use tokio::time::timeout;

use super::connection::chain;
use super::{SERVER_TIMEOUT, Subjects};
use crate::files::{SentFile, platform};
use crate::run_config::ReceivedFiles;
use crate::wire::{FileMessage, FilePurpose};
use smalt_match::run::sha256;

/// Age after which the server deletes the files of an abandoned run.
const MAX_AGE: Duration = Duration::from_secs(7 * 24 * 3600);

/// Longest wait for the next part of a file.
const PART_TIMEOUT: Duration = Duration::from_secs(60);

fn context(client: &Client) -> Context {
    let mut context = jetstream::new(client.clone());
    context.set_timeout(SERVER_TIMEOUT);
    context
}

/// Puts the files of a run into its bucket, unless they are there already.
pub(super) async fn send(client: &Client, names: &Subjects, files: &[SentFile]) -> Result<(), String> {
    if files.is_empty() {
        return Ok(());
    }
    let config = Config {
        bucket: names.bucket(),
        description: Some("files of a run of smalt-tournament".to_owned()),
        max_age: MAX_AGE,
        num_replicas: 1,
        ..Config::default()
    };
    let store = context(client).create_object_store(config).await.map_err(|error| chain(&error))?;
    for SentFile { message, path } in files {
        if store.info(&message.sha256).await.is_ok_and(|known| !known.deleted) {
            continue;
        }
        let mut file = tokio::fs::File::open(path).await.map_err(|error| error.to_string())?;
        let sent = store.put(message.sha256.as_str(), &mut file).await;
        let info = sent.map_err(|error| format!("{}: {}", path.display(), chain(&error)))?;
        if info.size as u64 != message.bytes {
            return Err(format!("{} changed while it was sent", path.display()));
        }
    }
    Ok(())
}

/// Deletes the bucket of a run.
pub(super) async fn delete(client: &Client, names: &Subjects, patience: Duration) {
    let _ = timeout(patience, jetstream::new(client.clone()).delete_object_store(names.bucket())).await;
}

/// Takes the files of a run that fit this machine into the cache. `show` gets a line for each transfer.
pub(super) async fn receive(
    client: &Client,
    names: &Subjects,
    files: &[FileMessage],
    cache: &Path,
    show: &dyn Fn(&str),
) -> Result<ReceivedFiles, String> {
    let mut received = ReceivedFiles::default();
    let mut store = None;
    let tables = cache.join(tables_folder(files));
    for file in files {
        let FileMessage { purpose, sha256, .. } = file;
        let path = match purpose {
            FilePurpose::Program { platform: other, .. } if *other != platform() => continue,
            FilePurpose::Program { .. } => {
                cache.join(sha256).join("engine").with_extension(std::env::consts::EXE_EXTENSION)
            }
            FilePurpose::Option { .. } => cache.join(sha256).join("file"),
            FilePurpose::Table { name } => tables.join(name),
        };
        if !is_right(&path, file) {
            if store.is_none() {
                let found = context(client).get_object_store(names.bucket()).await;
                store = Some(found.map_err(|error| chain(&error))?);
            }
            show(&format!("Receiving {} ({} bytes)", purpose.words(), file.bytes));
            fetch(store.as_ref().expect("it was just opened"), file, &path)
                .await
                .map_err(|words| format!("{}: {words}", purpose.words()))?;
        }
        match purpose {
            FilePurpose::Program { entrant, .. } => drop(received.programs.insert(*entrant, path)),
            FilePurpose::Option { entrant, option } => {
                received.options.entry(*entrant).or_default().insert(option.clone(), path);
            }
            FilePurpose::Table { .. } => received.tables = Some(tables.clone()),
        }
    }
    Ok(received)
}

/// Folder of the endgame tables of a run: named by their digests.
fn tables_folder(files: &[FileMessage]) -> String {
    let tables = files.iter().filter(|file| matches!(file.purpose, FilePurpose::Table { .. }));
    let all: String = tables.map(|file| file.sha256.as_str()).collect();
    digest(&SHA256, all.as_bytes()).as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether a file is in the cache, with the right content.
fn is_right(path: &Path, file: &FileMessage) -> bool {
    let known = File::open(path).and_then(|mut known| sha256(&mut known));
    known.is_ok_and(|known| known == file.sha256)
}

/// Takes a file from the bucket; its place is filled only by the right content.
async fn fetch(store: &ObjectStore, file: &FileMessage, path: &Path) -> Result<(), String> {
    let failed = |error: io::Error| format!("failed to write {}: {error}", path.display());
    let folder = path.parent().expect("it is in the cache");
    fs::create_dir_all(folder).map_err(failed)?;
    let mut draft = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    let object = timeout(PART_TIMEOUT, store.get(file.sha256.as_str())).await;
    let mut object = object.map_err(|_| "no answer".to_owned())?.map_err(|error| chain(&error))?;
    let (mut digest, mut left) = (Digest::new(&SHA256), file.bytes);
    let mut buffer = vec![0; 1 << 17];
    loop {
        let count =
            timeout(PART_TIMEOUT, object.read(&mut buffer)).await.map_err(|_| "no answer".to_owned())?;
        let count = count.map_err(|error| error.to_string())?;
        if count == 0 {
            break;
        }
        left = left.checked_sub(count as u64).ok_or("it is longer than announced")?;
        digest.update(&buffer[..count]);
        draft.write_all(&buffer[..count]).map_err(failed)?;
    }
    let found: String = digest.finish().as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    if found != file.sha256 {
        return Err(format!("its SHA-256 is {found}, and {} was announced", file.sha256));
    }
    if matches!(file.purpose, FilePurpose::Program { .. }) {
        make_executable(draft.as_file()).map_err(failed)?;
    }
    draft.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}

#[cfg(unix)]
fn make_executable(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(fs::Permissions::from_mode(0o700))
}

#[cfg(not(unix))]
fn make_executable(_file: &File) -> io::Result<()> {
    Ok(())
}

/// Folder of received files.
pub(super) fn cache_folder() -> PathBuf {
    smalt_workbench::source::cache_folder().with_file_name("files")
}
