//! Headers of a queue pair's packets: Ethernet, IPv4 and UDP, and the BTH.
//!
//! | clock | does |
//! |---|---|
//! | 0 - 2 | context of the queue pair |
//! | 2 | alive, port, bytes of INT |
//! | 3 | lengths; the peer's part of the IPv4 checksum and the type of service |
//! | 4 - 6 | IPv4 checksum: sum, two folds |
//! | 7 | headers |

use crate::prim::delay::Delay;
use crate::prim::ram::RamReg;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_bus, bit_cast_number, bit_cast_word, bits_zero};
use crate::words::context::QpContext;
use crate::words::tx::{FrameSettings, HeaderContext, HeaderPlan, HeaderRequest, PacketLengths, TypeOfService};
use crate::words::wire::{AddressHalves, BaseTransportHeader, IcrcLengths, Opcode, OuterHeaders};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// Clocks from a packet's fields to its headers.
pub const HEADER_LATENCY: usize = 7;

/// A packet a clock; outputs belong to the inputs of [`HEADER_LATENCY`] clocks ago.
#[block]
pub struct TxHeader {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// A context is written.
    pub context_write: Signal<In, Bit>,
    /// Queue pair whose context is written.
    pub context_qp: Signal<In, U<8>>,
    /// Context that is written.
    pub context_data: Signal<In, QpContext>,
    /// Registers that frames are made by. They need four clocks to take effect.
    pub settings: Signal<In, FrameSettings>,
    /// Type of service. Queue pairs with INT are sent as not capable of marks, whatever its ECN field says.
    pub service: Signal<In, TypeOfService>,
    /// Queue pair.
    pub qp: Signal<In, U<8>>,
    /// Generation that the packet belongs to.
    pub generation: Signal<In, U<8>>,
    /// BTH opcode.
    pub opcode: Signal<In, Opcode>,
    /// Code point of a packet whose queue pair collects INT, in the place of that of `service`.
    pub dscp_int: Signal<In, U<6>>,
    /// PSN.
    pub psn: Signal<In, U<24>>,
    /// Acknowledge request.
    pub ack_req: Signal<In, Bit>,
    /// Bytes of pad.
    pub pad: Signal<In, U<2>>,
    /// Bytes behind the BTH: extension, payload, pad, ICRC.
    pub body: Signal<In, U<13>>,
    /// The packet echoes the INT given; low: it collects, if its queue pair does.
    pub echoes: Signal<In, Bit>,
    /// Bytes of INT given.
    pub int_given: Signal<In, U<6>>,
    /// The queue pair exists and is of this generation.
    pub alive: Signal<Out, Bit>,
    /// The same a clock earlier.
    pub alive_next: Signal<Out, Bit>,
    /// Bytes of INT.
    pub int_bytes: Signal<Out, U<6>>,
    /// Ethernet, IPv4 and UDP header, first byte in the highest bits.
    pub outer: Signal<Out, W<336, 6>>,
    /// BTH, first byte in the highest bits.
    pub bth: Signal<Out, W<96, 2>>,
    /// Lengths as the ICRC reads them, without INT unless it is covered: `IcrcLengths`.
    pub icrc_lengths: Signal<Out, U<32>>,
    #[signals(HeaderRequest: asked, taken)]
    contexts: RamReg<HeaderContext, 8>,
    request: Delay<HeaderRequest, 2>,
    services: Delay<TypeOfService, 2>,
    dscps_int: Delay<U<6>, 2>,
    found: Signal<Local, HeaderContext>,
    // 3
    plan: Delay<HeaderPlan, 4>,
    /// Clock 3: what the context says about the header.
    plan_3: DFF<HeaderPlan>,
    alive_6: Delay<Bit, 3>,
    /// Clock 3: bytes behind the BTH.
    body_3: DFF<U<13>>,
    /// Clock 3: the frame carries INT back to its sender.
    echoes_3: DFF<Bit>,
    #[signals(U<16>: with_int, read_by_icrc)]
    peer_halves: Signal<Local, AddressHalves>,
    // 4
    #[registers(U<20>:
        /// Both halves of the NIC's own IP address.
        fixed_b,
        /// Part of the IP header's checksum that settings alone decide.
        fixed)]
    lengths: Delay<PacketLengths, 3>,
    /// Of registers only.
    own_halves: Signal<Local, AddressHalves>,
    /// Clock 4: lengths in the IP and UDP headers, and as the ICRC reads them.
    lengths_4: DFF<PacketLengths>,
    /// Clock 4: part of the checksum that the peer's IP address and the type of service give.
    peer_sum_4: DFF<U<18>>,
    // 5 - 7
    /// Clock 5: sum of the IP header's 16-bit words.
    sum_5: DFF<U<20>>,
    /// Clock 6: that sum, folded once.
    fold_6: DFF<U<17>>,
    /// Clock 7: checksum of the IP header.
    checksum_7: DFF<U<16>>,
    made: Signal<Local, HeaderPlan>,
    made_lengths: Signal<Local, PacketLengths>,
    headers: Signal<Local, OuterHeaders>,
    transport: Signal<Local, BaseTransportHeader>,
}

#[kernel]
impl Logic for TxHeader {
    fn update(&mut self) {
        // 0
        inputs!(contexts: we = context_write, waddr = context_qp);
        contexts.wdata = bit_cast_word::<HeaderContext, QpContext>(context_data);
        contexts.raddr = qp;
        fields!(asked: opcode, psn, ack_req, pad, body, echoes, int_given, generation);
        request = asked;

        // 2
        taken = request;
        found = contexts.rdata;
        plan_3.alive = found.alive & (found.generation == taken.generation);
        fields!(plan_3.d from found: peer);
        fields!(plan_3.d from taken: opcode, psn, ack_req, pad);
        body_3 = taken.body;
        echoes_3 = taken.echoes;
        plan_3.int_bytes = bits_u::<6>(0);
        plan_3.destination_port = settings.port_roce;
        if taken.echoes {
            if taken.int_given != 0 {
                fields!(plan_3.d: int_bytes = taken.int_given, destination_port = settings.port_echo);
            }
        } else {
            if found.int_on {
                plan_3.int_bytes = bits_u::<6>(2);
                plan_3.destination_port = settings.port_int;
            }
        }

        services = service;
        dscps_int = dscp_int;
        plan_3.service = services;
        if found.int_on {
            plan_3.service.dscp = dscps_int;
            plan_3.service.ecn = bits_u::<2>(0);
        }

        // 3
        with_int = bit_cast_u::<16, 13>(body_3) + bit_cast_u::<16, 6>(plan_3.int_bytes);
        read_by_icrc = if settings.echo_icrc_full & echoes_3 { with_int } else { bit_cast_u::<16, 13>(body_3) };
        lengths_4.icrc.udp = read_by_icrc + 20;
        lengths_4.icrc.ip = read_by_icrc + 40;
        lengths_4.udp = with_int + 20;
        lengths_4.ip = with_int + 40;
        peer_halves = bit_cast_word::<AddressHalves, U<32>>(plan_3.peer.ip);
        peer_sum_4 = bit_cast_u::<18, 16>(peer_halves.low)
            + bit_cast_u::<18, 16>(peer_halves.high)
            + bit_cast_u::<18, 8>(bit_cast_number::<8, TypeOfService>(plan_3.service));
        plan = plan_3;
        alive_6 = plan_3.alive;
        alive_next = alive_6;

        // 4 - 6; version and header length 45, do not fragment 4000, protocol 11
        lengths = lengths_4;
        own_halves = bit_cast_word::<AddressHalves, U<32>>(settings.ip);
        fixed_b = bit_cast_u::<20, 16>(own_halves.low) + bit_cast_u::<20, 16>(own_halves.high);
        fixed = fixed_b + 0x8511 + (bit_cast_u::<20, 8>(settings.ttl) << 8);
        sum_5 = bit_cast_u::<20, 18>(peer_sum_4) + bit_cast_u::<20, 16>(lengths_4.ip) + fixed;
        fold_6 = bit_cast_u::<17, 16>(bit_cast_u::<16, 20>(sum_5)) + bit_cast_u::<17, 4>(sum_5.get_bits::<4>(16));
        checksum_7 = !(bit_cast_u::<16, 17>(fold_6) + bit_cast_u::<16, 1>(fold_6.get_bits::<1>(16)));

        // 7
        made = plan;
        made_lengths = lengths;
        assign!(alive = made.alive, int_bytes = made.int_bytes);
        icrc_lengths = bit_cast_number::<32, IcrcLengths>(made_lengths.icrc);
        headers = bits_zero::<OuterHeaders>(0);
        fields!(headers: ethernet.destination = made.peer.mac, ethernet.source = settings.mac);
        headers.ethernet.ethertype = bits_u::<16>(0x0800);
        headers.ip.version = bits_u::<4>(4);
        headers.ip.ihl = bits_u::<4>(5);
        fields!(headers: ip.dscp = made.service.dscp, ip.ecn = made.service.ecn, ip.total_length = made_lengths.ip);
        headers.ip.do_not_fragment = true;
        headers.ip.ttl = settings.ttl;
        headers.ip.protocol = bits_u::<8>(17);
        fields!(headers: ip.checksum = checksum_7, ip.source = settings.ip);
        fields!(headers from made:
            ip.destination = peer.ip, udp.source_port = peer.source_port, udp.destination_port = destination_port);
        fields!(headers from made_lengths: udp.length = udp);
        outer = bit_cast_bus::<336, 6, OuterHeaders>(headers);
        transport = bits_zero::<BaseTransportHeader>(0);
        transport.opcode = made.opcode;
        transport.migrated = true;
        fields!(transport: pad = made.pad, pkey = settings.pkey);
        fields!(transport from made: qpn = peer.qpn, ack_req, psn);
        bth = bit_cast_bus::<96, 2, BaseTransportHeader>(transport);
    }
}
