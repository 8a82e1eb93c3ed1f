//! UDP (RFC 768).

use super::bytes::{check_len, get16, put};
use super::{udp_checksum, WireError};
use std::net::Ipv4Addr;

mod field {
    use core::ops::Range;
    pub const SRC_PORT: Range<usize> = 0..2;
    pub const DST_PORT: Range<usize> = 2..4;
    pub const LENGTH: Range<usize> = 4..6;
    pub const CHECKSUM: Range<usize> = 6..8;
}

/// Bytes of the header.
pub const UDP_LEN: usize = field::CHECKSUM.end;

/// The payload of an IP packet, read as a UDP datagram.
#[derive(Clone, Copy, Debug)]
pub struct UdpView<T: AsRef<[u8]>> {
    buffer: T,
}

impl<T: AsRef<[u8]>> UdpView<T> {
    /// Checks that the header is there and that its length is exactly what IP carries.
    pub fn new_checked(buffer: T) -> Result<Self, WireError> {
        let data = buffer.as_ref();
        check_len("UDP", data, UDP_LEN)?;
        let udp = usize::from(get16(data, field::LENGTH));
        if udp != data.len() {
            return Err(WireError::UdpLength { udp, ip: data.len() });
        }
        Ok(Self { buffer })
    }

    /// Source port.
    pub fn src_port(&self) -> u16 {
        get16(self.buffer.as_ref(), field::SRC_PORT)
    }

    /// Destination port.
    pub fn dst_port(&self) -> u16 {
        get16(self.buffer.as_ref(), field::DST_PORT)
    }

    /// Checksum as sent; 0 means none.
    pub fn checksum(&self) -> u16 {
        get16(self.buffer.as_ref(), field::CHECKSUM)
    }

    /// The checksum is absent, or right under the pseudo header of these addresses.
    pub fn checksum_ok(&self, src: Ipv4Addr, dst: Ipv4Addr) -> bool {
        self.checksum() == 0 || udp_checksum(src, dst, self.buffer.as_ref()) == 0
    }

    /// Bytes after the header.
    pub fn payload(&self) -> &[u8] {
        &self.buffer.as_ref()[UDP_LEN..]
    }
}

/// Meaning of a UDP header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UdpRepr {
    /// Source port.
    pub src_port: u16,
    /// Destination port.
    pub dst_port: u16,
    /// Checksum as sent; 0 means none.
    pub checksum: u16,
    /// Bytes after the header.
    pub payload_len: usize,
}

impl UdpRepr {
    /// A header without checksum, the length set when the packet is emitted.
    pub fn ports(src_port: u16, dst_port: u16) -> Self {
        Self {
            src_port,
            dst_port,
            checksum: 0,
            payload_len: 0,
        }
    }

    /// Reads a header.
    pub fn parse<T: AsRef<[u8]>>(view: &UdpView<T>) -> Self {
        Self {
            src_port: view.src_port(),
            dst_port: view.dst_port(),
            checksum: view.checksum(),
            payload_len: view.payload().len(),
        }
    }

    /// Writes the header to the front of `buffer`, which holds at least [`UDP_LEN`] bytes.
    pub fn emit(&self, buffer: &mut [u8]) {
        put(buffer, field::SRC_PORT, self.src_port.into());
        put(buffer, field::DST_PORT, self.dst_port.into());
        put(buffer, field::LENGTH, (UDP_LEN + self.payload_len) as u64);
        put(buffer, field::CHECKSUM, self.checksum.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES: [u8; 10] = [0xc1, 0x23, 0x12, 0xb7, 0, 10, 0, 0, 7, 8];

    #[test]
    fn apart_and_together() {
        let view = UdpView::new_checked(&BYTES[..]).unwrap();
        let repr = UdpRepr {
            src_port: 0xc123,
            dst_port: 4791,
            checksum: 0,
            payload_len: 2,
        };
        assert_eq!(UdpRepr::parse(&view), repr);
        assert_eq!(view.payload(), [7, 8]);
        let mut out = [0, 0, 0, 0, 0, 0, 0, 0, 7, 8];
        repr.emit(&mut out);
        assert_eq!(out, BYTES);
    }

    #[test]
    fn impossible_lengths_are_refused() {
        for len in 0..UDP_LEN {
            assert!(matches!(
                UdpView::new_checked(&BYTES[..len]),
                Err(WireError::Truncated { .. })
            ));
        }
        assert_eq!(
            UdpView::new_checked(&BYTES[..9]).err(),
            Some(WireError::UdpLength { udp: 10, ip: 9 })
        );
        let long = [&BYTES[..], &[0]].concat();
        assert_eq!(
            UdpView::new_checked(&long).err(),
            Some(WireError::UdpLength { udp: 10, ip: 11 })
        );
    }

    #[test]
    fn checksum_is_absent_or_right() {
        let (src, dst) = (Ipv4Addr::new(10, 0, 0, 10), Ipv4Addr::new(10, 0, 0, 11));
        let mut bytes = BYTES;
        assert!(UdpView::new_checked(bytes).unwrap().checksum_ok(src, dst));
        let right = udp_checksum(src, dst, &bytes);
        bytes[6..8].copy_from_slice(&right.to_be_bytes());
        assert!(UdpView::new_checked(bytes).unwrap().checksum_ok(src, dst));
        bytes[6..8].copy_from_slice(&(right ^ 0x100).to_be_bytes());
        assert!(!UdpView::new_checked(bytes).unwrap().checksum_ok(src, dst));
    }
}
