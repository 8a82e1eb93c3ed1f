//! Work requests built call by call (`ibv_wr_start`, `ibv_wr_send`, ..., `ibv_wr_complete`).
//!
//! A request is written to the queue when the next one begins or when all are complete; the NIC sees none before that.

use crate::abi::{self, DataBuf, QpEx, QpInitAttr, QpInitAttrEx, Sge};
use crate::context::{fail, Context};
use crate::post;
use crate::queue_pair::{create, Building, Qp};
use core::ffi::{c_int, c_void};
use core::ptr;
use hpcc_driver::abi as driver;
use hpcc_driver::control::errno;

fn ours<'a>(qp: *mut QpEx) -> &'a mut Qp {
    // SAFETY: the program's queue pair, which `wr_start` locked.
    unsafe { &mut *qp.cast() }
}

impl Qp {
    /// Writes the request that is being built to the queue.
    fn write(&mut self) {
        let Some(mut send) = self.building.send.take() else {
            return;
        };
        if self.building.error != 0 {
            return;
        }
        send.pieces = self.building.pieces.as_ptr();
        send.count = self.building.count as u32;
        // SAFETY: the pieces stay where they are meanwhile.
        let result = unsafe { driver::hpcc_post_send(&raw mut self.driver, &raw const send) };
        self.building.error = post::error_of(result);
    }

    /// The next request begins.
    fn begin(&mut self, opcode: u8, rkey: u32, remote_address: u64) -> &mut driver::Send {
        self.write();
        self.building.count = 0;
        self.building.send.insert(driver::Send {
            wr_id: self.ex.wr_id,
            opcode,
            flags: post::entry_flags(&self.init, self.ex.wr_flags),
            rkey,
            remote_address,
            ..post::empty_send()
        })
    }

    fn put_inline(&mut self, data: &[(*const c_void, usize)]) {
        let Some(mut send) = self.building.send.take() else {
            return;
        };
        if self.building.error == 0 {
            // SAFETY: the program's data is as long as it says.
            self.building.error = unsafe { post::put_inline(self, data, &mut send) };
        }
    }
}

unsafe extern "C" fn start(qp: *mut QpEx) {
    // SAFETY: the program's queue pair.
    let qp: &mut Qp = unsafe {
        (*qp.cast::<Qp>()).lock.lock();
        &mut *qp.cast()
    };
    let error = if post::takes_sends(qp) { 0 } else { errno::EINVAL };
    qp.building = Building {
        error,
        begin: qp.driver.send.produced,
        ..Building::default()
    };
}

unsafe extern "C" fn complete(qp: *mut QpEx) -> c_int {
    let qp = ours(qp);
    qp.write();
    let error = qp.building.error;
    if error != 0 {
        qp.driver.send.produced = qp.building.begin;
    } else {
        // SAFETY: the driver's queue pair lies here.
        unsafe { driver::hpcc_ring_send(&raw mut qp.driver) };
    }
    // SAFETY: the program's context.
    unsafe { Context::of(qp.ex.base.context) }.shared.called();
    qp.lock.unlock();
    error
}

unsafe extern "C" fn abort(qp: *mut QpEx) {
    let qp = ours(qp);
    qp.building.send = None;
    qp.driver.send.produced = qp.building.begin;
    qp.lock.unlock();
}

const WRITE: u8 = 0;
const WRITE_IMMEDIATE: u8 = 1;
const SEND: u8 = 2;
const SEND_IMMEDIATE: u8 = 3;
const READ: u8 = 4;
const COMPARE_SWAP: u8 = 5;
const FETCH_ADD: u8 = 6;

unsafe extern "C" fn send(qp: *mut QpEx) {
    ours(qp).begin(SEND, 0, 0);
}

unsafe extern "C" fn send_imm(qp: *mut QpEx, immediate: u32) {
    ours(qp).begin(SEND_IMMEDIATE, 0, 0).immediate = immediate;
}

unsafe extern "C" fn write(qp: *mut QpEx, rkey: u32, address: u64) {
    ours(qp).begin(WRITE, rkey, address);
}

unsafe extern "C" fn write_imm(qp: *mut QpEx, rkey: u32, address: u64, immediate: u32) {
    ours(qp).begin(WRITE_IMMEDIATE, rkey, address).immediate = immediate;
}

unsafe extern "C" fn read(qp: *mut QpEx, rkey: u32, address: u64) {
    ours(qp).begin(READ, rkey, address);
}

unsafe extern "C" fn compare_swap(qp: *mut QpEx, rkey: u32, address: u64, compare: u64, swap: u64) {
    ours(qp).begin(COMPARE_SWAP, rkey, address).operands = [compare, swap];
}

unsafe extern "C" fn fetch_add(qp: *mut QpEx, rkey: u32, address: u64, add: u64) {
    ours(qp).begin(FETCH_ADD, rkey, address).operands = [add, 0];
}

unsafe extern "C" fn set_list(qp: *mut QpEx, count: usize, list: *const Sge) {
    let qp = ours(qp);
    // SAFETY: the program's list is as long as it says.
    match unsafe { post::pieces(list, count, qp.init.cap.max_send_sge) } {
        Some(pieces) => {
            qp.building.pieces = pieces;
            qp.building.count = count;
        }
        None => qp.building.error = errno::EINVAL,
    }
}

unsafe extern "C" fn set_one(qp: *mut QpEx, key: u32, address: u64, length: u32) {
    let sge = Sge {
        addr: address,
        length,
        lkey: key,
    };
    // SAFETY: a list of one.
    unsafe { set_list(qp, 1, &raw const sge) };
}

unsafe extern "C" fn set_inline(qp: *mut QpEx, data: *mut c_void, length: usize) {
    ours(qp).put_inline(&[(data.cast_const(), length)]);
}

unsafe extern "C" fn set_inline_list(qp: *mut QpEx, count: usize, list: *const DataBuf) {
    // SAFETY: the program's list is as long as it says.
    let data: Vec<(*const c_void, usize)> = (0..count)
        .map(|i| unsafe { ((*list.add(i)).addr.cast_const(), (*list.add(i)).length) })
        .collect();
    ours(qp).put_inline(&data);
}

/// The queue pair takes work requests that are built.
fn attach(ex: &mut QpEx) {
    ex.comp_mask = 1;
    ex.wr_start = Some(start);
    ex.wr_complete = Some(complete);
    ex.wr_abort = Some(abort);
    ex.wr_send = Some(send);
    ex.wr_send_imm = Some(send_imm);
    ex.wr_rdma_write = Some(write);
    ex.wr_rdma_write_imm = Some(write_imm);
    ex.wr_rdma_read = Some(read);
    ex.wr_atomic_cmp_swp = Some(compare_swap);
    ex.wr_atomic_fetch_add = Some(fetch_add);
    ex.wr_set_sge = Some(set_one);
    ex.wr_set_sge_list = Some(set_list);
    ex.wr_set_inline_data = Some(set_inline);
    ex.wr_set_inline_data_list = Some(set_inline_list);
}

const ATTR_PD: u32 = 1;
const ATTR_SEND_OPS: u32 = 1 << 6;
/// WRITE and SEND with and without immediate, READ, both atomics.
const SEND_OPS: u64 = 0x7f;

/// `create_qp_ex` of the context.
pub(crate) unsafe extern "C" fn create_qp_ex(_: *mut abi::Context, init: *mut QpInitAttrEx) -> *mut abi::Qp {
    // SAFETY: the program's structure.
    unsafe {
        let init = &*init;
        let builds = init.comp_mask & ATTR_SEND_OPS != 0;
        if init.comp_mask & ATTR_PD == 0 {
            return fail(errno::EINVAL);
        }
        if init.comp_mask & !(ATTR_PD | ATTR_SEND_OPS) != 0 || builds && init.send_ops_flags & !SEND_OPS != 0 {
            return fail(errno::EOPNOTSUPP);
        }
        let base = QpInitAttr {
            qp_context: init.qp_context,
            send_cq: init.send_cq,
            recv_cq: init.recv_cq,
            srq: init.srq,
            cap: init.cap,
            qp_type: init.qp_type,
            sq_sig_all: init.sq_sig_all,
        };
        match create(init.pd.cast(), &base) {
            Ok(qp) => {
                if builds {
                    attach(&mut (*qp).ex);
                }
                qp.cast()
            }
            Err(error) => fail(error),
        }
    }
}

#[no_mangle]
unsafe extern "C" fn ibv_qp_to_qp_ex(qp: *mut abi::Qp) -> *mut QpEx {
    let ex: *mut QpEx = qp.cast();
    // SAFETY: every queue pair is made as an extended one.
    unsafe {
        if (*ex).comp_mask != 0 {
            ex
        } else {
            ptr::null_mut()
        }
    }
}
