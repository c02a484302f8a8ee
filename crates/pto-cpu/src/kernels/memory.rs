//! Transfers between global memory and tiles.

use super::call::Kernel;

pto_isa::memory!(kernels);

const KERNELS: Kernels = Kernels {
    tload: Kernel::MISSING,
    tstore: Kernel::MISSING,
    tstore_fp: Kernel::MISSING,
    tprefetch: Kernel::MISSING,
    tprefetch_async: Kernel::MISSING,
    mgather: Kernel::MISSING,
    mscatter: Kernel::MISSING,
};
