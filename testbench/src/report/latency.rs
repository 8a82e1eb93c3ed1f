//! Clock by clock through the pipes of the NIC: in which clock each stage speaks, read from a waveform of the Verilated NIC.

use super::peer;
use super::speed::SpeedError;
use crate::config::NicSetup;
use crate::nic::link_config::LinkSpec;
use crate::nic::link_nics::{SOURCE, SOURCE_KEY, TARGET, TARGET_KEY};
use crate::nic::rtl::{RtlNic, PERIOD_NS};
use crate::verilated::{top_sources, Model, ModelError};
use hpcc_models::cc::HopRecord;
use hpcc_models::wire::*;
use hpcc_rtl::tops::NIC_HPCC;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::BufReader;
use std::ops::Range;

/// Bytes of the messages: one packet.
const BYTES: u32 = 1024;
/// Clocks of an episode: longer than the longest way.
const EPISODE: u64 = 400;
/// Code of 100 Gb/s in the default table of port speeds.
const SPEED_CODE: u8 = 5;

/// What a stage is called, and the signals below the NIC that are all high in the clock in which it speaks.
type Stage = (&'static str, &'static [&'static str]);

/// A way through the NIC: its name and its stages, the first of which starts the count.
struct Way {
    name: &'static str,
    stages: &'static [Stage],
}

const LAST_BEAT: Stage = ("last beat of the frame", &["s_axis_rx_tvalid", "s_axis_rx_tlast"]);
const VERDICT: Stage = ("verdict of the parser", &["u_rx.u_parser.out_valid"]);
const ROW: Stage = ("row to the responder", &["u_rx.request_valid"]);
const DECISION: Stage = ("its decision", &["u_responder.action_valid"]);
const GRANT: Stage = ("grant of the scheduler", &["u_flows.send_valid"]);
const JOB: Stage = ("select: memory job", &["u_tx.u_select.job_valid"]);
const PACKET: Stage = ("select: packet", &["u_tx.u_select.packet_valid"]);
const READ_ADDRESS: Stage = ("address to memory", &["m_axi_arvalid"]);
const READ_DATA: Stage = ("first data from memory", &["m_axi_rvalid"]);
const SENT: Stage = ("first beat of the frame", &["m_axis_tx_tvalid"]);

/// In the order in which the episodes are driven.
const WAYS: [Way; 4] = [
    Way {
        name: "work request to frame",
        stages: &[
            ("work request taken", &["s_axis_work_tvalid", "s_axis_work_tready"]),
            ("work to the scheduler", &["u_requester.schedule_valid"]),
            GRANT,
            JOB,
            READ_ADDRESS,
            PACKET,
            READ_DATA,
            SENT,
        ],
    },
    Way {
        name: "acknowledgement to rate and window",
        stages: &[
            LAST_BEAT,
            VERDICT,
            ("answer behind the commits", &["u_commit.answer_valid"]),
            ("completion", &["m_axis_completion_tvalid"]),
            ("event to the scheduler", &["u_requester.cc_event_valid"]),
            ("event to the congestion control", &["u_flows.u_scheduler.cc_valid"]),
            ("update", &["u_flows.u_law.update_valid"]),
            ("update at the scheduler", &["u_flows.u_scheduler.update_valid"]),
        ],
    },
    Way {
        name: "WRITE to acknowledgement",
        stages: &[
            LAST_BEAT,
            VERDICT,
            ROW,
            DECISION,
            ("memory job", &["u_rx.job_valid"]),
            ("address to memory", &["m_axi_awvalid"]),
            ("last data to memory", &["m_axi_wvalid", "m_axi_wlast"]),
            ("response of memory", &["m_axi_bvalid"]),
            ("acknowledgement committed", &["u_commit.response_valid"]),
            ("acknowledgement to its builder", &["u_queue.ack_valid"]),
            SENT,
        ],
    },
    Way {
        name: "READ to response",
        stages: &[
            LAST_BEAT,
            VERDICT,
            ROW,
            DECISION,
            ("READ committed", &["u_commit.response_valid"]),
            ("work to the scheduler", &["u_queue.work_valid"]),
            GRANT,
            JOB,
            READ_ADDRESS,
            PACKET,
            READ_DATA,
            SENT,
        ],
    },
];

/// One way, measured: its name, and clocks from its first stage to each, nothing where a stage was not seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Latency {
    /// Way.
    pub name: &'static str,
    /// Stages and clocks.
    pub stages: Vec<(&'static str, Option<u64>)>,
}

/// What each episode brings to the NIC; the first brings a work request instead.
fn frames(setup: &NicSetup) -> [Vec<u8>; 3] {
    let qp = &setup.qps[0];
    let aeth = AethRepr {
        syndrome: Syndrome::parse(0x1f),
        msn: 1,
    };
    let reth = |address, key| {
        Extension::Reth(RethRepr {
            address,
            key,
            length: BYTES,
        })
    };
    let payload = vec![0x5a; BYTES as usize];
    let expected = qp.expected_psn;
    let mut stack = IntStack {
        n_hop: 1,
        path_id: 0x101,
        ..IntStack::default()
    };
    stack.hops[0] = HopRecord {
        speed: SPEED_CODE,
        ts: 1000,
        tx_bytes: 10,
        q_len: 0,
    };
    let mut int = vec![0; stack.wire_len()];
    // cannot fail: the buffer has the length that the stack asks for
    let _ = stack.emit(&mut int);
    let echo = (PortRole::IntEcho, Opcode::Acknowledge, qp.send_psn);
    let write = (PortRole::IntCollect, Opcode::Write(Position::Only), expected);
    let read = (PortRole::IntCollect, Opcode::ReadRequest, expected + 1);
    let cases = [
        (echo, Extension::Aeth(aeth), &[][..]),
        (write, reth(TARGET, TARGET_KEY), &payload[..]),
        (read, reth(SOURCE, SOURCE_KEY), &[]),
    ];
    cases.map(|((role, opcode, psn), extension, payload)| {
        let content = peer::Content {
            role,
            int: &int,
            opcode,
            psn,
            extension,
            payload,
        };
        peer::frame(setup, &content)
    })
}

/// Clocks in which each wanted signal is high, read just before the rising edges.
fn high_clocks(file: impl std::io::Read, wanted: &[&str]) -> Result<BTreeMap<String, Vec<u64>>, SpeedError> {
    let bad = |error: std::io::Error| SpeedError::Check(format!("the waveform: {error}"));
    let mut parser = vcd::Parser::new(BufReader::new(file));
    let header = parser.parse_header().map_err(bad)?;
    let mut names: BTreeMap<vcd::IdCode, Vec<&str>> = BTreeMap::new();
    for name in wanted {
        let inside: Vec<&str> = name.split('.').collect();
        let found = [&["TOP", NIC_HPCC.name][..], &[NIC_HPCC.name]]
            .into_iter()
            .find_map(|scope| header.find_var(&[scope, &inside].concat()));
        let var = found.ok_or_else(|| SpeedError::Check(format!("the waveform has no {name}")))?;
        names.entry(var.code).or_default().push(name);
    }
    let mut values: BTreeMap<vcd::IdCode, bool> = BTreeMap::new();
    let mut high: BTreeMap<String, Vec<u64>> = wanted.iter().map(|name| (name.to_string(), vec![])).collect();
    let period_ps = PERIOD_NS * 1000;
    let mut now = None;
    let mut note = |time: Option<u64>, values: &BTreeMap<vcd::IdCode, bool>| {
        let Some(time) = time.filter(|time| time % period_ps == 0) else {
            return;
        };
        for (code, names) in &names {
            if values.get(code) == Some(&true) {
                for name in names {
                    high.entry(name.to_string()).or_default().push(time / period_ps);
                }
            }
        }
    };
    for command in parser {
        match command.map_err(bad)? {
            vcd::Command::Timestamp(time) => {
                note(now, &values);
                now = Some(time);
            }
            vcd::Command::ChangeScalar(code, value) => {
                values.insert(code, value == vcd::Value::V1);
            }
            _ => {}
        }
    }
    note(now, &values);
    Ok(high)
}

/// Reads a way's stages in the clocks of its episode.
fn follow(way: &Way, high: &BTreeMap<String, Vec<u64>>, episode: Range<u64>) -> Latency {
    let first = |signals: &[&str]| {
        let all = |clock: &u64| {
            signals
                .iter()
                .all(|signal| high.get(*signal).is_some_and(|clocks| clocks.contains(clock)))
        };
        episode.clone().find(all)
    };
    let start = way.stages.first().and_then(|(_, signals)| first(signals));
    let stages = way.stages.iter().map(|(name, signals)| {
        let clock = first(signals).zip(start);
        (*name, clock.and_then(|(clock, start)| clock.checked_sub(start)))
    });
    Latency {
        name: way.name,
        stages: stages.collect(),
    }
}

/// Measures every way.
pub fn latencies() -> Result<Vec<Latency>, SpeedError> {
    let spec = LinkSpec {
        bytes: BYTES.into(),
        messages: 1,
        int: true,
        ..LinkSpec::default()
    };
    let setup = spec.setup(0);
    let mut sources = top_sources(&NIC_HPCC).map_err(ModelError::from)?;
    // built for a thousand clocks
    (sources.trace, sources.optimise) = (true, 0);
    let mut nic = RtlNic::configured(|| Ok(Model::new(&sources)?), &setup)?;
    nic.clock_for(EPISODE)?;
    let dir = tempfile::tempdir().map_err(|error| SpeedError::Check(error.to_string()))?;
    let path = dir.path().join("pipes.vcd");
    let clocks = (1 + WAYS.len() as u64) * EPISODE;
    nic.record(&path, clocks * PERIOD_NS)?;
    let mut episodes = vec![];
    let mut episode = |nic: &mut RtlNic<Model>| -> Result<(), SpeedError> {
        let from = nic.time().0 / PERIOD_NS;
        nic.clock_for(EPISODE)?;
        episodes.push(from..from + EPISODE);
        Ok(())
    };
    setup.work.iter().for_each(|work| nic.post_now(work.work));
    episode(&mut nic)?;
    for frame in frames(&setup) {
        nic.offer_at(nic.time().0, frame);
        episode(&mut nic)?;
    }
    drop(nic);
    let mut wanted: Vec<&str> = WAYS
        .iter()
        .flat_map(|way| way.stages.iter().flat_map(|(_, signals)| signals.iter().copied()))
        .collect();
    wanted.sort();
    wanted.dedup();
    let file = std::fs::File::open(&path).map_err(|error| SpeedError::Check(error.to_string()))?;
    let high = high_clocks(file, &wanted)?;
    Ok(WAYS
        .iter()
        .zip(episodes)
        .map(|(way, episode)| follow(way, &high, episode))
        .collect())
}

/// One Markdown table a way.
pub fn latency_table(rows: &[Latency]) -> String {
    let mut text = String::new();
    for row in rows {
        let _ = writeln!(text, "| {} | clock |\n|---|---|", row.name);
        for (stage, clock) in &row.stages {
            let clock = clock.map_or("-".into(), |clock| clock.to_string());
            let _ = writeln!(text, "| {stage} | {clock} |");
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_are_counted_from_the_first_one() {
        let wave = "$scope module TOP $end $scope module hpcc_nic_hpcc $end $var wire 1 ! up $end $scope module u_a $end \
                    $var wire 1 \" go $end $var wire 1 # on $end $upscope $end $upscope $end $upscope $end $enddefinitions $end\n\
                    #0\n0!\n0\"\n0#\n#10000\n1!\n#12500\n1\"\n#15000\n0!\n#20000\n1#\n#22500\n0\"\n#25000\n0#\n";
        let high = high_clocks(wave.as_bytes(), &["up", "u_a.go", "u_a.on"]).expect("waveform");
        assert_eq!(
            (&high["up"], &high["u_a.go"], &high["u_a.on"]),
            (&vec![2], &vec![3, 4], &vec![4])
        );
        let way = Way {
            name: "way",
            stages: &[
                ("up", &["up"]),
                ("both", &["u_a.go", "u_a.on"]),
                ("never", &["u_a.on", "up"]),
            ],
        };
        let stages = follow(&way, &high, 0..10).stages;
        assert_eq!(stages, [("up", Some(0)), ("both", Some(2)), ("never", None)]);
        assert!(high_clocks(wave.as_bytes(), &["u_b.go"]).is_err());
    }
}
