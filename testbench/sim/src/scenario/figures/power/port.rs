//! What a port of a switch sent and held over a run, from its meters and samples.

use crate::plan::Run;
use crate::plot::Line;

/// The switch port whose link leads to `host`: node, and interface from 1.
pub fn port_to(run: &Run, host: u32) -> Option<(u32, u32)> {
    let links = &run.job.topology.links;
    let own = links.iter().position(|l| l.a == host || l.b == host)?;
    let switch = links[own].a + links[own].b - host;
    let interface = links[..=own].iter().filter(|l| l.a == switch || l.b == switch).count();
    Some((switch, interface as u32))
}

/// What a port sent, Gb/s of wire bytes, one point for each interval of the meters at its end (us); idle intervals are 0.
pub fn throughput(run: &Run, port: (u32, u32)) -> Line {
    let every = run.job.plan.meter_ps.max(1);
    let mut points: Vec<(f64, f64)> = (1..=run.outcome.now_ps / every)
        .map(|i| (i as f64 * every as f64 / 1e6, 0.0))
        .collect();
    for m in &run.outcome.samples.port_meters {
        let index = (m.t_ps / every) as usize;
        if (m.node, m.interface) == port
            && (m.t_ps - run.job.plan.start_ps).is_multiple_of(every)
            && (1..=points.len()).contains(&index)
        {
            points[index - 1].1 = m.wire_bytes as f64 * 8e3 / every as f64;
        }
    }
    Line::new(run.label(), points)
}

/// Mean of a series of intervals over those that end within a span, us.
pub fn mean_within(line: &Line, from: f64, to: f64) -> f64 {
    let inside: Vec<f64> = line
        .points
        .iter()
        .filter(|p| p.0 > from && p.0 <= to)
        .map(|p| p.1)
        .collect();
    hpcc_models::measure::mean(&inside)
}

/// The lowest mean of `width` us within a span, us, in steps of one interval.
pub fn lowest_within(line: &Line, from: f64, to: f64, width: f64) -> f64 {
    let starts = line
        .points
        .iter()
        .map(|p| p.0)
        .filter(|&t| t >= from && t + width <= to);
    starts.map(|t| mean_within(line, t, t + width)).fold(f64::MAX, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_and_the_deepest_dip() {
        let line = Line::new(
            "",
            (1..=10)
                .map(|i| (f64::from(i), if i == 4 { 0.0 } else { 10.0 }))
                .collect(),
        );
        assert_eq!(mean_within(&line, 0.0, 10.0), 9.0);
        assert_eq!(lowest_within(&line, 0.0, 10.0, 2.0), 5.0);
        assert_eq!(lowest_within(&line, 4.0, 10.0, 2.0), 10.0);
    }
}
