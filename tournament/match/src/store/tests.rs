//! Tests of the store alone.

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use smalt_chess::{Color, Outcome, UciMove};
use smalt_driver::process::ProcessIdentity;

use super::*;
use crate::game::{
    BinaryReport, EngineFault, FaultReport, GameRecord, Machine, MachineReport, Termination, moves,
};
use crate::schedule::ScheduledGame;

mod written;

/// Removes what format 11 added.
const FORMAT_10: &str = "DROP TABLE entrant; PRAGMA user_version = 10;";

fn run() -> StoredRun {
    StoredRun {
        created: UNIX_EPOCH + Duration::from_secs(1),
        plan: "[[entrant]]\nname = \"first\"\n[[entrant]]\nname = \"second\"\n".to_owned(),
        openings: "o".to_owned(),
    }
}

fn record(number: u32, outcome: Outcome) -> GameRecord {
    GameRecord {
        game: ScheduledGame { number, pair: number / 2, round: 0, white: 0, black: 1, opening: 3 },
        fen: None,
        plies: moves::parse("e2e4 e7e5/35/12/98000/410250/").unwrap(),
        outcome,
        termination: Termination::Disconnect,
        started: UNIX_EPOCH + Duration::from_millis(1_234_567),
        duration: Duration::from_micros(77),
        fault: Some(FaultReport {
            color: Color::Black,
            name: "crashed".to_owned(),
            words: "was ended by SIGSEGV".to_owned(),
            transcript: vec!["> go".to_owned(), "< bye".to_owned()],
            illegal_move: None,
            overrun: None,
        }),
        peak_memory: [Some(5 << 30), None],
        machine: number.is_multiple_of(2).then(|| Machine { name: "bench".into(), speed: NonZeroU64::MIN }),
    }
}

fn games(store: &Store) -> Vec<GameRecord> {
    let mut games = Vec::new();
    store.for_each_game(|game| games.push(game)).unwrap();
    games
}

#[test]
fn what_is_stored_is_read_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.db");
    let mut store = Store::create(&path, &run()).unwrap();
    let white_wins = Outcome::Win(Color::White);
    for number in [2, 0, 1] {
        assert_eq!(store.save(&record(number, white_wins)).unwrap(), SaveOutcome::New);
    }
    store.save_engine(1, "Engine 1.0", "Somebody").unwrap();
    drop(store);
    let store = Store::read(&path).unwrap();
    assert_eq!(store.run().unwrap(), run());
    assert_eq!(games(&store), [0, 1, 2].map(|number| record(number, white_wins)));
    assert_eq!(store.engines().unwrap()[&1], "Engine 1.0");
}

#[test]
fn a_game_is_read_as_it_was_saved_with_its_times_rounded() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::create(&folder.path().join("run.db"), &run()).unwrap();
    let time = |seconds: u64| Duration::new(seconds, 123_456_789);
    let mut fine = record(0, Outcome::Win(Color::White));
    (fine.started, fine.duration) = (UNIX_EPOCH + time(1_700_000_000), time(4000));
    let search = fine.plies[1].search.as_mut().unwrap();
    (search.elapsed, search.latency, search.left) = (time(0), Some(time(7)), Some(time(3599)));
    fine.fault.as_mut().unwrap().overrun = Some(time(0));
    store.save(&fine).unwrap();
    assert_ne!(games(&store), [fine.clone()]);
    fine.round_times();
    assert_eq!(games(&store), [fine]);
}

#[test]
fn faults_between_games_are_shown_once_and_apart() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::create(&folder.path().join("run.db"), &run()).unwrap();
    let fault = |entrant, words: &str| EngineFault {
        entrant,
        name: "stalled".to_owned(),
        words: words.to_owned(),
        transcript: vec!["> uci".to_owned()],
    };
    store.save_fault(&fault(1, "slept")).unwrap();
    store.save(&record(0, Outcome::Win(Color::White))).unwrap();
    store.save_fault(&fault(0, "dozed")).unwrap();
    let all = store.start_faults_after(0).unwrap();
    assert_eq!(all.iter().map(|&(_, entrant)| entrant).collect::<Vec<_>>(), [1, 0]);
    assert_eq!(store.start_faults_after(all[0].0).unwrap(), all[1..]);
    assert_eq!(store.start_faults_after(all[1].0).unwrap(), []);
    let (total, last) = store.last_faults(2).unwrap();
    assert_eq!((total, last[0].fault.words.as_str(), last[1].game), (3, "dozed", Some(0)));
    assert_eq!((last.len(), last[1].fault.transcript.len()), (2, 2));
}

#[test]
fn storing_a_game_again_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::create(&folder.path().join("run.db"), &run()).unwrap();
    let first = record(5, Outcome::Win(Color::White));
    assert_eq!(store.save(&first).unwrap(), SaveOutcome::New);
    assert_eq!(store.save(&record(5, Outcome::Draw)).unwrap(), SaveOutcome::Known);
    assert_eq!(games(&store), [first]);
}

#[test]
fn a_second_runner_is_refused_and_a_reader_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.db");
    let store = Store::create(&path, &run()).unwrap();
    assert!(matches!(Store::resume(&path), Err(StoreError::Busy(_))));
    assert_eq!(games(&Store::read(&path).unwrap()), []);
    drop(store);
    assert!(Store::resume(&path).is_ok());
}

#[test]
fn a_file_that_is_not_a_store_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.db");
    assert!(matches!(Store::read(&path), Err(StoreError::Open { .. })));
    std::fs::write(&path, "1. e4 e5").unwrap();
    assert!(matches!(Store::read(&path), Err(StoreError::Foreign(_))));
    assert!(matches!(Store::resume(&path), Err(StoreError::Foreign(_))));
    assert!(matches!(Store::create(&path, &run()), Err(StoreError::Exists(_))));
}

#[test]
fn a_newer_form_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.db");
    let store = Store::create(&path, &run()).unwrap();
    store.connection.pragma_update(None, "user_version", 99).unwrap();
    drop(store);
    assert!(matches!(Store::read(&path), Err(StoreError::Newer { found: 99, .. })));
}

#[test]
fn processes_are_remembered_until_they_are_gone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.db");
    let store = Store::create(&path, &run()).unwrap();
    let [first, second] = [1, 2].map(|pid| ProcessIdentity { pid, started: 7, session: 3 });
    store.save_process(first).unwrap();
    store.save_process(second).unwrap();
    store.remove_process(first).unwrap();
    // 2 is FULL: commits wait for the disk again.
    let level: i64 = store.connection.pragma_query_value(None, "synchronous", |row| row.get(0)).unwrap();
    assert_eq!(level, 2);
    drop(store);
    assert_eq!(Store::resume(&path).unwrap().left_processes().unwrap(), [second]);
}

#[test]
fn a_store_appears_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.db");
    assert!(matches!(
        Store::create(&folder.path().join("none/run.db"), &run()),
        Err(StoreError::Open { .. })
    ));
    Store::create(&path, &run()).unwrap().close();
    let names: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["run.db"], "no draft and no journal is left");
}

#[test]
fn a_new_store_leaves_the_journals_of_an_earlier_one_alone() {
    let folder = tempfile::tempdir().unwrap();
    let [path, left] = ["run.db", "left.db"].map(|name| folder.path().join(name));
    let mut store = Store::create(&path, &run()).unwrap();
    store.save(&record(0, Outcome::Draw)).unwrap();
    for suffix in ["-wal", "-shm", "-journal"] {
        let journal = journal_path(&left, suffix);
        let content = std::fs::read(journal_path(&path, suffix)).unwrap_or_else(|_| b"of a store".to_vec());
        std::fs::write(&journal, &content).unwrap();
        let error = Store::create(&left, &run()).unwrap_err();
        let names_it = error.to_string().contains(&journal.display().to_string());
        assert!(matches!(error, StoreError::LeftJournal { .. }) && names_it, "{error}");
        assert!(std::fs::read(&journal).unwrap() == content && !left.exists(), "{suffix} is changed");
        // SQLite deletes the log of an empty database.
        std::fs::write(&left, "").unwrap();
        assert!(Store::read(&left).is_err() && Store::resume(&left).is_err());
        assert!(std::fs::read(&journal).unwrap() == content, "{suffix} is changed");
        std::fs::remove_file(&left).unwrap();
        std::fs::rename(&journal, folder.path().join("kept").with_extension(&suffix[1..])).unwrap();
    }
    // With its log the renamed store has all games.
    std::fs::copy(&path, &left).unwrap();
    std::fs::rename(folder.path().join("kept.wal"), journal_path(&left, "-wal")).unwrap();
    assert_eq!(games(&Store::read(&left).unwrap()), [record(0, Outcome::Draw)]);
}

#[test]
fn a_reader_at_the_end_of_a_run_leaves_a_single_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.db");
    let mut store = Store::create(&path, &run()).unwrap();
    store.save(&record(0, Outcome::Draw)).unwrap();
    let reader = Store::read(&path).unwrap();
    assert_eq!(games(&reader).len(), 1);
    let (sender, closing) = std::sync::mpsc::channel();
    let closer = std::thread::spawn(move || {
        sender.send(()).unwrap();
        store.close();
    });
    closing.recv().unwrap();
    drop(reader);
    closer.join().unwrap();
    let names: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["run.db"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_store_that_is_being_made_has_no_file_that_a_kill_could_leave() {
    let folder = tempfile::tempdir().unwrap();
    let entries = || std::fs::read_dir(folder.path()).unwrap().count();
    let mut file = unnamed_file(folder.path()).expect("the folder of temporary files knows O_TMPFILE");
    file.write_all(&serialize_new(&folder.path().join("run.db"), &run()).unwrap()).unwrap();
    assert_eq!(entries(), 0);
    let path = folder.path().join("run.db");
    name_file(&file, &path).unwrap();
    assert_eq!((entries(), Store::read(&path).unwrap().run().unwrap()), (1, run()));
    assert_eq!(name_file(&file, &path).unwrap_err().kind(), ErrorKind::AlreadyExists);
}

#[test]
fn an_older_form_is_read_and_brought_up_to_date() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.db");
    let mut store = Store::create(&path, &run()).unwrap();
    store.save(&record(0, Outcome::Draw)).unwrap();
    let older = "DROP TABLE session; ALTER TABLE game DROP COLUMN white_memory_bytes;
                 ALTER TABLE game DROP COLUMN black_memory_bytes; ALTER TABLE game DROP COLUMN machine;
                 ALTER TABLE game DROP COLUMN speed_nps; DROP TABLE machine; DROP TABLE binary;
                 DROP TABLE strike; DROP TABLE training_data; ALTER TABLE fault DROP COLUMN illegal_move; ALTER TABLE fault DROP COLUMN overrun_us; ALTER TABLE game DROP COLUMN checksum; ALTER TABLE run DROP COLUMN checksum;
                 PRAGMA user_version = 1;";
    store.connection.execute_batch(&format!("{FORMAT_10} {older}")).unwrap();
    drop(store);
    let reader = Store::read(&path).unwrap();
    assert_eq!((games(&reader).len(), reader.latest_session().unwrap()), (1, None));
    assert_eq!(reader.machines().unwrap(), []);
    assert!(reader.disqualifications().unwrap().is_empty());
    let mut store = Store::resume(&path).unwrap();
    store.begin_session(3).unwrap();
    let session = store.latest_session().unwrap().unwrap();
    assert_eq!((session.pid, session.slots, session.games), (std::process::id(), 3, 0));
    store.change_plan(&run().plan).unwrap();
    let kept = GameRecord { peak_memory: [None; 2], machine: None, ..record(0, Outcome::Draw) };
    assert_eq!(games(&store), [kept], "games without a checksum are read as they are");
    assert_eq!(Store::read(&path).unwrap().version, schema::VERSION);
}

#[test]
fn the_illegal_move_is_a_value_and_is_found_in_the_words_of_form_6() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.db");
    let mut store = Store::create(&path, &run()).unwrap();
    let illegal = |number, words: &str, mv: &str| {
        let mut game = record(number, Outcome::Win(Color::White));
        game.termination = Termination::IllegalMove;
        let fault = game.fault.as_mut().unwrap();
        (fault.words, fault.illegal_move) = (words.to_owned(), UciMove::parse(mv).ok());
        game
    };
    let one = illegal(0, "answered e2e5, which is illegal in 8/8 w - -", "e2e5");
    let other = illegal(1, "answered something else", "a1a9");
    store.save(&one).unwrap();
    store.save(&other).unwrap();
    assert_eq!(games(&store), [one.clone(), other.clone()]);
    assert_eq!(one.sentence(), "Black makes an illegal move: e2e5");
    store.connection.execute_batch("UPDATE fault SET illegal_move = 'e2e4' WHERE game = 0").unwrap();
    assert!(store.for_each_game(|_| {}).unwrap_err().to_string().contains("its checksum does not match"));
    // As in format 6: without the column, and with a checksum without it.
    store.connection.execute_batch("DELETE FROM fault; DELETE FROM game").unwrap();
    let mut former = one.clone();
    former.fault.as_mut().unwrap().illegal_move = None;
    store.save(&former).unwrap();
    let form_6 = "ALTER TABLE fault DROP COLUMN illegal_move; ALTER TABLE fault DROP COLUMN overrun_us;
                  DROP TABLE training_data; ALTER TABLE session DROP COLUMN is_paused; PRAGMA user_version = 6;";
    store.connection.execute_batch(&format!("{FORMAT_10} {form_6}")).unwrap();
    drop(store);
    assert_eq!(games(&Store::read(&path).unwrap()), std::slice::from_ref(&one));
    assert_eq!(games(&Store::resume(&path).unwrap()), [one]);
}

#[test]
fn the_overrun_of_a_loss_on_time_is_kept_and_is_no_part_of_form_7() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.db");
    let mut store = Store::create(&path, &run()).unwrap();
    let mut game = record(0, Outcome::Win(Color::White));
    game.termination = Termination::TimeForfeit;
    let punctual = GameRecord { game: ScheduledGame { number: 1, ..game.game }, ..game.clone() };
    game.fault.as_mut().unwrap().overrun = Some(Duration::from_micros(12_900));
    assert_eq!(game.fastchess_sentence(), "Black loses on time (12ms overrun)");
    store.save(&game).unwrap();
    store.save(&punctual).unwrap();
    assert_eq!(games(&store), [game, punctual.clone()]);
    store.connection.execute_batch("UPDATE fault SET overrun_us = 1 WHERE game = 0").unwrap();
    assert!(store.for_each_game(|_| {}).unwrap_err().to_string().contains("its checksum does not match"));
    let form_7 = "DELETE FROM fault WHERE game = 0; DELETE FROM game WHERE number = 0;
                  ALTER TABLE fault DROP COLUMN overrun_us; DROP TABLE training_data;
                  ALTER TABLE session DROP COLUMN is_paused; PRAGMA user_version = 7;";
    store.connection.execute_batch(&format!("{FORMAT_10} {form_7}")).unwrap();
    drop(store);
    assert_eq!(games(&Store::read(&path).unwrap()), std::slice::from_ref(&punctual));
    assert_eq!(games(&Store::resume(&path).unwrap()), [punctual]);
}

#[test]
fn a_machine_is_kept_as_it_joined_last() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::create(&folder.path().join("run.db"), &run()).unwrap();
    let engine =
        |name: &str| BinaryReport { name: name.to_owned(), author: "me".to_owned(), sha256: "a".repeat(64) };
    let machine = MachineReport {
        name: "bench".to_owned(),
        program: "p".to_owned(),
        cpu: "c".to_owned(),
        cores: 8,
        slots: 7,
        speed: 1_000_000,
        engines: vec![engine("First 1.0"), engine("Second 2.0")],
    };
    store.put_machine(&MachineReport { slots: 1, ..machine.clone() }).unwrap();
    store.put_machine(&machine).unwrap();
    assert_eq!(store.machines().unwrap(), std::slice::from_ref(&machine));
    assert_eq!(store.engines().unwrap()[&1], "Second 2.0");
}

#[test]
fn a_session_counts_its_own_games() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::create(&folder.path().join("run.db"), &run()).unwrap();
    store.save(&record(0, Outcome::Draw)).unwrap();
    store.begin_session(1).unwrap();
    let later =
        GameRecord { started: SystemTime::now() + Duration::from_secs(5), ..record(1, Outcome::Draw) };
    store.save(&later).unwrap();
    let session = store.latest_session().unwrap().unwrap();
    assert_eq!((session.games, session.ended), (1, None));
    assert!(session.length(SystemTime::now(), false) >= Duration::from_secs(4));
    store.end_session().unwrap();
    assert!(store.latest_session().unwrap().unwrap().ended.is_some());
}

#[test]
fn a_session_records_its_pause_and_concurrency_and_format_9_reads_as_not_paused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.db");
    let store = Store::create(&path, &run()).unwrap();
    let state = |store: &Store| {
        let session = store.latest_session().unwrap().unwrap();
        (session.slots, session.is_paused)
    };
    store.begin_session(4).unwrap();
    assert_eq!(state(&store), (4, false));
    store.update_session(2, true).unwrap();
    assert_eq!(state(&store), (2, true));
    store.begin_session(3).unwrap();
    assert_eq!(state(&store), (3, false), "a pause ends with its session");
    let format_9 = "ALTER TABLE session DROP COLUMN is_paused; PRAGMA user_version = 9;";
    store.connection.execute_batch(&format!("{FORMAT_10} {format_9}")).unwrap();
    drop(store);
    assert_eq!(state(&Store::read(&path).unwrap()), (3, false));
    assert_eq!(state(&Store::resume(&path).unwrap()), (3, false));
}

#[test]
fn the_views_have_names_and_the_queries_of_the_reference_page_run() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/store.md");
    let page = std::fs::read_to_string(page).unwrap();
    let blocks: Vec<_> =
        page.split("```sql\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.db");
    let mut store = Store::create(&path, &run()).unwrap();
    for (number, outcome) in [(0, Outcome::Win(Color::White)), (1, Outcome::Draw)] {
        store.save(&record(number, outcome)).unwrap();
    }
    for entrant in [0, 1] {
        store.save_engine(entrant, "Engine 1.0", "Somebody").unwrap();
    }
    let reader = Store::read(&path).unwrap();
    reader.connection.execute_batch(VIEWS).unwrap();
    let first = |query: &str| reader.connection.query_row(query, [], |row| row.get::<_, String>(0));
    let standing = "SELECT concat_ws(' ', engine, reported, games, won, drawn, lost, points) FROM standings";
    assert_eq!(first(standing), Ok("first Engine 1.0 2 1 1 0 1.5".to_owned()));
    let game = "SELECT concat_ws(' ', game, round, white, black, outcome, started, machine) FROM games";
    assert_eq!(first(game), Ok("1 1 first second 1-0 1970-01-01 00:20:34 bench".to_owned()));
    let queries: Vec<_> = blocks[0].split(';').filter(|query| !query.trim().is_empty()).collect();
    assert_eq!(queries.len(), 4);
    for query in queries {
        assert_eq!(reader.connection.query_row(query, [], |_| Ok(())), Ok(()), "{query}");
    }
}

#[test]
fn names_of_the_plan_follow_it_and_older_stores_get_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.db");
    let mut store = Store::create(&path, &run()).unwrap();
    let names = |store: &Store| -> String {
        let query = "SELECT group_concat(name) FROM entrant";
        store.connection.query_row(query, [], |row| row.get(0)).unwrap()
    };
    assert_eq!(names(&store), "first,second");
    store.connection.execute_batch(FORMAT_10).unwrap();
    drop(store);
    assert_eq!(Store::read(&path).unwrap().run().unwrap(), run());
    store = Store::resume(&path).unwrap();
    assert_eq!(names(&store), "first,second");
    store.change_plan(&format!("{}[[entrant]]\nname = \"third\"\n", run().plan)).unwrap();
    assert_eq!(names(&store), "first,second,third");
}

#[test]
fn a_disqualification_lasts_one_session() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(&folder.path().join("run.db"), &run()).unwrap();
    store.begin_session(1).unwrap();
    store.save_disqualification(1, "failed to start").unwrap();
    store.save_disqualification(1, "failed again").unwrap();
    assert_eq!(store.disqualifications().unwrap(), BTreeMap::from([(1, "failed to start".to_owned())]));
    store.begin_session(1).unwrap();
    assert!(store.disqualifications().unwrap().is_empty());
}

#[test]
fn a_damaged_file_is_refused_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.db");
    let mut store = Store::create(&path, &run()).unwrap();
    for number in 0..50 {
        store.save(&record(number, Outcome::Draw)).unwrap();
    }
    store.close();
    let mut bytes = std::fs::read(&path).unwrap();
    // All pages but the first, which has the list of tables.
    bytes[4096..].fill(0xa5);
    std::fs::write(&path, bytes).unwrap();
    let error = Store::read(&path).and_then(|store| store.for_each_game(|_| {})).unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    assert!(error.is_about_the_file());
}

/// A closed store of 50 games, modified by this SQL.
fn store_changed_by(folder: &Path, sql: &str) -> PathBuf {
    let path = folder.join("run.db");
    let mut store = Store::create(&path, &run()).unwrap();
    for number in 0..50 {
        store.save(&record(number, Outcome::Draw)).unwrap();
    }
    store.begin_session(2).unwrap();
    store.save_engine(1, "Second 1.0", "Somebody").unwrap();
    store.connection.execute_batch(sql).unwrap();
    store.close();
    path
}

#[track_caller]
fn check_damage(sql: &str, words: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = store_changed_by(folder.path(), sql);
    let error = Store::read(&path).unwrap().verify().unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }) && error.to_string().contains(words), "{error}");
}

#[test]
fn an_entrant_that_the_plan_does_not_have_is_damage() {
    for (sql, words) in [
        ("UPDATE game SET white = 2, checksum = NULL WHERE number = 7", "game 8: an entrant is out of range"),
        (
            "UPDATE game SET black = -1, checksum = NULL WHERE number = 7",
            "game 8: an entrant is out of range",
        ),
        ("UPDATE game SET black = 0, checksum = NULL WHERE number = 7", "game 8: an engine plays itself"),
        (
            "PRAGMA foreign_keys = OFF; UPDATE game SET number = 4294967294, checksum = NULL WHERE number = 7",
            "game 4294967295: its number is out of range",
        ),
        ("UPDATE fault SET entrant = 9 WHERE game = 3", "damaged"),
        ("UPDATE fault SET game = NULL, entrant = 9 WHERE game = 49", "damaged"),
        ("UPDATE engine SET entrant = 4294967296", "an engine: an entrant is out of range"),
        ("INSERT INTO strike VALUES (1, 2, 'w')", "the disqualified entrants: an entrant is out of range"),
    ] {
        check_damage(sql, words);
    }
}

#[test]
fn an_absurd_time_is_damage_in_our_words() {
    for (sql, words) in [
        (
            "UPDATE game SET started_ms = 9223372036854775807, checksum = NULL WHERE number = 0",
            "game 1: its begin",
        ),
        ("UPDATE game SET duration_us = -1, checksum = NULL WHERE number = 0", "game 1: its duration"),
        ("UPDATE session SET started_ms = 9223372036854775807", "the latest session: its begin"),
        ("UPDATE session SET ended_ms = -1", "the latest session: its end"),
        ("UPDATE run SET created_ms = 9223372036854775807", "the run: its begin"),
    ] {
        check_damage(sql, words);
    }
    let folder = tempfile::tempdir().unwrap();
    let sql = "UPDATE game SET started_ms = 9223372036854775807 WHERE number = 0";
    let error = Store::read(&store_changed_by(folder.path(), sql)).unwrap().latest_session().unwrap_err();
    assert!(error.to_string().contains("the latest session: the end of its last game"), "{error}");
}

#[test]
fn a_changed_value_of_a_game_or_of_the_plan_does_not_match_its_checksum() {
    for sql in [
        "UPDATE game SET outcome = '1-0' WHERE number = 4",
        "UPDATE game SET moves = replace(moves, '35', '36') WHERE number = 4",
        "UPDATE game SET machine = 'bench' WHERE number = 5",
        "UPDATE fault SET words = 'was ended by SIGABRT' WHERE game = 4",
        "DELETE FROM fault WHERE game = 4",
        "UPDATE run SET plan = replace(plan, 'second', 'sekond')",
    ] {
        check_damage(sql, "its checksum does not match");
    }
}

#[test]
fn a_damaged_store_is_refused_by_resume_and_keeps_its_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = store_changed_by(folder.path(), "UPDATE game SET outcome = '1-0' WHERE number = 4");
    let before = std::fs::read(&path).unwrap();
    assert!(matches!(Store::resume(&path), Err(StoreError::Damaged { .. })));
    let mut torn = before.clone();
    let half = torn.len() / 2;
    torn[half..half + 4096].fill(0xa5);
    std::fs::write(&path, &torn).unwrap();
    assert!(matches!(Store::resume(&path), Err(StoreError::Damaged { .. })));
    assert!(std::fs::read(&path).unwrap() == torn, "its bytes are changed");
    let names: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["run.db"]);
    // A journal is rolled back first.
    std::fs::write(&path, &before).unwrap();
    std::fs::write(folder.path().join("run.db-journal"), "").unwrap();
    assert!(matches!(Store::resume(&path), Err(StoreError::Damaged { .. })));
    assert!(std::fs::read(&path).unwrap() == before, "its bytes are changed");
}

#[cfg(target_os = "linux")]
#[test]
fn a_pipe_is_refused_as_a_store_without_waiting_for_a_writer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe");
    let (fifo, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::from_raw_mode(0o600));
    rustix::fs::mknodat(rustix::fs::CWD, &path, fifo, mode, 0).unwrap();
    assert!(!StoreUse::of(&path).is_in_use());
    assert!(Store::read(&path).is_err());
    assert!(Store::resume(&path).is_err());
}

#[test]
fn a_new_name_without_hard_links_replaces_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let [draft, path] = ["draft", "run.db"].map(|name| folder.path().join(name));
    std::fs::write(&draft, "ours").unwrap();
    std::fs::write(&path, "theirs").unwrap();
    assert_eq!(rename_to_new(&draft, &path).unwrap_err().kind(), ErrorKind::AlreadyExists);
    assert_eq!(std::fs::read(&path).unwrap(), b"theirs");
    std::fs::remove_file(&path).unwrap();
    rename_to_new(&draft, &path).unwrap();
    assert!(std::fs::read(&path).unwrap() == b"ours" && !draft.exists());
}
