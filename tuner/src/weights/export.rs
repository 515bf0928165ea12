//! Exports weights to several languages, and imports them from TOML and JSON.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::document::{Origin, OriginValue};
use super::format_number;
use super::schema::{Schema, SchemaWeight};

/// Numbers per line of a table.
const ROW: usize = 8;

/// A language of exported numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Toml,
    Json,
    C,
    Cpp,
    Rust,
    CSharp,
    Java,
    Zig,
    Go,
    Python,
}

impl Language {
    /// All languages with their keywords and file extensions.
    const ALL: [(Language, &[&str]); 10] = [
        (Language::Toml, &["toml"]),
        (Language::Json, &["json"]),
        (Language::C, &["c", "h"]),
        (Language::Cpp, &["cpp", "hpp", "cc", "hh", "cxx"]),
        (Language::Rust, &["rust", "rs"]),
        (Language::CSharp, &["csharp", "cs"]),
        (Language::Java, &["java"]),
        (Language::Zig, &["zig"]),
        (Language::Go, &["go"]),
        (Language::Python, &["python", "py"]),
    ];

    pub(crate) fn parse(word: &str) -> Option<Language> {
        Language::ALL.iter().find(|(_, words)| words[0] == word).map(|entry| entry.0)
    }

    /// Language of a file by its extension.
    pub(crate) fn of_path(path: &Path) -> Option<Language> {
        let ending = path.extension()?.to_str()?;
        Language::ALL.iter().find(|(_, words)| words.contains(&ending)).map(|entry| entry.0)
    }

    /// Keywords of all languages.
    pub(crate) fn words() -> [&'static str; 10] {
        Language::ALL.map(|(_, words)| words[0])
    }

    fn syntax(self) -> Syntax {
        let plain = Syntax {
            comment: "// ",
            head: "",
            foot: "",
            indent: "",
            brackets: ["{", "}"],
            end: ";",
            names: NameCase::Snake,
            types: ["int", "double"],
            declare: |name, kind, lengths| format!("static const {kind} {name}{}", in_brackets(lengths)),
        };
        let declare_java = |name: &str, kind: &str, lengths: &[usize]| {
            format!("public static final {kind}{} {name}", "[]".repeat(lengths.len()))
        };
        match self {
            Language::C | Language::Toml | Language::Json => plain,
            Language::Cpp => Syntax {
                declare: |name, kind, lengths| format!("constexpr {kind} {name}{}", in_brackets(lengths)),
                ..plain
            },
            Language::Rust => Syntax {
                brackets: ["[", "]"],
                names: NameCase::Upper,
                types: ["i32", "f64"],
                declare: |name, kind, lengths| {
                    let array = |inner: String, length: &usize| format!("[{inner}; {length}]");
                    format!("pub const {name}: {}", lengths.iter().rev().fold(kind.to_owned(), array))
                },
                ..plain
            },
            Language::CSharp => Syntax {
                head: "public static class Weights\n{\n",
                foot: "}\n",
                indent: "    ",
                names: NameCase::Pascal,
                declare: |name, kind, lengths| match lengths.len() {
                    0 => format!("public const {kind} {name}"),
                    count => format!("public static readonly {kind}[{}] {name}", ",".repeat(count - 1)),
                },
                ..plain
            },
            Language::Java => Syntax {
                head: "public final class Weights {\n",
                foot: "}\n",
                indent: "    ",
                names: NameCase::Upper,
                declare: declare_java,
                ..plain
            },
            Language::Zig => Syntax {
                brackets: [".{", "}"],
                types: ["i32", "f64"],
                declare: |name, kind, lengths| format!("pub const {name}: {}{kind}", in_brackets(lengths)),
                ..plain
            },
            Language::Go => Syntax {
                head: "package weights\n\n",
                end: "",
                names: NameCase::Pascal,
                types: ["int", "float64"],
                declare: |name, kind, lengths| match lengths.len() {
                    0 => format!("const {name} {kind}"),
                    _ => format!("var {name}"),
                },
                ..plain
            },
            Language::Python => Syntax {
                comment: "# ",
                brackets: ["[", "]"],
                end: "",
                names: NameCase::Upper,
                declare: |name, _, _| name.to_owned(),
                ..plain
            },
        }
    }
}

/// Table syntax of a language.
struct Syntax {
    comment: &'static str,
    head: &'static str,
    foot: &'static str,
    indent: &'static str,
    brackets: [&'static str; 2],
    end: &'static str,
    names: NameCase,
    /// Types of integers and of floating-point numbers.
    types: [&'static str; 2],
    /// Declaration up to the equals sign: name, type, dimensions from outer to inner.
    declare: fn(&str, &str, &[usize]) -> String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum NameCase {
    Snake,
    Upper,
    Pascal,
}

fn in_brackets(lengths: &[usize]) -> String {
    lengths.iter().map(|length| format!("[{length}]")).collect()
}

/// The numbers of a term.
struct TermTable<'a> {
    term: &'a str,
    weights: Vec<(&'a SchemaWeight, [f64; 2])>,
}

fn tables<'a>(schema: &'a Schema, parameters: &[f64]) -> Vec<TermTable<'a>> {
    let mut tables: Vec<TermTable<'_>> = Vec::new();
    for (weight, pair) in schema.weights.iter().zip(parameters.as_chunks::<2>().0) {
        match tables.iter_mut().find(|table| table.term == weight.term) {
            Some(table) => table.weights.push((weight, *pair)),
            None => tables.push(TermTable { term: &weight.term, weights: vec![(weight, *pair)] }),
        }
    }
    tables
}

impl TermTable<'_> {
    /// Whether it is a single weight without an index.
    fn is_scalar(&self) -> bool {
        self.weights.len() == 1 && self.weights[0].0.name == self.term
    }

    fn decimals(&self) -> usize {
        self.weights.iter().map(|(weight, _)| weight.decimals).max().unwrap_or(0)
    }

    /// Dimensions from outer to inner.
    fn lengths(&self) -> Vec<usize> {
        let outer = (!self.is_scalar()).then_some(self.weights.len());
        let inner = self.has_pairs().then_some(2);
        outer.into_iter().chain(inner).collect()
    }

    /// A table with any pair has only pairs: its single numbers appear twice.
    fn has_pairs(&self) -> bool {
        self.weights.iter().any(|(weight, _)| !weight.is_single)
    }

    fn value(&self, [open, close]: [&str; 2]) -> String {
        let decimals = self.decimals();
        let has_pairs = self.has_pairs();
        let shown = |(weight, pair): &(&SchemaWeight, [f64; 2])| {
            let endgame = if weight.is_single { pair[0] } else { pair[1] };
            let [middlegame, endgame] = [pair[0], endgame].map(|number| format_number(number, decimals));
            if has_pairs { format!("{open}{middlegame}, {endgame}{close}") } else { middlegame }
        };
        let texts: Vec<String> = self.weights.iter().map(shown).collect();
        if self.is_scalar() {
            return texts[0].clone();
        }
        let width = texts.iter().map(String::len).max().unwrap_or(0);
        let row = |row: &[String]| {
            let cells: Vec<String> = row.iter().map(|text| format!("{text:>width$}")).collect();
            format!("    {},\n", cells.join(", "))
        };
        let rows: String = texts.chunks(ROW).map(row).collect();
        format!("{open}\n{rows}{close}")
    }
}

/// The numbers and their origin as a file in this language.
pub(crate) fn exported(language: Language, schema: &Schema, parameters: &[f64], origin: &Origin) -> String {
    let tables = tables(schema, parameters);
    match language {
        Language::Toml => toml_text(&tables, origin),
        Language::Json => json_text(&tables, origin),
        _ => code(&language, &tables, origin),
    }
}

fn code(language: &Language, tables: &[TermTable<'_>], origin: &Origin) -> String {
    let syntax = language.syntax();
    let line = |(key, value): &(&str, OriginValue)| format!("{}{key}: {value}\n", syntax.comment);
    let mut text: String = origin.iter().map(line).collect();
    text.push('\n');
    text.push_str(syntax.head);
    for table in tables {
        let name = identifier(table.term, syntax.names);
        let kind = syntax.types[usize::from(table.decimals() > 0)];
        let lengths = table.lengths();
        let mut value = table.value(syntax.brackets);
        if *language == Language::Go && !lengths.is_empty() {
            value = format!("{}{kind}{value}", in_brackets(&lengths));
        }
        let declared = (syntax.declare)(&name, kind, &lengths);
        let statement = format!("{declared} = {value}{}\n", syntax.end);
        statement.lines().for_each(|line| {
            text.push_str(syntax.indent);
            text.push_str(line);
            text.push('\n');
        });
    }
    text + syntax.foot
}

/// Identifier of a term in this language.
fn identifier(term: &str, names: NameCase) -> String {
    let words = term.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(str::to_lowercase).collect();
    let capital = |word: &String| word[..1].to_uppercase() + &word[1..];
    let name = match names {
        NameCase::Snake => words.join("_"),
        NameCase::Upper => words.join("_").to_uppercase(),
        NameCase::Pascal => words.iter().map(capital).collect(),
    };
    if name.starts_with(|letter: char| letter.is_ascii_digit()) { format!("_{name}") } else { name }
}

fn toml_text(tables: &[TermTable<'_>], origin: &Origin) -> String {
    let mut text = String::from("format = 1\n\n[origin]\n");
    for (key, value) in origin {
        text.push_str(&format!("{key} = {}\n", value.to_toml()));
    }
    text.push_str("\n[weights]\n");
    for table in tables {
        text.push_str(&format!("\"{}\" = {}\n", table.term, table.value(["[", "]"])));
    }
    text
}

fn json_text(tables: &[TermTable<'_>], origin: &Origin) -> String {
    let line = |(key, value): &(&str, OriginValue)| format!("    {:?}: {}", key, value.to_json());
    let origin: Vec<String> = origin.iter().map(line).collect();
    let entry = |table: &TermTable<'_>| {
        let value = table.value(["[", "]"]).replace(",\n]", "\n]").replace('\n', "\n    ");
        format!("    {:?}: {value}", table.term)
    };
    let weights: Vec<String> = tables.iter().map(entry).collect();
    format!(
        "{{\n  \"format\": 1,\n  \"origin\": {{\n{}\n  }},\n  \"weights\": {{\n{}\n  }}\n}}\n",
        origin.join(",\n"),
        weights.join(",\n")
    )
}

/// Why an exported file can't be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ImportError {
    #[error("expected TOML or JSON with a table `weights`, as --format toml and json write it: {0}")]
    Syntax(String),
    #[error("format {0} is newer than this program, which reads 1")]
    Newer(u64),
    #[error("{0}: expected {1} numbers")]
    Count(String, usize),
    #[error("{0} is missing")]
    Missing(String),
}

/// Parses the parameters of a TOML or JSON file written by [`exported`].
pub(crate) fn imported(text: &str, schema: &Schema) -> Result<Vec<f64>, ImportError> {
    #[derive(Deserialize)]
    struct File {
        format: u64,
        weights: BTreeMap<String, serde_json::Value>,
    }
    let file: File = if text.trim_start().starts_with('{') {
        serde_json::from_str(text).map_err(|error| ImportError::Syntax(error.to_string()))?
    } else {
        toml::from_str(text).map_err(|error| ImportError::Syntax(error.message().to_owned()))?
    };
    if file.format > 1 {
        return Err(ImportError::Newer(file.format));
    }
    let mut parameters = vec![0.0; schema.parameter_count()];
    let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, weight) in schema.weights.iter().enumerate() {
        places.entry(&weight.term).or_default().push(index);
    }
    for (term, weights) in places {
        let value = file.weights.get(term).ok_or_else(|| ImportError::Missing(term.to_owned()))?;
        let mut numbers = Vec::new();
        flatten(value, &mut numbers);
        let has_pairs = weights.iter().any(|&weight| !schema.weights[weight].is_single);
        let each = if has_pairs { 2 } else { 1 };
        if numbers.len() != each * weights.len() {
            return Err(ImportError::Count(term.to_owned(), each * weights.len()));
        }
        for (numbers, weight) in numbers.chunks(each).zip(weights) {
            parameters[2 * weight] = numbers[0];
            parameters[2 * weight + 1] = numbers.get(1).copied().unwrap_or(numbers[0]);
        }
    }
    Ok(parameters)
}

fn flatten(value: &serde_json::Value, numbers: &mut Vec<f64>) {
    match value {
        serde_json::Value::Array(values) => values.iter().for_each(|value| flatten(value, numbers)),
        value => numbers.extend(value.as_f64()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::header::Header;

    fn header() -> Header {
        let text = "trace version 1\ntrace parameter material.pawn 82 -94\ntrace parameter tempo 10\n\
            trace parameter rank[0] 1 2\ntrace parameter rank[1] -3 4\ntrace parameter rates[0] 0.25 decimals=2\ntrace ready\n";
        Header::parse(text).unwrap()
    }

    fn text(language: Language) -> String {
        let header = header();
        let origin = vec![("by", OriginValue::Text("a test".into())), ("positions", OriginValue::Count(7))];
        exported(language, &header.schema, &header.start, &origin)
    }

    #[test]
    fn numbers_are_written_in_every_language() {
        let all: String = Language::words()
            .iter()
            .map(|word| format!("== {word}\n{}", text(Language::parse(word).unwrap())))
            .collect();
        insta::assert_snapshot!(all);
    }

    #[test]
    fn toml_and_json_are_read_back() {
        let header = header();
        for language in [Language::Toml, Language::Json] {
            let text = text(language);
            assert_eq!(imported(&text, &header.schema).unwrap(), header.start, "{text}");
            let error = |old: &str, new: &str| {
                imported(&text.replacen(old, new, 1), &header.schema).unwrap_err().to_string()
            };
            assert!(error("tempo", "tempi").contains("tempo is missing"));
            assert!(error("82, ", "").contains("material.pawn: expected 2 numbers"));
        }
        assert!(matches!(imported("format = 2\n[weights]\n", &header.schema), Err(ImportError::Newer(2))));
        assert!(imported("x", &header.schema).is_err());
    }
}
