//! `hpcc-nic goal`: finish times of a GOAL schedule in the LogGOPS model.

use hpcc_models::goal::{replay, LogGops, Reception, Schedule};
use hpcc_sim::cli::{say, Failure};
use std::fmt::Write;
use std::path::PathBuf;
use std::str::FromStr;

/// Replay a GOAL schedule without a network: the finish time of every rank in the LogGOPS model
///
/// Printed: rank,finish_ns, one line a rank. The rules are LogGOPSim's: a message of s bytes leaves after o, its first byte arrives L
/// later, the others take (s - 1) G; computations in the file are nanoseconds.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The schedule
    #[arg(value_name = "FILE.goal")]
    schedule: PathBuf,
    /// Latency, overhead of a message, gap between messages, gap of a byte, overhead of a byte, and the longest eager message in bytes
    #[arg(long, value_name = "L,o,g,G,O,S")]
    loggops: Numbers,
    /// How many units of the times in --loggops are a nanosecond; 1000 for picoseconds
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    units_per_ns: u64,
    /// A message that comes in holds the network port alone, not the processor too
    #[arg(long)]
    full_duplex: bool,
}

/// Six whole numbers between commas.
#[derive(Debug, Clone, Copy)]
struct Numbers([u64; 6]);

impl FromStr for Numbers {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Result<Vec<u64>, _> = text.split(',').map(|number| number.trim().parse()).collect();
        let numbers = numbers.ok().and_then(|numbers| numbers.try_into().ok());
        numbers
            .map(Numbers)
            .ok_or_else(|| "expected six whole numbers from 0 on, L,o,g,G,O,S".to_string())
    }
}

/// Units as nanoseconds, with as many decimals as they need, nine at most.
fn nanoseconds(units: u128, units_per_ns: u64) -> String {
    let units_per_ns = u128::from(units_per_ns);
    let fraction = units % units_per_ns * 1_000_000_000 / units_per_ns;
    let text = format!("{}.{fraction:09}", units / units_per_ns);
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

impl Args {
    /// Runs the subcommand.
    pub fn run(self) -> Result<(), Failure> {
        let file = self.schedule.display();
        let text = std::fs::read_to_string(&self.schedule).map_err(|e| Failure::Input(format!("{file}: {e}")))?;
        let schedule = Schedule::parse(&text).map_err(|e| Failure::Input(format!("{file}:{}: {}", e.line, e.what)))?;
        let [l, o, g, gap_per_byte, overhead_per_byte, eager_bytes] = self.loggops.0;
        let params = LogGops {
            l,
            o,
            g,
            gap_per_byte,
            overhead_per_byte,
            eager_bytes,
            units_per_ns: self.units_per_ns,
        };
        let reception = match self.full_duplex {
            true => Reception::FullDuplex,
            false => Reception::HoldsProcessor,
        };
        let finish = replay(&schedule, &params, reception).map_err(|e| Failure::Input(format!("{file}: {e}")))?;
        let mut table = "rank,finish_ns\n".to_string();
        for (rank, units) in finish.into_iter().enumerate() {
            let _ = writeln!(table, "{rank},{}", nanoseconds(units, self.units_per_ns));
        }
        say(&table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_the_decimals_that_they_need() {
        assert_eq!(nanoseconds(16_728_400, 1000), "16728.4");
        assert_eq!(nanoseconds(5, 1), "5");
        assert_eq!(nanoseconds(1, 3), "0.333333333");
        assert_eq!(nanoseconds(0, 1000), "0");
    }

    #[test]
    fn six_numbers_and_nothing_else() {
        assert_eq!("1, 2,3,4,5,6".parse::<Numbers>().expect("six").0, [1, 2, 3, 4, 5, 6]);
        for text in ["", "1,2,3,4,5", "1,2,3,4,5,6,7", "1,2,3,4,5,-6", "1,2,3,4,5,6.5"] {
            text.parse::<Numbers>().expect_err(text);
        }
    }
}
