//! PGN and EPD files of a run: complete games in order of their numbers, although they finish out of order. Other
//! programs may append to the same file at any time, so each game is appended by one write under a lock, and bytes
//! are truncated or rewritten only if they match a game of this run in the store.

mod format;
mod pieces;

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::game::GameRecord;
use crate::named_file::{is_in_place, is_special, numbered};
pub use format::GameFormat;
use pieces::{Digest, FilePieces, digest};
use smalt_workbench::decompress::is_packed;
use smalt_workbench::exit::reason;
use smalt_workbench::file_lock;

/// Number of bytes at the end of a file searched for an open comment.
const TAIL_BYTES: u64 = 1 << 16;

/// A file of games. A game is held back until all earlier games are written or skipped.
#[derive(Debug)]
pub struct GameFile {
    file: File,
    path: PathBuf,
    /// Whether it is a pipe or a device; nothing is truncated then.
    is_special: bool,
    text: GameFormat,
    next: u32,
    waiting: BTreeMap<u32, Option<String>>,
    /// Games already in the file when the run was resumed.
    present: HashSet<u32>,
}

/// Whether the file is shared with other writers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sharing {
    /// The file belongs to this run alone.
    Own,
    /// Shared with other writers; the value is the length in bytes before the run.
    After(u64),
}

impl GameFile {
    /// Creates a file, or opens an existing pipe or device.
    ///
    /// # Errors
    /// If it cannot be created, or exists already.
    pub fn create(path: &Path, text: GameFormat) -> io::Result<GameFile> {
        refuse_packed(path)?;
        let file = match is_special(path) {
            true => File::options().write(true).open(path)?,
            false => File::options().read(true).append(true).create_new(true).open(path)?,
        };
        Ok(Self::of(file, path, text))
    }

    /// Creates a file with a number added to its name.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn create_beside(path: &Path, text: GameFormat) -> io::Result<GameFile> {
        let mut number = 2;
        loop {
            match Self::create(&numbered(path, number), text.clone()) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
                created => return created,
            }
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a file for appending; creates it if it does not exist.
    ///
    /// # Errors
    /// If it cannot be opened or made, or is compressed.
    pub fn append(path: &Path, text: GameFormat) -> io::Result<GameFile> {
        refuse_packed(path)?;
        if is_special(path) {
            return Self::create(path, text);
        }
        Ok(Self::of(open_to_append(path)?, path, text))
    }

    /// Opens the file of a resumed run. `games` yields number and text of each stored game in order. If everything
    /// from the first of them to the end of the file belongs to this run, games out of order are cut off and
    /// rewritten; otherwise only a truncated game of this run at the very end is cut.
    ///
    /// `None` if the file has other games and none of this run.
    ///
    /// # Errors
    /// If the file cannot be opened, read or cut, or `games` fails.
    pub fn resume<E: From<io::Error>>(
        path: &Path,
        text: GameFormat,
        sharing: Sharing,
        games: impl FnOnce(&GameFormat, &mut dyn FnMut(u32, &str)) -> Result<(), E>,
    ) -> Result<Option<GameFile>, E> {
        if is_special(path) {
            return Ok(Some(Self::create(path, text)?));
        }
        refuse_packed(path)?;
        let mut resumed = Self::of(open_to_append(path)?, path, text);
        let _lock = Lock::of(&resumed.file)?;
        let start = match sharing {
            Sharing::Own => 0,
            Sharing::After(bytes) => bytes,
        };
        let pieces = FilePieces::read(&resumed.file, start, &resumed.text)?;
        let mut stored: HashMap<Digest, VecDeque<u32>> = HashMap::new();
        let mut is_torn = false;
        games(&resumed.text, &mut |number, game| {
            stored.entry(digest(game.as_bytes())).or_default().push_back(number);
            is_torn |= pieces.is_torn(game.as_bytes());
        })?;
        let found: Vec<Option<u32>> =
            pieces.all.iter().map(|piece| stored.get_mut(&piece.digest)?.pop_front()).collect();
        let first = found.iter().position(Option::is_some);
        if first.is_none() && sharing == Sharing::Own && found.len() > usize::from(is_torn) {
            return Ok(None);
        }
        let whole = found.len() - usize::from(is_torn);
        let ours = &found[first.unwrap_or(whole)..whole];
        let kept = if ours.iter().all(Option::is_some) {
            let in_order = (0..).zip(ours).take_while(|&(number, game)| *game == Some(number)).count();
            resumed.present.extend(0..in_order as u32);
            whole - ours.len() + in_order
        } else {
            resumed.present.extend(ours.iter().flatten());
            whole
        };
        if let Some(piece) = pieces.all.get(kept) {
            resumed.file.set_len(piece.start)?;
        }
        Ok(Some(resumed))
    }

    fn of(file: File, path: &Path, text: GameFormat) -> GameFile {
        let (waiting, present, is_special) = (BTreeMap::new(), HashSet::new(), is_special(path));
        GameFile { file, path: path.to_owned(), is_special, text, next: 0, waiting, present }
    }

    /// Truncates the file; a pipe or a device has no content.
    ///
    /// # Errors
    /// If the file cannot be truncated.
    fn empty(&self) -> io::Result<()> {
        if self.is_special { Ok(()) } else { self.file.set_len(0) }
    }

    /// Removes the file of a run that did not start, if it is still empty.
    pub(crate) fn discard(self) {
        if self.file.metadata().is_ok_and(|file| file.is_file() && file.len() == 0) {
            let _ = std::fs::remove_file(&self.path);
        }
    }

    /// Writes a game, or holds it back until its turn.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(crate) fn put(&mut self, record: &GameRecord) -> io::Result<()> {
        let number = record.game.number;
        let text = (!self.present.remove(&number)).then(|| self.text.write(record));
        self.waiting.insert(number, text);
        self.write_ready()
    }

    /// Marks a game that will not be played.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(crate) fn skip(&mut self, number: u32) -> io::Result<()> {
        self.waiting.entry(number).or_insert(None);
        self.write_ready()
    }

    /// Whether the path still names this open file.
    fn is_in_place(&self) -> bool {
        self.is_special || is_in_place(&self.file, &self.path)
    }

    fn write_ready(&mut self) -> io::Result<()> {
        while let Some(text) = self.waiting.remove(&self.next) {
            self.next += 1;
            self.write(text.as_deref())?;
        }
        Ok(())
    }

    /// Writes all games held back, even if earlier ones are missing.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        while let Some((_, text)) = self.waiting.pop_first() {
            self.write(text.as_deref())?;
        }
        Ok(())
    }

    fn write(&mut self, text: Option<&str>) -> io::Result<()> {
        let Some(text) = text else { return Ok(()) };
        let shown = self.path.display().to_string();
        self.write_text(text).map_err(|error| io::Error::other(format!("{shown}: {}", reason(&error))))
    }

    fn write_text(&mut self, text: &str) -> io::Result<()> {
        if self.is_special {
            return self.file.write_all(text.as_bytes());
        }
        let _lock = Lock::of(&self.file)?;
        let separator = self.text.separator(&tail(&self.file)?);
        append(&self.file, format!("{separator}{text}").as_bytes())
    }
}

/// Appends the whole text or nothing.
fn append(mut file: &File, text: &[u8]) -> io::Result<()> {
    let before = file.metadata()?.len();
    let mut written = 0;
    while written < text.len() {
        match file.write(&text[written..]) {
            Ok(count) if count > 0 => written += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            failed => {
                // Unless another program wrote in between, the partial game is at the end of the file.
                if file.metadata()?.len() == before + written as u64 {
                    file.set_len(before)?;
                }
                return failed.and(Err(ErrorKind::WriteZero.into()));
            }
        }
    }
    Ok(())
}

/// Reads the end of a file.
fn tail(mut file: &File) -> io::Result<Vec<u8>> {
    let length = file.seek(SeekFrom::End(0))?;
    let mut tail = Vec::new();
    // If the file ends like a complete game, two bytes are enough.
    for bytes in [2, TAIL_BYTES] {
        tail.clear();
        file.seek(SeekFrom::Start(length.saturating_sub(bytes)))?;
        file.take(bytes).read_to_end(&mut tail)?;
        if tail == b"\n\n" {
            break;
        }
    }
    Ok(tail)
}

/// Lock against other programs that append whole games; released on drop.
struct Lock(File);

impl Lock {
    fn of(file: &File) -> io::Result<Lock> {
        match file_lock::lock(file) {
            // Some file systems have no locks; single writes are atomic there too.
            Err(error) if error.kind() != ErrorKind::Unsupported => Err(error),
            _ => file.try_clone().map(Lock),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = file_lock::unlock(&self.0);
    }
}

/// All game files of a run.
#[derive(Debug, Default)]
pub struct GameFiles(pub Vec<GameFile>);

impl GameFiles {
    /// Sets the reported name and author of an engine, for the tags of games written from now on.
    pub(crate) fn set_engine(&mut self, entrant: usize, name: &str, author: &str) {
        self.0.iter_mut().for_each(|file| file.text.set_engine(entrant, name, author));
    }

    /// Writes a game to every file.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub(crate) fn put(&mut self, record: &GameRecord) -> io::Result<()> {
        self.0.iter_mut().try_for_each(|file| file.put(record))
    }

    /// Marks a game that will not be played.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub(crate) fn skip(&mut self, number: u32) -> io::Result<()> {
        self.0.iter_mut().try_for_each(|file| file.skip(number))
    }

    /// Writes all games held back.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.0.iter_mut().try_for_each(GameFile::finish)
    }

    /// Rewrites all games of a run after its file was removed, renamed or replaced: to a new file of that name, or
    /// beside the file that now has it. Returns old and new name of each such file.
    ///
    /// # Errors
    /// If a new file cannot be written, or the store cannot be read.
    pub(crate) fn restore<E: From<io::Error>>(
        &mut self,
        games: impl Fn(&mut dyn FnMut(&GameRecord)) -> Result<(), E>,
    ) -> Result<Vec<(PathBuf, PathBuf)>, E> {
        let mut restored = Vec::new();
        for lost in self.0.iter_mut().filter(|file| !file.is_in_place()) {
            let mut file = match GameFile::create(&lost.path, lost.text.clone()) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    GameFile::create_beside(&lost.path, lost.text.clone())?
                }
                created => created?,
            };
            let mut written = Ok(());
            games(&mut |record| {
                if written.is_ok() {
                    written = file.put(record);
                }
            })?;
            written.and_then(|()| file.finish())?;
            restored.push((std::mem::take(&mut lost.path), file.path.clone()));
            *lost = file;
        }
        Ok(restored)
    }

    /// Removes the content of the files with these paths.
    ///
    /// # Errors
    /// If a file cannot be truncated.
    pub fn empty(&self, paths: &[PathBuf]) -> io::Result<()> {
        self.0.iter().filter(|file| paths.contains(&file.path)).try_for_each(GameFile::empty)
    }

    pub fn discard(self) {
        self.0.into_iter().for_each(GameFile::discard);
    }
}

fn open_to_append(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).append(true).create(true).open(path)
}

/// Decompressors ignore text appended to a compressed file.
fn refuse_packed(path: &Path) -> io::Result<()> {
    let names = ["gz", "zst", "xz", "bz2", "zip"];
    let is_named_so = path.extension().is_some_and(|end| names.iter().any(|name| end == *name));
    if is_named_so || is_packed(path)? {
        let words = "games are written as plain text, and this is a compressed file: choose another name, and compress it afterwards";
        return Err(io::Error::new(ErrorKind::InvalidInput, words));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use smalt_chess::Outcome;

    use super::format::has_open_comment;
    use super::*;
    use crate::schedule::ScheduledGame;

    fn record(number: u32) -> GameRecord {
        let game = ScheduledGame { number, pair: number, round: 0, white: 0, black: 1, opening: 0 };
        GameRecord::walkover(game, None, Outcome::Draw)
    }

    fn text() -> GameFormat {
        GameFormat::Epd(vec!["a".to_owned(), "b".to_owned()])
    }

    fn lines(numbers: &[u32]) -> String {
        numbers.iter().map(|&number| text().write(&record(number))).collect()
    }

    /// Content of the file after a run with these stored games was resumed and played to the last of them; `None` if
    /// the file is not recognized as the run's.
    fn resumed(content: &str, sharing: Sharing, stored: &[u32]) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.epd");
        std::fs::write(&path, content).unwrap();
        let reopened = GameFile::resume::<io::Error>(&path, text(), sharing, |text, each| {
            stored.iter().for_each(|&number| each(number, &text.write(&record(number))));
            Ok(())
        });
        let mut file = reopened.unwrap()?;
        for number in 0..=stored.last().copied().unwrap_or_default() {
            file.put(&record(number)).unwrap();
        }
        file.finish().unwrap();
        Some(std::fs::read_to_string(path).unwrap())
    }

    #[test]
    fn games_stand_in_the_order_of_their_numbers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.epd");
        let mut file = GameFile::create(&path, text()).unwrap();
        let check = |numbers: &[u32]| assert_eq!(std::fs::read_to_string(&path).unwrap(), lines(numbers));
        for number in [2, 0, 3] {
            file.put(&record(number)).unwrap();
        }
        check(&[0]);
        file.skip(1).unwrap();
        check(&[0, 2, 3]);
        file.put(&record(7)).unwrap();
        file.put(&record(5)).unwrap();
        file.finish().unwrap();
        check(&[0, 2, 3, 5, 7]);
    }

    #[test]
    fn a_resumed_run_puts_its_own_games_in_order() {
        let all = lines(&[0, 1, 2, 3]);
        let check = |content: &str, stored: &[u32]| {
            for sharing in [Sharing::Own, Sharing::After(0)] {
                assert_eq!(resumed(content, sharing, stored).as_ref(), Some(&all), "{content}");
            }
        };
        check("", &[0, 1, 2, 3]);
        check(&lines(&[0, 1]), &[0, 1, 2, 3]);
        check(&lines(&[0, 2, 3]), &[0, 2, 3]);
        check(&lines(&[0, 3, 1]), &[0, 1, 3]);
        let torn = lines(&[0, 1, 2]);
        check(&torn[..torn.len() - 9], &[0, 1, 2, 3]);
        check(&torn[..torn.len() - 1], &[0, 1, 2, 3]);
        check(&torn[..9], &[0, 1, 2, 3]);
    }

    #[test]
    fn a_resumed_run_changes_nothing_of_others() {
        let theirs = "8/8/8/8/8/8/8/K1k5 w - - id \"theirs\";\n";
        let check = |content: String, sharing, stored: &[u32], expected: Option<String>| {
            assert_eq!(resumed(&content, sharing, stored), expected, "{content}");
        };
        let shared = Sharing::After(0);
        for sharing in [Sharing::Own, shared] {
            // After its games, and between them, where they then stay out of order.
            check(lines(&[0, 1]) + theirs, sharing, &[0, 1], Some(lines(&[0, 1]) + theirs));
            let mixed = lines(&[0, 3]) + theirs;
            check(mixed.clone(), sharing, &[0, 1, 3], Some(mixed + &lines(&[1, 2])));
        }
        check(theirs.to_owned(), Sharing::Own, &[0], None);
        check(theirs.to_owned(), Sharing::Own, &[], None);
        check(theirs.to_owned(), shared, &[0], Some(theirs.to_owned() + &lines(&[0])));
        // Earlier content is not the run's, even with the same bytes.
        let before = lines(&[0]);
        let after = Sharing::After(before.len() as u64);
        check(before.clone(), after, &[0], Some(before.clone() + &lines(&[0])));
        // An incomplete line of another program stays, and the next game begins on a new line.
        let torn = theirs.trim_end().to_owned();
        check(torn.clone(), shared, &[0], Some(torn + "\n" + &lines(&[0])));
    }

    #[test]
    fn games_are_kept_apart_from_any_end_of_a_file() {
        let writer = |tail: &str, expected: &str| {
            let found = if has_open_comment(tail.as_bytes()) { "}" } else { "" };
            assert_eq!(found, expected, "{tail}");
        };
        writer("[Event \"a{b\"]\n\n1. e4 {good} e5 1-0", "");
        writer("[Event \"a\"]\n\n1. e4 {torn 0.1", "}");
        writer("[Event \"a\"]\n\n1. e4 {torn\n[Event \"b\"]\n\n1. e4 ; it's {fine\n", "");
        for (tail, expected) in [("", ""), ("a\n", ""), ("a", "\n")] {
            assert_eq!(text().separator(tail.as_bytes()), expected, "{tail}");
        }
    }

    #[test]
    fn two_writers_keep_all_games_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.epd");
        std::fs::write(&path, "torn").unwrap();
        let writers: Vec<_> = (0..2)
            .map(|_| {
                let path = path.clone();
                std::thread::spawn(move || {
                    let mut file = GameFile::append(&path, text()).unwrap();
                    (0..200).for_each(|number| file.put(&record(number)).unwrap());
                })
            })
            .collect();
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        let content = std::fs::read_to_string(&path).unwrap();
        let mut found: Vec<&str> = content.lines().skip(1).collect();
        found.sort_unstable();
        let all = lines(&(0..200).chain(0..200).collect::<Vec<_>>());
        let mut expected: Vec<&str> = all.lines().collect();
        expected.sort_unstable();
        assert_eq!(found, expected);
    }
}
