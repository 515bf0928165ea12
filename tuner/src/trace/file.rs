//! Trace files: Smalt's binary format, and text written by engines.
//!
//! The binary: `SMALTTRC`, version (u32), length of the header text (u32), length of the player names (u32), both
//! texts, names terminated by line feeds; then for each position its length in bytes (u32), the number of its labels
//! (u16), for each label the 40 bytes of [`smalt_dataset::record`]; score, phase, scale and rest (f32); a byte of
//! flags: 1 if all coefficients are 8-bit integers, 2 if the engine skipped the position; three counts (u16), and the
//! coefficients: linear, White's, Black's, each a weight (u16) and a number (i8 or f32). Little-endian. A file that
//! ends within a position was interrupted and can be continued.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::header::{Header, HeaderError, HeaderProgress};
use super::position::{Coefficient, Reply, Trace};
use smalt_dataset::Sample;
use smalt_dataset::games::GameCounter;
use smalt_dataset::record::{RECORD_SIZE, RecordError};
use smalt_dataset::source::{DataSource, MAX_LINE, OpenError, open_text, read_line};
use smalt_dataset::text::{LineError, parse_line};
use smalt_workbench::file_lock::lock_soon;

const MAGIC: [u8; 8] = *b"SMALTTRC";
const VERSION: u32 = 1;

/// Flag of a position with small coefficients.
const SMALL: u8 = 1;

/// Flag of a position that the engine skipped.
const SKIPPED: u8 = 2;

/// Maximum length of a header or position, in bytes.
const LONGEST: usize = 1 << 28;

/// Why a trace file can't be read.
#[derive(Debug, thiserror::Error)]
pub enum TraceFileError {
    /// The file can't be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("in the header, {0}")]
    Header(#[from] HeaderError),
    #[error("version {0} of the format is newer than this program, which reads {VERSION}")]
    Newer(u32),
    #[error("the file is damaged")]
    Damaged,
    #[error("it has traces of {0}: choose another name, or remove it")]
    Other(&'static str),
    #[error("another program writes it: wait for its end, or choose another name")]
    Locked,
}

/// A position with its labels and trace.
#[derive(Clone, Debug, PartialEq)]
pub struct TracedPosition {
    /// Labels, one per game with the position.
    pub samples: Vec<Sample>,
    pub trace: Trace,
}

/// A skipped position or line, with its number from 1.
pub(crate) type Skipped = (u64, String);

/// A trace file, read sequentially.
pub struct TraceFile {
    pub header: Header,
    /// Player names; player n is at index n - 1.
    pub players: Vec<String>,
    input: Input,
    number: u64,
}

enum Input {
    Binary(BufReader<File>),
    Text(BufReader<DataSource>),
}

/// Whether a file is a trace file, binary or text.
pub(crate) fn is_trace_file(path: &Path) -> bool {
    let mut start = Vec::new();
    let mut read = || open_text(path).ok()?.take(8).read_to_end(&mut start).ok();
    path.is_file() && read().is_some() && (start == MAGIC || start.starts_with(b"trace "))
}

impl TraceFile {
    /// Opens a file and reads its header.
    pub fn open(path: &Path) -> Result<TraceFile, TraceFileError> {
        let open = |error| OpenError { path: path.display().to_string(), error };
        let mut file = BufReader::with_capacity(1 << 18, File::open(path).map_err(open)?);
        if file.fill_buf()?.starts_with(&MAGIC) {
            let (header, players) = read_head(&mut file)?;
            return Ok(TraceFile { header, players, input: Input::Binary(file), number: 0 });
        }
        let mut text = open_text(path)?;
        let (mut header, mut line, mut number) = (Header::default(), Vec::new(), 0);
        loop {
            line.clear();
            number += 1;
            if read_line(&mut text, &mut line, MAX_LINE)? == 0 {
                return Err(HeaderError { line: String::new(), reason: "no `trace ready`".to_owned() }.into());
            }
            if header.push(&String::from_utf8_lossy(&line))? == HeaderProgress::Ready {
                return Ok(TraceFile { header, players: Vec::new(), input: Input::Text(text), number });
            }
        }
    }

    /// Reads all positions in order; `skipped` receives unreadable ones and those that the engine skipped. Only the
    /// binary groups the labels of one position.
    pub fn for_each(
        self,
        mut take: impl FnMut(TracedPosition),
        mut skipped: impl FnMut(Skipped),
    ) -> Result<(), TraceFileError> {
        let TraceFile { header, input, mut number, .. } = self;
        match input {
            Input::Binary(mut file) => {
                while let Some(bytes) = read_position(&mut file)? {
                    number += 1;
                    match unpack(&bytes, &header) {
                        Ok(position) => take(position),
                        Err(UnpackError::Skipped) => {}
                        Err(UnpackError::Damaged) => return Err(TraceFileError::Damaged),
                        Err(UnpackError::Record(error)) => skipped((number, error.to_string())),
                    }
                }
            }
            Input::Text(mut text) => {
                let mut last: Option<(u64, Result<Sample, LineError>)> = None;
                let mut games = GameCounter::default();
                let mut bytes = Vec::new();
                while read_line(&mut text, &mut bytes, MAX_LINE)? > 0 {
                    let line = String::from_utf8_lossy(bytes.trim_ascii_end()).into_owned();
                    bytes.clear();
                    number += 1;
                    match (Reply::parse(&line, &header), last.take()) {
                        (Some(Ok(Reply::Trace(trace))), Some((_, Ok(sample)))) => {
                            take(TracedPosition { samples: vec![sample], trace });
                        }
                        (Some(_), Some((at, Err(error)))) => skipped((at, error.to_string())),
                        (Some(Ok(Reply::Trace(_))), None) => {
                            skipped((number, "a trace without a position before it".to_owned()));
                        }
                        (Some(Err(reason)), _) => skipped((number, reason)),
                        (Some(Ok(Reply::Skip)), _) => {}
                        (None, unused) => {
                            if let Some((at, _)) = unused {
                                skipped((at, "a position without a trace after it".to_owned()));
                            }
                            let is_position = !line.trim().is_empty() && !line.starts_with('#');
                            let mut sample = parse_line(&line);
                            if let Ok(sample) = &mut sample {
                                games.assign(number, sample);
                            }
                            last = is_position.then_some((number, sample));
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

/// Why a position can't be decoded.
enum UnpackError {
    Damaged,
    Skipped,
    Record(RecordError),
}

/// Reads magic, version, header and players.
fn read_head(file: &mut impl Read) -> Result<(Header, Vec<String>), TraceFileError> {
    let mut head = [0; 20];
    file.read_exact(&mut head).map_err(|_| TraceFileError::Damaged)?;
    let [version, header, players] =
        [8, 12, 16].map(|at| u32::from_le_bytes(std::array::from_fn(|index| head[at + index])));
    if version > VERSION {
        return Err(TraceFileError::Newer(version));
    }
    let mut text = |length: u32| {
        let mut text = String::new();
        let length = u64::from(length);
        let read = file.by_ref().take(length).read_to_string(&mut text);
        if read.is_ok_and(|read| read as u64 == length) { Ok(text) } else { Err(TraceFileError::Damaged) }
    };
    let header = Header::parse(&text(header)?)?;
    let players = text(players)?.lines().map(str::to_owned).collect();
    Ok((header, players))
}

/// Bytes of the next position; `None` at the end or if the last one is incomplete.
fn read_position(file: &mut impl Read) -> Result<Option<Vec<u8>>, TraceFileError> {
    let mut length = [0; 4];
    if read_fully(file, &mut length)? < 4 {
        return Ok(None);
    }
    let length = u32::from_le_bytes(length) as usize;
    if length > LONGEST {
        return Err(TraceFileError::Damaged);
    }
    let mut bytes = vec![0; length];
    Ok((read_fully(file, &mut bytes)? == length).then_some(bytes))
}

/// Reads until the buffer is full or the file ends.
fn read_fully(file: &mut impl Read, mut buffer: &mut [u8]) -> io::Result<usize> {
    let mut total = 0;
    while !buffer.is_empty() {
        match file.read(buffer) {
            Ok(0) => break,
            Ok(count) => {
                total += count;
                buffer = &mut buffer[count..];
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(total)
}

fn unpack(mut bytes: &[u8], header: &Header) -> Result<TracedPosition, UnpackError> {
    let rest = &mut bytes;
    let count = u16::from_le_bytes(take(rest)?);
    let mut samples = Vec::with_capacity(count.into());
    for _ in 0..count {
        samples.push(Sample::from_bytes(&take::<RECORD_SIZE>(rest)?).map_err(UnpackError::Record)?);
    }
    let mut number = || finite(f32::from_le_bytes(take(rest)?)).map(f64::from);
    let (score, phase, scale, untuned) = (number()?, number()?, number()?, number()?);
    let [flags] = take(rest)?;
    if flags & SKIPPED != 0 {
        return Err(UnpackError::Skipped);
    }
    let counts =
        [u16::from_le_bytes(take(rest)?), u16::from_le_bytes(take(rest)?), u16::from_le_bytes(take(rest)?)];
    let mut lists = [const { Vec::new() }; 3];
    for (list, count) in lists.iter_mut().zip(counts) {
        for _ in 0..count {
            let weight = u16::from_le_bytes(take(rest)?);
            if usize::from(weight) >= header.schema.weights.len() {
                return Err(UnpackError::Damaged);
            }
            let coefficient = if flags & SMALL != 0 {
                f32::from(i8::from_le_bytes(take(rest)?))
            } else {
                finite(f32::from_le_bytes(take(rest)?))?
            };
            list.push((weight, coefficient));
        }
    }
    let [linear, white, black] = lists;
    let trace =
        Trace { score, phase, scale, rest: untuned, linear, sides: [white, black], groups: Vec::new() };
    Ok(TracedPosition { samples, trace })
}

fn finite(number: f32) -> Result<f32, UnpackError> {
    if number.is_finite() { Ok(number) } else { Err(UnpackError::Damaged) }
}

/// Splits the first bytes off a slice.
fn take<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N], UnpackError> {
    let (first, rest) = bytes.split_first_chunk::<N>().ok_or(UnpackError::Damaged)?;
    *bytes = rest;
    Ok(*first)
}

fn pack(labels: &[[u8; RECORD_SIZE]], reply: &Reply) -> Vec<u8> {
    let (trace, skipped) = match reply {
        Reply::Trace(trace) => (trace, 0),
        Reply::Skip => (&Trace::default(), SKIPPED),
    };
    let [white, black] = &trace.sides;
    let lists: [&[Coefficient]; 3] = [&trace.linear, white, black];
    let is_small = lists.iter().all(|list| list.iter().all(|entry| f32::from(entry.1 as i8) == entry.1));
    let mut bytes = vec![0; 4];
    bytes.extend(u16::try_from(labels.len()).unwrap_or(u16::MAX).to_le_bytes());
    labels.iter().take(u16::MAX.into()).for_each(|label| bytes.extend(label));
    for number in [trace.score, trace.phase, trace.scale, trace.rest] {
        bytes.extend((number as f32).to_le_bytes());
    }
    bytes.push(skipped | if is_small { SMALL } else { 0 });
    for list in lists {
        bytes.extend((list.len() as u16).to_le_bytes());
    }
    for &(weight, coefficient) in lists.into_iter().flatten() {
        bytes.extend(weight.to_le_bytes());
        if is_small {
            bytes.extend((coefficient as i8).to_le_bytes());
        } else {
            bytes.extend(coefficient.to_le_bytes());
        }
    }
    let length = (bytes.len() - 4) as u32;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    bytes
}

/// Writes the binary, position by position, so that an interrupted file is usable.
pub(super) struct TraceWriter {
    file: BufWriter<File>,
    /// Length without an incomplete last position, which the first new one replaces.
    end: Option<u64>,
}

impl TraceWriter {
    /// Creates a file, or continues one of the same engine and players: `known` receives the labels and the whole record
    /// of each existing position, in order.
    pub(crate) fn open(
        path: &Path,
        header: &Header,
        players: &[String],
        mut known: impl FnMut(&[u8], &[u8]),
    ) -> Result<TraceWriter, TraceFileError> {
        let names: String = players.iter().map(|name| format!("{}\n", name.replace('\n', " "))).collect();
        let text = header.to_string();
        let mut whole = None;
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        // Without locks of the file system two programs may damage the file.
        if matches!(lock_soon(&file), Err(TryLockError::WouldBlock)) {
            return Err(TraceFileError::Locked);
        }
        if file.metadata()?.len() == 0 {
            let mut head = MAGIC.to_vec();
            head.extend(VERSION.to_le_bytes());
            head.extend((text.len() as u32).to_le_bytes());
            head.extend((names.len() as u32).to_le_bytes());
            head.extend(text.as_bytes());
            head.extend(names.as_bytes());
            file.write_all(&head)?;
        } else {
            let mut reader = BufReader::with_capacity(1 << 18, &file);
            if !reader.fill_buf()?.starts_with(&MAGIC) {
                return Err(TraceFileError::Damaged);
            }
            let (old_header, old_players) = read_head(&mut reader)?;
            if old_header.to_string() != text {
                return Err(TraceFileError::Other("an engine with other parameters"));
            }
            if old_players != players {
                return Err(TraceFileError::Other("other positions"));
            }
            let mut end = (20 + text.len() + names.len()) as u64;
            while let Some(bytes) = read_position(&mut reader)? {
                end += 4 + bytes.len() as u64;
                let count = bytes.first_chunk().map_or(0, |count| u16::from_le_bytes(*count));
                let labels = bytes.get(2..2 + RECORD_SIZE * usize::from(count));
                known(labels.ok_or(TraceFileError::Damaged)?, &bytes);
            }
            drop(reader);
            file.seek(SeekFrom::Start(end))?;
            whole = Some(end);
        }
        Ok(TraceWriter { file: BufWriter::with_capacity(1 << 18, file), end: whole })
    }

    /// Appends a position: its label records and the engine's reply. Until the first one an existing file is unchanged.
    pub(crate) fn push(&mut self, labels: &[[u8; RECORD_SIZE]], reply: &Reply) -> io::Result<()> {
        if let Some(end) = self.end.take() {
            self.file.get_ref().set_len(end)?;
        }
        self.file.write_all(&pack(labels, reply))
    }

    /// Whether this is the record of a position with these labels and this reply.
    pub(crate) fn is_record(record: &[u8], labels: &[[u8; RECORD_SIZE]], reply: &Reply) -> bool {
        pack(labels, reply)[4..] == *record
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "trace version 1\ntrace curve safety quadratic 512\ntrace parameter pawn 82 94\n\
        trace parameter attack 20 8 curve=safety\ntrace ready\n";
    const FEN: &str = "4k3/8/8/8/8/8/PP6/4K3 w - - 0 1";

    fn positions(path: &Path) -> (Vec<TracedPosition>, Vec<Skipped>) {
        let (mut all, mut skipped) = (Vec::new(), Vec::new());
        TraceFile::open(path)
            .unwrap()
            .for_each(|position| all.push(position), |line| skipped.push(line))
            .unwrap();
        (all, skipped)
    }

    fn reply(header: &Header, line: &str) -> Reply {
        Reply::parse(line, header).unwrap().unwrap()
    }

    #[test]
    fn a_binary_is_read_as_written_and_continued_after_an_interruption() {
        let header = Header::parse(HEADER).unwrap();
        let file = tempfile::NamedTempFile::new().unwrap();
        let players = ["A".to_owned(), "B".to_owned()];
        let sample = smalt_dataset::text::parse_line(&format!("{FEN} [1.0]")).unwrap();
        let label = sample.to_bytes().unwrap();
        let replies = [
            reply(&header, "trace score 190 phase 0 0:2 white 1:3"),
            reply(&header, "trace score -7.5 rest 3 0:0.25 black 1:300"),
        ];
        let mut writer =
            TraceWriter::open(file.path(), &header, &players, |_, _| panic!("nothing is there")).unwrap();
        writer.push(&[label, label], &replies[0]).unwrap();
        writer.push(&[label], &Reply::Skip).unwrap();
        writer.push(&[label], &replies[1]).unwrap();
        writer.flush().unwrap();
        drop(writer);
        let bytes = std::fs::read(file.path()).unwrap();
        let (read, skipped) = positions(file.path());
        assert_eq!((read.len(), skipped.len(), read[0].samples.len()), (2, 0, 2));
        assert_eq!([&read[0].trace, &read[1].trace].map(|trace| Reply::Trace(trace.clone())), replies);
        assert_eq!(TraceFile::open(file.path()).unwrap().players, players);

        // Cut within the last position: it is dropped, and the next one overwrites it.
        std::fs::write(file.path(), &bytes[..bytes.len() - 3]).unwrap();
        assert_eq!(positions(file.path()).0.len(), 1);
        let mut known = Vec::new();
        let mut writer =
            TraceWriter::open(file.path(), &header, &players, |labels, _| known.push(labels.to_vec()))
                .unwrap();
        assert_eq!(known, [[label, label].concat(), label.to_vec()]);
        writer.push(&[label], &replies[1]).unwrap();
        writer.flush().unwrap();
        assert_eq!(std::fs::read(file.path()).unwrap(), bytes);

        assert!(matches!(
            TraceWriter::open(file.path(), &header, &players, |_, _| {}),
            Err(TraceFileError::Locked)
        ));
        drop(writer);

        let other = Header::parse(&HEADER.replace("82", "83")).unwrap();
        assert!(matches!(
            TraceWriter::open(file.path(), &other, &players, |_, _| {}),
            Err(TraceFileError::Other(_))
        ));
    }

    #[test]
    fn text_has_each_trace_after_its_position_and_names_what_it_leaves_out() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let text = format!(
            "{HEADER}{FEN} [1.0]\ntrace score 190 phase 0 0:2\n# a comment\n{FEN} [0.5]\n{FEN} | 30 | 0.0\n\
             trace score 190 phase 0 0:2\n{FEN} [1.0]\ntrace skip\nno position\ntrace score 1 0:1\n\
             {FEN} [1.0]\ntrace score 190 7:1\ntrace score 1\n"
        );
        std::fs::write(file.path(), text).unwrap();
        assert!(is_trace_file(file.path()));
        let (read, skipped) = positions(file.path());
        assert_eq!(read.iter().map(|position| position.samples[0].result).collect::<Vec<_>>(), [1.0, 0.0]);
        let lines: Vec<u64> = skipped.iter().map(|line| line.0).collect();
        assert_eq!(lines, [9, 14, 17, 18], "{skipped:?}");
        assert!(skipped[2].1.contains("no parameter has this index"), "{skipped:?}");
    }

    #[test]
    fn a_newer_or_damaged_binary_is_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let open = |bytes: &[u8]| {
            std::fs::write(file.path(), bytes).unwrap();
            TraceFile::open(file.path()).map(|_| ())
        };
        let mut head = MAGIC.to_vec();
        head.extend([9, 0, 0, 0]);
        head.extend([0; 8]);
        assert!(matches!(open(&head), Err(TraceFileError::Newer(9))));
        assert!(matches!(open(&MAGIC), Err(TraceFileError::Damaged)));
        assert!(matches!(open(b"trace version 1\n"), Err(TraceFileError::Header(_))));
    }

    #[test]
    fn an_endless_line_is_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let endless = "x".repeat(MAX_LINE + 1);
        let read = |text: String| {
            std::fs::write(file.path(), text).unwrap();
            TraceFile::open(file.path())?.for_each(|_| {}, |_| {})
        };
        for text in [format!("trace version 1\n{endless}"), format!("{HEADER}{endless}\n{FEN} [1.0]\n")] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains("a line has more than"), "{error}");
        }
    }
}
