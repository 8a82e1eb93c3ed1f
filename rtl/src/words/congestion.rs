//! What goes through a congestion-control law, and what it keeps of a flow.

use super::switch::HopRecordWord;
use crate::prim::uint::U;
use crate::prim::word::Many;
use rust_hdl::prelude::Bit;

crate::kind! {
    /// What happened to a flow, as [`hpcc_models::cc::EventKind`].
    pub enum CcEventKind: 3 {
        /// Acknowledgement.
        Ack,
        /// Negative acknowledgement.
        Nak,
        /// Congestion notification packet.
        Cnp,
        /// Retransmission timeout.
        Timeout,
        /// A timer of the law.
        Tick,
        /// Packets were sent.
        Sent,
        /// A probe answered.
        Probe,
    }
}

crate::kind! {
    /// Law of a flow, codes as [`hpcc_models::fixed::LAWS`].
    pub enum LawCode {
        /// None.
        None,
        /// HPCC.
        Hpcc,
        /// DCQCN.
        Dcqcn,
        /// PowerTCP.
        PowerTcp,
        /// theta-PowerTCP.
        Theta,
    }
}

crate::kind! {
    /// Where a register of a law of INT stands.
    pub enum ParamTable {
        /// Scalars.
        Scalar,
        /// Time of a unit of bytes, by speed code.
        BusyTime,
        /// Weight of a unit of the queue, by speed code.
        QueueWeight,
        /// Time from which a record is stale, by speed code.
        StaleTime,
    }
}

crate::word! {
    /// Which laws a queue pair may have, bit by bit in the order of [`LawCode`].
    pub struct BuiltLaws {
        /// None: always.
        none: Bit,
        /// HPCC.
        hpcc: Bit,
        /// DCQCN.
        dcqcn: Bit,
        /// PowerTCP.
        powertcp: Bit,
        /// theta-PowerTCP.
        theta: Bit,
        /// Zero.
        reserved: U<3>,
    }

    /// Address of a register of a law.
    pub struct ParamAddress {
        /// The scalar, or the speed code.
        entry: U<4>,
        /// Which table.
        group: ParamTable,
    }

    /// What the interlock at the entry of a law looks at: an event that waits.
    pub struct EventHead {
        /// Flow number.
        flow: U<16>,
        /// Generation of the flow.
        generation: U<8>,
        /// An acknowledgement of either kind, or what the law takes for one; it takes no other events.
        acknowledges: Bit,
    }

    /// A flow begins or ends.
    pub struct LawCommand {
        /// Flow number.
        flow: U<16>,
        /// Generation of the flow.
        generation: U<8>,
        /// The flow is created.
        create: Bit,
    }

    /// What an acknowledgement says, flow and generation aside.
    pub struct AckWord {
        /// Records of the hops, the first switch first.
        hops: Many<HopRecordWord, 5>,
        /// The NIC's clock, ns.
        now: U<48>,
        /// XOR of the switches' ids.
        path_id: U<12>,
        /// Switches on the path.
        n_hop: U<4>,
        /// Next PSN to send.
        snd_nxt: U<24>,
        /// Acknowledged PSN + 1.
        psn_next: U<24>,
        /// The INT fields are present and sound.
        int_valid: Bit,
        /// It acknowledges nothing, and is always an update: the response to a probe.
        probe: Bit,
    }

    /// What a law of INT keeps of a flow's last acknowledgement.
    pub struct FlowRecord {
        /// Records of the hops.
        hops: Many<HopRecordWord, 5>,
        /// The NIC's clock when they were looked at, ns.
        last_ack: U<48>,
        /// XOR of the switches' ids.
        path_id: U<12>,
        /// Switches on the path.
        n_hop: U<4>,
        /// The round trip ends when a PSN after this is acknowledged (HPCC: `lastUpdateSeq`).
        round_end: U<24>,
        /// Generation of the flow.
        generation: U<8>,
        /// There are hop records.
        recorded: Bit,
        /// The flow exists.
        exists: Bit,
    }

    /// How a law of INT treats a flow's records.
    pub struct RecordRules {
        /// Every acknowledgement ends a round trip.
        always_ends: Bit,
        /// Nothing happens within a round trip.
        quiet_within: Bit,
        /// Records do not grow old and are not bound to a path.
        ageless: Bit,
        /// Without a hop that counts, the round trip goes on.
        needs_sample: Bit,
        /// The end of the round trip only moves forward.
        only_forward: Bit,
    }

    /// What passes the records of a law, one clock after another.
    pub struct Passing {
        /// Generation.
        generation: U<8>,
        /// The command creates.
        create: Bit,
        /// It is a command.
        command: Bit,
        /// There is an event or a command.
        valid: Bit,
    }

    /// What a lane gets of its hop.
    pub struct HopSample {
        /// Time between the two stamps, ns.
        elapsed: U<24>,
        /// Bytes sent between them, in units of 128 bytes times the multiplier.
        tx: U<20>,
        /// Queue now, in units of 80 bytes times the multiplier.
        queued: U<16>,
        /// Queue at the stamp before.
        last_queued: U<16>,
        /// Time of a unit of bytes at the hop's speed, over eta, UQ12.22 ns.
        busy_time: U<34>,
        /// Weight of a unit of the queue at the hop's speed, UQ2.32.
        queue_weight: U<34>,
    }

    /// What kind of step an event is.
    pub struct StepKind {
        /// An update follows.
        live: Bit,
        /// The flow begins.
        created: Bit,
        /// There are records to compare with, and as many hops count as the law needs: its algorithm applies.
        sampled: Bit,
        /// The acknowledgement ends a round trip.
        ends_round: Bit,
        /// The acknowledgement came over another path.
        path_changed: Bit,
    }

    /// What the step does to the windows.
    pub struct WindowStep {
        /// An update follows.
        live: Bit,
        /// The flow begins.
        created: Bit,
        /// There is a new window.
        windowed: Bit,
        /// The acknowledgement ends a round trip.
        ends_round: Bit,
    }

    /// Whose step it is.
    pub struct FlowTag {
        /// Flow number.
        flow: U<16>,
        /// Generation of the flow.
        generation: U<8>,
    }

    /// What a law answers.
    pub struct LawUpdate {
        /// Flow number.
        flow: U<16>,
        /// Generation of the flow.
        generation: U<8>,
        /// Window, UQ23.11 bytes.
        window: U<34>,
        /// Pacing rate, UQ7.27 bytes per ns.
        rate: U<34>,
        /// What the law thinks of the path: HPCC's `U / eta`, UQ17.34; PowerTCP's power over eta, UQ20.31.
        signal: U<51>,
    }

    /// HPCC's window of a flow.
    pub struct HpccWindow {
        /// Reference window, UQ23.11 bytes.
        reference_window: U<34>,
        /// Window, UQ23.11 bytes.
        window: U<34>,
        /// `incStage`.
        stage: U<8>,
    }

    /// How PowerTCP is run, [`hpcc_models::fixed::powertcp::PowerMode`].
    pub struct PowerModes {
        /// The law reads round-trip times: theta-PowerTCP, a block of its own.
        theta: Bit,
        /// The byte counter counts arrivals: the queue's growth is in it.
        arrivals: Bit,
        /// Both terms of the window use the old one.
        old_in_both: Bit,
        /// The old window is that of the last full update, not of the round trip before.
        last_full: Bit,
        /// 0: every acknowledgement; 1: the window once a round trip; 2: nothing within a round trip.
        reaction: U<2>,
        /// The base round-trip time is the smallest seen (theta-PowerTCP).
        smallest_rtt: Bit,
        /// The first acknowledgement is an update (theta-PowerTCP).
        first_updates: Bit,
        /// Records do not grow old and are not bound to a path.
        ageless: Bit,
        /// A round trip ends at its sequence number itself (theta-PowerTCP).
        inclusive: Bit,
        /// An acknowledgement without a round-trip time (theta-PowerTCP): 0: nothing; 1: it measures the base; 2: it repeats the last.
        missing_rtt: U<2>,
    }

    /// Registers of PowerTCP, [`hpcc_models::fixed::powertcp::PowerRegisters`].
    pub struct PowerScalars {
        /// Mode bits.
        mode: PowerModes,
        /// `tau`, ns.
        base_rtt: U<17>,
        /// Left shift that normalises `tau`.
        base_rtt_shift: U<3>,
        /// `2^50 / tau` of the normalised `tau`.
        inverse_base_rtt: U<34>,
        /// Power of a new flow over eta, UQ17.31.
        power_init: U<48>,
        /// Smallest power over eta, UQ17.31.
        smallest_power: U<48>,
        /// Smallest current over eta, UQ11.37.
        current_floor: U<48>,
        /// First and largest window, UQ23.11 bytes.
        w_init: U<34>,
        /// Smallest window, UQ23.11 bytes.
        w_min: U<34>,
        /// `gamma beta`, UQ23.14 bytes.
        beta: U<37>,
        /// `gamma`, UQ1.33.
        gamma: U<34>,
        /// `1 / tau` for the rate, UQ0.43.
        rate_per_window: U<34>,
        /// Age limit of a flow's records, ns.
        stale_limit: U<32>,
        /// theta-PowerTCP: 8 ns over eta and the factor of `tau`, UQ12.22.
        unit_time: U<34>,
    }

    /// What an acknowledgement says to a law of delay, flow and generation aside.
    pub struct DelayWord {
        /// The NIC's clock when it came, ns.
        now: U<48>,
        /// When the acknowledged packet left, ns.
        sent_at: U<48>,
        /// Next PSN to send.
        snd_nxt: U<24>,
        /// Acknowledged PSN + 1.
        psn_next: U<24>,
        /// When the packet left is known.
        sent_valid: Bit,
    }

    /// What theta-PowerTCP keeps of a flow's last acknowledgement.
    pub struct DelayRecord {
        /// Its round-trip time, ns, saturated.
        prev_rtt: U<24>,
        /// Base round-trip time of the flow, ns.
        base_rtt: U<17>,
        /// The NIC's clock when it was measured, ns.
        last_ack: U<48>,
        /// The round trip ends when a PSN after this is acknowledged.
        round_end: U<24>,
        /// Generation of the flow.
        generation: U<8>,
        /// There is a round-trip time.
        recorded: Bit,
        /// The flow exists.
        exists: Bit,
    }

    /// A time, ns, whose upper half says that it is beyond what the law measures.
    pub struct LongTime {
        /// Lower half.
        measured: U<24>,
        /// Upper half.
        beyond: U<24>,
    }

    /// A round-trip time beside the one before.
    pub struct DelaySample {
        /// Growth of the round-trip time and the time since the last acknowledgement together: what came, ns.
        came: U<24>,
        /// Time since the last acknowledgement, ns.
        elapsed: U<24>,
        /// Round-trip time, ns.
        rtt: U<24>,
        /// Base round-trip time of the flow, ns.
        base_rtt: U<17>,
    }

    /// PowerTCP's windows of a flow, UQ23.11 bytes.
    pub struct PowerWindows {
        /// `cwnd`.
        current: U<34>,
        /// `cwnd_old`.
        old: U<34>,
        /// The next `cwnd_old`.
        stored: U<34>,
    }

    /// How far a window lies above a bound, UQ25.14 bytes.
    pub struct WindowSide {
        /// Amount, two's complement.
        amount: U<40>,
        /// The value lies below.
        below: Bit,
    }

    /// A utilisation in two halves, which are compared at once.
    pub struct UtilisationHalves {
        /// Lower half.
        lower: U<25>,
        /// Upper half.
        upper: U<26>,
    }

    /// A reference window times an inverse utilisation.
    pub struct ScaledWindow {
        /// Window with three guard bits, UQ23.14 bytes.
        window: U<37>,
        /// What is beyond: larger than every window.
        over: U<22>,
    }

    /// What a port-speed table has about a speed code.
    pub struct SpeedEntry {
        /// Time of one `txBytes` unit over eta, UQ12.22 ns.
        busy_time: U<34>,
        /// Weight of one `qLen` unit over eta, UQ2.32.
        queue_weight: U<34>,
        /// Elapsed time from which a record is stale, ns.
        stale_ns: U<24>,
        /// The code may be used.
        valid: Bit,
    }
}
