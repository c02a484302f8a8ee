//! Placeholder.
use crate::Row;
use crate::table::family;

family! { TileScalar, "pto", tile_scalar;
    /// Placeholder row.
    placeholder_tile_scalar: Row::EMPTY;
}
