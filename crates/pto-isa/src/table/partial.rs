//! Placeholder.
use crate::Row;
use crate::table::family;

family! { Partial, "pto", partial;
    /// Placeholder row.
    placeholder_partial: Row::EMPTY;
}
