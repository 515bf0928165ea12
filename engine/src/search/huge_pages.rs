//! Zeroed memory on huge pages (Linux), for tables that the search reads at random: fewer TLB misses.

use std::alloc::{Layout, alloc, alloc_zeroed};

/// Bytes of a huge page.
pub(super) const HUGE_PAGE: usize = 2 << 20;

/// Types for which all-zero bytes are a valid value.
///
/// # Safety
/// All-zero bytes must be a valid value of the type.
#[expect(unsafe_code, reason = "the implementer vouches for the type")]
pub(super) unsafe trait Zeroable: Sized {}

/// A zeroed slice of `count` values, at least one. The system maps pages on first write, so even gigabytes are
/// allocated at once. `None` if there is not enough memory.
pub(super) fn zeroed_slice<T: Zeroable>(count: usize) -> Option<Box<[T]>> {
    let layout = Layout::array::<T>(count).ok().filter(|layout| layout.size() > 0)?;
    #[expect(unsafe_code, reason = "safe code would have to write all of the memory to zero it")]
    // SAFETY: The layout is that of a nonempty slice of `count` values, all zeros is a valid value, and the box is the
    // only owner and frees with the same layout.
    unsafe {
        let start = alloc_zeroed(layout);
        advise_huge_pages(start, layout.size());
        let values = std::ptr::slice_from_raw_parts_mut(start.cast::<T>(), count);
        (!start.is_null()).then(|| Box::from_raw(values))
    }
}

/// A zeroed value, built on the heap because it may be too large for the stack; best aligned to [`HUGE_PAGE`]. `None`
/// if there is not enough memory.
pub(super) fn zeroed_box<T: Zeroable>() -> Option<Box<T>> {
    let layout = Layout::new::<T>();
    assert!(layout.size() > 0);
    #[expect(unsafe_code, reason = "the value is built in place, after the page advice")]
    // SAFETY: The layout is that of the nonempty value, all its bytes are written before it is used, all zeros is a
    // valid value, and the box is the only owner and frees with the same layout.
    unsafe {
        let start = alloc(layout);
        if start.is_null() {
            return None;
        }
        advise_huge_pages(start, layout.size());
        start.write_bytes(0, layout.size());
        Some(Box::from_raw(start.cast()))
    }
}

/// Zeroes a value in place.
pub(super) fn zero<T: Zeroable>(value: &mut T) {
    #[expect(unsafe_code, reason = "a value too large for the stack is overwritten in its place")]
    // SAFETY: The pointer is from a unique borrow of the value, and all zeros is a valid value.
    unsafe {
        std::ptr::from_mut(value).write_bytes(0, 1);
    }
}

/// Requests transparent huge pages for the part of the range that fills whole ones.
fn advise_huge_pages(start: *mut u8, size: usize) {
    #[cfg(target_os = "linux")]
    {
        let skipped = start.align_offset(HUGE_PAGE).min(size);
        let whole = (size - skipped) / HUGE_PAGE * HUGE_PAGE;
        if start.is_null() || whole == 0 {
            return;
        }
        #[expect(unsafe_code, reason = "advice to the system has no safe form")]
        // SAFETY: The range is within the memory just allocated; the advice changes no value. A system without huge
        // pages ignores it.
        let _ = unsafe {
            rustix::mm::madvise(start.add(skipped).cast(), whole, rustix::mm::Advice::LinuxHugepage)
        };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (start, size);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(align(2097152))]
    struct Block([u64; 500_000]);

    #[expect(unsafe_code, reason = "the type is all integers")]
    // SAFETY: It consists of integers.
    unsafe impl Zeroable for Block {}

    #[expect(unsafe_code, reason = "the type is all integers")]
    // SAFETY: It is an integer.
    unsafe impl Zeroable for u64 {}

    #[test]
    fn memory_is_zeroed_and_writable() {
        for _ in 0..3 {
            let mut block = zeroed_box::<Block>().unwrap();
            assert!(block.0.iter().all(|&value| value == 0));
            block.0.fill(1);
            zero(&mut *block);
            assert!(block.0.iter().all(|&value| value == 0));
            let mut values = zeroed_slice::<u64>(1_000_003).unwrap();
            assert_eq!((values.len(), values.iter().sum::<u64>()), (1_000_003, 0));
            values.fill(u64::MAX);
        }
        assert!(zeroed_slice::<u64>(usize::MAX / 8).is_none());
        assert!(zeroed_slice::<u64>(0).is_none());
    }
}
