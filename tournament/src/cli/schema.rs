//! JSON schemas of the files that the program reads and writes, and the tables of the store as SQL.

use anyhow::Context;
use smalt_match::plan::Settings;
use smalt_match::standings::json::ResultsJson;
use smalt_match::store::{VIEWS, schema_sql};
use smalt_workbench::entrant::RegistryFile;
use smalt_workbench::json::{Versioned, schema_text};

use super::elo::EloJson;
use super::engines::EngineList;
use super::events::EventLine;
use super::exit::{OrRefuse, Refusal};
use super::output::print;
use super::queue::Jobs;
use super::status::StatusJson;
use super::webhook::RunEndJson;
use crate::check::CheckReport;
use crate::export::JsonGame;
use crate::ratings::json::RatingListJson;

/// File formats that have a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum SchemaName {
    /// Plan files
    Plan,
    /// Registries of engines
    Registry,
    /// Results (--json)
    Results,
    /// Status of a run (status --json)
    Status,
    /// Rating list (ratings --json)
    Ratings,
    /// Statistics of given results (elo --json)
    Elo,
    /// A game of an export (export --format json or jsonl)
    Games,
    /// Engines of the registry (engines --json)
    Engines,
    /// Findings on an engine (check --json)
    Check,
    /// Jobs of a queue (queue list --json)
    Queue,
    /// The POST of the end of a run (--webhook)
    Webhook,
    /// A line of the events of a run (--events)
    Events,
    /// The store, as SQL
    Store,
    /// Views for queries of a store, as SQL: sqlite3 -readonly -init views.sql run.db
    Views,
}

pub(super) fn schema(name: SchemaName) -> Result<(), Refusal> {
    print(&match name {
        SchemaName::Plan => schema_text::<Settings>(),
        SchemaName::Registry => schema_text::<RegistryFile>(),
        SchemaName::Results => schema_text::<Versioned<ResultsJson>>(),
        SchemaName::Status => schema_text::<Versioned<StatusJson<'_>>>(),
        SchemaName::Ratings => schema_text::<Versioned<RatingListJson>>(),
        SchemaName::Elo => schema_text::<Versioned<EloJson>>(),
        SchemaName::Games => schema_text::<Versioned<JsonGame<'_>>>(),
        SchemaName::Engines => schema_text::<Versioned<EngineList>>(),
        SchemaName::Check => schema_text::<Versioned<CheckReport>>(),
        SchemaName::Queue => schema_text::<Versioned<Jobs<'_>>>(),
        SchemaName::Webhook => schema_text::<Versioned<RunEndJson>>(),
        SchemaName::Events => schema_text::<EventLine>(),
        SchemaName::Views => VIEWS.to_owned(),
        SchemaName::Store => schema_sql().context("describe the store").or_failed()?,
    })
}
