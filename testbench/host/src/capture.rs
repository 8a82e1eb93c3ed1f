//! A capture of the frames that leave NICs.

use hpcc_models::wire::PcapSink;
use std::fs::File;
use std::io::{BufWriter, Error, Write};
use std::path::Path;

/// A capture that may be none. One that cannot be written ends, and says at the end why.
#[derive(Default)]
pub struct Capture {
    sink: Option<PcapSink<BufWriter<File>>>,
    error: Option<String>,
}

impl Capture {
    /// A new file with nanosecond time stamps.
    pub fn create(path: &Path) -> std::io::Result<Self> {
        let file = BufWriter::new(File::create(path)?);
        Ok(Self {
            sink: Some(PcapSink::new(file).map_err(Error::other)?),
            error: None,
        })
    }

    /// A frame leaves a NIC now.
    pub fn write(&mut self, now: u64, frame: &[u8]) {
        if let Some(Err(error)) = self.sink.as_mut().map(|sink| sink.write(now, frame)) {
            self.sink = None;
            self.error = Some(error.to_string());
        }
    }

    /// Ends the capture; why it is not complete, if it is not.
    pub fn end(&mut self) -> Option<String> {
        if let Some(Err(error)) = self.sink.take().map(|sink| sink.into_inner().flush()) {
            self.error = Some(error.to_string());
        }
        self.error.take()
    }
}
