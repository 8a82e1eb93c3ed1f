//! Hops whose fields a bitmap names (IOAM's trace type, INT's instructions), and the word of interfaces that both have.

/// The fields of a hop, in the order of the bits that are set; bit 0 is the most significant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields {
    /// The bitmap.
    pub bits: u32,
    /// How many bits it has.
    pub count: u32,
    /// Bits whose fields have eight bytes; all others have four.
    pub wide: &'static [u32],
}

impl Fields {
    /// The field of a bit is there.
    pub fn has(&self, bit: u32) -> bool {
        self.bits >> (self.count - 1 - bit) & 1 == 1
    }

    /// Bytes of the field of a bit.
    pub fn width(&self, bit: u32) -> usize {
        if self.wide.contains(&bit) {
            8
        } else {
            4
        }
    }

    /// Bytes of the fields before that of a bit.
    pub fn len_before(&self, bit: u32) -> usize {
        (0..bit).filter(|&b| self.has(b)).map(|b| self.width(b)).sum()
    }

    /// Where the field of a bit stands in a hop, if it is there.
    pub fn offset(&self, bit: u32) -> Option<usize> {
        self.has(bit).then(|| self.len_before(bit))
    }
}

/// Interface in, then our speed code (4 bits) above the interface out (12 bits).
pub(super) fn interfaces(ingress: u16, speed: u8, egress: u16) -> u32 {
    u32::from(ingress) << 16 | u32::from(speed & 15) << 12 | u32::from(egress & 0xfff)
}

/// Interface in, speed code, interface out.
pub(super) fn split_interfaces(word: u32) -> (u16, u8, u16) {
    ((word >> 16) as u16, (word >> 12 & 15) as u8, word as u16 & 0xfff)
}
