//! Messages survive a round trip, and hostile messages are rejected.

use std::time::SystemTime;

use proptest::prelude::*;

use super::limits::check_transcript;
use super::*;
use smalt_match::game::{SearchRecord, Termination};
use smalt_protocol::Score;

const BLACK_TO_MOVE: &str = "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2";

/// A pair of two games from an opening of two moves.
pub(crate) fn work(pair: u32) -> Work {
    let mut game = Game::default();
    for mv in ["e2e4", "e7e5"] {
        let mv = UciMove::parse(mv).unwrap().to_move(game.position()).unwrap();
        game.play(mv).unwrap();
    }
    let opening = Opening { moves: game.moves().to_vec(), ..Opening::standard() };
    let opened = |number: u32, white: usize| OpenedGame {
        game: ScheduledGame { number, pair, round: 0, white, black: 1 - white, opening: pair as usize },
        opening: opening.clone(),
    };
    Work { pair, games: vec![opened(2 * pair, 0), opened(2 * pair + 1, 1)] }
}

fn search() -> impl Strategy<Value = Option<SearchRecord>> {
    let figures = (
        any::<Option<i16>>(),
        any::<Option<u16>>(),
        any::<Option<u32>>(),
        any::<u32>(),
        any::<Option<u32>>(),
    );
    proptest::option::of(figures.prop_map(|(score, depth, nodes, elapsed, left)| SearchRecord {
        score: score.map(|score| Score::Centipawns(score.into())),
        depth: depth.map(u32::from),
        nodes: nodes.map(u64::from),
        elapsed: Duration::from_micros(elapsed.into()),
        left: left.map(|left| Duration::from_micros(left.into())),
        pv: [UciMove::parse("e2e4").unwrap()].into(),
        ..SearchRecord::default()
    }))
}

fn record() -> impl Strategy<Value = GameRecord> {
    let fault = proptest::option::of((any::<bool>(), "[a-z-]{1,9}", "[ -~]{0,30}").prop_map(
        |(white, name, words)| FaultReport {
            color: if white { Color::White } else { Color::Black },
            name,
            words,
            transcript: vec!["> go".to_owned()],
            illegal_move: None,
            overrun: None,
        },
    ));
    let plies = proptest::collection::vec(search(), 0..20).prop_map(|searches| {
        let mv = UciMove::parse("g1f3").unwrap();
        searches.into_iter().map(|search| PlyRecord { mv, search }).collect::<Vec<_>>()
    });
    let ending = proptest::sample::select(Termination::all().collect::<Vec<_>>());
    let outcome =
        proptest::sample::select(vec![Outcome::Draw, Outcome::Win(Color::White), Outcome::Win(Color::Black)]);
    (plies, ending, outcome, any::<u32>(), fault).prop_map(
        |(plies, termination, outcome, duration, fault)| GameRecord {
            game: work(0).games[0].game,
            fen: None,
            plies,
            outcome,
            termination,
            started: SystemTime::UNIX_EPOCH,
            duration: Duration::from_micros(duration.into()),
            fault,
            peak_memory: [Some(7), None],
            machine: None,
        },
    )
}

proptest! {
    #[test]
    fn a_record_reads_as_it_was(record in record()) {
        let question = WorkerRequest::Result { pair: 3, game: 7, record: Box::new(RecordMessage::from(&record)) };
        let read: WorkerRequest = decode(&encode(&question).unwrap()).unwrap();
        prop_assert_eq!(&read, &question);
        let WorkerRequest::Result { record: message, .. } = read else { unreachable!() };
        let claim = message.to_report().unwrap();
        prop_assert_eq!(claim.plies, record.plies);
        prop_assert_eq!((claim.outcome, claim.termination), (record.outcome, record.termination));
        prop_assert_eq!((claim.duration, claim.fault), (record.duration, record.fault));
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200), headed in any::<bool>()) {
        let bytes = if headed { [b"smalt 3\n".as_slice(), &bytes].concat() } else { bytes };
        let _ = decode::<WorkerRequest>(&bytes);
        let _ = decode::<Response>(&bytes);
        let _ = decode::<WorkMessage>(&bytes);
    }

    #[test]
    fn a_message_with_a_changed_byte_is_read_or_refused(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = encode(&WorkMessage::from(&work(4))).unwrap();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(message) = decode::<WorkMessage>(&bytes) {
            let _ = message.to_work(2);
        }
    }
}

#[test]
fn a_program_may_have_a_node_count() {
    let program = |bench| FilePurpose::Program { entrant: 1, platform: "x86_64-linux".to_owned(), bench };
    for bench in [None, Some(2_047_406)] {
        let text = serde_json::to_string(&program(bench)).unwrap();
        assert_eq!(text.contains("bench"), bench.is_some());
        assert_eq!(serde_json::from_str::<FilePurpose>(&text).unwrap(), program(bench));
    }
}

#[test]
fn a_pair_reads_as_it_was() {
    let mut pair = work(5);
    let fen = BLACK_TO_MOVE.to_owned();
    pair.games[1].opening = Opening::from_position(Position::from_fen(&fen).unwrap());
    let message: WorkMessage = decode(&encode(&WorkMessage::from(&pair)).unwrap()).unwrap();
    assert_eq!(message.to_work(2).unwrap(), pair);
    assert!(message.to_work(1).is_err(), "an invalid entrant");
}

#[test]
fn castling_in_openings_keeps_its_way_of_writing() {
    let fen = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1";
    for (fen, castling) in [(fen.to_owned(), "e1g1"), (fen.replace("KQkq", "HAha"), "e1h1")] {
        let start = Opening::from_position(Position::from_fen(&fen).unwrap());
        let mv = UciMove::parse(castling).unwrap().to_move(&start.position).unwrap();
        let opening = Opening { moves: vec![mv], ..start };
        let mut pair = work(0);
        pair.games.iter_mut().for_each(|opened| opened.opening = opening.clone());
        let message: WorkMessage = decode(&encode(&WorkMessage::from(&pair)).unwrap()).unwrap();
        assert_eq!(message.to_work(2).unwrap(), pair, "{fen}");
    }
}

#[test]
fn illegal_openings_are_refused() {
    let check = |from: &str, to: &str| {
        let text = String::from_utf8(encode(&WorkMessage::from(&work(0))).unwrap()).unwrap();
        assert!(text.contains(from), "{text}");
        let message = decode::<WorkMessage>(text.replace(from, to).as_bytes());
        assert!(message.is_err() || message.unwrap().to_work(2).is_err(), "{to}");
    };
    check("\"e7e5\"", "\"e7e4\"");
    check("\"e7e5\"", "\"e7\"");
    check("\"white\":1,\"black\":0", "\"white\":0,\"black\":0");
    check("\"pair\":0", "\"pair\":-1");
    check("\"pair\":0", "\"pair\":0,\"cmd\":\"/bin/sh\"");
}

#[test]
fn messages_of_other_versions_are_refused_by_their_first_line() {
    let bytes = encode(&Response::Stored).unwrap();
    assert_eq!(decode::<Response>(&bytes), Ok(Response::Stored));
    let newer = String::from_utf8(bytes).unwrap().replace("smalt 3", "smalt 4");
    assert_eq!(decode::<Response>(newer.as_bytes()), Err(WireError::Version));
    assert_eq!(decode::<Response>(b""), Err(WireError::Version));
}

#[test]
fn what_is_too_long_is_neither_written_nor_read() {
    let refusal = Response::Refused { words: "x".repeat(MAX_MESSAGE_BYTES) };
    assert!(matches!(encode(&refusal), Err(WireError::TooLong(_))));
    assert_eq!(
        decode::<Response>(&vec![b' '; MAX_MESSAGE_BYTES + 1]),
        Err(WireError::TooLong(MAX_MESSAGE_BYTES + 1))
    );
    let long = encode(&Response::Refused { words: "x".repeat(MAX_TEXT + 1) }).unwrap();
    assert!(matches!(decode::<Response>(&long), Err(WireError::Form(_))));
}

#[test]
fn names_and_words_are_single_lines() {
    let check = |name: &str, is_read: bool| {
        let name = name.to_owned();
        let fault = WorkerNotice::Fault { entrant: 0, name, words: String::new(), transcript: Vec::new() };
        let question = WorkerRequest::Notify(fault);
        assert_eq!(decode::<WorkerRequest>(&encode(&question).unwrap()).is_ok(), is_read, "{question:?}");
    };
    check("crashed", true);
    check("cra\nshed", false);
    check(" ", false);
    assert_eq!(trimmed("a\nb"), "a b");
    assert_eq!(trimmed_transcript(&["é".repeat(5000)])[0].len(), 5000);
}

#[test]
fn names_of_machines_are_plain_and_no_text_hides_anything() {
    let fits = |name: &str| check_machine(name).is_ok();
    assert!(fits("bench-2.example_com 1") && fits("Zoë"));
    for name in ["", " ", "ev\u{1b}[2Jil", "ev\u{202e}il", "o\u{300}", "a/b", "a\tb"] {
        assert!(!fits(name), "{name:?}");
    }
    let check = |words: &str, line: &str, is_read: bool| {
        let question = WorkerRequest::Notify(WorkerNotice::Fault {
            entrant: 0,
            name: "crashed".to_owned(),
            words: words.to_owned(),
            transcript: vec![line.to_owned()],
        });
        assert_eq!(decode::<WorkerRequest>(&encode(&question).unwrap()).is_ok(), is_read, "{question:?}");
    };
    check("exited", "> go\tdepth é", true);
    check("ex\u{200b}ited", "", false);
    check("exited", "\u{1b}]0;owned\u{7}", false);
    assert_eq!(trimmed("a\u{202e}b"), "a b");
    assert_eq!(trimmed_transcript(&["\u{1b}[2J".to_owned()]), ["\\u{1b}[2J"]);
}

#[test]
fn figures_that_no_machine_has_are_refused() {
    let check = |memory: u64, overrun: u64, is_read: bool| {
        let fault = format!(
            "{{\"white\":true,\"name\":\"late\",\"words\":\"\",\"transcript\":[],\"overrun_us\":{overrun}}}"
        );
        let text = format!(
            "smalt {VERSION}\n{{\"result\":{{\"pair\":0,\"game\":0,\"record\":{{\"moves\":\"\",\"outcome\":\"1-0\",\
             \"termination\":\"\",\"duration_us\":0,\"fault\":{fault},\"peak_memory\":[null,{memory}]}}}}}}"
        );
        let read = decode::<WorkerRequest>(text.as_bytes());
        assert_eq!(read.is_ok(), is_read, "{read:?}");
    };
    check(MAX_FIGURE, MAX_FIGURE, true);
    check(MAX_FIGURE + 1, 0, false);
    check(0, u64::MAX, false);
    let report = crate::fleet_state::tests::machine_report;
    let check = |speed: u64, is_read: bool| {
        let machine = Box::new(MachineReport { speed, ..report("a") });
        let join = WorkerRequest::Join { config: "0".repeat(64), machine };
        assert_eq!(decode::<WorkerRequest>(&encode(&join).unwrap()).is_ok(), is_read, "{speed}");
    };
    check(MAX_FIGURE, true);
    check(10_000_000_000_000_000_000, false);
    check(0, false);
}

#[test]
fn the_last_lines_of_a_transcript_are_kept_as_far_as_they_fit() {
    let lines: Vec<String> = (0..100).map(|number| format!("{number} {}", "x".repeat(4000))).collect();
    let kept = trimmed_transcript(&lines);
    assert_eq!(kept.len(), 15);
    assert_eq!(kept.last(), lines.last());
    assert!(check_transcript(&kept).is_ok() && check_transcript(&lines).is_err());
}

#[test]
fn the_files_of_a_run_have_a_limit_of_number_and_bytes() {
    let check = |files: &[u64]| check_files(files.iter().copied());
    assert_eq!(check(&[1 << 33, 1 << 33]), Ok(()));
    assert_eq!(
        check(&[1 << 34, 1]),
        Err("the files have 17179869185 bytes, and 17179869184 are the most".to_owned())
    );
    assert!(check(&[u64::MAX, u64::MAX]).is_err());
    assert_eq!(check(&[1; 5001]), Err("5001 files, and 5000 are the most".to_owned()));
}
