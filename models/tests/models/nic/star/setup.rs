//! The NICs of the network, their queue pairs, laws and messages.

use super::super::bench::{pattern, Watched};
use super::{Faults, Port, Star, BASE, GBPS, KEY};
use hpcc_models::cc::hpcc::{Hpcc, HpccParams};
use hpcc_models::cc::{CcEvent, CongestionControl, Update};
use hpcc_models::nic::*;
use hpcc_models::wire::MacAddr;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::rc::Rc;

pub const T_NS: u32 = 9_000;
const MTU: u32 = 1024;

/// Time, flow, INT was valid, window after it.
pub type Heard = Rc<RefCell<Vec<(u64, u32, bool, Option<f64>)>>>;

/// HPCC that writes down what it hears.
fn watched(n_aware: bool, heard: &Heard) -> Box<dyn CongestionControl> {
    let heard = heard.clone();
    Box::new(Watched {
        law: Hpcc::new(params(n_aware)).unwrap(),
        hear: move |event: &CcEvent, update: Option<Update>| {
            let window = update.map(|update| update.window);
            heard
                .borrow_mut()
                .push((event.now, event.flow, event.int_valid, window));
        },
    })
}

pub fn params(n_aware: bool) -> HpccParams {
    HpccParams {
        n_aware,
        ..HpccParams::new(GBPS * 1_000_000_000, T_NS)
    }
}

/// Registers with this feedback.
pub fn registers(feedback: FeedbackConfig) -> NicConfig {
    NicConfig {
        mtu: MTU,
        retry_timeout_ns: 400_000,
        retry_limit: 200,
        feedback: FeedbackConfig {
            round_trip_ns: T_NS,
            ..feedback
        },
        ..NicConfig::default()
    }
}

pub fn ip(node: usize) -> Ipv4Addr {
    Ipv4Addr::new(10, 0, 0, node as u8 + 1)
}

pub fn mac(node: usize) -> MacAddr {
    MacAddr([2, 0, 0, 0, 0, node as u8 + 1])
}

impl Star {
    /// So many senders of `bytes` each, links of `delay_ns`, all NICs with registers `config`.
    pub fn new(senders: usize, bytes: u64, delay_ns: u64, config: &NicConfig, faults: Faults) -> Self {
        let heard = Heard::default();
        let receiver = senders;
        let qpn = |sender: usize| sender as u32 + 2;
        let nics = (0..=senders).map(|node| {
            let config = NicConfig {
                mac: mac(node),
                ip: ip(node),
                neighbours: (0..=senders).map(|other| (ip(other), mac(other))).collect(),
                window: params(false).w_init,
                ..config.clone()
            };
            let mut memory = BlockMemory::default();
            let size = bytes * if node == receiver { senders as u64 } else { 1 };
            let byte = |i: usize| if node == receiver { 0 } else { pattern(i + node) };
            memory.add(BASE, (0..size as usize).map(byte).collect());
            let n_aware = config.feedback.count_flows;
            let mut nic = Nic::new(config, memory, Some(watched(n_aware, &heard)));
            let at_receiver = heard.clone();
            nic.set_receiver_law(Box::new(move |_: &QpConfig| Some(watched(n_aware, &at_receiver))));
            nic.add_region(Region {
                key: KEY,
                address: BASE,
                length: size,
                remote_write: true,
                remote_read: true,
            });
            let peers: Vec<usize> = if node == receiver {
                (0..senders).collect()
            } else {
                vec![receiver]
            };
            for peer in peers {
                let qpn = qpn(node.min(peer));
                nic.create_qp(QpConfig {
                    send_psn: 0xff_ff00,
                    expected_psn: 0xff_ff00,
                    int: true,
                    mtu: MTU,
                    ..QpConfig::new(qpn, qpn, ip(peer))
                })
                .unwrap();
            }
            nic
        });
        let mut star = Self {
            nics: nics.collect(),
            heard,
            sent: BTreeMap::new(),
            lost: 0,
            deepest: 0,
            ports: (0..=senders).map(|_| Port::default()).collect(),
            events: BTreeMap::new(),
            sequence: 0,
            faults,
            rng: ChaCha8Rng::seed_from_u64(faults.seed),
            delay_ns,
            format: config.format.encapsulation,
            bytes,
            now: 0,
        };
        for sender in 0..senders {
            let work = WorkRequest {
                id: 1,
                qpn: qpn(sender),
                operation: Operation::Write,
                local_address: BASE,
                local_key: KEY,
                remote_address: BASE + bytes * sender as u64,
                remote_key: KEY,
                length: bytes,
            };
            star.nics[sender].post(0, work).unwrap();
        }
        star
    }
}
