//! `telemetry`: what the packets of a capture tell of their path.

use hpcc_models::wire::telemetry::{icrc_ok, open, Opened, TelemetryPorts, Unusable};
use hpcc_models::wire::{each_packet, CapturedPacket, PcapError};
use hpcc_sim::cli::{say, Failure};
use serde_json::{json, Value};
use std::path::PathBuf;

/// Print the telemetry of a capture, one JSON line a packet
///
/// Formats: Fig. 7 of the HPCC paper (UDP ports 54791, 54792), IFA 2.0 (IP protocols 253, 131), IOAM trace options (UDP port 54795),
/// INT-MD 2.1 (UDP port 54796). Captures: pcap and pcapng, Ethernet with any VLAN tags, Linux cooked, bare IP.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Capture
    #[arg(value_name = "FILE.pcap")]
    file: PathBuf,
}

/// A failure of the capture, or of the screen.
enum Stop {
    Capture(PcapError),
    Screen(Failure),
}

impl From<PcapError> for Stop {
    fn from(error: PcapError) -> Self {
        Self::Capture(error)
    }
}

impl Args {
    /// Runs the subcommand.
    pub fn run(self) -> Result<(), Failure> {
        let name = self.file.display();
        let file = std::fs::File::open(&self.file).map_err(|e| Failure::Input(format!("{name}: {e}")))?;
        let ports = TelemetryPorts::default();
        let mut number = 0;
        let result = each_packet(std::io::BufReader::new(file), |packet| {
            number += 1;
            say(&format!("{}\n", line(number, &packet, &ports))).map_err(Stop::Screen)
        });
        match result {
            Ok(()) => Ok(()),
            Err(Stop::Screen(failure)) => Err(failure),
            Err(Stop::Capture(error)) => Err(Failure::Input(format!("{name}: packet {}: {error}", number + 1))),
        }
    }
}

/// The line of a packet. Packets count from 1, as dissectors do.
fn line(number: usize, packet: &CapturedPacket, ports: &TelemetryPorts) -> Value {
    let Some(ip) = packet.ip_at.map(|at| &packet.bytes[at..]) else {
        return none(number, "not IP", false);
    };
    match open(ip, ports) {
        Some(Opened {
            stack: Err(Unusable::IntMx),
            plain,
            ..
        }) => none(number, &Unusable::IntMx.to_string(), icrc_ok(&plain)),
        Some(opened) => {
            let icrc = opened.icrc_ok();
            let stack = opened.stack.unwrap_or_default();
            let records: Vec<Value> = stack.hops[..stack.records()]
                .iter()
                .map(|hop| json!({ "speed": hop.speed, "ts": hop.ts, "tx": hop.tx_bytes, "q": hop.q_len }))
                .collect();
            let mut line = json!({
                "packet": number,
                "format": opened.format.name(),
                "path_id": stack.path_id,
                "n_hop": stack.n_hop,
                "records": records,
                "icrc": icrc,
            });
            if let Err(why) = opened.stack {
                line["ignored"] = json!(why.to_string());
            }
            line
        }
        None => {
            // Without telemetry the packet is its own plain form; a MAC may have padded it.
            let total = match ip.first().map(|b| b >> 4) {
                Some(4) if ip.len() >= 4 => usize::from(u16::from_be_bytes([ip[2], ip[3]])),
                Some(6) if ip.len() >= 6 => 40 + usize::from(u16::from_be_bytes([ip[4], ip[5]])),
                _ => ip.len(),
            };
            none(number, "no telemetry", icrc_ok(&ip[..total.min(ip.len())]))
        }
    }
}

/// The line of a packet that carries none of the formats.
fn none(number: usize, why: &str, icrc: bool) -> Value {
    json!({ "packet": number, "format": null, "path_id": null, "n_hop": 0, "records": [], "icrc": icrc, "ignored": why })
}
