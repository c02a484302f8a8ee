//! Elementwise instructions on whole tiles.

use crate::DType::*;
use crate::row::DocumentedCost;
use crate::shape::BINARY;
use crate::table::family;
use crate::Target::{A2A3, A5};

/// Figures the pages of the two-operand arithmetic print for A2/A3.
const BINARY_FIGURES: DocumentedCost =
    DocumentedCost { startup: 14, completion_fp: 19, completion_int: 17, per_repeat: 2, interval: 18 };

family! { Elementwise, "pto", elementwise;
    /// Elementwise maximum of two tiles.
    ///
    /// `dst[i,j] = max(src0[i,j], src1[i,j])` over the valid region of `dst`.
    tmax: BINARY
        .types(A2A3, &[I32, I16, F16, F32])
        .types(A5, &[U32, I32, U16, I16, U8, I8, F32, F16])
        .any_type_on_cpu()
        .documented(BINARY_FIGURES)
        .cpp("TMAX")
        .page("docs/isa/TMAX.md");
}
