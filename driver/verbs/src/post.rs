//! Work requests handed over whole.

use crate::abi::{self, RecvWr, SendWr, Sge};
use crate::context::Context;
use crate::queue_pair::{Pieces, Qp, RESET};
use core::ffi::{c_int, c_void};
use core::ptr;
use core::sync::atomic::Ordering;
use hpcc_driver::abi::{self as driver, Piece};
use hpcc_driver::control::errno;

const INIT: u32 = 1;
const RTR: u32 = 2;
const WR_COMPARE_SWAP: c_int = 5;
const WR_FETCH_ADD: c_int = 6;
const FENCE: u32 = 1;
const SIGNALED: u32 = 1 << 1;
const SOLICITED: u32 = 1 << 2;
const INLINE: u32 = 1 << 3;

/// The send queue takes work.
pub(crate) fn takes_sends(qp: &Qp) -> bool {
    !matches!(qp.state.load(Ordering::SeqCst), RESET | INIT | RTR)
}

/// Flags of an entry.
pub(crate) fn entry_flags(init: &abi::QpInitAttr, send_flags: u32) -> u8 {
    let bit = |given: bool, flag: u8| if given { flag } else { 0 };
    bit(send_flags & SIGNALED != 0 || init.sq_sig_all != 0, driver::SIGNALED)
        | bit(send_flags & SOLICITED != 0, driver::SOLICITED)
        | bit(send_flags & FENCE != 0, driver::FENCE)
}

/// The list of a program as pieces; `None` if it is longer than the queue pair's lists may be.
pub(crate) unsafe fn pieces(list: *const Sge, count: usize, most: u32) -> Option<Pieces> {
    let mut pieces = Pieces::default();
    if count > most as usize || count > pieces.len() {
        return None;
    }
    for (i, piece) in pieces.iter_mut().enumerate().take(count) {
        // SAFETY: the program's list is as long as it says.
        let sge = unsafe { *list.add(i) };
        *piece = Piece {
            address: sge.addr,
            length: sge.length,
            key: sge.lkey,
        };
    }
    Some(pieces)
}

/// An error number of a result of the driver.
pub(crate) fn error_of(result: c_int) -> c_int {
    match result {
        0 => 0,
        driver::FULL | driver::NO_MEMORY => errno::ENOMEM,
        _ => errno::EINVAL,
    }
}

/// Data that is copied now: into the entry if it fits, otherwise into the room of the entry's slot.
pub(crate) unsafe fn put_inline(qp: &mut Qp, data: &[(*const c_void, usize)], send: &mut driver::Send) -> c_int {
    let len: usize = data.iter().map(|(_, len)| len).sum();
    if len > qp.init.cap.max_inline_data as usize {
        return errno::EINVAL;
    }
    let mut bytes = [0u8; crate::query::MAX_INLINE as usize];
    let mut at = 0;
    for &(from, len) in data {
        // SAFETY: the program's data is as long as it says, and all of it fits.
        unsafe { ptr::copy_nonoverlapping(from.cast::<u8>(), bytes.as_mut_ptr().add(at), len) };
        at += len;
    }
    let piece;
    if len <= driver::INLINE_MAX as usize {
        send.flags |= driver::INLINE;
        send.inline_data = bytes.as_ptr().cast();
        send.count = len as u32;
    } else {
        let ring = &qp.driver.send;
        let in_use = ring.produced.wrapping_sub(ring.consumed.load(Ordering::SeqCst));
        if in_use >= ring.count {
            return errno::ENOMEM;
        }
        let place = (ring.produced & (ring.count - 1)) * qp.inline.bytes;
        // SAFETY: the room has such a piece for every slot, and this slot is free.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), qp.inline.room.add(place as usize), len) };
        piece = Piece {
            address: place.into(),
            length: len as u32,
            key: qp.inline.key,
        };
        send.pieces = &raw const piece;
        send.count = 1;
    }
    // SAFETY: what the request points to lives until here.
    error_of(unsafe { driver::hpcc_post_send(&raw mut qp.driver, &raw const *send) })
}

/// An entry without data.
pub(crate) fn empty_send() -> driver::Send {
    driver::Send {
        wr_id: 0,
        remote_address: 0,
        operands: [0; 2],
        inline_data: ptr::null(),
        pieces: ptr::null(),
        count: 0,
        rkey: 0,
        immediate: 0,
        opcode: 0,
        flags: 0,
    }
}

unsafe fn post_one(qp: &mut Qp, wr: &SendWr) -> c_int {
    let (Ok(opcode), Ok(count)) = (u8::try_from(wr.opcode), usize::try_from(wr.num_sge)) else {
        return errno::EINVAL;
    };
    if wr.opcode > WR_FETCH_ADD {
        return errno::EINVAL;
    }
    let mut send = driver::Send {
        wr_id: wr.wr_id,
        immediate: wr.imm_data,
        opcode,
        flags: entry_flags(&qp.init, wr.send_flags),
        ..empty_send()
    };
    // SAFETY: the operation says which part is filled; lists are as long as told.
    unsafe {
        if matches!(wr.opcode, WR_COMPARE_SWAP | WR_FETCH_ADD) {
            let atomic = wr.wr.atomic;
            send.remote_address = atomic.remote_addr;
            send.rkey = atomic.rkey;
            send.operands = [atomic.compare_add, atomic.swap];
        } else {
            send.remote_address = wr.wr.rdma.remote_addr;
            send.rkey = wr.wr.rdma.rkey;
        }
        let Some(pieces) = pieces(wr.sg_list, count, qp.init.cap.max_send_sge) else {
            return errno::EINVAL;
        };
        if wr.send_flags & INLINE != 0 {
            let data = pieces.map(|piece| (piece.address as *const c_void, piece.length as usize));
            return put_inline(qp, &data[..count], &mut send);
        }
        send.pieces = pieces.as_ptr();
        send.count = count as u32;
        error_of(driver::hpcc_post_send(&raw mut qp.driver, &raw const send))
    }
}

/// `post_send` of the context.
pub(crate) unsafe extern "C" fn post_send(qp: *mut abi::Qp, wr: *mut SendWr, bad: *mut *mut SendWr) -> c_int {
    let ours: *mut Qp = qp.cast();
    // SAFETY: the program's queue pair and list of requests.
    unsafe {
        (*ours).lock.lock();
        let (mut error, mut at, mut posted) = (0, wr, false);
        while !at.is_null() {
            error = if takes_sends(&*ours) {
                post_one(&mut *ours, &*at)
            } else {
                errno::EINVAL
            };
            if error != 0 {
                *bad = at;
                break;
            }
            posted = true;
            at = (*at).next;
        }
        if posted {
            driver::hpcc_ring_send(&raw mut (*ours).driver);
        }
        (*ours).lock.unlock();
        Context::of((*qp).context).shared.called();
        error
    }
}

unsafe fn post_one_receive(qp: &mut Qp, wr: &RecvWr) -> c_int {
    if qp.state.load(Ordering::SeqCst) == RESET {
        return errno::EINVAL;
    }
    // SAFETY: the program's list is as long as it says.
    unsafe {
        let count = usize::try_from(wr.num_sge).ok();
        let Some((count, pieces)) =
            count.and_then(|count| Some((count, pieces(wr.sg_list, count, qp.init.cap.max_recv_sge)?)))
        else {
            return errno::EINVAL;
        };
        let receive = driver::Receive {
            wr_id: wr.wr_id,
            pieces: pieces.as_ptr(),
            count: count as u32,
        };
        error_of(driver::hpcc_post_receive(&raw mut qp.driver, &raw const receive))
    }
}

/// `post_recv` of the context.
pub(crate) unsafe extern "C" fn post_recv(qp: *mut abi::Qp, wr: *mut RecvWr, bad: *mut *mut RecvWr) -> c_int {
    let ours: *mut Qp = qp.cast();
    // SAFETY: the program's queue pair and list of receives.
    unsafe {
        (*ours).lock.lock();
        let (mut error, mut at, mut posted) = (0, wr, false);
        while !at.is_null() {
            error = post_one_receive(&mut *ours, &*at);
            if error != 0 {
                *bad = at;
                break;
            }
            posted = true;
            at = (*at).next;
        }
        if posted {
            driver::hpcc_ring_receive(&raw mut (*ours).driver);
        }
        (*ours).lock.unlock();
        Context::of((*qp).context).shared.called();
        error
    }
}
