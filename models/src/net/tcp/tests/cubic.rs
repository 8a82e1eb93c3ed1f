//! RFC 9438.

use super::super::law::{Cut, Law, Window};
use super::*;

fn window(cwnd: u64, ms: u64) -> Window {
    Window {
        cwnd: cwnd * MSS,
        ssthresh: 2 * MSS,
        mss: MSS,
        now: ms * MS,
        srtt: MS,
        ..Window::default()
    }
}

fn law(friendly: bool) -> Law {
    let mut config = TcpConfig::rfc(TcpLaw::Cubic);
    config.cubic.friendly = friendly;
    Law::new(&config, 0)
}

/// Grows for `ms` milliseconds, a round trip of 1 ms each, from `w`.
fn grow(law: &mut Law, w: &mut Window, ms: u64) {
    for _ in 0..ms {
        w.now += MS;
        let mut left = w.cwnd;
        while left > 0 {
            let bytes = left.min(2 * MSS);
            law.grow(w, 2, bytes, true);
            left -= bytes;
        }
    }
}

/// The threshold is 0.7 of the flight, two segments at least.
#[test]
fn rfc9438_section_4_6_multiplicative_decrease() {
    assert_eq!(law(true).threshold(&window(100, 0), 100 * MSS, Cut::Loss), 70 * MSS);
    assert_eq!(law(true).threshold(&window(2, 0), 2 * MSS, Cut::Loss), 2 * MSS);
}

/// After a cut from 1000 segments the window is back at 1000 after K = cbrt(1000 x 0.3 / 0.4) = 9.09 s, flat there.
#[test]
fn rfc9438_section_4_2_concave_up_to_w_max_after_k() {
    let mut law = law(false);
    law.threshold(&window(1000, 0), 1000 * MSS, Cut::Loss);
    let mut w = window(700, 0);
    grow(&mut law, &mut w, 4543);
    // Half way to K: 1000 - 0.4 x 4.543^3.
    let half = w.cwnd as f64 / MSS as f64;
    assert!((half - 962.5).abs() < 1.5, "{half}");
    grow(&mut law, &mut w, 4543);
    let end = w.cwnd as f64 / MSS as f64;
    assert!((end - 1000.0).abs() < 1.5, "{end}");
}

/// Beyond W_max it is convex: one K later 300 segments above it.
#[test]
fn rfc9438_section_4_5_convex_beyond_w_max() {
    let mut law = law(false);
    law.threshold(&window(100, 0), 100 * MSS, Cut::Loss);
    let mut w = window(70, 0);
    // K = cbrt(30 / 0.4) = 4.217 s.
    grow(&mut law, &mut w, 8434);
    let end = w.cwnd as f64 / MSS as f64;
    assert!((end - 130.0).abs() < 1.5, "{end}");
}

/// At a short round trip Reno's rate rules: 3 (1 - 0.7)/(1 + 0.7) = 0.529 segments a round trip.
#[test]
fn rfc9438_section_4_3_reno_friendly() {
    let mut law = law(true);
    law.threshold(&window(1000, 0), 1000 * MSS, Cut::Loss);
    let mut w = window(700, 0);
    grow(&mut law, &mut w, 100);
    let grown = w.cwnd as f64 / MSS as f64 - 700.0;
    assert!((grown - 52.9).abs() < 1.0, "{grown}");
}

/// A cut below the last W_max remembers less: 0.85 of the window, which shows in when the plateau comes.
#[test]
fn rfc9438_section_4_7_fast_convergence() {
    let mut law = law(false);
    law.threshold(&window(1000, 0), 1000 * MSS, Cut::Loss);
    law.threshold(&window(800, 0), 800 * MSS, Cut::Loss);
    // W_max = 680, from 560: K = cbrt(120 / 0.4) = 6.694 s.
    let mut w = window(560, 0);
    grow(&mut law, &mut w, 6694);
    let end = w.cwnd as f64 / MSS as f64;
    assert!((end - 680.0).abs() < 1.5, "{end}");
}

/// In one round trip the window grows by half at most.
#[test]
fn rfc9438_section_4_4_half_as_much_again_at_most() {
    let mut law = law(false);
    law.threshold(&window(10, 0), 10 * MSS, Cut::Loss);
    let mut w = window(7, 0);
    law.grow(&mut w, 1, MSS, true);
    w.now = 60_000 * MS;
    let before = w.cwnd;
    let segments = before / MSS;
    (0..segments).for_each(|_| law.grow(&mut w, 1, MSS, true));
    assert!(w.cwnd <= before * 165 / 100, "{} {}", before, w.cwnd);
}

/// After a timeout: window one segment, threshold 0.7 of the flight, and slow start up to it.
#[test]
fn rfc9438_section_4_8_timeout() {
    let mut bench = Bench::rfc(TcpLaw::Cubic, 1000);
    bench.sender.timeout(&bench.config, 10 * MS);
    assert_eq!((bench.cwnd(), bench.sender.ssthresh()), (1.0, 7 * MSS));
}

/// ns-3's integers: cut in whole segments, slow start by all segments acknowledged.
#[test]
fn ns3_cubic_in_whole_segments() {
    let mut bench = Bench::new(TcpConfig::ns3(TcpLaw::Cubic), 1000);
    bench.ack(5);
    assert_eq!(bench.cwnd(), 15.0);
    let mut law = Law::new(&bench.config, 0);
    assert_eq!(law.threshold(&window(15, 0), 0, Cut::Loss), 10 * MSS);
}
