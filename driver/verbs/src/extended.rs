//! Completion queues polled step by step, with accessors (`struct ibv_cq_ex`).

use crate::abi::{CqEx, CqInitAttrEx};
use crate::completion::{self, vendor_error, wc_flags, wc_status, Cq};
use crate::context::fail;
use core::ffi::{c_int, c_uint};
use hpcc_driver::control::errno;

/// What standard accessors read, and both kinds of time stamps.
const WC_FLAGS: u64 = 0x7f | 1 << 7 | 1 << 11;
const ATTR_FLAGS: u32 = 1;

/// The queue stands at its next completion; `ENOENT` if there is none.
unsafe fn step(cq: *mut Cq) -> c_int {
    // SAFETY: the program's queue, which is locked.
    unsafe {
        let Some(completion) = (*cq).take() else {
            return errno::ENOENT;
        };
        (*cq).current = completion;
        (*cq).ex.status = wc_status(completion.status);
        (*cq).ex.wr_id = completion.wr_id;
        0
    }
}

unsafe extern "C" fn start_poll(cq: *mut CqEx, attr: *mut crate::abi::PollCqAttr) -> c_int {
    let cq: *mut Cq = cq.cast();
    // SAFETY: the program's queue and structure.
    unsafe {
        if !attr.is_null() && (*attr).comp_mask != 0 {
            return errno::EINVAL;
        }
        (*cq).lock.lock();
        let error = step(cq);
        if error != 0 {
            let give_way = (*cq).found_nothing();
            (*cq).lock.unlock();
            if give_way {
                libc::sched_yield();
            }
        }
        error
    }
}

unsafe extern "C" fn next_poll(cq: *mut CqEx) -> c_int {
    // SAFETY: the program's queue, which `start_poll` locked.
    unsafe { step(cq.cast()) }
}

unsafe extern "C" fn end_poll(cq: *mut CqEx) {
    let cq: *mut Cq = cq.cast();
    // SAFETY: as above.
    unsafe {
        (*cq).taken();
        (*cq).lock.unlock();
    }
}

/// Declares accessors of the completion that the queue stands at.
macro_rules! accessors {
    ($($name:ident: $type:ty = |$at:ident| $value:expr;)*) => {
        $(unsafe extern "C" fn $name(cq: *mut CqEx) -> $type {
            // SAFETY: the program's queue, between the start and the end of a poll.
            let $at = unsafe { &(*cq.cast::<Cq>()).current };
            $value
        })*
    };
}

accessors! {
    read_opcode: c_int = |at| at.opcode.into();
    read_vendor_err: u32 = |at| vendor_error(at.status);
    read_byte_len: u32 = |at| at.length;
    read_imm_data: u32 = |at| at.immediate;
    read_qp_num: u32 = |at| at.qp;
    read_wc_flags: c_uint = |at| wc_flags(at.flags);
    read_time: u64 = |at| at.time_ns;
    read_zero: u32 = |_at| 0;
    read_zero_byte: u8 = |_at| 0;
}

/// `create_cq_ex` of the context.
pub(crate) unsafe extern "C" fn create_cq_ex(context: *mut crate::abi::Context, attr: *mut CqInitAttrEx) -> *mut CqEx {
    // SAFETY: the program's context and structure.
    unsafe {
        let attr = &*attr;
        if attr.wc_flags & !WC_FLAGS != 0 || attr.comp_mask & !ATTR_FLAGS != 0 {
            return fail(errno::EOPNOTSUPP);
        }
        let cq = match completion::create(
            context,
            attr.cqe,
            attr.cq_context,
            attr.channel.cast(),
            attr.comp_vector,
        ) {
            Ok(cq) => cq,
            Err(error) => return fail(error),
        };
        let ex = &mut (*cq).ex;
        ex.start_poll = Some(start_poll);
        ex.next_poll = Some(next_poll);
        ex.end_poll = Some(end_poll);
        ex.read_opcode = Some(read_opcode);
        ex.read_vendor_err = Some(read_vendor_err);
        ex.read_byte_len = Some(read_byte_len);
        ex.read_imm_data = Some(read_imm_data);
        ex.read_qp_num = Some(read_qp_num);
        ex.read_src_qp = Some(read_zero);
        ex.read_wc_flags = Some(read_wc_flags);
        ex.read_slid = Some(read_zero);
        ex.read_sl = Some(read_zero_byte);
        ex.read_dlid_path_bits = Some(read_zero_byte);
        ex.read_completion_ts = Some(read_time);
        ex.read_completion_wallclock_ns = Some(read_time);
        cq.cast()
    }
}
