//! What reaches scheduler and congestion control from the other blocks.

use crate::prim::uint::U;
use crate::prim::wide::W;
use rust_hdl::prelude::Bit;

crate::word! {
    /// Number of a flow in nine bits.
    pub struct QpHalf {
        /// The flow of its READ responses; low: that of its requests.
        response: Bit,
        /// Queue pair.
        qp: U<8>,
    }

    /// Number of a flow, made of its queue pair: each has two.
    pub struct QpFlow {
        /// The flow of its READ responses; low: that of its requests.
        response: Bit,
        /// Queue pair.
        qp: U<8>,
        /// Zero.
        reserved: U<7>,
    }

    /// What is special about a packet that the scheduler lets go.
    pub struct GrantMarks {
        /// The packet was sent before.
        repeated: Bit,
        /// An acknowledgement is to be asked for: it fills the window, or is the first one after a rewind.
        asks: Bit,
        /// The first one after a rewind.
        rewound: Bit,
    }

    /// A flow of a generation.
    pub struct FlowOfGeneration {
        /// Flow number.
        flow: U<16>,
        /// Generation.
        generation: U<8>,
    }

    /// A flow that has ended at one of its retry limits.
    pub struct EndedFlow {
        /// Flow number.
        flow: U<16>,
        /// Generation.
        generation: U<8>,
        /// At that of waits for a receiver that is not ready, not of timeouts.
        not_ready: Bit,
    }

    /// A packet of a flow, or work up to it.
    pub struct FlowPacket {
        /// Flow number.
        flow: U<16>,
        /// Generation.
        generation: U<8>,
        /// PSN; of work one past its last.
        psn: U<24>,
    }

    /// A packet of a request that was spoiled, because its payload could not be read.
    pub struct FailedPacket {
        /// The packet.
        packet: FlowPacket,
        /// The region of its payload stands no longer; low: host memory failed.
        refused: Bit,
    }

    /// What the congestion control hears of a frame that needs no engine.
    pub struct Notice {
        /// Kind of event, as `CcEventKind`.
        event_kind: U<3>,
        /// It is for the flow of the READ responses.
        response: Bit,
        /// Queue pair.
        qp: U<8>,
        /// Generation.
        generation: U<8>,
        /// PSN.
        psn: U<24>,
        /// Congestion experienced.
        ecn: Bit,
        /// Bytes of INT.
        int_length: U<6>,
        /// INT, first byte in the highest bits.
        int_stack: W<336, 6>,
    }

    /// An event on its way to the scheduler.
    pub struct FlowEvent {
        /// Records of the hops.
        hops: W<320, 5>,
        /// Path id.
        path_id: U<12>,
        /// Number of hops.
        n_hop: U<4>,
        /// There is INT.
        int_valid: Bit,
        /// Congestion experienced.
        ecn: Bit,
        /// Acknowledged PSN + 1.
        psn_next: U<24>,
        /// Generation.
        generation: U<8>,
        /// Flow number.
        flow: U<9>,
        /// Kind of event, as `CcEventKind`.
        event_kind: U<3>,
        /// The NIC's clock when it came, ns.
        now: U<48>,
        /// When the acknowledged packet left, ns.
        sent_at: U<48>,
        /// The time at which the packet left is known.
        sent_valid: Bit,
        /// The receiver was not ready for the packet `psn_next`.
        not_ready: Bit,
        /// Then its timer code.
        rnr_timer: U<5>,
    }

    /// Work on its way to the scheduler.
    pub struct FlowWork {
        /// Flow number.
        flow: U<9>,
        /// Generation.
        generation: U<8>,
        /// One past the last PSN.
        end_psn: U<24>,
        /// First PSN of a restart.
        start_psn: U<24>,
        /// Start over at `start_psn`.
        restart: Bit,
    }

    /// A command on its way to the scheduler.
    pub struct FlowCommand {
        /// Create; low: remove, or `limit`.
        create: Bit,
        /// Flow number.
        flow: U<9>,
        /// Generation.
        generation: U<8>,
        /// First PSN.
        psn: U<24>,
        /// Payload of a full packet is 256 << mtu bytes.
        mtu: U<3>,
        /// Priority, as pause counts them.
        pause_class: U<3>,
        /// No window.
        windowless: Bit,
        /// No timer: READ responses.
        timerless: Bit,
        /// The flow's cap and group are written.
        limit: Bit,
        /// Cap, UQ7.27 bytes per ns.
        rate: U<34>,
        /// Group.
        group: U<4>,
    }

    /// Window and rate of a flow on their way to the scheduler.
    pub struct FlowUpdate {
        /// Flow number.
        flow: U<16>,
        /// Generation.
        generation: U<8>,
        /// Window, UQ23.11 bytes.
        window: U<34>,
        /// Rate, UQ7.27 bytes per ns.
        rate: U<34>,
    }
}
