//! Fig. 7: web search over loads, and with requests between racks over their rates and sizes.

use std::collections::BTreeMap;

use super::super::analysis::Analysis;
use super::super::load::queue_panel;
use super::super::series::queue_cdf;
use super::load::{tail, ENOUGH, LONG, SHORT};
use super::{slug, AS_PRINTED, POWER, THETA};
use crate::plan::{Finding, Run};
use crate::report::plot::{Figure, Line, Panel};
use hpcc_models::measure::{mean, SizeClass};

/// What is swept.
struct Axis {
    /// Where the value stands in the resolved scenario.
    path: &'static str,
    /// Its name in labels of runs.
    key: &'static str,
    /// The value as it is drawn, for one of the scenario.
    drawn: fn(f64) -> f64,
    /// Name of the axis.
    title: &'static str,
}

/// Load of the ToR uplinks in percent for one of the host links: 200 of 800 Gb/s leave a rack, and 224 of a host's 255 partners are elsewhere.
fn uplink_percent(load: f64) -> f64 {
    (load * 4.0 * 224.0 / 255.0 * 100.0).round()
}

const LOADS: Axis = Axis {
    path: "/traffic/0/load",
    key: "load",
    drawn: uplink_percent,
    title: "load of the ToR uplinks (%)",
};
const RATES: Axis = Axis {
    path: "/traffic/1/per_second",
    key: "per_second",
    drawn: |rate| rate,
    title: "requests a second and server",
};
const SIZES: Axis = Axis {
    path: "/traffic/1/bytes",
    key: "bytes",
    drawn: |bytes| bytes / 1e6,
    title: "size of a request (MB)",
};

/// Runs by law, each with its value, ascending.
type Swept<'a> = BTreeMap<String, Vec<(f64, &'a Run)>>;

fn swept<'a>(axis: &Axis, runs: &'a [Run]) -> Swept<'a> {
    let mut all = Swept::new();
    let key = format!(" {} ", axis.key);
    for run in runs {
        let law = run.label().split(&key).next().unwrap_or_default();
        let value = run.job.resolved.pointer(axis.path).and_then(serde_json::Value::as_f64);
        let drawn = (axis.drawn)(value.unwrap_or(f64::NAN));
        all.entry(law.to_string()).or_default().push((drawn, run));
    }
    all.values_mut()
        .for_each(|runs| runs.sort_by(|a, b| a.0.total_cmp(&b.0)));
    all
}

/// Values at which two laws are compared.
#[derive(Clone, Copy)]
enum At {
    /// One value.
    One(f64),
    /// All, and the mean of the differences counts.
    Mean,
}

/// A sentence of the paper: the 99.9th percentile of a class is so many percent lower (below 0: higher) than another law's.
struct Sentence {
    figure: &'static str,
    laws: [&'static str; 2],
    class: SizeClass,
    other: &'static str,
    at: At,
    percent: f64,
}

/// How much lower a law's 99.9th percentile is, percent, at each value; and the fewest flows that one rests on.
fn gains(swept: &Swept, law: &str, other: &str, class: SizeClass) -> (Vec<(f64, f64)>, usize) {
    let (Some(own), Some(theirs)) = (swept.get(law), swept.get(other)) else {
        return (Vec::new(), 0);
    };
    let mut fewest = usize::MAX;
    let pairs = own.iter().zip(theirs).map(|((x, a), (_, b))| {
        let ((a, n), (b, m)) = (tail(a, class, 99.9), tail(b, class, 99.9));
        fewest = fewest.min(n).min(m);
        (*x, (1.0 - a / b) * 100.0)
    });
    (pairs.collect(), fewest)
}

fn lower(percent: f64) -> String {
    format!(
        "{:.0} % {}",
        percent.abs(),
        if percent < 0.0 { "higher" } else { "lower" }
    )
}

fn finding(axis: &Axis, swept: &Swept, sentence: &Sentence, law: &str) -> Option<Finding> {
    let other = match sentence.other {
        "PowerTCP" if law.ends_with("authors") => POWER[1],
        other => other,
    };
    let (mut gains, _) = gains(swept, law, other, sentence.class);
    if let At::One(at) = sentence.at {
        gains.retain(|(x, _)| *x == at);
    }
    let counted = |x: f64| {
        let run = swept[law].iter().find(|(own, _)| *own == x)?;
        Some(tail(run.1, sentence.class, 99.9).1)
    };
    gains.first()?;
    let fewest = gains.iter().filter_map(|(x, _)| counted(*x)).min().unwrap_or(0);
    let ours = mean(&gains.iter().map(|g| g.1).collect::<Vec<_>>());
    let list: Vec<String> = gains.iter().map(|(x, g)| format!("{} at {x}", lower(*g))).collect();
    let at = match sentence.at {
        At::One(x) => format!("at {x}"),
        At::Mean => "on average".into(),
    };
    let text = match sentence.at {
        At::One(_) => list.join(", "),
        At::Mean => format!("{} on average: {}", lower(ours), list.join(", ")),
    };
    let text = format!("{text} ({}; at least {fewest} flows each)", axis.title);
    let paper = format!(
        "Fig. {}: {}: {} than with {other} {at}",
        sentence.figure,
        sentence.class.name,
        lower(sentence.percent)
    );
    let name = slug(&format!(
        "{}_{law}_{}_{at}",
        sentence.figure,
        sentence.class.name.trim_start_matches(['<', '>'])
    ));
    if fewest < ENOUGH {
        let text = format!("{text}; fewer than {ENOUGH} flows, no verdict");
        return Some(Finding::note(&name, &paper, text));
    }
    let wanted = sentence.percent;
    let same_sign = ours * wanted > 0.0;
    let holds = same_sign && (wanted.abs() / 2.0..=wanted.abs() * 2.0).contains(&ours.abs());
    let printed = !law.ends_with("authors");
    let reason = if printed && !same_sign { AS_PRINTED } else { EVERYWHERE };
    let known = same_sign || ours.abs() <= if printed { 150.0 } else { 30.0 };
    Some(
        Finding::new(&name, &paper, text, holds)
            .within("the same direction, within a factor of two")
            .known_difference(known, reason),
    )
}

/// Why the differences between laws are not the paper's.
const EVERYWHERE: &str = "the released driver loads 64 of the 256 servers, most of it within two racks, so that its queues stand at servers; here all \
                          servers take part, and the load is truly that of the uplinks";

/// What the switches of the racks held, as distributions, with the paper's sentence on their tails.
fn buffers(figure: &'static str, at: f64, swept: &Swept, percent: f64, p: f64, laws: &[&str]) -> (Panel, Vec<Finding>) {
    let run = |law: &str| swept.get(law)?.iter().find(|(x, _)| *x == at).map(|(_, run)| *run);
    let lines = swept.keys().filter_map(|law| Some((law, run(law)?)));
    let panel = queue_panel(
        &format!("Fig. {figure}: bytes that a switch of a rack holds"),
        lines
            .map(|(law, run)| queue_cdf(law, &run.outcome.samples.racks))
            .collect(),
    );
    let held = |law: &str| Some(run(law)?.outcome.samples.racks.percentile(p) as f64 / 1e3);
    let mut findings = Vec::new();
    for law in laws {
        let (Some(own), Some(hpcc)) = (held(law), held("HPCC")) else {
            continue;
        };
        let ours = (1.0 - own / hpcc) * 100.0;
        let printed = !law.ends_with("authors");
        let known = ours > if printed { -150.0 } else { -30.0 };
        let holds = ours > 0.0 && (percent / 2.0..=percent * 2.0).contains(&ours);
        findings.push(
            Finding::new(
                &slug(&format!("{figure}_{law}_buffer")),
                &format!(
                    "Fig. {figure}: the tail of the buffer is {} than with HPCC",
                    lower(percent)
                ),
                format!(
                    "{p} % of samples are below {own:.0} KB, below {hpcc:.0} KB with HPCC: {}",
                    lower(ours)
                ),
                holds,
            )
            .within("lower, within a factor of two")
            .known_difference(known, if printed { AS_PRINTED } else { EVERYWHERE }),
        );
    }
    (panel, findings)
}

fn panels(axis: &Axis, swept: &Swept) -> Vec<Panel> {
    let panel = |title: &str, class: SizeClass| Panel {
        title: title.into(),
        x: axis.title.into(),
        y: "99.9th-percentile slowdown".into(),
        log_y: true,
        lines: swept
            .iter()
            .map(|(law, runs)| Line {
                marks: true,
                ..Line::new(
                    law.clone(),
                    runs.iter().map(|(x, run)| (*x, tail(run, class, 99.9).0)).collect(),
                )
            })
            .collect(),
        ..Panel::default()
    };
    vec![
        panel("short flows, below 10 KB", SHORT),
        panel("long flows, above 1 MB", LONG),
    ]
}

fn all(axis: &Axis, swept: &Swept, sentences: &[Sentence], buffer: (Panel, Vec<Finding>)) -> Analysis {
    let mut findings = Vec::new();
    for sentence in sentences {
        findings.extend(
            sentence
                .laws
                .iter()
                .filter_map(|law| finding(axis, swept, sentence, law)),
        );
    }
    findings.extend(buffer.1);
    let mut panels = panels(axis, swept);
    panels.extend(Some(buffer.0).filter(|p| !p.lines.is_empty()));
    Analysis {
        figures: vec![Figure {
            panels,
            ..Figure::default()
        }],
        findings,
        ..Analysis::default()
    }
}

/// Fig. 7a, 7b and 7g: loads of 20 to 95 %.
pub fn loads(runs: &[Run]) -> Analysis {
    let swept = swept(&LOADS, runs);
    let sentence = |figure, laws, class, other, at, percent| Sentence {
        figure,
        laws,
        class,
        other,
        at,
        percent,
    };
    let highest = At::One(95.0);
    let sentences = [
        sentence("7a", POWER, SHORT, "HPCC", highest, 36.0),
        sentence("7a", THETA, SHORT, "HPCC", highest, 55.0),
        sentence("7b", POWER, LONG, "HPCC", highest, 9.0),
        sentence("7b", THETA, LONG, "HPCC", At::Mean, -35.0),
    ];
    let buffer = buffers("7g", 80.0, &swept, 50.0, 99.0, &POWER);
    all(&LOADS, &swept, &sentences, buffer)
}

/// Fig. 7c, 7d and 7h: web search at 80 %, requests of 2 MB at 1 to 16 a second.
pub fn rates(runs: &[Run]) -> Analysis {
    let swept = swept(&RATES, runs);
    let sentence = |figure, laws, class, at, percent| Sentence {
        figure,
        laws,
        class,
        other: "HPCC",
        at,
        percent,
    };
    let sentences = [
        sentence("7c", POWER, SHORT, At::Mean, 24.0),
        sentence("7c", POWER, SHORT, At::One(16.0), 33.0),
        sentence("7d", POWER, LONG, At::Mean, 10.0),
    ];
    let buffer = buffers(
        "7h",
        16.0,
        &swept,
        31.0,
        99.0,
        &[POWER[0], POWER[1], THETA[0], THETA[1]],
    );
    all(&RATES, &swept, &sentences, buffer)
}

/// Fig. 7e and 7f: web search at 80 %, four requests a second of 1 to 8 MB.
pub fn sizes(runs: &[Run]) -> Analysis {
    let swept = swept(&SIZES, runs);
    let sentence = |figure, laws, class, at, percent| Sentence {
        figure,
        laws,
        class,
        other: "HPCC",
        at,
        percent,
    };
    let sentences = [
        sentence("7e", POWER, SHORT, At::One(1.0), 20.0),
        sentence("7e", POWER, SHORT, At::One(8.0), 7.0),
        sentence("7f", POWER, LONG, At::Mean, 5.0),
        sentence("7e", THETA, SHORT, At::Mean, 9.0),
        sentence("7f", THETA, LONG, At::Mean, -30.0),
    ];
    all(&SIZES, &swept, &sentences, Default::default())
}
