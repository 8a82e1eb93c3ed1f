//! Life after reset, and after many creations of one queue pair: the NIC in RTL that has been used does what one does that was
//! just switched on, frame by frame and clock by clock.

use hpcc_models::nic::Completion;
use hpcc_models::wire::TimedFrame;
use hpcc_testbench::config::NicSetup;
use hpcc_testbench::nic::link::run;
use hpcc_testbench::nic::link_config::LinkSpec;
use hpcc_testbench::nic::link_nics::TARGET;
use hpcc_testbench::nic::rtl::setup::{steps, Step};
use hpcc_testbench::nic::rtl::{model, PERIOD_NS};
use hpcc_testbench::nic::{Device, RtlNic};
use hpcc_testbench::verilated::Model;
use indicatif::ProgressBar;

type Rtl = RtlNic<Model>;

/// Creations after which a generation comes again: they are 1 to 255.
const GENERATIONS: usize = 255;

/// One NIC of a link, its work, and what its peer sends to it, by the time since it was set up.
struct Scene {
    setup: NicSetup,
    arrivals: Vec<(u64, Vec<u8>)>,
    length_ns: u64,
}

/// What a NIC shows of itself.
struct Life {
    sent: Vec<TimedFrame>,
    completions: Vec<Completion>,
    counters: Vec<(&'static str, u64)>,
}

impl Life {
    /// Frames and completions without their times.
    fn timeless(&self) -> (Vec<&[u8]>, Vec<Completion>) {
        let frames = self.sent.iter().map(|frame| frame.bytes.as_slice()).collect();
        let completions = self.completions.iter().map(|done| Completion { t_ns: 0, ..*done });
        (frames, completions.collect())
    }
}

/// Where two lives part, if they do.
fn same(life: &Life, expected: &Life, about: &str) {
    for (frame, wanted) in life.sent.iter().zip(&expected.sent) {
        assert_eq!(frame, wanted, "{about}");
    }
    assert_eq!(life.sent.len(), expected.sent.len(), "{about}: frames");
    assert_eq!(life.completions, expected.completions, "{about}");
    assert_eq!(life.counters, expected.counters, "{about}");
}

fn scene(keys: &[&str]) -> Scene {
    let keys: Vec<String> = keys.iter().map(|key| key.to_string()).collect();
    let spec = LinkSpec::parse(&keys).unwrap();
    let outcome = run::<Rtl>(&spec, &ProgressBar::hidden()).unwrap();
    let setup = spec.setup(0);
    let own = setup.nic.mac.0;
    let arrivals = outcome.sent.into_iter().filter(|frame| frame.bytes[6..12] != own);
    Scene {
        setup,
        arrivals: arrivals
            .map(|frame| (frame.t_ns + spec.link.delay_ns, frame.bytes))
            .collect(),
        length_ns: outcome.now_ns + 50_000,
    }
}

/// Set up, at work, then `for_ns` of it.
fn live(nic: &mut Rtl, scene: &Scene, for_ns: u64) {
    let start = nic.time().0;
    for (at, frame) in &scene.arrivals {
        nic.offer_at(start + at, frame.clone());
    }
    for work in &scene.setup.work {
        nic.post_now(work.work);
    }
    nic.clock_for(for_ns / PERIOD_NS).unwrap();
}

fn seen(nic: &mut Rtl) -> Life {
    Life {
        sent: nic.take_sent(),
        completions: nic.take_completions(),
        counters: nic.counters().unwrap(),
    }
}

/// Reset, set up, a life from beginning to end. `rest` comes in as soon as the NIC takes frames: the end of a frame that the
/// reset cut.
fn whole_life(device: Model, scene: &Scene, rest: Option<Vec<u8>>) -> (Life, Model) {
    let mut nic = RtlNic::new(device, scene.setup.nic.line_rate_bps / 1e9).unwrap();
    let rest_given = rest.is_some();
    if let Some(rest) = rest {
        nic.offer_at(0, rest);
    }
    nic.set_up(&scene.setup).unwrap();
    assert_eq!(nic.frames_waiting(), 0, "the rest of the frame is taken: {rest_given}");
    live(&mut nic, scene, scene.length_ns);
    (seen(&mut nic), nic.into_device())
}

fn fresh() -> Model {
    model(false).unwrap()
}

/// A device that has lived a part of a scene, and the rest of the frame that comes in at its end.
fn used(scene: &Scene, for_ns: u64) -> (Model, Option<Vec<u8>>) {
    let mut nic = RtlNic::configured(|| Ok(fresh()), &scene.setup).unwrap();
    live(&mut nic, scene, for_ns);
    let rest = nic.rest_of_frame().map(<[u8]>::to_vec);
    (nic.into_device(), rest)
}

const WRITES: &[&str] = &[
    "op=bidirectional",
    "qps=3",
    "messages=9",
    "bytes=5000",
    "mtu=1024",
    "delay_ns=300",
];
const READS: &[&str] = &[
    "op=bidirectional_read",
    "qps=3",
    "messages=9",
    "bytes=3000",
    "mtu=256",
    "delay_ns=300",
    "int=on",
];

#[test]
fn a_reset_nic_is_a_fresh_one() {
    let scenes = [scene(WRITES), scene(READS)];
    let expected = scenes.each_ref().map(|scene| whole_life(fresh(), scene, None).0);
    for (life, scene) in expected.iter().zip(&scenes) {
        assert_eq!(life.completions.len(), scene.setup.work.len());
    }
    // Each after each, in whole, and broken off at many places.
    for before in 0..2 {
        let length = scenes[before].length_ns - 50_000;
        for cut in [1, 3, 5, 7, 9, 11, 13, 40] {
            for after in 0..2 {
                if (after != before) != (cut % 4 == 1) {
                    continue;
                }
                let (device, rest) = used(&scenes[before], length * cut / 15);
                let (life, _) = whole_life(device, &scenes[after], rest);
                same(
                    &life,
                    &expected[after],
                    &format!("scene {after} after {cut}/15 of scene {before}"),
                );
            }
        }
    }
}

#[test]
fn the_rest_of_a_frame_that_a_reset_cuts_is_ignored() {
    let scene = scene(WRITES);
    let (expected, _) = whole_life(fresh(), &scene, None);
    let mut nic = RtlNic::configured(|| Ok(fresh()), &scene.setup).unwrap();
    nic.clock_for(100).unwrap();
    nic.offer_at(0, vec![0; 9000]);
    nic.clock_for(20).unwrap();
    assert_eq!(nic.frames_waiting(), 1, "half of the frame is in");
    // The rest alone would be a frame that the responder answers.
    let (_, rest) = scene.arrivals[0].clone();
    let (life, device) = whole_life(nic.into_device(), &scene, Some(rest));
    same(&life, &expected, "after half a frame");
    // Between frames nothing is ignored.
    let (life, _) = whole_life(device, &scene, None);
    same(&life, &expected, "after whole frames");
}

/// A scene in which writes of the peer beyond the first bytes meet a bus error.
fn without_memory(scene: &Scene) -> NicSetup {
    let mut setup = scene.setup.clone();
    for block in &mut setup.memory {
        if block.region.address == TARGET {
            block.bytes.truncate(64);
        }
    }
    setup
}

#[test]
fn a_reset_ends_every_error() {
    let good = scene(WRITES);
    let (expected, _) = whole_life(fresh(), &good, None);
    for region in [true, false] {
        let mut setup = without_memory(&good);
        if region {
            setup.memory.clear();
        }
        let bad = Scene {
            setup,
            arrivals: good.arrivals.clone(),
            length_ns: good.length_ns,
        };
        let (life, device) = whole_life(fresh(), &bad, None);
        assert_ne!(life.timeless(), expected.timeless());
        let (life, _) = whole_life(device, &good, None);
        same(&life, &expected, &format!("no region: {region}"));
    }
}

#[test]
fn a_queue_pair_created_256_times_over_is_a_fresh_one() {
    let keys = [
        "op=bidirectional",
        "qps=1",
        "messages=20",
        "bytes=3000",
        "mtu=1024",
        "delay_ns=300",
    ];
    let good = scene(&keys);
    let (expected, _) = whole_life(fresh(), &good, None);
    for fails in [false, true] {
        let setup = if fails {
            without_memory(&good)
        } else {
            good.setup.clone()
        };
        let mut nic = RtlNic::configured(|| Ok(fresh()), &setup).unwrap();
        live(&mut nic, &good, good.length_ns);
        seen(&mut nic);
        for block in &good.setup.memory {
            nic.memory_mut().add(block.region.address, block.bytes.clone());
        }
        let creations: Vec<Step> = steps(&setup).unwrap();
        let creation = creations.last().unwrap();
        let Step::Command {
            index, operation: 1, ..
        } = creation
        else {
            panic!("the last step creates: {creation:?}");
        };
        let removal = Step::Command {
            operation: 2,
            index: *index,
            body: vec![],
            about: "removal".into(),
        };
        for _ in 0..GENERATIONS {
            nic.carry_out(&removal).unwrap();
            nic.carry_out(creation).unwrap();
        }
        nic.take_completions();
        live(&mut nic, &good, good.length_ns);
        let (life, expected) = (seen(&mut nic), expected.timeless());
        let life = life.timeless();
        for (at, (frame, wanted)) in life.0.iter().zip(&expected.0).enumerate() {
            assert_eq!(frame, wanted, "frame {at}, failed before: {fails}");
        }
        assert_eq!(life.0.len(), expected.0.len(), "frames, failed before: {fails}");
        assert_eq!(life.1, expected.1, "failed before: {fails}");
    }
}
