//! Placeholder.
use crate::Row;
use crate::table::family;

family! { Comm, "pto", comm;
    /// Placeholder row.
    placeholder_comm: Row::EMPTY;
}
