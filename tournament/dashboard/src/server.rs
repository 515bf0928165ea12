//! The HTTP server: accepts connections, with limits and timeouts; [`super::pages`] has the routes.

use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::http::Request;
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::access::{AccessRules, Commands};
use super::connections::{Answering, Connection, ConnectionLimit};
use super::feed::Feed;
use super::write_timeout::WriteTimeout;
use super::{ClientLimits, DashboardError, DashboardSettings, Token, pages};

/// Maximum size of a request's head in bytes.
const REQUEST_LIMIT: usize = 16 * 1024;

/// Time for clients to read the last data at shutdown.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// Pause in accepting when the system is out of descriptors.
const ACCEPT_RETRY_INTERVAL: Duration = Duration::from_millis(100);

/// A bound address before the server starts: early connections wait.
#[derive(Debug)]
pub struct BoundAddress {
    listener: TcpListener,
    address: SocketAddr,
    token: Option<Token>,
}

impl BoundAddress {
    /// Binds an address; port 0 picks a free one. A token is required except on loopback.
    ///
    /// # Errors
    /// If the address cannot be bound, or is reachable from other machines without a token.
    pub fn bind(listen: SocketAddr, token: Option<Token>) -> Result<BoundAddress, DashboardError> {
        if token.is_none() && !listen.ip().is_loopback() {
            return Err(DashboardError::Open(listen));
        }
        let refuse = |source| DashboardError::Listen { address: listen, source };
        let listener = TcpListener::bind(listen).map_err(refuse)?;
        listener.set_nonblocking(true).map_err(refuse)?;
        let address = listener.local_addr().map_err(refuse)?;
        Ok(BoundAddress { listener, address, token })
    }

    pub fn socket(&self) -> SocketAddr {
        self.address
    }

    pub fn token(&self) -> Option<&Token> {
        self.token.as_ref()
    }
}

/// A running server on its own thread. Dropping it stops it within about two seconds.
#[derive(Debug)]
pub(super) struct HttpServer {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

impl HttpServer {
    /// Starts serving the routes returned by `routes` for the access rules.
    ///
    /// # Errors
    /// If the system is out of threads.
    pub(super) fn start(
        bound: BoundAddress,
        hosts: Vec<String>,
        limits: ClientLimits,
        routes: impl FnOnce(AccessRules) -> Router,
    ) -> Result<HttpServer, DashboardError> {
        let BoundAddress { listener, address, token } = bound;
        let connections = ConnectionLimit::new(limits);
        let pages = routes(AccessRules::new(address, token, hosts));
        let (stop, stopped) = watch::channel(false);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(DashboardError::Thread)?;
        let thread = thread::Builder::new().name("page".to_owned()).spawn(move || {
            runtime.block_on(serve(listener, pages, limits, connections, stopped));
            // A change of the queue may wait for git, which ends with a termination signal.
            runtime.shutdown_timeout(CLOSE_TIMEOUT);
        });
        let thread = thread.map_err(DashboardError::Thread)?;
        Ok(HttpServer { address, stop, thread: Some(thread) })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.stop.send(true);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The live page of runs: a server and the feed that reads the stores. Dropping it stops both.
#[derive(Debug)]
pub struct Dashboard {
    feed: Feed,
    server: HttpServer,
}

impl Dashboard {
    /// Starts the server.
    ///
    /// # Errors
    /// If the system is out of threads.
    pub fn start(bound: BoundAddress, settings: DashboardSettings) -> Result<Dashboard, DashboardError> {
        let DashboardSettings { stores, hosts, limits, queue, commands } = settings;
        let commands = commands.filter(|_| bound.token.is_some());
        let (feed, handle) = Feed::start(&stores).map_err(DashboardError::Thread)?;
        let server = HttpServer::start(bound, hosts, limits, |access| {
            let is_changeable = queue.is_some() || commands.is_some();
            let accepted = if is_changeable { Commands::WithToken } else { Commands::Refused };
            pages::router(handle, access.with_commands(accepted), limits, queue, commands)
        })?;
        Ok(Dashboard { feed, server })
    }

    pub fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// Adds a run; runs are numbered in the order of these calls.
    pub fn add(&self, store: &Path) {
        self.feed.add(store);
    }
}

impl Drop for Dashboard {
    fn drop(&mut self) {
        // Followers receive the end before the server stops.
        self.feed.end();
    }
}

/// A response body that marks its connection as idle when written.
struct CountedBody {
    body: Body,
    _answering: Answering,
}

impl HttpBody for CountedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

async fn serve(
    listener: TcpListener,
    pages: Router,
    limits: ClientLimits,
    limit: Arc<ConnectionLimit>,
    mut stopped: watch::Receiver<bool>,
) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    let mut connections = JoinSet::new();
    loop {
        let accept = async {
            let slot = limit.slot().await;
            (slot, listener.accept().await)
        };
        let (slot, accepted) = tokio::select! {
            accepted = accept => accepted,
            _ = stopped.changed() => break,
        };
        match (accepted, slot) {
            (Ok((stream, _)), Some(slot)) => {
                let own = Connection::new(&limit, slot);
                connections.spawn(serve_connection(stream, pages.clone(), limits, own, stopped.clone()));
            }
            _ => tokio::time::sleep(ACCEPT_RETRY_INTERVAL).await,
        }
        while connections.try_join_next().is_some() {}
    }
    let all_gone = async { while connections.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(CLOSE_TIMEOUT, all_gone).await;
}

/// Serves one connection until it closes.
async fn serve_connection(
    stream: TcpStream,
    pages: Router,
    limits: ClientLimits,
    own: Arc<Connection>,
    mut stopped: watch::Receiver<bool>,
) {
    // Without TCP_NODELAY data arrives a little later.
    let _ = stream.set_nodelay(true);
    let io = TokioIo::new(WriteTimeout::new(stream, limits.writing));
    let pages = TowerToHyperService::new(pages);
    let asking = Arc::clone(&own);
    let answer = service_fn(move |request: Request<Incoming>| {
        let answering = asking.answer();
        let response = pages.call(request);
        async move {
            response.await.map(|response| response.map(|body| CountedBody { body, _answering: answering }))
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.reading)
        .max_buf_size(REQUEST_LIMIT)
        .serve_connection(io, answer);
    let mut connection = std::pin::pin!(connection);
    // Errors of clients are ignored.
    tokio::select! {
        _ = connection.as_mut() => {}
        () = own.closed() => {}
        _ = stopped.changed() => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}
