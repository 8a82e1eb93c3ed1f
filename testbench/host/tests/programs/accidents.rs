//! Programs that are killed, a daemon that dies, a socket that is taken.

use crate::bench::{is_missing, row, Bench};
use hpcc_host::{Host, HostOptions};
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

/// Long enough to be in the middle of its work.
const WHILE: Duration = Duration::from_millis(700);

#[test]
fn a_killed_client_ends_its_server_and_nothing_else() {
    if is_missing(
        "a_killed_client_ends_its_server_and_nothing_else",
        &["ib_send_bw", "ib_write_bw"],
    ) {
        return;
    }
    let bench = Bench::new();
    // The server of WRITEs waits on its TCP connection; one of SENDs would poll for ever, as on any NIC.
    let line = ["ib_write_bw", "-n", "100000000"];
    let (server, port) = bench.server(&line);
    let client = bench.client(&line, &port);
    std::thread::sleep(WHILE);
    client.kill();
    let ended = server.wait();
    assert!(
        ended.code.is_some_and(|code| code != 0),
        "{:?} {}",
        ended.code,
        ended.text
    );
    let [client, _] = bench.pair("ib_send_bw -n 20");
    assert_eq!(row(&client)[..2], [65536.0, 20.0], "{client}");
}

/// A stopped program whose own thread reaches its memory holds the daemon up for a second at most; others go on.
#[test]
fn a_stopped_program_holds_nobody_up() {
    const TEST: &str = "a_stopped_program_holds_nobody_up";
    if is_missing(TEST, &["ib_write_bw", "ib_send_bw", "kill"]) {
        return;
    }
    let mut bench = Bench::new();
    bench.environment = vec![("HPCC_NIC_HELPER", "1".into())];
    let line = ["ib_write_bw", "-n", "100000000"];
    let (server, port) = bench.server(&line);
    let client = bench.client(&line, &port);
    std::thread::sleep(WHILE);
    server.signal("STOP");
    bench.environment.clear();
    let [other, _] = bench.pair("ib_send_bw -n 20");
    assert_eq!(row(&other)[..2], [65536.0, 20.0], "{other}");
    // The client hears of its server's end over the connection between them.
    server.kill();
    let ended = client.wait();
    assert!(
        ended.code.is_some_and(|code| code != 0),
        "{:?} {}",
        ended.code,
        ended.text
    );
}

/// Both ends find their work flushed and end with an error.
#[test]
fn a_daemon_that_dies_is_an_error_of_the_device() {
    if is_missing("a_daemon_that_dies_is_an_error_of_the_device", &["ib_send_bw"]) {
        return;
    }
    let mut bench = Bench::new();
    let line = ["ib_send_bw", "-n", "100000000"];
    let (server, port) = bench.server(&line);
    let client = bench.client(&line, &port);
    std::thread::sleep(WHILE);
    bench.stop();
    for (side, ended) in [("client", client.wait()), ("server", server.wait())] {
        assert!(
            ended.code.is_some_and(|code| code != 0),
            "{side}: {:?} {}",
            ended.code,
            ended.text
        );
    }
}

#[test]
fn a_socket_is_this_users_and_one_daemons() {
    let bench = Bench::new();
    let mode = std::fs::metadata(&bench.socket).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let options = HostOptions {
        socket: bench.socket.clone(),
        nics: 2,
        everybody: false,
        until_last: false,
        pcap: None,
        samples: None,
        vcd: None,
    };
    let second = Host::new(&options, Default::default())
        .err()
        .expect("the socket is served");
    assert!(second.to_string().contains("nic.sock"), "{second}");
    // What a dead daemon left is replaced.
    let folder = tempfile::tempdir().unwrap();
    let left = folder.path().join("left.sock");
    drop(std::os::unix::net::UnixListener::bind(&left).unwrap());
    Host::new(
        &HostOptions {
            socket: left,
            ..options
        },
        Default::default(),
    )
    .expect("nobody serves it");
}
