//! Events of completion queues.

use crate::abi;
use crate::completion::Cq;
use crate::context::{set_errno, Context};
use crate::socket::retry;
use core::ffi::{c_int, c_uint, c_void};
use core::sync::atomic::Ordering;
use hpcc_driver::control::errno;

#[no_mangle]
unsafe extern "C" fn ibv_get_cq_event(
    channel: *mut abi::CompChannel,
    cq: *mut *mut abi::Cq,
    cq_context: *mut *mut c_void,
) -> c_int {
    // SAFETY: the program's channel; it gave room for both pointers.
    unsafe {
        let context = Context::of((*channel).context);
        loop {
            let mut number = 0u64;
            let read = || retry(|| libc::read((*channel).fd, (&raw mut number).cast(), 8));
            match context.shared.blocked(read) {
                8 => {}
                0 => {
                    set_errno(errno::EIO);
                    return -1;
                }
                _ => return -1,
            }
            // A queue that was destroyed meanwhile is passed over.
            let cqs = context.cqs();
            if let Some(&found) = cqs.get(&(number as u32)) {
                let found: *mut Cq = found.cast();
                (*found).events.fetch_add(1, Ordering::SeqCst);
                *cq = found.cast();
                *cq_context = (*found).ex.base.cq_context;
                return 0;
            }
        }
    }
}

#[no_mangle]
unsafe extern "C" fn ibv_ack_cq_events(cq: *mut abi::Cq, count: c_uint) {
    // SAFETY: the program's queue.
    unsafe {
        libc::pthread_mutex_lock(&raw mut (*cq).mutex);
        (*cq).comp_events_completed = (*cq).comp_events_completed.wrapping_add(count);
        libc::pthread_cond_signal(&raw mut (*cq).cond);
        libc::pthread_mutex_unlock(&raw mut (*cq).mutex);
    }
}
