//! What made a result of `run link`: every key with its value, both NICs as they were set up, the parameters of their laws.

use super::link_config::{CapBy, FloodKind, LinkSpec};
use super::outputs;
use crate::config::law_name;
use hpcc_sim::plan::provenance::{self, Stopwatch};
use serde_json::{json, Value};

impl LinkSpec {
    /// Every key of `--set` with its value, defaults filled in.
    pub fn resolved(&self) -> Value {
        let laws: Vec<&str> = self.laws.iter().map(|code| law_name(*code)).collect();
        json!({
            "loss": self.link.loss,
            "duplicate": self.link.duplicate,
            "reorder": self.link.reorder,
            "bit_error": self.link.bit_error,
            "mark": self.link.mark,
            "delay_ns": self.link.delay_ns,
            "rate_gbps": self.link.rate_gbps,
            "bytes": self.bytes,
            "mtu": self.mtu,
            "messages": self.messages,
            "qps": self.qps,
            "op": self.op.name(),
            "int": self.int,
            "cc": laws,
            "hops": self.hops,
            "retry_timeout_us": self.retry_timeout_us,
            "retry_limit": self.retry_limit,
            "seed": self.seed,
            "limit_ms": self.limit_ms,
            "pcap": self.pcap,
            "table": self.table,
            "cap_gbps": self.cap_gbps,
            "cap_at_us": self.cap_at_us,
            "cap_by": if self.cap_by == CapBy::Flow { "flow" } else { "group" },
            "cap_window_ns": self.cap_window_ns,
            "cap_dither": self.cap_dither,
            "echo_icrc_full": self.echo_icrc_full,
            "probes": self.probes,
            "flood": self.flood.map(FloodKind::name),
            "flood_qps": self.flood_qps,
        })
    }
}

/// The entry `provenance` of `summary.json`.
pub fn provenance(spec: &LinkSpec) -> Value {
    let setups = [0, 1].map(|side| spec.setup(side));
    provenance::entry(json!({
        "scenario": spec.resolved(),
        "nics": {"a": setups[0].resolved(), "b": setups[1].resolved()},
        "seed": spec.seed,
        "laws": setups[0].law_parameters(),
    }))
}

/// `summary.json` of the table over MTUs: what made it, and how long that took.
pub fn table_summary(spec: &LinkSpec, fidelity: &str, watch: &Stopwatch) -> String {
    outputs::pretty(&json!({
        "scenario": "link",
        "fidelity": fidelity,
        "seed": spec.seed,
        "wall_s": watch.wall_s(),
        "cpu_s": watch.cpu_s(),
        "provenance": provenance(spec),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A key that a user can set stands in the result, with its value.
    #[test]
    fn every_key_is_there() {
        let resolved = LinkSpec::default().resolved();
        for key in LinkSpec::KEYS.split(", ").map(str::trim) {
            assert!(resolved.get(key).is_some(), "{key}");
        }
        let set = ["int=on", "cc=dcqcn,powertcp", "qps=2", "loss=0.5"].map(String::from);
        let entry = provenance(&LinkSpec::parse(&set).unwrap());
        assert_eq!(
            (&entry["scenario"]["loss"], &entry["scenario"]["cc"]),
            (&json!(0.5), &json!(["dcqcn", "powertcp"]))
        );
        assert_eq!(entry["nics"]["b"]["qp"][1]["law"], "powertcp");
        let laws = entry["laws"].as_object().unwrap();
        assert_eq!(laws.keys().collect::<Vec<_>>(), ["dcqcn", "powertcp"]);
        assert!(laws["powertcp"]["gamma"].is_f64() && laws["dcqcn"].get("eta").is_none());
    }
}
