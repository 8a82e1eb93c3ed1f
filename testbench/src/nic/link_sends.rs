//! `run link` with SEND: queue pairs with queues in the host's memory, their work and the receives of their peer.

use super::link_config::LinkSpec;
use super::link_nics::{SOURCE, SOURCE_KEY, TARGET, TARGET_KEY};
use super::queue_pairs::FIRST_QPN;
use crate::config::{QueueSetup, QueuedPair, TimedReceive};
use hpcc_models::nic::queues::{
    Attributes, Data, MemoryRegion, Path, QpRights, ReceiveEntry, Rights, Segment, SendEntry, SendOpcode, SEND_SIGNALED,
};
use hpcc_models::nic::QpConfig;

/// Unit of the retransmission timeout, us: code t stands for 2^t of them. IBTA, "Local ACK Timeout".
const TIMEOUT_UNIT_US: f64 = 4.096;
/// Greatest code of the timeout.
const MAX_TIMEOUT: u8 = 31;
/// Code of the time that a receiver that is not ready asks for: 10 us.
const RNR_TIMER: u8 = 1;
/// Waits for such a receiver: for ever.
const FOR_EVER: u8 = 7;
/// READs that nobody makes here.
const READS: u8 = 1;

impl LinkSpec {
    /// The queue pairs' queues: the messages of this side as work, those of the other as receives, each where a WRITE would go.
    pub(super) fn queues(&self, side: usize) -> QueueSetup {
        let pairs = self.queue_pairs(side);
        let region = |key, address| MemoryRegion {
            key,
            domain: 0,
            address,
            length: self.total().max(1),
            offset: 0,
            rights: Rights {
                local_write: true,
                ..Rights::default()
            },
        };
        let segment = |message: u64, address: u64, key| Segment {
            address: address + message * self.bytes,
            length: self.bytes as u32,
            key,
        };
        let send = |message: u64| SendEntry {
            work: message,
            opcode: SendOpcode::Send,
            flags: SEND_SIGNALED,
            remote_address: 0,
            remote_key: 0,
            immediate: [0; 4],
            data: Data::Segments(vec![segment(message, SOURCE, SOURCE_KEY)]),
            operands: [0; 2],
        };
        let receive = |message: u64| TimedReceive {
            at_ns: 0,
            qpn: FIRST_QPN + (message % u64::from(self.qps)) as u32,
            entry: ReceiveEntry {
                work: message,
                segments: vec![segment(message, TARGET, TARGET_KEY)],
            },
        };
        let of = |side: usize| 0..if self.works(side) { self.messages } else { 0 };
        QueueSetup {
            pairs: pairs.iter().map(|pair| self.queued(pair)).collect(),
            regions: vec![region(SOURCE_KEY, SOURCE), region(TARGET_KEY, TARGET)],
            work: of(side).map(|message| (message, send(message))).collect(),
            receives: of(1 - side).map(receive).collect(),
        }
    }

    /// What the moves of a queue pair set.
    fn queued(&self, pair: &QpConfig) -> QueuedPair {
        let reaches = |code: &u8| TIMEOUT_UNIT_US * 2f64.powi((*code).into()) >= self.retry_timeout_us;
        QueuedPair {
            qpn: pair.qpn,
            domain: pair.domain,
            rights: Attributes {
                rights: Some(QpRights::ALL),
                ..Attributes::default()
            },
            receiving: Attributes {
                path: Some(Path {
                    priority: pair.priority,
                    udp_port: pair.udp_port,
                    int: pair.int,
                    law: pair.law,
                    ..Path::plain(pair.remote_ip)
                }),
                mtu: Some(pair.mtu),
                remote_qpn: Some(pair.remote_qpn),
                expected_psn: Some(pair.expected_psn),
                responder_reads: Some(READS),
                rnr_timer: Some(RNR_TIMER),
                ..Attributes::default()
            },
            sending: Attributes {
                timeout: (1..MAX_TIMEOUT).find(reaches).or(Some(MAX_TIMEOUT)),
                retry_limit: u8::try_from(self.retry_limit).ok(),
                rnr_retry: Some(FOR_EVER),
                send_psn: Some(pair.send_psn),
                max_rd_atomic: Some(READS),
                ..Attributes::default()
            },
        }
    }
}
