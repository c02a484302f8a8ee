//! Sorting, gathering, and tiles made from nothing.

use pto_vector::{IOTA, TRIANGLE};
use pto_vector::{Kernel, kernels};

pto_isa::irregular!(kernels);

const KERNELS: Kernels = Kernels {
    tsort32: Kernel::MISSING,
    tmrgsort: Kernel::MISSING,
    tgather: Kernel::MISSING,
    tgatherb: Kernel::MISSING,
    tscatter: Kernel::MISSING,
    thistogram: Kernel::MISSING,
    tci: IOTA,
    ttri: TRIANGLE,
    trandom: Kernel::MISSING,
    tprint: Kernel::MISSING,
    tgetval: Kernel::MISSING,
    tsetval: Kernel::MISSING,
    print: Kernel::MISSING,
    trap: Kernel::MISSING,
    get_vms4_sr: Kernel::MISSING,
};
