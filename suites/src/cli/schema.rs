//! `schema`: JSON schemas of the files that the program writes.

use smalt_workbench::json::{Versioned, schema_text};

use super::exit::Refusal;
use super::output::print;
use crate::compare::Comparison;
use crate::history::History;
use crate::record::Record;

/// JSON files that have a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum SchemaName {
    /// Results (score --json, grade --json): one engine on one suite; several are a list
    Results,
    /// Comparisons (compare --json)
    Comparisons,
    /// History of builds (history --json)
    History,
}

pub(super) fn schema(name: SchemaName) -> Result<(), Refusal> {
    print(&match name {
        SchemaName::Results => schema_text::<Record>(),
        SchemaName::Comparisons => schema_text::<Vec<Versioned<Comparison>>>(),
        SchemaName::History => schema_text::<Versioned<History>>(),
    })
}
