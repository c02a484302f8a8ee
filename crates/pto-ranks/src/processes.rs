//! The processes of ranks: how they are started, where each finds its place, and what becomes of them.

use crate::RankError;
use crate::control::RankControl;
use pto_isa::{Span, text};
use std::ffi::OsString;
use std::io::Write;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The variable that tells a process which rank it is.
const PLACE: &str = "PTO_RANK_PROCESS";
/// A rank that does not say that it is alive for so long hangs.
const HANGS_AFTER: Duration = Duration::from_secs(10);
/// How long other ranks may take to end when one was lost.
const GRACE: Duration = Duration::from_millis(500);

/// Where a process finds the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RankPlace {
    pub rank: usize,
    pub ranks: usize,
    /// The file descriptor of the memory.
    pub file: i32,
    /// The process that started it.
    parent: u32,
}

impl RankPlace {
    /// `None` if the process is no rank.
    pub fn of_environment() -> Option<Result<Self, RankError>> {
        let text = std::env::var(PLACE).ok()?;
        let numbers: Vec<u32> = text.split(',').filter_map(|n| n.parse().ok()).collect();
        let [rank, ranks, file, parent] = numbers[..] else {
            return Some(Err(RankError::System(text!(
                "{PLACE} is `{text}`; it is set by `pto run --processes`",
                PLACE,
                text
            ))));
        };
        Some(Ok(Self { rank: rank as usize, ranks: ranks as usize, file: file as i32, parent }))
    }

    /// The process ends when its parent does, whatever ends that.
    pub fn end_with_parent(&self) -> Result<(), RankError> {
        #[cfg(target_os = "linux")]
        rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))
            .map_err(|e| RankError::System(e.to_string()))?;
        if self.has_parent() { Ok(()) } else { Err(RankError::Abandoned) }
    }

    pub fn has_parent(&self) -> bool {
        std::os::unix::process::parent_id() == self.parent
    }
}

/// The processes of all ranks, and the memory that they share.
pub struct RankProcesses {
    control: RankControl<'static>,
    children: Vec<Child>,
}

/// What became of them.
#[derive(Debug)]
#[non_exhaustive]
pub enum RanksEnded {
    /// All told their results; the largest exit code.
    Code(i32),
    /// One was lost.
    Lost(LostRank),
}

/// A rank that ended before it told its result, or hangs.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct LostRank {
    /// Which one.
    pub rank: usize,
    /// What happened.
    pub reason: LossReason,
    /// The instruction that it executed last, if it executed any.
    pub span: Option<Span>,
    /// What it waited for, if it did.
    pub awaited: Option<String>,
}

/// How a rank was lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LossReason {
    /// A signal ended it.
    Signal(i32),
    /// It ended with an exit code.
    Code(i32),
    /// It does not say that it is alive.
    Hangs,
}

impl RankProcesses {
    /// Starts a process for each rank: this executable, with the same arguments. Rank 0 writes to this process's standard output.
    ///
    /// # Errors
    /// When the system refuses memory or a process.
    pub fn start(ranks: usize, args: &[OsString], stdin: Option<&[u8]>) -> Result<Self, RankError> {
        let control = RankControl::create(ranks)
            .map_err(|e| RankError::System(text!("no memory that ranks share: {reason}", reason = e)))?;
        let mut all = Self { control, children: Vec::new() };
        for rank in 0..ranks {
            let child = all.spawn(rank, args, stdin);
            // Those that were started end with `all`.
            all.children.push(child.map_err(|e| {
                RankError::System(text!("the process of rank {rank} cannot be started: {reason}", rank, reason = e))
            })?);
        }
        Ok(all)
    }

    fn spawn(&self, rank: usize, args: &[OsString], stdin: Option<&[u8]>) -> std::io::Result<Child> {
        use std::os::fd::AsRawFd;
        let file = self.control.area.file().map_or(-1, AsRawFd::as_raw_fd);
        let mut command = Command::new(std::env::current_exe()?);
        command.args(args).env(PLACE, format!("{rank},{},{file},{}", self.control.ranks, std::process::id()));
        command.stdin(if stdin.is_some() { Stdio::piped() } else { Stdio::null() });
        if rank > 0 {
            command.stdout(Stdio::null());
        }
        let mut child = command.spawn()?;
        if let (Some(bytes), Some(mut pipe)) = (stdin, child.stdin.take()) {
            let bytes = bytes.to_vec();
            // A rank that ended early reads nothing; its end is reported below.
            std::thread::spawn(move || pipe.write_all(&bytes).ok());
        }
        Ok(child)
    }

    /// Waits for all of them. If one is lost, the others are ended.
    ///
    /// # Errors
    /// When the system does not say what became of a process.
    pub fn wait(mut self) -> Result<RanksEnded, RankError> {
        let mut ended: Vec<Option<ExitStatus>> = vec![None; self.children.len()];
        let mut alive: Vec<(u32, Instant)> = vec![(0, Instant::now()); self.children.len()];
        let mut pause = Duration::from_micros(200);
        let mut reported: Option<Instant> = None;
        loop {
            for (child, ended) in self.children.iter_mut().zip(&mut ended).filter(|(_, ended)| ended.is_none()) {
                *ended = child.try_wait().map_err(|e| RankError::System(e.to_string()))?;
            }
            // Whoever reads the report may close it early, and rank 0 ends without a word to the others.
            if ended[0].is_some()
                && self.control.is_finished(0)
                && reported.get_or_insert_with(Instant::now).elapsed() > GRACE
            {
                self.control.abandon();
                return Ok(RanksEnded::Code(ended[0].and_then(|status| status.code()).unwrap_or(2)));
            }
            let gone = (0..ended.len()).find_map(|rank| Some((rank, self.loss(rank, ended[rank]?)?)));
            let lost = gone.or_else(|| self.hanging(&ended, &mut alive).map(|rank| (rank, LossReason::Hangs)));
            if let Some((rank, reason)) = lost {
                return Ok(RanksEnded::Lost(self.give_up(rank, reason)));
            }
            if ended.iter().all(Option::is_some) {
                let code = |status: &Option<ExitStatus>| status.and_then(|s| s.code()).unwrap_or(2);
                return Ok(RanksEnded::Code(ended.iter().map(code).max().unwrap_or(0)));
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(4));
        }
    }

    /// Why a rank that has ended should not have.
    fn loss(&self, rank: usize, status: ExitStatus) -> Option<LossReason> {
        use std::os::unix::process::ExitStatusExt;
        if let Some(signal) = status.signal() {
            return Some(LossReason::Signal(signal));
        }
        let code = status.code().unwrap_or(2);
        (!self.control.is_finished(rank)).then_some(LossReason::Code(code))
    }

    fn hanging(&self, ended: &[Option<ExitStatus>], alive: &mut [(u32, Instant)]) -> Option<usize> {
        (0..ended.len()).filter(|rank| ended[*rank].is_none()).find(|rank| {
            let beats = self.control.beats(*rank);
            if beats != alive[*rank].0 {
                alive[*rank] = (beats, Instant::now());
            }
            alive[*rank].1.elapsed() > HANGS_AFTER
        })
    }

    fn give_up(&mut self, rank: usize, reason: LossReason) -> LostRank {
        let lost =
            LostRank { rank, reason, span: self.control.last_reached(rank), awaited: self.control.awaited(rank) };
        self.control.abandon();
        let start = Instant::now();
        let all_ended = |children: &mut [Child]| children.iter_mut().all(|c| matches!(c.try_wait(), Ok(Some(_))));
        while !all_ended(&mut self.children) && start.elapsed() < GRACE {
            std::thread::sleep(Duration::from_millis(2));
        }
        lost
    }
}

/// Nothing is left behind.
impl Drop for RankProcesses {
    fn drop(&mut self) {
        for child in &mut self.children {
            // One that has ended cannot be killed.
            child.kill().ok();
            child.wait().ok();
        }
    }
}
