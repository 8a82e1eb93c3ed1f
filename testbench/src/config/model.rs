//! The behavioural model of a configured NIC, and the laws that its flows follow.

use super::NicSetup;
use hpcc_models::cc::dcqcn::DcqcnParams;
use hpcc_models::cc::hpcc::{Hpcc, HpccParams, ParamError};
use hpcc_models::cc::powertcp::{MissingRtt, PowerParams, PowerTcp, Signal};
use hpcc_models::cc::CongestionControl;
use hpcc_models::fixed::dcqcn::DcqcnRegisters;
use hpcc_models::fixed::{FixedDcqcn, LawEntry, LAWS};
use hpcc_models::nic::{BlockMemory, HostError, Nic, NicConfig, QpConfig, SEND_TIME_PLACES};
use std::collections::BTreeSet;

/// A law with its code.
pub type CodedLaw = (u8, Box<dyn CongestionControl>);

/// Laws that a NIC can be built with, model and hardware alike.
pub const NIC_LAWS: [&str; 4] = ["hpcc", "dcqcn", "powertcp", "theta-powertcp"];

/// Code of DCQCN.
pub const DCQCN: u8 = 2;
/// ECN field of a sender that understands marks, ECT(0): what DCQCN needs.
pub const ECT: u8 = 2;

/// Time between two looks of DCQCN's timers at a flow where few of the 300 have been notified, ns: one clock for each flow.
const DCQCN_WALK_NS: u64 = 1500;

/// The code of a law of the NIC by its name; `none` is 0.
pub fn law_code(name: &str) -> Result<u8, String> {
    let known = NIC_LAWS.contains(&name).then(|| LawEntry::named(name)).flatten();
    match (name, known) {
        ("none", _) => Ok(0),
        (_, Some(law)) => Ok(law.code),
        _ => Err(format!("expected {} or none, got `{name}`", NIC_LAWS.join(", "))),
    }
}

/// The name of a law by its code.
pub fn law_name(code: u8) -> &'static str {
    LAWS.iter().find(|law| law.code == code).map_or("none", |law| law.name)
}

/// Whether the acknowledgements of the law of this code must carry INT.
pub fn needs_int(code: u8) -> bool {
    LAWS.iter().any(|law| law.code == code && law.needs_int)
}

/// Packets at most between two requests for an acknowledgement that queue pairs need, of each whether it has INT and the code of its law. Without INT
/// only what is asked for is acknowledged, and under a law that steers by round-trip times a window that shrinks below what is on its way would wait
/// for an acknowledgement that nobody has asked for, until the retransmission timer ends: there every packet asks.
pub fn ack_req_interval(queue_pairs: impl IntoIterator<Item = (bool, u8)>) -> u32 {
    let by_round_trips = |code| LAWS.iter().any(|law| law.code == code && law.needs_send_times);
    match queue_pairs.into_iter().any(|(int, code)| !int && by_round_trips(code)) {
        true => 1,
        false => NicConfig::default().ack_req_interval,
    }
}

/// HPCC at the receiver for one queue pair: as at a sender whose port is the peer's. `None` where the peer's port is out of range.
fn receiver_law(own: &HpccParams, qp: &QpConfig) -> Option<Box<dyn CongestionControl>> {
    let peer = match qp.peer_port {
        Some(port) => HpccParams {
            line_rate: port.line_rate_bps,
            w_init: port.window_bytes as f64,
            min_rate: own.min_rate.min(port.line_rate_bps),
            ..own.clone()
        },
        None => own.clone(),
    };
    let law = Hpcc::<f64>::new(peer).ok()?;
    Some(Box::new(law))
}

impl NicSetup {
    /// Parameters of HPCC for this NIC's port.
    pub fn hpcc_params(&self) -> Result<HpccParams, String> {
        if let Some(params) = &self.hpcc {
            params.validate().map_err(|error| error.to_string())?;
            return Ok(params.clone());
        }
        let mut params = HpccParams::new(self.nic.line_rate_bps as u64, self.base_rtt_ns);
        params.w_init = self.nic.window;
        params.min_rate = params.min_rate.min(params.line_rate);
        params.port_speeds = self.port_speeds();
        params.validate().map_err(|error| format!("[nic] {error}"))?;
        Ok(params)
    }

    /// Parameters of PowerTCP or theta-PowerTCP, by what they read, for this NIC's port: the paper's profile, unless they are given. A missing
    /// round-trip time, which the authors' rules read as the base, then repeats the last: a NIC times one packet in `S`, their simulator every one.
    pub fn power_params(&self, signal: Signal) -> Result<PowerParams, String> {
        if let Some(params) = self.power.as_ref().filter(|params| params.signal == signal) {
            params.validate().map_err(|error| error.to_string())?;
            let mut params = params.clone();
            if params.missing_rtt == MissingRtt::Base {
                params.missing_rtt = MissingRtt::Last;
            }
            return Ok(params);
        }
        let mut params = PowerParams::paper(signal, self.nic.line_rate_bps as u64, self.base_rtt_ns);
        params.w_init = self.nic.window;
        params.min_rate = params.min_rate.min(params.line_rate);
        params.port_speeds = self.port_speeds();
        params.validate().map_err(|error| format!("[nic] {error}"))?;
        Ok(params)
    }

    /// Registers of DCQCN for this NIC's port: the profile of its paper, without a window, unless parameters are given. Marks come back in
    /// notification packets, so those on acknowledgements do not count.
    pub fn dcqcn_registers(&self) -> Result<DcqcnRegisters, ParamError> {
        let (params, windowed) = self.dcqcn_params();
        DcqcnRegisters::new(&params, windowed)
    }

    /// Parameters of DCQCN behind those registers, and whether it has a window.
    pub fn dcqcn_params(&self) -> (DcqcnParams, bool) {
        let line_rate = self.nic.line_rate_bps as u64;
        let (params, windowed) = match self.dcqcn {
            Some(given) => given,
            None => (DcqcnParams::sigcomm(line_rate, self.nic.window), false),
        };
        let params = DcqcnParams {
            mark_on_ack: false,
            min_rate: params.min_rate.min(line_rate),
            ..params
        };
        (params, windowed)
    }

    fn port_speeds(&self) -> [u64; 16] {
        self.nic.speed_table.map(|gbps| u64::from(gbps) * 1_000_000_000)
    }

    /// Code of the law of a queue pair, 0 for none.
    pub fn law_of(&self, qp: &QpConfig) -> u8 {
        qp.law_or(self.nic.default_law)
    }

    /// Codes of the laws that queue pairs have or may come to have.
    pub fn wanted_laws(&self) -> BTreeSet<u8> {
        let all = self.feedback().map(|(_, code)| code);
        all.filter(|code| *code != 0).collect()
    }

    /// Whether each queue pair has INT, and the code of its law; also of those that packets may create.
    pub(super) fn feedback(&self) -> impl Iterator<Item = (bool, u8)> + '_ {
        let by_packet = self.nic.control.enabled.then_some((true, self.nic.default_law));
        self.qps.iter().map(|qp| (qp.int, self.law_of(qp))).chain(by_packet)
    }

    /// Which packets are timed, the last of every 2^n: those of laws that measure round trips, so many that no place of the sixteen that a queue
    /// pair has is needed twice within a window. `None` where no queue pair wants such a law.
    pub fn send_times(&self) -> Option<u8> {
        let wanted = self.wanted_laws();
        if !LAWS
            .iter()
            .any(|law| law.needs_send_times && wanted.contains(&law.code))
        {
            return None;
        }
        let mtu = self.qps.iter().map(|qp| qp.mtu).min().unwrap_or(self.nic.mtu);
        let least = self.nic.window / (SEND_TIME_PLACES as f64 * f64::from(mtu));
        (0..15)
            .find(|n| f64::from(1 << n) >= least)
            .or(Some(15))
            .map(|n: u32| n as u8)
    }

    /// The laws that queue pairs want: golden, and DCQCN in fixed point, whose timers look at times as those of the hardware do.
    pub fn laws(&self) -> Result<Vec<CodedLaw>, String> {
        let law = |code| -> Result<CodedLaw, String> {
            let fault = |error: ParamError| format!("[nic] {error}");
            Ok(match law_name(code) {
                "hpcc" => (code, Box::new(Hpcc::<f64>::new(self.hpcc_params()?).map_err(fault)?)),
                "dcqcn" => {
                    let registers = self.dcqcn_registers().map_err(fault)?;
                    (code, Box::new(FixedDcqcn::with_registers(registers, DCQCN_WALK_NS)))
                }
                "powertcp" => (
                    code,
                    Box::new(PowerTcp::new(self.power_params(Signal::Int)?).map_err(fault)?),
                ),
                "theta-powertcp" => (
                    code,
                    Box::new(PowerTcp::new(self.power_params(Signal::Delay)?).map_err(fault)?),
                ),
                name => return Err(format!("law: expected {} or none, got {name}", NIC_LAWS.join(", "))),
            })
        };
        self.wanted_laws().into_iter().map(law).collect()
    }

    /// The behavioural model of this NIC, with its memory and queue pairs, before any work: the reference that the RTL's
    /// frames are compared with.
    pub fn model(&self, laws: Vec<CodedLaw>) -> Result<Nic<BlockMemory>, HostError> {
        let mut memory = BlockMemory::default();
        for block in &self.memory {
            memory.add(block.place(), block.bytes.clone());
        }
        let config = NicConfig {
            send_times: self.send_times(),
            ..self.nic.clone()
        };
        let mut nic = Nic::new(config, memory, None);
        for (code, law) in laws {
            nic.add_law(code, law);
        }
        for block in &self.memory {
            nic.add_memory_region(block.region);
        }
        if let Ok(own) = self.hpcc_params() {
            nic.set_receiver_law(Box::new(move |qp| receiver_law(&own, qp)));
        }
        for qp in self.qps.iter().filter(|qp| !self.queues.has(qp.qpn)) {
            nic.create_qp(qp.clone())?;
        }
        Ok(nic)
    }
}
