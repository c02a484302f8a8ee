//! Fixes that change extents, strides, windows and addresses: to the nearest that are legal, or to those of the other side.

use super::copies::{ALIGNMENT, point};
use super::trial::OfferedFix;
use super::words::{number, quoted, words, written};
use crate::Document;
use crate::edits::Replacement;
use crate::scope::visible;
use pto::Diagnostic;
use pto::ir::print::type_text;
use pto::ir::{OpId, Operand, ValueId};
use pto::isa::row::{Arith, Storage};
use pto::isa::{Dim, Op, Span, TileType, Type, codes, text};

/// Bytes that extents may give where the problem names no limit: a part of the address space, and of the smallest memory.
const LIMITS: [u128; 2] = [1 << 62, 1 << 15];

impl Document {
    /// A constant of the type of a value: one in scope, or a new one with the line that defines it before a statement.
    pub(super) fn constant_like(&self, at: u32, value: ValueId, literal: i64) -> (String, Option<Replacement>) {
        let module = self.module();
        let fits = |v: &ValueId| module.literal(*v) == Some(literal) && module.value(*v).ty == module.value(value).ty;
        let known = visible(self, at).into_iter().find(fits).map(|v| format!("%{}", module.value_name(v)));
        if let Some(name) = known {
            return (name, None);
        }
        let name = self.unused_name(&format!("%c{literal}"));
        let ty = type_text(module.value_type(value), module.type_votes.usual());
        let constant = Op::of(Arith::Constant).row().full_name();
        let line = format!("{name} = {constant} {literal} : {ty}\n{}", self.indent(at));
        (name, Some(Replacement::new(point(at), line)))
    }

    /// The values whose memory a problem is about: those it points at, and those that its statement makes.
    fn made_values(&self, problem: &Diagnostic) -> Vec<ValueId> {
        let span = problem.primary.span;
        let id = self.index().operation(span.start).or_else(|| self.user_at(span));
        let made = id.into_iter().flat_map(|id| self.module().results(id));
        made.chain(self.named_values(problem)).collect()
    }

    /// Fewer rows, or fewer columns, so that the bytes fit: halves of the extents that are too large.
    pub(super) fn smaller_extents(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let limits: Vec<u128> = match problem.code {
            codes::NUMBER_RANGE => LIMITS.to_vec(),
            _ => legal_bytes(problem).into_iter().collect(),
        };
        let mut found = Vec::new();
        for value in self.made_values(problem) {
            let Some((span, ty)) = self.defining_type(value) else { continue };
            for (limit, first) in limits.iter().flat_map(|limit| [(*limit, true), (*limit, false)]) {
                let smaller = halved(ty, limit, first).filter(|other| other != ty);
                let text = smaller.map(|ty| type_text(&ty, self.module().type_votes.usual()));
                found.extend(text.map(|text| written(span, text)));
            }
        }
        found
    }

    /// The last address at which a tile fits.
    pub(super) fn lower_address(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let module = self.module();
        let span = problem.primary.span;
        let user = self.user_at(span);
        let operand = user.and_then(|id| module.operands(id).iter().find(|operand| operand.span == span));
        let (Some(user), Some(operand)) = (user, operand) else { return Vec::new() };
        let hex: Vec<i64> = words(&problem.message).filter(|w| w.starts_with("0x")).filter_map(number).collect();
        let (Some(end), Some(limit)) = (hex.iter().max(), hex.iter().min()) else { return Vec::new() };
        let lower = module.literal(operand.value).and_then(|at| at.checked_sub(end - limit)).filter(|at| *at >= 0);
        let Some(lower) = lower.map(|at| at - at % ALIGNMENT as i64) else { return Vec::new() };
        let (name, line) = self.constant_like(module.op(user).span.start, operand.value, lower);
        let mut edits = vec![Replacement::new(span, name)];
        edits.extend(line);
        vec![OfferedFix::new(text!("write the address {address}", address = format!("{lower:#x}")), edits)]
    }

    /// A list of as many values as a view has dimensions.
    pub(super) fn other_entries(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let module = self.module();
        let Some(id) = self.index().operation(problem.primary.span.start) else { return Vec::new() };
        let wanted = problem.legal.iter().flat_map(|line| words(line)).filter_map(number).next();
        let Some(wanted) = wanted.and_then(|n| usize::try_from(n).ok()).filter(|n| *n < 8) else { return Vec::new() };
        let mut found = Vec::new();
        for slot in quoted(&problem.message).filter(|name| module.op(id).op.row().slot(name).is_some()) {
            let given: Vec<&Operand> = module.named(id, slot).collect();
            let (Some(first), Some(last)) = (given.first(), given.last()) else { continue };
            let whole = Span::new(first.span.start, last.span.end);
            let mut names: Vec<&str> = given.iter().map(|operand| self.slice(operand.span)).collect();
            if names.len() >= wanted {
                names.truncate(wanted);
                found.push(written(whole, names.join(", ")));
                continue;
            }
            let around = visible(self, module.op(id).span.start);
            let alike = around.iter().rev().filter(|v| module.value(**v).ty == module.value(last.value).ty);
            let others: Vec<String> = alike.map(|v| format!("%{}", module.value_name(*v))).collect();
            let missing = wanted - names.len();
            let more = others.iter().map(|name| vec![name.as_str(); missing]);
            found.extend(more.take(3).map(|more| written(whole, [&names[..], &more[..]].concat().join(", "))));
        }
        found
    }

    /// The numbers of an attribute as the problem states them: `sizes [16, 16]`.
    pub(super) fn legal_list(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let statement = self.statement(problem);
        let source = self.slice(statement);
        let stated = problem.legal.iter().flat_map(|line| quoted(line)).filter_map(|code| code.split_once(' '));
        let place = |name: &str| {
            let name = source.rfind(name)?;
            let first = name + source[name..].find('[')?;
            let end = first + source[first..].find(']')? + 1;
            Some(Span::new(statement.start + first as u32, statement.start + end as u32))
        };
        stated.filter_map(|(name, list)| Some(written(place(name)?, list))).collect()
    }

    /// A buffer with the strides of its extents, or without stated strides.
    pub(super) fn other_strides(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let module = self.module();
        let legal = problem.legal.iter().find_map(|line| line.get(line.find('[')?..=line.rfind(']')?));
        let mut found = Vec::new();
        for value in self.named_values(problem) {
            let Some((span, Type::Memref(buffer))) = self.defining_type(value) else { continue };
            let rest = &buffer.rest;
            let list = rest.find("strided<").and_then(|at| Some((at + 8, at + rest[at..].find(']')? + 1)));
            let Some((from, to)) = list else { continue };
            let Some(end) = rest[to..].find('>').map(|n| to + n + 1) else { continue };
            let without = rest[end..].trim_start_matches([',', ' ']);
            let stated = legal.map(|legal| format!("{}{legal}{}", &rest[..from], &rest[to..]));
            for rest in stated.into_iter().chain([without.to_string()]) {
                let ty = Type::Memref(pto::isa::MemrefType { rest: rest.into(), ..buffer.clone() });
                found.push(written(span, type_text(&ty, module.type_votes.usual())));
            }
        }
        found
    }

    /// A view whose rows or columns are contiguous, as the tile needs: the view itself, or another one for this statement.
    pub(super) fn other_window(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let module = self.module();
        let Some(user) = self.index().operation(problem.primary.span.start) else { return Vec::new() };
        let is_view = |operand: &&Operand| module.value_type(operand.value).view().is_some();
        let Some(operand) = module.operands(user).iter().find(is_view) else { return Vec::new() };
        let made = module.definition(operand.value).filter(|id| module.storage(*id) == Some(Storage::View));
        let Some(made) = made else { return Vec::new() };
        let spans = |slot: &str| module.named(made, slot).map(|o| (o.span, o.value)).collect::<Vec<_>>();
        let (shape, strides) = (spans("shape"), spans("strides"));
        let ([.., rows, cols], [.., down, along]) = (&shape[..], &strides[..]) else { return Vec::new() };
        let by_columns = problem.legal.iter().flat_map(|line| words(line)).any(|word| word == "DN");
        let gap = problem.code == codes::DEVICE_FAULT;
        let start = module.op(made).span.start;
        let (one, line) = self.constant_like(start, along.1, 1);
        let name = |part: &(Span, ValueId)| self.slice(part.0).to_string();
        let new = match by_columns {
            true => [one, name(rows)],
            // Gaps between rows may stay.
            false if gap => [name(down), one],
            false => [name(cols), one],
        };
        let list = new.join(", ");
        let edits = vec![Replacement::new(down.0, &new[0]), Replacement::new(along.0, &new[1])];
        let mut here = edits.clone();
        here.extend(line.clone());
        let mut copy = self.copied_statement(made, operand, user, &edits);
        copy.extend(line);
        let view = self.slice(operand.span);
        vec![
            OfferedFix::new(text!("give `{view}` the strides `{list}`", view, list), here),
            OfferedFix::new(text!("use another view with the strides `{list}` here", list), copy),
        ]
    }

    /// The statement that defines an operand, written again under another name with changes, for one use.
    fn copied_statement(&self, made: OpId, operand: &Operand, user: OpId, edits: &[Replacement]) -> Vec<Replacement> {
        let module = self.module();
        let (from, at) = (module.op(made), module.op(user).span.start);
        let inside = edits.iter().map(|edit| {
            let span = Span::new(edit.span.start - from.name_span.start, edit.span.end - from.name_span.start);
            Replacement::new(span, edit.text.clone())
        });
        let old = self.slice(Span::new(from.name_span.start, from.span.end));
        let new = crate::edits::applied(old, &inside.collect::<Vec<_>>());
        let name = self.unused_name(&format!("{}_2", self.slice(operand.span)));
        let line = format!("{name} = {new}\n{}", self.indent(at));
        vec![Replacement::new(point(at), line), Replacement::new(operand.span, name)]
    }

    /// A window that ends where the tile ends: it starts earlier, or is smaller.
    pub(super) fn inner_window(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let module = self.module();
        let Some(id) = self.index().operation(problem.primary.span.start) else { return Vec::new() };
        let op = module.op(id);
        let numbers: Vec<i64> = words(&problem.message).filter_map(number).collect();
        let [.., from, to, extent] = numbers[..] else { return Vec::new() };
        let (start, size) = (extent - (to - from), extent - from);
        let mut found = Vec::new();
        for operand in module.operands(id).iter().filter(|o| module.literal(o.value) == Some(from) && start >= 0) {
            let (name, line) = self.constant_like(op.span.start, operand.value, start);
            let mut candidate = written(operand.span, name);
            candidate.edits.extend(line);
            found.push(candidate);
        }
        let sizes = self.index().tokens_in(op.span).iter().map(|t| t.span);
        let sizes = sizes.filter(|span| number(self.slice(*span)) == Some(to - from) && size > 0);
        found.extend(sizes.map(|span| {
            let title = text!("make the window {size} long", size);
            OfferedFix::new(title, vec![Replacement::new(span, size.to_string())])
        }));
        found
    }

    /// The valid region of one operand for another, and for all that have the region of that one.
    pub(super) fn other_regions(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let module = self.module();
        let values = self.involved_values(problem);
        let region = |v: ValueId| module.value_type(v).tile().map(|tile| (tile.valid_rows, tile.valid_cols));
        let mut found = Vec::new();
        for (old, new) in values.iter().flat_map(|old| values.iter().map(move |new| (*old, *new))) {
            let (Some(from), Some(to)) = (region(old), region(new)) else { continue };
            if from == to {
                continue;
            }
            let alike = values.iter().copied().filter(|v| region(*v) == Some(from));
            let edits: Option<Vec<Replacement>> = alike.map(|v| self.with_region(v, to)).collect();
            let name = |v: ValueId| format!("%{}", module.value_name(v));
            let title = text!("use the valid region of `{name}` for `{other}`", name = name(new), other = name(old));
            found.extend(edits.map(|edits| OfferedFix::new(title, edits)));
        }
        found
    }

    fn with_region(&self, value: ValueId, (valid_rows, valid_cols): (Dim, Dim)) -> Option<Replacement> {
        let (span, ty) = self.defining_type(value)?;
        let tile = TileType { valid_rows, valid_cols, ..*ty.tile()? };
        let new = if matches!(ty, Type::Tile(_)) { Type::Tile(tile) } else { Type::TileBuf(tile) };
        Some(Replacement::new(span, type_text(&new, self.module().type_votes.usual())))
    }
}

/// The bytes that a problem of memory lists as legal.
fn legal_bytes(problem: &Diagnostic) -> Option<u128> {
    let line = problem.legal.first()?;
    let count = words(line).find_map(number)?;
    let unit = if line.contains("KiB") { 1024 } else { 1 };
    u128::try_from(count).ok().map(|n| n * unit)
}

/// A type with fewer rows (or columns) that has at most as many bytes.
fn halved(ty: &Type, limit: u128, first: bool) -> Option<Type> {
    let bits = |extents: &[u64]| extents.iter().map(|n| u128::from(*n)).try_fold(1u128, |all, n| all.checked_mul(n));
    let element = u128::from(ty.elem().map_or(32, |e| e.bits()));
    let shrink = |mut extents: Vec<u64>| {
        let fits = |extents: &[u64]| bits(extents).and_then(|n| n.checked_mul(element)).is_some_and(|n| n <= limit * 8);
        while !fits(&extents) {
            let last = extents.len().checked_sub(1)?;
            let from = if first { extents.iter().position(|n| *n > 1) } else { extents.iter().rposition(|n| *n > 1) };
            let at = from.filter(|at| *at <= last)?;
            extents[at] = extents[at].div_ceil(2);
        }
        Some(extents)
    };
    Some(match ty {
        Type::TileBuf(tile) => Type::TileBuf(resized(tile, &shrink(vec![tile.rows, tile.cols])?)),
        Type::Tile(tile) => Type::Tile(resized(tile, &shrink(vec![tile.rows, tile.cols])?)),
        Type::Memref(buffer) => {
            let fixed: Option<Vec<u64>> = buffer.view.dims.iter().map(|dim| dim.fixed()).collect();
            let mut smaller = buffer.clone();
            smaller.view.dims = shrink(fixed?)?.into_iter().map(Dim::Fixed).collect();
            Type::Memref(smaller)
        }
        _ => return None,
    })
}

fn resized(tile: &TileType, extents: &[u64]) -> TileType {
    let at_most = |valid: Dim, extent: u64| match valid {
        Dim::Fixed(n) => Dim::Fixed(n.min(extent)),
        open => open,
    };
    let (rows, cols) = (extents[0], extents[1]);
    let (valid_rows, valid_cols) = (at_most(tile.valid_rows, rows), at_most(tile.valid_cols, cols));
    TileType { rows, cols, valid_rows, valid_cols, ..*tile }
}
