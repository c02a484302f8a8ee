//! Quantisation.

use pto_vector::{Kernel, kernels};

pto_isa::quant!(kernels);

const KERNELS: Kernels = Kernels {
    tquant: Kernel::MISSING,
    tquant_mx: Kernel::MISSING,
    tquant_hif4: Kernel::MISSING,
    tdequant: Kernel::MISSING,
};
