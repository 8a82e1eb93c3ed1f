//! `registers`: what a driver writes for a NIC, without this program.

use crate::config::NicSetup;
use crate::nic::rtl::{trace, trace_text};
use hpcc_sim::cli::{say, Failure};
use std::path::PathBuf;

/// Print the register writes of a NIC's configuration, for a driver in another language
///
/// Everything from the end of reset on: ports and addresses, the parameters of the laws that its queue pairs have for its line rate and
/// round-trip time, neighbours, memory regions, queue pairs; and its work requests with the completions to expect.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Configuration of the NIC (TOML)
    #[arg(long = "for", value_name = "NIC.toml")]
    config: PathBuf,
    /// What to print
    #[arg(long = "as", value_enum, default_value_t = Form::List)]
    form: Form,
    /// Leave out what reset has already set
    #[arg(long)]
    from_reset: bool,
}

/// How it is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Form {
    /// One access a line
    List,
    /// A function with the names of hpcc_nic.h
    C,
    /// A list for cocotb or a script
    Python,
}

/// The text, made from a file that is shown by a name.
pub fn text(config: &std::path::Path, shown: &str, form: Form, from_reset: bool) -> Result<String, String> {
    let setup = NicSetup::load(config).map_err(|error| error.to_string())?;
    let trace = trace::trace(&setup, from_reset).map_err(|error| format!("{shown}: {error}"))?;
    let (print, name): (fn(&trace::Trace, &str) -> String, _) = match form {
        Form::List => (trace_text::list, "list"),
        Form::C => (trace_text::c, "c"),
        Form::Python => (trace_text::python, "python"),
    };
    let from = if from_reset { " --from-reset" } else { "" };
    Ok(print(
        &trace,
        &format!("hpcc-nic registers --for {shown} --as {name}{from}"),
    ))
}

impl Args {
    /// Runs the subcommand.
    pub fn run(self) -> Result<(), Failure> {
        let shown = self.config.display().to_string();
        say(&text(&self.config, &shown, self.form, self.from_reset).map_err(Failure::Input)?)
    }
}
