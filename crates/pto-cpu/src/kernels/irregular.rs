//! Sorting, gathering, and tiles made from nothing.

mod blocks;
mod first;
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
use pto_vector::{OpKernel, kernels};

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
    tprint: OpKernel::MISSING,
    tgetval: OpKernel::MISSING,
    tsetval: OpKernel::MISSING,
    print: OpKernel::MISSING,
    trap: OpKernel::MISSING,
    get_vms4_sr: OpKernel::MISSING,
};
