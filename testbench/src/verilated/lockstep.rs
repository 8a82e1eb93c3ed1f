//! RustHDL and its Verilog side by side: the same inputs, every output compared in every clock.

use super::{lint, sources, LintError, Model, ModelError, Sources};
use crate::tools::cache;
use hpcc_rtl::prim::uint::mask;
use hpcc_rtl::sim::{init, port_list, set_clock, Port, Ports, Stimulus, WaveWindow};
use std::fmt::Write as _;
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;

/// Decides the inputs of each clock.
pub trait Drive {
    /// Sets the inputs' limbs (they keep their last value otherwise); `outputs` are those of the clock before.
    fn drive(&mut self, clock: u64, outputs: &[u64], inputs: &mut [u64]);
}

impl<F: FnMut(u64, &[u64], &mut [u64])> Drive for F {
    fn drive(&mut self, clock: u64, outputs: &[u64], inputs: &mut [u64]) {
        self(clock, outputs, inputs)
    }
}

/// Corner-weighted random values on every input in every clock; a port called `rst` is rarely high.
pub struct Random {
    stimulus: Stimulus,
    ports: Vec<Port>,
}

impl Random {
    /// Random inputs for some ports.
    pub fn new(ports: &[Port], seed: u64) -> Self {
        Self {
            stimulus: Stimulus::new(seed),
            ports: ports.iter().filter(|port| port.input).cloned().collect(),
        }
    }
}

impl Drive for Random {
    fn drive(&mut self, _: u64, _: &[u64], inputs: &mut [u64]) {
        for port in &self.ports {
            if port.name == "rst" {
                inputs[port.limb] = self.stimulus.chance(0.002) as u64;
                continue;
            }
            for limb in 0..port.limbs() {
                let bits = (port.width - 64 * limb).min(64);
                inputs[port.limb + limb] = self.stimulus.corner(bits) & mask(bits);
            }
        }
    }
}

/// Makes the stimulus for some ports and a seed.
type MakeDrive<D> = Box<dyn Fn(&[Port], u64) -> D>;

/// A comparison to run.
pub struct Lockstep<B: Ports, D: Drive> {
    top: String,
    make_block: Box<dyn Fn() -> Box<B>>,
    make_drive: MakeDrive<D>,
    seed: u64,
    clocks: u64,
    defines: Vec<String>,
    /// Names and texts of modules that the Verilog side instantiates and does not hold.
    cells: Vec<(String, String)>,
}

/// First clock at which the two sides differ.
#[derive(Debug, thiserror::Error)]
pub enum LockstepError {
    /// No model to compare with.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The Verilog is not clean.
    #[error(transparent)]
    Lint(#[from] LintError),
    /// Outputs differ.
    #[error("{0}")]
    Diverged(Box<Divergence>),
}

/// Where the two sides part.
#[derive(Debug)]
pub struct Divergence {
    /// Module.
    pub top: String,
    /// First clock that differs, from zero.
    pub clock: u64,
    /// Seed of the stimulus.
    pub seed: u64,
    /// Name, RustHDL's value and Verilog's value of each output that differs.
    pub signals: Vec<(String, String, String)>,
    /// The inputs of that clock.
    pub inputs: Vec<(String, String)>,
    /// Waveform around that clock, if it could be written.
    pub wave: Option<PathBuf>,
}

impl std::fmt::Display for Divergence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(
            f,
            "{}: RustHDL and Verilog differ at clock {} (seed {})",
            self.top, self.clock, self.seed
        )?;
        for (name, expected, got) in &self.signals {
            writeln!(f, "  {name}: RustHDL {expected}, Verilog {got}")?;
        }
        let inputs = self.inputs.iter().fold(String::new(), |mut text, (name, value)| {
            let _ = write!(text, " {name}={value}");
            text
        });
        writeln!(f, "  inputs of that clock:{inputs}")?;
        if let Some(wave) = &self.wave {
            writeln!(f, "  waveform: {}", wave.display())?;
        }
        let thread = std::thread::current();
        let test = thread.name().unwrap_or_default();
        write!(
            f,
            "  again: HPCC_LOCKSTEP_SEED={} cargo test -p hpcc-testbench {test}",
            self.seed
        )
    }
}

/// The seed of `HPCC_LOCKSTEP_SEED`, else the given one.
fn seed_or(default: u64) -> u64 {
    std::env::var("HPCC_LOCKSTEP_SEED")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(default)
}

impl<B: Ports + Default + 'static> Lockstep<B, Random> {
    /// Compares `B::default()` under random inputs.
    pub fn random(top: &str) -> Self {
        Self::new(top, Box::default, Random::new)
    }
}

impl<B: Ports + 'static, D: Drive + 'static> Lockstep<B, D> {
    /// Compares the blocks that `make_block` builds under the inputs of `make_drive(ports, seed)`. Both are called again
    /// to record the waveform of a divergence, so they must give the same each time.
    pub fn new(
        top: &str,
        make_block: impl Fn() -> Box<B> + 'static,
        make_drive: impl Fn(&[Port], u64) -> D + 'static,
    ) -> Self {
        Self {
            top: top.into(),
            make_block: Box::new(make_block),
            make_drive: Box::new(make_drive),
            seed: seed_or(1),
            clocks: 10_000,
            defines: vec![],
            cells: vec![],
        }
    }

    /// Number of clocks; 10 000 otherwise.
    pub fn clocks(mut self, clocks: u64) -> Self {
        self.clocks = clocks;
        self
    }

    /// Seed of the stimulus unless `HPCC_LOCKSTEP_SEED` is set; 1 otherwise.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed_or(seed);
        self
    }

    /// Compares with the text for Lattice parts, which may instantiate a multiplier of theirs: a model of that cell stands beside it.
    pub fn on_ecp5(mut self) -> Self {
        self.defines.push("SYNTH_ECP5".into());
        let multiplier = ("MULT18X18D.sv".into(), include_str!("mult18x18d.sv").into());
        self.cells.push(multiplier);
        self
    }

    /// The Verilog side as emitted, children first.
    pub fn sources(&self) -> Result<Sources, LockstepError> {
        let mut block = (self.make_block)();
        let mut sources = sources(&self.top, block.as_mut()).map_err(ModelError::from)?;
        sources.files.splice(0..0, self.cells.iter().cloned());
        sources.defines = self.defines.clone();
        // the RustHDL side takes most of the run
        sources.optimise = 1;
        Ok(sources)
    }

    /// Emits, lints, builds and compares.
    pub fn run(&self) -> Result<(), LockstepError> {
        let sources = self.sources()?;
        lint(&sources)?;
        self.run_against(&sources)
    }

    /// Compares with a model of other sources than the emitted ones, such as a mutant.
    pub fn run_against(&self, sources: &Sources) -> Result<(), LockstepError> {
        let mut model = Model::new(sources)?;
        let mut block = (self.make_block)();
        init(block.as_mut()).map_err(ModelError::from)?;
        let ports = port_list(block.as_ref());
        let mut drive = (self.make_drive)(&ports, self.seed);
        let (mut inputs, mut outputs) = (vec![0; model.inputs.len()], vec![0; model.outputs.len()]);
        for clock in 0..self.clocks {
            drive.drive(clock, &outputs, &mut inputs);
            block.set_inputs(&mut inputs);
            set_clock(block.as_mut(), false);
            block.get_outputs(&mut outputs);
            model.inputs.copy_from_slice(&inputs);
            model.settle();
            if outputs != model.outputs {
                return Err(self.divergence(clock, &ports, &inputs, &outputs, &model.outputs));
            }
            set_clock(block.as_mut(), true);
            model.edge();
        }
        Ok(())
    }

    fn divergence(&self, clock: u64, ports: &[Port], inputs: &[u64], expected: &[u64], got: &[u64]) -> LockstepError {
        let outputs = ports.iter().filter(|port| !port.input);
        let signals = outputs.map(|port| (port.name.clone(), port.hex(expected), port.hex(got)));
        let values = ports
            .iter()
            .filter(|port| port.input)
            .map(|port| (port.name.clone(), port.hex(inputs)));
        LockstepError::Diverged(Box::new(Divergence {
            top: self.top.clone(),
            clock,
            seed: self.seed,
            signals: signals.filter(|(_, a, b)| a != b).collect(),
            inputs: values.collect(),
            wave: self.record(clock).ok(),
        }))
    }

    /// Runs the RustHDL side again and records the clocks around `clock`.
    fn record(&self, clock: u64) -> std::io::Result<PathBuf> {
        const BEFORE: u64 = 100;
        const AFTER: u64 = 5;
        const PERIOD_PS: u64 = 5000;
        let dir = cache::target_dir().join("lockstep");
        std::fs::create_dir_all(&dir)?;
        let path = dir.join(format!("{}-{}.vcd", self.top, self.seed));
        let mut block = (self.make_block)();
        init(block.as_mut()).map_err(std::io::Error::other)?;
        let ports = port_list(block.as_ref());
        let limbs = |input: bool| ports.iter().filter(|p| p.input == input).map(Port::limbs).sum();
        let (mut inputs, mut outputs): (Vec<u64>, Vec<u64>) = (vec![0; limbs(true)], vec![0; limbs(false)]);
        let mut drive = (self.make_drive)(&ports, self.seed);
        let file = BufWriter::new(File::create(&path)?);
        let mut window = WaveWindow::new(file, clock.saturating_sub(BEFORE), clock + AFTER, PERIOD_PS);
        for now in 0..=clock + AFTER {
            drive.drive(now, &outputs, &mut inputs);
            block.set_inputs(&mut inputs);
            window.step(block.as_mut(), &self.top, |block| block.get_outputs(&mut outputs))?;
        }
        Ok(path)
    }
}
