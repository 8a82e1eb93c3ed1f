//! The Verilog of the responder's blocks in lockstep with their RustHDL descriptions.

use hpcc_rtl::emit::Library;
use hpcc_rtl::host::regions::RegionCheck;
use hpcc_rtl::sim::{Port, Ports, Stimulus};
use hpcc_testbench::tools;
use hpcc_testbench::verilated::lockstep::{Drive, Lockstep};

/// Lint of everything below a block; `-Wall` must say nothing.
fn lint_clean<B: Ports>(top: &str, block: &mut B) {
    let mut library = Library::new();
    library.add_top(top, block).expect("emits");
    let scratch = tempfile::tempdir().expect("scratch");
    let mut files = vec![];
    for (name, text) in library.sources(top) {
        let path = scratch.path().join(name);
        std::fs::write(&path, text).expect("written");
        files.push(path);
    }
    let warnings = tools::lint(top, &files).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(warnings, "", "lint of {top}");
}

fn limb(ports: &[Port], name: &str) -> usize {
    let found = ports.iter().find(|port| port.input && port.name == name);
    found.unwrap_or_else(|| panic!("{name}")).limb
}

/// Few keys and addresses, so that requests and slots meet.
fn region_traffic(ports: &[Port], seed: u64) -> impl Drive {
    let (reset, valid, slot, data) = (
        limb(ports, "reset"),
        limb(ports, "region_valid"),
        limb(ports, "region_slot"),
        limb(ports, "region_data"),
    );
    let (key, address, length, access) = (
        limb(ports, "key"),
        limb(ports, "address"),
        limb(ports, "length"),
        limb(ports, "access"),
    );
    let mut stimulus = Stimulus::new(seed);
    move |clock: u64, _: &[u64], inputs: &mut [u64]| {
        inputs[reset] = u64::from(clock < 2 || clock.is_multiple_of(9973));
        inputs[valid] = u64::from(stimulus.chance(0.1));
        inputs[slot] = stimulus.uniform(5);
        let mut word = [
            stimulus.corner(64),
            stimulus.corner(64),
            stimulus.corner(64),
            stimulus.uniform(3),
        ];
        hpcc_rtl::nic::words::region::KEY.put(&mut word, stimulus.below(40));
        inputs[data..data + 4].copy_from_slice(&word);
        inputs[key] = stimulus.below(40);
        inputs[address] = stimulus.corner(64);
        inputs[length] = stimulus.corner(32);
        inputs[access] = stimulus.uniform(2);
    }
}

#[test]
fn region_check() {
    lint_clean("region_check", &mut RegionCheck::default());
    Lockstep::new("region_check", Box::<RegionCheck>::default, region_traffic)
        .clocks(40_000)
        .run()
        .unwrap_or_else(|error| panic!("{error}"));
}
