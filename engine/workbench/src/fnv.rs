//! FNV-1a in 64 bits (G. Fowler, L. Noll, K.-P. Vo): checksums against accidental changes.

/// The hash of no bytes.
pub const FNV_EMPTY: u64 = 0xcbf2_9ce4_8422_2325;

/// Hash continued over more bytes. A change of any single byte changes the hash, since each step is a bijection.
pub fn fnv1a(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_the_published_ones() {
        assert_eq!(fnv1a(FNV_EMPTY, b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a(FNV_EMPTY, b"foobar"), 0x8594_4171_f739_67e8);
    }
}
