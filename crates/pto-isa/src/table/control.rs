//! Placeholder.
use crate::Row;
use crate::table::family;

family! { Control, "pto", control;
    /// Placeholder row.
    placeholder_control: Row::EMPTY;
}
