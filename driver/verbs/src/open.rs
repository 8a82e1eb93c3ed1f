//! Opening and closing a device.

use crate::abi;
use crate::context::{fail, Context};
use crate::post::{post_recv, post_send};
use crate::shared::Shared;
use crate::{absent, builder, completion, device, extended, helper, query, settings, socket, virtual_time};
use core::ffi::c_int;
use core::ptr;
use hpcc_driver::control::{errno, Request};
use std::os::fd::{AsRawFd, OwnedFd};

/// Completion vectors; all events of a context come the same way.
const VECTORS: c_int = 4;

#[no_mangle]
unsafe extern "C" fn ibv_open_device(device: *mut abi::Device) -> *mut abi::Context {
    let Some(nic) = device::number(device) else {
        return fail(errno::ENODEV);
    };
    match open(device, nic) {
        Ok(context) => context,
        Err(error) => fail(error),
    }
}

fn open(device: *mut abi::Device, nic: u32) -> Result<*mut abi::Context, i32> {
    let socket = socket::dial().map_err(|_| errno::ENODEV)?;
    if let Some(daemon) = socket::peer(&socket) {
        // SAFETY: numbers only. The daemon, and only it, may read and write this process under Yama's scope 1.
        unsafe { libc::prctl(libc::PR_SET_PTRACER, daemon as libc::c_ulong, 0, 0, 0) };
    }
    let probe = [0u8; 8];
    let request = Request::Open {
        nic,
        helper: settings::is_on(settings::HELPER).into(),
        virtual_time: virtual_time::is_on().into(),
        probe: probe.as_ptr() as u64,
    };
    let (reply, descriptors) = socket::call(&socket, request);
    if reply.error != 0 {
        return Err(reply.error);
    }
    let [file, wake, events, help] = <[OwnedFd; 4]>::try_from(descriptors).map_err(|_| errno::EIO)?;
    let shared = Shared::map(&file, wake).ok_or(errno::ENOMEM)?;
    // SAFETY: null pointers and zeros are the members' empty values.
    let mut verbs: abi::VerbsContext = unsafe { core::mem::zeroed() };
    verbs.size = size_of::<abi::VerbsContext>();
    verbs.query_port = Some(query::query_port);
    verbs.query_device_ex = Some(query::query_device_ex);
    verbs.query_rt_values = Some(query::query_rt_values);
    verbs.create_cq_ex = Some(extended::create_cq_ex);
    verbs.create_qp_ex = Some(builder::create_qp_ex);
    verbs.context.device = device;
    verbs.context.cmd_fd = socket.as_raw_fd();
    verbs.context.async_fd = events.as_raw_fd();
    verbs.context.num_comp_vectors = VECTORS;
    verbs.context.mutex = libc::PTHREAD_MUTEX_INITIALIZER;
    verbs.context.abi_compat = ptr::without_provenance_mut(usize::MAX);
    verbs.context.ops.poll_cq = Some(completion::poll_cq);
    verbs.context.ops.req_notify_cq = Some(completion::req_notify_cq);
    verbs.context.ops.post_send = Some(post_send);
    verbs.context.ops.post_recv = Some(post_recv);
    verbs.context.ops.post_srq_recv = Some(absent::post_srq_recv);
    let helper = (reply.place != 0).then(|| helper::start(help));
    let context = Context::create(verbs, nic, socket, (shared, events), helper);
    // SAFETY: the context is new.
    unsafe {
        virtual_time::attach(&(*context).shared);
        Ok(Context::program_part(context))
    }
}

#[no_mangle]
unsafe extern "C" fn ibv_close_device(context: *mut abi::Context) -> c_int {
    // SAFETY: the program does not use its context any more.
    let context = unsafe { Context::take_back(context) };
    virtual_time::detach(&context.shared);
    context.close();
    0
}
