//! Compiles the driver.

fn main() {
    println!("cargo:rerun-if-changed=hpcc.c");
    println!("cargo:rerun-if-changed=hpcc.h");
    let mut build = cc::Build::new();
    build.file("hpcc.c").std("c11").warnings(true).extra_warnings(true);
    build.warnings_into_errors(true).opt_level(2).compile("hpcc_driver");
}
