//! What a judged frame is, given the context of its queue pair. Without registers.

use crate::prim::uint::{bit_cast_u, U};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_number, bit_cast_word, bits_zero};
use crate::words::context::QpContext;
use crate::words::rx::{DropCode, FrameCount, FrameFate, FrameHead, IntBody, IntParts, JudgedFrame};
use crate::words::transport::{FrameRole, RxPacket};
use crate::words::wire::{IntStack, Opcode};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Where a frame goes by its opcode alone, before anything else is known of it.
#[block]
pub struct Meant {
    /// Opcode.
    pub opcode: Signal<In, Opcode>,
    /// Where it goes.
    pub fate: Signal<Out, FrameFate>,
}

#[kernel]
impl Logic for Meant {
    fn update(&mut self) {
        fate = FrameFate::Request;
        if (opcode == Opcode::ReadResponseFirst)
            | (opcode == Opcode::ReadResponseMiddle)
            | (opcode == Opcode::ReadResponseLast)
            | (opcode == Opcode::ReadResponseOnly)
        {
            fate = FrameFate::ReadResponse;
        }
        if opcode == Opcode::Acknowledge {
            fate = FrameFate::Acknowledgement;
        }
        if opcode == Opcode::ReadEcho {
            fate = FrameFate::Echo;
        }
        if opcode == Opcode::Probe {
            fate = FrameFate::Probe;
        }
        if opcode == Opcode::Cnp {
            fate = FrameFate::Notification;
        }
        if opcode == Opcode::ProbeResponse {
            fate = FrameFate::ProbeResponse;
        }
        if opcode == Opcode::AtomicAcknowledge {
            // response to an operation that this NIC never asks for
            fate = FrameFate::Dropped;
        }
    }
}

/// Classifies one frame.
#[block]
pub struct Classify {
    /// The frame.
    pub raw: Signal<In, JudgedFrame>,
    /// What decides where it goes, from a register.
    pub head: Signal<In, FrameHead>,
    /// Parts of its INT.
    pub parts: Signal<In, IntParts>,
    /// Context of the queue pair at its place; nobody lives at place 0.
    pub of_queue_pair: Signal<In, QpContext>,
    /// Where it goes if it comes from the peer.
    pub fate: Signal<Out, FrameFate>,
    /// It does, by its source address: known late.
    pub of_peer: Signal<Out, Bit>,
    /// If it does not it is dropped, whatever else is said here.
    pub minds_peer: Signal<Out, Bit>,
    /// What is counted if its headers are not at fault.
    pub counter: Signal<Out, FrameCount>,
    /// They are.
    pub faulty: Signal<Out, Bit>,
    /// What is counted then.
    pub fault: Signal<Out, FrameCount>,
    /// The row for the engines.
    pub row: Signal<Out, RxPacket>,
    /// What follows UDP, the INT stack zero behind its length; of a control packet as it came.
    pub body: Signal<Out, IntBody>,
    #[signals(FrameRole: role, wants_role)]
    #[signals(Bit: is_control, alive, int_on, is_cnp, is_echo, is_probe, is_answer, is_ack, wrong_port)]
    meant: Signal<Local, FrameFate>,
    opcode: Signal<Local, Opcode>,
    drop_code: Signal<Local, DropCode>,
    int_length: Signal<Local, U<6>>,
    carried: Signal<Local, IntBody>,
    int_stack: Signal<Local, IntStack>,
}

#[kernel]
impl Logic for Classify {
    fn update(&mut self) {
        assign! {
            drop_code = head.drop_code, role = head.role, int_length = head.int_length, meant = head.meant, opcode = raw.opcode
        }
        alive = of_queue_pair.alive;
        int_on = of_queue_pair.int_on;
        is_cnp = meant == FrameFate::Notification;
        is_echo = meant == FrameFate::Echo;
        is_probe = meant == FrameFate::Probe;
        is_answer = meant == FrameFate::ProbeResponse;
        is_ack = meant == FrameFate::Acknowledgement;
        wants_role = FrameRole::Plain;
        if int_on {
            wants_role = if is_ack | is_echo | is_answer { FrameRole::Echoed } else { FrameRole::Collected };
        }
        wrong_port = !is_cnp & ((role != wants_role) | ((is_echo | is_probe | is_answer) & !int_on));

        fate = meant;
        counter = if is_cnp { FrameCount::Cnp } else { FrameCount::None };
        if meant == FrameFate::Dropped {
            counter = FrameCount::Stray;
        }
        if wrong_port {
            fate = FrameFate::Dropped;
            counter = FrameCount::WrongPort;
        }
        of_peer = raw.source_ip == of_queue_pair.remote_ip;
        if !alive {
            fate = FrameFate::Dropped;
            counter = FrameCount::UnknownQp;
        }
        is_control = role == FrameRole::Control;
        if is_control {
            fate = FrameFate::Control;
            counter = FrameCount::None;
        }
        faulty = drop_code != DropCode::None;
        if faulty {
            fate = FrameFate::Dropped;
        }
        minds_peer = alive & !is_control & !faulty;
        fault = bit_cast_word::<FrameCount, U<6>>(bit_cast_u::<6, 5>(bit_cast_number::<5, DropCode>(drop_code)));
        if drop_code == DropCode::MacError {
            fault = FrameCount::BadFrame;
        }
        if drop_code == DropCode::ExtensionLength {
            fault = FrameCount::TransportLength;
        }
        if drop_code == DropCode::TransportVersion {
            fault = FrameCount::TransportVersion;
        }
        if drop_code == DropCode::PartitionKey {
            fault = FrameCount::PartitionKey;
        }

        // INT, zero behind its length; a control packet has none, and all its bytes count
        carried = bit_cast_word::<IntBody, W<560, 9>>(raw.body);
        int_stack = bits_zero::<IntStack>(0);
        if parts.header {
            int_stack.header = carried.int_stack.header;
        }
        if parts.hop_1 {
            int_stack.hop_1 = carried.int_stack.hop_1;
        }
        if parts.hop_2 {
            int_stack.hop_2 = carried.int_stack.hop_2;
        }
        if parts.hop_3 {
            int_stack.hop_3 = carried.int_stack.hop_3;
        }
        if parts.hop_4 {
            int_stack.hop_4 = carried.int_stack.hop_4;
        }
        if parts.hop_5 {
            int_stack.hop_5 = carried.int_stack.hop_5;
        }
        body = carried;
        body.int_stack = int_stack;
        fields!(row from raw: opcode, ack_req, qp, psn, extension, payload_length);
        fields!(row from of_queue_pair: generation, mtu, domain, refuse_write, refuse_read);
        fields!(row: int_on);
    }
}
