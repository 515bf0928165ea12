//! The live page: a server on a thread of its own that shows runs to browsers while they are played, and afterwards.
//!
//! It reads snapshots and changes nothing: finished games from the store ([`run`]), games being played from the file that
//! the runner writes while somebody looks ([`crate::live`]). One thread, the [`feed`], reads and answers; another, with
//! tokio, speaks HTTP ([`server`], [`connections`], [`pages`], [`stream`]) and hands out what the feed has made, so that a page costs the
//! same whether one looks or fifty. Who may look is decided in [`access`]. The only part that knows HTTP; it knows no
//! flags, and prints nothing.

mod access;
mod addresses;
mod assets;
mod board;
mod clock_use;
mod connections;
mod feed;
mod game;
mod game_list;
pub mod live;
mod pages;
mod run;
mod server;
mod stream;
mod token;
mod write_timeout;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

pub use addresses::addresses;
pub use server::{BoundAddress, Dashboard};
pub use token::{Token, TokenError};

/// What is shown, and by which names.
#[derive(Clone, Debug)]
pub struct DashboardSettings {
    /// The stores of the runs, in the order in which they are listed.
    pub stores: Vec<PathBuf>,
    /// Names under which the server may be called, besides its addresses: browsers of pages that call it by other names
    /// are turned away.
    pub hosts: Vec<String>,
    /// How much clients may ask for.
    pub limits: ClientLimits,
}

/// How much clients may ask for, and how long they may take.
#[derive(Clone, Copy, Debug)]
pub struct ClientLimits {
    /// Connections at the same time. When all are taken the longest idle is closed, so that there is room for the next, one
    /// that has not shown the token first; where none is idle, further ones wait.
    pub connections: usize,
    /// How long a connection may be idle before it gives way to another.
    pub grace: Duration,
    /// Clients that follow a run at the same time; further ones are refused.
    pub followers: usize,
    /// How long a request may take to arrive, and a connection be idle.
    pub reading: Duration,
    /// How long a client may read nothing of what is written to it.
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

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub enum DashboardError {
    /// The address is taken, or not ours.
    #[error("listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
    /// Others can reach the address, and would see everything.
    #[error("listen on {0}: other machines can reach it, so that a token is needed")]
    Open(SocketAddr),
    /// The system has no more threads.
    #[error("start a thread: {0}")]
    Thread(std::io::Error),
}
