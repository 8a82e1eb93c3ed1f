//! Where the NIC's signals are among the limbs of its ports, by the names that an integrator uses too.

use hpcc_rtl::sim::Port;

/// A port that the block does not have, or has in another width.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the NIC has no port {name} of {width} bits")]
pub struct NoPort {
    /// Name.
    pub name: String,
    /// Width, bits.
    pub width: usize,
}

fn limb(ports: &[Port], name: &str, width: usize) -> Result<usize, NoPort> {
    let found = ports.iter().find(|port| port.name == name && port.width == width);
    found.map(|port| port.limb).ok_or_else(|| NoPort {
        name: name.into(),
        width,
    })
}

/// An AXI4-Stream of frames.
#[derive(Clone, Copy, Debug)]
pub struct FramePorts {
    /// 512 bits, byte 0 first on the wire.
    pub data: usize,
    /// 64 bits.
    pub keep: usize,
    /// Last beat of a frame.
    pub last: usize,
    /// Bad frame, with the last beat.
    pub user: usize,
    /// Handshake.
    pub valid: usize,
    /// Handshake.
    pub ready: usize,
}

impl FramePorts {
    fn new(ports: &[Port], prefix: &str) -> Result<Self, NoPort> {
        let limb = |name: &str, width| limb(ports, &format!("{prefix}_{name}"), width);
        Ok(Self {
            data: limb("tdata", 512)?,
            keep: limb("tkeep", 64)?,
            last: limb("tlast", 1)?,
            user: limb("tuser", 1)?,
            valid: limb("tvalid", 1)?,
            ready: limb("tready", 1)?,
        })
    }
}

/// An AXI4-Stream of single words.
#[derive(Clone, Copy, Debug)]
pub struct WordPorts {
    /// The word.
    pub data: usize,
    /// Handshake.
    pub valid: usize,
    /// Handshake.
    pub ready: usize,
}

impl WordPorts {
    fn new(ports: &[Port], prefix: &str, width: usize) -> Result<Self, NoPort> {
        let limb = |name: &str, width| limb(ports, &format!("{prefix}_{name}"), width);
        Ok(Self {
            data: limb("tdata", width)?,
            valid: limb("tvalid", 1)?,
            ready: limb("tready", 1)?,
        })
    }
}

/// AXI4-Lite, 32 bits.
#[derive(Clone, Copy, Debug)]
pub struct LitePorts {
    /// Write address.
    pub awaddr: usize,
    /// Handshake.
    pub awvalid: usize,
    /// Handshake.
    pub awready: usize,
    /// Write data.
    pub wdata: usize,
    /// Write strobes.
    pub wstrb: usize,
    /// Handshake.
    pub wvalid: usize,
    /// Handshake.
    pub wready: usize,
    /// Write response.
    pub bresp: usize,
    /// Handshake.
    pub bvalid: usize,
    /// Handshake.
    pub bready: usize,
    /// Read address.
    pub araddr: usize,
    /// Handshake.
    pub arvalid: usize,
    /// Handshake.
    pub arready: usize,
    /// Read data.
    pub rdata: usize,
    /// Read response.
    pub rresp: usize,
    /// Handshake.
    pub rvalid: usize,
    /// Handshake.
    pub rready: usize,
}

impl LitePorts {
    fn new(ports: &[Port], prefix: &str) -> Result<Self, NoPort> {
        let one = |name: &str| limb(ports, &format!("{prefix}_{name}"), 1);
        let wide = |name: &str, width| limb(ports, &format!("{prefix}_{name}"), width);
        // The address is as wide as the map needs.
        let address = |name: &str| {
            let name = format!("{prefix}_{name}");
            let found = ports.iter().find(|port| port.name == name);
            found.map(|port| port.limb).ok_or(NoPort { name, width: 32 })
        };
        Ok(Self {
            awaddr: address("awaddr")?,
            awvalid: one("awvalid")?,
            awready: one("awready")?,
            wdata: wide("wdata", 32)?,
            wstrb: wide("wstrb", 4)?,
            wvalid: one("wvalid")?,
            wready: one("wready")?,
            bresp: wide("bresp", 2)?,
            bvalid: one("bvalid")?,
            bready: one("bready")?,
            araddr: address("araddr")?,
            arvalid: one("arvalid")?,
            arready: one("arready")?,
            rdata: wide("rdata", 32)?,
            rresp: wide("rresp", 2)?,
            rvalid: one("rvalid")?,
            rready: one("rready")?,
        })
    }
}

/// All ports of the NIC but the AXI4 memory master.
#[derive(Clone, Copy, Debug)]
pub struct NicPorts {
    /// Synchronous, high.
    pub reset: usize,
    /// Time, ns, 48 bits.
    pub now: usize,
    /// Pause by priority, 8 bits.
    pub pause: usize,
    /// Frames from the MAC.
    pub rx: FramePorts,
    /// Frames to the MAC.
    pub tx: FramePorts,
    /// Work requests.
    pub work: WordPorts,
    /// Completions.
    pub completion: WordPorts,
    /// Registers.
    pub lite: LitePorts,
}

impl NicPorts {
    /// Finds all ports.
    pub fn new(ports: &[Port]) -> Result<Self, NoPort> {
        Ok(Self {
            reset: limb(ports, "rst", 1)?,
            now: limb(ports, "now", 48)?,
            pause: limb(ports, "pause", 8)?,
            rx: FramePorts::new(ports, "s_axis_rx")?,
            tx: FramePorts::new(ports, "m_axis_tx")?,
            work: WordPorts::new(ports, "s_axis_work", 320)?,
            completion: WordPorts::new(ports, "m_axis_completion", 192)?,
            lite: LitePorts::new(ports, "s_axil")?,
        })
    }
}
