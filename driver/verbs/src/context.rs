//! An open device.

use crate::abi;
use crate::helper::Helper;
use crate::shared::{locked, Shared};
use crate::socket;
use core::ffi::c_void;
use core::mem::offset_of;
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use hpcc_driver::abi as driver;
use hpcc_driver::control::{Reply, Request};
use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::sync::{Mutex, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Places of queue pairs and numbers of completion queues in doorbells.
const NUMBERS: usize = 1 << 16;

/// What a program knows as `struct ibv_context`, with what the library keeps behind it.
#[repr(C)]
pub(crate) struct Context {
    verbs: abi::VerbsContext,
    /// Number of the NIC.
    pub(crate) nic: u32,
    socket: Mutex<OwnedFd>,
    /// Memory shared with the daemon.
    pub(crate) shared: Shared,
    /// The driver's device.
    pub(crate) device: driver::Device,
    /// Doorbell records of queue pairs by place, and of completion queues by number.
    qp_slots: Vec<AtomicU32>,
    cq_slots: Vec<AtomicU32>,
    qps: RwLock<HashMap<u32, KnownQp>>,
    cqs: RwLock<HashMap<u32, *mut abi::Cq>>,
    /// Pipe of asynchronous events.
    pub(crate) events: OwnedFd,
    /// The end of the daemon was reported.
    pub(crate) fatal_told: AtomicBool,
    helper: Option<Helper>,
}

/// A queue pair in the table.
#[derive(Clone, Copy)]
pub(crate) struct KnownQp {
    /// The program's part.
    pub(crate) program: *mut abi::Qp,
    /// The driver's part.
    pub(crate) driver: *mut driver::Qp,
}

/// Sets `errno`, and returns a null pointer.
pub(crate) fn fail<T>(error: i32) -> *mut T {
    set_errno(error);
    ptr::null_mut()
}

/// Sets `errno`.
pub(crate) fn set_errno(error: i32) {
    // SAFETY: the thread's own errno.
    unsafe { *libc::__errno_location() = error };
}

/// Takes a reading lock, also behind a thread that ended while it held the lock.
pub(crate) fn reading<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn writing<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl Context {
    /// A context on the heap, from what the daemon gave.
    pub(crate) fn create(
        verbs: abi::VerbsContext,
        nic: u32,
        socket: OwnedFd,
        (shared, events): (Shared, OwnedFd),
        helper: Option<Helper>,
    ) -> *mut Self {
        let slots = || (0..NUMBERS).map(|_| AtomicU32::new(0)).collect();
        let context = Box::into_raw(Box::new(Self {
            verbs,
            nic,
            socket: Mutex::new(socket),
            shared,
            device: driver::Device {
                ops: &raw const OPS,
                context: ptr::null_mut(),
            },
            qp_slots: slots(),
            cq_slots: slots(),
            qps: RwLock::default(),
            cqs: RwLock::default(),
            events,
            fatal_told: AtomicBool::new(false),
            helper,
        }));
        // SAFETY: the box is new, and nobody else knows it.
        unsafe { (*context).device.context = context.cast() };
        context
    }

    /// The part that the program knows.
    pub(crate) unsafe fn program_part(context: *mut Self) -> *mut abi::Context {
        // SAFETY: the context is one of ours.
        unsafe { &raw mut (*context).verbs.context }
    }

    /// Takes a context back from the program, which does not use it any more.
    pub(crate) unsafe fn take_back(context: *mut abi::Context) -> Box<Self> {
        // SAFETY: the program's context is that member of one of ours.
        unsafe { Box::from_raw(context.byte_sub(offset_of!(abi::VerbsContext, context)).cast()) }
    }

    /// Closes the connection, which ends everything of the program at the daemon, then the helper thread and the shared memory.
    pub(crate) fn close(self) {
        drop(self.socket);
        if let Some(helper) = self.helper {
            helper.stop();
        }
    }

    /// The context behind a program's pointer, which [`ibv_open_device`] made.
    pub(crate) unsafe fn of<'a>(context: *mut abi::Context) -> &'a Self {
        // SAFETY: the program's context is that member of one of ours.
        unsafe { &*context.byte_sub(offset_of!(abi::VerbsContext, context)).cast() }
    }

    /// Asks the daemon.
    pub(crate) fn call(&self, request: Request) -> Reply {
        self.call_with_descriptors(request).0
    }

    /// Asks the daemon for something that comes with descriptors.
    pub(crate) fn call_with_descriptors(&self, request: Request) -> (Reply, Vec<OwnedFd>) {
        let socket = locked(&self.socket);
        let reply = socket::call(&socket, request);
        self.shared.called();
        reply
    }

    /// The daemon is gone.
    pub(crate) fn is_dead(&self) -> bool {
        socket::is_closed(&locked(&self.socket))
    }

    /// The driver's device, as its queues keep it.
    pub(crate) fn driver_device(&self) -> *mut driver::Device {
        (&raw const self.device).cast_mut()
    }

    /// Queue pairs by number.
    pub(crate) fn qps(&self) -> RwLockReadGuard<'_, HashMap<u32, KnownQp>> {
        reading(&self.qps)
    }

    /// Completion queues by number.
    pub(crate) fn cqs(&self) -> RwLockReadGuard<'_, HashMap<u32, *mut abi::Cq>> {
        reading(&self.cqs)
    }

    /// Adds a queue pair: its number, its place in doorbells and their record.
    pub(crate) fn add_qp(&self, qp: KnownQp, reply: &Reply) {
        self.qp_slots[reply.place as usize % NUMBERS].store(reply.slot, Ordering::Release);
        writing(&self.qps).insert(reply.number, qp);
    }

    /// Takes a queue pair out.
    pub(crate) fn remove_qp(&self, number: u32) {
        writing(&self.qps).remove(&number);
    }

    /// Adds a completion queue.
    pub(crate) fn add_cq(&self, cq: *mut abi::Cq, reply: &Reply) {
        self.cq_slots[reply.number as usize % NUMBERS].store(reply.slot, Ordering::Release);
        writing(&self.cqs).insert(reply.number, cq);
    }

    /// Takes a completion queue out.
    pub(crate) fn remove_cq(&self, number: u32) {
        writing(&self.cqs).remove(&number);
    }
}

unsafe extern "C" fn doorbell(context: *mut c_void, offset: u32, word: u32) {
    // SAFETY: the driver hands back the context that it was given.
    let context: &Context = unsafe { &*context.cast() };
    let slots = match offset {
        driver::DOORBELL_SEND | driver::DOORBELL_RECEIVE => &context.qp_slots,
        _ => &context.cq_slots,
    };
    let slot = slots[(word >> 16) as usize].load(Ordering::Acquire);
    context.shared.ring(slot, offset, word as u16);
}

unsafe extern "C" fn allocate(context: *mut c_void, bytes: usize, device_address: *mut u64) -> *mut c_void {
    // SAFETY: as above; the driver gives room for the address.
    let context: &Context = unsafe { &*context.cast() };
    match context.shared.allocate(bytes) {
        Some((piece, place)) => {
            // SAFETY: as above.
            unsafe { *device_address = place };
            piece.cast()
        }
        None => ptr::null_mut(),
    }
}

unsafe extern "C" fn release(context: *mut c_void, memory: *mut c_void, bytes: usize) {
    // SAFETY: as above.
    let context: &Context = unsafe { &*context.cast() };
    context.shared.release(memory.cast(), bytes);
}

static OPS: driver::Ops = driver::Ops {
    doorbell,
    allocate,
    release,
    read: None,
    write: None,
};
