//! Rooms of the source, and the unit tests that belong to each.

use crate::tools::cache::workspace_dir;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A folder of a crate, and the filter of its own tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Room {
    /// Name on the command line.
    pub name: Cow<'static, str>,
    /// Package.
    pub package: &'static str,
    /// Folder, from the workspace.
    pub folder: Cow<'static, str>,
    /// Unit tests that are run: those whose path begins so.
    pub tests: &'static str,
    /// Other tests that guard it, as executable and beginning: integration tests of `models`, those of the network against other simulators
    /// (`testbench/network`), and those of the blocks that must agree with a bit-accurate model. The quick ones first: a mutant that fails
    /// one does not run the next.
    pub also: &'static [(&'static str, &'static str)],
}

const fn room(
    package: &'static str,
    name: &'static str,
    folder: &'static str,
    tests: &'static str,
    also: &'static [(&'static str, &'static str)],
) -> Room {
    Room {
        name: Cow::Borrowed(name),
        package,
        folder: Cow::Borrowed(folder),
        tests,
        also,
    }
}

const fn models(
    name: &'static str,
    folder: &'static str,
    tests: &'static str,
    also: &'static [(&'static str, &'static str)],
) -> Room {
    room("hpcc-models", name, folder, tests, also)
}

const fn rtl(name: &'static str, folder: &'static str, tests: &'static str) -> Room {
    room("hpcc-rtl", name, folder, tests, &[])
}

/// Every room that has unit tests of its own.
pub static ROOMS: [Room; 16] = [
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
    room(
        "hpcc-rtl",
        "rtl/rx",
        "rtl/src/rx",
        "rx::",
        &[("hpcc-rtl", "transport::dispatch::tests::lost::")],
    ),
    rtl("rtl/sched", "rtl/src/sched", "sched::"),
    rtl("rtl/switch", "rtl/src/switch", "switch::"),
    rtl("rtl/transport", "rtl/src/transport", "transport::"),
    rtl("rtl/tx", "rtl/src/tx", "tx::"),
];

impl Room {
    /// The room, or its folder, if it is called so on the command line.
    fn called(&self, name: &str) -> Option<Self> {
        let whole = name == "all" || self.name == name || self.name.split('/').next() == Some(name);
        if whole {
            Some(self.clone())
        } else {
            self.part(name)
        }
    }

    /// A folder of the room, which all of the room's tests guard: `rtl/tx/select` of `rtl/tx`; none if there is no such folder.
    fn part(&self, name: &str) -> Option<Self> {
        let part = name.strip_prefix(self.name.as_ref())?.strip_prefix('/')?;
        let folder = format!("{}/{part}", self.folder);
        let plain = part
            .split('/')
            .all(|step| !step.is_empty() && !step.starts_with('.') && step != "tests");
        (plain && workspace_dir().join(&folder).is_dir()).then(|| Self {
            name: name.to_string().into(),
            folder: folder.into(),
            ..self.clone()
        })
    }
}

/// The rooms of a list with commas between its names, each of which is a room's, a folder's within one (`rtl/tx/select`), a crate's (`models`, `rtl`) or `all`;
/// each once, in the order of [`ROOMS`] and folders behind their rooms; none if one of them is another name.
pub fn rooms(names: &str) -> Vec<Room> {
    let mut wanted = BTreeMap::new();
    for name in names.split(',') {
        let found = (0..)
            .zip(&ROOMS)
            .filter_map(|(at, room)| Some((at, room.called(name)?)));
        let found: Vec<(usize, Room)> = found.collect();
        if found.is_empty() {
            return vec![];
        }
        wanted.extend(found.into_iter().map(|(at, room)| ((at, room.name.clone()), room)));
    }
    wanted.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_rooms() {
        let names = |list| rooms(list).into_iter().map(|room| room.name).collect::<Vec<_>>();
        assert_eq!(names("models/net"), ["models/net"]);
        assert_eq!(names("rtl/tx,models/net,rtl/tx"), ["models/net", "rtl/tx"]);
        assert_eq!(rooms("all"), ROOMS);
        assert_eq!(rooms("models,rtl"), ROOMS);
        assert_eq!(rooms("models/net,"), []);
        assert_eq!(rooms("models/net,nonsense"), []);
    }

    #[test]
    fn a_folder_of_a_room_has_the_tests_of_the_room() {
        let list = rooms("rtl/tx/select,rtl/tx,rtl/tx/select");
        assert_eq!(
            list.iter().map(|room| room.name.as_ref()).collect::<Vec<_>>(),
            ["rtl/tx", "rtl/tx/select"]
        );
        assert_eq!(list[1].folder, "rtl/src/tx/select");
        assert_eq!((list[1].tests, list[1].package), (list[0].tests, list[0].package));
        for none in [
            "rtl/tx/",
            "rtl/tx/nonsense",
            "rtl/tx/../rx",
            "rtl/tx/select/tests",
            "rtl/txselect",
        ] {
            assert_eq!(rooms(none), [], "{none}");
        }
    }
}
