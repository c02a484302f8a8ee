//! The instruction table: one file per family, one group of lines per instruction.
//!
//! An [`Op`] is a position in the table. The constants in [`op`] name each one; text is looked up with
//! [`find`]. To add an instruction, add its lines to the file of its family.

use crate::Row;
use crate::hash::FastMap;
use crate::row::{Arith, Combine, CommOp, Control, CoreQuery, Fifo, LocalOp, Meaning, Movement, Storage, SyncOp};
use crate::sort::SharedSort;
use std::fmt;
use std::sync::OnceLock;

/// Turns the lines of a family into rows and named constants.
///
/// Each entry is `/// documentation`, the mnemonic, optionally `= "text.with.dots"`, a colon and a row.
macro_rules! family {
    ($family:ident, $dialect:literal, $base:ident; $($(#[doc = $doc:literal])+ $id:ident $(= $name:literal)? : $row:expr;)+) => {
        /// The rows of this family.
        pub(super) const ROWS: &[crate::Row] = &[$(
            ($row).named($crate::table::mnemonic!($id $($name)?), $dialect, crate::Family::$family, &[$($doc),+])
        ),+];

        #[expect(non_camel_case_types, reason = "mnemonics are lower case")]
        enum RowIndex { $($id),+ }

        /// Hands the mnemonics of the family, in table order, to another macro.
        ///
        /// An engine makes a structure with a field for each, so that a missing row does not compile.
        #[macro_export]
        macro_rules! $base {
            ($callback:ident) => { $callback! { $($id)+ } };
        }

        /// The operations of this family.
        #[expect(non_upper_case_globals, reason = "constants are named like the instructions")]
        pub mod op {
            use super::RowIndex;
            use crate::Op;
            $($(#[doc = $doc])+ pub const $id: Op = Op::at(crate::table::base::$base + RowIndex::$id as usize);)+
        }
    };
}

/// The mnemonic of an entry: its identifier, unless the text has characters an identifier cannot have.
macro_rules! mnemonic {
    ($id:ident) => {
        stringify!($id)
    };
    ($id:ident $name:literal) => {
        $name
    };
}

use mnemonic;

/// Declares the family modules, their places in the table, and the table.
macro_rules! families {
    ($($module:ident),+ $(,)?) => {
        $(mod $module;)+

        /// Every operation, under its mnemonic.
        pub mod op {
            $(pub use super::$module::op::*;)+
        }

        const FAMILIES: &[&[Row]] = &[$($module::ROWS),+];

        #[expect(non_camel_case_types, reason = "module names")]
        enum FamilyIndex { $($module),+ }

        /// Where each family starts.
        #[expect(non_upper_case_globals, reason = "module names")]
        mod base {
            $(pub(super) const $module: usize = super::rows_before(super::FamilyIndex::$module as usize);)+
        }
    };
}

const fn rows_before(family: usize) -> usize {
    let mut sum = 0;
    let mut f = 0;
    while f < family {
        sum += FAMILIES[f].len();
        f += 1;
    }
    sum
}

mod hazards;

families!(
    elementwise,
    tile_scalar,
    partial,
    reduce,
    expand,
    memory,
    matrix,
    layout,
    quant,
    irregular,
    sync,
    fifo,
    comm,
    view,
    config,
    arith,
    math,
    values,
    memref,
    control,
);

/// Rows in the table.
pub const COUNT: usize = rows_before(FAMILIES.len());

static TABLE: [Row; COUNT] = {
    let mut all = [Row::EMPTY; COUNT];
    let (mut n, mut f) = (0, 0);
    while f < FAMILIES.len() {
        let mut i = 0;
        while i < FAMILIES[f].len() {
            all[n] = FAMILIES[f][i];
            n += 1;
            i += 1;
        }
        f += 1;
    }
    all
};

/// An operation: a position in the table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Op(u16);

impl Op {
    const fn at(position: usize) -> Self {
        assert!(position < COUNT);
        Self(position as u16)
    }

    /// Its row.
    #[inline]
    pub fn row(self) -> &'static Row {
        &TABLE[usize::from(self.0)]
    }

    /// The operation that is this: the first row, where several are.
    ///
    /// ```
    /// use pto_isa::Op;
    /// use pto_isa::row::Control;
    /// assert_eq!(Op::of(Control::For).row().name, "scf.for");
    /// ```
    ///
    /// # Panics
    /// When no row has the meaning; the tests of the table make every one that code asks for.
    pub fn of(meaning: impl Into<Meaning>) -> Self {
        static BY_MEANING: OnceLock<FastMap<Meaning, Op>> = OnceLock::new();
        let map = BY_MEANING.get_or_init(|| {
            // The first row of a meaning stays: later ones are put in before it.
            let known: Vec<Self> = all().collect();
            known.into_iter().rev().map(|op| (op.row().meaning, op)).collect()
        });
        map[&meaning.into()]
    }

    /// The operation that combines two tiles element by element.
    pub fn combining(how: Combine) -> Option<Self> {
        all().find(|op| op.row().combine == Some(how))
    }

    /// Its meaning, if it has regions or transfers control.
    #[inline]
    pub fn control(self) -> Option<Control> {
        match self.row().meaning {
            Meaning::Control(is) => Some(is),
            _ => None,
        }
    }

    /// Its meaning, if it is a scalar operation.
    #[inline]
    pub fn arith(self) -> Option<Arith> {
        match self.row().meaning {
            Meaning::Arith(is) => Some(is),
            _ => None,
        }
    }

    /// Its meaning, if it allocates, names or queries memory.
    #[inline]
    pub fn storage(self) -> Option<Storage> {
        match self.row().meaning {
            Meaning::Storage(is) => Some(is),
            _ => None,
        }
    }

    /// Its meaning, if it moves data unchanged.
    pub fn movement(self) -> Option<Movement> {
        match self.row().meaning {
            Meaning::Movement(is) => Some(is),
            _ => None,
        }
    }

    /// Its meaning, if it is a FIFO operation.
    pub fn fifo(self) -> Option<Fifo> {
        match self.row().meaning {
            Meaning::Fifo(is) => Some(is),
            _ => None,
        }
    }

    /// Its meaning, if it orders pipes or cores.
    pub fn sync(self) -> Option<SyncOp> {
        match self.row().meaning {
            Meaning::Sync(is) => Some(is),
            _ => None,
        }
    }

    /// Its meaning, if it is an operation between ranks.
    pub fn comm(self) -> Option<CommOp> {
        match self.row().meaning {
            Meaning::Comm(is) => Some(is),
            _ => None,
        }
    }

    /// The property of the cores that it queries.
    pub fn query(self) -> Option<CoreQuery> {
        match self.row().meaning {
            Meaning::Query(is) => Some(is),
            _ => None,
        }
    }

    /// Its meaning, if it is an operation on local arrays and structures.
    pub fn local(self) -> Option<LocalOp> {
        match self.row().meaning {
            Meaning::Local(is) => Some(is),
            _ => None,
        }
    }

    /// Its position, for side tables.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl fmt::Debug for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.row().name)
    }
}

/// All operations, in table order.
pub fn all() -> impl ExactSizeIterator<Item = Op> {
    (0..COUNT).map(Op::at)
}

/// The instructions of PTO itself, without the host operations.
pub fn isa() -> impl Iterator<Item = Op> {
    all().filter(|op| op.row().family.is_isa())
}

/// The operation of this name: `tmax`, `pto.tmax`, `arith.addi`, or an alias.
///
/// ```
/// use pto_isa::table::{self, op};
/// assert_eq!(table::find("pto.tmax"), Some(op::tmax));
/// assert_eq!(table::find("tmux"), None);
/// ```
pub fn find(name: &str) -> Option<Op> {
    static BY_NAME: OnceLock<FastMap<&'static str, Op>> = OnceLock::new();
    let map = BY_NAME.get_or_init(|| {
        let names = |op: Op| op.row().aliases.iter().copied().chain([op.row().name]).map(move |n| (n, op));
        all().flat_map(names).collect()
    });
    map.get(name.strip_prefix("pto.").unwrap_or(name)).copied()
}

/// The operations whose names are closest to a misspelled one.
pub fn similar(name: &str) -> Vec<&'static str> {
    let lower = name.to_ascii_lowercase();
    let bare = lower.strip_prefix("pto.").unwrap_or(&lower);
    let limit = 1 + bare.len() / 4;
    // The short names of second spellings resemble everything.
    let limit_of = |op: Op| if op.row().twin.is_some() { 1 } else { limit };
    let names = |op: Op| op.row().aliases.iter().copied().chain([op.row().name]).map(move |n| (limit_of(op), n));
    let mut near: Vec<(usize, &'static str)> = all()
        .flat_map(names)
        .map(|(limit, n)| (limit, distance(bare, n), n))
        .filter(|(limit, d, _)| d <= limit)
        .map(|(_, d, n)| (d, n))
        .collect();
    near.shared_sort();
    near.into_iter().take(3).map(|(_, n)| n).collect()
}

/// Edit distance with single-letter insertions, deletions, replacements and swaps of neighbours.
pub fn distance(a: &str, b: &str) -> usize {
    let b: Vec<u8> = b.bytes().collect();
    if a.len().abs_diff(b.len()) > 8 || a.len() > 64 {
        return usize::MAX;
    }
    let a: Vec<u8> = a.bytes().collect();
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
                let swap = if swapped { rows[i - 2][j - 2] + 1 } else { usize::MAX };
                change.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1).min(swap)
            };
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests;
