//! What a result says of its NIC: the configuration with every default filled in, and the parameters of the laws that its queue pairs follow.

use super::{law_name, NicSetup};
use hpcc_models::cc::powertcp::Signal;
use hpcc_models::nic::QpConfig;
use hpcc_sim::plan::laws::{dcqcn_rows, hpcc_rows, power_rows};
use serde_json::{json, Map, Value};

fn gbps(bps: f64) -> Value {
    json!(bps / 1e9)
}

fn us(ns: u64) -> Value {
    json!(ns as f64 / 1e3)
}

impl NicSetup {
    /// The configuration by the names and in the units of its file: what was not given has its default.
    pub fn resolved(&self) -> Value {
        let nic = &self.nic;
        let qp = |qp: &QpConfig| {
            json!({
                "qpn": qp.qpn,
                "remote_qpn": qp.remote_qpn,
                "remote_ip": qp.remote_ip.to_string(),
                "send_psn": qp.send_psn,
                "expected_psn": qp.expected_psn,
                "int": qp.int,
                "law": law_name(self.law_of(qp)),
                "mtu": qp.mtu,
                "priority": qp.priority,
                "udp_port": qp.udp_port,
            })
        };
        json!({
            "nic": {
                "mac": nic.mac.to_string(),
                "ip": nic.ip.to_string(),
                "mtu": nic.mtu,
                "line_rate_gbps": gbps(nic.line_rate_bps),
                "qp_count": nic.qp_count,
                "port_roce": nic.ports.roce,
                "port_int": nic.ports.int_collect,
                "port_int_echo": nic.ports.int_echo,
                "port_control": nic.ports.control,
                "pkey": nic.pkey,
                "dscp": nic.dscp,
                "ecn": nic.ecn,
                "cnp_enabled": nic.cnp.enabled,
                "cnp_dscp": nic.cnp.dscp,
                "echo_icrc_full": nic.echo_icrc_full,
                "ttl": nic.ttl,
                "retry_timeout_us": us(nic.retry_timeout_ns),
                "retry_limit": nic.retry_limit,
                "rnr_retry": nic.rnr_retry,
                "ack_req_interval": nic.ack_req_interval,
                "max_rd_atomic": nic.max_rd_atomic,
                "responder_reads": nic.responder_reads,
                "psn_span": nic.psn_span,
                "base_rtt_us": us(self.base_rtt_ns.into()),
                "window_bytes": nic.window,
                "rate_gbps": gbps(nic.rate_bps),
                "speed_table_gbps": nic.speed_table,
                "ack_priority": nic.ack_priority,
                "ack_pause": nic.ack_pause,
                "control_enabled": nic.control.enabled,
                "law": law_name(nic.default_law),
                "probes": nic.probes.is_some(),
            },
            "qp": self.qps.iter().map(qp).collect::<Vec<_>>(),
            "memory": self.memory.len(),
            "work": self.work.len(),
        })
    }

    /// Parameters of each law that a queue pair follows, by the law's name.
    pub fn law_parameters(&self) -> Value {
        let fault = |error: String| vec![("error", json!(error))];
        let power = |signal| self.power_params(signal).map(|p| power_rows(&p));
        let laws = self.wanted_laws().into_iter().map(|code| {
            let name = law_name(code);
            let rows = match name {
                "powertcp" => power(Signal::Int),
                "theta-powertcp" => power(Signal::Delay),
                "dcqcn" => Ok(dcqcn_rows(&self.dcqcn_params().0, self.dcqcn_params().1)),
                _ => self.hpcc_params().map(|p| hpcc_rows(&p)),
            };
            let mut rows = rows.unwrap_or_else(fault);
            rows.push(("t_ns", json!(self.base_rtt_ns)));
            rows.push(("w_init_bytes", json!(self.nic.window)));
            let table: Map<String, Value> = rows.into_iter().map(|(key, value)| (key.into(), value)).collect();
            (name.to_string(), Value::Object(table))
        });
        Value::Object(laws.collect())
    }
}
