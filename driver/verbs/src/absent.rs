//! What the NIC does not offer, and the PCI library of perftest, which ends the program where there is no PCI bus.

use crate::abi::RecvWr;
use crate::context::fail;
use core::ffi::{c_int, c_void};
use hpcc_driver::control::errno;

/// Declares functions that set `errno` and return a null pointer.
macro_rules! no_pointers {
    ($($name:ident($($type:ty),*);)*) => {
        $(#[no_mangle] unsafe extern "C" fn $name($(_: $type),*) -> *mut c_void { fail(errno::EOPNOTSUPP) })*
    };
}

/// Declares functions that return an error number.
macro_rules! no_actions {
    ($($name:ident($($type:ty),*);)*) => {
        $(#[no_mangle] unsafe extern "C" fn $name($(_: $type),*) -> c_int { errno::EOPNOTSUPP })*
    };
}

type Any = *mut c_void;

no_pointers! {
    ibv_create_srq(Any, Any);
    ibv_create_ah(Any, Any);
    ibv_create_ah_from_wc(Any, Any, Any, u8);
    ibv_reg_dmabuf_mr(Any, u64, usize, u64, c_int, c_int);
    ibv_import_device(c_int);
    ibv_import_pd(Any, u32);
    ibv_import_mr(Any, u32);
    ibv_import_dm(Any, u32);
}

no_actions! {
    ibv_destroy_srq(Any);
    ibv_modify_srq(Any, Any, c_int);
    ibv_query_srq(Any, Any);
    ibv_destroy_ah(Any);
    ibv_attach_mcast(Any, Any, u16);
    ibv_detach_mcast(Any, Any, u16);
    ibv_init_ah_from_wc(Any, u8, Any, Any, Any);
    ibv_resolve_eth_l2_from_gid(Any, Any, Any, Any);
}

#[no_mangle]
unsafe extern "C" fn ibv_unimport_pd(_: *mut c_void) {}

#[no_mangle]
unsafe extern "C" fn ibv_unimport_mr(_: *mut c_void) {}

#[no_mangle]
unsafe extern "C" fn ibv_unimport_dm(_: *mut c_void) {}

/// `post_srq_recv` of the context, which the inline wrapper calls without a look.
pub(crate) unsafe extern "C" fn post_srq_recv(_: *mut c_void, wr: *mut RecvWr, bad: *mut *mut RecvWr) -> c_int {
    // SAFETY: the program gave room for the pointer.
    unsafe { *bad = wr };
    errno::EOPNOTSUPP
}

/// Room for the PCI library's structure: nobody finds anything in it.
#[repr(C, align(16))]
struct Nothing([u8; 4096]);

static NOTHING: Nothing = Nothing([0; 4096]);

#[no_mangle]
unsafe extern "C" fn pci_alloc() -> *mut c_void {
    // Callers write options into the structure; it is their own copy.
    Box::into_raw(Box::new(Nothing(NOTHING.0))).cast()
}

#[no_mangle]
unsafe extern "C" fn pci_init(_: *mut c_void) {}

#[no_mangle]
unsafe extern "C" fn pci_scan_bus(_: *mut c_void) {}

#[no_mangle]
unsafe extern "C" fn pci_cleanup(structure: *mut c_void) {
    // SAFETY: from `pci_alloc`.
    drop(unsafe { Box::<Nothing>::from_raw(structure.cast()) });
}
