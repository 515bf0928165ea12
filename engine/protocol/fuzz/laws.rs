//! The properties that the fuzz targets check, one function per protocol: parsing never panics, and a message prints on
//! one line that parses to the same message. `cargo test` replays the corpus.

use smalt_chess::notation::encoding;
use smalt_chess::{CastlingMode, Position};
use smalt_protocol::xboard::{declare_option, moves, parse_option};
use smalt_protocol::{TimeControl, uci, xboard};

/// UCI messages in both directions, and time controls.
pub(crate) fn uci(bytes: &[u8]) {
    for line in encoding::decode(bytes).split('\n') {
        let message = uci::EngineMessage::parse(line);
        let printed = print(&message);
        assert_eq!(uci::EngineMessage::parse(&printed), message);
        let message = uci::ClientMessage::parse(line);
        let printed = print(&message);
        assert_eq!(uci::ClientMessage::parse(&printed), message);
        if let Ok(control) = TimeControl::parse(line) {
            assert_eq!(TimeControl::parse(&control.to_string()), Ok(control));
        }
    }
}

/// xboard messages in both directions, options, and moves of thinking lines.
pub(crate) fn xboard(bytes: &[u8]) {
    let start = Position::start();
    for line in encoding::decode(bytes).split('\n') {
        let message = xboard::EngineMessage::parse(line);
        let printed = print(&message);
        assert_eq!(xboard::EngineMessage::parse(&printed), message);
        let message = xboard::ClientMessage::parse(line);
        let printed = print(&message);
        assert_eq!(xboard::ClientMessage::parse(&printed), message);
        if let Some(option) = parse_option(line) {
            assert!(!declare_option(&option).contains('\n'));
        }
        assert!(moves::parse_line(line, &start, CastlingMode::Standard).len() <= line.len());
    }
}

fn print(message: &impl std::fmt::Display) -> String {
    let printed = message.to_string();
    assert!(!printed.contains(['\n', '\r']), "{printed:?}");
    printed
}
