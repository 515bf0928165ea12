//! Checksums of rows, since SQLite does not detect a flipped bit inside a value.

use rusqlite::types::ValueRef;

use smalt_workbench::fnv::{FNV_EMPTY, fnv1a};

/// FNV-1a over these values with types and lengths.
pub(super) fn checksum<'a>(values: impl IntoIterator<Item = ValueRef<'a>>) -> i64 {
    let sum = values.into_iter().fold(FNV_EMPTY, |sum, value| match value {
        ValueRef::Null => fnv1a(sum, b"n"),
        ValueRef::Integer(number) => fnv1a(fnv1a(sum, b"i"), &number.to_le_bytes()),
        ValueRef::Real(number) => fnv1a(fnv1a(sum, b"r"), &number.to_le_bytes()),
        ValueRef::Text(bytes) => add_sized(fnv1a(sum, b"t"), bytes),
        ValueRef::Blob(bytes) => add_sized(fnv1a(sum, b"b"), bytes),
    });
    sum.cast_signed()
}

/// Checksum of the run's row.
pub(super) fn run_checksum(created_ms: i64, plan: &str, openings: &str) -> i64 {
    checksum([ValueRef::Integer(created_ms), plan.into(), openings.into()])
}

/// The checksummed values of a row: from `later` on only if not null, since earlier formats lack them.
pub(super) fn summed<'a, 'v>(
    values: &'a [ValueRef<'v>],
    later: usize,
) -> impl Iterator<Item = ValueRef<'v>> + 'a {
    let (always, later) = values.split_at(later);
    always.iter().chain(later.iter().filter(|&&value| value != ValueRef::Null)).copied()
}

fn add_sized(sum: u64, bytes: &[u8]) -> u64 {
    fnv1a(fnv1a(sum, &(bytes.len() as u64).to_le_bytes()), bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_do_not_run_into_each_other() {
        let sums = [
            checksum([ValueRef::Text(b"ab"), ValueRef::Text(b"c")]),
            checksum([ValueRef::Text(b"a"), ValueRef::Text(b"bc")]),
            checksum([ValueRef::Text(b"abc"), ValueRef::Null]),
            checksum([ValueRef::Null, ValueRef::Text(b"abc")]),
            checksum([ValueRef::Integer(0), ValueRef::Null]),
        ];
        for (index, sum) in sums.iter().enumerate() {
            assert!(!sums[..index].contains(sum), "{sums:?}");
        }
    }
}
