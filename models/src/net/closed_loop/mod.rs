//! Closed loops: a request, its response when the request has arrived, a pause, the next request (HCC paper, IV, scenario B).
//!
//! Every request and every response is a flow of its own that is added while the simulation runs. A host acts on a message when its last byte is
//! there: it does not wait until the other end has the acknowledgement.

mod network;

use rand_chacha::ChaCha8Rng;

/// One client that asks one server again and again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosedLoop {
    /// Sends requests (node number).
    pub client: u32,
    /// Sends responses (node number).
    pub server: u32,
    /// Payload of a request, bytes.
    pub request_bytes: u64,
    /// Payload of a response, bytes.
    pub response_bytes: u64,
    /// Mean of the pause between the arrival of a response and the next request, ps.
    pub pause_ps: f64,
    /// Its standard deviation, ps; the pause is normal, cut at 0.
    pub pause_deviation_ps: f64,
    /// First request, ps.
    pub start_ps: u64,
    /// No request from here on, ps.
    pub until_ps: u64,
    /// TCP: a message goes on with the window that the one before it had reached.
    pub keep_window: bool,
    /// Seed of the pauses.
    pub seed: u64,
}

/// A loop that runs.
pub(super) struct Running {
    spec: ClosedLoop,
    rng: ChaCha8Rng,
    request: Option<u32>,
    response: Option<u32>,
    /// Flow whose window the message that starts now goes on with.
    earlier: Option<u32>,
}

#[cfg(test)]
mod tests;
