//! What a judged frame is, given the context of its queue pair. Without registers.

use crate::nic::words::{Context, RxRow};
use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
use crate::prim::wide::{bit_cast_w, bit_cast_ww, W};
use crate::rx::lookup::RawRow;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Classifies one frame.
///
/// | fate | is | goes to |
/// |---|---|---|
/// | 0 | dropped | counter |
/// | 1 | request | responder |
/// | 2 | READ response | requester, which decides |
/// | 3 | acknowledgement | commit |
/// | 4 | READ echo | congestion control of the READ response flow |
/// | 5 | congestion notification | congestion control of the request flow |
/// | 6 | control packet | manager |
#[block]
pub struct Classify {
    /// The frame.
    pub raw: Signal<In, RawRow>,
    /// Context of the queue pair that its BTH names, by the low eight bits.
    pub of_queue_pair: Signal<In, Context>,
    /// See above.
    pub fate: Signal<Out, U<3>>,
    /// What is counted, as a place in `Counter::ALL`; 0 nothing.
    pub counter: Signal<Out, U<6>>,
    /// The row for the engines.
    pub row: Signal<Out, RxRow>,
    opcode: Signal<Local, U<8>>,
    drop_code: Signal<Local, U<5>>,
    role: Signal<Local, U<2>>,
    int_length: Signal<Local, U<6>>,
    int: [Signal<Local, W<336, 6>>; 7],
    alive: Signal<Local, Bit>,
    int_on: Signal<Local, Bit>,
    is_cnp: Signal<Local, Bit>,
    is_echo: Signal<Local, Bit>,
    is_ack: Signal<Local, Bit>,
    wants_role: Signal<Local, U<2>>,
    wrong_port: Signal<Local, Bit>,
}

#[kernel]
impl Logic for Classify {
    fn update(&mut self) {
        self.drop_code.next = self.raw.val().get_bits::<5>(592);
        self.role.next = self.raw.val().get_bits::<2>(597);
        self.int_length.next = self.raw.val().get_bits::<6>(601);
        self.opcode.next = self.raw.val().get_bits::<8>(607);
        self.alive.next = self.of_queue_pair.val().get_bit(0) & (self.raw.val().get_bits::<16>(631) == 0);
        self.int_on.next = self.of_queue_pair.val().get_bit(132);
        self.is_cnp.next = self.opcode.val() == 0x81;
        self.is_echo.next = self.opcode.val() == 0xd1;
        self.is_ack.next = self.opcode.val() == 0x11;
        self.wants_role.next = bits_u::<2>(0);
        if self.int_on.val() {
            self.wants_role.next = bits_u::<2>(1);
            if self.is_ack.val() | self.is_echo.val() {
                self.wants_role.next = bits_u::<2>(2);
            }
        }
        self.wrong_port.next = !self.is_cnp.val()
            & ((self.role.val() != self.wants_role.val()) | (self.is_echo.val() & !self.int_on.val()));

        self.fate.next = bits_u::<3>(1);
        self.counter.next = bits_u::<6>(0);
        if (self.opcode.val() >= 0x0d) & (self.opcode.val() <= 0x10) {
            self.fate.next = bits_u::<3>(2);
        }
        if self.is_ack.val() {
            self.fate.next = bits_u::<3>(3);
        }
        if self.is_echo.val() {
            self.fate.next = bits_u::<3>(4);
        }
        if self.is_cnp.val() {
            self.fate.next = bits_u::<3>(5);
            self.counter.next = bits_u::<6>(40);
        }
        if self.opcode.val() == 0x12 {
            // response of an operation that this NIC never asks for
            self.fate.next = bits_u::<3>(0);
            self.counter.next = bits_u::<6>(27);
        }
        if self.wrong_port.val() {
            self.fate.next = bits_u::<3>(0);
            self.counter.next = bits_u::<6>(23);
        }
        if self.raw.val().get_bits::<32>(560) != self.of_queue_pair.val().get_bits::<32>(9) {
            self.fate.next = bits_u::<3>(0);
            self.counter.next = bits_u::<6>(22);
        }
        if !self.alive.val() {
            self.fate.next = bits_u::<3>(0);
            self.counter.next = bits_u::<6>(21);
        }
        if self.role.val() == 3 {
            self.fate.next = bits_u::<3>(6);
            self.counter.next = bits_u::<6>(0);
        }
        if self.drop_code.val().any() {
            self.fate.next = bits_u::<3>(0);
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
        self.int[0].next = bit_cast_w::<336, 6, 1>(bits_u::<1>(0));
        self.int[1].next = self.int[0].val();
        if self.int_length.val() >= 2 {
            self.int[1].next = bit_cast_w::<336, 6, 16>(self.raw.val().get_bits::<16>(544)) << 320;
        }
        self.int[2].next = self.int[1].val();
        if self.int_length.val() > 8 {
            self.int[2].next =
                self.int[1].val() | (bit_cast_w::<336, 6, 64>(self.raw.val().get_bits::<64>(480)) << 256);
        }
        self.int[3].next = self.int[2].val();
        if self.int_length.val() > 16 {
            self.int[3].next =
                self.int[2].val() | (bit_cast_w::<336, 6, 64>(self.raw.val().get_bits::<64>(416)) << 192);
        }
        self.int[4].next = self.int[3].val();
        if self.int_length.val() > 24 {
            self.int[4].next =
                self.int[3].val() | (bit_cast_w::<336, 6, 64>(self.raw.val().get_bits::<64>(352)) << 128);
        }
        self.int[5].next = self.int[4].val();
        if self.int_length.val() > 32 {
            self.int[5].next = self.int[4].val() | (bit_cast_w::<336, 6, 64>(self.raw.val().get_bits::<64>(288)) << 64);
        }
        self.int[6].next = self.int[5].val();
        if self.int_length.val() > 40 {
            self.int[6].next = self.int[5].val() | (bit_cast_w::<336, 6, 64>(self.raw.val().get_bits::<64>(224)) << 0);
        }
        self.row.next = bit_cast_w::<550, 9, 8>(self.opcode.val())
            | (bit_cast_w::<550, 9, 1>(self.raw.val().get_bits::<1>(615)) << 8)
            | (bit_cast_w::<550, 9, 2>(self.raw.val().get_bits::<2>(599)) << 9)
            | (bit_cast_w::<550, 9, 8>(self.raw.val().get_bits::<8>(623)) << 11)
            | (bit_cast_w::<550, 9, 24>(self.raw.val().get_bits::<24>(647)) << 19)
            | (bit_cast_ww::<550, 9, 128, 2>(bit_cast_ww::<128, 2, 816, 13>(self.raw.val() >> 687)) << 43)
            | (bit_cast_w::<550, 9, 7>(self.raw.val().get_bits::<7>(616)) << 171)
            | (bit_cast_w::<550, 9, 16>(self.raw.val().get_bits::<16>(671)) << 178)
            | (bit_cast_w::<550, 9, 6>(self.int_length.val()) << 194)
            | (bit_cast_ww::<550, 9, 336, 6>(self.int[6].val()) << 200)
            | (bit_cast_w::<550, 9, 8>(self.of_queue_pair.val().get_bits::<8>(1)) << 536)
            | (bit_cast_w::<550, 9, 3>(self.of_queue_pair.val().get_bits::<3>(129)) << 544)
            | (bit_cast_w::<550, 9, 1>(bit_cast_b(self.int_on.val())) << 547)
            | (bit_cast_w::<550, 9, 2>(self.role.val()) << 548);
    }
}
