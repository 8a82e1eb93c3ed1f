//! [`Form`] alone, where its queues are full: who feeds it looks at `room` and at nothing else.

use crate::prim::uint::U;
use crate::sim::{init, step, Stimulus};
use crate::tx::select::form::{code, Form};
use crate::words::context::{Region, RegionGuard};
use std::collections::VecDeque;

/// Bytes that a grant of nothing gives back at MTU 4096 without overhead.
const VOID: i64 = 4096;
/// A sum takes in what comes as long as it is less than this, either way.
const SUM: i64 = 0x2_0000;

/// What is told to the scheduler: is it where the flow goes on, flow, PSN, value.
type Told = (bool, u64, u64, i64);

struct Bench {
    form: Box<Form>,
    /// Whether packets, jobs and feedback are taken.
    ready: [bool; 3],
    packets: Vec<u64>,
    jobs: Vec<(u64, u64)>,
    told: Vec<Told>,
    room: bool,
    /// Payload was offered and not taken a clock ago.
    held_up: bool,
}

impl Bench {
    fn new() -> Self {
        let mut form: Box<Form> = Box::default();
        init(form.as_mut()).expect("complete block");
        let mut bench = Self {
            form,
            ready: [true; 3],
            packets: vec![],
            jobs: vec![],
            told: vec![],
            room: false,
            held_up: false,
        };
        bench.form.reset.next = true;
        bench.clocks(4);
        bench.form.reset.next = false;
        bench.clocks(4);
        assert!(bench.room);
        // the region of all payload
        bench.form.region_valid.next = true;
        bench.form.region_data.next = Region {
            valid: true,
            ..Region::default()
        };
        bench.clocks(1);
        bench.form.region_valid.next = false;
        bench.form.guard.next = RegionGuard {
            entry: U(0),
            count: U(1),
        };
        bench.clocks(2);
        bench
    }

    fn clock(&mut self) {
        let [packet, job, feedback] = self.ready;
        let form = self.form.as_mut();
        (form.packet.ready.next, form.job.ready.next, form.feedback.ready.next) = (packet, job, feedback);
        let (packets, jobs, told) = (&mut self.packets, &mut self.jobs, &mut self.told);
        (self.room, self.held_up) = step(form, |f| {
            assert_eq!(f.waits.val(), self.held_up, "payload that waited");
            if f.packet.valid.val() & packet {
                packets.push(f.packet.data.val().psn.0);
            }
            if f.job.valid.val() & job {
                jobs.push((f.job.data.val().address.0, f.job.data.val().length.0));
            }
            if f.feedback.valid.val() & feedback {
                let f = &f.feedback;
                let value = f.value.val().0 as i64;
                let value = if !f.advance.val() && value >> 23 == 1 { value - (1 << 24) } else { value };
                told.push((f.advance.val(), f.flow.val().0, f.psn.val().0, value));
            }
            (f.room.val(), f.job.valid.val() & !job)
        });
        self.form.valid.next = false;
    }

    fn clocks(&mut self, count: usize) {
        for _ in 0..count {
            self.clock();
        }
    }

    /// A grant of MTU 4096, which comes whether there is room or not; its message begins with it and has twice as many bytes if it is not the last.
    fn grant(&mut self, form: u64, flow: u64, psn: u64, last: bool) {
        let f = self.form.as_mut();
        f.valid.next = true;
        f.form.next = U(form);
        f.flow.next = U(flow);
        f.psn.next = U(psn);
        f.last.next = last;
        f.end_psn.next = U(psn + 2);
        f.base.next = U(psn << 16);
        f.total.next = U(if last { 4096 } else { 8192 });
        f.mtu.next = U(4);
        f.int_on.next = true;
        f.overhead.next = U(0);
        self.clock();
    }
}

/// While one of packets, jobs, feedback of bytes and feedback of PSNs is not taken, Form takes no more than fits, and all of it comes out behind that.
#[test]
fn each_queue_alone_stops_who_feeds_it() {
    // a WRITE of a full packet gives 16 bytes back, a READ of several packets says besides where it ends, a READ response of a middle packet says nothing
    for (held, kind, last) in [
        (0, code::READ, true),
        (0, code::WRITE, true),
        (1, code::WRITE, true),
        (2, code::VOID, true),
        (2, code::READ, false),
    ] {
        let mut bench = Bench::new();
        let mut random = Stimulus::new(5);
        bench.ready[held] = false;
        let mut granted = 0;
        // a grant comes every second clock at most, and looks at `room` six clocks before it is here
        let mut seen = VecDeque::from([true; 6]);
        for clock in 0..600 {
            let clear = seen.pop_front().expect("six");
            if clear && clock % 2 == 0 && random.chance(0.9) {
                bench.grant(kind, granted, granted, last);
                granted += 1;
            } else {
                bench.clock();
            }
            seen.push_back(bench.room);
        }
        assert!(!bench.room, "{held} held up: room though nothing leaves");
        assert!((6..120).contains(&granted), "{held} held up: {granted} granted");
        bench.ready[held] = true;
        bench.clocks(600);
        let all: Vec<u64> = (0..granted).collect();
        let jobs: Vec<_> = all.iter().map(|psn| (psn << 16, 4096)).collect();
        let no_payload = kind == code::VOID || kind == code::READ;
        assert_eq!(bench.packets, if kind == code::VOID { vec![] } else { all.clone() });
        assert_eq!(bench.jobs, if no_payload { vec![] } else { jobs });
        // a READ request has no payload: its bytes but for the extension come back
        let back = match kind {
            code::VOID => VOID,
            code::READ => VOID - 16,
            _ => -16,
        };
        let bytes: Vec<Told> = all.iter().map(|psn| (false, *psn, *psn, back)).collect();
        let ends: Vec<Told> = all.iter().map(|psn| (true, *psn, *psn, *psn as i64 + 2)).collect();
        let told = |advance| {
            bench
                .told
                .iter()
                .copied()
                .filter(|told| told.0 == advance)
                .collect::<Vec<_>>()
        };
        assert_eq!(told(false), bytes);
        assert_eq!(told(true), if kind == code::READ && !last { ends } else { vec![] });
    }
}

/// Bytes of one flow that wait become one sum, which takes no more in from 128 KiB on: the first is offered alone, the others behind it are added up.
#[test]
fn a_sum_ends_at_128_kibibytes_either_way() {
    for (kind, each) in [(code::VOID, VOID), (code::WRITE, -16)] {
        let mut bench = Bench::new();
        let whole = SUM / each.abs();
        // a negative sum takes one in at exactly its least
        let most = if each > 0 { whole } else { whole + 1 };
        let grants = 1 + most + 3;
        bench.ready[2] = false;
        for psn in 0..grants as u64 {
            bench.grant(kind, 7, psn, true);
            bench.clocks(3);
        }
        bench.ready[2] = true;
        bench.clocks(100);
        let values: Vec<i64> = bench.told.iter().map(|told| told.3).collect();
        assert_eq!(values.iter().sum::<i64>(), grants * each);
        assert_eq!(values[..2], [each, most * each], "{kind}");
        assert!(bench.told.iter().all(|told| !told.0 && told.1 == 7));
    }
}

/// Bytes of two flows in turn never become one sum, nor do those of one generation and the next.
#[test]
fn bytes_of_another_flow_or_generation_are_no_sum() {
    for by_generation in [false, true] {
        let mut bench = Bench::new();
        bench.ready[2] = false;
        for psn in 0..6 {
            bench.form.generation.next = U(if by_generation { psn & 1 } else { 0 });
            bench.grant(code::VOID, if by_generation { 7 } else { psn & 1 }, psn, true);
            bench.clocks(6);
        }
        bench.ready[2] = true;
        bench.clocks(60);
        assert_eq!(bench.told.iter().map(|told| told.3).collect::<Vec<_>>(), [VOID; 6]);
    }
}
