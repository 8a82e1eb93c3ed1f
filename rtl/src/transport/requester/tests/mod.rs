//! The requester against expectations written by hand, and beside the model.

mod bench;
mod directed;
mod model;
mod parts;
pub mod psns;
mod world;
