//! The control socket of a running NIC: a Unix socket, so for this machine only, that answers one JSON object a line with another.
//!
//! | request | answer |
//! | --- | --- |
//! | `{"get": "active"}` | `{"active": [flows with work, of each of the 16 groups]}` |
//! | `{"get": "sent"}` | `{"sent": [bytes on the wire, of each group], "now_ns": the NIC's clock}` |
//! | `{"level": [group, bytes per ns]}` | `{"done": "level"}` |
//! | `{"cap": [flow, bytes per ns, group]}` | `{"done": "cap"}` |
//! | `{"cap_control": {"window": true, "dither": false, "time_ns": 5000}}` | `{"done": "cap_control"}` |
//! | anything else | `{"error": why}` |
//!
//! `null` for a rate is no limit. A flow's number is twice that of its queue pair for requests, one more for READ responses.

use super::device::Device;
use hpcc_models::nic::GROUPS;
use hpcc_models::sched::CapControl;
use serde::Deserialize;
use serde_json::{json, Value};
use std::fs::{self, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

/// Clients at a time at most.
const CLIENTS: usize = 16;
/// Longest request, bytes.
const LONGEST: usize = 4096;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum What {
    Active,
    Sent,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Request {
    Get(What),
    Level(usize, Option<f64>),
    Cap(u32, Option<f64>, usize),
    #[serde(rename = "cap_control")]
    CapControl(Control),
}

/// The register `CAP_CONTROL`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Control {
    window: bool,
    dither: bool,
    time_ns: u16,
}

/// A rate in bits per second from one in bytes per ns.
fn rate_bps(bytes_per_ns: Option<f64>) -> Result<Option<f64>, String> {
    match bytes_per_ns {
        Some(rate) if !(rate.is_finite() && rate >= 0.0) => {
            Err(format!("rate: expected 0 or more bytes per ns, got {rate}"))
        }
        rate => Ok(rate.map(|rate| rate * 8e9)),
    }
}

fn group(group: usize) -> Result<usize, String> {
    match group {
        0..GROUPS => Ok(group),
        _ => Err(format!("group: expected 0 to {}, got {group}", GROUPS - 1)),
    }
}

/// Carries out one request.
fn answer<D: Device>(line: &str, device: &mut D) -> Result<Value, String> {
    let request = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let text = |error: super::DeviceError| error.to_string();
    Ok(match request {
        Request::Get(What::Active) => json!({"active": device.active().map_err(text)?}),
        Request::Get(What::Sent) => {
            let sent = device.sent_bytes().map_err(text)?;
            json!({"sent": sent, "now_ns": device.now_ns()})
        }
        Request::Level(to, rate) => {
            device.set_level(group(to)?, rate_bps(rate)?).map_err(text)?;
            json!({"done": "level"})
        }
        Request::Cap(flow, rate, to) => {
            device.set_cap(flow, rate_bps(rate)?, group(to)?).map_err(text)?;
            json!({"done": "cap"})
        }
        Request::CapControl(Control {
            window,
            dither,
            time_ns,
        }) => {
            let control = CapControl {
                window,
                dither,
                time_ns,
            };
            device.set_cap_control(control).map_err(text)?;
            json!({"done": "cap_control"})
        }
    })
}

struct Client {
    stream: UnixStream,
    /// What has come of a line.
    line: Vec<u8>,
}

/// The socket and who is connected to it. The file goes with it.
pub struct ControlSocket {
    listener: UnixListener,
    path: PathBuf,
    clients: Vec<Client>,
}

impl Drop for ControlSocket {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

impl ControlSocket {
    /// Listens at a path, for this user only. A socket that nobody listens at any more is replaced; anything else there is an error.
    pub fn bind(path: &Path) -> io::Result<Self> {
        let stale = fs::symlink_metadata(path).is_ok_and(|file| file.file_type().is_socket());
        if stale && UnixStream::connect(path).is_err() {
            fs::remove_file(path)?;
        }
        let listener = UnixListener::bind(path)?;
        fs::set_permissions(path, Permissions::from_mode(0o600))?;
        listener.set_nonblocking(true)?;
        Ok(Self {
            listener,
            path: path.to_owned(),
            clients: Vec::new(),
        })
    }

    /// Answers whatever has been asked; never waits. A client that breaks the rules or goes away is forgotten.
    pub fn serve<D: Device>(&mut self, device: &mut D) {
        while let Ok((stream, _)) = self.listener.accept() {
            if self.clients.len() < CLIENTS && stream.set_nonblocking(true).is_ok() {
                self.clients.push(Client {
                    stream,
                    line: Vec::new(),
                });
            }
        }
        self.clients.retain_mut(|client| client.serve(device).is_ok());
    }
}

impl Client {
    fn serve<D: Device>(&mut self, device: &mut D) -> io::Result<()> {
        let mut bytes = [0; LONGEST];
        loop {
            match self.stream.read(&mut bytes) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(count) => self.line.extend_from_slice(&bytes[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
            while let Some(end) = self.line.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.line.drain(..=end).collect();
                let answer = answer(&String::from_utf8_lossy(&line), device);
                let value = answer.unwrap_or_else(|error| json!({"error": error}));
                // an answer is shorter than a socket's buffer; a client that does not read is given up
                self.stream.write_all(format!("{value}\n").as_bytes())?;
            }
            if self.line.len() > LONGEST {
                return Err(ErrorKind::InvalidData.into());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nic::link_config::LinkSpec;
    use crate::nic::ModelNic;

    #[test]
    fn requests_are_carried_out_or_refused_with_a_reason() {
        let setup = LinkSpec::default().setup(0);
        let mut nic = ModelNic::create(&setup).expect("a NIC");
        let flow = 2 * setup.qps[0].qpn;
        let mut ask = |line: &str| answer(line, &mut nic);
        let mut active = [0; GROUPS];
        assert_eq!(ask(r#"{"get": "active"}"#), Ok(json!({ "active": active })));
        assert_eq!(ask(r#"{"get": "sent"}"#), Ok(json!({"sent": active, "now_ns": 0})));
        assert_eq!(ask(r#"{"level": [15, 0]}"#), Ok(json!({"done": "level"})));
        assert_eq!(ask(r#"{"level": [0, null]}"#), Ok(json!({"done": "level"})));
        assert_eq!(
            ask(&format!(r#"{{"cap": [{flow}, 1.5, 3]}}"#)),
            Ok(json!({"done": "cap"}))
        );
        assert_eq!(
            ask(r#"{"cap_control": {"window": true, "dither": true, "time_ns": 5000}}"#),
            Ok(json!({"done": "cap_control"}))
        );
        nic.post(setup.work[0].work);
        active[3] = 1;
        assert_eq!(
            answer(r#"{"get": "active"}"#, &mut nic),
            Ok(json!({ "active": active }))
        );
        for (line, why) in [
            (r#"{"level": [16, 1]}"#, "group: expected 0 to 15, got 16"),
            (r#"{"level": [1, -1]}"#, "rate: expected 0 or more"),
            (r#"{"level": [1]}"#, "invalid length 1"),
            (r#"{"cap": [4000, 1, 1]}"#, "flow 4000: no such queue pair"),
            (r#"{"get": "everything"}"#, "unknown variant `everything`"),
            (
                r#"{"cap_control": {"window": true, "dither": true, "time_ns": 65536}}"#,
                "integer `65536`",
            ),
            (r#"{"cap_control": {"window": true}}"#, "missing field `dither`"),
            (r#"{"put": 1}"#, "unknown variant `put`"),
            ("", "EOF"),
        ] {
            let error = answer(line, &mut nic).expect_err(line);
            assert!(error.contains(why) && !error.contains('\n'), "{line}: {error}");
        }
    }
}
