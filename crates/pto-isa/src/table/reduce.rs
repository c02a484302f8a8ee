//! Placeholder.
use crate::Row;
use crate::table::family;

family! { Reduce, "pto", reduce;
    /// Placeholder row.
    placeholder_reduce: Row::EMPTY;
}
