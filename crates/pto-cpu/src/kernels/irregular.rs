//! Sorting, gathering, and tiles made from nothing.

mod blocks;
mod gather;
mod histogram;
mod index;
mod key;
mod merge;
mod network;
mod pattern;
mod random;
mod scatter;
mod sort;

use pto_vector::{IOTA, TRIANGLE};
use pto_vector::{Kernel, kernels};

pto_isa::irregular!(kernels);

const KERNELS: Kernels = Kernels {
    tsort32: sort::SORT,
    tmrgsort: merge::MERGE,
    tgather: gather::GATHER,
    tgatherb: blocks::GATHER_BLOCKS,
    tscatter: scatter::SCATTER,
    thistogram: histogram::HISTOGRAM,
    tci: IOTA,
    ttri: TRIANGLE,
    trandom: random::RANDOM,
    // Those below are steps of a plan: they touch what kernels do not see.
    tprint: Kernel::MISSING,
    tgetval: Kernel::MISSING,
    tsetval: Kernel::MISSING,
    print: Kernel::MISSING,
    trap: Kernel::MISSING,
    get_vms4_sr: Kernel::MISSING,
};
