//! Transfers between global memory and tiles.

use super::{indexed, transfer};
use pto_vector::{Kernel, kernels};

pto_isa::memory!(kernels);

const KERNELS: Kernels = Kernels {
    tload: transfer::LOAD,
    tstore: transfer::STORE,
    tstore_fp: Kernel::MISSING,
    tprefetch: transfer::PREFETCH,
    tprefetch_async: transfer::PREFETCH,
    mgather: indexed::GATHER,
    mscatter: indexed::SCATTER,
};
