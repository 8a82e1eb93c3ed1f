//! The NIC and its queue pairs, as the host sees them.

use super::access::Access;
use super::completion::{Completion, HostError, Operation, Status, WorkRequest, MAX_MESSAGE};
use super::config::NicConfig;
use super::counters::{Counter, Counters};
use super::feedback_counters::FeedbackCounters;
use super::memory::{Memory, Region, Regions};
use super::pacing::{Groups, Pacer, SEED};
use super::psn;
use super::qp::{Marked, Qp};
use super::qp_config::QpConfig;
use super::queues::{End, Host, MemoryRegion};
use super::receiver_law::ReceiverLaw;
use super::{request_flow, response_flow};
use crate::cc::{CongestionControl, FlowCount};
use crate::fixed::LAWS;
use crate::sched::limit::CapControl;
use std::collections::{BTreeMap, VecDeque};

/// A NIC. Times are nanoseconds of one clock and must not go back from call to call.
pub struct Nic<M> {
    pub(super) config: NicConfig,
    pub(super) qps: BTreeMap<u32, Qp>,
    pub(super) regions: Regions,
    pub(super) memory: M,
    /// Laws by their codes.
    pub(super) laws: BTreeMap<u8, Box<dyn CongestionControl>>,
    pub(super) counters: Counters,
    pub(super) completions: Vec<Completion>,
    pub(super) generations: BTreeMap<u32, u8>,
    pub(super) groups: Groups,
    pub(super) cap_control: CapControl,
    /// State of the random numbers of `CAP_CONTROL.dither`.
    pub(super) random: u64,
    /// Bit n: the MAC pauses priority n.
    pub(super) pause: u8,
    /// When the port has sent what it was given, ps.
    pub(super) port_free_ps: u64,
    /// Congestion notifications that wait to be sent.
    pub(super) notifications: VecDeque<(u32, Marked)>,
    pub(super) last_ack_qp: u32,
    pub(super) last_flow: u32,
    pub(super) control_sequence: u64,
    pub(super) control_next_ns: u64,
    pub(super) control_work: u64,
    /// Makes the laws of incoming requests.
    pub(super) receiver_law: Option<ReceiverLaw>,
    /// Laws of incoming requests, by queue pair.
    pub(super) receiver_laws: BTreeMap<u32, Box<dyn CongestionControl>>,
    /// Queue pairs with data.
    pub(super) flow_count: FlowCount,
    pub(super) feedback_counters: FeedbackCounters,
    /// Queues in the host's memory.
    pub(super) host: Host,
}

impl<M: Memory> Nic<M> {
    /// A NIC without queue pairs; `cc` is the law of [`NicConfig::default_law`]. Without a law, flows with INT keep the window and rate of the
    /// registers.
    pub fn new(config: NicConfig, memory: M, cc: Option<Box<dyn CongestionControl>>) -> Self {
        let laws = cc.map(|law| (config.default_law, law)).into_iter().collect();
        Self {
            config,
            qps: BTreeMap::new(),
            regions: Regions::default(),
            memory,
            laws,
            counters: Counters::default(),
            completions: Vec::new(),
            generations: BTreeMap::new(),
            groups: Groups::default(),
            cap_control: CapControl::default(),
            random: SEED,
            pause: 0,
            port_free_ps: 0,
            notifications: VecDeque::new(),
            last_ack_qp: 0,
            last_flow: 0,
            control_sequence: 0,
            control_next_ns: 0,
            control_work: 0,
            receiver_law: None,
            receiver_laws: BTreeMap::new(),
            flow_count: FlowCount::default(),
            feedback_counters: FeedbackCounters::default(),
            host: Host::default(),
        }
    }

    /// Builds in a law under its code in [`LAWS`]; queue pairs created from now on may have it.
    pub fn add_law(&mut self, code: u8, law: Box<dyn CongestionControl>) {
        self.laws.insert(code, law);
    }

    /// Registers.
    pub fn config(&self) -> &NicConfig {
        &self.config
    }

    /// Counters.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Counters of what the hardware does not have.
    pub fn feedback_counters(&self) -> FeedbackCounters {
        self.feedback_counters
    }

    /// Host memory.
    pub fn memory(&self) -> &M {
        &self.memory
    }

    /// Host memory, for the host to change.
    pub fn memory_mut(&mut self) -> &mut M {
        &mut self.memory
    }

    /// Adds or replaces a memory region.
    pub fn add_region(&mut self, region: Region) {
        self.regions.insert(region);
    }

    /// Adds or replaces a memory region with all that it can have.
    pub fn add_memory_region(&mut self, region: MemoryRegion) {
        self.regions.store(region);
    }

    /// Removes a memory region. What was allowed to use it goes on no more: a WRITE or READ of the peer is refused at its next packet, and a work request
    /// ends with a local access error.
    pub fn remove_region(&mut self, key: u32) {
        self.regions.remove(key);
    }

    /// Pause from the MAC: bit n stops data of priority n.
    pub fn set_pause(&mut self, priorities: u8) {
        self.pause = priorities;
    }

    /// Completions since the last call, oldest first.
    pub fn take_completions(&mut self) -> Vec<Completion> {
        std::mem::take(&mut self.completions)
    }

    /// Creates a queue pair, or one anew that has ended with an error.
    pub fn create_qp(&mut self, config: QpConfig) -> Result<(), HostError> {
        match self.host.has(config.qpn) {
            true => Err(HostError::Exists(config.qpn)),
            false => self.create_transport(config),
        }
    }

    /// The two halves of a queue pair, whoever posts to it.
    pub(super) fn create_transport(&mut self, config: QpConfig) -> Result<(), HostError> {
        let qpn = config.qpn;
        if let Some(field) = config.fault() {
            return Err(HostError::Field { qpn, field });
        }
        if config.int && !self.config.format.fits(config.mtu) {
            return Err(HostError::Field { qpn, field: "mtu" });
        }
        let law = self.law_of(&config)?;
        if self.qps.get(&qpn).is_some_and(|qp| !qp.has_ended()) {
            return Err(HostError::Exists(qpn));
        }
        let ip = config.remote_ip;
        let mac = *self
            .config
            .neighbours
            .get(&ip)
            .ok_or(HostError::NoNeighbour { qpn, ip })?;
        let receiver_law = self.new_receiver_law(&config)?;
        // A queue pair with queues has nothing under way here, and its receives stay.
        if !self.host.has(qpn) {
            self.end_requester(0, qpn, Status::Flushed, None);
        }
        self.remove_transport(qpn);
        let counter = self.generations.entry(qpn).or_default();
        *counter = counter.checked_add(1).unwrap_or(1);
        let generation = *counter;
        let mut pacer = Pacer::new(self.config.initial_rate_bps(), self.config.window);
        pacer.level = self.groups.levels[0];
        let mut qp = Qp::new(config, mac, (generation, law), pacer);
        if !qp.config.int {
            qp.response_pacer.window = f64::INFINITY;
        }
        if let Some(cc) = self.laws.get_mut(&law) {
            for flow in [request_flow(qpn), response_flow(qpn)] {
                qp.follow(&cc.create(flow, generation));
            }
        }
        if let Some(mut law) = receiver_law {
            law.create(request_flow(qpn), generation);
            self.receiver_laws.insert(qpn, law);
        }
        self.qps.insert(qpn, qp);
        Ok(())
    }

    /// Code of the law of a new queue pair; refused if it is not built in, or needs INT that the queue pair does not collect.
    fn law_of(&self, config: &QpConfig) -> Result<u8, HostError> {
        let code = config.law_or(self.config.default_law);
        let built = self.laws.contains_key(&code);
        if code == 0 || config.law.is_none() && !built {
            return Ok(0);
        }
        let needs_int = LAWS.iter().any(|law| law.code == code && law.needs_int);
        if !built || needs_int && !config.int {
            return Err(HostError::Field {
                qpn: config.qpn,
                field: "law",
            });
        }
        Ok(code)
    }

    /// Code of a queue pair's law, 0 for none.
    pub fn law(&self, qpn: u32) -> Option<u8> {
        self.qps.get(&qpn).map(|qp| qp.law)
    }

    /// Removes a queue pair; its requests are completed as flushed at `now`, frames of it that still come are unknown.
    pub fn remove_qp(&mut self, now: u64, qpn: u32) -> bool {
        if !self.qps.contains_key(&qpn) || self.host.has(qpn) {
            return false;
        }
        self.end_requester(now, qpn, Status::Flushed, None);
        self.remove_transport(qpn)
    }

    /// Forgets both halves of a queue pair without a word to the host.
    pub(super) fn remove_transport(&mut self, qpn: u32) -> bool {
        let law = self.qps.get(&qpn).map_or(0, |qp| qp.law);
        if let Some(cc) = self.laws.get_mut(&law) {
            cc.remove(request_flow(qpn));
            cc.remove(response_flow(qpn));
        }
        self.receiver_laws.remove(&qpn);
        self.notifications.retain(|(of, _)| *of != qpn);
        self.qps.remove(&qpn).is_some()
    }

    /// Takes a work request at `now`. Faults become completions; only a full queue is returned, for a later attempt.
    pub fn post(&mut self, now: u64, work: WorkRequest) -> Result<(), HostError> {
        let known = matches!(work.operation, Operation::Write | Operation::Read);
        let fits = work.length <= MAX_MESSAGE && known && !self.host.has(work.qpn);
        let Some(qp) = self.qps.get_mut(&work.qpn).filter(|_| fits) else {
            self.complete_stream(now, work, Status::InvalidWork);
            return Ok(());
        };
        if qp.requester.ended.is_some() {
            self.complete(now, work, Status::Flushed);
            return Ok(());
        }
        let (domain, access) = match work.operation.is_read() {
            true => (qp.config.domain, Access::LocalWrite),
            false => (qp.config.domain, Access::Local),
        };
        let checked = self
            .regions
            .check(domain, work.local_key, work.local_address, work.length, access);
        let Some(local) = checked else {
            self.complete(now, work, Status::LocalAccessError);
            return Ok(());
        };
        if qp.requester.queued() >= self.config.message_queue {
            return Err(HostError::QueueFull(work.qpn));
        }
        qp.requester.push(work, local);
        Ok(())
    }

    /// Nothing is queued, outstanding, or waiting to be sent.
    pub fn idle(&self) -> bool {
        self.notifications.is_empty()
            && self
                .qps
                .values()
                .all(|qp| qp.requester.queued() == 0 && qp.responder.idle() && qp.echoes.is_empty() && !qp.probe_waits)
    }

    /// The generation of a queue pair; each creation under the same number has another.
    pub fn generation(&self, qpn: u32) -> Option<u8> {
        self.qps.get(&qpn).map(|qp| qp.generation)
    }

    pub(super) fn complete(&mut self, now: u64, work: WorkRequest, status: Status) {
        match self.host.has(work.qpn) {
            true => self.complete_send(now, &work, status),
            false => self.complete_stream(now, work, status),
        }
    }

    fn complete_stream(&mut self, now: u64, work: WorkRequest, status: Status) {
        if status != Status::Ok {
            self.counters.count(Counter::ErrorCompletions);
        }
        self.completions.push(Completion {
            t_ns: now,
            qpn: work.qpn,
            work: work.id,
            operation: work.operation,
            status,
            bytes: if status == Status::Ok { work.length } else { 0 },
        });
    }

    /// Ends the requester half: the request of packet `at` (the oldest one if `None`) gets `status`, the others are flushed.
    pub(super) fn end_requester(&mut self, now: u64, qpn: u32, status: Status, at: Option<psn::Psn>) {
        if self.host.has(qpn) {
            return self.end_queue_pair(now, qpn, End::of_request(status, at));
        }
        let Some(qp) = self.qps.get_mut(&qpn) else { return };
        if status != Status::Flushed && !qp.has_ended() {
            self.counters.count(Counter::QpError);
        }
        let at = at.unwrap_or(qp.requester.una());
        let guilty = qp.requester.message(at).map(|message| message.work.id);
        for work in qp.requester.end(status) {
            let status = if guilty == Some(work.id) {
                status
            } else {
                Status::Flushed
            };
            self.complete(now, work, status);
        }
    }
}

impl<M> Nic<M> {
    /// Ends the responder half.
    pub(super) fn end_responder(&mut self, qpn: u32) {
        let Some(qp) = self.qps.get_mut(&qpn) else { return };
        if !qp.has_ended() {
            self.counters.count(Counter::QpError);
        }
        qp.responder.end();
    }
}

impl Operation {
    /// This is a READ.
    pub(super) fn is_read(self) -> bool {
        self == Self::Read
    }
}
