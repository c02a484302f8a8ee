//! The operands of the statement that is being written.

use crate::Document;
use crate::context::StatementAt;
use crate::template::{StatementPart, parts};
use pto::isa::row::AttrSpec;
use pto::isa::text::translate;
use pto::isa::{Row, Slot, text};

/// How a statement is written, and the operand at the cursor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SignatureCard {
    /// The statement with the names of its operands and attributes.
    pub label: String,
    /// What it does, in a line.
    pub summary: String,
    /// Bytes of the label that an operand or attribute takes, and what may stand there.
    pub parameters: Vec<(std::ops::Range<u32>, String)>,
    /// The parameter at the cursor.
    pub active: Option<usize>,
}

impl Document {
    /// The operands of the statement at a byte, and which one the cursor is at.
    ///
    /// ```
    /// let text = "func.func @f(%t: !pto.tile_buf<vec, 16x16xf32>) {\n  pto.tmax ins(%t, \n}\n";
    /// let document = pto_ide::Document::new(text, None);
    /// let card = document.signature(text.find(", \n").expect("in the text") as u32 + 2).expect("a statement");
    /// assert_eq!(card.label, "pto.tmax ins(%src0, %src1) outs(%dst)");
    /// assert_eq!(card.active, Some(1));
    /// ```
    pub fn signature(&self, at: u32) -> Option<SignatureCard> {
        let statement = StatementAt::find(self, at)?;
        let row = statement.op.row();
        let here = statement.part();
        let mut card = SignatureCard {
            label: row.full_name(),
            summary: translate(row.summary()).to_string(),
            parameters: Vec::new(),
            active: None,
        };
        for part in parts(statement.op) {
            let start = card.label.len() as u32;
            let (text, about) = match part {
                StatementPart::Text(ref text) => (text.clone(), None),
                StatementPart::Slot(slot) => {
                    let slot = row.slot_at(slot);
                    (format!("%{}", slot.name), Some(about_slot(self, row, slot)))
                }
                StatementPart::Attr(at) => (row.attrs[at].name.to_string(), Some(about_attribute(&row.attrs[at]))),
            };
            card.label += &text;
            if let Some(about) = about {
                card.active = card.active.or((here.as_ref() == Some(&part)).then_some(card.parameters.len()));
                card.parameters.push((start..card.label.len() as u32, about));
            }
        }
        (!card.parameters.is_empty() || card.label.len() > row.full_name().len()).then_some(card)
    }
}

fn about_slot(document: &Document, row: &Row, slot: &Slot) -> String {
    let types = row.data_types(document.target());
    let kind = slot.kind.noun();
    if slot.elem == pto::isa::row::ElemRule::Data && !types.is_empty() {
        return text!("{kind} of {types}", kind, types);
    }
    kind.to_string()
}

fn about_attribute(spec: &AttrSpec) -> String {
    format!("{}: {}", translate(spec.doc), spec.legal_values())
}
