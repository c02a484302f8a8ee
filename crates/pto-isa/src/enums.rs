//! The enumerations that attributes are drawn from.

use crate::Pipe;
use std::fmt;

/// How the dialect brackets an enumeration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bracket {
    /// `#pto.pipe<PIPE_V>`
    Dotted,
    /// `#pto<cmp eq>`
    Spaced,
    /// `slt`: a keyword of the operation; a number in the generic form.
    Bare,
}

/// How C++ spells the values of an enumeration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CppCase {
    /// `PIPE_V`: as the dialect does.
    Same,
    /// `gt` → `GT`
    Upper,
    /// `atomic_add` → `AtomicAdd`, `aiv_only` → `AIVOnly`
    Pascal,
    /// `width8_precision4` → `Width8_Precision4`
    Title,
    /// `RINT` → `CAST_RINT`
    Cast,
    /// A class of operations, spelled as the pipe that runs them.
    Pipe,
    /// The number of the value.
    Number,
}

/// A named list of values.
#[derive(Debug)]
pub struct EnumDef {
    /// The name in `#pto.name<…>`.
    pub name: &'static str,
    /// How the dialect brackets it.
    pub bracket: Bracket,
    /// The C++ type in the device headers, empty where there is none.
    pub cpp: &'static str,
    /// How C++ spells the values.
    pub case: CppCase,
    /// Values in the dialect's spelling, with their numbers.
    pub values: &'static [(&'static str, i64)],
}

impl PartialEq for EnumDef {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for EnumDef {}

impl EnumDef {
    /// The position of a value, written in any case.
    pub fn find(&self, text: &str) -> Option<usize> {
        self.values.iter().position(|(name, _)| name.eq_ignore_ascii_case(text))
    }

    /// The position of the value with this number.
    pub fn find_number(&self, number: i64) -> Option<usize> {
        self.values.iter().position(|(_, n)| *n == number)
    }

    /// The spelling of the value at a position.
    pub const fn value(&self, at: usize) -> &'static str {
        self.values[at].0
    }

    /// The C++ spelling of the value at a position.
    ///
    /// ```
    /// use pto_isa::enums;
    /// assert_eq!(enums::CMP.cpp_value(4), "CmpMode::GT");
    /// assert_eq!(enums::ACC_TO_VEC_MODE.cpp_value(2), "AccToVecMode::DualModeSplitM");
    /// assert_eq!(enums::PIPE_EVENT_TYPE.cpp_value(1), "PIPE_FIX");
    /// ```
    pub fn cpp_value(&self, at: usize) -> String {
        let (name, number) = self.values[at];
        let word = match self.case {
            CppCase::Same => name.to_string(),
            CppCase::Upper => name.to_ascii_uppercase(),
            CppCase::Pascal => name.split('_').map(capital).collect(),
            CppCase::Title => name.split('_').map(capital).collect::<Vec<_>>().join("_"),
            CppCase::Cast => format!("CAST_{}", name.strip_prefix("CAST_").unwrap_or(name)),
            CppCase::Pipe => pipe_of_class(name).name().to_string(),
            CppCase::Number => number.to_string(),
        };
        if self.cpp.is_empty() { word } else { format!("{}::{word}", self.cpp) }
    }
}

/// A word with a capital letter; names of core kinds are capitals throughout.
fn capital(word: &str) -> String {
    match word {
        "aiv" | "aic" => word.to_ascii_uppercase(),
        _ => word.chars().next().into_iter().flat_map(char::to_uppercase).chain(word.chars().skip(1)).collect(),
    }
}

/// The pipe that runs a class of operations, as events name them.
pub fn pipe_of_class(name: &str) -> Pipe {
    match name {
        "TLOAD" => Pipe::Mte2,
        "TSTORE_VEC" => Pipe::Mte3,
        "TSTORE_ACC" | "TMOV_M2S" | "TMOV_V2M" => Pipe::Fix,
        "TMOV_M2L" | "TMOV_M2B" => Pipe::Mte1,
        "TMATMUL" => Pipe::M,
        _ => Pipe::V,
    }
}

impl fmt::Display for EnumDef {
    /// The legal values, for messages.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (name, _)) in self.values.iter().enumerate() {
            write!(f, "{}{name}", if i > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}

macro_rules! enums {
    ($($(#[$doc:meta])* $id:ident = $bracket:ident $name:literal $cpp:literal $case:ident { $($value:literal = $n:literal),+ $(,)? })+) => {
        $($(#[$doc])* pub const $id: EnumDef = EnumDef {
            name: $name, bracket: Bracket::$bracket, cpp: $cpp, case: CppCase::$case, values: &[$(($value, $n)),+],
        };)+
        /// Every enumeration.
        pub static ENUMS: &[&EnumDef] = &[$(&$id),+];
    };
}

enums! {
    /// Memory of a reserved buffer or a lowered operand.
    ADDRESS_SPACE = Dotted "address_space" "" Same { "zero" = 0, "gm" = 1, "mat" = 2, "left" = 3, "right" = 4, "acc" = 5, "vec" = 6, "bias" = 7, "scaling" = 8 }
    /// Pipes.
    PIPE = Dotted "pipe" "" Same { "PIPE_S" = 0, "PIPE_V" = 1, "PIPE_M" = 2, "PIPE_MTE1" = 3, "PIPE_MTE2" = 4, "PIPE_MTE3" = 5, "PIPE_ALL" = 6, "PIPE_MTE4" = 7, "PIPE_MTE5" = 8, "PIPE_V2" = 9, "PIPE_FIX" = 10, "VIRTUAL_PIPE_MTE2_L1A" = 11, "VIRTUAL_PIPE_MTE2_L1B" = 12, "PIPE_NUM" = 13, "PIPE_UNASSIGNED" = 99 }
    /// The operation classes that events connect.
    PIPE_EVENT_TYPE = Dotted "pipe_event_type" "" Pipe { "TLOAD" = 0, "TSTORE_ACC" = 1, "TSTORE_VEC" = 2, "TMOV_M2L" = 3, "TMOV_M2S" = 4, "TMOV_M2B" = 5, "TMOV_M2V" = 6, "TMOV_V2M" = 7, "TMATMUL" = 8, "TVEC" = 9, "TVECWAIT_EVENT" = 10 }
    /// The older name of the same list.
    SYNC_OP_TYPE = Dotted "sync_op_type" "" Pipe { "TLOAD" = 0, "TSTORE_ACC" = 1, "TSTORE_VEC" = 2, "TMOV_M2L" = 3, "TMOV_M2S" = 4, "TMOV_M2B" = 5, "TMOV_M2V" = 6, "TMOV_V2M" = 7, "TMATMUL" = 8, "TVEC" = 9, "TVECWAIT_EVENT" = 10 }
    /// Event ids between two pipes.
    EVENT = Dotted "event" "" Same { "EVENT_ID0" = 0, "EVENT_ID1" = 1, "EVENT_ID2" = 2, "EVENT_ID3" = 3, "EVENT_ID4" = 4, "EVENT_ID5" = 5, "EVENT_ID6" = 6, "EVENT_ID7" = 7 }
    /// Layout of a global tensor.
    LAYOUT = Dotted "layout" "Layout" Upper { "nd" = 0, "dn" = 1, "nz" = 2, "mx_a_zz" = 3, "mx_b_nn" = 4, "mx_a_nd" = 5, "mx_a_dn" = 6, "mx_b_nd" = 7, "mx_b_dn" = 8, "nc1hwc0" = 9 }
    /// Which core runs a function.
    KERNEL_KIND = Dotted "kernel_kind" "" Same { "cube" = 0, "vector" = 1 }
    /// Core type of a function in lowered programs.
    FUNC_CORE_TYPE = Dotted "func_core_type" "" Same { "AIC" = 1, "AIV" = 2, "MIX" = 3, "AIC_OR_AIV" = 4 }
    /// Core type of a module in lowered programs.
    MODULE_CORE_TYPE = Dotted "module_core_type" "" Same { "AIC" = 1, "AIV" = 2, "MIX" = 3 }
    /// Padding of a load.
    PADMODE = Dotted "padmode" "" Same { "PadNull" = 0, "PadFirstElem" = 1, "PadValue" = 2 }
    /// Which vector core receives an accumulator.
    ACC_TO_VEC_MODE = Dotted "acc_to_vec_mode" "AccToVecMode" Pascal { "single_mode_vec0" = 0, "single_mode_vec1" = 1, "dual_mode_split_m" = 2, "dual_mode_split_n" = 3 }
    /// Which elements a masked gather keeps; read from right to left.
    MASK_PATTERN = Dotted "mask_pattern" "MaskPattern" Same { "P0101" = 1, "P1010" = 2, "P0001" = 3, "P0010" = 4, "P0100" = 5, "P1000" = 6, "P1111" = 7 }
    /// Box order.
    BLAYOUT = Dotted "blayout" "BLayout" Pascal { "row_major" = 0, "col_major" = 1 }
    /// Element order inside a box.
    SLAYOUT = Dotted "slayout" "SLayout" Pascal { "none_box" = 0, "row_major" = 1, "col_major" = 2 }
    /// Pad value of a tile.
    PAD_VALUE = Dotted "pad_value" "PadValue" Pascal { "null" = 0, "zero" = 1, "max" = 2, "min" = 3 }
    /// Packing of a tile.
    COMPACT_MODE = Dotted "compact_mode" "CompactMode" Pascal { "null" = 0, "normal" = 1, "row_plus_one" = 2 }
    /// How a sync-all waits.
    SYNC_ALL_MODE = Dotted "sync_all_mode" "SyncAllMode" Pascal { "hard" = 0, "soft" = 1 }
    /// Which cores take part in a sync-all.
    SYNC_CORE_TYPE = Dotted "sync_core_type" "SyncCoreType" Pascal { "aiv_only" = 0, "aic_only" = 1, "mix" = 2 }
    /// What a fence orders.
    FENCE_SCOPE = Dotted "fence_scope" "" Same { "local_memory" = 0, "gm" = 1, "all" = 2 }
    /// How an insert splits fp4 data.
    TINSERT_MODE = Dotted "tinsert_mode" "TInsertMode" Upper { "split2" = 2, "split4" = 3 }
    /// Comparison.
    CMP = Spaced "cmp" "CmpMode" Upper { "eq" = 0, "ne" = 1, "lt" = 2, "le" = 3, "gt" = 4, "ge" = 5 }
    /// Rounding of a conversion.
    ROUND_MODE = Spaced "round_mode" "RoundMode" Cast { "NONE" = 0, "RINT" = 1, "ROUND" = 2, "FLOOR" = 3, "CEIL" = 4, "TRUNC" = 5, "ODD" = 6, "CAST_RINT" = 7 }
    /// Saturation of a conversion.
    SATURATION_MODE = Spaced "saturation_mode" "SaturationMode" Same { "ON" = 0, "OFF" = 1 }
    /// Unit-flag phase of a store.
    ST_PHASE = Spaced "st_phase" "STPhase" Pascal { "unspecified" = 0, "partial" = 2, "final" = 3 }
    /// Unit-flag phase of a matrix product.
    ACC_PHASE = Spaced "acc_phase" "AccPhase" Pascal { "unspecified" = 0, "partial" = 2, "final" = 3 }
    /// Atomic stores.
    ATOMIC_TYPE = Spaced "atomic_type" "AtomicType" Pascal { "atomic_none" = 0, "atomic_add" = 1 }
    /// ReLU on the fix pipe.
    RELU_PRE_MODE = Spaced "relu_pre_mode" "ReluPreMode" Pascal { "no_relu" = 0, "normal_relu" = 1, "scalar_relu" = 2, "vector_relu" = 3, "pwl" = 4 }
    /// Gather index outside the table.
    GATHER_OOB = Spaced "gather_oob" "GatherOOB" Pascal { "undefined" = 0, "clamp" = 1, "wrap" = 2, "zero" = 3 }
    /// Atomic of a scatter.
    SCATTER_ATOMIC_OP = Spaced "scatter_atomic_op" "ScatterAtomicOp" Pascal { "none" = 0, "add" = 1, "max" = 2, "min" = 3 }
    /// Scatter index outside the table.
    SCATTER_OOB = Spaced "scatter_oob" "ScatterOOB" Pascal { "undefined" = 0, "skip" = 1, "clamp" = 2, "wrap" = 3 }
    /// Two scatters to one place.
    SCATTER_CONFLICT = Spaced "scatter_conflict" "ScatterConflict" Pascal { "default" = 0, "last" = 1 }
    /// Unit of a gather or scatter.
    COALESCE = Spaced "coalesce" "Coalesce" Pascal { "row" = 0, "elem" = 1 }
    /// Quantisation.
    QUANT_TYPE = Spaced "quant_type" "QuantType" Same { "INT8_SYM" = 0, "INT8_ASYM" = 1, "MXFP8" = 2, "MXFP4_E2M1" = 3 }
    /// How a block scale is chosen.
    QUANT_SCALE_ALG = Spaced "quant_scale_alg" "QuantScaleAlg" Upper { "ocp" = 0, "nv" = 1 }
    /// Along which axis a block of an MX format runs.
    MX_GROUP_AXIS = Spaced "mx_group_axis" "" Number { "axis0" = 0, "axis1" = 1 }
    /// Layout of a quantised store.
    VEC_STORE_MODE = Spaced "vec_store_mode" "VecStoreMode" Upper { "nd" = 0, "nz" = 1 }
    /// Signal update.
    NOTIFY_OP = Spaced "notify_op" "NotifyOp" Pascal { "atomic_add" = 0, "set" = 1 }
    /// Signal comparison (numbered differently from `cmp`).
    WAIT_CMP = Spaced "wait_cmp" "WaitCmp" Upper { "eq" = 0, "ne" = 1, "gt" = 2, "ge" = 3, "lt" = 4, "le" = 5 }
    /// Reduction between ranks.
    REDUCE_OP = Spaced "reduce_op" "ReduceOp" Pascal { "sum" = 0, "max" = 1, "min" = 2 }
    /// Number format of a debug print.
    PRINT_FORMAT = Spaced "print_format" "PrintFormat" Title { "width8_precision4" = 0, "width8_precision2" = 1, "width10_precision6" = 2 }
    /// Accuracy, in the spelling that serves every instruction.
    PRECISION_MODE = Spaced "precision_mode" "" Upper { "default" = 0, "high_precision" = 1 }
    /// Accuracy of a division.
    DIV_PRECISION = Spaced "div_precision" "DivAlgorithm" Upper { "default" = 0, "high_precision" = 1 }
    /// Accuracy of an exponential.
    EXP_PRECISION = Spaced "exp_precision" "ExpAlgorithm" Upper { "default" = 0, "high_precision" = 1 }
    /// Accuracy of a logarithm.
    LOG_PRECISION = Spaced "log_precision" "LogAlgorithm" Upper { "default" = 0, "high_precision" = 1 }
    /// Accuracy of a reciprocal.
    RECIP_PRECISION = Spaced "recip_precision" "RecipAlgorithm" Upper { "default" = 0, "high_precision" = 1 }
    /// Accuracy of a remainder.
    REM_PRECISION = Spaced "rem_precision" "RemAlgorithm" Upper { "default" = 0, "high_precision" = 1 }
    /// Accuracy of a reciprocal square root.
    RSQRT_PRECISION = Spaced "rsqrt_precision" "RsqrtAlgorithm" Upper { "default" = 0, "high_precision" = 1 }
    /// Accuracy of a square root.
    SQRT_PRECISION = Spaced "sqrt_precision" "SqrtAlgorithm" Upper { "default" = 0, "high_precision" = 1 }
    /// Accuracy of a floating remainder.
    FMOD_PRECISION = Spaced "fmod_precision" "FmodAlgorithm" Upper { "default" = 0, "high_precision" = 1 }
    /// Predicates of integer comparisons.
    CMPI_PREDICATE = Bare "cmpi_predicate" "" Same { "eq" = 0, "ne" = 1, "slt" = 2, "sle" = 3, "sgt" = 4, "sge" = 5, "ult" = 6, "ule" = 7, "ugt" = 8, "uge" = 9 }
    /// Predicates of floating-point comparisons.
    CMPF_PREDICATE = Bare "cmpf_predicate" "" Same { "false" = 0, "oeq" = 1, "ogt" = 2, "oge" = 3, "olt" = 4, "ole" = 5, "one" = 6, "ord" = 7, "ueq" = 8, "ugt" = 9, "uge" = 10, "ult" = 11, "ule" = 12, "une" = 13, "uno" = 14, "true" = 15 }
    /// How an integer is read.
    SIGNEDNESS = Dotted "signedness" "" Same { "signed" = 0, "unsigned" = 1 }
    /// Predicates of comparisons, for integers and floats.
    SCALAR_CMP_PREDICATE = Dotted "scalar_cmp_predicate" "" Same { "eq" = 0, "ne" = 1, "lt" = 2, "le" = 3, "gt" = 4, "ge" = 5, "false" = 6, "oeq" = 7, "ogt" = 8, "oge" = 9, "olt" = 10, "ole" = 11, "one" = 12, "ord" = 13, "ueq" = 14, "ugt" = 15, "uge" = 16, "ult" = 17, "ule" = 18, "une" = 19, "uno" = 20, "true" = 21 }
    /// How a load uses the L2 cache.
    LOAD_CACHE_POLICY = Dotted "load_cache_policy" "" Same { "default" = 0, "l2_bypass" = 1 }
    /// Accuracy of a power.
    POW_PRECISION = Spaced "pow_precision" "PowAlgorithm" Upper { "default" = 0, "high_precision" = 1 }
}

/// The enumeration of this name.
pub fn find(name: &str) -> Option<&'static EnumDef> {
    ENUMS.iter().copied().find(|e| e.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values_are_unique() {
        for (i, e) in ENUMS.iter().enumerate() {
            assert!(ENUMS[..i].iter().all(|other| other.name != e.name), "{}", e.name);
            for (at, (value, _)) in e.values.iter().enumerate() {
                assert_eq!(e.find(value), Some(at));
            }
        }
        assert_eq!(CMP.find("GT"), Some(4));
    }
}
