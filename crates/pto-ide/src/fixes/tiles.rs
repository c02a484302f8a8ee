//! Other types for the tiles that a problem is about.

use super::trial::OfferedFix;
use super::words::{words, written};
use crate::Document;
use crate::edits::Replacement;
use pto::Diagnostic;
use pto::ir::print::type_text;
use pto::ir::{Def, ValueId};
use pto::isa::sort::SharedSort;
use pto::isa::{BLOCK_BYTES, BLayout, Code, DType, Dim, Loc, SLayout, Span, TileType, Type, codes, text};

/// Extents that boxes of every element type divide.
const BOX_EXTENTS: [u64; 4] = [16, 32, 8, 64];
/// Bytes of the boxes there are.
const BOX_BYTES: [u32; 3] = [512, 1024, 32];

impl Document {
    /// The tiles that a problem is about, with other types where they are defined: one of them, or all of its type.
    pub(super) fn retyped(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let module = self.module();
        let values = self.involved_values(problem);
        let tiles: Vec<TileType> = values.iter().filter_map(|v| module.value_type(*v).tile().copied()).collect();
        let rule = RetypeRule { code: problem.code, legal: legal_elements(problem), extents: legal_extents(problem) };
        let mut found = Vec::new();
        for value in &values {
            let Some(tile) = module.value_type(*value).tile() else {
                let elements = tiles.iter().map(|tile| tile.dtype).filter(|_| problem.code == codes::ELEM_MISMATCH);
                let stated = self.defining_type(*value).filter(|(_, ty)| ty.scalar().is_some());
                found.extend(stated.into_iter().zip(elements).map(|((span, _), e)| written(span, e.mlir())));
                continue;
            };
            let others: Vec<&TileType> = tiles.iter().filter(|other| *other != tile).collect();
            let equal: Vec<ValueId> =
                values.iter().copied().filter(|v| module.value_type(*v).tile() == Some(tile)).collect();
            for variant in rule.variants(tile, &others) {
                found.extend(self.with_type(&[*value], &variant));
                if equal.len() > 1 {
                    found.extend(self.with_type(&equal, &variant));
                }
            }
        }
        found
    }

    fn with_type(&self, values: &[ValueId], tile: &TileType) -> Option<OfferedFix> {
        let style = self.module().type_votes.usual();
        let mut edits = Vec::new();
        for value in values {
            let (span, ty) = self.defining_type(*value)?;
            let new = if matches!(ty, Type::Tile(_)) { Type::Tile(*tile) } else { Type::TileBuf(*tile) };
            edits.push(Replacement::new(span, type_text(&new, style)));
        }
        let name = edits.first()?.text.clone();
        let title = match values.len() {
            1 => text!("write `{name}`", name),
            count => text!("write `{name}` for {count} tiles", name, count),
        };
        Some(OfferedFix::new(title, edits))
    }

    /// The values that a problem points at, then the other operands and the results of its statement.
    pub(super) fn involved_values(&self, problem: &Diagnostic) -> Vec<ValueId> {
        let module = self.module();
        let mut found = self.named_values(problem);
        if let Some(id) = self.index().operation(problem.primary.span.start) {
            let more = module.operands(id).iter().map(|operand| operand.value).chain(module.results(id));
            more.for_each(|value| {
                if !found.contains(&value) {
                    found.push(value);
                }
            });
        }
        found
    }

    /// Types of the text for one that is missing or unknown.
    pub(super) fn other_types(&self, problem: &Diagnostic) -> Vec<OfferedFix> {
        let module = self.module();
        let Some(span) = self.type_at(problem.primary.span.start) else { return Vec::new() };
        let tiles = module.types().iter().filter(|ty| ty.tile().is_some());
        let names = tiles.map(|ty| type_text(ty, module.type_votes.usual()));
        names.map(|name| written(span, name)).collect()
    }

    /// The values that a problem points at: its own, and those of its labels.
    pub(super) fn named_values(&self, problem: &Diagnostic) -> Vec<ValueId> {
        let (module, index) = (self.module(), self.index());
        let spans = problem.labels.iter().map(|label| label.span).chain([problem.primary.span]);
        let tokens = spans.filter_map(|span| index.token_at(span.start));
        let mut found = Vec::new();
        for value in tokens.filter_map(|token| index.value(module, self.text(), token)) {
            if !found.contains(&value) {
                found.push(value);
            }
        }
        found
    }

    /// The type that the definition of a value states, and where.
    pub(super) fn defining_type(&self, value: ValueId) -> Option<(Span, &Type)> {
        let module = self.module();
        let defined = module.value(value);
        let start = match defined.def {
            Def::Result(id, _) => {
                let op = module.op(id);
                let line = self.slice(op.span).lines().next()?;
                let at = line.rfind("-> ").map(|n| n + 3).or_else(|| line.rfind(": ").map(|n| n + 2))?;
                op.span.start + at as u32
            }
            Def::Arg(..) => {
                let behind = self.slice(Span::new(defined.span.end, self.text().len() as u32));
                let at = behind.find(':').filter(|n| behind[..*n].trim().is_empty())? + 1;
                let blank = behind[at..].len() - behind[at..].trim_start().len();
                defined.span.end + (at + blank) as u32
            }
            Def::Missing => return None,
        };
        Some((self.type_at(start)?, module.value_type(value)))
    }

    /// The type that starts at a byte.
    pub(super) fn type_at(&self, start: u32) -> Option<Span> {
        let rest = self.text().get(start as usize..)?;
        let mut depth = 0;
        let is_end = |(_, c): &(usize, char)| {
            match c {
                '<' | '(' | '[' => depth += 1,
                '>' | ')' | ']' if depth > 0 => depth -= 1,
                ',' | ')' | '{' | '}' if depth == 0 => return true,
                c if c.is_whitespace() && depth == 0 => return true,
                _ => {}
            }
            false
        };
        let end = rest.char_indices().find(is_end).map_or(rest.len(), |(n, _)| n);
        (end > 0).then(|| Span::new(start, start + end as u32))
    }
}

/// The element types that a problem lists as legal.
pub(super) fn legal_elements(problem: &Diagnostic) -> Vec<DType> {
    let words = problem.legal.iter().take(1).flat_map(|line| words(line));
    let mut found: Vec<DType> = words.filter_map(DType::parse).collect();
    // Wide ones first: nothing is lost in them.
    found.shared_sort_by_key(|d| std::cmp::Reverse((d.is_float(), d.bits())));
    found.dedup();
    found
}

/// The numbers that a problem lists as legal, which may be valid rows or columns.
fn legal_extents(problem: &Diagnostic) -> Vec<u64> {
    let words = problem.legal.iter().take(1).flat_map(|line| words(line));
    words.filter_map(|word| word.parse().ok()).take(3).collect()
}

/// What a rule says about tiles.
struct RetypeRule {
    code: Code,
    legal: Vec<DType>,
    extents: Vec<u64>,
}

impl RetypeRule {
    /// Types that may be legal instead, by kind of problem.
    fn variants(&self, tile: &TileType, others: &[&TileType]) -> Vec<TileType> {
        let mut found = match self.code {
            codes::EMPTY_TILE | codes::VALID_EXCEEDS | codes::FRACTAL | codes::BOX_COLS | codes::BOX_ROWS => {
                sizes(tile)
            }
            codes::ROW_BYTES => longer(tile),
            codes::LAYOUT | codes::COMBINATION => layouts(tile),
            codes::LOCATION | codes::NO_SPACE | codes::UNPRINTABLE => {
                Loc::ALL.into_iter().map(|loc| TileType { loc, ..*tile }).collect()
            }
            codes::VALID_REGION | codes::SHAPE => self.regions(tile, others),
            codes::VALID_OPERANDS => vec![whole(tile)],
            codes::DEVICE_FAULT => roomier(tile, others),
            codes::ELEM_TYPE | codes::ELEM_COMBINATION | codes::ELEM_MISMATCH => {
                let likes = others.iter().map(|other| other.dtype).chain(self.legal.iter().copied());
                likes.map(|dtype| TileType { dtype, ..*tile }).collect()
            }
            _ => Vec::new(),
        };
        found.retain(|other| other != tile);
        found.dedup();
        found
    }

    /// The regions and shapes of other tiles, and those that are listed.
    fn regions(&self, tile: &TileType, others: &[&TileType]) -> Vec<TileType> {
        let mut found: Vec<TileType> = others.iter().flat_map(|other| like(tile, other)).collect();
        found.push(whole(tile));
        for extent in &self.extents {
            let extent = Dim::Fixed(*extent);
            found.push(TileType { valid_cols: extent, ..*tile });
            found.push(TileType { valid_rows: extent, ..*tile });
            found.extend(self.extents.iter().map(|rows| TileType {
                valid_rows: Dim::Fixed(*rows),
                valid_cols: extent,
                ..*tile
            }));
        }
        found
    }
}

/// Rows of the length of another tile, rows of whole blocks, and a region that is the whole tile.
fn roomier(tile: &TileType, others: &[&TileType]) -> Vec<TileType> {
    let mut found: Vec<TileType> =
        others.iter().map(|other| TileType { rows: other.rows, cols: other.cols, ..*tile }).collect();
    found.retain(|other| tile.valid_rows.fixed() <= Some(other.rows) && tile.valid_cols.fixed() <= Some(other.cols));
    found.extend([32, 64].map(|extent| TileType { cols: tile.cols.next_multiple_of(extent), ..*tile }));
    if tile.blayout == BLayout::ColMajor && tile.slayout == SLayout::NoneBox {
        let cols = tile.cols.next_multiple_of(elements_of_block(tile));
        found.push(TileType { blayout: BLayout::RowMajor, cols, ..*tile });
    }
    found.push(whole(tile));
    found
}

fn whole(tile: &TileType) -> TileType {
    TileType { valid_rows: Dim::Fixed(tile.rows), valid_cols: Dim::Fixed(tile.cols), ..*tile }
}

fn elements_of_block(tile: &TileType) -> u64 {
    (BLOCK_BYTES * 8 / u64::from(tile.dtype.bits())).max(1)
}

/// Rows of whole blocks, with the valid region as it is.
fn longer(tile: &TileType) -> Vec<TileType> {
    let per_block = elements_of_block(tile);
    let cols = TileType { cols: tile.cols.next_multiple_of(per_block), ..*tile };
    let rows = TileType { rows: tile.rows.next_multiple_of(per_block), ..*tile };
    let mut found = layouts(tile);
    found.extend(if tile.blayout == BLayout::ColMajor { [rows, cols] } else { [cols, rows] });
    found
}

fn sizes(tile: &TileType) -> Vec<TileType> {
    let fixed = |valid: Dim, extent: u64| match valid {
        Dim::Fixed(n) => Dim::Fixed(n.min(extent)),
        open => open,
    };
    let (valid_rows, valid_cols) = (fixed(tile.valid_rows, tile.rows), fixed(tile.valid_cols, tile.cols));
    let mut found = vec![TileType { valid_rows, valid_cols, ..*tile }];
    let one = TileType { rows: tile.rows.max(1), cols: tile.cols.max(1), ..*tile };
    found.push(whole(&one));
    let grown = |valid: Dim, extent: u64| if let Dim::Fixed(n) = valid { n.max(extent) } else { extent };
    found.push(TileType { rows: grown(tile.valid_rows, tile.rows), cols: grown(tile.valid_cols, tile.cols), ..*tile });
    for extent in BOX_EXTENTS {
        found.push(TileType { cols: tile.cols.next_multiple_of(extent), ..*tile });
        found.push(TileType { rows: tile.rows.next_multiple_of(extent), ..*tile });
    }
    found.extend(BOX_BYTES.map(|fractal| TileType { fractal, ..*tile }));
    found
}

fn layouts(tile: &TileType) -> Vec<TileType> {
    let other_blocks = match tile.blayout {
        BLayout::RowMajor => BLayout::ColMajor,
        BLayout::ColMajor => BLayout::RowMajor,
    };
    let boxes = [SLayout::NoneBox, SLayout::RowMajor, SLayout::ColMajor].into_iter();
    let orders = boxes.flat_map(|slayout| [tile.blayout, other_blocks].map(|blayout| (blayout, slayout)));
    orders.map(|(blayout, slayout)| TileType { blayout, slayout, ..*tile }).collect()
}

/// The region or the shape of another tile.
fn like(tile: &TileType, other: &TileType) -> [TileType; 2] {
    let region = TileType { valid_rows: other.valid_rows, valid_cols: other.valid_cols, ..*tile };
    let shape = TileType { rows: other.rows, cols: other.cols, ..region };
    [region, shape]
}
