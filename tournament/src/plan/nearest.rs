//! The nearest right name for a wrong one. Knows words, not what they mean.

/// The candidate that needs the fewest changed, missing or extra letters, if they are few.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let most = 1 + word.chars().count() / 3;
    let distances = candidates.into_iter().map(|candidate| (distance(word, candidate), candidate));
    distances.filter(|(distance, _)| *distance <= most).min_by_key(|(distance, _)| *distance).map(|(_, word)| word)
}

/// How many letters must be changed, taken out or put in (V. Levenshtein, 1965), whatever their case.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (count, letter) in from.to_lowercase().chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], count + 1);
        for (index, &other) in to.iter().enumerate() {
            let changed = diagonal + usize::from(letter != other);
            diagonal = row[index + 1];
            row[index + 1] = changed.min(diagonal + 1).min(row[index] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found_and_nothing_far() {
        let names = ["concurrency", "games", "seed"];
        assert_eq!(nearest("cocurency", names), Some("concurrency"));
        assert_eq!(nearest("Game", names), Some("games"));
        assert_eq!(nearest("openings", names), None);
    }

    #[test]
    fn distances_count_letters() {
        for (from, to, expected) in [("", "", 0), ("abc", "", 3), ("kitten", "sitting", 3), ("Hash", "hash", 0)] {
            assert_eq!(distance(from, to), expected, "{from} {to}");
        }
    }
}
