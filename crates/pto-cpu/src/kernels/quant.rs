//! Quantisation.

mod affine;
mod hif4;
mod mx;

use pto_vector::kernels;

pto_isa::quant!(kernels);

const KERNELS: Kernels = Kernels {
    tquant: affine::QUANTISE,
    tquant_mx: mx::QUANTISE,
    tquant_hif4: hif4::QUANTISE,
    tdequant: affine::DEQUANTISE,
};
