//! Layouts of entries as tables: the book's page and the driver's header are made from them.

use super::{
    COMPLETION_IMMEDIATE, COMPLETION_INVALIDATED, COMPLETION_SOLICITED, SEND_FENCE, SEND_INLINE, SEND_SIGNALED,
    SEND_SOLICITED,
};

/// A row of a layout: first byte, bytes, field, meaning.
pub(super) type Row = (usize, usize, &'static str, &'static str);

pub(super) const SEND: &[Row] = &[
    (0, 8, "work", "number that the completion carries"),
    (8, 8, "remote address", "address in the peer's memory"),
    (16, 4, "remote key", "key of the peer's region"),
    (
        20,
        4,
        "immediate",
        "immediate data or key to invalidate, as on the wire: most significant byte first",
    ),
    (24, 1, "opcode", "see below"),
    (25, 1, "flags", "see below"),
    (
        26,
        1,
        "count",
        "pieces of memory, 0 to 4, or bytes of inline data, 0 to 32",
    ),
    (27, 5, "", "zero"),
    (
        32,
        16,
        "piece",
        "first piece; with the flag inline, bytes 32 to 63 are the data",
    ),
    (
        48,
        8,
        "first operand",
        "atomic operations: value that is compared or added",
    ),
    (56, 8, "second operand", "compare and swap: value that is stored"),
];
pub(super) const PIECE: &[Row] = &[
    (0, 8, "address", "first address, as the region counts it"),
    (8, 4, "length", "bytes"),
    (12, 4, "key", "local key of the region"),
];
pub(super) const RECEIVE: &[Row] = &[
    (0, 8, "work", "number that the completion carries"),
    (8, 8, "address", "first address of the first piece"),
    (16, 4, "length", "its bytes"),
    (20, 4, "key", "its local key"),
    (24, 1, "count", "pieces of memory, 0 to 4"),
    (25, 7, "", "zero"),
];
pub(super) const COMPLETION: &[Row] = &[
    (0, 8, "work", "number of the work request or receive"),
    (8, 3, "queue pair", "its number"),
    (11, 1, "opcode", "see below; in an entry with an error it only tells send queue from receive queue"),
    (12, 1, "status", "see below"),
    (13, 1, "flags", "see below"),
    (14, 2, "index", "slot of the send or receive queue: this one (of an entry of two or three slots the last) and all before it are free"),
    (16, 4, "length", "bytes of the message, 0 after an error"),
    (20, 4, "immediate", "immediate data or the key that was invalidated, as on the wire"),
    (24, 6, "time", "ns of the NIC's clock"),
    (30, 1, "", "zero"),
    (31, 1, "phase", "bit 7: 1 in the first pass over the ring, 0 in the second, and so on"),
];
pub(super) const EVENT: &[Row] = &[
    (0, 1, "kind", "see below"),
    (1, 3, "", "zero"),
    (4, 4, "number", "of the completion queue or of the queue pair"),
    (8, 7, "", "zero"),
    (15, 1, "phase", "bit 7, as in completions"),
];
pub(super) const SEND_FLAGS: &[(u8, &str, &str)] = &[
    (SEND_SIGNALED, "signalled", "a success is reported"),
    (SEND_SOLICITED, "solicited", "the peer's completion counts as solicited"),
    (
        SEND_FENCE,
        "fence",
        "begins when all READs and atomic operations before it are complete",
    ),
    (SEND_INLINE, "inline", "the data stands in the entry"),
];
pub(super) const COMPLETION_FLAGS: &[(u8, &str, &str)] = &[
    (COMPLETION_IMMEDIATE, "immediate", "there is immediate data"),
    (
        COMPLETION_INVALIDATED,
        "invalidated",
        "the message invalidated a region",
    ),
    (COMPLETION_SOLICITED, "solicited", "the peer asked for an event"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nic::queues::*;
    use crate::nic::Status;

    /// Rows follow one another without gap up to the entry's length.
    #[test]
    fn layouts_are_whole() {
        let tables = [
            (SEND, SEND_ENTRY_LEN),
            (PIECE, SEGMENT_LEN),
            (RECEIVE, RECEIVE_ENTRY_LEN),
            (COMPLETION, COMPLETION_ENTRY_LEN),
            (EVENT, EVENT_ENTRY_LEN),
        ];
        for (rows, len) in tables {
            let end = rows.iter().fold(0, |next, (at, bytes, ..)| {
                assert_eq!(next, *at);
                at + bytes
            });
            assert_eq!(end, len);
        }
    }

    /// Rows of a layout stand where the entries have their fields: in an entry of which one field alone is set, no byte of another row is.
    #[test]
    fn rows_stand_where_the_fields_are() {
        let touched = |rows: &[Row], bytes: &[u8]| -> Vec<&'static str> {
            let set = |(at, len, ..): &&Row| bytes[*at..at + len].iter().any(|byte| *byte != 0);
            rows.iter().filter(set).map(|(.., name, _)| *name).collect()
        };
        let completion = CompletionEntry {
            work: 0,
            qpn: 0,
            opcode: CompletionOpcode::Send,
            status: Status::Ok,
            flags: 0,
            index: 0,
            length: 0,
            immediate: [0; 4],
            time_ns: 0,
        };
        type Change = fn(&mut CompletionEntry);
        let cases: [(&str, Change); 8] = [
            ("work", |entry| entry.work = u64::MAX),
            ("queue pair", |entry| entry.qpn = 0xff_ffff),
            ("opcode", |entry| entry.opcode = CompletionOpcode::ReceiveWrite),
            ("status", |entry| entry.status = Status::LocalLengthError),
            ("flags", |entry| entry.flags = 0xff),
            ("index", |entry| entry.index = 0xffff),
            ("length", |entry| entry.length = u32::MAX),
            ("time", |entry| entry.time_ns = (1 << TIME_BITS) - 1),
        ];
        for (name, change) in cases {
            let mut entry = completion;
            change(&mut entry);
            assert_eq!(touched(COMPLETION, &entry.encode(false)), [name]);
        }
        assert_eq!(touched(COMPLETION, &completion.encode(true)), ["phase"]);
        let event = EventEntry {
            kind: EventKind::Completion,
            number: u32::MAX,
        };
        assert_eq!(touched(EVENT, &event.encode(true)), ["number", "phase"]);
        let work = SendEntry {
            work: 0,
            opcode: SendOpcode::FetchAdd,
            flags: SEND_FENCE,
            remote_address: 1,
            remote_key: 0,
            immediate: [0; 4],
            data: Data::Segments(vec![Segment::default()]),
            operands: [0, 1],
        };
        let expected = ["remote address", "opcode", "flags", "count", "second operand"];
        assert_eq!(touched(SEND, &work.encode()[0]), expected);
        assert_eq!(work.encode()[0][56], 1);
        let receive = ReceiveEntry {
            work: 1,
            segments: vec![Segment {
                address: 0,
                length: 1,
                key: 1,
            }],
        };
        assert_eq!(
            touched(RECEIVE, &receive.encode()[0]),
            ["work", "length", "key", "count"]
        );
    }
}
