//! A keyed check of feedback against whoever can write packets inside the network (HPCC++, draft-miao-ccwg-hpcc 9.1 recommends integrity of
//! feedback; the form is decided here): SipHash-2-4 of 64 bits at the end of the payload of acknowledgements, echoes and notifications.

use crate::wire::{siphash24, AethRepr, BthRepr, Extension, RocePacket, AETH_LEN};

/// Bytes of the check.
pub const ECHO_TAG_LEN: usize = 8;

/// The check of an acknowledgement or echo: over opcode, queue pair, PSN, AETH and INT.
pub fn echo_tag(key: [u64; 2], bth: &BthRepr, extension: &Extension, int: &[u8]) -> [u8; ECHO_TAG_LEN] {
    tag(key, bth, extension, int, &[])
}

/// The payload of a packet without its check, if that is right.
pub(super) fn checked<'a>(key: [u64; 2], packet: &RocePacket<'a>) -> Option<&'a [u8]> {
    let (payload, found) = packet.payload.split_last_chunk()?;
    (*found == tag(key, &packet.bth, &packet.extension, packet.int, payload)).then_some(payload)
}

/// The check of an acknowledgement, echo or notification: over opcode, queue pair, PSN, AETH, INT and `payload`, behind which it stands.
pub(super) fn tag(
    key: [u64; 2],
    bth: &BthRepr,
    extension: &Extension,
    int: &[u8],
    payload: &[u8],
) -> [u8; ECHO_TAG_LEN] {
    let mut covered = vec![bth.opcode.emit()];
    covered.extend(bth.dest_qp.to_be_bytes());
    covered.extend(bth.psn.to_be_bytes());
    if let Extension::Aeth(aeth) = extension {
        let mut bytes = [0; AETH_LEN];
        AethRepr::emit(aeth, &mut bytes);
        covered.extend(bytes);
    }
    covered.extend(int);
    covered.extend(payload);
    siphash24(key, &covered).to_be_bytes()
}
