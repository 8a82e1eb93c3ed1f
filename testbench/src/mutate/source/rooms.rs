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
    /// Tests that are run: those whose path begins so.
    pub tests: &'static str,
}

const fn models(name: &'static str, folder: &'static str, tests: &'static str) -> Room {
    Room {
        name,
        package: "hpcc-models",
        folder,
        tests,
    }
}

const fn rtl(name: &'static str, folder: &'static str, tests: &'static str) -> Room {
    Room {
        name,
        package: "hpcc-rtl",
        folder,
        tests,
    }
}

/// Every room that has unit tests of its own.
pub const ROOMS: [Room; 17] = [
    models("models/alloc", "models/src/alloc", "alloc::"),
    models("models/cc", "models/src/cc", "cc::"),
    models("models/fixed", "models/src/fixed", "fixed::"),
    models("models/net", "models/src/net", "net::"),
    models("models/nic", "models/src/nic", "nic::"),
    models("models/sched", "models/src/sched", "sched::"),
    models("models/wire", "models/src/wire", "wire::"),
    models("models/workload", "models/src/workload", "workload::"),
    rtl("rtl/cc", "rtl/src/cc", "cc::"),
    rtl("rtl/dma", "rtl/src/dma", "dma::"),
    rtl("rtl/host", "rtl/src/host", "host::"),
    rtl("rtl/prim", "rtl/src/prim", "prim::"),
    rtl("rtl/rx", "rtl/src/rx", "rx::"),
    rtl("rtl/sched", "rtl/src/sched", "sched::"),
    rtl("rtl/switch", "rtl/src/switch", "switch::"),
    rtl("rtl/transport", "rtl/src/transport", "transport::"),
    rtl("rtl/tx", "rtl/src/tx", "tx::"),
];

/// The room of that name.
pub fn room(name: &str) -> Option<&'static Room> {
    ROOMS.iter().find(|room| room.name == name)
}
