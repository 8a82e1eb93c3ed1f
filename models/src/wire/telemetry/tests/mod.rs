//! The same packet over the same two switches in every format, byte for byte; properties of all of them.

mod examples;
mod properties;
mod reading;
mod stamping;

use super::ifa::IfaHop;
use super::int_md::IntMdHop;
use super::ioam::IoamNode;
use super::*;
use crate::cc::HopRecord;

/// WRITE Only of four bytes, 10.0.0.10 to 10.0.0.11, TTL 62.
const FIG7: &str = "456a0052000140003e11281c0a00000a0a00000bc123d607003e00002b9f561c4f1468ac0140761cdedfdb9700020a00ffff00000011800001\
    0000000000000010 00deadbeef000000040102 0304b9e7d2a0";
const IFA: &str = "456a0088000140003efd26fa0a00000a0a00000b2f110428c12312b7002c000000007e101001230060000005000700010 75bdac10000012c\
    0fedcba9000000020000000 0100abc004000000500050003075bcd15000005dc1234567800000140000000000a00ffff00000011800001000000000000001000\
    deadbeef00000004010203048759beec";
const INT_MD: &str = "456a0080000140003e1127ee0a00000a0a00000bc123d60c006c0000140f12b720000603d400485080000000000001230001700703000002\
    000000013161cded0fedcba900000abc0003500503000140000000013161c4f1123456780a00ffff00000011800001000000000000001000deadbeef00000004\
    010203048759beec";
const IOAM_FRONT: &str = "456a00b0000140003e1127be0a00000a0a00000bc123d60b009c0000316e00000001280fd2080000";
const IOAM_BACK: &str = "3e00012300017007075bdbed000000020fedcba93f000abc00035005075bd2f100000140123456780a00ffff00000011800001000000000000\
    001000deadbeef0000000401020304781c2712";

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
    let value = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.chunks(2).map(value).collect()
}

fn ioam() -> Vec<u8> {
    [hex(IOAM_FRONT), vec![0; 60], hex(IOAM_BACK)].concat()
}

fn stack(ts: [u32; 2]) -> IntStack {
    let mut stack = IntStack {
        n_hop: 2,
        path_id: 0xbdf,
        ..IntStack::default()
    };
    stack.hops[0] = HopRecord {
        speed: 5,
        ts: ts[0],
        tx_bytes: 0x4_68ac,
        q_len: 0x140,
    };
    stack.hops[1] = HopRecord {
        speed: 7,
        ts: ts[1],
        tx_bytes: 0xf_db97,
        q_len: 2,
    };
    stack
}

const DEPARTURES: [u32; 2] = [0x61_c4f1, 0x61_cded];

fn opened(packet: &[u8]) -> Opened {
    open(packet, &TelemetryPorts::default()).expect("telemetry")
}
