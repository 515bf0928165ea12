//! Values of a plan that are written as texts: clocks, models, rules that can be switched off, words of a list.

use std::fmt::{self, Display};
use std::str::FromStr;

use serde::de::IntoDeserializer;
use serde::de::value::{Error as WordError, StrDeserializer};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A value that is written as a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text<T>(pub T);

impl<'de, T: FromStr<Err: Display>> Deserialize<'de> for Text<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map(Text).map_err(serde::de::Error::custom)
    }
}

impl<T: Display> Serialize for Text<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// A rule as a table or as the same words as on the command line, or `off`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Switch<T> {
    /// The rule does not hold.
    Off,
    /// The rule holds.
    On(T),
}

impl<'de, T: FromStr<Err: Display> + Deserialize<'de>> Deserialize<'de> for Switch<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor<T>(std::marker::PhantomData<T>);
        impl<'de, T: FromStr<Err: Display> + Deserialize<'de>> serde::de::Visitor<'de> for Visitor<T> {
            type Value = Switch<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table, words like \"movecount=8 score=10\", or \"off\"")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Switch<T>, E> {
                text.parse().map_err(E::custom)
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, map: A) -> Result<Switch<T>, A::Error> {
                T::deserialize(serde::de::value::MapAccessDeserializer::new(map)).map(Switch::On)
            }
        }
        deserializer.deserialize_any(Visitor(std::marker::PhantomData))
    }
}

impl<T: Serialize> Serialize for Switch<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Switch::Off => serializer.serialize_str("off"),
            Switch::On(rule) => rule.serialize(serializer),
        }
    }
}

impl<T: FromStr> FromStr for Switch<T> {
    type Err = T::Err;

    fn from_str(text: &str) -> Result<Switch<T>, T::Err> {
        if text.eq_ignore_ascii_case("off") { Ok(Switch::Off) } else { text.parse().map(Switch::On) }
    }
}

/// Reads one word of a plan as the type that the plan gives it: `gauntlet`, `recover`, `random`.
///
/// # Errors
/// If it is none of the words that fit there; the message lists them.
pub fn parse_word<T: serde::de::DeserializeOwned>(word: &str) -> Result<T, String> {
    let deserializer: StrDeserializer<'_, WordError> = word.into_deserializer();
    T::deserialize(deserializer).map_err(|error| error.to_string())
}
