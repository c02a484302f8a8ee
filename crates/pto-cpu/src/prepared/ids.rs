//! Typed indices of registers, steps and table entries, and the tables they index.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A number that indexes a [`Table`].
pub(crate) trait Id: Copy {
    fn new(index: usize) -> Self;
    fn index(self) -> usize;
}

macro_rules! ids {
    ($($(#[$about:meta])+ $name:ident;)+) => {$(
        $(#[$about])+
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
        pub(crate) struct $name(pub u32);

        impl Id for $name {
            #[inline(always)]
            fn new(index: usize) -> Self {
                Self(index as u32)
            }

            #[inline(always)]
            fn index(self) -> usize {
                self.0 as usize
            }
        }
    )+};
}

ids! {
    /// A scalar register: integers and addresses as 64 bits, floats as the bits of an `f32` (`f64` as its own).
    Reg;
    /// A register that holds a tile: where it lies and what part of it is valid.
    TileId;
    /// A register that holds a window of memory.
    ViewId;
    /// A tile type: the layout of the memory of tiles.
    GeometryId;
    /// A step, by its position in the program.
    StepId;
    /// A [`PlanLoop`](super::PlanLoop).
    LoopId;
    /// A count of iterations.
    CountId;
    /// A [`Switch`](super::Switch).
    SwitchId;
    /// A [`Bind`](super::Bind).
    BindId;
    /// Registers that keep buffers while others are placed.
    HeldId;
    /// A [`Window`](super::TileWindow).
    WindowId;
    /// An [`OpenRegion`](super::OpenRegion).
    OpenRegionId;
    /// A [`MakeView`](super::MakeView).
    MakeViewId;
    /// A [`Partition`](super::Partition).
    PartitionId;
    /// A [`ScalarAccess`](super::ScalarAccess).
    AccessId;
    /// An [`Allocate`](super::Allocate).
    AllocationId;
    /// A [`Local`](super::Local).
    LocalId;
    /// A [`KernelStep`](super::KernelStep).
    KernelId;
    /// A [`Print`](super::Print).
    PrintId;
    /// A [`RuleCheck`](super::RuleCheck).
    CheckId;
    /// A [`PipeOrder`](super::PipeOrder).
    OrderId;
    /// A [`Link`](super::Link).
    LinkId;
    /// A [`PipeEnd`](super::PipeEnd).
    EndId;
}

impl Reg {
    /// The register at this distance.
    pub fn plus(self, count: u32) -> Self {
        Self(self.0 + count)
    }
}

impl StepId {
    /// The next step in the list.
    #[inline(always)]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// A list whose entries have typed numbers.
pub(crate) struct Table<I, T> {
    items: Vec<T>,
    id: PhantomData<fn(I) -> I>,
}

impl<I: Id, T> Table<I, T> {
    /// Adds an entry; the result is its number.
    pub fn push(&mut self, item: T) -> I {
        self.items.push(item);
        I::new(self.items.len() - 1)
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// The number that the next entry will have.
    pub fn next_id(&self) -> I {
        I::new(self.items.len())
    }

    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }

    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }

    /// The entries with their numbers.
    pub fn entries(&self) -> impl Iterator<Item = (I, &T)> {
        self.items.iter().enumerate().map(|(at, item)| (I::new(at), item))
    }

    pub fn as_slice(&self) -> &[T] {
        &self.items
    }
}

impl<I: Id, T: Copy> Table<I, T> {
    /// Takes over the entries of a table of the same length.
    pub fn copy_from(&mut self, other: &Self) {
        self.items.copy_from_slice(&other.items);
    }
}

impl<I: Id, T: Clone> Table<I, T> {
    /// As many entries as another table has, all the same.
    pub fn like<U>(other: &Table<I, U>, item: T) -> Self {
        Self { items: vec![item; other.items.len()], id: PhantomData }
    }

    /// Adds entries; returns the index of the first.
    pub fn extend_by(&mut self, count: usize, item: T) -> I {
        let first = self.next_id();
        self.items.resize(self.items.len() + count, item);
        first
    }

    pub fn fill(&mut self, item: T) {
        self.items.fill(item);
    }
}

impl<I, T> Default for Table<I, T> {
    fn default() -> Self {
        Self { items: Vec::new(), id: PhantomData }
    }
}

impl<I, T: Clone> Clone for Table<I, T> {
    fn clone(&self) -> Self {
        Self { items: self.items.clone(), id: PhantomData }
    }
}

impl<I, T: fmt::Debug> fmt::Debug for Table<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.items.fmt(f)
    }
}

impl<I: Id, T> Index<I> for Table<I, T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for Table<I, T> {
    #[inline(always)]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}
