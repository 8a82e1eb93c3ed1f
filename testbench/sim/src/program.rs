//! What a program that uses this crate says of itself and adds to it.

use crate::plan::laws::cc_rtl::{self, MakeSlot};
use crate::plan::laws::own::{self, OwnLaw};
use crate::plan::laws::LawSpec;
use crate::plan::provenance::{self, Identity};
use crate::scenario::whole_nics::{self, WholeNics};

/// A program: how it is called, and what it adds to the models.
#[derive(Clone, Copy, Debug, Default)]
pub struct Program {
    /// Name, version and sources, as results have them.
    pub identity: Identity,
    /// Laws besides those of the crate.
    pub laws: &'static [OwnLaw],
    /// Makes slots at fidelity `cc-rtl`.
    pub cc_rtl: Option<MakeSlot>,
    /// Runs jobs at fidelities `nic-model` and `nic-rtl`.
    pub whole_nics: Option<WholeNics>,
}

impl Program {
    /// Makes what the program adds known to this process. Only the first call of a process has an effect. An error: a law without a name of its own.
    pub fn install(self) -> Result<(), String> {
        own::install(self.laws, |name| {
            LawSpec::named(name).is_ok_and(|law| law.own().is_none())
        })?;
        provenance::install(self.identity);
        if let Some(make) = self.cc_rtl {
            cc_rtl::install(make);
        }
        if let Some(nics) = self.whole_nics {
            whole_nics::install(nics);
        }
        Ok(())
    }
}
