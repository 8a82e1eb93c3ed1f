//! Rates and delays as text, by the grammar of ns-3's own parsers (`data-rate.cc`, `DataRate::DoParse`; `time.cc`, `Time::Time`): a number
//! of digits and one point, then a unit; without a unit bits per second, or seconds.

/// Units of a rate, and what each is in bits per second. That simulator has no tera.
const RATE_UNITS: [(&str, f64); 30] = [
    ("bps", 1.0),
    ("b/s", 1.0),
    ("Bps", 8.0),
    ("B/s", 8.0),
    ("kbps", 1e3),
    ("kb/s", 1e3),
    ("Kbps", 1e3),
    ("Kb/s", 1e3),
    ("kBps", 8e3),
    ("kB/s", 8e3),
    ("KBps", 8e3),
    ("KB/s", 8e3),
    ("Kib/s", 1024.0),
    ("KiB/s", 8192.0),
    ("Mbps", 1e6),
    ("Mb/s", 1e6),
    ("MBps", 8e6),
    ("MB/s", 8e6),
    ("Mib/s", 1_048_576.0),
    ("MiB/s", 8_388_608.0),
    ("Gbps", 1e9),
    ("Gb/s", 1e9),
    ("GBps", 8e9),
    ("GB/s", 8e9),
    ("Gib/s", 1_073_741_824.0),
    ("GiB/s", 8_589_934_592.0),
    ("Tbps", 1e12),
    ("Tb/s", 1e12),
    ("TBps", 8e12),
    ("TB/s", 8e12),
];

/// Units of a delay, and what each is in picoseconds.
const DELAY_UNITS: [(&str, f64); 6] = [
    ("s", 1e12),
    ("ms", 1e9),
    ("us", 1e6),
    ("ns", 1e3),
    ("ps", 1.0),
    ("fs", 1e-3),
];

/// Fastest link, bits per second.
const MOST_BPS: f64 = 1e13;
/// Longest delay, ps.
const MOST_PS: f64 = 1e13;

/// A word as its leading characters of `signs`, and the rest, which is the unit.
fn split<'a>(word: &'a str, signs: &str) -> (&'a str, &'a str) {
    word.split_at(word.find(|c| !signs.contains(c)).unwrap_or(word.len()))
}

/// What a C++ stream takes as a number: up to a second point.
fn number(text: &str) -> Option<f64> {
    let end = text.match_indices('.').nth(1).map_or(text.len(), |(at, _)| at);
    text[..end].parse().ok()
}

/// A number with one of some units.
fn with_unit(number: Option<f64>, unit: &str, units: &[(&str, f64)]) -> Option<f64> {
    let (_, factor) = units.iter().find(|(name, _)| *name == unit)?;
    number.map(|value| value * factor)
}

/// A rate, cut to whole bits per second: `100Gbps`, `12.5GBps`, `52287582bps`, `100000000000.0`. `None`: no rate, or above 10 Tb/s.
pub(super) fn data_rate(word: &str) -> Option<u64> {
    let (digits, unit) = split(word, "0123456789.");
    let rate = if unit.is_empty() {
        // Without a unit that simulator reads a whole number and stops at the point.
        digits.split('.').next()?.parse::<u64>().ok()? as f64
    } else {
        with_unit(number(digits), unit, &RATE_UNITS)?
    };
    (rate <= MOST_BPS).then_some(rate as u64)
}

/// A delay, ps: `1us`, `1000ns`, `0.001ms`, `0.000001`. `None`: no delay, below 0, or above 10 s.
pub(super) fn delay_ps(word: &str) -> Option<u64> {
    let (digits, unit) = split(word, "+-0123456789.");
    let unit = if unit.is_empty() { "s" } else { unit };
    let delay = with_unit(number(digits), unit, &DELAY_UNITS)?;
    (0.0..=MOST_PS).contains(&delay).then_some(delay.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every unit of `DataRate::DoParse`: a prefix (`k` and `K` are 1000, `Ki` 1024), bits or bytes, `ps` or `/s`; the binary prefixes have
    /// `/s` only. Every form of a number that its stream takes.
    #[test]
    fn every_rate_of_the_grammar_is_read() {
        let prefixes = [
            ("", 1u64),
            ("k", 1000),
            ("K", 1000),
            ("M", 1_000_000),
            ("G", 1_000_000_000),
        ];
        let binary = [("Ki", 1u64 << 10), ("Mi", 1 << 20), ("Gi", 1 << 30)];
        let numbers = [
            ("100", 200u64),
            ("12.5", 25),
            (".5", 1),
            ("7.", 14),
            ("0.25.5", 0),
            ("007.50", 15),
        ];
        let mut seen = 0;
        for (what, bits) in [("b", 1), ("B", 8)] {
            let decimal = prefixes.iter().flat_map(|p| [(p, "ps"), (p, "/s")]);
            for (&(prefix, factor), per) in decimal.chain(binary.iter().map(|p| (p, "/s"))) {
                for (text, halves) in numbers {
                    let word = format!("{text}{prefix}{what}{per}");
                    let halves = if text == "0.25.5" { 0.5 } else { halves as f64 };
                    let expected = (halves / 2.0 * (factor * bits) as f64) as u64;
                    let expected = Some(expected).filter(|rate| *rate <= 10_000_000_000_000);
                    assert_eq!(data_rate(&word), expected, "{word}");
                    seen += 1;
                }
            }
        }
        assert_eq!(seen, 2 * 13 * 6);
        assert_eq!(
            ["100000000000.0", "153846154", "1.9", "52287582bps"].map(data_rate),
            [100_000_000_000, 153_846_154, 1, 52_287_582].map(Some)
        );
        assert_eq!(data_rate("0.9bps"), Some(0), "cut, not rounded");
    }

    #[test]
    fn every_delay_of_the_grammar_is_read() {
        let words = [
            "0.000001",
            "+1us",
            "1us",
            "1000ns",
            "0.001ms",
            "0.000001s",
            "1000000ps",
            "1000000000fs",
            "1.us",
            "1.0.7us",
        ];
        assert_eq!(words.map(delay_ps), [Some(1_000_000); 10]);
        assert_eq!(delay_ps("0"), Some(0));
    }

    #[test]
    fn what_that_simulator_refuses_is_refused() {
        for word in [
            "", "Gbps", ".", "-1Gbps", "xGbps", "1e9bps", "1gbps", "1Gbit/s", "1Kibps", "11Tbps", "inf", "infGbps",
        ] {
            assert_eq!(data_rate(word), None, "{word}");
        }
        for word in ["", "us", "-1us", "+-1us", "1e-6s", "1min", "11s", "nan"] {
            assert_eq!(delay_ps(word), None, "{word}");
        }
    }
}
