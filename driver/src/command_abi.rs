//! Types and functions of the driver's commands (`hpcc_command.h`); the header says what each means.

use crate::abi::Device;
use core::ffi::c_int;

/// Right of a region: local writing.
pub const LOCAL_WRITE: u8 = 1;
/// Right of a region and of a queue pair: remote WRITE.
pub const REMOTE_WRITE: u8 = 2;
/// Right of a region and of a queue pair: remote READ.
pub const REMOTE_READ: u8 = 4;
/// Right of a region and of a queue pair: remote atomic operations.
pub const REMOTE_ATOMIC: u8 = 8;
/// Right of a region: invalidation by the peer.
pub const INVALIDATE: u8 = 16;

/// `struct hpcc_place`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// First address.
    pub address: u64,
    /// Entries.
    pub entries: u32,
}

/// `struct hpcc_region`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Region {
    /// First address, as programs and the wire count it.
    pub address: u64,
    /// Bytes.
    pub length: u64,
    /// Added to such an address to give the memory's.
    pub offset: u64,
    /// Key.
    pub key: u32,
    /// Protection domain.
    pub domain: u16,
    /// Rights.
    pub rights: u8,
}

/// `struct hpcc_create_eq`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CreateEq {
    /// Ring.
    pub ring: Place,
    /// Number.
    pub number: u8,
}

/// `struct hpcc_create_cq`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CreateCq {
    /// Ring.
    pub ring: Place,
    /// Doorbell page.
    pub page: u32,
    /// Number.
    pub number: u16,
    /// Event queue.
    pub events: u8,
}

/// `struct hpcc_create_qp`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CreateQp {
    /// Send queue.
    pub send: Place,
    /// Receive queue.
    pub receive: Place,
    /// Number.
    pub number: u32,
    /// Doorbell page.
    pub page: u32,
    /// Protection domain.
    pub domain: u16,
    /// Completion queue of the send queue.
    pub send_cq: u16,
    /// Completion queue of the receive queue.
    pub receive_cq: u16,
    /// Event queue.
    pub events: u8,
}

/// `struct hpcc_attributes`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attributes {
    /// Bit n: the attribute of number n is given.
    pub given: u32,
    /// Path: IPv4 address of the peer.
    pub remote_ip: u32,
    /// Path: UDP source port.
    pub udp_port: u16,
    /// Path: 802.1p priority.
    pub priority: u8,
    /// Path: packets collect INT.
    pub collects_int: bool,
    /// Path: the law is named.
    pub has_law: bool,
    /// Path: code of the law.
    pub law: u8,
    /// Rights of the peer.
    pub rights: u8,
    /// Code of the path MTU.
    pub mtu: u8,
    /// Queue pair of the peer.
    pub remote_qpn: u32,
    /// First PSN expected.
    pub expected_psn: u32,
    /// First PSN sent.
    pub send_psn: u32,
    /// READs and atomic operations of the peer.
    pub responder_reads: u8,
    /// Code of the RNR timer.
    pub rnr_timer: u8,
    /// READs and atomic operations outstanding.
    pub max_rd_atomic: u8,
    /// Code of the retransmission timeout.
    pub timeout: u8,
    /// Retries.
    pub retry_limit: u8,
    /// RNR retries.
    pub rnr_retry: u8,
}

/// `struct hpcc_qp_info`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QpInfo {
    /// Next PSN to send.
    pub send_psn: u32,
    /// Next PSN expected.
    pub expected_psn: u32,
    /// Index behind what has ended in the send queue.
    pub send_consumer: u16,
    /// Index behind what was announced in the send queue.
    pub send_producer: u16,
    /// Index behind what was taken from the receive queue.
    pub receive_consumer: u16,
    /// Index behind what was announced in the receive queue.
    pub receive_producer: u16,
    /// State.
    pub state: u8,
    /// Status of what failed first.
    pub ended: u8,
}

#[allow(missing_docs)] // the header says what each does
extern "C" {
    pub fn hpcc_create_region(device: *mut Device, region: *const Region) -> c_int;
    pub fn hpcc_replace_region(device: *mut Device, region: *const Region) -> c_int;
    pub fn hpcc_destroy_region(device: *mut Device, key: u32) -> c_int;
    pub fn hpcc_create_eq(device: *mut Device, eq: *const CreateEq) -> c_int;
    pub fn hpcc_destroy_eq(device: *mut Device, number: u8) -> c_int;
    pub fn hpcc_create_cq(device: *mut Device, cq: *const CreateCq) -> c_int;
    pub fn hpcc_destroy_cq(device: *mut Device, number: u16) -> c_int;
    pub fn hpcc_create_qp(device: *mut Device, qp: *const CreateQp) -> c_int;
    pub fn hpcc_modify_qp(device: *mut Device, number: u32, state: u8, attributes: *const Attributes) -> c_int;
    pub fn hpcc_query_qp(device: *mut Device, number: u32, info: *mut QpInfo) -> c_int;
    pub fn hpcc_destroy_qp(device: *mut Device, number: u32) -> c_int;
}
