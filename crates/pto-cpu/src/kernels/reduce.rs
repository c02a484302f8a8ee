//! Reductions of rows and columns.

use super::call::Kernel;

pto_isa::reduce!(kernels);

const KERNELS: Kernels = Kernels {
    trowsum: Kernel::MISSING,
    trowprod: Kernel::MISSING,
    trowmax: Kernel::MISSING,
    trowmin: Kernel::MISSING,
    trowargmax: Kernel::MISSING,
    trowargmin: Kernel::MISSING,
    tcolsum: Kernel::MISSING,
    tcolprod: Kernel::MISSING,
    tcolmax: Kernel::MISSING,
    tcolmin: Kernel::MISSING,
    tcolargmax: Kernel::MISSING,
    tcolargmin: Kernel::MISSING,
    tpairreducesum: Kernel::MISSING,
};
