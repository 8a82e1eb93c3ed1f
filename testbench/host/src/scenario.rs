//! NICs on the hosts of a scenario's network, with its law.

use crate::host::{registers, Network};
use crate::nic::HostNic;
use crate::packets::PacketNetwork;
use crate::space::Spaces;
use crate::wire::{Fabric, PathRule};
use hpcc_models::cc::hpcc::Hpcc;
use hpcc_models::cc::powertcp::{MissingRtt, PowerParams, PowerTcp};
use hpcc_models::cc::{Carrier, CongestionControl};
use hpcc_models::fixed::dcqcn::DcqcnRegisters;
use hpcc_models::fixed::{FixedDcqcn, LAWS};
use hpcc_models::net::{Framing, SamplePlan, Simulator, SlotParams};
use hpcc_models::nic::{CnpConfig, Nic, NicConfig, CNP_UNIT_BITS, SEND_TIME_PLACES};
use hpcc_sim::plan::laws::LawKind;
use hpcc_sim::plan::{Fidelity, Job};
use hpcc_sim::scenario::builtin;
use hpcc_sim::scenario::spec::{parse_set, placed, plan, Overrides};
use hpcc_sim::scenario::traffic::read_text;

/// Path MTU of programs, which the network's parameters are made for unless the command says otherwise.
const MTU: i64 = 4096;
/// Priorities of data and of acknowledgements.
const PRIORITIES: (u8, u8) = (0, 7);
/// ECN field of a sender that understands marks: ECT(0).
const ECT: u8 = 2;
/// Between two looks of DCQCN's timers at a queue pair, ns.
const DCQCN_WALK_NS: u64 = 1500;

/// The network of a built-in scenario or of a scenario file, with another law and other values if asked. Of its traffic nothing is run.
pub fn scenario_job(name: &str, law: Option<&str>, set: &[String]) -> Result<Job, String> {
    let (file, text) = match builtin::find(name) {
        Some(found) => (format!("scenario {name}"), found.text.to_string()),
        None => (name.to_string(), read_text(name)?),
    };
    let mut values = set
        .iter()
        .map(|text| parse_set(text).map_err(|error| format!("--set: {error}")))
        .collect::<Result<Vec<_>, _>>()?;
    if !values.iter().any(|(key, _)| key == "network.mtu") {
        let (key, value) = parse_set(&format!("network.mtu={MTU}"))?;
        values.insert(0, (key, value));
    }
    let overrides = Overrides {
        law: law.map(str::to_string),
        fidelity: Some(Fidelity::NicModel),
        set: values,
        no_variants: true,
        ..Overrides::default()
    };
    let planned = plan(&file, &text, &overrides)?;
    let first = planned.first().ok_or_else(|| format!("{file}: expected a run"))?;
    let job = Job::new(first).map_err(|fault| placed(&file, &text, &overrides, first, &fault))?;
    check(&job).map_err(|error| format!("{file}: {error}"))?;
    Ok(job)
}

/// What the daemon's NICs and network do not have.
fn check(job: &Job) -> Result<(), String> {
    let config = &job.config;
    let plain = config.framing == Framing::wire(job.law.uses_int())
        && config.probes.is_none()
        && config.sampling.is_none()
        && config.feedback.carrier == Carrier::Ack
        && config.feedback.ack_every == 1
        && !config.feedback.count_flows;
    if !plain {
        return Err("telemetry: expected Fig. 7's format on every packet, back with each acknowledgement".into());
    }
    if config.classes.is_some() || config.tcp.is_some() || config.homa.is_some() || job.hcc.is_some() {
        return Err("expected one class of traffic, and neither TCP, HOMA nor HCC".into());
    }
    match job.flows.is_empty() {
        true => Err("traffic: expected at least one flow".into()),
        false => Ok(()),
    }
}

/// Registers and law of a NIC at this port.
fn law(
    job: &Job,
    port: &SlotParams,
    config: NicConfig,
) -> Result<(NicConfig, &'static str, Box<dyn CongestionControl>), String> {
    let fault = |error: hpcc_models::cc::hpcc::ParamError| error.to_string();
    let power = |params: PowerParams| -> Result<Box<dyn CongestionControl>, String> {
        let missing_rtt = match params.missing_rtt {
            MissingRtt::Base => MissingRtt::Last,
            other => other,
        };
        let law = PowerTcp::new(PowerParams { missing_rtt, ..params }).map_err(|error| error.to_string())?;
        Ok(Box::new(law))
    };
    let window = port.w_init_bytes as f64;
    let config = NicConfig { window, ..config };
    Ok(match job.law.kind {
        LawKind::Hpcc => {
            let params = job.law.hpcc_params(port)?;
            let window = params.w_init;
            let law = Hpcc::<f64>::new(params).map_err(fault)?;
            (NicConfig { window, ..config }, "hpcc", Box::new(law))
        }
        LawKind::PowerTcp => (config, "powertcp", power(job.law.power_params(port)?)?),
        LawKind::Theta => {
            // The last packet of every 2^n is timed, so many that no place of a queue pair is needed twice within a window.
            let least = window / (SEND_TIME_PLACES as f64 * f64::from(config.mtu));
            let config = NicConfig {
                send_times: (0..15u8).find(|n| f64::from(1u32 << n) >= least).or(Some(15)),
                ack_req_interval: 1,
                ..config
            };
            (config, "theta-powertcp", power(job.law.power_params(port)?)?)
        }
        LawKind::Dcqcn => {
            let mut params = job.law.dcqcn_params(port)?;
            // A notification at most once in the interval in which a sender makes at most one cut.
            let cnp = CnpConfig {
                interval: params.decrease_interval.div_ceil(1 << CNP_UNIT_BITS) as u32,
                ..CnpConfig::default()
            };
            params.mark_on_ack = false;
            params.min_rate = params.min_rate.min(port.line_rate_bps);
            let registers = DcqcnRegisters::new(&params, job.law.windowed).map_err(fault)?;
            let law = FixedDcqcn::with_registers(registers, DCQCN_WALK_NS);
            let config = NicConfig {
                cnp,
                ecn: ECT,
                window: params.w_init,
                ..config
            };
            (config, "dcqcn", Box::new(law))
        }
        _ => return Err("law: expected hpcc, dcqcn, powertcp or theta-powertcp".to_string()),
    })
}

impl Network {
    /// Behavioural NICs as the first hosts of a scenario's network.
    pub fn scenario(job: &Job, nics: u32, spaces: &Spaces) -> Result<Self, String> {
        let mut slot = |port: &_| job.law.slot(port, Fidelity::Golden);
        let observed = SamplePlan::default();
        let sim = Simulator::new(
            &job.topology,
            job.flows.clone(),
            job.config.clone(),
            observed,
            &mut slot,
        );
        let mut sim = sim.map_err(|error| error.to_string())?;
        job.link_changes.iter().for_each(|&change| sim.add_link_change(change));
        let acknowledgements = match job.config.host_acks_ignore_pause {
            true => 0,
            false => 1 << PRIORITIES.1,
        };
        let stops = 1 << PRIORITIES.0 | acknowledgements;
        let multi = job.config.int_multi;
        let fabric =
            PacketNetwork::new(sim, &job.topology, nics as usize, (multi, stops)).map_err(|error| error.to_string())?;
        let mut made: Vec<Box<dyn HostNic>> = Vec::new();
        let mut code = None;
        for nic in 0..nics {
            let rate = fabric.rate_bps(nic as usize);
            let port = SlotParams {
                line_rate_bps: rate,
                w_init_bytes: (u128::from(rate) * u128::from(job.port().base_rtt_ns) / 8_000_000_000) as u64,
                ..job.port()
            };
            let plain = NicConfig {
                mtu: job.config.mtu,
                line_rate_bps: rate as f64,
                ack_priority: PRIORITIES.1,
                ack_pause: !job.config.host_acks_ignore_pause,
                ..NicConfig::default()
            };
            let (config, name, law) = law(job, &port, plain)?;
            let entry = LAWS.iter().find(|entry| entry.name == name);
            let entry = entry.ok_or_else(|| format!("law: the NIC has no {name}"))?;
            code = Some(entry.code);
            let mut config = registers(nic, nics, config);
            config.default_law = entry.code;
            let speeds = config.speed_table.iter_mut().skip(9).zip(&job.law.other_speeds);
            for (place, &bps) in speeds {
                *place = bps.div_ceil(1_000_000_000).min(u64::from(u16::MAX)) as u16;
            }
            config.format.numbers.int_multi = multi;
            config.feedback.round_trip_ns = u32::try_from(port.base_rtt_ns).unwrap_or(u32::MAX);
            let mut model = Nic::new(config, spaces.clone(), None);
            model.add_law(entry.code, law);
            made.push(Box::new(model));
        }
        Ok(Self {
            nics: made,
            fabric: Box::new(fabric),
            path: PathRule {
                int: job.law.uses_int(),
                law: code,
                priority: PRIORITIES.0,
            },
        })
    }
}
