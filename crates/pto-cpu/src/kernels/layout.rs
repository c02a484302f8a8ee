//! Moves and changes of layout.

use pto_vector::{Kernel, kernels};

pto_isa::layout!(kernels);

const KERNELS: Kernels = Kernels {
    tmov: Kernel::MISSING,
    tmov_fp: Kernel::MISSING,
    textract: Kernel::MISSING,
    textract_fp: Kernel::MISSING,
    tinsert: Kernel::MISSING,
    tinsert_fp: Kernel::MISSING,
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
