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

/// Edit distance with transpositions, ignoring case (optimal string alignment, F. Damerau, 1964).
fn distance(from: &str, to: &str) -> usize {
    let [from, to] = [from, to].map(|word| word.to_lowercase().chars().collect::<Vec<char>>());
    let mut rows = vec![vec![0; to.len() + 1]; from.len() + 1];
    rows[0] = (0..=to.len()).collect();
    for (row, &letter) in (1..).zip(&from) {
        rows[row][0] = row;
        for (column, &other) in (1..).zip(&to) {
            let changed = rows[row - 1][column - 1] + usize::from(letter != other);
            let mut least = changed.min(rows[row - 1][column] + 1).min(rows[row][column - 1] + 1);
            let is_swapped = row > 1 && column > 1 && letter == to[column - 2] && from[row - 2] == other;
            if is_swapped {
                least = least.min(rows[row - 2][column - 2] + 1);
            }
            rows[row][column] = least;
        }
    }
    rows[from.len()][to.len()]
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
