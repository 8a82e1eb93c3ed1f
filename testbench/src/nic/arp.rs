//! ARP for the NIC's address. The NIC knows its peers from its configuration; peers that ask for it get their answer here.

use hpcc_models::wire::MacAddr;
use std::net::Ipv4Addr;

/// EtherType of ARP.
const ETHERTYPE: [u8; 2] = [0x08, 0x06];
/// Hardware type Ethernet, protocol IPv4, address lengths 6 and 4.
const KIND: [u8; 6] = [0, 1, 8, 0, 6, 4];
const REQUEST: [u8; 2] = [0, 1];
const REPLY: [u8; 2] = [0, 2];
/// Shortest Ethernet frame without FCS.
const MIN_FRAME: usize = 60;

mod field {
    use core::ops::Range;
    pub const DESTINATION: Range<usize> = 0..6;
    pub const SOURCE: Range<usize> = 6..12;
    pub const ETHERTYPE: Range<usize> = 12..14;
    pub const KIND: Range<usize> = 14..20;
    pub const OPERATION: Range<usize> = 20..22;
    pub const SENDER_MAC: Range<usize> = 22..28;
    /// Sender's Ethernet and IP address.
    pub const SENDER: Range<usize> = 22..32;
    pub const SENDER_IP: Range<usize> = 28..32;
    /// Target's Ethernet and IP address.
    pub const TARGET: Range<usize> = 32..42;
    pub const TARGET_IP: Range<usize> = 38..42;
}

/// The frame is ARP, for the NIC or not.
pub fn is_arp(frame: &[u8]) -> bool {
    frame.get(field::ETHERTYPE) == Some(&ETHERTYPE[..])
}

/// The answer to a request for `ip`, if the frame is one.
pub fn answer(frame: &[u8], mac: MacAddr, ip: Ipv4Addr) -> Option<Vec<u8>> {
    let asked = is_arp(frame)
        && frame.get(field::KIND) == Some(&KIND[..])
        && frame.get(field::OPERATION) == Some(&REQUEST[..])
        && frame.get(field::TARGET_IP) == Some(&ip.octets()[..]);
    if !asked {
        return None;
    }
    let mut reply = vec![0; MIN_FRAME];
    reply[field::DESTINATION].copy_from_slice(&frame[field::SENDER_MAC]);
    reply[field::SOURCE].copy_from_slice(&mac.0);
    reply[field::ETHERTYPE].copy_from_slice(&ETHERTYPE);
    reply[field::KIND].copy_from_slice(&KIND);
    reply[field::OPERATION].copy_from_slice(&REPLY);
    reply[field::SENDER_MAC].copy_from_slice(&mac.0);
    reply[field::SENDER_IP].copy_from_slice(&ip.octets());
    reply[field::TARGET].copy_from_slice(&frame[field::SENDER]);
    Some(reply)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAC: MacAddr = MacAddr([2, 0, 0, 0, 0, 11]);
    const IP: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 11);

    /// Who has 10.0.0.11, tell 10.0.0.10; as Linux sends it.
    #[rustfmt::skip]
    const ASKED: [u8; 42] = [
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x52, 0x54, 0, 0, 0, 0x10, 8, 6,
        0, 1, 8, 0, 6, 4, 0, 1,
        0x52, 0x54, 0, 0, 0, 0x10, 10, 0, 0, 10,
        0, 0, 0, 0, 0, 0, 10, 0, 0, 11,
    ];

    #[test]
    fn bytes_of_the_answer() {
        #[rustfmt::skip]
        let mut expected = vec![
            0x52, 0x54, 0, 0, 0, 0x10, 2, 0, 0, 0, 0, 11, 8, 6,
            0, 1, 8, 0, 6, 4, 0, 2,
            2, 0, 0, 0, 0, 11, 10, 0, 0, 11,
            0x52, 0x54, 0, 0, 0, 0x10, 10, 0, 0, 10,
        ];
        expected.resize(60, 0);
        assert_eq!(answer(&ASKED, MAC, IP), Some(expected));
    }

    #[test]
    fn anything_else_has_no_answer() {
        assert_eq!(answer(&ASKED, MAC, Ipv4Addr::new(10, 0, 0, 12)), None);
        for len in 0..ASKED.len() {
            assert_eq!(answer(&ASKED[..len], MAC, IP), None);
        }
        for (at, value) in [(12, 9), (15, 6), (19, 6), (21, 2)] {
            let mut other = ASKED;
            other[at] = value;
            assert_eq!(answer(&other, MAC, IP), None, "byte {at}");
        }
        assert!(is_arp(&ASKED) && !is_arp(&ASKED[..13]));
    }
}
