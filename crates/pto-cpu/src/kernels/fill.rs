//! Tiles filled by a rule.

use super::call::Kernel;

pub(super) const SCALAR: Kernel = Kernel::MISSING;
pub(super) const IOTA: Kernel = Kernel::MISSING;
pub(super) const TRIANGLE: Kernel = Kernel::MISSING;
