//! Peers: processes that compute the same programs with a package of Python.

use super::request::Request;
use super::surroundings;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A package that computes the programs.
pub struct Kind {
    pub package: &'static str,
    pub title: &'static str,
    /// What of it a level does not limit.
    pub unlimited: Option<&'static str>,
}

pub const KINDS: [Kind; 4] = [
    Kind { package: "numpy", title: "NumPy", unlimited: None },
    Kind { package: "onnxruntime", title: "ONNX Runtime", unlimited: Some("it has no limit") },
    Kind {
        package: "jax",
        title: "JAX",
        unlimited: Some("only the code that it compiles is limited, not its library"),
    },
    Kind { package: "torch", title: "PyTorch", unlimited: None },
];

/// How far the engine is from the results of a peer.
#[derive(Clone)]
pub struct Distance {
    pub error: f64,
    /// The largest number of the result.
    pub largest: f64,
    /// What rounding to the types of the peer explains, as a part of the largest number.
    pub slack: f64,
    /// Ways to compute it that are further away than the others of the peer, which do not count.
    pub wrong: String,
}

impl Distance {
    /// As a part of the largest number.
    pub fn relative(&self) -> f64 {
        if self.error == 0.0 { 0.0 } else { self.error / self.largest }
    }

    pub fn is_close(&self, tolerance: f64) -> bool {
        self.relative() <= tolerance + self.slack
    }
}

/// A package with so many threads. Without a process it is missing.
pub struct Peer {
    pub kind: &'static Kind,
    pub threads: u32,
    /// Its version, or why it is missing.
    pub version: Result<String, String>,
    process: Option<Process>,
}

impl Peer {
    /// One for each package and number of threads.
    pub fn start_all(request: &Request, data: &Path) -> Vec<Self> {
        let kinds = || KINDS.iter().filter(|kind| request.peers.contains(&kind.package));
        request.threads.iter().flat_map(|threads| kinds().map(|kind| Self::start(kind, *threads, data))).collect()
    }

    fn start(kind: &'static Kind, threads: u32, data: &Path) -> Self {
        let mut process = Process::start(kind, threads, data);
        let version = match process.as_mut().map(Process::answer) {
            Ok(Ok(words)) => match &words[..] {
                [ready, version] if ready == "ready" => Ok(version.clone()),
                words => Err(words.last().cloned().unwrap_or_default()),
            },
            Ok(Err(why)) => Err(why),
            Err(why) => Err(why.to_string()),
        };
        let process = process.ok().filter(|_| version.is_ok());
        Self { kind, threads, version, process }
    }

    /// Makes a program ready; how far its results are from the engine's, or why there are none.
    pub fn prepare(&mut self, program: &str, tolerance: f64) -> Result<Distance, String> {
        let Some(process) = &mut self.process else { return Err(String::new()) };
        let words = process.ask(&format!("prepare {program} {tolerance:e}"))?;
        let number = |at: usize| words.get(at)?.parse().ok();
        let distance = || {
            let wrong = words.get(4)?.clone();
            Some(Distance { error: number(1)?, largest: number(2)?, slack: number(3)?, wrong })
        };
        distance().ok_or_else(|| words.last().cloned().unwrap_or_default())
    }

    /// A turn at the program that is ready: milliseconds, and how it was computed.
    pub fn turn(&mut self) -> Option<(f64, String)> {
        let words = self.process.as_mut()?.ask("time").ok()?;
        Some((words.get(1)?.parse().ok()?, words.get(2)?.clone()))
    }
}

/// A process that answers questions, line by line.
struct Process {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
    complaints: PathBuf,
}

impl Process {
    fn start(kind: &Kind, threads: u32, data: &Path) -> std::io::Result<Self> {
        let python = std::env::var("PTO_PYTHON").unwrap_or_else(|_| "python3".to_string());
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/programs/peers/serve.py");
        let complaints = data.join(format!("{}{threads}.log", kind.package));
        let mut command = Command::new(python);
        command.arg(script).arg(kind.package).arg(data).arg(threads.to_string());
        command.env("PYTHONDONTWRITEBYTECODE", "1").env("JAX_PLATFORMS", "cpu");
        command.envs(surroundings::of_threads(threads));
        command.envs(surroundings::of_level(surroundings::level().as_deref()));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(std::fs::File::create(&complaints)?);
        let mut child = command.spawn()?;
        let (questions, answers) = (child.stdin.take(), child.stdout.take());
        let questions = questions.expect("its input is a pipe");
        let answers = BufReader::new(answers.expect("its output is a pipe"));
        Ok(Self { child, questions, answers, complaints })
    }

    fn ask(&mut self, question: &str) -> Result<Vec<String>, String> {
        writeln!(self.questions, "{question}").map_err(|_| self.last_words())?;
        self.answer()
    }

    fn answer(&mut self) -> Result<Vec<String>, String> {
        let mut line = String::new();
        match self.answers.read_line(&mut line) {
            Ok(1..) => Ok(line.trim().split('|').map(str::to_string).collect()),
            _ => Err(self.last_words()),
        }
    }

    /// Why the process ended.
    fn last_words(&self) -> String {
        let text = std::fs::read_to_string(&self.complaints).unwrap_or_default();
        text.lines().last().unwrap_or("it ended without a reason").to_string()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Nothing that it could still do is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
