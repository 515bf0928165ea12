//! One table with all awkward contents, in every format.

use std::time::Duration;

use insta::assert_snapshot;
use proptest::prelude::*;
use smalt_report::sanitize::sanitize;
use smalt_report::{Align, Cell, Column, ColumnKind, Interval, Sign, Table};
use unicode_width::UnicodeWidthStr;

fn standings() -> Table {
    let mut table = Table::new([
        Column::new("#", ColumnKind::Integer),
        Column::new("Engine", ColumnKind::Text),
        Column::new("Elo", ColumnKind::Estimate(1, Sign::Both)),
        Column::new("Games", ColumnKind::Integer),
        Column::new("Score", ColumnKind::Percent(1)),
        Column::new("LLR", ColumnKind::Number(2, Sign::Negative)),
        Column::new("Time", ColumnKind::Duration),
        Column::new("Note", ColumnKind::Text).aligned(Align::Right),
    ]);
    let elo = |value, error| Cell::Estimate(value, error);
    table.push([
        1i64.into(),
        "Smalt".into(),
        elo(104.26, Some(12.34)),
        1234567u64.into(),
        0.6543.into(),
        2.946.into(),
        Duration::from_secs(7500).into(),
        "".into(),
    ]);
    table.push([
        2i64.into(),
        "象棋 | \"Pipe\", *star*".into(),
        elo(-4.0, Some(9.9)),
        40u64.into(),
        0.5.into(),
        Cell::Missing,
        Duration::from_millis(35).into(),
        "wide".into(),
    ]);
    table.push([
        3i64.into(),
        "red\u{1b}[31m\r\nRésumé".into(),
        elo(-0.04, None),
        0u64.into(),
        f64::NAN.into(),
        (-1.5).into(),
        Duration::from_secs_f64(4.24).into(),
        "two words".into(),
    ]);
    table.push([Cell::Missing, "short row".into()]);
    table
}

#[test]
fn text_is_aligned() {
    assert_snapshot!(standings().to_text());
}

#[test]
fn markdown_is_escaped() {
    assert_snapshot!(standings().to_markdown());
}

#[test]
fn names_neither_mention_users_nor_link_issues() {
    let check = |name: &str, shown: &str| assert_eq!(smalt_report::markdown::escaped(name), shown);
    check("@admin #12 a@b", "@&#8203;admin #&#8203;12 a@&#8203;b");
    check("a & #1", "a \\& #&#8203;1");
    check("# @ C# 1", "# @ C# 1");
}

#[test]
fn csv_has_the_numbers_themselves() {
    assert_snapshot!(format!("{:?}", standings().to_csv()).replace("\\r\\n", "\\r\\n\n"));
}

#[test]
fn values_end_below_each_other_however_far_they_may_be_off() {
    let mut table = Table::new([Column::new("elo", ColumnKind::Interval(1, Sign::Both))]);
    let mut push = |value, error, low, high| table.push([Interval { value, error, low, high }.into()]);
    push(Some(373.84), None, Some(141.4), Some(603.6));
    push(Some(-54.7), Some(120.04), Some(-174.7), Some(65.3));
    push(Some(5.0), Some(9.0), Some(-4.0), Some(14.0));
    push(None, None, None, Some(-137.2));
    assert_eq!(
        table.to_text(),
        "                elo\n───────────────────\n+373.8 (+141, +604)\n -54.7 ± 120.0\n  +5.0 ±   9.0\n< -137\n"
    );
    assert_eq!(
        table.to_csv(),
        "elo,elo error,elo low,elo high\r\n373.84,,141.4,603.6\r\n-54.7,120.04,-174.7,65.3\r\n5,9,-4,14\r\n,,,-137.2\r\n"
    );
}

#[test]
fn a_table_without_rows_is_its_header() {
    let table = Table::new([
        Column::new("Engine", ColumnKind::Text),
        Column::new("Elo", ColumnKind::Estimate(1, Sign::Both)),
    ]);
    assert!(table.is_empty());
    assert_eq!(table.to_text(), "Engine  Elo\n──────  ───\n");
    assert_eq!(table.to_markdown(), "| Engine | Elo |\n| :-- | --: |\n");
    assert_eq!(table.to_csv(), "Engine,Elo,Elo error\r\n");
}

/// A parser of RFC 4180, written for this test from its grammar.
fn read_csv(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut field) = (Vec::new(), Vec::new(), String::new());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if field.is_empty() => loop {
                match letters.next() {
                    Some('"') if letters.peek() == Some(&'"') => field.extend(letters.next()),
                    Some('"') | None => break,
                    Some(inner) => field.push(inner),
                }
            },
            ',' => row.push(std::mem::take(&mut field)),
            '\r' if letters.peek() == Some(&'\n') => {
                letters.next();
                row.push(std::mem::take(&mut field));
                rows.push(std::mem::take(&mut row));
            }
            other => field.push(other),
        }
    }
    rows
}

proptest! {
    #[test]
    fn any_words_survive_csv_and_keep_tables_straight(words in prop::collection::vec(".*|[,\"\r\n |]{0,6}", 2..9)) {
        let mut table = Table::new([Column::new("A", ColumnKind::Text), Column::new("B", ColumnKind::Text)]);
        for two in words.chunks_exact(2) {
            table.push(two.iter().map(|word| Cell::from(word.as_str())));
        }
        let read = read_csv(&table.to_csv());
        let is_formula =
            |word: &str| word.starts_with(['=', '+', '-', '@', '\t', '\r']) && word.parse::<f64>().is_err();
        let field = |word: &String| {
            let shown = sanitize(word);
            if is_formula(word) { format!("'{shown}") } else { shown }
        };
        let written = words.chunks_exact(2).map(|two| two.iter().map(field).collect::<Vec<_>>());
        prop_assert_eq!(&read[1..], written.collect::<Vec<_>>());
        prop_assert_eq!(table.to_text().lines().count(), 2 + table.len());
        prop_assert_eq!(table.to_markdown().lines().count(), 2 + table.len());
        let text = table.to_text();
        let rule = text.lines().nth(1).expect("the rule").width();
        prop_assert!(text.lines().all(|line| line.width() <= rule));
    }
}

/// A hostile engine name.
/// A right-to-left override turns the rest of a line, and a zero-width space makes two names look alike.
#[test]
fn a_name_changes_no_text_around_it() {
    let mut table = Table::new([Column::new("name", ColumnKind::Text)]);
    table.push(["a\u{202e}b\u{200b}c\u{7f}d".into()]);
    for text in [table.to_text(), table.to_markdown(), table.to_html(), table.to_csv()] {
        assert!(!text.contains(['\u{202e}', '\u{200b}', '\u{7f}']), "{text:?}");
    }
}

const HOSTILE: &str = "=1+1|<img src=x onerror=alert(1)>\"'&amp;\u{1b}\n[a](b)";

fn hostile() -> Table {
    let mut table = Table::new([
        Column::new(HOSTILE, ColumnKind::Text),
        Column::new("n", ColumnKind::Number(1, Sign::Both)),
    ]);
    table.push([HOSTILE.into(), (-1.25).into()]);
    table
}

#[test]
fn no_name_gets_out_of_its_cell() {
    let html = hostile().to_html();
    assert!(!html.contains("<img") && html.contains("&lt;img src=x onerror=alert(1)&gt;"), "{html}");
    assert!(html.contains("<td class=\"number\">-1.2</td>") && html.contains("&amp;amp;"), "{html}");
    let markdown = hostile().to_markdown();
    assert!(markdown.lines().all(|line| line.matches(" | ").count() == 1), "{markdown}");
    assert!(markdown.contains("\\<img") && markdown.contains("\\[a](b)") && markdown.contains("\\&amp;"));
}

#[test]
fn no_text_is_a_formula_in_a_spreadsheet() {
    let csv = hostile().to_csv();
    assert_eq!(csv.matches("\"'=1+1|").count(), 2, "header and cell: {csv}");
    assert!(csv.trim_end().ends_with(",-1.25"), "numbers stay numbers: {csv}");
    let check = |text: &str, expected: &str| assert_eq!(smalt_report::csv::field(text), expected);
    check("plain", "plain");
    check("a \"b\", c", "\"a \"\"b\"\", c\"");
    check("@SUM(A1), x", "\"'@SUM(A1), x\"");
    check("-1+1", "'-1+1");
    check("+0.35", "+0.35");
}

#[test]
fn a_page_asks_for_nothing_and_runs_nothing() {
    let page = smalt_report::html::page("a</title><script>x</script>", "<p>body</p>\n");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<p>body</p>"));
    assert!(page.contains("<title>a&lt;/title&gt;&lt;script&gt;"), "{page}");
    for word in ["<script", "http:", "https:", "src=", "@import", "url("] {
        assert!(!page.contains(word), "{word}");
    }
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn a_reference_leads_somewhere_on_a_page_and_is_a_number_elsewhere() {
    let mut table = Table::new([Column::new("game", ColumnKind::Integer)]);
    table.push([Cell::Reference(1234, "game-\"1234".to_owned())]);
    let cell = "<td class=\"number\"><a href=\"#game-&quot;1234\">1,234</a></td>";
    assert!(table.to_html().contains(cell), "{}", table.to_html());
    assert_eq!(table.to_csv(), "game\r\n1234\r\n");
    assert!(table.to_text().contains("1,234") && table.to_markdown().contains("| 1,234 |"));
}

#[test]
fn leading_columns_follow_the_first() {
    let mut table = Table::new(["a", "b", "c"].map(|header| Column::new(header, ColumnKind::Text)));
    table.push(["1", "2", "3"].map(Cell::from));
    assert_eq!(table.leading(&["c", "none", "a"]).to_csv(), "a,c,b\r\n1,3,2\r\n");
}
