//! The outline of a program, and what can be folded.

use crate::Document;
use crate::hover::signature_text;
use pto::ir::print::type_text;
use pto::ir::{Attr, BlockId, OpId};
use pto::isa::Span;
use pto::isa::row::{Control, Storage};
use pto::isa::sort::SharedSort;
use pto::syntax::TokenKind;

/// What a symbol is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OutlineKind {
    /// A module.
    Module,
    /// A function.
    Function,
    /// An operation with regions: a loop, a branch, a section.
    Region,
    /// A tile that is allocated.
    Tile,
    /// An alias of a type or attribute.
    Alias,
}

/// A part of a program that has a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutlineItem {
    /// What it is.
    pub kind: OutlineKind,
    /// Its name with its sigil, or the operation.
    pub name: String,
    /// Its type or signature.
    pub detail: String,
    /// The whole of it.
    pub span: Span,
    /// Its name.
    pub name_span: Span,
    /// What is inside.
    pub children: Vec<Self>,
}

/// Lines that can be folded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FoldRange {
    /// The first line and the last one, from 0.
    pub lines: (u32, u32),
    /// It is a comment.
    pub comment: bool,
}

impl Document {
    /// Modules, functions, loops and tiles, and the aliases, in the order of the text.
    ///
    /// ```
    /// let text = "!t = !pto.tile_buf<vec, 16x16xf32>\nfunc.func @f() {\n  %a = pto.alloc_tile : !t\n  return\n}\n";
    /// let outline = pto_ide::Document::new(text, None).outline();
    /// assert_eq!(outline[0].name, "!t");
    /// assert_eq!(outline[1].name, "@f");
    /// assert_eq!(outline[1].children[0].name, "%a");
    /// ```
    pub fn outline(&self) -> Vec<OutlineItem> {
        let module = self.module();
        let mut items: Vec<OutlineItem> = module
            .aliases
            .iter()
            .map(|alias| {
                let name = alias.name.to_string();
                let detail = match &alias.value {
                    Attr::Type(ty) => type_text(module.ty(*ty), module.type_votes.usual()),
                    _ => String::new(),
                };
                let name_span = Span::new(alias.span.start, alias.span.start + name.len() as u32);
                OutlineItem { kind: OutlineKind::Alias, name, detail, span: alias.span, name_span, children: vec![] }
            })
            .collect();
        items.extend(self.outline_of(module.top));
        items.shared_sort_by_key(|item| item.span.start);
        items
    }

    fn outline_of(&self, block: BlockId) -> Vec<OutlineItem> {
        self.module().block(block).ops.iter().filter_map(|id| self.outline_item(*id)).collect()
    }

    fn outline_item(&self, id: OpId) -> Option<OutlineItem> {
        let module = self.module();
        let op = module.op(id);
        let blocks = module.op_regions(id).iter().flat_map(|r| &module.region(*r).blocks);
        let children = blocks.flat_map(|b| self.outline_of(*b)).collect();
        let item = |kind, name: String, detail: String, name_span| {
            Some(OutlineItem { kind, name, detail, span: op.span.to(name_span), name_span, children })
        };
        match (module.control(id), module.storage(id)) {
            (Some(Control::Function), _) => {
                let name = format!("@{}", module.symbol_name(id));
                let at = self.symbol_span(op.span).unwrap_or(op.name_span);
                item(OutlineKind::Function, name, signature_text(self, id), at)
            }
            (Some(Control::Module), _) => {
                item(OutlineKind::Module, op.op.row().full_name(), String::new(), op.name_span)
            }
            (_, Some(Storage::Tile | Storage::Tiles)) => {
                let value = module.results(id).next()?;
                let name = format!("%{}", module.value_name(value));
                let detail = type_text(module.value_type(value), module.type_votes.usual());
                item(OutlineKind::Tile, name, detail, module.value(value).span)
            }
            _ if !module.op_regions(id).is_empty() => {
                let first = self.slice(op.span).lines().next().unwrap_or_default();
                let detail = first.trim_end_matches(['{', ' ']).to_string();
                item(OutlineKind::Region, op.op.row().full_name(), detail, op.name_span)
            }
            _ => None,
        }
    }

    fn symbol_span(&self, function: Span) -> Option<Span> {
        let mut tokens = self.index().tokens_in(function).iter();
        tokens.find(|t| t.kind == TokenKind::Symbol).map(|t| t.span)
    }

    /// Regions and comments of several lines.
    ///
    /// ```
    /// let document = pto_ide::Document::new("// a\n// b\nfunc.func @f() {\n  return\n}\n", None);
    /// let lines: Vec<_> = document.folds().iter().map(|f| f.lines).collect();
    /// assert_eq!(lines, [(0, 1), (2, 3)], "the closing brace stays visible");
    /// ```
    pub fn folds(&self) -> Vec<FoldRange> {
        let module = self.module();
        let mut folds = self.comment_folds();
        for id in module.order() {
            let span = module.op(id).span;
            if module.op_regions(id).is_empty() {
                continue;
            }
            let (first, last) = (self.positions().line(span.start), self.positions().line(span.end));
            if first + 1 < last {
                folds.push(FoldRange { lines: (first, last - 1), comment: false });
            }
        }
        folds.shared_sort_by_key(|fold| fold.lines);
        folds
    }

    fn comment_folds(&self) -> Vec<FoldRange> {
        let whole = |t: &&pto::syntax::SourceToken| t.kind == TokenKind::Comment && t.first;
        let comments = self.index().tokens.iter().filter(whole);
        let lines: Vec<u32> = comments.map(|t| self.positions().line(t.span.start)).collect();
        let blocks = lines.chunk_by(|a, b| a + 1 == *b).filter(|block| block.len() > 1);
        blocks.map(|b| FoldRange { lines: (b[0], b[b.len() - 1]), comment: true }).collect()
    }
}
