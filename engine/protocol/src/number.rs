//! Lenient integers: any number of digits; values saturate.

/// A natural number, `+` allowed; saturates. `None` for anything but digits.
pub(crate) fn unsigned(word: &str) -> Option<u64> {
    digits(word.strip_prefix('+').unwrap_or(word))
}

/// An integer; saturates at both ends. `None` for anything but a sign and digits.
pub(crate) fn signed(word: &str) -> Option<i64> {
    match word.strip_prefix('-') {
        Some(rest) => digits(rest).map(|n| 0_i64.saturating_sub_unsigned(n)),
        None => unsigned(word).map(|n| i64::try_from(n).unwrap_or(i64::MAX)),
    }
}

/// A natural number that saturates at 32 bits.
pub(crate) fn unsigned_32(word: &str) -> Option<u32> {
    unsigned(word).map(|n| u32::try_from(n).unwrap_or(u32::MAX))
}

/// An integer within ±`i32::MAX`, so that its negation always exists; saturates.
pub(crate) fn symmetric_32(word: &str) -> Option<i32> {
    let bound = i64::from(i32::MAX);
    signed(word).map(|n| i32::try_from(n.clamp(-bound, bound)).unwrap_or(i32::MAX))
}

fn digits(text: &str) -> Option<u64> {
    if text.is_empty() {
        return None;
    }
    text.bytes().try_fold(0_u64, |value, byte| {
        let digit = byte.wrapping_sub(b'0');
        (digit <= 9).then(|| value.saturating_mul(10).saturating_add(u64::from(digit)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn huge_numbers_saturate() {
        assert_eq!(unsigned("99999999999999999999999"), Some(u64::MAX));
        assert_eq!(signed("-99999999999999999999999"), Some(i64::MIN));
        assert_eq!(signed("99999999999999999999999"), Some(i64::MAX));
        assert_eq!(symmetric_32("-99999999999"), Some(-i32::MAX));
        assert_eq!(unsigned_32("99999999999"), Some(u32::MAX));
    }

    #[test]
    fn only_digits_are_numbers() {
        for text in ["", "+", "-", "--1", "1.5", "0x10", "1e3", "٣"] {
            assert_eq!(signed(text), None, "{text}");
        }
        assert_eq!(unsigned("-1"), None);
        assert_eq!(signed("+7"), Some(7));
    }
}
