//! What a NIC leaves behind: `memory_<key in hex>.bin`, `completions.jsonl`, `counters.json`, `run.json`.

use super::device::{Device, DeviceError};
use crate::config::NicSetup;
use hpcc_models::nic::Completion;
use hpcc_models::wire::{PcapError, PcapSink, TimedFrame};
use hpcc_sim::plan::provenance::{self, InputFile, Stopwatch};
use hpcc_sim::scenario::output::OutDir;
use serde_json::{json, Map, Value};
use std::path::Path;

/// A completion as one JSON object.
pub fn completion(completion: &Completion) -> Value {
    json!({
        "t_ns": completion.t_ns,
        "qp": completion.qpn,
        "work": completion.work,
        "op": completion.operation.name(),
        "status": completion.status.name(),
        "bytes": completion.bytes,
    })
}

/// One line per value.
pub fn lines(values: impl IntoIterator<Item = Value>) -> String {
    values.into_iter().map(|value| format!("{value}\n")).collect()
}

/// Counters as one JSON object, in the order of the register map.
pub fn counters<D: Device>(device: &mut D) -> Result<Value, DeviceError> {
    let entries = device.counters()?.into_iter();
    Ok(Value::Object(
        entries
            .map(|(name, value)| (name.to_owned(), value.into()))
            .collect::<Map<_, _>>(),
    ))
}

/// A JSON value as the text of a file.
pub fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

/// Writes memory, completions and counters of a NIC.
pub fn write<D: Device>(
    dir: &OutDir,
    setup: &NicSetup,
    device: &mut D,
    completions: &[Completion],
) -> Result<(), String> {
    for block in &setup.memory {
        let bytes = device.memory(block.place()).unwrap_or(&[]);
        dir.write(&format!("memory_{:x}.bin", block.region.key), bytes)?;
    }
    let text = lines(completions.iter().map(completion));
    dir.write("completions.jsonl", text.as_bytes())?;
    let counters = counters(device).map_err(|error| error.to_string())?;
    dir.write("counters.json", pretty(&counters).as_bytes())
}

/// `run.json`: what made the results beside it, and how long that took. `own` is what the run itself adds.
pub fn write_run(
    dir: &OutDir,
    setup: &NicSetup,
    inputs: &[&Path],
    watch: &Stopwatch,
    own: Value,
) -> Result<(), String> {
    let inputs = inputs.iter().filter_map(|path| InputFile::of(&path.to_string_lossy()));
    let mut run = json!({
        "wall_s": watch.wall_s(),
        "cpu_s": watch.cpu_s(),
        "provenance": provenance::entry(json!({
            "config": setup.resolved(),
            "inputs": inputs.map(|file| file.entry()).collect::<Vec<_>>(),
            "laws": setup.law_parameters(),
        })),
    });
    if let (Value::Object(run), Value::Object(own)) = (&mut run, own) {
        run.extend(own);
    }
    dir.write("run.json", pretty(&run).as_bytes())
}

/// Frames as a capture with nanosecond times.
pub fn capture(frames: &[TimedFrame]) -> Result<Vec<u8>, PcapError> {
    let mut sink = PcapSink::new(Vec::new())?;
    frames
        .iter()
        .try_for_each(|frame| sink.write(frame.t_ns, &frame.bytes))?;
    Ok(sink.into_inner())
}

/// Counters that are not zero, a line each.
pub fn moved(counters: &[(&'static str, u64)]) -> String {
    let moved = counters.iter().filter(|(_, value)| *value > 0);
    moved
        .map(|(name, value)| format!("  {name:<28}{value:>14}\n"))
        .collect()
}
