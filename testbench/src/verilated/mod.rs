//! Emitted Verilog, compiled by Verilator into a shared object and driven in this process.
//!
//! The protocol is that of [`hpcc_rtl::sim`]: inputs while the clock is low, outputs just before the rising edge.

mod announce;
mod build;
mod compiler;
mod lint;
pub mod lockstep;
mod model;
mod shim;
mod sources;
pub mod vectors;

pub use build::{shared_object, FAST};
pub use lint::{has_dollar, lint, LintError};
pub use model::{Model, ModelError};
pub use sources::Sources;

use hpcc_rtl::emit::{EmitError, Library};
use hpcc_rtl::sim::port_list;
use hpcc_rtl::tops::Top;
use rust_hdl::prelude::Block;

/// Emits a block as module `top` and gathers what its model is built from.
pub fn sources(top: &str, block: &mut dyn Block) -> Result<Sources, EmitError> {
    let mut library = Library::new();
    library.add_top(top, block)?;
    let ports = port_list(block);
    Ok(Sources {
        top: top.into(),
        files: library.sources(top),
        contracts: library.contracts(top),
        checked: false,
        ports,
        defines: vec![],
        trace: false,
        registered: false,
        optimise: 2,
    })
}

/// Emits a top under its own name and gathers what its model is built from.
pub fn top_sources(top: &Top) -> Result<Sources, EmitError> {
    top.with(|block| sources(top.name, block))?
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Frames whose beats differ, to a receiver that takes a beat now and then; how often promises were broken.
    fn broken_promises(sources: &Sources) -> u64 {
        let mut model = Model::new(sources).expect("model");
        let data = model.port("s_axis_tdata").expect("a port").limb;
        let mut beat = 1;
        for clock in 0..200u64 {
            model.set("rst", u64::from(clock < 2));
            for (name, value) in [("tvalid", 1), ("tlast", 1), ("tkeep", u64::MAX)] {
                assert!(model.set(&format!("s_axis_{name}"), value), "{name}");
            }
            model.inputs[data] = beat;
            assert!(model.set("m_axis_tready", clock / 5 % 2));
            model.settle();
            beat += u64::from(model.get("s_axis_tready") == Some(1));
            model.edge();
        }
        model.broken().expect("counted")
    }

    #[test]
    fn a_broken_promise_is_counted() {
        let top = hpcc_rtl::tops::find("hpcc_int_stamper").expect("top");
        let mut sources = top_sources(top).expect("emitted");
        (sources.optimise, sources.checked) = (0, true);
        assert_eq!(broken_promises(&sources), 0);
        let skid = sources.files.iter_mut().find(|(name, _)| name == "hpcc_skid.sv");
        let (_, text) = skid.expect("the stamper's output");
        let right = "assign goes = down_ready | (~full_q);";
        assert!(text.contains(right), "{text}");
        *text = text.replace(right, "assign goes = 1'b1;");
        assert!(broken_promises(&sources) > 0);
    }

    #[test]
    fn a_traced_model_writes_its_waveform() {
        let top = hpcc_rtl::tops::find("hpcc_divider").expect("top");
        let mut sources = top_sources(top).expect("emitted");
        let scratch = tempfile::tempdir().expect("scratch");
        let path = scratch.path().join("wave.vcd");
        let mut plain = Model::new(&sources).expect("model");
        assert!(plain.open_trace(&path).is_err(), "it was built without");
        sources.trace = true;
        let mut model = Model::new(&sources).expect("model");
        model.open_trace(&path).expect("file");
        for clock in 0..10 {
            model.inputs.iter_mut().for_each(|limb| *limb = clock & 1);
            model.settle();
            model.dump(5000 * clock);
            model.edge();
            model.dump(5000 * clock + 2500);
        }
        drop(model);
        let text = std::fs::read_to_string(&path).expect("waveform");
        assert!(text.contains("$timescale") && text.contains("1ps"), "{}", &text[..200]);
        assert!(text.contains("clk $end") && text.contains("\n#47500\n"));
    }
}
