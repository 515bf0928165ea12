//! A command line in fastchess's and cutechess's form: flags with one dash, each followed by its words.

use anyhow::{Context, anyhow, bail};

/// A flag with its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Flag<'a> {
    pub(super) name: &'a str,
    pub(super) words: &'a [String],
}

/// Splits a command line into flags.
pub(super) fn flags(arguments: &[String]) -> anyhow::Result<Vec<Flag<'_>>> {
    let mut flags = Vec::new();
    let mut rest = arguments;
    while let Some((first, others)) = rest.split_first() {
        let name = flag_name(first).ok_or_else(|| anyhow!("{first:?} stands before any flag"))?;
        let count = others.iter().take_while(|word| flag_name(word).is_none()).count();
        let (words, after) = others.split_at(count);
        flags.push(Flag { name, words });
        rest = after;
    }
    Ok(flags)
}

/// A dash and a letter; negative numbers are not flags.
fn flag_name(word: &str) -> Option<&str> {
    let name = word.strip_prefix("--").or_else(|| word.strip_prefix('-'))?;
    name.starts_with(|letter: char| letter.is_ascii_alphabetic()).then_some(name)
}

impl<'a> Flag<'a> {
    pub(super) fn word(&self) -> anyhow::Result<&'a str> {
        match self.words {
            [word] => Ok(word),
            [] => bail!("-{} needs a value", self.name),
            _ => bail!("-{} takes one value, not {:?}", self.name, self.words.join(" ")),
        }
    }

    /// Its only word as a number.
    pub(super) fn number<T: std::str::FromStr>(&self) -> anyhow::Result<T> {
        let word = self.word()?;
        word.parse()
            .map_err(|_| anyhow!("-{} {word}: {}", self.name, unfit_number(word, "expected a whole number")))
    }

    /// Checks that it has no words.
    pub(super) fn alone(&self) -> anyhow::Result<()> {
        match self.words {
            [] => Ok(()),
            words => bail!("-{} takes no value, but there is {:?}", self.name, words.join(" ")),
        }
    }

    /// Its words as key-value pairs.
    pub(super) fn pairs(&self) -> anyhow::Result<Vec<(&'a str, &'a str)>> {
        let part = |word: &'a String| {
            word.split_once('=').with_context(|| format!("-{} {word}: expected key=value", self.name))
        };
        self.words.iter().map(part).collect()
    }

    /// An error about one of its values.
    pub(super) fn refuse(&self, key: &str, value: &str, reason: &str) -> anyhow::Error {
        anyhow!("-{} {key}={value}: {reason}", self.name)
    }

    /// An error about an unknown key.
    pub(super) fn unknown(&self, key: &str, keys: &str) -> anyhow::Error {
        anyhow!("-{} {key}=…: unknown key; the keys are {keys}", self.name)
    }

    pub(super) fn truth(&self, key: &str, value: &str) -> anyhow::Result<bool> {
        match value {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(self.refuse(key, value, "expected true or false")),
        }
    }

    pub(super) fn value<T: std::str::FromStr>(&self, key: &str, value: &str) -> anyhow::Result<T> {
        value.parse().map_err(|_| self.refuse(key, value, unfit_number(value, "expected a number")))
    }
}

/// Says why a word is not the number that a flag needs.
fn unfit_number(word: &str, expected: &'static str) -> &'static str {
    let is_whole = word.strip_prefix(['-', '+']).unwrap_or(word).bytes().all(|byte| byte.is_ascii_digit());
    if is_whole && !word.is_empty() { "the number is too small or too large" } else { expected }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_has_the_words_up_to_the_next_one() {
        let line: Vec<String> = "-repeat -sprt elo0=-3 elo1=0 --force-concurrency -wait -5"
            .split(' ')
            .map(str::to_owned)
            .collect();
        let found = flags(&line).unwrap();
        let shown: Vec<(&str, usize)> = found.iter().map(|flag| (flag.name, flag.words.len())).collect();
        assert_eq!(shown, [("repeat", 0), ("sprt", 2), ("force-concurrency", 0), ("wait", 1)]);
        assert!(flags(&["cmd=a".to_owned()]).is_err());
    }
}
