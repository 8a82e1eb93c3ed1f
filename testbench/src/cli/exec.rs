//! `exec`: an unmodified RDMA program on simulated NICs.

use hpcc_host::{default_socket, Launch};
use hpcc_sim::cli::Failure;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

/// Start an RDMA program on the NICs of `hpcc-nic host`
///
/// Without --socket the program uses this user's daemon; if none runs, one of two NICs is started that ends with its last program.
/// The program runs unmodified, with libhpcc_verbs.so in place of libibverbs.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Socket of the daemon
    #[arg(long, value_name = "PATH")]
    socket: Option<PathBuf>,
    /// Show the program only this NIC
    #[arg(long, value_name = "K")]
    nic: Option<u32>,
    /// Let the program see the NICs' clock, which stands while the program runs
    #[arg(long)]
    virtual_time: bool,
    /// Program and its arguments
    #[arg(last = true, required = true, value_name = "PROGRAM ARGS")]
    program: Vec<OsString>,
}

impl Args {
    /// Runs the subcommand; if it succeeds, this process is the program.
    pub fn run(self) -> Result<(), Failure> {
        let own = self.socket.is_none();
        let launch = Launch {
            socket: self.socket.unwrap_or_else(default_socket),
            nic: self.nic,
            virtual_time: self.virtual_time,
        };
        let command = std::env::current_exe().map_err(Failure::input)?;
        let mut start = Command::new(command);
        start.args(["host", "--until-last", "--socket"]).arg(&launch.socket);
        launch
            .ensure_daemon(own.then_some(&mut start))
            .map_err(Failure::input)?;
        let Some((program, arguments)) = self.program.split_first() else {
            return Err(Failure::Input("expected a program".into()));
        };
        Err(Failure::input(launch.exec(program, arguments)))
    }
}
