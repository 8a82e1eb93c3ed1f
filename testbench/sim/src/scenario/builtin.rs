//! The scenarios that come with the program.

/// A built-in scenario: its name and its text.
pub struct Builtin {
    /// Name.
    pub name: &'static str,
    /// TOML.
    pub text: &'static str,
}

macro_rules! scenarios {
    ($($name:literal),* $(,)?) => {
        /// All of them, in the order of the list.
        pub const BUILTIN: &[Builtin] = &[
            $(Builtin { name: $name, text: include_str!(concat!("../../../scenarios/", $name, ".toml")) }),*
        ];
    };
}

scenarios!(
    "incast16",
    "incast2",
    "fig6",
    "fig9a",
    "fig9b",
    "fig9c",
    "fig9d",
    "fig9e",
    "fig9f",
    "fig9g",
    "fig9h",
    "fig10",
    "fig11-30",
    "fig11-50",
    "fig12",
    "fig13",
    "fig14",
    "lemma-a2",
    "fixed-cost",
    "four-laws",
    "hcc-web",
    "hcc-web-literal",
    "hcc-grpc",
    "hcc-overhead",
    "hcc-overhead-literal",
    "hcc-ablation",
    "hcc-web-hosts",
    "hcc-grpc-hosts",
    "hcc-hpcc",
    "hcc-two-sided",
    "power-fig3",
    "power-fig4-10",
    "power-fig4-255",
    "power-fig5",
    "power-fig6-20",
    "power-fig6-60",
    "power-fig7-loads",
    "power-fig7-rates",
    "power-fig7-sizes",
    "power-fig8",
    "power-fig9",
    "power-fig10",
    "power-fig11",
    "hpcc-cubic",
    "hpcc-tcp",
    "hpcc-classes",
    "hpcc-mice",
    "hpcc-formats",
    "hpcc-sampling",
    "hpcc-feedback",
    "hpcc-receiver",
    "hpcc-receiver-load",
    "hpcc-counting",
);

/// The built-in scenario of that name.
pub fn find(name: &str) -> Option<&'static Builtin> {
    BUILTIN.iter().find(|b| b.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Job;
    use crate::scenario::spec::{plan, Overrides};

    #[test]
    fn every_one_can_be_set_up_in_both_sizes() {
        for builtin in BUILTIN {
            for full in [false, true] {
                if full && !builtin.text.contains("\n[full]\n") {
                    continue;
                }
                let runs = plan(
                    builtin.name,
                    builtin.text,
                    &Overrides {
                        full,
                        ..Overrides::default()
                    },
                )
                .unwrap();
                assert_eq!(runs[0].scenario.name, builtin.name);
                for planned in &runs {
                    Job::new(planned).unwrap_or_else(|e| panic!("{} full {full}: {e}", builtin.name));
                }
            }
        }
    }
}
