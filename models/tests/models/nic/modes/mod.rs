//! NICs around a switch with every way to collect INT and to bring it back (HPCC++, draft-miao-ccwg-hpcc 6.2 and 6.3): losses never block, nothing but an
//! acknowledgement acknowledges, and what the network's hosts do in the same scenario.

mod agreement;
mod losses;

use super::star::*;
use hpcc_models::cc::Carrier;
use hpcc_models::nic::*;
use hpcc_models::wire::telemetry::Encapsulation;
use hpcc_models::wire::Opcode;

pub const RX: Carrier = Carrier::Receiver { after_queue: false };

pub fn carried(carrier: Carrier, ack_every: u8) -> FeedbackConfig {
    FeedbackConfig {
        carrier,
        ack_every,
        ..FeedbackConfig::default()
    }
}

pub fn sampled(every: u8) -> Option<SamplingConfig> {
    Some(SamplingConfig {
        every,
        at_latest_ns: 250_000,
    })
}

/// Registers of every mode, by name.
pub fn modes() -> Vec<(&'static str, NicConfig)> {
    let counting = |feedback| FeedbackConfig {
        count_flows: true,
        ..feedback
    };
    let acknowledging = FeedbackConfig {
        notifications_acknowledge: true,
        ..carried(Carrier::Notification, 16)
    };
    let in_format = |encapsulation, feedback| NicConfig {
        format: FormatConfig {
            encapsulation,
            ..FormatConfig::default()
        },
        ..registers(feedback)
    };
    let ack = carried(Carrier::Ack, 1);
    vec![
        ("ack", registers(ack)),
        ("coalesced 4", registers(carried(Carrier::Ack, 4))),
        ("coalesced 16", registers(carried(Carrier::Ack, 16))),
        ("notify", registers(carried(Carrier::Notification, 1))),
        ("notify 16", registers(carried(Carrier::Notification, 16))),
        ("notify and acknowledge", registers(acknowledging)),
        ("rx", registers(carried(RX, 1))),
        ("rx 16", registers(carried(RX, 16))),
        ("rx 16, flows", registers(counting(carried(RX, 16)))),
        ("ack, flows", registers(counting(ack))),
        (
            "every 4th",
            NicConfig {
                sampling: sampled(4),
                ..registers(ack)
            },
        ),
        (
            "every 16th, coalesced 16",
            NicConfig {
                sampling: sampled(16),
                ..registers(carried(Carrier::Ack, 16))
            },
        ),
        (
            "probes, coalesced 4",
            NicConfig {
                probes: Some(ProbeConfig::every(T_NS)),
                ..registers(carried(Carrier::Ack, 4))
            },
        ),
        ("ifa", in_format(Encapsulation::ALL[1], ack)),
        ("ioam", in_format(Encapsulation::ALL[2], carried(Carrier::Ack, 4))),
        (
            "ioam-incremental",
            in_format(Encapsulation::ALL[3], carried(Carrier::Notification, 4)),
        ),
        ("int-md", in_format(Encapsulation::ALL[4], carried(RX, 16))),
    ]
}
