//! Levels, caps and what groups did, through the registers of the NIC in RTL.

use super::setup::Step;
use super::RtlNic;
use crate::drive::clocked::Clocked;
use crate::nic::device::DeviceError;
use hpcc_models::nic::registers::offset;
use hpcc_models::nic::GROUPS;
use hpcc_models::sched::limit::{CapControl, NO_LIMIT};

/// Operation of the command that writes a cap.
const WRITE_CAP: u32 = 5;

/// A rate as the registers have it, UQ7.27 bytes per ns; what is more than they have is no limit.
fn register_rate(rate_bps: Option<f64>) -> u64 {
    rate_bps.map_or(NO_LIMIT, |bps| {
        let raw = bps / 8e9 * f64::from(27).exp2();
        (raw.round() as u64).min(NO_LIMIT)
    })
}

impl<C: Clocked> RtlNic<C> {
    /// Writes the level of a group.
    pub(super) fn write_level(&mut self, group: usize, rate_bps: Option<f64>) -> Result<(), DeviceError> {
        let (at, rate) = (offset::LEVEL + 8 * group as u16, register_rate(rate_bps));
        self.write(at, rate as u32)?;
        self.write(at + 4, (rate >> 32) as u32)
    }

    /// Writes the cap and the group of a flow.
    pub(super) fn write_cap(&mut self, flow: u32, rate_bps: Option<f64>, group: usize) -> Result<(), DeviceError> {
        let place = self.places.get(&(flow / 2)).copied().unwrap_or(flow / 2);
        let rate = register_rate(rate_bps);
        self.carry_out(&Step::Command {
            operation: WRITE_CAP,
            index: 2 * place + flow % 2,
            // rate 33:0, group 39:36, enable 63
            body: vec![
                rate as u32,
                (rate >> 32) as u32 | (group as u32) << 4 | u32::from(rate_bps.is_some()) << 31,
            ],
            about: format!("cap of flow {flow}"),
        })
    }

    /// Writes the register `CAP_CONTROL`.
    pub(super) fn write_cap_control(&mut self, control: CapControl) -> Result<(), DeviceError> {
        // window 0, dither 1, time 31:16
        let value = u32::from(control.window) | u32::from(control.dither) << 1 | u32::from(control.time_ns) << 16;
        self.write(offset::CAP_CONTROL, value)
    }

    /// Flows with work, by groups.
    pub(super) fn read_active(&mut self) -> Result<[u32; GROUPS], DeviceError> {
        let mut active = [0; GROUPS];
        for (at, active) in (offset::ACTIVE..).step_by(4).zip(&mut active) {
            *active = self.read(at)?;
        }
        Ok(active)
    }

    /// Bytes sent, by groups.
    pub(super) fn read_sent(&mut self) -> Result<[u64; GROUPS], DeviceError> {
        let mut sent = [0; GROUPS];
        for (at, sent) in (offset::SENT..).step_by(8).zip(&mut sent) {
            let low = self.read(at)?;
            *sent = u64::from(self.read(at + 4)?) << 32 | u64::from(low);
        }
        Ok(sent)
    }
}
