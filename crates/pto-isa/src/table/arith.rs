//! Scalar arithmetic: the part of the host dialects that programs compute addresses and scalars with.

use crate::row::{AttrKind, Custom, Effect, Kind, Row, Slot, attr, opt_attr};
use crate::shape::{result, value_in};
use crate::{Pipe, enums};

const SCALAR: Row = Row::EMPTY.pipe(Pipe::S).effect(Effect::Operands);
const RESULT: &[Slot] = &[result("result", Kind::Any)];
const BINARY: Row =
    SCALAR.slots(&[value_in("lhs", Kind::Any), value_in("rhs", Kind::Any)]).results(RESULT).custom(Custom::Binary);
const UNARY: Row = SCALAR.slots(&[value_in("operand", Kind::Any)]).results(RESULT).custom(Custom::Unary);
const CAST: Row = SCALAR.slots(&[value_in("in", Kind::Any)]).results(RESULT).custom(Custom::Cast);
const COMPARE: Row = SCALAR
    .slots(&[value_in("lhs", Kind::Any), value_in("rhs", Kind::Any)])
    .results(&[result("result", Kind::Bool)])
    .custom(Custom::Compare);
const EXTENDED: Row = SCALAR
    .slots(&[value_in("lhs", Kind::Any), value_in("rhs", Kind::Any)])
    .results(&[result("low", Kind::Any), result("high", Kind::Any)])
    .custom(Custom::Extended);

family! { Arith, "", arith;
    /// A constant.
    arith_constant = "arith.constant": SCALAR
        .results(RESULT)
        .attrs(&[attr("value", AttrKind::Any, "the number")])
        .custom(Custom::Constant);
    /// Comparison of integers; the predicate says signed or unsigned.
    arith_cmpi = "arith.cmpi": COMPARE
        .attrs(&[attr("predicate", AttrKind::Enum(&enums::CMPI_PREDICATE), "which comparison")]);
    /// Comparison of floating-point numbers; the predicate says ordered or unordered.
    arith_cmpf = "arith.cmpf": COMPARE
        .attrs(&[attr("predicate", AttrKind::Enum(&enums::CMPF_PREDICATE), "which comparison")]);
    /// One of two values, chosen by a condition.
    arith_select = "arith.select": SCALAR
        .slots(&[value_in("condition", Kind::Bool), value_in("true_value", Kind::Any), value_in("false_value", Kind::Any)])
        .results(RESULT)
        .custom(Custom::Select);
    /// Integer sum; wraps.
    arith_addi = "arith.addi": BINARY;
    /// Integer difference; wraps.
    arith_subi = "arith.subi": BINARY;
    /// Integer product; wraps.
    arith_muli = "arith.muli": BINARY;
    /// Signed quotient, towards zero.
    arith_divsi = "arith.divsi": BINARY;
    /// Unsigned quotient.
    arith_divui = "arith.divui": BINARY;
    /// Signed remainder, sign of the dividend.
    arith_remsi = "arith.remsi": BINARY;
    /// Unsigned remainder.
    arith_remui = "arith.remui": BINARY;
    /// Signed quotient, towards minus infinity.
    arith_floordivsi = "arith.floordivsi": BINARY;
    /// Signed quotient, towards plus infinity.
    arith_ceildivsi = "arith.ceildivsi": BINARY;
    /// Unsigned quotient, rounded up.
    arith_ceildivui = "arith.ceildivui": BINARY;
    /// Bitwise and.
    arith_andi = "arith.andi": BINARY;
    /// Bitwise or.
    arith_ori = "arith.ori": BINARY;
    /// Bitwise exclusive or.
    arith_xori = "arith.xori": BINARY;
    /// Left shift.
    arith_shli = "arith.shli": BINARY;
    /// Arithmetic right shift.
    arith_shrsi = "arith.shrsi": BINARY;
    /// Logical right shift.
    arith_shrui = "arith.shrui": BINARY;
    /// Larger of two signed integers.
    arith_maxsi = "arith.maxsi": BINARY;
    /// Smaller of two signed integers.
    arith_minsi = "arith.minsi": BINARY;
    /// Larger of two unsigned integers.
    arith_maxui = "arith.maxui": BINARY;
    /// Smaller of two unsigned integers.
    arith_minui = "arith.minui": BINARY;
    /// Floating-point sum.
    arith_addf = "arith.addf": BINARY;
    /// Floating-point difference.
    arith_subf = "arith.subf": BINARY;
    /// Floating-point product.
    arith_mulf = "arith.mulf": BINARY;
    /// Floating-point quotient.
    arith_divf = "arith.divf": BINARY;
    /// Floating-point remainder.
    arith_remf = "arith.remf": BINARY;
    /// Larger number; NaN if either is NaN.
    arith_maximumf = "arith.maximumf": BINARY;
    /// Smaller number; NaN if either is NaN.
    arith_minimumf = "arith.minimumf": BINARY;
    /// Larger number; NaN only if both are NaN.
    arith_maxnumf = "arith.maxnumf": BINARY;
    /// Smaller number; NaN only if both are NaN.
    arith_minnumf = "arith.minnumf": BINARY;
    /// Sign change.
    arith_negf = "arith.negf": UNARY;
    /// Between index and integer, sign-extending.
    arith_index_cast = "arith.index_cast": CAST;
    /// Between index and integer, zero-extending.
    arith_index_castui = "arith.index_castui": CAST;
    /// Drops high bits.
    arith_trunci = "arith.trunci": CAST;
    /// Widens, sign-extending.
    arith_extsi = "arith.extsi": CAST;
    /// Widens, zero-extending.
    arith_extui = "arith.extui": CAST;
    /// Same bits, other type.
    arith_bitcast = "arith.bitcast": CAST;
    /// Signed integer to float.
    arith_sitofp = "arith.sitofp": CAST;
    /// Unsigned integer to float.
    arith_uitofp = "arith.uitofp": CAST;
    /// Float to signed integer, towards zero.
    arith_fptosi = "arith.fptosi": CAST;
    /// Float to unsigned integer, towards zero.
    arith_fptoui = "arith.fptoui": CAST;
    /// Widens a float.
    arith_extf = "arith.extf": CAST;
    /// Narrows a float.
    arith_truncf = "arith.truncf": CAST;
    /// A change of type that other passes will resolve.
    builtin_unrealized_conversion_cast = "builtin.unrealized_conversion_cast": CAST;
    /// Unsigned sum with carry.
    arith_addui_extended = "arith.addui_extended": EXTENDED;
    /// Signed product, both halves.
    arith_mulsi_extended = "arith.mulsi_extended": EXTENDED;
    /// Unsigned product, both halves.
    arith_mului_extended = "arith.mului_extended": EXTENDED;
    /// A buffer of the lowered dialect.
    memref_alloc = "memref.alloc": SCALAR
        .slots(&[value_in("sizes", Kind::Index).many()])
        .results(RESULT)
        .attrs(&[opt_attr("alignment", AttrKind::Int(0, i64::MAX), "", "alignment in bytes")])
        .custom(Custom::MemrefAlloc)
        .effect(Effect::View);
    /// Gives a buffer back.
    memref_dealloc = "memref.dealloc": SCALAR
        .slots(&[value_in("memref", Kind::Any)])
        .pattern("$memref {} : :memref")
        .effect(Effect::View);
    /// Reads an element of a buffer.
    memref_load = "memref.load": SCALAR
        .slots(&[value_in("memref", Kind::Any), value_in("indices", Kind::Index).many()])
        .results(RESULT)
        .custom(Custom::MemrefLoad);
    /// Writes an element of a buffer.
    memref_store = "memref.store": SCALAR
        .slots(&[value_in("value", Kind::Any), value_in("memref", Kind::Any), value_in("indices", Kind::Index).many()])
        .custom(Custom::MemrefStore);
    /// An extent of a buffer.
    memref_dim = "memref.dim": SCALAR
        .slots(&[value_in("memref", Kind::Any), value_in("index", Kind::Index)])
        .results(&[result("result", Kind::Index)])
        .custom(Custom::MemrefDim);
    /// The same buffer under a more or less precise type.
    memref_cast = "memref.cast": CAST.effect(Effect::View);
    /// A window of a buffer: offsets, sizes, strides.
    memref_subview = "memref.subview": SCALAR
        .slots(&[value_in("source", Kind::Any), value_in("offsets", Kind::Index).many(), value_in("sizes", Kind::Index).many(), value_in("strides", Kind::Index).many()])
        .results(RESULT)
        .attrs(&[attr("static_offsets", AttrKind::Any, "offsets"), attr("static_sizes", AttrKind::Any, "sizes"), attr("static_strides", AttrKind::Any, "strides")])
        .custom(Custom::MemrefView)
        .effect(Effect::View);
    /// The same memory with another shape: offset, sizes, strides.
    memref_reinterpret_cast = "memref.reinterpret_cast": SCALAR
        .slots(&[value_in("source", Kind::Any), value_in("offsets", Kind::Index).many(), value_in("sizes", Kind::Index).many(), value_in("strides", Kind::Index).many()])
        .results(RESULT)
        .attrs(&[attr("static_offsets", AttrKind::Any, "offset"), attr("static_sizes", AttrKind::Any, "sizes"), attr("static_strides", AttrKind::Any, "strides")])
        .custom(Custom::MemrefView)
        .effect(Effect::View);
}
