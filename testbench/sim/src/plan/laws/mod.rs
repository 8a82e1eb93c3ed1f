//! The laws that a run can name, with their parameters, and the factory that makes a slot of one at a fidelity.

pub mod cc_rtl;
mod homa;
pub mod keys;
mod multi_rate;
pub mod own;
mod table;
mod values;
mod whole_rate;

use hpcc_models::cc::dcqcn::{Dcqcn, DcqcnParams};
use hpcc_models::cc::dctcp::Dctcp;
use hpcc_models::cc::hpcc::{Fairness, Hpcc, HpccParams, RateSignal, Reaction};
use hpcc_models::cc::powertcp::{PowerTcp, Profile};
use hpcc_models::cc::timely::Timely;
use hpcc_models::cc::LineRate;
use hpcc_models::fixed::dcqcn::DcqcnRegisters;
use hpcc_models::fixed::{FixedDcqcn, FixedHpcc, FixedLaw, FixedPower, LawEntry, Precision, LAWS};
use hpcc_models::net::tcp::TcpLaw;
use hpcc_models::net::{CcSlot, Direct, SlotParams};

use std::collections::BTreeMap;

use super::fidelity::Fidelity;
use crate::names::did_you_mean;
use cc_rtl::Driver;
use multi_rate::MultiRateHpcc;
use own::OwnLaw;
pub use table::{dcqcn_rows, hpcc_rows, power_rows};
use whole_rate::WholeRateHpcc;

/// Which law decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LawKind {
    /// Any HPCC; variants are in the options.
    Hpcc,
    /// DCQCN.
    Dcqcn,
    /// TIMELY.
    Timely,
    /// DCTCP.
    Dctcp,
    /// None in a slot: the hosts are TCP's.
    Tcp(TcpLaw),
    /// PowerTCP.
    PowerTcp,
    /// theta-PowerTCP.
    Theta,
    /// None in a slot: the hosts are HOMA's.
    Homa,
    /// One that the program brings along.
    Own(&'static OwnLaw),
    /// Line rate without a window.
    LineRate,
}

impl LawKind {
    /// The law exists in fixed point, and in RTL unless the program brought it along; any other is a model at `golden` alone.
    pub fn in_hardware(self) -> bool {
        match self {
            LawKind::Hpcc | LawKind::Dcqcn | LawKind::PowerTcp | LawKind::Theta => true,
            LawKind::Own(law) => law.fixed.is_some(),
            LawKind::Timely | LawKind::Dctcp | LawKind::Tcp(_) | LawKind::Homa | LawKind::LineRate => false,
        }
    }

    /// Name of the RTL that the law has; HPCC's where it has none, for its latency.
    fn in_rtl(self) -> &'static str {
        match self {
            LawKind::PowerTcp => "powertcp",
            LawKind::Theta => "theta-powertcp",
            LawKind::Dcqcn => "dcqcn",
            _ => "hpcc",
        }
    }

    /// From an acknowledgement to its window in the hardware, ns.
    pub fn latency_ns(self) -> u64 {
        cc_rtl::latency_ns(self.in_rtl())
    }

    /// HPCC decides, for a host of its own or a TCP connection.
    pub fn runs_hpcc(self) -> bool {
        matches!(self, LawKind::Hpcc | LawKind::Tcp(TcpLaw::HpccProbes))
    }

    /// A new rate moves a send that is already scheduled, as in the authors' simulators.
    pub fn moves_next_send(self) -> bool {
        matches!(
            self,
            LawKind::Hpcc | LawKind::PowerTcp | LawKind::Theta | LawKind::Own(_)
        )
    }
}

/// A law by name with everything a run can set about it. `None`: the default of the law for the port's speed.
#[derive(Clone, Debug, PartialEq)]
pub struct LawSpec {
    /// Name as on the command line and in results.
    pub name: String,
    /// Law.
    pub kind: LawKind,
    /// A window limits the flow (always for HPCC and DCTCP; `+win` for the others).
    pub windowed: bool,
    /// HPCC: which ACKs move the reference window.
    pub reaction: Reaction,
    /// HPCC: which rate enters `u'`.
    pub rate_signal: RateSignal,
    /// HPCC: how hops are joined.
    pub fairness: Fairness,
    /// HPCC: target utilisation.
    pub eta: f64,
    /// HPCC: additive rounds before a multiplicative one.
    pub max_stage: u8,
    /// HPCC: additive step, bytes.
    pub w_ai: f64,
    /// HPCC: the additive step as a rate (the ns-3 configuration has it so), bits per second.
    pub w_ai_rate: Option<u64>,
    /// HPCC: a flow or a hop record older than this is stale, ns.
    pub stale_limit_ns: u32,
    /// HPCC: rates are whole bits per second (golden fidelity in the ns-3 profile).
    pub whole_rates: bool,
    /// HPCC: a rate for each hop (golden fidelity in the ns-3 profile).
    pub multi_rate: bool,
    /// Speeds of links and traffic classes, bits per second, that the INT table lacks: at its codes 9 on.
    pub other_speeds: Vec<u64>,
    /// HPCC: searches for the bandwidth of idle classes.
    pub class_search: bool,
    /// HPCC: the additive step is divided by the flows that the receiver counts.
    pub n_aware: bool,
    /// Smallest rate, bits per second.
    pub min_rate: Option<u64>,
    /// Additive step of the comparators, bits per second.
    pub rate_ai: Option<u64>,
    /// Larger step of DCQCN and TIMELY, bits per second.
    pub rate_hai: Option<u64>,
    /// Gain of DCQCN and DCTCP.
    pub gain: Option<f64>,
    /// HPCC at fidelity `fixed`: another precision than the hardware's.
    pub precision: Option<Precision>,
    /// How the RTL runs, where it does.
    pub driver: Driver,
    /// DCQCN's remaining parameters in place of the defaults.
    pub dcqcn: Option<DcqcnParams>,
    /// PowerTCP: which set of options, unless a key says so.
    pub power_default: Profile,
    /// PowerTCP: what its power is divided by, where a configuration says so.
    pub power_eta: Option<f64>,
    /// Parameters set by key.
    pub keys: BTreeMap<String, toml::Value>,
}

/// Between two looks of DCQCN's timers at a flow at fidelity `fixed`, ns: a unit of its clock, so that the intervals of the authors' runs
/// (1 and 4 us) can be told apart.
const DCQCN_WALK_NS: u64 = 1024;

/// Names of `--cc`.
pub const LAW_NAMES: [&str; 13] = [
    "hpcc",
    "hpcc-per-ack",
    "hpcc-per-rtt",
    "hpcc-rxrate",
    "hpcc-alpha1",
    "dcqcn",
    "dcqcn+win",
    "timely",
    "timely+win",
    "dctcp",
    "powertcp",
    "theta-powertcp",
    "none",
];

/// Name of `--cc` for HOMA hosts.
pub const HOMA_NAME: &str = "homa";

/// Names of `--cc` for TCP hosts; `hcc` is a host whose rate agents command, `retcp` one whose window follows circuits, `hpcc-probes` one whose
/// window is HPCC's.
pub const TCP_NAMES: [&str; 7] = [
    "newreno",
    "linuxreno",
    "cubic",
    "dctcp-tcp",
    "hpcc-probes",
    "retcp",
    "hcc",
];

impl LawSpec {
    /// The law of that name with the paper's parameters.
    pub fn named(name: &str) -> Result<Self, String> {
        let kind = match name {
            "dcqcn" | "dcqcn+win" => LawKind::Dcqcn,
            "timely" | "timely+win" => LawKind::Timely,
            "dctcp" => LawKind::Dctcp,
            "powertcp" => LawKind::PowerTcp,
            "theta-powertcp" => LawKind::Theta,
            "none" => LawKind::LineRate,
            HOMA_NAME => LawKind::Homa,
            name if LAW_NAMES.contains(&name) => LawKind::Hpcc,
            "hcc" => LawKind::Tcp(TcpLaw::Commanded),
            name if TCP_NAMES.contains(&name) => LawKind::Tcp(TcpLaw::named(name).unwrap_or(TcpLaw::NewReno)),
            name => match own::all().iter().find(|law| law.name == name) {
                Some(law) => LawKind::Own(law),
                None => {
                    let mut names = [LAW_NAMES.join(", "), HOMA_NAME.into(), TCP_NAMES.join(", ")].join(", ");
                    for law in own::all() {
                        names = format!("{names}, {}", law.name);
                    }
                    let built_in = LAW_NAMES.into_iter().chain(TCP_NAMES).chain([HOMA_NAME]);
                    let near = did_you_mean(name, built_in.chain(own::all().iter().map(|law| law.name)));
                    return Err(format!("law: expected one of {names}, got `{name}`{near}"));
                }
            },
        };
        Ok(Self {
            name: name.into(),
            kind,
            windowed: !matches!(name, "dcqcn" | "timely" | "none"),
            reaction: match name {
                "hpcc-per-ack" => Reaction::PerAck,
                "hpcc-per-rtt" => Reaction::PerRtt,
                _ => Reaction::Hpcc,
            },
            rate_signal: if name == "hpcc-rxrate" {
                RateSignal::RxRate
            } else {
                RateSignal::TxRate
            },
            fairness: if name == "hpcc-alpha1" {
                Fairness::Alpha(1.0)
            } else {
                Fairness::MaxMin
            },
            eta: 0.95,
            max_stage: 5,
            w_ai: 80.0,
            w_ai_rate: None,
            stale_limit_ns: 1_000_000,
            whole_rates: false,
            multi_rate: false,
            other_speeds: Vec::new(),
            class_search: false,
            n_aware: false,
            min_rate: None,
            rate_ai: None,
            rate_hai: None,
            gain: None,
            precision: None,
            driver: Driver::default(),
            dcqcn: None,
            power_default: Profile::Paper,
            power_eta: None,
            keys: BTreeMap::new(),
        })
    }

    /// Whole NICs have the profile of DCQCN's paper unless another is asked for: timers of the authors' 1 and 4 us are shorter than a walk of the
    /// hardware over its flows.
    pub fn for_a_whole_nic(&mut self) {
        if self.kind == LawKind::Dcqcn && self.dcqcn.is_none() {
            self.keys
                .entry("profile".into())
                .or_insert_with(|| toml::Value::String("sigcomm".into()));
        }
    }

    /// The law, where the program brought it along.
    pub fn own(&self) -> Option<&'static OwnLaw> {
        match self.kind {
            LawKind::Own(law) => Some(law),
            _ => None,
        }
    }

    /// HPCC, PowerTCP: packets carry INT.
    pub fn uses_int(&self) -> bool {
        self.kind.runs_hpcc() || self.kind == LawKind::PowerTcp || self.own().is_some_and(|law| law.int)
    }

    /// PowerTCP as its authors have it: switches stamp what entered the queue.
    pub fn wants_arrivals(&self) -> bool {
        self.kind == LawKind::PowerTcp && self.power_profile() == Ok(Profile::Authors)
    }

    /// HPCC's parameters for one kind of port.
    pub fn hpcc_params(&self, port: &SlotParams) -> Result<HpccParams, String> {
        let base_rtt = u32::try_from(port.base_rtt_ns).map_err(|_| "base RTT: expected at most 4 s".to_string())?;
        let w_init = port.w_init_bytes as f64;
        let mut params = HpccParams::new(port.line_rate_bps, base_rtt);
        params.w_init = w_init;
        params.eta = self.eta;
        params.max_stage = self.max_stage;
        params.w_ai = match self.w_ai_rate {
            Some(rate) => rate as f64 * w_init / port.line_rate_bps as f64,
            None => self.w_ai,
        };
        params.min_rate = self.min_rate.unwrap_or(params.min_rate).min(port.line_rate_bps);
        params.int_multi = port.int_multi;
        params.stale_limit_ns = self.stale_limit_ns;
        params.reaction = self.reaction;
        params.rate_signal = self.rate_signal;
        params.fairness = self.fairness;
        self.set_other_speeds(&mut params.port_speeds);
        params.class_search = self.class_search;
        params.n_aware = self.n_aware;
        Ok(params)
    }

    /// Puts the speeds that the INT table lacks into a law's table.
    pub(super) fn set_other_speeds(&self, table: &mut [u64; 16]) {
        for (place, &speed) in table.iter_mut().skip(9).zip(&self.other_speeds) {
            *place = speed;
        }
    }

    /// Makes the slot for one kind of port.
    pub fn slot(&self, port: &SlotParams, fidelity: Fidelity) -> Result<Box<dyn CcSlot>, String> {
        match fidelity {
            Fidelity::Golden => self.golden(port),
            Fidelity::Fixed | Fidelity::CcRtl if self.multi_rate => {
                Err("MULTI_RATE: expected 0 at this fidelity: a rate per hop exists at golden only".into())
            }
            Fidelity::Fixed => match self.own().and_then(|law| law.fixed.map(|make| (law, make))) {
                Some((law, make)) => Ok(Box::new(Direct::new(make(&law.values(&self.keys)?, port)?))),
                None => Ok(Box::new(Direct::new(self.fixed(port)?))),
            },
            Fidelity::CcRtl => {
                let law: Box<dyn FixedLaw> = match self.kind {
                    LawKind::Hpcc | LawKind::PowerTcp | LawKind::Theta => self.fixed(port)?,
                    LawKind::Dcqcn => {
                        let registers =
                            DcqcnRegisters::new(&self.dcqcn_params(port)?, self.windowed).map_err(|e| e.to_string())?;
                        // ticks come as events
                        let registers = DcqcnRegisters { walk: 0, ..registers };
                        Box::new(FixedDcqcn::with_registers(registers, DCQCN_WALK_NS))
                    }
                    _ => {
                        return Err(format!(
                            "fidelity: expected golden or fixed for {}, whose RTL does not exist",
                            self.name
                        ))
                    }
                };
                cc_rtl::make(self.kind.in_rtl(), &law.writes(), self.driver, law)
            }
            Fidelity::NicModel | Fidelity::NicRtl => {
                Err("fidelity: expected golden, fixed or cc-rtl for hosts inside the simulator".into())
            }
        }
    }

    fn golden(&self, port: &SlotParams) -> Result<Box<dyn CcSlot>, String> {
        Ok(match self.kind {
            LawKind::Hpcc if self.multi_rate => {
                let law = MultiRateHpcc::new(self.hpcc_params(port)?).map_err(|e| e.to_string())?;
                Box::new(Direct::new(Box::new(law)))
            }
            LawKind::Hpcc if self.whole_rates => {
                let law = WholeRateHpcc::new(self.hpcc_params(port)?).map_err(|e| e.to_string())?;
                Box::new(Direct::new(Box::new(law)))
            }
            LawKind::Hpcc | LawKind::Tcp(TcpLaw::HpccProbes) => {
                let law = Hpcc::<f64>::beyond_hardware(self.hpcc_params(port)?).map_err(|e| e.to_string())?;
                Box::new(Direct::new(Box::new(law)))
            }
            LawKind::Dcqcn => Box::new(Direct::new(Box::new(Dcqcn::new(self.dcqcn_params(port)?)))),
            LawKind::Timely => Box::new(Direct::new(Box::new(Timely::new(self.timely_params(port)?)))),
            LawKind::Dctcp => Box::new(Direct::new(Box::new(Dctcp::new(self.dctcp_params(port)?)))),
            LawKind::LineRate => Box::new(Direct::new(Box::new(LineRate::new(port.line_rate_bps)))),
            LawKind::Tcp(_) | LawKind::Homa => return Err(self.not_in_a_slot()),
            LawKind::Own(law) => Box::new(Direct::new((law.golden)(&law.values(&self.keys)?, port)?)),
            LawKind::PowerTcp | LawKind::Theta => {
                let law = PowerTcp::new(self.power_params(port)?).map_err(|e| e.to_string())?;
                Box::new(Direct::new(Box::new(law)))
            }
        })
    }

    /// The law in fixed point.
    fn fixed(&self, port: &SlotParams) -> Result<Box<dyn FixedLaw>, String> {
        Ok(match self.kind {
            LawKind::Hpcc => {
                let params = self.hpcc_params(port)?;
                match &self.precision {
                    None => Box::new(FixedHpcc::new(params).map_err(|e| e.to_string())?),
                    Some(p) => Box::new(FixedHpcc::at_precision(params, p).map_err(|e| format!("cc.precision.{e}"))?),
                }
            }
            LawKind::Dcqcn => {
                let params = self.dcqcn_params(port)?;
                Box::new(FixedDcqcn::new(&params, self.windowed, DCQCN_WALK_NS).map_err(|e| e.to_string())?)
            }
            LawKind::PowerTcp | LawKind::Theta => {
                Box::new(FixedPower::new(self.power_params(port)?).map_err(|e| e.to_string())?)
            }
            LawKind::Tcp(_) | LawKind::Homa => return Err(self.not_in_a_slot()),
            LawKind::Timely | LawKind::Dctcp | LawKind::LineRate | LawKind::Own(_) => {
                let names: Vec<&str> = LAWS.iter().map(|law: &LawEntry| law.name).collect();
                return Err(format!(
                    "fidelity: expected golden for {}, which exists as a model only; {} have a fixed-point form",
                    self.name,
                    names.join(", ")
                ));
            }
        })
    }

    fn not_in_a_slot(&self) -> String {
        format!(
            "law: expected one of a congestion-control slot for these flows, got {}",
            self.name
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_makes_a_slot() {
        let port = SlotParams {
            line_rate_bps: 100_000_000_000,
            base_rtt_ns: 13_000,
            w_init_bytes: 162_500,
            mtu: 1024,
            int_multi: 1,
        };
        for name in LAW_NAMES.into_iter().chain(["hpcc-probes"]) {
            let spec = LawSpec::named(name).unwrap();
            assert!(spec.slot(&port, Fidelity::Golden).is_ok(), "{name}");
            let fixed = LAWS.iter().any(|law| law.name == name.trim_end_matches("+win"));
            if fixed {
                assert!(spec.slot(&port, Fidelity::Fixed).is_ok(), "{name}");
            }
        }
        assert!(LawSpec::named("reno")
            .unwrap_err()
            .starts_with("law: expected one of hpcc,"));
    }
}
