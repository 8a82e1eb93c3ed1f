//! The C driver's types and functions (`hpcc.h`); the header says what each means.

use core::ffi::{c_int, c_void};
use core::sync::atomic::AtomicU32;

/// Bytes that a work request carries in its entry at most.
pub const INLINE_MAX: u32 = 32;
/// Pieces of memory of a work request or receive at most.
pub const PIECES_MAX: u32 = 4;
/// Slots of a work request with a list of pieces.
pub const SEND_SLOTS: u32 = 2;
/// Slots of a receive of as many pieces as there may be.
pub const RECEIVE_SLOTS: u32 = 3;
/// Bytes of a slot of a send queue.
pub const SEND_BYTES: usize = 64;
/// Bytes of a slot of a receive queue.
pub const RECEIVE_BYTES: usize = 32;
/// Bytes of an entry of a completion queue.
pub const COMPLETION_BYTES: usize = 32;
/// Entries of a ring at most.
pub const ENTRIES_MAX: u32 = 32768;

/// Doorbell: send queue.
pub const DOORBELL_SEND: u32 = 0;
/// Doorbell: receive queue.
pub const DOORBELL_RECEIVE: u32 = 4;
/// Doorbell: completions taken.
pub const DOORBELL_CONSUMED: u32 = 8;
/// Doorbell: event for the next completion.
pub const DOORBELL_ARM: u32 = 12;
/// Doorbell: event for the next solicited or failed completion.
pub const DOORBELL_ARM_SOLICITED: u32 = 16;

/// Flag of a work request: asks for a completion.
pub const SIGNALED: u8 = 1;
/// Flag of a work request: solicits an event of the peer.
pub const SOLICITED: u8 = 2;
/// Flag of a work request: waits for READs and atomics before it.
pub const FENCE: u8 = 4;
/// Flag of a work request: the data stands in the entry.
pub const INLINE: u8 = 8;

/// Flag of a completion: immediate data.
pub const HAS_IMMEDIATE: u8 = 1;
/// Flag of a completion: a region was invalidated.
pub const HAS_INVALIDATED: u8 = 2;
/// Bit of the opcode of completions of a receive queue.
pub const RECEIVED: u8 = 128;

/// Result: no memory that the NIC can reach.
pub const NO_MEMORY: c_int = -1;
/// Result: the queue is full.
pub const FULL: c_int = -2;
/// Result: something does not fit its place.
pub const INVALID: c_int = -3;
/// Result: the NIC does not answer.
pub const NO_ANSWER: c_int = -4;

/// `struct hpcc_ops`.
#[repr(C)]
pub struct Ops {
    /// Writes a doorbell.
    pub doorbell: unsafe extern "C" fn(context: *mut c_void, offset: u32, word: u32),
    /// Zeroed memory that the NIC can reach.
    pub allocate: unsafe extern "C" fn(context: *mut c_void, bytes: usize, device_address: *mut u64) -> *mut c_void,
    /// Gives it back.
    pub release: unsafe extern "C" fn(context: *mut c_void, memory: *mut c_void, bytes: usize),
    /// Reads a register; none where another program gives the commands.
    pub read: Option<unsafe extern "C" fn(context: *mut c_void, offset: u32) -> u32>,
    /// Writes a register; none likewise.
    pub write: Option<unsafe extern "C" fn(context: *mut c_void, offset: u32, value: u32)>,
}

/// `struct hpcc_device`.
#[repr(C)]
pub struct Device {
    /// What the driver needs of its surroundings.
    pub ops: *const Ops,
    /// Their first argument.
    pub context: *mut c_void,
}

/// `struct hpcc_ring`.
#[repr(C)]
#[derive(Debug)]
pub struct Ring {
    /// Slots.
    pub entries: *mut u8,
    /// Their address as the NIC sees it.
    pub device_address: u64,
    /// Number of slots.
    pub count: u32,
    /// Index behind the last slot written.
    pub produced: u32,
    /// Index behind the last slot that is free again.
    pub consumed: AtomicU32,
}

/// `struct hpcc_cq`.
#[repr(C)]
#[derive(Debug)]
pub struct Cq {
    /// The device.
    pub device: *mut Device,
    /// Completions.
    pub ring: Ring,
    /// Number.
    pub number: u16,
}

/// `struct hpcc_eq`.
#[repr(C)]
#[derive(Debug)]
pub struct EventQueue {
    /// The device.
    pub device: *mut Device,
    /// Events.
    pub ring: Ring,
    /// Number.
    pub number: u8,
}

/// `struct hpcc_event`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// Completion queue or queue pair.
    pub number: u32,
    /// Kind.
    pub kind: u8,
}

/// `struct hpcc_qp`.
#[repr(C)]
#[derive(Debug)]
pub struct Qp {
    /// The device.
    pub device: *mut Device,
    /// Send queue.
    pub send: Ring,
    /// Receive queue.
    pub receive: Ring,
    /// Low bits of the number, which doorbells carry.
    pub place: u16,
}

/// `struct hpcc_piece`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Piece {
    /// First address.
    pub address: u64,
    /// Bytes.
    pub length: u32,
    /// Local key of the region.
    pub key: u32,
}

/// `struct hpcc_send`.
#[repr(C)]
#[derive(Debug)]
pub struct Send {
    /// Number that the completion carries.
    pub wr_id: u64,
    /// Address at the peer.
    pub remote_address: u64,
    /// Operands of an atomic operation.
    pub operands: [u64; 2],
    /// Data of an inline request.
    pub inline_data: *const c_void,
    /// Memory of any other request.
    pub pieces: *const Piece,
    /// Bytes of inline data, otherwise pieces.
    pub count: u32,
    /// Key at the peer.
    pub rkey: u32,
    /// Immediate as it stands in memory, or the key to invalidate.
    pub immediate: u32,
    /// Operation.
    pub opcode: u8,
    /// Flags.
    pub flags: u8,
}

/// `struct hpcc_receive`.
#[repr(C)]
#[derive(Debug)]
pub struct Receive {
    /// Number that the completion carries.
    pub wr_id: u64,
    /// Memory.
    pub pieces: *const Piece,
    /// Pieces.
    pub count: u32,
}

/// `struct hpcc_completion`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// Number of the work request or receive.
    pub wr_id: u64,
    /// Clock of the NIC, ns.
    pub time_ns: u64,
    /// Queue pair.
    pub qp: u32,
    /// Bytes.
    pub length: u32,
    /// Immediate as it stands in memory.
    pub immediate: u32,
    /// Slots to this index are free.
    pub index: u16,
    /// What completed.
    pub opcode: u8,
    /// How.
    pub status: u8,
    /// Flags.
    pub flags: u8,
}

#[allow(missing_docs)] // the header says what each does
extern "C" {
    pub fn hpcc_entries(wanted: u32) -> u32;
    pub fn hpcc_cq_init(cq: *mut Cq, device: *mut Device, entries: u32) -> c_int;
    pub fn hpcc_cq_release(cq: *mut Cq);
    pub fn hpcc_cq_next(cq: *mut Cq, completion: *mut Completion) -> c_int;
    pub fn hpcc_cq_peek(cq: *const Cq, ahead: u32, completion: *mut Completion) -> c_int;
    pub fn hpcc_cq_consumed(cq: *mut Cq);
    pub fn hpcc_cq_arm(cq: *mut Cq, solicited: bool);
    pub fn hpcc_cq_clean(cq: *mut Cq, qp: u32);
    pub fn hpcc_eq_init(eq: *mut EventQueue, device: *mut Device, entries: u32) -> c_int;
    pub fn hpcc_eq_release(eq: *mut EventQueue);
    pub fn hpcc_eq_next(eq: *mut EventQueue, event: *mut Event) -> c_int;
    pub fn hpcc_eq_consumed(eq: *mut EventQueue);
    pub fn hpcc_qp_init(qp: *mut Qp, device: *mut Device, sends: u32, receives: u32) -> c_int;
    pub fn hpcc_qp_release(qp: *mut Qp);
    pub fn hpcc_qp_reset(qp: *mut Qp);
    pub fn hpcc_post_send(qp: *mut Qp, work: *const Send) -> c_int;
    pub fn hpcc_post_receive(qp: *mut Qp, work: *const Receive) -> c_int;
    pub fn hpcc_ring_send(qp: *mut Qp);
    pub fn hpcc_ring_receive(qp: *mut Qp);
    pub fn hpcc_qp_retire(qp: *mut Qp, completion: *const Completion);
    pub fn hpcc_qp_flush(qp: *mut Qp, receive: bool, completion: *mut Completion) -> c_int;
}
