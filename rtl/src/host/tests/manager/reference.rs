//! The model of the NIC, and what the manager must send out for what it does.

use super::trace::*;
use crate::words::work::WorkRequest;
use hpcc_models::cc::dctcp::{Dctcp, DctcpParams};
use hpcc_models::nic::registers::QP_COUNT;
use hpcc_models::nic::{BlockMemory, ControlConfig, Counter, HostError, Nic, NicConfig, QpConfig};
use hpcc_models::wire::*;
use std::collections::BTreeMap;
use std::net::Ipv4Addr;

pub(super) fn expect_removal(qp: u64, generation: u64, law: u64) -> Vec<Trace> {
    let flows = [2 * qp, 2 * qp + 1];
    let mut list = vec![Trace::Dead(qp, generation), Trace::Remove(qp, generation)];
    list.extend(flows.map(|flow| Trace::Flow(false, flow, generation, None)));
    if law != 0 {
        list.extend(flows.map(|flow| Trace::Cc(false, law, flow, generation)));
    }
    list
}

pub(super) fn expect_creation(config: &QpConfig, mac: MacAddr, generation: u64) -> Vec<Trace> {
    let law = u64::from(config.law.unwrap_or_default());
    let (qp, mtu, priority) = (u64::from(config.qpn), mtu_code(config.mtu), u64::from(config.priority));
    let flows = [2 * qp, 2 * qp + 1];
    let flow = |flow, psn: u32, windowless, timerless| {
        Trace::Flow(
            true,
            flow,
            generation,
            Some((psn.into(), mtu, priority, windowless, timerless)),
        )
    };
    let mut list = vec![
        flow(2 * qp, config.send_psn, false, false),
        flow(2 * qp + 1, config.expected_psn, !config.int, true),
    ];
    match law {
        1.. => list.extend(flows.map(|flow| Trace::Cc(true, law, flow, generation))),
        0 => list.extend(flows.map(|flow| Trace::First(flow, generation, WINDOW, LINE_RATE))),
    }
    list.push(Trace::Context(
        qp,
        vec![
            1,
            generation,
            u32::from(config.remote_ip).into(),
            mac.number(),
            config.remote_qpn.into(),
            config.source_port().into(),
            mtu,
            config.int.into(),
            priority,
            config.send_psn.into(),
            config.expected_psn.into(),
            // the number of its place
            0,
            law,
            // domain 0, nothing refused
            0,
            0,
            0,
        ],
    ));
    list
}

fn frame(source: Ipv4Addr, body: &[u8]) -> Vec<u8> {
    let route = Route {
        dst_mac: OUR_MAC,
        src_mac: OUR_MAC,
        dst: OUR_IP,
        src: source,
    };
    udp_frame(route, 54793, body)
}

/// The model, and what the test knows of its queue pairs.
pub(super) struct Reference {
    pub(super) nic: Nic<BlockMemory>,
    /// Generation and law of those that exist.
    pub(super) alive: BTreeMap<u32, (u64, u64)>,
    pub(super) works: u64,
}

impl Reference {
    pub(super) fn new() -> Self {
        let config = NicConfig {
            mac: OUR_MAC,
            ip: OUR_IP,
            qp_count: QP_COUNT,
            neighbours: (0..3).map(peer).collect(),
            control: ControlConfig {
                enabled: true,
                key: KEY,
                sources: vec![SOURCE],
                interval_ns: 1000,
            },
            default_law: DEFAULT_LAW as u8,
            ..NicConfig::default()
        };
        let law = || Box::new(Dctcp::new(DctcpParams::new(100_000_000_000, 162_500.0, 1024)));
        let mut nic = Nic::new(config, BlockMemory::default(), Some(law()));
        nic.add_law(1, law());
        nic.add_law(2, law());
        Self {
            nic,
            alive: BTreeMap::new(),
            works: 0,
        }
    }

    pub(super) fn created(&mut self, config: &QpConfig, mac: MacAddr) -> Vec<Trace> {
        let generation = self.nic.generation(config.qpn).map_or(0, u64::from);
        self.alive
            .insert(config.qpn, (generation, config.law.unwrap_or_default().into()));
        expect_creation(config, mac, generation)
    }

    pub(super) fn removed(&mut self, qpn: u32) -> Vec<Trace> {
        let (generation, law) = self.alive.remove(&qpn).unwrap_or_default();
        expect_removal(qpn.into(), generation, law)
    }

    pub(super) fn create(&mut self, config: &QpConfig, mac: MacAddr) -> Vec<Trace> {
        if config.qpn >= QP_COUNT {
            return vec![Trace::Done(2)];
        }
        match self.nic.create_qp(config.clone()) {
            Ok(()) => [self.created(config, mac), vec![Trace::Done(0)]].concat(),
            Err(HostError::Field { field: "qpn", .. }) => vec![Trace::Done(2)],
            Err(HostError::Field { field: "law", .. }) => vec![Trace::Done(6)],
            Err(HostError::Field { .. }) => vec![Trace::Done(3)],
            Err(_) => vec![Trace::Done(4)],
        }
    }

    pub(super) fn remove(&mut self, qpn: u32) -> Vec<Trace> {
        match self.nic.remove_qp(0, qpn) {
            true => [self.removed(qpn), vec![Trace::Done(0)]].concat(),
            false => vec![Trace::Done(5)],
        }
    }

    pub(super) fn packet(&mut self, now: u64, source: Ipv4Addr, repr: &ControlRepr, bytes: &[u8]) -> Vec<Trace> {
        let before = self.nic.counters().get(Counter::ControlAccepted);
        let refused = self.nic.counters().get(Counter::ControlRefused);
        self.nic.receive(now, &frame(source, bytes));
        if self.nic.counters().get(Counter::ControlAccepted) == before {
            assert_eq!(self.nic.counters().get(Counter::ControlRefused), refused + 1);
            return vec![Trace::Refused];
        }
        if repr.operation == ControlOp::Remove {
            return [self.removed(repr.qpn), vec![Trace::Accepted]].concat();
        }
        let mac = self.nic.config().neighbours[&repr.remote_ip];
        let config = QpConfig {
            send_psn: repr.first_psn,
            expected_psn: repr.first_psn,
            int: true,
            law: Some(DEFAULT_LAW as u8),
            ..QpConfig::new(repr.qpn, repr.remote_qpn, repr.remote_ip)
        };
        let mut list = self.created(&config, mac);
        let mut limbs = [0u64; 5];
        WorkRequest::ID.put(&mut limbs, 1 << 63 | self.works);
        WorkRequest::QPN.put(&mut limbs, repr.qpn.into());
        WorkRequest::OPERATION.put(&mut limbs, (repr.operation == ControlOp::CreateRead).into());
        WorkRequest::LOCAL_ADDRESS.put(&mut limbs, repr.local_address);
        WorkRequest::LOCAL_KEY.put(&mut limbs, repr.local_key.into());
        WorkRequest::REMOTE_ADDRESS.put(&mut limbs, repr.remote_address);
        WorkRequest::REMOTE_KEY.put(&mut limbs, repr.remote_key.into());
        WorkRequest::LENGTH.put(&mut limbs, repr.length.into());
        self.works += 1;
        list.extend([Trace::Work(limbs.to_vec()), Trace::Accepted]);
        list
    }
}
