//! The host's side of a clocked NIC: register accesses, work requests, completions.

use super::ports::{LitePorts, WordPorts};
use hpcc_models::nic::{Completion, Operation, Status, WorkRequest};
use hpcc_rtl::words::work;

/// Statuses in the order of their numbers.
const STATUSES: [Status; 10] = [
    Status::Ok,
    Status::RetryExceeded,
    Status::RemoteInvalidRequest,
    Status::RemoteAccessError,
    Status::RemoteOperationalError,
    Status::LocalAccessError,
    Status::LocalOperationalError,
    Status::InvalidWork,
    Status::Flushed,
    Status::RnrRetryExceeded,
];

/// Limbs of a work request on its port.
pub type WorkLimbs = [u64; 5];

/// A work request as its port has it: made once, because it may be offered for many clocks.
pub fn work_limbs(request: &WorkRequest) -> WorkLimbs {
    let mut limbs = WorkLimbs::default();
    work::WorkRequest::ID.put(&mut limbs, request.id);
    work::WorkRequest::QPN.put(&mut limbs, request.qpn.into());
    work::WorkRequest::OPERATION.put(&mut limbs, u64::from(request.operation == Operation::Read));
    work::WorkRequest::LOCAL_ADDRESS.put(&mut limbs, request.local_address);
    work::WorkRequest::LOCAL_KEY.put(&mut limbs, request.local_key.into());
    work::WorkRequest::REMOTE_ADDRESS.put(&mut limbs, request.remote_address);
    work::WorkRequest::REMOTE_KEY.put(&mut limbs, request.remote_key.into());
    work::WorkRequest::LENGTH.put(&mut limbs, request.length);
    limbs
}

/// Offers a work request, if there is one.
pub fn drive_work(request: Option<&WorkLimbs>, ports: &WordPorts, inputs: &mut [u64]) {
    inputs[ports.valid] = request.is_some().into();
    if let Some(limbs) = request {
        inputs[ports.data..ports.data + limbs.len()].copy_from_slice(limbs);
    }
}

/// The completion of a word; its time is that of the port, which a driver would see.
pub fn completion(limbs: &[u64], now_ns: u64) -> Result<Completion, String> {
    let status = work::Completion::STATUS.get(limbs);
    let found = usize::try_from(status).ok().and_then(|at| STATUSES.get(at)).copied();
    Ok(Completion {
        t_ns: now_ns,
        qpn: work::Completion::QPN.get(limbs) as u32,
        work: work::Completion::ID.get(limbs),
        operation: match work::Completion::OPERATION.get(limbs) {
            0 => Operation::Write,
            1 => Operation::Read,
            other => return Err(format!("m_axis_completion: operation {other}")),
        },
        status: found.ok_or_else(|| format!("m_axis_completion: status {status}"))?,
        bytes: work::Completion::LENGTH.get(limbs),
    })
}

/// The two halves of a register access that are still to be taken, and its result.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Access {
    pub(super) address: Option<u16>,
    pub(super) data: Option<u32>,
    pub(super) read: bool,
    pub(super) response: Option<(u32, u8)>,
}

impl Access {
    /// Puts the access on the inputs: address and data at once, each until it is taken.
    pub(super) fn drive(&self, ports: &LitePorts, inputs: &mut [u64]) {
        let (write, read) = (self.address.filter(|_| !self.read), self.address.filter(|_| self.read));
        inputs[ports.awvalid] = write.is_some().into();
        inputs[ports.awaddr] = write.unwrap_or(0).into();
        inputs[ports.wvalid] = self.data.is_some().into();
        inputs[ports.wdata] = self.data.unwrap_or(0).into();
        inputs[ports.wstrb] = 15;
        inputs[ports.bready] = 1;
        inputs[ports.arvalid] = read.is_some().into();
        inputs[ports.araddr] = read.unwrap_or(0).into();
        inputs[ports.rready] = 1;
    }

    /// Looks at what the NIC took and answered; `true` if anything moved.
    pub(super) fn sample(&mut self, ports: &LitePorts, outputs: &[u64]) -> bool {
        let taken = outputs[if self.read { ports.arready } else { ports.awready }] == 1;
        let (address, data) = (self.address, self.data);
        if taken {
            self.address = None;
        }
        if outputs[ports.wready] == 1 {
            self.data = None;
        }
        if outputs[ports.bvalid] == 1 {
            self.response = Some((0, outputs[ports.bresp] as u8));
        }
        if outputs[ports.rvalid] == 1 {
            self.response = Some((outputs[ports.rdata] as u32, outputs[ports.rresp] as u8));
        }
        address.is_some() || data.is_some() || self.response.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_statuses_are_their_places() {
        assert!(STATUSES
            .iter()
            .enumerate()
            .all(|(place, status)| *status as usize == place));
        assert!(STATUSES.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
