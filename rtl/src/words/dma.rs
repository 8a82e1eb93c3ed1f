//! Jobs of the memory readers and writers.

use crate::prim::uint::U;

crate::word! {
    /// A job of the memory reader or writer.
    pub struct DmaJob {
        /// First byte.
        address: U<64>,
        /// Bytes, 1 to 4096.
        length: U<13>,
    }
}
