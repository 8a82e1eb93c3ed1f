//! RFC 8257, section 3.3 to 3.5.

use super::*;

fn bench() -> Bench {
    let mut config = TcpConfig::rfc(TcpLaw::Dctcp);
    config.initial_ssthresh = 10 * MSS;
    Bench::new(config, 100_000)
}

/// Acknowledges the window in flight, two segments at a time, all marked or none; returns what is acknowledged then.
fn round(bench: &mut Bench, from: u64, marked: bool) -> u64 {
    let end = bench.sender.snd_max() / MSS;
    let mut at = from;
    while at < end {
        at = (at + 2).min(end);
        bench.now += MS / 100;
        bench.ack_with(at, &[], marked);
    }
    at
}

/// `alpha` starts at 1, so the first mark halves the window.
#[test]
fn rfc8257_section_3_3_alpha_starts_at_one() {
    let mut bench = bench();
    assert_eq!(bench.sender.alpha(), Some(1.0));
    bench.ack_with(2, &[], true);
    assert_eq!((bench.cwnd(), bench.sender.state()), (5.0, State::Cwr));
}

/// A window without marks takes a sixteenth off; a window all marked moves it a sixteenth of the way to 1.
#[test]
fn rfc8257_section_3_3_alpha_after_none_and_all_marked() {
    let mut b = bench();
    let mut at = round(&mut b, 0, false);
    assert!((b.sender.alpha().unwrap() - 15.0 / 16.0).abs() < 1e-12);
    at = round(&mut b, at, false);
    let before = b.sender.alpha().unwrap();
    assert!((before - 15.0 / 16.0 * 15.0 / 16.0).abs() < 1e-12);
    // The observation window may end within the round: take two rounds of marks.
    for _ in 0..2 {
        at = round(&mut b, at, true);
    }
    let after = b.sender.alpha().unwrap();
    let one = before * 15.0 / 16.0 + 1.0 / 16.0;
    assert!(after >= one - 1e-9 && after < 1.0, "{before} {after}");
}

/// One cut a window, however many marks.
#[test]
fn rfc8257_section_3_3_step_9_one_cut_a_window() {
    let mut bench = bench();
    bench.ack_with(2, &[], true);
    let window = bench.sender.cwnd();
    for n in [4, 6, 8, 10] {
        bench.ack_with(n, &[], true);
        assert_eq!(bench.sender.cwnd(), window);
    }
}

/// The cut answers the echo with CWR on the next new segment (RFC 3168, 6.1.2).
#[test]
fn rfc3168_section_6_1_2_cwr() {
    let mut bench = bench();
    bench.ack_with(2, &[], true);
    let mut answered = 0;
    for n in [4, 6, 8, 10] {
        answered += bench.ack_with(n, &[], false).iter().filter(|s| s.cwr).count();
    }
    assert!(answered <= 1);
}

/// Never below two segments on marks.
#[test]
fn rfc8257_section_3_3_two_segments_at_least() {
    let mut config = TcpConfig::rfc(TcpLaw::Dctcp);
    config.initial_window = 2;
    let mut bench = Bench::new(config, 1000);
    bench.ack_with(1, &[], true);
    assert_eq!(bench.cwnd(), 2.0);
}

/// On loss the window is halved as TCP does, whatever `alpha` is.
#[test]
fn rfc8257_section_3_5_loss_is_halved() {
    let mut b = bench();
    let mut at = 0;
    for _ in 0..20 {
        at = round(&mut b, at, false);
    }
    assert!(b.sender.alpha().unwrap() < 0.3);
    let flight = (b.sender.snd_max() - b.sender.snd_una()) / MSS;
    b.ack_with(at, &[(at + 1, at + 4)], false);
    assert!(
        (b.ssthresh() - (flight / 2) as f64).abs() <= 1.0,
        "{} {flight}",
        b.ssthresh()
    );
}
