//! From a scenario's ways to collect telemetry and to bring it back (HPCC++) to registers of its NICs, and which of them a NIC has.

use hpcc_models::cc::{Carrier, ProbeRule, Sampling};
use hpcc_models::net::{Framing, TelemetryBytes, PS_PER_NS};
use hpcc_models::nic::{FeedbackConfig, FormatConfig, NicConfig, ProbeConfig, SamplingConfig};
use hpcc_models::wire::telemetry::{Encapsulation, TelemetryPorts, LARGEST_MULTIPLIER};
use hpcc_sim::plan::{Fidelity, Job};

/// The format of a job's data packets, by the bytes that its network counts; `None` for a framing of another simulator.
pub(super) fn format_of(job: &Job) -> Option<Encapsulation> {
    let wire = Framing::wire(job.law.uses_int());
    if job.config.framing == wire {
        return Some(Encapsulation::Fig7);
    }
    Encapsulation::ALL.into_iter().find(|format| {
        let bytes = TelemetryBytes::named(format.name());
        bytes.is_some_and(|bytes| job.config.framing == wire.with_telemetry(bytes))
    })
}

/// What a scenario asks for that a NIC at its fidelity does not have.
pub(super) fn check(job: &Job) -> Result<(), String> {
    let fidelity = job.fidelity.name();
    let wrong =
        |field: &str, expected: &str, got: &str| Err(format!("{field}: expected {expected} at {fidelity}, got {got}"));
    let feedback = &job.config.feedback;
    let Some(format) = format_of(job) else {
        return Ok(());
    };
    if job.fidelity == Fidelity::NicRtl {
        if job.config.sampling.is_some() {
            return wrong("telemetry.mode", "inband or probe", "sample");
        }
        if feedback.carrier != Carrier::Ack || feedback.ack_every > 1 || feedback.count_flows {
            return wrong("telemetry.feedback", "ack", "another");
        }
        if format != Encapsulation::Fig7 {
            return wrong("telemetry.format", "fig7", format.name());
        }
    }
    if feedback.carrier == (Carrier::Receiver { after_queue: true }) {
        return wrong("telemetry.rx_clock", "t", "t-and-queue");
    }
    let multi = job.config.int_multi;
    if format != Encapsulation::Fig7 && !(multi.is_power_of_two() && multi <= LARGEST_MULTIPLIER) {
        let expected = format!(
            "a power of two up to {LARGEST_MULTIPLIER} with telemetry.format {}",
            format.name()
        );
        return wrong("cc.int_multi", &expected, &multi.to_string());
    }
    let config = FormatConfig {
        encapsulation: format,
        ..FormatConfig::default()
    };
    if !config.fits(job.config.mtu) {
        let got = job.config.mtu.to_string();
        return wrong("network.mtu", "one that fits beside telemetry.format", &got);
    }
    Ok(())
}

fn ns(ps: u64) -> u32 {
    u32::try_from(ps / PS_PER_NS).unwrap_or(u32::MAX)
}

fn byte(packets: u32) -> u8 {
    u8::try_from(packets).unwrap_or(u8::MAX)
}

/// Registers of a NIC, whose `T` is `base_rtt_ns`, with a job's ways to collect telemetry and to bring it back.
pub(super) fn registers(job: &Job, base_rtt_ns: u32, registers: NicConfig) -> NicConfig {
    let probes = job.config.probes.map(|rule: ProbeRule| ProbeConfig {
        interval_ns: ns(rule.interval_ps),
        timeout_ns: ns(rule.timeout_ps),
        packets: byte(rule.packets),
    });
    let sampling = job.config.sampling.map(|rule: Sampling| SamplingConfig {
        every: byte(rule.every),
        at_latest_ns: ns(rule.at_latest_ps),
    });
    let feedback = &job.config.feedback;
    NicConfig {
        probes,
        sampling,
        feedback: FeedbackConfig {
            carrier: feedback.carrier,
            ack_every: byte(feedback.ack_every),
            count_flows: feedback.count_flows,
            round_trip_ns: base_rtt_ns,
            ..FeedbackConfig::default()
        },
        format: FormatConfig {
            encapsulation: format_of(job).unwrap_or_default(),
            numbers: TelemetryPorts {
                int_multi: job.config.int_multi,
                ..TelemetryPorts::default()
            },
            ..FormatConfig::default()
        },
        ..registers
    }
}
