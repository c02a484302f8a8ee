//! Comparisons, and selection by their masks.

use super::call::Kernel;

pub(super) const COMPARE: Kernel = Kernel::MISSING;
pub(super) const COMPARE_SCALAR: Kernel = Kernel::MISSING;
pub(super) const SELECT: Kernel = Kernel::MISSING;
pub(super) const SELECT_SCALAR: Kernel = Kernel::MISSING;
