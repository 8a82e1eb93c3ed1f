//! Acknowledgements on their way out.

use super::transport::AckKind;
use super::tx::FrameNote;
use super::wire::{AethSyndrome, IntHeader};
use crate::prim::uint::U;
use crate::prim::wide::W;
use rust_hdl::prelude::Bit;

crate::word! {
    /// What an acknowledgement carries behind its outer headers.
    pub struct AckPlan {
        /// There is one.
        taken: Bit,
        /// Kind of the item.
        kind: AckKind,
        /// AETH syndrome.
        syndrome: AethSyndrome,
        /// MSN.
        msn: U<24>,
        /// Bytes of INT.
        int_length: U<6>,
        /// INT, first byte in the highest bits; of a READ request `RequestExtension`.
        int_stack: W<336, 6>,
        /// 0 without INT, else 1 + records.
        int_code: U<3>,
        /// Its frame has a second beat.
        spill: Bit,
        /// Of a READ request: what is told when it has left.
        note: FrameNote,
    }

    /// The extension of a READ request in the place of INT.
    pub struct RequestExtension {
        /// No meaning.
        spare: W<208, 4>,
        /// RETH, first byte in the highest bits.
        reth: W<128, 2>,
    }

    /// BTH and AETH, first byte in the highest bits.
    pub struct AckHeaders {
        /// MSN.
        msn: U<24>,
        /// Syndrome.
        syndrome: AethSyndrome,
        /// BTH.
        bth: W<96, 2>,
    }

    /// What follows UDP in an acknowledgement without INT, first byte in the highest bits.
    pub struct AckBehind {
        /// Zero.
        spare: W<368, 6>,
        /// BTH and AETH.
        headers: AckHeaders,
    }

    /// The same with INT of no hop.
    pub struct AckBehindInt0 {
        /// Zero.
        spare: W<352, 6>,
        /// BTH and AETH.
        headers: AckHeaders,
        /// INT header.
        int_header: IntHeader,
    }

    /// The same with INT of one hop.
    pub struct AckBehindInt1 {
        /// Zero.
        spare: W<288, 5>,
        /// BTH and AETH.
        headers: AckHeaders,
        /// Record of hop 1.
        hop_1: U<64>,
        /// INT header.
        int_header: IntHeader,
    }

    /// The same with INT of two hops.
    pub struct AckBehindInt2 {
        /// Zero.
        spare: W<224, 4>,
        /// BTH and AETH.
        headers: AckHeaders,
        /// Record of hop 2.
        hop_2: U<64>,
        /// Record of hop 1.
        hop_1: U<64>,
        /// INT header.
        int_header: IntHeader,
    }

    /// The same with INT of three hops.
    pub struct AckBehindInt3 {
        /// Zero.
        spare: W<160, 3>,
        /// BTH and AETH.
        headers: AckHeaders,
        /// Record of hop 3.
        hop_3: U<64>,
        /// Record of hop 2.
        hop_2: U<64>,
        /// Record of hop 1.
        hop_1: U<64>,
        /// INT header.
        int_header: IntHeader,
    }

    /// The same with INT of four hops.
    pub struct AckBehindInt4 {
        /// Zero.
        spare: W<96, 2>,
        /// BTH and AETH.
        headers: AckHeaders,
        /// Record of hop 4.
        hop_4: U<64>,
        /// Record of hop 3.
        hop_3: U<64>,
        /// Record of hop 2.
        hop_2: U<64>,
        /// Record of hop 1.
        hop_1: U<64>,
        /// INT header.
        int_header: IntHeader,
    }

    /// The same with INT of five hops.
    pub struct AckBehindInt5 {
        /// Zero.
        spare: U<32>,
        /// BTH and AETH.
        headers: AckHeaders,
        /// Record of hop 5.
        hop_5: U<64>,
        /// Record of hop 4.
        hop_4: U<64>,
        /// Record of hop 3.
        hop_3: U<64>,
        /// Record of hop 2.
        hop_2: U<64>,
        /// Record of hop 1.
        hop_1: U<64>,
        /// INT header.
        int_header: IntHeader,
    }

    /// What follows UDP in a READ request, first byte in the highest bits.
    pub struct RequestBehind {
        /// Zero.
        spare: W<256, 4>,
        /// `PlainHeaders` or `CollectingHeaders`.
        headers: W<240, 4>,
    }

    /// Headers of an acknowledgement, first byte in the highest bits.
    pub struct AckFrameHeaders {
        /// What follows UDP: `AckBehind`, or one of its forms with INT.
        behind: W<496, 8>,
        /// `OuterHeaders`.
        outer: W<336, 6>,
    }
}
