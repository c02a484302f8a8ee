//! Placeholder.
use crate::Row;
use crate::table::family;

family! { Irregular, "pto", irregular;
    /// Placeholder row.
    placeholder_irregular: Row::EMPTY;
}
