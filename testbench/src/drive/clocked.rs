//! One face for everything that has a clock: a RustHDL block or a Verilated model, its ports as lists of limbs.

use crate::verilated::Model;
use hpcc_rtl::sim::{init, port_list, set_clock, InitError, Port, Ports};

/// A clocked thing under test. Inputs are set, [`Clocked::settle`] shows the outputs, [`Clocked::edge`] ends the clock.
pub trait Clocked {
    /// Ports, `clock` excepted.
    fn ports(&self) -> &[Port];
    /// Limbs of all inputs.
    fn inputs(&mut self) -> &mut [u64];
    /// Limbs of all outputs, as of the last [`Clocked::settle`].
    fn outputs(&self) -> &[u64];
    /// Takes the inputs, clock low.
    fn settle(&mut self);
    /// The rising edge.
    fn edge(&mut self);
}

/// A RustHDL block driven through its ports.
pub struct RustHdl<B: Ports> {
    block: Box<B>,
    ports: Vec<Port>,
    inputs: Vec<u64>,
    outputs: Vec<u64>,
}

impl<B: Ports> RustHdl<B> {
    /// Connects and checks the block.
    pub fn new(mut block: Box<B>) -> Result<Self, InitError> {
        init(block.as_mut())?;
        let ports = port_list(block.as_ref());
        let limbs = |input: bool| ports.iter().filter(|p| p.input == input).map(Port::limbs).sum();
        let (inputs, outputs) = (vec![0; limbs(true)], vec![0; limbs(false)]);
        Ok(Self {
            block,
            ports,
            inputs,
            outputs,
        })
    }

    /// The block, for waveforms.
    pub fn block(&mut self) -> &mut B {
        self.block.as_mut()
    }
}

impl<B: Ports> Clocked for RustHdl<B> {
    fn ports(&self) -> &[Port] {
        &self.ports
    }
    fn inputs(&mut self) -> &mut [u64] {
        &mut self.inputs
    }
    fn outputs(&self) -> &[u64] {
        &self.outputs
    }
    fn settle(&mut self) {
        self.block.set_inputs(&self.inputs);
        set_clock(self.block.as_mut(), false);
        self.block.get_outputs(&mut self.outputs);
    }
    fn edge(&mut self) {
        set_clock(self.block.as_mut(), true);
    }
}

impl Clocked for Model {
    fn ports(&self) -> &[Port] {
        Model::ports(self)
    }
    fn inputs(&mut self) -> &mut [u64] {
        &mut self.inputs
    }
    fn outputs(&self) -> &[u64] {
        &self.outputs
    }
    fn settle(&mut self) {
        Model::settle(self);
    }
    fn edge(&mut self) {
        Model::edge(self);
    }
}
