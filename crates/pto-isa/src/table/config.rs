//! Placeholder.
use crate::Row;
use crate::table::family;

family! { Config, "pto", config;
    /// Placeholder row.
    placeholder_config: Row::EMPTY;
}
