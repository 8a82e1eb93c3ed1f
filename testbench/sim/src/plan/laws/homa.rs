//! HOMA's parameters by key.

use super::values::{between, whole};
use super::LawSpec;
use hpcc_models::net::homa::HomaConfig;

impl LawSpec {
    /// Rules of HOMA hosts.
    pub fn homa_config(&self) -> Result<HomaConfig, String> {
        let mut config = HomaConfig::default();
        for (key, value) in &self.keys {
            match key.as_str() {
                "rtt_bytes" => config.rtt_bytes = Some(whole(key, value, 1 << 30)?),
                "overcommitment" => config.overcommitment = whole(key, value, 1000)? as u32,
                "unscheduled_levels" => config.unscheduled_levels = Some(whole(key, value, 255)? as u8),
                "resend_us" => config.resend_ps = (between(key, value, 0.0, 1e6)? * 1e6).round() as u64,
                _ => {}
            }
        }
        match config.fault() {
            Some((field, expected)) => Err(format!("cc.{field}: expected {expected}, got {}", self.keys[field])),
            None => Ok(config),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_reach_the_hosts() {
        let mut law = LawSpec::named("homa").unwrap();
        assert_eq!(law.homa_config().unwrap(), HomaConfig::default());
        law.set_key("overcommitment", &6.into()).unwrap();
        law.set_key("rtt_bytes", &90_625.into()).unwrap();
        law.set_key("resend_us", &500.into()).unwrap();
        let config = law.homa_config().unwrap();
        assert_eq!((config.overcommitment, config.rtt_bytes), (6, Some(90_625)));
        assert_eq!(config.resend_ps, 500_000_000);
        for (key, expected) in [
            ("overcommitment", "cc.overcommitment: expected 1 or more, got 0"),
            ("unscheduled_levels", "cc.unscheduled_levels: expected 1 to 7, got 0"),
            ("resend_us", "cc.resend_us: expected above 0, got 0"),
        ] {
            let mut law = LawSpec::named("homa").unwrap();
            assert_eq!(law.set_key(key, &0.into()).unwrap_err(), expected);
        }
    }
}
