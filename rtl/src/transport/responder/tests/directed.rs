//! READ depth, repeated READs, reports taken back, errors of other blocks.

use super::*;

impl Bench {
    /// The next WRITE of one packet, or a gap before it.
    fn write_at(&mut self, index: usize, ahead: u32) -> Outcome {
        let peer = &self.peers[index];
        let request = Request {
            qpn: peer.config.qpn,
            opcode: 0x0a,
            psn: (peer.psn + ahead) & MASK_24,
            ack_req: true,
            reth: RethRepr {
                address: BASE,
                key: KEYS[0],
                length: 1,
            },
            payload: vec![1],
            int: Vec::new(),
        };
        let outcome = self.hardware(&request, peer.generation);
        self.peers[index].sent(&request);
        outcome
    }

    /// A READ of `length` bytes, `behind` PSNs before the one in turn.
    fn read_at(&mut self, index: usize, behind: u32, length: u32) -> Outcome {
        self.read_with(index, behind, length, Vec::new())
    }

    /// The same with payload, which a READ request has none of.
    fn read_with(&mut self, index: usize, behind: u32, length: u32, payload: Vec<u8>) -> Outcome {
        let peer = &self.peers[index];
        let request = Request {
            qpn: peer.config.qpn,
            opcode: 0x0c,
            psn: peer.psn.wrapping_sub(behind) & MASK_24,
            ack_req: true,
            reth: RethRepr {
                address: BASE,
                key: KEYS[0],
                length,
            },
            payload,
            int: Vec::new(),
        };
        let outcome = self.hardware(&request, peer.generation);
        if outcome.read.is_some() {
            self.peers[index].sent(&request);
        }
        outcome
    }

    fn tell(&mut self, index: usize, what: u64) {
        let (qpn, generation) = (self.peers[index].config.qpn, self.peers[index].generation);
        self.block.left_valid.next = true;
        self.block.left_qp.next = U(qpn.into());
        self.block.left_generation.next = U(generation.into());
        self.block.left_what.next = U(what);
        step(self.block.as_mut(), |_| ());
        self.block.left_valid.next = false;
        step(self.block.as_mut(), |_| ());
    }
}

#[test]
fn one_read_too_many_is_dropped_and_room_comes_back() {
    let mut bench = Bench::new(11);
    for _ in 0..16 {
        assert!(bench.read_at(0, 0, 300).read.is_some());
        bench.left.clear();
    }
    assert_eq!(bench.read_at(0, 0, 300).counts, [Counter::ReadDepth]);
    // repeated ones replace others
    assert!(bench.read_at(0, 4, 300).read.is_some());
    bench.left.clear();
    assert_eq!(bench.read_at(0, 0, 300).counts, [Counter::ReadDepth]);
    bench.tell(0, 1);
    bench.tell(0, 1);
    assert!(bench.read_at(0, 0, 300).read.is_some());
    bench.left.clear();
    assert_eq!(bench.read_at(0, 0, 300).counts, [Counter::ReadDepth]);
    bench.create(0);
    assert!(bench.read_at(0, 0, 300).read.is_some());
}

/// A READ asked for again may wait beside the first one: twice as many as may be outstanding, of any depth.
#[test]
fn repeated_reads_are_taken_up_to_twice_the_depth() {
    let mut bench = Bench::new(14);
    bench.tells = 0.0;
    for depth in [1, 2, 5, 16] {
        bench.block.cfg_reads.next = U(depth);
        bench.create(0);
        for _ in 0..depth {
            assert!(bench.read_at(0, 0, 1).read.is_some());
        }
        for _ in 0..depth {
            let again = bench.read_at(0, 1, 1);
            assert!(
                again.read.is_some() && again.counts == [Counter::Duplicates],
                "{again:?}"
            );
        }
        let is_dropped = |bench: &mut Bench| {
            let mut counts = bench.read_at(0, 1, 1).counts;
            counts.sort();
            assert_eq!(counts, [Counter::ReadDepth, Counter::Duplicates], "depth {depth}");
        };
        (0..3).for_each(|_| is_dropped(&mut bench));
        bench.tell(0, 1);
        assert!(bench.read_at(0, 1, 1).read.is_some());
        is_dropped(&mut bench);
    }
}

/// What reaches beyond the PSNs that were asked for, or has payload, or both.
#[test]
fn a_repeated_read_that_is_none_is_dropped() {
    let mut bench = Bench::new(15);
    assert!(bench.read_at(0, 0, 3 * 256).read.is_some());
    for (behind, length, payload, right) in [
        (3, 3 * 256, 0, true),
        (3, 2 * 256 + 1, 0, true),
        (3, 3 * 256 + 1, 0, false),
        (2, 3 * 256, 0, false),
        (1, 256, 0, true),
        (3, 256, 4, false),
        (1, 0, 0, true),
        (2, 3 * 256, 4, false),
    ] {
        let outcome = bench.read_with(0, behind, length, vec![7; payload]);
        let at = format!("{behind} PSNs behind, {length} bytes, {payload} bytes of payload: {outcome:?}");
        assert_eq!(outcome.read.is_some(), right, "{at}");
        assert_eq!(outcome.counts.contains(&Counter::Stray), !right, "{at}");
        bench.left.clear();
    }
}

#[test]
fn a_report_taken_back_may_be_repeated() {
    let mut bench = Bench::new(12);
    let report = bench.write_at(0, 1).ack.expect("a report");
    assert_eq!((report.0, report.1), (bench.peers[0].psn, 0x60));
    assert_eq!(bench.write_at(0, 2).ack, None);
    bench.tell(0, 2);
    assert_eq!(bench.write_at(0, 1).ack, Some(report));
    assert_eq!(bench.write_at(0, 2).ack, None);
    assert!(bench.write_at(0, 0).ack.is_some());
}

#[test]
fn errors_of_other_blocks_end_the_half_of_that_generation_only() {
    let mut bench = Bench::new(13);
    for (write_error, left_ends) in [(false, true), (true, false), (true, true)] {
        for (late, ended) in [(true, false), (false, true)] {
            bench.create(2);
            let generation = bench.peers[2].generation.wrapping_sub(u8::from(late));
            let qpn = bench.peers[2].config.qpn;
            bench.block.fail_valid.next = write_error;
            bench.block.fail_qp.next = U(qpn.into());
            bench.block.fail_generation.next = U(generation.into());
            bench.block.left_valid.next = left_ends;
            bench.block.left_qp.next = U(qpn.into());
            bench.block.left_generation.next = U(generation.into());
            bench.block.left_what.next = U(4);
            step(bench.block.as_mut(), |_| ());
            bench.block.left_valid.next = false;
            bench.block.fail_valid.next = false;
            // the report is on its way for a clock more
            step(bench.block.as_mut(), |_| ());
            let outcome = bench.write_at(2, 0);
            assert_eq!(outcome.ack.is_none(), ended);
            assert_eq!(outcome.counts.contains(&Counter::QpEnded), ended);
        }
    }
}
