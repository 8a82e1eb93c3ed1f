//! Base transport header.

use super::bytes::{check_len, get16, get32, put};
use super::{Opcode, WireError, MASK_24};

mod field {
    use core::ops::Range;
    pub const OPCODE: usize = 0;
    /// Solicited event 1 bit, migration 1, pad count 2, transport version 4.
    pub const FLAGS: usize = 1;
    pub const PKEY: Range<usize> = 2..4;
    /// FECN 1 bit, BECN 1, reserved 6; not covered by the ICRC.
    pub const NOTIFY: usize = 4;
    pub const DEST_QP: Range<usize> = 5..8;
    /// Acknowledge request 1 bit, reserved 7.
    pub const ACK_REQ: usize = 8;
    pub const PSN: Range<usize> = 9..12;
}

/// Bytes of the header.
pub const BTH_LEN: usize = field::PSN.end;
/// The default partition, full membership.
pub const PKEY_DEFAULT: u16 = 0xffff;

/// Bytes from the start of a BTH.
#[derive(Clone, Copy, Debug)]
pub struct BthView<T: AsRef<[u8]>> {
    buffer: T,
}

impl<T: AsRef<[u8]>> BthView<T> {
    /// Checks that the header is there.
    pub fn new_checked(buffer: T) -> Result<Self, WireError> {
        check_len("BTH", buffer.as_ref(), BTH_LEN)?;
        Ok(Self { buffer })
    }

    /// Opcode byte.
    pub fn opcode(&self) -> u8 {
        self.buffer.as_ref()[field::OPCODE]
    }

    /// Solicited event.
    pub fn solicited(&self) -> bool {
        self.buffer.as_ref()[field::FLAGS] & 0x80 != 0
    }

    /// Migration state.
    pub fn migrated(&self) -> bool {
        self.buffer.as_ref()[field::FLAGS] & 0x40 != 0
    }

    /// Bytes after the payload that fill its last word, 0 to 3.
    pub fn pad(&self) -> u8 {
        self.buffer.as_ref()[field::FLAGS] >> 4 & 3
    }

    /// Transport version; 0 is the only one defined.
    pub fn version(&self) -> u8 {
        self.buffer.as_ref()[field::FLAGS] & 15
    }

    /// Partition key; the low 15 bits decide.
    pub fn pkey(&self) -> u16 {
        get16(self.buffer.as_ref(), field::PKEY)
    }

    /// Backward congestion notification.
    pub fn becn(&self) -> bool {
        self.buffer.as_ref()[field::NOTIFY] & 0x40 != 0
    }

    /// Destination queue pair, 24 bits.
    pub fn dest_qp(&self) -> u32 {
        get32(self.buffer.as_ref(), field::DEST_QP)
    }

    /// An acknowledgement is asked for.
    pub fn ack_req(&self) -> bool {
        self.buffer.as_ref()[field::ACK_REQ] & 0x80 != 0
    }

    /// Packet sequence number, 24 bits.
    pub fn psn(&self) -> u32 {
        get32(self.buffer.as_ref(), field::PSN)
    }
}

/// Meaning of a BTH.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BthRepr {
    /// Operation.
    pub opcode: Opcode,
    /// Solicited event.
    pub solicited: bool,
    /// Migration state.
    pub migrated: bool,
    /// Bytes after the payload that fill its last word, 0 to 3.
    pub pad: u8,
    /// Transport version; 0 is the only one defined.
    pub version: u8,
    /// Partition key.
    pub pkey: u16,
    /// Backward congestion notification.
    pub becn: bool,
    /// Destination queue pair, 24 bits.
    pub dest_qp: u32,
    /// An acknowledgement is asked for.
    pub ack_req: bool,
    /// Packet sequence number, 24 bits.
    pub psn: u32,
}

impl BthRepr {
    /// Header of a packet of the default partition without flags.
    pub fn new(opcode: Opcode, dest_qp: u32, psn: u32) -> Self {
        Self {
            opcode,
            solicited: false,
            migrated: false,
            pad: 0,
            version: 0,
            pkey: PKEY_DEFAULT,
            becn: false,
            dest_qp,
            ack_req: false,
            psn: psn & MASK_24,
        }
    }

    /// Reads a header; an opcode of another service is an error.
    pub fn parse<T: AsRef<[u8]>>(view: &BthView<T>) -> Result<Self, WireError> {
        Ok(Self {
            opcode: Opcode::parse(view.opcode()).ok_or(WireError::Opcode(view.opcode()))?,
            solicited: view.solicited(),
            migrated: view.migrated(),
            pad: view.pad(),
            version: view.version(),
            pkey: view.pkey(),
            becn: view.becn(),
            dest_qp: view.dest_qp(),
            ack_req: view.ack_req(),
            psn: view.psn(),
        })
    }

    /// Writes the header to the front of `buffer`, which holds at least [`BTH_LEN`] bytes.
    pub fn emit(&self, buffer: &mut [u8]) {
        buffer[field::OPCODE] = self.opcode.emit();
        buffer[field::FLAGS] =
            u8::from(self.solicited) << 7 | u8::from(self.migrated) << 6 | (self.pad & 3) << 4 | self.version & 15;
        put(buffer, field::PKEY, self.pkey.into());
        buffer[field::NOTIFY] = u8::from(self.becn) << 6;
        put(buffer, field::DEST_QP, (self.dest_qp & MASK_24).into());
        buffer[field::ACK_REQ] = u8::from(self.ack_req) << 7;
        put(buffer, field::PSN, (self.psn & MASK_24).into());
    }
}

#[cfg(test)]
mod tests {
    use super::super::Position;
    use super::*;

    #[test]
    fn apart_and_together() {
        // The header of the worked example, and one with every flag.
        let worked = [0x0a, 0x40, 0xff, 0xff, 0, 0, 0, 0x22, 0x80, 0, 0x01, 0];
        let flags = [0x08, 0xf5, 0x80, 0x01, 0x40, 0xab, 0xcd, 0xef, 0x80, 0xff, 0xff, 0xfe];
        let first = BthRepr {
            migrated: true,
            ack_req: true,
            ..BthRepr::new(Opcode::Write(Position::Only), 0x22, 0x100)
        };
        let second = BthRepr {
            opcode: Opcode::Write(Position::Last),
            solicited: true,
            migrated: true,
            pad: 3,
            version: 5,
            pkey: 0x8001,
            becn: true,
            dest_qp: 0xab_cdef,
            ack_req: true,
            psn: 0xff_fffe,
        };
        for (bytes, expected) in [(worked, first), (flags, second)] {
            let view = BthView::new_checked(bytes).unwrap();
            assert_eq!(BthRepr::parse(&view), Ok(expected));
            let mut out = [0; BTH_LEN];
            expected.emit(&mut out);
            assert_eq!(out, bytes);
        }
    }

    #[test]
    fn short_and_foreign_headers_are_refused() {
        for len in 0..BTH_LEN {
            assert!(BthView::new_checked(&[0; BTH_LEN][..len]).is_err());
        }
        let view = BthView::new_checked([0x64; BTH_LEN]).unwrap();
        assert_eq!(BthRepr::parse(&view), Err(WireError::Opcode(0x64)));
    }
}
