//! Text to program: every spelling of PTO that people really write.
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

mod format;
mod lexer;
mod lines;
mod parser;

pub use format::{FormatOptions, format};
pub use lines::Lines;
pub use parser::parse;
