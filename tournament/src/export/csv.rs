//! A line a game, for spreadsheets: RFC 4180 with plain line feeds.

use std::borrow::Cow;

use super::epd::final_position;
use crate::calendar::Moment;
use crate::game::GameRecord;

/// The first line.
pub const CSV_HEADER: &str = "game,pair,round,white,black,result,termination,plies,opening,start_fen,final_fen,started,\
                              seconds,fault_of,fault,fault_words\n";

/// A line with its line feed; games, pairs, rounds and openings count from 1.
pub fn csv_line(record: &GameRecord, names: &[String]) -> String {
    let game = &record.game;
    let fault = record.fault.as_ref();
    let culprit = fault.map_or("", |fault| names[record.entrant(fault.color)].as_str());
    let fields = [
        Cow::from((game.number + 1).to_string()),
        (game.pair + 1).to_string().into(),
        (game.round + 1).to_string().into(),
        quoted(&names[game.white]),
        quoted(&names[game.black]),
        record.outcome.to_string().into(),
        record.termination.name().into(),
        record.plies.len().to_string().into(),
        (game.opening + 1).to_string().into(),
        record.fen.as_deref().unwrap_or_default().into(),
        final_position(record).to_fen().into(),
        Moment::of(record.started).pgn_time().into(),
        format!("{:.6}", record.duration.as_secs_f64()).into(),
        quoted(culprit),
        fault.map_or("", |fault| fault.name.as_str()).into(),
        quoted(fault.map_or("", |fault| fault.words.as_str())),
    ];
    fields.join(",") + "\n"
}

fn quoted(text: &str) -> Cow<'_, str> {
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\"")).into()
    } else {
        text.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_that_would_break_a_line_are_quoted() {
        assert_eq!(quoted("plain"), "plain");
        assert_eq!(quoted("a \"b\", c"), "\"a \"\"b\"\", c\"");
    }
}
