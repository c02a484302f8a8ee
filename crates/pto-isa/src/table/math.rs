//! Scalar functions: absolute value, exponential, logarithm, square root, and the negative of an integer.

use crate::DType::{Bf16, F16, F32};
use crate::row::{Arith, Custom, Effect, Row, Slot, SlotKind, When, form};
use crate::shape::{result, value_in};
use crate::{Pipe, ScalarType};

const RESULT: &[Slot] = &[result("result", SlotKind::Any)];
const UNARY: Row = Row::EMPTY.pipe(Pipe::S).effect(Effect::Operands).results(RESULT).custom(Custom::Unary);
const INTEGER: Row = UNARY.slots(&[value_in("operand", SlotKind::Int)]);
const FLOAT: Row = UNARY.slots(&[value_in("operand", SlotKind::Float)]);
const FUNCTION: Row = UNARY.slots(&[value_in("operand", SlotKind::Float).elem(&[F16, Bf16, F32])]);

/// An operation on a number of a type, and the result.
macro_rules! unary {
    ($name:literal, $ty:literal, $operand:literal, $result:literal) => {
        concat!(
            "func.func @example() {\n  %operand = arith.constant ", $operand, " : ", $ty, "\n  %result = ", $name, " %operand : ", $ty,
            "  // = ", $result, "\n  return\n}\n"
        )
    };
}

family! { Arith, "", math;
    /// Absolute value of a signed integer.
    ///
    /// The operand is read as signed, regardless of the sign of its type. The smallest number is its own absolute value.
    math_absi = "math.absi": INTEGER.arith(Arith::AbsInt)
        .cpp_forms(&[
            form("$operand").when(When::Scalar("operand", ScalarType::I1)),
            form("static_cast<:result>($operand < 0 ? ^operand(0) - static_cast<^operand>($operand) : static_cast<^operand>($operand))"),
        ])
        .example(unary!("math.absi", "i32", "-7", "7"));
    /// Absolute value of a float.
    ///
    /// The sign bit is cleared, also of zeros, infinities and NaN.
    math_absf = "math.absf": FLOAT.arith(Arith::AbsFloat)
        .cpp_forms(&[form("static_cast<:result>(__builtin_fabs($operand))")])
        .example(unary!("math.absf", "f32", "-1.5", "1.5"));
    /// Exponential.
    ///
    /// `e` to the power of the operand, computed in f32 as `texp` does and rounded to the type; the same bits on every machine. A device may differ in the last bits.
    math_exp = "math.exp": FUNCTION.arith(Arith::Exp)
        .cpp_forms(&[form("static_cast<:result>(__builtin_expf($operand))")])
        .example(unary!("math.exp", "f32", "0.0", "1.0"));
    /// Natural logarithm.
    ///
    /// Computed in f32 as `tlog` does and rounded to the type; the same bits on every machine. A device may differ in the last bits. Zero gives minus infinity, a negative number NaN.
    math_log = "math.log": FUNCTION.arith(Arith::Log)
        .cpp_forms(&[form("static_cast<:result>(__builtin_logf($operand))")])
        .example(unary!("math.log", "f32", "0.0", "-inf"));
    /// Square root.
    ///
    /// Exact, then rounded once, half to even. NaN of a negative number.
    math_sqrt = "math.sqrt": FLOAT.arith(Arith::Sqrt)
        .cpp_forms(&[form("static_cast<:result>(__builtin_sqrt($operand))")])
        .example(unary!("math.sqrt", "f32", "2.25", "1.5"));
    /// Negative of an integer; wraps.
    ///
    /// Zero minus the operand. The smallest number is its own negative.
    pto_negi = "pto.negi": INTEGER.arith(Arith::NegInt).alias_names(&["negi"])
        .cpp_forms(&[
            form("$operand").when(When::Scalar("operand", ScalarType::I1)),
            form("static_cast<:result>(^operand(0) - static_cast<^operand>($operand))"),
        ])
        .example(unary!("pto.negi", "i32", "7", "-7"));
}
