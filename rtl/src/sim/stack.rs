//! Blocks that need more stack than a thread has.

/// A block is built on the stack before it is boxed, and an unoptimised build of the whole NIC needs more than a thread usually has.
const STACK_BYTES: usize = 256 << 20;

/// Does `work` on a thread whose stack is large enough for any block.
pub fn on_a_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> std::io::Result<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
        let thread = thread.spawn_scoped(scope, work)?;
        Ok(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}
