//! Lists of points: `c0 "f5=10, Be5+=2"`, or `c8 "10 2"` with the moves in `c9` (coordinates) or `c7` (algebraic).

use smalt_chess::notation::san::SanBody;
use smalt_chess::{Epd, Move, San};

use super::note::Note;

/// Points of a line. Empty without any: a `c0` without `move=points` is a comment.
pub(super) fn read_points(epd: &Epd, notes: &mut Vec<Note>) -> Vec<(Move, u32)> {
    let mut own_notes = Vec::new();
    let named = epd.comment(0).map(|text| split_list(&text, &mut own_notes)).unwrap_or_default();
    if named.iter().any(|(text, _)| San::parse(text).is_ok()) {
        notes.append(&mut own_notes);
        let points = read_list(epd, "c0", &named, notes);
        if !points.is_empty() {
            return points;
        }
    }
    ["c9", "c7"]
        .into_iter()
        .map(|opcode| read_list(epd, opcode, &parallel_lists(epd, opcode, notes), notes))
        .find(|points| !points.is_empty())
        .unwrap_or_default()
}

/// `move=points` items, separated by commas; or by spaces if all items have this form.
fn split_list(text: &str, notes: &mut Vec<Note>) -> Vec<(String, u32)> {
    let items = text.split([',', ';']).map(str::trim).filter(|item| !item.is_empty());
    let mut list = Vec::new();
    for item in items {
        let words: Option<Vec<_>> = item.split_whitespace().map(read_item).collect();
        match words.or_else(|| read_item(item).map(|item| vec![item])) {
            Some(items) => list.extend(items),
            None => notes.push(Note::NoPoints { text: item.to_owned() }),
        }
    }
    list
}

/// `move=points`.
fn read_item(text: &str) -> Option<(String, u32)> {
    let (mv, points) = text.rsplit_once('=')?;
    let mv = mv.trim();
    (!mv.is_empty()).then_some((mv.to_owned(), points.trim().parse().ok()?))
}

/// Moves of one operation and their points in `c8`; empty if there are none. Other content of the operation is no
/// irregularity.
fn parallel_lists(epd: &Epd, opcode: &'static str, notes: &mut Vec<Note>) -> Vec<(String, u32)> {
    let words = |text: Option<String>| -> Vec<String> {
        let text = text.unwrap_or_default();
        text.split([' ', ',']).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let (moves, points) = (words(epd.text(opcode)), words(epd.comment(8)));
    let is_list = !points.is_empty() && moves.iter().any(|word| San::parse(word).is_ok());
    if !is_list {
        return Vec::new();
    }
    if moves.len() != points.len() {
        notes.push(Note::UnequalLists { opcode, moves: moves.len(), points: points.len() });
        return Vec::new();
    }
    let numbers: Result<Vec<u32>, &String> =
        points.iter().map(|word| word.parse().map_err(|_| word)).collect();
    match numbers {
        Ok(numbers) => moves.into_iter().zip(numbers).collect(),
        Err(word) => {
            notes.push(Note::NoNumber { text: word.clone() });
            Vec::new()
        }
    }
}

fn read_list(
    epd: &Epd,
    opcode: &'static str,
    list: &[(String, u32)],
    notes: &mut Vec<Note>,
) -> Vec<(Move, u32)> {
    let mut points: Vec<(Move, u32)> = Vec::new();
    let mut long_form = None;
    for (text, worth) in list {
        let Some((mv, form)) = read_move(text, epd) else {
            notes.push(Note::Unplayable { opcode, text: text.clone() });
            continue;
        };
        if form == Form::Long {
            long_form.get_or_insert_with(|| text.clone());
        }
        match points.iter().find(|(known, _)| *known == mv) {
            Some(&(_, counted)) => {
                notes.push(Note::ListedTwice { text: text.clone(), counted, ignored: *worth });
            }
            None => points.push((mv, *worth)),
        }
    }
    // Coordinates in c9 are regular; a piece letter before both squares is not.
    if let Some(text) = long_form {
        notes.push(Note::LongForm { text });
    }
    points
}

/// Notation of a move.
#[derive(PartialEq, Eq)]
enum Form {
    Short,
    Long,
}

fn read_move(text: &str, epd: &Epd) -> Option<(Move, Form)> {
    let san = San::parse(text).ok()?;
    let mv = san.to_move(&epd.position).ok()?;
    let needed = San::from_move(mv, &epd.position).body;
    let form = match (san.body, needed) {
        (SanBody::Normal(written), SanBody::Normal(needed))
            if text.starts_with(|letter: char| letter.is_ascii_uppercase())
                && written.file.is_some()
                && written.rank.is_some()
                && needed.file.is_none() =>
        {
            Form::Long
        }
        _ => Form::Short,
    };
    Some((mv, form))
}
