//! Memory regions and rights as a host with queues knows them.

use crate::nic::Access;

/// Uses that a memory region allows. Local READ always may.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rights {
    /// Receives, data of READs and results of atomic operations may be written.
    pub local_write: bool,
    /// WRITE from the network.
    pub remote_write: bool,
    /// READ from the network.
    pub remote_read: bool,
    /// Atomic operations from the network.
    pub remote_atomic: bool,
    /// SEND with invalidate may destroy the region.
    pub invalidate: bool,
}

impl Rights {
    /// Everything.
    pub const ALL: Self = Self {
        local_write: true,
        remote_write: true,
        remote_read: true,
        remote_atomic: true,
        invalidate: true,
    };
}

/// Operations that the peer may carry out through a queue pair. SEND always may be sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QpRights {
    /// WRITE.
    pub remote_write: bool,
    /// READ.
    pub remote_read: bool,
    /// Atomic operations.
    pub remote_atomic: bool,
}

impl QpRights {
    /// Everything.
    pub const ALL: Self = Self {
        remote_write: true,
        remote_read: true,
        remote_atomic: true,
    };
}

/// A memory region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryRegion {
    /// Key that names it, for local and remote use. Bits 8 and up to the size of the table are its entry.
    pub key: u32,
    /// Protection domain; the queue pair's must be the same.
    pub domain: u16,
    /// First address, as programs and the wire count it.
    pub address: u64,
    /// Bytes.
    pub length: u64,
    /// Added to an address of the wire or of a work request to give the memory's, without carry: it may go down, and may set the address space in
    /// the upper 16 bits.
    pub offset: u64,
    /// Rights.
    pub rights: Rights,
}

impl MemoryRegion {
    /// The region's rights allow this use.
    pub fn allows(&self, access: Access) -> bool {
        match access {
            Access::Local => true,
            Access::LocalWrite => self.rights.local_write,
            Access::RemoteWrite => self.rights.remote_write,
            Access::RemoteRead => self.rights.remote_read,
            Access::RemoteAtomic => self.rights.remote_atomic,
            Access::Invalidate => self.rights.invalidate,
        }
    }
}
