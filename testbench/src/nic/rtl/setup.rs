//! A NIC's configuration as register writes and commands, in the order in which a driver makes them.

use crate::config::{law_name, NicSetup, NIC_LAWS};
use hpcc_models::cc::hpcc::ParamError;
use hpcc_models::cc::powertcp::Signal;
use hpcc_models::fixed::powertcp::PowerRegisters;
use hpcc_models::fixed::registers::HpccRegisters;
use hpcc_models::nic::queues::MemoryRegion;
use hpcc_models::nic::registers::{
    offset, registers, MAX_RD_ATOMIC, NEIGHBOUR_SLOTS, QP_COUNT, REGION_SLOTS, RESPONDER_READS,
};
use hpcc_models::nic::QpConfig;
use hpcc_models::sched::registers::SchedRegisters;
use hpcc_rtl::words::context::{self, QpContext};
use std::collections::BTreeMap;
use std::net::Ipv4Addr;

/// What a driver does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Writes a register.
    Write(u16, u32),
    /// Writes a body and starts a command: operation and index.
    Command {
        /// Operation.
        operation: u32,
        /// Place of a queue pair or slot of a neighbour; of a region it is not looked at.
        index: u32,
        /// Words of the body, lowest first.
        body: Vec<u32>,
        /// What it is for, in an error.
        about: String,
    },
}

/// Unit of the retransmission timer, ns: a power of two.
const TIMER_UNIT_NS: u64 = 1024;
/// Lowest bits of a queue pair's number, which are its place.
const PLACE_BITS: u32 = 8;
const PLACE_MASK: u32 = (1 << PLACE_BITS) - 1;
/// Bits of a region's key that are its entry.
const KEY_ENTRY_LOW: u32 = 8;
const KEY_ENTRY_HIGH: u32 = KEY_ENTRY_LOW + REGION_SLOTS.ilog2() - 1;
/// Fraction bits of windows and rates in the register map.
const WINDOW_FRACTION: u32 = 11;
const RATE_FRACTION: u32 = 27;
/// Places of addresses in the control packets' list.
const CONTROL_SOURCES: usize = 8;

/// `low..=high` or one line that says so.
fn within(name: &str, value: u64, low: u64, high: u64) -> Result<u32, String> {
    if (low..=high).contains(&value) {
        u32::try_from(value).map_err(|_| format!("[nic] {name}: {value} is more than 32 bits"))
    } else {
        Err(format!("[nic] {name}: the hardware has {low} to {high}, not {value}"))
    }
}

fn fixed(name: &str, value: f64, fraction: u32, bits: u32) -> Result<u64, String> {
    let raw = (value * f64::from(fraction).exp2()).round();
    if raw >= 0.0 && raw < f64::from(bits).exp2() {
        Ok(raw as u64)
    } else {
        Err(format!("[nic] {name}: {value} is more than the hardware has"))
    }
}

fn mtu_code(mtu: u32) -> u32 {
    (mtu / 256).trailing_zeros()
}

struct Steps {
    list: Vec<Step>,
    map: Vec<(String, u16)>,
}

impl Steps {
    fn set(&mut self, name: &str, value: u32) -> Result<(), String> {
        let found = self.map.iter().find(|(known, _)| known == name);
        let (_, offset) = found.ok_or_else(|| format!("the register map has no {name}"))?;
        self.list.push(Step::Write(*offset, value));
        Ok(())
    }

    fn set_wide(&mut self, name: &str, value: u64) -> Result<(), String> {
        self.set(&format!("{name}_LO"), value as u32)?;
        self.set(&format!("{name}_HI"), (value >> 32) as u32)
    }

    fn parameter(&mut self, window: u16, address: u8, value: u64) {
        let at = window + 8 * u16::from(address);
        self.list.push(Step::Write(at, value as u32));
        self.list.push(Step::Write(at + 4, (value >> 32) as u32));
    }
}

/// Everything that a driver does before the first work request.
pub fn steps(setup: &NicSetup) -> Result<Vec<Step>, String> {
    let map = registers().into_iter().map(|register| (register.name, register.offset));
    let mut steps = Steps {
        list: Vec::new(),
        map: map.collect(),
    };
    settings(setup, &mut steps)?;
    parameters(setup, &mut steps)?;
    let nic = &setup.nic;
    if nic.neighbours.len() > NEIGHBOUR_SLOTS as usize {
        return Err(format!("[[neighbour]] the hardware has {NEIGHBOUR_SLOTS} slots"));
    }
    for (slot, (ip, mac)) in (0..).zip(&nic.neighbours) {
        let mac = mac.number();
        steps.list.push(Step::Command {
            operation: 4,
            index: slot,
            body: vec![u32::from(*ip), mac as u32, (mac >> 32) as u32],
            about: format!("neighbour {ip}"),
        });
    }
    let mut entries: BTreeMap<u32, u32> = BTreeMap::new();
    for block in &setup.memory {
        let key = block.region.key;
        let entry = key >> KEY_ENTRY_LOW & (REGION_SLOTS - 1);
        if let Some(other) = entries.insert(entry, key) {
            return Err(format!(
                "[[memory]] key: bits {KEY_ENTRY_LOW} to {KEY_ENTRY_HIGH} of a key are its entry in the hardware's table, and 0x{other:x} and \
                 0x{key:x} have the same entry {entry}"
            ));
        }
        steps.list.push(region(&block.region));
    }
    let places = places(setup)?;
    for qp in &setup.qps {
        steps.list.push(Step::Command {
            operation: 1,
            index: places[&qp.qpn],
            body: context_body(
                qp,
                setup.law_of(qp),
                nic.neighbours.get(&qp.remote_ip).map_or(0, |mac| mac.number()),
            ),
            about: format!("queue pair 0x{:x}", qp.qpn),
        });
    }
    Ok(steps.list)
}

/// Where each queue pair number lives: its lowest bits are the place.
pub fn places(setup: &NicSetup) -> Result<BTreeMap<u32, u32>, String> {
    let mut numbers: BTreeMap<u32, u32> = BTreeMap::new();
    for qpn in setup.qps.iter().map(|qp| qp.qpn) {
        let place = qpn & PLACE_MASK;
        if !(2..QP_COUNT).contains(&place) {
            return Err(format!(
                "[[qp]] qpn: the lowest {PLACE_BITS} bits of a number are its place in the hardware, which has 2 to {}; those of 0x{qpn:x} are \
                 {place}",
                QP_COUNT - 1
            ));
        }
        if let Some(other) = numbers.insert(place, qpn).filter(|other| *other != qpn) {
            return Err(format!(
                "[[qp]] qpn: the lowest {PLACE_BITS} bits of a number are its place in the hardware, and 0x{other:x} and 0x{qpn:x} have \
                 the same place {place}"
            ));
        }
    }
    Ok(numbers.into_iter().map(|(place, qpn)| (qpn, place)).collect())
}

/// Writes a memory region.
pub fn region(region: &MemoryRegion) -> Step {
    Step::Command {
        operation: 3,
        index: 0,
        body: region_body(region),
        about: format!("memory region 0x{:x}", region.key),
    }
}

/// Removes the memory region of a key.
pub fn removal(key: u32) -> Step {
    let mut limbs = [0; 4];
    context::Region::KEY.put(&mut limbs, key.into());
    Step::Command {
        operation: 3,
        index: 0,
        body: words(&limbs),
        about: format!("removal of memory region 0x{key:x}"),
    }
}

fn settings(setup: &NicSetup, steps: &mut Steps) -> Result<(), String> {
    let nic = &setup.nic;
    steps.set_wide("MAC", nic.mac.number())?;
    steps.set("IP", nic.ip.into())?;
    steps.set("MTU", mtu_code(nic.mtu))?;
    steps.set("PORT_ROCE", nic.ports.roce.into())?;
    steps.set("PORT_INT", nic.ports.int_collect.into())?;
    steps.set("PORT_ECHO", nic.ports.int_echo.into())?;
    steps.set("PORT_CONTROL", nic.ports.control.into())?;
    steps.set("ECHO_ICRC_FULL", nic.echo_icrc_full.into())?;
    if let Some(probes) = &nic.probes {
        steps.set(
            "PROBE_INTERVAL",
            within("probes", probes.interval_ns.into(), 1, u32::MAX.into())?,
        )?;
        steps.set("PROBE_TIMEOUT", probes.timeout_ns)?;
        steps.set("PROBE_PACKETS", within("probes", probes.packets.into(), 1, 255)?)?;
    }
    steps.set("DSCP_UNSTAMPED", nic.dscp_unstamped.into())?;
    steps.set("PKEY", nic.pkey.into())?;
    steps.set("DSCP", nic.dscp.into())?;
    steps.set("TTL", nic.ttl.into())?;
    steps.set("ECN", nic.ecn.into())?;
    steps.set("CNP_DSCP", nic.cnp.dscp.into())?;
    steps.set("CNP_INTERVAL", nic.cnp.interval)?;
    steps.set("CNP_ENABLE", nic.cnp.enabled.into())?;
    if let Some(spacing) = setup.send_times() {
        steps.set("SEND_TIMES", u32::from(spacing) | 1 << 8)?;
    }
    let eight = |name, value: u32| within(name, value.into(), 1, 255);
    steps.set("ACK_REQ_INTERVAL", eight("ack_req_interval", nic.ack_req_interval)?)?;
    let reads = within("max_rd_atomic", nic.max_rd_atomic.into(), 1, MAX_RD_ATOMIC.into())?;
    steps.set("MAX_RD_ATOMIC", reads)?;
    let reads = within("responder_reads", nic.responder_reads.into(), 1, RESPONDER_READS.into())?;
    steps.set("RESPONDER_READS", reads)?;
    steps.set("RNR_RETRY", within("rnr_retry", nic.rnr_retry.into(), 0, 7)?)?;
    let class = u32::from(nic.ack_priority) | u32::from(nic.ack_pause) << 8;
    steps.set("ACK_CLASS", class)?;
    let valid = (0..16).fold(0, |bits, code| bits | u32::from(nic.speed_table[code] > 0) << code);
    steps.set("SPEED_VALID", valid)?;
    steps.set_wide("WINDOW", fixed("window_bytes", nic.window, WINDOW_FRACTION, 34)?)?;
    steps.set_wide("RATE", fixed("rate_gbps", nic.rate_bps / 8e9, RATE_FRACTION, 34)?)?;
    let line_rate = fixed("line_rate_gbps", nic.line_rate_bps / 8e9, RATE_FRACTION, 34)?;
    steps.set_wide("LINE_RATE", line_rate)?;
    steps.set("DEFAULT_LAW", nic.default_law.into())?;
    let control = &nic.control;
    steps.set("CONTROL_ENABLE", control.enabled.into())?;
    steps.set(
        "CONTROL_INTERVAL",
        within("control_interval_us", control.interval_ns, 0, u32::MAX.into())?,
    )?;
    steps.set_wide("CONTROL_KEY", control.key)?;
    if control.sources.len() > CONTROL_SOURCES {
        return Err(format!(
            "[nic] control_sources: the hardware has {CONTROL_SOURCES} places"
        ));
    }
    for place in 0..CONTROL_SOURCES {
        let source = control.sources.get(place).copied().unwrap_or(Ipv4Addr::UNSPECIFIED);
        steps.set(&format!("CONTROL_SOURCE{place}"), source.into())?;
    }
    Ok(())
}

fn parameters(setup: &NicSetup, steps: &mut Steps) -> Result<(), String> {
    let nic = &setup.nic;
    for code in setup.wanted_laws() {
        let fault = |error: ParamError| format!("[nic] {error}");
        let (window, writes) = match law_name(code) {
            "hpcc" => {
                let law = HpccRegisters::new(&setup.hpcc_params()?).map_err(fault)?;
                (offset::CC_PARAM, law.writes())
            }
            "dcqcn" => (offset::DCQCN_PARAM, setup.dcqcn_registers().map_err(fault)?.writes()),
            "powertcp" => {
                let law = PowerRegisters::new(&setup.power_params(Signal::Int)?).map_err(fault)?;
                (offset::POWERTCP_PARAM, law.writes())
            }
            "theta-powertcp" => {
                let law = PowerRegisters::new(&setup.power_params(Signal::Delay)?).map_err(fault)?;
                (offset::THETA_PARAM, law.writes())
            }
            name => return Err(format!("law: expected {}, got {name}", NIC_LAWS.join(", "))),
        };
        for (address, value) in writes {
            steps.parameter(window, address, value);
        }
    }
    let units = nic.retry_timeout_ns.div_ceil(TIMER_UNIT_NS);
    let scheduler = SchedRegisters {
        timeout: within("retry_timeout_us", units, 1, 0xffff)
            .map_err(|_| "[nic] retry_timeout_us: the hardware has 1 to 67107".to_owned())?,
        retry_limit: within("retry_limit", nic.retry_limit.into(), 0, 15)? as u8,
        ..SchedRegisters::default()
    };
    for (address, value) in scheduler.writes() {
        steps.parameter(offset::SCHED_PARAM, address, value);
    }
    Ok(())
}

fn words(limbs: &[u64]) -> Vec<u32> {
    limbs
        .iter()
        .flat_map(|limb| [*limb as u32, (limb >> 32) as u32])
        .collect()
}

fn region_body(memory: &MemoryRegion) -> Vec<u32> {
    let mut limbs = [0; 4];
    context::Region::VALID.put(&mut limbs, 1);
    context::Region::KEY.put(&mut limbs, memory.key.into());
    context::Region::BASE.put(&mut limbs, memory.address);
    context::Region::LENGTH.put(&mut limbs, memory.length);
    context::Region::REMOTE_WRITE.put(&mut limbs, memory.rights.remote_write.into());
    context::Region::REMOTE_READ.put(&mut limbs, memory.rights.remote_read.into());
    context::Region::READ_ONLY.put(&mut limbs, (!memory.rights.local_write).into());
    context::Region::DOMAIN.put(&mut limbs, memory.domain.into());
    context::Region::OFFSET.put(&mut limbs, memory.offset);
    words(&limbs)
}

fn context_body(qp: &QpConfig, law: u8, mac: u64) -> Vec<u32> {
    let mut limbs = [0; 4];
    QpContext::ALIVE.put(&mut limbs, 1);
    QpContext::REMOTE_IP.put(&mut limbs, u32::from(qp.remote_ip).into());
    QpContext::REMOTE_MAC.put(&mut limbs, mac);
    QpContext::REMOTE_QPN.put(&mut limbs, qp.remote_qpn.into());
    QpContext::LOCAL_QPN.put(&mut limbs, qp.qpn.into());
    QpContext::SOURCE_PORT.put(&mut limbs, qp.source_port().into());
    QpContext::MTU.put(&mut limbs, mtu_code(qp.mtu).into());
    QpContext::INT_ON.put(&mut limbs, qp.int.into());
    QpContext::LAW.put(&mut limbs, law.into());
    QpContext::PAUSE_CLASS.put(&mut limbs, qp.priority.into());
    QpContext::SEND_PSN.put(&mut limbs, qp.send_psn.into());
    QpContext::EXPECTED_PSN.put(&mut limbs, qp.expected_psn.into());
    QpContext::DOMAIN.put(&mut limbs, qp.domain.into());
    QpContext::REFUSE_WRITE.put(&mut limbs, qp.refuse_write.into());
    QpContext::REFUSE_READ.put(&mut limbs, qp.refuse_read.into());
    words(&limbs)
}
