//! Placeholder.
use crate::Row;
use crate::table::family;

family! { Quant, "pto", quant;
    /// Placeholder row.
    placeholder_quant: Row::EMPTY;
}
