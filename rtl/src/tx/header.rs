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
use crate::prim::uint::{bit_cast_b, bit_cast_u, bits_u, U};
use crate::prim::wide::{bit_cast_w, bit_cast_ww, W};
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
    pub tos: Signal<In, U<8>>,
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
    /// Lengths without INT, for the ICRC: UDP 15:0, IPv4 31:16.
    pub icrc_lengths: Signal<Out, U<32>>,
    contexts: RamReg<W<133, 3>, 8>,
    request: Delay<U<63>, 2>,
    asked: Signal<Local, U<63>>,
    given: Signal<Local, U<6>>,
    found: Signal<Local, W<133, 3>>,
    // 3
    peer_3: DFF<W<120, 2>>,
    alive_3: DFF<Bit>,
    int_3: DFF<U<6>>,
    port_3: DFF<U<16>>,
    services: Delay<U<8>, 2>,
    tos_3: DFF<U<8>>,
    tos_later: Delay<U<8>, 4>,
    fields_3: DFF<U<35>>,
    body_3: DFF<U<13>>,
    rest: Delay<W<178, 3>, 4>,
    with_int: Signal<Local, U<16>>,
    // 4
    lengths_4: DFF<U<64>>,
    lengths: Delay<U<64>, 3>,
    peer_sum_4: DFF<U<18>>,
    // of registers only
    fixed_b: DFF<U<20>>,
    fixed: DFF<U<20>>,
    // 5 - 7
    sum_5: DFF<U<20>>,
    fold_6: DFF<U<17>>,
    checksum_7: DFF<U<16>>,
    peer: Signal<Local, W<178, 3>>,
}

#[kernel]
impl Logic for TxHeader {
    fn update(&mut self) {
        // 0
        self.contexts.we.next = self.context_write.val();
        self.contexts.waddr.next = self.context_qp.val();
        self.contexts.wdata.next = bit_cast_ww::<133, 3, 210, 4>(self.context_data.val());
        self.contexts.raddr.next = self.qp.val();
        self.request.d.next = bit_cast_u::<63, 8>(self.opcode.val())
            | (bit_cast_u::<63, 24>(self.psn.val()) << 8)
            | (bit_cast_u::<63, 1>(bit_cast_b(self.ack_req.val())) << 32)
            | (bit_cast_u::<63, 2>(self.pad.val()) << 33)
            | (bit_cast_u::<63, 13>(self.body.val()) << 35)
            | (bit_cast_u::<63, 1>(bit_cast_b(self.echoes.val())) << 48)
            | (bit_cast_u::<63, 6>(self.int_given.val()) << 49)
            | (bit_cast_u::<63, 8>(self.generation.val()) << 55);

        // 2: context bits 0 alive, 8:1 generation, 128:9 what headers need of the peer, 132 INT
        self.asked.next = self.request.q.val();
        self.given.next = self.asked.val().get_bits::<6>(49);
        self.found.next = self.contexts.rdata.val();
        self.alive_3.d.next =
            self.found.val().get_bit(0) & (self.found.val().get_bits::<8>(1) == self.asked.val().get_bits::<8>(55));
        self.peer_3.d.next = bit_cast_ww::<120, 2, 133, 3>(self.found.val() >> 9);
        self.fields_3.d.next = self.asked.val().get_bits::<35>(0);
        self.body_3.d.next = self.asked.val().get_bits::<13>(35);
        self.int_3.d.next = bits_u::<6>(0);
        self.port_3.d.next = self.port_roce.val();
        if self.asked.val().get_bit(48) {
            if self.given.val() != 0 {
                self.int_3.d.next = self.given.val();
                self.port_3.d.next = self.port_echo.val();
            }
        } else {
            if self.found.val().get_bit(132) {
                self.int_3.d.next = bits_u::<6>(2);
                self.port_3.d.next = self.port_int.val();
            }
        }

        self.services.d.next = self.tos.val();
        self.tos_3.d.next = self.services.q.val();
        if self.found.val().get_bit(132) {
            self.tos_3.d.next = self.services.q.val() & 0xfc;
        }
        self.tos_later.d.next = self.tos_3.q.val();

        // 3: address 31:0, Ethernet address 79:32, queue pair 103:80, source port 119:104
        self.with_int.next = bit_cast_u::<16, 13>(self.body_3.q.val()) + bit_cast_u::<16, 6>(self.int_3.q.val());
        self.lengths_4.d.next = bit_cast_u::<64, 16>(bit_cast_u::<16, 13>(self.body_3.q.val()) + 20)
            | (bit_cast_u::<64, 16>(bit_cast_u::<16, 13>(self.body_3.q.val()) + 40) << 16)
            | (bit_cast_u::<64, 16>(self.with_int.val() + 20) << 32)
            | (bit_cast_u::<64, 16>(self.with_int.val() + 40) << 48);
        self.peer_sum_4.d.next = bit_cast_u::<18, 16>(self.peer_3.q.val().get_bits::<16>(0))
            + bit_cast_u::<18, 16>(self.peer_3.q.val().get_bits::<16>(16))
            + bit_cast_u::<18, 8>(self.tos_3.q.val());
        self.rest.d.next = bit_cast_ww::<178, 3, 120, 2>(self.peer_3.q.val())
            | (bit_cast_w::<178, 3, 16>(self.port_3.q.val()) << 120)
            | (bit_cast_w::<178, 3, 35>(self.fields_3.q.val()) << 136)
            | (bit_cast_w::<178, 3, 6>(self.int_3.q.val()) << 171)
            | (bit_cast_w::<178, 3, 1>(bit_cast_b(self.alive_3.q.val())) << 177);

        // 4 - 6; version and header length 45, do not fragment 4000, protocol 11
        self.lengths.d.next = self.lengths_4.q.val();
        self.fixed_b.d.next = bit_cast_u::<20, 16>(self.own_ip.val().get_bits::<16>(0))
            + bit_cast_u::<20, 16>(self.own_ip.val().get_bits::<16>(16));
        self.fixed.d.next = self.fixed_b.q.val() + 0x8511 + (bit_cast_u::<20, 8>(self.ttl.val()) << 8);
        self.sum_5.d.next = bit_cast_u::<20, 18>(self.peer_sum_4.q.val())
            + bit_cast_u::<20, 16>(self.lengths_4.q.val().get_bits::<16>(48))
            + self.fixed.q.val();
        self.fold_6.d.next = bit_cast_u::<17, 16>(self.sum_5.q.val().get_bits::<16>(0))
            + bit_cast_u::<17, 4>(self.sum_5.q.val().get_bits::<4>(16));
        self.checksum_7.d.next =
            !(self.fold_6.q.val().get_bits::<16>(0) + bit_cast_u::<16, 1>(self.fold_6.q.val().get_bits::<1>(16)));

        // 7
        self.peer.next = self.rest.q.val();
        self.alive.next = self.peer.val().get_bit(177);
        self.int_bytes.next = self.peer.val().get_bits::<6>(171);
        self.icrc_lengths.next = self.lengths.q.val().get_bits::<32>(0);
        self.outer.next = (bit_cast_w::<336, 6, 48>(self.peer.val().get_bits::<48>(32)) << 288)
            | (bit_cast_w::<336, 6, 48>(self.own_mac.val()) << 240)
            | (bit_cast_w::<336, 6, 24>(bits_u::<24>(0x080045)) << 216)
            | (bit_cast_w::<336, 6, 8>(self.tos_later.q.val()) << 208)
            | (bit_cast_w::<336, 6, 16>(self.lengths.q.val().get_bits::<16>(48)) << 192)
            | (bit_cast_w::<336, 6, 32>(bits_u::<32>(0x4000)) << 160)
            | (bit_cast_w::<336, 6, 8>(self.ttl.val()) << 152)
            | (bit_cast_w::<336, 6, 8>(bits_u::<8>(17)) << 144)
            | (bit_cast_w::<336, 6, 16>(self.checksum_7.q.val()) << 128)
            | (bit_cast_w::<336, 6, 32>(self.own_ip.val()) << 96)
            | (bit_cast_w::<336, 6, 32>(self.peer.val().get_bits::<32>(0)) << 64)
            | (bit_cast_w::<336, 6, 16>(self.peer.val().get_bits::<16>(104)) << 48)
            | (bit_cast_w::<336, 6, 16>(self.peer.val().get_bits::<16>(120)) << 32)
            | (bit_cast_w::<336, 6, 16>(self.lengths.q.val().get_bits::<16>(32)) << 16);
        // flags: migrated 40, pad count
        self.bth.next = (bit_cast_w::<96, 2, 8>(self.peer.val().get_bits::<8>(136)) << 88)
            | (bit_cast_w::<96, 2, 8>(bits_u::<8>(0x40)) << 80)
            | (bit_cast_w::<96, 2, 2>(self.peer.val().get_bits::<2>(169)) << 84)
            | (bit_cast_w::<96, 2, 16>(self.pkey.val()) << 64)
            | (bit_cast_w::<96, 2, 24>(self.peer.val().get_bits::<24>(80)) << 32)
            | (bit_cast_w::<96, 2, 1>(self.peer.val().get_bits::<1>(168)) << 31)
            | bit_cast_w::<96, 2, 24>(self.peer.val().get_bits::<24>(144));
    }
}
