//! Whole frames of one UDP datagram.

use super::*;
use std::net::Ipv4Addr;

/// Between whom a frame goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// Ethernet address of the receiver.
    pub dst_mac: MacAddr,
    /// Ethernet address of the sender.
    pub src_mac: MacAddr,
    /// Address of the receiver.
    pub dst: Ipv4Addr,
    /// Address of the sender.
    pub src: Ipv4Addr,
}

/// A frame with a datagram from port 1: no VLAN tag, TOS 0, TTL 64, not to be fragmented, no UDP checksum.
pub fn udp_frame(route: Route, dst_port: u16, body: &[u8]) -> Vec<u8> {
    let mut frame = vec![0; MIN_FRAME_LEN + body.len()];
    let udp = MIN_FRAME_LEN - UDP_LEN;
    EthernetRepr {
        dst: route.dst_mac,
        src: route.src_mac,
        vlan: None,
        ethertype: ETHERTYPE_IPV4,
    }
    .emit(&mut frame);
    Ipv4Repr {
        src: route.src,
        dst: route.dst,
        tos: 0,
        ident: 0,
        dont_fragment: true,
        ttl: 64,
        protocol: PROTOCOL_UDP,
        payload_len: UDP_LEN + body.len(),
    }
    .emit(&mut frame[udp - IPV4_LEN..]);
    UdpRepr {
        src_port: 1,
        dst_port,
        checksum: 0,
        payload_len: body.len(),
    }
    .emit(&mut frame[udp..]);
    frame[MIN_FRAME_LEN..].copy_from_slice(body);
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_datagram_is_read_as_it_was_written() {
        let route = Route {
            dst_mac: MacAddr([2, 0, 0, 0, 0, 1]),
            src_mac: MacAddr([2, 0, 0, 0, 0, 2]),
            dst: Ipv4Addr::new(10, 0, 0, 1),
            src: Ipv4Addr::new(10, 0, 0, 2),
        };
        let frame = udp_frame(route, 54793, b"body");
        assert_eq!(
            (&frame[..6], &frame[6..12]),
            (&route.dst_mac.0[..], &route.src_mac.0[..])
        );
        let ipv4 = Ipv4View::new_checked(&frame[14..]).expect("IPv4");
        assert_eq!((ipv4.src(), ipv4.dst(), ipv4.total_len()), (route.src, route.dst, 32));
        let udp = UdpView::new_checked(&frame[34..]).expect("UDP");
        assert_eq!((udp.src_port(), udp.dst_port(), udp.checksum()), (1, 54793, 0));
        assert_eq!(&frame[42..], b"body");
    }
}
