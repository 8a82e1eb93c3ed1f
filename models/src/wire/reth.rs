//! RDMA extended transport header.

use super::bytes::{check_len, get, get32, put};
use super::WireError;

mod field {
    use core::ops::Range;
    pub const ADDRESS: Range<usize> = 0..8;
    pub const KEY: Range<usize> = 8..12;
    pub const LENGTH: Range<usize> = 12..16;
}

/// Bytes of the header.
pub const RETH_LEN: usize = field::LENGTH.end;

/// Bytes from the start of a RETH.
#[derive(Clone, Copy, Debug)]
pub struct RethView<T: AsRef<[u8]>> {
    buffer: T,
}

impl<T: AsRef<[u8]>> RethView<T> {
    /// Checks that the header is there.
    pub fn new_checked(buffer: T) -> Result<Self, WireError> {
        check_len("RETH", buffer.as_ref(), RETH_LEN)?;
        Ok(Self { buffer })
    }

    /// Address in the responder's memory.
    pub fn address(&self) -> u64 {
        get(self.buffer.as_ref(), field::ADDRESS)
    }

    /// Key of the region.
    pub fn key(&self) -> u32 {
        get32(self.buffer.as_ref(), field::KEY)
    }

    /// Bytes of the whole message.
    pub fn length(&self) -> u32 {
        get32(self.buffer.as_ref(), field::LENGTH)
    }
}

/// Meaning of a RETH.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RethRepr {
    /// Address in the responder's memory.
    pub address: u64,
    /// Key of the region.
    pub key: u32,
    /// Bytes of the whole message.
    pub length: u32,
}

impl RethRepr {
    /// Reads a header.
    pub fn parse<T: AsRef<[u8]>>(view: &RethView<T>) -> Self {
        Self {
            address: view.address(),
            key: view.key(),
            length: view.length(),
        }
    }

    /// Writes the header to the front of `buffer`, which holds at least [`RETH_LEN`] bytes.
    pub fn emit(&self, buffer: &mut [u8]) {
        put(buffer, field::ADDRESS, self.address);
        put(buffer, field::KEY, self.key.into());
        put(buffer, field::LENGTH, self.length.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn apart_and_together() {
        let bytes = [
            0, 0, 0x7f, 0, 0x11, 0x22, 0x33, 0x44, 0xde, 0xad, 0xbe, 0xef, 0, 0, 0, 0x40,
        ];
        let repr = RethRepr {
            address: 0x7f00_1122_3344,
            key: 0xdead_beef,
            length: 64,
        };
        assert_eq!(RethRepr::parse(&RethView::new_checked(bytes).unwrap()), repr);
        let mut out = [0; RETH_LEN];
        repr.emit(&mut out);
        assert_eq!(out, bytes);
        for len in 0..RETH_LEN {
            assert!(RethView::new_checked(&bytes[..len]).is_err());
        }
    }
}
