//! Fixes for a core that waits for a word that nothing changes any more.

use super::fixes::Repair;
use super::*;
use crate::words::Word;
use pto_cpu::SignalWord;
use pto_ir::print::{attributes_text, type_text};
use pto_ir::{Attr, TypeStyle};
use pto_isa::row::Arith;
use pto_isa::sort::SharedSort;
use pto_isa::text;
use pto_isa::{ScalarType, Type};

/// A deadlocked core.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StuckCore {
    pub core: CoreId,
    pub op: OpId,
    /// The signal word that it waits for.
    pub signal: Option<SignalWord>,
    /// The word that a loop polls.
    pub word: Option<AwaitedWord>,
}

/// A word that a loop polls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AwaitedWord {
    /// The loop.
    pub op: OpId,
    pub word: Word,
    pub bytes: u64,
    /// A value that would end the loop.
    pub number: i64,
}

/// `eq`, `gt` and `ge` in `wait_cmp`.
const GROWN: [u8; 3] = [0, 2, 3];
const MORE_THAN: u8 = 2;

impl Findings<'_> {
    /// Constants of the condition and their neighbours, small ones first.
    pub fn named_numbers(&self) -> Vec<i64> {
        let mut all = OrdSet::from([1]);
        self.module.walk(self.module.top, &mut |id| {
            if self.module.arith(id) == Some(Arith::Constant)
                && let Some(number) = self.module.attr(id, "value").and_then(Attr::int)
            {
                all.extend([number, number.saturating_add(1), number.saturating_sub(1)]);
            }
        });
        let mut all: Vec<i64> = all.into_iter().collect();
        all.shared_sort_by_key(|n| (n.unsigned_abs(), *n < 0));
        all
    }

    /// A wait for as many notifications as arrive, or a store of the word.
    pub(super) fn word_for(&self, stuck: &[StuckCore], ended: &[CoreId]) -> Option<Repair> {
        let first = stuck.first()?;
        // If cores wait at different statements, one may wait for the other.
        if stuck.iter().any(|s| s.op != first.op) {
            return None;
        }
        match (first.signal, first.word) {
            (Some(word), _) => self.as_many_as_come(first, word),
            (None, Some(word)) => self.stored_for_loop(first, word, ended),
            _ => None,
        }
    }

    /// The wait asks for the value that is reached.
    fn as_many_as_come(&self, stuck: &StuckCore, SignalWord { cmp, number, .. }: SignalWord) -> Option<Repair> {
        let number = number.filter(|n| *n != 0 && GROWN.contains(&cmp))?;
        let number = if cmp == MORE_THAN { number.checked_sub(1)? } else { number };
        let [signal, _] = self.module.operands(stuck.op) else { return None };
        let come = self.fresh_name("come");
        let (row, ty) = (self.module.op(stuck.op).op.row(), self.module.value_type(signal.value));
        let result = self.module.results(stuck.op).next().map(|r| format!("%{} = ", self.module.value_name(r)));
        let back = if result.is_some() { " -> i1" } else { "" };
        let text = format!(
            "{}pto.{}(%{}, %{come} : {}, i32) {}{back}",
            result.unwrap_or_default(),
            row.name,
            self.module.value_name(signal.value),
            type_text(ty, TypeStyle::Compact),
            attributes_text(self.module, stuck.op, &[]),
        );
        let at = self.span(stuck.op);
        let edits = vec![
            Edit::before(at, format!("%{come} = arith.constant {number} : i32")),
            Edit::before(at, text),
            Edit::remove(at),
        ];
        let help = format!("wait for {number}, the number of notifications sent; or let another core notify once more");
        Some(Repair::new("").help(help).edits(edits))
    }

    /// A core that has finished stores the word; if there is none, the first polling core does, before it polls.
    fn stored_for_loop(&self, stuck: &StuckCore, awaited: AwaitedWord, ended: &[CoreId]) -> Option<Repair> {
        let text = self.text();
        let function = text.function(awaited.op)?;
        let body = self.module.region(*self.module.op_regions(function).first()?).blocks.first().copied()?;
        let pointer = *self.module.block(body).args.get(awaited.word.0)?;
        let Type::Ptr(ScalarType::Elem(elem), _) = self.module.value_type(pointer) else { return None };
        let bytes = i64::from(elem.bits()) / 8;
        if !text.is_entry(function)
            || !elem.is_int()
            || bytes == 0
            || bytes as u64 != awaited.bytes
            || awaited.word.1 % bytes != 0
        {
            return None;
        }
        let sender = ended.iter().find(|c| c.rank == stuck.core.rank && c.role == stuck.core.role);
        let at = match sender {
            Some(_) => self.only_return(function)?,
            None => {
                let around = text.around(awaited.op).into_iter().find(|at| text.block_of(*at) == Some(body));
                // For a loop of blocks: after the first block.
                around.or_else(|| self.module.block(body).ops.last().copied())?
            }
        };
        let lines = self.store_by(
            sender.unwrap_or(&stuck.core),
            pointer,
            (awaited.word.1 / bytes, awaited.number),
            &elem.to_string(),
        );
        let edits = lines.into_iter().map(|line| Edit::before(self.span(at), line)).collect();
        Some(
            Repair::new("")
                .help(text!("no core stores the value that the loop polls for; store it on some core"))
                .edits(edits),
        )
    }

    /// The only return of a function, if there is one.
    fn only_return(&self, function: OpId) -> Option<OpId> {
        let region = self.module.op_regions(function).first()?;
        let ends = self.module.region(*region).blocks.iter().filter_map(|b| self.module.block(*b).ops.last().copied());
        let mut returns = ends.filter(|id| self.module.successors(*id).is_empty());
        returns.next().filter(|_| returns.next().is_none())
    }

    /// One core stores a word and writes it back to memory.
    fn store_by(&self, core: &CoreId, pointer: ValueId, (place, number): (i64, i64), elem: &str) -> Vec<String> {
        let [index, own, sends, at, word] =
            ["this_block", "sender", "sends", "word_at", "word"].map(|n| self.fresh_name(n));
        let pointer = self.module.value_name(pointer);
        vec![
            format!("%{index} = pto.get_block_idx"),
            format!("%{own} = arith.constant {} : i64", core.block),
            format!("%{sends} = arith.cmpi eq, %{index}, %{own} : i64"),
            format!("scf.if %{sends} {{"),
            format!("%{at} = arith.constant {place} : index"),
            format!("%{word} = arith.constant {number} : {elem}"),
            format!("pto.store_scalar %{word}, %{pointer}[%{at}] : !pto.ptr<{elem}>, {elem}"),
            "pto.cmo.cacheinvalid all <gm>".to_string(),
            "pto.fence.barrier_all <gm>".to_string(),
            "}".to_string(),
        ]
    }
}
