//! Words that cores poll: a comparison or an index that is off by one, a word too few, two words in one cache line.

use super::draft::Draft;
use pto_ir::OpId;
use pto_isa::ordered::OrdSet;
use pto_isa::row::{Arith, Control, Movement};
use pto_isa::{CACHE_LINE_BYTES, Edit, ScalarType, Type, codes};

const LATER: &str = pto_isa::text_key!("wait for the word that is stored after the data");
const ONE_MORE: &str = pto_isa::text_key!("wait for every core that uses the data");
const APART: &str = pto_isa::text_key!("keep the stores of different cores 64 bytes apart");

/// Comparisons that differ in the case of equal numbers.
const EDGES: [(&str, &str); 4] = [("sge", "sgt"), ("slt", "sle"), ("uge", "ugt"), ("ult", "ule")];

impl Draft<'_> {
    pub(super) fn words(&mut self) {
        match self.code {
            codes::RACE_READ | codes::RACE_OVERWRITE | codes::RACE_WRITE => {
                let loads = self.all(|id| self.module.movement(id) == Some(Movement::LoadScalar));
                // The last poll before the access that comes too early is the likeliest.
                let loads = self.nearest(loads);
                if !loads.is_empty() {
                    self.edges(&loads);
                    self.later_cases(&loads);
                    self.one_more_word(&loads);
                    self.neighbours(&loads);
                }
            }
            codes::CACHE_SHARED => self.lines_apart(),
            _ => {}
        }
    }

    /// A comparison that also holds for the number before.
    fn edges(&mut self, loads: &[OpId]) {
        let uses = |id: OpId, load: OpId| {
            self.module.operands(id).iter().any(|o| self.module.definition(o.value) == Some(load))
        };
        let compares = |load: &OpId| self.all(|id| self.module.arith(id) == Some(Arith::CompareInt) && uses(id, *load));
        for compare in loads.iter().flat_map(compares).collect::<Vec<_>>() {
            for (from, to) in EDGES.iter().flat_map(|(a, b)| [(*a, *b), (*b, *a)]) {
                let token = self.token(compare, &format!(" {from},"));
                let edits = token.and_then(|span| self.rewritten(&[(span, format!(" {to},"))]));
                self.put(LATER, edits);
            }
        }
    }

    /// A case of a switch that leaves its loop too early asks again, as the default does.
    fn later_cases(&mut self, loads: &[OpId]) {
        let on = |id: OpId| self.module.operands(id).first().and_then(|o| self.module.definition(o.value));
        let switches = |id: OpId| self.module.control(id) == Some(Control::Switch);
        for switch in self.all(|id| switches(id) && on(id).is_some_and(|by| loads.contains(&by))) {
            let successors = self.module.successors(switch);
            let label = |at: usize| self.module.block(successors[at].block).label.map(|l| self.module.names.text(l));
            let plain = |at: usize| successors[at].args.is_empty();
            let default = (0..successors.len()).find(|at| successors[*at].case.is_none() && plain(*at)).and_then(label);
            let Some(default) = default else { continue };
            for at in (0..successors.len()).rev().filter(|at| plain(*at)) {
                let (Some(case), Some(own)) = (successors[at].case, label(at)) else { continue };
                let token = self.token(switch, &format!("{case}: ^{own}"));
                let edits = token.and_then(|span| self.rewritten(&[(span, format!("{case}: ^{default}"))]));
                self.put(LATER, edits.filter(|_| own != default));
            }
        }
    }

    /// The loop that polls a word, once more for another word.
    fn one_more_word(&mut self, loads: &[OpId]) {
        for load in loads {
            let around = self.around(*load, Control::While);
            let (Some(polls), Some(index)) = (around.last(), self.module.operands(*load).get(1)) else { continue };
            let (Some(lines), span) = (self.lines_of(*polls), self.module.op(*polls).span) else { continue };
            let Some(own) = self.name(index.value) else { continue };
            for other in self.alike(index.value, *polls) {
                let Some(name) = self.name(other).filter(|_| self.module.literal(other).is_some()) else { continue };
                let (from, to) = (format!("[{own}]"), format!("[{name}]"));
                let edits = lines.iter().map(|line| Edit::before(span, line.replace(&from, &to))).collect();
                self.put(ONE_MORE, Some(edits));
            }
        }
    }

    /// Numbers beside those that say which word is polled, and by which cores.
    fn neighbours(&mut self, loads: &[OpId]) {
        let mut slices: OrdSet<OpId> = OrdSet::new();
        for load in loads {
            let index = self.module.operands(*load).get(1).map(|o| o.value);
            let branches = self.around(*load, Control::If);
            let conditions = branches.iter().filter_map(|id| self.module.operands(*id).first()).map(|o| o.value);
            slices.extend(index.into_iter().chain(conditions).flat_map(|v| self.computed_by(v)));
        }
        let counts = |id: &OpId| matches!(self.module.arith(*id), Some(Arith::Add | Arith::Sub | Arith::CompareInt));
        let constants: Vec<(OpId, usize, i64)> = slices
            .into_iter()
            .filter(counts)
            .filter_map(|id| Some((id, 1, self.module.literal(self.module.operands(id).get(1)?.value)?)))
            .take(4)
            .collect();
        for by in [-1, 1] {
            let single = constants.iter().map(|a| vec![*a]);
            let pairs = constants.iter().enumerate().flat_map(|(k, a)| constants[k + 1..].iter().map(|b| vec![*a, *b]));
            for changed in single.chain(pairs).collect::<Vec<_>>() {
                let (mut pieces, mut edits) = (Vec::new(), Vec::new());
                for (id, at, number) in changed {
                    let Some((piece, constant)) = self.constant(id, at, number + by) else { continue };
                    pieces.push(piece);
                    edits.extend(constant);
                }
                let all = self.rewritten(&pieces).map(|lines| edits.into_iter().chain(lines).collect());
                self.put(LATER, all);
            }
        }
    }

    /// The words of one of two stores move to the next cache line.
    fn lines_apart(&mut self) {
        for store in self.ops.clone().into_iter().rev() {
            if self.module.movement(store) != Some(Movement::StoreScalar) {
                continue;
            }
            let [_, pointer, index] = self.module.operands(store) else { continue };
            let Type::Ptr(ScalarType::Elem(elem), _) = self.module.value_type(pointer.value) else { continue };
            let Some(number) = self.module.literal(index.value) else { continue };
            let a_line = (CACHE_LINE_BYTES * 8 / u64::from(elem.bits().max(1))) as i64;
            let uses = self.all(|id| {
                let moves = matches!(self.module.movement(id), Some(Movement::LoadScalar | Movement::StoreScalar));
                let values: Vec<_> = self.module.operands(id).iter().map(|o| o.value).collect();
                moves && values.ends_with(&[pointer.value, index.value])
            });
            let number = (number / a_line + 1) * a_line;
            let Some(first) = self.text.function(store).and_then(|f| self.first_statement(f)) else { continue };
            let name = self.fresh("next_line");
            let text = format!("%{name} = arith.constant {number} : {}", self.type_of(index.value));
            let pieces = uses.iter().filter_map(|id| self.module.operands(*id).last());
            let pieces: Vec<_> = pieces.map(|o| (o.span, format!("%{name}"))).collect();
            let lines = self.rewritten(&pieces);
            let edits = lines.map(|lines| std::iter::once(Edit::before(self.module.op(first).span, text)).chain(lines));
            self.put(APART, edits.map(Iterator::collect));
        }
    }

    fn first_statement(&self, function: OpId) -> Option<OpId> {
        let block = self.module.region(*self.module.op_regions(function).first()?).blocks.first().copied()?;
        self.module.block(block).ops.first().copied()
    }
}
