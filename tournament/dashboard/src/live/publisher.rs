//! Copies the boards of a run to its live file, a few times per second and only while a reader has it open. Errors do
//! not affect the run.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime};

use smalt_chess::UciMove;

use smalt_workbench::calendar::unix_ms;
use smalt_workbench::file_lock;
use smalt_workbench::input::is_foreign;

use super::board::{BoardState, LiveBoard, SearchInfo, SideState};
use super::file::{self, LiveFile, LiveGame, LiveSearchInfo, LiveSide, MAGIC, path_of};
use smalt_match::run::{RunEvent, RunObserver};
use smalt_match::standings::Standings;

/// Interval of copying while there are readers.
const WRITE_INTERVAL: Duration = Duration::from_millis(200);

/// Interval of checking for readers.
const WATCH_INTERVAL: Duration = Duration::from_millis(250);

/// The publisher's thread; ends with the run or on drop, and removes the file.
#[derive(Debug)]
pub struct Publisher {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
    path: PathBuf,
}

impl Publisher {
    /// Starts publishing these boards beside a store.
    ///
    /// # Errors
    /// If another file has its name, it cannot be created, or the thread cannot start.
    pub fn start(store: &Path, boards: Vec<Arc<LiveBoard>>) -> std::io::Result<Publisher> {
        let path = path_of(store);
        if is_foreign(&path, MAGIC) {
            let words = format!("{} is not a file of live boards; rename it", path.display());
            return Err(std::io::Error::new(std::io::ErrorKind::AlreadyExists, words));
        }
        // Not truncated: a reader of a killed run may have it open and continues with it.
        let file = super::open(File::options().read(true).write(true).create(true).truncate(false), &path)?;
        let (stop, stopped) = mpsc::channel();
        let mut copyist = LiveWriter { file, boards, editions: Vec::new(), games: Vec::new() };
        copyist.write();
        let thread = thread::Builder::new().name("boards".to_owned()).spawn(move || {
            let mut pause = WATCH_INTERVAL;
            while stopped.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                pause = if copyist.copy() { WRITE_INTERVAL } else { WATCH_INTERVAL };
            }
        })?;
        Ok(Publisher { stop: Some(stop), thread: Some(thread), path })
    }
}

impl Publisher {
    /// Removes the file while the store is still locked: a resumed run creates a new one.
    fn end(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
            if !is_foreign(&self.path, MAGIC) {
                let _ = std::fs::remove_file(&self.path);
            }
        }
    }
}

impl RunObserver for Publisher {
    fn on_event(&mut self, event: &RunEvent<'_>, _: &Standings) {
        if matches!(event, RunEvent::Ended) {
            self.end();
        }
    }
}

impl Drop for Publisher {
    fn drop(&mut self) {
        self.end();
    }
}

struct LiveWriter {
    file: File,
    boards: Vec<Arc<LiveBoard>>,
    editions: Vec<u64>,
    games: Vec<Option<LiveGame>>,
}

impl LiveWriter {
    /// Copies changed boards if there are readers; returns whether there are readers.
    fn copy(&mut self) -> bool {
        let watched = self.is_watched();
        self.boards.iter().for_each(|board| board.set_watched(watched));
        if watched && self.read_boards() {
            self.write();
        }
        watched
    }

    /// Readers hold a shared lock on the file.
    fn is_watched(&self) -> bool {
        match file_lock::try_lock(&self.file) {
            Ok(()) => {
                let _ = file_lock::unlock(&self.file);
                false
            }
            Err(std::fs::TryLockError::WouldBlock) => true,
            Err(std::fs::TryLockError::Error(_)) => false,
        }
    }

    /// Reads all boards; returns whether any changed.
    fn read_boards(&mut self) -> bool {
        self.editions.resize(self.boards.len(), 0);
        self.games.resize(self.boards.len(), None);
        let mut changed = false;
        for (slot, board) in self.boards.iter().enumerate() {
            if let Some((edition, game)) =
                board.read_if_changed(self.editions[slot], |shown| live_game(slot, shown))
            {
                self.editions[slot] = edition;
                self.games[slot] = game;
                changed = true;
            }
        }
        changed
    }

    fn write(&mut self) {
        let page = LiveFile { games: self.games.iter().flatten().cloned().collect() };
        let bytes = file::write(&page);
        let _ = self.file.seek(SeekFrom::Start(0)).and_then(|_| self.file.write_all(&bytes));
    }
}

fn live_game(slot: usize, shown: &BoardState) -> Option<LiveGame> {
    let game = shown.game?;
    let thinks = shown.since.map_or(Duration::ZERO, |since| since.elapsed());
    Some(LiveGame {
        slot,
        number: game.number,
        white: game.white,
        black: game.black,
        fen: shown.fen.clone(),
        opening: shown.opening.clone(),
        moves: words(&shown.moves),
        sides: [live_side(&shown.sides[0]), live_side(&shown.sides[1])],
        since_ms: unix_ms(SystemTime::now()).saturating_sub(milliseconds(thinks)),
    })
}

fn live_side(side: &SideState) -> LiveSide {
    let SideState { left, took, thought } = side;
    LiveSide {
        left_ms: left.map(milliseconds),
        took_ms: milliseconds(*took),
        thought: live_search_info(thought),
    }
}

fn live_search_info(thought: &SearchInfo) -> LiveSearchInfo {
    let SearchInfo { score, depth, nodes, nps, ply, line } = thought;
    let mut live = LiveSearchInfo {
        depth: *depth,
        nodes: *nodes,
        nps: *nps,
        ply: *ply,
        line: words(line),
        ..LiveSearchInfo::default()
    };
    live.set_score(*score);
    live
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn words(moves: &[UciMove]) -> String {
    let mut text = String::with_capacity(5 * moves.len());
    for (index, mv) in moves.iter().enumerate() {
        if index > 0 {
            text.push(' ');
        }
        text.push_str(&mv.to_string());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::LiveReader;
    use super::*;
    use smalt_match::game::GameObserver;
    use smalt_match::opening::Opening;
    use smalt_match::schedule::ScheduledGame;
    use smalt_testing::process::wait_until;

    #[test]
    fn onlookers_see_what_is_shown_and_the_file_goes_with_the_run() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("run.db");
        let board = Arc::new(LiveBoard::default());
        let publisher = Publisher::start(&store, vec![Arc::clone(&board)]).unwrap();
        let moves: Vec<UciMove> = ["e2e4", "e7e5"].map(|mv| mv.parse().unwrap()).to_vec();
        let game = ScheduledGame { number: 4, pair: 2, round: 0, white: 1, black: 0, opening: 2 };
        board.show(game, &Opening::standard(), &moves, |sides| {
            sides[1].left = Some(Duration::from_millis(1500));
        });
        assert!(!board.wants_info(), "nobody looks yet");
        let mut reader = LiveReader::new(&store);
        wait_until("the board", || reader.read().is_some_and(|games| !games.is_empty()));
        let seen = &reader.read().unwrap()[0];
        assert_eq!((seen.number, seen.white, seen.moves.as_str()), (4, 1, "e2e4 e7e5"));
        assert_eq!(seen.sides[1].left_ms, Some(1500));
        assert!(board.wants_info());
        reader.close();
        wait_until("the end of watching", || !board.wants_info());
        drop(publisher);
        assert!(!path_of(&store).exists());
        assert!(reader.read().is_none());
    }

    #[test]
    fn a_file_of_the_user_with_the_name_of_the_live_file_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("run.db");
        let read = || std::fs::read_to_string(path_of(&store)).unwrap();
        std::fs::write(path_of(&store), "notes").unwrap();
        let refused = Publisher::start(&store, Vec::new()).unwrap_err();
        assert!(refused.to_string().contains("run.db-live"), "{refused}");
        assert_eq!(read(), "notes");
        std::fs::remove_file(path_of(&store)).unwrap();
        let publisher = Publisher::start(&store, Vec::new()).unwrap();
        std::fs::rename(path_of(&store), folder.path().join("moved")).unwrap();
        std::fs::write(path_of(&store), "written during the run").unwrap();
        drop(publisher);
        assert_eq!(read(), "written during the run");
    }

    #[test]
    fn the_page_of_a_killed_run_is_written_anew() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("run.db");
        let old = LiveFile { games: vec![LiveGame { number: 9, ..LiveGame::default() }] };
        std::fs::write(path_of(&store), file::write(&old)).unwrap();
        let mut reader = LiveReader::new(&store);
        assert_eq!(reader.read().unwrap().len(), 1);
        let _publisher = Publisher::start(&store, Vec::new()).unwrap();
        assert_eq!(reader.read().unwrap(), []);
    }
}
