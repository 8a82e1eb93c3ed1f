//! Headers of a queue pair's packets: Ethernet, IPv4 and UDP, and the BTH.
//!
//! | clock | does |
//! |---|---|
//! | 0 - 2 | context of the queue pair |
//! | 2 | alive, port, bytes of INT |
//! | 3 | lengths; the peer's part of the IPv4 checksum and the type of service |
//! | 4 - 6 | IPv4 checksum: sum, two folds |
//! | 7 | headers |

use crate::nic::words::Context;
use crate::prim::delay::Delay;
use crate::prim::ram::RamReg;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_bus, bit_cast_number, bit_cast_word, bits_zero};
use crate::words::tx::{HeaderContext, HeaderPlan, HeaderRequest, PacketLengths, TypeOfService};
use crate::words::wire::{AddressHalves, BaseTransportHeader, IcrcLengths, OuterHeaders};
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
    /// Its queue pair.
    pub context_qp: Signal<In, U<8>>,
    /// It.
    pub context_data: Signal<In, Context>,
    /// Register: own Ethernet address, first byte in the highest bits. Registers need four clocks to take effect.
    pub own_mac: Signal<In, U<48>>,
    /// Register: own IPv4 address.
    pub own_ip: Signal<In, U<32>>,
    /// Register: UDP port of plain RoCEv2.
    pub port_roce: Signal<In, U<16>>,
    /// Register: UDP port of INT being collected.
    pub port_int: Signal<In, U<16>>,
    /// Register: UDP port of INT echoed.
    pub port_echo: Signal<In, U<16>>,
    /// Register: partition key.
    pub pkey: Signal<In, U<16>>,
    /// Register: time to live.
    pub ttl: Signal<In, U<8>>,
    /// Type of service. Queue pairs with INT are sent as not capable of marks, whatever its ECN field says.
    pub service: Signal<In, TypeOfService>,
    /// Queue pair.
    pub qp: Signal<In, U<8>>,
    /// Generation that the packet belongs to.
    pub generation: Signal<In, U<8>>,
    /// BTH opcode.
    pub opcode: Signal<In, U<8>>,
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
    /// Bytes of INT.
    pub int_bytes: Signal<Out, U<6>>,
    /// Ethernet, IPv4 and UDP header, first byte in the highest bits.
    pub outer: Signal<Out, W<336, 6>>,
    /// BTH, first byte in the highest bits.
    pub bth: Signal<Out, W<96, 2>>,
    /// Lengths without INT, for the ICRC: `IcrcLengths`.
    pub icrc_lengths: Signal<Out, U<32>>,
    contexts: RamReg<HeaderContext, 8>,
    asked: Signal<Local, HeaderRequest>,
    request: Delay<HeaderRequest, 2>,
    taken: Signal<Local, HeaderRequest>,
    found: Signal<Local, HeaderContext>,
    services: Delay<TypeOfService, 2>,
    // 3
    plan_3: DFF<HeaderPlan>,
    body_3: DFF<U<13>>,
    plan: Delay<HeaderPlan, 4>,
    with_int: Signal<Local, U<16>>,
    peer_halves: Signal<Local, AddressHalves>,
    // 4
    lengths_4: DFF<PacketLengths>,
    lengths: Delay<PacketLengths, 3>,
    peer_sum_4: DFF<U<18>>,
    /// Of registers only.
    own_halves: Signal<Local, AddressHalves>,
    fixed_b: DFF<U<20>>,
    fixed: DFF<U<20>>,
    // 5 - 7
    sum_5: DFF<U<20>>,
    fold_6: DFF<U<17>>,
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
        self.contexts.wdata.next = bit_cast_word::<HeaderContext, Context>(self.context_data.val());
        self.contexts.raddr.next = self.qp.val();
        fields!(asked: opcode, psn, ack_req, pad, body, echoes, int_given, generation);
        self.request.d.next = self.asked.val();

        // 2
        self.taken.next = self.request.q.val();
        self.found.next = self.contexts.rdata.val();
        self.plan_3.d.next.alive =
            self.found.val().alive & (self.found.val().generation == self.taken.val().generation);
        fields!(plan_3.d from found: peer);
        fields!(plan_3.d from taken: opcode, psn, ack_req, pad);
        self.body_3.d.next = self.taken.val().body;
        self.plan_3.d.next.int_bytes = bits_u::<6>(0);
        self.plan_3.d.next.destination_port = self.port_roce.val();
        if self.taken.val().echoes {
            if self.taken.val().int_given != 0 {
                fields!(plan_3.d: int_bytes = taken.int_given, destination_port = port_echo);
            }
        } else {
            if self.found.val().int_on {
                self.plan_3.d.next.int_bytes = bits_u::<6>(2);
                self.plan_3.d.next.destination_port = self.port_int.val();
            }
        }

        self.services.d.next = self.service.val();
        self.plan_3.d.next.service = self.services.q.val();
        if self.found.val().int_on {
            self.plan_3.d.next.service.ecn = bits_u::<2>(0);
        }

        // 3
        self.with_int.next =
            bit_cast_u::<16, 13>(self.body_3.q.val()) + bit_cast_u::<16, 6>(self.plan_3.q.val().int_bytes);
        self.lengths_4.d.next.plain.udp = bit_cast_u::<16, 13>(self.body_3.q.val()) + 20;
        self.lengths_4.d.next.plain.ip = bit_cast_u::<16, 13>(self.body_3.q.val()) + 40;
        self.lengths_4.d.next.udp = self.with_int.val() + 20;
        self.lengths_4.d.next.ip = self.with_int.val() + 40;
        self.peer_halves.next = bit_cast_word::<AddressHalves, U<32>>(self.plan_3.q.val().peer.ip);
        self.peer_sum_4.d.next = bit_cast_u::<18, 16>(self.peer_halves.val().low)
            + bit_cast_u::<18, 16>(self.peer_halves.val().high)
            + bit_cast_u::<18, 8>(bit_cast_number::<8, TypeOfService>(self.plan_3.q.val().service));
        self.plan.d.next = self.plan_3.q.val();

        // 4 - 6; version and header length 45, do not fragment 4000, protocol 11
        self.lengths.d.next = self.lengths_4.q.val();
        self.own_halves.next = bit_cast_word::<AddressHalves, U<32>>(self.own_ip.val());
        self.fixed_b.d.next =
            bit_cast_u::<20, 16>(self.own_halves.val().low) + bit_cast_u::<20, 16>(self.own_halves.val().high);
        self.fixed.d.next = self.fixed_b.q.val() + 0x8511 + (bit_cast_u::<20, 8>(self.ttl.val()) << 8);
        self.sum_5.d.next = bit_cast_u::<20, 18>(self.peer_sum_4.q.val())
            + bit_cast_u::<20, 16>(self.lengths_4.q.val().ip)
            + self.fixed.q.val();
        self.fold_6.d.next = bit_cast_u::<17, 16>(bit_cast_u::<16, 20>(self.sum_5.q.val()))
            + bit_cast_u::<17, 4>(self.sum_5.q.val().get_bits::<4>(16));
        self.checksum_7.d.next =
            !(bit_cast_u::<16, 17>(self.fold_6.q.val()) + bit_cast_u::<16, 1>(self.fold_6.q.val().get_bits::<1>(16)));

        // 7
        self.made.next = self.plan.q.val();
        self.made_lengths.next = self.lengths.q.val();
        assign!(alive = made.alive, int_bytes = made.int_bytes);
        self.icrc_lengths.next = bit_cast_number::<32, IcrcLengths>(self.made_lengths.val().plain);
        self.headers.next = bits_zero::<OuterHeaders>(0);
        fields!(headers: ethernet.destination = made.peer.mac, ethernet.source = own_mac);
        self.headers.next.ethernet.ethertype = bits_u::<16>(0x0800);
        self.headers.next.ip.version = bits_u::<4>(4);
        self.headers.next.ip.ihl = bits_u::<4>(5);
        fields!(headers: ip.dscp = made.service.dscp, ip.ecn = made.service.ecn, ip.total_length = made_lengths.ip);
        self.headers.next.ip.do_not_fragment = true;
        self.headers.next.ip.ttl = self.ttl.val();
        self.headers.next.ip.protocol = bits_u::<8>(17);
        fields!(headers: ip.checksum = checksum_7, ip.source = own_ip);
        fields!(headers from made:
            ip.destination = peer.ip, udp.source_port = peer.source_port, udp.destination_port = destination_port);
        fields!(headers from made_lengths: udp.length = udp);
        self.outer.next = bit_cast_bus::<336, 6, OuterHeaders>(self.headers.val());
        self.transport.next = bits_zero::<BaseTransportHeader>(0);
        self.transport.next.opcode = self.made.val().opcode;
        self.transport.next.migrated = true;
        fields!(transport: pad = made.pad, pkey);
        fields!(transport from made: qpn = peer.qpn, ack_req, psn);
        self.bth.next = bit_cast_bus::<96, 2, BaseTransportHeader>(self.transport.val());
    }
}
