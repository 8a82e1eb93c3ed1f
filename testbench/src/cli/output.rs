//! Writing to the screen and to files without panics.

use super::Failure;
use std::fs::File;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::Path;

/// Prints text. A reader that closed the pipe (`| head`) ends the program quietly, as other tools do.
pub fn say(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
        Err(error) => Err(Failure::Input(format!("standard output: {error}"))),
        Ok(()) => Ok(()),
    }
}

/// Creates a file for writing; call it before a long run so that a bad path is known at once.
pub fn create_file(path: &Path) -> Result<BufWriter<File>, Failure> {
    File::create(path)
        .map(BufWriter::new)
        .map_err(|error| Failure::Input(format!("{}: {error}", path.display())))
}
