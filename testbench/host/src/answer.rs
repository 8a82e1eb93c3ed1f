//! What a request gets.

use hpcc_driver::control::Reply;
use std::os::fd::OwnedFd;

/// A reply and the descriptors beside it.
pub type Answer = Result<(Reply, Vec<OwnedFd>), i32>;

/// A number, and nothing beside it.
pub fn number(number: u32) -> Answer {
    Ok((
        Reply {
            number,
            ..Reply::default()
        },
        Vec::new(),
    ))
}
