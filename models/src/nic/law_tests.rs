//! A queue pair's law: which one it gets, which are refused, and who hears of its events.

use crate::cc::{CcEvent, CongestionControl, Update};
use crate::nic::{BlockMemory, HostError, Nic, NicConfig, QpConfig};
use crate::wire::MacAddr;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};

/// What a law was told: its name's first letter, and the flow.
type Heard = Arc<Mutex<Vec<(char, u32)>>>;

/// A law that answers with its own number and writes down what it hears.
struct Witness {
    letter: char,
    window: f64,
    heard: Heard,
}

impl Witness {
    fn update(&self, flow: u32, generation: u8) -> Update {
        self.heard.lock().unwrap().push((self.letter, flow));
        Update {
            flow,
            generation,
            window: self.window,
            rate: self.window * 1e6,
        }
    }
}

impl CongestionControl for Witness {
    fn name(&self) -> &'static str {
        "witness"
    }
    fn create(&mut self, flow: u32, generation: u8) -> Update {
        self.update(flow, generation)
    }
    fn remove(&mut self, flow: u32) {
        self.heard
            .lock()
            .unwrap()
            .push((self.letter.to_ascii_uppercase(), flow));
    }
    fn handle(&mut self, event: &CcEvent) -> Option<Update> {
        Some(self.update(event.flow, event.generation))
    }
}

const PEER: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 2);

/// A NIC with HPCC and DCQCN, or what stands for them.
fn nic() -> (Nic<BlockMemory>, Heard) {
    let heard = Heard::default();
    let witness = |letter, window| {
        Box::new(Witness {
            letter,
            window,
            heard: heard.clone(),
        })
    };
    let config = NicConfig {
        neighbours: [(PEER, MacAddr::default())].into(),
        ..NicConfig::default()
    };
    let mut nic = Nic::new(config, BlockMemory::default(), Some(witness('h', 1000.0)));
    nic.add_law(2, witness('d', 2000.0));
    (nic, heard)
}

fn qp(qpn: u32, int: bool, law: Option<u8>) -> QpConfig {
    QpConfig {
        int,
        law,
        ..QpConfig::new(qpn, 5, PEER)
    }
}

#[test]
fn a_queue_pair_has_the_law_it_asks_for_or_the_default_with_int() {
    let (mut nic, _) = nic();
    let cases = [
        (true, None, 1),
        (true, Some(0), 0),
        (true, Some(1), 1),
        (true, Some(2), 2),
        (false, None, 0),
        (false, Some(0), 0),
        (false, Some(2), 2),
    ];
    for (qpn, (int, law, expected)) in (2..).zip(cases) {
        nic.create_qp(qp(qpn, int, law)).unwrap();
        assert_eq!(nic.law(qpn), Some(expected), "{int} {law:?}");
    }
}

#[test]
fn a_law_that_is_absent_or_lacks_its_int_is_refused() {
    let (mut nic, heard) = nic();
    for (int, law) in [(true, 3), (false, 1), (true, 4), (true, 7), (false, 3)] {
        let refused = HostError::Field { qpn: 9, field: "law" };
        assert_eq!(nic.create_qp(qp(9, int, Some(law))), Err(refused), "{int} {law}");
    }
    assert!(heard.lock().unwrap().is_empty() && nic.law(9).is_none());
    // with no law at all, INT alone asks for none
    let mut bare = Nic::new(nic.config().clone(), BlockMemory::default(), None);
    bare.create_qp(qp(9, true, None)).unwrap();
    assert_eq!(bare.law(9), Some(0));
}

#[test]
fn both_flows_of_a_queue_pair_are_its_laws_from_creation_to_removal() {
    let (mut nic, heard) = nic();
    nic.create_qp(qp(2, true, None)).unwrap();
    nic.create_qp(qp(3, false, Some(2))).unwrap();
    nic.create_qp(qp(4, false, None)).unwrap();
    nic.remove_qp(0, 3);
    nic.remove_qp(0, 4);
    nic.remove_qp(0, 2);
    let expected = [
        ('h', 4),
        ('h', 5),
        ('d', 6),
        ('d', 7),
        ('D', 6),
        ('D', 7),
        ('H', 4),
        ('H', 5),
    ];
    assert_eq!(*heard.lock().unwrap(), expected);
}

#[test]
fn events_reach_the_queue_pairs_law_alone_and_read_responses_without_int_get_no_window() {
    let (mut nic, heard) = nic();
    nic.create_qp(qp(2, true, None)).unwrap();
    nic.create_qp(qp(3, false, Some(2))).unwrap();
    nic.create_qp(qp(4, false, None)).unwrap();
    let pacers = |nic: &Nic<BlockMemory>, qpn: u32| {
        let qp = &nic.qps[&qpn];
        [qp.request_pacer, qp.response_pacer].map(|pacer| (pacer.window, pacer.rate_bps))
    };
    assert_eq!(pacers(&nic, 2), [(1000.0, 1e9), (1000.0, 1e9)]);
    assert_eq!(pacers(&nic, 3), [(2000.0, 2e9), (f64::INFINITY, 2e9)]);
    heard.lock().unwrap().clear();
    for qpn in 2..5 {
        nic.congestion_notification(100, qpn);
    }
    // Requests and READ responses of the queue pair alike: a notification does not say which of them was marked.
    assert_eq!(*heard.lock().unwrap(), [('h', 4), ('h', 5), ('d', 6), ('d', 7)]);
}
