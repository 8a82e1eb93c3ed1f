//! The list of devices.

use crate::abi;
use crate::{settings, socket};
use core::ffi::{c_char, c_int};
use core::ptr;
use hpcc_driver::control::{guid, name, Request, NICS};
use std::sync::OnceLock;

/// Devices outlive every list of them. libmlx5 and libefa look for a pointer of theirs behind the structure: zeros stand there.
#[repr(C)]
struct Slot {
    device: abi::Device,
    zeros: [usize; 64],
}

struct Slots(Box<[Slot]>);

// SAFETY: the structures do not change once they are made, but for what the real library's own code writes there.
unsafe impl Sync for Slots {}
// SAFETY: as above.
unsafe impl Send for Slots {}

const NODE_CHANNEL_ADAPTER: c_int = 1;
const TRANSPORT_INFINIBAND: c_int = 0;

fn text(to: &mut [c_char], from: &str) {
    for (to, from) in to.iter_mut().zip(from.bytes()) {
        *to = from as c_char;
    }
}

fn slots() -> &'static Slots {
    static SLOTS: OnceLock<Slots> = OnceLock::new();
    SLOTS.get_or_init(|| {
        let slot = |nic| {
            // SAFETY: zeros are the members' empty values.
            let mut slot: Slot = unsafe { core::mem::zeroed() };
            slot.device.node_type = NODE_CHANNEL_ADAPTER;
            slot.device.transport_type = TRANSPORT_INFINIBAND;
            text(&mut slot.device.name, &name(nic));
            text(&mut slot.device.dev_name, &format!("uverbs-{}", name(nic)));
            slot
        };
        Slots((0..NICS).map(slot).collect())
    })
}

/// Number of the NIC of a device of ours.
pub(crate) fn number(device: *const abi::Device) -> Option<u32> {
    let devices = &slots().0;
    devices
        .iter()
        .position(|slot| ptr::eq(&raw const slot.device, device))
        .map(|nic| nic as u32)
}

/// NICs of the daemon; none without one.
fn nics() -> u32 {
    let Ok(socket) = socket::dial() else { return 0 };
    let (reply, _) = socket::call(&socket, Request::List {});
    if reply.error == 0 {
        reply.number.min(NICS)
    } else {
        0
    }
}

#[no_mangle]
unsafe extern "C" fn ibv_get_device_list(count: *mut c_int) -> *mut *mut abi::Device {
    let only = settings::number(settings::ONLY);
    let shown = (0..nics()).filter(|nic| only.is_none_or(|only| only == *nic));
    let mut list: Vec<*mut abi::Device> = shown
        .map(|nic| (&raw const slots().0[nic as usize].device).cast_mut())
        .collect();
    if !count.is_null() {
        // SAFETY: the program gave room for a number.
        unsafe { *count = list.len() as c_int };
    }
    list.push(ptr::null_mut());
    // SAFETY: as long as told; the program gives it back to `ibv_free_device_list`.
    unsafe {
        let copy: *mut *mut abi::Device = libc::calloc(list.len(), size_of::<*mut abi::Device>()).cast();
        if !copy.is_null() {
            ptr::copy_nonoverlapping(list.as_ptr(), copy, list.len());
        }
        copy
    }
}

#[no_mangle]
unsafe extern "C" fn ibv_free_device_list(list: *mut *mut abi::Device) {
    // SAFETY: the list is from `calloc`.
    unsafe { libc::free(list.cast()) };
}

#[no_mangle]
unsafe extern "C" fn ibv_get_device_name(device: *mut abi::Device) -> *const c_char {
    // SAFETY: the device is one of ours.
    unsafe { (&raw const (*device).name).cast() }
}

#[no_mangle]
unsafe extern "C" fn ibv_get_device_guid(device: *mut abi::Device) -> u64 {
    u64::from_ne_bytes(number(device).map_or([0; 8], guid))
}

#[no_mangle]
unsafe extern "C" fn ibv_get_device_index(device: *mut abi::Device) -> c_int {
    number(device).map_or(-1, |nic| nic as c_int + 1)
}

#[no_mangle]
unsafe extern "C" fn ibv_read_sysfs_file(_: *const c_char, _: *const c_char, _: *mut c_char, _: usize) -> c_int {
    -1
}
