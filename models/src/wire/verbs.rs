//! Requests of the reliable connection service beyond WRITE and READ: SEND, immediate data, invalidation, atomic operations.
//!
//! [`super::RocePacket`] leaves their headers in front of the payload; [`split`] takes them off, [`Verb::header`] writes them.

use super::bytes::{get, get32, put};
use super::{AethRepr, AethView, Position, RethRepr, RethView, AETH_LEN, RETH_LEN};

/// Bytes of immediate data and of a key to invalidate.
pub const IMMEDIATE_LEN: usize = 4;
/// Opcode of the answer to an atomic operation.
pub const ATOMIC_ACKNOWLEDGE: u8 = 0x12;

mod atomic {
    use core::ops::Range;
    pub const ADDRESS: Range<usize> = 0..8;
    pub const KEY: Range<usize> = 8..12;
    pub const SWAP_OR_ADD: Range<usize> = 12..20;
    pub const COMPARE: Range<usize> = 20..28;
    pub const LEN: usize = COMPARE.end;
}

/// Bytes of the original value in the answer to an atomic operation.
const ORIGINAL_LEN: usize = 8;

/// A request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// SEND.
    Send(Position),
    /// Last or only packet of a SEND with immediate data.
    SendImmediate(Position),
    /// Last or only packet of a SEND with a key to invalidate.
    SendInvalidate(Position),
    /// Last or only packet of a WRITE with immediate data.
    WriteImmediate(Position),
    /// Compare and swap.
    CompareSwap,
    /// Fetch and add.
    FetchAdd,
}

/// Header of an atomic operation (AtomicETH).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtomicRepr {
    /// Address in the responder's memory.
    pub address: u64,
    /// Key of the region.
    pub key: u32,
    /// Value that is stored or added.
    pub swap_or_add: u64,
    /// Value that is compared.
    pub compare: u64,
}

/// Headers between BTH and payload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VerbHeader {
    /// Of the only packet of a WRITE with immediate data.
    pub reth: Option<RethRepr>,
    /// Immediate data, or the key to invalidate.
    pub immediate: Option<[u8; IMMEDIATE_LEN]>,
    /// Of atomic operations.
    pub atomic: Option<AtomicRepr>,
}

impl Verb {
    /// The request of an opcode.
    pub fn parse(opcode: u8) -> Option<Self> {
        use Position::{First, Last, Middle, Only};
        Some(match opcode {
            0x00 => Self::Send(First),
            0x01 => Self::Send(Middle),
            0x02 => Self::Send(Last),
            0x03 => Self::SendImmediate(Last),
            0x04 => Self::Send(Only),
            0x05 => Self::SendImmediate(Only),
            0x09 => Self::WriteImmediate(Last),
            0x0b => Self::WriteImmediate(Only),
            0x13 => Self::CompareSwap,
            0x14 => Self::FetchAdd,
            0x16 => Self::SendInvalidate(Last),
            0x17 => Self::SendInvalidate(Only),
            _ => return None,
        })
    }

    /// The opcode; of the kinds that end a message, any other position counts as the last packet.
    pub fn opcode(self) -> u8 {
        use Position::{First, Last, Middle, Only};
        match self {
            Self::Send(First) => 0x00,
            Self::Send(Middle) => 0x01,
            Self::Send(Last) => 0x02,
            Self::Send(Only) => 0x04,
            Self::SendImmediate(Only) => 0x05,
            Self::SendImmediate(_) => 0x03,
            Self::WriteImmediate(Only) => 0x0b,
            Self::WriteImmediate(_) => 0x09,
            Self::CompareSwap => 0x13,
            Self::FetchAdd => 0x14,
            Self::SendInvalidate(Only) => 0x17,
            Self::SendInvalidate(_) => 0x16,
        }
    }

    /// Ends a message of data.
    pub fn ends(self) -> bool {
        match self {
            Self::Send(at) | Self::SendImmediate(at) | Self::SendInvalidate(at) | Self::WriteImmediate(at) => {
                at.is_end()
            }
            Self::CompareSwap | Self::FetchAdd => false,
        }
    }

    fn has_reth(self) -> bool {
        self == Self::WriteImmediate(Position::Only)
    }

    fn has_immediate(self) -> bool {
        matches!(
            self,
            Self::SendImmediate(_) | Self::SendInvalidate(_) | Self::WriteImmediate(_)
        )
    }

    fn is_atomic(self) -> bool {
        matches!(self, Self::CompareSwap | Self::FetchAdd)
    }

    /// Bytes of `header`, of which those parts that the request has are written.
    pub fn header(self, header: &VerbHeader) -> Vec<u8> {
        let mut bytes = Vec::new();
        if self.has_reth() {
            bytes.resize(RETH_LEN, 0);
            header.reth.unwrap_or_default().emit(&mut bytes);
        }
        if self.has_immediate() {
            bytes.extend(header.immediate.unwrap_or_default());
        }
        if let Some(atomic) = header.atomic.filter(|_| self.is_atomic()) {
            bytes.resize(atomic::LEN, 0);
            put(&mut bytes, atomic::ADDRESS, atomic.address);
            put(&mut bytes, atomic::KEY, atomic.key.into());
            put(&mut bytes, atomic::SWAP_OR_ADD, atomic.swap_or_add);
            put(&mut bytes, atomic::COMPARE, atomic.compare);
        }
        bytes
    }
}

/// The request of an opcode, its headers, and the payload behind them; `None` if it is none of these or its headers are cut short.
pub fn split(opcode: u8, body: &[u8]) -> Option<(Verb, VerbHeader, &[u8])> {
    let verb = Verb::parse(opcode)?;
    let mut header = VerbHeader::default();
    let mut rest = body;
    if verb.has_reth() {
        let (front, behind) = rest.split_at_checked(RETH_LEN)?;
        header.reth = Some(RethRepr::parse(&RethView::new_checked(front).ok()?));
        rest = behind;
    }
    if verb.has_immediate() {
        let (front, behind) = rest.split_first_chunk::<IMMEDIATE_LEN>()?;
        header.immediate = Some(*front);
        rest = behind;
    }
    if verb.is_atomic() {
        let (front, behind) = rest.split_at_checked(atomic::LEN)?;
        header.atomic = Some(AtomicRepr {
            address: get(front, atomic::ADDRESS),
            key: get32(front, atomic::KEY),
            swap_or_add: get(front, atomic::SWAP_OR_ADD),
            compare: get(front, atomic::COMPARE),
        });
        rest = behind;
    }
    Some((verb, header, rest))
}

/// Everything behind the BTH of the answer to an atomic operation (AETH, AtomicAckETH).
pub fn atomic_answer(aeth: AethRepr, original: u64) -> [u8; AETH_LEN + ORIGINAL_LEN] {
    let mut bytes = [0; AETH_LEN + ORIGINAL_LEN];
    aeth.emit(&mut bytes);
    put(&mut bytes, AETH_LEN..AETH_LEN + ORIGINAL_LEN, original);
    bytes
}

/// Header and original value of the answer to an atomic operation; `None` unless `body` is exactly that.
pub fn parse_atomic_answer(body: &[u8]) -> Option<(AethRepr, u64)> {
    if body.len() != AETH_LEN + ORIGINAL_LEN {
        return None;
    }
    let aeth = AethRepr::parse(&AethView::new_checked(body).ok()?);
    Some((aeth, get(body, AETH_LEN..body.len())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{NakCode, Opcode, Syndrome};

    /// Each opcode that [`Opcode`] leaves to this file, there and back.
    #[test]
    fn every_other_request_is_known_here() {
        for byte in 0..=255 {
            let other = matches!(Opcode::parse(byte), Some(Opcode::OtherRequest(_)));
            assert_eq!(Verb::parse(byte).map(Verb::opcode), other.then_some(byte));
        }
        let other = Opcode::parse(ATOMIC_ACKNOWLEDGE);
        assert_eq!(other, Some(Opcode::OtherResponse(ATOMIC_ACKNOWLEDGE)));
    }

    #[test]
    fn headers_by_hand() {
        let immediate = Some([1, 2, 3, 4]);
        let reth = Some(RethRepr {
            address: 0x0102_0304_0506_0708,
            key: 0x0a0b_0c0d,
            length: 3,
        });
        let header = VerbHeader {
            reth,
            immediate,
            atomic: None,
        };
        let bytes = Verb::WriteImmediate(Position::Only).header(&header);
        assert_eq!(bytes, [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 0, 0, 0, 3, 1, 2, 3, 4]);
        let body = [&bytes[..], b"abc"].concat();
        let verb = Verb::WriteImmediate(Position::Only);
        assert_eq!(split(0x0b, &body), Some((verb, header, &b"abc"[..])));
        assert_eq!(split(0x0b, &body[..19]), None);
        let header = VerbHeader { reth: None, ..header };
        assert_eq!(
            split(0x16, b"\x01\x02\x03\x04x"),
            Some((Verb::SendInvalidate(Position::Last), header, &b"x"[..]))
        );
        assert_eq!(split(0x03, b"\x01\x02\x03"), None);
        let none = VerbHeader::default();
        assert_eq!(split(0x04, b""), Some((Verb::Send(Position::Only), none, &b""[..])));
        let atomic = AtomicRepr {
            address: 0x10,
            key: 2,
            swap_or_add: 3,
            compare: 4,
        };
        let header = VerbHeader {
            atomic: Some(atomic),
            ..none
        };
        let mut bytes = [0; 28];
        (bytes[7], bytes[11], bytes[19], bytes[27]) = (0x10, 2, 3, 4);
        assert_eq!(Verb::CompareSwap.header(&header), bytes);
        assert_eq!(split(0x13, &bytes), Some((Verb::CompareSwap, header, &b""[..])));
        assert_eq!(split(0x14, &bytes[..27]), None);
    }

    #[test]
    fn answers_of_atomic_operations() {
        let aeth = AethRepr {
            syndrome: Syndrome::Nak(NakCode::InvalidRequest),
            msn: 7,
        };
        let bytes = atomic_answer(aeth, 0x0102_0304_0506_0708);
        assert_eq!(bytes, [0x61, 0, 0, 7, 1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(parse_atomic_answer(&bytes), Some((aeth, 0x0102_0304_0506_0708)));
        assert_eq!(parse_atomic_answer(&bytes[..11]), None);
    }
}
