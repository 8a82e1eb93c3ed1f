//! How fast the NIC is: frames a second in and out, packets that the scheduler lets go, clocks that are simulated a second. How fast the network
//! is simulated.

mod basis;
mod frames;
mod network;
mod scheduler;
mod simulation;

pub use basis::{wire_frames, SpeedError, CLOCK_HZ, SIZES, WIRE_BPS};
pub use frames::{receive, transmit, Received, Sent};
pub use network::{alone, network, Network, ALONE};
pub use scheduler::grants_per_clock;
pub use simulation::{simulation, Simulated};

use std::fmt::Write;

/// Millions a second and percent of the wire.
fn of_wire(frames_per_second: f64, bytes: usize) -> String {
    let percent = 100.0 * frames_per_second / wire_frames(bytes);
    format!("{:.2} | {percent:.1}", frames_per_second / 1e6)
}

/// Received frames as a Markdown table.
pub fn receive_table(rows: &[Received]) -> String {
    let mut text = String::from("| RX: frame | bytes with FCS | beats | clocks a frame | million frames/s | % of the wire |\n|---|---|---|---|---|---|\n");
    for row in rows {
        let clocks = row.clocks;
        let rate = of_wire(CLOCK_HZ / clocks as f64, row.bytes);
        let beats = (row.bytes - 4).div_ceil(64);
        let _ = writeln!(text, "| {} | {} | {beats} | {clocks} | {rate} |", row.kind, row.bytes);
    }
    text
}

/// Sent frames as a Markdown table.
pub fn transmit_table(rows: &[Sent]) -> String {
    let mut text = String::from(
        "| TX: bytes with FCS | million frames/s at 100 Gb/s | % of the wire | both ways, each | % | MAC that always takes | % of the wire |\n|---|---|---|---|---|---|---|\n",
    );
    for row in rows {
        let cells = [row.one_way, row.both_ways, row.free].map(|rate| of_wire(rate, row.bytes));
        let _ = writeln!(text, "| {} | {} |", row.bytes, cells.join(" | "));
    }
    text
}

/// Speed of simulation as a Markdown table.
pub fn simulation_table(rows: &[Simulated]) -> String {
    let mut text = String::from("| simulated | clocks | clocks a second of a processor |\n|---|---|---|\n");
    for row in rows {
        let rate = row.clocks as f64 / row.seconds.max(1e-9);
        let _ = writeln!(text, "| {} | {} | {rate:.0} |", row.what, row.clocks);
    }
    text
}

/// Speed of the network as a Markdown table.
pub fn network_table(rows: &[Network]) -> String {
    let mut text = String::from(
        "| hosts | flows | set-up, s | packet-hops | million a second of a processor | events a hop | instructions a hop |\n|---|---|---|---|---|---|---|\n",
    );
    for row in rows {
        let hops = row.counters.packet_hops as f64;
        let [setup, run] = row.seconds;
        let rate = hops / run.max(1e-9) / 1e6;
        let events = row.counters.events as f64 / hops.max(1.0);
        let instructions = row.instructions.map_or("-".into(), |count| format!("{count:.0}"));
        let _ = writeln!(
            text,
            "| {} | {} | {setup:.2} | {hops} | {rate:.2} | {events:.2} | {instructions} |",
            row.hosts, row.flows
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_the_wire_are_those_of_ethernet() {
        // 148.8 million minimum frames a second at 100 Gb/s
        assert!((wire_frames(64) - 148_809_523.8).abs() < 1.0);
        let row = Received {
            kind: "WRITE",
            bytes: 128,
            clocks: 4,
        };
        let text = receive_table(&[row]);
        assert!(text.ends_with("| WRITE | 128 | 2 | 4 | 50.00 | 59.2 |\n"), "{text}");
    }
}
