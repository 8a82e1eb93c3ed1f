//! Ordinary users: daemon and programs without root, under one user and under two, where the daemon may not reach a program's memory.

use crate::bench::is_missing;
use hpcc_host::{Host, HostOptions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Socket of the daemon's process.
const SOCKET: &str = "HPCC_TEST_SOCKET";
/// Users that have nothing.
const USERS: [u32; 2] = [65_534, 65_533];
/// A daemon listens, and a server does, after this time at the latest.
const START: Duration = Duration::from_secs(20);

/// The daemon's process of the test below: that test starts this one as another user.
#[test]
fn daemon_of_an_ordinary_user() {
    let Some(socket) = std::env::var_os(SOCKET) else { return };
    let options = HostOptions {
        socket: socket.into(),
        nics: 2,
        everybody: true,
        until_last: false,
        pcap: None,
        samples: None,
        vcd: None,
    };
    println!("{}", Host::new(&options, Default::default()).unwrap().run());
}

/// A command under another user, with nothing of this one's rights.
fn under(user: u32) -> Command {
    let mut command = Command::new("setpriv");
    command.args([
        format!("--reuid={user}"),
        format!("--regid={user}"),
        "--clear-groups".into(),
    ]);
    command
}

fn copy(from: &Path, to: &Path) {
    std::fs::copy(from, to).unwrap();
    std::fs::set_permissions(to, PermissionsExt::from_mode(0o755)).unwrap();
}

fn output(child: Child) -> Output {
    child.wait_with_output().unwrap()
}

#[test]
fn programs_and_daemon_need_no_root_and_may_be_of_two_users() {
    const TEST: &str = "programs_and_daemon_need_no_root_and_may_be_of_two_users";
    if is_missing(TEST, &["ib_write_bw", "ib_read_bw", "ibv_rc_pingpong", "setpriv"]) {
        return;
    }
    if !rustix::process::geteuid().is_root() {
        println!("NOT RUN: {TEST} needs root to become other users; all other tests run without root then");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o777)).unwrap();
    let own = std::env::current_exe().unwrap();
    let library = ["libhpcc_verbs.so", "../libhpcc_verbs.so"].map(|name| own.parent().unwrap().join(name));
    let library = library
        .iter()
        .find(|path| path.is_file())
        .expect("the library is built with this crate");
    let (program, preload) = (folder.path().join("daemon"), folder.path().join("libhpcc_verbs.so"));
    copy(&own, &program);
    copy(library, &preload);
    for (daemon_user, user) in [(USERS[0], USERS[0]), (USERS[0], USERS[1])] {
        let socket = folder.path().join(format!("{user}.sock"));
        let mut daemon = under(daemon_user)
            .arg(&program)
            .args(["--exact", "users::daemon_of_an_ordinary_user", "--nocapture"])
            .env(SOCKET, &socket)
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let begin = Instant::now();
        while !socket.exists() && begin.elapsed() < START {
            std::thread::sleep(Duration::from_millis(5));
        }
        let start = |line: &str, device: &str, more: &[&str]| {
            let words: Vec<&str> = line.split(' ').collect();
            under(user)
                .args(["nice", "-n", "5", "env"])
                .arg(format!("LD_PRELOAD={}", preload.display()))
                .arg(format!("HPCC_NIC_SOCKET={}", socket.display()))
                .args(&words[..1])
                .args(["-d", device])
                .args(&words[1..])
                .args(more)
                .current_dir(folder.path())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        };
        for line in ["ib_write_bw -n 20", "ib_read_bw -n 20", "ibv_rc_pingpong -g 0 -c -n 50"] {
            let port = std::net::TcpListener::bind("127.0.0.1:0")
                .unwrap()
                .local_addr()
                .unwrap()
                .port();
            let line = format!("{line} -p {port}");
            let server = start(&line, "sim0", &[]);
            let begin = Instant::now();
            while !crate::bench::listens(port) && begin.elapsed() < START {
                std::thread::sleep(Duration::from_millis(5));
            }
            let client = start(&line, "sim1", &["127.0.0.1"]);
            for ended in [output(client), output(server)] {
                let text =
                    String::from_utf8_lossy(&ended.stdout).into_owned() + &String::from_utf8_lossy(&ended.stderr);
                assert!(
                    ended.status.success() && !text.contains("invalid data"),
                    "{line}, daemon of user {daemon_user}, programs of user {user}: {text}"
                );
            }
        }
        daemon.kill().unwrap();
        daemon.wait().unwrap();
    }
}
