//! Under which numbers telemetry travels: what a NIC's registers say of the formats.

use super::super::Ports;

/// Numbers under which the formats are found, and the unit of their byte counters: registers of the NIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TelemetryPorts {
    /// Ports of RoCEv2 and of Fig. 7.
    pub roce: Ports,
    /// UDP port of IOAM.
    pub ioam: u16,
    /// UDP port of INT-MD.
    pub int_md: u16,
    /// IP protocols of IFA.
    pub ifa: [u8; 2],
    /// IOAM namespace that is read.
    pub namespace: u16,
    /// INT domain whose instruction bit 0 is a byte counter.
    pub domain: u16,
    /// Multiplies the unit of `txBytes`, 128 bytes, as the switches' own registers multiply that of Fig. 7's: a power of two up to
    /// [`LARGEST_MULTIPLIER`].
    pub int_multi: u32,
}

/// With more than this the 32 bits of a switch's byte counter are less than one turn of a record's 20, and differences over the counter's wrap are
/// wrong; with a number that is no power of two they are as well.
pub const LARGEST_MULTIPLIER: u32 = 32;

impl Default for TelemetryPorts {
    fn default() -> Self {
        Self {
            roce: Ports::default(),
            ioam: 54795,
            int_md: 54796,
            ifa: [253, 131],
            namespace: 1,
            domain: 0x4850,
            int_multi: 1,
        }
    }
}
