//! Primitives: number types of the datapath and the blocks that map onto the fabric's own cells.
//!
//! Each block is described twice, as a Rust `update()` and as Verilog text, and the two are compared clock by clock by
//! the lockstep tests of the test bench. Every block has a port `clock`; those that hold control state have a `reset`,
//! synchronous and high.
//!
//! | block | what | clocks from input to output |
//! |---|---|---|
//! | [`mul::MulPipe`] | unsigned product, 17-bit tiles | [`mul::mul_latency`]: 2 to 5 by number of tiles |
//! | [`delay::Delay`] | `D` clocks of delay | `D` |
//! | [`rom::Rom`] | constant table | 2 |
//! | [`ram::Ram`] | one write port, one read port | 1 |
//! | [`ram::RamReg`] | the same with an output register | 2 |
//! | [`ram::LoopRam`] | the same for a loop that reads and writes back | 2 |
//! | [`lut_ram::LutRam`] | small table in distributed RAM | 1 |
//! | [`async_ram::AsyncRam`] | the same, read without a clock | 0 |
//! | [`fifo::StreamFifo`] | queue in block RAM | 3 |
//! | [`lut_fifo::LutFifo`] | queue of few items in distributed RAM | 2 |
//! | [`short_fifo::ShortFifo`] | the same, past which an item goes while it is empty | 1 |
//! | [`reciprocal::Reciprocal`] | 1/n, interpolated | 10 |
//! | [`reciprocal::PaperReciprocal`] | 1/n, the paper's table | 13 |
//! | [`crc::CrcFold`], [`crc::CrcState`], [`crc::CrcResidue`] | CRC-32, 64 bytes a clock | 2, 1, 1 |
//! | [`crc::CrcUnroll`] | CRC of a message that ends inside a beat | 6 |
//! | [`divider::Divider`] | iterative division | 25, not pipelined |

pub mod async_ram;
pub mod axi;
pub mod banked_table;
pub(crate) mod beat_bytes;
pub mod counter;
pub mod crc;
pub mod delay;
pub mod divider;
pub mod fifo;
pub mod forward_ram;
pub mod lut_fifo;
pub mod lut_ram;
pub mod merge;
pub mod mul;
pub mod normalise;
pub mod ram;
pub mod reciprocal;
pub mod rom;
pub mod short_fifo;
pub mod skid;
pub mod table_ram;
pub(crate) mod two_texts;
pub mod uint;
pub mod wide;
pub mod word;
pub mod xorshift;
