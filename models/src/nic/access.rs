//! Ways in which memory regions are used.

/// What a region may be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// By this NIC's own work requests; every region may.
    Local,
    /// WRITE from the network.
    RemoteWrite,
    /// READ from the network.
    RemoteRead,
    /// By this NIC's own work requests and receives, to write.
    LocalWrite,
    /// Atomic operation from the network.
    RemoteAtomic,
    /// Removal by SEND with invalidate.
    Invalidate,
}
