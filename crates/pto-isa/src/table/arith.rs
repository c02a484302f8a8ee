//! Scalar arithmetic: the part of the host dialects that programs compute addresses and scalars with.
//!
//! Examples state results: `// = x` after a statement is the value of its result, and a test runs them
//! (`pto/tests/suite/host_rows.rs`).

use crate::text;
use crate::DType::I32;
use crate::row::{Arith, AttrKind, Custom, Effect, SlotKind, Row, Slot, When, attr, form};
use crate::shape::{result, value_in};
use crate::rules::{Broken, Instance, Rule, Verdict};
use crate::{Pipe, ScalarType, Targets, Type, codes, enums};

const SCALAR: Row = Row::EMPTY.pipe(Pipe::S).effect(Effect::Operands);
const RESULT: &[Slot] = &[result("result", SlotKind::Any)];
const INTEGERS: Row =
    SCALAR.slots(&[value_in("lhs", SlotKind::Int), value_in("rhs", SlotKind::Int)]).results(RESULT).custom(Custom::Binary);
const FLOATS: Row =
    SCALAR.slots(&[value_in("lhs", SlotKind::Float), value_in("rhs", SlotKind::Float)]).results(RESULT).custom(Custom::Binary);
const UNARY: Row = SCALAR.slots(&[value_in("operand", SlotKind::Float)]).results(RESULT).custom(Custom::Unary);
const CAST: Row = SCALAR.slots(&[value_in("in", SlotKind::Any)]).results(RESULT).custom(Custom::Cast);
const INT_TO_INT: Row = CAST.slots(&[value_in("in", SlotKind::Int)]).results(&[result("result", SlotKind::Int)]);
const INT_TO_FLOAT: Row = CAST.slots(&[value_in("in", SlotKind::Int)]).results(&[result("result", SlotKind::Float)]);
const FLOAT_TO_INT: Row = CAST.slots(&[value_in("in", SlotKind::Float)]).results(&[result("result", SlotKind::Int)]);
const FLOAT_TO_FLOAT: Row = CAST.slots(&[value_in("in", SlotKind::Float)]).results(&[result("result", SlotKind::Float)]);

/// A cast to or from `index` has `index` on one side.
const ONE_IS_INDEX: &[(Targets, Rule)] = &[(Targets::ALL, Rule::Named("one side is index", one_is_index))];
const WIDENS: &[(Targets, Rule)] = &[(Targets::ALL, Rule::Named("the result is wider", widens))];
const SAME_WIDTH: &[(Targets, Rule)] = &[(Targets::ALL, Rule::Named("both sides have equally many bits", same_width))];
const NARROWS: &[(Targets, Rule)] = &[(Targets::ALL, Rule::Named("the result is narrower", narrows))];

fn bits(i: &Instance, slot: &str) -> Option<u32> {
    match i.ty(slot)?.scalar()? {
        ScalarType::Elem(d) => Some(d.bits()),
        ScalarType::I1 => Some(1),
        ScalarType::F64 => Some(64),
        ScalarType::Index => None,
    }
}

fn broken_cast(i: &Instance, legal: &str) -> Broken {
    let text = |slot: &str| i.ty(slot).map_or(String::new(), ToString::to_string);
    let found = text!("{text} to {text2}", text = text("in"), text2 = text("result"));
    Broken::new(codes::ELEM_COMBINATION, vec![i.at("in")], found, legal)
}

fn one_is_index(i: &Instance) -> Verdict {
    let index = |slot: &str| i.ty(slot).and_then(Type::scalar) == Some(ScalarType::Index);
    Verdict::require(index("in") != index("result"), || broken_cast(i, text!("index to an integer, or an integer to index")))
}

fn widens(i: &Instance) -> Verdict {
    let (Some(a), Some(b)) = (bits(i, "in"), bits(i, "result")) else {
        return Verdict::Broken(broken_cast(i, text!("types of a known width; use arith.index_cast for index")));
    };
    Verdict::require(a < b, || broken_cast(i, text!("a wider result")))
}

fn narrows(i: &Instance) -> Verdict {
    let (Some(a), Some(b)) = (bits(i, "in"), bits(i, "result")) else {
        return Verdict::Broken(broken_cast(i, text!("types of a known width; use arith.index_cast for index")));
    };
    Verdict::require(a > b, || broken_cast(i, text!("a narrower result")))
}

fn same_width(i: &Instance) -> Verdict {
    let (Some(a), Some(b)) = (bits(i, "in"), bits(i, "result")) else {
        return Verdict::Broken(broken_cast(i, text!("types of a known width; use arith.index_cast for index")));
    };
    Verdict::require(a == b, || broken_cast(i, text!("as many bits in the result")))
}

const COMPARE: Row = SCALAR.results(&[result("result", SlotKind::Bool)]).custom(Custom::Compare);
const EXTENDED: Row = SCALAR
    .slots(&[value_in("lhs", SlotKind::Int), value_in("rhs", SlotKind::Int)])
    .results(&[result("low", SlotKind::Any), result("high", SlotKind::Any)])
    .custom(Custom::Extended);

/// A program of these statements.
macro_rules! scalars {
    ($($line:literal),+ $(,)?) => {
        concat!("func.func @example() {\n", $("  ", $line, "\n",)+ "  return\n}\n")
    };
}

/// An operation on two numbers of a type, and the result.
macro_rules! binary {
    ($name:literal, $ty:literal, $lhs:literal, $rhs:literal, $result:literal) => {
        concat!(
            "func.func @example() {\n  %lhs = arith.constant ", $lhs, " : ", $ty, "\n  %rhs = arith.constant ", $rhs, " : ", $ty,
            "\n  %result = ", $name, " %lhs, %rhs : ", $ty, "  // = ", $result, "\n  return\n}\n"
        )
    };
}

/// A number, its type, the type it is converted to, and the result.
macro_rules! cast {
    ($name:literal, $in:literal, $from:literal, $to:literal, $result:literal) => {
        concat!(
            "func.func @example() {\n  %in = arith.constant ", $in, " : ", $from,
            "\n  %result = ", $name, " %in : ", $from, " to ", $to, "  // = ", $result, "\n  return\n}\n"
        )
    };
}

family! { Arith, "", arith;
    /// A constant.
    ///
    /// The value is an integer, a float, `true` or `false`. Without a type an integer is i64 and a float is f64.
    /// Hexadecimal digits with a float type are the bits of the float. A number must fit the bits of its type; see the literals of the language reference.
    /// `dense<…> : vector<NxT>` makes a vector that `tmrgsort` writes counts to.
    arith_constant = "arith.constant": SCALAR.arith(Arith::Constant)
        .results(RESULT)
        .attrs(&[attr("value", AttrKind::Any, "the number")])
        .custom(Custom::Constant)
        .bytecode(0x2003, 0)
        .example(scalars!(
            "%seven = arith.constant 7  // = 7",
            "%half = arith.constant 0x3800 : f16  // = 0.5",
            "%yes = arith.constant true  // = true",
        ));
    /// Comparison of integers; the predicate says signed or unsigned.
    ///
    /// `eq` and `ne` compare bits. `slt`, `sle`, `sgt` and `sge` compare signed numbers, `ult`, `ule`, `ugt` and `uge` unsigned ones, regardless of the sign of the type.
    /// An `index` has 64 bits. The result is i1.
    arith_cmpi = "arith.cmpi": COMPARE.arith(Arith::CompareInt)
        .slots(&[value_in("lhs", SlotKind::Int), value_in("rhs", SlotKind::Int)])
        .attrs(&[attr("predicate", AttrKind::Enum(&enums::CMPI_PREDICATE), "which comparison")])
        .cpp_forms(&[
            form("$lhs == $rhs").when(When::Attr("predicate", "eq")),
            form("$lhs != $rhs").when(When::Attr("predicate", "ne")),
            // The true of an `i1` is −1.
            form("$rhs < $lhs").when(When::Booleans("lhs", "predicate", "slt")),
            form("$rhs <= $lhs").when(When::Booleans("lhs", "predicate", "sle")),
            form("$rhs > $lhs").when(When::Booleans("lhs", "predicate", "sgt")),
            form("$rhs >= $lhs").when(When::Booleans("lhs", "predicate", "sge")),
            form("$lhs < $rhs").when(When::Attr("predicate", "slt")),
            form("$lhs <= $rhs").when(When::Attr("predicate", "sle")),
            form("$lhs > $rhs").when(When::Attr("predicate", "sgt")),
            form("$lhs >= $rhs").when(When::Attr("predicate", "sge")),
            form("static_cast<^lhs>($lhs) < static_cast<^rhs>($rhs)").when(When::Attr("predicate", "ult")),
            form("static_cast<^lhs>($lhs) <= static_cast<^rhs>($rhs)").when(When::Attr("predicate", "ule")),
            form("static_cast<^lhs>($lhs) > static_cast<^rhs>($rhs)").when(When::Attr("predicate", "ugt")),
            form("static_cast<^lhs>($lhs) >= static_cast<^rhs>($rhs)").when(When::Attr("predicate", "uge")),
        ])
        .bytecode(0x2002, 2)
        .example(scalars!(
            "%a = arith.constant -1 : i32",
            "%b = arith.constant 1 : i32",
            "%signed = arith.cmpi slt, %a, %b : i32  // = true",
            "%unsigned = arith.cmpi ult, %a, %b : i32  // = false",
        ));
    /// Comparison of floating-point numbers; the predicate says ordered or unordered.
    ///
    /// A predicate that starts with `o` is false if an operand is NaN, one that starts with `u` is true then. `eq`, `gt`, `ge`, `lt`, `le` and `ne` follow as
    /// the second part: `olt`, `une`. `ord` says that no operand is NaN, `uno` that one is; `true` and `false` ignore their operands. The zeros are equal.
    arith_cmpf = "arith.cmpf": COMPARE.arith(Arith::CompareFloat)
        .slots(&[value_in("lhs", SlotKind::Float), value_in("rhs", SlotKind::Float)])
        .attrs(&[attr("predicate", AttrKind::Enum(&enums::CMPF_PREDICATE), "which comparison")])
        .cpp_forms(&[
            form("false").when(When::Attr("predicate", "false")),
            form("$lhs == $rhs").when(When::Attr("predicate", "oeq")),
            form("$lhs > $rhs").when(When::Attr("predicate", "ogt")),
            form("$lhs >= $rhs").when(When::Attr("predicate", "oge")),
            form("$lhs < $rhs").when(When::Attr("predicate", "olt")),
            form("$lhs <= $rhs").when(When::Attr("predicate", "ole")),
            form("$lhs < $rhs || $lhs > $rhs").when(When::Attr("predicate", "one")),
            form("$lhs == $lhs && $rhs == $rhs").when(When::Attr("predicate", "ord")),
            form("!($lhs < $rhs || $lhs > $rhs)").when(When::Attr("predicate", "ueq")),
            form("!($lhs <= $rhs)").when(When::Attr("predicate", "ugt")),
            form("!($lhs < $rhs)").when(When::Attr("predicate", "uge")),
            form("!($lhs >= $rhs)").when(When::Attr("predicate", "ult")),
            form("!($lhs > $rhs)").when(When::Attr("predicate", "ule")),
            form("$lhs != $rhs").when(When::Attr("predicate", "une")),
            form("$lhs != $lhs || $rhs != $rhs").when(When::Attr("predicate", "uno")),
            form("true").when(When::Attr("predicate", "true")),
        ])
        .cpp_silent(&["lhs", "rhs"])
        .example(scalars!(
            "%nan = arith.constant 0x7FC00000 : f32",
            "%one = arith.constant 1.0 : f32",
            "%less = arith.cmpf olt, %nan, %one : f32  // = false",
            "%less_or_nan = arith.cmpf ult, %nan, %one : f32  // = true",
        ));
    /// One of two values, chosen by a condition.
    ///
    /// `true_value` if `condition` is true, else `false_value`. Both have been computed already; nothing is skipped.
    /// The values may have any type, tile buffers and pointers among them: the result then names the chosen one.
    arith_select = "arith.select": SCALAR.arith(Arith::Select)
        .slots(&[value_in("condition", SlotKind::Bool), value_in("true_value", SlotKind::Any), value_in("false_value", SlotKind::Any)])
        .results(RESULT)
        .custom(Custom::Select)
        .cpp_forms(&[form("$condition ? $true_value : $false_value")])
        .bytecode(0x2007, 3)
        .example(scalars!(
            "%yes = arith.constant true",
            "%a = arith.constant 1 : i32",
            "%b = arith.constant 2 : i32",
            "%result = arith.select %yes, %a, %b : i32  // = 1",
        ));
    /// Integer sum; wraps.
    ///
    /// Overflow wraps: the result keeps the low bits of its type.
    arith_addi = "arith.addi": INTEGERS.arith(Arith::Add)
        .cpp_forms(&[
            form("$lhs + $rhs").when(When::Scalar("lhs", ScalarType::Index)),
            form("$lhs != $rhs").when(When::Scalar("lhs", ScalarType::I1)),
            form("static_cast<:result>(static_cast<^lhs>($lhs) + static_cast<^rhs>($rhs))"),
        ])
        .bytecode(0x2000, 2)
        .example(binary!("arith.addi", "i32", "2147483647", "1", "-2147483648"));
    /// Integer difference; wraps.
    ///
    /// Overflow wraps: the result keeps the low bits of its type.
    arith_subi = "arith.subi": INTEGERS.arith(Arith::Sub)
        .cpp_forms(&[
            form("$lhs - $rhs").when(When::Scalar("lhs", ScalarType::Index)),
            form("static_cast<:result>(static_cast<^lhs>($lhs) - static_cast<^rhs>($rhs))"),
        ])
        .bytecode(0x2008, 2)
        .example(binary!("arith.subi", "i32", "3", "5", "-2"));
    /// Integer product; wraps.
    ///
    /// Overflow wraps: the result keeps the low bits of its type.
    arith_muli = "arith.muli": INTEGERS.arith(Arith::Mul)
        .cpp_forms(&[
            form("$lhs * $rhs").when(When::Scalar("lhs", ScalarType::Index)),
            form("static_cast<:result>(static_cast<^lhs>($lhs) * static_cast<^rhs>($rhs))"),
        ])
        .bytecode(0x2006, 2)
        .example(binary!("arith.muli", "i16", "300", "300", "24464"));
    /// Signed quotient, towards zero.
    ///
    /// Operands are read as signed numbers, regardless of the sign of their type. The quotient is truncated; the smallest number divided by −1 wraps to itself.
    /// A run stops with PTO-E0704 if `rhs` is 0; a device does not define the result.
    arith_divsi = "arith.divsi": INTEGERS.arith(Arith::DivSigned)
        .cpp_forms(&[form("$lhs / $rhs")])
        .example(binary!("arith.divsi", "i32", "-7", "2", "-3"));
    /// Unsigned quotient.
    ///
    /// Operands are read as unsigned numbers, regardless of the sign of their type. The quotient is truncated.
    /// A run stops with PTO-E0704 if `rhs` is 0; a device does not define the result.
    arith_divui = "arith.divui": INTEGERS.arith(Arith::DivUnsigned)
        .cpp_forms(&[form("static_cast<:result>(static_cast<^lhs>($lhs) / static_cast<^rhs>($rhs))")])
        .example(binary!("arith.divui", "i8", "-7", "2", "124"));
    /// Signed remainder, sign of the dividend.
    ///
    /// Operands are read as signed numbers, regardless of the sign of their type. `lhs` is the truncated quotient times `rhs` plus the remainder.
    /// A run stops with PTO-E0704 if `rhs` is 0; a device does not define the result.
    arith_remsi = "arith.remsi": INTEGERS.arith(Arith::RemSigned)
        .cpp_forms(&[form("$lhs % $rhs")])
        .example(binary!("arith.remsi", "i32", "-7", "2", "-1"));
    /// Unsigned remainder.
    ///
    /// Operands are read as unsigned numbers, regardless of the sign of their type.
    /// A run stops with PTO-E0704 if `rhs` is 0; a device does not define the result.
    arith_remui = "arith.remui": INTEGERS.arith(Arith::RemUnsigned)
        .cpp_forms(&[form("static_cast<:result>(static_cast<^lhs>($lhs) % static_cast<^rhs>($rhs))")])
        .example(binary!("arith.remui", "i8", "-7", "10", "9"));
    /// Signed quotient, towards minus infinity.
    ///
    /// Operands are read as signed numbers, regardless of the sign of their type. The smallest number divided by −1 wraps to itself.
    /// A run stops with PTO-E0704 if `rhs` is 0; a device does not define the result.
    arith_floordivsi = "arith.floordivsi": INTEGERS.arith(Arith::FloorDivSigned)
        .cpp_forms(&[form("$lhs / $rhs - ($lhs % $rhs != 0 && ($lhs < 0) != ($rhs < 0))")])
        .example(binary!("arith.floordivsi", "i32", "-7", "2", "-4"));
    /// Signed quotient, towards plus infinity.
    ///
    /// Operands are read as signed numbers, regardless of the sign of their type. The smallest number divided by −1 wraps to itself.
    /// A run stops with PTO-E0704 if `rhs` is 0; a device does not define the result.
    arith_ceildivsi = "arith.ceildivsi": INTEGERS.arith(Arith::CeilDivSigned)
        .cpp_forms(&[form("$lhs / $rhs + ($lhs % $rhs != 0 && ($lhs < 0) == ($rhs < 0))")])
        .bytecode(0x2001, 2)
        .example(binary!("arith.ceildivsi", "i32", "-7", "2", "-3"));
    /// Unsigned quotient, rounded up.
    ///
    /// Operands are read as unsigned numbers, regardless of the sign of their type.
    /// A run stops with PTO-E0704 if `rhs` is 0; a device does not define the result.
    arith_ceildivui = "arith.ceildivui": INTEGERS.arith(Arith::CeilDivUnsigned)
        .cpp_forms(&[
            form("static_cast<:result>(static_cast<^lhs>($lhs) / static_cast<^rhs>($rhs) + (static_cast<^lhs>($lhs) % static_cast<^rhs>($rhs) != 0))"),
        ])
        .example(binary!("arith.ceildivui", "i8", "-7", "2", "125"));
    /// Bitwise and.
    ///
    /// Each bit of the result is set if both operands have it set.
    arith_andi = "arith.andi": INTEGERS.arith(Arith::And)
        .cpp_forms(&[form("$lhs & $rhs")])
        .example(binary!("arith.andi", "i32", "12", "10", "8"));
    /// Bitwise or.
    ///
    /// Each bit of the result is set if an operand has it set.
    arith_ori = "arith.ori": INTEGERS.arith(Arith::Or)
        .cpp_forms(&[form("$lhs | $rhs")])
        .example(binary!("arith.ori", "i32", "12", "10", "14"));
    /// Bitwise exclusive or.
    ///
    /// Each bit of the result is set if exactly one operand has it set.
    arith_xori = "arith.xori": INTEGERS.arith(Arith::Xor)
        .cpp_forms(&[form("$lhs ^ $rhs")])
        .example(binary!("arith.xori", "i32", "12", "10", "6"));
    /// Left shift.
    ///
    /// `rhs` is the distance, read as unsigned. Bits that leave the type are lost, zeros come in. A distance of the width of the type or more gives 0 in a run;
    /// a device does not define it.
    arith_shli = "arith.shli": INTEGERS.arith(Arith::ShiftLeft)
        .cpp_forms(&[form("static_cast<:result>(static_cast<^lhs>($lhs) << $rhs)")])
        .example(scalars!(
            "%one = arith.constant 1 : i32",
            "%near = arith.constant 4 : i32",
            "%far = arith.constant 40 : i32",
            "%a = arith.shli %one, %near : i32  // = 16",
            "%b = arith.shli %one, %far : i32  // = 0",
        ));
    /// Arithmetic right shift.
    ///
    /// `rhs` is the distance, read as unsigned. Copies of the sign bit come in. A distance of the width of the type or more leaves only sign bits in a run; a device does
    /// not define it.
    arith_shrsi = "arith.shrsi": INTEGERS.arith(Arith::ShiftRightSigned)
        .cpp_forms(&[form("$lhs >> $rhs")])
        .example(scalars!(
            "%x = arith.constant -16 : i32",
            "%near = arith.constant 2 : i32",
            "%far = arith.constant 40 : i32",
            "%a = arith.shrsi %x, %near : i32  // = -4",
            "%b = arith.shrsi %x, %far : i32  // = -1",
        ));
    /// Logical right shift.
    ///
    /// `rhs` is the distance, read as unsigned. Zeros come in. A distance of the width of the type or more gives 0 in a run; a device does not define it.
    arith_shrui = "arith.shrui": INTEGERS.arith(Arith::ShiftRightUnsigned)
        .cpp_forms(&[form("static_cast<:result>(static_cast<^lhs>($lhs) >> $rhs)")])
        .example(binary!("arith.shrui", "i8", "-16", "2", "60"));
    /// Larger of two signed integers.
    ///
    /// Operands are read as signed numbers, regardless of the sign of their type.
    arith_maxsi = "arith.maxsi": INTEGERS.arith(Arith::MaxSigned)
        .cpp_forms(&[
            form("$lhs && $rhs").when(When::Scalar("lhs", ScalarType::I1)),
            form("$lhs > $rhs ? $lhs : $rhs"),
        ])
        .example(binary!("arith.maxsi", "i32", "-1", "1", "1"));
    /// Smaller of two signed integers.
    ///
    /// Operands are read as signed numbers, regardless of the sign of their type.
    arith_minsi = "arith.minsi": INTEGERS.arith(Arith::MinSigned)
        .cpp_forms(&[
            form("$lhs || $rhs").when(When::Scalar("lhs", ScalarType::I1)),
            form("$lhs < $rhs ? $lhs : $rhs"),
        ])
        .example(binary!("arith.minsi", "i32", "-1", "1", "-1"));
    /// Larger of two unsigned integers.
    ///
    /// Operands are read as unsigned numbers, regardless of the sign of their type.
    arith_maxui = "arith.maxui": INTEGERS.arith(Arith::MaxUnsigned)
        .cpp_forms(&[form("static_cast<^lhs>($lhs) > static_cast<^rhs>($rhs) ? $lhs : $rhs")])
        .example(binary!("arith.maxui", "i32", "-1", "1", "-1"));
    /// Smaller of two unsigned integers.
    ///
    /// Operands are read as unsigned numbers, regardless of the sign of their type.
    arith_minui = "arith.minui": INTEGERS.arith(Arith::MinUnsigned)
        .cpp_forms(&[form("static_cast<^lhs>($lhs) < static_cast<^rhs>($rhs) ? $lhs : $rhs")])
        .bytecode(0x2005, 2)
        .example(binary!("arith.minui", "i32", "-1", "1", "1"));
    /// Floating-point sum.
    ///
    /// Computed exactly and rounded once to the type, half to even; f16, bf16, f32 and f64 alike.
    arith_addf = "arith.addf": FLOATS.arith(Arith::AddFloat)
        .cpp_forms(&[form("$lhs + $rhs")])
        .example(binary!("arith.addf", "f16", "2048.0", "1.0", "2048.0"));
    /// Floating-point difference.
    ///
    /// Computed exactly and rounded once to the type, half to even; f16, bf16, f32 and f64 alike.
    arith_subf = "arith.subf": FLOATS.arith(Arith::SubFloat)
        .cpp_forms(&[form("$lhs - $rhs")])
        .example(binary!("arith.subf", "f32", "1.5", "2.0", "-0.5"));
    /// Floating-point product.
    ///
    /// Computed exactly and rounded once to the type, half to even; f16, bf16, f32 and f64 alike.
    arith_mulf = "arith.mulf": FLOATS.arith(Arith::MulFloat)
        .cpp_forms(&[form("$lhs * $rhs")])
        .example(binary!("arith.mulf", "f32", "1.5", "-2.0", "-3.0"));
    /// Floating-point quotient.
    ///
    /// Computed exactly and rounded once to the type, half to even; f16, bf16, f32 and f64 alike. A number divided by zero is infinite, zero divided by zero is NaN.
    arith_divf = "arith.divf": FLOATS.arith(Arith::DivFloat)
        .cpp_forms(&[form("$lhs / $rhs")])
        .example(binary!("arith.divf", "f32", "-1.0", "0.0", "-inf"));
    /// Floating-point remainder.
    ///
    /// `lhs` minus `rhs` times the truncated quotient, exactly, with the sign of `lhs`. NaN if `rhs` is zero or `lhs` infinite.
    arith_remf = "arith.remf": FLOATS.arith(Arith::RemFloat)
        .cpp_forms(&[form("static_cast<:result>(__builtin_fmod($lhs, $rhs))")])
        .example(binary!("arith.remf", "f32", "-7.5", "2.0", "-1.5"));
    /// Larger number; NaN if either is NaN.
    ///
    /// +0 is larger than −0.
    arith_maximumf = "arith.maximumf": FLOATS.arith(Arith::MaximumFloat)
        .cpp_forms(&[
            form("$lhs != $lhs ? $lhs : $rhs != $rhs ? $rhs : $lhs == 0 && $rhs == 0 ? $lhs + $rhs : $lhs > $rhs ? $lhs : $rhs"),
        ])
        .example(binary!("arith.maximumf", "f32", "0x7FC00000", "1.0", "nan"));
    /// Smaller number; NaN if either is NaN.
    ///
    /// −0 is smaller than +0.
    arith_minimumf = "arith.minimumf": FLOATS.arith(Arith::MinimumFloat)
        .cpp_forms(&[
            form("$lhs != $lhs ? $lhs : $rhs != $rhs ? $rhs : $lhs == 0 && $rhs == 0 ? -(-$lhs - $rhs) : $lhs < $rhs ? $lhs : $rhs"),
        ])
        .example(binary!("arith.minimumf", "f32", "0.0", "-0.0", "-0.0"));
    /// Larger number; NaN only if both are NaN.
    ///
    /// +0 is larger than −0.
    arith_maxnumf = "arith.maxnumf": FLOATS.arith(Arith::MaxNumFloat)
        .cpp_forms(&[form("$lhs != $lhs ? $rhs : $rhs != $rhs ? $lhs : $lhs > $rhs ? $lhs : $rhs")])
        .example(binary!("arith.maxnumf", "f32", "0x7FC00000", "1.0", "1.0"));
    /// Smaller number; NaN only if both are NaN.
    ///
    /// −0 is smaller than +0.
    arith_minnumf = "arith.minnumf": FLOATS.arith(Arith::MinNumFloat)
        .cpp_forms(&[form("$lhs != $lhs ? $rhs : $rhs != $rhs ? $lhs : $lhs < $rhs ? $lhs : $rhs")])
        .example(binary!("arith.minnumf", "f32", "0x7FC00000", "1.0", "1.0"));
    /// Sign change.
    ///
    /// Also of zeros, infinities and NaN.
    arith_negf = "arith.negf": UNARY.arith(Arith::NegFloat)
        .cpp_forms(&[form("-$operand")])
        .example(scalars!(
            "%zero = arith.constant 0.0 : f32",
            "%result = arith.negf %zero : f32  // = -0.0",
        ));
    /// Between index and integer, sign-extending.
    ///
    /// An `index` has 64 bits. A narrower integer is sign-extended (i1: true is −1), regardless of the sign of its type; a narrower result keeps the low bits.
    arith_index_cast = "arith.index_cast": INT_TO_INT.arith(Arith::IndexCast).rules(ONE_IS_INDEX)
        .cpp_forms(&[
            form("static_cast<:result>(-static_cast<int>($in))").when(When::Scalar("in", ScalarType::I1)),
            form("($in & 1) != 0").when(When::Scalar("result", ScalarType::I1)),
            form("static_cast<:result>($in)"),
        ])
        .bytecode(0x2004, 1)
        .example(cast!("arith.index_cast", "-1", "i32", "index", "-1"));
    /// Between index and integer, zero-extending.
    ///
    /// An `index` has 64 bits. A narrower integer is zero-extended; a narrower result keeps the low bits.
    arith_index_castui = "arith.index_castui": INT_TO_INT.arith(Arith::IndexCastUnsigned).rules(ONE_IS_INDEX)
        .cpp_forms(&[
            form("($in & 1) != 0").when(When::Scalar("result", ScalarType::I1)),
            form("static_cast<:result>(static_cast<^in>($in))"),
        ])
        .example(cast!("arith.index_castui", "-1", "i32", "index", "4294967295"));
    /// Drops high bits.
    ///
    /// The result keeps the low bits of its type; for i1 that is the lowest bit. Not for `index`: use `arith.index_cast`.
    arith_trunci = "arith.trunci": INT_TO_INT.arith(Arith::Truncate).rules(NARROWS)
        .cpp_forms(&[
            form("($in & 1) != 0").when(When::Scalar("result", ScalarType::I1)),
            form("static_cast<:result>($in)"),
        ])
        .example(cast!("arith.trunci", "300", "i32", "i8", "44"));
    /// Widens, sign-extending.
    ///
    /// Copies of the sign bit come in, regardless of the sign of the type: true becomes −1. Not for `index`: use `arith.index_cast`.
    arith_extsi = "arith.extsi": INT_TO_INT.arith(Arith::ExtendSigned).rules(WIDENS)
        .cpp_forms(&[
            form("static_cast<:result>(-static_cast<int>($in))").when(When::Scalar("in", ScalarType::I1)),
            form("static_cast<:result>($in)"),
        ])
        .example(cast!("arith.extsi", "-1", "i8", "i32", "-1"));
    /// Widens, zero-extending.
    ///
    /// Zeros come in, regardless of the sign of the type: true becomes 1. Not for `index`: use `arith.index_castui`.
    arith_extui = "arith.extui": INT_TO_INT.arith(Arith::ExtendUnsigned).rules(WIDENS)
        .cpp_forms(&[form("static_cast<:result>(static_cast<^in>($in))")])
        .example(cast!("arith.extui", "-1", "i8", "i32", "255"));
    /// Same bits, other type.
    ///
    /// Between integers and floats with equally many bits; nothing is rounded.
    arith_bitcast = "arith.bitcast": CAST.arith(Arith::Bitcast).rules(SAME_WIDTH)
        .cpp_forms(&[form("__builtin_bit_cast(:result, $in)")])
        .example(cast!("arith.bitcast", "1.0", "f32", "i32", "1065353216"));
    /// Signed integer to float.
    ///
    /// The number is read as signed, regardless of the sign of its type (i1: true is −1), and rounded once, half to even.
    arith_sitofp = "arith.sitofp": INT_TO_FLOAT.arith(Arith::SignedToFloat)
        .cpp_forms(&[
            form("static_cast<:result>(-static_cast<int>($in))").when(When::Scalar("in", ScalarType::I1)),
            form("static_cast<:result>($in)"),
        ])
        .example(cast!("arith.sitofp", "-3", "i32", "f32", "-3.0"));
    /// Unsigned integer to float.
    ///
    /// The number is read as unsigned, regardless of the sign of its type, and rounded once, half to even.
    arith_uitofp = "arith.uitofp": INT_TO_FLOAT.arith(Arith::UnsignedToFloat)
        .cpp_forms(&[form("static_cast<:result>(static_cast<^in>($in))")])
        .example(cast!("arith.uitofp", "-3", "i8", "f32", "253.0"));
    /// Float to signed integer, towards zero.
    ///
    /// The fraction is dropped. A number that the type cannot hold becomes the nearest one that it can, and NaN becomes 0, in a run; a device does not define them.
    arith_fptosi = "arith.fptosi": FLOAT_TO_INT.arith(Arith::FloatToSigned)
        .cpp_forms(&[form("static_cast<:result>($in)")])
        .example(scalars!(
            "%a = arith.constant -2.9 : f32",
            "%b = arith.constant 1.0e10 : f32",
            "%near = arith.fptosi %a : f32 to i32  // = -2",
            "%far = arith.fptosi %b : f32 to i32  // = 2147483647",
        ));
    /// Float to unsigned integer, towards zero.
    ///
    /// The fraction is dropped. A number that the type cannot hold becomes the nearest one that it can, and NaN becomes 0, in a run; a device does not define them.
    arith_fptoui = "arith.fptoui": FLOAT_TO_INT.arith(Arith::FloatToUnsigned)
        .cpp_forms(&[form("static_cast<:result>(static_cast<^result>($in))")])
        .example(scalars!(
            "%a = arith.constant 200.9 : f32",
            "%b = arith.constant -3.0 : f32",
            "%near = arith.fptoui %a : f32 to ui8  // = 200",
            "%far = arith.fptoui %b : f32 to ui8  // = 0",
        ));
    /// Widens a float.
    ///
    /// Exact.
    arith_extf = "arith.extf": FLOAT_TO_FLOAT.arith(Arith::ExtendFloat).rules(WIDENS)
        .cpp_forms(&[form("static_cast<:result>($in)")])
        .example(cast!("arith.extf", "1.5", "f16", "f32", "1.5"));
    /// Narrows a float.
    ///
    /// Rounded half to even; a number beyond the type becomes infinite.
    arith_truncf = "arith.truncf": FLOAT_TO_FLOAT.arith(Arith::TruncateFloat).rules(NARROWS)
        .cpp_forms(&[form("static_cast<:result>($in)")])
        .example(cast!("arith.truncf", "2049.0", "f32", "f16", "2048.0"));
    /// A change of type that other passes will resolve.
    ///
    /// The engine passes the value on as it is, so it is only for types with the same representation, such as an alias of a type and the type itself. C++ has a cast.
    builtin_unrealized_conversion_cast = "builtin.unrealized_conversion_cast": CAST.arith(Arith::Unrealized)
        .cpp_forms(&[form("(:result)$in")])
        .example(cast!("builtin.unrealized_conversion_cast", "7", "i64", "index", "7"));
    /// Unsigned sum with carry.
    ///
    /// `low` is the sum without the bits that do not fit, `high` is 1 if there were any. The second type is that of `high`, usually i1.
    arith_addui_extended = "arith.addui_extended": EXTENDED.arith(Arith::AddExtended)
        .cpp_forms(&[
            form("$low = $lhs != $rhs;\n$high = $lhs && $rhs").when(When::Scalar("lhs", ScalarType::I1)),
            form("$low = static_cast<:low>(static_cast<^lhs>($lhs) + static_cast<^rhs>($rhs));\n$high = static_cast<^low>($low) < static_cast<^lhs>($lhs)"),
        ])
        .example(scalars!(
            "%a = arith.constant 200 : ui8",
            "%b = arith.constant 100 : ui8",
            "%sum, %carry = arith.addui_extended %a, %b : ui8, i1  // = 44, true",
        ));
    /// Signed product, both halves.
    ///
    /// Operands are read as signed numbers, regardless of the sign of their type. `low` has the low half of the bits of the product, `high` the other half.
    arith_mulsi_extended = "arith.mulsi_extended": EXTENDED.arith(Arith::MulExtendedSigned)
        .cpp_forms(&[
            form("{\n  const int64_t wide = static_cast<int64_t>($lhs) * static_cast<int64_t>($rhs);\n  $low = static_cast<:low>(wide);\n  $high = static_cast<:high>(wide >> 32);\n}").when(When::Scalar("lhs", ScalarType::Elem(I32))),
        ])
        .example(scalars!(
            "%a = arith.constant -2 : i32",
            "%b = arith.constant 3 : i32",
            "%low, %high = arith.mulsi_extended %a, %b : i32  // = -6, -1",
        ));
    /// Unsigned product, both halves.
    ///
    /// Operands are read as unsigned numbers, regardless of the sign of their type. `low` has the low half of the bits of the product, `high` the other half.
    arith_mului_extended = "arith.mului_extended": EXTENDED.arith(Arith::MulExtendedUnsigned)
        .cpp_forms(&[
            form("{\n  const uint64_t wide = static_cast<uint64_t>(static_cast<uint32_t>($lhs)) * static_cast<uint64_t>(static_cast<uint32_t>($rhs));\n  $low = static_cast<:low>(wide);\n  $high = static_cast<:high>(wide >> 32);\n}").when(When::Scalar("lhs", ScalarType::Elem(I32))),
        ])
        .example(scalars!(
            "%a = arith.constant -2 : i32",
            "%b = arith.constant 3 : i32",
            "%low, %high = arith.mului_extended %a, %b : i32  // = -6, 2",
        ));
}
