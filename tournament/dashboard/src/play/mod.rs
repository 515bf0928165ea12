//! The play page: a human plays an engine in the browser, or analyzes with it.
//!
//! One thread, the [`session`], owns the engine ([`opponent`]) and the game ([`game`]); pages send it commands
//! ([`command`]) and follow its state ([`snapshot`]), so that a reloaded page continues where it was. Access rules,
//! limits and files are those of the live page.

mod command;
mod game;
mod opponent;
mod pgn;
mod random;
mod routes;
mod session;
mod snapshot;
mod thinking;
mod view;

pub use command::{ColorChoice, NewGame, NewGameError, StartPosition};
pub use opponent::EngineSetup;

use crate::server::HttpServer;
use crate::{BoundAddress, ClientLimits, DashboardError};
use session::PlaySession;

/// Settings of the play page.
#[derive(Clone, Debug)]
pub struct PlaySettings {
    pub engine: EngineSetup,
    pub game: NewGame,
    /// Host names of the server besides its addresses; requests with other names are refused.
    pub hosts: Vec<String>,
    pub limits: ClientLimits,
}

/// Why the play page cannot start.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    #[error(transparent)]
    Server(#[from] DashboardError),
    /// The engine cannot be started or set up.
    #[error("{0}")]
    Engine(String),
    #[error(transparent)]
    Game(#[from] NewGameError),
}

/// A running play page. Drop ends the engine and the server.
#[derive(Debug)]
pub struct PlayServer {
    session: PlaySession,
    _server: HttpServer,
}

impl PlayServer {
    /// Starts the engine, then the server.
    ///
    /// # Errors
    /// If the engine or the first game cannot be set up, or the system is out of threads.
    pub fn start(bound: BoundAddress, settings: PlaySettings) -> Result<PlayServer, PlayError> {
        let PlaySettings { engine, game, hosts, limits } = settings;
        let (session, handle) = PlaySession::start(engine, &game)?;
        let server =
            HttpServer::start(bound, hosts, limits, |access| routes::router(handle, access, limits))?;
        Ok(PlayServer { session, _server: server })
    }
}

impl Drop for PlayServer {
    fn drop(&mut self) {
        // Followers receive the end before the server stops.
        self.session.end();
    }
}
