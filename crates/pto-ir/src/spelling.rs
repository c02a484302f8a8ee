//! The spelling of operations and types in the source, as far as the formatter keeps it. It does not affect the meaning.

use crate::{Form, Module, OpId, Operand, TypeStyle, ValueId};
use pto_isa::Op;
use pto_isa::sort::SharedSort;

/// The spelling of an operation in the source. The default is the usual form.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Spelling {
    /// The form, if it is not the usual one.
    pub form: Option<Form>,
    /// The mnemonic stands without `pto.`.
    pub bare: bool,
    /// The row of another spelling ([`Twin`](pto_isa::row::Twin)) that the source uses.
    pub written: Option<Op>,
    /// Destinations stand among the operands, without `outs(…)`.
    pub flat: bool,
    /// The types of operands.
    pub operand_types: Listed,
    /// The types of results, or of what stands in `outs(…)`, are left out.
    pub no_result_types: bool,
    /// Positions, operands first and results after them, whose type is written as `!pto.tile<...>`.
    pub elided: Vec<u16>,
}

/// How the types of operands are listed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Listed {
    /// As usual for the form.
    #[default]
    Usual,
    /// Not at all.
    Omitted,
    /// `: T`, one type for all tiles, results included.
    One,
    /// `: T, T` or `: (T, T)`
    All {
        /// In parentheses.
        parens: bool,
        /// Those of scalars, too.
        scalars: bool,
    },
}

impl Spelling {
    /// True if the source omits the types of results: one type for all, and types of operands that include destinations,
    /// cover them too.
    pub(crate) fn omits_results(&self) -> bool {
        let stated = match self.operand_types {
            Listed::Omitted => false,
            Listed::One => true,
            Listed::Usual | Listed::All { .. } => self.flat,
        };
        self.no_result_types && !stated
    }
}

/// How many tile types of a source have each spelling.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TypeVotes {
    /// `!pto.tile_buf<loc=vec, …>`
    pub keyed: u32,
    /// `!pto.tile_buf<vec, 16x16xf32>`
    pub compact: u32,
}

impl TypeVotes {
    /// The most frequent spelling.
    ///
    /// ```
    /// use pto_ir::{TypeStyle, TypeVotes};
    /// assert_eq!(TypeVotes { keyed: 2, compact: 1 }.usual(), TypeStyle::Keyed);
    /// ```
    pub fn usual(self) -> TypeStyle {
        if self.keyed > self.compact { TypeStyle::Keyed } else { TypeStyle::Compact }
    }
}

impl Module {
    /// The spelling of an operation in the source; `None` for the usual one.
    pub fn spelling(&self, id: OpId) -> Option<&Spelling> {
        self.spellings.get(&id)
    }

    /// Sets the spelling of an operation.
    pub fn set_spelling(&mut self, id: OpId, spelling: Spelling) {
        if spelling != Spelling::default() {
            self.spellings.insert(id, spelling);
        }
    }

    /// Resets all spellings: every operation is printed in the usual form, with its types.
    pub fn forget_spellings(&mut self) {
        self.spellings.clear();
    }

    /// The spelling of an operation when buffers replace its results; `operands` are its new ones. Omitted types stay omitted,
    /// since the new buffers state the types of the results.
    pub(crate) fn spelling_with_buffers(&self, id: OpId, operands: &[Operand]) -> Spelling {
        let Some(old) = self.spelling(id) else { return Spelling::default() };
        let elided = old.elided.iter().filter_map(|at| {
            let slot_of = |o: &Operand| (o.slot, o.span);
            let given = self.operands(id).get(usize::from(*at)).map(slot_of);
            let result = || self.results(id).nth(usize::from(*at) - self.operands(id).len());
            let of = given.or_else(|| result().map(|v| (self.value(v).slot, self.value(v).span)))?;
            operands.iter().position(|o| slot_of(o) == of).map(|at| at as u16)
        });
        let mut elided: Vec<u16> = elided.collect();
        elided.shared_sort();
        let omitted = old.operand_types == Listed::Omitted;
        let operand_types = if omitted { Listed::Omitted } else { Listed::Usual };
        // `-> T` alone becomes the type of the buffer.
        let no_result_types = omitted || old.omits_results();
        Spelling { operand_types, no_result_types, elided, ..Spelling::default() }
    }

    /// The operands and results whose types the source elides.
    pub(crate) fn elided(&self, id: OpId) -> Vec<ValueId> {
        let Some(spelling) = self.spelling(id) else { return Vec::new() };
        let operands = self.operands(id);
        let value = |at: &u16| match operands.get(usize::from(*at)) {
            Some(o) => Some(o.value),
            None => self.results(id).nth(usize::from(*at) - operands.len()),
        };
        spelling.elided.iter().filter_map(value).collect()
    }
}
