//! Caps of flows and levels of groups: what an agent of the host sets, and what it is told.
//!
//! No flow sends faster than the least of its law's rate, its cap and the level of its group. The scheduler of the hardware does the
//! same bit by bit: [`crate::sched::limit`].

use super::completion::HostError;
use super::memory::Memory;
use super::nic::Nic;
use super::pacing::{Bound, GROUPS};
use super::qp::Qp;
use super::responder::Response;
use super::{request_flow, response_flow};
use crate::sched::limit::CapControl;

impl Qp {
    /// The rate of the requests is 0 although some could leave: a stop is no loss, as a pause is none.
    pub fn stopped(&self, nic: &super::NicConfig) -> bool {
        self.request_pacer.rate() <= 0.0 && self.requester.next(&self.limits(nic)).is_some()
    }
}

impl<M: Memory> Nic<M> {
    /// Writes the level of a group below [`GROUPS`], bits per second of wire bytes; `None` for no limit.
    pub fn set_level(&mut self, group: usize, rate_bps: Option<f64>) {
        let level = Bound::new(rate_bps, &self.cap_control);
        self.groups.levels[group] = level;
        for qp in self.qps.values_mut() {
            for pacer in [&mut qp.request_pacer, &mut qp.response_pacer] {
                if pacer.group == group {
                    pacer.level = level;
                }
            }
        }
    }

    /// Writes the cap of a flow, bits per second of wire bytes (`None` for no limit), and its group, below [`GROUPS`].
    pub fn set_cap(&mut self, flow: u32, rate_bps: Option<f64>, group: usize) -> Result<(), HostError> {
        let level = self.groups.levels[group];
        let qp = self.qps.get_mut(&(flow / 2)).ok_or(HostError::NoFlow(flow))?;
        let pacer = qp.pacer(flow);
        pacer.cap = Bound::new(rate_bps, &self.cap_control);
        (pacer.group, pacer.level) = (group, level);
        Ok(())
    }

    /// Writes `CAP_CONTROL`. `window` and `time_ns` count for caps and levels written later.
    pub fn set_cap_control(&mut self, control: CapControl) {
        self.cap_control = control;
        self.look(None);
    }

    /// Notes which flows rest (nothing to send, or a rate of 0). Under `CAP_CONTROL.dither` each that rested when last looked at and does
    /// not at `now_ps` waits a random part of a packet time.
    pub(super) fn awaken(&mut self, now_ps: u64) {
        if self.cap_control.dither {
            self.look(Some(now_ps));
        }
    }

    fn look(&mut self, now_ps: Option<u64>) {
        let overhead = self.config.format.overhead();
        for qp in self.qps.values_mut() {
            let bytes = u64::from(qp.config.mtu + overhead);
            let responds = matches!(qp.responder.front(), Some(Response::Read { .. }));
            for (pacer, works) in [
                (&mut qp.request_pacer, qp.requester.unsent()),
                (&mut qp.response_pacer, responds),
            ] {
                let rests = !works || pacer.rate() <= 0.0;
                if let Some(now_ps) = now_ps.filter(|_| pacer.rest && !rests) {
                    // Marsaglia's xorshift of 64 bits
                    self.random ^= self.random << 13;
                    self.random ^= self.random >> 7;
                    self.random ^= self.random << 17;
                    pacer.hold(now_ps, bytes, (self.random >> 48) as u16);
                }
                pacer.rest = rests;
            }
        }
    }

    /// Flows of each group with work: something unsent or unacknowledged; of READ responses of plain queue pairs, something unsent.
    pub fn active(&self) -> [u32; GROUPS] {
        let mut active = [0; GROUPS];
        for (qpn, qp) in &self.qps {
            let responds = matches!(qp.responder.front(), Some(Response::Read { .. }))
                || (qp.config.int && qp.responder.inflight > 0);
            for (flow, works) in [
                (request_flow(*qpn), qp.requester.queued() > 0),
                (response_flow(*qpn), responds),
            ] {
                let pacer = if flow == request_flow(*qpn) {
                    &qp.request_pacer
                } else {
                    &qp.response_pacer
                };
                active[pacer.group] += u32::from(works);
            }
        }
        active
    }

    /// Bytes that the flows of each group have sent on the wire, packets with preamble and gap.
    pub fn sent(&self) -> [u64; GROUPS] {
        self.groups.sent
    }
}

#[cfg(test)]
mod tests {
    use super::super::*;
    use super::CapControl;
    use crate::sched::registers::FULL_OVERHEAD;

    fn nic() -> Nic<BlockMemory> {
        let peer = std::net::Ipv4Addr::new(10, 0, 0, 2);
        let config = NicConfig {
            neighbours: [(peer, crate::wire::MacAddr([2, 0, 0, 0, 0, 2]))].into(),
            window: 1e7,
            ..NicConfig::default()
        };
        let mut memory = BlockMemory::default();
        memory.add(0, vec![7; 1 << 20]);
        let mut nic = Nic::new(config, memory, None);
        nic.add_region(Region {
            key: 1,
            address: 0,
            length: 1 << 20,
            remote_write: false,
            remote_read: false,
        });
        for qpn in [2, 3] {
            nic.create_qp(QpConfig::new(qpn, qpn, peer)).expect("a queue pair");
            let work = WorkRequest {
                id: qpn.into(),
                qpn,
                operation: Operation::Write,
                local_address: 0,
                local_key: 1,
                remote_address: 0,
                remote_key: 1,
                length: 1 << 20,
            };
            nic.post(0, work).expect("room in the queue");
        }
        nic
    }

    /// Wire bytes of the groups in a time, ns.
    fn run(nic: &mut Nic<BlockMemory>, from: u64, ns: u64) -> [u64; GROUPS] {
        let before = nic.sent();
        for now in (from..from + ns).step_by(20) {
            nic.poll(now);
        }
        std::array::from_fn(|group| nic.sent()[group] - before[group])
    }

    #[test]
    fn the_least_of_cap_and_level_paces() {
        let mut nic = nic();
        assert_eq!(nic.active()[..2], [2, 0]);
        nic.set_cap(request_flow(3), Some(8e9), 1).expect("a flow");
        nic.set_level(0, Some(4e9));
        assert_eq!(nic.active()[..2], [1, 1]);
        let sent = run(&mut nic, 0, 200_000);
        assert!(
            sent[0].abs_diff(100_000) < 2500 && sent[1].abs_diff(200_000) < 2500,
            "{sent:?}"
        );
        nic.set_level(1, Some(0.0));
        assert_eq!(run(&mut nic, 200_000, 100_000)[1], 0);
        nic.set_level(1, None);
        let sent = run(&mut nic, 300_000, 100_000);
        assert!(sent[1].abs_diff(100_000) < 2500, "{sent:?}");
        assert_eq!(nic.set_cap(request_flow(9), None, 0), Err(HostError::NoFlow(18)));
    }

    /// A limit's window is its rate times the time; flows without one and limits written before keep theirs.
    #[test]
    fn a_limit_bounds_the_window_if_asked() {
        let control = |window| CapControl {
            window,
            dither: false,
            time_ns: 5000,
        };
        let mut nic = nic();
        nic.set_cap_control(control(true));
        // 8 Gb/s for 5 us are 5000 bytes: five packets of 1024 bytes, as 4096 are less than that
        nic.set_cap(request_flow(2), Some(8e9), 0).expect("a flow");
        nic.set_level(1, Some(0.8e9));
        nic.set_cap(request_flow(3), None, 1).expect("a flow");
        run(&mut nic, 0, 90_000);
        let in_flight =
            |nic: &Nic<BlockMemory>, qpn: u32| nic.qps[&qpn].requester.nxt() - nic.qps[&qpn].requester.una();
        assert_eq!((in_flight(&nic, 2), in_flight(&nic, 3)), (5, 1));
        nic.set_cap_control(control(false));
        run(&mut nic, 90_000, 20_000);
        assert_eq!(in_flight(&nic, 2), 5, "limits written before keep their windows");
        nic.set_level(1, Some(0.8e9));
        run(&mut nic, 110_000, 90_000);
        assert_eq!((in_flight(&nic, 2), in_flight(&nic, 3) > 5), (5, true));
    }

    /// First packets of flows that get work wait parts of a packet time that are uniform; nobody loses rate by it.
    #[test]
    fn dither_spreads_first_packets() {
        let packet_ns = f64::from(1024 + FULL_OVERHEAD);
        let mut waits = Vec::new();
        let mut nic = nic();
        nic.set_cap_control(CapControl {
            dither: true,
            ..CapControl::default()
        });
        for at in (0..200).map(|round| round * 100_000) {
            // a rate that rises from 0
            nic.set_level(0, Some(0.0));
            nic.poll(at);
            nic.set_level(0, Some(8e9));
            let sent = nic.sent()[0];
            nic.poll(at + 20);
            let first = (at + 20..).find(|now| {
                nic.poll(*now);
                nic.sent()[0] > sent
            });
            waits.push((first.expect("a packet") - at - 20) as f64 / packet_ns);
        }
        waits.sort_by(f64::total_cmp);
        let far = waits
            .iter()
            .enumerate()
            .map(|(i, wait)| (wait - (i as f64 + 0.5) / 200.0).abs());
        let far = far.fold(0.0, f64::max);
        // two flows: the first of two uniform numbers
        let first_of_two = |i: usize| 1.0 - (1.0 - (i as f64 + 0.5) / 200.0).sqrt();
        let close = waits
            .iter()
            .enumerate()
            .map(|(i, wait)| (wait - first_of_two(i)).abs())
            .fold(0.0, f64::max);
        assert!(
            close < 1.63 / 200f64.sqrt() && far > close,
            "Kolmogorov and Smirnov, 1 %: {close}, {far}"
        );
        let before = nic.sent()[0];
        run(&mut nic, 20_000_000, 200_000);
        assert!((nic.sent()[0] - before).abs_diff(400_000) < 5000);
    }

    #[test]
    fn a_stopped_flow_does_not_time_out() {
        let mut nic = nic();
        nic.set_level(0, Some(0.0));
        run(&mut nic, 0, 20_000_000 / 10);
        assert!(nic.poll(1_000_000_000).is_empty());
        assert_eq!(nic.counters().get(Counter::Timeouts), 0);
    }
}
