//! The options that an engine declares, up to a number and a size.

use std::collections::HashMap;

use smalt_protocol::option::name_key;
use smalt_protocol::{OptionDeclaration, OptionKind};

use crate::fault::Fault;

/// Maximum number of options; further ones are ignored.
const MOST: usize = 4096;

/// Maximum size of all options in bytes; some engines list files as choices.
const MOST_BYTES: usize = 4 << 20;

/// Memory of a text beside its characters.
const TEXT_BYTES: usize = 32;

#[derive(Debug, Default)]
pub(crate) struct DeclaredOptions {
    options: Vec<OptionDeclaration>,
    /// Indices by the keys of their names, since an engine may write option lines without end.
    indices: HashMap<String, usize>,
    bytes: usize,
    is_excessive: bool,
}

impl DeclaredOptions {
    pub(crate) fn as_slice(&self) -> &[OptionDeclaration] {
        &self.options
    }

    /// Adds an option. Some engines declare one twice: the last declaration holds.
    pub(crate) fn add(&mut self, option: OptionDeclaration) {
        if self.options.len() < MOST || self.knows(&option.name) {
            self.update(option, true);
        }
    }

    /// Replaces an option that is known; ignores others.
    pub(crate) fn replace(&mut self, option: OptionDeclaration) {
        self.update(option, false);
    }

    pub(crate) fn knows(&self, name: &str) -> bool {
        self.indices.contains_key(&name_key(name))
    }

    fn update(&mut self, option: OptionDeclaration, may_add: bool) {
        let key = name_key(&option.name);
        let known = self.indices.get(&key).map(|&index| &mut self.options[index]);
        let bytes = self.bytes + size_of(&option) - known.as_deref().map_or(0, size_of);
        match known {
            None if !may_add => {}
            _ if bytes > MOST_BYTES => self.is_excessive = true,
            Some(known) => (*known, self.bytes) = (option, bytes),
            None => {
                self.indices.insert(key, self.options.len());
                self.options.push(option);
                self.bytes = bytes;
            }
        }
    }

    /// Whether the engine declared more than is kept.
    pub(crate) fn is_excessive(&self) -> bool {
        self.is_excessive
    }

    /// The fault of an engine that declared more than is kept.
    pub(crate) fn fault() -> Fault {
        Fault::OptionsTooLong { limit: MOST_BYTES }
    }
}

/// Approximate memory of an option in bytes.
fn size_of(option: &OptionDeclaration) -> usize {
    let size = |text: &String| TEXT_BYTES + text.len();
    let texts = match &option.kind {
        OptionKind::Combo { default, choices } => size(default) + choices.iter().map(size).sum::<usize>(),
        OptionKind::Text { default } => size(default),
        OptionKind::Check { .. } | OptionKind::Spin { .. } | OptionKind::Button => 0,
    };
    size(&option.name) + texts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(name: &str, bytes: usize) -> OptionDeclaration {
        OptionDeclaration { name: name.to_owned(), kind: OptionKind::Text { default: "x".repeat(bytes) } }
    }

    #[test]
    fn the_last_declaration_of_an_option_holds_and_counts_alone() {
        let mut options = DeclaredOptions::default();
        for bytes in [MOST_BYTES / 2, 5, MOST_BYTES / 2, 3] {
            options.add(text("Log File", bytes));
        }
        options.replace(text("unknown", 1));
        options.replace(text("log file", 7));
        assert_eq!(options.as_slice(), [text("log file", 7)]);
        assert!(!options.is_excessive());
        options.add(text("Book", MOST_BYTES));
        assert_eq!(options.as_slice(), [text("log file", 7)]);
        assert!(options.is_excessive());
    }

    #[test]
    fn options_above_a_number_are_ignored() {
        let mut options = DeclaredOptions::default();
        for number in 0..=MOST {
            options.add(text(&number.to_string(), 0));
        }
        options.add(text("0", 1));
        assert_eq!((options.as_slice().len(), &options.as_slice()[0]), (MOST, &text("0", 1)));
        assert!(!options.is_excessive() && !options.knows(&MOST.to_string()));
    }
}
