//! Products of matrices.

use pto_vector::{Kernel, kernels};

pto_isa::matrix!(kernels);

const KERNELS: Kernels = Kernels {
    tmatmul: Kernel::MISSING,
    tmatmul_acc: Kernel::MISSING,
    tmatmul_bias: Kernel::MISSING,
    tmatmul_mx: Kernel::MISSING,
    tmatmul_mx_acc: Kernel::MISSING,
    tmatmul_mx_bias: Kernel::MISSING,
    tmatmul_mx_hif4: Kernel::MISSING,
    tgemv: Kernel::MISSING,
    tgemv_acc: Kernel::MISSING,
    tgemv_bias: Kernel::MISSING,
    tgemv_mx: Kernel::MISSING,
    tgemv_mx_acc: Kernel::MISSING,
    tgemv_mx_bias: Kernel::MISSING,
    tget_scale_addr: Kernel::MISSING,
    sethf32mode: Kernel::MISSING,
    settf32mode: Kernel::MISSING,
};
