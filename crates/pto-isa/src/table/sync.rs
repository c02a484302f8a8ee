//! Placeholder.
use crate::Row;
use crate::table::family;

family! { Sync, "pto", sync;
    /// Placeholder row.
    placeholder_sync: Row::EMPTY;
}
