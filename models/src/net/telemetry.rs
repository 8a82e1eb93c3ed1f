//! What each format of telemetry weighs (HPCC++).

use crate::wire::telemetry::Encapsulation;

/// What a format adds to a data packet, bytes. Acknowledgements carry Fig. 7's stack in all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TelemetryBytes {
    /// At the sender.
    pub base: u32,
    /// At each of the first five switches.
    pub per_hop: u32,
}

impl TelemetryBytes {
    /// Of a format by its name in scenarios: `fig7`, `ifa`, `ioam` (pre-allocated), `ioam-incremental`, `int-md`.
    pub fn named(format: &str) -> Option<Self> {
        let format = Encapsulation::named(format)?;
        Some(Self {
            base: format.base_len() as u32,
            per_hop: format.hop_len() as u32,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_formats_by_name() {
        let bytes = |name| TelemetryBytes::named(name).map(|bytes| (bytes.base, bytes.per_hop));
        let expected = [
            ("fig7", (2, 8)),
            ("ifa", (8, 32)),
            ("ioam", (112, 0)),
            ("ioam-incremental", (12, 20)),
            ("int-md", (16, 24)),
        ];
        for (name, of_wire) in expected {
            assert_eq!(bytes(name), Some(of_wire), "{name}");
        }
        assert_eq!(bytes("fig8"), None);
    }
}
