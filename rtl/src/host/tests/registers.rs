//! Every address of the register map, its settings, counters, parameters and commands.

use crate::host::registers::Registers;
use crate::prim::uint::{mask, U};
use crate::prim::word::Word as _;
use crate::sim::{init, port_list, step, Port, Ports, Stimulus};
use crate::words::congestion::LawCode;
use crate::words::context::CommandResult;
use crate::words::context::HostCommand;
use hpcc_models::nic::registers::{offset, registers, Access, Place, MAP_BYTES};
use hpcc_models::nic::Counter;
use std::collections::BTreeMap;

const OKAY: u64 = 0;
const SLVERR: u64 = 2;

struct Bench {
    block: Box<Registers>,
    ports: Vec<Port>,
    stimulus: Stimulus,
    now: u64,
    /// Parameter writes: port, address, data.
    params: Vec<(&'static str, u64, u64)>,
    commands: Vec<[u64; 7]>,
    /// Groups have something to show.
    counting: bool,
}

impl Bench {
    fn new(seed: u64) -> Self {
        let mut block: Box<Registers> = Box::default();
        init(block.as_mut()).expect("complete block");
        let ports = port_list(block.as_ref());
        block.reset.next = true;
        for _ in 0..3 {
            step(block.as_mut(), |_| ());
        }
        block.reset.next = false;
        block.ready.next = true;
        // all of them
        block.laws.next = U(0b1_1111);
        step(block.as_mut(), |_| ());
        Self {
            block,
            ports,
            stimulus: Stimulus::new(seed),
            now: 0,
            params: vec![],
            commands: vec![],
            counting: false,
        }
    }

    /// A clock; returns the signals of both answers: (awready, bvalid, bresp, arready, rvalid, rresp, rdata, wready).
    fn tick(&mut self) -> [u64; 8] {
        self.now += 5;
        self.block.now.next = U(self.now & mask(48));
        let (seen, cc, sched, level, look, command) = step(self.block.as_mut(), |b| {
            (
                [
                    b.s_axil.aw.ready.val().into(),
                    b.s_axil.b.valid.val().into(),
                    b.s_axil.b.resp.val().0,
                    b.s_axil.ar.ready.val().into(),
                    b.s_axil.r.valid.val().into(),
                    b.s_axil.r.resp.val().0,
                    b.s_axil.r.data.val().0,
                    b.s_axil.w.ready.val().into(),
                ],
                b.cc_param.write.val().then(|| {
                    (
                        b.cc_param_law.val(),
                        b.cc_param.address.val().0,
                        b.cc_param.data.val().0,
                    )
                }),
                b.sched_param
                    .write
                    .val()
                    .then(|| (b.sched_param.address.val().0, b.sched_param.data.val().0)),
                b.level_write
                    .val()
                    .then(|| (b.level_group.val().0, b.level_rate.val().0)),
                b.look.val().0,
                (b.command.valid.val() && b.command.ready.val()).then(|| b.command.data.val().array::<7>()),
            )
        });
        self.params.extend(cc.map(|(law, address, data)| match law {
            LawCode::Hpcc => ("hpcc", address, data),
            LawCode::Dcqcn => ("dcqcn", address, data),
            LawCode::PowerTcp => ("powertcp", address, data),
            LawCode::Theta => ("theta", address, data),
            _ => panic!("{law:?} has no window"),
        }));
        self.params
            .extend(sched.map(|(address, data)| ("sched", address, data)));
        self.params.extend(level.map(|(group, rate)| ("level", group, rate)));
        // one clock later, as the scheduler answers
        let values = (1000 + look, (look + 1) << 40 | look);
        if self.counting {
            (self.block.active.next, self.block.sent.next) = (U(values.0), U(values.1));
        }
        self.commands.extend(command);
        seen
    }

    fn write_bytes(&mut self, address: u16, data: u32, strobes: u64) -> u64 {
        let (address_late, data_late) = (self.stimulus.below(3), self.stimulus.below(3));
        self.block.s_axil.aw.addr.next = U(address.into());
        self.block.s_axil.w.data.next = U(data.into());
        self.block.s_axil.w.strb.next = U(strobes);
        let (mut has_address, mut has_data) = (false, false);
        for clock in 0.. {
            let (offers_address, offers_data) =
                (!has_address && clock >= address_late, !has_data && clock >= data_late);
            self.block.s_axil.aw.valid.next = offers_address;
            self.block.s_axil.w.valid.next = offers_data;
            let seen = self.tick();
            has_address |= offers_address && seen[0] == 1;
            has_data |= offers_data && seen[7] == 1;
            if has_address && has_data {
                break;
            }
            assert!(clock < 10, "no write is taken");
        }
        self.block.s_axil.aw.valid.next = false;
        self.block.s_axil.w.valid.next = false;
        for _ in 0..50 {
            let ready = self.stimulus.chance(0.5);
            self.block.s_axil.b.ready.next = ready;
            let seen = self.tick();
            if ready && seen[1] == 1 {
                self.block.s_axil.b.ready.next = false;
                return seen[2];
            }
        }
        panic!("no answer to a write of 0x{address:x}");
    }

    fn write(&mut self, address: u16, data: u32) {
        assert_eq!(self.write_bytes(address, data, 15), OKAY, "0x{address:x}");
    }

    fn read(&mut self, address: u16) -> (u32, u64) {
        self.block.s_axil.ar.addr.next = U(address.into());
        self.block.s_axil.ar.valid.next = true;
        assert_eq!(self.tick()[3], 1, "a read is taken at once");
        self.block.s_axil.ar.valid.next = false;
        for _ in 0..50 {
            let ready = self.stimulus.chance(0.5);
            self.block.s_axil.r.ready.next = ready;
            let seen = self.tick();
            if ready && seen[4] == 1 {
                self.block.s_axil.r.ready.next = false;
                return (seen[6] as u32, seen[5]);
            }
        }
        panic!("no answer to a read of 0x{address:x}");
    }

    fn get(&mut self, address: u16) -> u32 {
        let (value, response) = self.read(address);
        assert_eq!(response, OKAY, "0x{address:x}");
        value
    }

    /// An output of the block by name.
    fn output(&self, name: &str) -> Vec<u64> {
        let limbs = self.ports.iter().filter(|port| !port.input).map(Port::limbs).sum();
        let mut all = vec![0; limbs];
        self.block.get_outputs(&mut all);
        let port = self
            .ports
            .iter()
            .find(|port| port.name == name)
            .unwrap_or_else(|| panic!("no port {name}"));
        all[port.limb..port.limb + port.limbs()].to_vec()
    }
}

#[test]
fn every_address_is_answered_and_reset_values_are_those_of_the_map() {
    let mut bench = Bench::new(1);
    let mut expected = BTreeMap::new();
    for register in registers() {
        for address in register.addresses() {
            let shown = register.fields.iter().filter(|field| field.access != Access::Wo);
            let value: u32 = shown.map(|field| field.reset << field.low).sum();
            expected.insert(address, value);
        }
    }
    for address in (0..MAP_BYTES).step_by(4) {
        if address == offset::TIME || address == offset::TIME + 4 {
            continue;
        }
        let (value, response) = bench.read(address);
        match expected.get(&address) {
            // the bench says that the NIC is ready
            Some(_) if address == offset::STATUS => assert_eq!((value, response), (8, OKAY)),
            Some(reset) => assert_eq!((value, response), (*reset, OKAY), "0x{address:x}"),
            None => assert_eq!((value, response), (0, SLVERR), "0x{address:x}"),
        }
    }
    for address in (0..MAP_BYTES).step_by(4) {
        let response = bench.write_bytes(address, 0, 0);
        assert_eq!(response == OKAY, expected.contains_key(&address), "0x{address:x}");
    }
}

/// Fields whose reset value the generated RDL says, by address: bits and value. Read from the text, as a user's tools do.
fn reset_values() -> Vec<(u16, u32, u32)> {
    let text = hpcc_models::nic::registers::system_rdl();
    let number = |text: &str| match text.trim().strip_prefix("0x") {
        Some(digits) => u16::from_str_radix(digits, 16).unwrap(),
        None => text.trim().parse().unwrap(),
    };
    // fields of the register that is read, and registers of the file that is read
    let (mut fields, mut inside, mut values) = (vec![], None, vec![]);
    for line in text.lines().map(|line| line.trim().trim_end_matches(';')) {
        if line == "regfile {" {
            inside = Some(vec![]);
        } else if line.starts_with("field {") {
            let (name, reset) = line.rsplit_once("} ").unwrap().1.split_once(" = ").unwrap_or(("", ""));
            if let Some((high, low)) = name
                .split_once('[')
                .and_then(|(_, bits)| bits.trim_end_matches(']').split_once(':'))
            {
                let value = u32::from_str_radix(reset.split_once("'h").unwrap().1, 16).unwrap();
                let (high, low): (u32, u32) = (high.parse().unwrap(), low.parse().unwrap());
                fields.push((u32::MAX >> (31 + low - high) << low, value << low));
            }
        } else if let Some((name, place)) = line.strip_prefix("} ").and_then(|line| line.split_once(" @ ")) {
            let (offset, stride) = place.split_once(" += ").unwrap_or((place, "0"));
            let count = name
                .split_once('[')
                .map_or(1, |(_, count)| number(count.trim_end_matches(']')));
            let mut own = vec![(0, std::mem::take(&mut fields))];
            if name.contains('[') && inside.is_some() {
                own = inside.take().unwrap();
            } else if let Some(registers) = &mut inside {
                registers.push((number(offset), own.remove(0).1));
                continue;
            }
            for n in 0..count {
                for (at, fields) in &own {
                    let address = number(offset) + n * number(stride) + at;
                    values.extend(fields.iter().map(|(mask, value)| (address, *mask, *value)));
                }
            }
        }
    }
    values
}

/// The first reads after a reset that finds a used register block: every field of the RDL that has a reset value shows this.
#[test]
fn reset_values_of_the_rdl_are_what_a_read_shows() {
    let values = reset_values();
    assert!(values.len() > 200, "{}", values.len());
    let mut bench = Bench::new(9);
    // the last counters are the last to be cleared
    for backwards in [false, true] {
        bench.block.pulses.next = U(u64::MAX);
        for _ in 0..200 {
            bench.tick();
        }
        bench.now = 5 << 32;
        for address in (0..MAP_BYTES).step_by(4).filter(|address| *address != offset::COMMAND) {
            bench.write_bytes(address, 0x0101_0101, 15);
        }
        bench.get(offset::TIME);
        bench.block.pulses.next = U(0);
        bench.block.ready.next = false;
        bench.block.reset.next = true;
        bench.tick();
        bench.block.reset.next = false;
        let mut order = values.clone();
        if backwards {
            order.reverse();
        } else {
            // a high word first: nothing is kept from before
            order.sort_by_key(|(address, ..)| *address != offset::COUNTERS + 4);
        }
        bench.tick();
        for (address, mask, value) in order {
            assert_eq!(bench.get(address) & mask, value, "0x{address:x}");
        }
        bench.params.clear();
    }
}

/// A write without all strobes: settings take the bytes that have one, what acts when it is written does nothing.
#[test]
fn strobes_count_in_every_register() {
    let mut bench = Bench::new(10);
    for strobes in 0..15 {
        assert_eq!(bench.write_bytes(offset::COMMAND, 0x0000_0202, strobes), OKAY);
        assert_eq!(bench.get(offset::STATUS), 8, "strobes {strobes:04b}: nothing begins");
    }
    let windows = [
        (offset::CC_PARAM, "hpcc"),
        (offset::SCHED_PARAM, "sched"),
        (offset::DCQCN_PARAM, "dcqcn"),
        (offset::POWERTCP_PARAM, "powertcp"),
        (offset::THETA_PARAM, "theta"),
        (offset::LEVEL, "level"),
    ];
    for (base, name) in windows {
        for strobes in 0..16u64 {
            bench.write(base + 8, 0x1122_3344);
            assert_eq!(bench.write_bytes(base + 8, 0xaabb_ccdd, strobes), OKAY);
            let bytes = [0, 1, 2, 3]
                .map(|byte| if strobes >> byte & 1 == 1 { 0xaabb_ccddu32 } else { 0x1122_3344 } & 0xff << (8 * byte));
            if strobes < 15 {
                assert_eq!(bench.write_bytes(base + 12, 3, strobes), OKAY);
                assert_eq!(bench.params, [], "{name}: strobes {strobes:04b}");
            }
            bench.write(base + 12, 1);
            let low = u64::from(bytes.iter().sum::<u32>());
            assert_eq!(bench.params, [(name, 1, 1 << 32 | low)], "strobes {strobes:04b}");
            bench.params.clear();
        }
    }
    bench.block.command_done.next = true;
    bench.tick();
    bench.block.command_done.next = false;
    assert_eq!(bench.write_bytes(offset::STATUS, 2, 14), OKAY);
    assert_eq!(bench.get(offset::STATUS), 10, "done stays");
    assert_eq!(bench.write_bytes(offset::STATUS, 2, 1), OKAY);
    assert_eq!(bench.get(offset::STATUS), 8);
}

/// Registers that may not have every value, by hand: least and greatest.
const RANGES: [(u16, u32, u32); 8] = [
    (0x01c, 0, 4),
    (0x038, 1, 255),
    (0x03c, 1, 255),
    (0x040, 1, 16),
    (0x044, 1, 100),
    (0x06c, 0, 4),
    (0x0b0, 0, 2),
    (0x0f8, 1, 255),
];

/// Every value of eight bits to every register that has a range: one outside is refused and changes nothing.
#[test]
fn values_outside_of_a_range_are_refused() {
    let mut bench = Bench::new(11);
    for (address, least, most) in RANGES {
        let reset = bench.get(address);
        let width_mask = registers().iter().find(|r| r.offset == address).unwrap().stored_mask();
        for value in 0..256u32 {
            let kept = value & width_mask;
            let fits = (least..=most).contains(&kept);
            assert_eq!(
                bench.write_bytes(address, value, 15) == OKAY,
                fits,
                "0x{address:x} = {value}"
            );
            assert_eq!(
                bench.get(address),
                if fits { kept } else { reset },
                "0x{address:x} = {value}"
            );
            bench.write(address, reset);
            // without its strobe the value is nobody's
            assert_eq!(bench.write_bytes(address, value, 14), OKAY, "0x{address:x}");
            assert_eq!(bench.get(address), reset, "0x{address:x}");
        }
    }
    let ranged = registers().into_iter().filter(|register| register.range().is_some());
    assert!(ranged
        .map(|register| register.offset)
        .all(|offset| RANGES.iter().any(|(at, ..)| *at == offset)));
}

/// Random writes of random bytes; what is read and what shows on the signals are put together from the map's fields.
#[test]
fn settings_show_on_their_signals_and_nothing_else_moves() {
    let mut bench = Bench::new(2);
    let list = registers();
    let mut stored: Vec<u32> = list.iter().map(|register| register.reset()).collect();
    for round in 0..2000 {
        let at = bench.stimulus.below(list.len() as u64) as usize;
        let register = &list[at];
        if register.offset == offset::COMMAND || register.count > 1 {
            continue;
        }
        let (data, strobes) = (bench.stimulus.uniform(32) as u32, bench.stimulus.uniform(4));
        let low = data & register.stored_mask();
        let range = RANGES.iter().find(|(address, ..)| *address == register.offset);
        let refused = strobes & 1 == 1 && range.is_some_and(|(_, least, most)| low < *least || low > *most);
        let response = bench.write_bytes(register.offset, data, strobes);
        assert_eq!(response, if refused { SLVERR } else { OKAY }, "{}", register.name);
        let strobes = if refused { 0 } else { strobes };
        let bytes = (0..4)
            .filter(|byte| strobes >> byte & 1 == 1)
            .fold(0u32, |all, byte| all | 0xff << (8 * byte));
        let moved = bytes & register.stored_mask();
        stored[at] = stored[at] & !moved | data & moved;
        if matches!(
            register.fields[0].place,
            Place::Elsewhere | Place::Moving | Place::Live(_)
        ) {
            continue;
        }
        let (value, _) = bench.read(register.offset);
        assert_eq!(
            value,
            stored[at] & register.read_mask(),
            "round {round}: {}",
            register.name
        );
    }
    let mut signals: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for (register, value) in list.iter().zip(&stored) {
        for field in &register.fields {
            let Place::Signal(name, low) = field.place else {
                continue;
            };
            let limbs = signals.entry(name).or_insert_with(|| vec![0; 6]);
            limbs[usize::from(low) / 64] |= u64::from((value & field.mask()) >> field.low) << (low % 64);
        }
    }
    // the body of commands shows in the commands only
    signals.remove("body");
    for (name, expected) in &signals {
        let got = bench.output(name);
        assert_eq!(got[..], expected[..got.len()], "{name}");
        assert!(
            expected[got.len()..].iter().all(|limb| *limb == 0),
            "{name} is wider than its port"
        );
    }
    let ports = bench.ports.iter().filter(|port| port.name.starts_with("cfg_"));
    assert_eq!(ports.count(), signals.len(), "every setting has its signal");
}

#[test]
fn counters_count_every_pulse_and_are_read_whole() {
    let mut bench = Bench::new(3);
    let mut counts = [0u64; 64];
    for clock in 0..3000u64 {
        let pulses = match clock % 3 {
            0 => u64::MAX,
            1 => bench.stimulus.uniform(64),
            _ => bench.stimulus.corner(64),
        };
        for (i, count) in counts.iter_mut().enumerate() {
            *count += pulses >> i & 1;
        }
        bench.block.pulses.next = U(pulses);
        bench.tick();
    }
    bench.block.pulses.next = U(0);
    for _ in 0..70 {
        bench.tick();
    }
    for (i, counter) in Counter::ALL.iter().enumerate() {
        let address = offset::COUNTERS + 8 * i as u16;
        let value = u64::from(bench.get(address)) | u64::from(bench.get(address + 4)) << 32;
        assert_eq!(value, counts[i], "{}", counter.name());
    }
    // the clock passes 2^32 between the two reads
    bench.now = (7 << 32) - 40;
    let low = bench.get(offset::TIME);
    for _ in 0..20 {
        bench.tick();
    }
    let high = bench.get(offset::TIME + 4);
    assert!(bench.now > 7 << 32);
    assert_eq!(high, 6, "low word 0x{low:x}");
    assert_eq!(bench.get(offset::TIME + 4), 6, "until the next low word");
}

#[test]
fn parameters_are_written_with_the_high_word() {
    let mut bench = Bench::new(4);
    let windows = [
        (offset::CC_PARAM, "hpcc"),
        (offset::SCHED_PARAM, "sched"),
        (offset::DCQCN_PARAM, "dcqcn"),
        (offset::POWERTCP_PARAM, "powertcp"),
        (offset::THETA_PARAM, "theta"),
    ];
    for (base, name) in windows {
        for place in [0u16, 5, 63] {
            bench.write(base + 8 * place, 0x89ab_cdef);
            assert!(bench.params.is_empty());
            bench.write(base + 8 * place + 4, 0xffff_4567);
            assert_eq!(bench.params, [(name, place.into(), 0x4567_89ab_cdef)]);
            bench.params.clear();
        }
    }
}

#[test]
fn parameters_of_a_law_that_is_not_built_in_are_refused() {
    let mut bench = Bench::new(6);
    assert_eq!(bench.get(offset::LAWS), 0b1_1111);
    for (built, base) in [
        (0b1_1101, offset::CC_PARAM),
        (0b1_1011, offset::DCQCN_PARAM),
        (0b1_0111, offset::POWERTCP_PARAM),
        (0b0_1111, offset::THETA_PARAM),
    ] {
        bench.block.laws.next = U(built);
        for at in [base, base + 4, base + 0x1fc] {
            assert_eq!(bench.write_bytes(at, 7, 15), SLVERR, "0x{at:x}");
        }
        assert_eq!(bench.write_bytes(offset::SCHED_PARAM, 7, 15), OKAY);
        assert_eq!(bench.params, []);
    }
}

#[test]
fn commands_one_at_a_time() {
    let mut bench = Bench::new(5);
    for i in 0..12u16 {
        bench.write(offset::BODY + 4 * i, 0x1111_1111 * u32::from(i));
    }
    bench.write(offset::COMMAND, 0x0012_3403);
    assert_eq!(bench.get(offset::STATUS), 9, "busy, ready");
    // what is written now belongs to the next command
    bench.write(offset::BODY, 0xdead_beef);
    bench.write(offset::COMMAND, 0x0000_0201);
    assert_eq!(bench.get(offset::STATUS), 0x7d, "busy, error, code 7");
    bench.block.command.ready.next = true;
    bench.tick();
    bench.block.command.ready.next = false;
    for _ in 0..5 {
        bench.tick();
    }
    assert_eq!(bench.commands.len(), 1);
    let command = bench.commands[0];
    assert_eq!(
        (HostCommand::OPERATION.get(&command), HostCommand::INDEX.get(&command)),
        (3, 0x1234)
    );
    for i in 0..12 {
        assert_eq!(
            HostCommand::BODY.part(32 * i, 32).get(&command),
            0x1111_1111 * i as u64,
            "word {i}"
        );
    }
    bench.write(offset::STATUS, 4);
    assert_eq!(bench.get(offset::STATUS), 0x79, "error cleared");
    let mut finish = |code, expected, what| {
        bench.block.command_done.next = true;
        bench.block.command_code.next = CommandResult::ALL[code as usize];
        bench.tick();
        bench.block.command_done.next = false;
        assert_eq!(bench.get(offset::STATUS), expected, "{what}");
        bench.write(offset::STATUS, 6);
        bench.write(offset::COMMAND, 2);
        bench.block.command.ready.next = true;
        bench.tick();
    };
    finish(0, 0x7a, "done");
    finish(5, 0x5c, "refused with 5");
}

#[test]
fn levels_are_written_and_groups_are_read() {
    let mut bench = Bench::new(6);
    bench.counting = true;
    for group in 0..16u16 {
        bench.write(offset::LEVEL + 8 * group, 0x89ab_cdef);
        assert!(bench.params.is_empty());
        bench.write(offset::LEVEL + 8 * group + 4, 0xffff_fff2);
        assert_eq!(bench.params, [("level", group.into(), 0x2_89ab_cdef)]);
        bench.params.clear();
        assert_eq!(bench.get(offset::ACTIVE + 4 * group), 1000 + u32::from(group));
        let sent = offset::SENT + 8 * group;
        assert_eq!(bench.get(sent), u32::from(group));
        assert_eq!(bench.get(sent + 4), (u32::from(group) + 1) << 8);
    }
}
