//! What a judged frame is, given the context of its queue pair. Without registers.

use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_bus, bit_cast_word, bits_zero};
use crate::words::context::QpContext;
use crate::words::rx::{FrameFate, IntBody, JudgedFrame};
use crate::words::transport::{FrameRole, RxPacket};
use crate::words::wire::IntStack;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Classifies one frame.
#[block]
pub struct Classify {
    /// The frame.
    pub raw: Signal<In, JudgedFrame>,
    /// Context of the queue pair that its BTH names, by the low eight bits.
    pub of_queue_pair: Signal<In, QpContext>,
    /// Where it goes.
    pub fate: Signal<Out, FrameFate>,
    /// What is counted, as a place in `Counter::ALL`; 0 nothing.
    pub counter: Signal<Out, U<6>>,
    /// The row for the engines.
    pub row: Signal<Out, RxPacket>,
    opcode: Signal<Local, U<8>>,
    drop_code: Signal<Local, U<5>>,
    role: Signal<Local, FrameRole>,
    int_length: Signal<Local, U<6>>,
    carried: Signal<Local, IntBody>,
    int_stack: Signal<Local, IntStack>,
    alive: Signal<Local, Bit>,
    int_on: Signal<Local, Bit>,
    is_cnp: Signal<Local, Bit>,
    is_echo: Signal<Local, Bit>,
    is_ack: Signal<Local, Bit>,
    wants_role: Signal<Local, FrameRole>,
    wrong_port: Signal<Local, Bit>,
}

#[kernel]
impl Logic for Classify {
    fn update(&mut self) {
        assign! {
            drop_code = raw.drop_code, role = raw.role, int_length = raw.int_length, opcode = raw.opcode
        }
        self.alive.next = self.of_queue_pair.val().alive & ((self.raw.val().qpn >> 8) == 0);
        self.int_on.next = self.of_queue_pair.val().int_on;
        self.is_cnp.next = self.opcode.val() == 0x81;
        self.is_echo.next = self.opcode.val() == 0xd1;
        self.is_ack.next = self.opcode.val() == 0x11;
        self.wants_role.next = FrameRole::Plain;
        if self.int_on.val() {
            self.wants_role.next = FrameRole::Collected;
            if self.is_ack.val() | self.is_echo.val() {
                self.wants_role.next = FrameRole::Echoed;
            }
        }
        self.wrong_port.next = !self.is_cnp.val()
            & ((self.role.val() != self.wants_role.val()) | (self.is_echo.val() & !self.int_on.val()));

        self.fate.next = FrameFate::Request;
        self.counter.next = bits_u::<6>(0);
        if (self.opcode.val() >= 0x0d) & (self.opcode.val() <= 0x10) {
            self.fate.next = FrameFate::ReadResponse;
        }
        if self.is_ack.val() {
            self.fate.next = FrameFate::Acknowledgement;
        }
        if self.is_echo.val() {
            self.fate.next = FrameFate::Echo;
        }
        if self.is_cnp.val() {
            self.fate.next = FrameFate::Notification;
            self.counter.next = bits_u::<6>(40);
        }
        if self.opcode.val() == 0x12 {
            // response of an operation that this NIC never asks for
            self.fate.next = FrameFate::Dropped;
            self.counter.next = bits_u::<6>(27);
        }
        if self.wrong_port.val() {
            self.fate.next = FrameFate::Dropped;
            self.counter.next = bits_u::<6>(23);
        }
        if self.raw.val().source_ip != self.of_queue_pair.val().remote_ip {
            self.fate.next = FrameFate::Dropped;
            self.counter.next = bits_u::<6>(22);
        }
        if !self.alive.val() {
            self.fate.next = FrameFate::Dropped;
            self.counter.next = bits_u::<6>(21);
        }
        if self.role.val() == FrameRole::Control {
            self.fate.next = FrameFate::Control;
            self.counter.next = bits_u::<6>(0);
        }
        if self.drop_code.val().any() {
            self.fate.next = FrameFate::Dropped;
            self.counter.next = bit_cast_u::<6, 5>(self.drop_code.val());
            if self.drop_code.val() == 1 {
                // the MAC has counted it
                self.counter.next = bits_u::<6>(0);
            }
            if self.drop_code.val() == 19 {
                self.counter.next = bits_u::<6>(16);
            }
            if self.drop_code.val() > 19 {
                self.counter.next = bit_cast_u::<6, 5>(self.drop_code.val()) - 1;
            }
        }

        // INT, zero behind its length
        self.carried.next = bit_cast_word::<IntBody, W<560, 9>>(self.raw.val().body);
        self.int_stack.next = bits_zero::<IntStack>(0);
        if self.int_length.val() >= 2 {
            self.int_stack.next.header = self.carried.val().int_stack.header;
        }
        if self.int_length.val() > 8 {
            self.int_stack.next.hop_1 = self.carried.val().int_stack.hop_1;
        }
        if self.int_length.val() > 16 {
            self.int_stack.next.hop_2 = self.carried.val().int_stack.hop_2;
        }
        if self.int_length.val() > 24 {
            self.int_stack.next.hop_3 = self.carried.val().int_stack.hop_3;
        }
        if self.int_length.val() > 32 {
            self.int_stack.next.hop_4 = self.carried.val().int_stack.hop_4;
        }
        if self.int_length.val() > 40 {
            self.int_stack.next.hop_5 = self.carried.val().int_stack.hop_5;
        }
        fields!(row: opcode, ack_req = raw.ack_req, ecn = raw.ecn);
        self.row.next.qp = bit_cast_u::<8, 24>(self.raw.val().qpn);
        fields!(row from raw: psn, extension, payload_at, payload_length);
        fields!(row: int_length);
        self.row.next.int_stack = bit_cast_bus::<336, 6, IntStack>(self.int_stack.val());
        fields!(row: generation = of_queue_pair.generation, mtu = of_queue_pair.mtu, int_on, role);
    }
}
