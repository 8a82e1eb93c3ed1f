//! One run's telemetry in every format: the law makes the same windows of it, within what the formats round.

use super::ifa::IfaHop;
use super::int_md::IntMdHop;
use super::ioam::{IoamNode, Trace};
use super::*;
use crate::cc::hpcc::{Hpcc, HpccParams};
use crate::cc::{CcEvent, CongestionControl, HopRecord};
use proptest::prelude::*;

/// A switch port as it is: 64-bit counters.
#[derive(Clone, Copy, Debug)]
struct Port {
    device: u32,
    egress: u16,
    speed: u8,
    sent: u64,
    queue: u64,
}

const FORMATS: [&str; 5] = ["fig7", "ifa", "ioam", "ioam-incremental", "int-md"];

/// A plain WRITE packet from IP to ICRC.
fn plain() -> Vec<u8> {
    let mut packet = vec![0u8; 20 + 8 + 12 + 4 + 4];
    let total = packet.len() as u16;
    packet[0] = 0x45;
    packet[2..4].copy_from_slice(&total.to_be_bytes());
    packet[9] = PROTOCOL_UDP;
    packet[24..26].copy_from_slice(&(total - 20).to_be_bytes());
    packet
}

/// A packet that passes `ports` at `ns`, and what its receiver makes of it.
fn collected(format: &str, hops: &[Port], ns: u64) -> IntStack {
    let numbers = TelemetryPorts::default();
    const MTU: usize = 4096;
    let mut fig7 = IntStack::default();
    let mut packet = match format {
        "ifa" => ifa::encapsulate(&plain()),
        "ioam" => ioam::encapsulate(&plain(), Trace::Preallocated, numbers.ioam, numbers.namespace),
        "ioam-incremental" => ioam::encapsulate(&plain(), Trace::Incremental, numbers.ioam, numbers.namespace),
        "int-md" => int_md::encapsulate(&plain(), numbers.int_md, numbers.domain),
        _ => Some(Vec::new()),
    }
    .unwrap();
    for (i, port) in hops.iter().enumerate() {
        let at = ns + 1000 * i as u64;
        let (counter, cells) = (port.sent as u32, (port.queue / 80) as u32);
        let added = match format {
            "ifa" => {
                let hop = IfaHop {
                    device: port.device,
                    speed: port.speed - 1,
                    rx_seconds: ((at - 300) / 1_000_000_000) as u32,
                    rx_ns: ((at - 300) % 1_000_000_000) as u32,
                    residence_ns: 300,
                    egress: port.egress,
                    ingress: 1,
                    tx_bytes: counter,
                    queue: cells.min(0xffff) as u16,
                };
                ifa::stamp(&mut packet, &hop, MTU)
            }
            "ioam" | "ioam-incremental" => {
                let node = IoamNode {
                    hop_limit: 60,
                    node: port.device,
                    ingress: 1,
                    egress: port.egress,
                    speed: port.speed,
                    fraction: (at % 1_000_000_000) as u32,
                    queue: cells,
                    tx_bytes: counter,
                };
                ioam::stamp(&mut packet, &node, numbers.ioam, numbers.namespace, MTU)
            }
            "int-md" => {
                let hop = IntMdHop {
                    node: port.device,
                    ingress: 1,
                    egress: port.egress,
                    speed: port.speed,
                    queue_id: 0,
                    queue: cells,
                    egress_ns: at,
                    tx_bytes: counter,
                };
                int_md::stamp(&mut packet, &hop, numbers.int_md, numbers.domain, MTU)
            }
            _ => {
                let record = HopRecord {
                    speed: port.speed,
                    ts: at as u32 & 0xff_ffff,
                    tx_bytes: (port.sent / 128) as u32 & 0xf_ffff,
                    q_len: (port.queue / 80).min(0xffff) as u16,
                };
                fig7.stamp(port.device as u16, record);
                Added::Yes
            }
        };
        assert_eq!(added, Added::Yes, "{format}");
    }
    if format == "fig7" {
        return fig7;
    }
    open(&packet, &numbers).unwrap().stack.unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Windows of a whole run over one to five switches, from counters beyond every wrap. Within one second (IOAM carries the fraction of one).
    #[test]
    fn windows_are_those_of_fig7(
        hops in 1usize..=5,
        start in 0u64..1 << 40,
        steps in prop::collection::vec((50u64..20_000, 0u64..1000, 0u64..500_000), 2..60),
    ) {
        let mut ports: Vec<Port> = (0..hops).map(|i| Port {
            device: 0x100 + i as u32,
            egress: i as u16,
            speed: [5, 7, 7, 7, 5][i],
            sent: start.wrapping_mul(i as u64 + 1),
            queue: 0,
        }).collect();
        let mut laws: Vec<Hpcc> = FORMATS.iter().map(|_| {
            let mut law = Hpcc::new(HpccParams::new(100_000_000_000, 13_000)).unwrap();
            law.create(0, 0);
            law
        }).collect();
        let mut now = 5_000_000_000u64;
        for (psn, (gap, load, queue)) in steps.into_iter().enumerate() {
            now += gap;
            for (i, port) in ports.iter_mut().enumerate() {
                // At most what the link carries: 12.5 bytes a ns and more.
                port.sent += gap * load / 80;
                port.queue = queue / (i as u64 + 1);
            }
            let mut windows = Vec::new();
            for (format, law) in FORMATS.iter().zip(&mut laws) {
                let mut event = CcEvent {
                    psn_next: psn as u32 + 1,
                    snd_nxt: psn as u32 + 1,
                    now,
                    int_valid: true,
                    ..CcEvent::default()
                };
                collected(format, &ports, now).fill(&mut event);
                windows.push(law.handle(&event).unwrap().window);
            }
            for (format, window) in FORMATS.iter().zip(&windows) {
                prop_assert_eq!(*window, windows[0], "{} at packet {}", format, psn);
            }
        }
    }
}
