//! The surroundings of the clocked NIC against a stand-in written here: it sends back what it receives, completes what it is
//! asked for, keeps registers, and stalls everywhere.

use super::*;
use crate::verilated::{top_sources, Model, FAST};
use hpcc_models::nic::registers::{registers, REGION_SLOTS};
use hpcc_models::nic::{Operation, QpConfig, Status};
use hpcc_models::wire::wire_occupancy;
use hpcc_rtl::sim::{Port, Stimulus};
use hpcc_rtl::tops::NIC_HPCC;
use hpcc_rtl::words::work::{Completion, WorkRequest as WorkWord};
use std::collections::BTreeMap;

const PORTS: &[(&str, usize, bool)] = &[
    ("rst", 1, true),
    ("now", 48, true),
    ("pause", 8, true),
    ("s_axis_rx_tdata", 512, true),
    ("s_axis_rx_tkeep", 64, true),
    ("s_axis_rx_tlast", 1, true),
    ("s_axis_rx_tuser", 1, true),
    ("s_axis_rx_tvalid", 1, true),
    ("s_axis_rx_tready", 1, false),
    ("m_axis_tx_tdata", 512, false),
    ("m_axis_tx_tkeep", 64, false),
    ("m_axis_tx_tlast", 1, false),
    ("m_axis_tx_tuser", 1, false),
    ("m_axis_tx_tvalid", 1, false),
    ("m_axis_tx_tready", 1, true),
    ("s_axis_work_tdata", 320, true),
    ("s_axis_work_tvalid", 1, true),
    ("s_axis_work_tready", 1, false),
    ("m_axis_completion_tdata", 192, false),
    ("m_axis_completion_tvalid", 1, false),
    ("m_axis_completion_tready", 1, true),
    ("s_axil_awaddr", 12, true),
    ("s_axil_awvalid", 1, true),
    ("s_axil_awready", 1, false),
    ("s_axil_wdata", 32, true),
    ("s_axil_wstrb", 4, true),
    ("s_axil_wvalid", 1, true),
    ("s_axil_wready", 1, false),
    ("s_axil_bresp", 2, false),
    ("s_axil_bvalid", 1, false),
    ("s_axil_bready", 1, true),
    ("s_axil_araddr", 12, true),
    ("s_axil_arvalid", 1, true),
    ("s_axil_arready", 1, false),
    ("s_axil_rdata", 32, false),
    ("s_axil_rresp", 2, false),
    ("s_axil_rvalid", 1, false),
    ("s_axil_rready", 1, true),
];

fn port_list() -> Vec<Port> {
    let mut limbs = [0; 2];
    let port = |(name, width, input): &(&str, usize, bool)| {
        let limb = limbs[usize::from(*input)];
        limbs[usize::from(*input)] += width.div_ceil(64);
        Port {
            name: name.to_string(),
            width: *width,
            input: *input,
            limb,
        }
    };
    PORTS.iter().map(port).collect()
}

/// The stand-in.
struct Echo {
    list: Vec<Port>,
    at: NicPorts,
    inputs: Vec<u64>,
    outputs: Vec<u64>,
    stimulus: Stimulus,
    beats: VecDeque<([u64; 8], u64, u64)>,
    works: VecDeque<[u64; 3]>,
    registers: BTreeMap<u64, u64>,
    aw: Option<u64>,
    w: Option<u64>,
    b: bool,
    r: Option<u64>,
}

impl Echo {
    fn new(seed: u64) -> Self {
        let list = port_list();
        let limbs = |input: bool| list.iter().filter(|p| p.input == input).map(Port::limbs).sum();
        Self {
            at: NicPorts::new(&list).unwrap(),
            inputs: vec![0; limbs(true)],
            outputs: vec![0; limbs(false)],
            list,
            stimulus: Stimulus::new(seed),
            beats: VecDeque::new(),
            works: VecDeque::new(),
            registers: BTreeMap::new(),
            aw: None,
            w: None,
            b: false,
            r: None,
        }
    }

    fn completion(&self) -> [u64; 3] {
        let limbs = &self.inputs[self.at.work.data..][..5];
        let mut done = [0; 3];
        Completion::ID.put(&mut done, WorkWord::ID.get(limbs));
        Completion::QPN.put(&mut done, WorkWord::QPN.get(limbs));
        Completion::OPERATION.put(&mut done, WorkWord::OPERATION.get(limbs));
        Completion::LENGTH.put(&mut done, WorkWord::LENGTH.get(limbs));
        // The key says how it is to end.
        Completion::STATUS.put(&mut done, WorkWord::REMOTE_KEY.get(limbs));
        done
    }
}

impl Clocked for Echo {
    fn ports(&self) -> &[Port] {
        &self.list
    }
    fn inputs(&mut self) -> &mut [u64] {
        &mut self.inputs
    }
    fn outputs(&self) -> &[u64] {
        &self.outputs
    }
    fn settle(&mut self) {
        let (at, out) = (self.at, &mut self.outputs);
        out[at.rx.ready] = self.stimulus.chance(0.8).into();
        out[at.work.ready] = self.stimulus.chance(0.5).into();
        let beat = self.beats.front();
        out[at.tx.valid] = beat.is_some().into();
        if let Some((data, keep, last)) = beat {
            out[at.tx.data..at.tx.data + 8].copy_from_slice(data);
            (out[at.tx.keep], out[at.tx.last]) = (*keep, *last);
        }
        out[at.completion.valid] = (!self.works.is_empty()).into();
        if let Some(done) = self.works.front() {
            out[at.completion.data..at.completion.data + 3].copy_from_slice(done);
        }
        let lite = at.lite;
        out[lite.awready] = (self.aw.is_none() && self.stimulus.chance(0.5)).into();
        out[lite.wready] = (self.w.is_none() && self.stimulus.chance(0.5)).into();
        out[lite.arready] = (self.r.is_none() && self.stimulus.chance(0.5)).into();
        out[lite.bvalid] = self.b.into();
        out[lite.rvalid] = self.r.is_some().into();
        out[lite.rdata] = self.r.unwrap_or(0);
    }
    fn edge(&mut self) {
        let (at, lite) = (self.at, self.at.lite);
        let moves = |valid: u64, ready: u64| valid == 1 && ready == 1;
        if moves(self.outputs[at.tx.valid], self.inputs[at.tx.ready]) {
            self.beats.pop_front();
        }
        if moves(self.inputs[at.rx.valid], self.outputs[at.rx.ready]) {
            let data = std::array::from_fn(|i| self.inputs[at.rx.data + i]);
            self.beats
                .push_back((data, self.inputs[at.rx.keep], self.inputs[at.rx.last]));
        }
        if moves(self.outputs[at.completion.valid], self.inputs[at.completion.ready]) {
            self.works.pop_front();
        }
        if moves(self.inputs[at.work.valid], self.outputs[at.work.ready]) {
            self.works.push_back(self.completion());
        }
        (self.b, self.r) = (false, None);
        if moves(self.inputs[lite.awvalid], self.outputs[lite.awready]) {
            self.aw = Some(self.inputs[lite.awaddr]);
        }
        if moves(self.inputs[lite.wvalid], self.outputs[lite.wready]) {
            self.w = Some(self.inputs[lite.wdata]);
        }
        if let (Some(address), Some(data)) = (self.aw, self.w) {
            (self.aw, self.w, self.b) = (None, None, true);
            self.registers.insert(address, data);
            if address == u64::from(offset::COMMAND) {
                // Region slot 31 is refused with code 2.
                let refused = data == 3 | 31 << 8;
                self.registers
                    .insert(offset::STATUS.into(), if refused { 0x24 } else { 2 });
            }
        }
        if moves(self.inputs[lite.arvalid], self.outputs[lite.arready]) {
            let address = self.inputs[lite.araddr];
            self.r = Some(self.registers.get(&address).copied().unwrap_or(address));
        }
    }
}

fn nic(seed: u64) -> RtlNic<Echo> {
    RtlNic::new(Echo::new(seed), 100.0).unwrap()
}

fn run(nic: &mut RtlNic<Echo>, clocks: u64) {
    nic.clock_for(clocks).unwrap();
}

#[test]
fn frames_of_every_length_pass_whole_and_at_the_line_rate() {
    let mut nic = nic(1);
    let frames: Vec<Vec<u8>> = (1..400)
        .map(|len| (0..len).map(|i| (i * 7 + len) as u8).collect())
        .collect();
    let start = nic.now_ns;
    for frame in &frames {
        nic.source.push(start, frame.clone());
    }
    run(&mut nic, 6000);
    let sent = &nic.sink.sent;
    assert!(sent.iter().map(|frame| &frame.bytes).eq(&frames));
    for pair in sent.windows(2) {
        let wire = wire_occupancy(pair[0].bytes.len()) as f64 * 0.08;
        assert!((pair[1].t_ns - pair[0].t_ns) as f64 >= wire - 1.0, "{pair:?}");
    }
    assert_eq!(nic.source.next_ns(), None);
}

#[test]
fn frames_wait_for_their_time_and_keep_their_order() {
    let mut nic = nic(2);
    let now = nic.now_ns;
    let frame = |byte: u8| vec![byte; 200];
    nic.source.push(now + 500, frame(1));
    nic.source.push(now, frame(0));
    run(&mut nic, 2);
    nic.source.push(now, frame(9));
    nic.source.push(now + 500, frame(2));
    run(&mut nic, 300);
    let sent: Vec<(u8, bool)> = nic
        .sink
        .sent
        .iter()
        .map(|f| (f.bytes[0], f.t_ns >= now + 500))
        .collect();
    assert_eq!(sent, [(0, false), (9, false), (1, true), (2, true)]);
}

#[test]
fn work_becomes_completions() {
    let mut nic = nic(3);
    let request = |id: u64| WorkRequest {
        id: id << 40 | id,
        qpn: 0x12_3456,
        operation: [Operation::Write, Operation::Read][id as usize % 2],
        local_address: 1,
        local_key: 2,
        remote_address: 3,
        remote_key: id as u32,
        length: 1 << 31,
    };
    (0..9).for_each(|id| nic.post_now(request(id)));
    run(&mut nic, 200);
    assert_eq!(nic.completions.len(), 9);
    for (id, done) in (0..).zip(&nic.completions) {
        let asked = request(id);
        assert_eq!(
            (done.work, done.qpn, done.operation),
            (asked.id, asked.qpn, asked.operation)
        );
        assert_eq!((done.status as u64, done.bytes), (id, 1 << 31));
    }
    assert_eq!(nic.completions[8].status, Status::Flushed);
    run(&mut nic, QUIET_CLOCKS + 10);
    assert!(nic.quiet());
}

#[test]
fn a_configuration_reaches_the_registers() {
    let spec = crate::nic::link_config::LinkSpec {
        int: true,
        qps: 3,
        ..Default::default()
    };
    let setup = spec.setup(1);
    let mut nic = nic(4);
    let steps = setup::steps(&setup).unwrap();
    steps.iter().for_each(|step| nic.carry_out(step).unwrap());
    let named: BTreeMap<String, u16> = registers().into_iter().map(|r| (r.name, r.offset)).collect();
    let value = |name: &str| nic.device.registers.get(&u64::from(named[name])).copied();
    assert_eq!(value("IP"), Some(0x0a00_000b));
    assert_eq!((value("MAC_LO"), value("MAC_HI")), (Some(0x0000_000b), Some(0x0200)));
    assert_eq!(value("MTU"), Some(2));
    assert_eq!(value("RATE_LO"), Some(0));
    // 12.5 bytes a nanosecond.
    assert_eq!(value("LINE_RATE_LO"), Some(0x6400_0000));
    let commands = steps.iter().filter(|step| matches!(step, Step::Command { .. })).count();
    assert_eq!(commands, 1 + 2 + 3);
    assert_eq!(value("COMMAND"), Some(1 | 4 << 8), "the last one creates queue pair 4");
    assert_eq!(nic.read(0x123 & !3).unwrap(), 0x120);
    let counters = nic.read_counters().unwrap();
    assert_eq!(counters.len(), Counter::ALL.len());
    assert_eq!(counters[1], ("tx_frames", 0x20c << 32 | 0x208));
    let refused = Step::Command {
        operation: 3,
        index: REGION_SLOTS - 1,
        body: vec![],
        about: "memory region 0x7".into(),
    };
    let error = nic.carry_out(&refused).unwrap_err().to_string();
    assert!(error.ends_with("memory region 0x7: refused with code 2"), "{error}");
}

#[test]
fn what_the_hardware_has_not_is_one_line() {
    let spec = crate::nic::link_config::LinkSpec::default();
    let refused = |change: &dyn Fn(&mut crate::config::NicSetup)| {
        let mut setup = spec.setup(0);
        change(&mut setup);
        setup::steps(&setup).unwrap_err()
    };
    assert_eq!(
        refused(&|setup| setup.nic.retry_timeout_ns = 70_000_000),
        "[nic] retry_timeout_us: the hardware has 1 to 67107"
    );
    assert_eq!(
        refused(&|setup| setup.nic.retry_limit = 16),
        "[nic] retry_limit: the hardware has 0 to 15, not 16"
    );
    let many = |setup: &mut crate::config::NicSetup| {
        let one = setup.qps[0].clone();
        setup.qps = (0..149)
            .map(|i| QpConfig {
                qpn: 0x1000 + i,
                ..one.clone()
            })
            .collect();
    };
    assert_eq!(
        refused(&many),
        "[[qp]] qpn: the lowest 8 bits of a number are its place in the hardware, which has 2 to 149; those of 0x1000 are 0"
    );
    assert!(refused(&|setup| setup.nic.window = 1e8).starts_with("[nic] window_bytes: 100000000 is more"));
}

/// What [`Sources::registered`](crate::verilated::Sources) says of the NIC.
#[test]
fn rtl_outputs_come_from_registers() {
    // as in a release build; inputs at random break what is asked of them, so that promises are not looked at
    let mut sources = top_sources(&NIC_HPCC).expect("emitted");
    (sources.registered, sources.defines) = (true, vec![FAST.into()]);
    let mut model = Model::new(&sources).expect("model");
    let inputs: Vec<Port> = model.ports().iter().filter(|port| port.input).cloned().collect();
    let mut stimulus = Stimulus::new(1);
    for clock in 0..3000 {
        for port in &inputs {
            for i in 0..port.limbs() {
                model.inputs[port.limb + i] = stimulus.uniform((port.width - 64 * i).min(64));
            }
        }
        model.set("rst", u64::from(clock < RESET_CLOCKS));
        model.settle();
        assert_eq!(model.low().expect("function"), model.outputs, "clock {clock}");
        model.edge();
    }
}
