//! The register map of the NIC, described once: the decoder of the hardware, the Verilog header, the book's chapter and the SystemRDL
//! file are all made from [`registers`].
//!
//! 4 KiB of 32-bit registers behind AXI4-Lite. Values of more than 32 bits are pairs `NAME_LO`, `NAME_HI`.

mod export;
mod map;
mod register;

pub use export::{markdown, system_rdl, verilog_header};
pub use map::registers;
pub use register::{
    offset, Access, Field, Place, Register, GROUP_COUNT, ID, MAP_BYTES, MAX_RD_ATOMIC, NEIGHBOUR_SLOTS, QP_COUNT,
    REGION_SLOTS, RESPONDER_READS,
};

/// Word addresses (offset / 4) that a register answers at, as ranges, both ends included.
pub fn mapped_words() -> Vec<(u16, u16)> {
    let mut words: Vec<u16> = registers()
        .iter()
        .flat_map(|register| register.addresses().collect::<Vec<_>>())
        .map(|offset| offset / 4)
        .collect();
    words.sort_unstable();
    let mut ranges: Vec<(u16, u16)> = Vec::new();
    for word in words {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == word => *last = word,
            _ => ranges.push((word, word)),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nic::{Counter, NicConfig};
    use std::collections::BTreeMap;

    #[test]
    fn registers_do_not_overlap_and_fields_fit() {
        let mut taken = BTreeMap::new();
        for register in registers() {
            for offset in register.addresses() {
                assert!(offset % 4 == 0 && offset < MAP_BYTES, "{}", register.name);
                assert_eq!(taken.insert(offset, register.name.clone()), None, "0x{offset:x}");
            }
            let mut seen = 0u32;
            for field in &register.fields {
                assert!(field.low + field.width <= 32, "{}.{}", register.name, field.name);
                assert_eq!(seen & field.mask(), 0, "{}.{}", register.name, field.name);
                assert_eq!(
                    field.reset << field.low & !field.mask(),
                    0,
                    "{}.{}",
                    register.name,
                    field.name
                );
                if let Some((least, most)) = field.range {
                    assert!((least..=most).contains(&field.reset), "{}", register.name);
                    assert!(most < 1 << field.width, "{}: a greatest value that fits", register.name);
                    // one strobe decides whether the whole field is written
                    let last = field.low + field.width - 1;
                    assert_eq!(
                        register.fields.len(),
                        1,
                        "{}: the headers name ranges of registers",
                        register.name
                    );
                    assert!(field.is_stored() && field.low / 8 == last / 8, "{}", register.name);
                }
                seen |= field.mask();
            }
        }
        let ranges = mapped_words();
        assert!(
            ranges.windows(2).all(|pair| pair[0].1 + 1 < pair[1].0),
            "two that touch are one"
        );
        assert_eq!(ranges[0].0, 0, "ID is the first register");
        let words: u16 = mapped_words().iter().map(|(first, last)| last - first + 1).sum();
        assert_eq!(usize::from(words), taken.len());
    }

    /// Value of a signal after reset, from the fields that make it.
    fn reset_of(signal: &str) -> u64 {
        let mut value = 0;
        for register in registers() {
            for field in register.fields {
                if let Place::Signal(name, at) = field.place {
                    if name == signal {
                        value |= u64::from(field.reset) << at;
                    }
                }
            }
        }
        value
    }

    #[test]
    fn reset_values_are_those_of_the_model() {
        let config = NicConfig::default();
        let expected = [
            ("cfg_mtu", u64::from((config.mtu / 256).trailing_zeros())),
            ("cfg_port_roce", config.ports.roce.into()),
            ("cfg_port_int", config.ports.int_collect.into()),
            ("cfg_port_echo", config.ports.int_echo.into()),
            ("cfg_port_control", config.ports.control.into()),
            ("cfg_pkey", config.pkey.into()),
            ("cfg_dscp", config.dscp.into()),
            ("cfg_ttl", config.ttl.into()),
            ("cfg_ecn", config.ecn.into()),
            ("cfg_cnp_dscp", config.cnp.dscp.into()),
            ("cfg_cnp_interval", config.cnp.interval.into()),
            ("cfg_cnp_enable", config.cnp.enabled.into()),
            ("cfg_echo_icrc_full", config.echo_icrc_full.into()),
            (
                "cfg_probe_interval",
                config.probes.map_or(0, |probes| probes.interval_ns).into(),
            ),
            ("cfg_dscp_unstamped", config.dscp_unstamped.into()),
            ("cfg_ack_req_interval", config.ack_req_interval.into()),
            ("cfg_times_enable", config.send_times.is_some().into()),
            ("cfg_rnr_retry", config.rnr_retry.into()),
            ("cfg_max_rd_atomic", config.max_rd_atomic.into()),
            ("cfg_reads", config.responder_reads.into()),
            ("cfg_ack_priority", config.ack_priority.into()),
            ("cfg_ack_pause", config.ack_pause.into()),
            ("cfg_window", (config.window * 2048.0) as u64),
            ("cfg_rate", 0),
            (
                "cfg_line_rate",
                (config.line_rate_bps / 8e9 * f64::from(1 << 27)) as u64,
            ),
            ("cfg_control_enable", config.control.enabled.into()),
            ("cfg_default_law", config.default_law.into()),
            ("cfg_control_interval", config.control.interval_ns),
        ];
        for (signal, value) in expected {
            assert_eq!(reset_of(signal), value, "{signal}");
        }
        let valid = (0..16).fold(0, |bits, code| bits | u64::from(config.speed_table[code] > 0) << code);
        assert_eq!(reset_of("cfg_speed_valid"), valid);
    }

    #[test]
    fn every_counter_has_its_pair() {
        let list = registers();
        for (i, counter) in Counter::ALL.iter().enumerate() {
            let name = format!("{}_LO", counter.name().to_uppercase());
            let register = list.iter().find(|register| register.name == name).expect("counter");
            assert_eq!(usize::from(register.offset - offset::COUNTERS), 8 * i, "{name}");
        }
        assert!(Counter::ALL.len() <= 63, "the last place is the clock's");
    }
}
