//! Value types of settings, and defaults taken from the command line definitions.

use std::ffi::OsStr;
use std::fmt::{self, Display};
use std::marker::PhantomData;
use std::str::FromStr;
use std::time::Duration;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Args, Command};
use schemars::JsonSchema;
use serde::de::value::{Error as WordError, StrDeserializer};
use serde::de::{DeserializeOwned, Error as _, IntoDeserializer, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use smalt_workbench::entrant::{WordsError, from_words};

/// The defaults of a section: its flags' defaults.
pub(super) fn defaults<T: Args>() -> T {
    let command = T::augment_args(Command::new("defaults").no_binary_name(true));
    let matches = command.try_get_matches_from(std::iter::empty::<String>());
    let settings = matches.and_then(|matches| T::from_arg_matches(&matches));
    settings.expect("every setting that needs one has a default")
}

/// A rule as a table or as `key=value` words, or `off`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OnOff<T> {
    Off,
    On(T),
}

impl<T> OnOff<T> {
    /// The rule, if on.
    pub(crate) fn on(&self) -> Option<&T> {
        match self {
            OnOff::Off => None,
            OnOff::On(rule) => Some(rule),
        }
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for OnOff<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor<T>(std::marker::PhantomData<T>);
        impl<'de, T: DeserializeOwned> serde::de::Visitor<'de> for Visitor<T> {
            type Value = OnOff<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table, words like \"movecount=8 score=10\", or \"off\"")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<OnOff<T>, E> {
                text.parse().map_err(E::custom)
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, map: A) -> Result<OnOff<T>, A::Error> {
                T::deserialize(serde::de::value::MapAccessDeserializer::new(map)).map(OnOff::On)
            }
        }
        deserializer.deserialize_any(Visitor(std::marker::PhantomData))
    }
}

impl<T: Serialize> Serialize for OnOff<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            OnOff::Off => serializer.serialize_str("off"),
            OnOff::On(rule) => rule.serialize(serializer),
        }
    }
}

impl<T: DeserializeOwned> FromStr for OnOff<T> {
    type Err = WordsError;

    fn from_str(text: &str) -> Result<OnOff<T>, WordsError> {
        if text.eq_ignore_ascii_case("off") { Ok(OnOff::Off) } else { from_words(text).map(OnOff::On) }
    }
}

/// A timeout in seconds: above zero, at most a day.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, JsonSchema)]
pub struct SecondsSetting(f64);

impl SecondsSetting {
    /// Maximum timeout, in seconds: a day.
    const MOST: f64 = 86_400.0;

    fn new(seconds: f64) -> Result<SecondsSetting, String> {
        let fits = seconds > 0.0 && seconds <= SecondsSetting::MOST;
        if fits {
            Ok(SecondsSetting(seconds))
        } else {
            Err("expected seconds above zero, and a day at most".to_owned())
        }
    }

    pub fn duration(self) -> Duration {
        Duration::from_secs_f64(self.0)
    }
}

impl FromStr for SecondsSetting {
    type Err = String;

    fn from_str(text: &str) -> Result<SecondsSetting, String> {
        SecondsSetting::new(text.parse().map_err(|_| "expected a number of seconds".to_owned())?)
    }
}

impl Display for SecondsSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'de> Deserialize<'de> for SecondsSetting {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        SecondsSetting::new(f64::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

/// Parses a number above zero.
///
/// # Errors
/// If the text is no such number.
pub fn positive<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| "expected a whole number above zero".to_owned())
}

/// Parser of a flag with one word of a setting's type, which shells complete.
pub fn word<T: DeserializeOwned + Clone + Send + Sync + 'static>() -> impl TypedValueParser<Value = T> {
    WordParser(PhantomData)
}

#[derive(Clone)]
struct WordParser<T>(PhantomData<T>);

impl<T: DeserializeOwned + Clone + Send + Sync + 'static> TypedValueParser for WordParser<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<T, clap::Error> {
        parse_word::<T>.parse_ref(command, argument, value)
    }

    /// The words. Help does not list them once more: it says what they mean.
    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let mut words: &[&str] = &[];
        let _ = T::deserialize(Words(&mut words));
        Some(Box::new(words.iter().map(|word| PossibleValue::new(*word).hide(true))))
    }
}

/// Reads no value, but the words that the type has.
struct Words<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for Words<'_> {
    type Error = WordError;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, WordError> {
        Err(WordError::custom("not a word"))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        words: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, WordError> {
        *self.0 = words;
        self.deserialize_any(visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// Parses one word of a setting's type: `gauntlet`, `recover`, `random`.
///
/// # Errors
/// If it is not one of the words of that type; the message lists them.
pub fn parse_word<T: DeserializeOwned>(word: &str) -> Result<T, String> {
    let deserializer: StrDeserializer<'_, WordError> = word.into_deserializer();
    T::deserialize(deserializer).map_err(|error| error.to_string())
}
