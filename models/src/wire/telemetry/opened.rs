//! What every format of telemetry is turned into: the law's records, or the reason why not.

use super::super::{icrc, IntStack, ICRC_LEN};
use super::ip::Ip;
use crate::cc::hpcc::TX_UNIT;
use crate::cc::HopRecord;

/// How a packet carries telemetry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TelemetryFormat {
    /// The HPCC paper's Fig. 7: the default.
    Fig7,
    /// In-band flow analyzer 2.0.
    Ifa,
    /// In-situ OAM trace option, pre-allocated or incremental.
    Ioam,
    /// INT 2.1 with embedded metadata.
    IntMd,
}

impl TelemetryFormat {
    /// Name in scenarios and results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fig7 => "fig7",
            Self::Ifa => "ifa",
            Self::Ioam => "ioam",
            Self::IntMd => "int-md",
        }
    }
}

/// Why a packet's telemetry is not used. Each reason is a counter; the packet is acknowledged all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
pub enum Unusable {
    /// A field that the law needs is all ones.
    #[error("a field is not populated")]
    NotPopulated,
    /// A speed code that no table holds.
    #[error("a speed code is not valid")]
    Speed,
    /// A length that is no multiple of a hop, or beyond the packet.
    #[error("the stack's length does not fit")]
    Length,
    /// A version, name space or list of fields that is not the one agreed on.
    #[error("the layout is not known")]
    Layout,
    /// IFA: checksum, fragment or tail-stamp flag.
    #[error("a flag asks for what is not supported")]
    Flags,
    /// IOAM: another namespace.
    #[error("another namespace")]
    Namespace,
    /// INT: no byte counter among the fields.
    #[error("there is no byte counter")]
    NoByteCounter,
    /// INT-MX leaves its metadata at each switch: nothing for a sender.
    #[error("INT-MX carries no metadata")]
    IntMx,
}

/// What one switch does with a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    /// Its record is in the packet.
    Yes,
    /// There was no room, or no hop was left: marked in the packet where the format can.
    Full,
    /// Not a packet of this format, or one that is left alone.
    No,
}

/// A packet taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    /// Its format.
    pub format: TelemetryFormat,
    /// Its telemetry as the law takes it.
    pub stack: Result<IntStack, Unusable>,
    /// The IP packet without telemetry, as far as it is there: what the ICRC covers, and the ICRC.
    pub plain: Vec<u8>,
}

impl Opened {
    /// The ICRC is that of the packet without its telemetry.
    pub fn icrc_ok(&self) -> bool {
        icrc_ok(&self.plain)
    }
}

/// The last four bytes of an IP packet without telemetry are its ICRC, and the packet is whole.
pub fn icrc_ok(plain: &[u8]) -> bool {
    let whole = Ip::read(plain).is_some_and(|ip| ip.total == plain.len());
    let Some(at) = plain.len().checked_sub(ICRC_LEN).filter(|_| whole) else {
        return false;
    };
    let found = [plain[at], plain[at + 1], plain[at + 2], plain[at + 3]];
    icrc(&plain[..at], 0) == Some(u32::from_le_bytes(found))
}

/// What a hop contributes to `pathID`, 12 bits: both switch and port, so that a move to a parallel link is seen. The turn by five keeps
/// neighbouring ports from undoing neighbouring switches.
pub fn path_bits(device: u32, egress_port: u16) -> u16 {
    let fold = (device ^ (device >> 12)) as u16 & 0xfff;
    let port = egress_port & 0xfff;
    let turned = ((port << 5) | (port >> 7)) & 0xfff;
    fold ^ turned
}

/// A record in the law's units. `counter`: bytes sent, 32 bits; `cells`: queue in the switch's cells, which are those of the law.
pub(super) fn record(speed: u8, ts: u32, counter: u32, cells: u32, int_multi: u32) -> HopRecord {
    let unit = TX_UNIT as u32 * int_multi;
    HopRecord {
        speed,
        ts: ts & 0xff_ffff,
        tx_bytes: (counter / unit) & 0xf_ffff,
        q_len: u16::try_from(cells).unwrap_or(u16::MAX),
    }
}

/// The stack of hops that are given newest first, each with what it contributes to `pathID`; the first five of the path have records.
pub(super) fn canonical<I>(newest_first: I) -> Result<IntStack, Unusable>
where
    I: DoubleEndedIterator<Item = Result<(HopRecord, u16), Unusable>>,
{
    let mut stack = IntStack::default();
    for hop in newest_first.rev() {
        let (record, path) = hop?;
        stack.stamp(path, record);
    }
    Ok(stack)
}
