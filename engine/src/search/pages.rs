//! Zeroed memory for what the search reads at random places: in large pages where the system has them, so that the
//! processor finds them without walking through its page tables.

use std::alloc::{Layout, alloc, alloc_zeroed, handle_alloc_error};

/// Bytes of a large page, on the machines that have them.
pub(super) const LARGE_PAGE: usize = 2 << 20;

/// Types of which zero in every byte is a value.
///
/// # Safety
/// It must be one.
#[expect(unsafe_code, reason = "only who knows the type can promise it")]
pub(super) unsafe trait Zeroable: Sized {}

/// So many zeroed values, at least one. The system gives the memory when it is first written to, so that even
/// gigabytes are there at once; `None` where it has not so much.
pub(super) fn zeroed_slice<T: Zeroable>(count: usize) -> Option<Box<[T]>> {
    let layout = Layout::array::<T>(count).ok().filter(|layout| layout.size() > 0)?;
    #[expect(
        unsafe_code,
        reason = "memory that the system has zeroed has no safe form without writing to all of it"
    )]
    // SAFETY: The layout is that of a slice of `count` values and not empty, zeros are values, and the box is the only
    // owner and frees with the same layout.
    unsafe {
        let start = alloc_zeroed(layout);
        want_large_pages(start, layout.size());
        let values = std::ptr::slice_from_raw_parts_mut(start.cast::<T>(), count);
        (!start.is_null()).then(|| Box::from_raw(values))
    }
}

/// A zeroed value that may be too large for the stack; best aligned to [`LARGE_PAGE`].
pub(super) fn zeroed_box<T: Zeroable>() -> Box<T> {
    let layout = Layout::new::<T>();
    assert!(layout.size() > 0);
    #[expect(
        unsafe_code,
        reason = "the value is made in its place, and its pages are chosen before it is written"
    )]
    // SAFETY: The layout is that of the value and not empty, all its bytes are written before it is used, zeros are a
    // value, and the box is the only owner and frees with the same layout.
    unsafe {
        let start = alloc(layout);
        if start.is_null() {
            handle_alloc_error(layout);
        }
        want_large_pages(start, layout.size());
        start.write_bytes(0, layout.size());
        Box::from_raw(start.cast())
    }
}

/// Asks for large pages wherever whole ones fit into fresh memory.
fn want_large_pages(start: *mut u8, size: usize) {
    #[cfg(target_os = "linux")]
    {
        let skipped = start.align_offset(LARGE_PAGE).min(size);
        let whole = (size - skipped) / LARGE_PAGE * LARGE_PAGE;
        if start.is_null() || whole == 0 {
            return;
        }
        #[expect(unsafe_code, reason = "advice to the system has no safe form")]
        // SAFETY: The range lies within the memory that was just allocated; the advice changes no value. A system
        // that does not take it goes on as without.
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

    #[expect(unsafe_code, reason = "a promise")]
    // SAFETY: It is made of integers.
    unsafe impl Zeroable for Block {}

    #[expect(unsafe_code, reason = "a promise")]
    // SAFETY: It is an integer.
    unsafe impl Zeroable for u64 {}

    #[test]
    fn memory_is_zeroed_and_may_be_used_whole() {
        for _ in 0..3 {
            let mut block = zeroed_box::<Block>();
            assert!(block.0.iter().all(|&value| value == 0));
            block.0.fill(1);
            let mut values = zeroed_slice::<u64>(1_000_003).unwrap();
            assert_eq!((values.len(), values.iter().sum::<u64>()), (1_000_003, 0));
            values.fill(u64::MAX);
        }
        assert!(zeroed_slice::<u64>(usize::MAX / 8).is_none());
        assert!(zeroed_slice::<u64>(0).is_none());
    }
}
