//! The chapter of the book on queues, from the types.

use super::*;
use crate::nic::Status;
use std::fmt::Write;

/// A row of a layout: first byte, bytes, field, meaning.
type Row = (usize, usize, &'static str, &'static str);

const SEND: &[Row] = &[
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
    (48, 8, "operand", "atomic operations: value that is compared or added"),
    (56, 8, "operand", "compare and swap: value that is stored"),
];
const PIECE: &[Row] = &[
    (0, 8, "address", "first address, as the region counts it"),
    (8, 4, "length", "bytes"),
    (12, 4, "key", "local key of the region"),
];
const RECEIVE: &[Row] = &[
    (0, 8, "work", "number that the completion carries"),
    (8, 8, "address", "first address of the first piece"),
    (16, 4, "length", "its bytes"),
    (20, 4, "key", "its local key"),
    (24, 1, "count", "pieces of memory, 0 to 4"),
    (25, 7, "", "zero"),
];
const COMPLETION: &[Row] = &[
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
const EVENT: &[Row] = &[
    (0, 1, "kind", "see below"),
    (1, 3, "", "zero"),
    (4, 4, "number", "of the completion queue or of the queue pair"),
    (8, 7, "", "zero"),
    (15, 1, "phase", "bit 7, as in completions"),
];
const SEND_FLAGS: &[(u8, &str, &str)] = &[
    (SEND_SIGNALED, "signalled", "a success is reported"),
    (SEND_SOLICITED, "solicited", "the peer's completion counts as solicited"),
    (
        SEND_FENCE,
        "fence",
        "begins when all READs and atomic operations before it are complete",
    ),
    (SEND_INLINE, "inline", "the data stands in the entry"),
];
const COMPLETION_FLAGS: &[(u8, &str, &str)] = &[
    (COMPLETION_IMMEDIATE, "immediate", "there is immediate data"),
    (
        COMPLETION_INVALIDATED,
        "invalidated",
        "the message invalidated a region",
    ),
    (COMPLETION_SOLICITED, "solicited", "the peer asked for an event"),
];

fn layout(text: &mut String, rows: &[Row]) {
    *text += "| first byte | bytes | field | meaning |\n| --- | --- | --- | --- |\n";
    for (at, bytes, field, meaning) in rows {
        let _ = writeln!(text, "| {at} | {bytes} | {field} | {meaning} |");
    }
}

fn flags(text: &mut String, rows: &[(u8, &str, &str)]) {
    *text += "\n| flag | value | meaning |\n| --- | --- | --- |\n";
    for (value, name, meaning) in rows {
        let _ = writeln!(text, "| {name} | {value} | {meaning} |");
    }
}

/// Number, name and meaning of each item of an enumeration.
macro_rules! codes_table {
    ($text:expr, $type:ident, $what:literal) => {
        codes_table!($text, $type, "number", $what)
    };
    ($text:expr, $type:ident, $number:literal, $what:literal) => {
        *$text += concat!("\n| ", $number, " | ", $what, " | meaning |\n| --- | --- | --- |\n");
        for item in $type::ALL {
            let _ = writeln!($text, "| {} | {} | {} |", item.code(), item.name(), item.about());
        }
    };
}

fn names(list: &[Attribute]) -> String {
    let names: Vec<&str> = list.iter().map(|attribute| attribute.name()).collect();
    names.join(", ")
}

/// The chapter.
pub fn markdown() -> String {
    let mut text = String::from(
        "<!-- Generated from `models::nic::queues`; its test writes it anew. Do not edit. -->\n# Queues\n
Queue pairs whose work requests, receives, completions and events lie in rings in the host's memory. Today the behavioural NIC has them; the RTL has
streams. All fields are little-endian except immediate data. An index counts slots from the start without end, in 16 bits; slot `index % entries` of
the ring is meant. A ring has 16 to 32768 entries, a power of two, and begins at a multiple of 4096; rings of completions and events begin as zeros.\n
## Send queue, 64 bytes\n\n",
    );
    let out = &mut text;
    layout(out, SEND);
    *out += "\nA piece:\n\n";
    layout(out, PIECE);
    *out += "\nOf two to four pieces the others stand at bytes 0, 16 and 32 of a second slot.\n";
    codes_table!(out, SendOpcode, "opcode");
    flags(out, SEND_FLAGS);
    *out += "\n## Receive queue, 32 bytes\n\n";
    layout(out, RECEIVE);
    *out += "\nOf two to four pieces the others stand in a second and third slot, two in each.\n\n## Completion queue, 32 bytes\n\n";
    layout(out, COMPLETION);
    codes_table!(out, CompletionOpcode, "opcode");
    flags(out, COMPLETION_FLAGS);
    *out += "\n| number | status | meaning |\n| --- | --- | --- |\n";
    for status in Status::ALL {
        let _ = writeln!(out, "| {} | {} | {} |", status.code(), status.name(), status.about());
    }
    *out += "
A completion that finds no room is not written, nothing is overwritten, and the queue takes none any more: an event says so once, and a queue pair that
completes there from then on ends with an event.\n
## Event queue, 16 bytes, one an interrupt vector\n\n";
    layout(out, EVENT);
    codes_table!(out, EventKind, "kind");
    let _ = writeln!(
        out,
        "
A kind of event of a queue or queue pair comes once until the host has passed it; then again, if it happened again meanwhile. So a completion queue
needs {COMPLETION_QUEUE_EVENTS} places and a queue pair {QUEUE_PAIR_EVENTS}, and one for which the event queue is too short is refused.\n
## Doorbells\n
A 32-bit write of number (bits 31 to 16: low bits of the queue pair's number, or the queue's) and index (bits 15 to 0) at an offset of a page of
{PAGE_LEN} bytes. Each queue pair and completion queue belongs to one page; what comes from another, or with an index beyond the ring, is ignored and
counted."
    );
    codes_table!(out, DoorbellKind, "offset", "doorbell");
    *out += "\n## States\n";
    codes_table!(out, State, "state");
    *out += "
RESET can be reached from every state, ERR from all but RESET; neither sets an attribute. The other moves:\n
| from | to | must set | may set |\n| --- | --- | --- | --- |\n";
    for row in MOVES {
        let (must, may) = (names(row.must), names(row.may));
        let _ = writeln!(out, "| {} | {} | {must} | {may} |", row.from.name(), row.to.name());
    }
    codes_table!(out, Attribute, "attribute");
    *out += "
An error of either half ends the queue pair: entries before the failing one complete first, it gets its status, and the rest of the send queue and then
of the receive queue is flushed, each in order, signalled or not.\n
## Refused commands\n";
    codes_table!(out, Code, "code");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let expected = ["remote address", "opcode", "flags", "count", "operand"];
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

    /// The page of the book is this text. With `HPCC_WRITE_DOCS` in the environment the test writes it.
    #[test]
    fn the_book_has_this_page() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/src/reference/queues.md");
        if std::env::var_os("HPCC_WRITE_DOCS").is_some() {
            std::fs::write(page, markdown()).unwrap();
        }
        let found = std::fs::read_to_string(page).unwrap_or_default();
        assert!(
            found == markdown(),
            "{page} differs: run this test with HPCC_WRITE_DOCS=1"
        );
    }
}
