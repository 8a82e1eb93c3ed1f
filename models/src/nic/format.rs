//! INT in other formats than Fig. 7's (HPCC++, draft-miao-tsv-hpcc-info): a packet that arrives is turned, once, into one with the canonical stack, which
//! its acknowledgement, echo or notification carries; a packet that leaves gets the format's empty headers.

use super::config::NicConfig;
use crate::wire::telemetry::{open, Encapsulation, TelemetryFormat};
use crate::wire::{EthernetRepr, EthernetView, RocePacket, UdpRepr, ETHERTYPE_IPV4, INT_EMPTY};

/// A packet with INT of the NIC's format, taken apart.
#[derive(Debug)]
pub(super) struct Translated {
    /// From the first byte of IP to the last of the ICRC, without INT.
    pub packet: Vec<u8>,
    /// Canonical header and stack; empty if the INT cannot be used.
    pub int: Vec<u8>,
    /// The INT can be used.
    pub usable: bool,
}

/// Takes a frame apart that carries INT in the NIC's format; `None` for every other one.
pub(super) fn translate(config: &NicConfig, frame: &[u8]) -> Option<Translated> {
    if !config.translates() {
        return None;
    }
    let ethernet = EthernetRepr::parse(&EthernetView::new_checked(frame).ok()?);
    let packet = frame.get(ethernet.header_len()..)?;
    if ethernet.ethertype != ETHERTYPE_IPV4 {
        return None;
    }
    let opened = open(packet, &config.telemetry_ports())?;
    let own = matches!(
        (config.format.encapsulation, opened.format),
        (Encapsulation::Ifa, TelemetryFormat::Ifa)
            | (Encapsulation::Ioam(_), TelemetryFormat::Ioam)
            | (Encapsulation::IntMd, TelemetryFormat::IntMd)
    );
    if !own {
        return None;
    }
    let mut int = INT_EMPTY.to_vec();
    if let Ok(stack) = &opened.stack {
        int.resize(stack.wire_len(), 0);
        stack.emit(&mut int).ok()?;
    }
    Some(Translated {
        packet: opened.plain,
        int,
        usable: opened.stack.is_ok(),
    })
}

/// A packet of the port that collects INT, in the NIC's format, as a frame; `collects`: switches are to add to it.
pub(super) fn emit(config: &NicConfig, collects: bool, packet: &RocePacket) -> Vec<u8> {
    let (encapsulation, ports) = (config.format.encapsulation, config.telemetry_ports());
    let frame = RocePacket {
        udp: UdpRepr {
            dst_port: encapsulation.covered_port(&ports),
            ..packet.udp
        },
        int: &[],
        ..*packet
    }
    .to_frame();
    let (ethernet, plain) = frame.split_at(packet.ethernet.header_len());
    match encapsulation.apply(plain, &ports, collects) {
        Some(packet) => [ethernet, &packet].concat(),
        None => frame,
    }
}
