//! Figure of eight RDMA programs that write to one, under two laws: rates and the queue, from tables that the daemon wrote.

use crate::tools::cache::workspace_dir;
use hpcc_sim::plot::{Figure, Line, Panel};

/// Tables of `hpcc-nic host --samples`, by law.
const TABLES: [(&str, &str); 2] = [("HPCC", "hpcc"), ("DCQCN", "dcqcn")];
/// Clients; the server is the first NIC.
const CLIENTS: usize = 8;
/// Rows of which one point of a rate is made.
const SMOOTH: usize = 5;
/// Rate of the server's link, Gb/s.
const LINK_GBPS: f64 = 100.0;

/// A row of a table: its end, ns, and for each NIC bytes sent and the most that waited for it.
struct Row {
    end_ns: f64,
    nics: Vec<(f64, f64)>,
}

/// The rows of a table; a line that is none is named.
fn rows(name: &str, text: &str) -> Result<Vec<Row>, String> {
    let row = |(line, text): (usize, &str)| {
        let numbers: Result<Vec<f64>, _> = text.split(',').map(str::parse).collect();
        match numbers.as_deref() {
            Ok([end_ns, nics @ ..]) if nics.len() == 2 * (CLIENTS + 1) => Ok(Row {
                end_ns: *end_ns,
                nics: nics.chunks(2).map(|nic| (nic[0], nic[1])).collect(),
            }),
            _ => Err(format!(
                "{name}:{}: expected {} numbers",
                line + 1,
                1 + 2 * (CLIENTS + 1)
            )),
        }
    };
    text.lines().enumerate().skip(1).map(row).collect()
}

/// Time since the first row, ms.
fn ms(rows: &[Row], row: &Row) -> f64 {
    (row.end_ns - rows[0].end_ns) / 1e6
}

/// Rate of each client over the time of several rows, Gb/s.
fn rates(rows: &[Row]) -> Vec<Line> {
    let line = |client: usize| {
        let points = rows.windows(SMOOTH + 1).step_by(SMOOTH).map(|part| {
            let bytes: f64 = part[1..].iter().map(|row| row.nics[client].0).sum();
            let last = &part[SMOOTH];
            (ms(rows, last), bytes * 8.0 / (last.end_ns - part[0].end_ns))
        });
        Line::new("", points.collect())
    };
    (1..=CLIENTS).map(line).collect()
}

/// The figure, from the tables in `data/programs`.
pub fn figure() -> Result<Figure, String> {
    let mut panels = Vec::new();
    let mut queues = Vec::new();
    for (law, file) in TABLES {
        let path = workspace_dir().join(format!("testbench/data/programs/{file}.csv"));
        let name = path.display().to_string();
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{name}: {error}"))?;
        let rows = rows(&name, &text)?;
        if rows.len() <= SMOOTH {
            return Err(format!("{name}: expected more than {SMOOTH} rows"));
        }
        panels.push(Panel {
            title: format!("{law}: rate of each of eight clients"),
            x: "time, ms".into(),
            y: "Gb/s on the wire".into(),
            y_max: Some(LINK_GBPS / 2.0),
            levels: vec![(LINK_GBPS / CLIENTS as f64, "an eighth of the link".into())],
            lines: rates(&rows),
            ..Panel::default()
        });
        let queue = rows
            .iter()
            .map(|row| (ms(&rows, row), row.nics[0].1 / 1e3))
            .filter(|point| point.1 > 0.0);
        queues.push(Line::new(law, queue.collect()));
    }
    panels.push(Panel {
        title: "Queue of the switch port to the server".into(),
        x: "time, ms".into(),
        y: "KB, most in 20 us".into(),
        log_y: true,
        lines: queues,
        ..Panel::default()
    });
    Ok(Figure {
        name: "programs".into(),
        title: "Eight ib_write_bw to one server, 100 Gb/s, one switch with INT and ECN".into(),
        panels,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_figure_is_what_the_tables_draw() {
        let committed = std::fs::read(workspace_dir().join("docs/src/figures/programs.png")).unwrap();
        let drawn = tempfile::Builder::new().suffix(".png").tempfile().unwrap();
        figure().unwrap().png(drawn.path()).unwrap();
        assert!(
            committed == std::fs::read(drawn.path()).unwrap(),
            "redraw it: hpcc-nic report --programs"
        );
    }

    #[test]
    fn a_line_that_is_no_row_is_named() {
        let error = rows("a.csv", "end_ns\n1,2,3\n").err();
        assert_eq!(error.as_deref(), Some("a.csv:2: expected 19 numbers"));
    }

    /// What the page says of the figure: in nine of ten intervals HPCC's queue is short, and in one of ten DCQCN's is long.
    #[test]
    fn the_tables_say_what_the_page_says() {
        let most_of_nine = |file: &str| {
            let path = workspace_dir().join(format!("testbench/data/programs/{file}.csv"));
            let rows = rows(file, &std::fs::read_to_string(path).unwrap()).unwrap();
            let mut queue: Vec<f64> = rows.iter().map(|row| row.nics[0].1).collect();
            queue.sort_by(f64::total_cmp);
            queue[queue.len() * 9 / 10]
        };
        let (hpcc, dcqcn) = (most_of_nine("hpcc"), most_of_nine("dcqcn"));
        assert!(hpcc < 20_000.0 && dcqcn > 1_000_000.0, "{hpcc} {dcqcn}");
    }
}
