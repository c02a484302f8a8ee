//! Types from text.

use super::sizes::NestingSize;
use super::{Parse, Parser};
use crate::blanks::{SkippedText, laid_out, stretch, without_comments};
use crate::lexer::Tok;
use pto_ir::TypeId;
use pto_isa::text;
use pto_isa::{
    DType, Diagnostic, Dim, Loc, MAX_RANK, MemrefType, PtrSpace, ScalarType, Span, TileType, Token, Type, ViewType,
    codes,
};

/// Why a type body cannot be read: the position in the body, what was found, and what is legal.
struct Wrong {
    span: Span,
    found: String,
    legal: String,
    help: Option<String>,
}

type TypeResult<T> = Result<T, Wrong>;

impl<'s> Parser<'s> {
    /// A type; reports an error if there is none.
    pub(super) fn parse_type(&mut self) -> Parse<TypeId> {
        match self.token.tok {
            Tok::Bang => self.bang_type(),
            Tok::Ident => self.named_type(),
            Tok::Punct(b'(') => self.function_type(),
            Tok::Punct(b'<') => self.short_type(),
            _ => {
                self.expected(text!("a type"));
                None
            }
        }
    }

    /// A list of types, at least one.
    pub(super) fn parse_types(&mut self) -> Parse<Vec<(TypeId, Span)>> {
        let mut types = Vec::new();
        loop {
            let start = self.token.span.start;
            let ty = self.parse_type()?;
            types.push((ty, Span::new(start, self.last_end)));
            if !self.eat(b',') {
                return Some(types);
            }
        }
    }

    /// A list in parentheses, possibly empty, or a single type.
    pub(super) fn parse_type_list(&mut self) -> Parse<Vec<(TypeId, Span)>> {
        if !self.at(b'(') {
            let start = self.token.span.start;
            let ty = self.parse_type()?;
            return Some(vec![(ty, Span::new(start, self.last_end))]);
        }
        let open = self.bump().span;
        let types = if self.at(b')') { Vec::new() } else { self.parse_types()? };
        self.close(b')', open)?;
        Some(types)
    }

    fn bang_type(&mut self) -> Parse<TypeId> {
        let token = self.token;
        if self.text_at(token.span.end) == b'<' {
            return self.bracketed_type(token.span.start);
        }
        self.bump();
        let name = self.text(token.span);
        if let Some(&ty) = self.type_aliases.get(name) {
            return Some(ty);
        }
        if let Some(t) = Token::ALL.into_iter().find(|t| t.name() == name) {
            return Some(self.module.intern_type(Type::Token(t)));
        }
        if let Some(s) = ScalarType::parse(name) {
            return Some(self.module.intern_type(Type::Scalar(s)));
        }
        if name == "!pto.tile" {
            return Some(TypeId::UNKNOWN);
        }
        // Pairs from below the tile level are passed through.
        if matches!(name, "!pto.hif8x2" | "!pto.bf16x2") {
            return Some(self.module.intern_type(Type::Opaque(name.into())));
        }
        if !name.starts_with("!pto.") && name.contains('.') {
            return Some(self.module.intern_type(Type::Opaque(name.into())));
        }
        let d = Diagnostic::new(codes::UNKNOWN_TYPE, token.span, text!("there is no type `{name}`", name));
        self.report(d.help(text!("define the alias first: `{name} = …`, or check the spelling", name)));
        None
    }

    fn named_type(&mut self) -> Parse<TypeId> {
        let token = self.token;
        if self.text_at(token.span.end) == b'<' {
            return self.bracketed_type(token.span.start);
        }
        let name = self.text(token.span);
        self.bump();
        if let Some(&ty) = self.type_texts.get(name) {
            return Some(ty);
        }
        let ty = match ScalarType::parse(name) {
            Some(s) => Type::Scalar(s),
            None if name == "none" => Type::Token(Token::None),
            // The pages write `dtype` for "the type of the scalar".
            None if name == "dtype" => Type::Unknown,
            None => {
                let d = Diagnostic::new(codes::UNKNOWN_TYPE, token.span, text!("there is no type `{name}`", name));
                self.report(
                    d.legal(text!("scalars: index, i1, i4 … i64, ui8 … ui64, f16, bf16, f32, f64, f8E4M3FN, f8E5M2")),
                );
                return None;
            }
        };
        let id = self.module.intern_type(ty);
        self.type_texts.insert(name, id);
        Some(id)
    }

    /// `name<…>`: the body is found by matching brackets and read once per distinct text.
    fn bracketed_type(&mut self, start: u32) -> Parse<TypeId> {
        let head_end = self.token.span.end as usize;
        let AngleEnd { end, has_comments } = match matching_angle(self.source.as_bytes(), head_end) {
            Ok(angle) => angle,
            Err(stop) => {
                let open = Span::new(head_end as u32, head_end as u32 + 1);
                self.error(codes::UNCLOSED, open, text!("this `<` is never closed"));
                self.lexer.pos = stop;
                self.bump();
                return None;
            }
        };
        let text = &self.source[start as usize..end];
        self.lexer.pos = if has_comments { head_end } else { end };
        self.lexer.pass(end);
        self.last_end = end as u32;
        self.token = self.lexer.next();
        let head = &self.source[start as usize..head_end];
        self.vote(head, &self.source[head_end + 1..end - 1]);
        if let Some(&ty) = self.type_texts.get(text) {
            return Some(ty);
        }
        let body = Span::new(head_end as u32 + 1, end as u32 - 1);
        let ty = self.nested(|p| match p.type_body(head, body) {
            Ok(ty) => Some(ty),
            Err(wrong) => {
                let unknown = wrong.legal.is_empty();
                let code = if unknown { codes::UNKNOWN_TYPE } else { codes::BAD_TYPE };
                let span = if unknown { Span::new(start, head_end as u32) } else { wrong.span };
                let mut d = Diagnostic::new(code, span, wrong.found);
                if !unknown {
                    d = d.legal(text!("legal: {legal}", legal = wrong.legal));
                }
                if let Some(help) = wrong.help {
                    d = d.help(help);
                }
                p.report(d);
                None
            }
        })?;
        let id = self.module.intern_type(ty);
        self.type_texts.insert(text, id);
        Some(id)
    }

    fn type_body(&mut self, head: &str, body: Span) -> TypeResult<Type> {
        let text = without_comments(self.text(body));
        if head.starts_with("!pto.struct") || !text.contains('!') {
            return self.plain_body(head, &text, body);
        }
        // Positions in the text have moved.
        let text = self.scalar_aliases(&text);
        self.plain_body(head, &text, body).map_err(|wrong| Wrong { span: body, ..wrong })
    }

    /// Expands aliases of scalars: `16x16x!elem`.
    fn scalar_aliases(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('!') {
            let len =
                rest[at + 1..].find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len() - at - 1);
            let name = &rest[at..=at + len];
            out.push_str(&rest[..at]);
            match self.type_aliases.get(name).map(|ty| self.module.ty(*ty)) {
                Some(Type::Scalar(s)) => out.push_str(s.mlir()),
                _ => out.push_str(name),
            }
            rest = &rest[at + 1 + len..];
        }
        out + rest
    }

    fn plain_body(&mut self, head: &str, text: &str, body: Span) -> TypeResult<Type> {
        match head {
            "!pto.tile_buf" | "!pto.tile" if text.trim() == "..." => Ok(Type::Unknown),
            "!pto.tile_buf" => tile(text, body).map(Type::TileBuf),
            "!pto.tile" => tile_value(text, body).map(Type::Tile),
            "!pto.multi_tile_buf" => multi_tile(text, body),
            "!pto.ptr" => pointer(text, body),
            "!pto.tensor_view" => ranked_view(text, body).map(Type::TensorView),
            "!pto.partition_tensor_view" => ranked_view(text, body).map(Type::PartitionView),
            "!pto.local_array" => view(text, body).map(Type::LocalArray),
            "vector" => view(text, body).map(Type::Vector),
            "memref" => memref(text, body),
            "!pto.eventid_array" => number(text, body).map(Type::EventIds),
            "!pto.struct" => self.struct_type(text, body),
            "!pto.event" | "!pto.group" => {
                Ok(Type::Token(if head == "!pto.event" { Token::Event } else { Token::Group }))
            }
            _ if head.starts_with("!pto.") => {
                let found = text!("there is no type `{head}<…>`", head);
                Err(Wrong { span: body, found, legal: String::new(), help: renamed(head, text) })
            }
            _ => Ok(Type::Opaque(format!("{head}<{}>", laid_out(text)).into())),
        }
    }

    /// Fields are types, so they are read as types.
    fn struct_type(&mut self, text: &str, body: Span) -> TypeResult<Type> {
        let fields = split_top(text).into_iter().map(|part| self.struct_field(part, part_span(body, text, part)));
        Ok(Type::Struct(fields.collect::<TypeResult<Vec<_>>>()?.into()))
    }

    fn struct_field(&mut self, part: &str, span: Span) -> TypeResult<Type> {
        let part = part.trim();
        let Some((head, rest)) = part.split_once('<') else {
            if let Some(&alias) = self.type_aliases.get(part) {
                let extent = NestingSize::of_fields(self.module.ty(alias));
                let fits = self.write_out(extent, span);
                return fits.map(|()| self.module.ty(alias).clone()).ok_or_else(|| {
                    wrong(span, &text!("`{part}`, which expands to too much", part), text!("a type of fewer parts"))
                });
            }
            let scalar = ScalarType::parse(part).map(Type::Scalar);
            return scalar.ok_or_else(|| wrong(span, &format!("`{part}`"), text!("a scalar, array or struct type")));
        };
        if self.depth >= super::MAX_DEPTH {
            return Err(wrong(span, text!("nested too deep"), text!("fewer levels")));
        }
        let start = span.start + head.len() as u32 + 1;
        let len = rest.strip_suffix('>').map_or(0, str::len) as u32;
        self.depth += 1;
        let ty = self.type_body(head.trim(), Span::new(start, start + len));
        self.depth -= 1;
        ty
    }

    /// `<f32>`, short for `!pto.ptr<f32>` if only a pointer is possible.
    fn short_type(&mut self) -> Parse<TypeId> {
        let open = self.token.span;
        if let Ok(AngleEnd { end, .. }) = matching_angle(self.source.as_bytes(), open.start as usize)
            && ScalarType::parse(self.source[open.end as usize..end - 1].trim()).is_none()
        {
            return self.nameless_type(Span::new(open.start, end as u32));
        }
        self.bump();
        let elem = self.named_type()?;
        self.close(b'>', open)?;
        let Type::Scalar(s) = *self.module.ty(elem) else { return None };
        Some(self.module.intern_type(Type::Ptr(s, PtrSpace::Default)))
    }

    /// `<…>`: earlier printers omitted the name. The help names the type that its parameters suggest.
    fn nameless_type(&mut self, span: Span) -> Parse<TypeId> {
        let body = Span::new(span.start + 1, span.end - 1);
        let text = &*without_comments(self.text(body));
        let d = Diagnostic::new(codes::UNKNOWN_TYPE, span, text!("found a type without its name"));
        let known = tile(text, body).map(Type::TileBuf).or_else(|_| view(text, body).map(Type::TensorView));
        self.report(match (known, shape_first(text)) {
            (Ok(Type::TensorView(_)), _) => {
                d.help(text!("write `!pto.tensor_view` or `!pto.partition_tensor_view` before it"))
            }
            (Ok(_), _) => d.help(text!("write `!pto.tile_buf` before it")),
            (_, Some(now)) => d.help(text!("write `{now}`", now)),
            _ => d.help(text!("write the name of the type before it")),
        });
        self.lexer.pos = span.end as usize;
        self.bump();
        None
    }

    fn function_type(&mut self) -> Parse<TypeId> {
        self.nested(|p| {
            let start = p.token.span.start;
            let inputs = p.parse_type_list()?;
            if p.token.tok != Tok::Arrow {
                p.expected("`->`");
                return None;
            }
            p.bump();
            let results = p.parse_type_list()?;
            let ids = |list: &[(TypeId, Span)]| list.iter().map(|(ty, _)| *ty).collect::<Vec<_>>();
            p.function_of(&ids(&inputs), &ids(&results), Span::new(start, p.last_end))
        })
    }
}

fn wrong(span: Span, found: &str, legal: &str) -> Wrong {
    Wrong { span, found: text!("found {found}", found), legal: legal.to_string(), help: None }
}

/// Limit of the length of a type.
const MAX_TYPE_BYTES: usize = 1 << 13;

/// The end of a text in angle brackets.
pub(super) struct AngleEnd {
    /// The position after it.
    pub(super) end: usize,
    pub(super) has_comments: bool,
}

/// The bytes that mean something in angle brackets; all others are skipped at once.
const SIGNS: [bool; 256] = {
    let mut signs = [false; 256];
    let (mut n, list) = (0, b"\"/#<>%{}");
    while n < list.len() {
        signs[list[n] as usize] = true;
        n += 1;
    }
    signs
};

/// The position after the `>` that closes the `<` at `open`. A type contains no values and no braces; if it is not
/// closed, the rest of its line is skipped. Arrows inside do not count.
pub(super) fn matching_angle(bytes: &[u8], open: usize) -> Result<AngleEnd, usize> {
    let (mut depth, mut has_comments) = (0u32, false);
    let limit = bytes.len().min(open + MAX_TYPE_BYTES);
    let mut at = open;
    while let Some(skipped) = bytes[at.min(limit)..limit].iter().position(|b| SIGNS[usize::from(*b)]) {
        at += skipped;
        match stretch(bytes, at) {
            SkippedText::None => {}
            SkippedText::Comment(end) => {
                (at, has_comments) = (end, true);
                continue;
            }
            SkippedText::Quoted(end) => {
                at = end;
                continue;
            }
        }
        match bytes[at] {
            b'<' if bytes[at..].starts_with(b"<= ") => {}
            b'<' => depth += 1,
            // Arrows and comparisons of maps and sets.
            b'>' if bytes[at - 1] == b'-' || bytes[at..].starts_with(b">= ") => {}
            b'>' => {
                depth -= 1;
                if depth == 0 {
                    return Ok(AngleEnd { end: at + 1, has_comments });
                }
            }
            b'%' | b'{' | b'}' => break,
            _ => {}
        }
        at += 1;
    }
    let line = bytes[open..].iter().position(|&b| b == b'\n').unwrap_or(bytes.len() - open);
    Err(open + line)
}

/// The current name of a type that earlier versions of the dialect named differently.
fn renamed(head: &str, text: &str) -> Option<String> {
    match head {
        "!pto.tile_view" => {
            Some(text!("it is now called `!pto.partition_tensor_view<{trim}>` now", trim = text.trim()))
        }
        _ => None,
    }
}

/// The current spelling of `16x16xf32, …, #pto.address_space<vec>`: the memory comes first.
fn shape_first(text: &str) -> Option<String> {
    let parts = split_top(text);
    let (shape, space) = (parts.first()?.trim(), parts.last()?.trim());
    let (dims, _) = extents(shape, Span::default()).ok()?;
    let loc = space.strip_prefix("#pto.address_space<")?.strip_suffix('>')?;
    (dims.len() == 2).then(|| format!("!pto.tile_buf<{}, {shape}>", loc.trim()))
}

/// Splits at commas outside brackets.
fn split_top(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0i32, 0);
    for (at, b) in text.bytes().enumerate() {
        match b {
            b'<' | b'(' | b'[' | b'{' => depth += 1,
            b'>' | b')' | b']' | b'}' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// The span of a part of a body.
fn part_span(body: Span, text: &str, part: &str) -> Span {
    let at = part.as_ptr() as usize - text.as_ptr() as usize;
    let lead = part.len() - part.trim_start().len();
    let start = body.start + (at + lead) as u32;
    Span::new(start, start + part.trim().len() as u32)
}

fn number(text: &str, span: Span) -> TypeResult<u64> {
    let wrong = || wrong(span, &format!("`{}`", text.trim()), text!("a number below 2^24"));
    text.trim().parse::<u64>().ok().filter(|n| *n < MAX_EXTENT).ok_or_else(wrong)
}

/// Limit of rows and columns: no memory holds a larger tile, and sizes in bytes do not overflow.
const MAX_EXTENT: u64 = 1 << 24;

fn tile_extent(n: u64, span: Span) -> TypeResult<u64> {
    if n < MAX_EXTENT { Ok(n) } else { Err(wrong(span, &format!("`{n}`"), text!("a number below 2^24"))) }
}

/// An extent of a tensor: any 63-bit number.
fn view_dim(text: &str, span: Span) -> TypeResult<Dim> {
    match text.trim() {
        "?" | "-1" => Ok(Dim::Dynamic),
        other => match other.parse::<u64>() {
            Ok(n) if i64::try_from(n).is_ok() => Ok(Dim::Fixed(n)),
            _ => Err(wrong(span, &format!("`{other}`"), text!("a number below 2^63, or `?`"))),
        },
    }
}

fn dim(text: &str, span: Span) -> TypeResult<Dim> {
    match text.trim() {
        "?" | "-1" => Ok(Dim::Dynamic),
        other => number(other, span).map(Dim::Fixed),
    }
}

fn element(text: &str, span: Span) -> TypeResult<DType> {
    DType::parse(text.trim()).ok_or_else(|| {
        let all: Vec<_> = DType::ALL.iter().map(|d| d.mlir()).collect();
        wrong(span, &text!("`{trim}` as an element type", trim = text.trim()), &all.join(", "))
    })
}

/// `16x16xf32` with any number of extents.
fn extents(text: &str, span: Span) -> TypeResult<(Vec<Dim>, &str)> {
    let mut dims = Vec::new();
    let mut rest = text.trim();
    while rest.starts_with(|c: char| c.is_ascii_digit() || c == '?' || c == '-') {
        let Some((d, after)) = rest.split_once('x').map(|(d, a)| (d, a.trim_start())) else {
            return Err(wrong(span, &format!("`{rest}`"), text!("extents and an element type, `16x16xf32`")));
        };
        dims.push(view_dim(d, span)?);
        rest = after;
    }
    Ok((dims, rest))
}

fn view(text: &str, span: Span) -> TypeResult<ViewType> {
    let (dims, rest) = extents(text, span)?;
    let elem = ScalarType::parse(rest.trim()).ok_or_else(|| {
        wrong(span, &text!("`{rest}` as an element type", rest = rest.trim()), text!("a scalar type after the extents"))
    })?;
    Ok(ViewType { dims: dims.into(), elem })
}

/// A view of global memory has at most five dimensions.
fn ranked_view(text: &str, span: Span) -> TypeResult<ViewType> {
    let v = view(text, span)?;
    match v.dims.len() {
        0..=MAX_RANK => Ok(v),
        rank => Err(wrong(span, &text!("{rank} dimensions", rank), text!("at most 5 dimensions"))),
    }
}

fn memref(text: &str, span: Span) -> TypeResult<Type> {
    let (head, rest) = match split_top(text).first() {
        Some(first) if first.len() < text.len() => (*first, &text[first.len() + 1..]),
        _ => (text, ""),
    };
    Ok(Type::Memref(MemrefType { view: view(head, span)?, rest: laid_out(rest).into() }))
}

fn pointer(text: &str, span: Span) -> TypeResult<Type> {
    let (elem, space) = text.split_once(',').map_or((text, None), |(e, s)| (e, Some(s.trim())));
    let Some(elem) = ScalarType::parse(elem.trim()) else {
        return Err(wrong(span, &text!("`{elem}` as an element type", elem = elem.trim()), text!("a scalar type")));
    };
    let space = match space {
        None => PtrSpace::Default,
        Some(s) => {
            PtrSpace::parse(s).ok_or_else(|| wrong(span, &format!("`{s}`"), text!("gm, ub, l1, l0a, l0b, l0c")))?
        }
    };
    Ok(Type::Ptr(elem, space))
}

/// `tile, count=N`.
fn multi_tile(text: &str, body: Span) -> TypeResult<Type> {
    let Some(at) = text.rfind("count") else {
        return Err(wrong(body, "no `count=`", text!("`count=N` after the tile")));
    };
    let count_text = text[at + 5..].trim_start().trim_start_matches('=');
    let count = number(count_text, body)?;
    let inner = text[..at].trim_end().trim_end_matches(',');
    let inner_span = Span::new(body.start, body.start + inner.len() as u32);
    let trimmed = inner.trim();
    let tile_text = trimmed.strip_prefix("!pto.tile_buf<").and_then(|t| t.strip_suffix('>')).unwrap_or(trimmed);
    tile(tile_text, inner_span).map(|t| Type::MultiTile(t, count))
}

/// Both spellings of a buffer type.
fn tile(text: &str, body: Span) -> TypeResult<TileType> {
    if text.trim_start().starts_with("loc") && text.contains("dtype") { keyed(text, body) } else { compact(text, body) }
}

const KEYS: &str = "loc, dtype, rows, cols, v_row, v_col, blayout, slayout, fractal, pad, compact";

/// `loc=vec, dtype=f32, rows=16, …`: keys in any order, the first four required.
fn keyed(text: &str, body: Span) -> TypeResult<TileType> {
    let mut seen: Vec<&str> = Vec::new();
    let mut t = TileType::new(Loc::Vec, DType::F32, 0, 0);
    let (mut rows, mut cols) = (None, None);
    for part in split_top(text) {
        let span = part_span(body, text, part);
        let Some((key, value)) = part.split_once('=') else {
            return Err(wrong(span, &format!("`{}`", part.trim()), "`key=value`"));
        };
        let (key, value) = (key.trim(), value.trim().trim_matches('"'));
        if seen.contains(&key) {
            return Err(wrong(span, &text!("`{key}` a second time", key), text!("each key once")));
        }
        seen.push(key);
        match key {
            "rows" => t.rows = number(value, span)?,
            "cols" => t.cols = number(value, span)?,
            "v_row" => rows = Some(dim(value, span)?),
            "v_col" => cols = Some(dim(value, span)?),
            "dtype" => t.dtype = element(value, span)?,
            _ => option(&mut t, key, value, span)?,
        }
    }
    for key in ["loc", "dtype", "rows", "cols"] {
        if !seen.contains(&key) {
            return Err(wrong(body, &text!("no `{key}`", key), &text!("the keys {KEYS}", KEYS)));
        }
    }
    t.valid_rows = rows.unwrap_or(Dim::Fixed(t.rows));
    t.valid_cols = cols.unwrap_or(Dim::Fixed(t.cols));
    Ok(t)
}

/// `vec, 16x16xf32, valid=8x?, …`
fn compact(text: &str, body: Span) -> TypeResult<TileType> {
    let parts = split_top(text);
    let loc_span = part_span(body, text, parts[0]);
    let loc = location(parts[0].trim(), loc_span)
        .map_err(|wrong| Wrong { help: shape_first(text).map(|now| text!("write `{now}`", now)), ..wrong })?;
    let Some(shape) = parts.get(1) else {
        return Err(wrong(body, text!("no shape"), text!("`location, RxCxtype`, then options")));
    };
    let span = part_span(body, text, shape);
    let (dims, elem) = extents(shape, span)?;
    let [Dim::Fixed(rows), Dim::Fixed(cols)] = dims[..] else {
        return Err(wrong(
            span,
            &format!("`{}`", shape.trim()),
            text!("two fixed extents and an element type, `16x16xf32`"),
        ));
    };
    let (rows, cols) = (tile_extent(rows, span)?, tile_extent(cols, span)?);
    let mut t = TileType::new(loc, element(elem, span)?, rows, cols);
    options(&mut t, text, &parts[2..], body)?;
    Ok(t)
}

fn options(t: &mut TileType, text: &str, parts: &[&str], body: Span) -> TypeResult<()> {
    let mut seen: Vec<&str> = Vec::new();
    for part in parts {
        let span = part_span(body, text, part);
        let Some((key, value)) = part.split_once('=') else {
            return Err(wrong(
                span,
                &format!("`{}`", part.trim()),
                text!("valid=, blayout=, slayout=, fractal=, pad=, compact="),
            ));
        };
        let (key, value) = (key.trim(), value.trim());
        if seen.contains(&key) {
            return Err(wrong(span, &text!("`{key}` a second time", key), text!("each key once")));
        }
        seen.push(key);
        if key == "valid" {
            let Some((r, c)) = value.split_once('x') else {
                return Err(wrong(span, &format!("`{value}`"), text!("`rowsxcols`, each a number or `?`")));
            };
            t.valid_rows = dim(r, span)?;
            t.valid_cols = dim(c, span)?;
        } else {
            option(t, key, value, span)?;
        }
    }
    Ok(())
}

fn location(text: &str, span: Span) -> TypeResult<Loc> {
    let name = text.strip_prefix("loc=").or_else(|| text.strip_prefix("loc =")).unwrap_or(text).trim();
    Loc::parse(name.trim_matches('"')).ok_or_else(|| {
        let all: Vec<_> = Loc::ALL.iter().map(|l| l.name()).collect();
        wrong(span, &text!("`{name}` as a location", name), &all.join(", "))
    })
}

fn option(t: &mut TileType, key: &str, value: &str, span: Span) -> TypeResult<()> {
    match key {
        "loc" => t.loc = location(value, span)?,
        "fractal" => {
            let n = number(value, span)?;
            t.fractal = u32::try_from(n).unwrap_or(0);
        }
        _ => t.set_option(key, value).map_err(|legal| match legal {
            "" => wrong(span, &text!("the key `{key}`", key), KEYS),
            _ => wrong(span, &format!("`{key}={value}`"), legal),
        })?,
    }
    Ok(())
}

/// A level-1 tile: the buffer spellings, `16x16xf32`, or positional parameters
/// `loc, type, rows, cols[, blayout, slayout, fractal, pad]`.
fn tile_value(text: &str, body: Span) -> TypeResult<TileType> {
    let parts = split_top(text);
    let first = parts[0].trim();
    if first.starts_with(|c: char| c.is_ascii_digit()) {
        let (dims, elem) = extents(first, body)?;
        let [Dim::Fixed(rows), Dim::Fixed(cols)] = dims[..] else {
            return Err(wrong(
                body,
                &format!("`{first}`"),
                text!("two fixed extents and an element type, `16x16xf32`"),
            ));
        };
        let (rows, cols) = (tile_extent(rows, body)?, tile_extent(cols, body)?);
        let mut t = TileType::new(Loc::Vec, element(elem, body)?, rows, cols);
        options(&mut t, text, &parts[1..], body)?;
        return Ok(t);
    }
    let second = parts.get(1).map_or("", |p| p.trim());
    if text.contains("dtype") || second.starts_with(|c: char| c.is_ascii_digit()) && second.contains('x') {
        return tile(text, body);
    }
    positional(text, &parts, body)
}

fn positional(text: &str, parts: &[&str], body: Span) -> TypeResult<TileType> {
    let mut rest = parts;
    let mut loc = Loc::Vec;
    if DType::parse(parts[0].trim()).is_none() {
        loc = location(parts[0].trim(), part_span(body, text, parts[0]))?;
        rest = &parts[1..];
    }
    let [dtype, rows, cols, options @ ..] = rest else {
        return Err(wrong(
            body,
            &format!("`{}`", text.trim()),
            "`loc, type, rows, cols[, blayout, slayout, fractal, pad]`",
        ));
    };
    let span = |part: &str| part_span(body, text, part);
    let mut t = TileType::new(loc, element(dtype, span(dtype))?, number(rows, span(rows))?, number(cols, span(cols))?);
    for (part, key) in options.iter().zip(["blayout", "slayout", "fractal", "pad"]) {
        option(&mut t, key, part.trim(), span(part))?;
    }
    Ok(t)
}
