//! INT of requests is left to probes (HPCC++, draft-miao-ccwg-hpcc 6.2.1.2), over switches that stamp.

use super::*;
use hpcc_models::wire::{Opcode, Ports, RocePacket};
use hpcc_testbench::config::NicSetup;

/// A NIC of either kind: the first of a pair is the model, the second the hardware.
enum Either {
    Model(Box<ModelNic>),
    Rtl(Box<RtlNic<Model>>),
}

macro_rules! each {
    ($self:expr, $nic:ident => $what:expr) => {
        match $self {
            Self::Model($nic) => $what,
            Self::Rtl($nic) => $what,
        }
    };
}

impl Device for Either {
    fn create(setup: &NicSetup) -> Result<Self, DeviceError> {
        match setup.nic.mac == LinkSpec::default().setup(0).nic.mac {
            true => Ok(Self::Model(Box::new(ModelNic::create(setup)?))),
            false => Ok(Self::Rtl(Box::new(RtlNic::create(setup)?))),
        }
    }
    fn now_ns(&self) -> u64 {
        each!(self, nic => nic.now_ns())
    }
    fn post(&mut self, work: WorkRequest) {
        each!(self, nic => nic.post(work))
    }
    fn offer(&mut self, at_ns: u64, frame: Vec<u8>) {
        each!(self, nic => nic.offer(at_ns, frame))
    }
    fn advance(&mut self, to_ns: u64) -> Result<(), DeviceError> {
        each!(self, nic => nic.advance(to_ns))
    }
    fn next_ns(&self) -> Option<u64> {
        each!(self, nic => nic.next_ns())
    }
    fn take_sent(&mut self) -> Vec<TimedFrame> {
        each!(self, nic => nic.take_sent())
    }
    fn take_completions(&mut self) -> Vec<Completion> {
        each!(self, nic => nic.take_completions())
    }
    fn counters(&mut self) -> Result<Vec<(&'static str, u64)>, DeviceError> {
        each!(self, nic => nic.counters())
    }
    fn memory(&self, address: u64) -> Option<&[u8]> {
        each!(self, nic => nic.memory(address))
    }
    fn set_pause(&mut self, priorities: u8) {
        each!(self, nic => nic.set_pause(priorities))
    }
    fn write_region(&mut self, region: &MemoryRegion) -> Result<(), DeviceError> {
        each!(self, nic => nic.write_region(region))
    }
    fn remove_region(&mut self, key: u32) -> Result<(), DeviceError> {
        each!(self, nic => nic.remove_region(key))
    }
    fn set_level(&mut self, group: usize, rate_bps: Option<f64>) -> Result<(), DeviceError> {
        each!(self, nic => nic.set_level(group, rate_bps))
    }
    fn set_cap(&mut self, flow: u32, rate_bps: Option<f64>, group: usize) -> Result<(), DeviceError> {
        each!(self, nic => nic.set_cap(flow, rate_bps, group))
    }
    fn set_cap_control(&mut self, control: CapControl) -> Result<(), DeviceError> {
        each!(self, nic => nic.set_cap_control(control))
    }
    fn active(&mut self) -> Result<[u32; GROUPS], DeviceError> {
        each!(self, nic => nic.active())
    }
    fn sent_bytes(&mut self) -> Result<[u64; GROUPS], DeviceError> {
        each!(self, nic => nic.sent_bytes())
    }
}

fn spec(set: &[&str]) -> LinkSpec {
    let always = ["probes=on", "int=on", "hops=3"];
    let set: Vec<_> = always.iter().chain(set).map(|text| text.to_string()).collect();
    LinkSpec::parse(&set).unwrap()
}

/// Probes and responses that left, of both sides together.
fn probes(outcome: &LinkOutcome) -> [usize; 2] {
    let ports = Ports::default();
    let opcodes: Vec<Opcode> = outcome
        .sent
        .iter()
        .map(|frame| RocePacket::parse(&frame.bytes, &ports).unwrap().bth.opcode)
        .collect();
    [Opcode::Probe, Opcode::ProbeResponse].map(|wanted| opcodes.iter().filter(|opcode| **opcode == wanted).count())
}

/// Up to one packet of twenty is lost, probes and responses like any: memory is whole, every law goes on, and what arrives is answered once.
fn probing_survives_loss<D: Device>(operations: &[LinkOperation]) {
    for (seed, &op) in (1..).zip(operations) {
        for loss in ["0", "0.001", "0.05"] {
            for cc in ["hpcc", "powertcp", "theta-powertcp,hpcc"] {
                let spec = LinkSpec {
                    op,
                    seed: fresh(seed),
                    ..spec(&[
                        "qps=2",
                        "bytes=60001",
                        "messages=8",
                        &format!("loss={loss}"),
                        &format!("cc={cc}"),
                    ])
                };
                let outcome = run::<D>(&spec);
                assert_whole(&spec, &outcome);
                let [asked, answered] = probes(&outcome);
                println!("{op:?} {cc} loss {loss}: {asked} probes, {answered} responses");
                assert!(asked >= 4 && answered <= asked, "{cc} {loss}: {asked} {answered}");
                if loss == "0" {
                    assert_eq!(answered, asked, "{cc}");
                }
                assert_eq!((outcome.count("probe_stray"), outcome.count("drop_stray")), (0, 0));
            }
        }
    }
}

#[test]
fn probing_survives_loss_in_the_model() {
    probing_survives_loss::<ModelNic>(&[LinkOperation::Write, LinkOperation::Bidirectional]);
}

#[test]
fn rtl_model_and_hardware_probe_each_other() {
    probing_survives_loss::<Either>(&[LinkOperation::Bidirectional]);
}

#[test]
fn rtl_probing_survives_loss_in_the_hardware() {
    probing_survives_loss::<RtlNic<Model>>(&[LinkOperation::Write, LinkOperation::Bidirectional]);
}

/// HPCC that hears of the path by probes alone fills the same share of the wire as with INT on every packet.
fn hpcc_on_probes_aims_where_it_says<D: Device>() {
    let reached = |more: &[&str]| {
        let set: Vec<_> = ["int=on", "hops=2", "bytes=1000000", "messages=8", "pcap=off"]
            .iter()
            .chain(more)
            .map(|text| text.to_string())
            .collect();
        let spec = LinkSpec::parse(&set).unwrap();
        let outcome = run::<D>(&spec);
        assert_whole(&spec, &outcome);
        throughput(&spec, &outcome)[0].unwrap().bps / 1e9
    };
    let (every, probed) = (reached(&[]), reached(&["probes=on"]));
    println!("INT on every packet {every:.2} Gb/s, on probes {probed:.2} Gb/s");
    assert!((probed / every - 1.0).abs() < 0.05, "{every} {probed}");
}

#[test]
fn hpcc_on_probes_aims_where_it_says_in_the_model() {
    hpcc_on_probes_aims_where_it_says::<ModelNic>();
}

#[test]
fn rtl_hpcc_on_probes_aims_where_it_says_in_the_hardware() {
    hpcc_on_probes_aims_where_it_says::<RtlNic<Model>>();
}
