//! Work requests and completions.

use core::ffi::{c_int, c_uint, c_void};

/// `struct ibv_sge`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Sge {
    pub addr: u64,
    pub length: u32,
    pub lkey: u32,
}

/// Part of `struct ibv_send_wr` for WRITE and READ.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Rdma {
    pub remote_addr: u64,
    pub rkey: u32,
}

/// Part of `struct ibv_send_wr` for atomics.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Atomic {
    pub remote_addr: u64,
    pub compare_add: u64,
    pub swap: u64,
    pub rkey: u32,
}

/// Part of `struct ibv_send_wr` that depends on the operation.
#[repr(C)]
#[derive(Clone, Copy)]
pub union Operation {
    pub rdma: Rdma,
    pub atomic: Atomic,
}

/// `struct ibv_send_wr`.
#[repr(C)]
pub struct SendWr {
    pub wr_id: u64,
    pub next: *mut SendWr,
    pub sg_list: *mut Sge,
    pub num_sge: c_int,
    pub opcode: c_int,
    pub send_flags: c_uint,
    pub imm_data: u32,
    pub wr: Operation,
    pub remote_srqn: u32,
    pub bind_or_tso: [u64; 6],
}

/// `struct ibv_recv_wr`.
#[repr(C)]
pub struct RecvWr {
    pub wr_id: u64,
    pub next: *mut RecvWr,
    pub sg_list: *mut Sge,
    pub num_sge: c_int,
}

/// `struct ibv_wc`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Wc {
    pub wr_id: u64,
    pub status: c_int,
    pub opcode: c_int,
    pub vendor_err: u32,
    pub byte_len: u32,
    pub imm_data: u32,
    pub qp_num: u32,
    pub src_qp: u32,
    pub wc_flags: c_uint,
    pub pkey_index: u16,
    pub slid: u16,
    pub sl: u8,
    pub dlid_path_bits: u8,
}

/// `struct ibv_poll_cq_attr`.
#[repr(C)]
pub struct PollCqAttr {
    pub comp_mask: u32,
}

/// `struct ibv_data_buf`.
#[repr(C)]
pub struct DataBuf {
    pub addr: *mut c_void,
    pub length: usize,
}
