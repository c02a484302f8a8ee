//! Ranks that end, hang or do not fit together.

use super::{pto, root};
use pto_testkit::commands::english;
use pto_testkit::random::Random;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// Two ranks that tell each other something, very often.
const PING_PONG: &str = "!word = !pto.tensor_view<1xi32>

func.func @k(%rank: index, %ball: !pto.ptr<i32>, %ball_at_0: !pto.ptr<i32>, %ball_at_1: !pto.ptr<i32>) attributes {pto.entry} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %many = arith.constant 100000000 : index
  %once = arith.constant 1 : i32
  %own = pto.make_tensor_view %ball, shape = [%one], strides = [%one] : !word
  %left = pto.make_tensor_view %ball_at_0, shape = [%one], strides = [%one] : !word
  %right = pto.make_tensor_view %ball_at_1, shape = [%one], strides = [%one] : !word
  scf.for %i = %zero to %many step %one {
    %n = arith.addi %i, %one : index
    %count = arith.index_cast %n : index to i32
    pto.comm.tnotify(%left, %once : !word, i32) {notifyOp = #pto<notify_op atomic_add>}
    pto.comm.tnotify(%right, %once : !word, i32) {notifyOp = #pto<notify_op atomic_add>}
    pto.comm.twait(%own, %count : !word, i32) {cmp = #pto<wait_cmp ge>}
  }
  return
}
";

struct Started {
    child: Child,
    _scratch: tempfile::TempDir,
}

fn ping_pong() -> Started {
    let scratch = tempfile::tempdir().expect("a directory");
    let file = scratch.path().join("k.pto");
    std::fs::write(&file, PING_PONG).expect("a file");
    let mut command = english(env!("CARGO_BIN_EXE_pto"));
    command.arg("run").arg(file).args(["--ranks", "2", "--processes", "ball=zeros"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("pto starts");
    Started { child, _scratch: scratch }
}

/// The processes that a process has started.
fn children(of: u32) -> Vec<u32> {
    let list = std::fs::read_to_string(format!("/proc/{of}/task/{of}/children")).unwrap_or_default();
    list.split_whitespace().filter_map(|n| n.parse().ok()).collect()
}

fn both_ranks(of: u32) -> Vec<u32> {
    let start = Instant::now();
    loop {
        let ranks = children(of);
        if ranks.len() == 2 {
            return ranks;
        }
        assert!(start.elapsed() < Duration::from_secs(20), "no ranks");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn is_gone(process: u32) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    state.is_empty() || state.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z'))
}

fn gone_within(processes: &[u32], limit: Duration) -> bool {
    let start = Instant::now();
    while !processes.iter().all(|p| is_gone(*p)) {
        if start.elapsed() > limit {
            return false;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    true
}

fn kill(process: u32, signal: &str) {
    let sent = std::process::Command::new("kill").args([signal, &process.to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()));
}

/// `RANK_KILLS` raises the number.
#[test]
fn a_killed_rank_is_named() {
    let kills = std::env::var("RANK_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(6);
    let mut random = Random(kills);
    for kill_number in 0..kills {
        let started = ping_pong();
        let ranks = both_ranks(started.child.id());
        std::thread::sleep(Duration::from_micros(random.next() % 60_000));
        let victim = (random.next() % 2) as usize;
        kill(ranks[victim], "-9");
        let start = Instant::now();
        let output = started.child.wait_with_output().expect("it ends");
        assert!(start.elapsed() < Duration::from_secs(5), "kill {kill_number} took {:?}", start.elapsed());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        let named = format!("error[PTO-E0719]: rank {victim} was ended by signal 9");
        assert!(said.contains(&named), "{said}");
        assert!(gone_within(&ranks, Duration::from_secs(5)), "processes are left");
    }
}

#[test]
fn ranks_end_with_the_process_that_started_them() {
    for signal in ["-9", "-TERM", "-INT"] {
        // What runs in the background of a script ignores it, and so do its children.
        if signal == "-INT" && ignores_interrupts() {
            continue;
        }
        let mut started = ping_pong();
        let ranks = both_ranks(started.child.id());
        std::thread::sleep(Duration::from_millis(50));
        kill(started.child.id(), signal);
        started.child.wait().expect("it ends");
        assert!(gone_within(&ranks, Duration::from_secs(5)), "{signal}: processes are left");
    }
}

fn ignores_interrupts() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 2 != 0)
}

fn program(name: &str) -> PathBuf {
    root().join("tests/race").join(name)
}

/// As with `pto run … | head -0`.
#[test]
fn a_report_that_is_not_read_ends_the_ranks() {
    let mut command = english(env!("CARGO_BIN_EXE_pto"));
    command.arg("run").arg(root().join("examples/all_reduce.pto")).args(["--ranks", "4", "--processes"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("pto starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), &*String::from_utf8_lossy(&output.stderr)), (Some(0), ""));
}

#[test]
fn a_deadlock_between_processes_is_found() {
    let file = program("rank_waits_before_it_tells.pto");
    let output = pto(&[file.to_str().expect("a name"), "--ranks", "2", "--processes"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("PTO-E0712") && said.contains("on rank 0 waits") && said.contains("on rank 1 waits"),
        "{said}"
    );
}

#[test]
fn what_a_rank_cannot_read_is_named_with_the_rank() {
    let file = root().join("tests/cli/run_ranks.pto");
    let output = pto(&[file.to_str().expect("a name"), "--ranks", "3", "x@2=/nowhere/x.npy", "--processes"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("rank 2:") && said.contains("/nowhere/x.npy"), "{said}");
}
