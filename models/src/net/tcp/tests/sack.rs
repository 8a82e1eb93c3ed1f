//! RFC 6675: the scoreboard, what counts as lost, what is sent next, and the recovery that it steers.

use super::scoreboard::Scoreboard;
use super::*;

/// Segments 0 to 9 sent.
fn board() -> Scoreboard {
    let mut board = Scoreboard::new(Profile::Rfc);
    (0..10).for_each(|_| board.push(1448));
    board
}

fn update(board: &mut Scoreboard, blocks: &[(u64, u64)]) -> u64 {
    let blocks: Vec<(u64, u64)> = blocks.iter().map(|b| (b.0 * MSS, b.1 * MSS)).collect();
    board.update(&blocks) / MSS
}

/// A segment is lost when three segments above it have arrived, not before.
#[test]
fn rfc6675_section_4_is_lost() {
    let mut board = board();
    assert_eq!(update(&mut board, &[(4, 6)]), 2);
    assert!(!board.is_lost(0) && board.next_lost().is_none());
    assert_eq!(update(&mut board, &[(4, 7)]), 1);
    assert!(board.is_lost(0) && board.is_lost(3 * MSS) && !board.is_lost(7 * MSS));
    assert_eq!(board.next_lost(), Some((0, 1448)));
}

/// The pipe is what was sent less what arrived and what is lost, plus what was sent again.
#[test]
fn rfc6675_section_4_set_pipe() {
    let mut board = board();
    update(&mut board, &[(4, 7)]);
    assert_eq!(board.pipe(), 3 * MSS);
    board.repeat(0);
    assert_eq!(board.pipe(), 4 * MSS);
    // A repetition that arrives leaves the pipe.
    board.discard(MSS);
    assert_eq!(board.pipe(), 3 * MSS);
}

/// Lost segments in order, each once; then nothing.
#[test]
fn rfc6675_section_4_next_seg_rule_1() {
    let mut board = board();
    update(&mut board, &[(2, 3), (5, 8)]);
    let mut order = Vec::new();
    while let Some((seq, _)) = board.next_lost() {
        order.push(seq / MSS);
        board.repeat(seq);
    }
    assert_eq!(order, [0, 1, 3, 4]);
}

/// Only segments below one that arrived are candidates of rule 3; rule 4 takes the highest that has not arrived.
#[test]
fn rfc6675_section_4_next_seg_rules_3_and_4() {
    let mut board = board();
    assert_eq!(board.next_open(), None);
    update(&mut board, &[(8, 9)]);
    assert_eq!(board.next_open(), Some((0, 1448)));
    assert_eq!(board.last_open(), Some((9 * MSS, 1448)));
}

/// Three segments reported above the hole: the missing one is repeated at once, the window falls to half the flight, no inflation.
#[test]
fn rfc6675_section_5_recovery_begins_without_inflation() {
    let mut bench = Bench::rfc(TcpLaw::NewReno, 1000);
    bench.ack_with(0, &[(1, 2)], false);
    bench.ack_with(0, &[(1, 3)], false);
    let sent = bench.ack_with(0, &[(1, 4)], false);
    assert_eq!((sent[0].seq, sent[0].again), (0, true));
    // Limited transmit had sent 10 and 11: flight 12.
    assert_eq!((bench.ssthresh(), bench.cwnd(), bench.sender.inflation), (6.0, 6.0, 0));
    assert_eq!(bench.sender.state(), State::Recovery);
}

/// One acknowledgement that reports three segments at once is enough, without three duplicates.
#[test]
fn rfc6675_section_5_step_2_by_scoreboard_alone() {
    let mut bench = Bench::rfc(TcpLaw::NewReno, 1000);
    let sent = bench.ack_with(0, &[(1, 4)], false);
    assert!(sent.iter().any(|s| s.seq == 0 && s.again));
}

/// During recovery new data leaves as far as window less pipe allows; holes go first.
#[test]
fn rfc6675_section_5_step_c_by_pipe() {
    let mut bench = Bench::rfc(TcpLaw::NewReno, 1000);
    bench.ack_with(0, &[(2, 5)], false);
    assert_eq!(bench.cwnd(), 5.0);
    // 0 and 1 lost, 2 to 4 arrived: pipe is 5 to 9 and the repetition of 0.
    assert_eq!(bench.sender.in_flight(&bench.config), 6 * MSS);
    assert!(bench.ack_with(0, &[(2, 6)], false).is_empty());
    assert_eq!(Bench::numbers(&bench.ack_with(0, &[(2, 7)], false)), [1]);
    assert_eq!(Bench::numbers(&bench.ack_with(0, &[(2, 8)], false)), [10]);
}

/// An acknowledgement beyond the recovery point ends the recovery; what is known beyond it stays known.
#[test]
fn rfc6675_section_5_step_a_end() {
    let mut bench = Bench::rfc(TcpLaw::NewReno, 1000);
    bench.ack_with(0, &[(1, 4)], false);
    bench.ack_with(0, &[(1, 10)], false);
    let end = bench.sender.recover / MSS;
    bench.ack(end);
    assert_eq!((bench.sender.state(), bench.cwnd()), (State::Open, 5.0));
}

/// Three segments above have arrived: the lowest is lost, those that arrived are not, and above the highest nothing is known.
#[test]
fn rfc6675_section_4_is_lost_in_both_profiles() {
    for profile in [Profile::Rfc, Profile::Ns3] {
        let mut board = Scoreboard::new(profile);
        (0..6).for_each(|_| board.push(MSS as u32));
        board.update(&[(MSS, 3 * MSS)]);
        assert!(!board.is_lost(0), "{profile:?}: two above");
        board.update(&[(MSS, 4 * MSS)]);
        let lost: Vec<bool> = (0..6).map(|n| board.is_lost(n * MSS)).collect();
        assert_eq!(lost, [true, false, false, false, false, false], "{profile:?}");
    }
}

/// What waits is what was written less what is acknowledged in order, sent or not.
#[test]
fn backlog_is_what_nobody_acknowledged() {
    let mut bench = Bench::rfc(TcpLaw::NewReno, 100);
    assert_eq!(bench.sender.backlog(), 100 * MSS);
    bench.ack(3);
    bench.ack_with(3, &[(5, 6)], false);
    assert_eq!(bench.sender.backlog(), 97 * MSS);
}

/// After a timeout the scoreboard is kept: what arrived is not sent again.
#[test]
fn rfc6675_section_5_1_timeout_keeps_what_arrived() {
    let mut bench = Bench::rfc(TcpLaw::NewReno, 12);
    bench.ack_with(0, &[(4, 6)], false);
    bench.sender.timeout(&bench.config, 20 * MS);
    bench.collect();
    for n in 1..=3 {
        bench.ack_with(n, &[(4, 6)], false);
    }
    bench.ack_with(6, &[], false);
    let again: Vec<u64> = bench.sent.iter().filter(|s| s.again).map(|s| s.seq / MSS).collect();
    assert!(!again.contains(&4) && !again.contains(&5), "{again:?}");
    assert!(again.starts_with(&[0, 1, 2, 3]), "{again:?}");
}

/// Proportional rate reduction: over a recovery of one lost segment about half of what is delivered is sent.
#[test]
fn rfc6937_section_3_sends_in_proportion() {
    let mut config = TcpConfig::rfc(TcpLaw::NewReno);
    config.recovery = LossRecovery::Prr;
    config.initial_window = 40;
    let mut bench = Bench::new(config, 1000);
    let mut sent = 0;
    for n in 2..=40 {
        sent += bench.ack_with(0, &[(1, n)], false).len();
    }
    assert_eq!(bench.sender.state(), State::Recovery);
    // Threshold 21 of 42 in flight with two of limited transmit: one segment for two delivered.
    assert!((20..=24).contains(&sent), "{sent}");
}
