//! The chapter of the book on queues, from the types.

use super::layouts::{Row, COMPLETION, COMPLETION_FLAGS, EVENT, PIECE, RECEIVE, SEND, SEND_FLAGS};
use super::*;
use crate::nic::Status;
use std::fmt::Write;

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
## Commands\n\n";
    commands(out);
    *out += "\n## Refused commands\n";
    codes_table!(out, Code, "code");
    text
}

/// Commands and their bodies.
fn commands(out: &mut String) {
    *out += "The host writes the words of the register `BODY` (12 of 32 bits; bit 0 is the lowest one of the first), then `COMMAND`: the operation in bits
7 to 0, and the number of a queue or queue pair in 31 to 8. `STATUS` then says done (bit 1), or error (bit 2) and why (bits 8 to 4, codes below); a
written one clears either bit. When done, nothing of what the command ended is under way, completions and events included. A protection domain is a
number that a region and a queue pair have in common; nothing creates it.\n";
    codes_table!(out, Operation, "operation");
    for layout in BODY_LAYOUTS {
        let of: Vec<String> = layout
            .of
            .iter()
            .map(|operation| format!("`{}`", operation.name()))
            .collect();
        let _ = writeln!(
            out,
            "\nBody of {}:\n\n| bits | field | meaning |\n| --- | --- | --- |",
            of.join(", ")
        );
        for field in layout.fields {
            let bits = match field.width {
                1 => field.low.to_string(),
                width => format!("{}:{}", field.low + width - 1, field.low),
            };
            let _ = writeln!(
                out,
                "| {bits} | {} | {} |",
                field.name.to_lowercase().replace('_', " "),
                field.about
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
