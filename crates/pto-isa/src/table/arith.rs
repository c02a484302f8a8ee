//! Placeholder.
use crate::Row;
use crate::table::family;

family! { Arith, "pto", arith;
    /// Placeholder row.
    placeholder_arith: Row::EMPTY;
}
