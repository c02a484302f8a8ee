//! Moves and changes of layout.

use super::{img2col, moves, rearrange, weave};
use pto_vector::kernels;

pto_isa::layout!(kernels);

const KERNELS: Kernels = Kernels {
    tmov: moves::MOVE,
    tmov_fp: moves::MOVE,
    textract: moves::EXTRACT,
    textract_fp: moves::EXTRACT,
    tinsert: moves::INSERT,
    tinsert_fp: moves::INSERT,
    ttrans: rearrange::TRANSPOSE,
    tfillpad: rearrange::FILL,
    tfillpad_inplace: rearrange::FILL,
    tfillpad_expand: rearrange::FILL,
    tconcat: rearrange::CONCAT,
    tconcatidx: rearrange::CONCAT_COUNTED,
    tinterleave: weave::INTERLEAVE,
    tdeinterleave: weave::DEINTERLEAVE,
    tpack: weave::PACK,
    timg2col: img2col::IMG2COL,
};
