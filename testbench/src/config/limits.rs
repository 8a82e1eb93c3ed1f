//! Caps, groups and levels of a NIC's configuration, as an agent would write them later (`serve --control`).
//!
//! ```toml
//! [cap_control]       # register CAP_CONTROL
//! window = true
//! time_ns = 5000
//! [[level]]           # one group: wire bytes
//! group = 3
//! gbps = 10
//! [[qp]]              # both flows of the queue pair: requests and READ responses
//! group = 3
//! cap_gbps = 2.5
//! ```

use hpcc_models::nic::GROUPS;
use hpcc_models::sched::CapControl;
use serde::Deserialize;

/// `[cap_control]`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ControlSection {
    #[serde(default)]
    window: bool,
    #[serde(default)]
    dither: bool,
    #[serde(default)]
    time_ns: u16,
}

/// `[[level]]`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LevelSection {
    group: usize,
    gbps: f64,
}

/// Limits written before the first work request is posted. Empty: no register is touched.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limits {
    /// Register `CAP_CONTROL`; its window counts for levels and caps, so it is written first.
    pub control: Option<CapControl>,
    /// Group, bits per second of wire bytes.
    pub levels: Vec<(usize, f64)>,
    /// Flow, cap in bits per second of wire bytes or none, group.
    pub caps: Vec<(u32, Option<f64>, usize)>,
}

fn group(group: usize) -> Result<usize, String> {
    match group {
        0..GROUPS => Ok(group),
        _ => Err(format!("group: expected 0 to {}, got {group}", GROUPS - 1)),
    }
}

fn rate_bps(gbps: f64, field: &str) -> Result<f64, String> {
    if gbps.is_finite() && gbps >= 0.0 {
        Ok(gbps * 1e9)
    } else {
        Err(format!("{field}: expected 0 or more Gb/s, got {gbps}"))
    }
}

impl Limits {
    pub(super) fn set_control(&mut self, section: &ControlSection) -> Result<(), String> {
        if section.window && section.time_ns == 0 {
            return Err("time_ns: expected 1 or more with window = true, got 0".to_owned());
        }
        self.control = Some(CapControl {
            window: section.window,
            dither: section.dither,
            time_ns: section.time_ns,
        });
        Ok(())
    }

    pub(super) fn add_level(&mut self, section: &LevelSection) -> Result<(), String> {
        let group = group(section.group)?;
        if self.levels.iter().any(|(other, _)| *other == group) {
            return Err(format!("group: {group} is given twice"));
        }
        self.levels.push((group, rate_bps(section.gbps, "gbps")?));
        Ok(())
    }

    /// Both flows of a queue pair, if anything is said about them.
    pub(super) fn add_cap(&mut self, qpn: u32, to: Option<usize>, cap_gbps: Option<f64>) -> Result<(), String> {
        let cap = cap_gbps.map(|gbps| rate_bps(gbps, "cap_gbps")).transpose()?;
        let to = group(to.unwrap_or(0))?;
        if cap.is_some() || to > 0 {
            self.caps.extend([2 * qpn, 2 * qpn + 1].map(|flow| (flow, cap, to)));
        }
        Ok(())
    }
}
