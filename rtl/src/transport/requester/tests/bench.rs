//! The requester with its surroundings: every input from a queue, every output into a list, READ data committed at once.

use crate::prim::uint::U;
use crate::prim::word::Word as _;
use crate::sim::{init, step, Stimulus};
use crate::transport::requester::{Requester, COUNTERS};
use crate::transport::send_times::ASK_LATENCY;
use crate::words::context::{QpContext, Region};
use crate::words::flows::FailedPacket;
use crate::words::requester::QpOfGeneration;
use crate::words::transport::AckKind;
use crate::words::transport::{AckSend, Action, Commit, RxPacket};
use crate::words::work::WorkRequest;
use hpcc_models::nic::Counter;
use std::collections::VecDeque;

/// Generation that tests start with.
pub const GENERATION: u64 = 1;
/// Key of the region that covers all memory.
pub const KEY: u64 = 0x1234;
/// Queue pair of the directed tests.
pub const QP: u64 = 5;

/// An event to the scheduler.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    pub nak: bool,
    pub flow: u64,
    pub generation: u64,
    pub psn: u64,
    pub int_valid: bool,
    pub n_hop: u64,
    pub path_id: u64,
    pub hops: [u64; 5],
    pub now: u64,
    pub sent_at: Option<u64>,
}

/// When a packet left, as the send times would say: of every third one nothing is known.
pub fn left_at(qp: u64, psn: u64) -> Option<u64> {
    (psn % 3 != 2).then_some(qp << 40 | psn << 8 | 1)
}

/// A message as Select sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Queued {
    pub address: u64,
    pub start: u64,
    pub end: u64,
    pub read: bool,
    pub last: bool,
    pub local: u64,
    pub remote: u64,
    pub length: u64,
    pub id: u64,
}

/// A packet that concerns the requester.
#[derive(Clone, Debug)]
pub enum Packet {
    Response(Arrived),
    Answer(Commit),
}

/// A READ response.
#[derive(Clone, Copy, Debug, Default)]
pub struct Arrived {
    /// What the requester sees of it.
    pub row: RxPacket,
    /// What dispatch holds of it, in an answer of which the rest is the requester's decision.
    pub held: Commit,
}

impl Arrived {
    /// With the packet's INT.
    pub fn new(row: RxPacket, int: &[u8]) -> Self {
        let mut held = [0; 7];
        Commit::INT_LENGTH.put(&mut held, int.len() as u64);
        Commit::INT_STACK.put_bytes(&mut held, int);
        let held = Commit {
            qp: row.qp,
            generation: row.generation,
            int_on: row.int_on,
            ..Commit::from_slice(&held)
        };
        Self { row, held }
    }
}

/// The answer about a READ response when its payload is in memory.
fn answer(held: Commit, decision: Action) -> Commit {
    Commit {
        kind: decision.kind,
        psn: decision.psn,
        syndrome: decision.syndrome,
        msn: decision.msn,
        answer: decision.answer,
        ends_or_failed: decision.ends,
        ..held
    }
}

/// Protection domain of the queue pairs and of the region.
const DOMAIN: u64 = 0x8102;
/// Offset of the region; tests count addresses as work requests do.
const OFFSET: u64 = 0x7000_0001_ffff_ff40;

/// A completion: number, status, length.
pub type Done = (u64, u64, u64);

pub struct Bench<const S: usize> {
    pub block: Box<Requester<256, S>>,
    pub random: Stimulus,
    /// Chance that an output is taken in a clock.
    pub accept: f64,
    /// Completions are taken, with that chance.
    pub host: bool,
    /// Answers follow actions by themselves.
    pub commits: bool,
    /// Chance that the next answer is offered in a clock.
    pub memory: f64,
    /// Packets in their order; READ responses wait for the decision about those before them.
    pub packets: VecDeque<Packet>,
    offered: bool,
    deciding: bool,
    pub rows: VecDeque<Arrived>,
    /// What dispatch holds of the responses without a decision.
    held: VecDeque<Commit>,
    pub answers: VecDeque<Commit>,
    pub works: VecDeque<WorkRequest>,
    pub ended: VecDeque<(u64, u64)>,
    pub errors: VecDeque<u64>,
    pub removes: VecDeque<u64>,
    pub contexts: VecDeque<(u64, QpContext)>,
    pub sent: VecDeque<(u64, u64, u64)>,
    pub regions: VecDeque<Region>,
    pub actions: Vec<Action>,
    pub events: Vec<Event>,
    pub messages: Vec<Queued>,
    pub scheduled: Vec<(u64, u64, u64)>,
    pub done: Vec<Done>,
    pub echoes: Vec<AckSend>,
    pub kills: Vec<u64>,
    pub counts: [u64; COUNTERS.len()],
    pub clock: u64,
    /// The NIC's clock at clock 0, ns.
    pub time_base: u64,
    /// Packets that were asked for in the last clocks, the oldest first.
    asked: VecDeque<(u64, u64)>,
    /// When the acknowledgements came.
    pub came: Vec<u64>,
}

impl<const S: usize> Bench<S> {
    pub fn new(seed: u64) -> Self {
        let mut block: Box<Requester<256, S>> = Box::default();
        init(block.as_mut()).expect("complete block");
        let mut everything = [0; 4];
        Region::VALID.put(&mut everything, 1);
        Region::KEY.put(&mut everything, KEY);
        Region::LENGTH.put(&mut everything, 1 << 40);
        Region::DOMAIN.put(&mut everything, DOMAIN);
        Region::OFFSET.put(&mut everything, OFFSET);
        let mut bench = Self {
            block,
            random: Stimulus::new(seed),
            accept: 1.0,
            host: true,
            commits: true,
            memory: 1.0,
            packets: VecDeque::new(),
            offered: false,
            deciding: false,
            rows: VecDeque::new(),
            held: VecDeque::new(),
            answers: VecDeque::new(),
            works: VecDeque::new(),
            ended: VecDeque::new(),
            errors: VecDeque::new(),
            removes: VecDeque::new(),
            contexts: VecDeque::new(),
            sent: VecDeque::new(),
            regions: VecDeque::from([Region::from_slice(&everything)]),
            actions: Vec::new(),
            events: Vec::new(),
            messages: Vec::new(),
            scheduled: Vec::new(),
            done: Vec::new(),
            echoes: Vec::new(),
            kills: Vec::new(),
            counts: [0; COUNTERS.len()],
            clock: 0,
            time_base: 0,
            asked: VecDeque::from([(0, 0); ASK_LATENCY]),
            came: Vec::new(),
        };
        bench.block.max_reads.next = U(16);
        bench.block.speeds.next = U(0x01fe);
        // two clocks of reset, and those in which the tables of answers are cleared
        for clock in 0..2 + 256 {
            bench.block.reset.next = clock < 2;
            bench.tick();
        }
        bench
    }

    /// Count of a counter.
    pub fn count(&self, counter: Counter) -> u64 {
        self.counts[COUNTERS
            .iter()
            .position(|known| *known == counter)
            .expect("counted here")]
    }

    /// Creates or removes a queue pair of MTU 256 << `mtu`.
    pub fn context(&mut self, qp: u64, generation: u64, psn: u64, mtu: u64, int: bool, alive: bool) {
        let mut word = [0; 4];
        QpContext::ALIVE.put(&mut word, alive.into());
        QpContext::GENERATION.put(&mut word, generation);
        QpContext::MTU.put(&mut word, mtu);
        QpContext::INT_ON.put(&mut word, int.into());
        QpContext::SEND_PSN.put(&mut word, psn);
        QpContext::DOMAIN.put(&mut word, DOMAIN);
        self.contexts.push_back((qp, QpContext::from_slice(&word)));
        self.tick();
        self.tick();
    }

    /// The region of all work, written again or removed.
    pub fn rewrite_region(&mut self, valid: bool) {
        self.regions.push_back(Region {
            valid,
            key: U(KEY),
            length: U(1 << 40),
            domain: U(DOMAIN),
            offset: U(OFFSET),
            ..Region::default()
        });
        self.drain();
    }

    /// One clock.
    pub fn tick(&mut self) {
        let b = self.block.as_mut();
        b.now.next = U(self.time_base + 5 * self.clock);
        let sent_at = self.asked.pop_front().and_then(|(qp, psn)| left_at(qp, psn));
        b.asked_known.next = sent_at.is_some();
        b.asked_sent_at.next = U(sent_at.unwrap_or(0xbad));
        let context = self.contexts.pop_front();
        b.context_valid.next = context.is_some();
        let (qp, word) = context.unwrap_or_default();
        (b.context_qp.next, b.context_data.next) = (U(qp), word);
        let region = if self.clock > 2 { self.regions.pop_front() } else { None };
        b.region_valid.next = region.is_some();
        b.region_data.next = region.unwrap_or_default();
        let sent = self.sent.pop_front();
        b.sent_valid.next = sent.is_some();
        let (qp, generation, end) = sent.unwrap_or_default();
        (b.sent_qp.next, b.sent_generation.next, b.sent_end.next) = (U(qp), U(generation), U(end));
        if self.rows.is_empty() {
            match self.packets.pop_front() {
                Some(Packet::Response(row)) if !self.deciding => {
                    self.rows.push_back(row);
                    self.deciding = true;
                }
                Some(Packet::Answer(answer)) if !self.deciding => self.answers.push_back(answer),
                Some(packet) => self.packets.push_front(packet),
                None => {}
            }
        }
        self.offered |= self.random.chance(self.memory);
        b.row.valid.next = !self.rows.is_empty();
        b.row.data.next = self.rows.front().copied().unwrap_or_default().row;
        b.answer.valid.next = self.offered && !self.answers.is_empty();
        b.answer.data.next = self.answers.front().copied().unwrap_or_default();
        b.ended.valid.next = !self.ended.is_empty();
        let (flow, generation) = self.ended.front().copied().unwrap_or_default();
        (b.ended.flow.next, b.ended.generation.next) = (U(flow), U(generation));
        b.read_error.valid.next = !self.errors.is_empty();
        b.read_error.data.next = FailedPacket::from_slice(&[self.errors.front().copied().unwrap_or_default()]);
        b.remove.valid.next = !self.removes.is_empty();
        b.remove.data.next = QpOfGeneration::from_slice(&[self.removes.front().copied().unwrap_or_default()]);
        b.work.valid.next = !self.works.is_empty();
        b.work.data.next = self.works.front().copied().unwrap_or_default();
        let accept = self.accept;
        b.action.ready.next = self.random.chance(accept);
        b.cc_event.ready.next = self.random.chance(accept);
        b.completion.ready.next = self.host && self.random.chance(accept);
        b.echo.ready.next = true;
        b.schedule.ready.next = self.random.chance(accept);
        b.kill.ready.next = self.random.chance(accept);
        self.clock += 1;
        let Self {
            block,
            rows,
            held,
            answers,
            works,
            ended,
            errors,
            removes,
            actions,
            events,
            messages,
            scheduled,
            done,
            echoes,
            kills,
            counts,
            commits,
            offered,
            deciding,
            asked,
            ..
        } = self;
        step(block.as_mut(), |b| {
            asked.push_back((b.asked_qp.val().0, b.asked_psn.val().0));
            if b.row.valid.val() && b.row.ready.val() {
                held.extend(rows.pop_front().map(|arrived| arrived.held));
            }
            if b.answer.valid.val() && b.answer.ready.val() {
                answers.pop_front();
                *offered = false;
            }
            (b.work.valid.val() && b.work.ready.val()).then(|| works.pop_front());
            (b.ended.valid.val() && b.ended.ready.val()).then(|| ended.pop_front());
            (b.read_error.valid.val() && b.read_error.ready.val()).then(|| errors.pop_front());
            (b.remove.valid.val() && b.remove.ready.val()).then(|| removes.pop_front());
            if b.action.valid.val() && b.action.ready.val() {
                let mut word = b.action.data.val();
                if word.commits {
                    word.address = U(word.address.0.wrapping_sub(OFFSET));
                }
                actions.push(word);
                *deciding = false;
                let held = held.pop_front().expect("a decision for each response");
                if *commits && word.commits {
                    answers.push_back(answer(held, word));
                }
            }
            let e = &b.cc_event;
            if e.valid.val() && e.ready.val() {
                let word = e.data.val();
                events.push(Event {
                    nak: word.telemetry.event_kind.0 == 1,
                    flow: word.flow.0,
                    generation: word.generation.0,
                    psn: word.psn_next.0,
                    int_valid: word.telemetry.int_valid,
                    n_hop: word.telemetry.n_hop.0,
                    path_id: word.telemetry.path_id.0,
                    hops: word.telemetry.hops.0,
                    now: word.telemetry.now.0,
                    sent_at: word.telemetry.sent_valid.then_some(word.telemetry.sent_at.0),
                });
            }
            if b.message_valid.val() {
                let word = b.message_data.val();
                messages.push(Queued {
                    address: b.message_address.val().0,
                    start: word.first_psn.0,
                    end: word.end_psn.0,
                    read: word.read,
                    last: word.last,
                    local: word.local_address.0.wrapping_sub(OFFSET),
                    remote: word.remote_address.0,
                    length: word.length.0,
                    id: word.id.0,
                });
            }
            if b.schedule.valid.val() && b.schedule.ready.val() {
                let word = b.schedule.data.val();
                scheduled.push((word.flow.0, word.generation.0, word.psn.0));
            }
            if b.completion.valid.val() && b.completion.ready.val() {
                let word = b.completion.data.val();
                done.push((word.id.0, word.status as u64, word.length.0));
            }
            (b.echo.valid.val() && b.echo.ready.val()).then(|| echoes.push(b.echo.data.val()));
            (b.kill.valid.val() && b.kill.ready.val()).then(|| kills.push(b.kill.data.val().limbs()[0]));
            for (i, count) in counts.iter_mut().enumerate() {
                *count += u64::from(b.counts.val().get_bit(i));
            }
        });
    }

    /// Grows with everything that is taken or comes out, but for READ responses and answers.
    fn moved(&self) -> [usize; 8] {
        [
            usize::MAX - self.works.len(),
            self.messages.len(),
            self.scheduled.len(),
            self.done.len(),
            self.events.len(),
            self.echoes.len(),
            self.actions.len(),
            self.counts.iter().sum::<u64>() as usize,
        ]
    }

    /// Until everything that can be taken is taken and nothing moves any more.
    pub fn drain(&mut self) {
        let mut quiet = 0;
        for _ in 0..20_000 {
            let waiting =
                self.rows.len() + self.answers.len() + self.ended.len() + self.errors.len() + self.removes.len();
            let before = (waiting, self.sent.len(), self.moved());
            self.tick();
            let rests = before == (0, 0, self.moved());
            quiet = if rests { quiet + 1 } else { 0 };
            // an answer may pass over a full ring before anything shows
            if quiet > (60.0 / self.accept) as u32 {
                return;
            }
        }
        panic!("the block does not come to rest");
    }

    /// A work request of `length` bytes; the local address is 0x1000 * id, the remote one half of the space further.
    pub fn work(&mut self, qp: u64, id: u64, read: bool, length: u64) {
        let mut word = [0; 5];
        WorkRequest::ID.put(&mut word, id);
        WorkRequest::QPN.put(&mut word, qp);
        WorkRequest::OPERATION.put(&mut word, read.into());
        WorkRequest::LOCAL_ADDRESS.put(&mut word, 0x1000 * id);
        WorkRequest::LOCAL_KEY.put(&mut word, KEY);
        WorkRequest::REMOTE_ADDRESS.put(&mut word, 0x1000 * id + (1 << 63));
        WorkRequest::REMOTE_KEY.put(&mut word, id);
        WorkRequest::LENGTH.put(&mut word, length);
        self.works.push_back(WorkRequest::from_slice(&word));
    }

    /// An acknowledgement packet with an AETH syndrome.
    pub fn acknowledge(&mut self, qp: u64, generation: u64, psn: u64, syndrome: u64, int: &[u8]) {
        let mut word = [0; 7];
        Commit::KIND.put(&mut word, 3);
        Commit::QP.put(&mut word, qp);
        Commit::GENERATION.put(&mut word, generation);
        Commit::PSN.put(&mut word, psn);
        Commit::SYNDROME.put(&mut word, syndrome);
        let came = (self.time_base + 5 * self.clock).saturating_sub(7);
        self.came.push(came);
        Commit::MSN.put(&mut word, came & 0xff_ffff);
        Commit::INT_LENGTH.put(&mut word, int.len() as u64);
        Commit::INT_STACK.put_bytes(&mut word, int);
        Commit::INT_ON.put(&mut word, u64::from(!int.is_empty()));
        self.answers.push_back(Commit::from_slice(&word));
    }

    /// A READ response.
    #[allow(clippy::too_many_arguments)]
    pub fn response(&mut self, qp: u64, generation: u64, opcode: u64, psn: u64, length: u64, mtu: u64, int: &[u8]) {
        let mut word = [0; 4];
        RxPacket::OPCODE.put(&mut word, opcode);
        RxPacket::QP.put(&mut word, qp);
        RxPacket::GENERATION.put(&mut word, generation);
        RxPacket::PSN.put(&mut word, psn);
        RxPacket::EXTENSION.put_bytes(&mut word, &[0x1f]);
        if opcode == 0x0e {
            // the Middle packet has payload where the others have their AETH
            RxPacket::EXTENSION.put_bytes(&mut word, &[0xff; 16]);
        }
        RxPacket::PAYLOAD_LENGTH.put(&mut word, length);
        RxPacket::MTU.put(&mut word, mtu);
        RxPacket::INT_ON.put(&mut word, u64::from(!int.is_empty()));
        self.rows.push_back(Arrived::new(RxPacket::from_slice(&word), int));
    }

    /// PSNs and flags of the echoes.
    pub fn echo_psns(&self) -> Vec<u64> {
        let psn = |echo: &AckSend| {
            assert_eq!(echo.kind, AckKind::Echo);
            echo.psn.0
        };
        self.echoes.iter().map(psn).collect()
    }

    /// Whether each action takes its payload, where to, and what it commits.
    pub fn decisions(&self) -> Vec<(bool, u64, Option<u64>)> {
        let decision = |word: &Action| {
            let answer = word.answer as u64;
            (word.take, word.address.0, word.commits.then_some(answer))
        };
        self.actions.iter().map(decision).collect()
    }
}
