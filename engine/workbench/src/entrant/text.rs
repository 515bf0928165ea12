//! Serializes values as text: for `#[serde(with = "text")]` and `#[serde(with = "text::option")]`.

use std::fmt::{self, Display};
use std::ops::Deref;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Serializes a value as text.
///
/// # Errors
/// If the serializer fails.
pub fn serialize<T: Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// Parses a value from text.
///
/// # Errors
/// If the text is not a valid value.
pub fn deserialize<'de, T: FromStr<Err: Display>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
}

/// The same for optional values.
pub mod option {
    use super::{Deserialize, Deserializer, Display, FromStr, Serializer};

    /// Serializes a value as text.
    ///
    /// # Errors
    /// If the serializer fails.
    pub fn serialize<T: Display, S: Serializer>(value: &Option<T>, serializer: S) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => serializer.collect_str(value),
            None => serializer.serialize_none(),
        }
    }

    /// Parses a value from text.
    ///
    /// # Errors
    /// If the text is not a valid value.
    pub fn deserialize<'de, T: FromStr<Err: Display>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<T>, D::Error> {
        let text: Option<String> = Option::deserialize(deserializer)?;
        text.map(|text| text.parse().map_err(serde::de::Error::custom)).transpose()
    }
}

/// An engine option's value, written as text, number or boolean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionText(pub String);

impl Deref for OptionText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Display for OptionText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl<'de> Deserialize<'de> for OptionText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match toml::Value::deserialize(deserializer)? {
            toml::Value::String(text) => Ok(OptionText(text)),
            toml::Value::Integer(number) => Ok(OptionText(number.to_string())),
            toml::Value::Boolean(truth) => Ok(OptionText(truth.to_string())),
            toml::Value::Float(number) => Ok(OptionText(number.to_string())),
            _ => Err(serde::de::Error::custom("an option's value is a text, a number, true or false")),
        }
    }
}

impl Serialize for OptionText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}
