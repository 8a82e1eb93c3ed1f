//! Completion queues.

use crate::abi;
use crate::channel::Channel;
use crate::context::{fail, Context, KnownQp};
use crate::lock::Lock;
use crate::query::MAX_CQE;
use core::ffi::{c_int, c_void};
use core::ptr;
use core::sync::atomic::{AtomicU32, Ordering};
use hpcc_driver::abi as driver;
use hpcc_driver::control::{errno, Request};

/// Empty polls after which a poller gives way: it shares few cores with the daemon.
const GIVE_WAY: u32 = 16;
/// Empty polls after which it looks whether the daemon is still there.
const LOOK: u32 = 4096;

/// What a program knows as `struct ibv_cq` or `struct ibv_cq_ex`.
#[repr(C)]
pub(crate) struct Cq {
    /// The program's part.
    pub(crate) ex: abi::CqEx,
    /// Held while the queue is polled, cleaned or armed.
    pub(crate) lock: Lock,
    /// The driver's part.
    pub(crate) driver: driver::Cq,
    /// Events delivered.
    pub(crate) events: AtomicU32,
    empty: u32,
    dead: bool,
    /// Completion that an extended poll stands at.
    pub(crate) current: driver::Completion,
}

/// `enum ibv_wc_status` of a status of the NIC.
pub(crate) fn wc_status(status: u8) -> c_int {
    const GENERAL: c_int = 21;
    const OF: [c_int; 11] = [0, 12, 9, 10, 11, 4, 4, 2, 5, 13, 1];
    OF.get(usize::from(status)).copied().unwrap_or(GENERAL)
}

/// Vendor's code of a status.
pub(crate) fn vendor_error(status: u8) -> u32 {
    if status == 0 {
        0
    } else {
        0x80 + u32::from(status)
    }
}

/// `enum ibv_wc_flags`.
pub(crate) fn wc_flags(flags: u8) -> u32 {
    const WITH_IMM: u32 = 1 << 1;
    const WITH_INV: u32 = 1 << 3;
    let bit = |flag: u8, value: u32| if flags & flag != 0 { value } else { 0 };
    bit(driver::HAS_IMMEDIATE, WITH_IMM) | bit(driver::HAS_INVALIDATED, WITH_INV)
}

fn wc(from: &driver::Completion) -> abi::Wc {
    abi::Wc {
        wr_id: from.wr_id,
        status: wc_status(from.status),
        opcode: from.opcode.into(),
        vendor_err: vendor_error(from.status),
        byte_len: from.length,
        imm_data: from.immediate,
        qp_num: from.qp,
        wc_flags: wc_flags(from.flags),
        ..abi::Wc::default()
    }
}

impl Cq {
    /// Takes the oldest completion; the queue is locked.
    pub(crate) unsafe fn take(&mut self) -> Option<driver::Completion> {
        let mut completion = driver::Completion::default();
        // SAFETY: the program's queue.
        let context = unsafe { Context::of(self.ex.base.context) };
        // SAFETY: the driver's queue lies here.
        if unsafe { driver::hpcc_cq_next(&raw mut self.driver, &raw mut completion) } == 0 {
            return if self.dead { self.take_flushed(context) } else { None };
        }
        if let Some(qp) = context.qps().get(&completion.qp) {
            // SAFETY: a queue pair is taken out of the table under the locks of its completion queues, of which this is one.
            unsafe { driver::hpcc_qp_retire(qp.driver, &raw const completion) };
        }
        self.empty = 0;
        Some(completion)
    }

    /// The daemon is gone: what is outstanding is flushed.
    fn take_flushed(&mut self, context: &Context) -> Option<driver::Completion> {
        let own: *const abi::Cq = &raw const self.ex.base;
        let mut completion = driver::Completion::default();
        for (number, qp) in context.qps().iter() {
            // SAFETY: as in `take`.
            let flushed = unsafe {
                let of = [((*qp.program).send_cq, false), ((*qp.program).recv_cq, true)];
                of.into_iter().any(|(cq, receive)| {
                    ptr::eq(cq, own) && driver::hpcc_qp_flush(qp.driver, receive, &raw mut completion) != 0
                })
            };
            if flushed {
                completion.qp = *number;
                return Some(completion);
            }
        }
        None
    }

    /// What was taken is free again.
    pub(crate) unsafe fn taken(&mut self) {
        // SAFETY: the driver's queue and the program's context.
        unsafe {
            driver::hpcc_cq_consumed(&raw mut self.driver);
            Context::of(self.ex.base.context).shared.called();
        }
    }

    /// Nothing was found; `true` if the caller should give way.
    pub(crate) unsafe fn found_nothing(&mut self) -> bool {
        // SAFETY: the program's queue.
        let context = unsafe { Context::of(self.ex.base.context) };
        context.shared.polled_empty();
        self.empty = self.empty.wrapping_add(1);
        if self.empty.is_multiple_of(LOOK) && !self.dead {
            self.dead = context.is_dead();
        }
        self.empty > GIVE_WAY
    }
}

/// A new queue of at least `cqe` entries.
pub(crate) unsafe fn create(
    context: *mut abi::Context,
    cqe: u32,
    cq_context: *mut c_void,
    channel: *mut abi::CompChannel,
    vector: u32,
) -> Result<*mut Cq, i32> {
    // SAFETY: the program's context and channel; zeros are the members' empty values.
    unsafe {
        let ours = Context::of(context);
        if !(1..=MAX_CQE).contains(&cqe) || vector >= (*context).num_comp_vectors as u32 {
            return Err(errno::EINVAL);
        }
        let cq = Box::into_raw(Box::new(Cq {
            ex: core::mem::zeroed(),
            lock: Lock::new(),
            driver: core::mem::zeroed(),
            events: AtomicU32::new(0),
            empty: 0,
            dead: false,
            current: driver::Completion::default(),
        }));
        if driver::hpcc_cq_init(&raw mut (*cq).driver, ours.driver_device(), cqe) != 0 {
            drop(Box::from_raw(cq));
            return Err(errno::ENOMEM);
        }
        let ring = &(*cq).driver.ring;
        let number = if channel.is_null() {
            0
        } else {
            (*channel.cast::<Channel>()).number
        };
        let request = Request::CreateCq {
            channel: number,
            entries: ring.count,
            ring: ring.device_address,
        };
        let reply = ours.call(request);
        if reply.error != 0 {
            driver::hpcc_cq_release(&raw mut (*cq).driver);
            drop(Box::from_raw(cq));
            return Err(reply.error);
        }
        (*cq).driver.number = reply.number as u16;
        let base = &mut (*cq).ex.base;
        base.context = context;
        base.channel = channel;
        base.cq_context = cq_context;
        base.handle = reply.number;
        base.cqe = ring.count as c_int;
        base.mutex = libc::PTHREAD_MUTEX_INITIALIZER;
        base.cond = libc::PTHREAD_COND_INITIALIZER;
        if !channel.is_null() {
            (*channel).refcnt += 1;
        }
        ours.add_cq(cq.cast(), &reply);
        Ok(cq)
    }
}

#[no_mangle]
unsafe extern "C" fn ibv_create_cq(
    context: *mut abi::Context,
    cqe: c_int,
    cq_context: *mut c_void,
    channel: *mut abi::CompChannel,
    vector: c_int,
) -> *mut abi::Cq {
    let (Ok(cqe), Ok(vector)) = (u32::try_from(cqe), u32::try_from(vector)) else {
        return fail(errno::EINVAL);
    };
    // SAFETY: the program's context and channel.
    match unsafe { create(context, cqe, cq_context, channel, vector) } {
        Ok(cq) => cq.cast(),
        Err(error) => fail(error),
    }
}

#[no_mangle]
unsafe extern "C" fn ibv_resize_cq(_: *mut abi::Cq, _: c_int) -> c_int {
    errno::EOPNOTSUPP
}

#[no_mangle]
unsafe extern "C" fn ibv_destroy_cq(cq: *mut abi::Cq) -> c_int {
    let ours: *mut Cq = cq.cast();
    // SAFETY: the program's queue, which it does not use any more if this succeeds.
    unsafe {
        let context = Context::of((*cq).context);
        let uses = |qp: &KnownQp| (*qp.program).send_cq == cq || (*qp.program).recv_cq == cq;
        if context.qps().values().any(uses) {
            return errno::EBUSY;
        }
        let error = context.call(Request::DestroyCq { cq: (*cq).handle }).error;
        // With the daemon its queue is gone too.
        if error != 0 && error != errno::EIO {
            return error;
        }
        wait_for_acknowledgements(ours);
        context.remove_cq((*cq).handle);
        if !(*cq).channel.is_null() {
            (*(*cq).channel).refcnt -= 1;
        }
        driver::hpcc_cq_release(&raw mut (*ours).driver);
        drop(Box::from_raw(ours));
        0
    }
}

/// Waits until all events of the queue are acknowledged.
unsafe fn wait_for_acknowledgements(cq: *mut Cq) {
    // SAFETY: the program's queue.
    unsafe {
        let base = &raw mut (*cq).ex.base;
        libc::pthread_mutex_lock(&raw mut (*base).mutex);
        while (*base).comp_events_completed != (*cq).events.load(Ordering::SeqCst) {
            libc::pthread_cond_wait(&raw mut (*base).cond, &raw mut (*base).mutex);
        }
        libc::pthread_mutex_unlock(&raw mut (*base).mutex);
    }
}

/// `poll_cq` of the context.
pub(crate) unsafe extern "C" fn poll_cq(cq: *mut abi::Cq, room: c_int, to: *mut abi::Wc) -> c_int {
    let ours: *mut Cq = cq.cast();
    // SAFETY: the program's queue, and room for as many completions as it says.
    unsafe {
        (*ours).lock.lock();
        let mut count = 0;
        while count < room {
            let Some(completion) = (*ours).take() else { break };
            *to.add(count as usize) = wc(&completion);
            count += 1;
        }
        let mut give_way = false;
        if count > 0 {
            (*ours).taken();
        } else {
            give_way = (*ours).found_nothing();
        }
        (*ours).lock.unlock();
        if give_way {
            libc::sched_yield();
        }
        count
    }
}

/// `req_notify_cq` of the context.
pub(crate) unsafe extern "C" fn req_notify_cq(cq: *mut abi::Cq, solicited: c_int) -> c_int {
    let ours: *mut Cq = cq.cast();
    // SAFETY: the program's queue.
    unsafe {
        (*ours).lock.lock();
        driver::hpcc_cq_arm(&raw mut (*ours).driver, solicited != 0);
        (*ours).lock.unlock();
        Context::of((*cq).context).shared.called();
    }
    0
}
