//! Structures of `<infiniband/verbs.h>` as programs see them (libibverbs 44, 64-bit Linux). A test holds sizes and offsets against the header.

mod attributes;
mod objects;
mod work;

pub use attributes::*;
pub use objects::*;
pub use work::*;

use core::ffi::c_int;

/// Function pointer that programs never call on this device.
pub type Unused = Option<unsafe extern "C" fn()>;

/// Signals of errors: what functions return that return an error number.
pub type Errno = c_int;
