//! `grade`: scores a list of moves.

use std::path::Path;

use anyhow::Context;
use smalt_chess::notation::encoding::decode;

use super::arguments::GradeFlags;
use super::exit::{Exit, OrRefuse, Refusal};
use super::output::is_standard_output;
use super::results::ResultList;
use super::{intent, output};
use crate::grade::MoveList;
use crate::record::Record;
use smalt_workbench::input::{MAX_INPUT, read_all};

pub(super) fn grade(flags: &GradeFlags) -> Result<Exit, Refusal> {
    let suite = intent::suite(&flags.suite)?;
    let (bytes, file) = if is_standard_output(&flags.moves) {
        let read = read_all(std::io::stdin(), MAX_INPUT);
        let bytes = read.context("failed to read standard input").or_usage()?;
        (bytes, "standard input".to_owned())
    } else {
        (output::read(&flags.moves)?, flags.moves.display().to_string())
    };
    let list = MoveList::parse(&decode(&bytes), &file, &suite);
    for line in &list.refused {
        output::print_info(&format!("skipped: {line}"));
    }
    let name = flags.name.clone().unwrap_or_else(|| match flags.moves.file_stem() {
        Some(stem) if !is_standard_output(&flags.moves) => stem.to_string_lossy().into_owned(),
        _ => "moves".to_owned(),
    });
    let mut results =
        ResultList::new(&flags.output, [Path::new(&flags.suite), &flags.moves], Vec::new(), None)?;
    results.add(&suite, Record::from_moves(&suite, &name, &list))?;
    results.end_suite(&suite)?;
    results.finish()?;
    let is_whole = list.refused.is_empty() && results.unanswered() == 0;
    Ok(intent::exit_of(&suite).max(if is_whole { Exit::Done } else { Exit::Skipped }))
}
