//! The driver's header `driver/hpcc_queues.h`: sizes, layouts, codes and registers, from the types.

use super::layouts::{Row, COMPLETION, COMPLETION_FLAGS, EVENT, PIECE, RECEIVE, SEND, SEND_FLAGS};
use super::*;
use crate::nic::registers::offset;
use crate::nic::Status;
use std::fmt::Write;

/// A name as C has it.
fn upper(name: &str) -> String {
    name.to_uppercase().replace([' ', '-'], "_")
}

/// First bytes of the fields of an entry.
fn entry(text: &mut String, what: &str, prefix: &str, len: usize, rows: &[Row]) {
    let _ = writeln!(text, "\n/* {what}: bytes, and first byte of each field. */");
    let _ = writeln!(text, "#define HPCC_{prefix}_BYTES {len}u");
    for (at, _, name, _) in rows.iter().filter(|row| !row.2.is_empty()) {
        let _ = writeln!(text, "#define HPCC_{prefix}_{} {at}u", upper(name));
    }
}

fn flags(text: &mut String, what: &str, prefix: &str, rows: &[(u8, &str, &str)]) {
    let _ = writeln!(text, "\n/* {what}. */");
    for (value, name, meaning) in rows {
        let _ = writeln!(text, "#define HPCC_{prefix}_{} {value}u /* {meaning} */", upper(name));
    }
}

/// An enumeration of C.
macro_rules! codes_enum {
    ($text:expr, $type:ident, $what:literal, $name:literal) => {
        let _ = writeln!($text, concat!("\n/* ", $what, ". */\nenum hpcc_", $name, " {{"));
        for item in $type::ALL {
            let (name, code, about) = (upper(item.name()), item.code(), item.about());
            let _ = writeln!($text, "\tHPCC_{}_{name} = {code}, /* {about} */", upper($name));
        }
        *$text += "};\n";
    };
}

/// The header.
pub fn c_header() -> String {
    let mut text = String::from(
        "/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Generated from `models::nic::queues`; a test of the driver writes it anew. Do not edit.
 *
 * Queues in the host's memory and commands of the NIC, as the reference page on queues has them.
 */
#ifndef HPCC_QUEUES_H
#define HPCC_QUEUES_H
",
    );
    let out = &mut text;
    let _ = writeln!(
        out,
        "\n/* Entries of any ring: a power of two between these. First address of any ring: a multiple of the third. */\n\
         #define HPCC_RING_MIN {MIN_RING}u\n#define HPCC_RING_MAX {MAX_RING}u\n#define HPCC_RING_ALIGNMENT {RING_ALIGNMENT}u\n\
         /* Pieces of memory of an entry, and bytes of inline data, at most. */\n\
         #define HPCC_MAX_PIECES {MAX_SEGMENTS}u\n#define HPCC_MAX_INLINE {MAX_INLINE}u\n\
         /* Slots of a receive, and of an entry of the send queue, at most. */\n\
         #define HPCC_MAX_RECEIVE_SLOTS {RECEIVE_SLOTS}u\n#define HPCC_MAX_SEND_SLOTS 2u\n\
         /* The phase, in the last byte of an entry of a completion or event queue. */\n#define HPCC_PHASE {PHASE}u\n\
         /* Event queues; completion queue and queue pair: places in their event queue. */\n\
         #define HPCC_EVENT_QUEUES {EVENT_QUEUES}u\n#define HPCC_CQ_EVENTS {COMPLETION_QUEUE_EVENTS}u\n\
         #define HPCC_QP_EVENTS {QUEUE_PAIR_EVENTS}u\n/* Bytes of a page of doorbells. */\n#define HPCC_DOORBELL_PAGE {PAGE_LEN}u"
    );
    entry(out, "Entry of a send queue", "SEND_ENTRY", SEND_ENTRY_LEN, SEND);
    entry(out, "Piece of memory in an entry", "PIECE", SEGMENT_LEN, PIECE);
    entry(
        out,
        "Entry of a receive queue",
        "RECEIVE_ENTRY",
        RECEIVE_ENTRY_LEN,
        RECEIVE,
    );
    entry(
        out,
        "Entry of a completion queue",
        "COMPLETION_ENTRY",
        COMPLETION_ENTRY_LEN,
        COMPLETION,
    );
    entry(out, "Entry of an event queue", "EVENT_ENTRY", EVENT_ENTRY_LEN, EVENT);
    flags(out, "Flags of a work request", "SEND_FLAG", SEND_FLAGS);
    flags(out, "Flags of a completion", "COMPLETION_FLAG", COMPLETION_FLAGS);
    codes_enum!(out, SendOpcode, "Operation of a work request", "send_opcode");
    codes_enum!(
        out,
        CompletionOpcode,
        "Operation of a completion; those of receives have bit 7",
        "completion_opcode"
    );
    let _ = writeln!(out, "\n/* How work ended. */\nenum hpcc_status {{");
    for status in Status::ALL {
        let (name, code, about) = (upper(status.name()), status.code(), status.about());
        let _ = writeln!(out, "\tHPCC_STATUS_{name} = {code}, /* {about} */");
    }
    *out += "};\n";
    codes_enum!(out, EventKind, "Kind of an event", "event_kind");
    codes_enum!(
        out,
        DoorbellKind,
        "Doorbell: offset in its page. The word has the number in bits 31:16, the index in 15:0",
        "doorbell"
    );
    codes_enum!(out, State, "State of a queue pair", "state");
    codes_enum!(out, Attribute, "Attribute that a move sets", "attribute");
    codes_enum!(
        out,
        Code,
        "Why a command was refused; 0 is for one that was carried out",
        "code"
    );
    codes_enum!(out, Operation, "Operation of a command", "operation");
    let _ = writeln!(
        out,
        "\n/* Registers of commands, byte offsets: operation in bits 7:0 of COMMAND, its index in 31:8. */\n\
         #define HPCC_REGISTER_COMMAND 0x{:03x}u\n#define HPCC_COMMAND_INDEX_LOW {OPERATION_BITS}u\n\
         #define HPCC_REGISTER_STATUS 0x{:03x}u\n#define HPCC_STATUS_BIT_DONE {STATUS_DONE}u\n#define HPCC_STATUS_BIT_ERROR {STATUS_ERROR}u\n\
         #define HPCC_STATUS_BIT_READY {STATUS_READY}u\n#define HPCC_STATUS_CODE_LOW {STATUS_CODE_LOW}u\n\
         #define HPCC_STATUS_CODE_WIDTH {STATUS_CODE_BITS}u\n#define HPCC_REGISTER_BODY 0x{:03x}u\n#define HPCC_BODY_WORDS {BODY_WORDS}u",
        offset::COMMAND,
        offset::STATUS,
        offset::BODY
    );
    for layout in BODY_LAYOUTS {
        let of: Vec<&str> = layout.of.iter().map(|operation| operation.name()).collect();
        let _ = writeln!(
            out,
            "\n/* Body of {}: lowest bit and width of each field. */",
            of.join(", ")
        );
        for field in layout.fields {
            let name = format!("HPCC_BODY_{}_{}", layout.name, field.name);
            let (low, width, about) = (field.low, field.width, field.about);
            let _ = writeln!(out, "/* {about} */\n#define {name} {low}u, {width}u");
        }
    }
    *out += "\n#endif\n";
    text
}
