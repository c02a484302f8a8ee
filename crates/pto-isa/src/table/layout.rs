//! Placeholder.
use crate::Row;
use crate::table::family;

family! { Layout, "pto", layout;
    /// Placeholder row.
    placeholder_layout: Row::EMPTY;
}
