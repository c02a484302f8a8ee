//! Scalar operations of the newest dialect and their twins: one program in both spellings is one program.

use pto::isa::row::Twin;
use pto::isa::table;
use pto::{Arg, Program, Target};

/// Both spellings of a statement, on `%a`, `%b` (i32), `%x`, `%y` (f32), `%i` (index) and `%c` (i1), with the type of its result.
const PAIRS: &[(&str, &str, &str)] = &[
    ("pto.constant 7 : i32", "arith.constant 7 : i32", "i32"),
    ("pto.addi %a, %b overflow<nsw> : i32", "arith.addi %a, %b overflow<nsw> : i32", "i32"),
    ("pto.subi %a, %b : i32", "arith.subi %a, %b : i32", "i32"),
    ("pto.muli %a, %b : i32", "arith.muli %a, %b : i32", "i32"),
    ("pto.divi %a, %b signed : i32", "arith.divsi %a, %b : i32", "i32"),
    ("pto.divi %a, %b unsigned : i32", "arith.divui %a, %b : i32", "i32"),
    ("pto.floordiv %a, %b signed : i32", "arith.floordivsi %a, %b : i32", "i32"),
    ("pto.floordiv %a, %b unsigned : i32", "arith.divui %a, %b : i32", "i32"),
    ("pto.ceildiv %a, %b signed : i32", "arith.ceildivsi %a, %b : i32", "i32"),
    ("pto.ceildiv %a, %b unsigned : i32", "arith.ceildivui %a, %b : i32", "i32"),
    ("pto.remi %a, %b {signedness = #pto.signedness<signed>} : i32", "arith.remsi %a, %b : i32", "i32"),
    (
        "\"pto.remi\"(%a, %b) {signedness = #pto.signedness<unsigned>} : (i32, i32) -> i32",
        "arith.remui %a, %b : i32",
        "i32",
    ),
    ("pto.and %a, %b : i32", "arith.andi %a, %b : i32", "i32"),
    ("pto.or %a, %b : i32", "arith.ori %a, %b : i32", "i32"),
    ("pto.xor %a, %b : i32", "arith.xori %a, %b : i32", "i32"),
    ("pto.shl %a, %b : i32", "arith.shli %a, %b : i32", "i32"),
    ("pto.shr %a, %b signed : i32", "arith.shrsi %a, %b : i32", "i32"),
    ("pto.shr %a, %b unsigned : i32", "arith.shrui %a, %b : i32", "i32"),
    ("pto.maxi %a, %b signed : i32", "arith.maxsi %a, %b : i32", "i32"),
    ("pto.maxi %a, %b unsigned : i32", "arith.maxui %a, %b : i32", "i32"),
    ("pto.mini %a, %b signed : i32", "arith.minsi %a, %b : i32", "i32"),
    ("pto.mini %a, %b unsigned : i32", "arith.minui %a, %b : i32", "i32"),
    ("pto.absi %a signed : i32", "math.absi %a : i32", "i32"),
    ("pto.absi %a unsigned : i32", "builtin.unrealized_conversion_cast %a : i32 to i32", "i32"),
    ("pto.select %c, %a, %b : i32", "arith.select %c, %a, %b : i32", "i32"),
    ("pto.bitcast %x : f32 -> i32", "arith.bitcast %x : f32 to i32", "i32"),
    ("pto.ftoi %x signed : f32 -> i32", "arith.fptosi %x : f32 to i32", "i32"),
    ("pto.ftoi %x unsigned : f32 -> i32", "arith.fptoui %x : f32 to i32", "i32"),
    ("pto.index_cast %i signed : index -> i32", "arith.index_cast %i : index to i32", "i32"),
    ("pto.index_cast %i unsigned : index -> i32", "arith.index_castui %i : index to i32", "i32"),
    ("pto.addf %x, %y fastmath<nnan> : f32", "arith.addf %x, %y fastmath<nnan> : f32", "f32"),
    ("pto.subf %x, %y : f32", "arith.subf %x, %y : f32", "f32"),
    ("pto.mulf %x, %y : f32", "arith.mulf %x, %y : f32", "f32"),
    ("pto.divf %x, %y : f32", "arith.divf %x, %y : f32", "f32"),
    ("pto.remf %x, %y : f32", "arith.remf %x, %y : f32", "f32"),
    ("pto.negf %x : f32", "arith.negf %x : f32", "f32"),
    ("pto.absf %x : f32", "math.absf %x : f32", "f32"),
    ("pto.maxf %x, %y : f32", "arith.maxnumf %x, %y : f32", "f32"),
    ("pto.minf %x, %y : f32", "arith.minnumf %x, %y : f32", "f32"),
    ("pto.maximum %x, %y : f32", "arith.maximumf %x, %y : f32", "f32"),
    ("pto.minimum %x, %y : f32", "arith.minimumf %x, %y : f32", "f32"),
    ("pto.exp %x : f32 -> f32", "math.exp %x : f32", "f32"),
    ("pto.log %x : f32 -> f32", "math.log %x : f32", "f32"),
    ("pto.sqrt %y : f32 -> f32", "math.sqrt %y : f32", "f32"),
    ("pto.itof %a signed : i32 -> f32", "arith.sitofp %a : i32 to f32", "f32"),
    ("pto.itof %a unsigned : i32 -> f32", "arith.uitofp %a : i32 to f32", "f32"),
    ("pto.ftof %x : f32 -> f16", "arith.truncf %x : f32 to f16", "f16"),
    ("pto.exti %a signed : i32 -> i64", "arith.extsi %a : i32 to i64", "i64"),
    ("pto.exti %a unsigned : i32 -> i64", "arith.extui %a : i32 to i64", "i64"),
    ("pto.trunci %a : i32 -> i8", "arith.trunci %a : i32 to i8", "i8"),
    ("pto.cmpi lt %a, %b signed : i32", "arith.cmpi slt, %a, %b : i32", "i1"),
    ("pto.cmpi ge %a, %b unsigned : i32", "arith.cmpi uge, %a, %b : i32", "i1"),
    ("pto.cmpi eq %a, %b signed : i32", "arith.cmpi eq, %a, %b : i32", "i1"),
    (
        "\"pto.cmpi\"(%a, %b) {predicate = #pto.scalar_cmp_predicate<gt>, signedness = #pto.signedness<signed>} : (i32, i32) -> i1",
        "arith.cmpi sgt, %a, %b : i32",
        "i1",
    ),
    ("pto.cmpf ne %x, %y : f32", "arith.cmpf one, %x, %y : f32", "i1"),
    ("pto.cmpf une %x, %y : f32", "arith.cmpf une, %x, %y : f32", "i1"),
];

/// How a result of a type reaches memory.
fn stored(ty: &str, at: usize) -> String {
    let (cast, out, ty) = match ty {
        "i1" => (format!("    %s{at} = arith.extui %r{at} : i1 to i32\n"), "ints", "i32"),
        "i8" => (format!("    %s{at} = arith.extsi %r{at} : i8 to i32\n"), "ints", "i32"),
        "i64" => (format!("    %s{at} = arith.trunci %r{at} : i64 to i32\n"), "ints", "i32"),
        "f16" => (format!("    %s{at} = arith.extf %r{at} : f16 to f32\n"), "floats", "f32"),
        "i32" => (String::new(), "ints", "i32"),
        other => (String::new(), "floats", other),
    };
    let value = if cast.is_empty() { format!("%r{at}") } else { format!("%s{at}") };
    format!(
        "{cast}    %n{at} = arith.constant {at} : index\n    pto.store_scalar {value}, %{out}[%n{at}] : !pto.ptr<{ty}>, {ty}\n"
    )
}

/// A program of all statements in one spelling.
fn program(spelling: impl Fn(&(&'static str, &'static str, &'static str)) -> &'static str) -> String {
    let lines: String = PAIRS
        .iter()
        .enumerate()
        .map(|(at, pair)| format!("    %r{at} = {}\n{}", spelling(pair), stored(pair.2, at)))
        .collect();
    format!(
        "module {{\n  func.func @both(%ints: !pto.ptr<i32>, %floats: !pto.ptr<f32>, %a: i32, %b: i32, %x: f32, %y: f32, %i: index) {{\n    \
         %c = arith.cmpi slt, %a, %b : i32\n{lines}    return\n  }}\n}}\n"
    )
}

fn results(text: &str) -> (Vec<i32>, Vec<u32>) {
    let (mut ints, mut floats) = (vec![0_i32; PAIRS.len()], vec![0_f32; PAIRS.len()]);
    let mut args = [
        Arg::write(&mut ints),
        Arg::write(&mut floats),
        Arg::Int(-37),
        Arg::Int(5),
        Arg::Float(-3.75),
        Arg::Float(1.5),
        Arg::Int(9),
    ];
    Program::parse(text).run(Target::A2A3, &mut args).unwrap_or_else(|e| panic!("{e}"));
    (ints, floats.into_iter().map(f32::to_bits).collect())
}

#[test]
fn both_spellings_are_one_program() {
    let (new, old) = (program(|p| p.0), program(|p| p.1));
    let (new_read, old_read) = (Program::parse(&new), Program::parse(&old));
    for target in Target::ALL {
        assert_eq!(new_read.inspect(target).len(), 0, "{target}: {:?}", new_read.inspect(target));
    }
    assert_eq!(new_read.to_text(None), old_read.to_text(None));
    assert_eq!(new_read.emit_cpp(Target::A5).expect("C++"), old_read.emit_cpp(Target::A5).expect("C++"));
    assert_eq!(results(&new), results(&old));
}

#[test]
fn every_spelling_is_tried() {
    let rows = table::all().filter(|op| op.row().twin.is_some_and(|t| !matches!(t, Twin::Scalars(_))));
    let untried: Vec<&str> = rows
        .map(|op| op.row().name)
        .filter(|name| !name.ends_with("_extended"))
        .filter(|name| !PAIRS.iter().any(|p| p.0.split([' ', '"', '(']).any(|w| w == format!("pto.{name}"))))
        .collect();
    assert!(untried.is_empty(), "{untried:?}");
}

/// `pto fmt` keeps the spelling, like it keeps forms.
#[test]
fn the_formatter_keeps_the_spelling() {
    let text = program(|p| p.0);
    let formatted = pto::syntax::format(&text, pto::syntax::FormatOptions::default()).expect("a program");
    for (at, pair) in PAIRS.iter().enumerate().filter(|(_, p)| !p.0.starts_with('"')) {
        let line = formatted.lines().find(|l| l.contains(&format!("%r{at} ="))).expect("a line");
        let name = pair.0.split(' ').next().unwrap_or_default();
        assert!(line.contains(&format!("= {name} ")), "{line}");
        assert_eq!(line.contains(" unsigned"), pair.0.contains(" unsigned"), "{line}");
    }
    let again = pto::syntax::format(&formatted, pto::syntax::FormatOptions::default()).expect("a program");
    assert_eq!(again, formatted);
    assert_eq!(Program::parse(&formatted).to_text(None), Program::parse(&text).to_text(None));
}
