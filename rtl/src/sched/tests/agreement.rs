//! The whole scheduler against [`super::reference`]: every output in every clock, under random events, limits, pauses and stalls.

use super::reference::ports::{Inputs, Offer, Outputs};
use super::reference::stages::Packet;
use super::reference::{entry, Reference, Sizes};
use crate::sched::stimulus::SchedTraffic;
use crate::sched::Scheduler;
use crate::sim::{init, on_a_large_stack, port_list, step, Port, Ports};
use hpcc_models::sched::{CapControl, FlowSettings, Op};

/// The ports of a scheduler as the reference takes them.
fn inputs<const E: usize, const F: usize, const A: usize, const I: usize, const T: usize, const R: usize>(
    b: &Scheduler<E, F, A, I, T, R>,
) -> Inputs {
    let offer = |valid: bool, flow: u64, generation: u64, op: Op| -> Option<Offer> {
        valid.then_some((flow as u16, generation as u8, op))
    };
    let (c, w, f) = (&b.command, &b.work, &b.feedback);
    let settings = FlowSettings {
        mtu: c.mtu.next.0 as u8,
        priority: c.priority.next.0 as u8,
        windowless: c.windowless.next,
        timerless: c.timerless.next,
    };
    let limit = c.limit.next.then_some((c.rate.next.0, c.group.next.0 as u8));
    let command = entry::command(c.create.next, c.psn.next.0 as u32, settings, limit);
    let (start, end) = (w.start.next.0 as u32, w.end.next.0 as u32);
    let work = match w.restart.next {
        true => Op::Restart(start, end),
        false => Op::Work(end),
    };
    let (psn, value) = (f.psn.next.0 as u32, f.value.next.0 as u32);
    let feedback = match f.advance.next {
        true => Op::Advance(psn, value),
        false => Op::Adjust(value),
    };
    Inputs {
        reset: b.reset.next,
        now: b.now.next.0,
        pause: b.pause.next.0 as u8,
        parameter: b
            .param
            .write
            .next
            .then_some((b.param.address.next.0, b.param.data.next.0)),
        level: b
            .level_write
            .next
            .then_some((b.level_group.next.0 as u8, b.level_rate.next.0)),
        limits: CapControl {
            window: b.cap_window.next,
            dither: b.cap_dither.next,
            time_ns: b.cap_time.next.0 as u16,
        },
        look: b.look.next.0 as u8,
        update: b.update.valid.next.then_some(b.update.data.next),
        command: offer(c.valid.next, c.flow.next.0, c.generation.next.0, command),
        event_valid: b.event.valid.next,
        event: b.event.data.next,
        feedback: offer(f.valid.next, f.flow.next.0, f.generation.next.0, feedback),
        work: offer(w.valid.next, w.flow.next.0, w.generation.next.0, work),
        send_ready: b.send.ready.next,
        cc_ready: b.cc.ready.next,
        ended_ready: b.ended.ready.next,
    }
}

fn outputs<const E: usize, const F: usize, const A: usize, const I: usize, const T: usize, const R: usize>(
    b: &Scheduler<E, F, A, I, T, R>,
) -> Outputs {
    let s = &b.send;
    let packet = Packet {
        flow: s.flow.val().0 as u16,
        generation: s.generation.val().0 as u8,
        psn: s.psn.val().0 as u32,
        kind: s.kind.val().0,
    };
    let ended = (
        b.ended.flow.val().0 as u16,
        b.ended.generation.val().0 as u8,
        b.ended.not_ready.val(),
    );
    Outputs {
        ready: [
            b.update.ready.val(),
            b.command.ready.val(),
            b.event.ready.val(),
            b.feedback.ready.val(),
            b.work.ready.val(),
        ],
        send: s.valid.val().then_some(packet),
        cc: b.cc.valid.val().then(|| b.cc.data.val()),
        ended: b.ended.valid.val().then_some(ended),
        group: (b.active.val().0, b.sent.val().0),
        counts: [
            b.count_late.val().0,
            b.count_beyond.val().0,
            b.count_out_of_range.val().0,
            b.count_timeout.val().0,
            b.count_cc_dropped.val().0,
        ],
    }
}

/// Runs both under the same traffic. Returns packets, clocks with a timeout on offer, and clocks with the end of a flow on offer.
fn agrees<const E: usize, const F: usize, const A: usize, const I: usize, const T: usize, const R: usize>(
    seed: u64,
    clocks: u64,
) -> [u64; 3] {
    let mut block: Box<Scheduler<E, F, A, I, T, R>> = Box::default();
    init(block.as_mut()).expect("complete block");
    let ports = port_list(block.as_ref());
    let limbs = |input: bool| ports.iter().filter(|p| p.input == input).map(Port::limbs).sum();
    let (mut ins, mut outs): (Vec<u64>, Vec<u64>) = (vec![0; limbs(true)], vec![0; limbs(false)]);
    let mut traffic = SchedTraffic::new(&ports, seed, (E * F) as u64);
    let mut reference = Reference::new(&Sizes {
        engines: E,
        flows: F as u16,
        flow_bits: A as u32,
        index_bits: I as u32,
        timer_bits: T as u32,
        rows: R,
    });
    let mut seen = [0; 3];
    for clock in 0..clocks {
        traffic.drive(clock, &outs, &mut ins);
        block.set_inputs(&mut ins);
        let offered = inputs(&block);
        let want = reference.clock(&offered);
        let got = step(block.as_mut(), |block| {
            block.get_outputs(&mut outs);
            outputs(block)
        });
        assert_eq!(got, want, "clock {clock} of seed {seed}: {offered:?}");
        let timeout = want.cc.is_some_and(|event| event.telemetry.event_kind.0 == 3);
        for (count, flag) in
            seen.iter_mut()
                .zip([want.send.is_some() && offered.send_ready, timeout, want.ended.is_some()])
        {
            *count += u64::from(flag);
        }
    }
    seen
}

/// Rows of six delays, and the ring.
#[test]
fn every_output_in_every_clock() {
    on_a_large_stack(|| {
        let rows = agrees::<3, 5, 4, 3, 3, 6>(42, 100_000);
        let ring = agrees::<3, 5, 4, 3, 3, 1>(21, 5_000);
        println!("packets, clocks with a timeout on offer, clocks with the end of a flow on offer: {rows:?}, in a ring {ring:?}");
        assert!(rows[0] > 1000 && rows[1] > 100 && rows[2] > 10, "{rows:?}");
        assert!(ring[0] > 500 && ring[1] > 10, "{ring:?}");
    })
    .expect("a thread");
}
