//! A cube core and one or two vector cores that pass tiles through pipes and send signals.
//!
//! A program is a list of actions for each side. Both come from one list of transfers, so they match; then some are changed, so that
//! many do not. A model of rings and counters, with no idea of schedules or steps, says what must happen: what comes out of a
//! pipe depends on nothing but the order of pushes.

use super::pipes_text::text;
use super::{Case, Expected, Given, bytes};
use pto::Target;
use pto_testkit::random::Random;

/// Elements of a tile.
pub const TILE: usize = 256;

/// A pipe. Tiles are 16x16, and vector cores have the whole or half of it.
#[derive(Clone, Copy)]
pub struct Pipe {
    pub to_vector: bool,
    pub slots: usize,
    /// 0: not, 1: by rows, 2: by columns.
    pub split: usize,
    /// Entries are windows of global memory; a pop also gives its entry back.
    pub global: bool,
}

#[derive(Clone, Copy, PartialEq)]
pub enum What {
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
pub struct Action {
    pub what: What,
    /// Only this vector core does it.
    pub only: Option<usize>,
}

pub struct Program {
    pub target: Target,
    pub pipes: Vec<Pipe>,
    pub cube: Vec<Action>,
    pub vector: Vec<Action>,
    pub tiles: usize,
    pub vectors: usize,
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
    // Blocks would share slots in global memory.
    let apart = program.pipes.iter().all(|p| !p.global);
    let blocks = if apart && random.once_in(3) { 2 } else { 1 };
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
    let pipe = |random: &mut Random| {
        let (slots, split) = (1 + random.below(4), random.below(3));
        match random.below(5) {
            0 => Pipe { to_vector: true, slots, split: 0, global: true },
            n => Pipe { to_vector: n > 2, slots, split, global: false },
        }
    };
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
    to.push(all(What::Pop { pipe, at }));
    to.extend((!program.pipes[pipe].global).then_some(all(What::Free { pipe })));
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
        if self.program.target != Target::A5 || self.program.pipes[pipe].global {
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
