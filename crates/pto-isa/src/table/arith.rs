//! Scalar arithmetic: the part of the host dialects that programs compute addresses and scalars with.

use crate::DType::I32;
use crate::row::{Arith, AttrKind, Custom, Effect, SlotKind, Movement, Row, Slot, Storage, When, attr, form, opt_attr};
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
    let found = format!("{} to {}", text("in"), text("result"));
    Broken::new(codes::ELEM_COMBINATION, vec![i.at("in")], found, legal)
}

fn one_is_index(i: &Instance) -> Verdict {
    let index = |slot: &str| i.ty(slot).and_then(Type::scalar) == Some(ScalarType::Index);
    Verdict::require(index("in") != index("result"), || broken_cast(i, "index to an integer, or an integer to index"))
}

fn widens(i: &Instance) -> Verdict {
    let (Some(a), Some(b)) = (bits(i, "in"), bits(i, "result")) else {
        return Verdict::Broken(broken_cast(i, "types of a known width; use arith.index_cast for index"));
    };
    Verdict::require(a < b, || broken_cast(i, "a wider result"))
}

fn narrows(i: &Instance) -> Verdict {
    let (Some(a), Some(b)) = (bits(i, "in"), bits(i, "result")) else {
        return Verdict::Broken(broken_cast(i, "types of a known width; use arith.index_cast for index"));
    };
    Verdict::require(a > b, || broken_cast(i, "a narrower result"))
}

const COMPARE: Row = SCALAR.results(&[result("result", SlotKind::Bool)]).custom(Custom::Compare);
const EXTENDED: Row = SCALAR
    .slots(&[value_in("lhs", SlotKind::Int), value_in("rhs", SlotKind::Int)])
    .results(&[result("low", SlotKind::Any), result("high", SlotKind::Any)])
    .custom(Custom::Extended);

family! { Arith, "", arith;
    /// A constant.
    arith_constant = "arith.constant": SCALAR.arith(Arith::Constant)
        .results(RESULT)
        .attrs(&[attr("value", AttrKind::Any, "the number")])
        .custom(Custom::Constant)
        .bytecode(0x2003, 0);
    /// Comparison of integers; the predicate says signed or unsigned.
    arith_cmpi = "arith.cmpi": COMPARE.arith(Arith::CompareInt)
        .slots(&[value_in("lhs", SlotKind::Int), value_in("rhs", SlotKind::Int)])
        .attrs(&[attr("predicate", AttrKind::Enum(&enums::CMPI_PREDICATE), "which comparison")])
        .cpp_forms(&[
            form("$lhs == $rhs").when(When::Attr("predicate", "eq")),
            form("$lhs != $rhs").when(When::Attr("predicate", "ne")),
            form("$lhs < $rhs").when(When::Attr("predicate", "slt")),
            form("$lhs <= $rhs").when(When::Attr("predicate", "sle")),
            form("$lhs > $rhs").when(When::Attr("predicate", "sgt")),
            form("$lhs >= $rhs").when(When::Attr("predicate", "sge")),
            form("static_cast<^lhs>($lhs) < static_cast<^rhs>($rhs)").when(When::Attr("predicate", "ult")),
            form("static_cast<^lhs>($lhs) <= static_cast<^rhs>($rhs)").when(When::Attr("predicate", "ule")),
            form("static_cast<^lhs>($lhs) > static_cast<^rhs>($rhs)").when(When::Attr("predicate", "ugt")),
            form("static_cast<^lhs>($lhs) >= static_cast<^rhs>($rhs)").when(When::Attr("predicate", "uge")),
        ])
        .bytecode(0x2002, 2);
    /// Comparison of floating-point numbers; the predicate says ordered or unordered.
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
        .cpp_silent(&["lhs", "rhs"]);
    /// One of two values, chosen by a condition.
    arith_select = "arith.select": SCALAR.arith(Arith::Select)
        .slots(&[value_in("condition", SlotKind::Bool), value_in("true_value", SlotKind::Any), value_in("false_value", SlotKind::Any)])
        .results(RESULT)
        .custom(Custom::Select)
        .cpp_forms(&[form("$condition ? $true_value : $false_value")])
        .bytecode(0x2007, 3);
    /// Integer sum; wraps.
    arith_addi = "arith.addi": INTEGERS.arith(Arith::Add)
        .cpp_forms(&[
            form("$lhs + $rhs").when(When::Scalar("lhs", ScalarType::Index)),
            form("static_cast<:result>(static_cast<^lhs>($lhs) + static_cast<^rhs>($rhs))"),
        ])
        .bytecode(0x2000, 2);
    /// Integer difference; wraps.
    arith_subi = "arith.subi": INTEGERS.arith(Arith::Sub)
        .cpp_forms(&[
            form("$lhs - $rhs").when(When::Scalar("lhs", ScalarType::Index)),
            form("static_cast<:result>(static_cast<^lhs>($lhs) - static_cast<^rhs>($rhs))"),
        ])
        .bytecode(0x2008, 2);
    /// Integer product; wraps.
    arith_muli = "arith.muli": INTEGERS.arith(Arith::Mul)
        .cpp_forms(&[
            form("$lhs * $rhs").when(When::Scalar("lhs", ScalarType::Index)),
            form("static_cast<:result>(static_cast<^lhs>($lhs) * static_cast<^rhs>($rhs))"),
        ])
        .bytecode(0x2006, 2);
    /// Signed quotient, towards zero.
    arith_divsi = "arith.divsi": INTEGERS.arith(Arith::DivSigned)
        .cpp_forms(&[form("$lhs / $rhs")]);
    /// Unsigned quotient.
    arith_divui = "arith.divui": INTEGERS.arith(Arith::DivUnsigned)
        .cpp_forms(&[form("static_cast<:result>(static_cast<^lhs>($lhs) / static_cast<^rhs>($rhs))")]);
    /// Signed remainder, sign of the dividend.
    arith_remsi = "arith.remsi": INTEGERS.arith(Arith::RemSigned)
        .cpp_forms(&[form("$lhs % $rhs")]);
    /// Unsigned remainder.
    arith_remui = "arith.remui": INTEGERS.arith(Arith::RemUnsigned)
        .cpp_forms(&[form("static_cast<:result>(static_cast<^lhs>($lhs) % static_cast<^rhs>($rhs))")]);
    /// Signed quotient, towards minus infinity.
    arith_floordivsi = "arith.floordivsi": INTEGERS.arith(Arith::FloorDivSigned)
        .cpp_forms(&[form("$lhs / $rhs - ($lhs % $rhs != 0 && ($lhs < 0) != ($rhs < 0))")]);
    /// Signed quotient, towards plus infinity.
    arith_ceildivsi = "arith.ceildivsi": INTEGERS.arith(Arith::CeilDivSigned)
        .cpp_forms(&[form("$lhs / $rhs + ($lhs % $rhs != 0 && ($lhs < 0) == ($rhs < 0))")])
        .bytecode(0x2001, 2);
    /// Unsigned quotient, rounded up.
    arith_ceildivui = "arith.ceildivui": INTEGERS.arith(Arith::CeilDivUnsigned)
        .cpp_forms(&[
            form("static_cast<:result>(static_cast<^lhs>($lhs) / static_cast<^rhs>($rhs) + (static_cast<^lhs>($lhs) % static_cast<^rhs>($rhs) != 0))"),
        ]);
    /// Bitwise and.
    arith_andi = "arith.andi": INTEGERS.arith(Arith::And)
        .cpp_forms(&[form("$lhs & $rhs")]);
    /// Bitwise or.
    arith_ori = "arith.ori": INTEGERS.arith(Arith::Or)
        .cpp_forms(&[form("$lhs | $rhs")]);
    /// Bitwise exclusive or.
    arith_xori = "arith.xori": INTEGERS.arith(Arith::Xor)
        .cpp_forms(&[form("$lhs ^ $rhs")]);
    /// Left shift.
    arith_shli = "arith.shli": INTEGERS.arith(Arith::ShiftLeft)
        .cpp_forms(&[form("static_cast<:result>(static_cast<^lhs>($lhs) << $rhs)")]);
    /// Arithmetic right shift.
    arith_shrsi = "arith.shrsi": INTEGERS.arith(Arith::ShiftRightSigned)
        .cpp_forms(&[form("$lhs >> $rhs")]);
    /// Logical right shift.
    arith_shrui = "arith.shrui": INTEGERS.arith(Arith::ShiftRightUnsigned)
        .cpp_forms(&[form("static_cast<:result>(static_cast<^lhs>($lhs) >> $rhs)")]);
    /// Larger of two signed integers.
    arith_maxsi = "arith.maxsi": INTEGERS.arith(Arith::MaxSigned)
        .cpp_forms(&[form("$lhs > $rhs ? $lhs : $rhs")]);
    /// Smaller of two signed integers.
    arith_minsi = "arith.minsi": INTEGERS.arith(Arith::MinSigned)
        .cpp_forms(&[form("$lhs < $rhs ? $lhs : $rhs")]);
    /// Larger of two unsigned integers.
    arith_maxui = "arith.maxui": INTEGERS.arith(Arith::MaxUnsigned)
        .cpp_forms(&[form("static_cast<^lhs>($lhs) > static_cast<^rhs>($rhs) ? $lhs : $rhs")]);
    /// Smaller of two unsigned integers.
    arith_minui = "arith.minui": INTEGERS.arith(Arith::MinUnsigned)
        .cpp_forms(&[form("static_cast<^lhs>($lhs) < static_cast<^rhs>($rhs) ? $lhs : $rhs")])
        .bytecode(0x2005, 2);
    /// Floating-point sum.
    arith_addf = "arith.addf": FLOATS.arith(Arith::AddFloat)
        .cpp_forms(&[form("$lhs + $rhs")]);
    /// Floating-point difference.
    arith_subf = "arith.subf": FLOATS.arith(Arith::SubFloat)
        .cpp_forms(&[form("$lhs - $rhs")]);
    /// Floating-point product.
    arith_mulf = "arith.mulf": FLOATS.arith(Arith::MulFloat)
        .cpp_forms(&[form("$lhs * $rhs")]);
    /// Floating-point quotient.
    arith_divf = "arith.divf": FLOATS.arith(Arith::DivFloat)
        .cpp_forms(&[form("$lhs / $rhs")]);
    /// Floating-point remainder.
    arith_remf = "arith.remf": FLOATS.arith(Arith::RemFloat)
        .cpp_forms(&[form("static_cast<:result>(__builtin_fmod($lhs, $rhs))")]);
    /// Larger number; NaN if either is NaN.
    arith_maximumf = "arith.maximumf": FLOATS.arith(Arith::MaximumFloat)
        .cpp_forms(&[
            form("$lhs != $lhs ? $lhs : $rhs != $rhs ? $rhs : $lhs == 0 && $rhs == 0 ? $lhs + $rhs : $lhs > $rhs ? $lhs : $rhs"),
        ]);
    /// Smaller number; NaN if either is NaN.
    arith_minimumf = "arith.minimumf": FLOATS.arith(Arith::MinimumFloat)
        .cpp_forms(&[
            form("$lhs != $lhs ? $lhs : $rhs != $rhs ? $rhs : $lhs == 0 && $rhs == 0 ? -(-$lhs - $rhs) : $lhs < $rhs ? $lhs : $rhs"),
        ]);
    /// Larger number; NaN only if both are NaN.
    arith_maxnumf = "arith.maxnumf": FLOATS.arith(Arith::MaxNumFloat)
        .cpp_forms(&[form("$lhs != $lhs ? $rhs : $rhs != $rhs ? $lhs : $lhs > $rhs ? $lhs : $rhs")]);
    /// Smaller number; NaN only if both are NaN.
    arith_minnumf = "arith.minnumf": FLOATS.arith(Arith::MinNumFloat)
        .cpp_forms(&[form("$lhs != $lhs ? $rhs : $rhs != $rhs ? $lhs : $lhs < $rhs ? $lhs : $rhs")]);
    /// Sign change.
    arith_negf = "arith.negf": UNARY.arith(Arith::NegFloat)
        .cpp_forms(&[form("-$operand")]);
    /// Between index and integer, sign-extending.
    arith_index_cast = "arith.index_cast": INT_TO_INT.arith(Arith::IndexCast).rules(ONE_IS_INDEX)
        .cpp_forms(&[
            form("static_cast<:result>(-static_cast<int>($in))").when(When::Scalar("in", ScalarType::I1)),
            form("static_cast<:result>($in)"),
        ])
        .bytecode(0x2004, 1);
    /// Between index and integer, zero-extending.
    arith_index_castui = "arith.index_castui": INT_TO_INT.arith(Arith::IndexCastUnsigned).rules(ONE_IS_INDEX)
        .cpp_forms(&[form("static_cast<:result>(static_cast<^in>($in))")]);
    /// Drops high bits.
    arith_trunci = "arith.trunci": INT_TO_INT.arith(Arith::Truncate).rules(NARROWS)
        .cpp_forms(&[
            form("($in & 1) != 0").when(When::Scalar("result", ScalarType::I1)),
            form("static_cast<:result>($in)"),
        ]);
    /// Widens, sign-extending.
    arith_extsi = "arith.extsi": INT_TO_INT.arith(Arith::ExtendSigned).rules(WIDENS)
        .cpp_forms(&[
            form("static_cast<:result>(-static_cast<int>($in))").when(When::Scalar("in", ScalarType::I1)),
            form("static_cast<:result>($in)"),
        ]);
    /// Widens, zero-extending.
    arith_extui = "arith.extui": INT_TO_INT.arith(Arith::ExtendUnsigned).rules(WIDENS)
        .cpp_forms(&[form("static_cast<:result>(static_cast<^in>($in))")]);
    /// Same bits, other type.
    arith_bitcast = "arith.bitcast": CAST.arith(Arith::Bitcast)
        .cpp_forms(&[form("__builtin_bit_cast(:result, $in)")]);
    /// Signed integer to float.
    arith_sitofp = "arith.sitofp": INT_TO_FLOAT.arith(Arith::SignedToFloat)
        .cpp_forms(&[
            form("static_cast<:result>(-static_cast<int>($in))").when(When::Scalar("in", ScalarType::I1)),
            form("static_cast<:result>($in)"),
        ]);
    /// Unsigned integer to float.
    arith_uitofp = "arith.uitofp": INT_TO_FLOAT.arith(Arith::UnsignedToFloat)
        .cpp_forms(&[form("static_cast<:result>(static_cast<^in>($in))")]);
    /// Float to signed integer, towards zero.
    arith_fptosi = "arith.fptosi": FLOAT_TO_INT.arith(Arith::FloatToSigned)
        .cpp_forms(&[form("static_cast<:result>($in)")]);
    /// Float to unsigned integer, towards zero.
    arith_fptoui = "arith.fptoui": FLOAT_TO_INT.arith(Arith::FloatToUnsigned)
        .cpp_forms(&[form("static_cast<:result>(static_cast<^result>($in))")]);
    /// Widens a float.
    arith_extf = "arith.extf": FLOAT_TO_FLOAT.arith(Arith::ExtendFloat).rules(WIDENS)
        .cpp_forms(&[form("static_cast<:result>($in)")]);
    /// Narrows a float.
    arith_truncf = "arith.truncf": FLOAT_TO_FLOAT.arith(Arith::TruncateFloat).rules(NARROWS)
        .cpp_forms(&[form("static_cast<:result>($in)")]);
    /// A change of type that other passes will resolve.
    builtin_unrealized_conversion_cast = "builtin.unrealized_conversion_cast": CAST.arith(Arith::Unrealized)
        .cpp_forms(&[form("(:result)$in")]);
    /// Unsigned sum with carry.
    arith_addui_extended = "arith.addui_extended": EXTENDED.arith(Arith::AddExtended)
        .cpp_forms(&[
            form("$low = static_cast<:low>(static_cast<^lhs>($lhs) + static_cast<^rhs>($rhs));\n$high = static_cast<^low>($low) < static_cast<^lhs>($lhs)"),
        ]);
    /// Signed product, both halves.
    arith_mulsi_extended = "arith.mulsi_extended": EXTENDED.arith(Arith::MulExtendedSigned)
        .cpp_forms(&[
            form("{\n  const int64_t wide = static_cast<int64_t>($lhs) * static_cast<int64_t>($rhs);\n  $low = static_cast<:low>(wide);\n  $high = static_cast<:high>(wide >> 32);\n}").when(When::Scalar("lhs", ScalarType::Elem(I32))),
        ]);
    /// Unsigned product, both halves.
    arith_mului_extended = "arith.mului_extended": EXTENDED.arith(Arith::MulExtendedUnsigned)
        .cpp_forms(&[
            form("{\n  const uint64_t wide = static_cast<uint64_t>(static_cast<uint32_t>($lhs)) * static_cast<uint64_t>(static_cast<uint32_t>($rhs));\n  $low = static_cast<:low>(wide);\n  $high = static_cast<:high>(wide >> 32);\n}").when(When::Scalar("lhs", ScalarType::Elem(I32))),
        ]);
    /// A buffer of the lowered dialect.
    memref_alloc = "memref.alloc": SCALAR.storage(Storage::Buffer)
        .slots(&[value_in("sizes", SlotKind::Index).many()])
        .results(RESULT)
        .attrs(&[opt_attr("alignment", AttrKind::Int(0, i64::MAX), "", "alignment in bytes")])
        .custom(Custom::MemrefAlloc)
        .effect(Effect::View);
    /// Gives a buffer back.
    memref_dealloc = "memref.dealloc": SCALAR.storage(Storage::Free)
        .slots(&[value_in("memref", SlotKind::Any)])
        .pattern("$memref {} : :memref")
        .effect(Effect::View);
    /// Reads an element of a buffer.
    memref_load = "memref.load": SCALAR.movement(Movement::LoadElement)
        .slots(&[value_in("memref", SlotKind::Any), value_in("indices", SlotKind::Index).many()])
        .results(RESULT)
        .custom(Custom::MemrefLoad);
    /// Writes an element of a buffer.
    memref_store = "memref.store": SCALAR.movement(Movement::StoreElement)
        .slots(&[value_in("value", SlotKind::Any), value_in("memref", SlotKind::Any), value_in("indices", SlotKind::Index).many()])
        .custom(Custom::MemrefStore);
    /// An extent of a buffer.
    memref_dim = "memref.dim": SCALAR.storage(Storage::BufferExtent)
        .slots(&[value_in("memref", SlotKind::Any), value_in("index", SlotKind::Index)])
        .results(&[result("result", SlotKind::Index)])
        .custom(Custom::MemrefDim);
    /// The same buffer under a more or less precise type.
    memref_cast = "memref.cast": CAST.storage(Storage::BufferCast).effect(Effect::View);
    /// A window of a buffer: offsets, sizes, strides.
    memref_subview = "memref.subview": SCALAR.storage(Storage::BufferWindow)
        .slots(&[value_in("source", SlotKind::Any), value_in("offsets", SlotKind::Index).many(), value_in("sizes", SlotKind::Index).many(), value_in("strides", SlotKind::Index).many()])
        .results(RESULT)
        .attrs(&[attr("static_offsets", AttrKind::Any, "offsets"), attr("static_sizes", AttrKind::Any, "sizes"), attr("static_strides", AttrKind::Any, "strides")])
        .custom(Custom::MemrefView)
        .effect(Effect::View);
    /// The same memory with another shape: offset, sizes, strides.
    memref_reinterpret_cast = "memref.reinterpret_cast": SCALAR.storage(Storage::BufferRecast)
        .slots(&[value_in("source", SlotKind::Any), value_in("offsets", SlotKind::Index).many(), value_in("sizes", SlotKind::Index).many(), value_in("strides", SlotKind::Index).many()])
        .results(RESULT)
        .attrs(&[attr("static_offsets", AttrKind::Any, "offset"), attr("static_sizes", AttrKind::Any, "sizes"), attr("static_strides", AttrKind::Any, "strides")])
        .custom(Custom::MemrefView)
        .effect(Effect::View);
}
