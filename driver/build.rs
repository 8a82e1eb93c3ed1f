//! Compiles the driver.

fn main() {
    for file in [
        "hpcc.c",
        "hpcc.h",
        "hpcc_command.c",
        "hpcc_command.h",
        "hpcc_queues.h",
        "hpcc_ring.h",
    ] {
        println!("cargo:rerun-if-changed={file}");
    }
    let mut build = cc::Build::new();
    build
        .files(["hpcc.c", "hpcc_command.c"])
        .std("c11")
        .warnings(true)
        .extra_warnings(true);
    build.warnings_into_errors(true).opt_level(2).compile("hpcc_driver");
}
