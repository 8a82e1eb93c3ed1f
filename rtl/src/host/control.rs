//! Admission of control packets: form, switch, source, key, sequence, rate. For trusted networks only.
//!
//! Reference: `hpcc_models::nic`'s `control`. All comparisons take the same clocks whatever their outcome; a refusal is one pulse and has
//! no other effect.

use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::wide::{bit_cast_w, bit_cast_ww, W};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// One packet at a time; a request is offered three clocks after its packet is taken.
#[block]
pub struct ControlGate {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: sequence and time start over.
    pub reset: Signal<In, Bit>,
    /// Control packets: 70 bytes after UDP, first byte in the highest of bits 559:0; source address 591:560; bit 592: what
    /// follows UDP is exactly as long as a control packet.
    pub packet: StreamIn<W<593, 10>>,
    /// The NIC's clock, ns.
    pub now: Signal<In, U<48>>,
    /// Register.
    pub cfg_control_enable: Signal<In, Bit>,
    /// Register: MTU code of queue pairs that are created.
    pub cfg_mtu: Signal<In, U<3>>,
    /// Register: least time between two, ns.
    pub cfg_control_interval: Signal<In, U<32>>,
    /// Register.
    pub cfg_control_key: Signal<In, U<64>>,
    /// Registers: eight addresses, 0 is none.
    pub cfg_control_sources: Signal<In, W<256, 4>>,
    /// Admitted: length 31:0, remote address 95:32, remote key 127:96, local key 159:128, local address 223:160, first PSN
    /// 255:224, remote IP 287:256, remote queue pair 319:288, queue pair 351:320, operation 353:352 (1 create and WRITE, 2
    /// create and READ, 3 remove).
    pub request: StreamOut<W<354, 6>>,
    /// What the request is to the manager: 1 create, 2 remove.
    pub operation: Signal<Out, U<3>>,
    /// Queue pair numbers and PSN that are used fit 24 bits.
    pub fits: Signal<Out, Bit>,
    /// Context of the queue pair to create, without Ethernet address and source port.
    pub new_context: Signal<Out, W<384, 6>>,
    /// A packet was refused.
    pub refused: Signal<Out, Bit>,
    // 0 idle, 1 compare, 2 decide, 3 offer
    step: DFF<U<2>>,
    held: DFF<W<593, 10>>,
    asked: Signal<Local, U<8>>,
    source: Signal<Local, U<32>>,
    from_list: Signal<Local, Bit>,
    form_ok: DFF<Bit>,
    source_ok: DFF<Bit>,
    key_ok: DFF<Bit>,
    sequence_ok: DFF<Bit>,
    time_ok: DFF<Bit>,
    sequence: DFF<U<64>>,
    earliest: DFF<U<48>>,
    now_r: DFF<U<48>>,
    admitted: Signal<Local, Bit>,
    refused_r: DFF<Bit>,
}

#[kernel]
impl Logic for ControlGate {
    fn update(&mut self) {
        self.now_r.d.next = self.now.val();
        self.packet.ready.next = self.step.q.val() == 0;
        if (self.step.q.val() == 0) & self.packet.valid.val() {
            self.held.d.next = self.packet.data.val();
            self.step.d.next = bits_u::<2>(1);
        }

        // 1: comparisons; `HPCC`, version 1, operation 1 to 3
        self.asked.next = self.held.q.val().get_bits::<8>(512);
        self.source.next = self.held.q.val().get_bits::<32>(560);
        self.from_list.next = false;
        for i in 0..8 {
            if self.cfg_control_sources.val().get_bits::<32>(i * 32) == self.source.val() {
                self.from_list.next = true;
            }
        }
        self.form_ok.d.next = self.held.q.val().get_bit(592)
            & (self.held.q.val().get_bits::<32>(528) == 0x48504343)
            & (self.held.q.val().get_bits::<8>(520) == 1)
            & (self.asked.val() != 0)
            & (self.asked.val() <= 3);
        self.source_ok.d.next = self.from_list.val() & self.source.val().any() & self.cfg_control_enable.val();
        self.key_ok.d.next = self.held.q.val().get_bits::<64>(432) == self.cfg_control_key.val();
        self.sequence_ok.d.next = self.held.q.val().get_bits::<64>(368) > self.sequence.q.val();
        self.time_ok.d.next = self.now_r.q.val() >= self.earliest.q.val();
        if self.step.q.val() == 1 {
            self.step.d.next = bits_u::<2>(2);
        }

        // 2: all or nothing
        self.admitted.next = self.form_ok.q.val()
            & self.source_ok.q.val()
            & self.key_ok.q.val()
            & self.sequence_ok.q.val()
            & self.time_ok.q.val();
        self.refused_r.d.next = (self.step.q.val() == 2) & !self.admitted.val();
        if self.step.q.val() == 2 {
            if self.admitted.val() {
                self.step.d.next = bits_u::<2>(3);
                self.sequence.d.next = self.held.q.val().get_bits::<64>(368);
                self.earliest.d.next = self.now_r.q.val() + bit_cast_u::<48, 32>(self.cfg_control_interval.val());
            } else {
                self.step.d.next = bits_u::<2>(0);
            }
        }
        if (self.step.q.val() == 3) & self.request.ready.val() {
            self.step.d.next = bits_u::<2>(0);
        }
        self.request.valid.next = self.step.q.val() == 3;
        self.request.data.next = bit_cast_ww::<354, 6, 352, 6>(bit_cast_ww::<352, 6, 593, 10>(self.held.q.val() >> 16))
            | (bit_cast_w::<354, 6, 2>(self.asked.val().get_bits::<2>(0)) << 352);
        self.refused.next = self.refused_r.q.val();

        // as a command: peer, MTU, INT, both first PSNs
        self.operation.next = bits_u::<3>(1);
        self.fits.next = !(self.held.q.val().get_bits::<8>(360)
            | self.held.q.val().get_bits::<8>(328)
            | self.held.q.val().get_bits::<8>(264))
        .any();
        if self.asked.val() == 3 {
            self.operation.next = bits_u::<3>(2);
            self.fits.next = !self.held.q.val().get_bits::<8>(360).any();
        }
        self.new_context.next = (bit_cast_w::<384, 6, 32>(self.held.q.val().get_bits::<32>(272)) << 9)
            | (bit_cast_w::<384, 6, 24>(self.held.q.val().get_bits::<24>(304)) << 89)
            | (bit_cast_w::<384, 6, 3>(self.cfg_mtu.val()) << 129)
            | (bit_cast_w::<384, 6, 1>(bits_u::<1>(1)) << 132)
            | (bit_cast_w::<384, 6, 24>(self.held.q.val().get_bits::<24>(240)) << 136)
            | (bit_cast_w::<384, 6, 24>(self.held.q.val().get_bits::<24>(240)) << 160);
        if self.reset.val() {
            self.step.d.next = bits_u::<2>(0);
            self.sequence.d.next = bits_u::<64>(0);
            self.earliest.d.next = bits_u::<48>(0);
            self.refused_r.d.next = false;
        }
    }
}
