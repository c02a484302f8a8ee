//! Moves and changes of layout.

use super::moves;
use pto_vector::{Kernel, kernels};

pto_isa::layout!(kernels);

const KERNELS: Kernels = Kernels {
    tmov: moves::MOVE,
    tmov_fp: moves::MOVE,
    textract: moves::EXTRACT,
    textract_fp: moves::EXTRACT,
    tinsert: moves::INSERT,
    tinsert_fp: moves::INSERT,
    ttrans: Kernel::MISSING,
    tfillpad: Kernel::MISSING,
    tfillpad_inplace: Kernel::MISSING,
    tfillpad_expand: Kernel::MISSING,
    tconcat: Kernel::MISSING,
    tconcatidx: Kernel::MISSING,
    tinterleave: Kernel::MISSING,
    tdeinterleave: Kernel::MISSING,
    tpack: Kernel::MISSING,
    timg2col: Kernel::MISSING,
};
