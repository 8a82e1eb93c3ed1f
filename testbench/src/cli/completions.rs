//! `completions` and `man`: what a shell and a reader of manual pages need, from the arguments themselves.

use hpcc_sim::cli::{say, Failure};
use std::path::PathBuf;

/// Print completions for a shell: bash, elvish, fish, powershell, zsh
///
/// For bash: `hpcc-nic completions bash > ~/.local/share/bash-completion/completions/hpcc-nic`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: clap_complete::Shell,
}

impl Args {
    /// Runs the subcommand for a program with these arguments.
    pub fn run(self, mut command: clap::Command) -> Result<(), Failure> {
        let mut bytes = Vec::new();
        clap_complete::generate(self.shell, &mut command, "hpcc-nic", &mut bytes);
        say(&String::from_utf8_lossy(&bytes))
    }
}

/// Write manual pages, one for each command: `man DIR/hpcc-nic.1`
#[derive(Debug, clap::Args)]
pub struct Man {
    /// Folder for them
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

impl Man {
    /// Runs the subcommand for a program with these arguments.
    pub fn run(self, command: clap::Command) -> Result<(), Failure> {
        let named = |error: std::io::Error| Failure::Input(format!("{}: {error}", self.out.display()));
        std::fs::create_dir_all(&self.out).map_err(named)?;
        clap_mangen::generate_to(command, &self.out).map_err(named)?;
        let count = std::fs::read_dir(&self.out).map_err(named)?.count();
        say(&format!("{}: {count} pages\n", self.out.display()))
    }
}
