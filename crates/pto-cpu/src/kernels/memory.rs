//! Transfers between global memory and tiles.

use super::{fixpipe, indexed, transfer};
use pto_vector::kernels;

pto_isa::memory!(kernels);

const KERNELS: Kernels = Kernels {
    tload: transfer::LOAD,
    tstore: fixpipe::STORE,
    tstore_fp: fixpipe::STORE,
    tprefetch: transfer::PREFETCH,
    tprefetch_async: transfer::PREFETCH,
    mgather: indexed::GATHER,
    mscatter: indexed::SCATTER,
};
