//! Ethernet II with at most one VLAN tag (IEEE 802.1Q).

use super::bytes::{check_len, get16, put};
use super::{MacAddr, WireError};

mod field {
    use core::ops::Range;
    pub const DST: Range<usize> = 0..6;
    pub const SRC: Range<usize> = 6..12;
    pub const TYPE: Range<usize> = 12..14;
    pub const VLAN_TCI: Range<usize> = 14..16;
    pub const VLAN_TYPE: Range<usize> = 16..18;
}

/// EtherType of IPv4.
pub const ETHERTYPE_IPV4: u16 = 0x0800;
/// EtherType of a customer VLAN tag.
pub const ETHERTYPE_VLAN: u16 = 0x8100;

const UNTAGGED_LEN: usize = field::TYPE.end;
const TAGGED_LEN: usize = field::VLAN_TYPE.end;

/// A frame without preamble and FCS.
#[derive(Clone, Copy, Debug)]
pub struct EthernetView<T: AsRef<[u8]>> {
    buffer: T,
}

impl<T: AsRef<[u8]>> EthernetView<T> {
    /// Checks that the header, with its VLAN tag if it has one, is there.
    pub fn new_checked(buffer: T) -> Result<Self, WireError> {
        check_len("Ethernet", buffer.as_ref(), UNTAGGED_LEN)?;
        let view = Self { buffer };
        check_len("Ethernet", view.buffer.as_ref(), view.header_len())?;
        Ok(view)
    }

    /// Destination address.
    pub fn dst(&self) -> MacAddr {
        mac(&self.buffer.as_ref()[field::DST])
    }

    /// Source address.
    pub fn src(&self) -> MacAddr {
        mac(&self.buffer.as_ref()[field::SRC])
    }

    fn outer_type(&self) -> u16 {
        get16(self.buffer.as_ref(), field::TYPE)
    }

    /// VLAN tag: priority 3 bits, drop eligible 1, VLAN 12.
    pub fn vlan(&self) -> Option<u16> {
        (self.outer_type() == ETHERTYPE_VLAN).then(|| get16(self.buffer.as_ref(), field::VLAN_TCI))
    }

    /// Type of what follows the header and its tag.
    pub fn ethertype(&self) -> u16 {
        match self.outer_type() {
            ETHERTYPE_VLAN => get16(self.buffer.as_ref(), field::VLAN_TYPE),
            other => other,
        }
    }

    /// Bytes of the header: 14, or 18 with a tag.
    pub fn header_len(&self) -> usize {
        if self.outer_type() == ETHERTYPE_VLAN {
            TAGGED_LEN
        } else {
            UNTAGGED_LEN
        }
    }

    /// Bytes after the header.
    pub fn payload(&self) -> &[u8] {
        &self.buffer.as_ref()[self.header_len()..]
    }
}

fn mac(bytes: &[u8]) -> MacAddr {
    let mut out = [0; 6];
    out.copy_from_slice(bytes);
    MacAddr(out)
}

/// Meaning of an Ethernet header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EthernetRepr {
    /// Destination address.
    pub dst: MacAddr,
    /// Source address.
    pub src: MacAddr,
    /// VLAN tag: priority 3 bits, drop eligible 1, VLAN 12.
    pub vlan: Option<u16>,
    /// Type of what follows.
    pub ethertype: u16,
}

impl EthernetRepr {
    /// A header in front of IPv4, without VLAN tag.
    pub fn ipv4(src: MacAddr, dst: MacAddr) -> Self {
        Self {
            dst,
            src,
            vlan: None,
            ethertype: ETHERTYPE_IPV4,
        }
    }

    /// Reads a header.
    pub fn parse<T: AsRef<[u8]>>(view: &EthernetView<T>) -> Self {
        Self {
            dst: view.dst(),
            src: view.src(),
            vlan: view.vlan(),
            ethertype: view.ethertype(),
        }
    }

    /// Bytes that [`Self::emit`] writes.
    pub fn header_len(&self) -> usize {
        if self.vlan.is_some() {
            TAGGED_LEN
        } else {
            UNTAGGED_LEN
        }
    }

    /// Writes the header to the front of `buffer`, which holds at least [`Self::header_len`] bytes.
    pub fn emit(&self, buffer: &mut [u8]) {
        buffer[field::DST].copy_from_slice(&self.dst.0);
        buffer[field::SRC].copy_from_slice(&self.src.0);
        match self.vlan {
            None => put(buffer, field::TYPE, self.ethertype.into()),
            Some(tci) => {
                put(buffer, field::TYPE, ETHERTYPE_VLAN.into());
                put(buffer, field::VLAN_TCI, tci.into());
                put(buffer, field::VLAN_TYPE, self.ethertype.into());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: [u8; 14] = [2, 0, 0, 0, 0, 0x0b, 2, 0, 0, 0, 0, 0x0a, 0x08, 0x00];
    const TAGGED: [u8; 18] = [
        2, 0, 0, 0, 0, 0x0b, 2, 0, 0, 0, 0, 0x0a, 0x81, 0x00, 0x60, 0x07, 0x08, 0x00,
    ];

    fn repr(vlan: Option<u16>) -> EthernetRepr {
        EthernetRepr {
            dst: MacAddr([2, 0, 0, 0, 0, 0x0b]),
            src: MacAddr([2, 0, 0, 0, 0, 0x0a]),
            vlan,
            ethertype: ETHERTYPE_IPV4,
        }
    }

    #[test]
    fn apart_and_together() {
        for (bytes, expected) in [(&PLAIN[..], repr(None)), (&TAGGED[..], repr(Some(0x6007)))] {
            let view = EthernetView::new_checked(bytes).unwrap();
            assert_eq!(EthernetRepr::parse(&view), expected);
            assert!(view.payload().is_empty());
            let mut out = vec![0; expected.header_len()];
            expected.emit(&mut out);
            assert_eq!(out, bytes);
        }
    }

    #[test]
    fn every_shorter_length_is_refused() {
        for len in 0..14 {
            assert!(EthernetView::new_checked(&PLAIN[..len]).is_err(), "{len}");
        }
        for len in 0..18 {
            assert!(EthernetView::new_checked(&TAGGED[..len]).is_err(), "{len}");
        }
    }
}
