//! The register map of the NIC, described once: the decoder of the hardware, the Verilog header, the book's chapter and the SystemRDL
//! file are all made from [`registers`].
//!
//! 4 KiB of 32-bit registers behind AXI4-Lite. Values of more than 32 bits are pairs `NAME_LO`, `NAME_HI`.

mod export;
mod map;

pub use export::{markdown, system_rdl, verilog_header};
pub use map::registers;

/// `ID`: `HPCC`.
pub const ID: u32 = u32::from_be_bytes(*b"HPCC");
/// Queue pair numbers end below this one.
pub const QP_COUNT: u32 = 150;
/// Memory region slots.
pub const REGION_SLOTS: u32 = 32;
/// Neighbour slots.
pub const NEIGHBOUR_SLOTS: u32 = 16;
/// Bytes of the map; an access past its registers is answered SLVERR.
pub const MAP_BYTES: u16 = 0x1000;

/// Offsets that have a behaviour of their own.
pub mod offset {
    /// Starts a command.
    pub const COMMAND: u16 = 0x0a8;
    /// How the last command went.
    pub const STATUS: u16 = 0x0ac;
    /// First word of the body of a command.
    pub const BODY: u16 = 0x0c0;
    /// 64 counters of 64 bits.
    pub const COUNTERS: u16 = 0x200;
    /// The NIC's clock.
    pub const TIME: u16 = 0x3f8;
    /// Parameters of the congestion control: [`crate::fixed::registers::address`].
    pub const CC_PARAM: u16 = 0x400;
    /// Parameters of the scheduler: [`crate::sched::registers::address`].
    pub const SCHED_PARAM: u16 = 0x600;
}

/// Who may do what to a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read only; a write is answered OKAY and changes nothing.
    Ro,
    /// Read and written.
    Rw,
    /// Read; a written one clears the bit.
    W1c,
    /// Written only; reads as zero.
    Wo,
}

impl Access {
    /// Short name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ro => "RO",
            Self::Rw => "RW",
            Self::W1c => "W1C",
            Self::Wo => "WO",
        }
    }
}

/// What a field is in the register file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Flip-flops that show on a signal of the register file, from this bit of the signal on.
    Signal(&'static str, u16),
    /// Flip-flops that only the host sees.
    Scratch,
    /// Always the reset value.
    Constant,
    /// A signal into the register file.
    Live(&'static str),
    /// Made outside of the register file.
    Elsewhere,
}

/// Bits of a register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name.
    pub name: &'static str,
    /// Lowest bit.
    pub low: u8,
    /// Width in bits.
    pub width: u8,
    /// Who may do what.
    pub access: Access,
    /// Value after reset.
    pub reset: u32,
    /// What it is in the register file.
    pub place: Place,
    /// Meaning and unit.
    pub about: &'static str,
}

impl Field {
    /// Ones in the field's bits.
    pub const fn mask(&self) -> u32 {
        (((1u64 << self.width) - 1) << self.low) as u32
    }
    /// Flip-flops of the register file hold it.
    pub const fn is_stored(&self) -> bool {
        matches!(self.place, Place::Signal(..) | Place::Scratch)
    }
}

/// A register of 32 bits, or `count` of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// Name, upper case.
    pub name: String,
    /// Byte address of the first one.
    pub offset: u16,
    /// How many.
    pub count: u16,
    /// Bytes from one to the next.
    pub stride: u16,
    /// Fields, lowest first; bits between them are zero.
    pub fields: Vec<Field>,
}

impl Register {
    /// Addresses of all of them.
    pub fn addresses(&self) -> impl Iterator<Item = u16> + '_ {
        (0..self.count).map(|i| self.offset + i * self.stride)
    }
    /// Bits that satisfy a condition.
    pub fn mask(&self, which: impl Fn(&Field) -> bool) -> u32 {
        self.fields.iter().filter(|field| which(field)).map(Field::mask).sum()
    }
    /// Bits that a read shows of what is stored or constant.
    pub fn read_mask(&self) -> u32 {
        self.mask(|field| field.access != Access::Wo && (field.is_stored() || field.place == Place::Constant))
    }
    /// Bits that flip-flops of the register file hold.
    pub fn stored_mask(&self) -> u32 {
        self.mask(Field::is_stored)
    }
    /// Value after reset, all bits.
    pub fn reset(&self) -> u32 {
        self.fields.iter().map(|field| field.reset << field.low).sum()
    }
}

/// Word addresses (offset / 4) that a register answers at, as ranges, both ends included.
pub fn mapped_words() -> Vec<(u16, u16)> {
    let mut words: Vec<u16> = registers()
        .iter()
        .flat_map(|register| register.addresses().collect::<Vec<_>>())
        .map(|offset| offset / 4)
        .collect();
    words.sort_unstable();
    let mut ranges: Vec<(u16, u16)> = Vec::new();
    for word in words {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == word => *last = word,
            _ => ranges.push((word, word)),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nic::{Counter, NicConfig};
    use std::collections::BTreeMap;

    #[test]
    fn registers_do_not_overlap_and_fields_fit() {
        let mut taken = BTreeMap::new();
        for register in registers() {
            for offset in register.addresses() {
                assert!(offset % 4 == 0 && offset < MAP_BYTES, "{}", register.name);
                assert_eq!(taken.insert(offset, register.name.clone()), None, "0x{offset:x}");
            }
            let mut seen = 0u32;
            for field in &register.fields {
                assert!(field.low + field.width <= 32, "{}.{}", register.name, field.name);
                assert_eq!(seen & field.mask(), 0, "{}.{}", register.name, field.name);
                assert_eq!(
                    field.reset << field.low & !field.mask(),
                    0,
                    "{}.{}",
                    register.name,
                    field.name
                );
                seen |= field.mask();
            }
        }
        let words: u16 = mapped_words().iter().map(|(first, last)| last - first + 1).sum();
        assert_eq!(usize::from(words), taken.len());
    }

    /// Value of a signal after reset, from the fields that make it.
    fn reset_of(signal: &str) -> u64 {
        let mut value = 0;
        for register in registers() {
            for field in register.fields {
                if let Place::Signal(name, at) = field.place {
                    if name == signal {
                        value |= u64::from(field.reset) << at;
                    }
                }
            }
        }
        value
    }

    #[test]
    fn reset_values_are_those_of_the_model() {
        let config = NicConfig::default();
        let expected = [
            ("cfg_mtu", u64::from((config.mtu / 256).trailing_zeros())),
            ("cfg_port_roce", config.ports.roce.into()),
            ("cfg_port_int", config.ports.int_collect.into()),
            ("cfg_port_echo", config.ports.int_echo.into()),
            ("cfg_port_control", config.ports.control.into()),
            ("cfg_pkey", config.pkey.into()),
            ("cfg_dscp", config.dscp.into()),
            ("cfg_ttl", config.ttl.into()),
            ("cfg_ack_req_interval", config.ack_req_interval.into()),
            ("cfg_max_rd_atomic", config.max_rd_atomic.into()),
            ("cfg_reads", config.responder_reads.into()),
            ("cfg_ack_priority", config.ack_priority.into()),
            ("cfg_ack_pause", config.ack_pause.into()),
            ("cfg_window", (config.window * 2048.0) as u64),
            ("cfg_rate", 0),
            (
                "cfg_line_rate",
                (config.line_rate_bps / 8e9 * f64::from(1 << 27)) as u64,
            ),
            ("cfg_control_enable", config.control.enabled.into()),
        ];
        for (signal, value) in expected {
            assert_eq!(reset_of(signal), value, "{signal}");
        }
        let valid = (0..16).fold(0, |bits, code| bits | u64::from(config.speed_table[code] > 0) << code);
        assert_eq!(reset_of("cfg_speed_valid"), valid);
    }

    #[test]
    fn every_counter_has_its_pair() {
        let list = registers();
        for (i, counter) in Counter::ALL.iter().enumerate() {
            let name = format!("{}_LO", counter.name().to_uppercase());
            let register = list.iter().find(|register| register.name == name).expect("counter");
            assert_eq!(usize::from(register.offset - offset::COUNTERS), 8 * i, "{name}");
        }
        assert!(Counter::ALL.len() <= 63, "the last place is the clock's");
    }
}
