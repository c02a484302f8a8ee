//! A cube core and one or two vector cores that pass tiles through pipes and send signals.
//!
//! A program is a list of actions for each side. Both come from one list of transfers, so they match; then some are changed, so that
//! many do not. A model of rings and counters, with no idea of schedules or steps, says what must happen: what comes out of a
//! pipe depends on nothing but the order of pushes.

use super::{Case, Expected, Given, bytes};
use crate::random::Random;
use pto::Target;
use std::fmt::Write;

const TILE: usize = 256;

/// A pipe. Tiles are 16x16, and vector cores have the whole or half of it.
#[derive(Clone, Copy)]
struct Pipe {
    to_vector: bool,
    slots: usize,
    /// 0: not, 1: by rows, 2: by columns.
    split: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum What {
    /// Of tile `at` of the input.
    Push {
        pipe: usize,
        at: usize,
    },
    /// To tile `at` of the output; a vector core adds one.
    Pop {
        pipe: usize,
        at: usize,
    },
    Free {
        pipe: usize,
    },
    Set {
        id: usize,
    },
    Wait {
        id: usize,
    },
}

#[derive(Clone, Copy)]
struct Action {
    what: What,
    /// Only this vector core does it.
    only: Option<usize>,
}

struct Program {
    target: Target,
    pipes: Vec<Pipe>,
    cube: Vec<Action>,
    vector: Vec<Action>,
    tiles: usize,
    vectors: usize,
}

/// A program for a seed.
pub fn make(random: &mut Random) -> Case {
    let mut program = matching(random);
    if random.once_in(2) {
        for _ in 0..1 + random.below(2) {
            disturb(&mut program, random);
        }
    }
    let inputs: Vec<f32> = (0..program.tiles * TILE).map(|i| (i % 1000) as f32).collect();
    let outputs = vec![0.0; program.tiles * TILE];
    let mut memory = vec![Given::floats(inputs.iter().copied()), Given::floats(outputs)];
    memory.push(Given::floats((0..TILE).map(|i| f32::from(u8::from(i / 16 == i % 16)))));
    memory.push(Given::words(program.pipes.len() * 8 * TILE));
    let blocks = [1, 1, 2][random.below(3)];
    Case {
        text: text(&program),
        target: program.target,
        blocks,
        ranks: vec![memory],
        expected: Model::new(&program).run(&inputs),
    }
}

/// Both sides do what the other expects, in one order.
fn matching(random: &mut Random) -> Program {
    let target = *random.pick(&[Target::A2A3, Target::A2A3, Target::A5, Target::Cpu]);
    let pipe =
        |random: &mut Random| Pipe { to_vector: random.once_in(2), slots: 1 + random.below(4), split: random.below(3) };
    let pipes: Vec<Pipe> = (0..1 + random.below(3)).map(|_| pipe(random)).collect();
    let tells_apart = random.once_in(3);
    let vectors = if tells_apart || pipes.iter().any(|p| p.split > 0) { 2 } else { 1 };
    let mut program = Program { target, pipes, cube: Vec::new(), vector: Vec::new(), tiles: 0, vectors };
    for _ in 0..2 + random.below(12) {
        if random.once_in(4) {
            exchange_signal(&mut program, random);
        } else {
            transfer(&mut program, random);
        }
    }
    program
}

fn transfer(program: &mut Program, random: &mut Random) {
    let (pipe, at) = (random.below(program.pipes.len()), program.tiles);
    program.tiles += 1;
    let (from, to) = match program.pipes[pipe].to_vector {
        true => (&mut program.cube, &mut program.vector),
        false => (&mut program.vector, &mut program.cube),
    };
    let all = |what| Action { what, only: None };
    from.push(all(What::Push { pipe, at }));
    to.extend([all(What::Pop { pipe, at }), all(What::Free { pipe })]);
}

/// On A5 every vector core has signals of its own.
fn exchange_signal(program: &mut Program, random: &mut Random) {
    let id = 8 + random.below(3);
    let to_vector = random.once_in(2);
    let all = |what| Action { what, only: None };
    let cubes: Vec<usize> = match program.target {
        Target::A5 => (0..program.vectors).map(|sub| id + 16 * sub).collect(),
        _ => vec![id],
    };
    if to_vector {
        program.cube.extend(cubes.iter().map(|id| all(What::Set { id: *id })));
        program.vector.push(all(What::Wait { id }));
    } else {
        program.vector.push(all(What::Set { id }));
        program.cube.extend(cubes.iter().map(|id| all(What::Wait { id: *id })));
    }
}

/// Removes, repeats or swaps actions, or gives one to a single vector core.
fn disturb(program: &mut Program, random: &mut Random) {
    let on_cube = random.once_in(2);
    let (tiles, vectors) = (program.tiles, program.vectors);
    let list = if on_cube { &mut program.cube } else { &mut program.vector };
    if list.is_empty() {
        return;
    }
    let (a, b) = (random.below(list.len()), random.below(list.len()));
    match random.below(4) {
        0 => drop(list.remove(a)),
        1 => {
            let mut again = list[a];
            if let What::Pop { at, .. } = &mut again.what {
                *at = tiles;
                program.tiles += 1;
            }
            list.insert(b, again);
        }
        2 => list.swap(a, b),
        _ if !on_cube && vectors == 2 => list[a].only = Some(random.below(2)),
        _ => {}
    }
}

// ---- the model --------------------------------------------------------------------------------------------------

/// Tiles in a pipe, by producer, and how far everybody is.
#[derive(Clone)]
struct Ring {
    pushed: Vec<Vec<usize>>,
    popped: Vec<usize>,
    freed: Vec<usize>,
}

struct Model<'a> {
    program: &'a Program,
    rings: Vec<Ring>,
    /// The cube core, then the vector cores: signals that wait for them, and how often they have sent one.
    signals: Vec<[i64; 32]>,
    sent: Vec<[i64; 32]>,
    /// The order of signals decides about overflow, which is not modelled.
    uncertain: bool,
    output: Vec<f32>,
}

impl<'a> Model<'a> {
    fn new(program: &'a Program) -> Self {
        let ring = |p: &Pipe| {
            let (producers, consumers) = if p.to_vector { (1, program.vectors) } else { (program.vectors, 1) };
            Ring { pushed: vec![Vec::new(); producers], popped: vec![0; consumers], freed: vec![0; consumers] }
        };
        let cores = 1 + program.vectors;
        Self {
            program,
            rings: program.pipes.iter().map(ring).collect(),
            signals: vec![[0; 32]; cores],
            sent: vec![[0; 32]; cores],
            uncertain: false,
            output: vec![0.0; program.tiles * TILE],
        }
    }

    fn run(mut self, inputs: &[f32]) -> Expected {
        let program = self.program;
        let mut next = vec![0; 1 + program.vectors];
        let list = |core: usize| if core == 0 { &program.cube } else { &program.vector };
        loop {
            let mut moved = false;
            for (core, next) in next.iter_mut().enumerate() {
                while let Some(action) = list(core).get(*next) {
                    let mine = action.only.is_none_or(|sub| core == 0 || sub == core - 1);
                    if mine && !self.step(core, action.what, inputs) {
                        break;
                    }
                    (*next, moved) = (*next + 1, true);
                }
            }
            if self.uncertain {
                return Expected::Anything;
            }
            if (0..next.len()).all(|core| next[core] == list(core).len()) {
                return Expected::Values(1, vec![bytes(&self.output)]);
            }
            if !moved {
                return Expected::Deadlock;
            }
        }
    }

    /// Does an action if it need not wait.
    fn step(&mut self, core: usize, what: What, inputs: &[f32]) -> bool {
        let side = core.saturating_sub(1);
        match what {
            What::Push { pipe, at } => {
                let (slots, ring) = (self.program.pipes[pipe].slots, &mut self.rings[pipe]);
                let freed = ring.freed.iter().min().copied().unwrap_or(0);
                let free = ring.pushed[side].len() < freed + slots;
                ring.pushed[side].extend(free.then_some(at));
                free
            }
            What::Pop { pipe, at } => self.pop(core, pipe, at, inputs),
            What::Free { pipe } => {
                // Elsewhere than on A5 a popped slot is free already.
                let ring = &mut self.rings[pipe];
                if self.program.target == Target::A5 {
                    self.uncertain |= ring.freed[side] == ring.popped[side];
                    ring.freed[side] += 1;
                }
                true
            }
            What::Set { id } => {
                self.set(core, id);
                true
            }
            What::Wait { id } => {
                let there = self.signals[core][id] > 0;
                self.signals[core][id] -= i64::from(there);
                there
            }
        }
    }

    fn pop(&mut self, core: usize, pipe: usize, at: usize, inputs: &[f32]) -> bool {
        let (side, split) = (core.saturating_sub(1), self.program.pipes[pipe].split);
        let ring = &mut self.rings[pipe];
        let count = ring.popped[side];
        let needed = if split > 0 { ring.pushed.len() } else { 1 };
        if ring.pushed[..needed].iter().any(|p| p.len() <= count) {
            return false;
        }
        ring.popped[side] += 1;
        if self.program.target != Target::A5 {
            ring.freed[side] += 1;
        }
        for i in 0..TILE {
            let half = match split {
                1 => i / 16 / 8,
                2 => i % 16 / 8,
                _ => 0,
            };
            let mine = core == 0 || split == 0 || half == side;
            if mine {
                let from = ring.pushed[half.min(ring.pushed.len() - 1)][count];
                self.output[at * TILE + i] = inputs[from * TILE + i] + if core == 0 { 0.0 } else { 1.0 };
            }
        }
        true
    }

    fn set(&mut self, core: usize, id: usize) {
        let direct = self.program.target == Target::A5;
        self.sent[core][id] += 1;
        let vectors = 1..=self.program.vectors;
        let receivers: Vec<(usize, usize)> = match (core, direct) {
            (0, true) => vec![(1 + id / 16, id % 16)],
            (0, false) => vectors.map(|v| (v, id)).collect(),
            (_, true) => vec![(0, id + 16 * (core - 1))],
            // It arrives when every vector core has sent it.
            (_, false) => {
                let all = vectors.clone().map(|v| self.sent[v][id]).min();
                if all == Some(self.sent[core][id]) && vectors.clone().all(|v| self.sent[v][id] >= self.sent[core][id])
                {
                    vec![(0, id)]
                } else {
                    Vec::new()
                }
            }
        };
        let cores = self.signals.len();
        for (receiver, id) in receivers.into_iter().filter(|(core, _)| *core < cores) {
            self.signals[receiver][id] += 1;
            self.uncertain |= self.signals[receiver][id] > 15;
        }
    }
}

// ---- text -------------------------------------------------------------------------------------------------------

const TYPES: &str = "!m = !pto.tile_buf<mat, 16x16xf32, blayout=col_major, slayout=row_major>
!r = !pto.tile_buf<right, 16x16xf32, slayout=col_major>
!a = !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>
!view = !pto.tensor_view<?x?xf32>
!w = !pto.partition_tensor_view<?x?xf32>
";

fn text(program: &Program) -> String {
    let left = match program.target {
        Target::A5 => "blayout=col_major, slayout=row_major",
        _ => "slayout=row_major",
    };
    let mut out = format!("{TYPES}!l = !pto.tile_buf<left, 16x16xf32, {left}>\nmodule {{\n");
    let pointers = "!pto.ptr<f32>, !pto.ptr<f32>, !pto.ptr<f32>, !pto.ptr<f32>";
    let params = "%x: !pto.ptr<f32>, %y: !pto.ptr<f32>, %eye: !pto.ptr<f32>, %gm: !pto.ptr<f32>";
    let calls = ["cube", "vector"].map(|f| format!("    func.call @{f}(%x, %y, %eye, %gm) : ({pointers}) -> ()\n"));
    let _ =
        writeln!(out, "  func.func @main({params}) attributes {{pto.entry}} {{\n{}    return\n  }}", calls.concat());
    for (name, actions) in [("cube", &program.cube), ("vector", &program.vector)] {
        let _ = writeln!(
            out,
            "  func.func private @{name}({params}) attributes {{pto.kernel_kind = #pto.kernel_kind<{name}>}} {{\n{}",
            prologue(program, name == "cube")
        );
        for (n, action) in actions.iter().enumerate() {
            out += &guarded(action, &statement(program, action.what, name == "cube", n), n);
        }
        out += "    return\n  }\n";
    }
    out + "}\n"
}

fn prologue(program: &Program, on_cube: bool) -> String {
    let mut out = String::from("    %none = arith.constant 0 : i32\n");
    for n in [0, 1, 8, 16] {
        let _ = writeln!(out, "    %c{n} = arith.constant {n} : index");
    }
    let _ = writeln!(out, "    %rows = arith.constant {} : index", 16 * program.tiles);
    for (id, pipe) in program.pipes.iter().enumerate() {
        out += &open(id, pipe, program.target, on_cube);
    }
    for (view, of, rows) in [("xs", "x", "rows"), ("ys", "y", "rows"), ("es", "eye", "c16")] {
        let _ = writeln!(
            out,
            "    %{view} = pto.make_tensor_view %{of}, shape = [%{rows}, %c16], strides = [%c16, %c1] : !view"
        );
    }
    if on_cube {
        out += "    %e = pto.partition_view %es, offsets = [%c0, %c0], sizes = [%c16, %c16] : !view -> !w
    %em = pto.alloc_tile : !m
    %er = pto.alloc_tile : !r
    pto.tload ins(%e : !w) outs(%em : !m)
    pto.tmov ins(%em : !m) outs(%er : !r)\n";
    } else if program.vectors == 2 {
        out += "    %sub64 = pto.get_subblock_idx
    %sub = arith.index_cast %sub64 : i64 to index
    %half = arith.muli %sub, %c8 : index\n";
    }
    out
}

fn open(id: usize, pipe: &Pipe, target: Target, on_cube: bool) -> String {
    let (core, peer, consumer) =
        if on_cube { ("aic", "vector", !pipe.to_vector) } else { ("aiv", "cube", pipe.to_vector) };
    let (space, mask) = if pipe.to_vector { ("vec", 1) } else { ("mat", 2) };
    let ring = match consumer {
        true => format!(
            "pto.reserve_buffer {{name = \"p{id}\", size = {}, location = #pto.address_space<{space}>, auto = true}}",
            1024 * pipe.slots
        ),
        false => format!("pto.import_reserved_buffer {{name = \"p{id}\", peer_func = @{peer}}}"),
    };
    let (c2v, v2c) =
        if pipe.to_vector { (format!("%ring{id}"), "%none".into()) } else { ("%none".into(), format!("%ring{id}")) };
    let gm = if target == Target::A5 { "" } else { "gm_slot_buffer = %gm : !pto.ptr<f32>, " };
    format!(
        "    %ring{id} = {ring} -> i32
    pto.{core}_initialize_pipe {{id = {id}, dir_mask = {mask}, slot_size = 1024, slot_num = {}}} ({gm}c2v_consumer_buf = {c2v} : i32, v2c_consumer_buf = {v2c} : i32)\n",
        pipe.slots
    )
}

/// A vector core's part of a tile: type, rows, columns, and where it starts.
fn share(split: usize, n: usize) -> (String, &'static str, &'static str, String, &'static str) {
    let (rows, cols) = (if split == 1 { "c8" } else { "c16" }, if split == 2 { "c8" } else { "c16" });
    let ty = format!("!pto.tile_buf<vec, {}x{}xf32>", &rows[1..], &cols[1..]);
    let first = match split {
        1 => format!("    %first{n} = arith.addi %at{n}, %half : index\n"),
        _ => format!("    %first{n} = arith.addi %at{n}, %c0 : index\n"),
    };
    (ty, rows, cols, first, if split == 2 { "half" } else { "c0" })
}

fn statement(program: &Program, what: What, on_cube: bool, n: usize) -> String {
    let place = |at: usize| format!("    %at{n} = arith.constant {} : index\n", 16 * at);
    match what {
        What::Set { id } => format!("    pto.sync.set <{}>, {id}\n", if on_cube { "PIPE_FIX" } else { "PIPE_MTE3" }),
        What::Wait { id } => format!("    pto.sync.wait <{}>, {id}\n", "PIPE_MTE2"),
        What::Free { pipe } => {
            let from = if on_cube { "aiv" } else { "aic" };
            format!("    pto.tfree_from_{from} {{id = {pipe}, split = {}}}\n", program.pipes[pipe].split)
        }
        What::Push { pipe, at } if on_cube => {
            place(at)
                + &format!(
                    "    %w{n} = pto.partition_view %xs, offsets = [%at{n}, %c0], sizes = [%c16, %c16] : !view -> !w
    %m{n} = pto.alloc_tile : !m
    pto.tload ins(%w{n} : !w) outs(%m{n} : !m)
{}    pto.tpush_to_aiv(%a{n} : !a) {{id = {pipe}, split = {}}}\n",
                    product(n),
                    program.pipes[pipe].split
                )
        }
        What::Pop { pipe, at } if on_cube => {
            place(at)
                + &format!(
                    "    %m{n} = pto.tpop_from_aiv {{id = {pipe}, split = {}}} -> !m
{}    %w{n} = pto.partition_view %ys, offsets = [%at{n}, %c0], sizes = [%c16, %c16] : !view -> !w
    pto.tstore ins(%a{n} : !a) outs(%w{n} : !w)\n",
                    program.pipes[pipe].split,
                    product(n)
                )
        }
        What::Push { pipe, at } => {
            let split = program.pipes[pipe].split;
            let (ty, rows, cols, first, column) = share(split, n);
            format!(
                "{}{first}    %w{n} = pto.partition_view %xs, offsets = [%first{n}, %{column}], sizes = [%{rows}, %{cols}] : !view -> !w
    %t{n} = pto.alloc_tile : {ty}
    pto.tload ins(%w{n} : !w) outs(%t{n} : {ty})
    pto.tpush_to_aic(%t{n} : {ty}) {{id = {pipe}, split = {split}}}\n",
                place(at)
            )
        }
        What::Pop { pipe, at } => {
            let split = program.pipes[pipe].split;
            let (ty, rows, cols, first, column) = share(split, n);
            format!(
                "{}{first}    %p{n} = pto.tpop_from_aic {{id = {pipe}, split = {split}}} -> {ty}
    %one{n} = arith.constant 1.0 : f32
    %t{n} = pto.alloc_tile : {ty}
    pto.tadds ins(%p{n}, %one{n} : {ty}, f32) outs(%t{n} : {ty})
    %w{n} = pto.partition_view %ys, offsets = [%first{n}, %{column}], sizes = [%{rows}, %{cols}] : !view -> !w
    pto.tstore ins(%t{n} : {ty}) outs(%w{n} : !w)\n",
                place(at)
            )
        }
    }
}

/// The accumulator that holds what lies in L1: times one.
fn product(n: usize) -> String {
    format!(
        "    %l{n} = pto.alloc_tile : !l
    %a{n} = pto.alloc_tile : !a
    pto.tmov ins(%m{n} : !m) outs(%l{n} : !l)
    pto.tmatmul ins(%l{n}, %er : !l, !r) outs(%a{n} : !a)\n"
    )
}

fn guarded(action: &Action, statement: &str, n: usize) -> String {
    match action.only {
        Some(sub) => format!(
            "    %number{n} = arith.constant {sub} : index
    %mine{n} = arith.cmpi eq, %sub, %number{n} : index
    scf.if %mine{n} {{\n{statement}    }}\n"
        ),
        None => statement.to_string(),
    }
}
