//! RFC 5681 (slow start, congestion avoidance, fast retransmit), RFC 3465 (byte counting), RFC 6582 (NewReno), RFC 6928, RFC 3042.

use super::*;

fn without_sack(segments: u64) -> Bench {
    let mut config = TcpConfig::rfc(TcpLaw::NewReno);
    config.sack = false;
    Bench::new(config, segments)
}

/// Ten segments leave at once, and no eleventh.
#[test]
fn rfc6928_section_2_initial_window_of_ten() {
    let bench = Bench::rfc(TcpLaw::NewReno, 100);
    assert_eq!(Bench::numbers(&bench.sent), (0..10).collect::<Vec<_>>());
}

/// An acknowledgement of two segments opens the window by two: limit L = 2 SMSS; one of five by two as well.
#[test]
fn rfc3465_section_2_3_slow_start_counts_bytes_up_to_two_segments() {
    let mut bench = Bench::rfc(TcpLaw::NewReno, 1000);
    bench.ack(2);
    assert_eq!(bench.cwnd(), 12.0);
    bench.ack(3);
    assert_eq!(bench.cwnd(), 13.0);
    bench.ack(8);
    assert_eq!(bench.cwnd(), 15.0);
}

/// At the threshold and above, a whole window acknowledged opens it by one segment.
#[test]
fn rfc5681_section_3_1_congestion_avoidance_one_segment_a_window() {
    let mut config = TcpConfig::rfc(TcpLaw::NewReno);
    config.initial_ssthresh = 10 * MSS;
    let mut bench = Bench::new(config, 1000);
    (1..=9).for_each(|n| drop(bench.ack(n)));
    assert_eq!(bench.cwnd(), 10.0);
    bench.ack(10);
    assert_eq!(bench.cwnd(), 11.0);
    (11..=20).for_each(|n| drop(bench.ack(n)));
    assert_eq!(bench.cwnd(), 11.0);
    bench.ack(21);
    assert_eq!(bench.cwnd(), 12.0);
}

/// A sender with nothing more to send does not open its window (RFC 5681, 4.1 asks for care; RFC 9438, 4.2.1 of its kind for Cubic).
#[test]
fn rfc5681_section_4_1_no_growth_without_need() {
    let mut bench = Bench::rfc(TcpLaw::NewReno, 8);
    (1..=8).for_each(|n| drop(bench.ack(n)));
    assert_eq!(bench.cwnd(), 10.0);
}

/// Two duplicates let two new segments go; the third repeats the missing one; the threshold is half of what was in flight.
#[test]
fn rfc3042_and_rfc5681_section_3_2_limited_transmit_then_fast_retransmit() {
    let mut bench = without_sack(1000);
    bench.ack(2);
    assert_eq!(bench.cwnd(), 12.0);
    assert_eq!(Bench::numbers(&bench.ack(2)), [14]);
    assert_eq!(Bench::numbers(&bench.ack(2)), [15]);
    let third = bench.ack(2);
    assert_eq!(third[0].seq, 2 * MSS);
    assert!(third[0].again);
    assert_eq!(bench.sender.state(), State::Recovery);
    // FlightSize is 2 to 15: fourteen segments.
    assert_eq!(bench.ssthresh(), 7.0);
}

/// The window is inflated by three segments at the start and by one for each further duplicate: new data leaves when it exceeds the flight.
#[test]
fn rfc5681_section_3_2_steps_3_and_4_inflation() {
    let mut bench = without_sack(1000);
    bench.ack(2);
    (0..3).for_each(|_| drop(bench.ack(2)));
    assert_eq!((bench.cwnd(), bench.sender.inflation / MSS), (7.0, 3));
    // Flight 14, window 7 + 3: four more duplicates fill it, the fifth sends.
    for _ in 0..4 {
        assert!(bench.ack(2).is_empty());
    }
    assert_eq!(Bench::numbers(&bench.ack(2)), [16]);
}

/// A partial acknowledgement repeats the next missing segment and deflates the window by what it acknowledges, less one segment.
#[test]
fn rfc6582_section_3_2_step_3_partial_acknowledgement() {
    let mut bench = without_sack(1000);
    bench.ack(2);
    (0..7).for_each(|_| drop(bench.ack(2)));
    assert_eq!(bench.sender.inflation, 7 * MSS);
    let sent = bench.ack(6);
    assert_eq!((sent[0].seq, sent[0].again), (6 * MSS, true));
    assert_eq!(bench.sender.inflation, 4 * MSS);
    assert_eq!(bench.sender.state(), State::Recovery);
}

/// The first partial acknowledgement restarts the retransmission timer, the second does not.
#[test]
fn rfc6582_section_4_timer_only_for_the_first_partial_acknowledgement() {
    let mut bench = without_sack(1000);
    bench.ack(2);
    (0..3).for_each(|_| drop(bench.ack(2)));
    bench.now = 2 * MS;
    bench.ack(4);
    let first = bench.sender.rto_at;
    assert_eq!(first, Some(2 * MS + bench.sender.rto_ps()));
    bench.now = 3 * MS;
    bench.ack(5);
    assert_eq!(bench.sender.rto_at, first);
}

/// An acknowledgement of everything that was sent before the loss ends the recovery with the window at the threshold.
#[test]
fn rfc6582_section_3_2_step_3_full_acknowledgement() {
    let mut bench = without_sack(1000);
    bench.ack(2);
    (0..3).for_each(|_| drop(bench.ack(2)));
    bench.ack(16);
    assert_eq!((bench.sender.state(), bench.cwnd()), (State::Open, 7.0));
    assert_eq!(bench.sender.inflation, 0);
}

/// A timeout ends the inflation of fast recovery to the byte: the window is one segment, and the last byte of the stream has to wait.
#[test]
fn rfc5681_section_3_1_timeout_ends_the_inflation() {
    let mut bench = without_sack(1);
    bench.sender.write(&bench.config, 0, 1);
    let last = bench.collect();
    assert_eq!((last[0].seq, last[0].len), (MSS, 1));
    bench.sender.timeout(&bench.config, 10 * MS);
    let again = bench.collect();
    assert_eq!((Bench::numbers(&again), bench.cwnd()), (vec![0], 1.0));
}

/// Duplicates of data sent before the last recovery ended do not cut the window again.
#[test]
fn rfc6582_section_3_2_step_1_no_second_cut_for_one_window() {
    let mut bench = without_sack(1000);
    bench.ack(2);
    bench.sender.timeout(&bench.config, 20 * MS);
    bench.collect();
    let threshold = bench.ssthresh();
    bench.ack(3);
    (0..5).for_each(|_| drop(bench.ack(3)));
    assert_eq!(bench.ssthresh(), threshold);
    assert_eq!(bench.sender.state(), State::Loss);
}

/// The threshold is never below two segments.
#[test]
fn rfc5681_equation_4_threshold_of_two_segments_at_least() {
    let mut config = TcpConfig::rfc(TcpLaw::NewReno);
    config.initial_window = 1;
    let mut bench = Bench::new(config, 10);
    bench.sender.timeout(&bench.config, 20 * MS);
    assert_eq!((bench.ssthresh(), bench.cwnd()), (2.0, 1.0));
}

/// ns-3: one segment for each acknowledgement in slow start, SMSS^2/cwnd after it, whatever it acknowledges.
#[test]
fn ns3_newreno_counts_acknowledgements() {
    let mut config = TcpConfig::ns3(TcpLaw::NewReno);
    config.initial_ssthresh = 12 * MSS;
    let mut bench = Bench::new(config, 1000);
    bench.ack(2);
    bench.ack(4);
    assert_eq!(bench.cwnd(), 12.0 + (1448 / 12) as f64 / 1448.0);
    bench.ack(6);
    assert_eq!(bench.sender.cwnd(), 12 * MSS + 120 + MSS * MSS / (12 * MSS + 120));
}

/// Linux's Reno stops slow start at the threshold and counts whole segments after it.
#[test]
fn linuxreno_counts_segments() {
    let mut config = TcpConfig::rfc(TcpLaw::LinuxReno);
    config.initial_ssthresh = 11 * MSS;
    let mut bench = Bench::new(config, 1000);
    bench.ack(2);
    assert_eq!(bench.cwnd(), 11.0);
    bench.ack(12);
    assert_eq!(bench.cwnd(), 11.0);
    bench.ack(13);
    assert_eq!(bench.cwnd(), 12.0);
}

/// Windows grow while they are what holds the sender back, and not while the application is (RFC 7661, 4.3; RFC 8312, 5.8): four segments of
/// ten are acknowledged without growth; of thirty more ten leave, and their acknowledgements count.
#[test]
fn no_growth_while_the_application_is_slow() {
    for law in [TcpLaw::NewReno, TcpLaw::LinuxReno, TcpLaw::Cubic, TcpLaw::Dctcp] {
        let mut bench = Bench::rfc(law, 4);
        let first = bench.cwnd();
        assert_eq!((first, bench.sent.len()), (10.0, 4), "{law:?}");
        for segment in 1..=4 {
            bench.now += MS;
            bench.ack(segment);
            assert_eq!(bench.cwnd(), first, "{law:?}: segment {segment}");
        }
        bench.sender.write(&bench.config, bench.now, 34 * MSS);
        bench.collect();
        assert_eq!(bench.sent.len(), 14, "{law:?}");
        bench.now += MS;
        bench.ack(6);
        assert!(bench.cwnd() >= first + 1.0, "{law:?}: {}", bench.cwnd());
    }
}
