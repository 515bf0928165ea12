//! Checksums of rows: SQLite does not detect a flipped bit inside a value.

use rusqlite::types::ValueRef;

/// FNV-1a in 64 bits (G. Fowler, L. Noll, K.-P. Vo) over these values with their types and lengths. Any change of a single
/// byte changes it, as each step is a bijection of the sum.
pub(super) fn checksum<'a>(values: impl IntoIterator<Item = ValueRef<'a>>) -> i64 {
    let sum = values.into_iter().fold(0xcbf2_9ce4_8422_2325, |sum, value| match value {
        ValueRef::Null => add(sum, b"n"),
        ValueRef::Integer(number) => add(add(sum, b"i"), &number.to_le_bytes()),
        ValueRef::Real(number) => add(add(sum, b"r"), &number.to_le_bytes()),
        ValueRef::Text(bytes) => add_sized(add(sum, b"t"), bytes),
        ValueRef::Blob(bytes) => add_sized(add(sum, b"b"), bytes),
    });
    sum.cast_signed()
}

fn add_sized(sum: u64, bytes: &[u8]) -> u64 {
    add(add(sum, &(bytes.len() as u64).to_le_bytes()), bytes)
}

fn add(sum: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(sum, |sum, &byte| (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
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
