//! Speeds of links that the INT table and the marking thresholds do not list.

use super::config::{Config, EcnRule};

/// INT codes that are free for other speeds than those of [`super::DEFAULT_SPEEDS_GBPS`].
const FREE_CODES: std::ops::RangeInclusive<u8> = 9..=15;

/// More speeds than INT can tell apart.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("INT: expected at most {} speeds of links and classes beside 10, 25, 40, 50, 100, 200, 400 and 800 Gb/s, got {} ({})",
    FREE_CODES.count(), .0.len(), .0.iter().map(|bps| format!("{} Gb/s", *bps as f64 / 1e9)).collect::<Vec<_>>().join(", "))]
pub struct TooManySpeeds(pub Vec<u64>);

impl Config {
    /// Gives each speed (bits per second) that has no INT code the next free one, 9 to 15, in ascending order, and returns these speeds; gives
    /// each speed without marking thresholds those of the speed that has some and is nearest below it (else the slowest), in proportion.
    /// Not for the ns-3 profile, whose simulator knows five speeds.
    pub fn cover_speeds(&mut self, speeds: impl IntoIterator<Item = u64>) -> Result<Vec<u64>, TooManySpeeds> {
        let speeds: std::collections::BTreeSet<u64> = speeds.into_iter().collect();
        for &speed in &speeds {
            self.cover_marking(speed);
        }
        let mut of_free: Vec<(u8, u64)> = self.speed_codes.iter().map(|(&speed, &code)| (code, speed)).collect();
        of_free.retain(|(code, _)| FREE_CODES.contains(code));
        of_free.sort_unstable();
        let mut others: Vec<u64> = of_free.into_iter().map(|(_, speed)| speed).collect();
        others.extend(speeds.into_iter().filter(|speed| !self.speed_codes.contains_key(speed)));
        if others.len() > FREE_CODES.count() {
            return Err(TooManySpeeds(others));
        }
        self.speed_codes.extend(others.iter().copied().zip(FREE_CODES));
        Ok(others)
    }

    fn cover_marking(&mut self, speed: u64) {
        if self.ecn.contains_key(&speed) {
            return;
        }
        let below = self.ecn.range(..speed).next_back();
        let Some((&base, rule)) = below.or_else(|| self.ecn.iter().next()) else {
            return;
        };
        let scaled = |bytes: u64| (u128::from(bytes) * u128::from(speed) / u128::from(base)) as u64;
        let rule = EcnRule {
            k_min: scaled(rule.k_min),
            k_max: scaled(rule.k_max),
            p_max: rule.p_max,
        };
        self.ecn.insert(speed, rule);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const G: u64 = 1_000_000_000;

    /// Today's eight codes stay; 1, 2.5, 3, 56, 150 and 300 Gb/s get 9 to 14 in ascending order, once each, and one more speed 15.
    #[test]
    fn other_speeds_get_free_codes() {
        let mut config = Config::paper(9_000, true);
        let before = config.speed_codes.clone();
        let speeds = [300 * G, G, 56 * G, 150 * G, 100 * G, 2_500_000_000, 3 * G, G];
        let ascending = vec![G, 2_500_000_000, 3 * G, 56 * G, 150 * G, 300 * G];
        assert_eq!(config.cover_speeds(speeds), Ok(ascending.clone()));
        for (code, speed) in (9..).zip(&ascending) {
            assert_eq!(config.speed_codes[speed], code);
        }
        assert!(before.iter().all(|(speed, code)| config.speed_codes[speed] == *code));
        // later ones follow, and what has a code keeps it
        let all = [ascending, vec![2 * G]].concat();
        assert_eq!(config.cover_speeds([2 * G, G]), Ok(all));
        assert_eq!((config.speed_codes[&(2 * G)], config.speed_codes[&G]), (15, 9));
        let error = config.cover_speeds([7 * G]).unwrap_err().to_string();
        assert_eq!(
            error,
            "INT: expected at most 7 speeds of links and classes beside 10, 25, 40, 50, 100, 200, 400 and 800 Gb/s, got 8 (1 Gb/s, 2.5 Gb/s, 3 Gb/s, \
             56 Gb/s, 150 Gb/s, 300 Gb/s, 2 Gb/s, 7 Gb/s)"
        );
    }

    /// 4 and 16 KB for each Gb/s, and DCTCP's 3 KB, at every speed.
    #[test]
    fn other_speeds_are_marked_in_proportion() {
        let speeds = [G, 2_500_000_000, 56 * G, 150 * G, 300 * G, 1600 * G];
        let mut dctcp = Config::paper(9_000, false);
        dctcp.mark_like_dctcp();
        for (mut config, k_min, k_max) in [(Config::paper(9_000, false), 4, 16), (dctcp, 3, 3)] {
            config.cover_speeds(speeds).unwrap();
            for speed in speeds {
                let rule = config.ecn[&speed];
                let kb = |bytes: u64| bytes as f64 / (speed as f64 / 1e6);
                assert_eq!(
                    (kb(rule.k_min), kb(rule.k_max)),
                    (k_min.into(), k_max.into()),
                    "{speed}"
                );
            }
        }
        let mut unmarked = Config::paper(9_000, false);
        unmarked.ecn.clear();
        unmarked.cover_speeds(speeds).unwrap();
        assert!(unmarked.ecn.is_empty());
    }
}
