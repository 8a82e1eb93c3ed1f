//! The register block.

use super::counters::CounterBank;
use super::file::RegisterFile;
use crate::cc::slot::ConfigOut;
use crate::nic::words::HostCommand;
use crate::prim::axi::AxiLiteIn;
use crate::prim::skid::StreamOut;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_bus, bit_cast_number, bit_cast_word, bits_zero};
use crate::words::congestion::{BuiltLaws, LawCode};
use crate::words::context::HostCommand as Command;
use crate::words::registers::{
    CommandRegister, GroupAddress, NarrowAddress, ParamValue, StatusRegister, WideAddress, WideValue,
};
use crate::{block, kernel};
use rust_hdl::prelude::*;

/// AXI4-Lite slave with everything that software sets and sees.
#[block]
pub struct Registers {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, high: reset values.
    pub reset: Signal<In, Bit>,
    /// Registers: one read and one write at a time. `awready`, `wready` and `arready` are low in reset and until the access before is
    /// answered; a write's data is taken before its address, after it or with it. `awprot` and `arprot` are not looked at.
    pub s_axil: AxiLiteIn,
    /// The NIC takes commands, work requests and frames.
    pub ready: Signal<In, Bit>,
    /// The NIC's clock, ns.
    pub now: Signal<In, U<48>>,
    /// One pulse a counter, in the order of `hpcc_models::nic::Counter`.
    pub pulses: Signal<In, U<64>>,
    /// The scheduler's counter of that name.
    pub sched_late: Signal<In, U<32>>,
    /// The scheduler's counter of that name.
    pub sched_beyond: Signal<In, U<32>>,
    /// The scheduler's counter of that name.
    pub sched_out_of_range: Signal<In, U<32>>,
    /// The scheduler's counter of that name.
    pub sched_cc_dropped: Signal<In, U<32>>,
    /// Bit n: the law of code n is built in.
    pub laws: Signal<In, U<8>>,
    /// Commands to the manager, one at a time.
    pub command: StreamOut<HostCommand>,
    /// The command was carried out or refused.
    pub command_done: Signal<In, Bit>,
    /// 0 carried out, else why not.
    pub command_code: Signal<In, U<3>>,
    /// Parameters of the laws.
    pub cc_param: ConfigOut,
    /// Whose parameter it is.
    pub cc_param_law: Signal<Out, LawCode>,
    /// Parameters of the scheduler.
    pub sched_param: ConfigOut,
    /// A level is written.
    pub level_write: Signal<Out, Bit>,
    /// Its group.
    pub level_group: Signal<Out, U<4>>,
    /// Rate, UQ7.27 bytes per ns.
    pub level_rate: Signal<Out, U<34>>,
    /// Group whose values are wanted.
    pub look: Signal<Out, U<4>>,
    /// One clock later: its flows with work.
    pub active: Signal<In, U<16>>,
    /// One clock later: bytes that it has sent.
    pub sent: Signal<In, U<64>>,
    /// Own Ethernet address, first byte in the highest bits.
    pub cfg_mac: Signal<Out, U<48>>,
    /// Own IPv4 address.
    pub cfg_ip: Signal<Out, U<32>>,
    /// MTU code of queue pairs that control packets create.
    pub cfg_mtu: Signal<Out, U<3>>,
    /// UDP port of plain RoCEv2.
    pub cfg_port_roce: Signal<Out, U<16>>,
    /// UDP port of INT being collected.
    pub cfg_port_int: Signal<Out, U<16>>,
    /// UDP port of INT echoed.
    pub cfg_port_echo: Signal<Out, U<16>>,
    /// UDP port of control packets.
    pub cfg_port_control: Signal<Out, U<16>>,
    /// Partition key.
    pub cfg_pkey: Signal<Out, U<16>>,
    /// DSCP.
    pub cfg_dscp: Signal<Out, U<6>>,
    /// TTL.
    pub cfg_ttl: Signal<Out, U<8>>,
    /// ECN field of requests and READ responses of queue pairs without INT.
    pub cfg_ecn: Signal<Out, U<2>>,
    /// DSCP of congestion notification packets.
    pub cfg_cnp_dscp: Signal<Out, U<6>>,
    /// Least time between two of a queue pair and direction, units of 1.024 us.
    pub cfg_cnp_interval: Signal<Out, U<24>>,
    /// They are sent.
    pub cfg_cnp_enable: Signal<Out, Bit>,
    /// Packets from one acknowledge request to the next.
    pub cfg_ack_req_interval: Signal<Out, U<8>>,
    /// READs outstanding.
    pub cfg_max_rd_atomic: Signal<Out, U<8>>,
    /// READs queued.
    pub cfg_reads: Signal<Out, U<8>>,
    /// Priority of acknowledgements.
    pub cfg_ack_priority: Signal<Out, U<3>>,
    /// Pause stops acknowledgements.
    pub cfg_ack_pause: Signal<Out, Bit>,
    /// Valid speed codes.
    pub cfg_speed_valid: Signal<Out, U<16>>,
    /// Window of plain queue pairs, UQ23.11 bytes.
    pub cfg_window: Signal<Out, U<34>>,
    /// Their rate, UQ7.27 bytes per ns; 0 is the line rate.
    pub cfg_rate: Signal<Out, U<34>>,
    /// Line rate, UQ7.27 bytes per ns.
    pub cfg_line_rate: Signal<Out, U<34>>,
    /// Law of queue pairs that control packets create.
    pub cfg_default_law: Signal<Out, U<3>>,
    /// Control packets are looked at.
    pub cfg_control_enable: Signal<Out, Bit>,
    /// Least time between them, ns.
    pub cfg_control_interval: Signal<Out, U<32>>,
    /// Their key.
    pub cfg_control_key: Signal<Out, U<64>>,
    /// Eight addresses that they may come from.
    pub cfg_control_sources: Signal<Out, W<256, 4>>,
    /// Limits bound the window too.
    pub cfg_cap_window: Signal<Out, Bit>,
    /// A random wait before the first packet.
    pub cfg_cap_dither: Signal<Out, Bit>,
    /// Time of the window of limits, ns.
    pub cfg_cap_time: Signal<Out, U<16>>,
    file: RegisterFile,
    bank: CounterBank,
    /// Write: 0 address and data are waited for, 1 stored in this clock, 2 its hit is known, 3 answered.
    writing: DFF<U<2>>,
    awready: DFF<Bit>,
    wready: DFF<Bit>,
    arready: DFF<Bit>,
    has_address: DFF<Bit>,
    has_data: DFF<Bit>,
    taken_address: Signal<Local, Bit>,
    taken_data: Signal<Local, Bit>,
    waddr: DFF<U<10>>,
    wdata: DFF<U<32>>,
    wstrb: DFF<U<4>>,
    bresp: DFF<Bit>,
    /// Read: 1 file and counters are read, 2 their answer is there, 3 answered.
    reading: DFF<U<2>>,
    raddr: DFF<U<10>>,
    rdata: DFF<U<32>>,
    rresp: DFF<Bit>,
    kept: DFF<U<32>>,
    wide: Signal<Local, U<64>>,
    now_r: DFF<U<48>>,
    stored: Signal<Local, Bit>,
    status: Signal<Local, StatusRegister>,
    cleared: Signal<Local, StatusRegister>,
    ordered: Signal<Local, CommandRegister>,
    made: Signal<Local, Command>,
    read_wide: Signal<Local, WideAddress>,
    read_group: Signal<Local, GroupAddress>,
    read_narrow: Signal<Local, NarrowAddress>,
    wrote_wide: Signal<Local, WideAddress>,
    wrote_group: Signal<Local, GroupAddress>,
    param_parts: Signal<Local, ParamValue>,
    wide_parts: Signal<Local, WideValue>,
    // parameters
    param_low: DFF<U<32>>,
    param_cc: DFF<Bit>,
    param_law: DFF<LawCode>,
    // the law whose window is written, and that it is not built in
    window_law: Signal<Local, LawCode>,
    built: Signal<Local, BuiltLaws>,
    in_window: Signal<Local, Bit>,
    absent: Signal<Local, Bit>,
    param_sched: DFF<Bit>,
    param_address: DFF<U<6>>,
    param_data: DFF<U<48>>,
    level: DFF<Bit>,
    is_sent: Signal<Local, Bit>,
    // commands
    busy: DFF<Bit>,
    offered: DFF<Bit>,
    done: DFF<Bit>,
    error: DFF<Bit>,
    code: DFF<U<3>>,
    operation: DFF<U<32>>,
    held_body: DFF<W<384, 6>>,
}

#[kernel]
impl Logic for Registers {
    fn update(&mut self) {
        self.file.reset.next = self.reset.val();
        inputs!(bank: reset, pulses);
        inputs!(file: sched_late, sched_beyond, sched_out_of_range, sched_cc_dropped, laws);
        self.now_r.d.next = self.now.val();

        self.wrote_wide.next = bit_cast_word::<WideAddress, U<10>>(self.waddr.q.val());
        // windows of parameters: HPCC's from 0x400, the scheduler's (no law's) from 0x600, DCQCN's from 0xa00, PowerTCP's from 0xc00
        self.built.next = bit_cast_word::<BuiltLaws, U<8>>(self.laws.val());
        self.window_law.next = LawCode::None;
        clear!(in_window, absent);
        if self.wrote_wide.val().bank == 2 {
            self.window_law.next = LawCode::Hpcc;
            self.in_window.next = self.built.val().hpcc;
            self.absent.next = !self.built.val().hpcc;
        }
        if self.wrote_wide.val().bank == 5 {
            self.window_law.next = LawCode::Dcqcn;
            self.in_window.next = self.built.val().dcqcn;
            self.absent.next = !self.built.val().dcqcn;
        }
        if self.wrote_wide.val().bank == 6 {
            self.window_law.next = LawCode::PowerTcp;
            self.in_window.next = self.built.val().powertcp;
            self.absent.next = !self.built.val().powertcp;
        }

        // writes
        assign!(s_axil.aw.ready = awready, s_axil.w.ready = wready);
        self.taken_address.next = self.has_address.q.val() | (self.s_axil.aw.valid.val() & self.awready.q.val());
        self.taken_data.next = self.has_data.q.val() | (self.s_axil.w.valid.val() & self.wready.q.val());
        assign!(has_address.d = taken_address, has_data.d = taken_data);
        self.awready.d.next = (self.writing.q.val() == 0) & !self.taken_address.val();
        self.wready.d.next = (self.writing.q.val() == 0) & !self.taken_data.val();
        if self.s_axil.aw.valid.val() & self.awready.q.val() {
            self.waddr.d.next = self.s_axil.aw.addr.val().get_bits::<10>(2);
        }
        if self.s_axil.w.valid.val() & self.wready.q.val() {
            assign!(wdata.d = s_axil.w.data, wstrb.d = s_axil.w.strb);
        }
        self.stored.next = self.writing.q.val() == 1;
        if (self.writing.q.val() == 0) & self.taken_address.val() & self.taken_data.val() {
            self.writing.d.next = 1.into();
            clear!(has_address, has_data);
        }
        if self.writing.q.val() == 1 {
            self.writing.d.next = 2.into();
        }
        if self.writing.q.val() == 2 {
            self.writing.d.next = 3.into();
            self.bresp.d.next = !self.file.whit.val() | self.absent.val();
        }
        if (self.writing.q.val() == 3) & self.s_axil.b.ready.val() {
            self.writing.d.next = 0.into();
            self.awready.d.next = true;
            self.wready.d.next = true;
        }
        self.file.write.next = self.stored.val();
        inputs!(file: waddr, wdata, wstrb);
        self.s_axil.b.valid.next = self.writing.q.val() == 3;
        self.s_axil.b.resp.next = bits_u::<2>(0);
        if self.bresp.q.val() {
            // SLVERR
            self.s_axil.b.resp.next = bits_u::<2>(2);
        }

        // reads
        self.s_axil.ar.ready.next = self.arready.q.val();
        self.arready.d.next = self.reading.q.val() == 0;
        if self.arready.q.val() & self.s_axil.ar.valid.val() {
            self.arready.d.next = false;
            self.reading.d.next = 1.into();
            self.raddr.d.next = self.s_axil.ar.addr.val().get_bits::<10>(2);
        }
        if self.reading.q.val() == 1 {
            self.reading.d.next = 2.into();
        }
        self.file.raddr.next = self.raddr.q.val();
        self.read_wide.next = bit_cast_word::<WideAddress, U<10>>(self.raddr.q.val());
        self.read_group.next = bit_cast_word::<GroupAddress, U<10>>(self.raddr.q.val());
        self.read_narrow.next = bit_cast_word::<NarrowAddress, U<10>>(self.raddr.q.val());
        self.wrote_group.next = bit_cast_word::<GroupAddress, U<10>>(self.waddr.q.val());
        self.cleared.next = bit_cast_word::<StatusRegister, U<32>>(self.wdata.q.val());
        self.param_parts.next.low = self.param_low.q.val();
        self.param_parts.next.high = bit_cast_u::<16, 32>(self.wdata.q.val());
        self.bank.address.next = self.read_wide.val().entry;
        self.status.next = bits_zero::<StatusRegister>(0);
        fields!(status: busy, done, error, ready, code);
        self.wide.next = self.bank.count.val();
        if self.read_wide.val().entry == 63 {
            self.wide.next = bit_cast_u::<64, 48>(self.now_r.q.val());
        }
        self.is_sent.next = self.read_group.val().bank == 18;
        self.look.next = self.read_narrow.val().entry;
        if self.is_sent.val() {
            assign!(look = read_group.entry, wide = sent);
        }
        self.wide_parts.next = bit_cast_word::<WideValue, U<64>>(self.wide.val());
        if self.reading.q.val() == 2 {
            self.reading.d.next = 3.into();
            self.rdata.d.next = self.file.rdata.val();
            self.rresp.d.next = !self.file.rhit.val();
            if self.raddr.q.val() == 43 {
                self.rdata.d.next = bit_cast_number::<32, StatusRegister>(self.status.val());
            }
            // flows with work: 0x880 to 0x8bf
            if self.read_narrow.val().bank == 34 {
                self.rdata.d.next = bit_cast_u::<32, 16>(self.active.val());
            }
            // 64-bit values: 0x200 to 0x3ff, and bytes of groups, 0x900 to 0x97f
            if ((self.read_wide.val().bank == 1) & self.file.rhit.val()) | self.is_sent.val() {
                if self.read_wide.val().high {
                    self.rdata.d.next = self.kept.q.val();
                } else {
                    assign!(rdata.d = wide_parts.low, kept.d = wide_parts.high);
                }
            }
        }
        if (self.reading.q.val() == 3) & self.s_axil.r.ready.val() {
            self.reading.d.next = 0.into();
            self.arready.d.next = true;
        }
        self.s_axil.r.valid.next = self.reading.q.val() == 3;
        self.s_axil.r.data.next = self.rdata.q.val();
        self.s_axil.r.resp.next = bits_u::<2>(0);
        if self.rresp.q.val() {
            // SLVERR
            self.s_axil.r.resp.next = bits_u::<2>(2);
        }

        // parameters
        clear!(param_cc, param_sched);
        if self.stored.val() & (self.in_window.val() | (self.wrote_wide.val().bank == 3)) {
            if self.wrote_wide.val().high {
                assign!(param_cc.d = in_window, param_law.d = window_law);
                self.param_sched.d.next = self.wrote_wide.val().bank == 3;
                self.param_address.d.next = self.wrote_wide.val().entry;
                self.param_data.d.next = bit_cast_number::<48, ParamValue>(self.param_parts.val());
            } else {
                self.param_low.d.next = self.wdata.q.val();
            }
        }
        // levels: 0x800 to 0x87f
        self.level.d.next = false;
        if self.stored.val() & (self.wrote_group.val().bank == 16) {
            if self.wrote_wide.val().high {
                self.level.d.next = true;
                self.param_address.d.next = self.wrote_wide.val().entry;
                self.param_data.d.next = bit_cast_number::<48, ParamValue>(self.param_parts.val());
            } else {
                self.param_low.d.next = self.wdata.q.val();
            }
        }
        self.level_write.next = self.level.q.val();
        self.level_group.next = bit_cast_u::<4, 6>(self.param_address.q.val());
        self.level_rate.next = bit_cast_u::<34, 48>(self.param_data.q.val());
        assign! {
            cc_param_law = param_law, cc_param.write = param_cc, cc_param.address = param_address,
            cc_param.data = param_data, sched_param.write = param_sched, sched_param.address = param_address,
            sched_param.data = param_data
        }

        // commands: 0x0a8 starts one, ones written to 0x0ac clear
        if self.stored.val() & (self.waddr.q.val() == 43) & self.wstrb.q.val().get_bit(0) {
            self.done.d.next = self.done.q.val() & !self.cleared.val().done;
            self.error.d.next = self.error.q.val() & !self.cleared.val().error;
        }
        if self.command.ready.val() {
            self.offered.d.next = false;
        }
        if self.stored.val() & (self.waddr.q.val() == 42) {
            if self.busy.q.val() {
                self.error.d.next = true;
                self.code.d.next = 7.into();
            } else {
                self.busy.d.next = true;
                self.offered.d.next = true;
                assign!(operation.d = wdata, held_body.d = file.body);
            }
        }
        if self.command_done.val() {
            self.busy.d.next = false;
            if self.command_code.val() == 0 {
                self.done.d.next = true;
            } else {
                self.error.d.next = true;
                self.code.d.next = self.command_code.val();
            }
        }
        self.command.valid.next = self.offered.q.val();
        self.ordered.next = bit_cast_word::<CommandRegister, U<32>>(self.operation.q.val());
        self.made.next = bits_zero::<Command>(0);
        fields!(made: operation = ordered.operation, index = ordered.index, body = held_body);
        self.command.data.next = bit_cast_bus::<416, 7, Command>(self.made.val());

        outputs!(file:
            cfg_mac, cfg_ip, cfg_mtu, cfg_port_roce, cfg_port_int, cfg_port_echo, cfg_port_control, cfg_pkey, cfg_dscp,
            cfg_ttl, cfg_ecn, cfg_cnp_dscp, cfg_cnp_interval, cfg_cnp_enable, cfg_ack_req_interval, cfg_max_rd_atomic,
            cfg_reads, cfg_ack_priority, cfg_ack_pause, cfg_speed_valid, cfg_window, cfg_rate, cfg_line_rate,
            cfg_default_law, cfg_control_enable, cfg_control_interval, cfg_control_key, cfg_control_sources,
            cfg_cap_window, cfg_cap_dither, cfg_cap_time);
        reset! {
            writing, reading, awready, wready, arready, has_address, has_data, param_cc, param_sched, level, busy,
            offered, done, error, code
        }
    }
}
