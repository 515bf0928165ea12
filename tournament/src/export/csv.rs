//! CSV export, one line per game: RFC 4180 with plain line feeds.

use smalt_report::csv::field;

use super::final_position;
use smalt_match::game::GameRecord;
use smalt_workbench::calendar::UtcTime;

pub(crate) const CSV_HEADER: &str = "game,pair,round,white,black,result,termination,plies,opening,start_fen,final_fen,started,\
                              seconds,fault_of,fault,fault_words\n";

/// One line with its line feed; games, pairs, rounds and openings are numbered from 1.
pub(crate) fn csv_line(record: &GameRecord, names: &[String]) -> String {
    let game = &record.game;
    let fault = record.fault.as_ref();
    let culprit = fault.map_or("", |fault| names[record.entrant(fault.color)].as_str());
    let fields = [
        (game.number + 1).to_string(),
        (game.pair + 1).to_string(),
        (game.round + 1).to_string(),
        field(&names[game.white]),
        field(&names[game.black]),
        record.outcome.to_string(),
        record.termination.name().to_owned(),
        record.plies.len().to_string(),
        (game.opening + 1).to_string(),
        record.fen.clone().unwrap_or_default(),
        final_position(record).to_fen(),
        UtcTime::of(record.started).pgn_time(),
        super::seconds(record.duration).to_string(),
        field(culprit),
        field(fault.map_or("", |fault| fault.name.as_str())),
        field(fault.map_or("", |fault| fault.words.as_str())),
    ];
    fields.join(",") + "\n"
}
