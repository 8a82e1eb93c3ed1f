//! The fast path: a work request a clock, and an answer or a READ response a clock, of different queue pairs, beside the state machine.
//!
//! ```text
//! work ────► window ──► post_entry ─► posts ──┬─► message, work for the scheduler
//!                           ▲                 └─► back to the window; to the state machine
//!                         turns
//!                           ▼                 ┌─► completion, event, echo
//! answers ─► held ──────► entry ───► stages ──┼─► decision about a READ response
//! responses ──────────────┘                   └─► to the state machine
//! ```
//!
//! | file | subject |
//! | --- | --- |
//! | `window` | work requests that wait, and what has become of them |
//! | `held` | answers in the pipe |
//! | `responses` | READ responses that wait, are in the pipe, or wait for their decision to leave |
//! | `post_entry` | which work request enters next |
//! | `posts` | the pipe of work requests |
//! | `entry` | which answer or READ response enters next |
//! | `stages` | their pipe |
//! | `turns` | the pipes or the state machine |

pub mod entry;
pub mod held;
pub mod post_entry;
pub mod posts;
pub mod responses;
pub mod stages;
pub mod turns;
pub mod window;
