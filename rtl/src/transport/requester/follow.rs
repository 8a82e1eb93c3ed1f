//! READ responses in order: all of a READ but the first are decided here, beside the state machine.
//!
//! The state machine judges the first response of a READ and starts a run with it: the PSN and the address of the next, and where the READ ends.
//! A response that fits its queue pair's run is taken at once and moves the run; any other one goes to the state machine, which learns from
//! the run how far the data has come.
//!
//! | clock | does |
//! |---|---|
//! | 0 | a response waits; if the run at hand is not its queue pair's, that run is taken from memory, where it was addressed one clock ahead |
//! | 1 | is the response the run's next? |
//! | 2 | taken, or left to the state machine |
//!
//! Two clocks a response of the same queue pair, three otherwise. Creation, removal and end of a queue pair void its run.

use crate::prim::ram::Ram;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_word, bits_zero};
use crate::words::requester::{ReadRun, Syndrome};
use crate::words::transport::RxPacket;
use crate::words::wire::{AckHeader, AethSyndrome, Extension, Opcode};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// The runs of all queue pairs.
#[block]
pub struct Follow {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// A READ response waits.
    pub waits: Signal<In, Bit>,
    /// It; it stays until it is taken.
    pub row: Signal<In, RxPacket>,
    /// Queue pair of the response that waits in the next clock, if one does.
    pub ahead: Signal<In, U<8>>,
    /// There is room for a decision.
    pub room: Signal<In, Bit>,
    /// The state machine takes the response.
    pub popped: Signal<In, Bit>,
    /// The state machine has accepted the response in hand.
    pub learn: Signal<In, Bit>,
    /// The run behind it.
    pub learned: Signal<In, ReadRun>,
    /// A queue pair's run is void. Not with `learn`.
    pub forget: Signal<In, Bit>,
    /// Its number.
    pub forget_qp: Signal<In, U<8>>,
    /// The response is for the state machine.
    pub slow: Signal<Out, Bit>,
    /// The response is taken in this clock.
    pub take: Signal<Out, Bit>,
    /// With `take`: it is the last of its READ.
    pub last: Signal<Out, Bit>,
    /// Where its payload goes.
    pub address: Signal<Out, U<64>>,
    /// With `slow`: the run of its queue pair.
    pub run: Signal<Out, ReadRun>,
    #[registers(Bit: near_known, compared, fits, ends, slow_r)]
    #[signals(Bit: nearby, loads, at_end, in_middle)]
    runs: Ram<ReadRun, 8>,
    near: DFF<ReadRun>,
    near_qp: DFF<U<8>>,
    given: Signal<Local, Extension>,
    aeth: Signal<Local, AckHeader>,
    syndrome: Signal<Local, Syndrome>,
    full: Signal<Local, U<16>>,
    moved: Signal<Local, ReadRun>,
    takes: Signal<Local, Bit>,
}

#[kernel]
impl Logic for Follow {
    fn update(&mut self) {
        full = bits_u::<16>(256) << row.mtu;
        runs.raddr = ahead;
        nearby = near_known & (near_qp == row.qp);

        given = bit_cast_word::<Extension, W<128, 2>>(row.extension);
        aeth = bit_cast_word::<AckHeader, U<32>>(given.aeth);
        syndrome = bit_cast_word::<Syndrome, AethSyndrome>(aeth.syndrome);
        // 1: Middle has no AETH; what is asked for again may begin in the middle, and then with any response
        in_middle = ((row.opcode == Opcode::ReadResponseMiddle)
            | ((row.opcode == Opcode::ReadResponseFirst) & !syndrome.code.any()))
            & (row.payload_length == full)
            & (row.psn != near.last_psn);
        at_end = ((row.opcode == Opcode::ReadResponseLast) | (row.opcode == Opcode::ReadResponseOnly))
            & !syndrome.code.any()
            & (row.payload_length == near.last_length)
            & (row.psn == near.last_psn);
        fits = near.valid
            & near.open
            & (near.generation == row.generation)
            & (near.psn == row.psn)
            & (in_middle | at_end)
            & !forget;
        ends = at_end;

        takes = compared & fits & room & !forget;
        if compared {
            if !fits {
                compared = false;
                slow_r = true;
            } else if takes | forget {
                compared = false;
            }
        } else if waits & !slow_r {
            compared = nearby;
        }
        loads = waits & !slow_r & !compared & !nearby;
        if loads {
            assign!(near.d = runs.rdata, near_qp.d = row.qp);
            near_known = true;
        }
        if popped {
            slow_r = false;
        }

        // 2
        moved = near;
        moved.psn = near.psn + 1;
        moved.open = !ends;
        moved.address = near.address + bit_cast_u::<64, 16>(full);
        if learn {
            moved = learned;
        }
        runs.we = takes | learn | forget;
        inputs!(runs: waddr = row.qp, wdata = moved);
        if takes | learn {
            near = moved;
        }
        if forget {
            runs.waddr = forget_qp;
            runs.wdata = bits_zero::<ReadRun>(0);
            if loads | (near_qp == forget_qp) {
                near_known = false;
                near = bits_zero::<ReadRun>(0);
            }
        }
        assign!(
            take = takes,
            last = ends,
            slow = slow_r,
            address = near.address,
            run = near
        );
        reset!(near_known, compared, slow_r);
    }
}
