//! A lock that one call takes and another gives back, as polling an extended completion queue does.

use core::cell::UnsafeCell;

/// A pthread mutex.
pub(crate) struct Lock(UnsafeCell<libc::pthread_mutex_t>);

impl Lock {
    /// A lock that nobody holds. It may not be moved once it is held.
    pub(crate) fn new() -> Self {
        Self(UnsafeCell::new(libc::PTHREAD_MUTEX_INITIALIZER))
    }

    /// Waits for the lock.
    pub(crate) fn lock(&self) {
        // SAFETY: the mutex is initialised and lies where it was made.
        unsafe { libc::pthread_mutex_lock(self.0.get()) };
    }

    /// Gives the lock back; the caller holds it.
    pub(crate) fn unlock(&self) {
        // SAFETY: as above, and the caller holds it.
        unsafe { libc::pthread_mutex_unlock(self.0.get()) };
    }
}
