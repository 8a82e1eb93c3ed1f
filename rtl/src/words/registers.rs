//! Addresses and registers of the host's register file.

use crate::prim::uint::U;
use crate::words::context::CommandResult;
use rust_hdl::prelude::Bit;

crate::word! {
    /// Number of a register, with those of 64 bits in two halves, in tables of 128 registers.
    pub struct WideAddress {
        /// Upper half.
        high: Bit,
        /// Number of the entry in its table.
        entry: U<6>,
        /// Table: 1 counters, 2 and 3 parameters.
        bank: U<3>,
    }

    /// Number of a register of 64 bits in tables of 32 registers.
    pub struct GroupAddress {
        /// Upper half.
        high: Bit,
        /// Number of the entry in its table.
        entry: U<4>,
        /// Table: 16 levels, 18 bytes sent.
        bank: U<5>,
    }

    /// Number of a register of 32 bits in tables of 16 registers.
    pub struct NarrowAddress {
        /// Number of the entry in its table.
        entry: U<4>,
        /// Table: 34 and 35 flows with work.
        bank: U<6>,
    }

    /// A value of 64 bits as two registers.
    pub struct WideValue {
        /// Lower half.
        low: U<32>,
        /// Upper half.
        high: U<32>,
    }

    /// The bytes of a register, each with a write strobe.
    pub struct RegisterBytes {
        /// Bits 7 to 0.
        byte_0: U<8>,
        /// Bits 15 to 8.
        byte_1: U<8>,
        /// Bits 23 to 16.
        byte_2: U<8>,
        /// Bits 31 to 24.
        byte_3: U<8>,
    }

    /// Write strobes of a register's bytes.
    pub struct RegisterStrobes {
        /// Bits 7 to 0 are written.
        byte_0: Bit,
        /// Bits 15 to 8 are written.
        byte_1: Bit,
        /// Bits 23 to 16 are written.
        byte_2: Bit,
        /// Bits 31 to 24 are written.
        byte_3: Bit,
    }

    /// A parameter of the laws or of the scheduler.
    pub struct ParamValue {
        /// Written first.
        low: U<32>,
        /// Written last.
        high: U<16>,
    }

    /// Register `STATUS`.
    pub struct StatusRegister {
        /// A command is carried out.
        busy: Bit,
        /// One has been.
        done: Bit,
        /// One was refused, for the reason `code`.
        error: Bit,
        /// The NIC is ready.
        ready: Bit,
        /// Why.
        code: CommandResult,
        /// Zero.
        reserved: U<25>,
    }

    /// Register `COMMAND`.
    pub struct CommandRegister {
        /// What is to be done.
        operation: U<3>,
        /// Not used.
        reserved: U<5>,
        /// Place of a queue pair, slot of a neighbour, or flow.
        index: U<24>,
    }

    /// A region as its entry keeps it.
    pub struct StoredRegion {
        /// First address.
        base: U<64>,
        /// One past the last, modulo 2^64.
        end_address: U<64>,
        /// It is 2^64.
        end_high: Bit,
        /// There is a region.
        valid: Bit,
        /// The peer may write.
        remote_write: Bit,
        /// The peer may read.
        remote_read: Bit,
        /// Own READs may not write.
        read_only: Bit,
        /// Key.
        key: U<32>,
        /// Protection domain.
        domain: U<16>,
        /// Added to an address to give that of memory.
        offset: U<64>,
        /// How often the entry has been written, modulo 2^16.
        count: U<16>,
    }
}
