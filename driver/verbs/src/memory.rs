//! Protection domains and registrations of memory.

use crate::abi;
use crate::context::{fail, set_errno, Context};
use core::ffi::{c_int, c_uint, c_void};
use hpcc_driver::control::{errno, Request};

const LOCAL_WRITE: u32 = 1;
const REMOTE_WRITE: u32 = 1 << 1;
const REMOTE_ATOMIC: u32 = 1 << 3;
const MW_BIND: u32 = 1 << 4;
const ON_DEMAND: u32 = 1 << 6;
const HUGETLB: u32 = 1 << 7;
/// Rights that a device may know: the first six, and those that it may ignore.
const KNOWN: u32 = 0x3f | OPTIONAL;
const OPTIONAL: u32 = 0x3ff0_0000;

const CHANGE_TRANSLATION: c_int = 1;
const CHANGE_PD: c_int = 2;
const CHANGE_ACCESS: c_int = 4;
const REREG_ERR_INPUT: c_int = -1;
const REREG_ERR_CMD: c_int = -4;

/// `struct ibv_mr` and its rights.
#[repr(C)]
struct Mr {
    mr: abi::Mr,
    access: u32,
}

#[no_mangle]
unsafe extern "C" fn ibv_alloc_pd(context: *mut abi::Context) -> *mut abi::Pd {
    // SAFETY: the program's context.
    let reply = unsafe { Context::of(context) }.call(Request::AllocPd {});
    match reply.error {
        0 => Box::into_raw(Box::new(abi::Pd {
            context,
            handle: reply.number,
        })),
        error => fail(error),
    }
}

#[no_mangle]
unsafe extern "C" fn ibv_dealloc_pd(pd: *mut abi::Pd) -> c_int {
    // SAFETY: the program's domain, which it does not use any more if this succeeds.
    unsafe {
        let error = Context::of((*pd).context)
            .call(Request::DeallocPd { pd: (*pd).handle })
            .error;
        if error == 0 {
            drop(Box::from_raw(pd));
        }
        error
    }
}

/// Registers `length` bytes under a new key, or changes what `key` means.
unsafe fn register(
    pd: *mut abi::Pd,
    key: u32,
    (address, length): (*mut c_void, usize),
    iova: u64,
    access: u32,
) -> Result<abi::Mr, i32> {
    if access & (REMOTE_WRITE | REMOTE_ATOMIC) != 0 && access & LOCAL_WRITE == 0 {
        return Err(errno::EINVAL);
    }
    if access & (ON_DEMAND | MW_BIND | HUGETLB) != 0 {
        return Err(errno::EOPNOTSUPP);
    }
    if access & !KNOWN != 0 {
        return Err(errno::EINVAL);
    }
    // SAFETY: the program's domain.
    let (context, handle) = unsafe { ((*pd).context, (*pd).handle) };
    let request = Request::RegMr {
        pd: handle,
        access,
        key,
        address: address as u64,
        length: length as u64,
        iova,
    };
    // SAFETY: the program's context.
    let reply = unsafe { Context::of(context) }.call(request);
    if reply.error != 0 {
        return Err(reply.error);
    }
    let key = reply.number;
    Ok(abi::Mr {
        context,
        pd,
        addr: address,
        length,
        handle: key,
        lkey: key,
        rkey: key,
    })
}

#[no_mangle]
unsafe extern "C" fn ibv_reg_mr_iova2(
    pd: *mut abi::Pd,
    address: *mut c_void,
    length: usize,
    iova: u64,
    access: c_uint,
) -> *mut abi::Mr {
    // SAFETY: the program's domain.
    match unsafe { register(pd, 0, (address, length), iova, access) } {
        Ok(mr) => Box::into_raw(Box::new(Mr { mr, access })).cast(),
        Err(error) => fail(error),
    }
}

#[no_mangle]
unsafe extern "C" fn ibv_reg_mr_iova(
    pd: *mut abi::Pd,
    address: *mut c_void,
    length: usize,
    iova: u64,
    access: c_int,
) -> *mut abi::Mr {
    // SAFETY: as above.
    unsafe { ibv_reg_mr_iova2(pd, address, length, iova, access as c_uint) }
}

#[no_mangle]
unsafe extern "C" fn ibv_reg_mr(pd: *mut abi::Pd, address: *mut c_void, length: usize, access: c_int) -> *mut abi::Mr {
    // SAFETY: as above.
    unsafe { ibv_reg_mr_iova2(pd, address, length, address as u64, access as c_uint) }
}

#[no_mangle]
unsafe extern "C" fn ibv_rereg_mr(
    mr: *mut abi::Mr,
    flags: c_int,
    pd: *mut abi::Pd,
    address: *mut c_void,
    length: usize,
    access: c_int,
) -> c_int {
    let ours: *mut Mr = mr.cast();
    let given = |flag: c_int| flags & flag != 0;
    let moves = given(CHANGE_TRANSLATION);
    if flags & !(CHANGE_TRANSLATION | CHANGE_PD | CHANGE_ACCESS) != 0
        || moves && (length == 0 || address.is_null())
        || access != 0 && !given(CHANGE_ACCESS)
    {
        set_errno(errno::EINVAL);
        return REREG_ERR_INPUT;
    }
    // SAFETY: the program's registration, which has our member behind it.
    unsafe {
        let pd = if given(CHANGE_PD) { pd } else { (*mr).pd };
        let (address, length) = if moves {
            (address, length)
        } else {
            ((*mr).addr, (*mr).length)
        };
        let access = if given(CHANGE_ACCESS) {
            access as u32
        } else {
            (*ours).access
        };
        // The key stays: programs do not exchange it again.
        match register(pd, (*mr).lkey, (address, length), address as u64, access) {
            Ok(changed) => {
                *ours = Mr { mr: changed, access };
                0
            }
            Err(error) => {
                set_errno(error);
                REREG_ERR_CMD
            }
        }
    }
}

#[no_mangle]
unsafe extern "C" fn ibv_dereg_mr(mr: *mut abi::Mr) -> c_int {
    // SAFETY: the program's registration, which it does not use any more if this succeeds.
    unsafe {
        let error = Context::of((*mr).context)
            .call(Request::DeregMr { key: (*mr).lkey })
            .error;
        if error == 0 {
            drop(Box::<Mr>::from_raw(mr.cast()));
        }
        error
    }
}
