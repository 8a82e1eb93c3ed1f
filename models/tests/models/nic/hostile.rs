//! A peer that sends whatever it likes at whatever time, with a right ICRC, while another one's message arrives: in every way to collect INT and to bring
//! it back.

use super::modes::modes;
use super::star::*;
use hpcc_models::wire::*;
use proptest::prelude::*;
use Opcode::{Acknowledge, Notification, NotificationAck, Probe, ProbeResponse, ReadEcho};

/// The peer that lies, the other sender, and the receiver of both.
const LIAR: usize = 1;
const HONEST: usize = 0;
const RECEIVER: usize = 2;

/// A frame of the liar: when, to whom, and what it says.
#[derive(Clone, Debug)]
struct Lie {
    at: u64,
    to_receiver: bool,
    opcode: usize,
    /// The honest sender's queue pair, the liar's own, one of nobody.
    qpn: u32,
    psn: u32,
    syndrome: u8,
    records: Vec<u64>,
    payload: Vec<u8>,
}

fn lies() -> impl Strategy<Value = Vec<Lie>> {
    let psn = prop_oneof![0xff_ff00u32..0x100_0000, 0u32..100, 0u32..0x100_0000];
    let lie = (
        (0u64..40_000, any::<bool>(), 0..6usize, 2u32..5),
        (psn, any::<u8>(), prop::collection::vec(any::<u64>(), 0..6)),
        prop::collection::vec(any::<u8>(), 0..40),
    );
    let lie = lie.prop_map(
        |((at, to_receiver, opcode, qpn), (psn, syndrome, records), payload)| Lie {
            at,
            to_receiver,
            opcode,
            qpn,
            psn,
            syndrome,
            records,
            payload,
        },
    );
    prop::collection::vec(lie, 1..60)
}

fn frame(lie: &Lie) -> Vec<u8> {
    let opcode = [
        Acknowledge,
        ReadEcho,
        Probe,
        ProbeResponse,
        Notification,
        NotificationAck,
    ][lie.opcode];
    let aeth = AethRepr {
        syndrome: Syndrome::parse(lie.syndrome),
        msn: lie.psn,
    };
    let mut int = ((lie.records.len() as u16) << 12 | 0x123).to_be_bytes().to_vec();
    int.extend(lie.records.iter().flat_map(|record| record.to_be_bytes()));
    let to = if lie.to_receiver { RECEIVER } else { HONEST };
    let ports = Ports::default();
    let role = opcode.port_role(true).unwrap();
    RocePacket {
        ethernet: EthernetRepr::ipv4(mac(LIAR), mac(to)),
        ipv4: Ipv4Repr::udp(ip(LIAR), ip(to)),
        udp: UdpRepr::ports(0xc123, ports.number(role)),
        int: &int,
        bth: BthRepr::new(opcode, lie.qpn, lie.psn),
        extension: if opcode.has_aeth() {
            Extension::Aeth(aeth)
        } else {
            Extension::None
        },
        payload: if opcode == Notification { &lie.payload } else { &[] },
    }
    .to_frame()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// The honest sender's message arrives, byte for byte, and every window of every law stays within its range.
    #[test]
    fn nobody_else_is_harmed(mode in 0..17usize, lies in lies()) {
        let (name, config) = modes().remove(mode);
        let mut star = Star::new(2, 60_000, 1000, &config, NONE);
        for lie in &lies {
            let to = if lie.to_receiver { RECEIVER } else { HONEST };
            star.inject(lie.at, to, frame(lie));
        }
        prop_assert!(star.run(400_000_000), "{}", name);
        star.completed_of(HONEST);
        let params = params(config.feedback.count_flows);
        for (_, _, _, window) in star.heard.borrow().iter() {
            if let Some(window) = window {
                prop_assert!((params.w_min()..=params.w_init).contains(window), "{}: {}", name, window);
            }
        }
    }
}
