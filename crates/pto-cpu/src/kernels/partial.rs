//! Instructions whose sources may cover only a part of the destination.

use super::call::Kernel;

pto_isa::partial!(kernels);

const KERNELS: Kernels = Kernels {
    tpartadd: Kernel::MISSING,
    tpartmul: Kernel::MISSING,
    tpartmax: Kernel::MISSING,
    tpartmin: Kernel::MISSING,
    tpartargmax: Kernel::MISSING,
    tpartargmin: Kernel::MISSING,
};
