//! A waveform (VCD) of the NICs' ports: the frame that each sends, the last one that reached it, and its pause.

use hpcc_models::wire::{wire_occupancy, Ports, RocePacket};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::rc::Rc;
use vcd::{IdCode, SimulationCommand, TimescaleUnit, Value, Writer};

/// A waveform that may be none. One that cannot be written ends, and says at the end why.
#[derive(Default)]
pub struct Wave {
    file: Option<Signals>,
    error: Option<String>,
}

/// Opcode, queue pair and PSN of a frame; zeros for one that is not RoCE.
#[derive(Clone, Copy)]
struct Headers([IdCode; 3]);

/// Widths of these, bits.
const WIDTHS: [(&str, u32); 3] = [("opcode", 8), ("qp", 24), ("psn", 24)];

struct Port {
    sends: IdCode,
    sent: Headers,
    received: IdCode,
    of_received: Headers,
    pause: IdCode,
    /// When its last frame has left, ns.
    busy_until: u64,
}

/// The file, of which the writer of waveforms gives nothing back.
#[derive(Clone)]
struct Shared(Rc<RefCell<BufWriter<File>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.borrow_mut().flush()
    }
}

struct Signals {
    file: Shared,
    writer: Writer<Shared>,
    ports: Vec<Port>,
    rate_bps: Vec<u64>,
    /// Ends of frames that have not come yet, by time and NIC.
    ends: BTreeSet<(u64, usize)>,
    now: Option<u64>,
    /// Frames that reached each NIC.
    count: Vec<u64>,
}

/// Bits of a number, highest first.
fn bits(value: u64, width: u32) -> Vec<Value> {
    (0..width).rev().map(|bit| Value::from(value >> bit & 1 != 0)).collect()
}

/// Bits of the count of frames that reached a NIC.
const COUNT: u32 = 32;
/// Bits of the priorities that a pause stops.
const PRIORITIES: u32 = 8;

impl Wave {
    /// A new file: a module for each NIC of these names, with ports of these rates.
    pub fn create(path: &Path, names: &[String], rate_bps: &[u64]) -> std::io::Result<Self> {
        let file = Shared(Rc::new(RefCell::new(BufWriter::new(File::create(path)?))));
        let mut writer = Writer::new(file.clone());
        writer.timescale(1, TimescaleUnit::NS)?;
        let mut ports = Vec::new();
        for name in names {
            writer.add_module(name)?;
            let sends = writer.add_wire(1, "sends")?;
            let sent = headers(&mut writer, "sent")?;
            let received = writer.add_wire(COUNT, "received_frames")?;
            let of_received = headers(&mut writer, "received")?;
            let pause = writer.add_wire(PRIORITIES, "pause")?;
            writer.upscope()?;
            ports.push(Port {
                sends,
                sent,
                received,
                of_received,
                pause,
                busy_until: 0,
            });
        }
        writer.enddefinitions()?;
        writer.begin(SimulationCommand::Dumpvars)?;
        for port in &ports {
            writer.change_scalar(port.sends, Value::V0)?;
            writer.change_vector(port.received, &bits(0, COUNT))?;
            writer.change_vector(port.pause, &bits(0, PRIORITIES))?;
            for headers in [port.sent, port.of_received] {
                for (code, (_, width)) in headers.0.into_iter().zip(WIDTHS) {
                    writer.change_vector(code, &bits(0, width))?;
                }
            }
        }
        writer.end()?;
        let count = vec![0; names.len()];
        Ok(Self {
            file: Some(Signals {
                file,
                writer,
                ports,
                rate_bps: rate_bps.to_vec(),
                ends: BTreeSet::new(),
                now: None,
                count,
            }),
            error: None,
        })
    }

    /// A frame begins to leave a NIC now.
    pub fn sends(&mut self, now: u64, nic: usize, frame: &[u8]) {
        self.with(|file| file.sends(now, nic, frame));
    }

    /// A frame has reached a NIC now, whole.
    pub fn receives(&mut self, now: u64, nic: usize, frame: &[u8]) {
        self.with(|file| file.receives(now, nic, frame));
    }

    /// The priorities that a NIC may not send change now.
    pub fn pauses(&mut self, now: u64, nic: usize, priorities: u8) {
        self.with(|file| {
            file.at(now)?;
            let code = file.ports[nic].pause;
            file.writer.change_vector(code, &bits(priorities.into(), PRIORITIES))
        });
    }

    /// Ends the waveform; why it is not complete, if it is not.
    pub fn end(&mut self) -> Option<String> {
        self.with(|file| {
            let last = file.ends.iter().next_back().map(|end| end.0);
            last.map_or(Ok(()), |last| file.at(last))
        });
        self.with(|signals| signals.file.flush());
        self.file = None;
        self.error.take()
    }

    fn with(&mut self, write: impl FnOnce(&mut Signals) -> std::io::Result<()>) {
        if let Some(Err(error)) = self.file.as_mut().map(write) {
            self.file = None;
            self.error = Some(error.to_string());
        }
    }
}

fn headers(writer: &mut Writer<Shared>, prefix: &str) -> std::io::Result<Headers> {
    let mut wire = |i: usize| writer.add_wire(WIDTHS[i].1, &format!("{prefix}_{}", WIDTHS[i].0));
    Ok(Headers([wire(0)?, wire(1)?, wire(2)?]))
}

impl Signals {
    /// The time is now; frames that have left by then have ended at their times.
    fn at(&mut self, now: u64) -> std::io::Result<()> {
        while let Some((end, nic)) = self.ends.first().copied().filter(|(end, _)| *end <= now) {
            self.ends.remove(&(end, nic));
            self.stamp(end)?;
            self.writer.change_scalar(self.ports[nic].sends, Value::V0)?;
        }
        self.stamp(now)
    }

    fn stamp(&mut self, now: u64) -> std::io::Result<()> {
        if self.now == Some(now) {
            return Ok(());
        }
        self.now = Some(now);
        self.writer.timestamp(now)
    }

    fn write_headers(&mut self, headers: Headers, frame: &[u8]) -> std::io::Result<()> {
        let packet = RocePacket::parse(frame, &Ports::default());
        let values = packet.map_or([0; 3], |packet| {
            [
                packet.bth.opcode.emit().into(),
                packet.bth.dest_qp.into(),
                packet.bth.psn.into(),
            ]
        });
        for ((code, (_, width)), value) in headers.0.into_iter().zip(WIDTHS).zip(values) {
            self.writer.change_vector(code, &bits(value, width))?;
        }
        Ok(())
    }

    fn sends(&mut self, now: u64, nic: usize, frame: &[u8]) -> std::io::Result<()> {
        let busy_until = self.ports[nic].busy_until;
        if busy_until >= now {
            // Back to back the signal stays.
            self.ends.remove(&(busy_until, nic));
        }
        self.at(now)?;
        let time = (wire_occupancy(frame.len()) * 8_000_000_000).div_ceil(self.rate_bps[nic].max(1));
        let port = &mut self.ports[nic];
        port.busy_until = now.max(port.busy_until) + time;
        self.ends.insert((port.busy_until, nic));
        let (sends, sent) = (port.sends, port.sent);
        self.writer.change_scalar(sends, Value::V1)?;
        self.write_headers(sent, frame)
    }

    fn receives(&mut self, now: u64, nic: usize, frame: &[u8]) -> std::io::Result<()> {
        self.at(now)?;
        self.count[nic] += 1;
        let (received, headers) = (self.ports[nic].received, self.ports[nic].of_received);
        self.writer.change_vector(received, &bits(self.count[nic], COUNT))?;
        self.write_headers(headers, frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    /// Changes of one signal: time and value.
    fn changes(path: &Path, module: &str, name: &str) -> Vec<(u64, String)> {
        let mut parser = vcd::Parser::new(BufReader::new(File::open(path).unwrap()));
        let header = parser.parse_header().unwrap();
        let code = header.find_var(&[module, name]).unwrap().code;
        let (mut now, mut found) = (0, Vec::new());
        for command in parser {
            match command.unwrap() {
                vcd::Command::Timestamp(time) => now = time,
                vcd::Command::ChangeScalar(id, value) if id == code => found.push((now, value.to_string())),
                vcd::Command::ChangeVector(id, value) if id == code => {
                    found.push((now, value.iter().map(Value::to_string).collect()))
                }
                _ => {}
            }
        }
        found
    }

    #[test]
    fn a_port_sends_for_as_long_as_its_frames_take() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let names = ["sim0", "sim1"].map(String::from);
        let mut wave = Wave::create(file.path(), &names, &[100_000_000_000, 100_000_000_000]).unwrap();
        // 1476 bytes and 24 more are 120 ns.
        wave.sends(10, 0, &[0; 1476]);
        wave.sends(130, 0, &[0; 1476]);
        wave.sends(200, 1, &[0; 1476]);
        wave.receives(700, 1, &[0; 1476]);
        wave.pauses(710, 1, 3);
        wave.sends(900, 0, &[0; 1476]);
        assert_eq!(wave.end(), None);
        let level = |module: &str| -> Vec<(u64, String)> {
            let mut changes = changes(file.path(), module, "sends");
            changes.dedup_by(|b, a| a.1 == b.1);
            changes
        };
        let expected = |list: &[(u64, &str)]| -> Vec<(u64, String)> {
            list.iter().map(|(time, value)| (*time, value.to_string())).collect()
        };
        assert_eq!(
            level("sim0"),
            expected(&[(0, "0"), (10, "1"), (250, "0"), (900, "1"), (1020, "0")])
        );
        assert_eq!(level("sim1"), expected(&[(0, "0"), (200, "1"), (320, "0")]));
        let counted = changes(file.path(), "sim1", "received_frames");
        assert_eq!(counted.last().map(|change| change.0), Some(700));
        let paused = changes(file.path(), "sim1", "pause");
        assert_eq!(paused.last(), Some(&(710, "00000011".to_string())));
    }
}
