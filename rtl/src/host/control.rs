//! Admission of control packets: form, switch, source, key, sequence, rate. For trusted networks only.
//!
//! Reference: `hpcc_models::nic`'s `control`. All comparisons take the same clocks whatever their outcome; a refusal is one pulse and has
//! no other effect.

use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_bus, bit_cast_word, bits_zero};
use crate::words::context::{AdmittedRequest, ControlBody, QpContext};
use crate::words::rx::ControlPacket;
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// One packet at a time; a request is offered three clocks after its packet is taken.
#[block]
pub struct ControlGate {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: sequence and time start over.
    pub reset: Signal<In, Bit>,
    /// Control packets: `ControlPacket`.
    pub packet: StreamIn<W<593, 10>>,
    /// The NIC's clock, ns.
    pub now: Signal<In, U<48>>,
    /// Register.
    pub cfg_control_enable: Signal<In, Bit>,
    /// Register: MTU code of queue pairs that are created.
    pub cfg_mtu: Signal<In, U<3>>,
    /// Register: their law.
    pub cfg_default_law: Signal<In, U<3>>,
    /// Register: least time between two, ns.
    pub cfg_control_interval: Signal<In, U<32>>,
    /// Register.
    pub cfg_control_key: Signal<In, U<64>>,
    /// Registers: eight addresses, 0 is none.
    pub cfg_control_sources: Signal<In, W<256, 4>>,
    /// Admitted.
    pub request: StreamOut<AdmittedRequest>,
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
    held: DFF<ControlPacket>,
    body: Signal<Local, ControlBody>,
    created: Signal<Local, QpContext>,
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
            self.held.d.next = bit_cast_word::<ControlPacket, W<593, 10>>(self.packet.data.val());
            self.step.d.next = bits_u::<2>(1);
        }

        // 1: comparisons; `HPCC`, version 1, operation 1 to 3
        self.body.next = bit_cast_word::<ControlBody, W<560, 9>>(self.held.q.val().body);
        assign!(asked = body.operation, source = held.source_ip);
        self.from_list.next = false;
        for i in 0..8 {
            if self.cfg_control_sources.val().get_bits::<32>(i * 32) == self.source.val() {
                self.from_list.next = true;
            }
        }
        self.form_ok.d.next = self.held.q.val().right_length
            & (self.body.val().magic == 0x48504343)
            & (self.body.val().version == 1)
            & (self.asked.val() != 0)
            & (self.asked.val() <= 3);
        self.source_ok.d.next = self.from_list.val() & self.source.val().any() & self.cfg_control_enable.val();
        self.key_ok.d.next = self.body.val().key == self.cfg_control_key.val();
        self.sequence_ok.d.next = self.body.val().sequence_number > self.sequence.q.val();
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
                self.sequence.d.next = self.body.val().sequence_number;
                self.earliest.d.next = self.now_r.q.val() + bit_cast_u::<48, 32>(self.cfg_control_interval.val());
            } else {
                self.step.d.next = bits_u::<2>(0);
            }
        }
        if (self.step.q.val() == 3) & self.request.ready.val() {
            self.step.d.next = bits_u::<2>(0);
        }
        self.request.valid.next = self.step.q.val() == 3;
        self.request.data.next.request = self.body.val().request;
        self.request.data.next.operation = bit_cast_u::<2, 8>(self.asked.val());
        self.refused.next = self.refused_r.q.val();

        // as a command: peer, MTU, INT, law, both first PSNs
        self.operation.next = bits_u::<3>(1);
        self.fits.next = !(self.body.val().request.qpn_high
            | self.body.val().request.remote_qpn_high
            | self.body.val().request.first_psn_high)
            .any();
        if self.asked.val() == 3 {
            self.operation.next = bits_u::<3>(2);
            self.fits.next = !self.body.val().request.qpn_high.any();
        }
        self.created.next = bits_zero::<QpContext>(0);
        fields!(created: remote_ip = body.request.remote_ip, remote_qpn = body.request.remote_qpn, mtu = cfg_mtu);
        self.created.next.int_on = true;
        fields!(created:
            law = cfg_default_law, send_psn = body.request.first_psn, expected_psn = body.request.first_psn);
        self.new_context.next = bit_cast_bus::<384, 6, QpContext>(self.created.val());
        reset!(step, sequence, earliest, refused_r);
    }
}
