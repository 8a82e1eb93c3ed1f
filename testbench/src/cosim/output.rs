//! The row-by-row file of `cosim --out`: windows in bytes, decimal; a cell is empty where a model has nothing to show.

use super::{Cosim, Seen, Source};
use std::io::{self, Write};

/// Column names of an HPCC trace.
pub const COLUMNS: &str = "t_ns,flow,golden_u,golden_w,fixed_u,fixed_w,rtl_u,rtl_w,branch";
/// Column names of a PowerTCP or theta-PowerTCP trace.
pub const POWER_COLUMNS: &str =
    "t_ns,flow,golden_power,golden_w,golden_rate_bps,golden_ref_bps,fixed_power,fixed_w,rtl_power,rtl_w";

/// Writes header and rows; `branch` is golden's.
pub fn write(cosim: &Cosim, out: &mut impl Write) -> io::Result<()> {
    let power = matches!(cosim.source, Source::Power(_));
    writeln!(out, "{}", if power { POWER_COLUMNS } else { COLUMNS })?;
    let models = ["golden", "fixed", "rtl"].map(|name| cosim.model(name));
    for (i, row) in cosim.rows.iter().enumerate() {
        write!(out, "{},{}", row.t_ns, row.flow)?;
        let seen: [Option<&Seen>; 3] = models.map(|model| model.and_then(|run| run.seen[i].as_ref()));
        for (model, seen) in seen.iter().enumerate() {
            match seen {
                Some(seen) => write!(out, ",{},{}", seen.u, seen.w)?,
                None => write!(out, ",,")?,
            }
            if power && model == 0 {
                match seen.and_then(|seen| seen.rates) {
                    Some((rate, reference)) => write!(out, ",{rate},{reference}")?,
                    None => write!(out, ",,")?,
                }
            }
        }
        if !power {
            let branch = seen[0].and_then(|seen| seen.branch);
            write!(out, ",{}", branch.map_or("ignored", |branch| branch.name()))?;
        }
        writeln!(out)?;
    }
    Ok(())
}
