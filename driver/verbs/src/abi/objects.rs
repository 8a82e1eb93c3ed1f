//! Devices, contexts and what is made from them.

use super::attributes::{CqInitAttrEx, DeviceAttrEx, PortAttr, QpInitAttrEx, QueryDeviceExInput, ValuesEx};
use super::work::{DataBuf, PollCqAttr, RecvWr, SendWr, Sge, Wc};
use super::{Errno, Unused};
use core::ffi::{c_char, c_int, c_uint, c_void};
use libc::{pthread_cond_t, pthread_mutex_t};

/// `struct ibv_device`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Device {
    pub ops: [usize; 2],
    pub node_type: c_int,
    pub transport_type: c_int,
    pub name: [c_char; 64],
    pub dev_name: [c_char; 64],
    pub dev_path: [c_char; 256],
    pub ibdev_path: [c_char; 256],
}

/// `struct ibv_context_ops`.
#[repr(C)]
pub struct ContextOps {
    pub compat_front: [Unused; 7],
    pub alloc_mw: Unused,
    pub bind_mw: Unused,
    pub dealloc_mw: Unused,
    pub compat_create_cq: Unused,
    pub poll_cq: Option<unsafe extern "C" fn(*mut Cq, c_int, *mut Wc) -> c_int>,
    pub req_notify_cq: Option<unsafe extern "C" fn(*mut Cq, c_int) -> Errno>,
    pub compat_middle: [Unused; 7],
    pub post_srq_recv: Option<unsafe extern "C" fn(*mut c_void, *mut RecvWr, *mut *mut RecvWr) -> Errno>,
    pub compat_qp: [Unused; 4],
    pub post_send: Option<unsafe extern "C" fn(*mut Qp, *mut SendWr, *mut *mut SendWr) -> Errno>,
    pub post_recv: Option<unsafe extern "C" fn(*mut Qp, *mut RecvWr, *mut *mut RecvWr) -> Errno>,
    pub compat_end: [Unused; 5],
}

/// `struct ibv_context`.
#[repr(C)]
pub struct Context {
    pub device: *mut Device,
    pub ops: ContextOps,
    pub cmd_fd: c_int,
    pub async_fd: c_int,
    pub num_comp_vectors: c_int,
    pub mutex: pthread_mutex_t,
    pub abi_compat: *mut c_void,
}

/// `struct verbs_context`: the context is its last member, and newer members stand in front.
#[repr(C)]
pub struct VerbsContext {
    pub query_port: Option<unsafe extern "C" fn(*mut Context, u8, *mut PortAttr, usize) -> Errno>,
    pub unused_front: [Unused; 23],
    pub query_rt_values: Option<unsafe extern "C" fn(*mut Context, *mut ValuesEx) -> Errno>,
    pub create_cq_ex: Option<unsafe extern "C" fn(*mut Context, *mut CqInitAttrEx) -> *mut CqEx>,
    pub private: *mut c_void,
    pub query_device_ex:
        Option<unsafe extern "C" fn(*mut Context, *const QueryDeviceExInput, *mut DeviceAttrEx, usize) -> Errno>,
    pub unused_flow: [Unused; 5],
    pub create_qp_ex: Option<unsafe extern "C" fn(*mut Context, *mut QpInitAttrEx) -> *mut Qp>,
    pub unused_xrc: [Unused; 5],
    pub size: usize,
    pub context: Context,
}

/// `struct ibv_pd`.
#[repr(C)]
pub struct Pd {
    pub context: *mut Context,
    pub handle: u32,
}

/// `struct ibv_mr`.
#[repr(C)]
pub struct Mr {
    pub context: *mut Context,
    pub pd: *mut Pd,
    pub addr: *mut c_void,
    pub length: usize,
    pub handle: u32,
    pub lkey: u32,
    pub rkey: u32,
}

/// `struct ibv_comp_channel`.
#[repr(C)]
pub struct CompChannel {
    pub context: *mut Context,
    pub fd: c_int,
    pub refcnt: c_int,
}

/// `struct ibv_cq`.
#[repr(C)]
pub struct Cq {
    pub context: *mut Context,
    pub channel: *mut CompChannel,
    pub cq_context: *mut c_void,
    pub handle: u32,
    pub cqe: c_int,
    pub mutex: pthread_mutex_t,
    pub cond: pthread_cond_t,
    pub comp_events_completed: u32,
    pub async_events_completed: u32,
}

/// Reads one property of the completion that an extended queue stands at.
pub type Read<T> = Option<unsafe extern "C" fn(*mut CqEx) -> T>;

/// `struct ibv_cq_ex`, which begins as `struct ibv_cq`.
#[repr(C)]
pub struct CqEx {
    pub base: Cq,
    pub comp_mask: u32,
    pub status: c_int,
    pub wr_id: u64,
    pub start_poll: Option<unsafe extern "C" fn(*mut CqEx, *mut PollCqAttr) -> Errno>,
    pub next_poll: Read<Errno>,
    pub end_poll: Read<()>,
    pub read_opcode: Read<c_int>,
    pub read_vendor_err: Read<u32>,
    pub read_byte_len: Read<u32>,
    pub read_imm_data: Read<u32>,
    pub read_qp_num: Read<u32>,
    pub read_src_qp: Read<u32>,
    pub read_wc_flags: Read<c_uint>,
    pub read_slid: Read<u32>,
    pub read_sl: Read<u8>,
    pub read_dlid_path_bits: Read<u8>,
    pub read_completion_ts: Read<u64>,
    pub read_cvlan: Read<u16>,
    pub read_flow_tag: Read<u32>,
    pub read_tm_info: Unused,
    pub read_completion_wallclock_ns: Read<u64>,
}

/// `struct ibv_qp`.
#[repr(C)]
pub struct Qp {
    pub context: *mut Context,
    pub qp_context: *mut c_void,
    pub pd: *mut Pd,
    pub send_cq: *mut Cq,
    pub recv_cq: *mut Cq,
    pub srq: *mut c_void,
    pub handle: u32,
    pub qp_num: u32,
    pub state: c_int,
    pub qp_type: c_int,
    pub mutex: pthread_mutex_t,
    pub cond: pthread_cond_t,
    pub events_completed: u32,
}

/// `struct ibv_qp_ex`.
#[repr(C)]
pub struct QpEx {
    pub base: Qp,
    pub comp_mask: u64,
    pub wr_id: u64,
    pub wr_flags: c_uint,
    pub wr_atomic_cmp_swp: Option<unsafe extern "C" fn(*mut QpEx, u32, u64, u64, u64)>,
    pub wr_atomic_fetch_add: Option<unsafe extern "C" fn(*mut QpEx, u32, u64, u64)>,
    pub wr_bind_mw: Unused,
    pub wr_local_inv: Unused,
    pub wr_rdma_read: Option<unsafe extern "C" fn(*mut QpEx, u32, u64)>,
    pub wr_rdma_write: Option<unsafe extern "C" fn(*mut QpEx, u32, u64)>,
    pub wr_rdma_write_imm: Option<unsafe extern "C" fn(*mut QpEx, u32, u64, u32)>,
    pub wr_send: Option<unsafe extern "C" fn(*mut QpEx)>,
    pub wr_send_imm: Option<unsafe extern "C" fn(*mut QpEx, u32)>,
    pub wr_send_inv: Unused,
    pub wr_send_tso: Unused,
    pub wr_set_ud_addr: Unused,
    pub wr_set_xrc_srqn: Unused,
    pub wr_set_inline_data: Option<unsafe extern "C" fn(*mut QpEx, *mut c_void, usize)>,
    pub wr_set_inline_data_list: Option<unsafe extern "C" fn(*mut QpEx, usize, *const DataBuf)>,
    pub wr_set_sge: Option<unsafe extern "C" fn(*mut QpEx, u32, u64, u32)>,
    pub wr_set_sge_list: Option<unsafe extern "C" fn(*mut QpEx, usize, *const Sge)>,
    pub wr_start: Option<unsafe extern "C" fn(*mut QpEx)>,
    pub wr_complete: Option<unsafe extern "C" fn(*mut QpEx) -> Errno>,
    pub wr_abort: Option<unsafe extern "C" fn(*mut QpEx)>,
    pub wr_atomic_write: Unused,
}

/// `struct ibv_async_event`.
#[repr(C)]
pub struct AsyncEvent {
    pub element: *mut c_void,
    pub event_type: c_int,
}
