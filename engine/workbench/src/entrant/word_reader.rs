//! A serde deserializer for `key=value` words.

use serde::de::value::StrDeserializer;
use serde::de::{
    self, DeserializeOwned, DeserializeSeed, Deserializer, Expected, IntoDeserializer, MapAccess, SeqAccess,
    Unexpected, Visitor,
};
use serde::{Serialize, forward_to_deserialize_any};
use toml::Table;

use super::file::plain;
use super::split_words::{WordsError, split_words};
use smalt_driver::nearest::nearest;

/// Parses words like `movecount=8 score=10`.
///
/// # Errors
/// If a word has no key, an unknown key or an invalid value; or if a key is missing.
pub fn from_words<T: DeserializeOwned>(text: &str) -> Result<T, WordsError> {
    read(&split_words(text)?)
}

/// Parses words as a layer of settings: only the given keys.
///
/// # Errors
/// As [`from_words`].
pub fn table_of_words<T: DeserializeOwned + Serialize>(text: &str) -> Result<Table, WordsError> {
    let words = split_words(text)?;
    let settings: T = read(&words)?;
    let mut table = Table::try_from(&settings).map_err(de::Error::custom)?;
    let keys: Vec<&str> = words.iter().filter_map(|word| Some(word.split_once('=')?.0)).collect();
    table.retain(|key, _| keys.contains(&key));
    Ok(table)
}

pub(super) fn read<T: DeserializeOwned>(words: &[String]) -> Result<T, WordsError> {
    T::deserialize(WordReader { rest: words.iter(), word: "", value: "" })
}

struct WordReader<'a> {
    rest: std::slice::Iter<'a, String>,
    word: &'a str,
    value: &'a str,
}

impl<'de> Deserializer<'de> for WordReader<'de> {
    type Error = WordsError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, WordsError> {
        visitor.visit_map(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de> MapAccess<'de> for WordReader<'de> {
    type Error = WordsError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, WordsError> {
        let Some(word) = self.rest.next() else { return Ok(None) };
        let (key, value) = word.split_once('=').ok_or_else(|| WordsError::NoKey { word: word.to_owned() })?;
        (self.word, self.value) = (word, value);
        let key: StrDeserializer<'_, WordsError> = key.into_deserializer();
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, WordsError> {
        let value = seed.deserialize(WordValue(self.value));
        value.map_err(|error| match error {
            WordsError::Value { reason, .. } => WordsError::Value { word: self.word.to_owned(), reason },
            other => other,
        })
    }
}

/// The text after `key=`.
struct WordValue<'a>(&'a str);

macro_rules! numbers {
    ($($method:ident $visit:ident $kind:ty, $expected:literal;)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, WordsError> {
            let number: Result<$kind, _> = self.0.parse();
            visitor.$visit(number.map_err(|_| de::Error::custom(concat!("expected ", $expected)))?)
        })*
    };
}

impl<'de> Deserializer<'de> for WordValue<'de> {
    type Error = WordsError;

    numbers! {
        deserialize_u8 visit_u8 u8, "a whole number";
        deserialize_u16 visit_u16 u16, "a whole number";
        deserialize_u32 visit_u32 u32, "a whole number";
        deserialize_u64 visit_u64 u64, "a whole number";
        deserialize_i8 visit_i8 i8, "a whole number";
        deserialize_i16 visit_i16 i16, "a whole number";
        deserialize_i32 visit_i32 i32, "a whole number";
        deserialize_i64 visit_i64 i64, "a whole number";
        deserialize_f32 visit_f32 f32, "a number";
        deserialize_f64 visit_f64 f64, "a number";
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, WordsError> {
        visitor.visit_borrowed_str(self.0)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, WordsError> {
        match self.0 {
            "on" | "true" => visitor.visit_bool(true),
            "off" | "false" => visitor.visit_bool(false),
            _ => Err(de::Error::custom("expected on or off")),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, WordsError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, WordsError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, WordsError> {
        let variant: StrDeserializer<'_, WordsError> = self.0.into_deserializer();
        visitor.visit_enum(variant)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, WordsError> {
        visitor.visit_seq(ListReader(split_words(self.0)?.into_iter()))
    }

    forward_to_deserialize_any! {
        i128 u128 char str string bytes byte_buf unit unit_struct tuple tuple_struct map struct identifier ignored_any
    }
}

/// The elements of a list value.
struct ListReader(std::vec::IntoIter<String>);

impl<'de> SeqAccess<'de> for ListReader {
    type Error = WordsError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, WordsError> {
        self.0.next().map(|part| seed.deserialize(part.into_deserializer())).transpose()
    }
}

impl de::Error for WordsError {
    fn custom<T: std::fmt::Display>(message: T) -> WordsError {
        WordsError::Value { word: String::new(), reason: message.to_string() }
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> WordsError {
        de::Error::custom(plain(&format!(", expected {expected}")).trim_start_matches([',', ' ']))
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> WordsError {
        de::Error::custom(format!("expected {}", one_of(expected)))
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> WordsError {
        let hint = nearest(field, expected.iter().copied());
        WordsError::UnknownKey { key: field.to_owned(), keys: expected, hint }
    }

    fn missing_field(field: &'static str) -> WordsError {
        WordsError::Missing { key: field }
    }
}

/// `a, b or c`.
fn one_of(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [word] => (*word).to_owned(),
        [words @ .., last] => format!("{} or {last}", words.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use serde::Deserialize;

    use super::*;
    use smalt_driver::Restart;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Rule {
        count: NonZeroU32,
        #[serde(default)]
        share: f64,
        #[serde(default)]
        restart: Restart,
        #[serde(default)]
        list: Vec<String>,
        #[serde(default)]
        name: Option<String>,
        #[serde(default)]
        truth: bool,
    }

    #[test]
    fn words_are_read_as_any_struct() {
        let rule: Rule = from_words("count=3 share=0.5 restart=on 'list=a b' \"name=x y\" truth=on").unwrap();
        let expected = Rule {
            count: NonZeroU32::new(3).unwrap(),
            share: 0.5,
            restart: Restart::On,
            list: vec!["a".to_owned(), "b".to_owned()],
            name: Some("x y".to_owned()),
            truth: true,
        };
        assert_eq!(rule, expected);
    }

    #[test]
    fn wrong_words_are_refused_with_their_reason() {
        let check = |text: &str, expected: &str| {
            assert_eq!(from_words::<Rule>(text).unwrap_err().to_string(), expected);
        };
        check(
            "count",
            "\"count\" is not key=value; a value with spaces needs quotation marks, as in 'name=\"My engine\"'",
        );
        check("count=x", "bad value in \"count=x\": expected a whole number");
        check("count=-1", "bad value in \"count=-1\": expected a whole number");
        check("count=0", "bad value in \"count=0\": expected a whole number above zero");
        check("count=1 restart=maybe", "bad value in \"restart=maybe\": expected on, auto or off");
        check("count=1 truth=1", "bad value in \"truth=1\": expected on or off");
        check(
            "cuont=1",
            "unknown key \"cuont\": the keys are count, share, restart, list, name, truth (did you mean count?)",
        );
        check("share=1", "count is missing");
    }
}
