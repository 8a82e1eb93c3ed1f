//! How deep a simulation goes.

/// How deep the sender is simulated (`--fidelity`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Fidelity {
    /// The law in f64.
    #[default]
    Golden,
    /// The bit-accurate fixed-point law.
    Fixed,
    /// The RTL of the congestion-control slot, clocked.
    CcRtl,
    /// The whole NIC as a behavioural model, frames in and out.
    NicModel,
    /// The whole NIC in RTL.
    NicRtl,
}

impl Fidelity {
    /// Name as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Fidelity::Golden => "golden",
            Fidelity::Fixed => "fixed",
            Fidelity::CcRtl => "cc-rtl",
            Fidelity::NicModel => "nic-model",
            Fidelity::NicRtl => "nic-rtl",
        }
    }

    /// The hosts are whole NICs: the network sees their frames only.
    pub fn whole_nic(self) -> bool {
        matches!(self, Fidelity::NicModel | Fidelity::NicRtl)
    }
}
