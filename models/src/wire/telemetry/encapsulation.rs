//! What a sender puts into its packets for switches to fill: one format for the whole domain (HPCC++, draft-miao-tsv-hpcc-info).

use super::ioam::Trace;
use super::{ifa, int_md, ioam, TelemetryPorts};
use crate::cc::MAX_HOPS;
use crate::wire::{INT_FIXED_LEN, INT_RECORD_LEN};

/// Format of a sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encapsulation {
    /// The HPCC paper's Fig. 7.
    #[default]
    Fig7,
    /// In-band flow analyzer 2.0.
    Ifa,
    /// In-situ OAM trace option.
    Ioam(Trace),
    /// INT 2.1 with embedded metadata.
    IntMd,
}

impl Encapsulation {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Fig7,
        Self::Ifa,
        Self::Ioam(Trace::Preallocated),
        Self::Ioam(Trace::Incremental),
        Self::IntMd,
    ];

    /// Name in scenarios and results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fig7 => "fig7",
            Self::Ifa => "ifa",
            Self::Ioam(Trace::Preallocated) => "ioam",
            Self::Ioam(Trace::Incremental) => "ioam-incremental",
            Self::IntMd => "int-md",
        }
    }

    /// The format of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Bytes that it adds to a packet at the sender.
    pub fn base_len(self) -> usize {
        match self {
            Self::Fig7 => INT_FIXED_LEN,
            Self::Ifa => 2 * ifa::IFA_HEADER_LEN,
            Self::Ioam(Trace::Preallocated) => ioam::IOAM_HEADER_LEN + MAX_HOPS * ioam::IOAM_NODE_LEN,
            Self::Ioam(Trace::Incremental) => ioam::IOAM_HEADER_LEN,
            Self::IntMd => int_md::INT_MD_HEADER_LEN,
        }
    }

    /// Bytes that it adds at each of the first five switches.
    pub fn hop_len(self) -> usize {
        match self {
            Self::Fig7 => INT_RECORD_LEN,
            Self::Ifa => ifa::IFA_HOP_LEN,
            Self::Ioam(Trace::Preallocated) => 0,
            Self::Ioam(Trace::Incremental) => ioam::IOAM_NODE_LEN,
            Self::IntMd => int_md::INT_MD_HOP_LEN,
        }
    }

    /// Bytes that a packet may still grow by on its way.
    pub fn growth(self) -> usize {
        MAX_HOPS * self.hop_len()
    }

    /// UDP destination port that the ICRC of a packet covers: that of the packet without its telemetry.
    pub fn covered_port(self, ports: &TelemetryPorts) -> u16 {
        match self {
            Self::Fig7 => ports.roce.int_collect,
            Self::Ifa | Self::IntMd => ports.roce.roce,
            Self::Ioam(_) => ports.ioam,
        }
    }

    /// An IP packet without telemetry, ICRC and all, with the format's empty headers. IFA tells switches itself whether they may add to them
    /// (`collects`); in the other formats the code point does. `None` if the packet is not one of UDP; Fig. 7's header stands in the packet already.
    pub fn apply(self, plain: &[u8], ports: &TelemetryPorts, collects: bool) -> Option<Vec<u8>> {
        match self {
            Self::Fig7 => Some(plain.to_vec()),
            Self::Ifa if collects => ifa::encapsulate(plain),
            Self::Ifa => ifa::encapsulate_without_room(plain),
            Self::Ioam(trace) => ioam::encapsulate(plain, trace, ports.ioam, ports.namespace),
            Self::IntMd => int_md::encapsulate(plain, ports.int_md, ports.domain),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes that are said to be added are those that are.
    #[test]
    fn bytes_are_those_of_the_wire() {
        let mut plain = vec![0u8; 60];
        (plain[0], plain[3], plain[9]) = (0x45, 60, 17);
        for format in Encapsulation::ALL
            .into_iter()
            .filter(|format| *format != Encapsulation::Fig7)
        {
            for collects in [false, true] {
                let packet = format.apply(&plain, &TelemetryPorts::default(), collects).unwrap();
                assert_eq!(packet.len() - plain.len(), format.base_len(), "{}", format.name());
            }
        }
        // the table of the design, section 10
        let full = |format: Encapsulation| format.base_len() + format.growth();
        assert_eq!(Encapsulation::ALL.map(full), [42, 168, 112, 112, 136]);
        for format in Encapsulation::ALL {
            assert_eq!(Encapsulation::named(format.name()), Some(format));
        }
        assert_eq!(Encapsulation::named("fig8"), None);
    }

    /// A packet of IFA that does not collect says so to switches, and passes them unchanged.
    #[test]
    fn ifa_without_collection_has_no_room() {
        let mut plain = vec![0u8; 60];
        (plain[0], plain[3], plain[9]) = (0x45, 60, 17);
        let added = |collects| {
            let mut packet = Encapsulation::Ifa
                .apply(&plain, &TelemetryPorts::default(), collects)
                .unwrap();
            let before = packet.clone();
            let added = ifa::stamp(&mut packet, &ifa::IfaHop::default(), 9000);
            (added, packet == before)
        };
        assert_eq!(added(false), (super::super::Added::Full, true));
        assert_eq!(added(true), (super::super::Added::Yes, false));
    }
}
