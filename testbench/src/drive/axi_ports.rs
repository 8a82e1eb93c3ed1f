//! The AXI4 signals of a block, by their names.

use super::axi_memory::{Burst, Master, ReadBeat, Slave, WriteBeat};
use hpcc_rtl::sim::Port;

/// Limbs of an address channel.
#[derive(Clone, Copy, Debug)]
struct AddressPorts {
    address: usize,
    len: usize,
    size: usize,
    kind: usize,
    valid: usize,
    ready: usize,
}

#[derive(Clone, Copy, Debug)]
struct WritePorts {
    aw: AddressPorts,
    data: usize,
    strobe: usize,
    last: usize,
    valid: usize,
    ready: usize,
    response: usize,
    response_valid: usize,
    response_ready: usize,
}

#[derive(Clone, Copy, Debug)]
struct ReadPorts {
    ar: AddressPorts,
    data: usize,
    response: usize,
    last: usize,
    valid: usize,
    ready: usize,
}

/// Where a master's signals are among the limbs of a block; a block may have one half only.
#[derive(Clone, Debug)]
pub struct AxiPorts {
    write: Option<WritePorts>,
    read: Option<ReadPorts>,
}

impl AxiPorts {
    /// The signals `PREFIX_awaddr` and so on of a block.
    pub fn new(ports: &[Port], prefix: &str) -> Self {
        let limb = |name: &str| {
            let name = format!("{prefix}_{name}");
            ports.iter().find(|port| port.name == name).map(|port| port.limb)
        };
        let address = |channel: &str| {
            Some(AddressPorts {
                address: limb(&format!("{channel}addr"))?,
                len: limb(&format!("{channel}len"))?,
                size: limb(&format!("{channel}size"))?,
                kind: limb(&format!("{channel}burst"))?,
                valid: limb(&format!("{channel}valid"))?,
                ready: limb(&format!("{channel}ready"))?,
            })
        };
        let write = || {
            Some(WritePorts {
                aw: address("aw")?,
                data: limb("wdata")?,
                strobe: limb("wstrb")?,
                last: limb("wlast")?,
                valid: limb("wvalid")?,
                ready: limb("wready")?,
                response: limb("bresp")?,
                response_valid: limb("bvalid")?,
                response_ready: limb("bready")?,
            })
        };
        let read = || {
            Some(ReadPorts {
                ar: address("ar")?,
                data: limb("rdata")?,
                response: limb("rresp")?,
                last: limb("rlast")?,
                valid: limb("rvalid")?,
                ready: limb("rready")?,
            })
        };
        Self {
            write: write(),
            read: read(),
        }
    }

    /// What the block drives, from its outputs.
    pub fn master(&self, outputs: &[u64]) -> Master {
        let burst = |ports: AddressPorts| {
            (outputs[ports.valid] == 1).then(|| Burst {
                address: outputs[ports.address],
                len: outputs[ports.len] as u8,
                size: outputs[ports.size] as u8,
                kind: outputs[ports.kind] as u8,
            })
        };
        let mut master = Master::default();
        if let Some(ports) = self.write {
            master.aw = burst(ports.aw);
            master.w = (outputs[ports.valid] == 1).then(|| WriteBeat {
                data: std::array::from_fn(|i| outputs[ports.data + i]),
                strobe: outputs[ports.strobe],
                last: outputs[ports.last] == 1,
            });
            master.b_ready = outputs[ports.response_ready] == 1;
        }
        if let Some(ports) = self.read {
            master.ar = burst(ports.ar);
            master.r_ready = outputs[ports.ready] == 1;
        }
        master
    }

    /// Puts what the memory drives on the block's inputs.
    pub fn apply(&self, slave: &Slave, inputs: &mut [u64]) {
        if let Some(ports) = self.write {
            inputs[ports.aw.ready] = slave.aw_ready.into();
            inputs[ports.ready] = slave.w_ready.into();
            inputs[ports.response_valid] = slave.b.is_some().into();
            inputs[ports.response] = slave.b.unwrap_or(0).into();
        }
        if let Some(ports) = self.read {
            let beat = slave.r.unwrap_or(ReadBeat {
                data: [0; 8],
                response: 0,
                last: false,
            });
            inputs[ports.ar.ready] = slave.ar_ready.into();
            inputs[ports.valid] = slave.r.is_some().into();
            inputs[ports.data..ports.data + 8].copy_from_slice(&beat.data);
            inputs[ports.response] = beat.response.into();
            inputs[ports.last] = beat.last.into();
        }
    }
}
