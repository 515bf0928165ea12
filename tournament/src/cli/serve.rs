//! Serves the live page: of stores, until a signal, or of a run in this process, until its end.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;

use super::ctl::page_commands;
use super::exit::{Exit, OrRefuse, Refusal};
use super::output::print_info;
use super::page_address::{PageFlags, advice, refuse_page, urls};
use super::play_page::StartableEngines;
use super::stored_run::refuse_store;
use smalt_dashboard::{BoundAddress, ClientLimits, Dashboard, DashboardSettings};
use smalt_driver::process::StopSignals;
use smalt_match::store::Store;

/// Examples below the help of `serve`.
pub(super) const EXAMPLES: &str = "\
Examples:
  smalt-tournament serve run.db
  smalt-tournament serve branch-*.db --listen 8080
  smalt-tournament serve run.db --listen 0.0.0.0:8064 --token-file ~/.smalt-token --host mybox.lan

The page shows running and finished runs; it only reads their stores, and may be started and ended at any time. With a token \
it also controls runs in progress as `ctl` does, and adds positions to an EPD file. With --token-file the page asks every browser for the token; without it, browsers on this machine \
need none, and on an address for other machines there is a new token at each start. \
The printed addresses contain it; the browser keeps it as a cookie. The connection is not encrypted: on a \
network that you do not trust, use ssh -L 8064:localhost:8064 instead.

Keys: 1, 2, 3 overview, boards, games; 0 all runs; in a game the arrows, Home, End, space (play), f (flip).";

#[derive(Args, Clone, Debug)]
pub(super) struct ServeFlags {
    /// Stores of the runs
    #[arg(required = true, value_name = "RUN.db")]
    pub stores: Vec<PathBuf>,
    /// EPD file to which the page adds positions of lost games [default: RUN.lost.epd beside each store]
    #[arg(long, value_name = "FILE")]
    pub epd: Option<PathBuf>,
    /// Address of the page.
    #[command(flatten)]
    pub page: PageFlags,
}

/// Serves stores until a signal.
pub(super) fn serve(flags: &ServeFlags) -> Result<Exit, Refusal> {
    for store in &flags.stores {
        Store::read(store).map_err(refuse_store)?;
    }
    let place = flags.page.bind()?;
    let mut signals = StopSignals::catch().context("listen to signals").or_failed()?;
    let announcement = flags.page.announcement(&place);
    let settings = DashboardSettings {
        stores: flags.stores.clone(),
        hosts: flags.page.host.clone(),
        limits: ClientLimits::default(),
        queue: None,
        commands: Some(page_commands(
            flags.epd.as_deref(),
            &place,
            &flags.page.host,
            StartableEngines::Builtin,
        )),
    };
    let _page = Dashboard::start(place, settings).map_err(|error| refuse_page(error, "--listen"))?;
    announcement.print()?;
    signals.wait();
    Ok(Exit::Done)
}

/// Serves the run of this process until the returned value is dropped.
pub(super) fn serve_run(store: &Path, place: BoundAddress) -> Result<Dashboard, Refusal> {
    let settings = DashboardSettings {
        stores: vec![store.to_owned()],
        hosts: Vec::new(),
        limits: ClientLimits::default(),
        queue: None,
        commands: Some(page_commands(None, &place, &[], StartableEngines::OfRun)),
    };
    start(place, settings, "--serve")
}

/// Starts a page at the address of `flag`, and prints the address.
pub(super) fn start(
    place: BoundAddress,
    settings: DashboardSettings,
    flag: &str,
) -> Result<Dashboard, Refusal> {
    let (urls, advice) = (urls(&place, &settings.hosts), advice(&place));
    let page = Dashboard::start(place, settings).map_err(|error| refuse_page(error, flag))?;
    urls.iter().for_each(|url| print_info(&format!("The page: {url}")));
    advice.into_iter().for_each(print_info);
    Ok(page)
}
