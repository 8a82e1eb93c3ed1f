//! The fast path: a work request or an answer a clock, of different queue pairs, beside the state machine.
//!
//! ```text
//! work ────► window ─┐                     ┌─► message, work for the scheduler
//!                    ├─► entry ─► stages ──┼─► completion, event, echo
//! answers ─► held ───┘     ▲               └─► back to the window; to the state machine
//!                        turns
//! ```
//!
//! | file | subject |
//! | --- | --- |
//! | `window` | work requests that wait, and what has become of them |
//! | `held` | answers in the pipe |
//! | `entry` | which enters next |
//! | `stages` | the pipe |
//! | `turns` | the pipe or the state machine |

pub mod entry;
pub mod held;
pub mod stages;
pub mod turns;
pub mod window;
