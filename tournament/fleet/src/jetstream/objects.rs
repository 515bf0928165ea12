//! Files of a run in JetStream's object store: a bucket for each run, with objects named by their SHA-256.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use async_nats::Client;
use async_nats::jetstream::object_store::{Config, ObjectMetadata, ObjectStore};
use async_nats::jetstream::stream::Stream;
use async_nats::jetstream::{self, Context};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE;
use ring::digest::{Context as Digest, SHA256, digest};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::connection::chain;
use super::{SERVER_TIMEOUT, Subjects};
use crate::files::SentFile;
use crate::machine::platform;
use crate::run_config::ReceivedFiles;
use crate::wire::{FileMessage, FilePurpose};
use smalt_workbench::engine_files::{hexadecimal, sha256};
use smalt_workbench::file_stamp::FileStamp;

/// Age after which the server deletes the files of an abandoned run.
const MAX_AGE: Duration = Duration::from_secs(7 * 24 * 3600);

/// Longest wait for the next part of a file.
const PART_TIMEOUT: Duration = Duration::from_secs(60);

/// Bytes of a part, if the server permits messages of twice this length.
const PART_BYTES: usize = 1 << 19;

/// Time without use after which a received file is deleted.
const CACHE_AGE: Duration = Duration::from_secs(30 * 24 * 3600);

fn context(client: &Client, timeout: Duration) -> Context {
    let mut context = jetstream::new(client.clone());
    context.set_timeout(timeout);
    context
}

/// Why the files of a run were not sent.
#[derive(Debug, thiserror::Error)]
pub(super) enum SendError {
    /// A file of this machine cannot be read, or has changed.
    #[error("{}: {words}", path.display())]
    File { path: PathBuf, words: String },
    /// The server did not take them; it may do so later.
    #[error("{0}")]
    Server(String),
}

/// Puts the files of a run into its bucket, unless they are there already. A bucket that a killed coordinator left is used.
pub(super) async fn send(client: Client, names: Subjects, files: Vec<SentFile>) -> Result<(), SendError> {
    let context = context(&client, SERVER_TIMEOUT);
    let config = Config {
        bucket: names.bucket(),
        description: Some("files of a run of smalt-tournament".to_owned()),
        max_age: MAX_AGE,
        num_replicas: 1,
        ..Config::default()
    };
    let store = match context.get_object_store(names.bucket()).await {
        Ok(store) => store,
        Err(_) => {
            let created = context.create_object_store(config).await;
            created.map_err(|error| SendError::Server(chain(&error)))?
        }
    };
    let part = PART_BYTES.min(client.server_info().max_payload / 2);
    for SentFile { message, path } in &files {
        let digest = Some(object_digest(&message.sha256));
        if store.info(&message.sha256).await.is_ok_and(|known| !known.deleted && known.digest == digest) {
            continue;
        }
        let failed = |words: String| SendError::File { path: path.clone(), words };
        let mut file = tokio::fs::File::open(path).await.map_err(|error| failed(error.to_string()))?;
        let name = ObjectMetadata {
            name: message.sha256.clone(),
            chunk_size: Some(part),
            ..ObjectMetadata::default()
        };
        let info = store.put(name, &mut file).await;
        let info =
            info.map_err(|error| SendError::Server(format!("{}: {}", path.display(), chain(&error))))?;
        if info.digest != digest {
            let _ = store.delete(&message.sha256).await;
            return Err(failed("it has changed since the run began".to_owned()));
        }
    }
    Ok(())
}

/// The digest of an object, as the object store writes it, from one in hexadecimal.
fn object_digest(sha256: &str) -> String {
    let digits = sha256.as_bytes().chunks(2).filter_map(|pair| std::str::from_utf8(pair).ok());
    let bytes: Vec<u8> = digits.filter_map(|pair| u8::from_str_radix(pair, 16).ok()).collect();
    format!("SHA-256={}", BASE64_URL_SAFE.encode(bytes))
}

/// Deletes the bucket of a run.
pub(super) async fn delete(client: &Client, names: &Subjects, patience: Duration) {
    let _ = timeout(patience, jetstream::new(client.clone()).delete_object_store(names.bucket())).await;
}

/// The received files of a worker. A file that was compared with its digest is compared again only when its stamp has
/// changed.
#[derive(Debug)]
pub(super) struct FileCache {
    folder: PathBuf,
    /// Digest and stamp of each compared file.
    compared: RefCell<HashMap<PathBuf, (String, FileStamp)>>,
}

impl FileCache {
    /// The cache in the user's cache folder.
    pub(super) fn new() -> FileCache {
        FileCache {
            folder: smalt_workbench::source::cache_folder().with_file_name("files"),
            compared: RefCell::default(),
        }
    }

    /// Takes the files of a run that fit this machine into the cache. `show` gets a line for each transfer.
    pub(super) async fn receive(
        &self,
        client: &Client,
        names: &Subjects,
        files: &[&FileMessage],
        show: &dyn Fn(&str),
    ) -> Result<ReceivedFiles, String> {
        let folder = self.folder.clone();
        let _ = spawn_blocking(move || prune(&folder, SystemTime::now())).await;
        let mut received = ReceivedFiles::default();
        let mut bucket = None;
        let tables = self.folder.join(tables_folder(files));
        for &file in files {
            let FileMessage { purpose, sha256, .. } = file;
            let path = match purpose {
                FilePurpose::Program { platform: other, .. } if *other != platform() => continue,
                FilePurpose::Program { .. } => {
                    self.folder.join(sha256).join("engine").with_extension(std::env::consts::EXE_EXTENSION)
                }
                FilePurpose::Option { .. } | FilePurpose::Book { .. } => {
                    self.folder.join(sha256).join("file")
                }
                FilePurpose::Table { name } => tables.join(name),
            };
            if !self.has(&path, file).await {
                if bucket.is_none() {
                    bucket = Some(FileBucket::open(client, names).await?);
                }
                show(&format!("Receiving {} ({} bytes)", purpose.words(), file.bytes));
                let bucket = bucket.as_ref().expect("it was just opened");
                bucket.fetch(file, &path).await.map_err(|words| format!("{}: {words}", purpose.words()))?;
            }
            mark_used(&path);
            match purpose {
                FilePurpose::Program { entrant, .. } => drop(received.programs.insert(*entrant, path)),
                FilePurpose::Option { entrant, option } => {
                    received.options.entry(*entrant).or_default().insert(option.clone(), path);
                }
                FilePurpose::Book { entrant } => drop(received.books.insert(*entrant, path)),
                FilePurpose::Table { .. } => received.tables = Some(tables.clone()),
            }
        }
        Ok(received)
    }

    /// Whether the cache has a file with the right content.
    async fn has(&self, path: &Path, file: &FileMessage) -> bool {
        let Ok(found) = fs::metadata(path) else { return false };
        let compared = (file.sha256.clone(), FileStamp::of(&found));
        if self.compared.borrow().get(path) == Some(&compared) {
            return true;
        }
        let read = path.to_owned();
        let digest =
            spawn_blocking(move || File::open(read).and_then(|mut file| self::sha256(&mut file))).await;
        let is_right = digest.is_ok_and(|digest| digest.is_ok_and(|digest| digest == file.sha256));
        if is_right {
            self.compared.borrow_mut().insert(path.to_owned(), compared);
        }
        is_right
    }
}

/// Deletes the folders of a cache that were unused for [`CACHE_AGE`].
fn prune(cache: &Path, now: SystemTime) {
    for folder in fs::read_dir(cache).into_iter().flatten().flatten() {
        let used = folder.metadata().and_then(|folder| folder.modified());
        if used.is_ok_and(|used| now.duration_since(used).is_ok_and(|age| age > CACHE_AGE)) {
            let _ = fs::remove_dir_all(folder.path());
        }
    }
}

/// Sets the time of the folder of a file, which [`prune`] reads.
fn mark_used(file: &Path) {
    // Windows opens no folder so; there it has the time of its last file.
    let folder = file.parent().map(File::open);
    let _ = folder.map(|folder| folder.and_then(|folder| folder.set_modified(SystemTime::now())));
}

/// Folder of the tablebases of a run: named by their digests.
fn tables_folder(files: &[&FileMessage]) -> String {
    let tables = files.iter().filter(|file| matches!(file.purpose, FilePurpose::Table { .. }));
    let all: String = tables.map(|file| file.sha256.as_str()).collect();
    hexadecimal(digest(&SHA256, all.as_bytes()).as_ref())
}

/// The bucket of a run, read by direct gets: these need no consumer, which a worker could use to send messages.
struct FileBucket {
    name: String,
    store: ObjectStore,
    parts: Stream,
}

impl FileBucket {
    async fn open(client: &Client, names: &Subjects) -> Result<FileBucket, String> {
        let name = names.bucket();
        let store = context(client, SERVER_TIMEOUT).get_object_store(&name).await;
        let store = store.map_err(|error| chain(&error))?;
        let parts = context(client, PART_TIMEOUT).get_stream(format!("OBJ_{name}")).await;
        Ok(FileBucket { store, parts: parts.map_err(|error| chain(&error))?, name })
    }

    /// Takes a file from the bucket; its place is filled only by the right content.
    async fn fetch(&self, file: &FileMessage, path: &Path) -> Result<(), String> {
        let failed = |error: io::Error| format!("failed to write {}: {error}", path.display());
        let folder = path.parent().expect("it is in the cache");
        fs::create_dir_all(folder).map_err(failed)?;
        let mut draft = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
        let object = self.store.info(&file.sha256).await.map_err(|error| chain(&error))?;
        let subject = format!("$O.{}.C.{}", self.name, object.nuid);
        let (mut digest, mut left, mut next) = (Digest::new(&SHA256), file.bytes, 1);
        for _ in 0..object.chunks {
            let part = self.parts.direct_get_builder().next_by_subject(&subject).sequence(next).send().await;
            let part = part.map_err(|error| chain(&error))?;
            next = part.sequence + 1;
            left = left.checked_sub(part.payload.len() as u64).ok_or("it is longer than announced")?;
            digest.update(&part.payload);
            draft.write_all(&part.payload).map_err(failed)?;
        }
        let found = hexadecimal(digest.finish().as_ref());
        if found != file.sha256 {
            return Err(format!("its SHA-256 is {found}, and {} was announced", file.sha256));
        }
        if matches!(file.purpose, FilePurpose::Program { .. }) {
            make_executable(draft.as_file()).map_err(failed)?;
        }
        draft.persist(path).map_err(|error| failed(error.error))?;
        Ok(())
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_the_object_store() {
        let sha256 = hexadecimal(digest(&SHA256, b"abc").as_ref());
        assert_eq!(object_digest(&sha256), "SHA-256=ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0=");
    }

    #[test]
    #[cfg(unix)]
    fn files_unused_for_a_month_are_deleted() {
        let cache = tempfile::tempdir().unwrap();
        let [old, used] = ["old", "used"].map(|name| cache.path().join(name));
        for folder in [&old, &used] {
            fs::create_dir(folder).unwrap();
            fs::write(folder.join("engine"), "").unwrap();
        }
        let now = SystemTime::now();
        prune(cache.path(), now);
        assert!(old.exists());
        let later = now + CACHE_AGE + Duration::from_secs(60);
        File::open(&used).unwrap().set_modified(later).unwrap();
        prune(cache.path(), later);
        assert!(!old.exists() && used.join("engine").exists());
        mark_used(&used.join("engine"));
        assert!(fs::metadata(&used).unwrap().modified().unwrap() < later);
    }

    #[tokio::test]
    async fn a_received_file_is_compared_again_only_when_it_has_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "abc").unwrap();
        let cache = FileCache { folder: folder.path().to_owned(), compared: RefCell::default() };
        let sha256 = hexadecimal(digest(&SHA256, b"abc").as_ref());
        let file =
            FileMessage { purpose: FilePurpose::Table { name: "KQvK.rtbw".to_owned() }, sha256, bytes: 3 };
        assert!(cache.has(&path, &file).await);
        let modified = fs::metadata(&path).unwrap().modified().unwrap();
        let write = |text: &str, modified: SystemTime| {
            fs::write(&path, text).unwrap();
            File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
        };
        write("xyz", modified);
        assert!(cache.has(&path, &file).await, "size and time are the same");
        write("xyz", modified + Duration::from_secs(1));
        assert!(!cache.has(&path, &file).await);
    }
}
