//! The arguments of `option`: the declaration of an option.

use std::fmt;

use crate::number;
use crate::option::{OptionDeclaration, OptionKind, unwrap_empty, wrap_empty};
use crate::words::{OneLine, Words};

/// Parses the arguments of `option`. `None` without a name or a known type. A missing range becomes all integers; a
/// missing default becomes off, the value in range nearest to 0, the first choice, or the empty text.
pub(super) fn parse(mut words: Words<'_>) -> Option<OptionDeclaration> {
    words.find(|&word| word == "name")?;
    let (name, kind) = parse_name_and_type(&mut words)?;
    let kind = match kind {
        "check" => OptionKind::Check { default: parse_check(words) },
        "spin" => parse_spin(words),
        "combo" => parse_combo(words),
        "button" => OptionKind::Button,
        _ => OptionKind::Text { default: parse_text(words) },
    };
    Some(OptionDeclaration { name: name.to_owned(), kind })
}

fn is_type(word: &str) -> bool {
    matches!(word, "check" | "spin" | "combo" | "button" | "string")
}

/// A name may contain the word `type`: it ends where a known type follows that word.
fn parse_name_and_type<'a>(words: &mut Words<'a>) -> Option<(&'a str, &'a str)> {
    let name = words.until_followed(|word, next| word == "type" && next.is_some_and(is_type));
    words.next()?;
    let kind = words.next()?;
    (!name.is_empty()).then_some((name, kind))
}

fn parse_check(mut words: Words<'_>) -> bool {
    words.find(|&word| word == "default").is_some_and(|_| words.next() == Some("true"))
}

fn parse_spin(mut words: Words<'_>) -> OptionKind {
    let (mut default, mut min, mut max) = (None, i64::MIN, i64::MAX);
    while let Some(word) = words.next() {
        match word {
            "default" => default = words.accept(number::signed).or(default),
            "min" => min = words.accept(number::signed).unwrap_or(min),
            "max" => max = words.accept(number::signed).unwrap_or(max),
            _ => {}
        }
    }
    // Not `clamp`, which panics if an engine declares min > max.
    OptionKind::Spin { default: default.unwrap_or(0.min(max).max(min)), min, max }
}

fn parse_combo(mut words: Words<'_>) -> OptionKind {
    let is_key = |word: &str| matches!(word, "default" | "var");
    let (mut default, mut choices) = (None, Vec::new());
    while let Some(word) = words.next() {
        match word {
            "default" => default = Some(unwrap_empty(words.until(is_key)).to_owned()),
            "var" => choices.push(unwrap_empty(words.until(is_key)).to_owned()),
            _ => {}
        }
    }
    let default = default.or_else(|| choices.first().cloned()).unwrap_or_default();
    OptionKind::Combo { default, choices }
}

fn parse_text(mut words: Words<'_>) -> String {
    words.find(|&word| word == "default");
    unwrap_empty(words.rest()).to_owned()
}

/// Writes the declaration with its keyword.
pub(super) fn write(f: &mut fmt::Formatter<'_>, option: &OptionDeclaration) -> fmt::Result {
    write!(f, "option name {} type ", OneLine(&option.name))?;
    match &option.kind {
        OptionKind::Check { default } => write!(f, "check default {default}"),
        OptionKind::Spin { default, min, max } => {
            write!(f, "spin default {default} min {min} max {max}")
        }
        OptionKind::Combo { default, choices } => {
            write!(f, "combo default {}", OneLine(wrap_empty(default)))?;
            choices.iter().try_for_each(|choice| write!(f, " var {}", OneLine(wrap_empty(choice))))
        }
        OptionKind::Button => f.write_str("button"),
        OptionKind::Text { default } => write!(f, "string default {}", OneLine(wrap_empty(default))),
    }
}
