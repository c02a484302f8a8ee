//! A terminal for tests: `pto` runs in a pseudo-terminal, and what it writes is a screen.

use pty_process::Size;
use pty_process::blocking::{Command, Pty};
use std::io::{Read, Write};
use std::num::NonZero;
use std::process::Child;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use vt100::Parser;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
/// Builds of tests are slow, and machines busy.
const PATIENCE: Duration = Duration::from_secs(60);

pub struct Terminal {
    pty: Pty,
    child: Child,
    output: Receiver<Vec<u8>>,
    parser: Parser,
    /// Everything that was written.
    pub bytes: Vec<u8>,
}

fn extent(count: u16) -> NonZero<u16> {
    NonZero::new(count).expect("a size")
}

impl Terminal {
    /// Starts `pto` in a terminal of this size, in the root of the repository.
    pub fn start(args: &[&str], (rows, cols): (u16, u16), environment: &[(&str, &str)]) -> Self {
        let (pty, pts) = pty_process::blocking::open().expect("a terminal");
        pty.resize(Size::new(rows, cols)).expect("it has a size");
        let mut command = Command::new(env!("CARGO_BIN_EXE_pto"));
        for name in ["NO_COLOR", "COLORTERM", "COLUMNS", "LINES", "LC_ALL", "LANG"] {
            command = command.env_remove(name);
        }
        command = command.args(args).current_dir(ROOT).env("PTO_LANG", "en").env("TERM", "xterm-256color");
        let command = environment.iter().fold(command, |command, (name, value)| command.env(name, value));
        let child = command.spawn(pts).expect("pto starts");
        let (sender, output) = channel();
        let mut reader = std::fs::File::from(std::os::fd::AsFd::as_fd(&pty).try_clone_to_owned().expect("a copy"));
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self { pty, child, output, parser: Parser::new(extent(rows), extent(cols), 0), bytes: Vec::new() }
    }

    pub fn screen(&self) -> &vt100::Screen {
        self.parser.screen()
    }

    pub fn text(&self) -> String {
        self.screen().contents()
    }

    /// Types keys.
    pub fn keys(&mut self, keys: &str) {
        self.pty.write_all(keys.as_bytes()).expect("it reads");
    }

    /// Changes the size of the window.
    pub fn resize(&mut self, rows: u16, cols: u16) {
        self.parser.screen_mut().set_size(extent(rows), extent(cols));
        self.pty.resize(Size::new(rows, cols)).expect("it has a size");
    }

    /// Waits until the screen is as expected.
    pub fn wait(&mut self, what: &str, is_there: impl Fn(&str) -> bool) {
        let start = Instant::now();
        while !is_there(&self.text()) {
            match self.output.recv_timeout(Duration::from_millis(100)) {
                Ok(bytes) => self.take(&bytes),
                Err(RecvTimeoutError::Timeout) if start.elapsed() < PATIENCE => {}
                Err(_) => panic!("{what} does not appear:\n{}", self.text()),
            }
        }
    }

    /// Waits until a text is on the screen.
    pub fn wait_for(&mut self, text: &str) {
        self.wait(text, |screen| screen.contains(text));
    }

    /// Waits until nothing more is written.
    pub fn settle(&mut self) {
        while let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(500)) {
            self.take(&bytes);
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
        self.parser.process(bytes);
    }

    /// Waits until the program has ended; its exit code.
    pub fn end(&mut self) -> Option<i32> {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            while let Ok(bytes) = self.output.try_recv() {
                self.take(&bytes);
            }
            if let Some(status) = self.child.try_wait().expect("it can be waited for") {
                while let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(100)) {
                    self.take(&bytes);
                }
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("it does not end:\n{}", self.text());
    }

    /// The process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
