//! Placeholder.
use crate::Row;
use crate::table::family;

family! { Memory, "pto", memory;
    /// Placeholder row.
    placeholder_memory: Row::EMPTY;
}
