//! What a module promises at its streams, as SystemVerilog assertions: one module of assertions for each module, bound to every instance of it.
//!
//! A stream is a pair of ports `<name>valid` and `<name>ready` of opposite directions; ports of the same beginning that go the way of `valid` are
//! what it carries. Who offers something goes on offering the same until it is taken (AMBA AXI A3.2.1, AXI4-Stream 2.2.1): modules promise it of
//! their outputs, and of a top module's inputs it is asked.

use super::collect::{Net, Node};
use super::ports::{field_of, NAME};

/// What a module promises beyond its streams.
struct Promise {
    module: &'static str,
    /// Signals of the module that the condition names: width and name.
    signals: &'static [(usize, &'static str)],
    /// Name of the assertion.
    label: &'static str,
    condition: &'static str,
    /// What is wrong when the condition does not hold.
    wrong: &'static str,
}

const MORE: &[Promise] = &[
    Promise {
        module: "hpcc_sched_entry",
        signals: &[
            (1, "update_1_q"),
            (1, "command_1_q"),
            (1, "event_1_q"),
            (1, "feedback_1_q"),
            (1, "work_1_q"),
            (1, "look_1_q"),
        ],
        label: "one_operation",
        condition: "$onehot0({update_1_q, command_1_q, event_1_q, feedback_1_q, work_1_q, look_1_q})",
        wrong: "two sources were chosen in one clock",
    },
    Promise {
        module: "hpcc_dma_reader",
        signals: &[(10, "promised_q")],
        label: "room_is_kept",
        condition: "promised_q <= 10'd512",
        wrong: "more beats are under way than the FIFO holds",
    },
    Promise {
        module: "hpcc_responses_node_pool",
        signals: &[(11, "free_r_q")],
        label: "places_are_counted",
        condition: "free_r_q <= 11'd1024",
        wrong: "more places are free than there are",
    },
    Promise {
        module: "hpcc_host_fence",
        signals: &[(1, "waits_frames_q"), (1, "waits_writes_q")],
        label: "one_wait",
        condition: "!(waits_frames_q && waits_writes_q)",
        wrong: "frames and their writes are waited for at once",
    },
];

/// A stream of a module.
struct Stream<'a> {
    /// Beginning of the names of its ports: `send_`, `m_axis_tx_t`, `m_axi_aw`.
    name: &'a str,
    /// The module offers.
    offers: bool,
    /// What is offered.
    payload: Vec<&'a str>,
}

fn streams(node: &Node) -> Vec<Stream<'_>> {
    let ports = || node.nets.iter().filter(|net| net.is_port());
    let valids = ports().filter_map(|net| Some((net.name.strip_suffix("valid")?, net)));
    valids
        .filter(|(name, valid)| {
            let ready = format!("{name}ready");
            valid.width == 1 && ports().any(|net| net.name == ready && net.is_input() != valid.is_input())
        })
        .map(|(name, valid)| {
            // a field of its own whose name begins as the stream's does is no part of the stream
            let field = field_of(node, valid);
            let apart = |net: &Net| field.is_some_and(|field| *field != valid.name) && field_of(node, net) != field;
            let own = |net: &&Net| {
                let same_way = net.is_input() == valid.is_input();
                same_way && net.name.starts_with(name) && net.name != valid.name && !apart(net)
            };
            Stream {
                name,
                offers: !valid.is_input(),
                payload: ports().filter(own).map(|net| net.name.as_str()).collect(),
            }
        })
        .collect()
}

/// The module of assertions for a module whose name is not known yet, and its `bind`; `None` if there is nothing to promise.
pub(super) fn contract(node: &Node, name: &str, is_top: bool) -> Option<String> {
    let streams = streams(node);
    let streams: Vec<&Stream> = streams.iter().filter(|stream| stream.offers || is_top).collect();
    let more: Vec<&Promise> = MORE.iter().filter(|promise| promise.module == name).collect();
    let port = |port: &str| node.nets.iter().find(|net| net.is_port() && net.name == port);
    port("clk")?;
    if streams.is_empty() && more.is_empty() {
        return None;
    }
    let reset = port("rst").map_or("", |_| " disable iff (rst)");

    let mut ports: Vec<String> = vec!["  input wire clk".into()];
    ports.extend(port("rst").map(|_| "  input wire rst".into()));
    let mut rules = String::new();
    for stream in &streams {
        let Stream { name, payload, .. } = stream;
        let (valid, ready) = (format!("{name}valid"), format!("{name}ready"));
        let names = [valid.as_str(), ready.as_str()]
            .into_iter()
            .chain(payload.iter().copied());
        ports.extend(names.filter_map(port).map(|net| match net.of.is_named() {
            true => format!("  input wire {}{}", super::types::range(net.width), net.name),
            false => format!("  input wire {}{}", net.of.declared(), net.name),
        }));
        let label = name.trim_end_matches('_');
        let side = if stream.offers { "offers" } else { "is offered" };
        let stays = match payload.is_empty() {
            true => valid.clone(),
            false => format!("{valid} && $stable({{{}}})", payload.join(", ")),
        };
        rules += &format!(
            "
  // What it {side} at `{label}` stays until it is taken.
  {label}_stays: assert property (@(posedge clk){reset} {valid} && !{ready} |=> {stays})
    else $error(\"{NAME}: what is offered at {label} did not stay\");
"
        );
    }
    for promise in &more {
        let Promise {
            signals,
            label,
            condition,
            wrong,
            ..
        } = promise;
        let fresh = signals
            .iter()
            .map(|(width, name)| format!("  input wire {}{name}", super::types::range(*width)));
        ports.extend(fresh);
        rules += &format!(
            "
  {label}: assert property (@(posedge clk){reset} {condition})
    else $error(\"{NAME}: {wrong}\");
"
        );
    }
    let parameters = |of: &dyn Fn(&str) -> String| -> String {
        let used = |name: &str| ports.iter().any(|port| port.contains(&format!("[{name}-1:0]")));
        let list = node.parameters.iter().filter(|(name, _)| used(name));
        let list: Vec<String> = list.map(|(name, _)| of(name)).collect();
        match list.is_empty() {
            true => String::new(),
            false => format!("#({}) ", list.join(", ")),
        }
    };
    Some(format!(
        "// What {NAME} promises, in every instance.
module {NAME}_sva {declared}(\n{ports}\n);
{rules}
endmodule

bind {NAME} {NAME}_sva {given}u_contract (.*);
",
        declared = parameters(&|name| format!("parameter integer {name} = 1")),
        given = parameters(&|name| format!(".{name}({name})")),
        ports = ports.join(",\n"),
    ))
}
