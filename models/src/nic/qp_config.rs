//! What the host says of a queue pair.

use crate::wire::MASK_24;
use std::net::Ipv4Addr;

/// The port of a queue pair's peer, as far as a law that runs here for the peer needs it (HPCC++, draft-miao-ccwg-hpcc 6.3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerPort {
    /// Its rate, bits per second.
    pub line_rate_bps: u64,
    /// First and largest window of its flows, payload bytes.
    pub window_bytes: u64,
}

/// What the host says when it creates a queue pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QpConfig {
    /// Own number.
    pub qpn: u32,
    /// Number at the peer.
    pub remote_qpn: u32,
    /// Address of the peer.
    pub remote_ip: Ipv4Addr,
    /// First PSN sent.
    pub send_psn: u32,
    /// First PSN expected.
    pub expected_psn: u32,
    /// Collects INT; otherwise plain RoCEv2.
    pub int: bool,
    /// Code of the congestion-control law of both of its flows, 0 for none; without one [`super::NicConfig::default_law`] if it collects INT and the NIC
    /// has that law, none otherwise.
    pub law: Option<u8>,
    /// Path MTU, bytes of payload.
    pub mtu: u32,
    /// 802.1p priority of its data, for pause.
    pub priority: u8,
    /// UDP source port; 0 takes one from the QP numbers.
    pub udp_port: u16,
    /// Switches that stamp on the path to the peer, as the host knows them; INT of fewer is counted, for a switch that says nothing is seen by nobody else.
    /// 0: not known.
    pub expected_hops: u8,
    /// Port of the peer, for a law at the receiver; without it the peer's is as the own one.
    pub peer_port: Option<PeerPort>,
    /// Protection domain of a queue pair without queues: it uses regions of the same domain alone.
    pub domain: u16,
    /// The peer's WRITEs are refused, whatever the region allows; of a queue pair without queues.
    pub refuse_write: bool,
    /// The peer's READs are refused, whatever the region allows; of a queue pair without queues.
    pub refuse_read: bool,
}

impl QpConfig {
    /// Code of the law that it asks for on a NIC with this default law, 0 for none.
    pub fn law_or(&self, default: u8) -> u8 {
        self.law.unwrap_or(if self.int { default } else { 0 })
    }

    /// A plain queue pair of the default MTU.
    pub fn new(qpn: u32, remote_qpn: u32, remote_ip: Ipv4Addr) -> Self {
        Self {
            qpn,
            remote_qpn,
            remote_ip,
            send_psn: 0,
            expected_psn: 0,
            int: false,
            law: None,
            mtu: 1024,
            priority: 0,
            udp_port: 0,
            expected_hops: 0,
            peer_port: None,
            domain: 0,
            refuse_write: false,
            refuse_read: false,
        }
    }

    /// UDP source port: the one given, or 0xC000 to 0xFFFF from both QP numbers so that flows take different paths.
    pub fn source_port(&self) -> u16 {
        match self.udp_port {
            0 => 0xc000 | ((self.qpn ^ self.remote_qpn << 5) & 0x3fff) as u16,
            port => port,
        }
    }

    /// First fault of the fields that stand alone, if any.
    pub fn fault(&self) -> Option<&'static str> {
        // 0 and 1 are for management, the last one for multicast
        if !(2..MASK_24).contains(&self.qpn) {
            return Some("qpn");
        }
        if self.remote_qpn > MASK_24 {
            return Some("remote_qpn");
        }
        if self.send_psn > MASK_24 {
            return Some("send_psn");
        }
        if self.expected_psn > MASK_24 {
            return Some("expected_psn");
        }
        if !matches!(self.mtu, 256 | 512 | 1024 | 2048 | 4096) {
            return Some("mtu");
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_0_1_and_the_last_are_refused() {
        let fault = |qpn| QpConfig::new(qpn, 5, Ipv4Addr::LOCALHOST).fault();
        assert_eq!((fault(0), fault(1), fault(2)), (Some("qpn"), Some("qpn"), None));
        assert_eq!(
            (fault(0xff_fffe), fault(0xff_ffff), fault(0x100_0002)),
            (None, Some("qpn"), Some("qpn"))
        );
    }

    #[test]
    fn faults_are_named() {
        let good = QpConfig::new(5, 5, Ipv4Addr::LOCALHOST);
        assert_eq!(
            QpConfig {
                mtu: 1000,
                ..good.clone()
            }
            .fault(),
            Some("mtu")
        );
        assert_eq!(
            QpConfig {
                send_psn: 1 << 24,
                ..good.clone()
            }
            .fault(),
            Some("send_psn")
        );
        assert_eq!(
            QpConfig {
                expected_psn: 1 << 24,
                ..good.clone()
            }
            .fault(),
            Some("expected_psn")
        );
        assert_eq!(
            QpConfig {
                remote_qpn: 1 << 24,
                ..good
            }
            .fault(),
            Some("remote_qpn")
        );
    }

    #[test]
    fn source_port_is_in_the_dynamic_range_and_differs_between_equal_pairs() {
        let port = |qpn| QpConfig::new(qpn, qpn, Ipv4Addr::LOCALHOST).source_port();
        let ports: std::collections::BTreeSet<u16> = (2..300).map(port).collect();
        assert_eq!(ports.len(), 298);
        assert!(ports.iter().all(|port| *port >= 0xc000));
    }
}
