//! Operands, attributes and rules of every instruction, read from its row.

use crate::{Info, windows};
use pto_ir::{Attr, Module, OpId, ValueId};
use pto_isa::cancel::poll;
use pto_isa::row::{Arith, AttrKind, AttrSpec, ElemRule, Harm, Hazard, Meaning, Movement};
use pto_isa::rules::{AttrValue, Broken, Instance, RuleArg};
use pto_isa::text;
use pto_isa::{Code, Diagnostic, Dim, Family, Row, Span, Target, TileRule, TileType, Type, codes, enums, table};

/// Checks every operation; rules that only run time can decide are recorded in `info`.
pub(crate) fn check(module: &Module, order: &[OpId], info: &mut Info, problems: &mut Vec<Diagnostic>) {
    let mut dynamic = Vec::new();
    for &id in order {
        poll();
        let check = OpCheck { module, info, id, row: module.op(id).op.row() };
        if check.run(problems) {
            dynamic.push(id);
        }
    }
    info.dynamic = dynamic;
}

/// Checks the rules of one operation of a checked program again, with values that are known when it executes: types with
/// fixed extents, and numbers. `facts` has one entry for each operand, then one for each result. An error comes before a
/// warning.
pub fn recheck(checked: &crate::Checked, id: OpId, facts: &[(Type, Option<i64>)]) -> Option<Diagnostic> {
    let (module, info) = (checked.module(), checked.info());
    let row = module.op(id).op.row();
    let check = OpCheck { module, info, id, row };
    let slots = module.operands(id).iter().map(|o| o.slot).chain(module.results(id).map(|v| module.value(v).slot));
    let known = row.slots.len() + row.results.len();
    let args: Vec<RuleArg> = slots
        .zip(facts)
        .filter(|(slot, _)| usize::from(*slot) < known)
        .map(|(slot, (ty, value))| RuleArg { slot, ty, value: *value })
        .collect();
    let attrs = check.rule_attrs();
    let manual = info.manual[id.index()];
    let instance = Instance { row, target: info.target, manual, args: &args, attrs: &attrs };
    match instance.check().0.into_iter().next() {
        Some(broken) => Some(check.describe(broken, &[])),
        None => instance.larger_source().map(|b| check.describe(b, &[]).warning()),
    }
}

/// Makes the sources of an elementwise operation valid where its destination is, because devices read them so. False if the
/// operation is none, or if a source has no room for the region.
pub fn widen(checked: &crate::Checked, id: OpId, facts: &mut [(Type, Option<i64>)]) -> bool {
    let (module, row) = (checked.module(), checked.module().op(id).op.row());
    let Some((names, dst)) = row.same_region(checked.info().target) else { return false };
    let slots = module.operands(id).iter().map(|o| o.slot).chain(module.results(id).map(|v| module.value(v).slot));
    let slots: Vec<&str> = slots.map(|slot| row.slot_at(usize::from(slot)).name).collect();
    let region = slots.iter().zip(&*facts).rev().find(|(name, _)| **name == dst).and_then(|(_, (ty, _))| ty.tile());
    let Some((rows, cols)) = region.and_then(|t| Some((t.valid_rows.fixed()?, t.valid_cols.fixed()?))) else {
        return false;
    };
    for (_, (ty, _)) in slots.iter().zip(facts).filter(|(name, _)| names.contains(name)) {
        let (Type::Tile(t) | Type::TileBuf(t)) = ty else { continue };
        if t.rows < rows || t.cols < cols {
            return false;
        }
        (t.valid_rows, t.valid_cols) = (Dim::Fixed(rows), Dim::Fixed(cols));
    }
    true
}

pub(crate) struct OpCheck<'a> {
    pub(crate) module: &'a Module,
    pub(crate) info: &'a Info,
    pub(crate) id: OpId,
    pub(crate) row: &'static Row,
}

impl OpCheck<'_> {
    /// Reports the problems of one operation; true when something must be checked at run time.
    fn run(&self, problems: &mut Vec<Diagnostic>) -> bool {
        self.attributes(problems);
        let target = self.info.target;
        if !self.row.targets.contains(target) {
            problems.push(self.not_on_target());
            return false;
        }
        let args = self.args();
        let attrs = self.rule_attrs();
        let instance = |target| Instance {
            row: self.row,
            target,
            manual: self.info.manual[self.id.index()],
            args: &args,
            attrs: &attrs,
        };
        let (broken, dynamic) = instance(target).check();
        if broken.is_empty() {
            let instance = instance(target);
            let advice = self.row.advice.and_then(|advice| advice(&instance));
            let advice = advice.into_iter().chain(instance.larger_source());
            problems.extend(advice.map(|b| self.describe(b, &[]).warning()));
            problems.extend(self.row.hazards_of(&instance).filter_map(|h| self.fault(h)));
            problems.extend(windows::gaps(self.module, self.id, target));
            return dynamic;
        }
        // A malformed tile type was reported where it is defined.
        if args.iter().any(|a| a.ty.tile().is_some_and(is_malformed)) {
            return false;
        }
        let accepted: Vec<Target> = Target::ALL
            .into_iter()
            .filter(|&t| t != target && self.row.targets.contains(t) && instance(t).is_legal())
            .collect();
        problems.extend(broken.into_iter().map(|b| self.describe(b, &accepted)));
        false
    }

    pub(crate) fn args(&self) -> Vec<RuleArg<'_>> {
        let arg = |slot: u8, value: ValueId| RuleArg {
            slot,
            ty: self.module.value_type(value),
            value: self.info.constant(value),
        };
        let slots = self.row.slots.len() + self.row.results.len();
        let operands = self.module.operands(self.id).iter().map(|o| arg(o.slot, o.value));
        let results = self.module.results(self.id).map(|v| arg(self.module.value(v).slot, v));
        operands.chain(results).filter(|a| usize::from(a.slot) < slots).collect()
    }

    /// Attributes as rules see them; most operations are scalar and have none.
    pub(crate) fn rule_attrs(&self) -> Vec<(&str, AttrValue<'_>)> {
        if self.row.shape_rules.is_empty() && self.row.rules.is_empty() && self.row.hazards.is_empty() {
            return Vec::new();
        }
        let text = |s| self.module.names.text(s);
        let mut attrs: Vec<_> = self.module.attrs(self.id).iter().map(|(n, a)| (text(*n), a.for_rules(text))).collect();
        if attrs.iter().all(|(name, _)| *name != "layout") {
            attrs.extend(self.window_layout());
        }
        attrs
    }

    /// A transfer that states no layout has that of its window.
    fn window_layout(&self) -> Option<(&'static str, AttrValue<'static>)> {
        let moves = matches!(
            self.module.meaning(self.id),
            Meaning::Movement(Movement::Load | Movement::Store | Movement::StoreScaled)
        );
        let operands = self.module.operands(self.id).iter().filter(|_| moves);
        let layout = operands.filter_map(|o| self.info.layouts.made(o.value)).next()?;
        let at =
            (0..enums::LAYOUT.values.len()).find(|at| enums::LAYOUT.value(*at).eq_ignore_ascii_case(layout.name()));
        Some(("layout", AttrValue::Enum(&enums::LAYOUT, at?)))
    }

    fn name(&self) -> String {
        let full = self.row.full_name();
        full.strip_prefix("pto.").map_or(full.clone(), str::to_string)
    }

    fn name_span(&self) -> Span {
        self.module.op(self.id).name_span
    }

    fn not_on_target(&self) -> Diagnostic {
        let target = self.info.target;
        let others: Vec<_> = self.row.targets.iter().map(|t| t.name()).collect();
        let d = Diagnostic::new(
            codes::NOT_ON_TARGET,
            self.name_span(),
            text!("{target} has no `{name}`", target, name = self.name()),
        )
        .legal(text!(
            "targets that have it: {others}",
            others = if others.is_empty() { "none".into() } else { others.join(", ") }
        ))
        .page(self.row.name);
        match others.first() {
            Some(first) => d.help(text!("build for --target {first}", first)),
            None => d,
        }
    }

    /// A broken rule with its spans, what is legal here and on other targets, and help.
    fn describe(&self, broken: Broken, accepted: &[Target]) -> Diagnostic {
        let target = self.info.target;
        let message = format!("{}: {}", phrase(broken.code, &self.name(), target), broken.found);
        let mut d = Diagnostic::new(broken.code, self.name_span(), message).page(self.row.name);
        for &slot in &broken.slots {
            if let Some(span) = self.slot_span(slot) {
                d = d.label(span, format!("`{}`", self.row.slot_at(slot).name));
            }
        }
        d = d.legal(text!("legal on {target}: {legal}", target, legal = broken.legal));
        let by_type =
            broken.code == codes::ELEM_TYPE && broken.slots.iter().all(|&s| self.row.slot_at(s).elem == ElemRule::Data);
        for &other in accepted.iter().filter(|t| **t != Target::Cpu) {
            d = d.legal(match by_type {
                true => text!("legal on {other}: {row}", other, row = self.row.data_types(other)),
                false => text!("{other} accepts this", other),
            });
        }
        let way_out = match (broken.help, accepted.iter().find(|t| **t != Target::Cpu)) {
            (Some(help), _) => Some(help),
            (None, Some(other)) if by_type => {
                Some(text!("convert the tile first, or build for --target {other}", other))
            }
            (None, Some(other)) => Some(text!("build for --target {other}", other)),
            (None, None) if by_type => Some(text!("convert the tile to a legal type first").to_string()),
            (None, None) => None,
        };
        match way_out {
            Some(text) => d.help(text),
            None => d,
        }
    }

    /// A fault of the device.
    fn fault(&self, hazard: &Hazard) -> Option<Diagnostic> {
        let Harm::Fault(text) = hazard.harm else { return None };
        let message = text!(
            "`{name}` on {target}: {text}",
            name = self.name(),
            target = self.info.target,
            text = text::translate(text)
        );
        let d = Diagnostic::new(codes::DEVICE_FAULT, self.name_span(), message).warning().page(self.row.name);
        Some(match hazard.when {
            Some((words, _)) => d.remark(text!("this is so for {words}", words = text::translate(words))),
            None => d,
        })
    }

    fn slot_span(&self, slot: usize) -> Option<Span> {
        let operand = self.module.in_slot(self.id, slot).map(|o| o.span).next();
        let result = || {
            self.module
                .results(self.id)
                .map(|v| self.module.value(v))
                .find(|v| usize::from(v.slot) == slot)
                .map(|v| v.span)
        };
        operand.or_else(result)
    }

    // ---- attributes --------------------------------------------------------------------------------------

    fn attributes(&self, problems: &mut Vec<Diagnostic>) {
        let given = self.module.attrs(self.id);
        problems.extend(self.constant_of_another_type());
        for (name, attr) in given {
            let text = self.module.names.text(*name);
            match self.row.attr(text) {
                Some(spec) => self.attribute(spec, attr, problems),
                None if text.contains('.') || !self.row.family.is_isa() => {}
                None => problems.push(self.unknown_attribute(text)),
            }
        }
        for spec in self.row.attrs.iter().filter(|s| s.required) {
            let present = given.iter().any(|(n, _)| self.module.names.text(*n) == spec.name);
            if !present {
                let message = text!("`{name}` lacks its attribute `{name2}`", name = self.name(), name2 = spec.name);
                problems.push(
                    Diagnostic::new(codes::MISSING_ATTRIBUTE, self.name_span(), message)
                        .legal(format!("`{}`: {}; {}", spec.name, spec.legal_values(), text::translate(spec.doc)))
                        .page(self.row.name),
                );
            }
        }
    }

    /// A constant that is not a number, or a fraction for an integer type.
    fn constant_of_another_type(&self) -> Option<Diagnostic> {
        let is_constant = self.module.arith(self.id) == Some(Arith::Constant);
        let ty = self.module.value_type(self.module.results(self.id).next().filter(|_| is_constant)?).scalar()?;
        let fits = match self.module.attr(self.id, "value")? {
            Attr::Int(..) => true,
            Attr::Bool(_) => !ty.is_float(),
            Attr::Float(..) | Attr::FloatBits(..) => ty.is_float(),
            _ => false,
        };
        let legal =
            if ty.is_float() { text!("legal: a number, `1.5`") } else { text!("legal: an integer, `true` or `false`") };
        let message = text!("a constant of type {ty} has another value", ty);
        (!fits).then(|| Diagnostic::new(codes::ATTRIBUTE_VALUE, self.name_span(), message).legal(legal))
    }

    fn unknown_attribute(&self, name: &str) -> Diagnostic {
        let known: Vec<_> = self.row.attrs.iter().map(|a| a.name).collect();
        let legal = if known.is_empty() { text!("it has none").to_string() } else { known.join(", ") };
        let message = text!("`{name2}` has no attribute `{name}`", name2 = self.name(), name);
        let d = Diagnostic::new(codes::UNKNOWN_ATTRIBUTE, self.name_span(), message)
            .legal(text!("attributes: {legal}", legal))
            .page(self.row.name);
        // A likely typo, or an attribute for a pipe or a register, was meant to change the result.
        match known.iter().find(|k| table::distance(&k.to_ascii_lowercase(), &name.to_ascii_lowercase()) <= 2) {
            Some(near) => d.help(text!("did you mean `{near}`?", near)),
            None if matches!(self.row.family, Family::Fifo | Family::Config) => d,
            None => d.warning(),
        }
    }

    fn attribute(&self, spec: &AttrSpec, attr: &Attr, problems: &mut Vec<Diagnostic>) {
        let target = self.info.target;
        if !spec.targets.contains(target) {
            let message = text!(
                "`{name}` takes no attribute `{name2}` on {target}",
                name = self.name(),
                name2 = spec.name,
                target
            );
            let others: Vec<_> = spec.targets.iter().map(|t| t.name()).collect();
            problems.push(
                Diagnostic::new(codes::UNKNOWN_ATTRIBUTE, self.name_span(), message)
                    .legal(text!("targets that take it: {others}", others = others.join(", "))),
            );
        } else if !fits(spec.kind, attr) {
            let message =
                text!("`{name}` of `{name2}` has a value that is not legal", name = spec.name, name2 = self.name());
            problems.push(
                Diagnostic::new(codes::ATTRIBUTE_VALUE, self.name_span(), message)
                    .legal(text!("legal: {spec}", spec = spec.legal_values()))
                    .page(self.row.name),
            );
        }
    }
}

fn is_malformed(tile: &TileType) -> bool {
    tile.broken_rules().iter().any(|r| matches!(r, TileRule::Empty | TileRule::ValidExceeds | TileRule::Fractal))
}

fn fits(kind: AttrKind, attr: &Attr) -> bool {
    match (kind, attr) {
        (AttrKind::Any, _) => true,
        (AttrKind::Enum(e), Attr::Enum(d, _)) => e == *d,
        (AttrKind::EnumOr(e, f), Attr::Enum(d, _)) => e == *d || f == *d,
        (AttrKind::Int(low, high), Attr::Int(n, _)) => (i128::from(low)..=i128::from(high)).contains(n),
        (AttrKind::OneOf(list), Attr::Int(n, _)) => list.iter().any(|x| i128::from(*x) == *n),
        (AttrKind::Bool, Attr::Bool(_)) | (AttrKind::Str, Attr::Str(_)) | (AttrKind::Symbol, Attr::Symbol(_)) => true,
        (AttrKind::Ints, Attr::Array(items)) => items.iter().all(|a| matches!(a, Attr::Int(..))),
        (AttrKind::Unit, Attr::Unit | Attr::Bool(_)) => true,
        _ => false,
    }
}

/// The start of a message about a broken rule.
fn phrase(code: Code, name: &str, target: Target) -> String {
    match code {
        codes::ELEM_TYPE => text!("`{name}` does not take this element type on {target}", name, target),
        codes::ELEM_MISMATCH => text!("element types of `{name}` differ", name),
        codes::ELEM_COMBINATION => {
            text!("`{name}` does not take these element types together on {target}", name, target)
        }
        codes::LOCATION => text!("`{name}` cannot reach this memory on {target}", name, target),
        codes::LAYOUT => text!("`{name}` does not take this layout on {target}", name, target),
        codes::VALID_REGION => text!("valid regions of `{name}` do not fit", name),
        codes::SHAPE => text!("shapes of `{name}` do not fit", name),
        codes::SCRATCH => text!("scratch of `{name}` is not right on {target}", name, target),
        codes::OPERAND_KIND => text!("wrong operand of `{name}`", name),
        other => text!("`{name}`: {title}", name, title = text::translate(other.entry().title)),
    }
}
