//! Transfers between global memory and tiles.

use super::transfer;
use pto_vector::{Kernel, kernels};

pto_isa::memory!(kernels);

const KERNELS: Kernels = Kernels {
    tload: transfer::LOAD,
    tstore: transfer::STORE,
    tstore_fp: Kernel::MISSING,
    tprefetch: Kernel::MISSING,
    tprefetch_async: Kernel::MISSING,
    mgather: Kernel::MISSING,
    mscatter: Kernel::MISSING,
};
