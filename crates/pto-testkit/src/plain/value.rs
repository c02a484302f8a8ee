//! What a value can be.

use super::memory::PlainAddress;
use pto::isa::{GlobalLayout, TileType};
use std::cell::RefCell;
use std::rc::Rc;

#[derive(Clone, Debug)]
pub enum Val {
    /// A scalar: the bits of its type, and zeros above.
    Bits(u64),
    Pointer(PlainAddress),
    /// A tile object; several values can mean the same one.
    Tile(Rc<RefCell<PlainTile>>),
    /// The tile objects of a multi-buffered tile.
    Tiles(Vec<Rc<RefCell<PlainTile>>>),
    View(PlainView),
    /// A local array or record.
    Cells(Rc<RefCell<Vec<u64>>>),
    /// Tokens and events.
    Nothing,
}

/// A tile: a rectangle of a matrix that lies in a memory.
#[derive(Clone, Copy, Debug)]
pub struct PlainTile {
    /// Where the matrix starts.
    pub place: PlainAddress,
    /// The layout of the matrix.
    pub matrix: TileType,
    /// The first element of the tile in the matrix.
    pub origin: (u64, u64),
    /// Its own type.
    pub ty: TileType,
    /// Valid rows and columns.
    pub valid: (u64, u64),
}

/// A window of a buffer; strides count elements.
#[derive(Clone, Debug)]
pub struct PlainView {
    pub place: PlainAddress,
    pub shape: Vec<u64>,
    pub strides: Vec<i64>,
    pub layout: GlobalLayout,
}

impl PlainView {
    /// A matrix whose rows follow each other.
    pub fn packed(place: PlainAddress, shape: &[u64]) -> Self {
        let mut strides = vec![1; shape.len()];
        for k in (1..shape.len()).rev() {
            strides[k - 1] = strides[k] * shape[k] as i64;
        }
        Self { place, shape: shape.to_vec(), strides, layout: GlobalLayout::Nd }
    }
}

impl Val {
    pub fn bits(&self) -> u64 {
        match self {
            Self::Bits(bits) => *bits,
            other => panic!("{other:?} is not a number"),
        }
    }

    pub fn truth(&self) -> bool {
        self.bits() == 1
    }

    pub fn tile(&self) -> Rc<RefCell<PlainTile>> {
        match self {
            Self::Tile(tile) => Rc::clone(tile),
            other => panic!("{other:?} is not a tile"),
        }
    }

    pub fn view(&self) -> PlainView {
        match self {
            Self::View(view) => view.clone(),
            other => panic!("{other:?} is not a view"),
        }
    }

    /// The address a pointer holds, or where a view starts.
    pub fn address(&self) -> PlainAddress {
        match self {
            Self::Pointer(address) => *address,
            Self::View(view) => view.place,
            other => panic!("{other:?} is not a pointer"),
        }
    }

    pub fn new_tile(tile: PlainTile) -> Self {
        Self::Tile(Rc::new(RefCell::new(tile)))
    }
}
