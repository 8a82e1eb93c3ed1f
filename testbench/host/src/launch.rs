//! A program started on a daemon: its environment, and a daemon of its own if none runs.

use crate::socket::is_served;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use thiserror::Error;

/// File of the library that programs load.
const LIBRARY: &str = "libhpcc_verbs.so";
/// A daemon listens after this time at the latest.
const START: Duration = Duration::from_secs(20);

/// How much programs are nicer than the daemon.
const NICE: i32 = 5;

/// Why a program was not started.
#[derive(Debug, Error)]
pub enum LaunchError {
    /// The library is not where it is looked for.
    #[error("{LIBRARY} not found beside the command in {}: build the workspace, or name it in HPCC_NIC_LIBRARY", .0.display())]
    Library(PathBuf),
    /// No daemon serves the socket.
    #[error("{}: no daemon serves this socket; `hpcc-nic host --socket` starts one", .0.display())]
    NoDaemon(PathBuf),
    /// A new daemon did not listen in time, or could not be started.
    #[error("the daemon did not start: {0}")]
    Daemon(String),
    /// The program could not be started.
    #[error("{}: {error}", .program.to_string_lossy())]
    Program {
        /// Its name.
        program: OsString,
        /// What went wrong.
        error: std::io::Error,
    },
}

/// The socket of commands that name none: one a user.
pub fn default_socket() -> PathBuf {
    let user = rustix::process::getuid().as_raw();
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let folder = runtime
        .filter(|folder| folder.is_dir())
        .unwrap_or_else(std::env::temp_dir);
    folder.join(format!("hpcc-nic-{user}.sock"))
}

/// How a program is started.
#[derive(Clone, Debug)]
pub struct Launch {
    /// Socket of the daemon.
    pub socket: PathBuf,
    /// The only NIC that the program sees.
    pub nic: Option<u32>,
    /// The program's clock is the NICs'.
    pub virtual_time: bool,
}

/// The library beside the running command: where it is installed, in a folder of the build, or beside tests.
fn library() -> Result<PathBuf, LaunchError> {
    if let Some(path) = std::env::var_os("HPCC_NIC_LIBRARY") {
        return Ok(path.into());
    }
    let command = std::env::current_exe().unwrap_or_default();
    let folder = command.parent().unwrap_or(Path::new(".")).to_path_buf();
    let places = [
        folder.join(LIBRARY),
        folder.join("deps").join(LIBRARY),
        folder.join("../lib").join(LIBRARY),
    ];
    let newest = places.into_iter().filter(|path| path.is_file()).max_by_key(|path| {
        path.metadata()
            .and_then(|file| file.modified())
            .unwrap_or(std::time::SystemTime::UNIX_EPOCH)
    });
    newest.ok_or(LaunchError::Library(folder))
}

impl Launch {
    /// The program with its arguments, ready to be started on the daemon.
    pub fn command(&self, program: &OsString, arguments: &[OsString]) -> Result<Command, LaunchError> {
        let mut preload = library()?.into_os_string();
        if let Some(others) = std::env::var_os("LD_PRELOAD").filter(|others| !others.is_empty()) {
            preload.push(" ");
            preload.push(others);
        }
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env("LD_PRELOAD", preload)
            .env("HPCC_NIC_SOCKET", &self.socket);
        if let Some(nic) = self.nic {
            command.env("HPCC_NIC_ONLY", nic.to_string());
        }
        if self.virtual_time {
            command.env("HPCC_NIC_VIRTUAL_TIME", "1");
        }
        Ok(command)
    }

    /// A daemon serves the socket; if none does and `start` is given, that command starts one.
    pub fn ensure_daemon(&self, start: Option<&mut Command>) -> Result<(), LaunchError> {
        if is_served(&self.socket) {
            return Ok(());
        }
        let start = start.ok_or_else(|| LaunchError::NoDaemon(self.socket.clone()))?;
        let start = start.stdin(Stdio::null()).stdout(Stdio::null()).process_group(0);
        let mut daemon = start.spawn().map_err(|error| LaunchError::Daemon(error.to_string()))?;
        let begin = Instant::now();
        while !is_served(&self.socket) {
            if let Ok(Some(status)) = daemon.try_wait() {
                return Err(LaunchError::Daemon(status.to_string()));
            }
            if begin.elapsed() > START {
                return Err(LaunchError::Daemon(format!("{} is not served", self.socket.display())));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    /// Becomes the program; returns only if that fails.
    pub fn exec(&self, program: &OsString, arguments: &[OsString]) -> LaunchError {
        match self.command(program, arguments) {
            Ok(mut command) => {
                // Programs that poll without pause share few cores with the daemon.
                let _ = rustix::process::nice(NICE);
                let error = command.exec();
                LaunchError::Program {
                    program: program.clone(),
                    error,
                }
            }
            Err(error) => error,
        }
    }
}
