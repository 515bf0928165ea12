//! The nearest name to a misspelled one, for suggestions.

/// The candidate at the smallest edit distance, if that is small.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    nearest_within(word, 1 + word.chars().count() / 3, candidates)
}

/// The candidate at the smallest edit distance, if that is at most `most`.
pub(crate) fn nearest_within<'a>(
    word: &str,
    most: usize,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let distances = candidates.into_iter().map(|candidate| (distance(word, candidate), candidate));
    distances
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

/// The nearest key listed in a serde error: unknown field `a`, expected one of `b`, `c`.
pub fn nearest_key(message: &str) -> Option<String> {
    if !message.starts_with("unknown ") {
        return None;
    }
    let mut quoted = message.split('`').skip(1).step_by(2);
    let unknown = quoted.next()?;
    nearest(unknown, quoted).map(str::to_owned)
}

/// Edit distance with transpositions, ignoring case.
fn distance(from: &str, to: &str) -> usize {
    strsim::osa_distance(&from.to_lowercase(), &to.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found_if_it_is_near() {
        let names = ["concurrency", "games", "seed"];
        assert_eq!(nearest("cocurency", names), Some("concurrency"));
        assert_eq!(nearest("Game", names), Some("games"));
        assert_eq!(nearest("openings", names), None);
    }

    #[test]
    fn distances_count_letters() {
        for (from, to, expected) in [
            ("", "", 0),
            ("abc", "", 3),
            ("kitten", "sitting", 3),
            ("Hash", "hash", 0),
            ("gamse", "games", 1),
        ] {
            assert_eq!(distance(from, to), expected, "{from} {to}");
        }
    }
}
