//! The files of the page, part of the program. They are found by exact name; no path of a request is ever opened.

/// One file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asset {
    /// Its address.
    pub(super) path: &'static str,
    /// Its media type.
    pub(super) kind: &'static str,
    /// Its content.
    pub(super) text: &'static str,
}

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

macro_rules! assets {
    ($($name:literal $kind:ident)*) => {
        /// All of them but the page itself.
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
    "games.js" SCRIPT
    "replay.js" SCRIPT
    "runs.js" SCRIPT
}

/// The page.
pub(super) const PAGE: Asset = Asset { path: "/", kind: HTML, text: include_str!("assets/index.html") };

/// What is shown to those who do not know the token.
pub(super) const LOGIN_PAGE: &str = include_str!("assets/login.html");

impl Asset {
    /// Tells one content from another (FNV-1a in 64 bits), so that browsers ask for what they have only if it changed.
    pub(super) fn tag(&self) -> String {
        let sum = self.text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
            (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        format!("\"{sum:016x}\"")
    }
}
