//! RFC 5681, 4.2 (when to acknowledge), RFC 2018 (blocks), RFC 7323 (timestamps).

use super::*;

struct Peer {
    config: TcpConfig,
    receiver: Receiver,
}

/// What an acknowledgement says: its number, ECE, and the blocks, in segments.
type Told = (u64, bool, Vec<(u64, u64)>);

impl Peer {
    fn new(config: TcpConfig) -> Self {
        Self {
            receiver: Receiver::new(&config),
            config,
        }
    }

    /// Segment `n` arrives: the acknowledgements it causes, numbers and blocks in segments.
    fn segment(&mut self, n: u64) -> Vec<(u64, Vec<(u64, u64)>)> {
        self.marked(n, false).iter().map(|a| (a.0, a.2.clone())).collect()
    }

    fn marked(&mut self, n: u64, mark: bool) -> Vec<Told> {
        let segment = Segment {
            seq: n * MSS,
            len: MSS as u32,
            stamp: n,
            ..Segment::default()
        };
        self.receiver.segment(&self.config, n, &segment, mark);
        let acks = self.receiver.take();
        let blocks = |a: &Acknowledgement| a.blocks.as_slice().iter().map(|b| (b.0 / MSS, b.1 / MSS)).collect();
        acks.iter().map(|a| (a.number / MSS, a.ece, blocks(a))).collect()
    }
}

fn peer() -> Peer {
    Peer::new(TcpConfig::rfc(TcpLaw::NewReno))
}

/// Every second full segment; a lone one after the delay.
#[test]
fn rfc5681_section_4_2_every_second_segment() {
    let mut p = peer();
    assert_eq!(p.segment(0), []);
    assert_eq!(p.receiver.due, Some(p.config.delayed_ack_ps));
    assert_eq!(p.segment(1), [(2, vec![])]);
    assert_eq!(p.receiver.due, None);
    p.segment(2);
    p.receiver.timer(&p.config);
    assert_eq!(p.receiver.take()[0].number, 3 * MSS);
}

/// At once out of order, and at once when a gap closes.
#[test]
fn rfc5681_section_4_2_at_once_out_of_order() {
    let mut p = peer();
    p.segment(0);
    p.segment(1);
    assert_eq!(p.segment(3), [(2, vec![(3, 4)])]);
    assert_eq!(p.segment(2), [(4, vec![])]);
    // A segment that was there already.
    assert_eq!(p.segment(1), [(4, vec![])]);
}

/// The block with the newest segment goes first, neighbours are joined, three fit beside timestamps.
#[test]
fn rfc2018_section_4_order_of_blocks() {
    let mut p = peer();
    p.segment(2);
    p.segment(6);
    assert_eq!(p.segment(4), [(0, vec![(4, 5), (6, 7), (2, 3)])]);
    assert_eq!(p.segment(3), [(0, vec![(2, 5), (6, 7)])]);
    p.segment(8);
    assert_eq!(p.segment(10), [(0, vec![(10, 11), (8, 9), (2, 5)])]);
}

/// Bytes on the wire: data 1500, acknowledgements by their blocks; ns-3 pads all options together.
#[test]
fn rfc2018_section_3_and_rfc7323_appendix_a_sizes() {
    let rfc = TcpConfig::rfc(TcpLaw::NewReno);
    assert_eq!(rfc.wire_bytes(1448, 0), 1500 + 38);
    assert_eq!([0, 1, 2, 3].map(|n| rfc.wire_bytes(0, n)), [90, 102, 110, 118]);
    let mut ns3 = TcpConfig::ns3(TcpLaw::NewReno);
    assert_eq!(ns3.wire_bytes(1448, 0), 1502);
    assert_eq!([0, 1, 2, 3].map(|n| ns3.wire_bytes(0, n)), [54, 62, 70, 78]);
    ns3.timestamps = false;
    assert_eq!([0, 1, 4].map(|n| ns3.wire_bytes(0, n)), [42, 54, 78]);
    assert_eq!(ns3.wire_bytes(1448, 0), 1490);
}

/// The timestamp echoed is that of the earliest segment not yet acknowledged.
#[test]
fn rfc7323_section_4_3_echo_of_the_earliest() {
    let mut p = peer();
    for n in 0..4 {
        let segment = Segment {
            seq: n * MSS,
            len: MSS as u32,
            stamp: 100 + n,
            ..Segment::default()
        };
        p.receiver.segment(&p.config, n, &segment, false);
    }
    let echoes: Vec<u64> = p.receiver.take().iter().map(|a| a.echo).collect();
    assert_eq!(echoes, [100, 102]);
}

/// The wait for a second segment is a quarter of the smallest timeout at most.
#[test]
fn delay_fits_the_smallest_timeout() {
    assert_eq!(TcpConfig::delayed_ack_for(10 * MS), 10 * MS / 4);
    assert_eq!(TcpConfig::delayed_ack_for(1000 * MS), 200 * MS);
}

/// A change of marks is acknowledged at once for what came before it; the echo follows the marks.
#[test]
fn rfc8257_section_3_2_echo_of_marks() {
    let mut p = Peer::new(TcpConfig::rfc(TcpLaw::Dctcp));
    assert_eq!(p.marked(0, false), []);
    assert_eq!(p.marked(1, true), [(1, false, vec![])]);
    assert_eq!(p.marked(2, true), [(3, true, vec![])]);
    assert_eq!(p.marked(3, true), []);
    assert_eq!(p.marked(4, false), [(4, true, vec![])]);
    assert_eq!(p.marked(5, false), [(6, false, vec![])]);
}

/// ns-3 acknowledges the first segment at once.
#[test]
fn ns3_first_segment_at_once() {
    let mut p = Peer::new(TcpConfig::ns3(TcpLaw::NewReno));
    assert_eq!(p.segment(0), [(1, vec![])]);
    assert_eq!(p.segment(1), []);
}
