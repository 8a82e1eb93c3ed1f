//! Frames a second into and out of the Verilated NIC.

use super::basis::{SpeedError, SIZES, WRITE_OVERHEAD};
use crate::config::NicSetup;
use crate::nic::link;
use crate::nic::link_config::{LinkOperation, LinkSpec};
use crate::nic::link_nics::{TARGET, TARGET_KEY};
use crate::nic::rtl::{model, RtlNic, PERIOD_NS};
use crate::nic::Device;
use crate::report::peer;
use crate::verilated::Model;
use hpcc_models::nic::{Counter, LinkConfig};
use hpcc_models::wire::*;
use indicatif::ProgressBar;

/// An EtherType that nobody owns (IEEE 802).
const LOCAL_EXPERIMENTAL: u16 = 0x88b5;
/// Frames of a trial. RX holds 512 frames or beats, and its queues behind some hundreds of rows: these overflow even if a
/// frame takes one clock in ten more than its distance.
const SHORT_FRAMES: u32 = 12_000;
/// The same for frames of more than [`SHORT_BEATS`], of which 512 beats are few.
const LONG_FRAMES: u32 = 1500;
/// Beats of a short frame at most.
const SHORT_BEATS: usize = 8;
/// Clocks between frames at which a trial gives up.
const MOST_CLOCKS: u64 = 400;
/// Time after the last frame in which everything is decided, ns.
const TAIL_NS: u64 = 10_000;
/// Messages of a measurement of TX.
const MESSAGES: u64 = 1500;

/// Frames of one kind that come at even distances without one being lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Received {
    /// What they are.
    pub kind: &'static str,
    /// Length with FCS.
    pub bytes: usize,
    /// Least distance, clocks.
    pub clocks: u64,
}

/// Frames of one length, each a message, per second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sent {
    /// Length with FCS.
    pub bytes: usize,
    /// At 100 Gb/s.
    pub one_way: f64,
    /// Both ways at once at 100 Gb/s, the slower direction.
    pub both_ways: f64,
    /// With a MAC of 800 Gb/s, to which nobody paces.
    pub free: f64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Dropped by the parser.
    Foreign,
    /// An acknowledgement of what was never sent, so that each is counted.
    Acknowledgement,
    /// A WRITE of one packet that asks for an acknowledgement.
    Write,
}

/// Queue pairs that take turns, where not all frames are of one.
const PAIRS: usize = 64;

/// The NIC that receives.
fn receiver(pairs: usize) -> NicSetup {
    let spec = LinkSpec {
        qps: pairs as u32,
        bytes: 4096,
        messages: 1,
        mtu: 4096,
        ..LinkSpec::default()
    };
    spec.setup(1)
}

/// Frame `index` of a run in which the queue pairs take turns.
fn frame(setup: &NicSetup, kind: Kind, bytes: usize, index: u32) -> Vec<u8> {
    let pairs = setup.qps.len() as u32;
    let (qp, index) = (&setup.qps[(index % pairs) as usize], index / pairs);
    let payload = vec![0x5a; bytes.saturating_sub(WRITE_OVERHEAD)];
    let (opcode, psn, extension, payload) = match kind {
        Kind::Foreign => {
            let mut frame = vec![0; bytes - 4];
            let foreign = EthernetRepr {
                ethertype: LOCAL_EXPERIMENTAL,
                ..peer::ethernet(setup)
            };
            foreign.emit(&mut frame);
            return frame;
        }
        Kind::Acknowledgement => {
            let aeth = AethRepr {
                syndrome: Syndrome::parse(0x1f),
                msn: 1,
            };
            (Opcode::Acknowledge, qp.send_psn + 100, Extension::Aeth(aeth), &[][..])
        }
        Kind::Write => {
            let reth = RethRepr {
                address: TARGET,
                key: TARGET_KEY,
                length: payload.len() as u32,
            };
            let psn = qp.expected_psn + index;
            (Opcode::Write(Position::Only), psn, Extension::Reth(reth), &payload[..])
        }
    };
    let content = peer::Content {
        role: PortRole::Roce,
        int: &[],
        opcode,
        psn,
        extension,
        payload,
    };
    peer::frame_to(setup, qp, &content)
}

/// Whether the NIC takes every frame, one each `clocks`.
fn takes(setup: &NicSetup, kind: Kind, bytes: usize, clocks: u64) -> Result<bool, SpeedError> {
    let short = (bytes - 4).div_ceil(64) <= SHORT_BEATS;
    let count: u32 = if short { SHORT_FRAMES } else { LONG_FRAMES };
    let mut nic = RtlNic::configured(|| model(false), setup)?;
    let start = nic.now_ns() + 20 * PERIOD_NS;
    for index in 0..count {
        nic.offer(
            start + u64::from(index) * clocks * PERIOD_NS,
            frame(setup, kind, bytes, index),
        );
    }
    nic.advance(start + u64::from(count) * clocks * PERIOD_NS)?;
    if nic.frames_waiting() > 0 {
        return Ok(false);
    }
    nic.advance(nic.now_ns() + TAIL_NS)?;
    let sent = nic.take_sent().len();
    let counters = nic.counters()?;
    let count_of = |counter: Counter| {
        let found = counters.iter().find(|(name, _)| *name == counter.name());
        found.map_or(0, |(_, value)| *value)
    };
    let n = u64::from(count);
    let others: u64 = counters
        .iter()
        .filter(|(name, _)| *name != Counter::RxFrames.name() && *name != Counter::TxFrames.name())
        .map(|(_, value)| value)
        .sum();
    Ok(match kind {
        Kind::Foreign => count_of(Counter::NotIpv4) == n && others == n,
        Kind::Acknowledgement => count_of(Counter::GhostAck) == n && others == n,
        Kind::Write => sent as u64 == n && others == 0,
    })
}

fn least(kind: Kind, name: &'static str, pairs: usize, bytes: usize) -> Result<Received, SpeedError> {
    let setup = receiver(pairs);
    let beats = (bytes - 4).div_ceil(64) as u64;
    for clocks in beats..beats + MOST_CLOCKS {
        if takes(&setup, kind, bytes, clocks)? {
            return Ok(Received {
                kind: name,
                bytes,
                clocks,
            });
        }
    }
    Err(SpeedError::Check(format!(
        "{name} of {bytes} bytes are lost at any distance"
    )))
}

/// How close frames of each kind and length may follow each other.
pub fn receive(say: &dyn Fn(String)) -> Result<Vec<Received>, SpeedError> {
    let mut cases = vec![
        (Kind::Foreign, "not RoCE", 1, 64),
        (Kind::Acknowledgement, "ACK", 1, 66),
        (Kind::Acknowledgement, "ACK, 64 queue pairs", PAIRS, 66),
    ];
    cases.extend(SIZES.map(|bytes| (Kind::Write, "WRITE, one packet", 1, bytes)));
    cases.extend(SIZES.map(|bytes| (Kind::Write, "WRITE, 64 queue pairs", PAIRS, bytes)));
    let mut rows = vec![];
    for (kind, name, pairs, bytes) in cases {
        say(format!("RX: {name}, {bytes} bytes"));
        rows.push(least(kind, name, pairs, bytes)?);
    }
    Ok(rows)
}

/// Frames a second of the slower NIC that has work, between two NICs on an ideal wire.
fn rate(bytes: usize, op: LinkOperation, rate_gbps: f64) -> Result<f64, SpeedError> {
    let spec = LinkSpec {
        link: LinkConfig {
            rate_gbps,
            delay_ns: 500,
            ..LinkConfig::default()
        },
        bytes: (bytes - WRITE_OVERHEAD) as u64,
        mtu: 4096,
        messages: MESSAGES,
        qps: 32,
        op,
        pcap: true,
        ..LinkSpec::default()
    };
    let outcome = link::run::<RtlNic<Model>>(&spec, &ProgressBar::hidden())?;
    if !outcome.finished || outcome.errors() > 0 || outcome.damage().is_some() {
        return Err(SpeedError::Check(format!(
            "messages of {} bytes did not arrive as they should",
            spec.bytes
        )));
    }
    // the middle half of the frames, by when their first bit left
    let mut slowest = f64::INFINITY;
    for side in (0..2).filter(|side| spec.works(*side)) {
        let port = spec.setup(side).nic.mac;
        let times: Vec<u64> = outcome
            .sent
            .iter()
            .filter(|sent| sent.bytes.len() + 4 == bytes && sent.bytes[6..12] == port.0)
            .map(|sent| sent.t_ns)
            .collect();
        let (from, to) = (times.len() / 4, 3 * times.len() / 4);
        if from == to {
            return Err(SpeedError::Check(format!("no frames of {bytes} bytes")));
        }
        slowest = slowest.min((to - from) as f64 * 1e9 / (times[to] - times[from]).max(1) as f64);
    }
    Ok(slowest)
}

/// Frames a second out of the NIC, each frame a WRITE.
pub fn transmit(say: &dyn Fn(String)) -> Result<Vec<Sent>, SpeedError> {
    let mut rows = vec![];
    for bytes in SIZES {
        say(format!("TX: {bytes} bytes"));
        let gbps = super::basis::WIRE_BPS / 1e9;
        rows.push(Sent {
            bytes,
            one_way: rate(bytes, LinkOperation::Write, gbps)?,
            both_ways: rate(bytes, LinkOperation::Bidirectional, gbps)?,
            free: rate(bytes, LinkOperation::Write, 800.0)?,
        });
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::speed::basis::GAP;

    #[test]
    fn frames_have_the_lengths_that_the_table_says() {
        let setup = receiver(1);
        for bytes in SIZES {
            let frame = frame(&setup, Kind::Write, bytes, 3);
            assert_eq!(frame.len() + 4, bytes);
            let packet = RocePacket::parse(&frame, &Ports::default()).expect("well formed");
            assert_eq!(packet.payload.len() + WRITE_OVERHEAD, bytes);
            assert_eq!(wire_occupancy(frame.len()) as usize, bytes + GAP);
        }
        assert_eq!(frame(&setup, Kind::Acknowledgement, 66, 0).len(), 62);
        assert_eq!(frame(&setup, Kind::Foreign, 64, 0).len(), 60);
    }

    #[test]
    fn queue_pairs_take_turns() {
        let setup = receiver(PAIRS);
        let of = |index| {
            let frame = frame(&setup, Kind::Write, 78, index);
            let packet = RocePacket::parse(&frame, &Ports::default()).expect("well formed");
            (packet.bth.dest_qp, packet.bth.psn)
        };
        let (pairs, first) = (PAIRS as u32, of(0));
        assert!((1..pairs).all(|index| of(index).0 != first.0));
        assert_eq!(of(pairs), (first.0, first.1 + 1));
    }

    /// One queue pair has a decision every five clocks; of 64, frames come as fast as the bus carries them.
    #[test]
    fn rtl_frames_of_many_queue_pairs_do_not_wait_for_each_other() {
        let [one, many] = [1, PAIRS].map(receiver);
        assert!(!takes(&one, Kind::Write, 78, 4).expect("runs"));
        assert!(takes(&many, Kind::Write, 78, 2).expect("runs"));
        assert!(takes(&many, Kind::Acknowledgement, 66, 1).expect("runs"));
    }
}
