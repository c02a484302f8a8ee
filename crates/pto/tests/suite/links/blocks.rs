//! Blocks that meet: between two barriers each writes a number made from one that another block wrote before.

use super::{Case, Expected, Given};
use pto::Target;
use pto_testkit::random::Random;
use std::fmt::Write;

/// A program for a seed.
pub fn make(random: &mut Random) -> Case {
    let blocks = 1 + random.below(6);
    let phases: Vec<(usize, i32)> =
        (0..1 + random.below(6)).map(|_| (random.below(blocks), 1 + random.below(9) as i32)).collect();
    // A block that leaves out a barrier is missed by all others.
    let missing = (blocks > 1 && random.once_in(3)).then(|| (random.below(phases.len()), random.below(blocks)));
    let mut numbers: Vec<i32> = (0..blocks as i32).collect();
    let mut written = numbers.clone();
    for (shift, what) in &phases {
        numbers = (0..blocks).map(|b| numbers[(b + shift) % blocks].wrapping_mul(3).wrapping_add(*what)).collect();
        written.extend(&numbers);
    }
    let start: Vec<u8> = written.iter().flat_map(|_| [0; 4]).collect();
    Case {
        text: text(&phases, missing),
        target: *random.pick(&[Target::A2A3, Target::A5]),
        blocks: blocks as u32,
        ranks: vec![vec![Given::Memory(start)]],
        expected: match missing {
            Some(_) => Expected::Deadlock,
            None => Expected::Values(0, vec![written.iter().flat_map(|n| n.to_le_bytes()).collect()]),
        },
    }
}

fn text(phases: &[(usize, i32)], missing: Option<(usize, usize)>) -> String {
    const BARRIER: &str = "pto.syncall() mode = #pto.sync_all_mode<hard>, core_type = #pto.sync_core_type<aiv_only>";
    let mut out = String::from(
        "func.func @main(%x: !pto.ptr<i32>) attributes {pto.entry} {
  %block64 = pto.get_block_idx
  %count64 = pto.get_block_num
  %block = arith.index_cast %block64 : i64 to index
  %count = arith.index_cast %count64 : i64 to index
  %three = arith.constant 3 : i32
  %start = arith.index_cast %block : index to i32
  pto.store_scalar %start, %x[%block] : !pto.ptr<i32>, i32\n",
    );
    for (n, (shift, what)) in phases.iter().enumerate() {
        let barrier = match missing.filter(|(phase, _)| *phase == n) {
            Some((_, block)) => format!(
                "  %absent{n} = arith.constant {block} : index
  %comes{n} = arith.cmpi ne, %block, %absent{n} : index
  scf.if %comes{n} {{\n    {BARRIER}\n  }}\n"
            ),
            None => format!("  {BARRIER}\n"),
        };
        let _ = write!(
            out,
            "{barrier}  %shift{n} = arith.constant {shift} : index
  %phase{n} = arith.constant {n} : index
  %what{n} = arith.constant {what} : i32
  %sum{n} = arith.addi %block, %shift{n} : index
  %other{n} = arith.remui %sum{n}, %count : index
  %row{n} = arith.muli %phase{n}, %count : index
  %from{n} = arith.addi %row{n}, %other{n} : index
  %here{n} = arith.addi %row{n}, %block : index
  %to{n} = arith.addi %here{n}, %count : index
  %old{n} = pto.load_scalar %x[%from{n}] : !pto.ptr<i32> -> i32
  %product{n} = arith.muli %old{n}, %three : i32
  %new{n} = arith.addi %product{n}, %what{n} : i32
  pto.store_scalar %new{n}, %x[%to{n}] : !pto.ptr<i32>, i32\n"
        );
    }
    out + "  return\n}\n"
}
