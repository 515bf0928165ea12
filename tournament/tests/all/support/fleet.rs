//! A NATS server with coordinators and workers.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicI64, AtomicU8, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::{Place, finish, scripted_program, signal, wait_until};

/// A separate server with its store in the test's folder; killed on drop.
pub(crate) struct Server {
    pub(crate) port: u16,
    arguments: Vec<String>,
    child: Child,
}

impl Server {
    pub(crate) fn start(place: &Place, more: &[&str]) -> Server {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let words = |text: &str| place.path(text).to_str().unwrap().to_owned();
        let mut arguments: Vec<String> = ["-js", "-a", "127.0.0.1"].map(str::to_owned).into();
        arguments.extend(["-p".to_owned(), port.to_string(), "-sd".to_owned(), words("js")]);
        arguments.extend(["-l".to_owned(), words("nats.log")]);
        arguments.extend(more.iter().map(|word| word.to_string()));
        let child = Self::spawn(&arguments);
        let server = Server { port, arguments, child };
        server.await_there();
        server
    }

    fn spawn(arguments: &[String]) -> Child {
        // Debian's path, which is not in every user's PATH.
        let path = format!("{}:/usr/sbin", std::env::var("PATH").unwrap_or_default());
        let mut command = smalt_testing::process::command("nats-server");
        command.args(arguments).env("PATH", path).stdin(Stdio::null()).stdout(Stdio::null());
        command.stderr(Stdio::null()).spawn().expect("nats-server should be installed")
    }

    fn await_there(&self) {
        wait_until("the server", || TcpStream::connect(("127.0.0.1", self.port)).is_ok());
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub(crate) fn come_back(&mut self) {
        self.child = Self::spawn(&self.arguments);
        self.await_there();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// State of a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Network {
    Up = 0,
    /// Nothing arrives, without an error.
    Silent = 1,
    /// Connections are closed, and new ones refused.
    Cut = 2,
}

/// A proxy to a server whose connections can fail and recover.
pub(crate) struct Proxy {
    port: u16,
    network: Arc<AtomicU8>,
    /// Bytes after which the network is silent.
    left: Arc<AtomicI64>,
    streams: Arc<Mutex<Vec<TcpStream>>>,
}

impl Proxy {
    /// A proxy to a local server.
    pub(crate) fn start(server: u16) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let left = Arc::new(AtomicI64::new(i64::MAX));
        let proxy = Proxy { port, network: Arc::default(), left, streams: Arc::default() };
        let (network, streams) = (Arc::clone(&proxy.network), Arc::clone(&proxy.streams));
        let left = Arc::clone(&proxy.left);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if network.load(Ordering::SeqCst) == Network::Cut as u8 {
                    continue;
                }
                let Ok(target) = TcpStream::connect(("127.0.0.1", server)) else { continue };
                for [from, to] in [[&client, &target], [&target, &client]] {
                    let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    let (network, left) = (Arc::clone(&network), Arc::clone(&left));
                    std::thread::spawn(move || pump(from, to, &network, &left));
                }
                streams.lock().unwrap().extend([client, target]);
            }
        });
        proxy
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Lets this number of bytes pass; then the network is silent.
    pub(crate) fn limit(&self, bytes: i64) {
        self.left.store(bytes, Ordering::SeqCst);
    }

    /// Waits until the bytes of [`Proxy::limit`] have passed.
    pub(crate) fn await_silence(&self) {
        wait_until("a silent network", || self.network.load(Ordering::SeqCst) == Network::Silent as u8);
    }

    pub(crate) fn turn(&self, network: Network) {
        self.network.store(network as u8, Ordering::SeqCst);
        if network == Network::Cut {
            for stream in self.streams.lock().unwrap().drain(..) {
                let _ = stream.shutdown(Shutdown::Both);
            }
        }
    }
}

/// Forwards bytes; on a silent network they wait, like TCP retransmissions.
fn pump(mut from: TcpStream, mut to: TcpStream, network: &AtomicU8, left: &AtomicI64) {
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        let before = left.fetch_sub(count as i64, Ordering::SeqCst);
        if (0..count as i64).contains(&before) {
            network.store(Network::Silent as u8, Ordering::SeqCst);
        }
        while network.load(Ordering::SeqCst) == Network::Silent as u8 {
            std::thread::sleep(Duration::from_millis(5));
        }
        if to.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}

/// Registers the engines of all workers: one program, with different arguments.
pub(crate) fn write_engines(place: &Place, think: &str) {
    let engine = |name: &str, arguments: &str| {
        format!(
            "[[engine]]\nname = \"{name}\"\ncmd = \"{}\"\nargs = [\"--name\", \"{name}\", {arguments}]\n",
            scripted_program()
        )
    };
    let first = engine("first", &format!("\"--seed\", \"1\", \"--think\", \"{think}\""));
    let second = engine("second", "\"--seed\", \"2\", \"--info-lines\", \"1\"");
    place.write("engines.toml", &format!("{first}{second}"));
}

/// Replaces the engines' program with a shell script, which finds it as `$ENGINE`.
pub(crate) fn wrap_engines(place: &Place, script: &str) {
    let engines = place.read("engines.toml");
    let wrapper = place.path("wrapper");
    let script = format!("#!/bin/sh\nENGINE={}\n{script}\n", scripted_program());
    smalt_testing::process::write_script(&wrapper, &script);
    place.write("engines.toml", &engines.replace(&scripted_program(), wrapper.to_str().unwrap()));
}

/// Waits until a file of this name exists.
pub(crate) fn await_file(place: &Place, name: &str) {
    wait_until(name, || place.path(name).exists());
}

/// A match of the two engines with this number of games.
pub(crate) fn matched<'a>(games: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec!["match", "--engine", "first", "--engine", "second", "--engines", "engines.toml"];
    arguments
        .extend(["--depth", "1", "--maxmoves", "60", "--seed", "7", "--store", "run.db", "--games", games]);
    arguments.extend(more);
    arguments
}

pub(crate) fn over<'a>(url: &'a str, games: &'a str) -> Vec<&'a str> {
    matched(games, &["--nats", url, "--lease", "1"])
}

/// A worker without a speed measurement.
pub(crate) fn worker(place: &Place, url: &str, name: &str) -> Child {
    let arguments = ["worker", "--nats", url, "--engines", "engines.toml", "--name", name];
    place.start(&[&arguments[..], &["--concurrency", "1", "--speed", "1000000"]].concat())
}

pub(crate) fn dismiss(workers: impl IntoIterator<Item = Child>) {
    for worker in workers {
        signal(worker.id(), "-INT");
        finish(worker, 130);
    }
}
