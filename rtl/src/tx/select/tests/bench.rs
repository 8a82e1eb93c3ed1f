//! Drives the block: writes its tables, offers grants, compares what leaves.

use super::world::*;
use crate::prim::uint::U;
use crate::prim::word::Word as _;
use crate::sim::{init, step, Stimulus};
use crate::words::context::{QpContext, Region};
use crate::words::transport::{Message as MessageWord, ReadState, TxPacket};
use hpcc_models::sched::SchedRegisters;
use hpcc_models::wire::MASK_24;

/// Block, world, what is still expected, and the stalls.
pub struct Bench {
    pub block: Box<Block>,
    pub random: Stimulus,
    pub world: World,
    pub expected: Expected,
    pub accept: f64,
    pub clock: u64,
    pub grants: u64,
    pub seen: [u64; 4],
}

impl Bench {
    pub fn new(seed: u64) -> Self {
        let mut block: Box<Block> = Box::default();
        init(block.as_mut()).expect("complete block");
        block.overhead.next = U(SchedRegisters::default().overhead.into());
        block.ack_interval.next = U(INTERVAL.into());
        let mut bench = Self {
            block,
            random: Stimulus::new(seed),
            world: World::default(),
            expected: Expected::default(),
            accept: 1.0,
            clock: 0,
            grants: 0,
            seen: [0; 4],
        };
        bench.block.reset.next = true;
        bench.clocks(4);
        bench.block.reset.next = false;
        bench.clocks(4);
        for entry in 0..32 {
            bench.block.region_valid.next = true;
            bench.block.region_data.next = Region {
                valid: true,
                key: U(entry << 8),
                ..Region::default()
            };
            bench.clocks(1);
            bench.block.region_valid.next = false;
            bench.clocks(2);
        }
        bench
    }

    /// One clock; whether the grant on offer was taken.
    pub fn clock(&mut self) -> bool {
        let accept = self.accept;
        let b = &mut self.block;
        b.packet.ready.next = self.random.chance(accept);
        b.job.ready.next = self.random.chance(accept);
        b.feedback.ready.next = self.random.chance(accept);
        let (clock, expected, seen) = (self.clock, &mut self.expected, &mut self.seen);
        let taken = step(b.as_mut(), |b| {
            if b.packet.valid.val() & b.packet.ready.val() {
                let (grant, word) = expected.packets.pop_front().expect("a packet too many");
                for field in TxPacket::FIELDS {
                    let (got, want) = (b.packet.data.val().limbs(), word.limbs());
                    if *field == TxPacket::EXTENSION && TxPacket::EXTENSION_KIND.get(&want) == 0 {
                        continue;
                    }
                    assert!(
                        field.bytes(&got) == field.bytes(&want) && field.get(&got) == field.get(&want),
                        "clock {clock}, {grant:?}: {} is {:x}, should be {:x}",
                        field.name,
                        field.get(&got),
                        field.get(&want)
                    );
                }
                seen[0] += 1;
            }
            if b.job.valid.val() & b.job.ready.val() {
                let job = b.job.data.val();
                let got = (job.address.0, job.length.0);
                assert_eq!(Some(got), expected.jobs.pop_front(), "clock {clock}: job");
                seen[1] += 1;
            }
            if b.feedback.valid.val() & b.feedback.ready.val() {
                let f = &b.feedback;
                let got = (
                    f.advance.val(),
                    f.flow.val().0,
                    f.generation.val().0,
                    f.psn.val().0,
                    f.value.val().0,
                );
                // what a READ request covers may pass the bytes of others, and comes before its own
                let told = &mut expected.feedbacks;
                let at = told.iter().position(|wanted| wanted.0 == got.0).unwrap_or(0);
                let covers = (true, got.1, got.2, got.3);
                let mut earlier = told.iter().take(at).map(|w| (w.0, w.1, w.2, w.3));
                assert!(
                    !earlier.any(|wanted| wanted == covers),
                    "clock {clock}: bytes before what they cover"
                );
                let mut first = told.remove(at).expect("feedback too much");
                // bytes of the same flow that come one behind the other may come as one sum
                while !got.0 && first.4 != got.4 {
                    let at = told.iter().position(|next| !next.0).expect("no sum");
                    let next = told.remove(at).expect("found");
                    assert_eq!((next.1, next.2), (first.1, first.2), "clock {clock}: another flow");
                    first.4 = first.4.wrapping_add(next.4) & u64::from(MASK_24);
                }
                assert_eq!(got, first, "clock {clock}: feedback");
                seen[2] += 1;
            }
            if b.sent_valid.val() {
                let got = (b.sent_qp.val().0, b.sent_generation.val().0, b.sent_end.val().0);
                assert_eq!(Some(got), expected.sents.pop_front(), "clock {clock}: sent");
                seen[3] += 1;
            }
            b.send.valid.val() & b.send.ready.val()
        });
        self.clock += 1;
        self.block.context_valid.next = false;
        self.block.message_valid.next = false;
        self.block.read_valid.next = false;
        taken
    }

    pub fn clocks(&mut self, count: u64) {
        for _ in 0..count {
            self.clock();
        }
    }

    pub fn offer(&mut self, grant: Grant) {
        self.world.expect(grant, &mut self.expected);
        let send = &mut self.block.send;
        send.valid.next = true;
        send.flow.next = U(grant.flow.into());
        send.generation.next = U(grant.generation.into());
        send.psn.next = U(grant.psn.into());
        send.kind.next = U(grant.kind.into());
        while !self.clock() {}
        self.block.send.valid.next = false;
        self.grants += 1;
    }

    /// Sets which packets are timed. Nothing may be on its way.
    pub fn time(&mut self, spacing: Option<u8>) {
        self.world.spacing = spacing;
        self.block.times_enable.next = spacing.is_some();
        self.block.times_spacing.next = U(spacing.unwrap_or(3).into());
        self.clocks(2);
    }

    pub fn drain(&mut self) {
        let accept = std::mem::replace(&mut self.accept, 1.0);
        self.clocks(300);
        self.accept = accept;
        let e = &self.expected;
        assert!(
            e.packets.is_empty() && e.jobs.is_empty() && e.feedbacks.is_empty() && e.sents.is_empty(),
            "{e:?}"
        );
    }

    pub fn write_context(&mut self, qp: usize, c: Context) {
        let mut word = [u64::MAX; 4];
        for (field, value) in [
            (QpContext::ALIVE, u64::from(c.alive)),
            (QpContext::GENERATION, c.generation.into()),
            (QpContext::MTU, c.mtu.into()),
            (QpContext::INT_ON, c.int.into()),
            (QpContext::PAUSE_CLASS, c.priority.into()),
        ] {
            field.put(&mut word, value);
        }
        self.world.contexts[qp] = c;
        let b = &mut self.block;
        (b.context_valid.next, b.context_qp.next, b.context_data.next) =
            (true, U(qp as u64), QpContext::from_slice(&word));
        self.clock();
        if c.alive {
            self.world.reads[qp] = Default::default();
            // the ring is voided meanwhile
            self.clocks(24);
        }
    }

    pub fn write_message(&mut self, qp: usize, slot: usize, m: Message) {
        let mut word = [u64::MAX; 6];
        for (field, value) in [
            (MessageWord::FIRST_PSN, u64::from(m.start)),
            (MessageWord::END_PSN, ((m.start + m.count) & MASK_24).into()),
            (MessageWord::READ, m.read.into()),
            (MessageWord::GENERATION, m.generation.into()),
            (MessageWord::LOCAL_ADDRESS, m.local),
            (MessageWord::REMOTE_ADDRESS, m.remote),
            (MessageWord::REMOTE_KEY, m.key.into()),
            (MessageWord::LENGTH, m.length.into()),
        ] {
            field.put(&mut word, value);
        }
        self.world.rings[qp][slot] = m;
        let b = &mut self.block;
        (b.message_valid.next, b.message_address.next, b.message_data.next) =
            (true, U((qp * 16 + slot) as u64), MessageWord::from_slice(&word));
        b.message_data.next.guard = guard(m.key).0;
        self.clock();
    }

    pub fn write_read(&mut self, qp: usize, r: Read) {
        let mut word = [u64::MAX; 4];
        for (field, value) in [
            (ReadState::GENERATION, u64::from(r.generation)),
            (ReadState::FIRST_PSN, r.first.into()),
            (ReadState::COUNT, r.count.into()),
            (ReadState::ADDRESS, r.address),
            (ReadState::LENGTH, r.length.into()),
            (ReadState::MSN, r.msn.into()),
            (ReadState::TAG, r.tag.into()),
            (ReadState::EPOCH, r.epoch.into()),
        ] {
            field.put(&mut word, value);
        }
        self.world.reads[qp][usize::from(r.tag) % 16] = r;
        self.world.newest[qp] = r;
        let b = &mut self.block;
        (b.read_valid.next, b.read_qp.next, b.read_data.next) = (true, U(qp as u64), ReadState::from_slice(&word));
        b.read_data.next.guard = guard(r.msn).0;
        self.clock();
    }

    /// Bytes of a message of a few packets, its last one of any length; sometimes of no byte, sometimes very long.
    pub fn length(&mut self, mtu: u32) -> u32 {
        match self.random.below(12) {
            0 => 0,
            1 => mtu * self.random.below(6) as u32,
            2 => self.random.below(1 << 31) as u32,
            _ => self.random.below(u64::from(mtu) * 8) as u32,
        }
    }

    /// A queue pair of the next generation with a ring that is full, or nearly.
    pub fn create(&mut self, qp: usize) {
        let c = Context {
            alive: self.random.chance(0.95),
            generation: self.world.contexts[qp].generation.wrapping_add(1),
            mtu: self.random.below(5) as u8,
            int: self.random.chance(0.5),
            priority: self.random.uniform(3) as u8,
        };
        self.write_context(qp, c);
        let mut at = self.random.corner(24) as u32;
        self.world.next[2 * qp] = at;
        let (head, stale) = (self.random.below(16) as usize, self.random.below(6) as usize);
        for slot in 0..16 - stale {
            // segments of at most 2^20 packets
            let length = self.length(mtu(c.mtu)).min(mtu(c.mtu) << 20);
            let count = length.div_ceil(mtu(c.mtu)).max(1);
            let m = Message {
                start: at,
                count,
                read: self.random.chance(0.3),
                generation: c.generation,
                local: self.random.corner(64),
                remote: self.random.corner(64),
                key: self.random.uniform(32) as u32,
                length,
            };
            self.write_message(qp, (head + slot) % 16, m);
            at = (at + count) & MASK_24;
        }
        self.read(qp);
    }

    pub fn read(&mut self, qp: usize) {
        let (c, before) = (self.world.contexts[qp], self.world.newest[qp]);
        let goes_on = self.random.chance(0.7);
        let length = self.length(mtu(c.mtu)).min(mtu(c.mtu) << 20);
        let r = Read {
            generation: if self.random.chance(0.95) { c.generation } else { c.generation ^ 0x80 },
            first: if goes_on {
                // as the response queue does: where the READ before ends
                (before.first + before.count) & MASK_24
            } else {
                self.random.corner(24) as u32
            },
            count: length.div_ceil(mtu(c.mtu)).max(1),
            address: self.random.corner(64),
            length,
            msn: self.random.uniform(24) as u32,
            tag: (before.tag + 1) & 31,
            epoch: before.epoch.wrapping_add(u8::from(!goes_on)) & 15,
        };
        self.write_read(qp, r);
    }

    /// Mostly the next PSN, at the ends of messages too; else one that was sent before, or any.
    pub fn grant(&mut self) -> Grant {
        let flow = self.random.below(2 * QPS as u64) as usize;
        let qp = flow / 2;
        let near = |random: &mut Stimulus, start: u32, count: u32| {
            let place = match random.below(3) {
                0 => random.below(count.into()) as u32,
                1 => count.saturating_sub(1 + random.below(3) as u32),
                _ => random.below(3) as u32,
            };
            start.wrapping_add(place) & MASK_24
        };
        let m = self.world.rings[qp][self.random.below(16) as usize];
        let r = if self.random.chance(0.3) {
            self.world.newest[qp]
        } else {
            self.world.reads[qp][self.random.below(16) as usize]
        };
        let (psn, kind) = match self.random.below(10) {
            0..=5 => (self.world.next[flow], self.random.below(20) / 17),
            6 if flow.is_multiple_of(2) && m.count > 0 => (near(&mut self.random, m.start, m.count), 7),
            7 if flow.is_multiple_of(2) && m.count > 0 => {
                (near(&mut self.random, m.start, m.count), self.random.below(8))
            }
            8 if r.count > 0 => (near(&mut self.random, r.first, r.count), self.random.below(8)),
            _ => (self.random.corner(24) as u32, self.random.below(8)),
        };
        self.world.next[flow] = psn.wrapping_add(1) & MASK_24;
        let late = self.random.chance(0.02);
        Grant {
            flow: flow as u16,
            generation: self.world.contexts[qp].generation.wrapping_sub(late.into()),
            psn,
            kind: kind as u8,
        }
    }
}
