//! Marks of switches: what is sent as capable of them, and the congestion notification packets that answer them.

use super::peer::*;
use hpcc_models::nic::Counter;
use hpcc_models::wire::*;
use hpcc_testbench::config::NicSetup;
use std::net::Ipv4Addr;

/// A queue pair without INT and one with it.
const PLAIN: usize = 0;
const INT: usize = 1;
/// Longer than the reset value of the interval between two notifications, ns.
const INTERVAL: u64 = 51_000;

fn mark(packet: &mut RocePacket) {
    packet.ipv4.tos |= ECN_CE;
    packet.bth.ack_req = true;
}

/// A WRITE of one packet that a switch has marked.
fn marked_write(qp: usize, psn: u32) -> Vec<u8> {
    let header = reth(WRITE_KEY, WRITE_AT, 5);
    altered(qp, Opcode::Write(Position::Only), psn, header, &[7; 5], mark)
}

fn aeth(msn: u32) -> AethRepr {
    let syndrome = Syndrome::parse(SYNDROME_ACK);
    AethRepr { syndrome, msn }
}

fn marked_response(qp: usize, psn: u32, payload: &[u8]) -> Vec<u8> {
    let opcode = Opcode::ReadResponse(Position::Only);
    altered(qp, opcode, psn, Extension::Aeth(aeth(2)), payload, |packet| {
        packet.ipv4.tos |= ECN_CE
    })
}

/// Inputs after which notifications of a queue pair left.
fn notified(outcome: &Outcome, qp: usize) -> Vec<usize> {
    let sent = outcome.sent.get(&(REMOTE + qpn(qp))).map_or(&[][..], Vec::as_slice);
    let opcode = |frame: &[u8]| RocePacket::parse(frame, &Ports::default()).unwrap().bth.opcode;
    let cnps = sent.iter().filter(|(_, frame)| opcode(frame) == Opcode::Cnp);
    cnps.map(|(at, _)| *at).collect()
}

#[test]
fn a_marked_packet_is_answered_once_in_an_interval() {
    for qp in [PLAIN, INT] {
        let mut script: Vec<Input> = (0..4).map(|psn| Input::Frame(marked_write(qp, psn))).collect();
        script.push(Input::Wait(INTERVAL));
        script.extend((4..6).map(|psn| Input::Frame(marked_write(qp, psn))));
        let outcome = agreed("interval", &setup(), &script);
        assert_eq!(notified(&outcome, qp), [0, 5]);
        assert_eq!(outcome.brief(qp)[..3], ["Cnp +4 16", "ack +0 msn 1", "ack +1 msn 2"]);
        assert_eq!(
            (outcome.count(Counter::CePackets), outcome.count(Counter::CnpsSent)),
            (6, 2)
        );
    }
}

/// The example of the design, made from RoCEv2's annex by hand: every byte, checksum and ICRC included.
#[test]
fn the_notification_is_the_worked_example() {
    let (own, peer) = (Ipv4Addr::new(10, 0, 0, 11), Ipv4Addr::new(10, 0, 0, 10));
    let mut setup = setup();
    setup.nic.ip = own;
    setup.nic.neighbours = [(peer, PEER_MAC)].into();
    setup.qps.truncate(1);
    setup.qps[0].remote_ip = peer;
    setup.qps[0].remote_qpn = 0x22;
    setup.qps[0].udp_port = 0xc123;
    let header = reth(WRITE_KEY, WRITE_AT, 5);
    let frame = altered(PLAIN, Opcode::Write(Position::Only), 0, header, &[7; 5], |packet| {
        mark(packet);
        (packet.ipv4.src, packet.ipv4.dst) = (peer, own);
    });
    let outcome = agreed("example", &setup, &[Input::Frame(frame)]);
    let mut ip = vec![
        0x45, 0xc0, 0x00, 0x3c, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11, 0, 0, 10, 0, 0, 11, 10, 0, 0, 10,
    ];
    let checksum = internet_checksum(&ip);
    ip[10..12].copy_from_slice(&checksum.to_be_bytes());
    ip.extend([0xc1, 0x23, 0x12, 0xb7, 0x00, 0x28, 0x00, 0x00]);
    ip.extend([0x81, 0x00, 0xff, 0xff, 0x40, 0x00, 0x00, 0x22, 0, 0, 0, 0]);
    ip.extend([0; 16]);
    ip.extend([0x25, 0x2c, 0x22, 0xfa]);
    let (_, sent) = &outcome.sent[&0x22][0];
    assert_eq!(sent[14..], ip);
    assert_eq!(sent.len(), 74);
    // and what scapy makes of the same numbers
    let mut scapy = hpcc_testbench::tools::scapy().unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scapy/cnp.py");
    let output = scapy
        .args([script, &own.to_string(), &peer.to_string(), "49443", "34"])
        .output()
        .unwrap();
    let made = String::from_utf8_lossy(&output.stdout);
    let ours: String = ip.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(made.trim(), ours, "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn requests_and_read_responses_are_told_apart_and_any_accepted_packet_counts() {
    let mut damaged = marked_write(PLAIN, 0);
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    let marked_ack = altered(PLAIN, Opcode::Acknowledge, 0, Extension::Aeth(aeth(1)), &[], mark);
    let script = [
        // neither a wrong ICRC nor an answer asks for anything
        Input::Frame(damaged),
        Input::Frame(marked_ack),
        // out of order
        Input::Frame(marked_write(PLAIN, 9)),
        Input::Wait(INTERVAL),
        Input::Frame(write_only(PLAIN, 0, WRITE_KEY, WRITE_AT, &[1; 5])),
        // a duplicate
        Input::Frame(marked_write(PLAIN, 0)),
        work(1, PLAIN, hpcc_models::nic::Operation::Read, 100, 40),
        // in the same interval, of the other kind
        Input::Frame(marked_response(PLAIN, 0, &[9; 40])),
    ];
    let outcome = agreed("kinds", &setup(), &script);
    assert_eq!(notified(&outcome, PLAIN), [2, 5, 7]);
    assert_eq!(outcome.count(Counter::CePackets), 3);
}

#[test]
fn registers_switch_notifications_off_and_let_every_mark_be_answered() {
    let script: Vec<Input> = (0..4).map(|psn| Input::Frame(marked_write(PLAIN, psn))).collect();
    let run = |change: &dyn Fn(&mut NicSetup)| {
        let mut setup = setup();
        change(&mut setup);
        let outcome = agreed("registers", &setup, &script);
        assert_eq!(outcome.count(Counter::CePackets), 4);
        outcome
    };
    assert!(notified(&run(&|setup| setup.nic.cnp.enabled = false), PLAIN).is_empty());
    assert_eq!(notified(&run(&|setup| setup.nic.cnp.interval = 0), PLAIN), [0, 1, 2, 3]);
    let outcome = run(&|setup| setup.nic.cnp.dscp = 46);
    let (_, first) = &outcome.sent[&(REMOTE + qpn(PLAIN))][0];
    assert_eq!(first[15], 46 << 2);
}

/// Pause of the acknowledgements' priority holds notifications too; those that become due meanwhile are one.
#[test]
fn pause_holds_one_notification() {
    let mut setup = setup();
    (setup.nic.ack_pause, setup.nic.cnp.interval) = (true, 1);
    let class = 1 << setup.nic.ack_priority;
    let mut script = vec![Input::Pause(class)];
    script.extend((0..6).map(|psn| Input::Frame(marked_write(PLAIN, psn))));
    script.push(Input::Pause(0));
    // which acknowledgements the hardware has begun before the pause ends is its own affair
    let (model, rtl) = both(&setup, &script);
    for outcome in [model, rtl] {
        assert_eq!(notified(&outcome, PLAIN), [7]);
        assert_eq!(outcome.count(Counter::CePackets), 6);
    }
}

/// Requests and READ responses without INT say what the register says, everything else that it cannot be marked.
#[test]
fn only_data_without_int_is_sent_as_capable() {
    let mut setup = setup();
    setup.nic.ecn = 2;
    let mut script = Vec::new();
    for qp in [PLAIN, INT] {
        script.push(work(1, qp, hpcc_models::nic::Operation::Write, 0, 600));
        script.push(work(2, qp, hpcc_models::nic::Operation::Read, 0, 100));
        script.push(Input::Frame(read(qp, 0, READ_KEY, READ_AT, 300)));
        script.push(Input::Frame(marked_write(qp, 2)));
    }
    let outcome = agreed("capable", &setup, &script);
    for qp in [PLAIN, INT] {
        let mut kinds = std::collections::BTreeSet::new();
        for (_, frame) in &outcome.sent[&(REMOTE + qpn(qp))] {
            let packet = RocePacket::parse(frame, &Ports::default()).unwrap();
            let opcode = packet.bth.opcode;
            let data = opcode.is_request() || matches!(opcode, Opcode::ReadResponse(_));
            let expected = if data && !is_int(qp) { 2 } else { 0 };
            assert_eq!(packet.ipv4.tos & 3, expected, "{}", brief(frame));
            kinds.insert(opcode);
        }
        assert!(kinds.len() >= 6, "{kinds:?}");
    }
}
