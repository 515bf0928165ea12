//! Tests of the queue's file.

use super::*;

fn new(words: &str, priority: i64) -> NewJob {
    let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
    NewJob { priority, ..NewJob::new(&words, PathBuf::from("/work")).unwrap() }
}

#[test]
fn jobs_are_kept_in_the_order_of_priority_and_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/queue.db");
    let mut file = QueueFile::open(&path).unwrap();
    for (words, priority) in [("sprt a", 0), ("sprt b", 0), ("match c", 2), ("sprt d", 0)] {
        file.add(&new(words, priority)).unwrap();
    }
    let order = |file: &QueueFile| file.jobs().unwrap().iter().map(|job| job.id).collect::<Vec<_>>();
    assert_eq!(order(&file), [3, 1, 2, 4]);
    file.reorder(4, Some(2)).unwrap();
    assert_eq!(order(&file), [3, 1, 4, 2]);
    file.reorder(2, None).unwrap();
    assert_eq!(order(&file), [3, 2, 1, 4]);
    file.set_priority(1, 9).unwrap();
    file.remove(4).unwrap();
    let again = QueueFile::open(&path).unwrap();
    assert_eq!(order(&again), [1, 3, 2]);
    assert_eq!(again.job(2).unwrap().added.command, ["sprt", "b"]);
    assert!(matches!(file.remove(4), Err(QueueError::Unknown(4))));
    assert!(matches!(file.pause(99), Err(QueueError::Unknown(99))));
    let home = folder.path().canonicalize().unwrap().join("new/queue-jobs");
    assert_eq!(again.home(), home);
    #[cfg(unix)]
    {
        let link = folder.path().join("link.db");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert_eq!(QueueFile::open(&link).unwrap().home(), home);
    }
}

#[test]
fn the_file_of_a_newer_program_is_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("queue.db");
    let newer = Connection::open(&path).unwrap();
    newer.execute_batch(TABLES).unwrap();
    newer.pragma_update(None, "application_id", APPLICATION).unwrap();
    newer.pragma_update(None, "user_version", VERSION + 1).unwrap();
    drop(newer);
    let before = std::fs::read(&path).unwrap();
    assert!(matches!(QueueFile::open(&path), Err(QueueError::Newer { found, .. }) if found == VERSION + 1));
    assert!(std::fs::read(&path).unwrap() == before);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no journal is left");
}

#[test]
fn a_job_that_has_ended_is_neither_paused_nor_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = QueueFile::open(&folder.path().join("queue.db")).unwrap();
    let id = file.add(&new("sprt", 0)).unwrap();
    let state = |file: &QueueFile| file.job(id).unwrap().state;
    file.pause(id).unwrap();
    assert_eq!(state(&file), JobState::Paused);
    file.resume(id).unwrap();
    file.note_ended(id, JobState::OutOfTime, "").unwrap();
    file.add_used(id, Duration::from_secs(60)).unwrap();
    file.set_budget(id, Some(Duration::from_secs(50))).unwrap();
    assert_eq!(state(&file), JobState::OutOfTime);
    assert!(matches!(file.resume(id), Err(QueueError::OutOfTime(1))));
    assert_eq!(state(&file), JobState::OutOfTime);
    file.set_budget(id, Some(Duration::from_secs(70))).unwrap();
    assert_eq!(state(&file), JobState::Waiting);
    file.note_ended(id, JobState::Done, "2 time losses").unwrap();
    file.pause(id).unwrap();
    file.resume(id).unwrap();
    let job = file.job(id).unwrap();
    assert_eq!((job.state, job.flag.as_str()), (JobState::Done, "2 time losses"));
    let words: Vec<String> = file.events(id).unwrap().into_iter().map(|event| event.words).collect();
    assert_eq!(words[..3], ["added", "paused", "resumed"]);
}

#[test]
fn a_new_job_needs_a_store_that_is_no_others() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = QueueFile::open(&folder.path().join("queue.db")).unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(at("old.db"), "").unwrap();
    let old = new(&format!("sprt --store {}", at("old.db")), 0);
    assert!(matches!(file.add(&old), Err(QueueError::Exists(_))));
    file.add(&new(&format!("resume --games 8 {}", at("old.db")), 0)).unwrap();
    let fresh = new(&format!("sprt --store={}", at("new.db")), 0);
    assert_eq!(file.add(&fresh).unwrap(), 2);
    let same = new(&format!("match --store {}", at("queue-jobs/../new.db")), 0);
    std::fs::create_dir(at("queue-jobs")).unwrap();
    assert!(matches!(file.add(&same), Err(QueueError::Taken { job: 2, .. })));
    let tuned = new(&format!("spsa --checkpoint {}", at("old.db")), 0);
    assert!(matches!(file.add(&tuned), Err(QueueError::Exists(_))));
    file.remove(2).unwrap();
    file.add(&same).unwrap();
}

#[test]
fn a_job_that_was_removed_meanwhile_is_no_error_of_the_daemon() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = QueueFile::open(&folder.path().join("queue.db")).unwrap();
    let id = file.add(&new("sprt", 0)).unwrap();
    file.remove(id).unwrap();
    file.note_begun(id).unwrap();
    file.note_started(id, 2).unwrap();
    file.note_stopped(id).unwrap();
    file.note_ended(id, JobState::Failed, "gone").unwrap();
    assert!(file.jobs().unwrap().is_empty() && file.events(id).unwrap().len() == 1);
}

#[test]
fn a_queue_of_format_1_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("queue.db");
    let old = Connection::open(&path).unwrap();
    let tables = TABLES.replace(",\n    has_begun INTEGER NOT NULL DEFAULT 0", "");
    assert!(!tables.contains("has_begun"));
    old.execute_batch(&tables).unwrap();
    old.pragma_update(None, "application_id", APPLICATION).unwrap();
    old.pragma_update(None, "user_version", 1).unwrap();
    old.execute_batch(
        "INSERT INTO job (place, name, command, folder, priority, state) VALUES
         (1, 'a', '[\"sprt\"]', '/', 0, 'waiting'), (2, 'b', '[\"sprt\"]', '/', 0, 'waiting');
         INSERT INTO event VALUES (1, 5, 'added'), (1, 6, 'started with concurrency 2'), (2, 7, 'added');",
    )
    .unwrap();
    drop(old);
    let begun = |file: &QueueFile| file.jobs().unwrap().iter().map(|job| job.has_begun).collect::<Vec<_>>();
    assert_eq!(begun(&QueueFile::open(&path).unwrap()), [true, false]);
    assert_eq!(begun(&QueueFile::open(&path).unwrap()), [true, false]);
}

#[test]
fn another_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("text");
    std::fs::write(&text, "no database, and long enough to be none at all").unwrap();
    assert!(matches!(QueueFile::open(&text), Err(QueueError::Foreign(_))));
    let other = folder.path().join("other.db");
    Connection::open(&other).unwrap().execute_batch("CREATE TABLE run (id INTEGER)").unwrap();
    assert!(matches!(QueueFile::open(&other), Err(QueueError::Foreign(_))));
}

#[test]
fn a_new_queue_leaves_the_journal_of_a_renamed_one_alone() {
    let folder = tempfile::tempdir().unwrap();
    let [path, journal] = ["queue.db", "queue.db-wal"].map(|name| folder.path().join(name));
    std::fs::write(&journal, "jobs").unwrap();
    assert!(matches!(QueueFile::open(&path), Err(QueueError::LeftJournal { .. })));
    assert_eq!(std::fs::read_to_string(&journal).unwrap(), "jobs");
    assert!(!path.exists());
}
