//! Instructions of a tile and a scalar.

use super::call::Kernel;
use super::{fill, mask};

pto_isa::tile_scalar!(kernels);

const KERNELS: Kernels = Kernels {
    tadds: Kernel::MISSING,
    tsubs: Kernel::MISSING,
    tmuls: Kernel::MISSING,
    tdivs: Kernel::MISSING,
    tmaxs: Kernel::MISSING,
    tmins: Kernel::MISSING,
    tands: Kernel::MISSING,
    tors: Kernel::MISSING,
    txors: Kernel::MISSING,
    tshls: Kernel::MISSING,
    tshrs: Kernel::MISSING,
    trems: Kernel::MISSING,
    tfmods: Kernel::MISSING,
    tpows: Kernel::MISSING,
    tlrelu: Kernel::MISSING,
    taxpy: Kernel::MISSING,
    taddsc: Kernel::MISSING,
    tsubsc: Kernel::MISSING,
    texpands: fill::SCALAR,
    tcmps: mask::COMPARE_SCALAR,
    tsels: mask::SELECT_SCALAR,
};
