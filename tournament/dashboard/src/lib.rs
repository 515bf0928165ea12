//! The live page: an HTTP server on its own thread that shows runs in browsers, in progress and finished.
//!
//! It reads finished games from the store and games in progress from the live file that the runner writes while a page
//! is open; it changes only a queue and what `commands` allows with a token. One thread reads and answers; another, with
//! tokio, serves HTTP, so that fifty browsers cost as much as one. Modules in reading order:
//!
//! - `run`, `game`, `game_list`, `clock_use`: one run, its games and the time they took, from its store;
//! - `live`, `board`: games in progress, and their boards as JSON;
//! - `feed`: the thread that reads stores and live boards while a page follows them;
//! - `queue_page`, `commands`: changes of a queue, and commands to a run;
//! - `addresses`, `token`, `access`: addresses of a server, its token, and the access rules;
//! - `assets`, `gate`: embedded files, and security headers;
//! - `page_json`: JSON whose texts are safe to show;
//! - `pages`, `stream`: routes, and server-sent events;
//! - `connections`, `write_timeout`, `server`: limits of connections, timeouts, and the HTTP server;
//! - [`play`]: the page on which a human plays.

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
mod page_json;
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
pub use commands::{PageCommands, PlayOnForm, RunControl};
pub use live::{LiveBoard, Publisher};
pub use page_json::to_page_json;
pub use queue_page::{JobForm, QueuePage};
pub use server::{BoundAddress, Dashboard};
pub use token::{Token, TokenError};

/// Settings of the server.
#[derive(Clone)]
pub struct DashboardSettings {
    /// Stores of the runs, in list order.
    pub stores: Vec<PathBuf>,
    /// Host names of the server besides its addresses; requests with other names are refused.
    pub hosts: Vec<String>,
    pub limits: ClientLimits,
    /// Queue shown and changed by the page; requires a token.
    pub queue: Option<Arc<dyn QueuePage>>,
    /// Changes allowed to the page; requires a token.
    pub commands: Option<PageCommands>,
}

#[derive(Clone, Copy, Debug)]
pub struct ClientLimits {
    /// Maximum number of connections. At the limit idle ones are closed after the grace period; if none is idle, new
    /// ones wait.
    pub connections: usize,
    /// Grace period of an idle connection.
    pub grace: Duration,
    /// Maximum number of followers of runs; further ones are refused.
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
    /// The address is reachable from other machines, and no token is set.
    #[error("listen on {0}: other machines can reach it, so that a token is needed")]
    Open(SocketAddr),
    /// The system cannot start a thread.
    #[error("start a thread: {0}")]
    Thread(std::io::Error),
}
