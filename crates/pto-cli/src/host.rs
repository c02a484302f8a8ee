//! What a command reads and writes: files and streams of the system or, for a caller that keeps them in memory, those of the
//! caller. A page in a browser is such a caller: there are no files.

use pto::isa::ordered::OrdMap;
use std::cell::RefCell;
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::Path;

/// Files by name.
pub type MemoryFiles = OrdMap<String, Vec<u8>>;

/// What a command in memory has written.
#[derive(Debug, Default)]
pub struct MemoryOutcome {
    /// The exit code.
    pub code: u8,
    /// Standard output, without colours.
    pub stdout: String,
    /// Standard error, without colours.
    pub stderr: String,
    /// The files that were there, and those that were written.
    pub files: MemoryFiles,
}

/// Streams and files of a command in memory. `-` is standard input.
#[derive(Default)]
struct MemoryHost {
    files: MemoryFiles,
    streams: [Vec<u8>; 2],
}

thread_local! {
    static MEMORY: RefCell<Option<MemoryHost>> = const { RefCell::new(None) };
}

/// Executes the command `pto` with arguments, the first of which is its name, on files in memory.
pub fn execute_in_memory(args: &[&str], files: MemoryFiles) -> MemoryOutcome {
    MEMORY.set(Some(MemoryHost { files, streams: Default::default() }));
    let code = crate::execute(args.iter().map(OsString::from));
    let MemoryHost { files, streams } = MEMORY.take().unwrap_or_default();
    let [stdout, stderr] = streams.map(|bytes| {
        let plain = anstream::adapter::strip_bytes(&bytes).into_vec();
        String::from_utf8(plain).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
    });
    MemoryOutcome { code, stdout, stderr, files }
}

fn with_memory<T>(work: impl FnOnce(&mut MemoryHost) -> T) -> Option<T> {
    MEMORY.with_borrow_mut(|memory| memory.as_mut().map(work))
}

/// True if the command runs in memory.
pub(crate) fn is_memory() -> bool {
    with_memory(|_| ()).is_some()
}

/// The bytes of a file in memory; `None` if files are those of the system.
pub(crate) fn read_memory(path: &Path) -> Option<io::Result<Vec<u8>>> {
    let name = path.to_string_lossy();
    with_memory(|memory| memory.files.get(&*name).cloned().ok_or_else(|| io::ErrorKind::NotFound.into()))
}

/// Writes a file in memory; `None` if files are those of the system.
pub(crate) fn write_memory(path: &Path, bytes: Vec<u8>) -> Option<()> {
    let name = path.to_string_lossy().into_owned();
    with_memory(|memory| drop(memory.files.insert(name, bytes)))
}

/// The bytes of a file; those of standard input for `-`.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    if let Some(bytes) = read_memory(path) {
        return bytes;
    }
    if path != Path::new("-") {
        return std::fs::read(path);
    }
    let mut bytes = Vec::new();
    io::stdin().read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// How many bytes a file has; none if there is no such file.
pub(crate) fn file_size(path: &Path) -> u64 {
    match read_memory(path) {
        Some(bytes) => bytes.map_or(0, |bytes| bytes.len() as u64),
        None => std::fs::metadata(path).map_or(0, |m| m.len()),
    }
}

/// True if files can be in this directory. Names in memory may have any.
pub(crate) fn is_directory(path: &Path) -> bool {
    is_memory() || path.is_dir()
}

/// Standard output or error, locked, with colours if it shows them.
pub(crate) enum Stream {
    Out(anstream::AutoStream<io::StdoutLock<'static>>),
    Err(anstream::AutoStream<io::StderrLock<'static>>),
    /// Which of the two.
    Memory(usize),
}

pub(crate) fn stdout() -> Stream {
    if is_memory() { Stream::Memory(0) } else { Stream::Out(anstream::stdout().lock()) }
}

pub(crate) fn stderr() -> Stream {
    if is_memory() { Stream::Memory(1) } else { Stream::Err(anstream::stderr().lock()) }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Out(stream) => stream.write(bytes),
            Self::Err(stream) => stream.write(bytes),
            Self::Memory(which) => {
                with_memory(|memory| memory.streams[*which].extend_from_slice(bytes));
                Ok(bytes.len())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Out(stream) => stream.flush(),
            Self::Err(stream) => stream.flush(),
            Self::Memory(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = "func.func @double(%x: !pto.tensor_view<16x64xf32>, %y: !pto.tensor_view<16x64xf32>) {
        %two = arith.constant 2.0 : f32
        %t = pto.alloc_tile : !pto.tile_buf<vec, 16x64xf32>
        pto.tload ins(%x) outs(%t)
        pto.tmuls ins(%t, %two) outs(%t)
        pto.tstore ins(%t) outs(%y)
        return
      }";

    fn execute(args: &[&str]) -> MemoryOutcome {
        execute_in_memory(args, [("k.pto".to_string(), PROGRAM.as_bytes().to_vec())].into())
    }

    #[test]
    fn commands_run_in_memory() {
        let done = execute(&["pto", "run", "k.pto", "x=iota", "--out", "y=y.npy", "--json"]);
        assert_eq!((done.code, &*done.stderr), (0, ""));
        assert!(done.stdout.contains("\"crc32\": \"b23afb2d\""), "{}", done.stdout);
        assert!(done.files["y.npy"].starts_with(b"\x93NUMPY"));
        let again = execute_in_memory(&["pto", "run", "k.pto", "x=y.npy", "--expect", "y=y.npy"], done.files);
        assert_eq!(again.code, 3, "{}", again.stderr);
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert!(execute(&["pto", "run", "other.pto"]).stderr.contains("cannot read other.pto"));
        assert_eq!(execute(&["pto", "nonsense"]).code, 2);
        assert!(execute(&["pto", "run", "k.pto", "--bad"]).stderr.contains("--bad"));
        assert!(execute(&["pto", "--help"]).stdout.contains("Usage"));
    }

    #[test]
    fn reports_are_files() {
        let done = execute(&["pto", "perf", "k.pto", "--html", "perf.html"]);
        assert!(done.files["perf.html"].starts_with(b"<!doctype html>"), "{}", done.stderr);
        let done = execute(&["pto", "plan", "k.pto", "--html", "map.html"]);
        assert!(done.files["map.html"].starts_with(b"<!doctype html>"), "{}", done.stderr);
    }
}
