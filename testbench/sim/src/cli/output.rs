//! Writing to the screen and to files without panics.

use super::Failure;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::fs::File;
use std::io::{BufWriter, ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::time::Duration;

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

/// A bar that counts `unit`; on a terminal it shows itself after two seconds. Its length is set by who moves it.
pub fn progress(unit: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    let style = ProgressStyle::with_template(&format!("{{elapsed}} {{bar:30}} {{pos}}/{{len}} {unit}  {{msg}}"));
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let shown = bar.downgrade();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(2));
        if let Some(bar) = shown.upgrade() {
            bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(4));
        }
    });
    bar
}
