//! Caps of flows and levels of groups: what an agent of the host sets, and what it is told.
//!
//! No flow sends faster than the least of its law's rate, its cap and the level of its group. The scheduler of the hardware does the
//! same bit by bit: [`crate::sched::limit`].

use super::completion::HostError;
use super::memory::Memory;
use super::nic::{Nic, Qp};
use super::pacing::GROUPS;
use super::responder::Response;
use super::{request_flow, response_flow};

impl Qp {
    /// The rate of the requests is 0 although some could leave: a stop is no loss, as a pause is none.
    pub fn stopped(&self, nic: &super::NicConfig) -> bool {
        self.request_pacer.rate() <= 0.0 && self.requester.next(&self.limits(nic)).is_some()
    }
}

impl<M: Memory> Nic<M> {
    /// Writes the level of a group below [`GROUPS`], bits per second of wire bytes; `None` for no limit.
    pub fn set_level(&mut self, group: usize, rate_bps: Option<f64>) {
        self.groups.level_bps[group] = rate_bps.unwrap_or(f64::INFINITY);
        for qp in self.qps.values_mut() {
            for pacer in [&mut qp.request_pacer, &mut qp.response_pacer] {
                if pacer.group == group {
                    pacer.level_bps = self.groups.level_bps[group];
                }
            }
        }
    }

    /// Writes the cap of a flow, bits per second of wire bytes (`None` for no limit), and its group, below [`GROUPS`].
    pub fn set_cap(&mut self, flow: u32, rate_bps: Option<f64>, group: usize) -> Result<(), HostError> {
        let level = self.groups.level(group);
        let qp = self.qps.get_mut(&(flow / 2)).ok_or(HostError::NoFlow(flow))?;
        let pacer = qp.pacer(flow);
        pacer.cap_bps = rate_bps.unwrap_or(f64::INFINITY);
        (pacer.group, pacer.level_bps) = (group, level);
        Ok(())
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

    #[test]
    fn a_stopped_flow_does_not_time_out() {
        let mut nic = nic();
        nic.set_level(0, Some(0.0));
        run(&mut nic, 0, 20_000_000 / 10);
        assert!(nic.poll(1_000_000_000).is_empty());
        assert_eq!(nic.counters().get(Counter::Timeouts), 0);
    }
}
