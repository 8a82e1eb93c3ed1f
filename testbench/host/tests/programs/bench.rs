//! A daemon and programs on it.

use hpcc_host::{Host, HostError, HostOptions, Launch};
use std::ffi::OsString;
use std::io::Read;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A program that has not ended by then never will.
const PATIENCE: Duration = Duration::from_secs(240);

/// A port of the machine is free only until somebody takes it.
static STARTING: Mutex<()> = Mutex::new(());
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Long tests run.
pub fn is_long() -> bool {
    std::env::var_os("HPCC_LONG").is_some()
}

/// `true`, and a line that says so, if one of these programs is missing.
pub fn is_missing(test: &str, programs: &[&str]) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = |program: &&&str| std::env::split_paths(&path).any(|folder| folder.join(program).is_file());
    let missing: Vec<_> = programs.iter().filter(|program| !found(program)).collect();
    if !missing.is_empty() {
        println!("NOT RUN: {test} needs {missing:?} (packages perftest, ibverbs-utils, python3-pyverbs)");
    }
    !missing.is_empty()
}

/// A running daemon.
pub struct Bench {
    /// Its socket.
    pub socket: PathBuf,
    /// Environment of programs beside what a launch sets.
    pub environment: Vec<(&'static str, String)>,
    /// The programs' clock is the NICs'.
    pub virtual_time: bool,
    stop: Arc<AtomicBool>,
    daemon: Option<JoinHandle<String>>,
    _folder: tempfile::TempDir,
    _turn: MutexGuard<'static, ()>,
}

/// What a program printed and how it ended.
pub struct Ended {
    /// Exit code; none if a signal ended it.
    pub code: Option<i32>,
    /// Both streams.
    pub text: String,
}

/// A program that runs.
pub struct Running {
    child: Child,
    name: String,
}

impl Running {
    /// Ends it as by `kill -9`.
    pub fn kill(mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Sends it a signal by name.
    pub fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &pid]).status();
        assert!(sent.is_ok_and(|sent| sent.success()), "{name} to {pid}");
    }

    /// Waits for its end.
    pub fn wait(mut self) -> Ended {
        let begin = Instant::now();
        let readers = [
            self.child
                .stdout
                .take()
                .map(|out| Box::new(out) as Box<dyn Read + Send>),
            self.child
                .stderr
                .take()
                .map(|out| Box::new(out) as Box<dyn Read + Send>),
        ];
        let readers: Vec<_> = readers
            .into_iter()
            .flatten()
            .map(|mut out| {
                std::thread::spawn(move || {
                    let mut text = Vec::new();
                    let _ = out.read_to_end(&mut text);
                    String::from_utf8_lossy(&text).into_owned()
                })
            })
            .collect();
        let code = loop {
            match self.child.try_wait().expect("a child of this process") {
                Some(status) => break status.code(),
                None if begin.elapsed() > PATIENCE => {
                    let _ = self.child.kill();
                    println!("{} did not end", self.name);
                    break self.child.wait().ok().and_then(|status| status.code());
                }
                None => std::thread::sleep(Duration::from_millis(2)),
            }
        };
        let text = readers
            .into_iter()
            .map(|reader| reader.join().unwrap_or_default())
            .collect();
        Ended { code, text }
    }
}

impl Bench {
    /// A daemon of two NICs.
    pub fn new() -> Self {
        Self::with_nics(2)
    }

    /// A daemon of so many NICs on a wire.
    pub fn with_nics(nics: u32) -> Self {
        Self::on(nics, None, Host::new)
    }

    /// A daemon of so many NICs on what `make` makes, with a capture if one is named.
    pub fn on(
        nics: u32,
        pcap: Option<PathBuf>,
        make: impl FnOnce(&HostOptions, Arc<AtomicBool>) -> Result<Host, HostError> + Send + 'static,
    ) -> Self {
        let turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("nic.sock");
        let stop = Arc::new(AtomicBool::new(false));
        let options = HostOptions {
            socket: socket.clone(),
            nics,
            everybody: false,
            until_last: false,
            pcap,
            samples: None,
            vcd: None,
        };
        let (its, ready) = (Arc::clone(&stop), Arc::new(AtomicBool::new(false)));
        let listening = Arc::clone(&ready);
        // NICs stay in the thread that made them.
        let daemon = std::thread::spawn(move || {
            let host = make(&options, its).unwrap();
            listening.store(true, Ordering::SeqCst);
            host.run()
        });
        while !ready.load(Ordering::SeqCst) {
            assert!(!daemon.is_finished(), "the daemon did not start");
            std::thread::sleep(Duration::from_millis(1));
        }
        Self {
            socket,
            environment: Vec::new(),
            virtual_time: false,
            stop,
            daemon: Some(daemon),
            _folder: folder,
            _turn: turn,
        }
    }

    /// A program on the daemon, ready to start, nicer than the daemon.
    pub fn command(&self, line: &[&str]) -> Command {
        let launch = Launch {
            socket: self.socket.clone(),
            nic: None,
            virtual_time: self.virtual_time,
        };
        let arguments: Vec<OsString> = line.iter().map(OsString::from).collect();
        let launched = launch.command(&arguments[0], &arguments[1..]).unwrap();
        let mut command = Command::new("nice");
        command.args(["-n", "5", "env"]);
        for (name, value) in launched.get_envs() {
            let mut setting = name.to_os_string();
            setting.push("=");
            setting.push(value.unwrap_or_default());
            command.arg(setting);
        }
        for (name, value) in &self.environment {
            command.arg(format!("{name}={value}"));
        }
        command.args(&arguments);
        command
    }

    /// Starts a program.
    pub fn start(&self, line: &[&str]) -> Running {
        let mut command = self.command(line);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Running {
            child: command.spawn().unwrap(),
            name: line.join(" "),
        }
    }

    /// Runs a program to its end.
    pub fn run(&self, line: &[&str]) -> Ended {
        self.start(line).wait()
    }

    /// Starts the server of a pair on the first NIC, and waits until it listens; its port.
    pub fn server(&self, line: &[&str]) -> (Running, String) {
        let _turn = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let text = port.to_string();
        let arguments = [&line[..1], &["-d", "sim0", "-p", &text], &line[1..]].concat();
        let server = self.start(&arguments);
        let begin = Instant::now();
        while !listens(port) && begin.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(5));
        }
        (server, text)
    }

    /// Runs a program on both NICs, the second as client of the first; output of client and server. Both must end well.
    pub fn pair(&self, line: &str) -> [String; 2] {
        let line: Vec<&str> = line.split_whitespace().collect();
        let (server, port) = self.server(&line);
        let client = self.client(&line, &port);
        let client = client.wait();
        let server = server.wait();
        let both_well = client.code == Some(0) && server.code == Some(0);
        assert!(
            both_well,
            "{line:?}: client {:?}\n{}\nserver {:?}\n{}",
            client.code, client.text, server.code, server.text
        );
        println!("{}", line.join(" "));
        [client.text, server.text]
    }

    /// Starts the client of a pair on the second NIC.
    pub fn client(&self, line: &[&str], port: &str) -> Running {
        self.client_on("sim1", line, port)
    }

    /// The same on another NIC.
    pub fn client_on(&self, device: &str, line: &[&str], port: &str) -> Running {
        self.start(&[&line[..1], &["-d", device, "-p", port], &line[1..], &["127.0.0.1"]].concat())
    }

    /// Ends the daemon; its report.
    pub fn stop(&mut self) -> String {
        self.stop.store(true, Ordering::SeqCst);
        // A sleeping daemon wakes for a connection.
        let _ = std::os::unix::net::UnixStream::connect(&self.socket);
        connect_once(&self.socket);
        let daemon = self.daemon.take().expect("stopped once");
        daemon.join().expect("the daemon ends without panic")
    }
}

/// Connects once to a socket that keeps messages apart.
fn connect_once(path: &PathBuf) {
    use rustix::net::{connect, socket, AddressFamily, SocketAddrUnix, SocketType};
    if let (Ok(fd), Ok(address)) = (
        socket(AddressFamily::UNIX, SocketType::SEQPACKET, None),
        SocketAddrUnix::new(path),
    ) {
        let _ = connect(&fd, &address);
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        if self.daemon.is_some() && !std::thread::panicking() {
            println!("{}", self.stop());
        }
        self.stop.store(true, Ordering::SeqCst);
    }
}

/// Somebody listens on this port of the machine (`/proc/net/tcp`, state 0A).
pub fn listens(port: u16) -> bool {
    let table = std::fs::read_to_string("/proc/net/tcp").unwrap_or_default();
    let other = std::fs::read_to_string("/proc/net/tcp6").unwrap_or_default();
    let port = format!(":{port:04X}");
    table.lines().chain(other.lines()).any(|line| {
        let words: Vec<_> = line.split_whitespace().collect();
        words.get(1).is_some_and(|local| local.ends_with(&port)) && words.get(3) == Some(&"0A")
    })
}

/// Numbers of the rows of perftest's table.
pub fn rows(text: &str) -> Vec<Vec<f64>> {
    let rows = text.lines().map(|line| {
        line.split_whitespace()
            .map(str::parse::<f64>)
            .collect::<Result<Vec<_>, _>>()
    });
    rows.flatten().filter(|row| row.len() >= 4).collect()
}

/// Numbers of the last one.
pub fn row(text: &str) -> Vec<f64> {
    rows(text).pop().unwrap_or_else(|| panic!("no row in\n{text}"))
}
