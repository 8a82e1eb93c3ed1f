//! The scheduler's stimulus for lockstep and mutation.

use crate::verilated::lockstep::Drive;
pub use hpcc_rtl::sched::stimulus::SchedTraffic;

impl Drive for SchedTraffic {
    fn drive(&mut self, clock: u64, outputs: &[u64], inputs: &mut [u64]) {
        SchedTraffic::drive(self, clock, outputs, inputs);
    }
}
