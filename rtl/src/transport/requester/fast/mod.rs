//! The fast path: a work request, an answer or a READ response a clock, of different queue pairs, beside the state machine.
//!
//! ```text
//! work ────► window ─┐                     ┌─► message, work for the scheduler
//!                    ├─► entry ─► stages ──┼─► completion, event, echo
//! answers ─► held ───┤     ▲               ├─► decision about a READ response
//! responses ─────────┘   turns             └─► back to the window; to the state machine
//! ```
//!
//! | file | subject |
//! | --- | --- |
//! | `window` | work requests that wait, and what has become of them |
//! | `held` | answers in the pipe |
//! | `responses` | READ responses that wait, are in the pipe, or wait for their decision to leave |
//! | `entry` | which enters next |
//! | `stages` | the pipe |
//! | `turns` | the pipe or the state machine |

pub mod entry;
pub mod held;
pub mod responses;
pub mod stages;
pub mod turns;
pub mod window;
