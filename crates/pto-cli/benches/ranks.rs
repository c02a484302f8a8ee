//! Ranks as processes, compared with MPI in the same run: a sum over four ranks, and a notification that another rank waits for.
//!
//! `cargo bench -p pto-cli --bench ranks`. The program starts itself, and `pto`, with each `mpirun` that is installed
//! (`tests/install-mpi`). Times are the least of several rounds; ranks that share processors wait for each other.

#[path = "../../pto-mpi/tests/mpi/launchers.rs"]
#[allow(dead_code, reason = "tests need more of it")]
mod launchers;

use pto_mpi::{Launcher, Mpi, MpiError, MpiWindowKind};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

const ROLE: &str = "PTO_RANKS_BENCH";
/// Elements of the vectors that are summed: 64 MiB.
const ELEMENTS: usize = 16 << 20;
const RANKS: usize = 4;
const ROUNDS: usize = 5;

fn main() {
    if std::env::var(ROLE).is_ok() {
        launchers::end_after(Duration::from_secs(120));
        return measure_mpi().expect("MPI works");
    }
    let scratch = tempfile::tempdir().expect("a directory");
    let file = |name: &str, text: String| {
        let path = scratch.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path
    };
    let (sum, ball) = (file("sum.pto", sum_program()), file("ball.pto", ball_program()));
    println!("{} processors; milliseconds and microseconds, least of {ROUNDS}", processors());
    for launcher in [Launcher::Mpich, Launcher::OpenMpi] {
        let Some(installed) = launchers::find(launcher) else {
            println!("{launcher:?} is not installed (tests/install-mpi)");
            continue;
        };
        let mut ours = [f64::MAX; 4];
        let mut theirs = [f64::MAX; 2];
        for _ in 0..ROUNDS {
            let pto = |ranks: usize, file: &Path, args: &[&str]| {
                let mut launched = installed.launch(ranks);
                launched.args([env!("CARGO_BIN_EXE_pto"), "run"]);
                [time_of(own_processes(ranks), file, args), time_of(launched, file, args)]
            };
            let (once, often) = (pto(RANKS, &sum, &["reps=1"]), pto(RANKS, &sum, &["reps=5"]));
            let balls = pto(2, &ball, &["count=20000"]);
            for k in 0..2 {
                ours[k] = ours[k].min((often[k] - once[k]) / 4.0 * 1e3);
                ours[2 + k] = ours[2 + k].min(balls[k] / 40_000.0 * 1e6);
            }
            for (at, ranks) in [RANKS, 2].into_iter().enumerate() {
                let out = installed.command(ranks).env(ROLE, "1").output().expect("it was found");
                let said = String::from_utf8_lossy(&out.stdout).trim().parse().unwrap_or(f64::MAX);
                theirs[at] = theirs[at].min(said);
            }
        }
        println!("{launcher:?}");
        let [shared, launched, told, told_launched] = ours;
        let [all_reduce, put] = theirs;
        println!("  sum of 64 MiB f32 over {RANKS} ranks: --processes {shared:.1} ms, mpirun {launched:.1} ms");
        println!(
            "    MPI_Allreduce {all_reduce:.1} ms: {:.2} and {:.2} of its speed",
            all_reduce / shared,
            all_reduce / launched
        );
        println!("  notify, seen by wait: --processes {told:.2} µs, mpirun {told_launched:.2} µs");
        println!(
            "    MPI put of 4 bytes and flush {put:.2} µs: {:.1} and {:.1} times as long",
            told / put,
            told_launched / put
        );
    }
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn own_processes(ranks: usize) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pto"));
    command.args(["run", "--processes", "--ranks", &ranks.to_string()]);
    command
}

/// Seconds that a program took.
fn time_of(mut command: Command, file: &Path, args: &[&str]) -> f64 {
    let out = command.arg(file).args(args).arg("--json").env("PTO_LANG", "en").output().expect("pto starts");
    let report: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap_or_default();
    report["seconds"].as_f64().unwrap_or_else(|| panic!("{}", launchers::said(&out)))
}

/// As a rank: the time of a sum in milliseconds, or of a put in microseconds.
fn measure_mpi() -> Result<(), MpiError> {
    let mpi = Mpi::start()?;
    let mut least = f64::MAX;
    if mpi.ranks() == RANKS {
        let mut data = vec![1.0_f32; ELEMENTS];
        for _ in 0..4 {
            mpi.barrier()?;
            let start = Instant::now();
            mpi.all_reduce_f32(&mut data)?;
            mpi.barrier()?;
            least = least.min(start.elapsed().as_secs_f64() * 1e3);
        }
    } else {
        let window = mpi.window_of(MpiWindowKind::Allocated, 64)?;
        for _ in 0..5 {
            mpi.barrier()?;
            if mpi.rank() == 0 {
                let start = Instant::now();
                for _ in 0..1000 {
                    window.put(1, 0, &[1; 4])?;
                    window.flush(1)?;
                }
                least = least.min(start.elapsed().as_secs_f64() * 1e3);
            }
            mpi.barrier()?;
        }
    }
    if mpi.rank() == 0 {
        println!("{least}");
    }
    Ok(())
}

/// Parameters with the memory of all ranks.
fn parameters(names: &[(&str, &str)], ranks: usize) -> String {
    let mut text = String::new();
    for (name, ty) in names {
        write!(text, ", %{name}: !pto.ptr<{ty}>").expect("a text");
        (0..ranks).for_each(|k| write!(text, ", %{name}_at_{k}: !pto.ptr<{ty}>").expect("a text"));
    }
    text
}

/// Each rank sums a part of the vectors of all ranks and gives the result to all.
fn sum_program() -> String {
    let (part, tile) = (ELEMENTS / RANKS, 8192);
    let params = parameters(&[("x", "f32"), ("y", "f32"), ("ready", "i32"), ("done", "i32")], RANKS);
    let mut t = format!(
        "!all = !pto.tensor_view<{ELEMENTS}xf32>\n!part = !pto.partition_tensor_view<{part}xf32>\n!row = !pto.tile_buf<vec, 1x{tile}xf32>\n\
         !word = !pto.tensor_view<1xi32>\n\nfunc.func @sum(%rank: index, %reps: index{params}) attributes {{pto.entry}} {{\n\
         \x20 %zero = arith.constant 0 : index\n  %one = arith.constant 1 : index\n  %once = arith.constant 1 : i32\n  %n = arith.constant {ELEMENTS} : index\n\
         \x20 %width = arith.constant {part} : index\n  %ranks = arith.constant {RANKS} : index\n  %at = arith.muli %rank, %width : index\n"
    );
    let mut line = |text: String| t += &format!("  {text}\n");
    for name in ["x", "y"] {
        for k in 0..RANKS {
            line(format!("%{name}v{k} = pto.make_tensor_view %{name}_at_{k}, shape = [%n], strides = [%one] : !all"));
            line(format!(
                "%{name}p{k} = pto.partition_view %{name}v{k}, offsets = [%at], sizes = [%width] : !all -> !part"
            ));
        }
    }
    line("%own = pto.make_tensor_view %y, shape = [%n], strides = [%one] : !all".to_string());
    line("%sum = pto.partition_view %own, offsets = [%at], sizes = [%width] : !all -> !part".to_string());
    for name in ["ready", "done"] {
        line(format!("%{name}_here = pto.make_tensor_view %{name}, shape = [%one], strides = [%one] : !word"));
        for k in 0..RANKS {
            line(format!("%{name}{k} = pto.make_tensor_view %{name}_at_{k}, shape = [%one], strides = [%one] : !word"));
        }
    }
    line("%acc = pto.alloc_tile : !row".to_string());
    line("%recv = pto.alloc_tile : !row".to_string());
    line("scf.for %r = %zero to %reps step %one {".to_string());
    line("%next = arith.addi %r, %one : index".to_string());
    line("%arrivals = arith.muli %next, %ranks : index".to_string());
    line("%all_here = arith.index_cast %arrivals : index to i32".to_string());
    let group = |name: &str| (0..RANKS).map(|k| format!("%{name}p{k}")).collect::<Vec<_>>().join(", ");
    let parts = ["!part"; RANKS].join(", ");
    let meet = |name: &str, line: &mut dyn FnMut(String)| {
        for k in 0..RANKS {
            line(format!("pto.comm.tnotify(%{name}{k}, %once : !word, i32) {{notifyOp = #pto<notify_op atomic_add>}}"));
        }
        line(format!("pto.comm.twait(%{name}_here, %all_here : !word, i32) {{cmp = #pto<wait_cmp ge>}}"));
    };
    meet("ready", &mut line);
    line(format!(
        "pto.comm.treduce(%sum, %acc, recv(%recv), group({}) : !part, !row, !row, {parts}) {{reduceOp = #pto<reduce_op sum>, root = 0}}",
        group("x")
    ));
    line(format!("pto.comm.tbroadcast(%sum, recv(%recv), group({}) : !part, !row, {parts}) {{root = 0}}", group("y")));
    meet("done", &mut line);
    t + "  }\n  return\n}\n"
}

/// Two ranks notify each other in turn.
fn ball_program() -> String {
    let params = parameters(&[("ball", "i32")], 2);
    format!(
        "!word = !pto.tensor_view<1xi32>\n\nfunc.func @play(%rank: index, %count: index{params}) attributes {{pto.entry}} {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %once = arith.constant 1 : i32
  %own = pto.make_tensor_view %ball, shape = [%one], strides = [%one] : !word
  %left = pto.make_tensor_view %ball_at_0, shape = [%one], strides = [%one] : !word
  %right = pto.make_tensor_view %ball_at_1, shape = [%one], strides = [%one] : !word
  %serves = arith.cmpi eq, %rank, %zero : index
  scf.for %i = %zero to %count step %one {{
    %n = arith.addi %i, %one : index
    %hits = arith.index_cast %n : index to i32
    scf.if %serves {{
      pto.comm.tnotify(%right, %once : !word, i32) {{notifyOp = #pto<notify_op atomic_add>}}
      pto.comm.twait(%own, %hits : !word, i32) {{cmp = #pto<wait_cmp ge>}}
    }} else {{
      pto.comm.twait(%own, %hits : !word, i32) {{cmp = #pto<wait_cmp ge>}}
      pto.comm.tnotify(%left, %once : !word, i32) {{notifyOp = #pto<notify_op atomic_add>}}
    }}
  }}
  return
}}
"
    )
}
