//! Every format: round trips, and files of other tools.

use std::path::{Path, PathBuf};

use bulletformat::{BulletFormat, ChessBoard};
use smalt_chess::{Color, Position, UciMove};
use smalt_dataset::format::Format;
use smalt_dataset::write::{SampleWriter, Unfit, check_target};
use smalt_dataset::{Dataset, Sample, SkippedLine};
use smalt_workbench::output_file::{Existing, Output};
use viriformat::dataformat::Game;

/// A game with castling, en passant, a promotion and a capture; each move with a score from White's view.
const GAME: &str =
    "e2e4 d7d5 e4e5 f7f5 e5f6 g8f6 g1f3 e7e6 f1c4 f8e7 e1g1 e8g8 b1c3 d5c4 d2d3 c4d3 d1d3 b8c6";

fn samples() -> Vec<Sample> {
    let (mut position, mut samples) = (Position::start(), Vec::new());
    for (ply, text) in GAME.split(' ').enumerate() {
        let mv = UciMove::parse(text).unwrap().to_move(&position).unwrap();
        let score = 13 * ply as i16 - 50;
        let ply = ply as u16;
        samples.push(Sample { ply, game: 0, mv: Some(mv), ..Sample::new(position, 0.5, Some(score)) });
        position.play(mv);
    }
    let promoting = Position::from_fen("8/1P4k1/8/8/8/8/1R6/6K1 w - - 3 60").unwrap();
    let mv = UciMove::parse("b7b8n").unwrap().to_move(&promoting).unwrap();
    samples.push(Sample { ply: 118, game: 1, mv: Some(mv), ..Sample::new(promoting, 1.0, Some(700)) });
    let black = Position::from_fen("r3k2r/8/8/8/8/8/8/4K2R b Kkq - 0 30").unwrap();
    let mv = UciMove::parse("e8c8").unwrap().to_move(&black).unwrap();
    samples.push(Sample { ply: 59, game: 2, mv: Some(mv), ..Sample::new(black, 0.0, Some(-450)) });
    samples
}

/// Writes samples in a format; returns the file.
fn written(folder: &Path, format: Format, samples: &[Sample]) -> PathBuf {
    let path = folder.join(format!("positions.{}", format.keyword()));
    let mut writer = SampleWriter::create(output(&path), format, 1).unwrap();
    for sample in samples {
        writer.push(sample).unwrap().unwrap();
    }
    assert_eq!(writer.finish(&[]).unwrap().positions, samples.len() as u64);
    path
}

fn read(path: &Path, format: Format) -> Vec<Sample> {
    let mut samples = Vec::new();
    let dataset = Dataset::open_as(path, Some(format)).unwrap();
    let take = |sample| {
        samples.push(sample);
        Ok(())
    };
    dataset.for_each(take, |skipped| panic!("{format:?}: {skipped:?}")).unwrap();
    samples
}

/// The stored part of a sample, as text: position with or without clocks and rights, score, result, move.
fn kept(sample: &Sample, format: Format) -> String {
    let Sample { position, result, score, mv, .. } = sample;
    let fen = position.to_fen();
    let (fen, mv) = match format {
        Format::Smalt | Format::Fen | Format::Epd | Format::Book => (fen.clone(), None),
        _ => (fen.clone(), *mv),
    };
    let score = score.filter(|_| format != Format::Book);
    format!("{fen} {score:?} {result} {mv:?}")
}

/// An output that may be replaced.
fn output(path: &Path) -> Output {
    Output::check(path, Existing::Replace).unwrap()
}

#[test]
fn what_is_written_in_a_format_reads_back() {
    let folder = tempfile::tempdir().unwrap();
    let samples = samples();
    for format in [
        Format::Smalt,
        Format::Fen,
        Format::Epd,
        Format::Book,
        Format::Csv,
        Format::Plain,
        Format::Viri,
        Format::Binpack,
    ] {
        let path = written(folder.path(), format, &samples);
        let lines = |samples: &[Sample]| samples.iter().map(|one| kept(one, format)).collect::<Vec<_>>();
        assert_eq!(lines(&read(&path, format)), lines(&samples), "{format:?}");
    }
}

#[test]
fn what_was_read_is_written_as_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    for keyword in Format::keywords() {
        let format: Format = keyword.parse().unwrap();
        let path = written(folder.path(), format, &samples());
        let bytes = std::fs::read(&path).unwrap();
        let again = read(&path, format);
        assert_eq!(again.len(), samples().len(), "{format:?}");
        written(folder.path(), format, &again);
        assert!(std::fs::read(&path).unwrap() == bytes, "{format:?}");
    }
}

#[test]
fn text_of_other_programs_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("theirs");
    let check = |format: Format, text: &str, expected: &[(f32, Option<i16>)]| {
        std::fs::write(&path, text).unwrap();
        let labels =
            read(&path, format).iter().map(|sample| (sample.result, sample.score)).collect::<Vec<_>>();
        assert_eq!(labels, expected, "{format:?}");
    };
    let [white, black] = ["4k3/8/8/8/8/8/PP6/4K3 w - - 0 1", "4k3/8/8/8/8/8/PP6/4K3 b - - 0 1"];
    // Stockfish's tools: score and result of the side to move.
    let plain = format!(
        "fen {white}\nmove a2a4\nscore 123\nply 0\nresult 1\ne\nfen {black}\r\nmove e8d8\r\nscore -123\r\nply 1\r\nresult -1\r\ne\r\n"
    );
    check(Format::Plain, &plain, &[(1.0, Some(123)), (1.0, Some(123))]);
    // bullet's text: White's view.
    let bars = format!("{white} | 123 | 1.0\n{black} | -5 | 0.5\n{black} | 7 | 0.0\n");
    check(Format::Fen, &bars, &[(1.0, Some(123)), (0.5, Some(-5)), (0.0, Some(7))]);
    // Zurichess' EPD, and Ethereal's books.
    let epd = |fen: &str| fen.trim_end_matches(" 0 1").to_owned();
    check(
        Format::Epd,
        &format!("{} c9 \"1-0\";\n{} c9 \"1/2-1/2\";\n", epd(white), epd(black)),
        &[(1.0, None), (0.5, None)],
    );
    check(Format::Book, &format!("{white} [1.0]\n{black} [0.0] 31\n"), &[(1.0, None), (0.0, None)]);
}

#[test]
fn games_stay_apart_where_a_format_has_games() {
    let folder = tempfile::tempdir().unwrap();
    let samples = samples();
    for format in [
        Format::Smalt,
        Format::Fen,
        Format::Epd,
        Format::Book,
        Format::Csv,
        Format::Plain,
        Format::Viri,
        Format::Binpack,
    ] {
        let games: Vec<u32> = read(&written(folder.path(), format, &samples), format)
            .iter()
            .map(|sample| sample.game)
            .collect();
        for (a, b) in [(0, 1), (16, 17)] {
            assert_eq!(games[a], games[b], "{format:?}");
        }
        assert!(games[17] != games[18] && games[18] != games[19], "{format:?}: {games:?}");
    }
}

#[test]
fn positions_of_a_game_with_gaps_stay_together_by_their_move_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let mut some: Vec<Sample> = samples().into_iter().take(18).filter(|one| one.ply % 5 != 2).collect();
    let again: Vec<_> = some.iter().map(|one| Sample { game: 1, ..one.clone() }).collect();
    some.extend(again);
    // Our own file stores plies, which become move numbers.
    let records = read(&written(folder.path(), Format::Smalt, &some), Format::Smalt);
    for format in
        [Format::Fen, Format::Epd, Format::Book, Format::Csv, Format::Plain, Format::Viri, Format::Binpack]
    {
        let found = read(&written(folder.path(), format, &records), format);
        let lines = |samples: &[Sample]| {
            let line = |one: &Sample| (one.position.to_fen(), one.ply, one.game);
            samples.iter().map(line).collect::<Vec<_>>()
        };
        assert_eq!(lines(&found), lines(&some), "{format:?}");
    }
}

/// Our own file has the games of a position next to each other.
#[test]
fn records_that_alternate_between_games_are_written_game_by_game() {
    let folder = tempfile::tempdir().unwrap();
    let game: Vec<Sample> = samples().into_iter().take(18).collect();
    let of = |number: u32| game.iter().map(move |one| Sample { game: number, ..one.clone() });
    let alternating: Vec<Sample> = of(0).zip(of(1)).flat_map(|(first, second)| [second, first]).collect();
    let file = written(folder.path(), Format::Smalt, &alternating);
    for format in [Format::Fen, Format::Viri, Format::Binpack] {
        let mut sorted = Vec::new();
        let take = |sample| {
            sorted.push(sample);
            Ok(())
        };
        Dataset::open(&file).unwrap().for_each_by_game(take, |line| panic!("{line:?}")).unwrap();
        let found = read(&written(folder.path(), format, &sorted), format);
        let places = |samples: &[Sample]| samples.iter().map(|one| (one.game, one.ply)).collect::<Vec<_>>();
        assert_eq!(places(&found), places(&of(0).chain(of(1)).collect::<Vec<_>>()), "{format:?}");
    }
}

#[test]
fn bulletformat_is_that_of_its_own_library() {
    let folder = tempfile::tempdir().unwrap();
    let samples = samples();
    let bytes = std::fs::read(written(folder.path(), Format::Bullet, &samples)).unwrap();
    assert_eq!(bytes.len(), 32 * samples.len());
    for (sample, bytes) in samples.iter().zip(bytes.chunks(32)) {
        let line = format!("{} | {} | {:.1}", sample.position.to_fen(), sample.score.unwrap(), sample.result);
        let board: ChessBoard = line.parse().unwrap();
        let mut theirs = board.occ().to_le_bytes().to_vec();
        theirs.extend(board.pcs);
        theirs.extend(board.score().to_le_bytes());
        theirs.extend([board.result_idx() as u8, board.our_ksq(), board.opp_ksq()]);
        theirs.extend(board.extra());
        assert_eq!(bytes, theirs, "{line}");
    }
    // The format stores the side to move's view, without rights and clocks.
    for (read, sample) in read(&folder.path().join("positions.bullet"), Format::Bullet).iter().zip(&samples) {
        let own = sample.position.turn();
        assert_eq!(read.position.turn(), Color::White);
        assert_eq!(read.position.occupied().count(), sample.position.occupied().count());
        let (score, result) = match own {
            Color::White => (sample.score.unwrap(), sample.result),
            Color::Black => (-sample.score.unwrap(), 1.0 - sample.result),
        };
        assert_eq!((read.score, read.result), (Some(score), result));
    }
}

#[test]
fn viriformat_is_that_of_its_own_library() {
    let folder = tempfile::tempdir().unwrap();
    let samples = samples();
    let bytes = std::fs::read(written(folder.path(), Format::Viri, &samples)).unwrap();
    // Three games: headers, moves, terminators.
    assert_eq!(bytes.len(), 3 * (32 + 4) + 4 * samples.len());
    let mut input = bytes.as_slice();
    let mut again = Vec::new();
    let mut found = Vec::new();
    for _ in 0..3 {
        let game = Game::deserialise_from(&mut input, Vec::new()).unwrap();
        let outcome = format!("{:?}", game.outcome());
        game.visit_positions(|board, score| found.push((board.to_string(), score, outcome.clone())));
        game.serialise_into(&mut again).unwrap();
    }
    assert_eq!(again, bytes);
    for ((fen, score, outcome), sample) in found.iter().zip(&samples) {
        let ours = sample.position.to_fen();
        assert_eq!(fen.split(' ').next(), ours.split(' ').next());
        assert_eq!(*score, i32::from(sample.score.unwrap()));
        let expected = ["Loss", "Draw", "Win"][(2.0 * sample.result) as usize];
        assert_eq!(outcome, expected);
    }
}

#[test]
fn what_a_format_has_no_place_for_is_reported_and_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let sample = samples().remove(3);
    let unscored = Sample { score: None, ..sample.clone() };
    let mean = Sample { result: 0.25, ..sample.clone() };
    let chess960 = Position::from_fen("1r2k1r1/8/8/8/8/8/8/1R2K1R1 b BGbg - 3 1").unwrap();
    let chess960 = Sample { position: chess960, mv: None, ..sample.clone() };
    let crowded = Position::from_fen("QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/8/8/7k/K7 b - - 0 1").unwrap();
    let crowded = Sample { position: crowded, mv: None, ..sample.clone() };
    let mated = Position::from_fen("k7/1Q6/1K6/8/8/8/8/8 b - - 0 1").unwrap();
    let mated = Sample { position: mated, mv: None, ..sample };
    let check = |format: Format, sample: &Sample, expected: Result<(), Unfit>| {
        let path = folder.path().join(format.keyword());
        let mut writer = SampleWriter::create(output(&path), format, 1).unwrap();
        assert_eq!(writer.push(sample).unwrap(), expected, "{format:?}");
    };
    for format in [Format::Fen, Format::Plain, Format::Bullet, Format::Viri, Format::Binpack] {
        check(format, &unscored, Err(Unfit::NoScore));
    }
    for format in [Format::Plain, Format::Bullet, Format::Viri, Format::Binpack] {
        check(format, &mean, Err(Unfit::MeanResult));
    }
    for format in [Format::Smalt, Format::Fen, Format::Epd, Format::Book, Format::Csv] {
        check(format, &mean, Ok(()));
    }
    for format in [Format::Smalt, Format::Bullet, Format::Viri] {
        check(format, &crowded, Err(Unfit::NoRoom));
    }
    check(Format::Binpack, &chess960, Err(Unfit::NoRoom));
    check(Format::Viri, &chess960, Ok(()));
    check(Format::Plain, &mated, Err(Unfit::NoMove));
}

#[test]
fn a_compressed_file_is_read_as_the_file_itself() {
    let folder = tempfile::tempdir().unwrap();
    let samples = samples();
    for format in [Format::Smalt, Format::Plain] {
        let plain = written(folder.path(), format, &samples);
        let packed = folder.path().join("packed.zst");
        std::fs::write(&packed, zstd::encode_all(&*std::fs::read(&plain).unwrap(), 3).unwrap()).unwrap();
        assert_eq!(read(&packed, format), read(&plain, format));
        assert_eq!(read(&packed, format).len(), samples.len());
    }
}

#[test]
fn damaged_files_are_reported_and_never_panic() {
    let folder = tempfile::tempdir().unwrap();
    let samples = samples();
    for format in [Format::Bullet, Format::Viri, Format::Binpack, Format::Plain, Format::Csv] {
        let path = written(folder.path(), format, &samples);
        let whole = std::fs::read(&path).unwrap();
        for at in (0..whole.len()).step_by(7) {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x5a;
            std::fs::write(&path, &bytes).unwrap();
            let dataset = Dataset::open_as(&path, Some(format)).unwrap();
            // Any damage is an error of the file or a skipped line.
            let _ = dataset.for_each(|_| Ok(()), |_| {});
            std::fs::write(&path, &whole[..at]).unwrap();
            if let Ok(dataset) = Dataset::open_as(&path, Some(format)) {
                let _ = dataset.for_each(|_| Ok(()), |_| {});
            }
        }
    }
}

#[test]
fn no_device_and_no_folder_is_replaced_by_positions() {
    let folder = tempfile::tempdir().unwrap();
    let mut refused = vec![PathBuf::from("-"), folder.path().to_owned(), folder.path().join("-")];
    if cfg!(unix) {
        refused.push("/dev/null".into());
    }
    for path in refused {
        check_target(&path).unwrap_err();
        if let Ok(output) = Output::check(&path, Existing::Replace) {
            assert!(SampleWriter::create(output, Format::Viri, 1).is_err(), "{}", path.display());
        }
    }
    let old = folder.path().join("old.viri");
    check_target(&old).unwrap();
    std::fs::write(&old, "old").unwrap();
    check_target(&old).unwrap();
}

#[test]
fn positions_go_through_a_link_and_beside_a_file_that_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.fen");
    let samples = samples();
    let finish = |writer: SampleWriter| writer.finish(&[]).map_err(|error| error.to_string());
    for format in [Format::Fen, Format::Smalt] {
        std::fs::write(&path, "old").unwrap();
        let mut writer = SampleWriter::create(output(&path), format, 1).unwrap();
        writer.push(&samples[0]).unwrap().unwrap();
        std::fs::write(&path, "my own").unwrap();
        let error = finish(writer).unwrap_err();
        assert!(error.contains("it changed during the run and was not replaced"), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), b"my own");
        let beside = folder.path().join("mine.fen.new");
        assert_eq!(read(&beside, format).len(), 1);
        std::fs::remove_file(beside).unwrap();
    }
    #[cfg(unix)]
    {
        let link = folder.path().join("link.fen");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let mut writer = SampleWriter::create(output(&link), Format::Fen, 1).unwrap();
        writer.push(&samples[0]).unwrap().unwrap();
        finish(writer).unwrap();
        assert!(link.is_symlink());
        assert_eq!(read(&path, Format::Fen).len(), 1);
    }
}

/// Number of samples of a file, and its skipped lines with their reasons.
fn counted(path: &Path, format: Format) -> (usize, Vec<(u64, String)>) {
    let (mut count, mut skipped) = (0, Vec::new());
    let take = |_| {
        count += 1;
        Ok(())
    };
    let skip = |line: SkippedLine| skipped.push((line.line, line.error.to_string()));
    Dataset::open_as(path, Some(format)).unwrap().for_each(take, skip).unwrap();
    (count, skipped)
}

#[test]
fn the_whole_records_of_a_file_that_is_cut_off_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let samples = samples();
    for (format, expected) in
        [(Format::Bullet, samples.len() - 1), (Format::Viri, samples.len()), (Format::Binpack, 0)]
    {
        let path = written(folder.path(), format, &samples);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        let (count, skipped) = counted(&path, format);
        let words = "the file is cut off: it ends in the middle of this record";
        assert_eq!((count, skipped), (expected, vec![(expected as u64 + 1, words.to_owned())]), "{format:?}");
    }
    let text = written(folder.path(), Format::Fen, &samples);
    let packed = zstd::encode_all(std::fs::read(&text).unwrap().repeat(1000).as_slice(), 1).unwrap();
    for bytes in [&packed[..packed.len() - 9], &[&packed[..], b"garbage"].concat()] {
        std::fs::write(&text, bytes).unwrap();
        let (_, skipped) = counted(&text, Format::Fen);
        assert_eq!(skipped.len(), 1, "{skipped:?}");
        let dataset = Dataset::open_as(&text, Some(Format::Fen)).unwrap();
        let mut again = 0;
        dataset.for_each_batch(64, |_| false, |_| (), |()| (), |_| again += 1).unwrap();
        assert_eq!(again, 1);
    }
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_first_line() {
    let folder = tempfile::tempdir().unwrap();
    let samples = samples();
    for format in [Format::Fen, Format::Epd, Format::Book, Format::Csv, Format::Plain] {
        let path = written(folder.path(), format, &samples);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("\u{feff}{text}")).unwrap();
        assert_eq!(counted(&path, format), (samples.len(), Vec::new()), "{format:?}");
    }
}
