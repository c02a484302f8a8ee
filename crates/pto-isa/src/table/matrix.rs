//! Placeholder.
use crate::Row;
use crate::table::family;

family! { Matrix, "pto", matrix;
    /// Placeholder row.
    placeholder_matrix: Row::EMPTY;
}
