//! Placeholder.
use crate::Row;
use crate::table::family;

family! { Expand, "pto", expand;
    /// Placeholder row.
    placeholder_expand: Row::EMPTY;
}
