//! The register block.

use super::counters::CounterBank;
use super::file::RegisterFile;
use super::settings::Settings;
use crate::cc::slot::ConfigOut;
use crate::prim::axi::AxiLiteIn;
use crate::prim::skid::StreamOut;
use crate::prim::uint::{bit_cast_u, bits_u, U};
use crate::prim::wide::W;
use crate::prim::word::{bit_cast_number, bit_cast_word, bits_zero};
use crate::words::congestion::{BuiltLaws, LawCode};
use crate::words::context::CommandResult;
use crate::words::context::HostCommand;
use crate::words::registers::{
    CommandRegister, GroupAddress, NarrowAddress, ParamValue, RegisterBytes, RegisterStrobes, StatusRegister,
    WideAddress, WideValue,
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
    pub command_code: Signal<In, CommandResult>,
    /// Parameters of the laws.
    pub cc_param: ConfigOut,
    /// Whose parameter it is.
    pub cc_param_law: Signal<Out, LawCode>,
    /// Parameters of the scheduler.
    pub sched_param: ConfigOut,
    /// A level is written.
    pub level_write: Signal<Out, Bit>,
    /// Group whose level is written.
    pub level_group: Signal<Out, U<4>>,
    /// Rate, UQ7.27 bytes per ns.
    pub level_rate: Signal<Out, U<34>>,
    /// Group whose values are wanted.
    pub look: Signal<Out, U<4>>,
    /// One clock later: its flows with work.
    pub active: Signal<In, U<16>>,
    /// One clock later: bytes that it has sent.
    pub sent: Signal<In, U<64>>,
    /// What software has set.
    pub cfg: Settings,
    #[registers(Bit:
        /// An address of a write is taken.
        awready,
        /// Data of a write are taken.
        wready,
        /// An address of a read is taken.
        arready,
        /// The address of a write was taken, and its data are waited for.
        has_address,
        /// The data of a write were taken, and its address is waited for.
        has_data,
        /// The write is answered with SLVERR: there is no such register, or its law is not built in.
        bresp,
        /// The read is answered with SLVERR: there is no such register.
        rresp)]
    #[signals(Bit: taken_address, taken_data)]
    #[registers(U<10>:
        /// Register that is written, in words of four bytes.
        waddr,
        /// Register that is read, in words of four bytes.
        raddr)]
    #[registers(U<32>:
        /// What is written.
        wdata,
        /// What was read.
        rdata,
        /// Upper half of the 64-bit value whose lower half was read last, of the same moment.
        kept)]
    #[signals(StatusRegister: status, cleared)]
    #[signals(WideAddress: read_wide, wrote_wide)]
    #[signals(GroupAddress: read_group, wrote_group)]
    file: RegisterFile,
    bank: CounterBank,
    /// Write: 0 address and data are waited for, 1 decoded, 2 stored, its hit is known, 3 answered.
    writing: DFF<U<2>>,
    /// Read: 1 file and counters are read, 2 their answer is there, 3 answered.
    reading: DFF<U<2>>,
    #[registers(Bit:
        /// A parameter of a law is written.
        to_law,
        /// A parameter of the scheduler is written.
        to_sched,
        /// The rate of a group is written.
        to_level,
        /// A parameter of a law that is not built in is written.
        to_absent,
        /// A command is started.
        starts,
        /// The status is written: bits that are one are cleared.
        clears)]
    /// Law whose parameter is written.
    to_which: DFF<LawCode>,
    #[registers(Bit:
        /// The status is read.
        reads_status,
        /// Flows with work of a group are read.
        reads_active,
        /// The NIC's clock is read.
        reads_now,
        /// Bytes of a group are read.
        reads_sent,
        /// A value of 64 bits is read.
        reads_wide,
        /// The upper half of a value is read, as it was with the lower half.
        reads_kept)]
    /// Bytes that are written.
    wstrb: DFF<U<4>>,
    wide: Signal<Local, U<64>>,
    /// The NIC's clock of one clock ago, ns.
    now_r: DFF<U<48>>,
    ordered: Signal<Local, CommandRegister>,
    made: Signal<Local, HostCommand>,
    read_narrow: Signal<Local, NarrowAddress>,
    param_parts: Signal<Local, ParamValue>,
    wide_parts: Signal<Local, WideValue>,
    // parameters
    /// Lower half of the parameter that is written, kept until its upper half is written.
    param_low: DFF<U<32>>,
    /// A parameter of a law is set, for one clock.
    param_cc: DFF<Bit>,
    /// Law whose parameter is set.
    param_law: DFF<LawCode>,
    // the law whose window is written, and that it is not built in
    #[signals(Bit: in_window, absent, is_sent, acts)]
    #[signals(RegisterBytes: given, merged)]
    #[signals(RegisterStrobes: strobed)]
    #[registers(Bit:
        /// A parameter of the scheduler is set, for one clock.
        param_sched,
        /// The rate of a group is set, for one clock.
        level)]
    window_law: Signal<Local, LawCode>,
    built: Signal<Local, BuiltLaws>,
    /// Number of the parameter or group that is set.
    param_address: DFF<U<6>>,
    /// What the parameter is set to.
    param_data: DFF<U<48>>,
    // commands
    #[registers(Bit:
        /// A command is carried out.
        busy,
        /// The command is offered to the manager.
        offered,
        /// A command was carried out; software clears the bit.
        done,
        /// A command was refused; software clears the bit.
        error)]
    /// Why the last command was refused.
    code: DFF<CommandResult>,
    /// The command as it was written.
    operation: DFF<U<32>>,
    /// What the command writes, as it stood when the command was started.
    held_body: DFF<W<384, 6>>,
}

#[kernel]
impl Logic for Registers {
    fn update(&mut self) {
        file.reset = reset;
        inputs!(bank: reset, pulses);
        inputs!(file: sched_late, sched_beyond, sched_out_of_range, sched_cc_dropped, laws);
        now_r = now;

        wrote_wide = bit_cast_word::<WideAddress, U<10>>(waddr);
        // windows of parameters: HPCC's from 0x400, the scheduler's (no law's) from 0x600, DCQCN's from 0xa00, PowerTCP's from 0xc00,
        // theta-PowerTCP's from 0xe00
        built = bit_cast_word::<BuiltLaws, U<8>>(laws);
        window_law = LawCode::None;
        clear!(in_window, absent);
        if wrote_wide.bank == 2 {
            window_law = LawCode::Hpcc;
            in_window = built.hpcc;
            absent = !built.hpcc;
        }
        if wrote_wide.bank == 5 {
            window_law = LawCode::Dcqcn;
            in_window = built.dcqcn;
            absent = !built.dcqcn;
        }
        if wrote_wide.bank == 6 {
            window_law = LawCode::PowerTcp;
            in_window = built.powertcp;
            absent = !built.powertcp;
        }
        if wrote_wide.bank == 7 {
            window_law = LawCode::Theta;
            in_window = built.theta;
            absent = !built.theta;
        }

        // writes
        assign!(s_axil.aw.ready = awready, s_axil.w.ready = wready);
        taken_address = has_address | (s_axil.aw.valid & awready);
        taken_data = has_data | (s_axil.w.valid & wready);
        assign!(has_address.d = taken_address, has_data.d = taken_data);
        awready = (writing == 0) & !taken_address;
        wready = (writing == 0) & !taken_data;
        if s_axil.aw.valid & awready {
            waddr = s_axil.aw.addr.get_bits::<10>(2);
        }
        if s_axil.w.valid & wready {
            assign!(wdata.d = s_axil.w.data, wstrb.d = s_axil.w.strb);
        }
        if (writing == 0) & taken_address & taken_data {
            writing = 1.into();
            clear!(has_address, has_data);
        }
        if writing == 1 {
            writing = 2.into();
        }
        if writing == 2 {
            writing = 3.into();
            bresp = !file.whit | to_absent;
        }
        if (writing == 3) & s_axil.b.ready {
            writing = 0.into();
            awready = true;
            wready = true;
        }
        file.write = writing == 1;
        inputs!(file: waddr, wdata, wstrb);
        s_axil.b.valid = writing == 3;
        s_axil.b.resp = bits_u::<2>(0);
        if bresp {
            // SLVERR
            s_axil.b.resp = bits_u::<2>(2);
        }

        // reads
        s_axil.ar.ready = arready;
        arready = reading == 0;
        if arready & s_axil.ar.valid {
            arready = false;
            reading = 1.into();
            raddr = s_axil.ar.addr.get_bits::<10>(2);
        }
        if reading == 1 {
            reading = 2.into();
        }
        file.raddr = raddr;
        read_wide = bit_cast_word::<WideAddress, U<10>>(raddr);
        read_group = bit_cast_word::<GroupAddress, U<10>>(raddr);
        read_narrow = bit_cast_word::<NarrowAddress, U<10>>(raddr);
        wrote_group = bit_cast_word::<GroupAddress, U<10>>(waddr);
        cleared = bit_cast_word::<StatusRegister, U<32>>(wdata);
        param_parts.low = param_low;
        param_parts.high = bit_cast_u::<16, 32>(wdata);
        bank.address = read_wide.entry;
        status = bits_zero::<StatusRegister>(0);
        fields!(status: busy, done, error, ready, code);
        wide = if reads_now { bit_cast_u::<64, 48>(now_r) } else { bank.count };
        is_sent = read_group.bank == 18;
        look = read_narrow.entry;
        if is_sent {
            look = read_group.entry;
        }
        if reads_sent {
            wide = sent;
        }
        wide_parts = bit_cast_word::<WideValue, U<64>>(wide);
        // the address stays, so what it means is known a clock before it is needed
        reads_status = raddr == 43;
        // flows with work: 0x880 to 0x8bf
        reads_active = read_narrow.bank == 34;
        // 64-bit values: 0x200 to 0x3ff, and bytes of groups, 0x900 to 0x97f
        reads_wide = read_wide.bank == 1;
        reads_now = read_wide.entry == 63;
        reads_sent = is_sent;
        reads_kept = read_wide.high;
        if reading == 2 {
            reading = 3.into();
            rdata = file.rdata;
            rresp = !file.rhit;
            if reads_status {
                rdata = bit_cast_number::<32, StatusRegister>(status);
            }
            if reads_active {
                rdata = bit_cast_u::<32, 16>(active);
            }
            if (reads_wide & file.rhit) | reads_sent {
                if reads_kept {
                    rdata = kept;
                } else {
                    assign!(rdata.d = wide_parts.low, kept.d = wide_parts.high);
                }
            }
        }
        if (reading == 3) & s_axil.r.ready {
            reading = 0.into();
            arready = true;
        }
        s_axil.r.valid = reading == 3;
        s_axil.r.data = rdata;
        s_axil.r.resp = bits_u::<2>(0);
        if rresp {
            // SLVERR
            s_axil.r.resp = bits_u::<2>(2);
        }

        // what is written
        to_law = (writing == 1) & in_window;
        to_which = window_law;
        to_sched = (writing == 1) & (wrote_wide.bank == 3);
        // levels: 0x800 to 0x87f
        to_level = (writing == 1) & (wrote_group.bank == 16);
        to_absent = absent;
        // what acts when it is written does so with all strobes only
        acts = wstrb.all();
        starts = (writing == 1) & (waddr == 42) & acts;
        strobed = bit_cast_word::<RegisterStrobes, U<4>>(wstrb);
        clears = (writing == 1) & (waddr == 43) & strobed.byte_0;

        // low words keep the bytes without strobe
        given = bit_cast_word::<RegisterBytes, U<32>>(wdata);
        merged = bit_cast_word::<RegisterBytes, U<32>>(param_low);
        if strobed.byte_0 {
            merged.byte_0 = given.byte_0;
        }
        if strobed.byte_1 {
            merged.byte_1 = given.byte_1;
        }
        if strobed.byte_2 {
            merged.byte_2 = given.byte_2;
        }
        if strobed.byte_3 {
            merged.byte_3 = given.byte_3;
        }
        if (to_law | to_sched | to_level) & !wrote_wide.high {
            param_low = bit_cast_number::<32, RegisterBytes>(merged);
        }

        // parameters
        clear!(param_cc, param_sched, level);
        if wrote_wide.high & acts {
            assign!(param_cc.d = to_law, param_sched.d = to_sched, level.d = to_level);
            if to_law | to_sched | to_level {
                assign!(param_law.d = to_which, param_address.d = wrote_wide.entry);
                param_data = bit_cast_number::<48, ParamValue>(param_parts);
            }
        }
        level_write = level;
        level_group = bit_cast_u::<4, 6>(param_address);
        level_rate = bit_cast_u::<34, 48>(param_data);
        assign! {
            cc_param_law = param_law, cc_param.write = param_cc, cc_param.address = param_address,
            cc_param.data = param_data, sched_param.write = param_sched, sched_param.address = param_address,
            sched_param.data = param_data
        }

        // commands: 0x0a8 starts one, ones written to 0x0ac clear
        if clears {
            done = done & !cleared.done;
            error = error & !cleared.error;
        }
        if command.ready {
            offered = false;
        }
        if starts {
            if busy {
                error = true;
                code = CommandResult::Busy;
            } else {
                busy = true;
                offered = true;
                assign!(operation.d = wdata, held_body.d = file.body);
            }
        }
        if command_done {
            busy = false;
            if command_code == CommandResult::Done {
                done = true;
            } else {
                error = true;
                code = command_code;
            }
        }
        command.valid = offered;
        ordered = bit_cast_word::<CommandRegister, U<32>>(operation);
        made = bits_zero::<HostCommand>(0);
        fields!(made: operation = ordered.operation, index = ordered.index, body = held_body);
        command.data = made;

        Settings::link(&mut cfg, &mut file.cfg);
        reset! {
            writing, reading, awready, wready, arready, has_address, has_data, to_law, to_sched, to_level, starts,
            clears, param_cc, param_sched, level, busy, offered, done, error, code, kept,
            param_low
        }
    }
}
