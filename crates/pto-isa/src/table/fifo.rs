//! Placeholder.
use crate::Row;
use crate::table::family;

family! { Fifo, "pto", fifo;
    /// Placeholder row.
    placeholder_fifo: Row::EMPTY;
}
