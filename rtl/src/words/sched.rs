//! What the scheduler keeps of a flow, and the operations on it.

use crate::prim::uint::U;
use crate::prim::wide::W;
use rust_hdl::prelude::Bit;

crate::kind! {
    /// What happens to a flow, as [`hpcc_models::sched::Op`].
    pub enum OpKind {
        /// Acknowledgement.
        Ack,
        /// Negative acknowledgement.
        Nak,
        /// Congestion control only.
        Notify,
        /// Work.
        Work,
        /// A READ request was sent.
        Advance,
        /// Rate and window.
        Update,
        /// The timer looks.
        Tick,
        /// Creation.
        Create,
        /// Removal.
        Remove,
        /// After reset: the flow is removed whatever its generation, and is not in the ring.
        Clear,
        /// Work from a new start.
        Restart,
        /// Cap and group.
        Limit,
        /// Acknowledgement of what is before a packet for which the receiver was not ready.
        Wait,
    }
}

crate::word! {
    /// One operation.
    pub struct Operation {
        /// Kind of the item.
        kind: OpKind,
        /// Generation that it is meant for.
        generation: U<8>,
        /// PSN.
        psn: U<24>,
        /// Second PSN (the start of a restart, or one past the last PSN of a READ).
        second: U<24>,
        /// Window, UQ23.11.
        window: U<34>,
        /// Rate, UQ7.27.
        rate: U<34>,
        /// Payload of a full packet is 256 << mtu bytes.
        mtu: U<3>,
        /// Priority, as pause counts them.
        pause_class: U<3>,
        /// No window.
        windowless: Bit,
        /// No timer: READ responses.
        timerless: Bit,
        /// Group.
        group: U<4>,
        /// Timer code of a receiver that is not ready.
        rnr_timer: U<5>,
    }

    /// What visits read of a flow's sender state.
    pub struct FlowShared {
        /// Oldest PSN that is not acknowledged.
        una: U<24>,
        /// One past the last PSN of the work.
        end_psn: U<24>,
        /// First PSN of the READ that was asked for last.
        from: U<24>,
        /// One past its last PSN.
        to: U<24>,
        /// Generation.
        generation: U<8>,
        /// Rewinds, counted.
        rewinds: U<4>,
        /// Restarts, counted.
        restarts: U<4>,
        /// Payload of a full packet is 256 << mtu bytes.
        mtu: U<3>,
        /// Priority, as pause counts them.
        pause_class: U<3>,
        /// The flow exists.
        alive: Bit,
        /// No window.
        windowless: Bit,
    }

    /// Whether a flow exists, and which one it is.
    pub struct LiveFlow {
        /// The queue pair or flow exists.
        alive: Bit,
        /// Generation.
        generation: U<8>,
    }

    /// A flow's sender state, [`hpcc_models::sched::SenderState`].
    pub struct SenderFlow {
        /// State that visits read.
        shared: FlowShared,
        /// When the timer was armed or something was acknowledged, 1.024 us.
        since: U<16>,
        /// Timeouts since then.
        retries: U<4>,
        /// Low bits of the next PSN when the timer looked last.
        sent: U<8>,
        /// The timer runs.
        armed: Bit,
        /// No timer: READ responses.
        timerless: Bit,
        /// The receiver was not ready for `una`: nothing is granted until the time is over.
        waits: Bit,
        /// What was left of that time at `since`, 1.024 us.
        rnr_left: U<20>,
        /// Such waits since the last progress, modulo 8.
        rnr_waits: U<3>,
    }

    /// What events read of a flow's visits, a part of [`hpcc_models::sched::VisitState`].
    pub struct Visited {
        /// Next PSN.
        nxt: U<24>,
        /// One past the highest PSN that was sent.
        max: U<24>,
        /// Rewinds that visits have carried out.
        seen: U<4>,
        /// Generation.
        generation: U<8>,
        /// Restarts that visits have carried out.
        restarts: U<4>,
        /// The flow has work, and its rate is 0.
        stopped: Bit,
    }

    /// A flow by both of its numbers.
    pub struct FlowPlace {
        /// Index within its engine.
        index: U<16>,
        /// Number.
        flow: U<16>,
    }

    /// An event's consequence for a flow's visits, on its way behind the visits that read the old sender state.
    pub struct Wake {
        /// Whose.
        place: FlowPlace,
        /// The flow may have something to send.
        wake: Bit,
        /// The flow is cleared.
        clear: Bit,
    }

    /// Rate and limits of a flow, or one of its limits, as visits use them: [`hpcc_models::sched::Pacing`].
    pub struct PacingState {
        /// Rate, UQ7.27 bytes per ns.
        rate: U<34>,
        /// Most credit that a pause saves up, bytes.
        cap: U<20>,
        /// Window, packets.
        window: U<16>,
    }

    /// A flow's cap and its group, [`hpcc_models::sched::Cap`].
    pub struct FlowCap {
        /// The cap.
        pacing: PacingState,
        /// The group.
        group: U<4>,
    }

    /// The level of a group, [`hpcc_models::sched::Level`].
    pub struct GroupLevel {
        /// Rate, UQ7.27 bytes per ns.
        rate: U<34>,
        /// Bytes earned in one visit interval.
        earned: U<20>,
        /// Window, bytes.
        window: U<23>,
    }

    /// What visits keep of a flow, [`hpcc_models::sched::VisitState`].
    pub struct VisitFlow {
        /// Next PSN.
        nxt: U<24>,
        /// One past the highest PSN that was sent.
        max: U<24>,
        /// Rewinds that visits have carried out.
        seen: U<4>,
        /// Generation.
        generation: U<8>,
        /// Restarts that visits have carried out.
        restarts: U<4>,
        /// Turns over with every leave of the ring.
        parked: Bit,
        /// Tick of the last visit.
        last: U<20>,
        /// Corrections that the credit has taken in.
        adjust_seen: U<20>,
        /// Credit, SQ20.16 bytes.
        credit: U<37>,
        /// The flow has work, and its rate is 0.
        stopped: Bit,
        /// The flow had nothing to send, or its rate was 0.
        rest: Bit,
    }

    /// Up to fifteen packets that may leave, [`hpcc_models::sched::Grant`].
    pub struct Grant {
        /// PSN of the first.
        psn: U<24>,
        /// How many; 0 is none.
        count: U<4>,
        /// How many of them were sent before.
        repeats: U<4>,
        /// The first after a rewind.
        rewound: Bit,
        /// They fill the window.
        fills: Bit,
        /// Generation.
        generation: U<8>,
        /// Flow number.
        flow: U<13>,
        /// Priority, as pause counts them.
        pause_class: U<3>,
        /// Service tag: engines with a lower one go first.
        tag: U<6>,
    }

    /// Packets to be sent that were sent before.
    pub struct RepeatCount {
        /// How many, 15 at most.
        count: U<4>,
        /// Sixteen or more.
        many: Bit,
        /// None, the next PSN is beyond all that were sent.
        passed: Bit,
    }

    /// What an acknowledgement carries past the sender state.
    pub struct Telemetry {
        /// The NIC's clock when it came, ns.
        now: U<48>,
        /// Bytes that it acknowledges; the sender state knows them.
        bytes: U<32>,
        /// When the acknowledged packet was sent, ns.
        sent_at: U<48>,
        /// The time at which the packet left is known.
        sent_valid: Bit,
        /// ECN echo.
        ecn: Bit,
        /// Records of the hops.
        hops: W<320, 5>,
        /// Path id.
        path_id: U<12>,
        /// Number of hops.
        n_hop: U<4>,
        /// There is INT.
        int_valid: Bit,
        /// Kind of event.
        event_kind: U<3>,
    }

    /// An event on its way to the congestion control.
    pub struct LawEvent {
        /// PSN that the scheduler would send next.
        snd_nxt: U<24>,
        /// PSN that the acknowledgement expects next.
        psn_next: U<24>,
        /// Generation.
        generation: U<8>,
        /// Flow number.
        flow: U<16>,
        /// The receiver was not ready for the packet that is expected next; to the scheduler alone.
        not_ready: Bit,
        /// Then its timer code.
        rnr_timer: U<5>,
        /// What the acknowledgement carried.
        telemetry: Telemetry,
    }
}
