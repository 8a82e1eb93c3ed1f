//! IPv4 without options (RFC 791).

use super::bytes::{check_len, get16, get32, put};
use super::ethernet::{EthernetView, ETHERTYPE_IPV4};
use super::{internet_checksum, WireError};
use std::net::Ipv4Addr;

mod field {
    use core::ops::Range;
    pub const VERSION_IHL: usize = 0;
    pub const TOS: usize = 1;
    pub const TOTAL_LEN: Range<usize> = 2..4;
    pub const IDENT: Range<usize> = 4..6;
    pub const FRAGMENT: Range<usize> = 6..8;
    pub const TTL: usize = 8;
    pub const PROTOCOL: usize = 9;
    pub const CHECKSUM: Range<usize> = 10..12;
    pub const SRC: Range<usize> = 12..16;
    pub const DST: Range<usize> = 16..20;
}

/// ECN field of a packet that a switch has marked, "congestion experienced" (RFC 3168, section 5); the field is the low two bits of the type of
/// service.
pub const ECN_CE: u8 = 3;

/// Bytes of the header.
pub const IPV4_LEN: usize = field::DST.end;
/// Protocol number of UDP.
pub const PROTOCOL_UDP: u8 = 17;

const DONT_FRAGMENT: u16 = 0x4000;
/// More fragments, and the fragment offset.
const FRAGMENT_MASK: u16 = 0x3fff;

/// Bytes from the start of an IPv4 header; there may be more after the packet.
#[derive(Clone, Copy, Debug)]
pub struct Ipv4View<T: AsRef<[u8]>> {
    buffer: T,
}

impl<T: AsRef<[u8]>> Ipv4View<T> {
    /// Checks version, header length and total length, in this order. Checksum and fragments are the caller's choice.
    pub fn new_checked(buffer: T) -> Result<Self, WireError> {
        let data = buffer.as_ref();
        check_len("IPv4", data, IPV4_LEN)?;
        let (version, words) = (data[field::VERSION_IHL] >> 4, data[field::VERSION_IHL] & 15);
        if version != 4 {
            return Err(WireError::IpVersion(version));
        }
        if usize::from(words) * 4 != IPV4_LEN {
            return Err(WireError::IpOptions(words));
        }
        let total = usize::from(get16(data, field::TOTAL_LEN));
        if total < IPV4_LEN || total > data.len() {
            return Err(WireError::IpLength {
                total,
                have: data.len(),
            });
        }
        Ok(Self { buffer })
    }

    /// Type of service: DSCP 6 bits, ECN 2 bits.
    pub fn tos(&self) -> u8 {
        self.buffer.as_ref()[field::TOS]
    }

    /// Bytes of header and payload.
    pub fn total_len(&self) -> usize {
        get16(self.buffer.as_ref(), field::TOTAL_LEN).into()
    }

    /// Source address.
    pub fn src(&self) -> Ipv4Addr {
        Ipv4Addr::from(get32(self.buffer.as_ref(), field::SRC))
    }

    /// Destination address.
    pub fn dst(&self) -> Ipv4Addr {
        Ipv4Addr::from(get32(self.buffer.as_ref(), field::DST))
    }

    /// Protocol of the payload.
    pub fn protocol(&self) -> u8 {
        self.buffer.as_ref()[field::PROTOCOL]
    }

    /// Part of a larger packet: more fragments follow, or the offset is not zero.
    pub fn is_fragment(&self) -> bool {
        get16(self.buffer.as_ref(), field::FRAGMENT) & FRAGMENT_MASK != 0
    }

    /// The header checksum is right.
    pub fn checksum_ok(&self) -> bool {
        internet_checksum(&self.buffer.as_ref()[..IPV4_LEN]) == 0
    }

    /// Bytes after the header, up to the total length.
    pub fn payload(&self) -> &[u8] {
        &self.buffer.as_ref()[IPV4_LEN..self.total_len()]
    }
}

/// Meaning of an IPv4 header without options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ipv4Repr {
    /// Source address.
    pub src: Ipv4Addr,
    /// Destination address.
    pub dst: Ipv4Addr,
    /// Type of service: DSCP 6 bits, ECN 2 bits.
    pub tos: u8,
    /// Identification.
    pub ident: u16,
    /// May not be fragmented.
    pub dont_fragment: bool,
    /// Time to live.
    pub ttl: u8,
    /// Protocol of the payload.
    pub protocol: u8,
    /// Bytes after the header.
    pub payload_len: usize,
}

impl Ipv4Repr {
    /// A header in front of UDP: type of service 0, time to live 64, the length set when the packet is emitted. Never fragmented, so the
    /// identification has no meaning (RFC 6864) and is 0.
    pub fn udp(src: Ipv4Addr, dst: Ipv4Addr) -> Self {
        Self {
            src,
            dst,
            tos: 0,
            ident: 0,
            dont_fragment: true,
            ttl: 64,
            protocol: PROTOCOL_UDP,
            payload_len: 0,
        }
    }

    /// A switch has marked the packet.
    pub fn congestion_experienced(&self) -> bool {
        self.tos & ECN_CE == ECN_CE
    }

    /// Reads a header; a wrong checksum or a fragment is an error.
    pub fn parse<T: AsRef<[u8]>>(view: &Ipv4View<T>) -> Result<Self, WireError> {
        if !view.checksum_ok() {
            return Err(WireError::IpChecksum);
        }
        if view.is_fragment() {
            return Err(WireError::IpFragment);
        }
        let data = view.buffer.as_ref();
        Ok(Self {
            src: view.src(),
            dst: view.dst(),
            tos: view.tos(),
            ident: get16(data, field::IDENT),
            dont_fragment: get16(data, field::FRAGMENT) & DONT_FRAGMENT != 0,
            ttl: data[field::TTL],
            protocol: view.protocol(),
            payload_len: view.total_len() - IPV4_LEN,
        })
    }

    /// Writes the header with its checksum to the front of `buffer`, which holds at least [`IPV4_LEN`] bytes.
    pub fn emit(&self, buffer: &mut [u8]) {
        buffer[field::VERSION_IHL] = 0x45;
        buffer[field::TOS] = self.tos;
        put(buffer, field::TOTAL_LEN, (IPV4_LEN + self.payload_len) as u64);
        put(buffer, field::IDENT, self.ident.into());
        put(
            buffer,
            field::FRAGMENT,
            if self.dont_fragment { DONT_FRAGMENT.into() } else { 0 },
        );
        buffer[field::TTL] = self.ttl;
        buffer[field::PROTOCOL] = self.protocol;
        put(buffer, field::CHECKSUM, 0);
        buffer[field::SRC].copy_from_slice(&self.src.octets());
        buffer[field::DST].copy_from_slice(&self.dst.octets());
        let checksum = internet_checksum(&buffer[..IPV4_LEN]);
        put(buffer, field::CHECKSUM, checksum.into());
    }
}

/// Marks a frame "congestion experienced" as a switch does, header checksum included; `false`, and the frame as it was, if it is not IPv4 or
/// its sender does not say that it understands marks.
pub fn mark_congestion(frame: &mut [u8]) -> bool {
    let start = match EthernetView::new_checked(&*frame) {
        Ok(ethernet) if ethernet.ethertype() == ETHERTYPE_IPV4 => ethernet.header_len(),
        _ => return false,
    };
    let packet = &mut frame[start..];
    let header = Ipv4View::new_checked(&*packet).and_then(|view| Ipv4Repr::parse(&view));
    match header {
        Ok(header) if header.tos & ECN_CE != 0 => {
            let tos = header.tos | ECN_CE;
            Ipv4Repr { tos, ..header }.emit(packet);
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{EthernetRepr, MacAddr};

    /// Worked example of the RoCEv2 notes, with eight bytes of payload instead of its own.
    const BYTES: [u8; 28] = [
        0x45, 0x6a, 0x00, 0x1c, 0x00, 0x01, 0x40, 0x00, 0x40, 0x11, 0x26, 0x52, 0x0a, 0x00, 0x00, 0x0a, 0x0a, 0x00,
        0x00, 0x0b, 1, 2, 3, 4, 5, 6, 7, 8,
    ];

    fn repr() -> Ipv4Repr {
        Ipv4Repr {
            src: Ipv4Addr::new(10, 0, 0, 10),
            dst: Ipv4Addr::new(10, 0, 0, 11),
            tos: 0x6a,
            ident: 1,
            dont_fragment: true,
            ttl: 64,
            protocol: PROTOCOL_UDP,
            payload_len: 8,
        }
    }

    #[test]
    fn apart_and_together() {
        let view = Ipv4View::new_checked(&BYTES[..]).unwrap();
        assert_eq!(Ipv4Repr::parse(&view), Ok(repr()));
        assert_eq!(view.payload(), [1, 2, 3, 4, 5, 6, 7, 8]);
        let mut out = BYTES;
        out[..IPV4_LEN].fill(0);
        repr().emit(&mut out);
        assert_eq!(out, BYTES);
    }

    #[test]
    fn bytes_after_the_total_length_are_not_payload() {
        let mut long = BYTES.to_vec();
        long.extend([9; 5]);
        assert_eq!(Ipv4View::new_checked(&long).unwrap().payload().len(), 8);
    }

    #[test]
    fn each_fault_has_its_own_error() {
        for len in 0..IPV4_LEN {
            assert!(matches!(
                Ipv4View::new_checked(&BYTES[..len]),
                Err(WireError::Truncated { .. })
            ));
        }
        for len in IPV4_LEN..BYTES.len() {
            assert!(
                matches!(Ipv4View::new_checked(&BYTES[..len]), Err(WireError::IpLength { .. })),
                "{len}"
            );
        }
        let with = |at: usize, value: u8| {
            let mut bytes = BYTES;
            bytes[at] = value;
            Ipv4View::new_checked(bytes).and_then(|view| Ipv4Repr::parse(&view))
        };
        assert_eq!(with(0, 0x65), Err(WireError::IpVersion(6)));
        assert_eq!(with(0, 0x46), Err(WireError::IpOptions(6)));
        assert_eq!(with(0, 0x44), Err(WireError::IpOptions(4)));
        assert_eq!(with(3, 19), Err(WireError::IpLength { total: 19, have: 28 }));
        assert_eq!(with(8, 63), Err(WireError::IpChecksum));
    }

    #[test]
    fn fragments_are_refused_whatever_their_checksum() {
        for (byte, value) in [(6, 0x20), (6, 0x01), (7, 0x01)] {
            let mut bytes = BYTES;
            bytes[byte] = value;
            bytes[10..12].fill(0);
            let checksum = internet_checksum(&bytes[..IPV4_LEN]);
            bytes[10..12].copy_from_slice(&checksum.to_be_bytes());
            let view = Ipv4View::new_checked(bytes).unwrap();
            assert_eq!(Ipv4Repr::parse(&view), Err(WireError::IpFragment));
        }
    }

    #[test]
    fn a_mark_changes_the_two_bits_and_the_checksum_of_what_may_be_marked() {
        let header = |tos| {
            let mut frame = vec![0; 14 + IPV4_LEN];
            EthernetRepr::ipv4(MacAddr([2, 0, 0, 0, 0, 1]), MacAddr([2, 0, 0, 0, 0, 2])).emit(&mut frame);
            let header = Ipv4Repr::udp(Ipv4Addr::new(10, 0, 0, 1), Ipv4Addr::new(10, 0, 0, 2));
            Ipv4Repr { tos, ..header }.emit(&mut frame[14..]);
            frame
        };
        for (tos, marked) in [(0x68, None), (0x69, Some(0x6b)), (0x6a, Some(0x6b)), (0x6b, Some(0x6b))] {
            let mut frame = header(tos);
            assert_eq!(mark_congestion(&mut frame), marked.is_some(), "{tos:x}");
            assert_eq!(frame, header(marked.unwrap_or(tos)), "{tos:x}");
        }
        let mut other = header(2);
        other[12] = 0x86;
        assert!(!mark_congestion(&mut other) && !mark_congestion(&mut other[..10]));
    }
}
