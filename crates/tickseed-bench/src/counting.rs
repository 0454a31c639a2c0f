//! An allocator that counts: the system's, with two counters per thread.
//!
//! A program makes it its global allocator to have bytes and allocations reported; every figure then
//! includes its cost: two plain additions to thread-local words. Bytes are as requested; what the
//! system rounds them up to is not counted.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, counting.
pub struct Counting;

thread_local! {
    // Constant and without a destructor: reading it neither allocates nor registers anything, as is
    // required of what an allocator does.
    static COUNTS: Cell<Counts> = const { Cell::new(Counts { allocations: 0, live_bytes: 0 }) };
}

/// What the calling thread has allocated so far.
#[derive(Clone, Copy, Debug)]
pub struct Counts {
    /// Calls that obtained or moved memory.
    pub allocations: u64,
    /// Bytes obtained and not given back; negative for a thread that frees what others allocated.
    pub live_bytes: i64,
}

/// The calling thread's counts.
pub fn counts() -> Counts {
    COUNTS.get()
}

/// Whether this program's allocator is the one that counts.
pub fn is_on() -> bool {
    let before = counts().allocations;
    drop(std::hint::black_box(Box::new(before)));
    counts().allocations != before
}

fn count(allocations: u64, bytes: i64) {
    // A thread that is being torn down has no counter any more; nobody will read it either.
    let _ = COUNTS.try_with(|counts| {
        let before = counts.get();
        counts.set(Counts {
            allocations: before.allocations + allocations,
            live_bytes: before.live_bytes + bytes,
        });
    });
}

fn bytes(size: usize) -> i64 {
    // A layout's size never exceeds isize::MAX.
    size as i64
}

// SAFETY: every method passes its arguments on to `System` unchanged and returns what that returned, so
// `System`'s guarantees hold, under the conditions the caller has promised. Counting does not allocate,
// does not unwind and touches nothing but the counters.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(1, bytes(layout.size()));
        // SAFETY: the caller's promises about `layout` are those `System` asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(1, bytes(layout.size()));
        // SAFETY: as for `alloc`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(0, -bytes(layout.size()));
        // SAFETY: `pointer` came from `System` through one of these methods, with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        count(1, bytes(new_size) - bytes(layout.size()));
        // SAFETY: as for `dealloc`; the caller's promises about `new_size` are those `System` asks for.
        unsafe { System.realloc(pointer, layout, new_size) }
    }
}

#[cfg(test)]
mod tests {
    use super::{Counting, counts};

    #[global_allocator]
    static GLOBAL: Counting = Counting;

    #[test]
    fn counts_what_is_obtained_moved_and_given_back() {
        let start = counts();
        let mut bytes: Vec<u8> = std::hint::black_box(Vec::with_capacity(100));
        assert_eq!(counts().allocations - start.allocations, 1);
        assert_eq!(counts().live_bytes - start.live_bytes, 100);
        bytes.reserve_exact(1000);
        assert_eq!(counts().allocations - start.allocations, 2);
        assert_eq!(counts().live_bytes - start.live_bytes, 1000);
        drop(bytes);
        assert_eq!(counts().allocations - start.allocations, 2);
        assert_eq!(counts().live_bytes, start.live_bytes);
    }
}
