//! Inputs and outputs of a run, recorded once from RustHDL and replayed against models.

use super::lockstep::Drive;
use super::Model;
use hpcc_rtl::sim::{init, port_list, set_clock, InitError, Port, Ports};

/// What went in and what came out in every clock of a run.
#[derive(Debug, Clone)]
pub struct Vectors {
    inputs: Vec<u64>,
    outputs: Vec<u64>,
    input_limbs: usize,
    output_limbs: usize,
    clocks: usize,
}

impl Vectors {
    /// Drives a block and records it.
    pub fn record<B: Ports>(block: &mut B, drive: &mut dyn Drive, clocks: usize) -> Result<Self, InitError> {
        init(block)?;
        let ports = port_list(block);
        let limbs = |input: bool| {
            ports
                .iter()
                .filter(|port| port.input == input)
                .map(Port::limbs)
                .sum::<usize>()
        };
        let (input_limbs, output_limbs) = (limbs(true), limbs(false));
        let (mut inputs, mut outputs) = (vec![0; input_limbs], vec![0; output_limbs]);
        let mut vectors = Self {
            inputs: vec![],
            outputs: vec![],
            input_limbs,
            output_limbs,
            clocks,
        };
        for clock in 0..clocks {
            drive.drive(clock as u64, &outputs, &mut inputs);
            block.set_inputs(&mut inputs);
            set_clock(block, false);
            block.get_outputs(&mut outputs);
            set_clock(block, true);
            vectors.inputs.extend_from_slice(&inputs);
            vectors.outputs.extend_from_slice(&outputs);
        }
        Ok(vectors)
    }

    /// Number of clocks.
    pub fn clocks(&self) -> usize {
        self.clocks
    }

    /// First clock in which a fresh model's outputs differ. Inputs of the model beyond the recorded ones keep their value.
    pub fn first_difference(&self, model: &mut Model) -> Option<usize> {
        (0..self.clocks).find(|clock| {
            let input = &self.inputs[clock * self.input_limbs..][..self.input_limbs];
            model.inputs[..self.input_limbs].copy_from_slice(input);
            model.settle();
            let same = model.outputs[..] == self.outputs[clock * self.output_limbs..][..self.output_limbs];
            model.edge();
            !same
        })
    }
}
