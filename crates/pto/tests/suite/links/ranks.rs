//! Ranks that take turns: every step waits for the one before it, on whichever rank that was, so the result is that of the steps one after the other.

use super::{Case, Expected, Given, bytes};
use pto::Target;
use pto_testkit::random::Random;
use std::fmt::Write;

const CELL: usize = 64;
const CELLS: usize = 3;

#[derive(Clone, Copy)]
enum Work {
    /// Adds to a cell.
    Add { cell: usize, what: usize },
    /// Copies a cell to a cell of a rank.
    Put { from: usize, to: usize, rank: usize },
    /// Copies a cell of a rank.
    Get { from: usize, to: usize, rank: usize },
    /// The sum of a cell of all ranks.
    Reduce { from: usize, to: usize },
    /// A cell to all ranks.
    Broadcast { from: usize, to: usize },
}

struct Step {
    rank: usize,
    work: Work,
    /// Tells the rank of the next step.
    tells: bool,
    /// What is added to the number of calls it waits for.
    excess: i32,
    wait: &'static str,
}

/// A program for a seed.
pub fn make(random: &mut Random) -> Case {
    let ranks = 2 + random.below(3);
    let mut steps: Vec<Step> = (0..2 + random.below(10)).map(|_| step(random, ranks)).collect();
    let mut data: Vec<Vec<f32>> =
        (0..ranks).map(|r| (0..CELLS * CELL).map(|i| (100 * r + i % 37) as f32).collect()).collect();
    let args = arguments(&data);
    let spoiled = random.once_in(3) && spoil(&mut steps, random);
    steps.iter().for_each(|s| apply(s, &mut data));
    Case {
        text: text(&steps, ranks),
        target: *random.pick(&[Target::A2A3, Target::A5]),
        blocks: 1,
        ranks: args,
        expected: match spoiled {
            true => Expected::Deadlock,
            false => Expected::Values(1, data.iter().map(|d| bytes(d)).collect()),
        },
    }
}

fn step(random: &mut Random, ranks: usize) -> Step {
    let (from, to, rank) = (random.below(CELLS), random.below(CELLS), random.below(ranks));
    let work = match random.below(6) {
        0 => Work::Put { from, to, rank },
        1 => Work::Get { from, to, rank },
        2 => Work::Reduce { from, to: (from + 1) % CELLS },
        3 => Work::Broadcast { from, to: (from + 1) % CELLS },
        _ => Work::Add { cell: to, what: 1 + from },
    };
    let wait = *random.pick(&["ge", "eq", "gt", "poll"]);
    Step { rank: random.below(ranks), work, tells: true, excess: 0, wait }
}

/// One call too few: nobody comes past the step that waits for it.
fn spoil(steps: &mut [Step], random: &mut Random) -> bool {
    let calls: Vec<usize> = (1..steps.len()).filter(|k| steps[k - 1].rank != steps[*k].rank).collect();
    if calls.is_empty() {
        return false;
    }
    let at = *random.pick(&calls);
    if random.once_in(2) {
        steps[at - 1].tells = false;
    } else {
        steps[at].excess = 1 + random.below(5) as i32;
    }
    true
}

fn apply(step: &Step, data: &mut [Vec<f32>]) {
    let range = |cell: usize| cell * CELL..(cell + 1) * CELL;
    let copy = |data: &mut [Vec<f32>], (a, from): (usize, usize), (b, to): (usize, usize)| {
        let part = data[a][range(from)].to_vec();
        data[b][range(to)].copy_from_slice(&part);
    };
    match step.work {
        Work::Add { cell, what } => data[step.rank][range(cell)].iter_mut().for_each(|x| *x += what as f32),
        Work::Put { from, to, rank } => copy(data, (step.rank, from), (rank, to)),
        Work::Get { from, to, rank } => copy(data, (rank, from), (step.rank, to)),
        Work::Broadcast { from, to } => (0..data.len()).for_each(|rank| copy(data, (step.rank, from), (rank, to))),
        Work::Reduce { from, to } => {
            for i in 0..CELL {
                let sum = data.iter().skip(1).fold(data[0][from * CELL + i], |sum, d| sum + d[from * CELL + i]);
                data[step.rank][to * CELL + i] = sum;
            }
        }
    }
}

/// rank, data, calls; then the data and the calls of every rank.
fn arguments(data: &[Vec<f32>]) -> Vec<Vec<Given>> {
    let ranks = data.len();
    let of = |rank: usize| {
        let mut args = vec![Given::Int(rank as i64), Given::floats(data[rank].iter().copied()), Given::words(1)];
        args.extend((0..ranks).map(|rank| Given::Remote { rank, param: 1 }));
        args.extend((0..ranks).map(|rank| Given::Remote { rank, param: 2 }));
        args
    };
    (0..ranks).map(of).collect()
}

// ---- text -------------------------------------------------------------------------------------------------------

const TYPES: &str = "!all = !pto.tensor_view<192xf32>
!cell = !pto.partition_tensor_view<64xf32>
!word = !pto.tensor_view<1xi32>
!row = !pto.tile_buf<vec, 1x64xf32>
";

fn text(steps: &[Step], ranks: usize) -> String {
    let list =
        |name: &str, ty: &str| (0..ranks).map(|r| format!(", %{name}_at_{r}: !pto.ptr<{ty}>")).collect::<String>();
    let mut out = format!(
        "{TYPES}func.func @main(%rank: index, %data: !pto.ptr<f32>, %calls: !pto.ptr<i32>{}{}) attributes {{pto.entry}} {{\n",
        list("data", "f32"),
        list("calls", "i32")
    );
    for n in [1, 64, 192] {
        let _ = writeln!(out, "  %c{n} = arith.constant {n} : index");
    }
    for k in 0..CELLS {
        let _ = writeln!(out, "  %cell{k} = arith.constant {} : index", k * CELL);
    }
    out += "  %one = arith.constant 1 : i32\n  %tile = pto.alloc_tile : !row\n  %acc = pto.alloc_tile : !row\n";
    out += "  %all = pto.make_tensor_view %data, shape = [%c192], strides = [%c1] : !all\n";
    out += "  %told = pto.make_tensor_view %calls, shape = [%c1], strides = [%c1] : !word\n";
    for r in 0..ranks {
        let _ = writeln!(out, "  %all{r} = pto.make_tensor_view %data_at_{r}, shape = [%c192], strides = [%c1] : !all");
        let _ =
            writeln!(out, "  %call{r} = pto.make_tensor_view %calls_at_{r}, shape = [%c1], strides = [%c1] : !word");
    }
    let mut calls = vec![0; ranks];
    for (n, step) in steps.iter().enumerate() {
        let _ = writeln!(out, "  %r{n} = arith.constant {} : index", step.rank);
        let _ = writeln!(out, "  %turn{n} = arith.cmpi eq, %rank, %r{n} : index\n  scf.if %turn{n} {{");
        if n > 0 && steps[n - 1].rank != step.rank {
            calls[step.rank] += 1;
            out += &wait(step.wait, calls[step.rank] + step.excess, n);
        }
        out += &work(step.work, ranks, n);
        if let Some(next) = steps.get(n + 1).filter(|next| step.tells && next.rank != step.rank) {
            let r = next.rank;
            let _ = writeln!(
                out,
                "    pto.comm.tnotify(%call{r}, %one : !word, i32) {{notifyOp = #pto<notify_op atomic_add>}}"
            );
        }
        out += "  }\n";
    }
    out + "  return\n}\n"
}

fn wait(how: &str, count: i32, n: usize) -> String {
    let (count, how) = if how == "gt" { (count - 1, how) } else { (count, how) };
    let number = format!("    %count{n} = arith.constant {count} : i32\n");
    let wait = match how {
        "poll" => format!(
            "    %first{n} = arith.constant true
    %end{n} = scf.while (%go{n} = %first{n}) : (i1) -> (i1) {{
      scf.condition(%go{n}) %go{n} : i1
    }} do {{
    ^bb0(%again{n}: i1):
      %there{n} = pto.comm.ttest(%told, %count{n} : !word, i32) {{cmp = #pto<wait_cmp ge>}} -> i1
      %not{n} = arith.xori %there{n}, %first{n} : i1
      scf.yield %not{n} : i1
    }}\n"
        ),
        cmp => format!("    pto.comm.twait(%told, %count{n} : !word, i32) {{cmp = #pto<wait_cmp {cmp}>}}\n"),
    };
    number + &wait
}

/// Windows of cells, and what is done with them.
fn work(work: Work, ranks: usize, n: usize) -> String {
    let window = |name: &str, of: &str, cell: usize| {
        format!(
            "    %{name}{n} = pto.partition_view %all{of}, offsets = [%cell{cell}], sizes = [%c64] : !all -> !cell\n"
        )
    };
    let windows = |cell: usize| (0..ranks).map(|r| window(&format!("w{r}_"), &r.to_string(), cell)).collect::<String>();
    let group = (0..ranks).map(|r| format!("%w{r}_{n}")).collect::<Vec<_>>().join(", ");
    let types = vec!["!cell"; ranks].join(", ");
    match work {
        Work::Add { cell, what } => {
            window("w", "", cell)
                + &format!(
                    "    %what{n} = arith.constant {what}.0 : f32
    pto.tload ins(%w{n} : !cell) outs(%tile : !row)
    pto.tadds ins(%tile, %what{n} : !row, f32) outs(%tile : !row)
    pto.tstore ins(%tile : !row) outs(%w{n} : !cell)\n"
                )
        }
        Work::Put { from, to, rank } => {
            window("own", "", from)
                + &window("w", &rank.to_string(), to)
                + &format!("    pto.comm.tput(%w{n}, %own{n}, buf(%tile) : !cell, !cell, !row)\n")
        }
        Work::Get { from, to, rank } => {
            window("own", "", to)
                + &window("w", &rank.to_string(), from)
                + &format!("    pto.comm.tget(%own{n}, %w{n}, buf(%tile) : !cell, !cell, !row)\n")
        }
        Work::Reduce { from, to } => {
            window("own", "", to)
                + &windows(from)
                + &format!(
                    "    pto.comm.treduce(%own{n}, %acc, recv(%tile), group({group}) : !cell, !row, !row, {types}) {{reduceOp = #pto<reduce_op sum>, root = 0}}\n"
                )
        }
        Work::Broadcast { from, to } => {
            window("own", "", from)
                + &windows(to)
                + &format!(
                    "    pto.comm.tbroadcast(%own{n}, recv(%tile), group({group}) : !cell, !row, {types}) {{root = 0}}\n"
                )
        }
    }
}
