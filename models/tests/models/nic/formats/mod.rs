//! INT in other formats than Fig. 7's (HPCC++, draft-miao-tsv-hpcc-info): what a NIC makes of packets that two switches have stamped, and what it sends.

mod arriving;
mod leaving;

use super::bench::*;
use hpcc_models::nic::*;
use hpcc_models::wire::telemetry::ioam::Trace;
use hpcc_models::wire::telemetry::{open, Encapsulation, TelemetryPorts};
use hpcc_models::wire::*;

pub const PREALLOCATED: Encapsulation = Encapsulation::Ioam(Trace::Preallocated);
pub const INCREMENTAL: Encapsulation = Encapsulation::Ioam(Trace::Incremental);

pub fn config(encapsulation: Encapsulation) -> NicConfig {
    NicConfig {
        format: FormatConfig {
            encapsulation,
            ..FormatConfig::default()
        },
        ..nic_config()
    }
}

pub fn as_frame(packet: &[u8]) -> Vec<u8> {
    let mut frame = vec![0; 14];
    EthernetRepr::ipv4(PEER_MAC, OUR_MAC).emit(&mut frame);
    frame.extend(packet);
    frame
}
