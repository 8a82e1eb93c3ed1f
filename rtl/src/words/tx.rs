//! Beats of frames on their way out.

use crate::prim::uint::U;
use crate::prim::wide::W;
use rust_hdl::prelude::Bit;

crate::word! {
    /// Base transport header as it stands on the wire, first byte in the highest bits.
    pub struct Bth {
        /// PSN.
        psn: U<24>,
        /// Acknowledge request in the highest bit, rest reserved.
        ack_req: U<8>,
        /// Queue pair of the receiver.
        dest_qp: U<24>,
        /// FECN, BECN, rest reserved.
        notice: U<8>,
        /// Partition key.
        pkey: U<16>,
        /// Solicited event, migration, pad count, transport version.
        flags: U<8>,
        /// Operation.
        opcode: U<8>,
    }

    /// Type of service of an IPv4 header.
    pub struct TypeOfService {
        /// ECN field: 0 not capable of marks, 1 or 2 capable, 3 marked.
        ecn: U<2>,
        /// Differentiated services code point.
        dscp: U<6>,
    }

    /// What happens to a beat when its ICRC is known.
    pub struct AppendPlan {
        /// There is a beat.
        valid: Bit,
        /// The ICRC, or half of it, goes into this beat.
        appends: Bit,
        /// Its upper half, the lower one ended the beat before.
        high: Bit,
        /// Where it goes within eight bytes, two bytes each.
        offset: U<2>,
        /// Which eight bytes it goes into.
        eight: U<3>,
        /// Bytes of the beat that belong to the frame.
        count: U<7>,
        /// It is the frame's last.
        last: Bit,
        /// The frame is bad; counts with `last`.
        bad: Bit,
        /// Travels beside the beat.
        note: U<44>,
    }

    /// A beat of a frame with its note, in the FIFO.
    pub struct NotedBeat {
        /// Bytes, the first lowest.
        data: W<512, 8>,
        /// Which of them belong to the frame.
        keep: U<64>,
        /// It is the frame's last.
        last: Bit,
        /// The frame is bad; with `last`.
        bad: Bit,
        /// Travels beside the beat.
        note: U<44>,
    }
}
