//! A keyed check of feedback against whoever can write packets inside the network (HPCC++, draft-miao-ccwg-hpcc 9.1 recommends integrity of
//! feedback; the form is decided here): SipHash-2-4 of 64 bits behind the AETH, as the payload of acknowledgements and echoes.

use crate::wire::{siphash24, AethRepr, BthRepr, Extension, AETH_LEN};

/// Bytes of the check.
pub const ECHO_TAG_LEN: usize = 8;

/// The check of an acknowledgement or echo: over opcode, queue pair, PSN, AETH and INT.
pub fn echo_tag(key: [u64; 2], bth: &BthRepr, extension: &Extension, int: &[u8]) -> [u8; ECHO_TAG_LEN] {
    let mut covered = vec![bth.opcode.emit()];
    covered.extend(bth.dest_qp.to_be_bytes());
    covered.extend(bth.psn.to_be_bytes());
    if let Extension::Aeth(aeth) = extension {
        let mut bytes = [0; AETH_LEN];
        AethRepr::emit(aeth, &mut bytes);
        covered.extend(bytes);
    }
    covered.extend(int);
    siphash24(key, &covered).to_be_bytes()
}
