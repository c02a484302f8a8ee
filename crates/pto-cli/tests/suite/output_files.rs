//! What commands do to the paths they are told to write to: devices, FIFOs, links, read-only files, full disks.

use std::fs;
use std::io::Read;
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const PROGRAM: &str = "\
!t = !pto.tile_buf<vec, 16x16xf32>
func.func @k(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %xs = pto.make_tensor_view %x, shape = [%c16, %c16], strides = [%c16, %c1] : !pto.tensor_view<16x16xf32>
  %ys = pto.make_tensor_view %y, shape = [%c16, %c16], strides = [%c16, %c1] : !pto.tensor_view<16x16xf32>
  %a = pto.alloc_tile : !t
  pto.tload ins(%xs : !pto.tensor_view<16x16xf32>) outs(%a : !t)
  pto.tmax ins(%a, %a : !t, !t) outs(%a : !t)
  pto.tstore ins(%a : !t) outs(%ys : !pto.tensor_view<16x16xf32>)
  return
}
";

/// Writes 16 MiB.
const LARGE: &str = "\
!t = !pto.tile_buf<vec, 8x2048xf32>
func.func @k(%y: !pto.ptr<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c2048 = arith.constant 2048 : index
  %one = arith.constant 1.0 : f32
  %ys = pto.make_tensor_view %y, shape = [%c2048, %c2048], strides = [%c2048, %c1] : !pto.tensor_view<2048x2048xf32>
  %a = pto.alloc_tile : !t
  pto.texpands ins(%one : f32) outs(%a : !t)
  scf.for %r = %c0 to %c2048 step %c8 {
    %p = pto.partition_view %ys, offsets = [%r, %c0], sizes = [%c8, %c2048] : !pto.tensor_view<2048x2048xf32> -> !pto.partition_tensor_view<8x2048xf32>
    pto.tstore ins(%a : !t) outs(%p : !pto.partition_tensor_view<8x2048xf32>)
  }
  return
}
";

/// Every command that writes a file, without its path.
const COMMANDS: &[&str] = &[
    "emit cpp k.pto -o @",
    "emit bytecode k.pto --generic -o @",
    "lower k.pto -o @",
    "sync k.pto -o @",
    "plan k.pto --html @",
    "race k.pto --html @",
    "perf k.pto --html @",
    "perf k.pto --trace @",
    "run k.pto --out y=@",
];

/// A directory with a program in it.
fn place() -> TempDir {
    let dir = TempDir::with_prefix("outputs").expect("a temporary directory");
    fs::write(dir.path().join("k.pto"), PROGRAM).expect("the program is written");
    dir
}

fn command(dir: &Path, line: &str, path: &Path) -> Command {
    let mut command = pto_testkit::commands::english(env!("CARGO_BIN_EXE_pto"));
    let path = path.to_str().expect("a path in UTF-8");
    command.args(line.split(' ').map(|word| word.replace('@', path))).current_dir(dir).env("NO_COLOR", "1");
    command
}

fn run(dir: &Path, line: &str, path: &Path) -> Output {
    command(dir, line, path).output().expect("pto starts")
}

/// Runs the command and asks for success.
fn succeed(dir: &Path, line: &str, path: &Path) {
    let output = run(dir, line, path);
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Runs the command and asks for exit code 2; what it said.
fn refuse(dir: &Path, line: &str, path: &Path) -> String {
    let output = run(dir, line, path);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{line}: {said}");
    assert!(said.contains("cannot write"), "{line}: {said}");
    assert!(!said.contains("/.") && !said.contains("panicked"), "{line}: {said}");
    said
}

/// What lies in a directory.
fn names(dir: &Path) -> Vec<PathBuf> {
    let mut names: Vec<_> = fs::read_dir(dir).expect("a directory").flatten().map(|e| e.file_name().into()).collect();
    names.sort();
    names
}

fn mkfifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo starts").success());
}

#[test]
fn a_device_stays_a_device() {
    let dir = place();
    let node = dir.path().join("null.npy");
    let made = Command::new("mknod").arg(&node).args(["c", "1", "3"]).stderr(Stdio::null()).status();
    // Only root can make nodes; without that the system's own is used, which cannot be replaced then.
    let is_root = made.is_ok_and(|s| s.success()) && fs::OpenOptions::new().write(true).open(&node).is_ok();
    for line in COMMANDS {
        let path = if is_root { node.as_path() } else { Path::new("/dev/null") };
        if !is_root && line.starts_with("run") {
            continue;
        }
        succeed(dir.path(), line, path);
        assert!(fs::metadata(path).expect("it is there").file_type().is_char_device(), "{line}");
    }
}

#[test]
fn a_fifo_gets_what_a_file_gets() {
    let dir = place();
    let (fifo, file) = (dir.path().join("fifo.npy"), dir.path().join("file.npy"));
    mkfifo(&fifo);
    for line in COMMANDS {
        succeed(dir.path(), line, &file);
        let mut child = command(dir.path(), line, &fifo).stdout(Stdio::null()).spawn().expect("pto starts");
        let mut read = Vec::new();
        fs::File::open(&fifo).and_then(|mut f| f.read_to_end(&mut read)).expect("the FIFO is read");
        assert!(child.wait().expect("pto ends").success(), "{line}");
        assert!(fs::symlink_metadata(&fifo).expect("it is there").file_type().is_fifo(), "{line}");
        let expected = fs::read(&file).expect("the file is read");
        assert_eq!(read.len(), expected.len(), "{line}");
        assert!(read == expected || line.starts_with("perf"), "{line}");
    }
}

#[test]
fn links_are_followed() {
    let dir = place();
    let inside = dir.path().join("inside");
    fs::create_dir(&inside).expect("a directory");
    let (target, link, second) = (inside.join("t.npy"), dir.path().join("l.npy"), dir.path().join("s.npy"));
    symlink("inside/t.npy", &link).expect("a link");
    symlink("l.npy", &second).expect("a link to the link");
    for line in COMMANDS {
        // The first time the link leads nowhere, then to a file.
        let _ = fs::remove_file(&target);
        for _ in 0..2 {
            succeed(dir.path(), line, &second);
            assert!(fs::metadata(&target).expect("it is written").len() > 0, "{line}");
        }
        for path in [&link, &second] {
            assert!(fs::symlink_metadata(path).expect("it is there").is_symlink(), "{line}");
        }
        assert_eq!(names(&inside), ["t.npy"].map(PathBuf::from), "{line}");
    }
    let circle = dir.path().join("c.npy");
    symlink("c.npy", &circle).expect("a link to itself");
    refuse(dir.path(), COMMANDS[0], &circle);
}

#[test]
fn a_read_only_file_is_kept() {
    let dir = place();
    let path = dir.path().join("old.npy");
    fs::write(&path, "old").expect("it is written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).expect("its mode is set");
    for line in COMMANDS {
        assert!(refuse(dir.path(), line, &path).contains("read-only"), "{line}");
        assert_eq!(fs::read(&path).expect("it is there"), b"old", "{line}");
        assert_eq!(fs::metadata(&path).expect("it is there").permissions().mode() & 0o777, 0o444, "{line}");
    }
    assert_eq!(names(dir.path()).len(), 2, "nothing else appears");
}

#[test]
fn the_mode_of_a_file_is_kept() {
    let dir = place();
    let path = dir.path().join("old.npy");
    for line in COMMANDS {
        for mode in [0o600, 0o755, 0o666] {
            fs::write(&path, "old").expect("it is written");
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("its mode is set");
            succeed(dir.path(), line, &path);
            assert_eq!(fs::metadata(&path).expect("it is there").permissions().mode() & 0o777, mode, "{line}");
            assert_ne!(fs::read(&path).expect("it is there"), b"old", "{line}");
        }
    }
}

#[test]
fn formatting_keeps_links_modes_and_read_only_files() {
    let dir = place();
    let (path, link) = (dir.path().join("k.pto"), dir.path().join("l.pto"));
    symlink("k.pto", &link).expect("a link");
    let untidy = PROGRAM.replace("  return", "     return");
    fs::write(&path, &untidy).expect("it is written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).expect("its mode is set");
    assert!(refuse(dir.path(), "fmt @", &link).contains("read-only"));
    assert_eq!(fs::read_to_string(&path).expect("it is there"), untidy);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("its mode is set");
    succeed(dir.path(), "fmt @", &link);
    assert_ne!(fs::read_to_string(&path).expect("it is there"), untidy);
    assert_eq!(fs::metadata(&path).expect("it is there").permissions().mode() & 0o777, 0o640);
    assert!(fs::symlink_metadata(&link).expect("it is there").is_symlink());
}

#[test]
fn directories_and_missing_directories_are_named_errors() {
    let dir = place();
    let folder = dir.path().join("d.npy");
    fs::create_dir(&folder).expect("a directory");
    for line in COMMANDS {
        assert!(refuse(dir.path(), line, &folder).contains("directory"), "{line}");
        refuse(dir.path(), line, &dir.path().join("none/x.npy"));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_an_error_and_no_panic() {
    let dir = place();
    for line in COMMANDS.iter().filter(|line| !line.starts_with("run")) {
        refuse(dir.path(), line, Path::new("/dev/full"));
    }
    for line in ["completions bash", "--help", "isa", "doc TMAX", "check --json k.pto", "emit cpp k.pto", "run k.pto"] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("the device is there");
        let output = command(dir.path(), line, Path::new("")).stdout(full).output().expect("pto starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}: {said}");
        assert!(said.contains("cannot write") && !said.contains("panicked"), "{line}: {said}");
    }
    // With standard error full as well nothing can be said, but the exit code still can.
    let full = || fs::OpenOptions::new().write(true).open("/dev/full").expect("the device is there");
    let status = command(dir.path(), "explain E9999", Path::new("")).stdout(full()).stderr(full()).status();
    assert_eq!(status.expect("pto starts").code(), Some(2));
}

#[test]
fn a_reader_that_leaves_ends_the_command_quietly() {
    let dir = place();
    for line in ["completions bash", "--help", "isa", "doc TMAX", "emit cpp k.pto", "check --json k.pto"] {
        let mut child = command(dir.path(), line, Path::new(""))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("pto starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("pto ends");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.is_empty(), "{line}: {said}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_redirected_standard_output_is_appended_to() {
    let dir = place();
    let path = dir.path().join("log");
    for name in ["-", "/dev/stdout"] {
        fs::write(&path, "before\n").expect("it is written");
        let log = fs::OpenOptions::new().append(true).open(&path).expect("it is there");
        let status = command(dir.path(), "emit cpp k.pto -o @", Path::new(name)).stdout(log).status();
        assert!(status.expect("pto starts").success());
        let text = fs::read_to_string(&path).expect("it is there");
        assert!(text.starts_with("before\n") && text.contains("TMAX("), "{name}: {text}");
    }
}

/// Kills commands at different times: what is there is the old file or a whole new one, and nothing else. An existing file is replaced by way
/// of a second name that exists for a moment: a command that is killed then leaves it, with the whole result.
#[cfg(target_os = "linux")]
#[test]
fn a_killed_command_leaves_nothing_behind() {
    let dir = place();
    fs::write(dir.path().join("k.pto"), LARGE).expect("it is written");
    let path = dir.path().join("y.bin");
    fs::write(&path, "old").expect("it is written");
    let whole = 2048 * 2048 * 4;
    let mut left = 0;
    for milliseconds in (0..60).step_by(3) {
        let mut child =
            command(dir.path(), "run k.pto --out y=@", &path).stdout(Stdio::null()).spawn().expect("pto starts");
        std::thread::sleep(std::time::Duration::from_millis(milliseconds));
        let _ = child.kill();
        let _ = child.wait();
        let length = fs::metadata(&path).expect("it is there").len();
        assert!(length == 3 || length == whole, "{length} bytes after {milliseconds} ms");
        for name in names(dir.path()).iter().filter(|name| name.to_string_lossy().starts_with(".pto-")) {
            let second = dir.path().join(name);
            assert_eq!(fs::metadata(&second).expect("it is there").len(), whole, "{second:?} is not whole");
            fs::remove_file(second).expect("it is removed");
            left += 1;
        }
        assert_eq!(names(dir.path()).len(), 2, "{:?}", names(dir.path()));
    }
    assert!(left <= 2, "the second name exists for more than a moment: {left} commands left it");
    succeed(dir.path(), "run k.pto --out y=@", &path);
}
