//! Frames with INT as tools see them that know RoCEv2 without INT: header and stack taken out, lengths as if they had never been.

use super::*;

/// A copy of the frame without its INT header and stack; plain frames, control packets and anything else come back unchanged.
///
/// The ICRC stays as it is. It is that of the stripped frame with the port as sent, so tools that verify it want `port` `None`;
/// tools that find RoCEv2 by its port want `Some(4791)`, and must not verify.
pub fn strip_int(frame: &[u8], ports: &Ports, port: Option<u16>) -> Vec<u8> {
    try_strip(frame, ports, port).unwrap_or_else(|| frame.to_vec())
}

fn try_strip(frame: &[u8], ports: &Ports, port: Option<u16>) -> Option<Vec<u8>> {
    let ethernet = EthernetRepr::parse(&EthernetView::new_checked(frame).ok()?);
    let at = ethernet.header_len();
    let packet = frame.get(at..)?;
    let ipv4 = Ipv4Repr::parse(&Ipv4View::new_checked(packet).ok()?).ok()?;
    if ethernet.ethertype != ETHERTYPE_IPV4 || ipv4.protocol != PROTOCOL_UDP {
        return None;
    }
    let packet = packet.get(..IPV4_LEN + ipv4.payload_len)?;
    let udp = UdpRepr::parse(&UdpView::new_checked(packet.get(IPV4_LEN..)?).ok()?);
    let data = packet.get(IPV4_LEN + UDP_LEN..)?;
    if !ports.role(udp.dst_port)?.has_int() {
        return None;
    }
    let int_len = int_header_len(data).ok()?;
    let mut stripped = vec![0; at + IPV4_LEN + UDP_LEN];
    ethernet.emit(&mut stripped);
    Ipv4Repr {
        payload_len: ipv4.payload_len - int_len,
        ..ipv4
    }
    .emit(&mut stripped[at..]);
    UdpRepr {
        payload_len: udp.payload_len - int_len,
        dst_port: port.unwrap_or(udp.dst_port),
        ..udp
    }
    .emit(&mut stripped[at + IPV4_LEN..]);
    stripped.extend_from_slice(&data[int_len..]);
    Some(stripped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    fn packet(dst_port: u16, int: &[u8]) -> Vec<u8> {
        RocePacket {
            ethernet: EthernetRepr {
                dst: MacAddr([2, 0, 0, 0, 0, 11]),
                src: MacAddr([2, 0, 0, 0, 0, 10]),
                vlan: Some(5),
                ethertype: ETHERTYPE_IPV4,
            },
            ipv4: Ipv4Repr {
                tos: 104,
                ..Ipv4Repr::udp(Ipv4Addr::new(10, 0, 0, 10), Ipv4Addr::new(10, 0, 0, 11))
            },
            udp: UdpRepr::ports(0xc123, dst_port),
            int,
            bth: BthRepr::new(Opcode::Write(Position::Middle), 2, 77),
            extension: Extension::None,
            payload: &[9; 256],
        }
        .to_frame()
    }

    #[test]
    fn what_is_left_is_the_plain_packet() {
        let ports = Ports::default();
        let stack = [&[0x20, 0x07][..], &[0xab; 16]].concat();
        let with = packet(54791, &stack);
        // Built without INT under the same port: the same bytes, ICRC included.
        let roce_is_there = Ports {
            roce: 54791,
            int_collect: 1,
            ..ports
        };
        let stripped = strip_int(&with, &ports, None);
        let plain = RocePacket::parse(&stripped, &roce_is_there).unwrap();
        assert!(plain.int.is_empty());
        assert_eq!(stripped, packet(54791, &[]));
        // Under RoCEv2's own port only that port and the IPv4 bytes that follow from nothing else differ.
        let renamed = strip_int(&with, &ports, Some(4791));
        let differ: Vec<usize> = (0..renamed.len()).filter(|i| renamed[*i] != stripped[*i]).collect();
        assert_eq!(differ, [18 + IPV4_LEN + 2, 18 + IPV4_LEN + 3]);
    }

    #[test]
    fn everything_else_is_left_alone() {
        let ports = Ports::default();
        let plain = packet(4791, &[]);
        assert_eq!(strip_int(&plain, &ports, Some(1)), plain);
        let with = packet(54792, &[0, 0]);
        for len in 0..with.len() {
            assert_eq!(strip_int(&with[..len], &ports, None), with[..len], "{len}");
        }
    }
}
