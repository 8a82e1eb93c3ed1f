//! Fetching what will be looked at soon: with a fat tree's packets in flight, packets and ports are rarely in the nearest cache.

/// Starts to fetch a value, up to its first two lines of a cache. A hint: no result depends on it.
#[inline]
pub(super) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_mm_prefetch, _MM_HINT_T0};
        let line = std::ptr::from_ref(value).cast::<i8>();
        // SAFETY: a hint, which reads nothing; both addresses lie within the value.
        unsafe {
            _mm_prefetch(line, _MM_HINT_T0);
            if std::mem::size_of::<T>() > 64 {
                _mm_prefetch(line.add(64), _MM_HINT_T0);
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
