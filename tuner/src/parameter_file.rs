//! Files of parameters for tuning by games: our engine's constants (TOML), OpenBench's lines, and weather-factory's JSON. Values
//! are replaced in the text, so that comments, blanks and other parameters stay.

mod renamed;

use std::collections::HashSet;
use std::path::Path;

use serde_json::{Map, Value};
use smalt::search::params::SearchParameters;
use smalt_workbench::input::without_bom;
use toml_edit::{DocumentMut, Item, TomlError, value};

use crate::tuning::{ColumnKind, TunableParam};
use renamed::{current_name, with_current_names};

/// The last perturbation of a constant of the engine's own file, as a share of its range.
const STEP: f64 = 1.0 / 20.0;

/// The last learning rate where the file has none; fishtest's usual one.
const RATE: f64 = 0.002;

/// The field of a line that has the value, from 0.
const VALUE_FIELD: usize = 2;

/// How parameters are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ParameterFormat {
    /// Constants of our engine by name (.toml).
    Constants,
    /// weather-factory's `config.json`: `"NAME": {"value": 50, "min_value": 0, "max_value": 100, "step": 10}` (.json).
    WeatherFactory,
    /// OpenBench's lines: `name, int|float, value, min, max, c_end, r_end`, the last two of which may be missing, and lines
    /// `name, choice, value, word, word, …`.
    Lines,
}

/// Why a file has no parameters.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ParameterError {
    #[error(transparent)]
    Line(#[from] ParseTunableError),
    #[error(transparent)]
    Toml(#[from] TomlError),
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    #[error("{0}: expected a whole number")]
    NotWhole(String),
    #[error("{0}: the engine has no such parameter")]
    NoConstant(String),
    #[error(
        "{0}: expected value, min_value, max_value and step, the value within its range and the step above zero"
    )]
    NotWeather(String),
    /// The text to be rewritten lacks a parameter.
    #[error("{0} is gone")]
    Gone(String),
}

impl ParameterFormat {
    /// By the ending of a file's name.
    pub(crate) fn of(path: &Path) -> ParameterFormat {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("toml") => ParameterFormat::Constants,
            Some("json") => ParameterFormat::WeatherFactory,
            _ => ParameterFormat::Lines,
        }
    }

    /// Whether the text has old names of Smalt's parameters, which are read as the current ones.
    pub(crate) fn has_old_names(self, text: &str) -> bool {
        self == ParameterFormat::Constants && with_current_names(text) != text
    }

    /// Reads all parameters of a file.
    ///
    /// # Errors
    /// If the text is not of this format, or a value lies outside of its range.
    pub(crate) fn parse(self, text: &str) -> Result<Vec<TunableParam>, ParameterError> {
        let text = without_bom(text);
        match self {
            ParameterFormat::Constants => parse_constants(text),
            ParameterFormat::WeatherFactory => parse_weather(text),
            ParameterFormat::Lines => Ok(parse_lines(text)?),
        }
    }

    /// The text with these values; all else of it stays.
    ///
    /// # Errors
    /// If the text is not of this format, or lacks a parameter.
    pub(crate) fn rewritten(
        self,
        text: &str,
        parameters: &[TunableParam],
        values: &[f64],
    ) -> Result<String, ParameterError> {
        let (mark, text) = text.split_at(text.len() - without_bom(text).len());
        let names = || parameters.iter().map(|parameter| parameter.name.as_str());
        let numbers = names().zip(values.iter().copied());
        let words = parameters.iter().zip(values).map(|(parameter, value)| parameter.text(*value));
        let rewritten = match self {
            ParameterFormat::Constants => rewrite_constants(text, numbers),
            ParameterFormat::WeatherFactory => numbers.into_iter().try_fold(text.to_owned(), rewrite_weather),
            ParameterFormat::Lines => rewrite_lines(text, &names().zip(words).collect::<Vec<_>>()),
        };
        Ok(format!("{mark}{}", rewritten?))
    }
}

/// The constants of our own engine, with the ranges that it gives them.
fn parse_constants(text: &str) -> Result<Vec<TunableParam>, ParameterError> {
    let document: DocumentMut = with_current_names(text).parse()?;
    let parameter = |(name, item): (&str, &Item)| {
        let number = item.as_integer().ok_or_else(|| ParameterError::NotWhole(name.to_owned()))?;
        let constant = SearchParameters::ALL.iter().find(|constant| constant.name == name);
        let constant = constant.ok_or_else(|| ParameterError::NoConstant(name.to_owned()))?;
        let (min, max) = (f64::from(constant.min), f64::from(constant.max));
        let name = name.to_owned();
        let step = (max - min) * STEP;
        Ok(TunableParam {
            name,
            kind: ColumnKind::Int,
            start: number as f64,
            min,
            max,
            step,
            rate: RATE,
            choices: Vec::new(),
        })
    };
    document.iter().map(parameter).collect()
}

fn rewrite_constants<'a>(
    text: &str,
    values: impl Iterator<Item = (&'a str, f64)>,
) -> Result<String, ParameterError> {
    let mut document: DocumentMut = with_current_names(text).parse()?;
    for (name, number) in values {
        let item =
            document.get_mut(current_name(name)).ok_or_else(|| ParameterError::Gone(name.to_owned()))?;
        let decor = item.as_value().map(|value| value.decor().clone()).unwrap_or_default();
        let mut new = value(number as i64);
        if let Some(value) = new.as_value_mut() {
            *value.decor_mut() = decor;
        }
        *item = new;
    }
    Ok(document.to_string())
}

/// weather-factory's parameters, which are whole numbers; its step is the perturbation, and its learning rate stands elsewhere.
fn parse_weather(text: &str) -> Result<Vec<TunableParam>, ParameterError> {
    let all: Map<String, Value> = serde_json::from_str(text)?;
    let parameter = |(name, fields): (String, Value)| {
        let number = |key: &str| fields.get(key).and_then(Value::as_f64);
        let numbers = (number("value"), number("min_value"), number("max_value"), number("step"));
        match numbers {
            (Some(start), Some(min), Some(max), Some(step))
                if min <= start && start <= max && (max - min).is_finite() && step > 0.0 =>
            {
                Ok(TunableParam {
                    name,
                    kind: ColumnKind::Int,
                    start,
                    min,
                    max,
                    step,
                    rate: RATE,
                    choices: Vec::new(),
                })
            }
            _ => Err(ParameterError::NotWeather(name)),
        }
    };
    all.into_iter().map(parameter).collect()
}

/// Replaces the number after `"value":` in the object of this name.
fn rewrite_weather(text: String, (name, value): (&str, f64)) -> Result<String, ParameterError> {
    let gone = || ParameterError::Gone(name.to_owned());
    // Where the object, or another value, of this key begins.
    let after = |from: usize, key: &str, is_object: bool| -> Option<usize> {
        let quoted = serde_json::to_string(key).ok()?;
        let mut found = text[from..].match_indices(&quoted).map(|(at, _)| from + at + quoted.len());
        found.find_map(|end| {
            let rest = text[end..].trim_start().strip_prefix(':')?.trim_start();
            (rest.starts_with('{') == is_object).then(|| text.len() - rest.len())
        })
    };
    let start = after(0, name, true).and_then(|from| after(from, "value", false)).ok_or_else(gone)?;
    let end =
        text[start..].find([',', '}', ' ', '\n', '\r', '\t']).map_or(text.len(), |length| start + length);
    Ok(format!("{}{value}{}", &text[..start], &text[end..]))
}

/// A line that is not a parameter. Lines are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ParseTunableError {
    #[error(
        "line {line}: {text:?} is not a parameter: expected name, int|float, value, min, max, c_end, r_end, or name, choice, value, word, word"
    )]
    NotParameter { line: usize, text: String },
    #[error("line {line}: {name} is named twice")]
    Twice { line: usize, name: String },
}

/// Reads parameters as OpenBench takes them: `name, int|float, value, min, max, c_end, r_end`, one a line; empty lines and
/// those that begin with `#` are skipped.
///
/// # Errors
/// If a line is not a parameter or names one again, a value lies outside of its range, or a step or rate is not above zero.
pub(crate) fn parse_lines(text: &str) -> Result<Vec<TunableParam>, ParseTunableError> {
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    let parameters = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    // UCI compares names of options without regard to case.
    let mut names = HashSet::new();
    let parse = |(line, text): (usize, &str)| {
        let parameter = parse_line(text);
        let parameter =
            parameter.ok_or_else(|| ParseTunableError::NotParameter { line, text: text.to_owned() })?;
        let is_new = names.insert(parameter.name.to_lowercase());
        if is_new { Ok(parameter) } else { Err(ParseTunableError::Twice { line, name: parameter.name }) }
    };
    parameters.map(parse).collect()
}

fn parse_line(text: &str) -> Option<TunableParam> {
    let words: Vec<&str> = text.split(',').map(str::trim).collect();
    let [name, kind, numbers @ ..] = words.as_slice() else { return None };
    if *kind == "choice" {
        return parse_choice(name, numbers);
    }
    let numbers: Vec<f64> = numbers.iter().map(|word| word.parse().ok()).collect::<Option<_>>()?;
    let (start, min, max, step, rate) = match numbers[..] {
        [start, min, max, step, rate] => (start, min, max, step, rate),
        // CLOP needs no more.
        [start, min, max] if min < max => (start, min, max, (max - min) * STEP, RATE),
        _ => return None,
    };
    let kind = match *kind {
        "int" => ColumnKind::Int,
        "float" => ColumnKind::Float,
        _ => return None,
    };
    let is_sound = min <= start
        && start <= max
        && (max - min).is_finite()
        && step > 0.0
        && rate > 0.0
        && numbers.iter().all(|n| n.is_finite());
    (is_sound && !name.is_empty()).then(|| TunableParam {
        name: (*name).to_owned(),
        kind,
        start,
        min,
        max,
        step,
        rate,
        choices: Vec::new(),
    })
}

/// A categorical parameter: its value, then all words that it may have.
fn parse_choice(name: &str, words: &[&str]) -> Option<TunableParam> {
    let [value, choices @ ..] = words else { return None };
    let start = choices.iter().position(|choice| choice == value)?;
    let is_new = |(index, choice): (usize, &&str)| !choice.is_empty() && !choices[..index].contains(choice);
    let is_sound = !name.is_empty() && choices.len() > 1 && choices.iter().enumerate().all(is_new);
    is_sound.then(|| TunableParam {
        name: name.to_owned(),
        kind: ColumnKind::Choice,
        start: start as f64,
        min: 0.0,
        max: (choices.len() - 1) as f64,
        step: 1.0,
        rate: RATE,
        choices: choices.iter().map(|choice| (*choice).to_owned()).collect(),
    })
}

fn rewrite_lines(text: &str, values: &[(&str, String)]) -> Result<String, ParameterError> {
    let mut is_written = vec![false; values.len()];
    let mut rewritten = |line: &str| {
        let content = line.trim();
        let parameter = parse_line(content).filter(|_| !content.starts_with('#'))?;
        let index = values.iter().position(|(name, _)| *name == parameter.name)?;
        is_written[index] = true;
        let fields = line.split(',').enumerate().map(|(at, field)| {
            let value = &values[index].1;
            if at == VALUE_FIELD { field.replacen(field.trim(), value, 1) } else { field.to_owned() }
        });
        Some(fields.collect::<Vec<_>>().join(","))
    };
    let lines = text.split_inclusive('\n').map(|line| rewritten(line).unwrap_or_else(|| line.to_owned()));
    let new: String = lines.collect();
    match values.iter().zip(is_written).find(|(_, is_written)| !is_written) {
        Some(((name, _), _)) => Err(ParameterError::Gone((*name).to_owned())),
        None => Ok(new),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str =
        "# of a test\nmargin, int, 50, 0, 200, 10, 0.002\n\nweight, float, 0.5, 0, 1, 0.05, 0.002\n";

    const WEATHER: &str = "{\n  \"LMR Base\": {\"min_value\": 50, \"value\" : 100,\"max_value\": 150, \"step\": 10},\n  \
                           \"value\": { \"value\": 7\n, \"min_value\": 0, \"max_value\": 9, \"step\": 0.5 }\n}\n";

    /// Checks that a text comes back with its own values, and with others where they stood.
    #[track_caller]
    fn check(format: ParameterFormat, text: &str, values: &[f64], expected: &str) -> Vec<TunableParam> {
        let parameters = format.parse(text).unwrap();
        let own: Vec<f64> = parameters.iter().map(|parameter| parameter.start).collect();
        assert_eq!(format.rewritten(text, &parameters, &own).unwrap(), text);
        assert_eq!(format.rewritten(text, &parameters, values).unwrap(), expected);
        parameters
    }

    #[test]
    fn parameters_are_read_as_openbench_writes_them() {
        let expected = LINES.replace(" 50,", " 61,").replace("0.5,", "0.25,");
        let parameters = check(ParameterFormat::Lines, LINES, &[61.0, 0.25], &expected);
        let [margin, weight] = &parameters[..] else { panic!("{parameters:?}") };
        assert_eq!((margin.kind, margin.start, weight.max), (ColumnKind::Int, 50.0, 1.0));
        let gone =
            ParameterFormat::Lines.rewritten("margin, int, 50, 0, 200, 10, 0.002", &parameters, &[1.0, 1.0]);
        assert_eq!(gone.unwrap_err().to_string(), "weight is gone");
        let choice = "style, choice, solid, solid, risky\nmargin, int, 5, 0, 9\n";
        let expected = choice.replace("choice, solid", "choice, risky").replace(" 5,", " 4,");
        let parameters = check(ParameterFormat::Lines, choice, &[1.0, 4.0], &expected);
        assert_eq!((parameters[0].text(1.0), parameters[1].step), ("risky".to_owned(), 0.45));
        for wrong in ["a, choice, b, c, d", "a, choice, b, b", "a, choice, b, b, c, c", "a, int, 5, 5, 5"] {
            assert!(parse_lines(wrong).is_err(), "{wrong}");
        }
        for wrong in
            ["a, int, 5, 0, 4, 1, 0.1", "a, real, 1, 0, 4, 1, 0.1", "a, int, 1, 0, 4, 0, 0.1", "a int 1"]
        {
            let error = parse_lines(&format!("\n{wrong}")).unwrap_err().to_string();
            assert!(error.starts_with("line 2: "), "{error}");
        }
        let error = parse_lines("Hash, int, 5, 0, 9\nhash, int, 4, 0, 9\n").unwrap_err().to_string();
        assert_eq!(error, "line 2: hash is named twice");
    }

    #[test]
    fn a_byte_order_mark_is_skipped_and_kept() {
        let weather = "{\"a\": {\"value\": 5, \"min_value\": 0, \"max_value\": 9, \"step\": 1}}";
        for (format, text) in [
            (ParameterFormat::Lines, "a, int, 5, 0, 9"),
            (ParameterFormat::WeatherFactory, weather),
            (ParameterFormat::Constants, "null_move_depth = 5"),
        ] {
            let text = format!("\u{feff}{text}\n");
            check(format, &text, &[4.0], &text.replace('5', "4"));
        }
    }

    #[test]
    fn parameters_are_read_as_weather_factory_writes_them() {
        let expected = WEATHER.replace("100,", "117,").replace(" 7", " 3");
        let parameters = check(ParameterFormat::WeatherFactory, WEATHER, &[117.0, 3.0], &expected);
        assert_eq!(
            (parameters[0].name.as_str(), parameters[0].step, parameters[1].step),
            ("LMR Base", 10.0, 0.5)
        );
        for wrong in [
            "{\"a\": 3}",
            "{\"a\": {\"value\": 5, \"min_value\": 0, \"max_value\": 4, \"step\": 1}}",
            "[]",
            "a",
        ] {
            assert!(ParameterFormat::WeatherFactory.parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn search_parameters_of_smalt_are_read_and_written_back_in_place() {
        let text = include_str!("../../engine/params/search.toml");
        let parameters = ParameterFormat::Constants.parse(text).unwrap();
        assert_eq!(parameters.len(), SearchParameters::ALL.len());
        let mut values: Vec<f64> = parameters.iter().map(|parameter| parameter.start).collect();
        let index = parameters.iter().position(|parameter| parameter.name == "null_move_depth").unwrap();
        values[index] = 4.0;
        let expected = text.replace("null_move_depth = 3", "null_move_depth = 4");
        check(ParameterFormat::Constants, text, &values, &expected);
        let old = text.replace("lmr_base", "reduction_base").replace("see_pawn", "exchange_pawn");
        assert!(
            ParameterFormat::Constants.has_old_names(&old) && !ParameterFormat::Constants.has_old_names(text)
        );
        let written = ParameterFormat::Constants.rewritten(&old, &parameters, &values).unwrap();
        assert_eq!(written, expected);
        let error = ParameterFormat::Constants.parse("no_such_thing = 3").unwrap_err();
        assert!(error.to_string().contains("no such parameter"));
    }
}
