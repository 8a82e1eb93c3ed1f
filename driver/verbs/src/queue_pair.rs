//! Queue pairs.

use crate::abi::{self, QpAttr, QpEx, QpInitAttr};
use crate::completion::Cq;
use crate::context::{fail, Context, KnownQp};
use crate::lock::Lock;
use crate::query::{MAX_INLINE, MAX_SGE, MAX_WR};
use core::ffi::{c_int, c_void};
use core::ptr;
use core::sync::atomic::AtomicU32;
use hpcc_driver::abi as driver;
use hpcc_driver::control::{errno, Reply, Request};

const TYPE_RC: c_int = 2;
/// `IBV_QPS_RESET`.
pub(crate) const RESET: u32 = 0;

/// What a program knows as `struct ibv_qp` or `struct ibv_qp_ex`.
#[repr(C)]
pub(crate) struct Qp {
    /// The program's part.
    pub(crate) ex: QpEx,
    /// Held while work is posted.
    pub(crate) lock: Lock,
    /// The driver's part.
    pub(crate) driver: driver::Qp,
    /// Attributes as the program gave them.
    pub(crate) attributes: QpAttr,
    /// What the program created it with.
    pub(crate) init: QpInitAttr,
    /// State that the program moved it to.
    pub(crate) state: AtomicU32,
    /// Room for inline data that does not fit an entry: one piece for each slot of the send queue, and its key.
    pub(crate) inline: Inline,
    /// The work requests that are being built.
    pub(crate) building: Building,
}

/// The request that is being built call by call, and what went wrong so far.
#[derive(Default)]
pub(crate) struct Building {
    pub(crate) error: c_int,
    /// Index of the queue when building began.
    pub(crate) begin: u32,
    pub(crate) send: Option<driver::Send>,
    pub(crate) pieces: Pieces,
    pub(crate) count: usize,
}

/// Pieces of memory of a request.
pub(crate) type Pieces = [driver::Piece; driver::PIECES_MAX as usize];

/// Room for inline data.
pub(crate) struct Inline {
    pub(crate) room: *mut u8,
    /// Bytes of a slot.
    pub(crate) bytes: u32,
    /// Key of the room.
    pub(crate) key: u32,
    len: usize,
}

/// Slots that entries of so many pieces take at most.
fn slots(pieces: u32, most: u32, per_slot: u32) -> u32 {
    if pieces < 2 {
        1
    } else {
        (1 + (pieces - 1).div_ceil(per_slot)).min(most)
    }
}

pub(crate) unsafe fn create(pd: *mut abi::Pd, init: &QpInitAttr) -> Result<*mut Qp, i32> {
    let cap = &init.cap;
    if init.qp_type != TYPE_RC || !init.srq.is_null() {
        return Err(errno::EOPNOTSUPP);
    }
    if init.send_cq.is_null()
        || init.recv_cq.is_null()
        || cap.max_send_wr.max(cap.max_recv_wr) > MAX_WR
        || cap.max_send_sge.max(cap.max_recv_sge) > MAX_SGE
        || cap.max_inline_data > MAX_INLINE
    {
        return Err(errno::EINVAL);
    }
    // SAFETY: the program's domain and queues; zeros are the members' empty values.
    unsafe {
        let context = Context::of((*pd).context);
        let qp = Box::into_raw(Box::new(Qp {
            ex: core::mem::zeroed(),
            lock: Lock::new(),
            driver: core::mem::zeroed(),
            attributes: QpAttr {
                cap: *cap,
                ..QpAttr::default()
            },
            init: *init,
            state: AtomicU32::new(RESET),
            inline: Inline {
                room: ptr::null_mut(),
                bytes: 0,
                key: 0,
                len: 0,
            },
            building: Building::default(),
        }));
        let sends = cap.max_send_wr.max(1) * slots(cap.max_send_sge, driver::SEND_SLOTS, 4);
        let receives = cap.max_recv_wr.max(1) * slots(cap.max_recv_sge, driver::RECEIVE_SLOTS, 2);
        match connect(context, pd, qp, sends, receives) {
            Ok(reply) => {
                (*qp).driver.place = reply.place as u16;
                (*qp).inline.key = reply.key;
                let base = &mut (*qp).ex.base;
                base.context = (*pd).context;
                base.qp_context = init.qp_context;
                base.pd = pd;
                base.send_cq = init.send_cq.cast();
                base.recv_cq = init.recv_cq.cast();
                base.handle = reply.number;
                base.qp_num = reply.number;
                base.qp_type = init.qp_type;
                base.mutex = libc::PTHREAD_MUTEX_INITIALIZER;
                base.cond = libc::PTHREAD_COND_INITIALIZER;
                let known = KnownQp {
                    program: qp.cast(),
                    driver: &raw mut (*qp).driver,
                };
                context.add_qp(known, &reply);
                Ok(qp)
            }
            Err(error) => {
                release(context, qp);
                Err(error)
            }
        }
    }
}

/// Makes the rings and the daemon's queue pair.
unsafe fn connect(context: &Context, pd: *mut abi::Pd, qp: *mut Qp, sends: u32, receives: u32) -> Result<Reply, i32> {
    // SAFETY: the queue pair is new; the program's domain and queues.
    unsafe {
        if driver::hpcc_qp_init(&raw mut (*qp).driver, context.driver_device(), sends, receives) != 0 {
            return Err(errno::ENOMEM);
        }
        let (send, receive) = (&(*qp).driver.send, &(*qp).driver.receive);
        let mut inline_place = 0;
        let bytes = (*qp).init.cap.max_inline_data;
        if bytes > driver::INLINE_MAX {
            let len = bytes as usize * send.count as usize;
            let (room, place) = context.shared.allocate(len).ok_or(errno::ENOMEM)?;
            (*qp).inline = Inline {
                room,
                bytes,
                key: 0,
                len,
            };
            inline_place = place;
        }
        let reply = context.call(Request::CreateQp {
            pd: (*pd).handle,
            send_cq: (*(*qp).init.send_cq.cast::<abi::Cq>()).handle,
            receive_cq: (*(*qp).init.recv_cq.cast::<abi::Cq>()).handle,
            sends: send.count,
            receives: receive.count,
            inline_bytes: (*qp).inline.bytes,
            send: send.device_address,
            receive: receive.device_address,
            inline: inline_place,
        });
        if reply.error == 0 {
            Ok(reply)
        } else {
            Err(reply.error)
        }
    }
}

/// Gives everything of a queue pair back.
unsafe fn release(context: &Context, qp: *mut Qp) {
    // SAFETY: nobody uses it any more.
    unsafe {
        if !(*qp).inline.room.is_null() {
            context.shared.release((*qp).inline.room, (*qp).inline.len);
        }
        driver::hpcc_qp_release(&raw mut (*qp).driver);
        drop(Box::from_raw(qp));
    }
}

/// Asks the daemon for something after which completions of a queue pair are to vanish, and keeps pollers away meanwhile.
pub(crate) unsafe fn call_and_clean(qp: *mut Qp, request: Request, clean: bool) -> i32 {
    // SAFETY: the program's queue pair and its queues.
    unsafe {
        let base = &(*qp).ex.base;
        let (mut first, mut second): (*mut Cq, *mut Cq) = (base.send_cq.cast(), base.recv_cq.cast());
        if first > second {
            (first, second) = (second, first);
        }
        (*first).lock.lock();
        if first != second {
            (*second).lock.lock();
        }
        let mut error = Context::of(base.context).call(request).error;
        if clean && error == errno::EIO {
            // The daemon is gone, and its queue pair with it.
            error = 0;
        }
        if clean && error == 0 {
            driver::hpcc_cq_clean(&raw mut (*first).driver, base.qp_num);
            if first != second {
                driver::hpcc_cq_clean(&raw mut (*second).driver, base.qp_num);
            }
            if matches!(request, Request::DestroyQp { .. }) {
                Context::of(base.context).remove_qp(base.qp_num);
            }
        }
        if first != second {
            (*second).lock.unlock();
        }
        (*first).lock.unlock();
        error
    }
}

#[no_mangle]
unsafe extern "C" fn ibv_create_qp(pd: *mut abi::Pd, init: *mut QpInitAttr) -> *mut abi::Qp {
    // SAFETY: the program's domain and structure.
    match unsafe { create(pd, &*init) } {
        Ok(qp) => qp.cast(),
        Err(error) => fail(error),
    }
}

#[no_mangle]
unsafe extern "C" fn ibv_destroy_qp(qp: *mut abi::Qp) -> c_int {
    // SAFETY: the program's queue pair, which it does not use any more if this succeeds.
    unsafe {
        let request = Request::DestroyQp { qp: (*qp).qp_num };
        let error = call_and_clean(qp.cast(), request, true);
        if error == 0 {
            release(Context::of((*qp).context), qp.cast());
        }
        error
    }
}

#[no_mangle]
unsafe extern "C" fn ibv_query_qp_data_in_order(_: *mut abi::Qp, _: c_int, _: u32) -> c_int {
    0
}

#[no_mangle]
unsafe extern "C" fn ibv_set_ece(_: *mut abi::Qp, _: *mut c_void) -> c_int {
    errno::EOPNOTSUPP
}

#[no_mangle]
unsafe extern "C" fn ibv_query_ece(_: *mut abi::Qp, ece: *mut [u32; 3]) -> c_int {
    // SAFETY: the program gave room for the structure of three words.
    unsafe { ece.write_unaligned([0; 3]) };
    errno::EOPNOTSUPP
}
