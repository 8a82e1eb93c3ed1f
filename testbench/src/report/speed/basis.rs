//! The wire and the clock that rates are told by, and why there may be no rate.

use crate::nic::DeviceError;
use crate::verilated::ModelError;
use hpcc_models::wire::RETH_LEN;

/// Clock rate at which clocks are turned into seconds, Hz.
pub const CLOCK_HZ: f64 = 200e6;
/// The wire, bits per second.
pub const WIRE_BPS: f64 = 100e9;
/// Frame lengths of the tables, bytes with FCS: those of WRITEs of one packet whose payload needs no pad bytes.
pub const SIZES: [usize; 7] = [78, 126, 254, 510, 1022, 1518, 4094];
/// Bytes of a frame of data beside its payload: Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4.
pub(super) const DATA_OVERHEAD: usize = 62;
/// The same of a WRITE of one packet.
pub(super) const WRITE_OVERHEAD: usize = DATA_OVERHEAD + RETH_LEN;
/// Preamble and gap between frames, bytes.
pub(super) const GAP: usize = 20;

/// Why there is no number.
#[derive(Debug, thiserror::Error)]
pub enum SpeedError {
    /// The NIC cannot be made or breaks a rule.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The scheduler's model cannot be built.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Something did not happen that has to.
    #[error("{0}")]
    Check(String),
}

/// Frames of `bytes` with FCS that the wire carries in a second.
pub fn wire_frames(bytes: usize) -> f64 {
    WIRE_BPS / (8 * (bytes + GAP)) as f64
}
