//! Telemetry in four formats (HPCC++): what each looks like on the wire, and the one record into which the receiver turns it.
//!
//! | format | where | a hop | order |
//! | --- | --- | --- | --- |
//! | [`fig7`](TelemetryFormat::Fig7) (HPCC paper, Fig. 7) | behind UDP, ports 54791 and 54792 | 8 bytes | first switch first |
//! | [`ifa`] (draft-kumar-ippm-ifa, version 2) | IP protocol 253: before UDP and behind it | 32 bytes | newest first |
//! | [`ioam`] (RFC 9197, trace options) | behind UDP, port 54795 | 20 bytes | newest first |
//! | [`int_md`] (P4.org INT 2.1, embedded data) | behind UDP, port 54796 | 24 bytes | newest first |
//!
//! [`open`] finds the format of an IP packet, turns its records into an [`IntStack`] and gives the packet without its telemetry, which the
//! ICRC covers.

mod bitmap;
mod encapsulation;
pub mod ifa;
pub mod int_md;
pub mod ioam;
mod ip;
mod numbers;
mod opened;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod windows_tests;

pub use encapsulation::Encapsulation;
pub use numbers::{TelemetryPorts, LARGEST_MULTIPLIER};
pub use opened::{icrc_ok, path_bits, Added, Opened, TelemetryFormat, Unusable};

use super::{IntStack, PROTOCOL_UDP, UDP_LEN};
use ip::Ip;

/// Takes an IP packet apart (version 4 without options, or 6 without extension headers; bytes after its end are left out, missing ones are
/// tolerated). `None`: no telemetry.
pub fn open(packet: &[u8], ports: &TelemetryPorts) -> Option<Opened> {
    let ip = Ip::read(packet)?;
    let packet = &packet[..packet.len().min(ip.total)];
    if ports.ifa.contains(&ip.protocol) {
        return ifa::open(packet, &ip, ports);
    }
    if ip.protocol != PROTOCOL_UDP || packet.len() < ip.header + UDP_LEN {
        return None;
    }
    let port = u16::from_be_bytes([packet[ip.header + 2], packet[ip.header + 3]]);
    if port == ports.ioam {
        Some(ioam::open(packet, &ip, ports))
    } else if port == ports.int_md {
        Some(int_md::open(packet, &ip, ports))
    } else if ports.roce.role(port).is_some_and(|role| role.has_int()) {
        Some(fig7(packet, &ip))
    } else {
        None
    }
}

fn fig7(packet: &[u8], ip: &Ip) -> Opened {
    let data = &packet[ip.header + UDP_LEN..];
    let parsed = IntStack::parse(data);
    let len = parsed.as_ref().map_or(0, IntStack::wire_len);
    Opened {
        format: TelemetryFormat::Fig7,
        stack: parsed.map_err(|_| Unusable::Length),
        plain: ip.without_behind_udp(packet, len, None),
    }
}
