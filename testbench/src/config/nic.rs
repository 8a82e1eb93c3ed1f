//! One NIC's configuration file (`replay`, `serve`): TOML to registers, neighbours, queue pairs, memory and work.
//!
//! Every fault is one line: file, line, field, what was expected.

use super::limits::Limits;
use super::model::{ack_req_interval, law_code, law_name, needs_int};
use super::queues::{QueueSetup, RING_SPACE};
use super::sections::{File, MemorySection, QpSection, RefusedName, RemoteAccess, WorkSection};
use hpcc_models::cc::dcqcn::DcqcnParams;
use hpcc_models::cc::hpcc::HpccParams;
use hpcc_models::cc::powertcp::PowerParams;
use hpcc_models::nic::queues::{MemoryRegion, Rights};
use hpcc_models::nic::{NicConfig, QpConfig, WorkRequest, MAX_MESSAGE};
use hpcc_sim::toml_error::{key_below, toml_error};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A configuration file that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{file}:{line}: {what}")]
pub struct ConfigError {
    /// File as named by the user.
    pub file: String,
    /// Line, counted from 1.
    pub line: usize,
    /// Field and what was expected.
    pub what: String,
}

/// A memory region and its first contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryBlock {
    /// Key, bounds, rights.
    pub region: MemoryRegion,
    /// Bytes at the start.
    pub bytes: Vec<u8>,
}

impl MemoryBlock {
    /// Its first address in memory.
    pub fn place(&self) -> u64 {
        Self::place_of(&self.region)
    }

    fn place_of(region: &MemoryRegion) -> u64 {
        region.address.wrapping_add(region.offset)
    }
}

/// A work request and when it is posted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedWork {
    /// When, ns.
    pub at_ns: u64,
    /// What; numbered in the order of the file.
    pub work: WorkRequest,
}

/// One NIC with everything the host gives it.
#[derive(Clone, Debug, PartialEq)]
pub struct NicSetup {
    /// Registers and neighbours.
    pub nic: NicConfig,
    /// Base round-trip time `T` of the congestion control, ns.
    pub base_rtt_ns: u32,
    /// Parameters of HPCC in place of those that follow from the registers.
    pub hpcc: Option<HpccParams>,
    /// Parameters of DCQCN in place of those that follow from the registers, and whether it has a window.
    pub dcqcn: Option<(DcqcnParams, bool)>,
    /// Parameters of PowerTCP in place of those that follow from the registers.
    pub power: Option<PowerParams>,
    /// Queue pairs.
    pub qps: Vec<QpConfig>,
    /// Memory.
    pub memory: Vec<MemoryBlock>,
    /// Work, earliest first.
    pub work: Vec<TimedWork>,
    /// Caps, groups and levels, which `replay` and `serve` write before the first work request.
    pub limits: Limits,
    /// Queue pairs with queues in memory, their receives and their work.
    pub queues: QueueSetup,
}

/// Byte `i` of a region whose contents are "pattern".
pub fn pattern_byte(i: u64) -> u8 {
    let mut x = (i as u32).wrapping_mul(2_246_822_519);
    x ^= x >> 16;
    (x ^ x >> 8) as u8
}

/// Longest region, so that a typing error does not ask for all memory.
const MAX_REGION: u64 = 1 << 32;

impl NicSetup {
    /// Reads a configuration file. File names in it are relative to its folder.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| ConfigError {
            file: name.clone(),
            line: 1,
            what: format!("cannot be read: {error}"),
        })?;
        Self::parse(&text, &name, path.parent().unwrap_or(Path::new(".")))
    }

    /// Reads a configuration; `name` stands in its errors, file names in it are relative to `folder`.
    pub fn parse(text: &str, name: &str, folder: &Path) -> Result<Self, ConfigError> {
        let line = |offset: usize| text[..offset.min(text.len())].matches('\n').count() + 1;
        let error = |line: usize, what: String| ConfigError {
            file: name.to_owned(),
            line,
            what,
        };
        // The line of the field that the fault begins with, in the table that begins there; the table's own where the field is not written.
        let at = |offset: usize, table: &str, what: String| {
            let field = what.split(": ").next().unwrap_or_default();
            let below = key_below(text, offset, field).unwrap_or(0);
            error(line(offset) + below, format!("{table} {what}"))
        };
        let file: File = toml::from_str(text).map_err(|fault| {
            let line = line(fault.span().map_or(0, |span| span.start));
            let described = toml_error(name, text, &fault);
            let prefix = format!("{name}:{line}: ");
            error(line, described.strip_prefix(&prefix).unwrap_or(&described).to_string())
        })?;
        let nic_at = file.nic.span().start;
        let section = file.nic.into_inner();
        let mut nic = section.registers().map_err(|what| at(nic_at, "[nic]", what))?;
        let base_rtt_ns = section.base_rtt_ns();
        nic.neighbours = file
            .neighbour
            .iter()
            .map(|neighbour| (neighbour.ip, neighbour.mac.0))
            .collect();
        let mut setup = Self {
            nic,
            base_rtt_ns,
            hpcc: None,
            dcqcn: None,
            power: None,
            qps: Vec::new(),
            memory: Vec::new(),
            work: Vec::new(),
            limits: Limits::default(),
            queues: QueueSetup::default(),
        };
        for section in file.qp {
            let start = section.span().start;
            let section = section.into_inner();
            let qp = setup.qp(&section).map_err(|what| at(start, "[[qp]]", what))?;
            (setup.limits)
                .add_cap(qp.qpn, section.group, section.cap_gbps)
                .map_err(|what| at(start, "[[qp]]", what))?;
            (setup.queues)
                .add_pair(&qp, &section)
                .map_err(|what| at(start, "[[qp]]", what))?;
            setup.qps.push(qp);
        }
        if !section.chooses_ack_req_interval() {
            setup.nic.ack_req_interval = ack_req_interval(setup.feedback());
        }
        for section in file.memory {
            let start = section.span().start;
            let section = section.into_inner();
            let block = setup
                .block(&section, folder)
                .map_err(|what| at(start, "[[memory]]", what))?;
            setup
                .queues
                .add_region(&block.region, |access| section.access.contains(&access));
            setup.memory.push(block);
        }
        for section in file.receive {
            let start = section.span().start;
            (setup.queues)
                .add_receives(&section.into_inner())
                .map_err(|what| at(start, "[[receive]]", what))?;
        }
        for (id, section) in (0..).zip(file.work) {
            let start = section.span().start;
            let section = section.into_inner();
            let work = setup
                .work_request(id, &section)
                .map_err(|what| at(start, "[[work]]", what))?;
            (setup.queues)
                .add_work(id, &section)
                .map_err(|what| at(start, "[[work]]", what))?;
            setup.work.push(work);
        }
        for section in file.level {
            let start = section.span().start;
            (setup.limits)
                .add_level(&section.into_inner())
                .map_err(|what| at(start, "[[level]]", what))?;
        }
        if let Some(section) = file.cap_control {
            let start = section.span().start;
            (setup.limits)
                .set_control(&section.into_inner())
                .map_err(|what| at(start, "[cap_control]", what))?;
        }
        setup.work.sort_by_key(|work| work.at_ns);
        setup.queues.receives.sort_by_key(|receive| receive.at_ns);
        Ok(setup)
    }

    fn qp(&self, section: &QpSection) -> Result<QpConfig, String> {
        let qp = QpConfig {
            qpn: section.qpn,
            remote_qpn: section.remote_qpn,
            remote_ip: section.remote_ip,
            send_psn: section.send_psn,
            expected_psn: section.expected_psn,
            int: section.int,
            law: section
                .law
                .as_deref()
                .map(law_code)
                .transpose()
                .map_err(|what| format!("law: {what}"))?,
            mtu: section.mtu.unwrap_or(self.nic.mtu),
            priority: section.priority,
            udp_port: section.udp_port,
            domain: section.domain,
            refuse_write: section.refuse.contains(&RefusedName::Write),
            refuse_read: section.refuse.contains(&RefusedName::Read),
            // configuration files know of no law at the receiver, and of no path
            expected_hops: 0,
            peer_port: None,
        };
        let expected = match qp.fault() {
            Some("qpn") => format!("qpn: 0x{:x} is not in 2 to 0xfffffe", qp.qpn),
            Some("mtu") => format!("mtu: {} is not 256, 512, 1024, 2048 or 4096", qp.mtu),
            Some(field) => format!("{field}: more than 24 bits"),
            None if !qp.int && needs_int(self.law_of(&qp)) => {
                format!("law: {} needs int = true", law_name(self.law_of(&qp)))
            }
            None if qp.priority > 7 => format!("priority: {} is not in 0 to 7", qp.priority),
            None if !self.nic.neighbours.contains_key(&qp.remote_ip) => {
                format!("remote_ip: {} has no [[neighbour]]", qp.remote_ip)
            }
            None if self.qps.iter().any(|other| other.qpn == qp.qpn) => {
                format!("qpn: 0x{:x} is given twice", qp.qpn)
            }
            None => return Ok(qp),
        };
        Err(expected)
    }

    fn block(&self, section: &MemorySection, folder: &Path) -> Result<MemoryBlock, String> {
        let region = MemoryRegion {
            key: section.key,
            domain: section.domain,
            address: section.address,
            length: section.length,
            offset: section.offset,
            rights: Rights {
                local_write: !section.read_only,
                remote_write: section.access.contains(&RemoteAccess::RemoteWrite),
                remote_read: section.access.contains(&RemoteAccess::RemoteRead),
                ..Rights::default()
            },
        };
        if region.length == 0 || region.length > MAX_REGION {
            return Err(format!("length: {} is not in 1 to {MAX_REGION}", region.length));
        }
        let Some(end) = region.address.checked_add(region.length - 1) else {
            return Err("address: address + length exceeds 64 bits".to_owned());
        };
        let place = MemoryBlock::place_of(&region);
        let Some(end) = place.checked_add(end - region.address) else {
            return Err("offset: the region's memory exceeds 64 bits".to_owned());
        };
        if end >= RING_SPACE {
            return Err("address: the last 2^48 addresses are for rings".to_owned());
        }
        for other in &self.memory {
            let (key, at) = (other.region.key, other.place());
            if key == region.key {
                return Err(format!("key: 0x{key:x} is given twice"));
            }
            if at <= end && place <= at + (other.region.length - 1) {
                return Err(format!("address: overlaps the region of key 0x{key:x}"));
            }
        }
        let bytes = match section.init.as_str() {
            "zero" => vec![0; region.length as usize],
            "pattern" => (0..region.length).map(pattern_byte).collect(),
            name => {
                let path: PathBuf = folder.join(name);
                let mut bytes = std::fs::read(&path).map_err(|error| format!("init: {}: {error}", path.display()))?;
                if bytes.len() as u64 > region.length {
                    return Err(format!(
                        "init: {} has more than {} bytes",
                        path.display(),
                        region.length
                    ));
                }
                bytes.resize(region.length as usize, 0);
                bytes
            }
        };
        Ok(MemoryBlock { region, bytes })
    }

    /// Completions that the configuration leads to: of all its work and all its receives.
    pub fn completions(&self) -> usize {
        self.work.len() + self.queues.receives.len()
    }

    fn work_request(&self, id: u64, section: &WorkSection) -> Result<TimedWork, String> {
        if !self.qps.iter().any(|qp| qp.qpn == section.qp) {
            return Err(format!("qp: there is no [[qp]] 0x{:x}", section.qp));
        }
        if section.length > MAX_MESSAGE {
            return Err(format!("length: {} is more than {MAX_MESSAGE}", section.length));
        }
        let work = WorkRequest {
            id,
            qpn: section.qp,
            operation: section.op.operation(),
            local_address: section.local_address,
            local_key: section.local_key,
            remote_address: section.remote_address,
            remote_key: section.remote_key,
            length: section.length,
        };
        Ok(TimedWork {
            at_ns: section.at_ns,
            work,
        })
    }
}

#[cfg(test)]
#[path = "nic_tests.rs"]
mod tests;
