//! A page server of the program, and requests.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Stdio};
use std::time::Instant;

use serde_json::Value;

use super::{LONG, Place};

pub(crate) struct HttpResponse {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl HttpResponse {
    pub(crate) fn read(stream: &mut impl Read) -> HttpResponse {
        let mut text = Vec::new();
        stream.read_to_end(&mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        HttpResponse { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

pub(crate) fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(LONG)).unwrap();
    stream.set_write_timeout(Some(LONG)).unwrap();
    stream
}

/// Sends this request, with converted line ends and `Connection: close`.
pub(crate) fn request(address: SocketAddr, text: &str) -> HttpResponse {
    let mut stream = connect(address);
    let text = text.replace('\n', "\r\n");
    stream.write_all(format!("{text}\r\nConnection: close\r\n\r\n").as_bytes()).unwrap();
    HttpResponse::read(&mut stream)
}

/// Sends a request with a body; the head ends without a line break.
pub(crate) fn request_with_body(address: SocketAddr, head: &str, body: &str) -> HttpResponse {
    let mut stream = connect(address);
    let head = head.replace('\n', "\r\n");
    stream.write_all(format!("{head}\r\nConnection: close\r\n\r\n{body}").as_bytes()).unwrap();
    HttpResponse::read(&mut stream)
}

pub(crate) fn get(address: SocketAddr, path: &str) -> HttpResponse {
    request(address, &format!("GET {path} HTTP/1.1\nHost: {address}"))
}

/// Posts JSON, like the page.
pub(crate) fn post(address: SocketAddr, path: &str, body: &Value) -> HttpResponse {
    let body = body.to_string();
    let mut stream = connect(address);
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    HttpResponse::read(&mut stream)
}

/// Follows the events of a page.
pub(crate) fn follow(address: SocketAddr, path: &str) -> BufReader<TcpStream> {
    let mut stream = connect(address);
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n").unwrap();
    BufReader::new(stream)
}

/// Reads events until one of this name satisfies `wanted`. Panics after [`LONG`]: a page sends signs of life for ever.
pub(crate) fn await_event(stream: &mut impl BufRead, name: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    let (begun, mut current, mut last) = (Instant::now(), String::new(), Value::Null);
    loop {
        let mut line = String::new();
        assert!(begun.elapsed() < LONG, "no wanted {name} event; the last one: {last}");
        assert!(stream.read_line(&mut line).unwrap() > 0, "the stream ended");
        if let Some(event) = line.strip_prefix("event: ") {
            event.trim().clone_into(&mut current);
        } else if let Some(data) = line.strip_prefix("data: ")
            && current == name
        {
            last = serde_json::from_str(data).unwrap();
            if wanted(&last) {
                return last;
            }
        }
    }
}

/// A server process, ended on drop.
pub(crate) struct Served {
    pub(crate) child: Child,
    pub(crate) address: SocketAddr,
    pub(crate) url: String,
}

impl Served {
    pub(crate) fn start(place: &Place, arguments: &[&str]) -> Served {
        Served::of_command(place, &[&["serve"], arguments].concat())
    }

    /// Runs any command that prints its address first.
    pub(crate) fn of_command(place: &Place, arguments: &[&str]) -> Served {
        let mut child = place.command(arguments).stderr(Stdio::null()).spawn().unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
        let address = url.trim().trim_start_matches("http://").split('/').next().unwrap();
        let address = address.parse().unwrap_or_else(|error| panic!("{error}: {url:?}"));
        Served { child, address, url }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
