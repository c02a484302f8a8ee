//! FIFO pipes with an epilogue: the fix pipe converts accumulators on their way to the vector cores.

use super::LocatedProgram;
use super::ends::groups;
use super::epilogue::{Epilogue, ScaleKind, parse};
use super::pipes::{FifoEnd, FifoEnds, User, operand};
use crate::structure::head;
use pto_ir::{Attr, OpId};
use pto_isa::row::{CoreKind, EntryAction, Fifo, ScaleForm};
use pto_isa::text;
use pto_isa::{Diagnostic, Loc, Op, Target, TileType, codes};

pub(super) fn check(program: &LocatedProgram, pipes: &FifoEnds, problems: &mut Vec<Diagnostic>) {
    for group in groups(&pipes.ends) {
        let known: Vec<Option<Epilogue>> = group.iter().map(|e| read(program, e, problems)).collect();
        problems.extend(same(program, &group, &known));
        for (end, epilogue) in group.iter().zip(&known) {
            if let Some(epilogue) = epilogue {
                let check = FixPipe { program, end, epilogue };
                check.run(problems);
                check.meets(&group, problems);
            }
        }
    }
    scales(program, pipes, problems);
}

/// The epilogue of an end; an unreadable one is reported.
fn read(program: &LocatedProgram, end: &FifoEnd, problems: &mut Vec<Diagnostic>) -> Option<Epilogue> {
    let Attr::Raw(text) = program.module.attr(end.init, "acc_push_epilogue")? else { return None };
    match parse(program.module.names.text(*text)) {
        Ok(epilogue) => Some(epilogue),
        Err(bad) => {
            let message =
                text!("`{found}` is not a {part} of an acc_push_epilogue", found = bad.found, part = bad.part);
            problems.push(program.problem(codes::ATTRIBUTE_VALUE, end.init, message).legal(bad.legal));
            None
        }
    }
}

/// Both ends of a pipe name the same epilogue.
fn same(program: &LocatedProgram, group: &[&FifoEnd], known: &[Option<Epilogue>]) -> Option<Diagnostic> {
    let has = |e: &FifoEnd| program.module.attr(e.init, "acc_push_epilogue").is_some();
    let first = group.iter().position(|e| has(e))?;
    let report = |other: &FifoEnd, message: String| {
        let d = program.problem(codes::FIFO_SETUP, other.init, message);
        d.label(head(program.module, group[first].init), text!("the other end"))
            .legal(text!("the same acc_push_epilogue at both ends"))
    };
    if let Some(bare) = group.iter().find(|e| !has(e)) {
        return Some(report(bare, text!("this end of the pipe has no acc_push_epilogue, the other has").to_string()));
    }
    let here = known[first]?;
    let (end, there) = group.iter().zip(known).find_map(|(e, k)| Some((e, (*k).filter(|k| *k != here)?)))?;
    let parts = [
        ("layout", here.layout, there.layout),
        ("quant", here.quant.name, there.quant.name),
        ("relu", here.relu, there.relu),
    ];
    let (part, a, b) = parts.into_iter().find(|(_, a, b)| a != b)?;
    Some(report(end, text!("the ends of this pipe disagree: {part} is {b} here, {a} at the other end", part, b, a)))
}

/// One end with its epilogue.
struct FixPipe<'a> {
    program: &'a LocatedProgram<'a>,
    end: &'a FifoEnd,
    epilogue: &'a Epilogue,
}

impl FixPipe<'_> {
    fn run(&self, problems: &mut Vec<Diagnostic>) {
        problems.extend(self.target());
        for user in &self.end.users {
            problems.extend(self.whole(user));
        }
        for push in self.end.users_in(EntryAction::Push) {
            problems.extend(self.pushed(push));
            problems.extend(self.scaled(push));
        }
        for pop in self.end.users_in(EntryAction::Pop) {
            problems.extend(self.popped(pop));
        }
    }

    fn tile(&self, user: &User) -> Option<&TileType> {
        let module = self.program.module;
        let given = operand(self.program, user.id, "tile").map(|o| o.value);
        module.tile(given.or_else(|| module.results(user.id).next())?)
    }

    fn about(&self, id: OpId, message: String) -> Diagnostic {
        let d = self.program.problem(codes::FIFO_SETUP, id, message);
        d.label(head(self.program.module, self.end.init), text!("the pipe and its epilogue"))
    }

    fn target(&self) -> Option<Diagnostic> {
        let target = self.program.info.target;
        let quant = self.epilogue.quant;
        if quant.targets.contains(target) || quant.targets.contains(Target::A5) && written_for_a5(self.program) {
            return None;
        }
        let others: Vec<_> = quant.targets.iter().map(Target::name).collect();
        let message = text!("{target} has no quantisation mode `{name}`", target, name = quant.name);
        let d = self.program.problem(codes::ATTRIBUTE_VALUE, self.end.init, message);
        Some(d.legal(text!("targets that have it: {others}", others = others.join(", "))))
    }

    fn whole(&self, user: &User) -> Option<Diagnostic> {
        let split = user.split.filter(|s| *s != 0)?;
        let message = text!(
            "`{program}` splits tiles of a pipe with an epilogue: split = {split}",
            program = self.program.name(user.id),
            split
        );
        Some(self.about(user.id, message).legal("split = 0"))
    }

    fn pushed(&self, push: &User) -> Option<Diagnostic> {
        let tile = self.tile(push)?;
        let quant = self.epilogue.quant;
        if tile.loc != Loc::Acc {
            let message = text!("a tile in `{loc}` pushed through the fix pipe", loc = tile.loc);
            return Some(self.about(push.id, message).legal(text!("an accumulator")));
        }
        (!quant.from.contains(tile.dtype)).then(|| {
            let message =
                text!("an accumulator of {dtype} pushed with quant = {name}", dtype = tile.dtype, name = quant.name);
            self.about(push.id, message).legal(text!("{name} takes {from}", name = quant.name, from = quant.from))
        })
    }

    /// A scale is set for this pipe earlier in the block of the push.
    fn scaled(&self, push: &User) -> Option<Diagnostic> {
        let setter = setter(self.epilogue.quant.scale)?;
        let id = self.end.id?;
        let module = self.program.module;
        let before = module.block(self.program.site(push.id).block).ops.iter().take_while(|o| **o != push.id);
        let sets = |&o: &OpId| module.op(o).op == setter && self.program.module.int(o, "id").unwrap_or(0) == id;
        match before.copied().filter(sets).last() {
            Some(set) => self.enough_words(push, set),
            None => {
                let name = setter.row().name;
                let message =
                    text!("quant = {name} without a scale for pipe {id}", name = self.epilogue.quant.name, id);
                let d = self.about(push.id, message).legal(text!(
                    "`{name}` with id = {id}, earlier in this block",
                    name,
                    id
                ));
                Some(d.help(text!("write `pto.{name}` in front of the push", name)))
            }
        }
    }

    /// A table of scales has one word per pushed column. Open extents are checked at run time.
    fn enough_words(&self, push: &User, set: OpId) -> Option<Diagnostic> {
        let table = self.program.module.tile(operand(self.program, set, "scaling_tile")?.value)?;
        let (columns, words) = (self.tile(push)?.valid_cols.fixed()?, table.valid_cols.fixed()?);
        (columns > words).then(|| {
            let message = text!("{words} scale words for {columns} columns", words, columns);
            let d = self.about(push.id, message).legal(text!("one word per column"));
            d.label(head(self.program.module, set), text!("the words are set here"))
        })
    }

    fn popped(&self, pop: &User) -> Option<Diagnostic> {
        let tile = self.tile(pop)?;
        let Epilogue { layout, order, quant, .. } = *self.epilogue;
        if !quant.to.contains(tile.dtype) {
            let message = text!("a tile of {dtype} popped with quant = {name}", dtype = tile.dtype, name = quant.name);
            return Some(self.about(pop.id, message).legal(text!(
                "{name} gives {to}",
                name = quant.name,
                to = quant.to
            )));
        }
        if tile.loc != Loc::Vec || tile.order() != order {
            let message = text!(
                "a tile in `{loc}` with layout {tile} popped with layout = {layout}",
                loc = tile.loc,
                tile = tile.order(),
                layout
            );
            return Some(self.about(pop.id, message).legal(text!("a tile in vec with layout {order}", order)));
        }
        let first = self.end.users_in(EntryAction::Pop).next()?;
        (self.tile(first) != Some(tile)).then(|| {
            let d = self.about(pop.id, text!("the tiles popped from this pipe have different types").to_string());
            d.label(head(self.program.module, first.id), text!("the first pop"))
                .legal(text!("one tile type per pipe with an epilogue"))
        })
    }

    /// The popped tile matches what both ends state.
    fn meets(&self, group: &[&FifoEnd], problems: &mut Vec<Diagnostic>) {
        if !self.end.frontend || self.program.site(self.end.init).core != Some(CoreKind::Vector) {
            return;
        }
        let Some(pop) = self.end.users_in(EntryAction::Pop).next() else {
            let message = text!("nothing is popped from this pipe, so the type of its entries is unknown").to_string();
            let d = self.program.problem(codes::FIFO_SETUP, self.end.init, message);
            problems.push(d.legal(text!("at least one `tpop_from_aic`")));
            return;
        };
        let Some(tile) = self.tile(pop) else { return };
        for end in group {
            let size = u64::try_from(end.shape.slot_size).unwrap_or(0);
            if size < tile.bytes() {
                let message = text!("a slot of {size} bytes for tiles of {tile}", size, tile = tile.bytes());
                let d = self.program.problem(codes::FIFO_SETUP, end.init, message);
                let d = d.label(head(self.program.module, pop.id), text!("popped here"));
                problems
                    .push(d.legal(text!("slot_size at least {tile}: the tile after conversion", tile = tile.bytes())));
            }
            for push in end.users_in(EntryAction::Push) {
                problems.extend(self.unconverted(push, tile));
            }
        }
    }

    fn unconverted(&self, push: &User, popped: &TileType) -> Option<Diagnostic> {
        let pushed = self.tile(push)?;
        (self.epilogue.quant.keeps_type() && pushed.dtype != popped.dtype).then(|| {
            let message = text!(
                "{dtype} is pushed and {dtype2} popped without a conversion",
                dtype = pushed.dtype,
                dtype2 = popped.dtype
            );
            self.about(push.id, message).legal(text!("the same element type, or a quant that converts"))
        })
    }
}

/// The operation that sets a scale.
fn setter(scale: ScaleKind) -> Option<Op> {
    match scale {
        ScaleKind::None => None,
        ScaleKind::Scalar => Some(Op::of(Fifo::Scale(ScaleForm::Scalar))),
        ScaleKind::Vector => Some(Op::of(Fifo::Scale(ScaleForm::Vector))),
    }
}

/// In a function that opens FIFO pipes, scales must belong to an epilogue that reads them.
fn scales(program: &LocatedProgram, pipes: &FifoEnds, problems: &mut Vec<Diagnostic>) {
    let module = program.module;
    module.walk(module.top, &mut |id| {
        let scale = match module.fifo(id) {
            Some(Fifo::Scale(ScaleForm::Scalar)) => ScaleKind::Scalar,
            Some(Fifo::Scale(ScaleForm::Vector)) => ScaleKind::Vector,
            _ => return,
        };
        problems.extend(scale_use(program, pipes, id, scale));
    });
}

fn scale_use(program: &LocatedProgram, pipes: &FifoEnds, id: OpId, scale: ScaleKind) -> Option<Diagnostic> {
    let pipe = program.module.int(id, "id").unwrap_or(0);
    let name = program.name(id);
    let legal = text!("the id of a cube-to-vector pipe of this function whose quant reads this kind of scale");
    let function = program.site(id).function;
    let Some(end) = pipes.by_id(program, id).map(|at| &pipes.ends[at]) else {
        // A function without FIFO pipes only prepares the register.
        pipes.ends.iter().find(|e| Some(e.function) == function)?;
        let message = text!("`{name}` for pipe {pipe}, which is not open in this function", name, pipe);
        return Some(program.problem(codes::FIFO_SETUP, id, message).legal(legal));
    };
    let found = match read(program, end, &mut Vec::new()) {
        Some(e) if e.quant.scale == scale => return None,
        Some(e) => text!("has quant = {name}", name = e.quant.name),
        None if program.module.attr(end.init, "acc_push_epilogue").is_some() => return None,
        None => text!("has no acc_push_epilogue").to_string(),
    };
    let d = program
        .problem(codes::FIFO_SETUP, id, text!("`{name}` for pipe {pipe}, which {found}", name, pipe, found))
        .legal(legal);
    Some(d.label(head(program.module, end.init), text!("the pipe")))
}

/// A module may name the device instead of the target.
fn written_for_a5(program: &LocatedProgram) -> bool {
    let module = program.module;
    let spec = |&o: &OpId| module.symbol(o, "pto.device-spec").map(|s| module.names.text(s));
    let is_a5 = |s: &str| s.starts_with("Ascend950") || s.starts_with("Ascend910_95");
    module.block(module.top).ops.iter().filter_map(spec).any(is_a5)
}
