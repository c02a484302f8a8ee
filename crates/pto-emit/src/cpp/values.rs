//! What the values of a program are called, and what is known of them.

use super::names::Identifiers;
use super::views::CppView;
use crate::CppStyle;
use pto_ir::{Module, ValueId};
use pto_isa::TileType;
use std::collections::HashMap;

pub(super) struct ValueTexts {
    /// Names in use in the function.
    pub names: Identifiers,
    /// What each value is called: an identifier or a literal.
    pub texts: Vec<Option<String>>,
    /// Values whose text is a literal.
    pub literal: Vec<bool>,
    /// Views of global memory.
    pub views: HashMap<ValueId, CppView>,
    /// Tiles that are another type in C++: extents that the type leaves open and the program fixes are fixed, and a window
    /// has the physical shape of the tile it is cut from.
    pub tiles: HashMap<ValueId, TileType>,
}

impl ValueTexts {
    pub fn new(module: &Module, style: CppStyle) -> Self {
        Self {
            names: Identifiers::new(style),
            texts: vec![None; module.value_count()],
            literal: vec![false; module.value_count()],
            views: HashMap::new(),
            tiles: HashMap::new(),
        }
    }
}
