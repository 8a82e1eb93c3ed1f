//! State of a host's port that sends.

/// Sending half of a host port.
#[derive(Clone, Debug)]
pub(super) struct Nic {
    /// Its port.
    pub port: u32,
    /// Contexts of running flows, in the order of the round robin.
    pub contexts: Vec<u32>,
    /// Where the round robin stopped.
    pub last: usize,
    /// Time of the pending wake-up, ps.
    pub wake_at: Option<u64>,
    /// Tells the pending wake-up from those before it.
    pub wake_token: u32,
    /// The next packet may be one of a TCP connection.
    pub tcp_turn: bool,
}

impl Nic {
    pub(super) fn new(port: u32) -> Self {
        Self {
            port,
            contexts: Vec::new(),
            last: 0,
            wake_at: None,
            wake_token: 0,
            tcp_turn: true,
        }
    }
}
