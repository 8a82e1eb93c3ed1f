//! The memory shared with the daemon, in this process.

use core::ptr;
use core::sync::atomic::{fence, AtomicU32, AtomicU64, Ordering};
use hpcc_driver::shared::{
    doorbell_at, doorbell_word, BLOCKED, CALLS, CALLS_AT_POLL, CLOCK, DOORBELLS, DOORBELL_STRIDE, EMPTY_POLLS, HEAP,
    SIZE, SLEEPING,
};
use std::collections::BTreeMap;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks, also behind a thread that ended while it held the lock.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A mapping that lives as long as its context, and free pieces of it.
pub(crate) struct Shared {
    base: *mut u8,
    wake: OwnedFd,
    heap: Mutex<Heap>,
}

/// Pieces in use, by size class: each is a power of two, and freed pieces are used again.
struct Heap {
    next: u64,
    free: BTreeMap<u64, Vec<u64>>,
}

impl Shared {
    /// Maps the file that the daemon sent; `wake` wakes it.
    pub(crate) fn map(file: &OwnedFd, wake: OwnedFd) -> Option<Self> {
        let (access, flags) = (
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED | libc::MAP_NORESERVE,
        );
        // SAFETY: a new mapping of a file that is sealed against shrinking.
        let base = unsafe { libc::mmap(ptr::null_mut(), SIZE as usize, access, flags, file.as_raw_fd(), 0) };
        (base != libc::MAP_FAILED).then(|| Self {
            base: base.cast(),
            wake,
            heap: Mutex::new(Heap {
                next: HEAP,
                free: BTreeMap::new(),
            }),
        })
    }

    fn word(&self, at: u64) -> &AtomicU32 {
        // SAFETY: all places are within the mapping and aligned.
        unsafe { &*self.base.add(at as usize).cast() }
    }

    /// Clock of the NIC, ns.
    pub(crate) fn clock(&self) -> u64 {
        // SAFETY: as above.
        let clock: &AtomicU64 = unsafe { &*self.base.add(CLOCK as usize).cast() };
        clock.load(Ordering::Acquire)
    }

    /// The program has called something.
    pub(crate) fn called(&self) {
        self.word(CALLS).fetch_add(1, Ordering::SeqCst);
    }

    /// The program has polled and found nothing.
    pub(crate) fn polled_empty(&self) {
        let calls = self.word(CALLS).load(Ordering::SeqCst);
        self.word(CALLS_AT_POLL).store(calls, Ordering::SeqCst);
        self.word(EMPTY_POLLS).fetch_add(1, Ordering::SeqCst);
    }

    /// Runs what waits for an event, and says so meanwhile.
    pub(crate) fn blocked<T>(&self, wait: impl FnOnce() -> T) -> T {
        self.word(BLOCKED).fetch_add(1, Ordering::SeqCst);
        self.wake_daemon();
        let result = wait();
        self.word(BLOCKED).fetch_sub(1, Ordering::SeqCst);
        self.called();
        result
    }

    /// Rings a doorbell of the queue with this record.
    pub(crate) fn ring(&self, slot: u32, offset: u32, index: u16) {
        let word = self.word(DOORBELLS + u64::from(slot) * DOORBELL_STRIDE + doorbell_at(offset));
        word.store(doorbell_word(word.load(Ordering::Relaxed), index), Ordering::Release);
        self.wake_daemon();
    }

    /// The word is stored, then the daemon's is read; the daemon does so the other way round, so that one of both sees the other.
    fn wake_daemon(&self) {
        fence(Ordering::SeqCst);
        if self.word(SLEEPING).load(Ordering::Relaxed) != 0 {
            // SAFETY: eight bytes of a number of eight bytes.
            unsafe { libc::write(self.wake.as_raw_fd(), (&raw const ONE).cast(), 8) };
        }
    }

    /// Zeroed memory of `bytes`, aligned to 4096: address here, and place in the file.
    pub(crate) fn allocate(&self, bytes: usize) -> Option<(*mut u8, u64)> {
        let size = (bytes as u64).max(4096).next_power_of_two();
        let mut heap = locked(&self.heap);
        let at = match heap.free.get_mut(&size).and_then(Vec::pop) {
            Some(at) => at,
            None => {
                let at = heap.next;
                heap.next = at.checked_add(size).filter(|end| *end <= SIZE)?;
                at
            }
        };
        // SAFETY: the piece is within the mapping and nobody else's.
        unsafe {
            let piece = self.base.add(at as usize);
            ptr::write_bytes(piece, 0, bytes);
            Some((piece, at))
        }
    }

    /// Gives a piece back.
    pub(crate) fn release(&self, piece: *mut u8, bytes: usize) {
        let size = (bytes as u64).max(4096).next_power_of_two();
        locked(&self.heap).free.entry(size).or_default().push(self.place(piece));
    }

    /// Place of a piece in the file.
    pub(crate) fn place(&self, piece: *const u8) -> u64 {
        (piece as usize - self.base as usize) as u64
    }
}

static ONE: u64 = 1;

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: the mapping is this one's, and nothing in it is used any more.
        unsafe { libc::munmap(self.base.cast(), SIZE as usize) };
    }
}
