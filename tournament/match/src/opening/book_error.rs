//! Entries of a book that cannot be used, and why a whole book cannot.

use std::io;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SkippedOpening {
    /// Line number, from 1.
    pub line: u64,
    pub reason: String,
}

/// Why a book cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("no usable opening{}", .first.as_ref().map(|first| format!(": line {} {}", first.line, first.reason)).unwrap_or_default())]
    Empty { first: Option<SkippedOpening> },
    /// Invalid Polyglot book, or one without a move for the start position.
    #[error("{0}")]
    Polyglot(String),
    /// The file changed while it was read.
    #[error("it changed while it was read")]
    Changed,
}
