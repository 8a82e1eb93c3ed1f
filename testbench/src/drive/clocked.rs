//! One face for everything that has a clock: a RustHDL block or a Verilated model, its ports as lists of limbs.

use crate::verilated::Model;
use hpcc_rtl::sim::{init, port_list, set_clock, InitError, Port, Ports, Wave};
use std::io::{self, Write};
use std::ops::RangeInclusive;

/// A clocked thing under test. Inputs are set, [`Clocked::settle`] shows the outputs, [`Clocked::edge`] ends the clock.
pub trait Clocked {
    /// Ports, `clk` excepted.
    fn ports(&self) -> &[Port];
    /// Limbs of all inputs.
    fn inputs(&mut self) -> &mut [u64];
    /// Limbs of all outputs, as of the last [`Clocked::settle`].
    fn outputs(&self) -> &[u64];
    /// Takes the inputs, clock low.
    fn settle(&mut self);
    /// The rising edge.
    fn edge(&mut self);
    /// Adds the present values to the waveform, where one is being written.
    fn dump(&mut self, _time_ps: u64) {}
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
        self.block.set_inputs(&mut self.inputs);
        set_clock(self.block.as_mut(), false);
        self.block.get_outputs(&mut self.outputs);
    }
    fn edge(&mut self) {
        set_clock(self.block.as_mut(), true);
    }
}

/// A RustHDL block that writes a range of its clocks as a waveform.
pub struct Recorded<B: Ports, W: Write> {
    inner: RustHdl<B>,
    top: String,
    out: Option<W>,
    wave: Option<Wave<W>>,
    clocks: RangeInclusive<u64>,
    period_ps: u64,
    clock: u64,
    result: io::Result<()>,
}

impl<B: Ports, W: Write> Recorded<B, W> {
    /// Records `clocks`, counted from the first [`Clocked::edge`], each `period_ps` picoseconds long, under the scope `top`.
    pub fn new(inner: RustHdl<B>, top: &str, out: W, clocks: RangeInclusive<u64>, period_ps: u64) -> Self {
        Self {
            inner,
            top: top.into(),
            out: Some(out),
            wave: None,
            clocks,
            period_ps,
            clock: 0,
            result: Ok(()),
        }
    }

    /// The first error of the file, if there was one.
    pub fn finish(self) -> io::Result<()> {
        self.result
    }

    fn record(&mut self, into_clock_ps: u64) {
        if self.result.is_ok() && self.clocks.contains(&self.clock) {
            self.result = self.sample(self.clock * self.period_ps + into_clock_ps);
        }
    }

    fn sample(&mut self, time_ps: u64) -> io::Result<()> {
        let block = self.inner.block();
        if let Some(out) = self.out.take() {
            self.wave = Some(Wave::new(out, &self.top, block)?);
        }
        self.wave.as_mut().map_or(Ok(()), |wave| wave.sample(block, time_ps))
    }
}

impl<B: Ports, W: Write> Clocked for Recorded<B, W> {
    fn ports(&self) -> &[Port] {
        self.inner.ports()
    }
    fn inputs(&mut self) -> &mut [u64] {
        self.inner.inputs()
    }
    fn outputs(&self) -> &[u64] {
        self.inner.outputs()
    }
    fn settle(&mut self) {
        self.inner.settle();
        self.record(0);
    }
    fn edge(&mut self) {
        self.inner.edge();
        self.record(self.period_ps / 2);
        self.clock += 1;
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
    fn dump(&mut self, time_ps: u64) {
        Model::dump(self, time_ps);
    }
}
