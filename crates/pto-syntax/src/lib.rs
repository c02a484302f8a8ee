//! Text to program: every spelling of PTO in use.
//!
//! [`parse`] never fails and never panics: it returns a program and diagnostics, all of them, in source order.
//! One grammar engine reads all instructions; what differs between them is in their table rows. Accepted are
//! the assembly form, levels 1 to 3, the dialect of the public assembler with its host operations, and the
//! generic form; they can be mixed in one file.
//!
//! ```
//! let source = "func.func @f(%a: !pto.tile_buf<vec, 16x16xf32>) {
//!   %m = tmax %a, %a : !pto.tile<...>
//!   return
//! }";
//! let (module, diagnostics) = pto_syntax::parse(source);
//! assert!(diagnostics.is_empty());
//! assert_eq!(module.functions().len(), 1);
//! ```

mod blanks;
mod format;
mod lexer;
mod lines;
mod locations;
mod parser;
mod source;
mod tokens;

pub use format::{FormatOptions, format};
pub use lines::Lines;
pub use locations::StatedLocations;
pub use parser::parse;
pub use source::SourceText;
pub use tokens::{SourceToken, TokenKind, tokens};

/// Reads a single type; `None` if the text is not exactly one type.
///
/// ```
/// use pto_isa::Type;
/// assert_eq!(pto_syntax::read_type("!pto.eventid_array<2>"), Some(Type::EventIds(2)));
/// assert_eq!(pto_syntax::read_type("!pto.eventid_array"), None);
/// ```
pub fn read_type(text: &str) -> Option<pto_isa::Type> {
    let (module, problems) = parse(&format!("func.func private @f({text})"));
    let function = module.functions().first().copied().filter(|_| problems.is_empty())?;
    let pto_ir::Attr::Type(ty) = module.attr(function, "function_type")? else { return None };
    match module.ty(*ty) {
        pto_isa::Type::Function(f) if f.inputs.len() == 1 => Some(f.inputs[0].clone()),
        _ => None,
    }
}
