//! Options in `feature option="NAME -kind VALUE ..."`.

use crate::number;
use crate::option::{OptionDeclaration, OptionKind};
use crate::words::{Words, trim};

const CHOICES: &str = "///";

/// Parses a declaration. `None` without a name or a known type.
pub fn parse_option(text: &str) -> Option<OptionDeclaration> {
    // A name may contain a dash: the last known type before the value is the type.
    let (name, kind, value) = text.match_indices(" -").find_map(|(at, _)| {
        let behind = &text[at + 2..];
        let end = behind.find([' ', '\t']).unwrap_or(behind.len());
        is_kind(&behind[..end]).then(|| (trim(&text[..at]), &behind[..end], trim(&behind[end..])))
    })?;
    let kind = match kind {
        "check" => OptionKind::Check { default: number::signed(value).is_some_and(|number| number != 0) },
        "spin" | "slider" => parse_spin(value),
        "combo" => parse_combo(value),
        "string" | "file" | "path" => OptionKind::Text { default: value.to_owned() },
        _ => OptionKind::Button,
    };
    (!name.is_empty()).then(|| OptionDeclaration { name: name.to_owned(), kind })
}

fn is_kind(word: &str) -> bool {
    matches!(
        word,
        "check" | "spin" | "slider" | "combo" | "string" | "file" | "path" | "button" | "save" | "reset"
    )
}

fn parse_spin(value: &str) -> OptionKind {
    let mut numbers = Words::new(value).map_while(number::signed);
    let default = numbers.next().unwrap_or(0);
    let (min, max) = (numbers.next().unwrap_or(i64::MIN), numbers.next().unwrap_or(i64::MAX));
    OptionKind::Spin { default, min, max }
}

/// The default choice is marked with an asterisk; otherwise it is the first.
fn parse_combo(value: &str) -> OptionKind {
    let mut default = None;
    let choices: Vec<String> = value
        .split(CHOICES)
        .map(|choice| {
            let choice = trim(choice);
            let plain = choice.strip_prefix('*').map_or(choice, trim);
            if plain.len() < choice.len() {
                default = Some(plain.to_owned());
            }
            plain.to_owned()
        })
        .collect();
    let default = default.or_else(|| choices.first().cloned()).unwrap_or_default();
    OptionKind::Combo { default, choices }
}

/// The text of a `feature option` that declares this option.
pub fn declare_option(option: &OptionDeclaration) -> String {
    let name = &option.name;
    match &option.kind {
        OptionKind::Check { default } => format!("{name} -check {}", u8::from(*default)),
        OptionKind::Spin { default, min, max } => format!("{name} -spin {default} {min} {max}"),
        OptionKind::Combo { default, choices } => {
            let marked =
                |choice: &String| if choice == default { format!("*{choice}") } else { choice.clone() };
            let choices: Vec<String> = choices.iter().map(marked).collect();
            format!("{name} -combo {}", choices.join(" /// "))
        }
        OptionKind::Button => format!("{name} -button"),
        OptionKind::Text { default } => format!("{name} -string {default}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, name: &str, kind: OptionKind) {
        let option = parse_option(text).unwrap();
        assert_eq!((option.name.as_str(), &option.kind), (name, &kind), "{text}");
        assert_eq!(parse_option(&declare_option(&option)), Some(option), "{text}");
    }

    #[test]
    fn every_kind_is_read() {
        let spin = |default, min, max| OptionKind::Spin { default, min, max };
        let text = |default: &str| OptionKind::Text { default: default.to_owned() };
        check("Resign -check 0", "Resign", OptionKind::Check { default: false });
        check("Multi-PV Margin -spin 0 0 1000", "Multi-PV Margin", spin(0, 0, 1000));
        check("Randomizer (0-50) -slider 0 0 50", "Randomizer (0-50)", spin(0, 0, 50));
        check("Ini File -file /usr/share/fmax.ini", "Ini File", text("/usr/share/fmax.ini"));
        check("Greeting -string happy birthday!", "Greeting", text("happy birthday!"));
        check("Clear Hash -button", "Clear Hash", OptionKind::Button);
        let choices = ["makruk", "Ai wok", "x"].map(str::to_owned).to_vec();
        check(
            "Rules -combo makruk /// *Ai wok /// x",
            "Rules",
            OptionKind::Combo { default: "Ai wok".to_owned(), choices },
        );
    }

    #[test]
    fn options_without_a_type_are_none() {
        for text in ["", "Hash", "Hash -wheel 3", " -check 1"] {
            assert_eq!(parse_option(text), None, "{text}");
        }
    }
}
