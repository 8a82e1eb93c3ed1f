//! Indices of rings.

use super::command::{Ring, MAX_RING, MIN_RING, RING_ALIGNMENT};

impl Ring {
    /// The ring's size, alignment and end are right for entries of `len` bytes.
    pub(super) fn is_valid(&self, len: usize) -> bool {
        let bytes = u64::from(self.entries) * len as u64;
        self.entries.is_power_of_two()
            && (MIN_RING..=MAX_RING).contains(&self.entries)
            && self.address.is_multiple_of(RING_ALIGNMENT)
            && self.address.checked_add(bytes - 1).is_some()
    }

    /// Address of a slot of `len` bytes.
    pub(super) fn slot(&self, index: u64, len: usize) -> u64 {
        self.address + index % u64::from(self.entries) * len as u64
    }

    /// Phase of a slot: 1 in the first pass.
    pub(super) fn phase(&self, index: u64) -> bool {
        (index / u64::from(self.entries)).is_multiple_of(2)
    }

    /// Entries, as an index counts them.
    pub(super) fn len(&self) -> u64 {
        self.entries.into()
    }
}

/// The index without end that `index` stands for, not before `reference` and less than 2^16 beyond.
pub(super) fn beyond(reference: u64, index: u16) -> u64 {
    reference + u64::from(index.wrapping_sub(reference as u16))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_phases_and_wrap() {
        let ring = Ring {
            address: 0x1_0000,
            entries: 16,
        };
        assert_eq!(
            (ring.slot(0, 64), ring.slot(15, 64), ring.slot(16, 64)),
            (0x1_0000, 0x1_03c0, 0x1_0000)
        );
        assert_eq!(
            [0, 15, 16, 31, 32].map(|index| ring.phase(index)),
            [true, true, false, false, true]
        );
        assert_eq!(
            (beyond(0xfffe, 1), beyond(0x1_0000, 0), beyond(5, 4)),
            (0x1_0001, 0x1_0000, 0x1_0004)
        );
    }

    #[test]
    fn sizes_and_alignment() {
        let valid = |address, entries| Ring { address, entries }.is_valid(64);
        assert!(valid(0, 16) && valid(4096, 32_768) && valid(u64::MAX - 4095, 64));
        assert!(!valid(0, 8) && !valid(0, 65_536) && !valid(0, 48) && !valid(64, 16) && !valid(u64::MAX - 4095, 128));
    }
}
