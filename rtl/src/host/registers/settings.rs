//! What software sets in the NIC's registers, as the blocks of the NIC see it.

// the interface derive adds a method without a doc comment
#![allow(missing_docs)]

use crate::interface;
use crate::prim::uint::U;
use crate::prim::wide::W;
use rust_hdl::prelude::*;

/// Fields of the registers; a field shows a clock after it was written.
#[interface(SettingsIn, "Fields of the registers, receiving side.")]
pub struct Settings {
    /// Own Ethernet address, first byte in the highest bits.
    pub mac: Signal<Out, U<48>>,
    /// Own IPv4 address.
    pub ip: Signal<Out, U<32>>,
    /// MTU code of queue pairs that control packets create.
    pub mtu: Signal<Out, U<3>>,
    /// UDP port of plain RoCEv2.
    pub port_roce: Signal<Out, U<16>>,
    /// UDP port of INT being collected.
    pub port_int: Signal<Out, U<16>>,
    /// UDP port of INT echoed.
    pub port_echo: Signal<Out, U<16>>,
    /// UDP port of control packets.
    pub port_control: Signal<Out, U<16>>,
    /// The ICRC of what echoes INT covers the INT too.
    pub echo_icrc_full: Signal<Out, Bit>,
    /// Least time between two probes, ns; 0: there are none.
    pub probe_interval: Signal<Out, U<32>>,
    /// A probe without response for this long no longer holds back the next, ns.
    pub probe_timeout: Signal<Out, U<32>>,
    /// Least number of requests with payload between two probes.
    pub probe_packets: Signal<Out, U<8>>,
    /// DSCP of requests whose INT is left to probes.
    pub dscp_unstamped: Signal<Out, U<6>>,
    /// Partition key.
    pub pkey: Signal<Out, U<16>>,
    /// DSCP.
    pub dscp: Signal<Out, U<6>>,
    /// TTL.
    pub ttl: Signal<Out, U<8>>,
    /// ECN field of requests and READ responses of queue pairs without INT.
    pub ecn: Signal<Out, U<2>>,
    /// DSCP of congestion notification packets.
    pub cnp_dscp: Signal<Out, U<6>>,
    /// Least time between two of a queue pair and direction, units of 1.024 us.
    pub cnp_interval: Signal<Out, U<24>>,
    /// Congestion notifications are sent.
    pub cnp_enable: Signal<Out, Bit>,
    /// Packets from one acknowledge request to the next.
    pub ack_req_interval: Signal<Out, U<8>>,
    /// The last of every 2^n packet numbers of a queue pair's requests is timed.
    pub times_spacing: Signal<Out, U<4>>,
    /// Packets are timed at all.
    pub times_enable: Signal<Out, Bit>,
    /// READs outstanding.
    pub max_rd_atomic: Signal<Out, U<8>>,
    /// Waits for a receiver that is not ready; 7 is no limit.
    pub rnr_retry: Signal<Out, U<3>>,
    /// READs queued.
    pub reads: Signal<Out, U<8>>,
    /// Priority of acknowledgements.
    pub ack_priority: Signal<Out, U<3>>,
    /// Pause stops acknowledgements.
    pub ack_pause: Signal<Out, Bit>,
    /// Valid speed codes.
    pub speed_valid: Signal<Out, U<16>>,
    /// Window of plain queue pairs, UQ23.11 bytes.
    pub window: Signal<Out, U<34>>,
    /// Their rate, UQ7.27 bytes per ns; 0 is the line rate.
    pub rate: Signal<Out, U<34>>,
    /// Line rate, UQ7.27 bytes per ns.
    pub line_rate: Signal<Out, U<34>>,
    /// Law of queue pairs that control packets create.
    pub default_law: Signal<Out, U<3>>,
    /// Control packets are looked at.
    pub control_enable: Signal<Out, Bit>,
    /// Least time between them, ns.
    pub control_interval: Signal<Out, U<32>>,
    /// Key of control packets.
    pub control_key: Signal<Out, U<64>>,
    /// Eight addresses that they may come from.
    pub control_sources: Signal<Out, W<256, 4>>,
    /// Limits bound the window too.
    pub cap_window: Signal<Out, Bit>,
    /// A random wait before the first packet.
    pub cap_dither: Signal<Out, Bit>,
    /// Time of the window of limits, ns.
    pub cap_time: Signal<Out, U<16>>,
}
