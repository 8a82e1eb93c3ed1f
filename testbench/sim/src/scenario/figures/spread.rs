//! Many lines as three: what the largest, the median and the least of them are at each time.

use crate::plot::Line;

/// Lines that are drawn one by one; more than that nobody tells apart.
pub const FEW: usize = 7;
/// Points of a line that is drawn in place of many: a figure shows no more.
const POINTS: usize = 600;

/// The value of a line whose points hold until the next one; `None` before its first and after its last.
fn value(points: &[(f64, f64)], at: f64) -> Option<f64> {
    let (last, _) = *points.last()?;
    let behind = points.partition_point(|(t, _)| *t <= at);
    (behind > 0 && at <= last).then(|| points[behind - 1].1)
}

/// The lines themselves if they are few, else the largest, the median and the least of those that exist at each time.
pub fn spread(lines: Vec<Line>) -> Vec<Line> {
    if lines.len() <= FEW {
        return lines;
    }
    let mut times: Vec<f64> = lines
        .iter()
        .flat_map(|line| line.points.iter().map(|(t, _)| *t))
        .collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    let every = times.len().div_ceil(POINTS).max(1);
    let mut three = [("largest", vec![]), ("median", vec![]), ("least", vec![])];
    for at in times.into_iter().step_by(every) {
        let mut values: Vec<f64> = lines.iter().filter_map(|line| value(&line.points, at)).collect();
        values.sort_by(f64::total_cmp);
        let (Some(least), Some(largest)) = (values.first(), values.last()) else {
            continue;
        };
        for ((_, points), value) in three.iter_mut().zip([*largest, values[values.len() / 2], *least]) {
            points.push((at, value));
        }
    }
    let line = |(label, points)| Line {
        step: true,
        ..Line::new(label, points)
    };
    three.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_lines_stay_as_they_are() {
        let lines = vec![Line::new("a", vec![(0.0, 1.0)]); FEW];
        assert_eq!(spread(lines).len(), FEW);
    }

    /// Nine lines that hold 1 to 9; the last one begins at 5 and the first one ends there.
    #[test]
    fn many_lines_become_three() {
        let points = |n: usize| match n {
            1 => vec![(0.0, 1.0), (5.0, 1.0)],
            9 => vec![(5.0, 9.0), (10.0, 9.0)],
            n => vec![(0.0, n as f64), (10.0, n as f64)],
        };
        let three = spread((1..=9).map(|n| Line::new(n.to_string(), points(n))).collect());
        let shown: Vec<_> = three.iter().map(|line| (&*line.label, &line.points[..])).collect();
        let expected: [(&str, &[(f64, f64)]); 3] = [
            ("largest", &[(0.0, 8.0), (5.0, 9.0), (10.0, 9.0)]),
            ("median", &[(0.0, 5.0), (5.0, 5.0), (10.0, 6.0)]),
            ("least", &[(0.0, 1.0), (5.0, 1.0), (10.0, 2.0)]),
        ];
        assert_eq!(shown, expected);
    }
}
