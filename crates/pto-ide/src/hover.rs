//! What is shown beside the text under the cursor.

use crate::Document;
use crate::context::{StatementAt, operation, starts_statement};
use crate::cost::estimate;
use crate::value_card;
use pto::doc;
use pto::ir::print::type_text;
use pto::ir::{Attr, OpId};
use pto::isa::row::AttrSpec;
use pto::isa::text;
use pto::isa::text::translate;
use pto::isa::{Op, Span, Type};
use pto::syntax::{SourceToken, TokenKind};

/// Text for the cursor, and what it is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HoverCard {
    /// The name that it is about.
    pub span: Span,
    /// What is known about it, as Markdown.
    pub markdown: String,
}

impl Document {
    /// What is known about the name at a byte: the page of an instruction; type, address and uses of a value; what an alias or
    /// an attribute stands for.
    ///
    /// ```
    /// let text = "func.func @f() {\n  %t = pto.alloc_tile : !pto.tile_buf<vec, 16x64xf32>\n  return\n}\n";
    /// let document = pto_ide::Document::new(text, None);
    /// let card = document.hover(20).expect("a value");
    /// assert!(card.markdown.contains("4096 bytes"), "{}", card.markdown);
    /// ```
    pub fn hover(&self, at: u32) -> Option<HoverCard> {
        let token = *self.index().token_at(at)?;
        let markdown = match token.kind {
            TokenKind::Value => value_card::of_value(self, &token),
            TokenKind::Symbol => self.symbol_card(&token),
            TokenKind::Type | TokenKind::Attribute => self.alias_card(&token),
            TokenKind::Word | TokenKind::Text => self.word_card(&token),
            _ => None,
        }?;
        Some(HoverCard { span: token.span, markdown })
    }

    /// The page of the mnemonic, or what an attribute means.
    fn word_card(&self, token: &SourceToken) -> Option<String> {
        let index = self.index();
        let known = index.operation(token.span.start);
        let before = &index.tokens[..=index.first_token(token.span.start)];
        if known.is_none() && !starts_statement(self, before) {
            return self.attribute_card(token);
        }
        let op = known.map(|id| self.module().op(id).op).or_else(|| operation(self, token))?;
        // A second spelling is read as the operation it stands for; its own page says so.
        let op = operation(self, token).unwrap_or(op);
        Some(self.operation_card(op, known))
    }

    fn operation_card(&self, op: Op, id: Option<OpId>) -> String {
        let mut card = String::new();
        let row = op.row();
        if !row.targets.contains(self.target()) {
            card += &text!("**Not on {target}.**", target = self.target());
            card += "\n\n";
        }
        card += &doc::brief_page(op);
        if let Some(cost) = id.and_then(|id| estimate(self, id)) {
            let (cycles, pipe, grade) = (cost.cycles.round(), cost.pipe, translate(cost.grade.name()));
            card += &text!("\n**Here**: {cycles} cycles on {pipe} ({grade})\n", cycles, pipe, grade);
        }
        card
    }

    /// An attribute of the statement around it.
    fn attribute_card(&self, token: &SourceToken) -> Option<String> {
        let statement = StatementAt::find(self, token.span.start)?;
        let word = self.slice(token.span);
        let row = statement.op.row();
        if let Some(spec) = row.attr(word) {
            return Some(about_attribute(spec));
        }
        let of_value = row.attrs.iter().find(|a| a.enumeration().is_some_and(|e| e.find(word).is_some()))?;
        Some(about_attribute(of_value))
    }

    /// What an alias stands for.
    fn alias_card(&self, token: &SourceToken) -> Option<String> {
        let name = self.slice(token.span);
        let alias = self.module().aliases.iter().find(|a| &*a.name == name);
        let Some(alias) = alias else { return self.type_card(token) };
        match &alias.value {
            Attr::Type(ty) => Some(value_card::about_type(self, name, self.module().ty(*ty))),
            _ => Some(format!("```mlir\n{}\n```", self.slice(alias.span))),
        }
    }

    /// The type that starts at a token.
    fn type_card(&self, token: &SourceToken) -> Option<String> {
        let rest = self.text().get(token.span.start as usize..)?;
        let end = rest.find('>').map_or(token.span.end - token.span.start, |n| n as u32 + 1);
        let text = self.slice(Span::new(token.span.start, token.span.start + end));
        let ty = pto::syntax::read_type(text)?;
        Some(value_card::about_type(self, "", &ty))
    }

    /// The signature of a function.
    fn symbol_card(&self, token: &SourceToken) -> Option<String> {
        let name = self.slice(token.span).trim_start_matches('@').trim_matches('"');
        let module = self.module();
        let function = module.functions().into_iter().find(|f| module.symbol_name(*f) == name)?;
        Some(format!("```mlir\n{}\n```", signature_text(self, function)))
    }
}

/// `func.func @name(%a: T) -> R`
pub(crate) fn signature_text(document: &Document, function: OpId) -> String {
    let module = document.module();
    let style = module.type_votes.usual();
    let show = |ty: &Type| type_text(ty, style);
    let entry = module.op_regions(function).first().and_then(|r| module.region(*r).blocks.first());
    let parameters: Vec<String> = match entry {
        Some(block) => {
            let args = module.block(*block).args.iter();
            args.map(|v| format!("%{}: {}", module.value_name(*v), show(module.value_type(*v)))).collect()
        }
        None => Vec::new(),
    };
    let results: Vec<String> = match module.attr(function, "function_type") {
        Some(Attr::Type(ty)) => match module.ty(*ty) {
            Type::Function(f) => f.results.iter().map(show).collect(),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    };
    let returned = if results.is_empty() { String::new() } else { format!(" -> ({})", results.join(", ")) };
    format!("func.func @{}({}){returned}", module.symbol_name(function), parameters.join(", "))
}

fn about_attribute(spec: &AttrSpec) -> String {
    let (name, values) = (spec.name, spec.legal_values());
    let default = match (spec.required, spec.default) {
        (true, _) => text!("required").to_string(),
        (false, "") => text!("absent").to_string(),
        (false, value) => format!("`{value}`"),
    };
    format!(
        "`{name}`: {}\n\n- {}: {values}\n- {}: {default}\n",
        translate(spec.doc),
        text!("legal values"),
        text!("default")
    )
}
