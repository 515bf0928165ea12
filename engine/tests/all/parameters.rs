//! Parameter files: the shipped file equals the embedded one, and files that do not fit the schema are refused with a
//! message.

use smalt::evaluation::schema::{SCHEMA, Term, WEIGHTS, Weight};
use smalt::evaluation::{Parameters, evaluate};
use smalt_chess::Position;

const SHIPPED: &str = include_str!("../../params/evaluation.toml");

/// Replaces the value of a key, which has its own lines.
fn with(group: &str, key: &str, value: &str) -> String {
    let table = SHIPPED.find(&format!("\n[{group}]")).expect("the group is in the file");
    let start = table + SHIPPED[table..].find(&format!("\n{key} = ")).expect("the key is in the group") + 1;
    let rest = &SHIPPED[start..];
    let end = start + rest.find("\n\n").unwrap_or(rest.len());
    format!("{}{value}{}", &SHIPPED[..start], &SHIPPED[end..])
}

/// Checks the error message of a file, without its line.
#[track_caller]
fn check_refusal(text: &str, expected: &str) {
    let message = Parameters::parse_toml(text).expect_err("the file is refused").to_string();
    let message = match message.strip_prefix("line ").and_then(|message| message.split_once(": ")) {
        Some((line, message)) => {
            let line: usize = line.parse().expect("a line is a number");
            assert!(line <= text.lines().count());
            message
        }
        None => &message,
    };
    assert_eq!(message, expected);
}

#[test]
fn the_shipped_file_is_embedded() {
    assert_eq!(&Parameters::parse_toml(SHIPPED).unwrap(), Parameters::embedded());
    assert_eq!(Parameters::embedded().tenths().count(), WEIGHTS);
}

#[test]
fn a_changed_number_changes_the_evaluation() {
    let changed = Parameters::parse_toml(&with("endgame", "tempo", "tempo = [123, -4]")).unwrap();
    let tempo: Weight = Term::Tempo.first();
    assert_eq!((changed.get(tempo).middlegame(), changed.get(tempo).endgame()), (1230, -40));
    assert_eq!(evaluate(&Position::start(), &changed), 123);
    let changed = Parameters::parse_toml(&with("endgame", "tempo", "tempo = [12.3, -0.4]")).unwrap();
    assert_eq!((changed.get(tempo).middlegame(), changed.get(tempo).endgame()), (123, -4));
    assert_eq!(evaluate(&Position::start(), &changed), 12);
}

#[test]
fn board_tables_begin_with_the_eighth_rank() {
    let row = "[1, 1], ".repeat(8);
    let rest = "[0, 0], ".repeat(56);
    let text = with("squares", "rook", &format!("rook = [{row}{rest}]"));
    let changed = Parameters::parse_toml(&text).unwrap();
    let numbers: Vec<_> = changed.tenths().collect();
    assert_eq!(numbers[Term::SquareRook.start() + 7], [10, 10]);
    let base =
        Parameters::parse_toml(&with("squares", "rook", &format!("rook = [{}]", "[0, 0], ".repeat(64))));
    let [on_eighth, on_first] = ["R6k/5K2/8/8/8/8/8/8 w - - 0 1", "7k/5K2/8/8/8/8/8/R7 w - - 0 1"];
    let gain = |fen: &str| {
        let position = Position::from_fen(fen);
        position.map(|position| evaluate(&position, &changed) - evaluate(&position, base.as_ref().unwrap()))
    };
    assert_eq!(gain(on_first).unwrap(), 0);
    // The side not to move may not be in check, so Black is to move there.
    assert_eq!(gain(&on_eighth.replace(" w ", " b ")).unwrap(), -1);
}

#[test]
fn files_that_do_not_fit_the_schema_are_refused() {
    check_refusal("", "expected `format = 1`, found none");
    check_refusal("format = 2", "expected `format = 1`, found 2");
    check_refusal("format = 1", "missing material.pawn");
    check_refusal(
        &with("mobility", "knight", "knight = [[1, 2], [3, 4]]"),
        "mobility.knight: expected 9 pairs, found 2",
    );
    check_refusal(
        &with("mobility", "knight", "knight = 7"),
        "mobility.knight: expected a list, found integer",
    );
    check_refusal(&with("endgame", "tempo", ""), "missing endgame.tempo");
    check_refusal(&with("endgame", "tempo", "tempi = [1, 2]"), "unknown key endgame.tempi");
    check_refusal(
        &with("endgame", "tempo", "tempo = [0.10000001, 2]"),
        "endgame.tempo: expected a number with at most one decimal, found more decimals",
    );
    check_refusal(
        &with("endgame", "tempo", "tempo = [\"1\", 2]"),
        "endgame.tempo: expected a number with at most one decimal, found string",
    );
    check_refusal(
        &with("endgame", "tempo", "tempo = [1, 2, 3]"),
        "endgame.tempo: expected a pair [mg, eg], found more values",
    );
    check_refusal(&format!("{SHIPPED}\n[extras]\n"), "unknown table extras");
}

#[test]
fn numbers_beyond_the_limit_are_refused() {
    for number in ["30001", "-30000.1", "99999999999999999999", "inf", "nan"] {
        let text = with("material", "queen", &format!("queen = [{number}, 0]"));
        check_refusal(&text, &format!("material.queen: {number} is beyond ±30000"));
    }
    let squares = SHIPPED.find("[squares]").expect("the table is there");
    let (before, after) = SHIPPED.split_at(squares);
    let text = format!("{before}{}", after.replacen("    [0, ", "    [190.1, ", 1));
    check_refusal(&text, "squares.pawn: 190.1 is beyond ±190");
    for number in ["30000", "-30000.0", "0x10", "1_000", "+5", "1_000.5", "2e2", "-0.3"] {
        let text = with("material", "queen", &format!("queen = [{number}, 0]"));
        assert!(Parameters::parse_toml(&text).is_ok(), "{number}");
    }
}

#[test]
fn broken_toml_is_refused_with_its_line() {
    let message = Parameters::parse_toml("format = 1\n\n[material\n").unwrap_err().to_string();
    assert!(message.starts_with("line 3: "), "{message}");
}

#[test]
fn names_are_unique_and_groups_stand_together() {
    let mut groups: Vec<&str> = SCHEMA.iter().map(|entry| entry.group).collect();
    groups.dedup();
    let mut distinct = groups.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(groups.len(), distinct.len());
    let mut names: Vec<_> = SCHEMA.iter().map(|entry| (entry.group, entry.name)).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), SCHEMA.len());
}
