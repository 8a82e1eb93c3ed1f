//! The registers, in the order of their addresses.

use super::register::{
    offset, Access, Field, Place, Register, GROUP_COUNT, ID, MAX_RD_ATOMIC, NEIGHBOUR_SLOTS, QP_COUNT, REGION_SLOTS,
    RESPONDER_READS,
};
use crate::fixed::LAWS;
use crate::nic::{CnpConfig, Counter, NicConfig};
use Access::{Ro, Rw, W1c, Wo};
use Place::{Constant, Elsewhere, Live, Moving, Scratch, Signal};

/// Bits of a field: lowest one and width.
type Bits = (u8, u8);

const fn field(name: &'static str, bits: Bits, access: Access, reset: u32, place: Place, about: &'static str) -> Field {
    Field {
        name,
        low: bits.0,
        width: bits.1,
        access,
        reset,
        place,
        about,
        range: None,
    }
}

fn register(name: impl Into<String>, offset: u16, fields: Vec<Field>) -> Register {
    Register {
        name: name.into(),
        offset,
        count: 1,
        stride: 4,
        fields,
    }
}

/// A read-write register of one field `value` that shows on a signal.
fn setting(name: &str, offset: u16, width: u8, reset: u32, signal: &'static str, about: &'static str) -> Register {
    register(
        name,
        offset,
        vec![field("value", (0, width), Rw, reset, Signal(signal, 0), about)],
    )
}

/// The same with a least and a greatest value.
fn ranged(range: (u32, u32), setting: Register) -> Register {
    let fields = setting.fields.into_iter().map(|field| field.within(range.0, range.1));
    Register {
        fields: fields.collect(),
        ..setting
    }
}

/// What is said of a value in two registers.
struct Wide {
    name: &'static str,
    offset: u16,
    width: u8,
    access: Access,
    reset: u64,
    signal: &'static str,
    about: &'static str,
}

impl Wide {
    fn pair(self) -> [Register; 2] {
        let half = |suffix: &str, offset, width, reset, at| {
            let bits = field(
                "value",
                (0, width),
                self.access,
                reset,
                Signal(self.signal, at),
                self.about,
            );
            register(format!("{}_{suffix}", self.name), offset, vec![bits])
        };
        [
            half("LO", self.offset, 32, self.reset as u32, 0),
            half("HI", self.offset + 4, self.width - 32, (self.reset >> 32) as u32, 32),
        ]
    }
}

/// Every register.
pub fn registers() -> Vec<Register> {
    let mut list = identification();
    list.extend(addresses());
    list.extend(transport());
    list.extend(marks());
    list.extend(laws());
    list.extend(control_packets());
    list.push(send_times());
    list.extend(commands());
    list.extend(scheduler_counters());
    list.extend(counters());
    list.extend(windows());
    list.extend(limits());
    list
}

/// A number of the crate's version.
fn version(text: &str) -> u32 {
    text.parse().unwrap_or(0)
}

fn identification() -> Vec<Register> {
    let constant = |name, bits, value, about| field(name, bits, Ro, value, Constant, about);
    vec![
        register(
            "ID",
            0x000,
            vec![constant(
                "value",
                (0, 32),
                ID,
                "`HPCC` in ASCII, first letter in the highest byte.",
            )],
        ),
        register(
            "VERSION",
            0x004,
            vec![
                constant(
                    "patch",
                    (0, 8),
                    version(env!("CARGO_PKG_VERSION_PATCH")),
                    "Patch level.",
                ),
                constant(
                    "minor",
                    (8, 8),
                    version(env!("CARGO_PKG_VERSION_MINOR")),
                    "Minor version.",
                ),
                constant(
                    "major",
                    (16, 8),
                    version(env!("CARGO_PKG_VERSION_MAJOR")),
                    "Major version.",
                ),
            ],
        ),
        register(
            "SIZES",
            0x008,
            vec![
                constant(
                    "qp_count",
                    (0, 16),
                    QP_COUNT,
                    "Queue pairs have places 2 to this, exclusive.",
                ),
                constant("regions", (16, 8), REGION_SLOTS, "Memory region slots."),
                constant("neighbours", (24, 8), NEIGHBOUR_SLOTS, "Neighbour slots."),
            ],
        ),
        register(
            "SCRATCH",
            0x00c,
            vec![field("value", (0, 32), Rw, 0, Scratch, "For the host's own use.")],
        ),
    ]
}

fn addresses() -> Vec<Register> {
    let mut list: Vec<_> = Wide {
        name: "MAC",
        offset: 0x010,
        width: 48,
        access: Rw,
        reset: 0,
        signal: "cfg_mac",
        about: "Own Ethernet address, first byte in the highest bits of `MAC_HI`.",
    }
    .pair()
    .into();
    list.extend([
        setting(
            "IP",
            0x018,
            32,
            0,
            "cfg_ip",
            "Own IPv4 address, first byte in the highest bits.",
        ),
        ranged(
            (0, 4),
            setting(
                "MTU",
                0x01c,
                3,
                2,
                "cfg_mtu",
                "Path MTU of queue pairs that control packets create: 256 << value bytes.",
            ),
        ),
        setting(
            "PORT_ROCE",
            0x020,
            16,
            4791,
            "cfg_port_roce",
            "UDP port of plain RoCEv2.",
        ),
        setting(
            "PORT_INT",
            0x024,
            16,
            54791,
            "cfg_port_int",
            "UDP port of INT being collected.",
        ),
        setting(
            "PORT_ECHO",
            0x028,
            16,
            54792,
            "cfg_port_echo",
            "UDP port of INT echoed.",
        ),
        setting(
            "PORT_CONTROL",
            0x02c,
            16,
            54793,
            "cfg_port_control",
            "UDP port of control packets.",
        ),
        setting(
            "PKEY",
            0x030,
            16,
            0xffff,
            "cfg_pkey",
            "Partition key; the low 15 bits of a packet's must match.",
        ),
        setting(
            "DSCP",
            0x034,
            6,
            26,
            "cfg_dscp",
            "Differentiated services code point of everything sent.",
        ),
        ranged(
            (1, 255),
            setting("TTL", 0x038, 8, 64, "cfg_ttl", "Time to live of everything sent."),
        ),
    ]);
    list
}

fn transport() -> Vec<Register> {
    let mut list = vec![
        ranged((1, 255), setting("ACK_REQ_INTERVAL", 0x03c, 8, 16, "cfg_ack_req_interval", "Packets at most from one acknowledge request to the next.")),
        ranged((1, MAX_RD_ATOMIC), setting("MAX_RD_ATOMIC", 0x040, 8, 16, "cfg_max_rd_atomic", "READ requests that the requester keeps outstanding per queue pair.")),
        ranged((1, RESPONDER_READS), setting("RESPONDER_READS", 0x044, 8, 16, "cfg_reads", "READ requests that the responder queues per queue pair.")),
        setting("RNR_RETRY", 0x110, 3, 7, "cfg_rnr_retry", "Waits for a receiver that is not ready, without progress between them, after which a flow ends; 7: it never does."),
        register(
            "ACK_CLASS",
            0x048,
            vec![
                field("priority", (0, 3), Rw, 7, Signal("cfg_ack_priority", 0), "802.1p priority of acknowledgements, for pause."),
                field("pause", (8, 1), Rw, 0, Signal("cfg_ack_pause", 0), "Pause of that priority stops acknowledgements too."),
            ],
        ),
        setting("ECHO_ICRC_FULL", 0x0a4, 1, 0, "cfg_echo_icrc_full", "The ICRC of acknowledgements and echoes covers their INT. Both ends of a queue pair must have the same."),
        setting("PROBE_INTERVAL", 0x0f0, 32, 0, "cfg_probe_interval", "Least time between two probes of a queue pair's requests, ns; 0: there are no probes, and requests collect INT themselves."),
        setting("PROBE_TIMEOUT", 0x0f4, 32, 100_000, "cfg_probe_timeout", "A probe that has not been answered for this long no longer holds back the next, ns."),
        ranged((1, 255), setting("PROBE_PACKETS", 0x0f8, 8, 1, "cfg_probe_packets", "Least number of requests with payload between two probes of a queue pair.")),
        setting("DSCP_UNSTAMPED", 0x0fc, 6, 10, "cfg_dscp_unstamped", "Differentiated services code point of requests whose INT is left to probes: one that switches do not stamp, in the same queue as `DSCP`."),
        setting("SPEED_VALID", 0x04c, 16, 0x01fe, "cfg_speed_valid", "Bit n: INT speed code n is valid; INT with another code is not given to the congestion control. What a code means is in `CC_PARAM`."),
    ];
    for wide in [
        (
            "WINDOW",
            0x050,
            332_800_000,
            "cfg_window",
            "Window of plain queue pairs, bytes, UQ23.11.",
        ),
        (
            "RATE",
            0x058,
            0,
            "cfg_rate",
            "Rate of plain queue pairs, bytes per ns, UQ7.27; 0 is the line rate.",
        ),
        (
            "LINE_RATE",
            0x060,
            1_677_721_600,
            "cfg_line_rate",
            "Rate of the port, bytes per ns, UQ7.27.",
        ),
    ] {
        let (name, offset, reset, signal, about) = wide;
        list.extend(
            Wide {
                name,
                offset,
                width: 34,
                access: Rw,
                reset,
                signal,
                about,
            }
            .pair(),
        );
    }
    list
}

/// Marks of switches and notifications of them.
fn marks() -> Vec<Register> {
    let cnp = CnpConfig::default();
    vec![
        ranged((0, 2), setting("ECN", 0x0b0, 2, 0, "cfg_ecn", "ECN field of requests and READ responses of queue pairs without INT: 0 not capable, 2 or 1 capable. Everything else is sent as not capable.")),
        setting("CNP_DSCP", 0x0b4, 6, cnp.dscp.into(), "cfg_cnp_dscp", "Differentiated services code point of congestion notification packets."),
        setting("CNP_INTERVAL", 0x0b8, 24, cnp.interval, "cfg_cnp_interval", "Least time between two notifications of a queue pair and direction, units of 1.024 us."),
        setting("CNP_ENABLE", 0x0bc, 1, cnp.enabled.into(), "cfg_cnp_enable", "Requests and READ responses that switches have marked are answered with notifications."),
    ]
}

/// Which laws there are, and which one queue pairs have that control packets create.
fn laws() -> Vec<Register> {
    let law = NicConfig::default().default_law;
    let codes = || LAWS.iter().map(|law| u32::from(law.code));
    let greatest = codes().max().unwrap_or(0);
    vec![
        register(
            "LAWS",
            offset::LAWS,
            vec![field("built", (0, 8), Ro, codes().fold(1, |bits, code| bits | 1 << code), Live("laws"), "Bit n: a queue pair may have the law of code n: 0 none, 1 HPCC, 2 DCQCN, 3 PowerTCP, 4 theta-PowerTCP. The reset value is that of a NIC with all of them. Parameters of a law that is not built in are answered SLVERR.")],
        ),
        ranged((0, greatest), setting("DEFAULT_LAW", 0x06c, 3, law.into(), "cfg_default_law", "Law of queue pairs that control packets create: its code in `LAWS`.")),
    ]
}

fn control_packets() -> Vec<Register> {
    let mut list = vec![
        setting(
            "CONTROL_ENABLE",
            0x070,
            1,
            0,
            "cfg_control_enable",
            "Control packets are looked at. For trusted networks only.",
        ),
        setting(
            "CONTROL_INTERVAL",
            0x074,
            32,
            0,
            "cfg_control_interval",
            "Least time between two control packets carried out, ns.",
        ),
    ];
    list.extend(
        Wide {
            name: "CONTROL_KEY",
            offset: 0x078,
            width: 64,
            access: Wo,
            reset: 0,
            signal: "cfg_control_key",
            about: "Secret that a control packet must carry.",
        }
        .pair(),
    );
    list.extend((0..8).map(|i| {
        let about = "Address that control packets may come from; 0 is none.";
        let bits = field("value", (0, 32), Rw, 0, Signal("cfg_control_sources", 32 * i), about);
        register(format!("CONTROL_SOURCE{i}"), 0x080 + 4 * i, vec![bits])
    }));
    list
}

/// Which packets are timed, for laws of delay.
fn send_times() -> Register {
    register(
            "SEND_TIMES",
            0x0a0,
            vec![
                field("spacing", (0, 4), Rw, 5, Signal("cfg_times_spacing", 0), "n: the last of every 2^n packet numbers of a queue pair's requests is timed, for laws that measure round trips. 2^n is at least the window over eight MTU."),
                field("enable", (8, 1), Rw, 0, Signal("cfg_times_enable", 0), "Packets are timed, and those of queue pairs without INT ask for acknowledgements."),
            ],
        )
}

fn commands() -> Vec<Register> {
    let mut list = vec![
        register(
            "COMMAND",
            offset::COMMAND,
            vec![
                field("operation", (0, 3), Wo, 0, Elsewhere, "A write carries out: 1 create a queue pair (`BODY`: context), 2 remove it, 3 write a region slot (`BODY`: region), 4 write a neighbour slot (`BODY`: address 31:0, Ethernet address 79:32), 5 write the cap of a flow (`BODY`: rate 33:0, group 39:36, enable 63)."),
                field("index", (8, 24), Wo, 0, Elsewhere, "Queue pair number, slot, or flow: twice the number of the queue pair for its requests, one more for its READ responses."),
            ],
        ),
        register(
            "STATUS",
            offset::STATUS,
            vec![
                field("busy", (0, 1), Ro, 0, Elsewhere, "A command is being carried out."),
                field("done", (1, 1), W1c, 0, Elsewhere, "A command was carried out."),
                field("error", (2, 1), W1c, 0, Elsewhere, "A command was refused."),
                field("ready", (3, 1), Ro, 0, Moving, "0 in reset and for 1300 clocks after. The reset is over: commands, work requests and frames are taken. A command given before waits."),
                field("code", (4, 3), Ro, 0, Elsewhere, "Why the last refused one was: 1 operation, 2 number (also one that another queue pair has), slot or flow, 3 MTU, 4 the queue pair exists, 5 no such queue pair, 6 a law that is not built in, or that needs INT where the queue pair collects none, 7 another command was being carried out."),
            ],
        ),
    ];
    list.extend((0..12).map(|i| {
        let about = "Word of what a command writes, lowest first; the layouts are those of the words below.";
        let bits = field("value", (0, 32), Rw, 0, Signal("body", 32 * i), about);
        register(format!("BODY{i}"), offset::BODY + 4 * i, vec![bits])
    }));
    list
}

fn scheduler_counters() -> Vec<Register> {
    let live =
        |name: &str, at, signal, about| register(name, at, vec![field("value", (0, 32), Ro, 0, Live(signal), about)]);
    vec![
        live(
            "SCHED_LATE",
            0x100,
            "sched_late",
            "Events of a flow that does not exist or of an earlier generation; stays at its end.",
        ),
        live(
            "SCHED_BEYOND",
            0x104,
            "sched_beyond",
            "Acknowledgements of what was never sent; stays at its end.",
        ),
        live(
            "SCHED_OUT_OF_RANGE",
            0x108,
            "sched_out_of_range",
            "Events of a flow number past the configured count; stays at its end.",
        ),
        live(
            "SCHED_CC_DROPPED",
            0x10c,
            "sched_cc_dropped",
            "Events that the congestion control missed because its queue was full; stays at its end.",
        ),
    ]
}

fn counters() -> Vec<Register> {
    let pair = |name: &str, at: u16, place, about| {
        let half = |suffix: &str, at, about| {
            let bits = field("value", (0, 32), Ro, 0, place, about);
            register(format!("{}_{suffix}", name.to_uppercase()), at, vec![bits])
        };
        [
            half("LO", at, about),
            half(
                "HI",
                at + 4,
                "High word, as it was when the low word of any counter was last read.",
            ),
        ]
    };
    let mut list: Vec<_> = (offset::COUNTERS..)
        .step_by(8)
        .zip(Counter::ALL)
        .flat_map(|(at, counter)| pair(counter.name(), at, Elsewhere, counter.low_word()))
        .collect();
    list.extend(pair(
        "TIME",
        offset::TIME,
        Moving,
        "Low word of the NIC's clock, ns; reading it keeps the high word.",
    ));
    list
}

fn windows() -> Vec<Register> {
    let words = |name: &str, at, width, about| Register {
        count: 64,
        stride: 8,
        ..register(name, at, vec![field("value", (0, width), Wo, 0, Elsewhere, about)])
    };
    let low = "Low word of a parameter; takes effect with the high word.";
    let high = "High word of a parameter; writes it together with the low word written last.";
    vec![
        words("CC_PARAM_LO", offset::CC_PARAM, 32, low),
        words("CC_PARAM_HI", offset::CC_PARAM + 4, 16, high),
        words("DCQCN_PARAM_LO", offset::DCQCN_PARAM, 32, low),
        words("DCQCN_PARAM_HI", offset::DCQCN_PARAM + 4, 16, high),
        words("POWERTCP_PARAM_LO", offset::POWERTCP_PARAM, 32, low),
        words("POWERTCP_PARAM_HI", offset::POWERTCP_PARAM + 4, 16, high),
        words("THETA_PARAM_LO", offset::THETA_PARAM, 32, low),
        words("THETA_PARAM_HI", offset::THETA_PARAM + 4, 16, high),
        words("SCHED_PARAM_LO", offset::SCHED_PARAM, 32, low),
        words("SCHED_PARAM_HI", offset::SCHED_PARAM + 4, 16, high),
    ]
}

/// Limits that an agent of the host sets, and what it is told.
fn limits() -> Vec<Register> {
    let groups = |name: &str, at, stride, bits| Register {
        count: GROUP_COUNT,
        stride,
        ..register(name, at, vec![bits])
    };
    let (low, high) = (
        "Low word of the level of a group of flows: no flow of the group sends faster. UQ7.27 bytes per ns; takes effect with the high word.",
        "High word of a level; writes it together with the low word written last. After reset all ones, no limit.",
    );
    let sent = "Low word of the bytes that the group's flows have sent on the wire (requests and READ responses, with preamble and gap); reading it keeps the high word.";
    let kept = "High word, as it was when the low word of any counter was last read.";
    vec![
        groups("LEVEL_LO", offset::LEVEL, 8, field("value", (0, 32), Wo, 0, Elsewhere, low)),
        groups("LEVEL_HI", offset::LEVEL + 4, 8, field("value", (0, 2), Wo, 0, Elsewhere, high)),
        groups("ACTIVE", offset::ACTIVE, 4, field("flows", (0, 16), Ro, 0, Elsewhere, "Flows of the group with something unsent or unacknowledged; of READ responses of plain queue pairs, with something unsent.")),
        register(
            "CAP_CONTROL",
            offset::CAP_CONTROL,
            vec![
                field("window", (0, 1), Rw, 0, Signal("cfg_cap_window", 0), "A cap or level bounds the window too: to its rate times `time`, one packet at least. For caps and levels written later."),
                field("dither", (1, 1), Rw, 0, Signal("cfg_cap_dither", 0), "A flow that gets work, or whose rate rises from 0, starts after a random part of a packet time."),
                field("time", (16, 16), Rw, 0, Signal("cfg_cap_time", 0), "Time of the window, ns."),
            ],
        ),
        groups("SENT_LO", offset::SENT, 8, field("value", (0, 32), Ro, 0, Elsewhere, sent)),
        groups("SENT_HI", offset::SENT + 4, 8, field("value", (0, 32), Ro, 0, Elsewhere, kept)),
    ]
}
