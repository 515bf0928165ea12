//! Layers of settings as TOML tables: a later layer overrides an earlier one, key by key.

use toml::{Table, Value};

/// The keys of search limits. Any of them in a layer replaces all of them in lower layers: an engine with its own
/// `nodes` does not inherit a time control.
const LIMITS: [&str; 4] = ["tc", "movetime", "nodes", "depth"];

/// Merges a layer over another: tables are merged, other values replaced. Keys ignore case, since option names differ
/// in case between engines.
pub fn merge(below: &mut Table, above: Table) {
    for (key, value) in above {
        let known = below.keys().find(|known| known.eq_ignore_ascii_case(&key)).cloned();
        let old = known.and_then(|known| below.remove(&known));
        let merged = match (old, value) {
            (Some(Value::Table(mut below)), Value::Table(above)) => {
                merge(&mut below, above);
                Value::Table(below)
            }
            (_, value) => value,
        };
        below.insert(key, merged);
    }
}

/// Like [`merge`]; any search limit above replaces all limits below.
pub(crate) fn merge_engine(below: &mut Table, above: Table) {
    if has_limit(&above) {
        remove_limits(below);
    }
    merge(below, above);
}

/// Whether a layer sets a search limit.
#[must_use]
pub fn has_limit(layer: &Table) -> bool {
    LIMITS.iter().any(|key| layer.contains_key(*key))
}

/// Removes all search limits.
pub fn remove_limits(layer: &mut Table) {
    LIMITS.iter().for_each(|key| drop(layer.remove(*key)));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(below: &str, above: &str, expected: &str) {
        let [mut merged, above, expected] =
            [below, above, expected].map(|text| text.parse::<Table>().unwrap());
        merge_engine(&mut merged, above);
        assert_eq!(merged, expected);
    }

    #[test]
    fn a_layer_replaces_values_and_merges_tables() {
        check(
            "dir = 'a'\noptions = { Hash = 1, Style = 'x' }",
            "dir = 'b'\noptions = { hash = 2 }",
            "dir = 'b'\noptions = { hash = 2, Style = 'x' }",
        );
    }

    #[test]
    fn any_limit_replaces_all_limits() {
        check("tc = '10+0.1'\ntimemargin = 5", "nodes = 1000", "nodes = 1000\ntimemargin = 5");
        check("tc = '10+0.1'", "timemargin = 5", "tc = '10+0.1'\ntimemargin = 5");
    }
}
