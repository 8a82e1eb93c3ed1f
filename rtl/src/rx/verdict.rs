//! One reason for each frame: the first fault in the order of the reference. Two clocks.

use crate::emit::naming::named_inside;
use crate::prim::uint::{bit_cast_u, bits_u, LoopIdx, U};
use crate::prim::word::{bit_cast_number, bit_cast_word};
use crate::words::rx::FrameFaults;
use crate::{block, kernel};
use hpcc_models::nic::Counter;
use rust_hdl::prelude::*;

/// Counter of each drop code from 1 on.
pub const DROP_COUNTERS: [Counter; 21] = [
    Counter::BadFrame,
    Counter::ShortFrame,
    Counter::WrongMac,
    Counter::NotIpv4,
    Counter::IpVersion,
    Counter::IpOptions,
    Counter::IpLength,
    Counter::IpChecksum,
    Counter::IpFragment,
    Counter::WrongIp,
    Counter::NotUdp,
    Counter::UdpLength,
    Counter::UdpPort,
    Counter::UdpChecksum,
    Counter::IntLength,
    Counter::TransportLength,
    Counter::Icrc,
    Counter::Opcode,
    Counter::TransportLength,
    Counter::TransportVersion,
    Counter::PartitionKey,
];

/// Verdict on a frame whose headers and sums are known.
#[block]
pub struct Verdict {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Faults of the headers, bit n for drop code n + 1; those of codes 1, 2, 17 are zero here, 7 and 14 in part.
    pub faults: Signal<In, U<21>>,
    /// The MAC calls the frame bad.
    pub mac_error: Signal<In, Bit>,
    /// Bytes of the frame.
    pub frame_len: Signal<In, U<18>>,
    /// End of the IP packet in the frame.
    pub ip_end: Signal<In, U<17>>,
    /// It is a plain packet with a UDP checksum.
    pub summed: Signal<In, Bit>,
    /// The UDP checksum is right.
    pub udp_right: Signal<In, Bit>,
    /// The ICRC is right.
    pub icrc_right: Signal<In, Bit>,
    /// It is a control packet, which has no transport header.
    pub control: Signal<In, Bit>,
    /// Drop code, two clocks later; 0 to keep the frame.
    pub drop_code: Signal<Out, U<5>>,
    late: Signal<Local, FrameFaults>,
    /// Everything that is wrong with the frame, a bit each.
    all: DFF<U<21>>,
    /// Number of the first fault; 0: the frame is right.
    code: DFF<U<5>>,
}

#[kernel]
impl Logic for Verdict {
    fn update(&mut self) {
        late = bit_cast_word::<FrameFaults, U<21>>(faults);
        if mac_error {
            late.mac_error = true;
        }
        if frame_len < 42 {
            late.short_frame = true;
        }
        if frame_len < bit_cast_u::<18, 17>(ip_end) {
            late.ip_length = true;
        }
        if summed & !udp_right {
            late.udp_checksum = true;
        }
        if !icrc_right {
            late.icrc = true;
        }
        if control {
            // nothing behind UDP is looked at
            late.int_length = false;
            late.bth_length = false;
            late.icrc = false;
            late.opcode = false;
            late.extension_length = false;
            late.transport_version = false;
            late.partition_key = false;
        }
        all = bit_cast_number::<21, FrameFaults>(late);
        code = bits_u::<5>(0);
        for i in 0..21 {
            if all.get_bit(20 - i) {
                code = bits_u::<5>(21) - i.val();
            }
        }
        drop_code = code;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        named_inside::<Self>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{init, step, Stimulus};
    use std::collections::VecDeque;

    /// What a control packet is not asked for: INT, BTH, ICRC, opcode, extension, version and partition of the transport header.
    const BEHIND_UDP: [u64; 7] = [15, 16, 17, 18, 19, 20, 21];

    /// Any set of faults, mostly few of them: the smallest code counts.
    #[test]
    fn the_first_fault_is_the_reason() {
        let mut block: Box<Verdict> = Box::default();
        init(block.as_mut()).expect("complete block");
        let mut stimulus = Stimulus::new(1);
        let mut pending: VecDeque<u64> = VecDeque::new();
        let mut seen = [0u32; 22];
        for clock in 0..40_000u64 {
            let density = [0.0, 0.02, 0.05, 0.5][stimulus.below(4) as usize];
            let mut codes: Vec<u64> = (1..=21).filter(|_| stimulus.chance(density)).collect();
            // these are not the headers'
            codes.retain(|code| ![1, 2, 17].contains(code));
            let faults = codes.iter().fold(0, |bits, code| bits | 1u64 << (code - 1));
            let frame_len = [40, 41, 42, 43, 1500][stimulus.below(5) as usize];
            let ip_end = (frame_len + stimulus.below(3)).saturating_sub(1);
            let [mac, summed, right, icrc, control] = std::array::from_fn(|_| stimulus.chance(0.5));
            let icrc = icrc || stimulus.chance(0.8);
            block.faults.next = U(faults);
            block.mac_error.next = mac && clock % 8 == 0;
            block.frame_len.next = U(frame_len);
            block.ip_end.next = U(ip_end);
            block.summed.next = summed;
            block.udp_right.next = right;
            block.icrc_right.next = icrc;
            block.control.next = control;
            codes.extend((mac && clock % 8 == 0).then_some(1));
            codes.extend((frame_len < 42).then_some(2));
            codes.extend((frame_len < ip_end).then_some(7));
            codes.extend((summed && !right).then_some(14));
            codes.extend((!icrc).then_some(17));
            codes.retain(|code| !control || !BEHIND_UDP.contains(code));
            pending.push_back(codes.into_iter().min().unwrap_or(0));
            let got = step(block.as_mut(), |b| b.drop_code.val().0);
            if pending.len() > 2 {
                let expected = pending.pop_front().expect("filled");
                assert_eq!(got, expected, "clock {clock}");
                seen[expected as usize] += 1;
            }
        }
        assert!(seen.iter().all(|&times| times > 20), "{seen:?}");
    }
}
