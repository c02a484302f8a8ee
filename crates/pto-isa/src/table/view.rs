//! Placeholder.
use crate::Row;
use crate::table::family;

family! { View, "pto", view;
    /// Placeholder row.
    placeholder_view: Row::EMPTY;
}
