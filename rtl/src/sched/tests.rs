//! Visits and events against the models, bit for bit; then the whole scheduler, event by event.

mod events;
mod visits;
