//! Reference pages from the instruction table.
