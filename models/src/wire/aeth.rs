//! ACK extended transport header.

use super::bytes::{check_len, get32, put};
use super::{WireError, MASK_24};

mod field {
    use core::ops::Range;
    pub const SYNDROME: usize = 0;
    pub const MSN: Range<usize> = 1..4;
}

/// Bytes of the header.
pub const AETH_LEN: usize = field::MSN.end;
/// Syndrome of a positive acknowledgement without a credit limit.
pub const SYNDROME_ACK: u8 = 0x1f;

/// Why a request was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NakCode {
    /// A packet is missing; the PSN is the one expected. The only one after which the flow goes on.
    PsnSequence,
    /// Opcode, opcode order or length is not valid.
    InvalidRequest,
    /// Key, bounds or rights.
    RemoteAccess,
    /// The responder could not carry it out.
    RemoteOperational,
    /// A code this NIC never sends.
    Other(u8),
}

impl NakCode {
    fn from_low_bits(code: u8) -> Self {
        match code {
            0 => Self::PsnSequence,
            1 => Self::InvalidRequest,
            2 => Self::RemoteAccess,
            3 => Self::RemoteOperational,
            other => Self::Other(other),
        }
    }

    fn low_bits(self) -> u8 {
        match self {
            Self::PsnSequence => 0,
            Self::InvalidRequest => 1,
            Self::RemoteAccess => 2,
            Self::RemoteOperational => 3,
            Self::Other(code) => code & 0x1f,
        }
    }
}

/// Meaning of the syndrome byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syndrome {
    /// Positive, with the credit code.
    Ack(u8),
    /// Receiver not ready, with the timer code.
    Rnr(u8),
    /// Negative.
    Nak(NakCode),
    /// Reserved by the standard, as sent.
    Reserved(u8),
}

impl Syndrome {
    /// Meaning of the byte.
    pub fn parse(byte: u8) -> Self {
        match byte >> 5 {
            0 => Self::Ack(byte & 0x1f),
            1 => Self::Rnr(byte & 0x1f),
            3 => Self::Nak(NakCode::from_low_bits(byte & 0x1f)),
            _ => Self::Reserved(byte),
        }
    }

    /// The byte.
    pub fn emit(self) -> u8 {
        match self {
            Self::Ack(credit) => credit & 0x1f,
            Self::Rnr(timer) => 0x20 | timer & 0x1f,
            Self::Nak(code) => 0x60 | code.low_bits(),
            Self::Reserved(byte) => byte,
        }
    }
}

/// Time that "receiver not ready" with this code asks for, ns; the low five bits of the code count. IBTA, table "Encoding for RNR NAK timer field".
pub fn rnr_wait_ns(code: u8) -> u64 {
    const UNIT_NS: u64 = 10_000;
    match u32::from(code & 0x1f) {
        0 => 65_536 * UNIT_NS,
        code @ 1..=3 => u64::from(code) * UNIT_NS,
        code if code.is_multiple_of(2) => (4 * UNIT_NS) << ((code - 4) / 2),
        code => (6 * UNIT_NS) << ((code - 5) / 2),
    }
}

/// Bytes from the start of an AETH.
#[derive(Clone, Copy, Debug)]
pub struct AethView<T: AsRef<[u8]>> {
    buffer: T,
}

impl<T: AsRef<[u8]>> AethView<T> {
    /// Checks that the header is there.
    pub fn new_checked(buffer: T) -> Result<Self, WireError> {
        check_len("AETH", buffer.as_ref(), AETH_LEN)?;
        Ok(Self { buffer })
    }

    /// Syndrome byte.
    pub fn syndrome(&self) -> u8 {
        self.buffer.as_ref()[field::SYNDROME]
    }

    /// Messages completed, 24 bits.
    pub fn msn(&self) -> u32 {
        get32(self.buffer.as_ref(), field::MSN)
    }
}

/// Meaning of an AETH.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AethRepr {
    /// Positive or negative, and why.
    pub syndrome: Syndrome,
    /// Messages completed, 24 bits.
    pub msn: u32,
}

impl AethRepr {
    /// Reads a header.
    pub fn parse<T: AsRef<[u8]>>(view: &AethView<T>) -> Self {
        Self {
            syndrome: Syndrome::parse(view.syndrome()),
            msn: view.msn(),
        }
    }

    /// Writes the header to the front of `buffer`, which holds at least [`AETH_LEN`] bytes.
    pub fn emit(&self, buffer: &mut [u8]) {
        buffer[field::SYNDROME] = self.syndrome.emit();
        put(buffer, field::MSN, (self.msn & MASK_24).into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn apart_and_together() {
        let bytes = [0x60, 0, 0, 3];
        let repr = AethRepr {
            syndrome: Syndrome::Nak(NakCode::PsnSequence),
            msn: 3,
        };
        assert_eq!(AethRepr::parse(&AethView::new_checked(bytes).unwrap()), repr);
        let mut out = [0; AETH_LEN];
        repr.emit(&mut out);
        assert_eq!(out, bytes);
        for len in 0..AETH_LEN {
            assert!(AethView::new_checked(&bytes[..len]).is_err());
        }
    }

    /// IBTA's table, units of 10 us.
    #[test]
    fn waiting_times_of_a_receiver_that_is_not_ready() {
        let table = [
            65_536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072,
            4096, 6144, 8192, 12_288, 16_384, 24_576, 32_768, 49_152,
        ];
        for (code, units) in (0..32).zip(table) {
            assert_eq!(rnr_wait_ns(code), units * 10_000, "{code}");
        }
    }

    #[test]
    fn every_syndrome_there_and_back() {
        for byte in 0..=255 {
            assert_eq!(Syndrome::parse(byte).emit(), byte);
        }
        assert_eq!(Syndrome::parse(SYNDROME_ACK), Syndrome::Ack(31));
        assert_eq!(Syndrome::parse(0x62), Syndrome::Nak(NakCode::RemoteAccess));
        assert_eq!(Syndrome::parse(0x2c), Syndrome::Rnr(12));
        assert_eq!(Syndrome::parse(0x40), Syndrome::Reserved(0x40));
    }
}
