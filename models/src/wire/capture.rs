//! Captures of any kind, packet by packet: pcap with micro- or nanoseconds in either byte order, pcapng; whole packets and cut ones;
//! Ethernet, Linux cooked captures and bare IP.

use super::bytes::get16;
use super::PcapError;
use pcap_file::pcap::PcapReader;
use pcap_file::pcapng::{Block, PcapNgReader};
use pcap_file::DataLink;
use std::io::{BufRead, Read};

/// First bytes of a pcapng file.
const PCAPNG_MAGIC: [u8; 4] = [0x0a, 0x0d, 0x0d, 0x0a];
/// EtherTypes of VLAN tags: customer, service, and an old form of the latter.
const VLAN_TYPES: [u16; 3] = [0x8100, 0x88a8, 0x9100];

/// What lies below the IP packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LinkLayer {
    /// Ethernet with any number of VLAN tags.
    Ethernet,
    /// Bytes before a 16-bit EtherType, and bytes of the whole header.
    Cooked { ethertype: usize, len: usize },
    /// Nothing.
    Ip,
}

impl LinkLayer {
    fn of(link: DataLink) -> Result<Self, PcapError> {
        Ok(match link {
            DataLink::ETHERNET => Self::Ethernet,
            DataLink::LINUX_SLL => Self::Cooked { ethertype: 14, len: 16 },
            DataLink::LINUX_SLL2 => Self::Cooked { ethertype: 0, len: 20 },
            DataLink::RAW | DataLink::IPV4 | DataLink::IPV6 => Self::Ip,
            other => return Err(PcapError::LinkLayer(other)),
        })
    }

    /// Where IP begins. `None`: the packet is of another protocol, or cut before.
    fn ip_at(self, bytes: &[u8]) -> Option<usize> {
        let (mut type_at, mut ip_at) = match self {
            Self::Ip => return Some(0),
            Self::Ethernet => (12, 14),
            Self::Cooked { ethertype, len } => (ethertype, len),
        };
        loop {
            if bytes.len() < ip_at.max(type_at + 2) {
                return None;
            }
            match get16(bytes, type_at..type_at + 2) {
                0x0800 | 0x86dd => return Some(ip_at),
                tag if VLAN_TYPES.contains(&tag) => (type_at, ip_at) = (ip_at + 2, ip_at + 4),
                _ => return None,
            }
        }
    }
}

/// A packet of a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapturedPacket {
    /// Bytes in the capture, from the link layer on.
    pub bytes: Vec<u8>,
    /// Where IP begins in them; `None`: not IP.
    pub ip_at: Option<usize>,
    /// Bytes that the packet had on the wire.
    pub original_len: u32,
}

/// Hands every packet of a capture to `take`, until it is over, damaged, or `take` fails.
pub fn each_packet<R: BufRead, E: From<PcapError>>(
    mut source: R,
    mut take: impl FnMut(CapturedPacket) -> Result<(), E>,
) -> Result<(), E> {
    let start = source
        .fill_buf()
        .map_err(|e| PcapError::Format(pcap_file::PcapError::IoError(e)))?;
    if start.starts_with(&PCAPNG_MAGIC) {
        each_of_pcapng(source, take)
    } else {
        let mut reader = PcapReader::new(source).map_err(PcapError::Format)?;
        let link = LinkLayer::of(reader.header().datalink)?;
        // Without the reader's own check of the original length, which a cut packet does not pass.
        while let Some(packet) = reader.next_raw_packet() {
            let packet = packet.map_err(PcapError::Format)?;
            take(captured(link, packet.data.into_owned(), packet.orig_len))?;
        }
        Ok(())
    }
}

fn captured(link: LinkLayer, bytes: Vec<u8>, original_len: u32) -> CapturedPacket {
    CapturedPacket {
        ip_at: link.ip_at(&bytes),
        bytes,
        original_len,
    }
}

fn each_of_pcapng<R: Read, E: From<PcapError>>(
    source: R,
    mut take: impl FnMut(CapturedPacket) -> Result<(), E>,
) -> Result<(), E> {
    let mut reader = PcapNgReader::new(source).map_err(PcapError::Format)?;
    loop {
        let packet = match reader.next_block() {
            None => return Ok(()),
            Some(block) => match block.map_err(PcapError::Format)? {
                Block::EnhancedPacket(p) => (p.interface_id, p.data.into_owned(), p.original_len),
                Block::Packet(p) => (p.interface_id.into(), p.data.into_owned(), p.original_len),
                Block::SimplePacket(p) => (0, p.data.into_owned(), p.original_len),
                _ => continue,
            },
        };
        let (interface, mut bytes, original_len) = packet;
        // A simple packet has no length of its own: what fills its last word is not of the packet.
        bytes.truncate(original_len as usize);
        let described = reader.interfaces().get(interface as usize);
        let link = described.map(|d| d.linktype).ok_or(PcapError::Interface(interface))?;
        take(captured(LinkLayer::of(link)?, bytes, original_len))?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Vec<CapturedPacket>, PcapError> {
        let mut all = Vec::new();
        each_packet(bytes, |packet| {
            all.push(packet);
            Ok::<(), PcapError>(())
        })?;
        Ok(all)
    }

    /// A pcap with one packet: magic in either byte order, link type, bytes, original length.
    fn pcap(magic: u32, big: bool, link: u32, bytes: &[u8], original: u32) -> Vec<u8> {
        let word = |v: u32| if big { v.to_be_bytes() } else { v.to_le_bytes() };
        let half = |v: u16| if big { v.to_be_bytes() } else { v.to_le_bytes() };
        let mut out = word(magic).to_vec();
        out.extend([half(2), half(4)].concat());
        out.extend([word(0), word(0), word(64), word(link)].concat());
        out.extend([word(1), word(2), word(bytes.len() as u32), word(original)].concat());
        out.extend(bytes);
        out
    }

    #[test]
    fn every_kind_of_pcap() {
        let tagged = [&[0; 12][..], &[0x88, 0xa8, 0, 1, 0x81, 0, 0, 2, 0x08, 0], &[0x45]].concat();
        for magic in [0xa1b2_c3d4, 0xa1b2_3c4d] {
            for big in [false, true] {
                let packets = read(&pcap(magic, big, 1, &tagged, 1500)).unwrap();
                assert_eq!((packets[0].ip_at, packets[0].original_len), (Some(22), 1500));
                assert_eq!(packets[0].bytes, tagged);
            }
        }
        let cooked = [&[0; 14][..], &[0x08, 0, 0x45]].concat();
        for (link, bytes, at) in [
            (101, vec![0x45], Some(0)),
            (113, cooked, Some(16)),
            (1, vec![0; 14], None),
            (1, vec![0; 5], None),
        ] {
            let packets = read(&pcap(0xa1b2_c3d4, false, link, &bytes, bytes.len() as u32)).unwrap();
            assert_eq!(packets[0].ip_at, at, "{link}");
        }
        let other = read(&pcap(0xa1b2_c3d4, false, 105, &[0], 1));
        assert!(matches!(other, Err(PcapError::LinkLayer(_))));
    }

    #[test]
    fn pcapng_and_damage() {
        let block = |kind: u32, body: &[u8]| {
            let len = 12 + body.len() as u32;
            [&kind.to_le_bytes()[..], &len.to_le_bytes(), body, &len.to_le_bytes()].concat()
        };
        let section = [&0x1a2b_3c4du32.to_le_bytes()[..], &[1, 0, 0, 0], &[0xff; 8]].concat();
        let interface = [1, 0, 0, 0, 0, 0, 0, 0];
        let frame = [&[0; 12][..], &[0x08, 0, 0x45, 0]].concat();
        let enhanced = [&[0; 12][..], &16u32.to_le_bytes(), &60u32.to_le_bytes(), &frame].concat();
        let file = [block(0x0a0d_0d0a, &section), block(1, &interface), block(6, &enhanced)].concat();
        let packets = read(&file).unwrap();
        assert_eq!(
            (packets.len(), packets[0].ip_at, packets[0].original_len),
            (1, Some(14), 60)
        );
        let unknown = [block(0x0a0d_0d0a, &section), block(6, &enhanced)].concat();
        assert!(read(&unknown).is_err());
        assert!(read(&file[..file.len() - 3]).is_err());
        assert!(read(b"not a capture, whatever its name says").is_err() && read(b"").is_err());
    }
}
