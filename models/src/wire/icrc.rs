//! The invariant CRC: CRC-32 of Ethernet over the IP packet with everything that a router may change read as ones.
//!
//! The ICRC of a packet with INT is that of the packet without its INT header and stack and with lengths as if it had
//! none (port as sent), so a switch that adds a record never has to touch it.

use super::bytes::{get16, put};

mod field {
    use core::ops::Range;
    pub const VERSION: usize = 0;
    pub const V4_TOTAL_LEN: Range<usize> = 2..4;
    /// IPv4: type of service, time to live, header checksum.
    pub const V4_MASKED: [Range<usize>; 3] = [1..2, 8..9, 10..12];
    pub const V4_LEN: usize = 20;
    pub const V6_PAYLOAD_LEN: Range<usize> = 4..6;
    /// IPv6: traffic class and flow label (byte 0 in its low half only), hop limit.
    pub const V6_MASKED: [Range<usize>; 2] = [1..4, 7..8];
    pub const V6_LEN: usize = 40;
    /// From the start of UDP: length, checksum.
    pub const UDP_LENGTH: Range<usize> = 4..6;
    pub const UDP_MASKED: Range<usize> = 6..8;
    pub const UDP_LEN: usize = 8;
    /// From the start of BTH: FECN, BECN, reserved.
    pub const BTH_MASKED: usize = 4;
}

/// Bytes of the ICRC on the wire, least significant first.
pub const ICRC_LEN: usize = 4;
/// CRC register after the eight bytes of ones that stand for the link header InfiniBand has and RoCEv2 has not.
pub const ICRC_PRESET: u32 = 0xdebb_20e3;

const POLYNOMIAL: u32 = 0xedb8_8320;

/// `TABLES[k][b]`: what byte `b` contributes after `k` more zero bytes.
const TABLES: [[u32; 256]; 8] = {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut value = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 1 == 1 {
                value >> 1 ^ POLYNOMIAL
            } else {
                value >> 1
            };
            bit += 1;
        }
        tables[0][byte] = value;
        byte += 1;
    }
    let mut k = 1;
    while k < 8 {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[k - 1][byte];
            tables[k][byte] = before >> 8 ^ tables[0][(before & 0xff) as usize];
            byte += 1;
        }
        k += 1;
    }
    tables
};

/// CRC register after `data`, from register `state` (reflected, not inverted).
pub fn crc32_update(mut state: u32, data: &[u8]) -> u32 {
    let mut chunks = data.chunks_exact(8);
    for chunk in &mut chunks {
        let first = state.to_le_bytes();
        let mut next = 0;
        for (i, byte) in chunk.iter().enumerate() {
            let value = if i < 4 { byte ^ first[i] } else { *byte };
            next ^= TABLES[7 - i][usize::from(value)];
        }
        state = next;
    }
    for byte in chunks.remainder() {
        state = state >> 8 ^ TABLES[0][usize::from(state as u8 ^ byte)];
    }
    state
}

/// CRC-32/ISO-HDLC, as the Ethernet FCS.
pub fn crc32(data: &[u8]) -> u32 {
    !crc32_update(!0, data)
}

/// ICRC of the IP packet (version 4 without options, or 6 without extension headers) in `packet`, which runs from the
/// first byte of IP to the last byte before the ICRC. `int_len` bytes of INT stand between UDP and BTH.
///
/// `None` when the packet is too short to hold the headers.
pub fn icrc(packet: &[u8], int_len: usize) -> Option<u32> {
    covering(packet, int_len, false)
}

/// The same with INT header and stack covered, and lengths as sent: what a packet may carry on which no switch writes any more, so that a changed
/// echo is seen (draft-miao-ccwg-hpcc, 9.1: integrity of feedback).
pub fn icrc_with_int(packet: &[u8], int_len: usize) -> Option<u32> {
    covering(packet, int_len, true)
}

fn covering(packet: &[u8], int_len: usize, with_int: bool) -> Option<u32> {
    let ip_len = match packet.get(field::VERSION)? >> 4 {
        4 => field::V4_LEN,
        6 => field::V6_LEN,
        _ => return None,
    };
    let headers = ip_len + field::UDP_LEN;
    let bth = headers + int_len;
    if packet.len() <= bth + field::BTH_MASKED {
        return None;
    }
    let mut front = packet[..headers].to_vec();
    let (covered, left_out) = if with_int { (headers, 0) } else { (bth, int_len) };
    front.extend_from_slice(&packet[covered..bth + field::BTH_MASKED + 1]);
    let ip_length = if ip_len == field::V4_LEN {
        for range in field::V4_MASKED {
            front[range].fill(0xff);
        }
        field::V4_TOTAL_LEN
    } else {
        front[field::VERSION] |= 0x0f;
        for range in field::V6_MASKED {
            front[range].fill(0xff);
        }
        field::V6_PAYLOAD_LEN
    };
    let udp = |range: core::ops::Range<usize>| ip_len + range.start..ip_len + range.end;
    for range in [ip_length, udp(field::UDP_LENGTH)] {
        let without_int = get16(&front, range.clone()).wrapping_sub(left_out as u16);
        put(&mut front, range, without_int.into());
    }
    front[udp(field::UDP_MASKED)].fill(0xff);
    front[bth - left_out + field::BTH_MASKED] = 0xff;
    let state = crc32_update(ICRC_PRESET, &front);
    Some(!crc32_update(state, &packet[bth + field::BTH_MASKED + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crc::{Crc, CRC_32_ISO_HDLC};
    use proptest::prelude::*;

    const INDEPENDENT: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);

    #[test]
    fn check_value_of_the_catalogue() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(b""), 0);
    }

    #[test]
    fn preset_is_the_register_after_eight_bytes_of_ones() {
        assert_eq!(crc32_update(!0, &[0xff; 8]), ICRC_PRESET);
    }

    #[test]
    fn no_icrc_where_headers_do_not_fit() {
        let mut packet = vec![0; 60];
        packet[0] = 0x45;
        assert!(icrc(&packet[..32], 0).is_none());
        assert!(icrc(&packet[..33], 0).is_some());
        assert!(icrc(&packet[..34], 2).is_none());
        packet[0] = 0x55;
        assert!(icrc(&packet, 0).is_none());
        assert!(icrc(&[], 0).is_none());
    }

    proptest! {
        #[test]
        fn crc_agrees_with_an_independent_one(data in prop::collection::vec(any::<u8>(), 0..300), cut in 0usize..300) {
            prop_assert_eq!(crc32(&data), INDEPENDENT.checksum(&data));
            let (a, b) = data.split_at(cut.min(data.len()));
            prop_assert_eq!(!crc32_update(crc32_update(!0, a), b), crc32(&data));
        }
    }
}
