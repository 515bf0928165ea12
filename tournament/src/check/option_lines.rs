//! Option lines of the handshake that are ignored, or that replace an earlier one.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use smalt_driver::{Speaker, TranscriptSink};
use smalt_protocol::option::name_key;
use smalt_protocol::uci::EngineMessage;

/// Maximum number of lines that are examined.
const MOST: usize = 4096;

/// The option lines of a UCI handshake.
#[derive(Clone, Default)]
pub(super) struct OptionLines(Arc<Mutex<Vec<String>>>);

impl OptionLines {
    /// Collects the lines after the last `uci`.
    pub(super) fn sink(&self) -> Box<dyn TranscriptSink> {
        let lines = Arc::clone(&self.0);
        Box::new(move |_: Duration, speaker: Speaker, text: &[u8]| {
            let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
            match speaker {
                Speaker::Driver if text == b"uci" => lines.clear(),
                Speaker::Engine if text.starts_with(b"option ") && lines.len() < MOST => {
                    lines.push(String::from_utf8_lossy(text).into_owned());
                }
                Speaker::Driver | Speaker::Engine | Speaker::Stderr => {}
            }
        })
    }

    /// Each line that is not used as it is, with the reason.
    pub(super) fn complaints(&self) -> Vec<(String, String)> {
        let mut names = HashSet::new();
        let mut complaints = Vec::new();
        for line in self.0.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            let words = match EngineMessage::parse(line) {
                EngineMessage::Option(option) if names.insert(name_key(&option.name)) => continue,
                EngineMessage::Option(option) => {
                    format!("option {:?} is declared twice: the last line holds", option.name)
                }
                _ => format!("the line {line:?} is ignored: it has no name or no known type"),
            };
            complaints.push((line.clone(), words));
        }
        complaints
    }
}
