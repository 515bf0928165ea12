//! The interface of a queue for the page: its jobs, and two changes. The routes are in [`super::pages`].

use serde::Deserialize;

/// A job added by the page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct JobForm {
    pub command: String,
    /// Name in lists; if empty, its command.
    pub name: String,
    pub priority: i64,
}

/// A queue, as used by the page. Calls are short; errors are sentences for users.
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

    /// Pauses or resumes a job.
    ///
    /// # Errors
    /// If there is no such job.
    fn set_paused(&self, job: i64, paused: bool) -> Result<(), String>;
}
