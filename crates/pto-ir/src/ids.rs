//! Positions in the arenas of a module.

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub struct $name(pub(crate) u32);

        impl $name {
            /// The id at a position.
            #[inline]
            pub fn from_index(at: usize) -> Self {
                Self::new(at)
            }

            #[inline]
            pub(crate) fn new(at: usize) -> Self {
                Self(u32::try_from(at).expect("an arena holds at most 2^32 entries"))
            }

            /// The position, for side tables.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    )+};
}

ids! {
    /// An operation.
    OpId,
    /// A value: a result or a block argument.
    ValueId,
    /// A block.
    BlockId,
    /// A region.
    RegionId,
    /// An interned type.
    TypeId,
    /// An interned name.
    Sym,
}

impl TypeId {
    /// The type that is not known.
    pub const UNKNOWN: Self = Self(0);
}

impl Sym {
    /// The empty name: unnamed values.
    pub const EMPTY: Self = Self(0);
}
