//! Waveforms in VCD form: module scopes, indexed names as `lane_0`, states as text; opens in GTKWave and Surfer.
//!
//! Writing every signal costs about a hundred times the simulation itself, so [`WaveWindow`] records a range of clocks.

use super::{set_clock, HasClock};
use rust_hdl::core::prelude::*;
use std::io::{self, Write};
use vcd::{IdCode, SimulationCommand, TimescaleUnit, VarType};

/// A waveform being written: call [`Wave::sample`] whenever time has passed.
pub struct Wave<W: Write> {
    writer: vcd::Writer<W>,
    codes: Vec<IdCode>,
    last: Vec<Option<VCDValue>>,
}

impl<W: Write> Wave<W> {
    /// Writes the header: every signal of `block` under the scope `top`.
    pub fn new(out: W, top: &str, block: &dyn Block) -> io::Result<Self> {
        let mut writer = vcd::Writer::new(out);
        writer.timescale(1, TimescaleUnit::PS)?;
        let mut header = Header {
            writer,
            codes: vec![],
            error: None,
        };
        block.accept(top, &mut header);
        let Header {
            mut writer,
            codes,
            error,
        } = header;
        if let Some(error) = error {
            return Err(error);
        }
        writer.enddefinitions()?;
        let last = vec![None; codes.len()];
        Ok(Self { writer, codes, last })
    }

    /// Writes what has changed since the last sample, at `time` in picoseconds; times must not decrease.
    pub fn sample(&mut self, block: &dyn Block, time: u64) -> io::Result<()> {
        let mut values = Values(vec![]);
        block.accept("", &mut values);
        let first = self.last.iter().all(Option::is_none);
        self.writer.timestamp(time)?;
        if first {
            self.writer.begin(SimulationCommand::Dumpvars)?;
        }
        for ((code, last), value) in self.codes.iter().zip(&mut self.last).zip(values.0) {
            if last.as_ref() == Some(&value) {
                continue;
            }
            match &value {
                VCDValue::Single(bit) => self.writer.change_scalar(*code, *bit)?,
                VCDValue::Vector(bits) if bits.len() == 1 => self.writer.change_scalar(*code, bits[0])?,
                VCDValue::Vector(bits) => self.writer.change_vector(*code, bits)?,
                VCDValue::String(text) => self.writer.change_string(*code, text)?,
                // taken apart by `flatten`
                VCDValue::Composite(_) => {}
            }
            *last = Some(value);
        }
        if first {
            self.writer.end()?;
        }
        Ok(())
    }
}

/// `lane$0` to `lane_0`; generated names hold no character that a viewer takes for syntax.
fn plain(name: &str) -> String {
    let (name, _) = crate::prim::word::name_and_doc(name);
    name.replace(['[', ']'], "")
        .replace(['$', '.', ' '], "_")
        .replace("::", "_")
}

struct Header<W: Write> {
    writer: vcd::Writer<W>,
    codes: Vec<IdCode>,
    error: Option<io::Error>,
}

impl<W: Write> Header<W> {
    fn keep(&mut self, result: io::Result<()>) {
        if let Err(error) = result {
            self.error.get_or_insert(error);
        }
    }
    fn declare(&mut self, name: &str, descriptor: &TypeDescriptor) {
        let declared = match &descriptor.kind {
            TypeKind::Bits(width) | TypeKind::Signed(width) => self.writer.add_wire(*width as u32, name),
            TypeKind::Enum(_) => self.writer.add_var(VarType::String, 1, name, None),
            TypeKind::Composite(fields) => {
                for field in fields {
                    self.declare(&format!("{name}_{}", plain(&field.fieldname)), &field.kind);
                }
                return;
            }
        };
        match declared {
            Ok(code) => self.codes.push(code),
            Err(error) => self.keep(Err(error)),
        }
    }
}

impl<W: Write> Probe for Header<W> {
    fn visit_start_scope(&mut self, name: &str, _: &dyn Block) {
        let result = self.writer.add_module(&plain(name));
        self.keep(result);
    }
    fn visit_start_namespace(&mut self, name: &str, _: &dyn Block) {
        let result = self.writer.add_module(&plain(name));
        self.keep(result);
    }
    fn visit_atom(&mut self, name: &str, atom: &dyn Atom) {
        self.declare(&plain(name), &atom.descriptor());
    }
    fn visit_end_namespace(&mut self, _: &str, _: &dyn Block) {
        let result = self.writer.upscope();
        self.keep(result);
    }
    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        let result = self.writer.upscope();
        self.keep(result);
    }
}

struct Values(Vec<VCDValue>);

impl Probe for Values {
    fn visit_atom(&mut self, _: &str, atom: &dyn Atom) {
        flatten(atom.vcd(), &mut self.0);
    }
}

fn flatten(value: VCDValue, out: &mut Vec<VCDValue>) {
    match value {
        VCDValue::Composite(fields) => fields.into_iter().for_each(|field| flatten(*field, out)),
        plain => out.push(plain),
    }
}

/// Records the clocks `first` to `last` of a run and nothing else.
pub struct WaveWindow<W: Write> {
    out: Option<W>,
    wave: Option<Wave<W>>,
    first: u64,
    last: u64,
    period_ps: u64,
    clock: u64,
}

impl<W: Write> WaveWindow<W> {
    /// A window over clocks counted from zero, each `period_ps` picoseconds long.
    pub fn new(out: W, first: u64, last: u64, period_ps: u64) -> Self {
        Self {
            out: Some(out),
            wave: None,
            first,
            last,
            period_ps,
            clock: 0,
        }
    }

    /// One clock like [`step`](super::step), recorded if it lies in the window.
    pub fn step<B: HasClock, R>(&mut self, block: &mut B, top: &str, sample: impl FnOnce(&B) -> R) -> io::Result<R> {
        set_clock(block, false);
        self.record(block, top, false)?;
        let sampled = sample(block);
        set_clock(block, true);
        self.record(block, top, true)?;
        self.clock += 1;
        Ok(sampled)
    }

    fn record<B: Block>(&mut self, block: &B, top: &str, high: bool) -> io::Result<()> {
        if self.clock < self.first || self.clock > self.last {
            return Ok(());
        }
        if let Some(out) = self.out.take() {
            self.wave = Some(Wave::new(out, top, block)?);
        }
        let time = self.clock * self.period_ps + if high { self.period_ps / 2 } else { 0 };
        self.wave.as_mut().map_or(Ok(()), |wave| wave.sample(block, time))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::delay::Delay;
    use crate::prim::uint::U;
    use crate::sim::init;

    /// The file is read back by the VCD parser: scopes, names, and the delayed value at its time.
    #[test]
    fn a_window_holds_the_signals_of_its_clocks() {
        let mut delay: Box<Delay<U<8>, 2>> = Box::default();
        init(delay.as_mut()).expect("complete block");
        let mut file = vec![];
        let mut window = WaveWindow::new(&mut file, 3, 5, 4000);
        for clock in 0..10u64 {
            delay.d.next = U(clock + 1);
            window.step(delay.as_mut(), "dut", |_| ()).expect("memory");
        }
        drop(window);
        let mut parser = vcd::Parser::new(&file[..]);
        let header = parser.parse_header().expect("header");
        let q = header.find_var(&["dut", "q"]).expect("signal").code;
        assert!(!String::from_utf8_lossy(&file).contains("dut$"));
        let (mut time, mut seen) = (0, vec![]);
        for command in parser.map(|command| command.expect("command")) {
            match command {
                vcd::Command::Timestamp(t) => time = t,
                vcd::Command::ChangeVector(code, bits) if code == q => {
                    let value = bits
                        .iter()
                        .fold(0, |sum, bit| sum * 2 + u64::from(*bit == vcd::Value::V1));
                    seen.push((time, value));
                }
                _ => {}
            }
        }
        assert_eq!(seen, [(12_000, 2), (14_000, 3), (18_000, 4), (22_000, 5)]);
    }
}
