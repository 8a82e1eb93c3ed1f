//! Memory regions (key, bounds, rights) and the host memory behind them.

use super::access::Access;
use super::queues::{MemoryRegion, Rights};
use std::collections::BTreeMap;
use thiserror::Error;

/// The host's memory did not carry out an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("bus error at 0x{address:x}")]
pub struct BusError {
    /// First address of the access.
    pub address: u64,
}

/// Host memory as the NIC reaches it. An access is finished when the call returns.
pub trait Memory {
    /// Fills `data` from `address` on.
    fn read(&mut self, address: u64, data: &mut [u8]) -> Result<(), BusError>;

    /// Stores `data` from `address` on.
    fn write(&mut self, address: u64, data: &[u8]) -> Result<(), BusError>;
}

/// Memory made of separate blocks; an access that leaves a block is a bus error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockMemory {
    blocks: BTreeMap<u64, Vec<u8>>,
}

impl BlockMemory {
    /// Adds a block that begins at `address`.
    pub fn add(&mut self, address: u64, bytes: Vec<u8>) {
        self.blocks.insert(address, bytes);
    }

    /// The block that begins at `address`.
    pub fn block(&self, address: u64) -> Option<&[u8]> {
        self.blocks.get(&address).map(Vec::as_slice)
    }

    fn slice(&mut self, address: u64, len: usize) -> Result<&mut [u8], BusError> {
        let error = BusError { address };
        let (base, block) = self.blocks.range_mut(..=address).next_back().ok_or(error)?;
        let at = usize::try_from(address - base).map_err(|_| error)?;
        let end = at.checked_add(len).ok_or(error)?;
        block.get_mut(at..end).ok_or(error)
    }
}

impl Memory for BlockMemory {
    fn read(&mut self, address: u64, data: &mut [u8]) -> Result<(), BusError> {
        data.copy_from_slice(self.slice(address, data.len())?);
        Ok(())
    }

    fn write(&mut self, address: u64, data: &[u8]) -> Result<(), BusError> {
        self.slice(address, data.len())?.copy_from_slice(data);
        Ok(())
    }
}

/// A memory region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Key that names it.
    pub key: u32,
    /// First address.
    pub address: u64,
    /// Bytes.
    pub length: u64,
    /// WRITE from the network is allowed.
    pub remote_write: bool,
    /// READ from the network is allowed.
    pub remote_read: bool,
}

impl From<Region> for MemoryRegion {
    /// The same region of a host without queues: protection domain 0, wire addresses are memory addresses.
    fn from(region: Region) -> Self {
        Self {
            key: region.key,
            domain: 0,
            address: region.address,
            length: region.length,
            offset: 0,
            rights: Rights {
                local_write: true,
                remote_write: region.remote_write,
                remote_read: region.remote_read,
                remote_atomic: false,
                invalidate: false,
            },
        }
    }
}

/// Entry of the table in the state in which a check found it: removal or replacement of the region ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Guard {
    key: u32,
    version: u64,
}

/// Memory that a check allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Checked {
    /// First address in memory, the region's offset added.
    pub address: u64,
    /// Entry that must still stand when the memory is used; `None` for zero bytes, which nobody checks.
    pub guard: Option<Guard>,
}

/// All regions by key.
#[derive(Clone, Debug, Default)]
pub struct Regions {
    by_key: BTreeMap<u32, (MemoryRegion, u64)>,
    writes: u64,
}

impl Regions {
    /// Adds or replaces a region.
    pub fn insert(&mut self, region: Region) {
        self.store(region.into());
    }

    /// Adds or replaces a region with all that it can have.
    pub fn store(&mut self, region: MemoryRegion) {
        self.writes += 1;
        self.by_key.insert(region.key, (region, self.writes));
    }

    /// A region has this key.
    pub(super) fn has(&self, key: u32) -> bool {
        self.by_key.contains_key(&key)
    }

    /// Keys in use.
    pub(super) fn keys(&self) -> impl Iterator<Item = u32> + '_ {
        self.by_key.keys().copied()
    }

    /// Removes a region.
    pub fn remove(&mut self, key: u32) {
        self.by_key.remove(&key);
    }

    /// Where in memory `length` bytes from `address` on of the region of `key` are, if a user of protection domain `domain` may use them so; zero bytes
    /// are where they are asked for.
    pub fn locate(&self, domain: u16, key: u32, address: u64, length: u64, access: Access) -> Option<u64> {
        self.check(domain, key, address, length, access)
            .map(|checked| checked.address)
    }

    /// Whether `length` bytes from `address` on lie in the region of `key` and may be used so. Zero bytes always may.
    pub fn allows(&self, key: u32, address: u64, length: u64, access: Access) -> bool {
        self.check(0, key, address, length, access).is_some()
    }

    /// Where in memory `length` bytes from `address` on of the region of `key` are, if a user of protection domain `domain` may use them so.
    pub(super) fn check(&self, domain: u16, key: u32, address: u64, length: u64, access: Access) -> Option<Checked> {
        if length == 0 {
            return Some(Checked { address, guard: None });
        }
        let (region, version) = self.by_key.get(&key)?;
        let inside = address.checked_sub(region.address)?;
        let fits = inside <= region.length && length <= region.length - inside;
        let guard = Some(Guard { key, version: *version });
        (region.domain == domain && region.allows(access) && fits).then_some(Checked {
            address: address.wrapping_add(region.offset),
            guard,
        })
    }

    /// The region of a key, if a user of protection domain `domain` may remove it by invalidation.
    pub(super) fn may_invalidate(&self, domain: u16, key: u32) -> bool {
        let region = self.by_key.get(&key);
        region.is_some_and(|(region, _)| region.domain == domain && region.allows(Access::Invalidate))
    }

    /// Whether what a check found still stands.
    pub(super) fn holds(&self, guard: Option<Guard>) -> bool {
        guard.is_none_or(|guard| {
            self.by_key
                .get(&guard.key)
                .is_some_and(|(_, version)| *version == guard.version)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_to_the_byte_and_no_overflow() {
        let mut regions = Regions::default();
        regions.insert(Region {
            key: 7,
            address: 100,
            length: 50,
            remote_write: true,
            remote_read: false,
        });
        regions.insert(Region {
            key: 8,
            address: u64::MAX - 9,
            length: 10,
            remote_write: true,
            remote_read: true,
        });
        let write = |key, address, length| regions.allows(key, address, length, Access::RemoteWrite);
        assert!(write(7, 100, 50) && write(7, 149, 1) && write(7, 100, 1));
        assert!(!write(7, 99, 1) && !write(7, 100, 51) && !write(7, 149, 2) && !write(7, 150, 1));
        assert!(!write(7, 100, u64::MAX) && !write(9, 100, 1));
        assert!(write(8, u64::MAX - 9, 10) && !write(8, u64::MAX - 9, 11) && !write(8, u64::MAX, 2));
        assert!(!regions.allows(7, 100, 1, Access::RemoteRead) && regions.allows(7, 100, 1, Access::Local));
        assert!(write(1234, 0, 0), "zero bytes need no region");
    }

    #[test]
    fn blocks_and_bus_errors() {
        let mut memory = BlockMemory::default();
        memory.add(0x1000, vec![0; 16]);
        memory.write(0x1004, &[1, 2, 3]).unwrap();
        let mut data = [0; 5];
        memory.read(0x1003, &mut data).unwrap();
        assert_eq!(data, [0, 1, 2, 3, 0]);
        assert!(memory.write(0x100f, &[1, 2]).is_err());
        assert!(memory.write(0xfff, &[1]).is_err());
        assert_eq!(memory.block(0x1000).unwrap()[15], 0, "a refused access writes nothing");
    }
}
