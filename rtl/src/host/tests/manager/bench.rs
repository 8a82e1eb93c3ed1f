//! The manager, driven a command or a control packet at a time, and all that it sends out meanwhile.

use super::trace::*;
use crate::host::manager::Manager;
use crate::prim::uint::U;
use crate::prim::wide::W;
use crate::prim::word::Word as _;
use crate::sim::{init, step, Stimulus};
use crate::words::context::{HostCommand, QpContext, Region};
use crate::words::rx::ControlPacket;
use hpcc_models::nic::QpConfig;
use hpcc_models::wire::*;
use std::net::Ipv4Addr;

/// Clocks after a creation's context in which nothing else comes.
const CREATION: u64 = 31;

pub(super) struct Bench {
    pub(super) block: Box<Manager>,
    pub(super) stimulus: Stimulus,
    pub(super) traces: Vec<Trace>,
    /// Clocks until the listeners are done with the last creation.
    pub(super) creation: u64,
    /// Pulses of `qp_died`.
    pub(super) died: u64,
    /// Clocks until all that was on its way when the manager asked has ended.
    pub(super) unquiet: u64,
    /// A queue pair or a region has gone, and what was on its way for it has not ended.
    pub(super) stirs: bool,
}

impl Bench {
    pub(super) fn new() -> Self {
        let mut block: Box<Manager> = Box::default();
        init(block.as_mut()).expect("complete block");
        block.reset.next = true;
        for _ in 0..260 {
            step(block.as_mut(), |_| ());
        }
        block.reset.next = false;
        // every queue pair is voided once, then the manager is ready
        let (mut voided, mut emptied) = (vec![], vec![]);
        for clock in 0.. {
            let swept = step(block.as_mut(), |b| {
                if b.context_valid.val() {
                    assert_eq!(b.context_data.val(), QpContext::default());
                    voided.push(b.context_qp.val().0);
                }
                if b.region_valid.val() {
                    let key = b.region_data.val().key;
                    assert_eq!(
                        b.region_data.val(),
                        Region {
                            key,
                            ..Region::default()
                        }
                    );
                    emptied.push(key.0);
                }
                b.swept.val()
            });
            if swept && clock > 0 {
                assert!(clock <= 1281, "{clock}");
                break;
            }
        }
        assert!(voided.into_iter().eq(0..256));
        assert!(emptied.into_iter().eq((0..256).map(|at| (at % 32) << 8)));
        block.cfg_mtu.next = U(2);
        block.cfg_default_law.next = U(DEFAULT_LAW);
        // HPCC, DCQCN and PowerTCP
        block.laws.next = U(0b1111);
        block.cfg_window.next = U(WINDOW);
        block.cfg_line_rate.next = U(LINE_RATE);
        block.cfg_control_enable.next = true;
        block.cfg_control_interval.next = U(1000);
        block.cfg_control_key.next = U(KEY);
        block.cfg_control_sources.next = W([0, u64::from(u32::from(SOURCE)) << 32, 0, 0]);
        Self {
            block,
            stimulus: Stimulus::new(1),
            traces: vec![],
            creation: 0,
            died: 0,
            unquiet: 0,
            stirs: false,
        }
    }

    /// A clock; returns whether the command or packet offered was taken. Nothing is posted or reported before frames find the queue pair.
    pub(super) fn tick(&mut self) -> bool {
        let mut ready = || self.stimulus.chance(0.6);
        let block = &mut self.block;
        block.remove.ready.next = ready();
        block.flow.ready.next = ready();
        block.cc.ready.next = ready();
        block.first.ready.next = ready();
        block.work.ready.next = ready();
        block.quiet.next = self.unquiet == 0;
        let (stirs, mut fence, mut died) = (self.stirs, false, false);
        let mut seen = vec![];
        // a creation is heard in so many clocks
        self.creation = self.creation.saturating_sub(1);
        let (listening, mut created) = (self.creation > 0, false);
        let taken = step(block.as_mut(), |b| {
            let written = b.context_valid.val();
            created = written && b.context_data.val().alive;
            assert!(
                !(listening | created) | !b.work.valid.val(),
                "posted before it is found"
            );
            let reports = b.command_done.val() | b.control_accepted.val();
            assert!(!(listening | created) | !reports, "reported before it is found");
            assert!(!stirs | !reports, "reported before memory is quiet");
            fence = b.fence.val();
            died = b.qp_died.val();
            if written {
                let (qp, limbs) = (b.context_qp.val().0, b.context_data.val().array::<4>());
                seen.push(match QpContext::ALIVE.get(&limbs) {
                    1 => Trace::Context(qp, context_fields(&limbs)),
                    _ => Trace::Dead(qp, QpContext::GENERATION.get(&limbs)),
                });
            }
            if b.region_valid.val() {
                let region = b.region_data.val();
                seen.push(Trace::Region(region.key.0 >> 8 & 31, region.limbs()));
            }
            if b.remove.valid.val() && b.remove.ready.val() {
                let [data] = b.remove.data.val().array();
                seen.push(Trace::Remove(data & 0xff, data >> 8));
            }
            if b.flow.valid.val() && b.flow.ready.val() {
                let f = &b.flow;
                let first = (
                    f.psn.val().0,
                    f.mtu.val().0,
                    f.priority.val().0,
                    f.windowless.val(),
                    f.timerless.val(),
                );
                let create = f.create.val();
                seen.push(if f.limit.val() {
                    Trace::Cap(f.flow.val().0, f.generation.val().0, f.rate.val().0, f.group.val().0)
                } else {
                    Trace::Flow(create, f.flow.val().0, f.generation.val().0, create.then_some(first))
                });
            }
            if b.cc.valid.val() && b.cc.ready.val() {
                let c = b.cc.data.val();
                seen.push(Trace::Cc(c.create, b.cc_law.val().0, c.flow.0, c.generation.0));
            }
            if b.first.valid.val() && b.first.ready.val() {
                let f = b.first.data.val();
                seen.push(Trace::First(f.flow.0, f.generation.0, f.window.0, f.rate.0));
            }
            if b.work.valid.val() && b.work.ready.val() {
                seen.push(Trace::Work(b.work.data.val().limbs()));
            }
            if b.command_done.val() {
                seen.push(Trace::Done(b.command_code.val() as u64));
            }
            if b.control_accepted.val() {
                seen.push(Trace::Accepted);
            }
            if b.control_refused.val() {
                seen.push(Trace::Refused);
            }
            b.command.valid.val() && b.command.ready.val() || b.packet.valid.val() && b.packet.ready.val()
        });
        if created {
            self.creation = CREATION;
        }
        self.died += u64::from(died);
        let removed = |trace: &Trace| matches!(trace, Trace::Dead(..) | Trace::Region(..));
        if self.unquiet == 1 {
            self.stirs = false;
        }
        self.unquiet = if fence { 1 + self.stimulus.below(40) } else { self.unquiet.saturating_sub(1) };
        self.stirs |= seen.iter().any(removed);
        self.traces.extend(seen);
        taken
    }

    /// Until the offer is taken and answered.
    pub(super) fn finish(&mut self) -> Vec<Trace> {
        for _ in 0..900 {
            if self.tick() {
                self.block.command.valid.next = false;
                self.block.packet.valid.next = false;
            }
            let ends = |trace: &Trace| matches!(trace, Trace::Done(_) | Trace::Accepted | Trace::Refused);
            if self.traces.last().is_some_and(ends) {
                self.tick();
                self.tick();
                return std::mem::take(&mut self.traces);
            }
        }
        panic!("no answer");
    }

    pub(super) fn command(&mut self, operation: u64, index: u64, body: &[u64]) -> Vec<Trace> {
        let mut limbs = [0; 7];
        HostCommand::OPERATION.put(&mut limbs, operation);
        HostCommand::INDEX.put(&mut limbs, index);
        for (i, limb) in body.iter().enumerate() {
            HostCommand::BODY.part(64 * i, 64).put(&mut limbs, *limb);
        }
        self.block.command.data.next = HostCommand::from_slice(&limbs);
        self.block.command.valid.next = true;
        self.finish()
    }

    pub(super) fn create(&mut self, qp: &QpConfig, mac: MacAddr) -> Vec<Trace> {
        self.create_numbered(qp, mac, 0)
    }

    /// A queue pair at the place `qp.qpn`, by which its peer names it where `number` is 0.
    pub(super) fn create_numbered(&mut self, qp: &QpConfig, mac: MacAddr, number: u64) -> Vec<Trace> {
        let mut limbs = [0u64; 6];
        // what the manager must not believe
        QpContext::GENERATION.put(&mut limbs, 0x5a);
        QpContext::REMOTE_IP.put(&mut limbs, u32::from(qp.remote_ip).into());
        QpContext::REMOTE_MAC.put(&mut limbs, mac.number());
        QpContext::REMOTE_QPN.put(&mut limbs, qp.remote_qpn.into());
        QpContext::SOURCE_PORT.put(&mut limbs, qp.udp_port.into());
        QpContext::MTU.put(&mut limbs, mtu_code(qp.mtu));
        QpContext::INT_ON.put(&mut limbs, qp.int.into());
        QpContext::PAUSE_CLASS.put(&mut limbs, qp.priority.into());
        QpContext::SEND_PSN.put(&mut limbs, qp.send_psn.into());
        QpContext::EXPECTED_PSN.put(&mut limbs, qp.expected_psn.into());
        QpContext::LOCAL_QPN.put(&mut limbs, number);
        QpContext::LAW.put(&mut limbs, qp.law.unwrap_or_default().into());
        self.command(1, qp.qpn.into(), &limbs)
    }

    /// Bytes after UDP, at a time.
    pub(super) fn packet(&mut self, now: u64, source: Ipv4Addr, bytes: &[u8]) -> Vec<Trace> {
        self.block.now.next = U(now);
        self.tick();
        self.tick();
        let mut limbs = [0u64; 10];
        for (i, byte) in bytes.iter().take(70).enumerate() {
            let low = 8 * (69 - i);
            limbs[low / 64] |= u64::from(*byte) << (low % 64);
        }
        limbs[8] |= u64::from(u32::from(source)) << 48;
        limbs[9] |= u64::from(u32::from(source)) >> 16 | u64::from(bytes.len() == CONTROL_LEN) << 16;
        self.block.packet.data.next = ControlPacket::from_slice(&limbs);
        self.block.packet.valid.next = true;
        self.finish()
    }
}
