//! Rows that are sorted although only the first records are looked at.
//!
//! A program that looks for the largest numbers of a row sorts them in groups, and merges the lists until one is left. If nobody looks at
//! anything but the first records of that one, they can be found without the lists: the last merge finds them, and what would only make its
//! lists is left out. Here such instructions are recognised.

use super::wanted::{LISTS, RECORD, RecordRow, TileUsers};
use crate::prepared::{CallOperand, Id, KernelId, KernelStep, Plan, RecordSelection, Step, StepId, TileId};
use pto_isa::hash::FastMap;
use std::ops::Range;

/// Records of a list that a sort makes.
const GROUP: u64 = 32;

/// Steps that follow each other without a jump, and the kernels among them.
pub(super) struct SortedPart<'a> {
    pub steps: Range<usize>,
    pub kernels: &'a [KernelId],
    /// Tiles of one row that only these steps use, and that keep nothing from the time before.
    pub rows: &'a FastMap<TileId, RecordRow>,
    pub users: &'a TileUsers,
}

impl SortedPart<'_> {
    fn row(&self, operand: &CallOperand<TileId>) -> Option<RecordRow> {
        operand.register.and_then(|register| self.rows.get(&register).copied())
    }

    /// The tile that an instruction writes, if it is a whole row and the only one.
    fn written_row(&self, step: &KernelStep) -> Option<RecordRow> {
        let mut written = step.tiles.iter().filter(|o| o.writes && o.register.is_some());
        let row = written.next().filter(|o| !o.reads).and_then(|o| self.row(o)).filter(|row| row.window.is_none());
        row.filter(|_| written.next().is_none())
    }
}

/// The kernels of a part that sort a row and merge its lists, by position: the sort first.
type SortChain = Vec<usize>;

impl Plan {
    /// Notes which merges find the first records of a row themselves.
    pub(super) fn mark_selections(&mut self, part: &SortedPart) {
        for last in 0..part.kernels.len() {
            let Some(chain) = self.sort_chain(part, last).filter(|chain| self.is_private(part, chain)) else {
                continue;
            };
            let (sort, rest) = (part.kernels[chain[0]], &chain[..chain.len() - 1]);
            for at in rest {
                self.calls.kernels[part.kernels[*at]].selection = RecordSelection::LeftOut;
            }
            self.calls.kernels[part.kernels[last]].selection = RecordSelection::Of(sort);
        }
    }

    /// What sorts the row of which a merge makes one list, if the beginning of that is wanted.
    fn sort_chain(&self, part: &SortedPart, last: usize) -> Option<SortChain> {
        let step = |at: usize| &self.calls.kernels[part.kernels[at]];
        let merge = self.merge_of(step(last), part.rows, part.users).filter(|_| step(last).wanted > 0)?;
        let result = part.written_row(step(last)).filter(|row| row.columns <= merge.length)?;
        let mut chain = vec![last];
        let (mut reader, mut list) = (last, merge.of?);
        loop {
            let source = part.row(step(reader).tiles.first()?).filter(|row| row.window.is_none())?;
            let writes = |at: &usize| {
                step(*at).tiles.iter().any(|o| o.writes && part.row(o).is_some_and(|r| r.tile == source.tile))
            };
            let writer = (0..reader).rev().find(writes)?;
            let whole = part.written_row(step(writer)).filter(|row| row.columns == result.columns)?;
            chain.push(writer);
            let merge = self.merge_of(step(writer), part.rows, part.users);
            if self.written_columns(step(writer), merge.as_ref()) != Some(whole.columns) {
                return None;
            }
            let Some(merge) = merge else {
                chain.reverse();
                let is_sort = list * whole.bytes == GROUP * RECORD && self.sorts_like(part, step(writer), step(last));
                return is_sort.then_some(chain);
            };
            if merge.length != list {
                return None;
            }
            (reader, list) = (writer, merge.of?);
        }
    }

    /// Whether a sort has an index for every element, whole groups, and a result of the same type as a merge.
    fn sorts_like(&self, part: &SortedPart, sort: &KernelStep, merge: &KernelStep) -> bool {
        let bind = |operand: &CallOperand<TileId>| part.users.binds.get(&operand.register?).copied().flatten();
        let row = |operand| bind(operand).and_then(|bind| self.whole_row(&self.tiles.binds[bind]));
        let [source, indices, sorted] = &sort.tiles[..] else { return false };
        let merged = &merge.tiles[LISTS as usize];
        let (Some(source), Some(indices)) = (row(source), row(indices)) else { return false };
        let geometry = |operand| bind(operand).map(|bind| self.tiles.binds[bind].geometry);
        source.columns.is_multiple_of(GROUP)
            && source.columns <= indices.columns
            && geometry(sorted) == geometry(merged)
    }

    /// Whether nobody else looks at the lists, and what the sort reads is still the same at the end.
    fn is_private(&self, part: &SortedPart, chain: &[usize]) -> bool {
        let step = |at: usize| &self.calls.kernels[part.kernels[at]];
        let is_seen = |pair: &[usize]| {
            let Some(row) = part.written_row(step(pair[0])) else { return true };
            let uses = |o: &CallOperand<TileId>| part.row(o).is_some_and(|used| used.tile == row.tile);
            let reads = |at: usize| at != pair[1] && step(at).tiles.iter().any(|o| o.reads && uses(o));
            let replaced =
                |at: usize| part.written_row(step(at)).is_some_and(|r| r.tile == row.tile && self.fills(part, at));
            let end = (pair[1]..part.kernels.len()).find(|at| replaced(*at)).unwrap_or(part.kernels.len() - 1);
            (pair[0] + 1..=end).any(reads)
        };
        !chain.windows(2).any(is_seen) && self.keeps_sources(part, chain)
    }

    /// Whether an instruction writes all of its row.
    fn fills(&self, part: &SortedPart, at: usize) -> bool {
        let step = &self.calls.kernels[part.kernels[at]];
        let merge = self.merge_of(step, part.rows, part.users);
        let row = part.written_row(step);
        row.is_some_and(|row| self.written_columns(step, merge.as_ref()).is_some_and(|all| all >= row.columns))
    }

    /// Whether nothing between the sort and the last merge can change what the sort reads.
    fn keeps_sources(&self, part: &SortedPart, chain: &[usize]) -> bool {
        let (Some(first), Some(last)) = (chain.first(), chain.last()) else { return false };
        let sources = &self.calls.kernels[part.kernels[*first]].tiles[..2];
        let keeps = |which: &KernelId| {
            let mut written = self.calls.kernels[*which].tiles.iter().filter(|o| o.writes && o.register.is_some());
            written.all(|o| part.row(o).is_some_and(|row| sources.iter().all(|s| s.register != Some(row.tile))))
        };
        let place = |which: KernelId| {
            part.steps.clone().find(|at| matches!(self.code.steps[StepId::new(*at)], Step::Kernel(k) if k == which))
        };
        let (Some(from), Some(to)) = (place(part.kernels[*first]), place(part.kernels[*last])) else { return false };
        part.kernels[first + 1..=*last].iter().all(keeps)
            && (from + 1..to).all(|at| {
                // What kernels write, their operands say.
                let step = &self.code.steps[StepId::new(at)];
                matches!(step, Step::Kernel(_)) || step.is_of_registers() && !step.places_tiles()
            })
    }
}

#[cfg(test)]
mod tests {
    use crate::prepared::RecordSelection;
    use crate::{Options, Plan};
    use pto_isa::Target;

    /// How many instructions of a program are left out, and how many find the first records themselves. Another step comes between two merges.
    fn selections(between: &str, columns: u64) -> (usize, usize) {
        let text = format!(
            "!row = !pto.tile_buf<vec, 1x512xf32>
             !index = !pto.tile_buf<vec, 1x512xui32>
             !records = !pto.tile_buf<vec, 1x1024xf32>
             !best = !pto.tile_buf<vec, 1x{columns}xf32>
             func.func @f(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) attributes {{pto.entry}} {{
               %zero = arith.constant 0 : index
               %one = arith.constant 1 : index
               %width = arith.constant 512 : index
               %count = arith.constant {columns} : index
               %start = arith.constant 0 : ui32
               %first = arith.constant 64 : i32
               %second = arith.constant 256 : i32
               %xs = pto.make_tensor_view %x, shape = [%one, %width], strides = [%width, %one] : !pto.tensor_view<1x512xf32>
               %ys = pto.make_tensor_view %y, shape = [%one, %count], strides = [%count, %one] : !pto.tensor_view<1x{columns}xf32>
               %t = pto.alloc_tile : !row
               %numbers = pto.alloc_tile : !index
               %a = pto.alloc_tile : !records
               %b = pto.alloc_tile : !records
               %c = pto.alloc_tile : !records
               pto.tci ins(%start) outs(%numbers)
               pto.tload ins(%xs) outs(%t)
               pto.tsort32 ins(%t, %numbers) outs(%a)
               pto.tmrgsort ins(%a, %first) outs(%b)
               {between}
               pto.tmrgsort ins(%b, %second) outs(%c)
               %best = pto.subview %c[%zero, %zero] sizes [1, {columns}] : !records -> !best
               pto.tstore ins(%best) outs(%ys)
               return
             }}"
        );
        let (module, problems) = pto_syntax::parse(&text);
        assert!(problems.is_empty(), "{}", problems[0].message);
        let checked = pto_check::check(module, Target::Cpu).unwrap_or_else(|e| panic!("{e}"));
        let plan = Plan::new(&checked, None, Options::default()).unwrap_or_else(|e| panic!("{e}"));
        let count = |is: fn(&RecordSelection) -> bool| plan.calls.kernels.iter().filter(|k| is(&k.selection)).count();
        (count(|s| *s == RecordSelection::LeftOut), count(|s| matches!(s, RecordSelection::Of(_))))
    }

    #[test]
    fn the_first_records_are_found_without_lists() {
        assert_eq!(selections("", 128), (2, 1));
    }

    #[test]
    fn lists_are_made_if_all_of_the_last_is_looked_at() {
        assert_eq!(selections("", 1024), (0, 0));
    }

    #[test]
    fn lists_are_made_if_something_else_looks_at_one() {
        assert_eq!(selections("pto.tneg ins(%b) outs(%c)", 128), (0, 0));
        assert_eq!(selections("pto.tneg ins(%a) outs(%c)", 128), (0, 0));
    }

    #[test]
    fn lists_are_made_if_what_is_sorted_changes() {
        assert_eq!(selections("pto.tneg ins(%t) outs(%t)", 128), (0, 0));
        assert_eq!(selections("pto.tci ins(%start) outs(%numbers)", 128), (0, 0));
        assert_eq!(selections("pto.tmrgsort ins(%b, %first) outs(%b)", 128), (0, 0));
    }
}
