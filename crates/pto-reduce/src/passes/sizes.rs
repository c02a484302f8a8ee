//! Makes numbers smaller: extents of tiles and views, bounds of loops, constants, attributes, inputs.

use crate::InputNumber;
use crate::edit::set_attr;
use crate::search::{Attempt, Base, Shrinking};
use crate::size::for_numbers;
use pto_ir::{Attr, Module, OpId, TypeId, ValueId};
use pto_isa::ordered::OrdSet;
use pto_isa::row::Arith;
use pto_isa::{Dim, FnType, MemrefType, TileType, Type, ViewType};

/// Numbers to try in place of another, the smallest first.
fn smaller(n: i128) -> Vec<i128> {
    let powers = (0..40).map(|shift| 1i128 << shift).take_while(|p| *p < n);
    let mut all: OrdSet<i128> = powers.chain([n / 2]).filter(|p| *p > 0 && *p < n).collect();
    all.remove(&n);
    all.into_iter().collect()
}

/// Replaces a number wherever the program has it: extents that belong together stay equal. If that is not enough, its multiples shrink
/// in the same proportion.
pub(super) fn shared(s: &mut Shrinking<'_>) {
    let mut numbers = OrdSet::new();
    let module = &s.base.module;
    for_numbers(module, &module.order(), &mut |n| {
        numbers.insert(n);
    });
    numbers.extend(s.base.best.inputs.iter().map(|i| i128::from(i.value)));
    for &n in numbers.iter().rev().filter(|n| **n > 1) {
        for multiples in [false, true] {
            let rules: Vec<Resizing> = smaller(n).into_iter().map(|to| Resizing { from: n, to, multiples }).collect();
            if s.first(&rules, &|base, rule| Some(resized(base, *rule))).is_some() {
                break;
            }
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Resizing {
    from: i128,
    to: i128,
    multiples: bool,
}

impl Resizing {
    fn apply(self, n: i128) -> i128 {
        match self.multiples {
            _ if n == self.from => self.to,
            true if n > self.from && n % self.from == 0 => n / self.from * self.to,
            _ => n,
        }
    }

    fn unsigned(self, n: u64) -> u64 {
        u64::try_from(self.apply(n.into())).unwrap_or(n)
    }
}

fn resized(base: &Base<'_>, rule: Resizing) -> Attempt {
    let inputs = base.best.inputs.iter().cloned().map(|i| {
        let value = i64::try_from(rule.apply(i.value.into())).unwrap_or(i.value).max(i.least);
        InputNumber { value, ..i }
    });
    Attempt::Program {
        module: with_numbers(&base.module, rule),
        companion: base.companion.as_ref().map(|c| with_numbers(c, rule)),
        inputs: Some(inputs.collect()),
    }
}

fn with_numbers(module: &Module, rule: Resizing) -> Module {
    let mut out = module.clone();
    let types: Vec<TypeId> = module.types().iter().map(|ty| out.intern_type(with_extents(ty, rule))).collect();
    for value in (0..module.value_count()).map(ValueId::from_index) {
        out.value_mut(value).ty = types[module.value(value).ty.index()];
    }
    for id in module.order() {
        for (name, attr) in module.attrs(id) {
            let new = with_attr(attr, rule, &types);
            if new != *attr {
                set_attr(&mut out, id, *name, new);
            }
        }
    }
    for (alias, old) in out.aliases.iter_mut().zip(&module.aliases) {
        alias.value = with_attr(&old.value, rule, &types);
    }
    out
}

fn with_attr(attr: &Attr, rule: Resizing, types: &[TypeId]) -> Attr {
    match attr {
        Attr::Int(n, ty) => Attr::Int(rule.apply(*n), types[ty.index()]),
        Attr::Type(ty) => Attr::Type(types[ty.index()]),
        Attr::Array(items) => Attr::Array(items.iter().map(|i| with_attr(i, rule, types)).collect()),
        Attr::Dict(all) => Attr::Dict(all.iter().map(|(name, i)| (*name, with_attr(i, rule, types))).collect()),
        other => other.clone(),
    }
}

fn with_extents(ty: &Type, rule: Resizing) -> Type {
    let dim = |d: Dim| d.fixed().map_or(d, |n| Dim::Fixed(rule.unsigned(n)));
    let tile = |t: &TileType| TileType {
        rows: rule.unsigned(t.rows),
        cols: rule.unsigned(t.cols),
        valid_rows: dim(t.valid_rows),
        valid_cols: dim(t.valid_cols),
        ..*t
    };
    let view = |v: &ViewType| ViewType { dims: v.dims.iter().map(|d| dim(*d)).collect(), elem: v.elem };
    let all = |types: &[Type]| types.iter().map(|t| with_extents(t, rule)).collect::<Box<[Type]>>();
    match ty {
        Type::Tile(t) => Type::Tile(tile(t)),
        Type::TileBuf(t) => Type::TileBuf(tile(t)),
        Type::MultiTile(t, n) => Type::MultiTile(tile(t), *n),
        Type::TensorView(v) => Type::TensorView(view(v)),
        Type::PartitionView(v) => Type::PartitionView(view(v)),
        // Strides are text there, so only what has none can change.
        Type::Memref(m) => Type::Memref(MemrefType { view: view(&m.view), rest: m.rest.clone() }),
        Type::Vector(v) => Type::Vector(view(v)),
        Type::LocalArray(v) => Type::LocalArray(view(v)),
        Type::Struct(fields) => Type::Struct(all(fields)),
        Type::Function(f) => Type::Function(Box::new(FnType { inputs: all(&f.inputs), results: all(&f.results) })),
        other => other.clone(),
    }
}

/// Makes each constant smaller by itself.
pub(super) fn single(s: &mut Shrinking<'_>) {
    let module = &s.base.module;
    let constants: Vec<OpId> =
        module.order().into_iter().filter(|id| module.arith(*id) == Some(Arith::Constant)).collect();
    for id in constants {
        let choices = match s.base.module.attr(id, "value") {
            Some(Attr::Int(n, ty)) if n.unsigned_abs() > 0 => {
                let sizes = [0].into_iter().chain(smaller(n.saturating_abs()));
                sizes.map(|n| Attr::Int(n, *ty)).collect()
            }
            Some(Attr::Float(f, ty)) if *f != 0.0 => {
                [0.0, 1.0].into_iter().filter(|new| new != f).map(|new| Attr::Float(new, *ty)).collect()
            }
            _ => Vec::new(),
        };
        s.first(&choices, &move |base, new: &Attr| {
            let mut out = base.module.clone();
            let name = out.names.intern("value");
            set_attr(&mut out, id, name, new.clone());
            Some(out.into())
        });
    }
}

/// Makes each input smaller by itself.
pub(super) fn inputs(s: &mut Shrinking<'_>) {
    for at in 0..s.base.best.inputs.len() {
        let old = s.base.best.inputs[at].clone();
        let mut choices: OrdSet<i64> =
            smaller(i128::from(old.value.saturating_abs())).into_iter().filter_map(|n| i64::try_from(n).ok()).collect();
        choices.insert(0);
        let choices: Vec<i64> = choices.into_iter().filter(|n| *n >= old.least && *n != old.value).collect();
        s.first(&choices, &move |base, value: &i64| {
            let mut inputs = base.best.inputs.clone();
            inputs[at].value = *value;
            Some(Attempt::Program { module: base.module.clone(), companion: None, inputs: Some(inputs) })
        });
    }
}
