//! Operands of one instruction that share memory with each other, or with memory that the device uses implicitly.

use crate::cases::{self, Enclosing, Unknown};
use crate::instructions::OpCheck;
use crate::places::{Linear, Overlap, Runs, TileAddresses, TileExtent, TileHome, Window, hidden_runs};
use crate::{Checked, Info};
use pto_ir::{Module, OpId, Operand, ValueId};
use pto_isa::cancel::poll;
use pto_isa::row::{Aliasing, Effect, Harm, HiddenMemory};
use pto_isa::rules::Instance;
use pto_isa::text;
use pto_isa::{Diagnostic, Dir, Row, Slot, Target, codes};

pub(crate) fn check(
    module: &Module,
    order: &[OpId],
    info: &Info,
    places: &TileAddresses<'_>,
    problems: &mut Vec<Diagnostic>,
) {
    let mut around = None;
    for &id in order.iter().filter(|id| is_work(module, **id)) {
        poll();
        let check = OperandCheck { module, info, places, id, row: module.op(id).op.row(), given: None, windows: None };
        let before = problems.len();
        check.run(problems);
        if problems.len() == before && check.varies() {
            problems.extend(check.in_cases(around.get_or_insert_with(|| Enclosing::of(module, order))));
        }
    }
}

/// An instruction with several operands that writes something.
pub(crate) fn is_work(module: &Module, id: OpId) -> bool {
    let row = module.op(id).op.row();
    let writes = row.effect == Effect::Operands && row.slots.iter().any(|s| s.dir != Dir::In);
    writes && module.operands(id).len() > 1
}

/// Destinations and sources of an instruction that must not share memory on the target, regardless of their addresses.
pub fn apart(checked: &Checked, id: OpId) -> Vec<(ValueId, ValueId)> {
    let (module, info) = (checked.module(), checked.info());
    let row = module.op(id).op.row();
    let check = OpCheck { module, info, id, row };
    let (args, attrs) = (check.args(), check.rule_attrs());
    let instance = Instance { row, target: info.target, manual: info.manual[id.index()], args: &args, attrs: &attrs };
    let harms: Vec<Harm> = row.hazards_of(&instance).map(|h| h.harm).collect();
    let distinct = is_distinct(row, info.target);
    let scratch = row.scratch.map(|s| s.slot);
    let slots = row.slots.len();
    let data = module.operands(id).iter().filter(|o| usize::from(o.slot) < slots && module.tile(o.value).is_some());
    let slot = |o: &Operand| row.slot_at(usize::from(o.slot));
    let data = data.filter(|o| scratch != Some(slot(o).name));
    let mut pairs = Vec::new();
    for dst in data.clone().filter(|o| slot(o).dir != Dir::In) {
        for src in data.clone().filter(|o| slot(o).dir != Dir::Out && o.slot != dst.slot) {
            let early = harms.contains(&Harm::WritesEarly(slot(dst).name, slot(src).name));
            if early || distinct && slot(dst).dir == Dir::Out {
                pairs.push((dst.value, src.value));
            }
        }
    }
    pairs
}

fn is_distinct(row: &Row, target: Target) -> bool {
    matches!(row.alias, Aliasing::Distinct(on) if on.contains(target))
}

/// Two parameters that share memory, and how.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SharedParams {
    pub(crate) tiles: (ValueId, ValueId),
    pub(crate) how: Overlap,
}

pub(crate) struct OperandCheck<'a> {
    pub(crate) module: &'a Module,
    pub(crate) info: &'a Info,
    pub(crate) places: &'a TileAddresses<'a>,
    pub(crate) id: OpId,
    pub(crate) row: &'static Row,
    /// Only operands in these two parameters matter.
    pub(crate) given: Option<SharedParams>,
    /// The windows of tiles in a case, by operand.
    pub(crate) windows: Option<Vec<(ValueId, Window)>>,
}

impl OperandCheck<'_> {
    pub(crate) fn run(&self, problems: &mut Vec<Diagnostic>) {
        let check = OpCheck { module: self.module, info: self.info, id: self.id, row: self.row };
        let harms: Vec<Harm> = if self.row.hazards.is_empty() && self.row.scratch.is_none() {
            Vec::new()
        } else {
            let (args, attrs) = (check.args(), check.rule_attrs());
            let manual = self.info.manual[self.id.index()];
            let instance = Instance { row: self.row, target: self.info.target, manual, args: &args, attrs: &attrs };
            if self.row.scratch.is_some_and(|s| s.works_in(&instance)) {
                self.scratch(problems);
            }
            self.row.hazards_of(&instance).map(|h| h.harm).collect()
        };
        self.destinations(&harms, problems);
        for harm in harms {
            if let Harm::Hidden(memory) = harm
                && self.given.is_none()
            {
                self.hidden(memory, problems);
            }
        }
    }

    /// Conditions or counters determine the address of a tile.
    fn varies(&self) -> bool {
        self.tiles().any(|o| self.places.varies(o.value, self.id))
    }

    /// Problems in a possible case, as warnings.
    fn in_cases(&self, around: &Enclosing) -> Vec<Diagnostic> {
        let tiles: Vec<ValueId> = self.tiles().map(|o| o.value).collect();
        let found = cases::each(self.module, self.info, around, self.id, |case| {
            let mut windows = Vec::new();
            for tile in &tiles {
                match self.places.window_in(*tile, self.id, case) {
                    Ok(window) => windows.push((*tile, window)),
                    Err(Unknown::Value) => {}
                    Err(condition) => return Err(condition),
                }
            }
            let mut found = Vec::new();
            Self { windows: Some(windows), ..*self }.run(&mut found);
            Ok((!found.is_empty()).then_some(found))
        });
        let Some((problems, case)) = found else { return Vec::new() };
        let text = case.text(self.module);
        let told = |mut d: Diagnostic| {
            d.message = text!("{message} where {text}", message = d.message, text);
            d.warning()
        };
        problems.into_iter().map(told).collect()
    }

    fn in_place(&self, dst: ValueId, src: ValueId) -> Overlap {
        match self.given {
            Some(given) => self.through(given, TileExtent::Valid, dst, src),
            None => self.both(dst, src).map_or_else(|| self.places.in_place(dst, src, self.id), |(x, y)| x.in_place(y)),
        }
    }

    fn overlap(&self, scratch: ValueId, other: ValueId) -> Overlap {
        match self.given {
            Some(given) => self.through(given, TileExtent::Physical, scratch, other),
            None => match self.both(scratch, other) {
                Some((x, y)) => x.overlap(TileExtent::Physical, y),
                None => self.places.overlap((scratch, TileExtent::Physical), other, self.id),
            },
        }
    }

    /// The windows of two tiles in the current case.
    fn both(&self, a: ValueId, b: ValueId) -> Option<(&Window, &Window)> {
        let window = |tile: ValueId| self.windows.as_ref()?.iter().find(|(t, _)| *t == tile).map(|(_, w)| w);
        window(a).zip(window(b))
    }

    /// How two tiles share memory if two parameters do.
    fn through(&self, given: SharedParams, extent: TileExtent, a: ValueId, b: ValueId) -> Overlap {
        let (p, q) = (TileHome::Tile(given.tiles.0), TileHome::Tile(given.tiles.1));
        let windows = self.places.window(a, self.id).zip(self.places.window(b, self.id));
        let Some((x, mut y)) = windows.filter(|(x, y)| [(p, q), (q, p)].contains(&(x.home, y.home))) else {
            return Overlap::Unknown;
        };
        let is_whole = |w: &Window| w.start == Linear::default();
        match given.how {
            Overlap::Same => {
                y.home = x.home;
                x.overlap(extent, &y)
            }
            how if is_whole(&x) && is_whole(&y) => how,
            _ => Overlap::Unknown,
        }
    }

    fn slot(&self, operand: &Operand) -> &'static Slot {
        self.row.slot_at(usize::from(operand.slot))
    }

    fn tiles(&self) -> impl Iterator<Item = &Operand> + Clone {
        let slots = self.row.slots.len();
        let operands = self.module.operands(self.id).iter();
        operands.filter(move |o| usize::from(o.slot) < slots && self.module.tile(o.value).is_some())
    }

    fn is_scratch(&self, operand: &Operand) -> bool {
        self.row.scratch.is_some_and(|s| s.slot == self.slot(operand).name)
    }

    /// A destination against every tile that is read: the same memory if that is unsafe, or a part of it.
    fn destinations(&self, harms: &[Harm], problems: &mut Vec<Diagnostic>) {
        let distinct = is_distinct(self.row, self.info.target);
        let data = self.tiles().filter(|o| !self.is_scratch(o));
        for dst in data.clone().filter(|o| self.slot(o).dir != Dir::In) {
            for src in data.clone().filter(|o| self.slot(o).dir != Dir::Out && o.slot != dst.slot) {
                let (d, s) = (self.slot(dst).name, self.slot(src).name);
                let early = harms.contains(&Harm::WritesEarly(d, s));
                let distinct = distinct && self.slot(dst).dir == Dir::Out;
                let overlap = self.in_place(dst.value, src.value);
                problems.extend(harms.iter().filter_map(|harm| self.place_fault(*harm, (dst, src), overlap)));
                let problem = match overlap {
                    Overlap::Same if distinct || early => Diagnostic::new(
                        codes::ALIASING,
                        dst.span,
                        text!("`{d}` of `{name}` shares memory with `{s}`", d, name = self.row.name, s),
                    )
                    .legal(text!(
                        "separate memory for `{d}` on {target}",
                        d,
                        target = self.info.target
                    )),
                    Overlap::Partial(bytes) => Diagnostic::new(
                        codes::PARTIAL_OVERLAP,
                        dst.span,
                        text!("`{d}` of `{name}` overlaps `{s}` in {bytes} bytes", d, name = self.row.name, s, bytes),
                    )
                    .warning()
                    .legal(text!("the same address, or separate memory")),
                    _ => continue,
                };
                problems.push(problem.label(src.span, format!("`{s}`")).page(self.row.name));
            }
        }
    }

    /// The wrong result of the device if two operands share their memory, or do not.
    fn place_fault(&self, harm: Harm, (dst, src): (&Operand, &Operand), overlap: Overlap) -> Option<Diagnostic> {
        let (d, s, target) = (self.slot(dst).name, self.slot(src).name, self.info.target);
        let message = match harm {
            Harm::Differs(to, from, text) if (to, from) == (d, s) && overlap == Overlap::Same => {
                text!(
                    "`{name}` on {target} with `{d}` on `{s}`: {text}",
                    name = self.row.name,
                    target,
                    d,
                    s,
                    text = text::translate(text)
                )
            }
            Harm::Ignores(from, to) if (to, from) == (d, s) && overlap == Overlap::None => {
                text!(
                    "`{name}` on {target} does not read `{s}`: it takes what `{d}` holds",
                    name = self.row.name,
                    target,
                    s,
                    d
                )
            }
            _ => return None,
        };
        let same = matches!(harm, Harm::Ignores(..)) && !self.info.manual[self.id.index()];
        let d = Diagnostic::new(codes::DEVICE_FAULT, dst.span, message).warning().label(src.span, format!("`{s}`"));
        let d = d.page(self.row.name);
        Some(match harm {
            // If addresses are open, the two get the same one if possible.
            _ if same => return None,
            Harm::Ignores(..) => d.legal(text!("the same memory for both")),
            _ => d.legal(text!("separate memory")),
        })
    }

    /// The scratch tile against every other one: each would overwrite the other.
    fn scratch(&self, problems: &mut Vec<Diagnostic>) {
        let Some(scratch) = self.tiles().find(|o| self.is_scratch(o)) else { return };
        for other in self.tiles().filter(|o| !self.is_scratch(o)) {
            let (tmp, name) = (self.slot(scratch).name, self.slot(other).name);
            let how = match self.overlap(scratch.value, other.value) {
                Overlap::Same => text!("shares memory with `{name}`", name),
                Overlap::Partial(bytes) => text!("overlaps `{name}` in {bytes} bytes", name, bytes),
                Overlap::Somewhere(bytes) => {
                    text!("overlaps `{name}` in {bytes} bytes, wherever the window starts", name, bytes)
                }
                Overlap::None | Overlap::Unknown => continue,
            };
            let message = text!("`{tmp}` of `{name}` {how}", tmp, name = self.row.name, how);
            problems.push(
                Diagnostic::new(codes::SCRATCH_OVERLAP, scratch.span, message)
                    .label(other.span, format!("`{name}`"))
                    .legal(text!("separate memory for `{tmp}` on {target}", tmp, target = self.info.target))
                    .page(self.row.name),
            );
        }
    }

    /// Operands in memory that the device uses implicitly.
    fn hidden(&self, hidden: HiddenMemory, problems: &mut Vec<Diagnostic>) {
        let bytes: Runs = hidden_runs(&hidden);
        for operand in self.tiles() {
            let window = match self.both(operand.value, operand.value) {
                Some((window, _)) => Some(window.clone()),
                None => self.places.window(operand.value, self.id),
            };
            let inside = window.filter(|w| w.home == TileHome::At(hidden.loc) && w.start.unknown.is_empty());
            if inside.is_none_or(|w| w.runs(TileExtent::Valid).shared(&bytes) == 0) {
                continue;
            }
            let name = self.slot(operand).name;
            let message = text!(
                "`{name}` of `{name2}` lies in bytes {start} to {end} of `{loc}`, which the instruction itself uses here",
                name,
                name2 = self.row.name,
                start = format_args!("{:#x}", hidden.start),
                end = format_args!("{:#x}", hidden.end),
                loc = hidden.loc
            );
            problems.push(avoid(
                Diagnostic::new(codes::HIDDEN_MEMORY, operand.span, message),
                self.row,
                self.info.target,
            ));
        }
    }
}

/// How to avoid memory that an instruction uses implicitly.
pub(crate) fn avoid(d: Diagnostic, row: &Row, target: Target) -> Diagnostic {
    let d = d.legal(text!("other addresses on {target}", target)).page(row.name);
    match row.scratch {
        Some(scratch) => d.help(text!(
            "place the tile elsewhere, or give the instruction a scratch tile `{slot}`",
            slot = scratch.slot
        )),
        None => d.help(text!("place the tile elsewhere")),
    }
}
