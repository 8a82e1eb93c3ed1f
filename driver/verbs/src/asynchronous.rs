//! Asynchronous events: records in a pipe. The end of the pipe is the end of the daemon, and a fatal error of the device.

use crate::abi::{self, AsyncEvent};
use crate::context::{set_errno, Context};
use crate::socket::retry;
use core::ffi::c_int;
use core::ptr;
use core::sync::atomic::Ordering;
use hpcc_driver::control::{errno, EVENT};

const CQ_ERR: c_int = 0;
const DEVICE_FATAL: c_int = 8;

#[no_mangle]
unsafe extern "C" fn ibv_get_async_event(context: *mut abi::Context, event: *mut AsyncEvent) -> c_int {
    // SAFETY: the program's context and structure.
    unsafe {
        let ours = Context::of(context);
        let mut record = [0u8; EVENT];
        let read = || retry(|| libc::read((*context).async_fd, record.as_mut_ptr().cast(), EVENT));
        let got = ours.shared.blocked(read);
        if got == 0 && !ours.fatal_told.swap(true, Ordering::SeqCst) {
            *event = AsyncEvent {
                element: ptr::null_mut(),
                event_type: DEVICE_FATAL,
            };
            return 0;
        }
        if got != EVENT as isize {
            if got >= 0 {
                set_errno(errno::EIO);
            }
            return -1;
        }
        let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| record[at + i]));
        let (number, kind) = (word(0), word(4) as c_int);
        let element = if kind == CQ_ERR {
            ours.cqs().get(&number).map_or(ptr::null_mut(), |cq| cq.cast())
        } else {
            ours.qps().get(&number).map_or(ptr::null_mut(), |qp| qp.program.cast())
        };
        *event = AsyncEvent {
            element,
            event_type: kind,
        };
        0
    }
}

#[no_mangle]
unsafe extern "C" fn ibv_ack_async_event(_: *mut AsyncEvent) {}
