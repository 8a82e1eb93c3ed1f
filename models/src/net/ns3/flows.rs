//! Flow file: the count, then `src dst priority dst_port bytes start_seconds` a flow.

use super::{FormatError, Words};
use crate::net::clock::{ns3_seconds_to_ns, PS_PER_NS};
use crate::net::flow::FlowSpec;
use crate::net::topology::Topology;

/// One line of a flow file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ns3Flow {
    /// Sending host.
    pub src: u32,
    /// Receiving host.
    pub dst: u32,
    /// Priority; all priorities share one class here (a mixture is warned about).
    pub priority: u32,
    /// Destination port: part of what chooses among equal paths.
    pub dst_port: u16,
    /// Payload, bytes.
    pub bytes: u64,
    /// Start, seconds.
    pub start_seconds: f64,
}

impl Ns3Flow {
    /// The flow as the simulator starts it: the start cut to whole nanoseconds.
    pub fn spec(&self) -> FlowSpec {
        self.starting_at(ns3_seconds_to_ns(self.start_seconds))
    }

    /// The flow as ns-3.39, which the PowerTCP authors use, starts it: at the nanosecond that the decimals say.
    pub fn spec_rounded(&self) -> FlowSpec {
        self.starting_at((self.start_seconds * 1e9).round() as u64)
    }

    fn starting_at(&self, ns: u64) -> FlowSpec {
        let start_ps = ns * PS_PER_NS;
        FlowSpec {
            src: self.src,
            dst: self.dst,
            bytes: self.bytes,
            start_ps,
            dst_port: self.dst_port,
        }
    }
}

/// What a flow file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Ns3Flows {
    /// As many flows as it announces.
    pub flows: Vec<Ns3Flow>,
    /// One line each: what is in the file and not in the simulation.
    pub warnings: Vec<String>,
}

/// Reads a flow file; hosts must exist in `topology`. As in that simulator, what follows the announced flows is not read.
pub fn read_flows(file: &str, text: &str, topology: &Topology) -> Result<Ns3Flows, FormatError> {
    let mut words = Words::new(file, text);
    let (_, count) = words.next("flows", "a count", |w| w.parse::<usize>().ok())?;
    let host = |w: &str| {
        w.parse::<u32>()
            .ok()
            .filter(|&n| topology.is_switch.get(n as usize) == Some(&false))
    };
    let mut flows = Vec::with_capacity(count.min(1 << 20));
    for _ in 0..count {
        let (line, src) = words.next("src", "a host of the topology", host)?;
        let (_, dst) = words.next("dst", "a host of the topology", host)?;
        if src == dst {
            return Err(words.error(line, "dst", "another host than src", &dst.to_string()));
        }
        let (_, priority) = words.next("priority", "a number from 0 to 7", |w| {
            w.parse().ok().filter(|p| *p < 8)
        })?;
        let (_, dst_port) = words.next("dst_port", "a port number", |w| w.parse().ok())?;
        let (_, bytes) = words.next("bytes", "a size from 1 to 4294967295", |w| {
            w.parse().ok().filter(|b| (1..=u64::from(u32::MAX)).contains(b))
        })?;
        let (_, start_seconds) = words.next("start_seconds", "seconds from 0 to 1000", |w| {
            w.parse::<f64>().ok().filter(|s| (0.0..=1000.0).contains(s))
        })?;
        let earlier = flows.last().map_or(0.0, |f: &Ns3Flow| f.start_seconds);
        if start_seconds < earlier {
            let expected = format!(
                "{earlier} or later, as of the flow before (the simulator of this format would go back in time)"
            );
            return Err(words.error(line, "start_seconds", &expected, &start_seconds.to_string()));
        }
        flows.push(Ns3Flow {
            src,
            dst,
            priority,
            dst_port,
            bytes,
            start_seconds,
        });
    }
    let mut warnings = Vec::new();
    if let Some((line, _)) = words.rest().filter(|(_, word)| word.parse::<f64>().is_ok()) {
        warnings.push(format!("{file}:{line}: flows after the {count} announced are not read"));
    }
    let first = flows.first().map_or(0, |f: &Ns3Flow| f.priority);
    if flows.iter().any(|f| f.priority != first || f.priority == 0) {
        warnings.push(format!("{file}: priority: flows of all priorities share one class"));
    }
    Ok(Ns3Flows { flows, warnings })
}

/// The same format, written.
pub fn write_flows(flows: &[Ns3Flow]) -> String {
    let mut text = format!("{}\n", flows.len());
    for f in flows {
        text += &format!(
            "{} {} {} {} {} {:.9}\n",
            f.src, f.dst, f.priority, f.dst_port, f.bytes, f.start_seconds
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::star;

    #[test]
    fn reads_and_writes() {
        let text = "2\n0 2 3 100 12000000 2.000000000\n1 2 3 100 7900000 2.000200000\n";
        let Ns3Flows { flows, warnings } = read_flows("f", text, &star(3, 100, 1000)).unwrap();
        assert!(warnings.is_empty());
        assert_eq!(flows[1].spec().start_ps, 2_000_199_999_000);
        assert_eq!(write_flows(&flows), text);
    }

    /// The flow file that comes with the simulator announces two of its flows and ends with an explanation.
    #[test]
    fn reads_as_many_flows_as_announced() {
        let star = star(3, 100, 1000);
        let read = |text: &str| read_flows("f", text, &star).unwrap();
        let file = read("1\r\n0 2 3 100 5 2\r\n1 2 3 100 5 2\r\n\r\nFirst line: # of flows\r\n");
        assert_eq!(
            (file.flows.len(), file.warnings),
            (1, vec!["f:3: flows after the 1 announced are not read".to_string()])
        );
        assert!(read("1\n0 2 3 100 5 2.0\n\nPlease order the flows").warnings.is_empty());
        let mixed = read("2\n0 2 3 100 5 2\n1 2 4 100 5 2\n").warnings;
        assert_eq!(mixed, ["f: priority: flows of all priorities share one class"]);
    }

    #[test]
    fn refuses_what_cannot_be_sent() {
        let star = star(3, 100, 1000);
        let error = |line: &str| read_flows("f", &format!("1\n{line}\n"), &star).unwrap_err().to_string();
        assert_eq!(
            error("0 3 3 100 5 2.0"),
            "f:2: dst: expected a host of the topology, got `3`"
        );
        assert_eq!(
            error("1 1 3 100 5 2.0"),
            "f:2: dst: expected another host than src, got `1`"
        );
        assert_eq!(
            error("0 1 3 100 -5 2.0"),
            "f:2: bytes: expected a size from 1 to 4294967295, got `-5`"
        );
        let unsorted = "3\n0 2 3 100 5 2.0\n0 1 3 100 5 2.1\n1 2 3 100 5 2.05\n";
        assert_eq!(
            read_flows("f", unsorted, &star).unwrap_err().to_string(),
            "f:4: start_seconds: expected 2.1 or later, as of the flow before (the simulator of this format would go back in time), got `2.05`"
        );
        assert_eq!(
            error("0 1 3 100 5"),
            "f:2: start_seconds: expected seconds from 0 to 1000, got end of file"
        );
    }
}
