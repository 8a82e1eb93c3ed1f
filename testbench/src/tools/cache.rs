//! Results kept under `target`, by the hash of what they were made from.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// The workspace's `target` folder: `CARGO_TARGET_DIR`, else beside the outermost `Cargo.toml` above the working
/// directory, else in the working directory.
pub fn target_dir() -> PathBuf {
    if let Some(dir) = std::env::var_os("CARGO_TARGET_DIR") {
        return dir.into();
    }
    let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
    let root = here.ancestors().filter(|dir| dir.join("Cargo.toml").is_file()).last();
    root.unwrap_or(&here).join("target")
}

/// The workspace's root: the outermost folder with a `Cargo.toml` above the working directory.
pub fn workspace_dir() -> PathBuf {
    let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
    let root = here.ancestors().filter(|dir| dir.join("Cargo.toml").is_file()).last();
    root.unwrap_or(&here).to_path_buf()
}

/// FNV-1a over 128 bits: names cache entries; no defence against anybody.
pub fn digest<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hash = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58du128;
    for part in parts {
        // a byte that no text contains keeps ("ab", "c") from ("a", "bc")
        for byte in part.bytes().chain([0xff]) {
            hash = (hash ^ byte as u128).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
    }
    format!("{hash:032x}")
}

/// Runs `build` unless `dir` exists already. The folder appears under its name only when it is complete; other
/// processes and threads that want the same folder wait.
pub fn folder<E: From<io::Error>>(dir: &Path, build: impl FnOnce(&Path) -> Result<(), E>) -> Result<(), E> {
    if dir.is_dir() {
        return Ok(());
    }
    if let Some(parent) = dir.parent() {
        fs::create_dir_all(parent)?;
    }
    let _lock = lock(&dir.with_extension("lock"))?;
    if dir.is_dir() {
        return Ok(());
    }
    let unfinished = dir.with_extension("unfinished");
    if unfinished.exists() {
        fs::remove_dir_all(&unfinished)?;
    }
    fs::create_dir_all(&unfinished)?;
    build(&unfinished)?;
    fs::rename(&unfinished, dir)?;
    Ok(())
}

/// Holds a lock file until the result is dropped.
pub fn lock(path: &Path) -> io::Result<File> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    let file = File::options().create(true).append(true).open(path)?;
    file.lock()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn digests_tell_parts_apart() {
        assert_ne!(digest(["ab", "c"]), digest(["a", "bc"]));
        // reference value of FNV-1a 128 for "a" followed by the separator differs from the plain one
        assert_eq!(digest([]), "6c62272e07bb014262b821756295c58d");
    }

    #[test]
    fn racing_threads_build_once() {
        let scratch = tempfile::tempdir().expect("scratch");
        let dir = scratch.path().join("entry");
        let built = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    folder(&dir, |dir| {
                        built.fetch_add(1, Ordering::SeqCst);
                        fs::write(dir.join("file"), "done")
                    })
                    .expect("built");
                    assert_eq!(fs::read_to_string(dir.join("file")).expect("complete"), "done");
                });
            }
        });
        assert_eq!(built.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn a_failed_build_leaves_nothing() {
        let scratch = tempfile::tempdir().expect("scratch");
        let dir = scratch.path().join("entry");
        let failed: Result<(), io::Error> = folder(&dir, |_| Err(io::Error::other("no")));
        assert!(failed.is_err() && !dir.exists());
        folder(&dir, |_| Ok::<(), io::Error>(())).expect("second attempt");
    }
}
