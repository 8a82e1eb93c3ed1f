//! What a register is: fields, who may do what to them, where they live; and sizes that the map has.

/// `ID`: `HPCC`.
pub const ID: u32 = u32::from_be_bytes(*b"HPCC");
/// Queue pair numbers end below this one.
pub const QP_COUNT: u32 = 150;
/// READ requests that the requester keeps outstanding per queue pair, at most: places of its table of READs.
pub const MAX_RD_ATOMIC: u32 = 16;
/// READ requests that the responder queues per queue pair, at most: twice as many are counted in 8 bits.
pub const RESPONDER_READS: u32 = 100;
/// Groups of flows.
pub const GROUP_COUNT: u16 = crate::sched::limit::GROUPS as u16;
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
    /// Laws that are built in.
    pub const LAWS: u16 = 0x068;
    /// Parameters of HPCC: [`crate::fixed::registers::address`].
    pub const CC_PARAM: u16 = 0x400;
    /// Parameters of the scheduler: [`crate::sched::registers::address`].
    pub const SCHED_PARAM: u16 = 0x600;
    /// Levels of the groups of flows.
    pub const LEVEL: u16 = 0x800;
    /// Flows with work, by groups.
    pub const ACTIVE: u16 = 0x880;
    /// How limits act.
    pub const CAP_CONTROL: u16 = 0x8c0;
    /// Bytes sent, by groups, 64 bits each.
    pub const SENT: u16 = 0x900;
    /// Parameters of DCQCN: [`crate::fixed::dcqcn::address`].
    pub const DCQCN_PARAM: u16 = 0xa00;
    /// Parameters of PowerTCP: [`crate::fixed::powertcp::address`].
    pub const POWERTCP_PARAM: u16 = 0xc00;
    /// Parameters of theta-PowerTCP: [`crate::fixed::powertcp::address`].
    pub const THETA_PARAM: u16 = 0xe00;
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
    /// The same, and a read after reset does not always show one value.
    Moving,
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
    /// Least and greatest value; a write of another one is answered SLVERR and changes nothing. `None`: any value.
    pub range: Option<(u32, u32)>,
}

impl Field {
    /// Ones in the field's bits.
    pub const fn mask(&self) -> u32 {
        (((1u64 << self.width) - 1) << self.low) as u32
    }
    /// The same field, with a range of values.
    pub const fn within(self, least: u32, most: u32) -> Self {
        Self {
            range: Some((least, most)),
            ..self
        }
    }
    /// Value that a read after reset shows; `None` where nothing can be read, or not always the same.
    pub fn reset_shown(&self) -> Option<u32> {
        let nothing = self.access == Access::Wo && self.place == Place::Elsewhere;
        (!nothing && self.place != Place::Moving).then_some(self.reset)
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
    /// Least and greatest value, where the register is one field that may not have every one.
    pub fn range(&self) -> Option<(u32, u32)> {
        match self.fields.as_slice() {
            [field] => field.range,
            _ => None,
        }
    }
    /// Value after reset, all bits.
    pub fn reset(&self) -> u32 {
        self.fields.iter().map(|field| field.reset << field.low).sum()
    }
}
