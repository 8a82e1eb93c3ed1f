//! What a program that uses this crate says of itself and adds to it.

use crate::plan::laws::cc_rtl::{self, MakeSlot};
use crate::plan::provenance::{self, Identity};
use crate::scenario::whole_nics::{self, WholeNics};

/// A program: how it is called, and what it adds to the models.
#[derive(Clone, Copy, Debug, Default)]
pub struct Program {
    /// Name, version and sources, as results have them.
    pub identity: Identity,
    /// Makes slots at fidelity `cc-rtl`.
    pub cc_rtl: Option<MakeSlot>,
    /// Runs jobs at fidelities `nic-model` and `nic-rtl`.
    pub whole_nics: Option<WholeNics>,
}

impl Program {
    /// Makes what the program adds known to this process. Only the first call of a process has an effect.
    pub fn install(self) {
        provenance::install(self.identity);
        if let Some(make) = self.cc_rtl {
            cc_rtl::install(make);
        }
        if let Some(nics) = self.whole_nics {
            whole_nics::install(nics);
        }
    }
}
