//! Instructions that repeat a row or a column.

use super::call::Kernel;

pto_isa::expand!(kernels);

const KERNELS: Kernels = Kernels {
    trowexpand: Kernel::MISSING,
    trowexpandadd: Kernel::MISSING,
    trowexpandsub: Kernel::MISSING,
    trowexpandmul: Kernel::MISSING,
    trowexpanddiv: Kernel::MISSING,
    trowexpandmax: Kernel::MISSING,
    trowexpandmin: Kernel::MISSING,
    trowexpandexpdif: Kernel::MISSING,
    tcolexpand: Kernel::MISSING,
    tcolexpandadd: Kernel::MISSING,
    tcolexpandsub: Kernel::MISSING,
    tcolexpandmul: Kernel::MISSING,
    tcolexpanddiv: Kernel::MISSING,
    tcolexpandmax: Kernel::MISSING,
    tcolexpandmin: Kernel::MISSING,
    tcolexpandexpdif: Kernel::MISSING,
};
