//! A [`trace`](super::trace) as text: a list, C, Python.

use super::trace::{register_at, Access, Trace};
use hpcc_models::nic::registers::{offset, registers, Register};
use hpcc_rtl::words::context::{Neighbour, QpContext, Region};
use hpcc_rtl::words::work::WorkRequest;
use std::fmt::Write;

/// Words of a body that a command has at most.
const BODY_WORDS: usize = 12;

/// A field of a word by its name in the C header, and what it holds.
type Named = (String, u64);

macro_rules! fields {
    ($word:ident, $limbs:expr, $($field:ident)*) => {
        vec![$((stringify!($field).to_lowercase(), $word::$field.get($limbs))),*]
    };
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn limbs(words: &[u32]) -> Vec<u64> {
    words
        .chunks(2)
        .map(|pair| u64::from(pair[0]) | u64::from(pair.get(1).copied().unwrap_or(0)) << 32)
        .collect()
}

/// `CC_PARAM_LO[3]`, or `MTU`.
fn name(map: &[Register], offset: u16) -> String {
    match register_at(map, offset) {
        Some((register, place)) if register.count > 1 => format!("{}[{place}]", register.name),
        Some((register, _)) => register.name.clone(),
        None => format!("0x{offset:03x}"),
    }
}

/// What stands behind the sign of a comment: the register's name, and what the access is for.
fn note(name: &str, about: &str) -> String {
    match (name, about) {
        ("", about) => about.into(),
        (name, "") => name.into(),
        (name, about) => format!("{name}: {about}"),
    }
}

/// One access a line, in words that any script can read. `made_by` is the command that made it.
pub fn list(trace: &Trace, made_by: &str) -> String {
    let map = registers();
    let mut text = format!(
        "# Made by `{made_by}`.
# poll OFFSET MASK VALUE  read the register until the bits of MASK are VALUE
# write OFFSET VALUE      write it, all four bytes
# work BYTES              put the word on s_axis_work, its first byte lowest
# completion BYTES        take this word from m_axis_completion; bytes 17 to 22 are the time, which differs
"
    );
    for (access, about) in trace {
        let (line, name) = match access {
            Access::Poll { offset, mask, value } => (
                format!("poll 0x{offset:03x} 0x{mask:x} 0x{value:x}"),
                name(&map, *offset),
            ),
            Access::Write { offset, value } => (format!("write 0x{offset:03x} 0x{value:08x}"), name(&map, *offset)),
            Access::Work(word) => (format!("work {}", hex(word)), String::new()),
            Access::Completion(word) => (format!("completion {}", hex(word)), String::new()),
        };
        let _ = writeln!(text, "{line:<24}  # {}", note(&name, about));
    }
    text
}

/// A list of Python, for a cocotb bench or a script on a card.
pub fn python(trace: &Trace, made_by: &str) -> String {
    let map = registers();
    let mut text = format!(
        "\"\"\"Made by `{made_by}`.

(\"poll\", offset, mask, value): read the register until the bits of the mask have the value. (\"write\", offset, value). (\"work\", word):
put it on s_axis_work, its first byte lowest. (\"completion\", word): take it from m_axis_completion; bytes 17 to 22 are the time, which differs.
\"\"\"

TRACE = [
"
    );
    for (access, about) in trace {
        let (line, name) = match access {
            Access::Poll { offset, mask, value } => (
                format!("(\"poll\", 0x{offset:03X}, 0x{mask:X}, 0x{value:X}),"),
                name(&map, *offset),
            ),
            Access::Write { offset, value } => (
                format!("(\"write\", 0x{offset:03X}, 0x{value:08X}),"),
                name(&map, *offset),
            ),
            Access::Work(word) => (format!("(\"work\", bytes.fromhex(\"{}\")),", hex(word)), String::new()),
            Access::Completion(word) => (
                format!("(\"completion\", bytes.fromhex(\"{}\")),", hex(word)),
                String::new(),
            ),
        };
        let _ = writeln!(text, "    {line}  # {}", note(&name, about));
    }
    text + "]\n"
}

/// What stands before the accesses in C.
const C_HEAD: &str = "
#include <string.h>
#include \"hpcc_nic.h\"

/* The design's own: registers by their byte offset, and the two streams. The completion waits until there is one. */
uint32_t hpcc_port_read(uint32_t offset);
void hpcc_port_write(uint32_t offset, uint32_t value);
void hpcc_port_work(const uint8_t word[HPCC_WORK_REQUEST_BYTES]);
void hpcc_port_completion(uint8_t word[HPCC_COMPLETION_BYTES]);

/* Carries out a command; 0, or why it was refused (enum hpcc_command_result). */
static inline int hpcc_command(enum hpcc_host_operation operation, uint32_t index, const uint8_t *body, unsigned bytes)
{
    uint32_t status;
    unsigned at;
    for (at = 0; at < bytes; at += 4)
        hpcc_port_write(HPCC_NIC_BODY0 + at, (uint32_t)hpcc_get(body, 8 * at, 32));
    hpcc_port_write(HPCC_NIC_COMMAND, (uint32_t)operation << HPCC_NIC_COMMAND_OPERATION_LSB | index << HPCC_NIC_COMMAND_INDEX_LSB);
    do
        status = hpcc_port_read(HPCC_NIC_STATUS);
    while (status >> HPCC_NIC_STATUS_BUSY_LSB & 1);
    /* done and error stay until they are cleared */
    hpcc_port_write(HPCC_NIC_STATUS, 1u << HPCC_NIC_STATUS_DONE_LSB | 1u << HPCC_NIC_STATUS_ERROR_LSB);
    if (status >> HPCC_NIC_STATUS_ERROR_LSB & 1)
        return (int)(status >> HPCC_NIC_STATUS_CODE_LSB & 7);
    return 0;
}

/* 0, or where it stopped: the number of the command or completion, from 1. */
int hpcc_bring_up(void)
{
    uint8_t word[64];
";

/// A command's name in the header, the word of its body, and the fields of that.
fn command(operation: u32, body: &[u32]) -> Option<(&'static str, &'static str, Vec<Named>)> {
    let limbs = &limbs(body)[..];
    Some(match operation {
        1 => (
            "CREATE_QP",
            "qp_context",
            fields!(QpContext, limbs, REMOTE_IP REMOTE_MAC REMOTE_QPN SOURCE_PORT MTU INT_ON PAUSE_CLASS SEND_PSN EXPECTED_PSN LOCAL_QPN LAW),
        ),
        3 => (
            "WRITE_REGION",
            "region",
            fields!(Region, limbs, VALID KEY BASE LENGTH REMOTE_WRITE REMOTE_READ),
        ),
        4 => ("WRITE_NEIGHBOUR", "neighbour", fields!(Neighbour, limbs, IP MAC)),
        _ => return None,
    })
}

fn number(value: u64) -> String {
    match value {
        0..10 => format!("{value}"),
        _ => format!("0x{value:x}u{}", if value > u64::from(u32::MAX) { "ll" } else { "" }),
    }
}

/// `HPCC_NIC_CC_PARAM_LO + 3 * HPCC_NIC_CC_PARAM_LO_STRIDE`, or `HPCC_NIC_MTU`.
fn c_offset(map: &[Register], offset: u16) -> String {
    match register_at(map, offset) {
        Some((register, 0)) => format!("HPCC_NIC_{}", register.name),
        Some((register, place)) => format!("HPCC_NIC_{0} + {place} * HPCC_NIC_{0}_STRIDE", register.name),
        None => format!("0x{offset:03x}u"),
    }
}

fn c_word(text: &mut String, word: &str, fields: &[Named]) {
    let _ = writeln!(text, "    memset(word, 0, sizeof word);");
    for (field, value) in fields.iter().filter(|(_, value)| *value != 0) {
        let _ = writeln!(text, "    hpcc_{word}_set_{field}(word, {});", number(*value));
    }
}

/// A function of C with the names of `hpcc_nic.h`, and what it asks of the design.
pub fn c(trace: &Trace, made_by: &str) -> String {
    let map = registers();
    let mut text = format!("/* Made by `{made_by}`. */{C_HEAD}");
    let (mut body, mut stop) = (Vec::new(), 0);
    let mut posted = String::new();
    for (access, about) in trace {
        match access {
            // a command waits for its end by itself
            Access::Poll { mask, value, .. } if mask != value => {}
            Access::Write { offset: at, .. } if *at == offset::STATUS => {}
            Access::Poll { offset, mask, value } => {
                let at = c_offset(&map, *offset);
                let _ = writeln!(
                    text,
                    "    /* {about} */\n    while ((hpcc_port_read({at}) & 0x{mask:x}u) != 0x{value:x}u)\n        ;"
                );
            }
            Access::Write { offset: at, value }
                if (offset::BODY..offset::BODY + 4 * BODY_WORDS as u16).contains(at) =>
            {
                body.push(*value);
            }
            Access::Write { offset: at, value } if *at == offset::COMMAND => {
                stop += 1;
                let (operation, index) = (value & 7, value >> 8);
                if let Some((name, word, fields)) = command(operation, &body) {
                    let _ = writeln!(text, "    /* {about} */");
                    c_word(&mut text, word, &fields);
                    let _ = writeln!(
                        text,
                        "    if (hpcc_command(HPCC_HOST_OPERATION_{name}, {index}, word, HPCC_{}_BYTES))\n        return {stop};",
                        word.to_uppercase()
                    );
                }
                body.clear();
            }
            Access::Write { offset, value } => {
                let at = c_offset(&map, *offset);
                let _ = writeln!(text, "    hpcc_port_write({at}, {});", number((*value).into()));
            }
            Access::Work(bytes) => {
                let words: Vec<u32> = bytes
                    .chunks(4)
                    .map(|word| word.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte)))
                    .collect();
                let limbs = &limbs(&words)[..];
                let fields = fields!(WorkRequest, limbs, ID QPN OPERATION LOCAL_ADDRESS LOCAL_KEY REMOTE_ADDRESS REMOTE_KEY LENGTH);
                let _ = writeln!(text, "    /* {about} */");
                c_word(&mut text, "work_request", &fields);
                let _ = writeln!(text, "    hpcc_port_work(word);");
                posted = number(WorkRequest::ID.get(limbs));
            }
            Access::Completion(_) => {
                stop += 1;
                let _ = writeln!(
                    text,
                    "    hpcc_port_completion(word);\n    if (hpcc_completion_id(word) != {posted} || hpcc_completion_status(word) != HPCC_COMPLETION_STATUS_OK)\n        return {stop};"
                );
            }
        }
    }
    text + "    return 0;\n}\n"
}
