//! The text of a GOAL schedule.
//!
//! Read as LogGOPSim reads it, but for three points: lines may be indented; what LogGOPSim takes without a word and then ignores, cuts off or
//! never runs is an error (labels that come twice, numbers that are too wide, ranks that do not exist, cycles); a send with any tag is refused.

use super::error::ParseError;
use super::scan::Scanner;
use super::{Kind, Operation, Schedule};
use std::collections::HashMap;

/// The value by which LogGOPSim stores "any rank" and "any tag".
const ANY: u64 = u32::MAX as u64;

/// The operations of one rank while they are read.
#[derive(Default)]
struct Rank {
    operations: Vec<Operation>,
    labels: HashMap<String, usize>,
}

impl Schedule {
    /// Reads a schedule.
    ///
    /// # Errors
    /// A text that does not follow the grammar, a rank or label that does not exist or stands there twice, a number that is too wide, a
    /// cycle of dependencies; each with its line.
    pub fn parse(text: &str) -> Result<Schedule, ParseError> {
        let mut scan = Scanner::new(text);
        scan.skip_to_item()?;
        if scan.name() != "num_ranks" {
            return Err(scan.expected("`num_ranks` and the number of ranks at the beginning"));
        }
        scan.blanks();
        let line = scan.line();
        let count = scan.number("the number of ranks", ANY - 1)?;
        if count == 0 {
            return Err(ParseError::new(line, "expected at least one rank, found 0".into()));
        }
        let mut ranks = Vec::new();
        for rank in 0..count {
            ranks.push(block(&mut scan, rank, count)?);
        }
        scan.skip_to_item()?;
        if !scan.is_at_end() {
            return Err(scan.expected(&format!("nothing after rank {}", count - 1)));
        }
        Ok(Schedule { ranks })
    }
}

/// One rank from its head to its closing brace.
fn block(scan: &mut Scanner, number: u64, count: u64) -> Result<Vec<Operation>, ParseError> {
    scan.skip_to_item()?;
    let wanted = format!("`rank {number} {{`");
    let error = scan.expected(&wanted);
    if scan.name() != "rank" {
        return Err(error);
    }
    scan.blanks();
    if scan.number("the rank's number", ANY - 1)? != number {
        return Err(error);
    }
    scan.blanks();
    if !scan.take("{") {
        return Err(scan.expected("`{` on the line of the rank"));
    }
    let mut rank = Rank::default();
    loop {
        scan.skip_to_item()?;
        if scan.take("}") {
            break;
        }
        if scan.is_at_end() {
            return Err(scan.expected(&format!("`}}` of rank {number}")));
        }
        item(scan, &mut rank, count)?;
        scan.blanks();
        if !scan.newline() {
            return Err(scan.expected("the end of the line"));
        }
    }
    no_cycle(&rank.operations)?;
    Ok(rank.operations)
}

/// An operation or a dependency.
fn item(scan: &mut Scanner, rank: &mut Rank, count: u64) -> Result<(), ParseError> {
    let unknown = scan.expected("an operation, a dependency or `}`");
    let line = scan.line();
    let word = scan.name();
    match word {
        "" | "rank" | "num_ranks" => return Err(unknown),
        "send" | "recv" | "calc" => {
            let kind = operation(scan, word, count)?;
            rank.operations.push(Operation { line, ..kind });
            return Ok(());
        }
        _ => {}
    }
    scan.blanks();
    if scan.take(":") {
        scan.blanks();
        let Some(kind) = ["send", "recv", "calc"].into_iter().find(|kind| scan.take(kind)) else {
            return Err(scan.expected("`send`, `recv` or `calc`"));
        };
        let kind = operation(scan, kind, count)?;
        if let Some(first) = rank.labels.insert(word.to_string(), rank.operations.len()) {
            let first = rank.operations[first].line;
            return Err(ParseError::new(
                line,
                format!("the label `{word}` stands in line {first} already"),
            ));
        }
        rank.operations.push(Operation {
            label: word.to_string(),
            line,
            ..kind
        });
        return Ok(());
    }
    let immediate = scan.take("irequires");
    if !immediate && !scan.take("requires") {
        return Err(scan.expected("`:`, `requires` or `irequires` after a label"));
    }
    scan.blanks();
    let missing = scan.expected("a label");
    let other = scan.name();
    if other.is_empty() {
        return Err(missing);
    }
    let place = |label: &str| {
        let none = || {
            ParseError::new(
                line,
                format!("no operation above this line of the rank has the label `{label}`"),
            )
        };
        rank.labels.get(label).copied().ok_or_else(none)
    };
    let (later, earlier) = (place(word)?, place(other)?);
    let list = match immediate {
        true => &mut rank.operations[later].irequires,
        false => &mut rank.operations[later].requires,
    };
    if !list.contains(&earlier) {
        list.push(earlier);
    }
    Ok(())
}

/// What stands after the word of an operation; label and line are the caller's.
fn operation(scan: &mut Scanner, word: &str, count: u64) -> Result<Operation, ParseError> {
    scan.blanks();
    let kind = match word {
        "calc" => Kind::Compute {
            ns: scan.number("a duration in nanoseconds", u64::MAX)?,
        },
        _ => {
            let bytes = scan.number("a length in bytes", u64::MAX)?;
            scan.blanks();
            if !scan.take("b") {
                return Err(scan.expected("`b` after the number of bytes"));
            }
            scan.blanks();
            let toward = if word == "send" { "to" } else { "from" };
            if !scan.take(toward) {
                return Err(scan.expected(&format!("`{toward}`")));
            }
            scan.blanks();
            let peer = any_or_number(scan, "a rank", word == "recv")?;
            if peer.is_some_and(|peer| u64::from(peer) >= count) {
                let what = format!("rank {} does not exist: the schedule has {count}", peer.unwrap_or(0));
                return Err(ParseError::new(scan.line(), what));
            }
            let tag = match option(scan, "tag") {
                true => any_or_number(scan, "a tag", word == "recv")?,
                false => Some(0),
            };
            match (word, peer, tag) {
                ("send", Some(to), Some(tag)) => Kind::Send { to, bytes, tag },
                _ => Kind::Receive { from: peer, bytes, tag },
            }
        }
    };
    let cpu = match option(scan, "cpu") {
        true => scan.number("a processor", 255)? as u8,
        false => 0,
    };
    let nic = match word != "calc" && option(scan, "nic") {
        true => scan.number("a network port", 255)? as u8,
        false => 0,
    };
    Ok(Operation {
        label: String::new(),
        line: 0,
        kind,
        cpu,
        nic,
        requires: Vec::new(),
        irequires: Vec::new(),
    })
}

/// Passes the name of an attribute, if it comes next.
fn option(scan: &mut Scanner, name: &str) -> bool {
    scan.blanks();
    let there = scan.take(name);
    if there {
        scan.blanks();
    }
    there
}

/// A number, or none for `-1` and for the number that LogGOPSim stores for `-1`.
fn any_or_number(scan: &mut Scanner, what: &str, any: bool) -> Result<Option<u32>, ParseError> {
    let refused = scan.expected(&format!("{what} (`-1`, which means any, is for receives)"));
    let number = match scan.take("-1") {
        true => ANY,
        false => scan.number(what, ANY)?,
    };
    match u32::try_from(number) {
        Ok(number) if u64::from(number) != ANY => Ok(Some(number)),
        _ if any => Ok(None),
        _ => Err(refused),
    }
}

/// Every operation of a rank can start once those that it waits for have.
fn no_cycle(operations: &[Operation]) -> Result<(), ParseError> {
    let mut waits: Vec<usize> = Vec::new();
    let mut followers = vec![Vec::new(); operations.len()];
    for (later, op) in operations.iter().enumerate() {
        waits.push(op.requires.len() + op.irequires.len());
        for &earlier in op.requires.iter().chain(&op.irequires) {
            followers[earlier].push(later);
        }
    }
    let mut free: Vec<usize> = (0..operations.len()).filter(|&at| waits[at] == 0).collect();
    while let Some(earlier) = free.pop() {
        for &later in &followers[earlier] {
            waits[later] -= 1;
            if waits[later] == 0 {
                free.push(later);
            }
        }
    }
    let Some(mut at) = waits.iter().position(|&waits| waits > 0) else {
        return Ok(());
    };
    // What still waits need not lie on the cycle itself, but the way back over what it waits for ends there.
    for _ in operations {
        let earlier = operations[at].requires.iter().chain(&operations[at].irequires);
        at = earlier.copied().find(|&earlier| waits[earlier] > 0).unwrap_or(at);
    }
    let Operation { label, line, .. } = &operations[at];
    let what = format!("the operation `{label}` waits for itself, by whatever way");
    Err(ParseError::new(*line, what))
}
