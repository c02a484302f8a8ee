//! A condition of the user: a shell command that succeeds while the fault is there.

use crate::Failure;
use crate::input::InputText;
use pto::isa::text;
use pto::reduce::{Candidate, Interesting};
use std::ffi::OsString;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Stands for the file of the candidate.
const FILE: &str = "{}";

pub(super) struct ShellCondition {
    line: String,
    /// The name that candidates get, each in a directory of its own.
    name: OsString,
    timeout: Duration,
}

impl ShellCondition {
    pub(super) fn new(line: &str, source: &InputText, timeout: Duration) -> Result<Self, Failure> {
        if !line.contains(FILE) {
            let help = text!("write {file} in place of the file: --while 'grep -q tadd {file}'", file = FILE);
            return Err(Failure(text!("--while: the command has no {file}\n  help: {help}", file = FILE, help)));
        }
        let name = source.path.as_deref().and_then(Path::file_name).map(OsString::from);
        let name = name.filter(|n| Path::new(n).extension().is_some_and(|e| e == "pto"));
        Ok(Self { line: line.to_string(), name: name.unwrap_or_else(|| "candidate.pto".into()), timeout })
    }

    fn succeeds(&self, text: &str) -> std::io::Result<bool> {
        let dir = TempDir::with_prefix("pto-reduce-")?;
        let path = dir.path().join(&self.name);
        std::fs::write(&path, text)?;
        let line = self.line.replace(FILE, &quoted(&path));
        let mut command = Command::new("sh");
        command.args(["-c", &line]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // A group of its own, so that everything it started can be ended.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;
        Ok(wait(&mut child, self.timeout)?.is_some_and(|status| status.success()))
    }
}

impl Interesting for ShellCondition {
    fn holds(&self, candidate: &Candidate<'_>) -> bool {
        self.succeeds(candidate.text).unwrap_or(false)
    }
}

/// A path as one word of a shell.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.to_string_lossy().replace('\'', r"'\''"))
}

/// Waits for a process; ends it when the time is up.
fn wait(child: &mut Child, timeout: Duration) -> std::io::Result<Option<ExitStatus>> {
    const LONGEST: Duration = Duration::from_millis(20);
    let start = Instant::now();
    let mut pause = Duration::from_micros(200);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > timeout {
            end(child);
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = LONGEST.min(pause * 2);
    }
}

#[cfg(target_os = "linux")]
fn end(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    // It may have ended just now.
    let _ = group.map(|group| kill_process_group(group, Signal::KILL));
    let _ = child.kill();
}

#[cfg(not(target_os = "linux"))]
fn end(child: &mut Child) {
    let _ = child.kill();
}
