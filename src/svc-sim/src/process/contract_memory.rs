// Contracts' memories come from fresh pages of the system, which are zero already. A contract has a
// mebibyte of memory and more, of which a run touches a few pages. In memory that was freed, all of
// it would be filled with zeros for each run, which takes longer than many runs.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    ptr,
};

/// The size of a page of WebAssembly.
const PAGE_BYTES: usize = 64 << 10;
/// A smaller memory is zeroed faster than the system maps it.
const LEAST_BYTES: usize = 1 << 20;

/// Allocates as the system does, but for blocks that can be a contract's memory.
pub struct ContractMemory;

fn can_be_memory(layout: Layout) -> bool {
    layout.align() == 1 && layout.size() >= LEAST_BYTES && layout.size().is_multiple_of(PAGE_BYTES)
}

/// Null if the system has no memory.
fn map(bytes: usize) -> *mut u8 {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a new mapping, which replaces no other.
    mapped_or_null(unsafe { libc::mmap(ptr::null_mut(), bytes, access, kind, -1, 0) })
}

fn mapped_or_null(mapped: *mut libc::c_void) -> *mut u8 {
    if mapped == libc::MAP_FAILED {
        return ptr::null_mut();
    }
    mapped.cast()
}

// SAFETY: a block is mapped or from the system by its layout alone, which is the same when it is
// freed. A mapping is aligned to a page.
unsafe impl GlobalAlloc for ContractMemory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match can_be_memory(layout) {
            true => map(layout.size()),
            false => System.alloc(layout),
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match can_be_memory(layout) {
            true => map(layout.size()),
            false => System.alloc_zeroed(layout),
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match can_be_memory(layout) {
            true => _ = libc::munmap(block.cast(), layout.size()),
            false => System.dealloc(block, layout),
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        let next = Layout::from_size_align_unchecked(bytes, layout.align());
        match (can_be_memory(layout), can_be_memory(next)) {
            (false, false) => System.realloc(block, layout, bytes),
            (true, true) => mapped_or_null(libc::mremap(
                block.cast(),
                layout.size(),
                bytes,
                libc::MREMAP_MAYMOVE,
            )),
            _ => {
                let other = self.alloc(next);
                if !other.is_null() {
                    ptr::copy_nonoverlapping(block, other, layout.size().min(bytes));
                    self.dealloc(block, layout);
                }
                other
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ContractMemory, LEAST_BYTES, PAGE_BYTES};
    use std::alloc::{GlobalAlloc, Layout};

    const SIZES: [usize; 7] = [
        1,
        PAGE_BYTES,
        LEAST_BYTES - 1,
        LEAST_BYTES,
        LEAST_BYTES + 1,
        LEAST_BYTES + PAGE_BYTES,
        4 * LEAST_BYTES,
    ];

    fn layout(bytes: usize) -> Layout {
        Layout::from_size_align(bytes, 1).unwrap()
    }

    #[test]
    fn a_zeroed_block_is_zero_also_where_a_freed_one_was_not() {
        for bytes in SIZES {
            for _ in 0..3 {
                // SAFETY: the block has that layout, and is not used after it is freed.
                unsafe {
                    let block = ContractMemory.alloc_zeroed(layout(bytes));
                    let content = std::slice::from_raw_parts_mut(block, bytes);
                    assert!(content.iter().all(|byte| *byte == 0), "{bytes}");
                    content.fill(7);
                    ContractMemory.dealloc(block, layout(bytes));
                }
            }
        }
    }

    #[test]
    fn a_block_keeps_its_content_from_any_size_to_any_other() {
        for (from, to) in SIZES.iter().flat_map(|from| SIZES.map(|to| (*from, to))) {
            let byte_at = |at: usize| (at % 251) as u8;
            // SAFETY: the block has the layout that it is freed with.
            unsafe {
                let block = ContractMemory.alloc(layout(from));
                (0..from).for_each(|at| *block.add(at) = byte_at(at));
                let block = ContractMemory.realloc(block, layout(from), to);
                let kept = (0..from.min(to)).all(|at| *block.add(at) == byte_at(at));
                assert!(kept, "{from} to {to}");
                ContractMemory.dealloc(block, layout(to));
            }
        }
    }
}
