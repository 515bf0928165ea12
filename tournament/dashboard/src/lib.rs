//! The live page: an HTTP server on its own thread that shows runs in browsers, in progress and finished.
//!
//! It only reads, but for a queue whose daemon serves it ([`queue_page`]), and for what those with a token may change
//! ([`commands`]): finished games from the store ([`run`]), games in progress from the live file that the
//! runner writes while someone watches ([`crate::live`]). One thread, the [`feed`], reads and answers;
//! another, with tokio, serves HTTP ([`server`], [`connections`], [`pages`], [`stream`]), so that a page
//! costs the same for one browser or fifty. [`access`] decides who may read.

mod access;
mod addresses;
mod assets;
mod board;
mod clock_use;
mod commands;
mod connections;
mod feed;
mod game;
mod game_list;
mod gate;
mod live;
mod pages;
pub mod play;
mod queue_page;
mod run;
mod server;
mod stream;
mod token;
mod write_timeout;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub use addresses::addresses;
pub use commands::{PageCommands, RunControl};
pub use live::{LiveBoard, Publisher};
pub use queue_page::{JobForm, QueuePage};
pub use server::{BoundAddress, Dashboard};
pub use token::{Token, TokenError};

/// Settings of the server.
#[derive(Clone)]
pub struct DashboardSettings {
    /// Stores of the runs, in the order of the list.
    pub stores: Vec<PathBuf>,
    /// Host names of the server besides its addresses; requests with other names are refused.
    pub hosts: Vec<String>,
    pub limits: ClientLimits,
    /// The queue that the page shows and changes. It needs a token.
    pub queue: Option<Arc<dyn QueuePage>>,
    /// What the page may change of its runs. It needs a token.
    pub commands: Option<PageCommands>,
}

#[derive(Clone, Copy, Debug)]
pub struct ClientLimits {
    /// Open connections. When all are taken, the longest idle one is closed, one without a token first; if
    /// none is idle, new ones wait.
    pub connections: usize,
    /// Grace period of an idle connection.
    pub grace: Duration,
    /// Followers of runs; further ones are refused.
    pub followers: usize,
    /// Timeout of reading a request, and of an idle connection.
    pub reading: Duration,
    /// Timeout of writing to a client.
    pub writing: Duration,
}

impl Default for ClientLimits {
    fn default() -> ClientLimits {
        ClientLimits {
            connections: 256,
            grace: Duration::from_secs(2),
            followers: 128,
            reading: Duration::from_secs(15),
            writing: Duration::from_secs(15),
        }
    }
}

/// Why the server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum DashboardError {
    /// The address cannot be bound.
    #[error("listen on {address}: {source}")]
    Listen { address: SocketAddr, source: std::io::Error },
    /// Other machines can reach the address, and no token is set.
    #[error("listen on {0}: other machines can reach it, so that a token is needed")]
    Open(SocketAddr),
    /// The system cannot start a thread.
    #[error("start a thread: {0}")]
    Thread(std::io::Error),
}
