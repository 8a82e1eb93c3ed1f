//! What SymbiYosys says of a run: status, properties, waveform.

use super::task::{Outcome, Property, Task};
use std::fs;
use std::path::Path;

/// Reads the files of a finished run in folder `work`.
pub(super) fn outcome(task: &Task, work: &Path, log: &Path, seconds: f64) -> Outcome {
    let read = |name: &str| fs::read_to_string(work.join(name)).unwrap_or_default();
    let status = read("status");
    let said = fs::read_to_string(log).unwrap_or_default();
    // a signal of the block that was not joined could take any value
    let loose = said.contains("is used but has no driver");
    let status = status
        .split_whitespace()
        .next()
        .filter(|_| !loose)
        .unwrap_or("ERROR")
        .to_string();
    let config = read("config.sby");
    let option = |name: &str| {
        let prefix = format!("{name} ");
        config
            .lines()
            .find_map(|line| line.strip_prefix(&prefix))
            .unwrap_or_default()
    };
    let mode = option("mode");
    let method = match mode {
        "cover" => format!("cover, {} clocks", option("depth")),
        "prove" if said.contains("successful proof by k-induction") => "k-induction".to_string(),
        "prove" => "no proof".to_string(),
        _ => format!("BMC, {} clocks", option("depth")),
    };
    let name = work.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let (properties, trace) = properties(&read(&format!("{name}_{}.xml", task.name)), mode == "cover");
    // why covers were reached is no trace of a failure
    let trace = trace.filter(|_| mode != "cover").map(|trace| work.join(trace));
    Outcome {
        block: task.block.clone(),
        task: task.name.clone(),
        status,
        method,
        seconds,
        properties,
        trace,
        log: log.into(),
    }
}

/// Properties of one kind in SymbiYosys's JUnit file, and the waveform of the first that failed.
fn properties(xml: &str, cover: bool) -> (Vec<Property>, Option<String>) {
    let kind = if cover { "COVER" } else { "ASSERT" };
    let (mut found, mut trace) = (vec![], None);
    for case in xml.split("<testcase ").skip(1) {
        let (head, body) = case.split_once('>').unwrap_or((case, ""));
        if attribute(head, "type") != Some(kind) {
            continue;
        }
        let name = attribute(head, "id").unwrap_or("?").to_string();
        let failed = body.contains("<failure") || (cover && body.contains("<skipped"));
        if failed && trace.is_none() {
            trace = attribute(head, "tracefile").map(str::to_string);
        }
        found.push(Property { name, cover, failed });
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    (found, trace)
}

fn attribute<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = head.split_once(&format!(" {name}=\""))?;
    rest.split('"').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_come_out_of_the_junit_file() {
        let xml = r#"<testcase classname="prove" name="build execution" time="0">
</testcase>
<testcase classname="prove" name="Property ASSERT" time="0" type="ASSERT" location="a.sv:1" id="count">
</testcase>
<testcase classname="prove" name="Property ASSERT" time="0" type="ASSERT" id="bounded" tracefile="engine_0/trace.vcd">
<failure type="ASSERT" message="failed" />
</testcase>
<testcase classname="prove" name="Property COVER" time="0" type="COVER" location="a.sv:3" id="full">
<skipped />
</testcase>"#;
        let (asserts, trace) = properties(xml, false);
        let names: Vec<_> = asserts.iter().map(|p| (p.name.as_str(), p.failed)).collect();
        assert_eq!(names, [("bounded", true), ("count", false)]);
        assert_eq!(trace.as_deref(), Some("engine_0/trace.vcd"));
        let (covers, _) = properties(xml, true);
        assert!(covers.len() == 1 && covers[0].failed);
    }
}
