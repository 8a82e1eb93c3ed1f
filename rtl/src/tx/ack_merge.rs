//! Frames without payload of five sources into one stream.
//!
//! At each fork both sides take turns while both wait: what the NIC sends of itself (notifications, probes) with what answers a packet; there
//! acknowledgements with what is about INT alone; and there echoes with answers to probes.

use crate::emit::naming::named_inside;
use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::word::bits_zero;
use crate::words::transport::AckSend;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// An item a clock, registered: one clock from the chosen source to `down`.
#[block]
pub struct AckMerge {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high.
    pub reset: Signal<In, Bit>,
    /// Acknowledgements.
    pub ack: StreamIn<AckSend>,
    /// READ echoes.
    pub echo: StreamIn<AckSend>,
    /// Answers to probes.
    pub answer: StreamIn<AckSend>,
    /// Congestion notifications, without INT.
    pub notify: StreamIn<AckSend>,
    /// Probes, whose INT has no records yet.
    pub probe: StreamIn<AckSend>,
    /// All.
    pub down: StreamOut<AckSend>,
    // at a fork of which both sides wait, the one that is named is next
    #[registers(Bit:
        /// An item waits at the output.
        full,
        /// What peers asked for goes before what the NIC sends of itself this time.
        asked_next,
        /// Answers with INT go before plain acknowledgements this time.
        about_int_next,
        /// Answers to probes go before echoes this time.
        answer_next,
        /// Probes go before congestion notifications this time.
        probe_next)]
    #[signals(Bit: room, asked, about_int, pick_asked, pick_about_int, pick_answer, pick_probe)]
    #[signals(AckSend: notification, path_probe)]
    /// Item at the output.
    item: DFF<AckSend>,
    /// What the NIC sends of itself, one of these two.
    own: Signal<Local, AckSend>,
}

#[kernel]
impl Logic for AckMerge {
    fn update(&mut self) {
        room = !full | down.ready;
        about_int = echo.valid | answer.valid;
        asked = ack.valid | about_int;
        pick_answer = answer.valid & (answer_next | !echo.valid);
        pick_about_int = about_int & (about_int_next | !ack.valid);
        pick_probe = probe.valid & (probe_next | !notify.valid);
        pick_asked = asked & (asked_next | !(notify.valid | probe.valid));
        ack.ready = room & pick_asked & !pick_about_int;
        echo.ready = room & pick_asked & pick_about_int & !pick_answer;
        answer.ready = room & pick_asked & pick_about_int & pick_answer;
        notify.ready = room & !pick_asked & !pick_probe;
        probe.ready = room & !pick_asked & pick_probe;

        notification = notify.data;
        path_probe = probe.data;
        own = bits_zero::<AckSend>(0);
        fields!(own from notification: kind, qp, generation);
        if pick_probe {
            fields!(own from path_probe: kind, qp, generation, psn, int_length);
        }
        if room {
            full = asked | notify.valid | probe.valid;
            item = own;
            asked_next = !pick_asked;
            if pick_asked {
                item = ack.data;
                about_int_next = !pick_about_int;
                if pick_about_int {
                    item = if pick_answer { answer.data } else { echo.data };
                    answer_next = !pick_answer;
                }
            } else {
                probe_next = !pick_probe;
            }
        }
        assign!(down.valid = full, down.data = item);
        reset!(full, asked_next, about_int_next, answer_next, probe_next);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}

#[cfg(test)]
#[path = "tests/ack_merge.rs"]
mod tests;
