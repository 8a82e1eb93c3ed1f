//! Ports of AXI4, AXI4-Lite and AXI4-Stream, each channel declared once.
//!
//! A block says the prefix, the interface the rest: a port `m_axi: AxiOut` is `m_axi_awid`, `m_axi_awaddr` and so on in the Verilog,
//! as the specification (ARM IHI 0022, IHI 0051) names them. Everything is synchronous to the block's clock.

// the interface derive adds a method without a doc comment
#![allow(missing_docs)]

use crate::interface;
use crate::prim::uint::U;
use crate::prim::wide::W;
use rust_hdl::prelude::*;

/// Address of a burst, from the master: channel `aw` or `ar`.
#[interface]
pub struct AxiAddressOut {
    /// Identifier of the transaction.
    pub id: Signal<Out, U<4>>,
    /// First byte.
    pub addr: Signal<Out, U<64>>,
    /// Beats less one.
    pub len: Signal<Out, U<8>>,
    /// Bytes of a beat, as a power of two.
    pub size: Signal<Out, U<3>>,
    /// 1: INCR.
    pub burst: Signal<Out, U<2>>,
    /// Exclusive access.
    pub lock: Signal<Out, Bit>,
    /// Memory attributes.
    pub cache: Signal<Out, U<4>>,
    /// Bit 0 privileged, bit 1 not secure, bit 2 instruction.
    pub prot: Signal<Out, U<3>>,
    /// An address is offered.
    pub valid: Signal<Out, Bit>,
    /// The item on offer is taken.
    pub ready: Signal<In, Bit>,
}

/// Data to write, from the master: channel `w`.
#[interface]
pub struct AxiWriteDataOut {
    /// 64 bytes, the lowest address in the lowest bits.
    pub data: Signal<Out, W<512, 8>>,
    /// Bytes to write.
    pub strb: Signal<Out, U<64>>,
    /// Last beat of its burst.
    pub last: Signal<Out, Bit>,
    /// A beat is offered.
    pub valid: Signal<Out, Bit>,
    /// The item on offer is taken.
    pub ready: Signal<In, Bit>,
}

/// Response of a write burst, to the master: channel `b`.
#[interface]
pub struct AxiWriteResponseIn {
    /// Identifier of the transaction.
    pub id: Signal<In, U<4>>,
    /// Bit 1: error.
    pub resp: Signal<In, U<2>>,
    /// A response is offered.
    pub valid: Signal<In, Bit>,
    /// The item on offer is taken.
    pub ready: Signal<Out, Bit>,
}

/// Data read, to the master: channel `r`.
#[interface]
pub struct AxiReadDataIn {
    /// Identifier of the transaction.
    pub id: Signal<In, U<4>>,
    /// 64 bytes, the lowest address in the lowest bits.
    pub data: Signal<In, W<512, 8>>,
    /// Bit 1: error.
    pub resp: Signal<In, U<2>>,
    /// Last beat of its burst.
    pub last: Signal<In, Bit>,
    /// A beat is offered.
    pub valid: Signal<In, Bit>,
    /// The item on offer is taken.
    pub ready: Signal<Out, Bit>,
}

/// AXI4 master that writes, 512 bits.
#[interface]
pub struct AxiWriteOut {
    /// Addresses.
    pub aw: AxiAddressOut,
    /// Data.
    pub w: AxiWriteDataOut,
    /// Responses.
    pub b: AxiWriteResponseIn,
}

/// AXI4 master that reads, 512 bits.
#[interface]
pub struct AxiReadOut {
    /// Addresses.
    pub ar: AxiAddressOut,
    /// Data.
    pub r: AxiReadDataIn,
}

/// AXI4 master, 512 bits.
#[interface]
pub struct AxiOut {
    /// Addresses of writes.
    pub aw: AxiAddressOut,
    /// Data to write.
    pub w: AxiWriteDataOut,
    /// Responses of writes.
    pub b: AxiWriteResponseIn,
    /// Addresses of reads.
    pub ar: AxiAddressOut,
    /// Data read.
    pub r: AxiReadDataIn,
}

/// Address of an access, to an AXI4-Lite slave: channel `aw` or `ar`.
#[interface]
pub struct AxiLiteAddressIn {
    /// Byte address.
    pub addr: Signal<In, U<12>>,
    /// Bit 0 privileged, bit 1 not secure, bit 2 instruction.
    pub prot: Signal<In, U<3>>,
    /// An address is offered.
    pub valid: Signal<In, Bit>,
    /// The item on offer is taken.
    pub ready: Signal<Out, Bit>,
}

/// Data to write, to an AXI4-Lite slave: channel `w`.
#[interface]
pub struct AxiLiteWriteDataIn {
    /// Data.
    pub data: Signal<In, U<32>>,
    /// Bytes to write.
    pub strb: Signal<In, U<4>>,
    /// Data is offered.
    pub valid: Signal<In, Bit>,
    /// The item on offer is taken.
    pub ready: Signal<Out, Bit>,
}

/// Response of a write, from an AXI4-Lite slave: channel `b`.
#[interface]
pub struct AxiLiteWriteResponseOut {
    /// 0 OKAY, 2 SLVERR.
    pub resp: Signal<Out, U<2>>,
    /// A response is offered.
    pub valid: Signal<Out, Bit>,
    /// The item on offer is taken.
    pub ready: Signal<In, Bit>,
}

/// Data read, from an AXI4-Lite slave: channel `r`.
#[interface]
pub struct AxiLiteReadDataOut {
    /// Data.
    pub data: Signal<Out, U<32>>,
    /// 0 OKAY, 2 SLVERR.
    pub resp: Signal<Out, U<2>>,
    /// Data is offered.
    pub valid: Signal<Out, Bit>,
    /// The item on offer is taken.
    pub ready: Signal<In, Bit>,
}

/// AXI4-Lite slave of 4 KiB, 32 bits.
#[interface]
pub struct AxiLiteIn {
    /// Addresses of writes.
    pub aw: AxiLiteAddressIn,
    /// Data to write.
    pub w: AxiLiteWriteDataIn,
    /// Responses of writes.
    pub b: AxiLiteWriteResponseOut,
    /// Addresses of reads.
    pub ar: AxiLiteAddressIn,
    /// Data read.
    pub r: AxiLiteReadDataOut,
}

/// Frames on AXI4-Stream, 64 bytes a beat: receiving side.
#[interface(AxisFrameOut, "Frames on AXI4-Stream, 64 bytes a beat: sending side.")]
pub struct AxisFrameIn {
    /// First byte in the lowest bits.
    pub tdata: Signal<In, W<512, 8>>,
    /// Bytes of the frame: all, but in its last beat those from bit 0 on, one at least.
    pub tkeep: Signal<In, U<64>>,
    /// Last beat of its frame.
    pub tlast: Signal<In, Bit>,
    /// With `tlast`: the frame is bad.
    pub tuser: Signal<In, Bit>,
    /// A beat is offered.
    pub tvalid: Signal<In, Bit>,
    /// The beat on offer is taken.
    pub tready: Signal<Out, Bit>,
}

/// Words on AXI4-Stream: receiving side.
#[interface(AxisWordOut, "Words on AXI4-Stream: sending side.")]
pub struct AxisWordIn<T: Synth> {
    /// The word.
    pub tdata: Signal<In, T>,
    /// A word is offered.
    pub tvalid: Signal<In, Bit>,
    /// The beat on offer is taken.
    pub tready: Signal<Out, Bit>,
}
