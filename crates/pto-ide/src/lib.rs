//! What an editor asks about a PTO program: problems, pages, completions, names, edits.
//!
//! A [`Document`] is a text and a target. It answers every question for any text, broken ones too, without files, threads or a
//! clock, so that the same code serves the language server (`pto lsp`) and a page in a browser. Positions are bytes of the text;
//! [`TextPositions`] converts them to the lines and columns that a protocol counts in. Nothing here knows a protocol, and nothing
//! here knows an instruction: the table does.
//!
//! ```
//! use pto_ide::Document;
//!
//! let text = "func.func @f(%a: !pto.tile_buf<vec, 16x16xf32>) {\n  pto.tmaxx ins(%a, %a) outs(%a)\n  return\n}\n";
//! let document = Document::new(text, None);
//! let problem = &document.diagnostics()[0];
//! assert_eq!(problem.code.id(), "PTO-E0004");
//!
//! // `tmaxx` is a typo; the fix is offered at its position.
//! let at = problem.primary.span;
//! let fix = &document.actions(at, &[])[0];
//! let fixed = pto_ide::applied(text, &fix.edits);
//! assert!(Document::new(&fixed, None).diagnostics().is_empty());
//!
//! let hover = Document::new(&fixed, None).hover(at.start + 2).expect("the page of the instruction");
//! assert!(hover.markdown.starts_with("**TMAX**"));
//! ```

mod actions;
mod completion;
mod context;
mod cost;
mod document;
mod edits;
mod fixes;
mod format;
mod highlight;
mod hints;
mod hover;
mod index;
mod lenses;
mod navigate;
mod placement;
mod positions;
mod scope;
mod signature;
mod symbols;
mod template;
mod value_card;

pub use actions::{ActionKind, OfferedAction};
pub use completion::{Completion, CompletionKind};
pub use document::Document;
pub use edits::{Replacement, applied, line_edits};
pub use highlight::{SemanticToken, TokenRole};
pub use hints::{HintKind, InlineHint};
pub use hover::HoverCard;
pub use lenses::RunnableFunction;
pub use positions::{PositionEncoding, TextPositions};
pub use signature::SignatureCard;
pub use symbols::{FoldRange, OutlineItem, OutlineKind};
