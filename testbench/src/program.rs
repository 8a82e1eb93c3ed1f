//! The command `hpcc-nic` as the network's crate sees it: its name and sources, the RTL of the congestion-control slot, whole NICs.

use crate::{cc_rtl, nic::network};
use hpcc_sim::plan::provenance::Identity;
use hpcc_sim::plan::{Job, Run};
use hpcc_sim::scenario::runner;
use hpcc_sim::scenario::whole_nics::WholeNics;
use hpcc_sim::Program;

/// The program.
pub const PROGRAM: Program = Program {
    identity: Identity {
        name: "hpcc-nic",
        version: env!("CARGO_PKG_VERSION"),
        commit: env!("HPCC_COMMIT"),
        sources: env!("HPCC_SOURCE"),
    },
    laws: &[],
    cc_rtl: Some(cc_rtl::make),
    whole_nics: Some(WholeNics {
        check: network::check,
        run: network::run,
    }),
};

/// Runs jobs of any fidelity as this program, `threads` at a time; results in the order of the list.
pub fn run_all(jobs: &[Job], threads: usize) -> Result<Vec<Run>, String> {
    PROGRAM.install()?;
    runner::run_all(jobs, threads)
}

#[cfg(test)]
mod tests {
    use super::PROGRAM;
    use hpcc_sim::plan::provenance::program;

    /// Code, build scripts and manifests of every package of the workspace change the digest.
    #[test]
    fn the_program_is_all_of_the_workspace() {
        let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let sources: Vec<_> = env!("HPCC_SOURCES").split(':').collect();
        for source in &sources {
            assert!(here.join(source).exists(), "{source}");
        }
        let manifest = std::fs::read_to_string(here.join("../Cargo.toml")).unwrap();
        let manifest: toml::Table = manifest.parse().unwrap();
        let members = manifest["workspace"]["members"].as_array().unwrap();
        assert!(members.len() >= 5);
        // an example is a program of its own
        let crates = members.iter().filter_map(|member| member.as_str());
        for member in crates.filter(|member| !member.starts_with("examples/")) {
            let of_member = |file: &str| match member.strip_prefix("testbench") {
                Some("") => file.to_string(),
                Some(inside) => format!("{}/{file}", &inside[1..]),
                None => format!("../{member}/{file}"),
            };
            for file in ["src", "Cargo.toml", "build.rs"].map(of_member) {
                assert!(sources.contains(&file.as_str()) || !here.join(&file).exists(), "{file}");
            }
        }
    }

    #[test]
    fn the_program_is_named() {
        PROGRAM.install().unwrap();
        assert_eq!(PROGRAM.identity.sources.len(), 16);
        assert!(program().starts_with("hpcc-nic 0.") && !PROGRAM.identity.commit.is_empty());
    }
}
