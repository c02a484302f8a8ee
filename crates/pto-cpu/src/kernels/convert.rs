//! Conversions between element types.

use super::call::Kernel;

pub(super) const CONVERT: Kernel = Kernel::MISSING;
