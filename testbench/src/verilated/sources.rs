//! What a Verilated model is built from.

use hpcc_rtl::sim::Port;

/// What a model is built from.
#[derive(Debug, Clone)]
pub struct Sources {
    /// Top module.
    pub top: String,
    /// File names and contents, children first.
    pub files: Vec<(String, String)>,
    /// What the modules promise, as assertions bound to them: file names and contents.
    pub contracts: Vec<(String, String)>,
    /// The promises are looked at in every clock.
    pub checked: bool,
    /// Ports of the top, `clk` excepted.
    pub ports: Vec<Port>,
    /// Macros defined for the Verilog, such as `SYNTH_ECP5`.
    pub defines: Vec<String>,
    /// The model can write waveforms; it is slower even when it does not.
    pub trace: bool,
    /// No output follows an input within a clock: all come from registers.
    pub registered: bool,
    /// Effort of the C++ compiler: 2 for long runs, 0 or 1 where building takes longer than running.
    pub optimise: u8,
}

impl Sources {
    /// Files that the model is made of.
    pub(super) fn texts(&self) -> impl Iterator<Item = &(String, String)> {
        let contracts = self.contracts.iter().filter(|_| self.checked);
        self.files.iter().chain(contracts)
    }
}
