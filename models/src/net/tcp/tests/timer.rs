//! RFC 6298: round-trip time and the retransmission timer.

use super::*;

fn estimator(samples: &[u64]) -> RttEstimator {
    let mut rtt = RttEstimator::default();
    samples.iter().for_each(|&s| rtt.sample(s));
    rtt
}

fn config(min_ms: u64) -> TcpConfig {
    TcpConfig {
        min_rto_ps: min_ms * MS,
        ..TcpConfig::rfc(TcpLaw::NewReno)
    }
}

#[test]
fn rfc6298_section_2_1_one_second_before_the_first_sample() {
    assert_eq!(estimator(&[]).rto(&config(0)), 1000 * MS);
}

#[test]
fn rfc6298_section_2_2_first_sample() {
    let rtt = estimator(&[100 * MS]);
    assert_eq!((rtt.srtt as u64, rtt.variation as u64), (100 * MS, 50 * MS));
    assert_eq!(rtt.rto(&config(0)), 300 * MS);
}

#[test]
fn rfc6298_section_2_3_further_samples() {
    let rtt = estimator(&[100 * MS, 200 * MS]);
    // RTTVAR = 3/4 x 50 + 1/4 x |100 - 200|; SRTT = 7/8 x 100 + 1/8 x 200.
    assert_eq!(rtt.variation as u64, 62 * MS + MS / 2);
    assert_eq!(rtt.srtt as u64, 112 * MS + MS / 2);
}

#[test]
fn rfc6298_section_2_4_and_2_5_bounds() {
    assert_eq!(estimator(&[MS]).rto(&config(10)), 10 * MS);
    assert_eq!(estimator(&[100_000 * MS]).rto(&config(10)), 60_000 * MS);
}

/// A segment that was sent twice gives no sample.
#[test]
fn rfc6298_section_3_karn() {
    let mut no_stamps = TcpConfig::rfc(TcpLaw::NewReno);
    no_stamps.timestamps = false;
    let mut bench = Bench::new(no_stamps, 1000);
    let samples = bench.sender.rtt().samples;
    bench.sender.timeout(&bench.config, 20 * MS);
    bench.now = 21 * MS;
    bench.ack(1);
    assert_eq!(bench.sender.rtt().samples, samples);
}

/// Without timestamps a sample is of the oldest segment that an acknowledgement covers and none before did. Ten segments leave at 0 ms, and two more at 1 ms,
/// when the first is acknowledged: the samples are 1 ms, 2 ms (of the second segment) and again 2 ms (of the eleventh), each weighed with an eighth
/// (RFC 6298, 2.3).
#[test]
fn rfc6298_section_2_samples_without_timestamps() {
    let mut no_stamps = TcpConfig::rfc(TcpLaw::NewReno);
    no_stamps.timestamps = false;
    let mut bench = Bench::new(no_stamps, 1000);
    let mut expected = bench.sender.rtt().srtt;
    for (at, segments, sample) in [(1, 1, 1), (2, 10, 2), (3, 11, 2)] {
        bench.now = at * MS;
        bench.ack(segments);
        expected += (sample * MS as i64 - expected) / 8;
        assert_eq!(bench.sender.rtt().srtt, expected, "at {at} ms");
    }
}

/// The timer runs while anything is outstanding, restarts with new data acknowledged, and stops when all is.
#[test]
fn rfc6298_section_5_1_to_5_3_start_restart_stop() {
    let mut bench = Bench::rfc(TcpLaw::NewReno, 10);
    assert_eq!(bench.sender.rto_at, Some(bench.sender.rto_ps()));
    bench.now = MS;
    bench.ack(5);
    assert_eq!(bench.sender.rto_at, Some(MS + bench.sender.rto_ps()));
    bench.ack(10);
    assert_eq!(bench.sender.rto_at, None);
}

/// It repeats the oldest segment with a window of one, and waits twice as long; the backoff stays until a new sample.
#[test]
fn rfc6298_section_5_4_to_5_7_backoff() {
    let mut bench = Bench::rfc(TcpLaw::NewReno, 1000);
    bench.sender.timeout(&bench.config, 10 * MS);
    let sent = bench.collect();
    assert_eq!((Bench::numbers(&sent), bench.cwnd()), (vec![0], 1.0));
    assert_eq!(bench.sender.rto_ps(), 20 * MS);
    bench.sender.timeout(&bench.config, 30 * MS);
    assert_eq!(bench.sender.rto_ps(), 40 * MS);
    // New data acknowledged, but by segments sent twice: no sample, no end of the backoff.
    bench.now = 31 * MS;
    bench.ack(1);
    assert_eq!(bench.sender.rto_ps(), 40 * MS);
}

/// A timeout of a segment that the timer has repeated already leaves the threshold as it is.
#[test]
fn rfc5681_section_3_1_threshold_is_cut_once_for_one_segment() {
    let mut bench = Bench::rfc(TcpLaw::NewReno, 1000);
    bench.sender.timeout(&bench.config, 10 * MS);
    assert_eq!(bench.ssthresh(), 5.0);
    bench.sender.timeout(&bench.config, 30 * MS);
    assert_eq!(bench.ssthresh(), 5.0);
}

/// ns-3 counts milliseconds: what takes less than one is 1 us, and RTO forgets its backoff with any new data acknowledged.
#[test]
fn ns3_clock_of_a_millisecond() {
    let clock = Clocking::Milliseconds;
    assert_eq!(clock.elapsed(400_000_000, clock.stamp(100)), 1_000_000);
    assert_eq!(clock.elapsed(MS, clock.stamp(MS - 1)), MS);
    let mut bench = Bench::new(TcpConfig::ns3(TcpLaw::NewReno), 1000);
    bench.sender.timeout(&bench.config, 10 * MS);
    assert_eq!(bench.sender.rto_ps(), 20 * MS);
    bench.now = 11 * MS;
    bench.ack(1);
    assert_eq!(bench.sender.rto_ps(), 10 * MS);
}
