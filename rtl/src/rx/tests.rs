//! The parser against `models::wire` and `models::nic`: verdict and fields of random frames, under random gaps.

use super::stimulus::{any_frame, good_frame, registers, set_opcode, udp_carries};
use super::verdict::DROP_COUNTERS;
use super::{RxParser, QP_EARLIER, RX_PARSER_LATENCY};
use crate::prim::uint::{mask, U};
use crate::prim::wide::W;
use crate::sim::{init, step, Stimulus};
use hpcc_models::nic::{frame_fault, Counter, NicConfig};
use hpcc_models::wire::*;
use std::collections::{BTreeMap, VecDeque};

fn words(bytes: &[u8]) -> [u64; 8] {
    let mut out = [0; 8];
    for (i, byte) in bytes.iter().enumerate() {
        out[i / 8] |= u64::from(*byte) << (8 * (i % 8));
    }
    out
}

/// Bytes of a bus whose first byte is in the highest bits.
fn from_top<const N: usize, const L: usize>(bus: W<N, L>) -> Vec<u8> {
    (0..N / 8).rev().map(|i| bus.get_bits::<8>(8 * i).0 as u8).collect()
}

struct Bench {
    parser: Box<RxParser>,
    config: NicConfig,
    waiting: VecDeque<(Vec<u8>, bool, u64)>,
    seen: BTreeMap<u64, u64>,
    /// Numbers of queue pairs in the last clocks.
    qps: VecDeque<u64>,
    clock: u64,
}

impl Bench {
    fn new() -> Self {
        Self::with(registers())
    }

    fn with(config: NicConfig) -> Self {
        let mut parser: Box<RxParser> = Box::default();
        init(parser.as_mut()).expect("complete block");
        parser.cfg_mac.next = U(config.mac.number());
        parser.cfg_ip.next = U(u32::from(config.ip).into());
        parser.cfg_port_roce.next = U(config.ports.roce.into());
        parser.cfg_port_int.next = U(config.ports.int_collect.into());
        parser.cfg_port_echo.next = U(config.ports.int_echo.into());
        parser.cfg_port_control.next = U(config.ports.control.into());
        parser.cfg_pkey.next = U(config.pkey.into());
        parser.cfg_echo_icrc_full.next = config.echo_icrc_full;
        let mut bench = Self {
            parser,
            config,
            waiting: VecDeque::new(),
            seen: BTreeMap::new(),
            qps: VecDeque::new(),
            clock: 0,
        };
        bench.parser.reset.next = true;
        for _ in 0..=RX_PARSER_LATENCY {
            bench.idle();
        }
        bench.parser.reset.next = false;
        bench
    }

    fn idle(&mut self) {
        self.parser.s_axis.tvalid.next = false;
        self.parser.s_axis.tdata.next = W([!0; 8]);
        self.parser.s_axis.tlast.next = true;
        self.tick();
    }

    fn beat(&mut self, bytes: &[u8], last: bool, bad: bool) {
        let parser = &mut self.parser;
        parser.s_axis.tvalid.next = true;
        parser.s_axis.tdata.next = W(words(bytes));
        parser.s_axis.tkeep.next = U(mask(bytes.len()));
        parser.s_axis.tlast.next = last;
        parser.s_axis.tuser.next = bad;
        self.tick();
    }

    fn frame(&mut self, frame: &[u8], bad: bool, mut gap: impl FnMut() -> bool) {
        let beats = frame.len().div_ceil(64);
        for (i, beat) in frame.chunks(64).enumerate() {
            while gap() {
                self.idle();
            }
            let last = i + 1 == beats;
            if last {
                self.waiting.push_back((frame.to_vec(), bad, self.clock));
            }
            self.beat(beat, last, bad && last);
        }
    }

    fn tick(&mut self) {
        self.clock += 1;
        let Self {
            parser,
            waiting,
            config,
            seen,
            qps,
            clock,
        } = self;
        step(parser.as_mut(), |parser| {
            assert!(parser.s_axis.tready.val(), "the parser never waits");
            qps.push_front(parser.out_dest_qp.val().0);
            qps.truncate(QP_EARLIER + 1);
            if !parser.out_valid.val() {
                return;
            }
            let (frame, bad, at) = waiting.pop_front().expect("a verdict without a frame");
            assert_eq!(*clock - at - 1, RX_PARSER_LATENCY as u64, "latency");
            check(parser, config, &frame, bad, qps[QP_EARLIER]);
            *seen.entry(parser.out_drop.val().0).or_default() += 1;
        });
    }
}

fn check(parser: &RxParser, config: &NicConfig, frame: &[u8], bad: bool, qp: u64) {
    let code = parser.out_drop.val().0;
    let got = code.checked_sub(1).map(|code| DROP_COUNTERS[code as usize]);
    let expected = frame_fault(config, frame);
    let hex: String = frame.iter().map(|byte| format!("{byte:02x}")).collect();
    // What is in a control packet is judged later.
    match (bad, expected) {
        (true, _) => assert_eq!(got, Some(Counter::BadFrame)),
        (false, Some(Counter::ControlRefused)) => assert_eq!((code, parser.out_role.val().0), (0, 3)),
        (false, expected) => assert_eq!(got, expected, "code {code}: {hex}"),
    }
    if !bad && code == 0 && parser.out_role.val() == U(3) {
        let right = udp_carries(frame) == Some(CONTROL_LEN);
        assert_eq!(parser.out_control_length.val(), right, "{hex}");
    }
    if bad || expected.is_some() || parser.out_role.val() == U(3) {
        return;
    }
    let with_int = config.echo_icrc_full && parser.out_role.val() == U(2);
    let packet = match with_int {
        true => RocePacket::parse_with_int_covered(frame, &config.ports),
        false => RocePacket::parse(frame, &config.ports),
    }
    .expect("no fault");
    let role = [PortRole::Roce, PortRole::IntCollect, PortRole::IntEcho][parser.out_role.val().index()];
    assert_eq!(config.ports.number(role), packet.udp.dst_port);
    assert_eq!(parser.out_src_ip.val().0 as u32, u32::from(packet.ipv4.src));
    assert_eq!(parser.out_ecn.val().0 as u8, packet.ipv4.tos & 3);
    assert_eq!(parser.out_int_len.val().index(), packet.int.len());
    assert_eq!(from_top(parser.out_body.val())[..packet.int.len()], *packet.int);
    assert_eq!(parser.out_opcode.val().0 as u8, packet.bth.opcode.emit());
    assert_eq!(parser.out_ack_req.val(), packet.bth.ack_req);
    assert_eq!(qp as u32, packet.bth.dest_qp);
    assert_eq!(parser.out_psn.val().0 as u32, packet.bth.psn);
    assert_eq!(parser.out_payload_len.val().index(), packet.payload.len());
    let at = parser.out_payload_at.val().index();
    assert_eq!(frame[at..at + packet.payload.len()], *packet.payload);
    let extension = from_top(parser.out_extension.val());
    match packet.extension {
        Extension::None => {}
        Extension::Reth(reth) => {
            let mut bytes = [0; RETH_LEN];
            reth.emit(&mut bytes);
            assert_eq!(extension, bytes);
        }
        Extension::Aeth(aeth) => {
            let mut bytes = [0; AETH_LEN];
            aeth.emit(&mut bytes);
            assert_eq!(extension[..AETH_LEN], bytes);
        }
    }
}

#[test]
fn random_frames_with_and_without_gaps() {
    for (seed, gap, echo_icrc_full) in [(1, 0.0, false), (2, 0.5, true), (3, 0.1, false), (4, 0.0, true)] {
        let config = NicConfig {
            echo_icrc_full,
            ..registers()
        };
        let mut bench = Bench::with(config.clone());
        let (mut stimulus, mut gaps) = (Stimulus::new(seed), Stimulus::new(seed + 100));
        for _ in 0..4000 {
            let frame = any_frame(&mut stimulus, &config);
            let bad = stimulus.chance(0.02);
            bench.frame(&frame, bad, || gaps.chance(gap));
        }
        (0..2 * RX_PARSER_LATENCY).for_each(|_| bench.idle());
        assert!(
            bench.waiting.is_empty(),
            "{} frames without a verdict",
            bench.waiting.len()
        );
        let never: Vec<u64> = (0..=21).filter(|code| !bench.seen.contains_key(code)).collect();
        assert!(never.is_empty(), "drop codes never seen: {never:?}");
    }
}

/// Every opcode that eight bits can be, in frames that are otherwise good or at least have good checksums.
#[test]
fn every_opcode_is_taken_or_refused() {
    let config = registers();
    let mut bench = Bench::with(config.clone());
    let mut stimulus = Stimulus::new(14);
    for opcode in (0..=0xff).cycle().take(4 * 256) {
        let mut frame = good_frame(&mut stimulus, &config);
        set_opcode(&mut frame, &config, opcode);
        bench.frame(&frame, false, || false);
    }
    (0..2 * RX_PARSER_LATENCY).for_each(|_| bench.idle());
    assert!(bench.waiting.is_empty());
}

#[test]
fn one_beat_frames_back_to_back_have_a_verdict_each_clock() {
    let mut bench = Bench::new();
    let mut stimulus = Stimulus::new(9);
    let mut sent = 0;
    while sent < 2000 {
        let frame = good_frame(&mut stimulus, &registers());
        if frame.len() <= 64 {
            bench.frame(&frame, false, || false);
            sent += 1;
        }
    }
    let before = bench.clock;
    (0..2 * RX_PARSER_LATENCY).for_each(|_| bench.idle());
    assert_eq!(bench.seen, BTreeMap::from([(0, 2000)]));
    assert!(bench.clock - before < 30);
}

#[test]
fn every_bit_of_a_frame_matters_or_is_masked() {
    for echo_icrc_full in [false, true] {
        let config = NicConfig {
            echo_icrc_full,
            ..registers()
        };
        let mut bench = Bench::with(config.clone());
        let mut stimulus = Stimulus::new(11);
        for _ in 0..6 {
            let mut frame = good_frame(&mut stimulus, &config);
            frame.truncate(frame.len().min(300));
            for bit in 0..8 * frame.len() {
                let mut changed = frame.clone();
                changed[bit / 8] ^= 1 << (bit % 8);
                bench.frame(&changed, false, || false);
            }
        }
        (0..2 * RX_PARSER_LATENCY).for_each(|_| bench.idle());
        assert!(bench.waiting.is_empty());
    }
}

/// Beats are counted to 2047, 128 KiB, and no further: what comes after is not taken for the start of a frame.
#[test]
fn frames_of_more_than_128_kib() {
    let mut bench = Bench::new();
    let mut stimulus = Stimulus::new(13);
    for more in [0, 1, 64, 65, 640] {
        let mut frame = good_frame(&mut stimulus, &registers());
        // noise behind the IP length, which nobody looks at
        while frame.len() < 2048 * 64 + more {
            frame.push(stimulus.uniform(8) as u8);
        }
        bench.frame(&frame, false, || false);
        let next = good_frame(&mut stimulus, &registers());
        bench.frame(&next, false, || false);
    }
    (0..2 * RX_PARSER_LATENCY).for_each(|_| bench.idle());
    assert!(bench.waiting.is_empty());
    assert_eq!(bench.seen, BTreeMap::from([(0, 10)]));
}

#[test]
fn long_frames() {
    let mut bench = Bench::new();
    let config = registers();
    let mut stimulus = Stimulus::new(12);
    for len in [4096usize, 4095, 9000, 60_000] {
        let frame = loop {
            let frame = good_frame(&mut stimulus, &config);
            if frame[12..14] == [8, 0] {
                break frame;
            }
        };
        let packet = RocePacket::parse(&frame, &config.ports).expect("good");
        let payload: Vec<u8> = (0..len).map(|i| (i * 7) as u8).collect();
        let udp = UdpRepr {
            checksum: 0,
            ..packet.udp
        };
        let long = RocePacket {
            payload: &payload,
            udp,
            ..packet
        }
        .to_frame();
        bench.frame(&long, false, || false);
        let mut wrong = long.clone();
        wrong[len] ^= 0x10;
        bench.frame(&wrong, false, || false);
    }
    (0..2 * RX_PARSER_LATENCY).for_each(|_| bench.idle());
    assert_eq!(bench.seen, BTreeMap::from([(0, 4), (17, 4)]));
}
