//! Admission of control packets: form, switch, source, key, sequence, rate. For trusted networks only.
//!
//! Reference: `hpcc_models::nic`'s `control`. All comparisons take the same clocks whatever their outcome; a refusal is one pulse and has
//! no other effect.

use crate::prim::skid::{StreamIn, StreamOut};
use crate::prim::uint::{bit_cast_u, U};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_bus, bit_cast_word, bits_zero};
use crate::words::context::{AdmittedRequest, ControlBody, GateStep, HostOperation, QpContext};
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
    pub packet: StreamIn<ControlPacket>,
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
    pub operation: Signal<Out, HostOperation>,
    /// Queue pair numbers and PSN that are used fit 24 bits.
    pub fits: Signal<Out, Bit>,
    /// Context of the queue pair to create, without Ethernet address and source port.
    pub new_context: Signal<Out, W<384, 6>>,
    /// A packet was refused.
    pub refused: Signal<Out, Bit>,
    // 0 idle, 1 compare, 2 decide, 3 offer
    #[signals(Bit: from_list, admitted)]
    #[registers(Bit:
        /// The packet has the right length, magic, version and one of the three operations.
        form_ok,
        /// The packet comes from one of the addresses in the registers, and the control port is on.
        source_ok,
        /// The packet has the key of the registers.
        key_ok,
        /// The packet's sequence number is higher than that of the last packet admitted.
        sequence_ok,
        /// The least time since the last packet admitted is over.
        time_ok,
        /// A packet was refused, for one clock.
        refused_r)]
    #[registers(U<48>:
        /// Time before which no packet is admitted, ns.
        earliest,
        /// The NIC's clock of one clock ago, ns.
        now_r)]
    /// What happens to the packet that is held.
    step: DFF<GateStep>,
    /// The packet that is judged and offered.
    held: DFF<ControlPacket>,
    body: Signal<Local, ControlBody>,
    created: Signal<Local, QpContext>,
    asked: Signal<Local, U<8>>,
    source: Signal<Local, U<32>>,
    /// Sequence number of the last packet admitted.
    sequence: DFF<U<64>>,
}

#[kernel]
impl Logic for ControlGate {
    fn update(&mut self) {
        now_r = now;
        packet.ready = step == GateStep::Idle;
        if (step == GateStep::Idle) & packet.valid {
            held = packet.data;
            step = GateStep::Compare;
        }

        // comparisons; `HPCC`, version 1, operation 1 to 3
        body = bit_cast_word::<ControlBody, W<560, 9>>(held.body);
        assign!(asked = body.operation, source = held.source_ip);
        from_list = false;
        for i in 0..8 {
            if cfg_control_sources.get_bits::<32>(i * 32) == source {
                from_list = true;
            }
        }
        form_ok = held.right_length & (body.magic == 0x48504343) & (body.version == 1) & (asked != 0) & (asked <= 3);
        source_ok = from_list & source.any() & cfg_control_enable;
        key_ok = body.key == cfg_control_key;
        sequence_ok = body.sequence_number > sequence;
        time_ok = now_r >= earliest;
        if step == GateStep::Compare {
            step = GateStep::Judge;
        }

        // all or nothing
        admitted = form_ok & source_ok & key_ok & sequence_ok & time_ok;
        refused_r = (step == GateStep::Judge) & !admitted;
        if step == GateStep::Judge {
            if admitted {
                step = GateStep::Offer;
                sequence = body.sequence_number;
                earliest = now_r + bit_cast_u::<48, 32>(cfg_control_interval);
            } else {
                step = GateStep::Idle;
            }
        }
        if (step == GateStep::Offer) & request.ready {
            step = GateStep::Idle;
        }
        request.valid = step == GateStep::Offer;
        request.data.next.request = body.request;
        request.data.next.operation = bit_cast_u::<2, 8>(asked);
        refused = refused_r;

        // as a command: peer, MTU, INT, law, both first PSNs
        operation = HostOperation::CreateQp;
        fits = !(body.request.qpn_high | body.request.remote_qpn_high | body.request.first_psn_high).any();
        if asked == 3 {
            operation = HostOperation::RemoveQp;
            fits = !body.request.qpn_high.any();
        }
        created = bits_zero::<QpContext>(0);
        fields!(created: remote_ip = body.request.remote_ip, remote_qpn = body.request.remote_qpn, mtu = cfg_mtu);
        created.int_on = true;
        fields!(created:
            law = cfg_default_law, send_psn = body.request.first_psn, expected_psn = body.request.first_psn);
        new_context = bit_cast_bus::<384, 6, QpContext>(created);
        reset!(sequence, earliest, refused_r, step);
    }
}
