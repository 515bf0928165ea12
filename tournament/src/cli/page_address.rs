//! The address of a page: its flags, its token, and the URLs under which browsers reach it.

use std::io::{ErrorKind, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::Args;

use super::exit::{Exit, OrRefuse, Refusal};
use super::output::{print, print_info};
use smalt_dashboard::{BoundAddress, DashboardError, Token, addresses};
use smalt_match::plan::{OutputSettings, parse_address};

/// Default port of the page.
const PORT: u16 = 8064;

/// Where a page is served, and to whom.
#[derive(Args, Clone, Debug)]
pub(super) struct PageFlags {
    /// Address to listen on: a port of this machine, or ADDRESS:PORT, e.g. 0.0.0.0:8064 [default: 127.0.0.1:8064]
    #[arg(long, alias = "serve", value_name = "ADDR", value_parser = parse_address)]
    pub listen: Option<SocketAddr>,
    /// File with the token that browsers must present, e.g. ~/.smalt-token; created if missing
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Host name under which other machines reach this one, e.g. mybox.lan; may be repeated
    #[arg(long, value_name = "NAME")]
    pub host: Vec<String>,
}

/// The addresses of a page, with remarks on them.
pub(super) struct Announcement {
    urls: Vec<String>,
    advice: Option<&'static str>,
}

impl Announcement {
    /// Prints the addresses, once the page is served.
    pub(super) fn print(self) -> Result<(), Refusal> {
        print(&(self.urls.join("\n") + "\n"))?;
        self.advice.into_iter().for_each(print_info);
        print_info("The page is served until Ctrl-C.");
        Ok(())
    }
}

impl PageFlags {
    /// Binds the address; any free port if no address was requested and the default one is taken.
    pub(super) fn bind(&self) -> Result<BoundAddress, Refusal> {
        claim(self.listen, PORT, self.token_file.as_deref())
    }

    pub(super) fn announcement(&self, place: &BoundAddress) -> Announcement {
        Announcement { urls: urls(place, &self.host), advice: advice(place) }
    }
}

/// Binds the address of the page before the run starts, if requested.
pub(super) fn claim_for_run(output: &OutputSettings) -> Result<Option<BoundAddress>, Refusal> {
    let Some(listen) = output.serve else { return Ok(None) };
    let token = token(output.token_file.as_deref(), listen)?;
    BoundAddress::bind(listen, token).map(Some).map_err(|error| refuse_page(error, "--serve"))
}

/// The address of a page: `listen`, otherwise the default port on loopback, or any free one.
pub(super) fn claim(
    listen: Option<SocketAddr>,
    usual: u16,
    token_file: Option<&Path>,
) -> Result<BoundAddress, Refusal> {
    let local = |port: u16| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let address = listen.unwrap_or(local(usual));
    let token = token(token_file, address)?;
    let place = match BoundAddress::bind(address, token.clone()) {
        // The default port is taken: use any free one.
        Err(DashboardError::Listen { source, .. })
            if listen.is_none() && source.kind() == ErrorKind::AddrInUse =>
        {
            BoundAddress::bind(local(0), token)
        }
        claimed => claimed,
    };
    place.map_err(|error| refuse_page(error, "--listen"))
}

/// URLs for browsers; those for other machines first.
pub(super) fn urls(place: &BoundAddress, names: &[String]) -> Vec<String> {
    let (listen, port) = (place.socket(), place.socket().port());
    let mut hosts: Vec<String> = addresses(listen).iter().map(ToString::to_string).collect();
    let own = if listen.ip().is_unspecified() { hosts.pop() } else { None };
    hosts.extend(names.iter().map(|name| format!("{name}:{port}")));
    hosts.extend(own);
    let token = place.token().map(|token| format!("?token={}", token.as_text())).unwrap_or_default();
    hosts.into_iter().map(|host| format!("http://{host}/{token}")).collect()
}

/// Advice on several addresses.
pub(super) fn advice(place: &BoundAddress) -> Option<&'static str> {
    match addresses(place.socket()).len() {
        _ if !place.socket().ip().is_unspecified() => None,
        1 => Some("From other machines, use an address of this machine in place of 127.0.0.1."),
        _ => Some("The first address is for other machines, the last one for this machine."),
    }
}

/// The token in the file; without a file a new token if other machines can reach the address, otherwise none.
fn token(file: Option<&Path>, listen: SocketAddr) -> Result<Option<Token>, Refusal> {
    let Some(path) = file else {
        let is_open = !listen.ip().is_loopback();
        return is_open.then(Token::random).transpose().context("make a token").or_failed();
    };
    match std::fs::read_to_string(path) {
        Ok(text) => {
            let token = Token::parse(&text).with_context(|| format!("read a token from {}", path.display()));
            Ok(Some(token.or_usage()?))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let token = Token::random().context("make a token").or_failed()?;
            let written = write_secret(path, token.as_text());
            written.with_context(|| format!("write {}", path.display())).or_usage()?;
            Ok(Some(token))
        }
        Err(error) => Err(error).with_context(|| format!("read {}", path.display())).or_usage(),
    }
}

/// Writes a file readable by its owner only.
fn write_secret(path: &Path, text: &str) -> std::io::Result<()> {
    let mut options = std::fs::File::options();
    options.write(true).create_new(true);
    // On Windows a user's folder is not accessible to others.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    writeln!(file, "{text}")
}

/// Refusal of the page; `flag` is the flag of its address.
pub(super) fn refuse_page(error: DashboardError, flag: &str) -> Refusal {
    let advice = match &error {
        DashboardError::Listen { source, .. } if source.kind() == ErrorKind::AddrInUse => {
            format!("; give another port with {flag}, or 0 for any that is free")
        }
        _ => String::new(),
    };
    Refusal { exit: Exit::Usage, error: anyhow!("the page: failed to {error}{advice}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_alone_is_one_of_this_machine() {
        assert_eq!(parse_address("8080").unwrap().to_string(), "127.0.0.1:8080");
        assert_eq!(parse_address("0.0.0.0:80").unwrap().to_string(), "0.0.0.0:80");
        assert_eq!(parse_address("[::1]:80").unwrap().to_string(), "[::1]:80");
        assert!(parse_address("mybox:80").is_err());
    }
}
