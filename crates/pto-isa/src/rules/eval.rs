//! Deciding one rule on the types of one instruction.

use super::{Broken, Instance, Rule, Verdict};
use crate::codes::{self, Code};
use crate::row::Orders;
use crate::text;
use crate::{DType, DTypes, Dim, Loc, Locs, TileType, Type};

impl Instance<'_> {
    pub(super) fn eval(&self, rule: &Rule) -> Verdict {
        match *rule {
            Rule::SameValid(slots) if self.row.same_region(self.target).is_some_and(|(names, _)| names == slots) => {
                self.covered()
            }
            Rule::SameValid(slots) => {
                match self.same_dim(slots, text!("valid rows"), |t| t.valid_rows, codes::VALID_REGION) {
                    Verdict::Holds => {
                        self.same_dim(slots, text!("valid columns"), |t| t.valid_cols, codes::VALID_REGION)
                    }
                    Verdict::Dynamic => {
                        match self.same_dim(slots, text!("valid columns"), |t| t.valid_cols, codes::VALID_REGION) {
                            Verdict::Holds => Verdict::Dynamic,
                            other => other,
                        }
                    }
                    broken => broken,
                }
            }
            Rule::SameValidRows(slots) => {
                self.same_dim(slots, text!("valid rows"), |t| t.valid_rows, codes::VALID_REGION)
            }
            Rule::SameValidCols(slots) => {
                self.same_dim(slots, text!("valid columns"), |t| t.valid_cols, codes::VALID_REGION)
            }
            Rule::SameShape(slots) => match self.same_dim(slots, text!("rows"), |t| Dim::Fixed(t.rows), codes::SHAPE) {
                Verdict::Holds => self.same_dim(slots, text!("columns"), |t| Dim::Fixed(t.cols), codes::SHAPE),
                broken => broken,
            },
            Rule::ValidRows(slot, n) => self.exact(slot, n, text!("valid rows"), |t| t.valid_rows),
            Rule::ValidCols(slot, n) => self.exact(slot, n, text!("valid columns"), |t| t.valid_cols),
            Rule::NonEmpty(slots) => self.non_empty(slots),
            Rule::Inside(inner, outer) => self.inside(inner, outer),
            Rule::Locs(slot, locs) => self.located(slot, locs),
            Rule::Orders(slots, orders) => self.ordered(slots, orders),
            Rule::ElemIn(slot, set) => self.elem_in(slot, set),
            Rule::SameElem(slots) => self.same_elem(slots),
            Rule::SameElemSize(slots) => self.same_elem_size(slots),
            Rule::ElemBytes(slots, sizes) => self.elem_bytes(slots, sizes),
            Rule::Elems(slots, combos) => self.elem_combo(slots, combos),
            Rule::LocPairs(a, b, pairs) => self.loc_pair(a, b, pairs),
            Rule::Fractal(slot, bytes) => self.fractal(slot, bytes),
            Rule::Together(a, b) => self.together(a, b),
            Rule::NotBoth(a, b) => Verdict::require(!(self.given(a) && self.given(b)), || {
                Broken::new(
                    codes::COMBINATION,
                    vec![self.at(b)],
                    text!("both `{a}` and `{b}`", a, b),
                    text!("one of them").to_string(),
                )
            }),
            Rule::OneOf(names) => Verdict::require(names.iter().any(|n| self.given(n)), || {
                Broken::new(
                    codes::COMBINATION,
                    vec![self.at(names[0])],
                    text!("none of them given"),
                    names.join(", or "),
                )
            }),
            Rule::Named(_, decide) => decide(self),
        }
    }

    fn same_dim(
        &self,
        slots: &'static [&'static str],
        what: &str,
        dim: impl Fn(&TileType) -> Dim,
        code: Code,
    ) -> Verdict {
        let tiles = self.tiles(slots);
        let Some((first, t0)) = tiles.first() else { return Verdict::Holds };
        let mut dynamic = dim(t0) == Dim::Dynamic;
        let mut known = dim(t0).fixed().map(|n| (*first, n));
        for (at, t) in &tiles[1..] {
            match (known, dim(t).fixed()) {
                (Some((ref_slot, n)), Some(m)) if n != m => {
                    let (a, b) = (self.row.slot_at(*at).name, self.row.slot_at(ref_slot).name);
                    let found = text!("`{a}` has {m} {what}, `{b}` has {n}", a, m, what, b, n);
                    let legal = text!("equal {what} in {slots}", what, slots = slots.join(", "));
                    return Verdict::Broken(Broken::new(code, vec![*at, ref_slot], found, legal));
                }
                (None, Some(m)) => known = Some((*at, m)),
                (_, None) => dynamic = true,
                _ => {}
            }
        }
        if dynamic { Verdict::Dynamic } else { Verdict::Holds }
    }

    /// The sources of an elementwise operation are valid wherever its destination is. The pages let the destination
    /// decide and assume that sources are compatible.
    fn covered(&self) -> Verdict {
        let Some((names, dst)) = self.row.same_region(self.target) else { return Verdict::Holds };
        let mut dynamic = false;
        for name in names.iter().filter(|name| **name != dst) {
            match self.inside(dst, name) {
                Verdict::Holds => {}
                Verdict::Dynamic => dynamic = true,
                Verdict::Broken(b) => {
                    let legal = text!("equal valid regions in {names}", names = names.join(", "));
                    return Verdict::Broken(Broken { slots: vec![self.at(name), self.at(dst)], legal, ..b });
                }
            }
        }
        if dynamic { Verdict::Dynamic } else { Verdict::Holds }
    }

    /// A source of an elementwise operation that is valid in more than its destination. What lies beyond is not used, and a
    /// debug build of the device headers stops there.
    pub fn larger_source(&self) -> Option<Broken> {
        let (names, dst) = self.row.same_region(self.target)?;
        let to = self.tile(dst)?;
        let larger = |a: Dim, b: Dim| a.fixed().zip(b.fixed()).is_some_and(|(a, b)| a > b);
        let name = names.iter().find(|name| {
            let from = self.tile(name);
            from.is_some_and(|t| larger(t.valid_rows, to.valid_rows) || larger(t.valid_cols, to.valid_cols))
        })?;
        let from = self.tile(name)?;
        let found = text!(
            "`{name}` has the valid region {valid_rows}x{valid_cols}, `{dst}` has {valid_rows2}x{valid_cols2}, and only that is computed",
            name,
            valid_rows = from.valid_rows,
            valid_cols = from.valid_cols,
            dst,
            valid_rows2 = to.valid_rows,
            valid_cols2 = to.valid_cols
        );
        let legal = text!("equal valid regions in {names}", names = names.join(", "));
        Some(
            Broken::new(codes::VALID_REGION, vec![self.at(name), self.at(dst)], found, legal)
                .help(text!("give all of them the region that is meant; debug builds of the device headers stop here")),
        )
    }

    fn exact(&self, slot: &str, n: u64, what: &str, dim: impl Fn(&TileType) -> Dim) -> Verdict {
        let Some(tile) = self.tile(slot) else { return Verdict::Holds };
        match dim(tile).fixed() {
            None => Verdict::Dynamic,
            Some(m) => Verdict::require(m == n, || {
                Broken::new(
                    codes::VALID_REGION,
                    vec![self.at(slot)],
                    text!("`{slot}` has {m} {what}", slot, m, what),
                    n.to_string(),
                )
            }),
        }
    }

    fn non_empty(&self, slots: &'static [&'static str]) -> Verdict {
        let mut dynamic = false;
        for (at, t) in self.tiles(slots) {
            if t.valid_rows == Dim::Fixed(0) || t.valid_cols == Dim::Fixed(0) {
                let found = text!("`{row}` has an empty valid region", row = self.row.slot_at(at).name);
                return Verdict::Broken(Broken::new(
                    codes::VALID_REGION,
                    vec![at],
                    found,
                    text!("at least one row and column"),
                ));
            }
            dynamic |= t.valid_rows == Dim::Dynamic || t.valid_cols == Dim::Dynamic;
        }
        if dynamic { Verdict::Dynamic } else { Verdict::Holds }
    }

    /// The valid region of the first lies inside that of the second.
    pub(crate) fn inside(&self, inner: &str, outer: &str) -> Verdict {
        let (Some(a), Some(b)) = (self.tile(inner), self.tile(outer)) else { return Verdict::Holds };
        let mut dynamic = false;
        for (what, x, y) in
            [(text!("valid rows"), a.valid_rows, b.valid_rows), (text!("valid columns"), a.valid_cols, b.valid_cols)]
        {
            match (x.fixed(), y.fixed()) {
                (Some(x), Some(y)) if x > y => {
                    let found = text!("`{inner}` has {x} {what}, `{outer}` has {y}", inner, x, what, outer, y);
                    let slots = vec![self.at(inner), self.at(outer)];
                    return Verdict::Broken(Broken::new(codes::VALID_REGION, slots, found, text!("at most {y}", y)));
                }
                (Some(_), Some(_)) => {}
                _ => dynamic = true,
            }
        }
        if dynamic { Verdict::Dynamic } else { Verdict::Holds }
    }

    fn located(&self, slot: &str, locs: Locs) -> Verdict {
        let Some(tile) = self.tile(slot) else { return Verdict::Holds };
        Verdict::require(locs.contains(tile.loc), || {
            Broken::new(
                codes::LOCATION,
                vec![self.at(slot)],
                text!("`{slot}` is in `{loc}`", slot, loc = tile.loc),
                locs.to_string(),
            )
        })
    }

    fn ordered(&self, slots: &'static [&'static str], orders: Orders) -> Verdict {
        for (at, t) in self.tiles(slots) {
            if !orders.contains(self.order(t)) {
                return Verdict::Broken(self.layout_broken(at, t, orders));
            }
        }
        Verdict::Holds
    }

    fn elem_in(&self, slot: &str, set: DTypes) -> Verdict {
        let Some(d) = self.ty(slot).and_then(Type::elem) else { return Verdict::Holds };
        Verdict::require(set.contains(d), || {
            Broken::new(codes::ELEM_TYPE, vec![self.at(slot)], text!("`{slot}` is {d}", slot, d), set.to_string())
        })
    }

    fn same_elem(&self, slots: &'static [&'static str]) -> Verdict {
        let known = self.elems(slots);
        let Some(&(first, d0)) = known.first() else { return Verdict::Holds };
        for &(slot, d) in &known[1..] {
            if d != d0 {
                let found = text!("`{slot}` is {d}, `{first}` is {d0}", slot, d, first, d0);
                let at = vec![self.at(slot), self.at(first)];
                return Verdict::Broken(Broken::new(codes::ELEM_MISMATCH, at, found, format!("{d0}")));
            }
        }
        Verdict::Holds
    }

    fn elems(&self, slots: &'static [&'static str]) -> Vec<(&'static str, DType)> {
        slots.iter().filter_map(|s| Some((*s, self.ty(s)?.elem()?))).collect()
    }

    fn same_elem_size(&self, slots: &'static [&'static str]) -> Verdict {
        let known = self.elems(slots);
        let Some(&(first, d0)) = known.first() else { return Verdict::Holds };
        for &(slot, d) in &known[1..] {
            // Pairs of 4-bit floats are bytes, 4-bit integers stand alone.
            if (d.bits(), d.column_bits()) != (d0.bits(), d0.column_bits()) {
                let found = text!("`{slot}` is {d}, `{first}` is {d0}", slot, d, first, d0);
                let at = vec![self.at(slot), self.at(first)];
                return Verdict::Broken(Broken::new(
                    codes::ELEM_MISMATCH,
                    at,
                    found,
                    text!("elements of the same size"),
                ));
            }
        }
        Verdict::Holds
    }

    fn elem_bytes(&self, slots: &'static [&'static str], sizes: &[u32]) -> Verdict {
        for (slot, d) in self.elems(slots) {
            if !sizes.contains(&d.unit_bytes()) {
                let list: Vec<_> = sizes.iter().map(u32::to_string).collect();
                let found = text!("`{slot}` is {d}", slot, d);
                let legal = text!("elements of {join} bytes", join = list.join(", "));
                return Verdict::Broken(Broken::new(codes::ELEM_TYPE, vec![self.at(slot)], found, legal));
            }
        }
        Verdict::Holds
    }

    fn elem_combo(&self, slots: &'static [&'static str], combos: &[&[DType]]) -> Verdict {
        let known = self.elems(slots);
        if known.len() < slots.len() {
            return Verdict::Holds;
        }
        let found: Vec<DType> = known.iter().map(|k| k.1).collect();
        Verdict::require(combos.iter().any(|c| **c == found[..]), || {
            let show = |list: &[DType]| list.iter().map(|d| d.name()).collect::<Vec<_>>().join(" ");
            let legal: Vec<_> = combos.iter().map(|c| show(c)).collect();
            Broken::new(
                codes::ELEM_COMBINATION,
                slots.iter().map(|s| self.at(s)).collect(),
                text!("{slots} are {found}", slots = slots.join(", "), found = show(&found)),
                legal.join("; "),
            )
        })
    }

    fn loc_pair(&self, a: &str, b: &str, pairs: &[(Loc, Loc)]) -> Verdict {
        let (Some(x), Some(y)) = (self.tile(a), self.tile(b)) else { return Verdict::Holds };
        Verdict::require(pairs.contains(&(x.loc, y.loc)), || {
            let list: Vec<_> = pairs.iter().map(|(p, q)| format!("{p} → {q}")).collect();
            let found = text!("`{a}` is in `{loc}` and `{b}` in `{loc2}`", a, loc = x.loc, b, loc2 = y.loc);
            Broken::new(codes::LOCATION, vec![self.at(b), self.at(a)], found, list.join(", "))
        })
    }

    fn fractal(&self, slot: &str, bytes: u32) -> Verdict {
        let Some(tile) = self.tile(slot) else { return Verdict::Holds };
        Verdict::require(tile.fractal == bytes, || {
            let found = text!("`{slot}` has fractal={fractal}", slot, fractal = tile.fractal);
            Broken::new(codes::LAYOUT, vec![self.at(slot)], found, format!("fractal={bytes}"))
        })
    }

    fn together(&self, a: &str, b: &str) -> Verdict {
        Verdict::require(self.given(a) == self.given(b), || {
            let (have, lack) = if self.given(a) { (a, b) } else { (b, a) };
            Broken::new(
                codes::COMBINATION,
                vec![self.at(lack)],
                text!("`{have}` without `{lack}`", have, lack),
                text!("both or neither"),
            )
        })
    }
}
