//! A loaded model. The only unsafe code of the workspace: calls into the shared object that [`super::build`] made.

use super::build::shared_object;
use super::sources::Sources;
use crate::tools::ToolError;
use hpcc_rtl::emit::EmitError;
use hpcc_rtl::sim::Port;
use std::ffi::{c_char, c_void, CString};
use std::path::Path;

type New = unsafe extern "C" fn() -> *mut c_void;
type Settle = unsafe extern "C" fn(*mut c_void, *const u64, *mut u64);
type Low = unsafe extern "C" fn(*mut c_void, *mut u64);
type Broken = unsafe extern "C" fn(*mut c_void) -> u64;
type Handle = unsafe extern "C" fn(*mut c_void);
type TraceOpen = unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void;
type TraceDump = unsafe extern "C" fn(*mut c_void, u64);

/// A waveform that is being written.
struct Trace {
    handle: *mut c_void,
    dump: TraceDump,
    close: Handle,
}

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
    /// The name of the waveform's file has a zero byte.
    #[error("the waveform's file name has a zero byte")]
    WaveName,
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
    trace: Option<Trace>,
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
                trace: None,
                ports,
                inputs,
                outputs,
                _library: library,
            })
        }
    }

    /// Ports of the top, `clk` excepted.
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

    /// How often promises of the modules were broken so far; Verilator has told each on standard output. None is looked at without
    /// [`Sources::checked`].
    pub fn broken(&self) -> Result<u64, ModelError> {
        // SAFETY: `shim::source` defines this function with this type; `instance` lives until `drop`.
        unsafe {
            let broken: Broken = *self._library.get(b"vl_broken\0")?;
            Ok(broken(self.instance))
        }
    }

    /// First half of a clock: takes the inputs and settles the outputs, clock low.
    #[inline(always)]
    pub fn settle(&mut self) {
        // SAFETY: `instance` lives until `drop`; both buffers have the lengths that the shim indexes, from the same ports.
        unsafe { (self.settle)(self.instance, self.inputs.as_ptr(), self.outputs.as_mut_ptr()) }
    }

    /// Outputs by an evaluation with the clock low, after [`Self::settle`]: the same, or an output of a model with [`Sources::registered`]
    /// follows an input at once.
    pub fn low(&mut self) -> Result<Vec<u64>, ModelError> {
        let mut outputs = vec![0; self.outputs.len()];
        // SAFETY: `shim::source` defines this function with this type; `instance` lives until `drop`, and the buffer is as long as that of `settle`.
        unsafe {
            let low: Low = *self._library.get(b"vl_low\0")?;
            low(self.instance, outputs.as_mut_ptr());
        }
        Ok(outputs)
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

impl Model {
    /// Writes every [`Self::dump`] from now on to a waveform file, until [`Self::close_trace`]. Needs [`Sources::trace`].
    pub fn open_trace(&mut self, path: &Path) -> Result<(), ModelError> {
        let name = CString::new(path.as_os_str().as_encoded_bytes()).map_err(|_| ModelError::WaveName)?;
        self.close_trace();
        // SAFETY: `shim::trace_source` defines these three functions with these types; a model built without them gives an
        // error at the first `get`. `name` ends with a zero byte and outlives the call.
        unsafe {
            let open: TraceOpen = *self._library.get(b"vl_trace_open\0")?;
            let dump: TraceDump = *self._library.get(b"vl_trace_dump\0")?;
            let close: Handle = *self._library.get(b"vl_trace_close\0")?;
            let handle = open(self.instance, name.as_ptr());
            self.trace = Some(Trace { handle, dump, close });
        }
        Ok(())
    }

    /// Adds the present values to the waveform, if one is open.
    pub fn dump(&mut self, time_ps: u64) {
        if let Some(trace) = &self.trace {
            // SAFETY: `handle` came from `vl_trace_open` and is open as long as `trace` is there.
            unsafe { (trace.dump)(trace.handle, time_ps) }
        }
    }

    /// Ends the waveform, if one is open.
    pub fn close_trace(&mut self) {
        if let Some(trace) = self.trace.take() {
            // SAFETY: the only call of `vl_trace_close` for this handle.
            unsafe { (trace.close)(trace.handle) }
        }
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.close_trace();
        // SAFETY: the only call of `vl_free`; nothing uses the instance afterwards.
        unsafe { (self.free)(self.instance) }
    }
}
