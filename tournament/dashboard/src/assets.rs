//! Embedded files of the page. They are found by exact name; no path of a request is ever opened.

use smalt_workbench::fnv::{FNV_EMPTY, fnv1a};

#[derive(Clone, Copy, Debug)]
pub(super) struct Asset {
    pub(super) path: &'static str,
    pub(super) kind: &'static str,
    pub(super) text: &'static str,
}

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

macro_rules! assets {
    ($($name:literal $kind:ident)*) => {
        /// All files but the pages themselves.
        pub(super) const ASSETS: &[Asset] =
            &[$(Asset { path: concat!("/", $name), kind: $kind, text: include_str!(concat!("assets/", $name)) }),*];
    };
}

assets! {
    "style.css" CSS
    "favicon.svg" SVG
    "page.js" SCRIPT
    "elements.js" SCRIPT
    "words.js" SCRIPT
    "pieces.js" SCRIPT
    "board.js" SCRIPT
    "charts.js" SCRIPT
    "head.js" SCRIPT
    "overview.js" SCRIPT
    "boards.js" SCRIPT
    "control.js" SCRIPT
    "games.js" SCRIPT
    "notify.js" SCRIPT
    "variations.js" SCRIPT
    "moves.js" SCRIPT
    "replay.js" SCRIPT
    "runs.js" SCRIPT
    "queue.js" SCRIPT
    "play.js" SCRIPT
    "play_board.js" SCRIPT
    "play_form.js" SCRIPT
}

/// A page: the head that all of them share, and its own text.
macro_rules! page {
    ($name:literal) => {
        concat!(include_str!("assets/head.html"), include_str!(concat!("assets/", $name)))
    };
}

pub(super) const PAGE: Asset = Asset { path: "/", kind: HTML, text: page!("index.html") };

/// The page on which a human plays.
pub(super) const PLAY_PAGE: Asset = Asset { path: "/", kind: HTML, text: page!("play.html") };

/// The login page, shown without a token.
pub(super) const LOGIN_PAGE: &str = page!("login.html");

impl Asset {
    /// ETag of the content, so that browsers reload only changed files.
    pub(super) fn tag(&self) -> String {
        let sum = fnv1a(FNV_EMPTY, self.text.as_bytes());
        format!("\"{sum:016x}\"")
    }
}
