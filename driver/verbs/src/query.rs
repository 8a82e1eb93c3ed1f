//! What a device, its port, its GID and its key table are.

use crate::abi::{self, DeviceAttr, DeviceAttrEx, GidEntry, PortAttr, QueryDeviceExInput, ValuesEx};
use crate::context::{set_errno, Context};
use crate::settings;
use core::ffi::{c_char, c_int, c_uint};
use core::mem::{offset_of, zeroed};
use core::ptr;
use hpcc_driver::control::{errno, gid, guid};

/// Pieces of memory of a work request.
pub(crate) const MAX_SGE: u32 = hpcc_driver::abi::PIECES_MAX;
/// Work requests of a queue at most: with lists they take up to three slots each.
pub(crate) const MAX_WR: u32 = 8192;
/// Completions of a queue at most.
pub(crate) const MAX_CQE: u32 = hpcc_driver::abi::ENTRIES_MAX;
/// Bytes that `post_send` copies.
pub(crate) const MAX_INLINE: u32 = 512;
/// READs and atomics outstanding.
pub(crate) const MAX_RD_ATOMIC: u8 = 16;
/// Bytes of a message.
const MAX_MESSAGE: u32 = 1 << 30;
/// Own numbers of vendor and part, unknown to perftest.
const VENDOR: u32 = 0x51c0;
const PART: u32 = 1;
/// `IBV_MTU_4096`.
const MTU_4096: u32 = 5;
const PKEY: u16 = 0xffff;
const ROCE_V2: u32 = 2;
const ATOMIC_HCA: c_int = 1;
const CAP_SYS_IMAGE_GUID: c_uint = 1 << 11;
const CAP_RC_RNR_NAK_GEN: c_uint = 1 << 12;
const VALUES_MASK_RAW_CLOCK: u32 = 1;

/// Path MTU of the port, `enum ibv_mtu`.
pub(crate) fn port_mtu() -> u32 {
    settings::number(settings::MTU).unwrap_or(MTU_4096).clamp(1, MTU_4096)
}

/// Copies as much of a structure as the caller has room for.
unsafe fn copy_out<T>(value: &T, to: *mut T, room: usize) {
    // SAFETY: the caller says how much room there is.
    unsafe {
        ptr::write_bytes(to.cast::<u8>(), 0, room);
        ptr::copy_nonoverlapping((&raw const *value).cast::<u8>(), to.cast(), room.min(size_of::<T>()));
    }
}

fn gid_entry(context: *mut abi::Context, port: u32, index: u32) -> Option<GidEntry> {
    // SAFETY: the program's context.
    let nic = unsafe { Context::of(context) }.nic;
    (port == 1 && index == 0).then(|| GidEntry {
        gid: gid(nic),
        gid_index: 0,
        port_num: 1,
        gid_type: ROCE_V2,
        ndev_ifindex: 0,
        align: [],
    })
}

fn invalid() -> c_int {
    set_errno(errno::EINVAL);
    -1
}

#[no_mangle]
unsafe extern "C" fn ibv_query_gid(context: *mut abi::Context, port: u8, index: c_int, to: *mut [u8; 16]) -> c_int {
    let Some(entry) = u32::try_from(index)
        .ok()
        .and_then(|index| gid_entry(context, port.into(), index))
    else {
        return invalid();
    };
    // SAFETY: the program gave room for a GID.
    unsafe { to.write_unaligned(entry.gid) };
    0
}

#[no_mangle]
unsafe extern "C" fn ibv_query_gid_type(context: *mut abi::Context, port: u8, index: c_uint, to: *mut c_uint) -> c_int {
    if gid_entry(context, port.into(), index).is_none() {
        return invalid();
    }
    // In this older call 0 is InfiniBand or RoCE v1, 1 is RoCE v2.
    // SAFETY: the program gave room for a number.
    unsafe { *to = 1 };
    0
}

#[no_mangle]
unsafe extern "C" fn _ibv_query_gid_ex(
    context: *mut abi::Context,
    port: u32,
    index: u32,
    to: *mut GidEntry,
    flags: u32,
    size: usize,
) -> c_int {
    if flags != 0 {
        return errno::EOPNOTSUPP;
    }
    let Some(entry) = gid_entry(context, port, index) else {
        return errno::EINVAL;
    };
    // SAFETY: the program says how much room there is.
    unsafe { copy_out(&entry, to, size) };
    0
}

#[no_mangle]
unsafe extern "C" fn _ibv_query_gid_table(
    context: *mut abi::Context,
    to: *mut GidEntry,
    room: usize,
    flags: u32,
    size: usize,
) -> isize {
    if flags != 0 {
        return -(errno::EOPNOTSUPP as isize);
    }
    // SAFETY: as above.
    if room < 1 || unsafe { _ibv_query_gid_ex(context, 1, 0, to, 0, size) } != 0 {
        return -(errno::EINVAL as isize);
    }
    1
}

#[no_mangle]
unsafe extern "C" fn ibv_query_pkey(_: *mut abi::Context, port: u8, index: c_int, to: *mut u16) -> c_int {
    if port != 1 || index != 0 {
        return invalid();
    }
    // SAFETY: the program gave room for a key.
    unsafe { *to = PKEY.to_be() };
    0
}

#[no_mangle]
unsafe extern "C" fn ibv_get_pkey_index(_: *mut abi::Context, port: u8, key: u16) -> c_int {
    if port == 1 && key == PKEY.to_be() {
        0
    } else {
        -1
    }
}

/// `query_port` of the context.
pub(crate) unsafe extern "C" fn query_port(_: *mut abi::Context, port: u8, to: *mut PortAttr, room: usize) -> c_int {
    if port != 1 {
        return errno::EINVAL;
    }
    let attributes = PortAttr {
        state: 4,
        max_mtu: MTU_4096 as c_int,
        active_mtu: port_mtu() as c_int,
        gid_tbl_len: 1,
        // Address of RoCE v2, and CM is supported.
        port_cap_flags: 0x0401_0000,
        max_msg_sz: MAX_MESSAGE,
        pkey_tbl_len: 1,
        max_vl_num: 1,
        // Four lanes of 25 Gb/s.
        active_width: 2,
        active_speed: 32,
        phys_state: 5,
        link_layer: 2,
        ..PortAttr::default()
    };
    // SAFETY: the program says how much room there is.
    unsafe { copy_out(&attributes, to, room) };
    0
}

#[no_mangle]
unsafe extern "C" fn ibv_query_port(context: *mut abi::Context, port: u8, to: *mut PortAttr) -> c_int {
    // SAFETY: callers of this older function have a structure without the last member.
    unsafe { query_port(context, port, to, offset_of!(PortAttr, port_cap_flags2)) }
}

fn device_attr(nic: u32) -> DeviceAttr {
    // SAFETY: zeros are the members' empty values.
    let mut attr: DeviceAttr = unsafe { zeroed() };
    for (to, from) in attr.fw_ver.iter_mut().zip(env!("CARGO_PKG_VERSION").bytes()) {
        *to = from as c_char;
    }
    attr.node_guid = guid(nic);
    attr.sys_image_guid = guid(nic);
    attr.max_mr_size = 1 << 40;
    attr.page_size_cap = 0xffff_f000;
    attr.vendor_id = settings::number(settings::VENDOR).unwrap_or(VENDOR);
    attr.vendor_part_id = settings::number(settings::PART).unwrap_or(PART);
    attr.hw_ver = 1;
    attr.max_qp = 1023;
    attr.max_qp_wr = MAX_WR as c_int;
    attr.device_cap_flags = CAP_RC_RNR_NAK_GEN | CAP_SYS_IMAGE_GUID;
    attr.max_sge = MAX_SGE as c_int;
    attr.max_sge_rd = MAX_SGE as c_int;
    attr.max_cq = 2048;
    attr.max_cqe = MAX_CQE as c_int;
    attr.max_mr = 8192;
    attr.max_pd = 32768;
    attr.max_qp_rd_atom = MAX_RD_ATOMIC.into();
    attr.max_res_rd_atom = c_int::from(MAX_RD_ATOMIC) * 1023;
    attr.max_qp_init_rd_atom = MAX_RD_ATOMIC.into();
    attr.atomic_cap = ATOMIC_HCA;
    attr.max_pkeys = 1;
    attr.phys_port_cnt = 1;
    attr
}

#[no_mangle]
unsafe extern "C" fn ibv_query_device(context: *mut abi::Context, to: *mut DeviceAttr) -> c_int {
    // SAFETY: the program's context, and room for the structure.
    unsafe { *to = device_attr(Context::of(context).nic) };
    0
}

/// `query_device_ex` of the context.
pub(crate) unsafe extern "C" fn query_device_ex(
    context: *mut abi::Context,
    input: *const QueryDeviceExInput,
    to: *mut DeviceAttrEx,
    room: usize,
) -> c_int {
    // SAFETY: the program's structures; zeros are the members' empty values.
    unsafe {
        if !input.is_null() && (*input).comp_mask != 0 {
            return errno::EINVAL;
        }
        let mut attr: DeviceAttrEx = zeroed();
        attr.orig_attr = device_attr(Context::of(context).nic);
        attr.completion_timestamp_mask = u64::MAX;
        // A tick of the time stamps is 1 ns.
        attr.hca_core_clock = 1_000_000;
        attr.phys_port_cnt_ex = 1;
        copy_out(&attr, to, room);
    }
    0
}

/// `query_rt_values` of the context.
pub(crate) unsafe extern "C" fn query_rt_values(context: *mut abi::Context, to: *mut ValuesEx) -> c_int {
    // SAFETY: the program's context and structure.
    unsafe {
        let now = Context::of(context).shared.clock();
        (*to).raw_clock.tv_sec = (now / 1_000_000_000) as libc::time_t;
        (*to).raw_clock.tv_nsec = (now % 1_000_000_000) as libc::c_long;
        (*to).comp_mask = VALUES_MASK_RAW_CLOCK;
    }
    0
}
