//! Rooms of the source, and the unit tests that belong to each.

/// A folder of a crate, and the filter of its own tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Name on the command line.
    pub name: &'static str,
    /// Package.
    pub package: &'static str,
    /// Folder, from the workspace.
    pub folder: &'static str,
    /// Unit tests that are run: those whose path begins so.
    pub tests: &'static str,
    /// Other tests that guard it, as executable and beginning: integration tests of `models`, those of the network against other simulators
    /// (`testbench/network`), and those of the blocks that must agree with a bit-accurate model. The quick ones first: a mutant that fails
    /// one does not run the next.
    pub also: &'static [(&'static str, &'static str)],
}

const fn models(
    name: &'static str,
    folder: &'static str,
    tests: &'static str,
    also: &'static [(&'static str, &'static str)],
) -> Room {
    Room {
        name,
        package: "hpcc-models",
        folder,
        tests,
        also,
    }
}

const fn rtl(name: &'static str, folder: &'static str, tests: &'static str) -> Room {
    Room {
        name,
        package: "hpcc-rtl",
        folder,
        tests,
        also: &[],
    }
}

/// Every room that has unit tests of its own.
pub const ROOMS: [Room; 16] = [
    models("models/alloc", "models/src/alloc", "alloc::", &[]),
    models(
        "models/cc",
        "models/src/cc",
        "cc::",
        &[
            ("models", "golden_traces::"),
            ("models", "powertcp::"),
            ("hpcc-models", "fixed::"),
            ("models", "fixed_step::"),
            ("models", "fixed_power_step::"),
        ],
    ),
    models(
        "models/fixed",
        "models/src/fixed",
        "fixed::",
        &[
            ("models", "own_law::"),
            ("models", "fixed_precision::"),
            ("hpcc-rtl", "prim::reciprocal::"),
            ("models", "fixed_step::"),
            ("models", "fixed_power_step::"),
            ("hpcc-rtl", "cc::"),
        ],
    ),
    models(
        "models/net",
        "models/src/net",
        "net::",
        &[
            ("testbench/network", "network_options::"),
            ("testbench/network", "tcp_agreement::"),
            ("testbench/network", "ns3_agreement::two_to_one"),
            ("testbench/network", "ns3_agreement::incast16"),
            ("testbench/network", "ns3_agreement::fat_websearch50"),
            ("models", "powertcp::"),
        ],
    ),
    models(
        "models/nic",
        "models/src/nic",
        "nic::",
        &[
            ("models", "nic::"),
            ("hpcc-rtl", "host::"),
            ("hpcc-rtl", "rx::"),
            ("hpcc-rtl", "tx::"),
            ("hpcc-rtl", "transport::"),
        ],
    ),
    models(
        "models/sched",
        "models/src/sched",
        "sched::",
        &[("hpcc-rtl", "sched::")],
    ),
    models(
        "models/wire",
        "models/src/wire",
        "wire::",
        &[
            ("models", "wire_examples::"),
            ("hpcc-rtl", "switch::"),
            ("hpcc-rtl", "rx::"),
            ("models", "nic::"),
        ],
    ),
    models("models/workload", "models/src/workload", "workload::", &[]),
    rtl("rtl/cc", "rtl/src/cc", "cc::"),
    rtl("rtl/host", "rtl/src/host", "host::"),
    rtl("rtl/prim", "rtl/src/prim", "prim::"),
    rtl("rtl/rx", "rtl/src/rx", "rx::"),
    rtl("rtl/sched", "rtl/src/sched", "sched::"),
    rtl("rtl/switch", "rtl/src/switch", "switch::"),
    rtl("rtl/transport", "rtl/src/transport", "transport::"),
    rtl("rtl/tx", "rtl/src/tx", "tx::"),
];

/// The rooms of a list with commas between its names, each of which is a room's, a crate's (`models`, `rtl`) or `all`; none if one of them is another name.
pub fn rooms(names: &str) -> Vec<Room> {
    let is_called = |room: &Room, name| name == "all" || room.name == name || room.name.split('/').next() == Some(name);
    let names = names.split(',');
    let mut all = names.clone();
    if !all.all(|name| ROOMS.iter().any(|room| is_called(room, name))) {
        return vec![];
    }
    let wanted = |room: &&Room| names.clone().any(|name| is_called(room, name));
    ROOMS.iter().filter(wanted).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_rooms() {
        let names = |list| rooms(list).iter().map(|room| room.name).collect::<Vec<_>>();
        assert_eq!(names("models/net"), ["models/net"]);
        assert_eq!(names("rtl/tx,models/net,rtl/tx"), ["models/net", "rtl/tx"]);
        assert_eq!(rooms("all"), ROOMS);
        assert_eq!(rooms("models,rtl"), ROOMS);
        assert_eq!(rooms("models/net,"), []);
        assert_eq!(rooms("models/net,nonsense"), []);
    }
}
