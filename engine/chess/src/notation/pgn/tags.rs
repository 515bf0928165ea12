//! The tags of a game: the Seven Tag Roster, then the others in order.

/// The Seven Tag Roster with the values for unknown.
const ROSTER: [(&str, &str); 7] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
    ("Result", "*"),
];

/// Tag names and values. The Seven Tag Roster is always present, initially with the standard's values for unknown (`?`,
/// `????.??.??`, `*`).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Tags {
    /// Values of the roster in order.
    roster: [String; 7],
    others: Vec<(String, String)>,
}

impl Tags {
    /// The roster with unknown values.
    pub fn new() -> Tags {
        Tags { roster: ROSTER.map(|(_, value)| value.into()), others: Vec::new() }
    }

    /// The value of a tag; names are case-sensitive.
    pub fn get(&self, name: &str) -> Option<&str> {
        match roster_index(name) {
            Some(index) => Some(&self.roster[index]),
            None => self.others.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str()),
        }
    }

    /// Sets a tag. In the name everything but ASCII letters, digits and `_` becomes `_`; in the value control
    /// characters become spaces.
    pub fn set(&mut self, name: &str, value: &str) {
        let value = value.replace(char::is_control, " ");
        match roster_index(name) {
            Some(index) => self.roster[index] = value,
            None => self.set_other(name, value),
        }
    }

    fn set_other(&mut self, name: &str, value: String) {
        let is_symbol = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let name = name.replace(|letter: char| !is_symbol(letter), "_");
        let name = if name.is_empty() { "_".into() } else { name };
        match self.others.iter_mut().find(|(other, _)| *other == name) {
            Some((_, old)) => *old = value,
            None => self.others.push((name, value)),
        }
    }

    /// Removes a tag and returns its value; a roster tag becomes unknown.
    pub fn remove(&mut self, name: &str) -> Option<String> {
        if let Some(index) = roster_index(name) {
            return Some(std::mem::replace(&mut self.roster[index], ROSTER[index].1.into()));
        }
        let index = self.others.iter().position(|(other, _)| other == name)?;
        Some(self.others.remove(index).1)
    }

    /// Names and values, the roster first.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let roster = ROSTER.iter().zip(&self.roster).map(|((name, _), value)| (*name, value.as_str()));
        roster.chain(self.others.iter().map(|(name, value)| (name.as_str(), value.as_str())))
    }
}

impl Default for Tags {
    fn default() -> Tags {
        Tags::new()
    }
}

fn roster_index(name: &str) -> Option<usize> {
    ROSTER.iter().position(|(other, _)| *other == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_roster_is_always_there_and_first() {
        let mut tags = Tags::new();
        tags.set("ECO", "C20");
        tags.set("White", "A");
        tags.set("ECO", "C21");
        let names: Vec<_> = tags.iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["Event", "Site", "Date", "Round", "White", "Black", "Result", "ECO"]);
        assert_eq!(
            (tags.get("ECO"), tags.get("White"), tags.get("Date")),
            (Some("C21"), Some("A"), Some("????.??.??"))
        );
        assert_eq!(tags.remove("White").as_deref(), Some("A"));
        assert_eq!(tags.remove("FEN"), None);
        assert_eq!((tags.get("White"), tags.get("FEN")), (Some("?"), None));
    }

    #[test]
    fn characters_invalid_in_tags_are_replaced() {
        let mut tags = Tags::new();
        tags.set("My Tag", "two\nlines");
        assert_eq!(tags.get("My_Tag"), Some("two lines"));
    }
}
