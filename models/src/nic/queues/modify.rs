//! Moves of a queue pair from state to state.

use super::command::{Attributes, Code};
use super::end::End;
use super::host::QueuePair;
use super::state::{may_move, State};
use crate::nic::memory::Memory;
use crate::nic::nic::Nic;
use crate::nic::psn;
use crate::nic::requester::Requester;
use crate::nic::{HostError, QpConfig};
use crate::wire::MASK_24;

/// Unit of the retransmission timeout, ns: code t stands for 2^t of them. IBTA, "Local ACK Timeout".
const TIMEOUT_UNIT_NS: u64 = 4096;

impl<M: Memory> Nic<M> {
    pub(super) fn modify_pair(&mut self, now: u64, number: u32, to: State, set: &Attributes) -> Result<(), Code> {
        let pair = self.host.pairs.get(&number).ok_or(Code::Unknown)?;
        let from = pair.state;
        if !may_move(from, to, &set.given()) {
            return Err(Code::Move);
        }
        check_ranges(set)?;
        let merged = pair.attributes.merged(set);
        match (from, to) {
            (_, State::Reset) => return self.reset_pair(number),
            (_, State::Error) => {
                self.end_queue_pair(now, number, End::without_request(None));
                return Ok(());
            }
            (State::Init, State::ReadyToReceive) => self.begin_receiving(number, &merged)?,
            (State::ReadyToReceive, State::ReadyToSend) => self.begin_sending(number, &merged),
            _ => {}
        }
        if let Some(pair) = self.host.pairs.get_mut(&number) {
            pair.attributes = merged;
            pair.state = to;
            pair.drained &= from == to;
        }
        if let Some(qp) = self.qps.get_mut(&number) {
            qp.requester.draining = to == State::SendQueueDrain;
        }
        self.fetch(now, number);
        Ok(())
    }

    fn reset_pair(&mut self, number: u32) -> Result<(), Code> {
        self.remove_transport(number);
        if let Some(pair) = self.host.pairs.get_mut(&number) {
            *pair = QueuePair::new(pair.create);
        }
        Ok(())
    }

    /// A new generation: the responder and the flow of READ responses live from the PSN expected.
    fn begin_receiving(&mut self, number: u32, set: &Attributes) -> Result<(), Code> {
        let (Some(path), Some(mtu), Some(remote_qpn), Some(expected_psn)) =
            (set.path, set.mtu, set.remote_qpn, set.expected_psn)
        else {
            return Err(Code::Move);
        };
        let config = QpConfig {
            expected_psn,
            int: path.int,
            law: path.law,
            mtu,
            priority: path.priority,
            udp_port: path.udp_port,
            ..QpConfig::new(number, remote_qpn, path.remote_ip)
        };
        self.create_transport(config).map_err(|error| match error {
            HostError::NoNeighbour { .. } => Code::Neighbour,
            HostError::Field { field: "law", .. } => Code::Law,
            HostError::Field { field: "mtu", .. } => Code::Mtu,
            HostError::Field { .. } | HostError::NoFlow(_) => Code::Attribute,
            HostError::Exists(_) | HostError::QueueFull(_) => Code::Exists,
        })?;
        if let Some(qp) = self.qps.get_mut(&number) {
            qp.own.responder_reads = set.responder_reads.map(usize::from);
        }
        Ok(())
    }

    /// The requester and the flow of requests live from the first PSN sent, in the same generation.
    fn begin_sending(&mut self, number: u32, set: &Attributes) {
        let Some(qp) = self.qps.get_mut(&number) else {
            return;
        };
        qp.config.send_psn = set.send_psn.unwrap_or_default();
        qp.requester = Requester::new(psn::start(qp.config.send_psn), qp.config.mtu);
        qp.own.max_rd_atomic = set.max_rd_atomic.map(usize::from);
        qp.own.rnr_retry = set.rnr_retry.map(u32::from);
        qp.own.retry_limit = set.retry_limit.map(u32::from);
        qp.own.timeout_ns = set.timeout.map(|timeout| match timeout {
            0 => u64::MAX,
            timeout => TIMEOUT_UNIT_NS << timeout,
        });
    }
}

/// Fails unless every attribute is in its range.
fn check_ranges(set: &Attributes) -> Result<(), Code> {
    let within = |value: Option<u8>, most: u8| value.is_none_or(|value| value <= most);
    let number = |value: Option<u32>| value.is_none_or(|value| value <= MASK_24);
    if set
        .mtu
        .is_some_and(|mtu| !matches!(mtu, 256 | 512 | 1024 | 2048 | 4096))
    {
        return Err(Code::Mtu);
    }
    let valid = within(set.responder_reads, 100)
        && within(set.max_rd_atomic, 16)
        && within(set.rnr_timer, 31)
        && within(set.timeout, 31)
        && within(set.retry_limit, 7)
        && within(set.rnr_retry, 7)
        && within(set.path.map(|path| path.priority), 7)
        && number(set.remote_qpn)
        && number(set.expected_psn)
        && number(set.send_psn);
    valid.then_some(()).ok_or(Code::Attribute)
}
