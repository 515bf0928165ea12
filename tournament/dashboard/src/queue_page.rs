//! What the page needs of a queue: its jobs, and the two changes that it offers. The routes are in [`super::pages`].

use serde::Deserialize;

/// A job as the page adds it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct JobForm {
    pub command: String,
    /// How it is listed; empty: its command.
    pub name: String,
    pub priority: i64,
}

/// A queue, for the page. Calls are short; errors are sentences for users.
pub trait QueuePage: Send + Sync {
    /// All jobs as JSON.
    ///
    /// # Errors
    /// If they cannot be read.
    fn jobs(&self) -> Result<String, String>;

    /// Adds a job.
    ///
    /// # Errors
    /// If it cannot be queued.
    fn add(&self, job: &JobForm) -> Result<(), String>;

    /// Pauses a job, or resumes it.
    ///
    /// # Errors
    /// If there is no such job.
    fn set_paused(&self, job: i64, paused: bool) -> Result<(), String>;
}
