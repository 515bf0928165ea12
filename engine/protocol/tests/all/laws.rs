//! Properties on random input: nothing panics, and printed messages parse to the same value.

use std::num::NonZeroU32;
use std::time::Duration;

use proptest::prelude::*;
use smalt_chess::{Role, Square, UciMove};
use smalt_protocol::info::{CurrentLine, Refutation};
use smalt_protocol::uci::client::{Register, Start, Switch};
use smalt_protocol::uci::engine::{Admission, BestMove, Id};
use smalt_protocol::uci::{ClientMessage, EngineMessage};
use smalt_protocol::*;

fn check_client(line: &str) {
    let message = ClientMessage::parse(line);
    let printed = message.to_string();
    assert!(!printed.contains(['\n', '\r']), "{printed:?}");
    assert_eq!(ClientMessage::parse(&printed), message, "{printed:?}");
}

fn check_engine(line: &str) {
    let message = EngineMessage::parse(line);
    let printed = message.to_string();
    assert!(!printed.contains(['\n', '\r']), "{printed:?}");
    assert_eq!(EngineMessage::parse(&printed), message, "{printed:?}");
}

/// Protocol keywords, numbers, moves and garbage with irregular spaces; most lines are valid messages.
fn soup() -> impl Strategy<Value = String> {
    let keys = "uci debug on off isready setoption name value register later code ucinewgame position startpos fen \
        moves go searchmoves ponder wtime btime winc binc movestogo depth nodes mate movetime infinite perft stop \
        ponderhit quit id author uciok readyok bestmove copyprotection checking ok error registration info option \
        seldepth time pv multipv score cp lowerbound upperbound wdl currmove currmovenumber hashfull nps tbhits \
        sbhits cpuload string refutation currline type default min max var check spin combo button <empty> true \
        false (none) NULL 0000 e2e4 a7a8q a7b8N";
    let keys: Vec<&str> = keys.split_whitespace().collect();
    let first = prop::sample::select(vec![
        "info", "option name x type", "bestmove", "go", "position", "setoption name", "id name", "register",
        "",
    ]);
    let word = prop_oneof![
        8 => prop::sample::select(keys).prop_map(str::to_owned),
        2 => any::<i64>().prop_map(|n| n.to_string()),
        1 => "[0-9]{1,30}",
        2 => any_move().prop_map(|mv| mv.to_string()),
        1 => "\\PC{0,4}",
    ];
    let space = prop_oneof![8 => Just(" "), 1 => Just(" \t "), 1 => Just("\0"), 1 => Just("\r\n")];
    (first, prop::collection::vec((space, word), 0..16)).prop_map(|(first, rest)| {
        rest.iter().fold(first.to_owned(), |line, (space, word)| line + space + word)
    })
}

fn any_move() -> impl Strategy<Value = UciMove> {
    let role = prop::sample::select(vec![
        None,
        Some(Role::Knight),
        Some(Role::Bishop),
        Some(Role::Rook),
        Some(Role::Queen),
    ]);
    prop_oneof![
        1 => Just(UciMove::NULL),
        20 => (0..64_usize, 0..64_usize, role).prop_map(|(from, to, promotion)| UciMove::new(
            Square::from_index(from),
            Square::from_index(to),
            promotion
        )),
    ]
}

fn line_of_moves() -> impl Strategy<Value = Vec<UciMove>> {
    prop::collection::vec(any_move(), 0..8)
}

/// Words that are not protocol keywords, separated by single spaces.
fn phrase() -> impl Strategy<Value = String> {
    "[A-Z][a-z.()/0-9é]{0,6}( {1,2}[A-Z][A-Za-z]{0,6}){0,3}"
}

fn ms() -> impl Strategy<Value = Duration> {
    prop_oneof![(0..100_000_u64), (0..=i64::MAX as u64)].prop_map(Duration::from_millis)
}

fn any_clock() -> impl Strategy<Value = Clock> {
    (ms(), ms()).prop_map(|(remaining, increment)| Clock { remaining, increment })
}

prop_compose! {
    fn any_limits()(
        search_moves in line_of_moves(),
        (ponder, infinite) in any::<(bool, bool)>(),
        white in prop::option::of(any_clock()),
        black in prop::option::of(any_clock()),
        moves_to_go in any::<u32>(),
        (depth, nodes, mate, perft) in any::<(Option<u32>, Option<u64>, Option<u32>, Option<u32>)>(),
        move_time in prop::option::of(ms()),
    ) -> SearchLimits {
        let moves_to_go = NonZeroU32::new(moves_to_go);
        SearchLimits { search_moves, ponder, white, black, moves_to_go, depth, nodes, mate, move_time, infinite, perft }
    }
}

fn any_score() -> impl Strategy<Value = ReportedScore> {
    let number = -i32::MAX..=i32::MAX;
    let score = prop_oneof![number.clone().prop_map(Score::Centipawns), number.prop_map(Score::Mate)];
    let bound = prop::sample::select(vec![Bound::Exact, Bound::Lower, Bound::Upper]);
    (score, bound).prop_map(|(score, bound)| ReportedScore { score, bound })
}

fn any_kind() -> impl Strategy<Value = OptionKind> {
    let text = || prop_oneof![1 => Just(String::new()), 3 => phrase()];
    prop_oneof![
        any::<bool>().prop_map(|default| OptionKind::Check { default }),
        any::<(i64, i64, i64)>().prop_map(|(default, min, max)| OptionKind::Spin { default, min, max }),
        (text(), prop::collection::vec(text(), 0..4))
            .prop_map(|(default, choices)| OptionKind::Combo { default, choices }),
        Just(OptionKind::Button),
        text().prop_map(|default| OptionKind::Text { default }),
    ]
}

fn back_from_client(message: &ClientMessage<'_>) {
    let printed = message.to_string();
    assert_eq!(&ClientMessage::parse(&printed), message, "{printed:?}");
}

fn back_from_engine(message: &EngineMessage<'_>) {
    let printed = message.to_string();
    assert_eq!(&EngineMessage::parse(&printed), message, "{printed:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_reads_back_as_it_was_printed(line in any::<String>()) {
        check_client(&line);
        check_engine(&line);
    }

    #[test]
    fn any_words_of_the_protocol_read_back_as_they_were_printed(line in soup()) {
        check_client(&line);
        check_engine(&line);
    }

    #[test]
    fn any_time_control_reads_back_as_it_was_printed(line in "([0-9]{0,3}/)?([0-9]{0,3}:)?[0-9.]{0,6}(\\+[0-9.]{0,4})?(,[0-9/]{3,5})?") {
        if let Ok(control) = TimeControl::parse(&line) {
            prop_assert_eq!(TimeControl::parse(&control.to_string()), Ok(control));
        }
    }

    #[test]
    fn no_text_makes_a_time_control_panic(line in any::<String>()) {
        if let Ok(control) = TimeControl::parse(&line) {
            prop_assert_eq!(TimeControl::parse(&control.to_string()), Ok(control));
        }
    }

    #[test]
    fn limits_survive_a_line(limits in any_limits()) {
        back_from_client(&ClientMessage::Go(limits));
    }

    #[test]
    fn other_commands_survive_a_line(
        text in phrase(),
        value in prop::option::of(phrase()),
        moves in line_of_moves(),
        switch in prop::sample::select(vec![Switch::On, Switch::Off]),
    ) {
        let moves = Moves::from_slice(&moves);
        back_from_client(&ClientMessage::SetOption { name: &text, value: value.as_deref() });
        back_from_client(&ClientMessage::Position { start: Start::Standard, moves });
        back_from_client(&ClientMessage::Position { start: Start::Fen(&text), moves });
        back_from_client(&ClientMessage::Debug(switch));
        back_from_client(&ClientMessage::Register(Register::Account { name: Some(&text), code: value.as_deref() }));
    }

    #[test]
    fn infos_survive_a_line(
        (depth, selective_depth, multipv) in any::<(Option<u32>, Option<u32>, Option<u32>)>(),
        (nodes, nps, tbhits, sbhits) in any::<(Option<u64>, Option<u64>, Option<u64>, Option<u64>)>(),
        (hashfull, cpuload, current_move_number) in any::<(Option<u32>, Option<u32>, Option<u32>)>(),
        score in prop::option::of(any_score()),
        wdl in any::<Option<(u32, u32, u32)>>(),
        time in prop::option::of(ms()),
        current_move in prop::option::of(any_move()),
        (refuted, processor) in (prop::option::of(any_move()), any::<Option<Option<u32>>>()),
        (line, pv) in (line_of_moves(), line_of_moves()),
        string in prop::option::of(phrase()),
    ) {
        let line = Moves::from_slice(&line);
        back_from_engine(&EngineMessage::Info(Info {
            depth,
            selective_depth,
            multipv,
            score,
            wdl: wdl.map(|(win, draw, loss)| Wdl { win, draw, loss }),
            nodes,
            nps,
            hashfull,
            tbhits,
            sbhits,
            time,
            cpuload,
            current_move,
            current_move_number,
            refutation: refuted.map(|refuted| Refutation { refuted, line }),
            current_line: processor.map(|processor| CurrentLine { processor, line }),
            pv: Moves::from_slice(&pv),
            string: string.as_deref(),
        }));
    }

    #[test]
    fn other_answers_survive_a_line(
        name in phrase(),
        kind in any_kind(),
        best in any_move(),
        ponder in prop::option::of(any_move()),
        state in prop::sample::select(vec![Admission::Checking, Admission::Ok, Admission::Error]),
    ) {
        back_from_engine(&EngineMessage::Id(Id::Name(&name)));
        back_from_engine(&EngineMessage::Id(Id::Author(&name)));
        for best in [BestMove::Move(best), BestMove::None, BestMove::Unreadable("Nf3")] {
            back_from_engine(&EngineMessage::BestMove { best, ponder });
        }
        back_from_engine(&EngineMessage::CopyProtection(state));
        back_from_engine(&EngineMessage::Registration(state));
        back_from_engine(&EngineMessage::Option(OptionDeclaration { name, kind }));
    }
}
