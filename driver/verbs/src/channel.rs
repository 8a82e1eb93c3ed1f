//! Completion channels: pipes into which the daemon writes numbers of completion queues.

use crate::abi;
use crate::context::{fail, Context};
use core::ffi::c_int;
use hpcc_driver::control::{errno, Request};
use std::os::fd::{AsRawFd, OwnedFd};

/// `struct ibv_comp_channel`, its number at the daemon and its pipe.
#[repr(C)]
pub(crate) struct Channel {
    channel: abi::CompChannel,
    /// Number at the daemon.
    pub(crate) number: u32,
    pipe: OwnedFd,
}

#[no_mangle]
unsafe extern "C" fn ibv_create_comp_channel(context: *mut abi::Context) -> *mut abi::CompChannel {
    // SAFETY: the program's context.
    let (reply, mut descriptors) = unsafe { Context::of(context) }.call_with_descriptors(Request::CreateChannel {});
    let Some(pipe) = descriptors.pop().filter(|_| reply.error == 0) else {
        return fail(if reply.error == 0 { errno::EIO } else { reply.error });
    };
    let channel = abi::CompChannel {
        context,
        fd: pipe.as_raw_fd(),
        refcnt: 0,
    };
    Box::into_raw(Box::new(Channel {
        channel,
        number: reply.number,
        pipe,
    }))
    .cast()
}

#[no_mangle]
unsafe extern "C" fn ibv_destroy_comp_channel(channel: *mut abi::CompChannel) -> c_int {
    // SAFETY: the program's channel, which it does not use any more if this succeeds.
    unsafe {
        if (*channel).refcnt != 0 {
            return errno::EBUSY;
        }
        let number = (*channel.cast::<Channel>()).number;
        // A daemon that is gone has no channel any more.
        let _ = Context::of((*channel).context).call(Request::DestroyChannel { channel: number });
        drop(Box::<Channel>::from_raw(channel.cast()));
        0
    }
}
