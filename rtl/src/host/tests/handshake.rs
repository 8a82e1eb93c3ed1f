//! The register port's handshake: AXI allows no path from an input of a port to one of its outputs in the same clock.

use crate::host::registers::Registers;
use crate::prim::uint::U;
use crate::sim::{init, set_clock, step, Stimulus};

/// What a master gives the port in a clock.
#[derive(Clone, Copy)]
struct Given {
    /// `awvalid`, `wvalid`, `bready`, `arvalid`, `rready`.
    flags: [bool; 5],
    address: u64,
    data: u64,
}

fn give(block: &mut Registers, given: Given) {
    let port = &mut block.s_axil;
    [
        port.aw.valid.next,
        port.w.valid.next,
        port.b.ready.next,
        port.ar.valid.next,
        port.r.ready.next,
    ] = given.flags;
    port.aw.addr.next = U(given.address);
    port.ar.addr.next = U(given.address);
    port.w.data.next = U(given.data);
    port.w.strb.next = U(15);
}

/// Every output of the port, as it is before the edge.
fn outputs(block: &Registers) -> [u64; 8] {
    let port = &block.s_axil;
    [
        port.aw.ready.val().into(),
        port.w.ready.val().into(),
        port.ar.ready.val().into(),
        port.b.valid.val().into(),
        port.b.resp.val().0,
        port.r.valid.val().into(),
        port.r.resp.val().0,
        port.r.data.val().0,
    ]
}

/// In every clock of random traffic, also in reset, each input of the port is turned over before the edge; no output follows.
#[test]
fn no_output_of_the_port_depends_on_an_input_of_the_same_clock() {
    let mut block: Box<Registers> = Box::default();
    init(block.as_mut()).expect("complete block");
    let mut stimulus = Stimulus::new(0xa11ce);
    let mut answers = [0; 2];
    for clock in 0..1500u64 {
        block.reset.next = clock % 500 < 3;
        let given = Given {
            flags: std::array::from_fn(|_| stimulus.chance(0.6)),
            // STATUS, settings and holes
            address: stimulus.below(64) * 4,
            data: stimulus.uniform(32),
        };
        give(&mut block, given);
        set_clock(block.as_mut(), false);
        let seen = outputs(&block);
        for input in 0..7 {
            let mut other = given;
            match input {
                5 => other.address ^= 0xffc,
                6 => other.data ^= 0xffff_ffff,
                flag => other.flags[flag] = !given.flags[flag],
            }
            give(&mut block, other);
            set_clock(block.as_mut(), false);
            assert_eq!(outputs(&block), seen, "clock {clock}: input {input} is seen at once");
        }
        give(&mut block, given);
        let kept = step(block.as_mut(), outputs);
        assert_eq!(kept, seen, "clock {clock}");
        answers[0] += u64::from(seen[3] == 1 && given.flags[2]);
        answers[1] += u64::from(seen[5] == 1 && given.flags[4]);
    }
    assert!(
        answers.iter().all(|answers| *answers > 50),
        "accesses answered: {answers:?}"
    );
}
