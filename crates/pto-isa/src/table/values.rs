//! Scalar operations in the spelling of the newest dialect: `pto.divi %a, %b signed : i32` is `arith.divsi %a, %b : i32`.
//!
//! Every row is another spelling of an operation in `arith.rs` or `math.rs` and says which ([`Twin`]). The reader makes that
//! operation; checks, engine, printer and emitter never see these rows.

use crate::enums;
use crate::row::{Arith, AttrKind, AttrSpec, Custom, Effect, Row, Slot, SlotKind, Twin, attr};
use crate::shape::{result, value_in};
use crate::Pipe;

const SCALAR: Row = Row::EMPTY.pipe(Pipe::S).effect(Effect::Operands).results(&[result("result", SlotKind::Any)]);
const INTEGERS: &[Slot] = &[value_in("lhs", SlotKind::Int), value_in("rhs", SlotKind::Int)];
const FLOATS: &[Slot] = &[value_in("lhs", SlotKind::Float), value_in("rhs", SlotKind::Float)];
const FLOAT: &[Slot] = &[value_in("operand", SlotKind::Float)];
const ANY: &[Slot] = &[value_in("in", SlotKind::Any)];
const SIGNEDNESS: AttrSpec = attr("signedness", AttrKind::Enum(&enums::SIGNEDNESS), "how integers are read: signed or unsigned");
const PREDICATE: AttrSpec = attr("predicate", AttrKind::Enum(&enums::SCALAR_CMP_PREDICATE), "which comparison");

const fn binary(slots: &'static [Slot], is: Arith) -> Row {
    SCALAR.slots(slots).custom(Custom::Binary).twin(Twin::Is(is))
}

const fn signed(signed: Arith, unsigned: Arith) -> Row {
    SCALAR.slots(INTEGERS).custom(Custom::Binary).attrs(&[SIGNEDNESS]).twin(Twin::Signed(signed, unsigned))
}

const fn unary(is: Arith) -> Row {
    SCALAR.slots(FLOAT).custom(Custom::Unary).twin(Twin::Is(is))
}

const fn cast(twin: Twin) -> Row {
    let row = SCALAR.slots(ANY).custom(Custom::Cast).twin(twin);
    if matches!(twin, Twin::Signed(..)) { row.attrs(&[SIGNEDNESS]) } else { row }
}

const EXTENDED: Row = Row::EMPTY
    .pipe(Pipe::S)
    .effect(Effect::Operands)
    .slots(INTEGERS)
    .results(&[result("low", SlotKind::Any), result("high", SlotKind::Any)])
    .custom(Custom::Extended);

/// A program of these statements.
macro_rules! scalars {
    ($($line:literal),+ $(,)?) => {
        concat!("func.func @example() {\n", $("  ", $line, "\n",)+ "  return\n}\n")
    };
}

/// An operation on two numbers of a type, how it reads them, and the result.
macro_rules! pair {
    ($name:literal, $ty:literal, $lhs:literal, $rhs:literal, $read:literal, $result:literal) => {
        concat!(
            "func.func @example() {\n  %lhs = pto.constant ", $lhs, " : ", $ty, "\n  %rhs = pto.constant ", $rhs, " : ", $ty,
            "\n  %result = pto.", $name, " %lhs, %rhs", $read, " : ", $ty, "  // = ", $result, "\n  return\n}\n"
        )
    };
}

/// A number, its type, how it is read, the type it is converted to, and the result.
macro_rules! converted {
    ($name:literal, $in:literal, $from:literal, $read:literal, $to:literal, $result:literal) => {
        concat!(
            "func.func @example() {\n  %in = pto.constant ", $in, " : ", $from,
            "\n  %result = pto.", $name, " %in", $read, " : ", $from, " -> ", $to, "  // = ", $result, "\n  return\n}\n"
        )
    };
}

family! { Arith, "pto", values;
    /// A constant.
    ///
    /// The same as `arith.constant`.
    pto_constant = "constant": SCALAR.custom(Custom::Constant).twin(Twin::Is(Arith::Constant))
        .attrs(&[attr("value", AttrKind::Any, "the number")])
        .example(scalars!("%seven = pto.constant 7 : i32  // = 7", "%half = pto.constant 5.0e-01 : f32  // = 0.5"));
    /// Integer sum; wraps.
    ///
    /// The same as `arith.addi`.
    pto_addi = "addi": binary(INTEGERS, Arith::Add).example(pair!("addi", "i32", "3", "4", "", "7"));
    /// Floating-point sum.
    ///
    /// The same as `arith.addf`.
    pto_addf = "addf": binary(FLOATS, Arith::AddFloat).example(pair!("addf", "f32", "1.5", "2.0", "", "3.5"));
    /// Integer difference; wraps.
    ///
    /// The same as `arith.subi`.
    pto_subi = "subi": binary(INTEGERS, Arith::Sub).example(pair!("subi", "i32", "3", "4", "", "-1"));
    /// Floating-point difference.
    ///
    /// The same as `arith.subf`.
    pto_subf = "subf": binary(FLOATS, Arith::SubFloat).example(pair!("subf", "f32", "1.5", "2.0", "", "-0.5"));
    /// Integer product; wraps.
    ///
    /// The same as `arith.muli`.
    pto_muli = "muli": binary(INTEGERS, Arith::Mul).example(pair!("muli", "i32", "3", "4", "", "12"));
    /// Floating-point product.
    ///
    /// The same as `arith.mulf`.
    pto_mulf = "mulf": binary(FLOATS, Arith::MulFloat).example(pair!("mulf", "f32", "1.5", "2.0", "", "3.0"));
    /// Integer quotient, towards zero.
    ///
    /// The same as `arith.divsi` if `signed`, as `arith.divui` if `unsigned`.
    pto_divi = "divi": signed(Arith::DivSigned, Arith::DivUnsigned).example(pair!("divi", "i32", "-7", "2", " signed", "-3"));
    /// Floating-point quotient.
    ///
    /// The same as `arith.divf`.
    pto_divf = "divf": binary(FLOATS, Arith::DivFloat).example(pair!("divf", "f32", "1.0", "4.0", "", "0.25"));
    /// Integer quotient, towards minus infinity.
    ///
    /// The same as `arith.floordivsi` if `signed`, as `arith.divui` if `unsigned`.
    pto_floordiv = "floordiv": signed(Arith::FloorDivSigned, Arith::DivUnsigned).example(pair!("floordiv", "i32", "-7", "2", " signed", "-4"));
    /// Integer quotient, towards plus infinity.
    ///
    /// The same as `arith.ceildivsi` if `signed`, as `arith.ceildivui` if `unsigned`.
    pto_ceildiv = "ceildiv": signed(Arith::CeilDivSigned, Arith::CeilDivUnsigned).example(pair!("ceildiv", "i8", "-7", "2", " unsigned", "125"));
    /// Integer remainder.
    ///
    /// The same as `arith.remsi` if `signed`, as `arith.remui` if `unsigned`.
    pto_remi = "remi": signed(Arith::RemSigned, Arith::RemUnsigned).example(pair!("remi", "i8", "-7", "10", " unsigned", "9"));
    /// Floating-point remainder.
    ///
    /// The same as `arith.remf`.
    pto_remf = "remf": binary(FLOATS, Arith::RemFloat).example(pair!("remf", "f32", "-7.5", "2.0", "", "-1.5"));
    /// Sign change.
    ///
    /// The same as `arith.negf`.
    pto_negf = "negf": unary(Arith::NegFloat)
        .example(scalars!("%x = pto.constant 1.5 : f32", "%result = pto.negf %x : f32  // = -1.5"));
    /// Bitwise and.
    ///
    /// The same as `arith.andi`.
    pto_and = "and": binary(INTEGERS, Arith::And).example(pair!("and", "i32", "12", "10", "", "8"));
    /// Bitwise or.
    ///
    /// The same as `arith.ori`.
    pto_or = "or": binary(INTEGERS, Arith::Or).example(pair!("or", "i32", "12", "10", "", "14"));
    /// Bitwise exclusive or.
    ///
    /// The same as `arith.xori`.
    pto_xor = "xor": binary(INTEGERS, Arith::Xor).example(pair!("xor", "i32", "12", "10", "", "6"));
    /// Left shift.
    ///
    /// The same as `arith.shli`.
    pto_shl = "shl": binary(INTEGERS, Arith::ShiftLeft).example(pair!("shl", "i32", "1", "4", "", "16"));
    /// Right shift, arithmetic or logical.
    ///
    /// The same as `arith.shrsi` if `signed`, as `arith.shrui` if `unsigned`.
    pto_shr = "shr": signed(Arith::ShiftRightSigned, Arith::ShiftRightUnsigned).example(pair!("shr", "i8", "-16", "2", " unsigned", "60"));
    /// Comparison of integers.
    ///
    /// The same as `arith.cmpi`: the predicate `lt` is `slt` there if `signed`, and `ult` if `unsigned`. Legal predicates are `eq`, `ne`, `lt`, `le`, `gt`, `ge`.
    pto_cmpi = "cmpi": SCALAR.slots(INTEGERS).results(&[result("result", SlotKind::Bool)]).custom(Custom::Compare).twin(Twin::CompareInt)
        .attrs(&[PREDICATE, SIGNEDNESS])
        .example(scalars!(
            "%a = pto.constant -1 : i32",
            "%b = pto.constant 1 : i32",
            "%signed = pto.cmpi lt %a, %b signed : i32  // = true",
            "%unsigned = pto.cmpi lt %a, %b unsigned : i32  // = false",
        ));
    /// Comparison of floating-point numbers.
    ///
    /// The same as `arith.cmpf`; the short predicates `eq`, `ne`, `lt`, `le`, `gt` and `ge` are the ordered ones: `oeq`, `one`, and so on.
    pto_cmpf = "cmpf": SCALAR.slots(FLOATS).results(&[result("result", SlotKind::Bool)]).custom(Custom::Compare).twin(Twin::CompareFloat)
        .attrs(&[PREDICATE])
        .example(scalars!(
            "%nan = pto.constant 0x7FC00000 : f32",
            "%one = pto.constant 1.0 : f32",
            "%less = pto.cmpf lt %nan, %one : f32  // = false",
            "%less_or_nan = pto.cmpf ult %nan, %one : f32  // = true",
        ));
    /// One of two values, chosen by a condition.
    ///
    /// The same as `arith.select`.
    pto_select = "select": SCALAR.custom(Custom::Select).twin(Twin::Is(Arith::Select))
        .slots(&[value_in("condition", SlotKind::Bool), value_in("true_value", SlotKind::Any), value_in("false_value", SlotKind::Any)])
        .example(scalars!(
            "%yes = pto.constant true",
            "%a = pto.constant 1 : i32",
            "%b = pto.constant 2 : i32",
            "%result = pto.select %yes, %a, %b : i32  // = 1",
        ));
    /// Larger of two integers.
    ///
    /// The same as `arith.maxsi` if `signed`, as `arith.maxui` if `unsigned`.
    pto_maxi = "maxi": signed(Arith::MaxSigned, Arith::MaxUnsigned).example(pair!("maxi", "i32", "-1", "1", " signed", "1"));
    /// Smaller of two integers.
    ///
    /// The same as `arith.minsi` if `signed`, as `arith.minui` if `unsigned`.
    pto_mini = "mini": signed(Arith::MinSigned, Arith::MinUnsigned).example(pair!("mini", "i32", "-1", "1", " unsigned", "1"));
    /// Larger number; NaN only if both are NaN.
    ///
    /// The same as `arith.maxnumf`.
    pto_maxf = "maxf": binary(FLOATS, Arith::MaxNumFloat).example(pair!("maxf", "f32", "0x7FC00000", "1.0", "", "1.0"));
    /// Smaller number; NaN only if both are NaN.
    ///
    /// The same as `arith.minnumf`.
    pto_minf = "minf": binary(FLOATS, Arith::MinNumFloat).example(pair!("minf", "f32", "0x7FC00000", "1.0", "", "1.0"));
    /// Larger number; NaN if either is NaN.
    ///
    /// The same as `arith.maximumf`.
    pto_maximum = "maximum": binary(FLOATS, Arith::MaximumFloat).example(pair!("maximum", "f32", "0x7FC00000", "1.0", "", "nan"));
    /// Smaller number; NaN if either is NaN.
    ///
    /// The same as `arith.minimumf`.
    pto_minimum = "minimum": binary(FLOATS, Arith::MinimumFloat).example(pair!("minimum", "f32", "0.0", "-0.0", "", "-0.0"));
    /// Absolute value of an integer.
    ///
    /// The same as `math.absi` if `signed`; an unsigned number is its own absolute value.
    pto_absi = "absi": SCALAR.slots(&[value_in("operand", SlotKind::Int)]).custom(Custom::Unary)
        .attrs(&[SIGNEDNESS]).twin(Twin::Signed(Arith::AbsInt, Arith::Unrealized))
        .example(scalars!(
            "%x = pto.constant -7 : i8",
            "%signed = pto.absi %x signed : i8  // = 7",
            "%unsigned = pto.absi %x unsigned : i8  // = -7",
        ));
    /// Absolute value of a float.
    ///
    /// The same as `math.absf`.
    pto_absf = "absf": unary(Arith::AbsFloat)
        .example(scalars!("%x = pto.constant -1.5 : f32", "%result = pto.absf %x : f32  // = 1.5"));
    /// Exponential.
    ///
    /// The same as `math.exp`.
    pto_exp = "exp": unary(Arith::Exp)
        .example(scalars!("%x = pto.constant 0.0 : f32", "%result = pto.exp %x : f32 -> f32  // = 1.0"));
    /// Natural logarithm.
    ///
    /// The same as `math.log`.
    pto_log = "log": unary(Arith::Log)
        .example(scalars!("%x = pto.constant 1.0 : f32", "%result = pto.log %x : f32 -> f32  // = 0.0"));
    /// Square root.
    ///
    /// The same as `math.sqrt`.
    pto_sqrt = "sqrt": unary(Arith::Sqrt)
        .example(scalars!("%x = pto.constant 2.25 : f32", "%result = pto.sqrt %x : f32 -> f32  // = 1.5"));
    /// Widens an integer.
    ///
    /// The same as `arith.extsi` if `signed`, as `arith.extui` if `unsigned`.
    pto_exti = "exti": cast(Twin::Signed(Arith::ExtendSigned, Arith::ExtendUnsigned)).example(converted!("exti", "-1", "i8", " unsigned", "i32", "255"));
    /// Drops high bits.
    ///
    /// The same as `arith.trunci`.
    pto_trunci = "trunci": cast(Twin::Is(Arith::Truncate)).example(converted!("trunci", "300", "i32", "", "i8", "44"));
    /// Converts between floats.
    ///
    /// The same as `arith.extf` if the result is wider, as `arith.truncf` if it is narrower.
    pto_ftof = "ftof": cast(Twin::FloatWidth).example(converted!("ftof", "2049.0", "f32", "", "f16", "2048.0"));
    /// Float to integer, towards zero.
    ///
    /// The same as `arith.fptosi` if `signed`, as `arith.fptoui` if `unsigned`.
    pto_ftoi = "ftoi": cast(Twin::Signed(Arith::FloatToSigned, Arith::FloatToUnsigned)).example(converted!("ftoi", "-2.9", "f32", " signed", "i32", "-2"));
    /// Integer to float.
    ///
    /// The same as `arith.sitofp` if `signed`, as `arith.uitofp` if `unsigned`.
    pto_itof = "itof": cast(Twin::Signed(Arith::SignedToFloat, Arith::UnsignedToFloat)).example(converted!("itof", "-3", "i8", " unsigned", "f32", "253.0"));
    /// Between index and integer.
    ///
    /// The same as `arith.index_cast` if `signed`, as `arith.index_castui` if `unsigned`.
    pto_index_cast = "index_cast": cast(Twin::Signed(Arith::IndexCast, Arith::IndexCastUnsigned)).example(converted!("index_cast", "-1", "i32", " signed", "index", "-1"));
    /// Unsigned sum with carry.
    ///
    /// The same as `arith.addui_extended`.
    pto_addui_extended = "addui_extended": EXTENDED.twin(Twin::Is(Arith::AddExtended))
        .example(scalars!(
            "%a = pto.constant -56 : i8",
            "%b = pto.constant 100 : i8",
            "%sum, %carry = pto.addui_extended %a, %b : i8, i1  // = 44, true",
        ));
    /// Product, both halves.
    ///
    /// The same as `arith.mulsi_extended` if `signed`, as `arith.mului_extended` if `unsigned`.
    pto_mul_extended = "mul_extended": EXTENDED.attrs(&[SIGNEDNESS]).twin(Twin::Signed(Arith::MulExtendedSigned, Arith::MulExtendedUnsigned))
        .example(scalars!(
            "%a = pto.constant -2 : i32",
            "%b = pto.constant 3 : i32",
            "%low, %high = pto.mul_extended %a, %b signed : i32  // = -6, -1",
        ));
}
