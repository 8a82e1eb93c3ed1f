//! Topology file: `nodes switches links`, the switch ids, then `src dst rate delay error_rate` a link.

use super::units::{data_rate, delay_ps};
use super::{FormatError, Words};
use crate::net::topology::{Link, Topology};

/// Reads a topology. `file` is used in errors.
pub fn read_topology(file: &str, text: &str) -> Result<Topology, FormatError> {
    // Words count, not lines, there as here; but where the file is wrong and its first line has a number too many, that is what is wrong.
    read(file, text).map_err(|error| {
        let first = text.lines().next().unwrap_or_default();
        match first.split_whitespace().count() {
            0..=3 => error,
            _ => FormatError {
                file: file.into(),
                line: 1,
                field: "nodes switches links".into(),
                expected: format!("three numbers, got `{}`", first.trim()),
            },
        }
    })
}

fn read(file: &str, text: &str) -> Result<Topology, FormatError> {
    let number = |w: &str| w.parse::<usize>().ok();
    let mut words = Words::new(file, text);
    let (line, nodes) = words.next("nodes", "a count from 1 to 1000000", |w| {
        number(w).filter(|n| (1..=1_000_000).contains(n))
    })?;
    let (_, switches) = words.next("switches", "a count", number)?;
    let (_, links) = words.next("links", "a count", number)?;
    if switches >= nodes {
        return Err(words.error(
            line,
            "switches",
            &format!("fewer than the {nodes} nodes"),
            &switches.to_string(),
        ));
    }
    let mut topology = Topology {
        is_switch: vec![false; nodes],
        links: Vec::new(),
    };
    let node = |w: &str| number(w).filter(|&n| n < nodes);
    let below = format!("a node number below {nodes}");
    for _ in 0..switches {
        let (line, id) = words.next("switch id", &below, node)?;
        if std::mem::replace(&mut topology.is_switch[id], true) {
            return Err(words.error(line, "switch id", "a node not listed before", &id.to_string()));
        }
    }
    for _ in 0..links {
        let (line, a) = words.next("src", &below, node)?;
        let (_, b) = words.next("dst", &below, node)?;
        if a == b {
            return Err(words.error(line, "dst", "another node than src", &b.to_string()));
        }
        let (_, rate_bps) = words.next("rate", "a rate above 0 such as 100Gbps", |w| {
            data_rate(w).filter(|&r| r > 0)
        })?;
        let (_, delay_ps) = words.next("delay", "a delay such as 1us or 1000ns", delay_ps)?;
        let (_, loss) = words.next("error_rate", "a probability from 0 to 1", |w| {
            w.parse().ok().filter(|p| (0.0..=1.0).contains(p))
        })?;
        topology.links.push(Link {
            a: a as u32,
            b: b as u32,
            rate_bps,
            delay_ps,
            loss,
        });
    }
    // That simulator reads no further, and the files that come with it explain themselves there.
    if let Some((line, word)) = words.rest().filter(|(_, word)| word.parse::<f64>().is_ok()) {
        return Err(words.error(line, "links", &format!("no more than the {links} announced"), word));
    }
    let last = words.last_line;
    topology.check().map_err(|e| FormatError {
        file: file.into(),
        line: last,
        field: "links".into(),
        expected: format!("a network that can be simulated ({e})"),
    })?;
    Ok(topology)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "3 1 2\n2\n0 2 100Gbps 1us 0.0\n1 2 25Gbps 1000ns 0\n";

    #[test]
    fn reads_what_the_simulator_reads() {
        let t = read_topology("t", GOOD).unwrap();
        assert_eq!(t.is_switch, [false, false, true]);
        assert_eq!((t.links[1].rate_bps, t.links[1].delay_ps), (25_000_000_000, 1_000_000));
    }

    #[test]
    fn words_count_and_not_lines() {
        assert_eq!(
            read_topology("t", &GOOD.replacen('\n', " ", 2)),
            read_topology("t", GOOD)
        );
    }

    #[test]
    fn text_after_the_links_does_not_count() {
        let text = GOOD.replace('\n', "\r\n")
            + "\r\nFirst line: total node #, switch node #, link #\r\nsrc0 dst0 rate delay error_rate\r\n...";
        assert_eq!(read_topology("t", &text), read_topology("t", GOOD));
    }

    #[test]
    fn says_file_line_field_and_expectation() {
        let error = |text: &str| read_topology("t.txt", text).unwrap_err().to_string();
        assert_eq!(
            error(&GOOD.replace("100Gbps", "fast")),
            "t.txt:3: rate: expected a rate above 0 such as 100Gbps, got `fast`"
        );
        assert_eq!(
            error(&GOOD.replace("0 2 100", "7 2 100")),
            "t.txt:3: src: expected a node number below 3, got `7`"
        );
        assert_eq!(error("3 1"), "t.txt:1: links: expected a count, got end of file");
        assert!(error(&GOOD.replace("1 2 25Gbps", "0 2 25Gbps")).contains("host 1: expected at least one link"));
        assert!(error(&GOOD.replace("0.0", "1.5")).contains("error_rate"));
        assert_eq!(
            error(&GOOD.replace("3 1 2", "3 1 1 2")),
            "t.txt:1: nodes switches links: expected three numbers, got `3 1 1 2`"
        );
        assert!(error(&format!("{GOOD}0 2 100Gbps 1us 0\n"))
            .contains("t.txt:5: links: expected no more than the 2 announced"));
        assert!(error(&GOOD.replace("0 2 100Gbps", "0 0 100Gbps")).contains("another node than src"));
    }
}
