//! Per-priority pause of the whole NIC in RTL: a paused queue pair waits, and no other notices.

use hpcc_models::nic::Status;
use hpcc_models::wire::{wire_occupancy, Ports, RocePacket};
use hpcc_testbench::nic::link_config::{LinkOperation, LinkSpec};
use hpcc_testbench::nic::link_nics::{SOURCE, TARGET};
use hpcc_testbench::nic::{Device, ModelNic, RtlNic};
use hpcc_testbench::verilated::Model;

const STEP_NS: u64 = 500;
const DELAY_NS: u64 = 1000;
/// First priority-3 queue pair and the other one.
const PAUSED_QP: u32 = 2;

#[derive(Default)]
struct Seen {
    /// Time and wire bytes of data frames, paused queue pair first.
    frames: [Vec<(u64, usize)>; 2],
    psns: [Vec<u32>; 2],
}

/// Two queue pairs write as fast as the line lets them, priority 3 and priority 0. Priority 3 is paused for 400 us, many timeouts
/// long, with one retry allowed.
#[test]
fn a_paused_priority_waits_and_no_other_notices() {
    let spec = LinkSpec {
        op: LinkOperation::Write,
        mtu: 1024,
        bytes: 1_500_000,
        messages: 8,
        qps: 2,
        retry_timeout_us: 30.0,
        retry_limit: 1,
        pcap: false,
        ..LinkSpec::default()
    };
    let mut setups = [spec.setup(0), spec.setup(1)];
    for setup in &mut setups {
        setup.qps[0].priority = 3;
    }
    let mut sender = RtlNic::<Model>::create(&setups[0]).unwrap();
    let mut receiver = ModelNic::create(&setups[1]).unwrap();
    let base = sender.now_ns();
    setups[0].work.iter().for_each(|work| sender.post(work.work));
    let (from, to) = (base + 20_000, base + 420_000);
    let (mut now, mut done, mut seen) = (base, Vec::new(), Seen::default());
    while done.len() < setups[0].work.len() && now < base + 3_000_000 {
        sender.set_pause(if (from..to).contains(&now) { 1 << 3 } else { 0 });
        now += STEP_NS;
        sender.advance(now).unwrap();
        receiver.advance(now).unwrap();
        for frame in sender.take_sent() {
            let packet = RocePacket::parse(&frame.bytes, &Ports::default()).unwrap();
            let which = usize::from(packet.bth.dest_qp != PAUSED_QP);
            let bytes = wire_occupancy(frame.bytes.len());
            seen.frames[which].push((frame.t_ns, bytes as usize));
            seen.psns[which].push(packet.bth.psn);
            receiver.offer(frame.t_ns + bytes as u64 * 8 / 100 + DELAY_NS, frame.bytes);
        }
        for frame in receiver.take_sent() {
            sender.offer(
                frame.t_ns + wire_occupancy(frame.bytes.len()) as u64 * 8 / 100 + DELAY_NS,
                frame.bytes,
            );
        }
        done.extend(sender.take_completions());
    }
    assert_eq!(done.len(), 8);
    assert!(done.iter().all(|done| done.status == Status::Ok), "{done:?}");
    let length = (spec.bytes * spec.messages) as usize;
    assert!(sender.memory(SOURCE).unwrap()[..length] == receiver.memory(TARGET).unwrap()[..length]);
    let counters = sender.counters().unwrap();
    for name in ["timeouts", "retransmitted"] {
        let known = counters.iter().find(|(known, _)| known.contains(name));
        assert!(known.is_none_or(|(_, count)| *count == 0), "{known:?}");
    }
    // nothing repeated, nothing out of order
    for psns in &seen.psns {
        assert!(psns.windows(2).all(|pair| pair[1] == (pair[0] + 1) & 0xff_ffff));
    }
    let within = |frames: &[(u64, usize)], from: u64, to: u64| -> usize {
        let inside = frames.iter().filter(|(at, _)| (from..to).contains(at));
        inside.map(|(_, bytes)| bytes).sum()
    };
    let after_pause = within(&seen.frames[0], from, to);
    let last = seen.frames[0]
        .iter()
        .filter(|(at, _)| (from..to).contains(at))
        .map(|(at, _)| at - from)
        .max();
    println!("after the pause began {after_pause} bytes of its priority left, the last one {last:?} ns later");
    assert!(
        after_pause <= 80_000 && last < Some(15_000),
        "{after_pause} bytes, {last:?} ns"
    );
    let share = within(&seen.frames[1], from + 20_000, to) as f64 * 8.0 / 100.0 / (to - from - 20_000) as f64;
    println!("the other priority had {:.1} % of the line", 100.0 * share);
    assert!(share > 0.97, "{share}");
    assert!(within(&seen.frames[0], to, to + 100_000) > 300_000, "it goes on");
}
