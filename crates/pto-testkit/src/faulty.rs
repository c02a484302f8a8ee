//! Long programs with one fault each, for tools that make them smaller. The same program every time.

use crate::random::Random;
use pto::{Program, Target};

/// A program with a fault.
pub struct FaultyProgram {
    pub name: &'static str,
    pub text: String,
    /// The condition, as arguments of `pto reduce`.
    pub condition: Vec<String>,
}

impl FaultyProgram {
    fn new(name: &'static str, text: String, condition: &[&str]) -> Self {
        Self { name, text, condition: condition.iter().map(|c| (*c).to_string()).collect() }
    }
}

/// Ten programs of 200 to 2000 lines.
pub fn all() -> Vec<FaultyProgram> {
    let keeps = |name, text, code| FaultyProgram::new(name, text, &["--keeps", code]);
    vec![
        keeps("a load without its flag", without(&lowered(1, 13), "<PIPE_MTE2>, <PIPE_V>", true), "PTO-R0001"),
        keeps("a store without its flag", without(&lowered(2, 14), "<PIPE_V>, <PIPE_MTE3>", true), "PTO-E0801"),
        keeps("a wait without its flag", without(&lowered(3, 40), "<PIPE_V>, <PIPE_MTE3>", false), "PTO-E0806"),
        keeps("a tile of another type", wrong_type(4, 210), "PTO-E0215"),
        keeps("a value of another type", wrong_call(5, 24), "PTO-E0304"),
        keeps("a division by zero", division(6, 60), "PTO-E0704"),
        keeps("a window outside its view", outside(7, 60), "PTO-E0705"),
        keeps("a logarithm of a negative number", logarithm(8, 50), "nan"),
        FaultyProgram::new(
            "a tile that nothing wrote",
            unwritten(9, 30),
            &["--keeps", "diff", "--against", "uninitialised"],
        ),
        FaultyProgram::new("a word in the text", word(10, 60), &["--while", "grep -q tsqrt {}"]),
    ]
}

const HEAD: &str = "\
!t = !pto.tile_buf<vec, 8x64xf32>
!v = !pto.tensor_view<512x64xf32>
!p = !pto.partition_tensor_view<8x64xf32>
";

/// The start of a kernel: views of two arrays, tiles, numbers.
const START: &str = "\
func.func @kernel(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) attributes {pto.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %f = arith.constant 0.5 : f32
  %xs = pto.make_tensor_view %x, shape = [%c512, %c64], strides = [%c64, %c1] : !v
  %ys = pto.make_tensor_view %y, shape = [%c512, %c64], strides = [%c64, %c1] : !v
  %a = pto.alloc_tile : !t
  %b = pto.alloc_tile : !t
";
const END: &str = "  return\n}\n";

/// Computes on eight rows of the arrays, some of them in a loop.
fn stage(random: &mut Random, number: usize) -> String {
    let row = number * 8 % 512;
    let part = |name: &str, of: &str, row: &str| {
        format!(
            "  %{name}{number} = pto.partition_view %{of}, offsets = [{row}, %c0], sizes = [%c8, %c64] : !v -> !p\n"
        )
    };
    let in_loop = random.chance(30);
    let at = format!("%r{number}");
    let mut text = format!("  {at} = arith.constant {row} : index\n");
    if in_loop {
        text += &format!("  scf.for %i{number} = %c0 to %c64 step %c8 {{\n");
    }
    let at = if in_loop { format!("%i{number}") } else { at };
    text += &part("from", "xs", &at);
    text += &part("to", "ys", &at);
    text += &format!("  pto.tload ins(%from{number} : !p) outs(%a : !t)\n");
    for _ in 0..1 + random.below(4) {
        text += *random.pick(&[
            "  pto.tadd ins(%a, %a : !t, !t) outs(%b : !t)\n  pto.tmul ins(%b, %a : !t, !t) outs(%b : !t)\n",
            "  pto.tmuls ins(%a, %f : !t, f32) outs(%b : !t)\n",
            "  pto.tabs ins(%a : !t) outs(%a : !t)\n  pto.tadds ins(%a, %f : !t, f32) outs(%b : !t)\n",
            "  pto.texp ins(%a : !t) outs(%b : !t)\n",
        ]);
    }
    text += &format!("  pto.tstore ins(%b : !t) outs(%to{number} : !p)\n");
    if in_loop { text + "  }\n" } else { text }
}

fn stages(seed: u64, count: usize) -> Vec<String> {
    let mut random = Random(seed);
    (0..count).map(|number| stage(&mut random, number)).collect()
}

fn kernel(stages: &[String]) -> String {
    format!("{HEAD}{START}{}{END}", stages.concat())
}

/// A correct kernel with addresses and flags.
fn lowered(seed: u64, count: usize) -> String {
    let program = Program::parse(&kernel(&stages(seed, count)));
    program.lower(Target::A2A3).expect("a legal kernel").to_text(None)
}

/// Leaves out the flag in the middle of those between two pipes, and its wait if that goes too.
fn without(text: &str, pipes: &str, wait: bool) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let sets: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].contains(&format!("set_flag[{pipes}"))).collect();
    let set = sets[sets.len() / 2];
    let waits = lines[set].replace("set_flag", "wait_flag");
    let wait = (set..lines.len()).find(|at| wait && lines[*at].trim() == waits.trim());
    let kept = lines.iter().enumerate().filter(|(at, _)| *at != set && Some(*at) != wait);
    kept.map(|(_, line)| format!("{line}\n")).collect()
}

/// A kernel with a line in the middle.
fn with_line(seed: u64, count: usize, line: &str) -> String {
    let mut all = stages(seed, count);
    all.insert(count / 2, line.to_string());
    kernel(&all)
}

fn wrong_type(seed: u64, count: usize) -> String {
    let line = "  %other = pto.alloc_tile : !pto.tile_buf<vec, 8x64xf16>\n  pto.tadd ins(%a, %other : !t, !pto.tile_buf<vec, 8x64xf16>) outs(%b : !t)\n";
    with_line(seed, count, line)
}

/// Functions that call each other; one call has too few operands.
fn wrong_call(seed: u64, count: usize) -> String {
    let mut random = Random(seed);
    let mut text = HEAD.to_string();
    for number in 0..count {
        text += &format!("func.func @f{number}(%a: !t, %b: !t, %f: f32) {{\n");
        for _ in 0..4 + random.below(6) {
            text += *random.pick(&[
                "  pto.tadd ins(%a, %a : !t, !t) outs(%b : !t)\n",
                "  pto.tmuls ins(%b, %f : !t, f32) outs(%a : !t)\n",
            ]);
        }
        if number == count / 2 {
            text += "  func.call @f0(%a, %b) : (!t, !t) -> ()\n";
        } else if number > 0 {
            text += &format!("  func.call @f{}(%a, %b, %f) : (!t, !t, f32) -> ()\n", number - 1);
        }
        text += "  return\n}\n";
    }
    text + START + &format!("  func.call @f{}(%a, %b, %f) : (!t, !t, f32) -> ()\n", count - 1) + END
}

/// Scalar code in nested loops; a divisor becomes zero in the third iteration of one of them.
fn division(seed: u64, count: usize) -> String {
    let mut random = Random(seed);
    let mut text = format!("{HEAD}{START}  %c2 = arith.constant 2 : index\n");
    for n in 0..count {
        text += &format!(
            "  %sum{n} = scf.for %i{n} = %c0 to %c8 step %c1 iter_args(%s{n} = %c{}) -> (index) {{\n",
            random.below(2)
        );
        text += &format!("    %p{n} = arith.muli %i{n}, %c8 : index\n    %q{n} = arith.addi %p{n}, %s{n} : index\n");
        if n == count / 2 {
            text +=
                &format!("    %d{n} = arith.subi %i{n}, %c2 : index\n    %z{n} = arith.divsi %q{n}, %d{n} : index\n");
        } else {
            text +=
                &format!("    %d{n} = arith.addi %i{n}, %c2 : index\n    %z{n} = arith.divsi %q{n}, %d{n} : index\n");
        }
        text += &format!("    scf.yield %z{n} : index\n  }}\n");
    }
    text + END
}

/// A loop that takes one step too many.
fn outside(seed: u64, count: usize) -> String {
    let line = "  %far = arith.constant 520 : index
  scf.for %row = %c0 to %far step %c8 {
    %part = pto.partition_view %xs, offsets = [%row, %c0], sizes = [%c8, %c64] : !v -> !p
    pto.tload ins(%part : !p) outs(%a : !t)
    pto.tstore ins(%a : !t) outs(%part : !p)
  }\n";
    with_line(seed, count, line)
}

/// Tile values, in pairs that are stored; one pair has a logarithm of something negative.
fn logarithm(seed: u64, count: usize) -> String {
    let mut random = Random(seed);
    let mut text = format!("{}{START}", HEAD.replace("tile_buf", "tile"));
    text = text.replace("  %a = pto.alloc_tile : !t\n  %b = pto.alloc_tile : !t\n", "");
    for n in 0..count {
        let row = n * 8 % 512;
        text += &format!("  %r{n} = arith.constant {row} : index\n");
        for (name, of) in [("from", "xs"), ("to", "ys")] {
            text += &format!(
                "  %{name}{n} = pto.partition_view %{of}, offsets = [%r{n}, %c0], sizes = [%c8, %c64] : !v -> !p\n"
            );
        }
        text += &format!("  %a{n}_0 = pto.tload %from{n} : !p -> !t\n  %a{n}_1 = pto.tabs %a{n}_0 : !t -> !t\n");
        let last = 2 + random.below(5);
        for k in 2..=last {
            let before = k - 1;
            text += &match random.below(3) {
                0 => format!("  %a{n}_{k} = pto.tadd %a{n}_{before}, %a{n}_1 : (!t, !t) -> !t\n"),
                1 => format!("  %a{n}_{k} = pto.tmuls %a{n}_{before}, %f : (!t, f32) -> !t\n"),
                _ => format!("  %a{n}_{k} = pto.tsqrt %a{n}_{before} : !t -> !t\n"),
            };
        }
        let end = last + 1;
        if n == count / 2 {
            text += &format!("  %n{n} = pto.tneg %a{n}_{last} : !t -> !t\n  %a{n}_{end} = pto.tlog %n{n} : !t -> !t\n");
        } else {
            text += &format!("  %a{n}_{end} = pto.tadds %a{n}_{last}, %f : (!t, f32) -> !t\n");
        }
        text += &format!("  pto.tstore ins(%a{n}_{end} : !t) outs(%to{n} : !p)\n");
    }
    text + END
}

fn unwritten(seed: u64, count: usize) -> String {
    let line = "  %never = pto.alloc_tile : !t
  %last = arith.constant 504 : index
  %part = pto.partition_view %ys, offsets = [%last, %c0], sizes = [%c8, %c64] : !v -> !p
  pto.tadd ins(%a, %never : !t, !t) outs(%b : !t)
  pto.tstore ins(%b : !t) outs(%part : !p)\n";
    with_line(seed, count, line)
}

fn word(seed: u64, count: usize) -> String {
    with_line(seed, count, "  pto.tsqrt ins(%a : !t) outs(%b : !t)\n")
}
