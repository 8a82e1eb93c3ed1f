//! The behavioural model of a configured NIC, and the law that its flows with INT follow.

use super::NicSetup;
use hpcc_models::cc::hpcc::{Hpcc, HpccParams};
use hpcc_models::cc::CongestionControl;
use hpcc_models::nic::{BlockMemory, HostError, Nic};

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
        params.port_speeds = self.nic.speed_table.map(|gbps| u64::from(gbps) * 1_000_000_000);
        params.validate().map_err(|error| format!("[nic] {error}"))?;
        Ok(params)
    }

    /// A queue pair has INT or may come to have it.
    pub fn wants_law(&self) -> bool {
        self.nic.control.enabled || self.qps.iter().any(|qp| qp.int)
    }

    /// The golden HPCC, if any queue pair wants a law.
    pub fn law(&self) -> Result<Option<Box<dyn CongestionControl>>, String> {
        if !self.wants_law() {
            return Ok(None);
        }
        let law = Hpcc::<f64>::new(self.hpcc_params()?).map_err(|error| format!("[nic] {error}"))?;
        Ok(Some(Box::new(law)))
    }

    /// The behavioural model of this NIC, with its memory and queue pairs, before any work: the reference that the RTL's
    /// frames are compared with.
    pub fn model(&self, law: Option<Box<dyn CongestionControl>>) -> Result<Nic<BlockMemory>, HostError> {
        let mut memory = BlockMemory::default();
        for block in &self.memory {
            memory.add(block.region.address, block.bytes.clone());
        }
        let mut nic = Nic::new(self.nic.clone(), memory, law);
        for block in &self.memory {
            nic.add_region(block.region);
        }
        for qp in &self.qps {
            nic.create_qp(qp.clone())?;
        }
        Ok(nic)
    }
}
