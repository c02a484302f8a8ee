//! Equality of modules up to positions in the source.

use crate::{Attr, BlockId, Module, OpId, RegionId, Sym, TypeId, ValueId};
use pto_isa::hash::FastMap;

/// True when two modules are the same program: same operations, operands, attributes, types and symbols, regardless of
/// value names and source positions.
pub fn same(a: &Module, b: &Module) -> bool {
    let mut pair = ModulePair { a, b, values: FastMap::default(), blocks: FastMap::default() };
    pair.block(a.top, b.top)
}

struct ModulePair<'m> {
    a: &'m Module,
    b: &'m Module,
    values: FastMap<ValueId, ValueId>,
    blocks: FastMap<BlockId, BlockId>,
}

impl ModulePair<'_> {
    fn block(&mut self, x: BlockId, y: BlockId) -> bool {
        let (p, q) = (self.a.block(x), self.b.block(y));
        self.values_define(&p.args, &q.args)
            && p.ops.len() == q.ops.len()
            && p.ops.iter().zip(&q.ops).all(|(&x, &y)| self.op(x, y))
    }

    fn region(&mut self, x: RegionId, y: RegionId) -> bool {
        let (p, q) = (&self.a.region(x).blocks, &self.b.region(y).blocks);
        if p.len() != q.len() {
            return false;
        }
        self.blocks.extend(p.iter().copied().zip(q.iter().copied()));
        // Parameters first: a branch may come before the block it goes to.
        for (&x, &y) in p.iter().zip(q) {
            if !self.values_define(&self.a.block(x).args.clone(), &self.b.block(y).args.clone()) {
                return false;
            }
        }
        p.iter().zip(q).all(|(&x, &y)| self.block(x, y))
    }

    fn values_define(&mut self, p: &[ValueId], q: &[ValueId]) -> bool {
        p.len() == q.len()
            && p.iter().zip(q).all(|(&x, &y)| {
                self.values.insert(x, y);
                self.types(self.a.value(x).ty, self.b.value(y).ty)
            })
    }

    fn types(&self, x: TypeId, y: TypeId) -> bool {
        self.a.ty(x) == self.b.ty(y)
    }

    fn op(&mut self, x: OpId, y: OpId) -> bool {
        let (a, b) = (self.a, self.b);
        let results: (Vec<_>, Vec<_>) = (a.results(x).collect(), b.results(y).collect());
        a.op(x).op == b.op(y).op
            && self.operands(x, y)
            && self.values_define(&results.0, &results.1)
            && results.0.iter().zip(&results.1).all(|(&p, &q)| a.value(p).slot == b.value(q).slot)
            && self.attrs(a.attrs(x), b.attrs(y))
            && a.op_regions(x).len() == b.op_regions(y).len()
            && a.op_regions(x).iter().zip(b.op_regions(y)).all(|(&p, &q)| self.region(p, q))
            && self.successors(x, y)
    }

    fn operands(&mut self, x: OpId, y: OpId) -> bool {
        let (p, q) = (self.a.operands(x), self.b.operands(y));
        p.len() == q.len() && p.iter().zip(q).all(|(p, q)| p.slot == q.slot && self.use_of(p.value, q.value))
    }

    /// A value seen before must match again; a new one is paired.
    fn use_of(&mut self, p: ValueId, q: ValueId) -> bool {
        *self.values.entry(p).or_insert(q) == q
    }

    fn successors(&mut self, x: OpId, y: OpId) -> bool {
        let (p, q) = (self.a.successors(x), self.b.successors(y));
        p.len() == q.len()
            && p.iter().zip(q).all(|(p, q)| {
                p.case == q.case
                    && *self.blocks.entry(p.block).or_insert(q.block) == q.block
                    && p.args.len() == q.args.len()
                    && p.args.iter().zip(&q.args).all(|(&p, &q)| self.use_of(p, q))
            })
    }

    /// Attributes are a set: their order is irrelevant.
    fn attrs(&self, p: &[(Sym, Attr)], q: &[(Sym, Attr)]) -> bool {
        p.len() == q.len()
            && p.iter().all(|(name, attr)| {
                let name = self.a.names.text(*name);
                q.iter().any(|(other, value)| self.b.names.text(*other) == name && self.attr(attr, value))
            })
    }

    fn attr(&self, p: &Attr, q: &Attr) -> bool {
        let text = |x: Sym, y: Sym| self.a.names.text(x) == self.b.names.text(y);
        match (p, q) {
            (Attr::Int(m, s), Attr::Int(n, t)) => m == n && self.types(*s, *t),
            (Attr::Float(m, s), Attr::Float(n, t)) => m.to_bits() == n.to_bits() && self.types(*s, *t),
            (Attr::FloatBits(m, s), Attr::FloatBits(n, t)) => m == n && self.types(*s, *t),
            (Attr::Str(x), Attr::Str(y)) | (Attr::Symbol(x), Attr::Symbol(y)) | (Attr::Raw(x), Attr::Raw(y)) => {
                text(*x, *y)
            }
            (Attr::Type(s), Attr::Type(t)) => self.types(*s, *t),
            (Attr::Array(x), Attr::Array(y)) => x.len() == y.len() && x.iter().zip(y).all(|(p, q)| self.attr(p, q)),
            (Attr::Dict(x), Attr::Dict(y)) => self.attrs(x, y),
            (Attr::Unit, Attr::Unit) => true,
            (Attr::Bool(x), Attr::Bool(y)) => x == y,
            (Attr::Enum(d, x), Attr::Enum(e, y)) => d == e && x == y,
            _ => false,
        }
    }
}
