//! JSON schemas of the files that the program reads and writes, and the tables of the store as SQL.

use anyhow::Context;
use schemars::schema_for;
use smalt_match::plan::Settings;
use smalt_match::standings::json::ResultsJson;
use smalt_match::store::schema_sql;
use smalt_workbench::entrant::RegistryFile;

use super::events::EventLine;
use super::exit::{OrRefuse, Refusal};
use super::output::{Versioned, print};
use super::webhook::RunEndJson;

/// File formats that have a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum SchemaName {
    /// Plan files
    Plan,
    /// Registries of engines
    Registry,
    /// Results (--json)
    Results,
    /// The POST of the end of a run (--webhook)
    Webhook,
    /// A line of the events of a run (--events)
    Events,
    /// The store, as SQL
    Store,
}

pub(super) fn schema(name: SchemaName) -> Result<(), Refusal> {
    let schema = match name {
        SchemaName::Plan => schema_for!(Settings),
        SchemaName::Registry => schema_for!(RegistryFile),
        SchemaName::Results => schema_for!(Versioned<ResultsJson>),
        SchemaName::Webhook => schema_for!(Versioned<RunEndJson>),
        SchemaName::Events => schema_for!(EventLine),
        SchemaName::Store => return print(&schema_sql().context("describe the store").or_failed()?),
    };
    let text = serde_json::to_string_pretty(&schema).context("write the schema").or_failed()?;
    print(&format!("{text}\n"))
}
