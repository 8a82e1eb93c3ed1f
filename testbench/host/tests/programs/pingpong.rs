//! What lists devices, and `ibv_rc_pingpong`.

use crate::bench::{is_missing, Bench};

#[test]
fn devices_are_listed_and_described() {
    if is_missing("devices_are_listed_and_described", &["ibv_devices", "ibv_devinfo"]) {
        return;
    }
    let bench = Bench::with_nics(3);
    let list = bench.run(&["ibv_devices"]).text;
    assert!(
        ["sim0", "sim1", "sim2"].iter().all(|name| list.contains(name)),
        "{list}"
    );
    let info = bench.run(&["ibv_devinfo", "-v"]).text;
    for expected in [
        "PORT_ACTIVE",
        "Ethernet",
        "::ffff:10.0.0.1, RoCE v2",
        "::ffff:10.0.0.3, RoCE v2",
    ] {
        assert!(info.contains(expected), "{expected}\n{info}");
    }
}

#[test]
fn pingpong_with_events_new_calls_time_stamps_and_checked_data() {
    if is_missing("pingpong", &["ibv_rc_pingpong"]) {
        return;
    }
    let bench = Bench::new();
    for options in ["", "-e", "-N", "-t", "-s 65536", "-m 1024"] {
        let [client, server] = bench.pair(&format!("ibv_rc_pingpong -g 0 -c -n 100 {options}"));
        assert!(client.contains("100 iters in"), "{client}");
        assert!(
            !server.contains("invalid data") && !client.contains("invalid data"),
            "{server}{client}"
        );
        if options == "-t" {
            let cycles = |name: &str| -> f64 {
                let behind = client
                    .split(&format!("{name} receive completion clock cycles = "))
                    .nth(1);
                let number = behind.and_then(|text| text.split([' ', '\n']).next());
                number
                    .and_then(|number| number.parse().ok())
                    .unwrap_or_else(|| panic!("{name}: {client}"))
            };
            let (least, most) = (cycles("Min"), cycles("Max"));
            assert!(least > 0.0 && least <= most, "{client}");
        }
    }
}
