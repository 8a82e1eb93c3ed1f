//! The Internet checksum (RFC 1071) of IPv4 headers and of UDP datagrams.

use std::net::Ipv4Addr;

fn sum(data: &[u8]) -> u64 {
    data.chunks(2)
        .map(|pair| u64::from(pair[0]) << 8 | u64::from(*pair.get(1).unwrap_or(&0)))
        .sum()
}

fn fold(mut sum: u64) -> u16 {
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

/// Checksum of `data`; zero over a header that carries its own right checksum.
pub fn internet_checksum(data: &[u8]) -> u16 {
    fold(sum(data))
}

/// Checksum of a UDP datagram under its pseudo header; zero over a datagram that carries its own right checksum.
pub fn udp_checksum(src: Ipv4Addr, dst: Ipv4Addr, datagram: &[u8]) -> u16 {
    fold(sum(&src.octets()) + sum(&dst.octets()) + 17 + datagram.len() as u64 + sum(datagram))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_of_the_worked_example() {
        let mut header = [
            0x45, 0x6a, 0, 0x7c, 0, 1, 0x40, 0, 0x40, 0x11, 0, 0, 0x0a, 0, 0, 0x0a, 0x0a, 0, 0, 0x0b,
        ];
        assert_eq!(internet_checksum(&header), 0x25f2);
        header[10..12].copy_from_slice(&[0x25, 0xf2]);
        assert_eq!(internet_checksum(&header), 0);
    }

    #[test]
    fn rfc_1071_example_and_odd_length() {
        assert_eq!(
            internet_checksum(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]),
            !0xddf2
        );
        assert_eq!(internet_checksum(&[0x12]), !0x1200);
    }

    #[test]
    fn udp_with_its_own_checksum_sums_to_zero() {
        let (src, dst) = (Ipv4Addr::new(10, 0, 0, 10), Ipv4Addr::new(10, 0, 0, 11));
        let mut datagram = vec![0xc1, 0x23, 0x12, 0xb7, 0, 11, 0, 0, 1, 2, 3];
        let value = udp_checksum(src, dst, &datagram);
        datagram[6..8].copy_from_slice(&value.to_be_bytes());
        assert_eq!(udp_checksum(src, dst, &datagram), 0);
        datagram[8] ^= 1;
        assert_ne!(udp_checksum(src, dst, &datagram), 0);
    }
}
