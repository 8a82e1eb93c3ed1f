//! A loaded model. The only unsafe code of the workspace: calls into the shared object that [`super::build`] made.

use super::build::{shared_object, Sources};
use crate::tools::ToolError;
use hpcc_rtl::emit::EmitError;
use hpcc_rtl::sim::Port;
use std::ffi::c_void;
use std::path::Path;

type New = unsafe extern "C" fn() -> *mut c_void;
type Settle = unsafe extern "C" fn(*mut c_void, *const u64, *mut u64);
type Handle = unsafe extern "C" fn(*mut c_void);

/// Why there is no model.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The block cannot be emitted.
    #[error(transparent)]
    Emit(#[from] EmitError),
    /// Verilator or the compiler failed.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// The shared object cannot be loaded.
    #[error("the compiled model cannot be loaded: {0}")]
    Load(#[from] libloading::Error),
    /// The block is no simulation subject.
    #[error(transparent)]
    Init(#[from] hpcc_rtl::sim::InitError),
}

/// An instance of a Verilated top module.
pub struct Model {
    instance: *mut c_void,
    settle: Settle,
    edge: Handle,
    free: Handle,
    ports: Vec<Port>,
    /// Limbs of all inputs, to be set before a step.
    pub inputs: Vec<u64>,
    /// Limbs of all outputs as they were before the last rising edge.
    pub outputs: Vec<u64>,
    // last, so that the code outlives the instance
    _library: libloading::Library,
}

// SAFETY: the instance is reached through this value only, and a Verilated model without threads may move between threads.
unsafe impl Send for Model {}

impl Model {
    /// Builds (or finds) and loads the model of some sources.
    pub fn new(sources: &Sources) -> Result<Self, ModelError> {
        Self::load(&shared_object(sources)?, sources.ports.clone())
    }

    /// Loads a shared object that was built for these ports.
    pub fn load(object: &Path, ports: Vec<Port>) -> Result<Self, ModelError> {
        let limbs = |input: bool| {
            ports
                .iter()
                .filter(|port| port.input == input)
                .map(|port| port.limb + port.limbs())
                .max()
                .unwrap_or(0)
        };
        let (inputs, outputs) = (vec![0; limbs(true)], vec![0; limbs(false)]);
        // SAFETY: the object was compiled from `shim::source`, which defines these four functions with these types;
        // its static constructors only set up Verilator's run-time library.
        unsafe {
            let library = libloading::Library::new(object)?;
            let new: New = *library.get(b"vl_new\0")?;
            let settle: Settle = *library.get(b"vl_settle\0")?;
            let edge: Handle = *library.get(b"vl_edge\0")?;
            let free: Handle = *library.get(b"vl_free\0")?;
            Ok(Self {
                instance: new(),
                settle,
                edge,
                free,
                ports,
                inputs,
                outputs,
                _library: library,
            })
        }
    }

    /// Ports of the top, `clock` excepted.
    pub fn ports(&self) -> &[Port] {
        &self.ports
    }

    /// A port by its Verilog name.
    pub fn port(&self, name: &str) -> Option<&Port> {
        self.ports.iter().find(|port| port.name == name)
    }

    /// Sets an input of at most 64 bits by name; false if there is no such input.
    pub fn set(&mut self, name: &str, value: u64) -> bool {
        let Some(limb) = self
            .port(name)
            .filter(|port| port.input && port.width <= 64)
            .map(|port| port.limb)
        else {
            return false;
        };
        self.inputs[limb] = value;
        true
    }

    /// Lower 64 bits of an output by name.
    pub fn get(&self, name: &str) -> Option<u64> {
        self.port(name)
            .filter(|port| !port.input)
            .map(|port| self.outputs[port.limb])
    }

    /// First half of a clock: takes the inputs and settles the outputs, clock low.
    #[inline(always)]
    pub fn settle(&mut self) {
        // SAFETY: `instance` lives until `drop`; both buffers have the lengths that the shim indexes, from the same ports.
        unsafe { (self.settle)(self.instance, self.inputs.as_ptr(), self.outputs.as_mut_ptr()) }
    }

    /// Second half: the rising edge.
    #[inline(always)]
    pub fn edge(&mut self) {
        // SAFETY: `instance` lives until `drop`.
        unsafe { (self.edge)(self.instance) }
    }

    /// One clock.
    #[inline(always)]
    pub fn step(&mut self) {
        self.settle();
        self.edge();
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        // SAFETY: the only call of `vl_free`; nothing uses the instance afterwards.
        unsafe { (self.free)(self.instance) }
    }
}
