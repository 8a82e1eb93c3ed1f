//! What a peer, or whoever changes packets on their way, can do to a NIC's windows (HPCC++, draft-miao-ccwg-hpcc 9.1).

use super::bench::*;
use hpcc_models::cc::hpcc::{Hpcc, HpccParams};
use hpcc_models::cc::{CcEvent, CongestionControl, Update};
use hpcc_models::nic::*;
use hpcc_models::wire::*;
use proptest::prelude::*;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::rc::Rc;

/// The last window of each flow, bytes.
pub type Windows = Rc<RefCell<BTreeMap<u32, f64>>>;

/// HPCC, and the last window of each flow.
struct Watched {
    law: Hpcc,
    windows: Windows,
}

impl Watched {
    fn note(&self, update: Update) -> Update {
        self.windows.borrow_mut().insert(update.flow, update.window);
        update
    }
}

impl CongestionControl for Watched {
    fn name(&self) -> &'static str {
        "hpcc"
    }
    fn create(&mut self, flow: u32, generation: u8) -> Update {
        let first = self.law.create(flow, generation);
        self.note(first)
    }
    fn remove(&mut self, flow: u32) {
        self.law.remove(flow);
    }
    fn handle(&mut self, event: &CcEvent) -> Option<Update> {
        let update = self.law.handle(event)?;
        Some(self.note(update))
    }
}

const HONEST_IP: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 12);
pub const HONEST_QPN: u32 = 0x24;

/// A NIC with a queue pair to the peer that lies (`QPN`) and one to another (`HONEST_QPN`), both with data in flight.
fn two_peers(full: bool) -> (Nic<BlockMemory>, Windows, HpccParams) {
    two_peers_with(full, FeedbackConfig::default())
}

/// The same with other feedback than INT on each acknowledgement.
pub fn two_peers_with(full: bool, feedback: FeedbackConfig) -> (Nic<BlockMemory>, Windows, HpccParams) {
    let params = HpccParams::new(100_000_000_000, 13_000);
    let windows = Windows::default();
    let law = Watched {
        law: Hpcc::new(params.clone()).unwrap(),
        windows: windows.clone(),
    };
    let mut memory = BlockMemory::default();
    memory.add(BASE, (0..LEN).map(pattern).collect());
    let config = NicConfig {
        neighbours: [(PEER_IP, PEER_MAC), (HONEST_IP, MacAddr([2, 0, 0, 0, 0, 12]))].into(),
        echo_icrc_full: full,
        feedback,
        ..nic_config()
    };
    let mut nic = Nic::new(config, memory, Some(Box::new(law)));
    nic.add_region(Region {
        key: KEY,
        address: BASE,
        length: LEN as u64,
        remote_write: true,
        remote_read: true,
    });
    nic.create_qp(qp_config(0, true)).unwrap();
    let honest = QpConfig {
        int: true,
        mtu: MTU as u32,
        ..QpConfig::new(HONEST_QPN, 0x13, HONEST_IP)
    };
    nic.create_qp(honest).unwrap();
    for (id, qpn) in [(1, QPN), (2, HONEST_QPN)] {
        let work = WorkRequest {
            id,
            qpn,
            operation: Operation::Write,
            local_address: BASE,
            local_key: KEY,
            remote_address: BASE,
            remote_key: KEY,
            length: 16_000,
        };
        nic.post(0, work).unwrap();
    }
    for now in (0..3000).step_by(20) {
        nic.poll(now);
    }
    (nic, windows, params)
}

/// An acknowledgement of the peer that lies, as a frame.
pub fn echo(qpn: u32, psn: u32, opcode: Opcode, int: &[u8]) -> RocePacket<'_> {
    let aeth = AethRepr {
        syndrome: Syndrome::Ack(31),
        msn: 0,
    };
    RocePacket {
        ethernet: EthernetRepr::ipv4(PEER_MAC, OUR_MAC),
        ipv4: Ipv4Repr {
            tos: 104,
            ..Ipv4Repr::udp(PEER_IP, OUR_IP)
        },
        udp: UdpRepr::ports(0xc123, Ports::default().int_echo),
        int,
        bth: BthRepr::new(opcode, qpn, psn),
        extension: if opcode.has_aeth() {
            Extension::Aeth(aeth)
        } else {
            Extension::None
        },
        payload: &[],
    }
}

/// One hop's record in an INT stack, as on the wire.
pub fn stack(records: &[(u8, u32, u32, u16)], path_id: u16) -> Vec<u8> {
    let mut int = (((records.len() as u16) << 12) | (path_id & 0xfff))
        .to_be_bytes()
        .to_vec();
    for &(speed, ts, tx, q) in records {
        let word = u64::from(speed & 15) << 60
            | u64::from(ts & 0xff_ffff) << 36
            | u64::from(tx & 0xf_ffff) << 16
            | u64::from(q);
        int.extend_from_slice(&word.to_be_bytes());
    }
    int
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A peer that sends any stack under any PSN to any queue pair: windows of others do not move, its own stay within their range.
    #[test]
    fn a_lying_peer_moves_its_own_flow_only(
        lies in prop::collection::vec(
            (any::<bool>(), 0u32..80, any::<bool>(), prop::collection::vec((0u8..16, any::<u32>(), any::<u32>(), any::<u16>()), 0..6), 0u16..3),
            1..40,
        ),
    ) {
        let (mut nic, windows, params) = two_peers(false);
        let honest: Vec<u32> = windows.borrow().keys().copied().filter(|flow| flow / 2 == HONEST_QPN).collect();
        let before: Vec<f64> = honest.iter().map(|flow| windows.borrow()[flow]).collect();
        let mut now = 4000;
        for (own, psn, acknowledges, records, path) in lies {
            let qpn = if own { QPN } else { HONEST_QPN };
            let opcode = if acknowledges { Opcode::Acknowledge } else { Opcode::ReadEcho };
            let int = stack(&records, path);
            nic.receive(now, &echo(qpn, psn, opcode, &int).to_frame());
            now += 700;
            for window in windows.borrow().values() {
                prop_assert!((params.w_min()..=params.w_init).contains(window), "{window}");
            }
        }
        let after: Vec<f64> = honest.iter().map(|flow| windows.borrow()[flow]).collect();
        prop_assert!(!before.is_empty());
        prop_assert_eq!(before, after);
    }
}

/// With `echo_icrc_full` a bit that flips anywhere in an echo's INT drops the acknowledgement; without it, it passes.
#[test]
fn a_changed_stack_drops_the_acknowledgement() {
    let int = stack(&[(5, 1000, 200, 7), (7, 1100, 300, 9)], 0xbdf);
    for full in [false, true] {
        let good = echo(QPN, 3, Opcode::Acknowledge, &int);
        let bytes = if full {
            good.to_frame_with_int_covered()
        } else {
            good.to_frame()
        };
        let at = bytes.windows(int.len()).position(|w| w == &int[..]).unwrap();
        // The length of the stack stands in the first four bits: flipped, another check finds it first.
        for bit in 4..8 * int.len() {
            let (mut nic, _, _) = two_peers(full);
            let mut frame = bytes.clone();
            frame[at + bit / 8] ^= 0x80 >> (bit % 8);
            nic.receive(4000, &frame);
            assert_eq!(nic.counters().get(Counter::Icrc), u64::from(full), "bit {bit}");
        }
        let (mut nic, _, _) = two_peers(full);
        nic.receive(4000, &bytes);
        assert_eq!(nic.counters().get(Counter::Icrc), 0);
        // One end with the register, the other without: an ICRC error.
        let (mut other, _, _) = two_peers(!full);
        other.receive(4000, &bytes);
        assert_eq!(other.counters().get(Counter::Icrc), 1);
    }
}

/// What the NIC sends with the register set differs in its ICRC alone, and only where INT is echoed.
#[test]
fn only_echoes_are_covered() {
    let sent = |full: bool| {
        let (mut nic, _, _) = two_peers(full);
        let int = stack(&[(5, 1000, 200, 7)], 0x123);
        let write = RocePacket {
            udp: UdpRepr {
                dst_port: Ports::default().int_collect,
                ..echo(QPN, 0, Opcode::Acknowledge, &int).udp
            },
            bth: BthRepr::new(Opcode::Write(Position::Only), QPN, 0),
            extension: Extension::Reth(RethRepr {
                address: BASE,
                key: KEY,
                length: 4,
            }),
            payload: &[1, 2, 3, 4],
            ..echo(QPN, 0, Opcode::Acknowledge, &int)
        };
        nic.receive(4000, &write.to_frame());
        (4000..5000).flat_map(|now| nic.poll(now)).collect::<Vec<_>>()
    };
    let (plain, covered) = (sent(false), sent(true));
    assert_eq!(plain.len(), covered.len());
    let mut echoes = 0;
    for (a, b) in plain.iter().zip(&covered) {
        let packet = RocePacket::parse(a, &Ports::default()).unwrap();
        let front = a.len() - ICRC_LEN;
        assert_eq!(a[..front], b[..front]);
        let is_echo = packet.bth.opcode == Opcode::Acknowledge;
        echoes += usize::from(is_echo);
        assert_eq!(a[front..] != b[front..], is_echo);
    }
    assert_eq!(echoes, 1);
}

/// Whoever changes an echo on its way and knows how to make the ICRC right again still lacks the key.
#[test]
fn without_the_key_nothing_counts() {
    let key = [0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210];
    let keyed = || {
        let config = NicConfig {
            echo_keys: [(QPN, key)].into(),
            ..nic_config()
        };
        let mut nic = nic_with_memory(config, None);
        nic.create_qp(qp_config(0, true)).unwrap();
        nic
    };
    // What it sends carries the check.
    let int = stack(&[(5, 1000, 200, 7)], 0x123);
    let write = RocePacket {
        udp: UdpRepr {
            dst_port: Ports::default().int_collect,
            ..echo(QPN, 0, Opcode::Acknowledge, &int).udp
        },
        bth: BthRepr::new(Opcode::Write(Position::Only), QPN, 0),
        extension: Extension::Reth(RethRepr {
            address: BASE,
            key: KEY,
            length: 4,
        }),
        payload: &[1, 2, 3, 4],
        ..echo(QPN, 0, Opcode::Acknowledge, &int)
    };
    let mut nic = keyed();
    nic.receive(0, &write.to_frame());
    let frames: Vec<Vec<u8>> = (0..1000).flat_map(|now| nic.poll(now)).collect();
    let sent = RocePacket::parse(&frames[0], &Ports::default()).unwrap();
    assert_eq!((sent.bth.opcode, sent.int), (Opcode::Acknowledge, &int[..]));
    assert_eq!(sent.payload, echo_tag(key, &sent.bth, &sent.extension, &int));
    // What it takes has to.
    let honest = echo(QPN, 0, Opcode::Acknowledge, &int);
    let tag = echo_tag(key, &honest.bth, &honest.extension, &int);
    let dropped = |packet: &RocePacket| {
        let mut nic = keyed();
        nic.receive(0, &packet.to_frame());
        nic.counters().get(Counter::Icrc) == 1
    };
    assert!(!dropped(&RocePacket {
        payload: &tag,
        ..honest
    }));
    assert!(dropped(&honest));
    for bit in 4..8 * int.len() {
        let mut changed = int.clone();
        changed[bit / 8] ^= 0x80 >> (bit % 8);
        let lie = echo(QPN, 0, Opcode::Acknowledge, &changed);
        assert!(dropped(&RocePacket { payload: &tag, ..lie }), "bit {bit}");
    }
    let other = echo(QPN, 1, Opcode::Acknowledge, &int);
    assert!(dropped(&RocePacket { payload: &tag, ..other }), "another PSN");
}
