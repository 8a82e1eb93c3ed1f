//! The row-by-row file of `cosim --out`: windows in bytes, decimal; a cell is empty where a model has nothing to show.

use super::{Cosim, Seen};
use std::io::{self, Write};

/// Column names.
pub const COLUMNS: &str = "t_ns,flow,golden_u,golden_w,fixed_u,fixed_w,rtl_u,rtl_w,branch";

/// Writes header and rows; `branch` is golden's.
pub fn write(cosim: &Cosim, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{COLUMNS}")?;
    let models = ["golden", "fixed", "rtl"].map(|name| cosim.model(name));
    for (i, row) in cosim.trace.rows.iter().enumerate() {
        write!(out, "{},{}", row.t_ns, row.flow)?;
        let seen: [Option<&Seen>; 3] = models.map(|model| model.and_then(|run| run.seen[i].as_ref()));
        for seen in seen {
            match seen {
                Some(seen) => write!(out, ",{},{}", seen.u, seen.w)?,
                None => write!(out, ",,")?,
            }
        }
        let branch = seen[0]
            .and_then(|seen| seen.branch)
            .map_or("ignored", |branch| branch.name());
        writeln!(out, ",{branch}")?;
    }
    Ok(())
}
