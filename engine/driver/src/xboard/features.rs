//! The features of an engine (`feature`), with the protocol's defaults.

use smalt_protocol::xboard::{Feature, parse_option};
use smalt_protocol::{OptionDeclaration, OptionKind};

use crate::declared_options::DeclaredOptions;

/// Option name for a protocol setting, the same as in UCI.
pub(super) const MEMORY: &str = "Hash";
pub(super) const CORES: &str = "Threads";

/// The features of an engine; initially those of an engine that knows only version 1.
#[derive(Debug)]
pub(super) struct Features {
    pub(super) state: FeatureState,
    pub(super) name: String,
    pub(super) ping: bool,
    pub(super) setboard: bool,
    pub(super) san: bool,
    pub(super) usermove: bool,
    pub(super) time: bool,
    pub(super) colors: bool,
    pub(super) reuse: bool,
    pub(super) chess960: bool,
    /// Whether it can measure time in nodes.
    pub(super) nps: bool,
    pub(super) options: DeclaredOptions,
    /// Answers not sent yet.
    pub(super) replies: String,
}

/// Progress of the feature list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FeatureState {
    /// None yet: an engine of version 1, or a slow one.
    Nothing,
    Some,
    /// `done=0`: more features follow, up to `done=1`.
    Announced,
    Done,
}

impl Default for Features {
    fn default() -> Self {
        Self {
            state: FeatureState::Nothing,
            name: String::new(),
            ping: false,
            setboard: false,
            san: false,
            usermove: false,
            time: true,
            colors: true,
            reuse: true,
            chess960: false,
            nps: false,
            options: DeclaredOptions::default(),
            replies: String::new(),
        }
    }
}

impl Features {
    /// Applies a feature and records the answer (`accepted` or `rejected`).
    pub(super) fn update(&mut self, feature: &Feature<'_>) {
        let (name, value) = (feature.name, feature.value);
        let is_on = value.is_on();
        // Features after `done=1` are usually repeats, since `protover` was sent more than once: an answer could
        // disturb the search.
        let is_repeated = self.state == FeatureState::Done;
        if self.state == FeatureState::Nothing {
            self.state = FeatureState::Some;
        }
        let mut accepted = true;
        match name {
            "ping" => self.ping = is_on,
            "setboard" => self.setboard = is_on,
            "san" => self.san = is_on,
            "usermove" => self.usermove = is_on,
            "time" => self.time = is_on,
            "colors" => self.colors = is_on,
            "reuse" => self.reuse = is_on,
            "nps" => self.nps = is_on,
            "myname" => value.text().clone_into(&mut self.name),
            "variants" => self.chess960 = value.text().split(',').any(|name| name.trim() == "fischerandom"),
            "memory" if is_on => self.offer(MEMORY, 4, 1 << 20),
            "smp" if is_on => self.offer(CORES, 1, 4096),
            "option" => accepted = self.on_option(value.text()),
            "done" if is_repeated => {}
            "done" => self.state = if is_on { FeatureState::Done } else { FeatureState::Announced },
            "playother" | "draw" | "sigint" | "sigterm" | "analyze" | "ics" | "name" | "pause" | "memory"
            | "smp" | "debug" | "egt" => {}
            _ => accepted = false,
        }
        if !is_repeated && (name != "option" || !accepted) {
            let answer = if accepted { "accepted" } else { "rejected" };
            self.replies.push_str(&format!("{answer} {name}\n"));
        }
    }

    fn offer(&mut self, name: &str, default: i64, max: i64) {
        if !self.options.knows(name) {
            let kind = OptionKind::Spin { default, min: 1, max };
            self.options.add(OptionDeclaration { name: name.to_owned(), kind });
        }
    }

    fn on_option(&mut self, text: &str) -> bool {
        let Some(option) = parse_option(text) else { return false };
        self.options.add(option);
        true
    }
}
