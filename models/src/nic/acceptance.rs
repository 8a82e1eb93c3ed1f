//! Which frames are looked at, and the one counter of each that is not. Nothing here has state.
//!
//! Checks run in this order; the first that fails names the counter: length, destination MAC, EtherType, IPv4 version, options,
//! length, checksum, fragment, destination address, protocol, UDP length, port, UDP checksum, INT length, ICRC, opcode, header
//! lengths, transport version, partition key. The queue pair's checks follow in `receive`.

use super::config::NicConfig;
use super::counters::Counter;
use super::format::{translate, Translated};
use crate::wire::*;
use std::net::Ipv4Addr;

/// A frame worth handling.
#[derive(Debug)]
pub(super) enum Accepted<'a> {
    /// A transport packet and the port it came on.
    Transport(PortRole, RocePacket<'a>),
    /// A control packet and where it came from.
    Control(ControlRepr, Ipv4Addr),
}

/// Why a frame is dropped before any queue pair is looked at, if it is: the reference of the RTL's parser.
pub fn frame_fault(config: &NicConfig, frame: &[u8]) -> Option<Counter> {
    accept(config, frame, translate(config, frame).as_ref()).err()
}

/// Takes a frame apart, or names the reason to drop it. `translated`: the packet without INT, and the INT, if that is in another format than Fig. 7's.
pub(super) fn accept<'a>(
    config: &NicConfig,
    frame: &'a [u8],
    translated: Option<&'a Translated>,
) -> Result<Accepted<'a>, Counter> {
    if frame.len() < MIN_FRAME_LEN {
        return Err(Counter::ShortFrame);
    }
    let ethernet = EthernetRepr::parse(&EthernetView::new_checked(frame)?);
    if ethernet.dst != config.mac {
        return Err(Counter::WrongMac);
    }
    if ethernet.ethertype != ETHERTYPE_IPV4 {
        return Err(Counter::NotIpv4);
    }
    let packet = &frame[ethernet.header_len()..];
    let ipv4 = Ipv4Repr::parse(&Ipv4View::new_checked(packet)?)?;
    if ipv4.dst != config.ip {
        return Err(Counter::WrongIp);
    }
    let (packet, ipv4) = match translated {
        Some(translated) => {
            let packet = &translated.packet[..];
            (packet, Ipv4Repr::parse(&Ipv4View::new_checked(packet)?)?)
        }
        None => (packet, ipv4),
    };
    if ipv4.protocol != PROTOCOL_UDP {
        return Err(Counter::NotUdp);
    }
    let packet = &packet[..IPV4_LEN + ipv4.payload_len];
    let view = UdpView::new_checked(&packet[IPV4_LEN..])?;
    let udp = UdpRepr::parse(&view);
    let covered = config.format.encapsulation.covered_port(&config.telemetry_ports());
    let role = match translated {
        Some(_) if udp.dst_port == covered => PortRole::IntCollect,
        Some(_) => return Err(Counter::UdpPort),
        None => config.ports.role(udp.dst_port).ok_or(Counter::UdpPort)?,
    };
    // Switches change the length of packets with INT: those never carry a checksum.
    let checksum_ok = match role {
        PortRole::Roce => view.checksum_ok(ipv4.src, ipv4.dst),
        _ => udp.checksum == 0,
    };
    if !checksum_ok {
        return Err(Counter::UdpChecksum);
    }
    if role == PortRole::Control {
        let control = ControlRepr::parse(&ControlView::new_checked(view.payload()).map_err(refused)?)?;
        return Ok(Accepted::Control(control, ipv4.src));
    }
    let with_int = config.echo_icrc_full && role == PortRole::IntEcho;
    let knows = |opcode| config.knows(opcode);
    let outer = (ethernet, ipv4, udp);
    let mut transport = RocePacket::parse_covered(outer, packet, &config.ports, with_int, knows)?;
    if let Some(translated) = translated {
        transport.int = &translated.int;
    }
    if transport.bth.version != 0 {
        return Err(Counter::TransportVersion);
    }
    if (transport.bth.pkey ^ config.pkey) & 0x7fff != 0 {
        return Err(Counter::PartitionKey);
    }
    Ok(Accepted::Transport(role, transport))
}

/// Whatever is wrong with a control packet, it is refused.
fn refused(_: WireError) -> Counter {
    Counter::ControlRefused
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> NicConfig {
        NicConfig {
            mac: MacAddr([2, 0, 0, 0, 0, 11]),
            ip: Ipv4Addr::new(10, 0, 0, 11),
            ..NicConfig::default()
        }
    }

    fn packet(config: &NicConfig) -> RocePacket<'static> {
        RocePacket {
            ethernet: EthernetRepr::ipv4(MacAddr([2, 0, 0, 0, 0, 10]), config.mac),
            ipv4: Ipv4Repr::udp(Ipv4Addr::new(10, 0, 0, 10), config.ip),
            udp: UdpRepr::ports(1, 4791),
            int: &[],
            bth: BthRepr::new(Opcode::Write(Position::Middle), 2, 0),
            extension: Extension::None,
            payload: &[1; 256],
        }
    }

    fn verdict(frame: &[u8]) -> Option<Counter> {
        frame_fault(&config(), frame)
    }

    /// Recomputes the IPv4 header checksum of an untagged frame.
    fn fix_ip(frame: &mut [u8]) {
        frame[24..26].fill(0);
        let checksum = internet_checksum(&frame[14..34]);
        frame[24..26].copy_from_slice(&checksum.to_be_bytes());
    }

    #[test]
    fn one_counter_for_each_reason() {
        let good = packet(&config()).to_frame();
        assert_eq!(verdict(&good), None);
        let with = |changes: &[(usize, u8)], fix: bool| {
            let mut frame = good.clone();
            for (at, value) in changes {
                frame[*at] = *value;
            }
            if fix {
                fix_ip(&mut frame);
            }
            verdict(&frame)
        };
        assert_eq!(verdict(&good[..41]), Some(Counter::ShortFrame));
        assert_eq!(verdict(&good[..42]), Some(Counter::IpLength));
        assert_eq!(with(&[(5, 12)], false), Some(Counter::WrongMac));
        assert_eq!(with(&[(0, 0xff), (5, 0xff)], false), Some(Counter::WrongMac));
        assert_eq!(with(&[(12, 0x86), (13, 0xdd)], false), Some(Counter::NotIpv4));
        assert_eq!(with(&[(14, 0x65)], true), Some(Counter::IpVersion));
        assert_eq!(with(&[(14, 0x46)], true), Some(Counter::IpOptions));
        assert_eq!(with(&[(16, 0xff)], true), Some(Counter::IpLength));
        assert_eq!(with(&[(22, 63)], false), Some(Counter::IpChecksum));
        assert_eq!(with(&[(20, 0x20)], true), Some(Counter::IpFragment));
        assert_eq!(with(&[(33, 12)], true), Some(Counter::WrongIp));
        assert_eq!(with(&[(23, 6)], true), Some(Counter::NotUdp));
        assert_eq!(with(&[(39, 0)], false), Some(Counter::UdpLength));
        assert_eq!(with(&[(37, 0xb6)], false), Some(Counter::UdpPort));
        assert_eq!(with(&[(40, 1)], false), Some(Counter::UdpChecksum));
        assert_eq!(with(&[(good.len() - 1, 0)], false), Some(Counter::Icrc));
        assert_eq!(with(&[(60, 0xff)], false), Some(Counter::Icrc));
    }

    #[test]
    fn transport_faults() {
        let config = config();
        let good = packet(&config);
        let of = |packet: RocePacket| verdict(&packet.to_frame());
        assert_eq!(
            of(RocePacket {
                bth: BthRepr { version: 1, ..good.bth },
                ..good
            }),
            Some(Counter::TransportVersion)
        );
        for (pkey, expected) in [
            (0xffff, None),
            (0x7fff, None),
            (0x8001, Some(Counter::PartitionKey)),
            (0, Some(Counter::PartitionKey)),
        ] {
            assert_eq!(
                of(RocePacket {
                    bth: BthRepr { pkey, ..good.bth },
                    ..good
                }),
                expected,
                "{pkey:x}"
            );
        }
        let opcode = |byte| {
            of(RocePacket {
                bth: BthRepr {
                    opcode: Opcode::OtherRequest(byte),
                    ..good.bth
                },
                ..good
            })
        };
        assert_eq!(
            (opcode(0x15), opcode(0x2a), opcode(0x64), opcode(0x05)),
            (
                Some(Counter::Opcode),
                Some(Counter::Opcode),
                Some(Counter::Opcode),
                None
            )
        );
        // READ request without its header; WRITE Only with one that is cut.
        let empty = RocePacket { payload: &[], ..good };
        assert_eq!(
            of(RocePacket {
                bth: BthRepr::new(Opcode::ReadRequest, 2, 0),
                ..empty
            }),
            Some(Counter::TransportLength)
        );
        let cut = RocePacket {
            bth: BthRepr::new(Opcode::Write(Position::Only), 2, 0),
            payload: &[0; 12],
            ..good
        };
        assert_eq!(of(cut), Some(Counter::TransportLength));
    }

    #[test]
    fn int_longer_than_the_packet() {
        let config = config();
        let good = packet(&config);
        let udp = UdpRepr {
            dst_port: 54791,
            ..good.udp
        };
        let mut frame = RocePacket {
            udp,
            int: &[0, 0],
            payload: &[],
            ..good
        }
        .to_frame();
        assert_eq!(verdict(&frame), None);
        frame[42] = 0x20;
        assert_eq!(verdict(&frame), Some(Counter::TransportLength));
        frame[42] = 0x30;
        assert_eq!(verdict(&frame), Some(Counter::IntLength));
        frame[42] = 0;
        frame[40] = 1;
        assert_eq!(verdict(&frame), Some(Counter::UdpChecksum));
    }

    #[test]
    fn what_a_router_may_change_is_accepted() {
        let config = config();
        let good = packet(&config);
        let ipv4 = Ipv4Repr {
            tos: 0xff,
            ttl: 1,
            ident: 77,
            dont_fragment: false,
            ..good.ipv4
        };
        let ethernet = EthernetRepr {
            src: MacAddr([9; 6]),
            vlan: Some(0xffff),
            ..good.ethernet
        };
        let udp = UdpRepr {
            src_port: 65535,
            ..good.udp
        };
        let mut frame = RocePacket {
            ipv4,
            ethernet,
            udp,
            ..good
        }
        .to_frame();
        frame.extend([0x55; 30]);
        assert_eq!(verdict(&frame), None);
        let mut with_checksum = good.to_frame();
        let value = udp_checksum(good.ipv4.src, good.ipv4.dst, &with_checksum[34..]);
        with_checksum[40..42].copy_from_slice(&value.to_be_bytes());
        assert_eq!(verdict(&with_checksum), None);
    }
}
