//! Flow table of the recorded TCP runs: a CSV file `flow,src,dst,size_bytes,start_ns`, comments after `#`.

use super::flows::read_flows;
use super::FormatError;
use crate::net::clock::PS_PER_NS;
use crate::net::flow::FlowSpec;
use crate::net::topology::Topology;

/// First line of a table.
const HEADER: [&str; 5] = ["flow", "src", "dst", "size_bytes", "start_ns"];

/// Flows of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowTable {
    /// Flows, in the order of the file.
    pub flows: Vec<FlowSpec>,
    /// One line each: what is in the file and not in the simulation.
    pub warnings: Vec<String>,
}

/// Whether a flow file is a table, and not one of the HPCC simulator: its first line with anything but a comment has commas.
pub fn is_table(text: &str) -> bool {
    let mut lines = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.next().is_some_and(|line| line.contains(','))
}

/// Reads flows from a table, or from a flow file of the HPCC simulator; hosts must exist in `topology`.
pub fn read_flow_table(file: &str, text: &str, topology: &Topology) -> Result<FlowTable, FormatError> {
    let lines = text
        .lines()
        .enumerate()
        .map(|(n, line)| (n + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    if !is_table(text) {
        let read = read_flows(file, text, topology)?;
        return Ok(FlowTable {
            flows: read.flows.iter().map(|f| f.spec()).collect(),
            warnings: read.warnings,
        });
    }
    let error = |line: usize, field: &str, expected: &str, got: &str| FormatError {
        file: file.into(),
        line,
        field: field.into(),
        expected: format!("{expected}, got `{got}`"),
    };
    let mut flows = Vec::new();
    for (number, line) in lines {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        if cells == HEADER {
            continue;
        }
        let &[_, src, dst, bytes, start] = cells.as_slice() else {
            return Err(error(
                number,
                "line",
                &format!("five columns {}", HEADER.join(",")),
                line,
            ));
        };
        let host = |field: &str, word: &str| {
            let node = word.parse::<u32>().ok();
            node.filter(|&n| topology.is_switch.get(n as usize) == Some(&false))
                .ok_or_else(|| error(number, field, "a host of the topology", word))
        };
        let (from, to) = (host("src", src)?, host("dst", dst)?);
        if from == to {
            return Err(error(number, "dst", "another host than src", dst));
        }
        let size = bytes.parse::<u64>().ok().filter(|b| (1..1 << 50).contains(b));
        let size = size.ok_or_else(|| error(number, "size_bytes", "a size from 1 byte to 2^50", bytes))?;
        let ns = start.parse::<f64>().ok().filter(|s| (0.0..=1e12).contains(s));
        let ns = ns.ok_or_else(|| error(number, "start_ns", "nanoseconds from 0 to 1e12", start))?;
        flows.push(FlowSpec {
            src: from,
            dst: to,
            bytes: size,
            start_ps: (ns * PS_PER_NS as f64).round() as u64,
            dst_port: FlowSpec::DST_PORT,
        });
    }
    if flows.is_empty() {
        return Err(error(1, "flows", "at least one", ""));
    }
    Ok(FlowTable {
        flows,
        warnings: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::star;

    const TABLE: &str = "# recorded\nflow,src,dst,size_bytes,start_ns\n0,0,2,20000000,0\n1,1,2,5,1000000\n";

    #[test]
    fn reads_both_formats() {
        let star = star(3, 100, 1000);
        let table = read_flow_table("f", TABLE, &star).unwrap().flows;
        assert_eq!(
            (table.len(), table[0].bytes, table[1].start_ps),
            (2, 20_000_000, 1_000_000_000)
        );
        let words = read_flow_table("f", "1\n0 2 3 100 5 2.0\n", &star).unwrap().flows;
        assert_eq!((words[0].bytes, words[0].start_ps), (5, 2_000_000_000_000));
    }

    #[test]
    fn says_file_line_field_and_expectation() {
        let star = star(3, 100, 1000);
        let error = |text: &str| read_flow_table("f", text, &star).unwrap_err().to_string();
        assert_eq!(
            error(&TABLE.replace("1,1,2", "1,9,2")),
            "f:4: src: expected a host of the topology, got `9`"
        );
        assert_eq!(
            error(&TABLE.replace(",5,", ",0,")),
            "f:4: size_bytes: expected a size from 1 byte to 2^50, got `0`"
        );
        assert!(error("a,b\n").contains("f:1: line: expected five columns flow,src,dst"));
    }
}
