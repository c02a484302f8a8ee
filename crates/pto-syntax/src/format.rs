//! `pto fmt`: one layout for every program, comments kept.

use crate::SourceText;
use pto_ir::buffers::to_buffers;
use pto_ir::{Form, Style, TypeStyle, print};
use pto_isa::{Diagnostic, Error, Targets};
use std::sync::Arc;

/// What to change besides the layout.
#[derive(Clone, Copy, Debug, Default)]
pub struct FormatOptions {
    /// Write tile instructions in this form; `None` keeps the form each has.
    pub form: Option<Form>,
    /// Write tile types in this spelling; `None` for the most frequent one.
    pub types: Option<TypeStyle>,
}

/// The formatted text of a program. Formatting is idempotent.
///
/// # Errors
/// The diagnostics of a program that cannot be read (nothing is formatted then), or of tile values that
/// cannot be written as buffers when that was asked for.
///
/// ```
/// let text = pto_syntax::format("func.func   @f( ) {\n return }", Default::default()).unwrap();
/// assert_eq!(text, "func.func @f() {\n  return\n}\n");
/// ```
pub fn format(source: &str, options: FormatOptions) -> Result<String, Error> {
    let (mut module, diagnostics) = crate::parse(source);
    module.source = Some(Arc::new(SourceText::new("", source)));
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(module.error(diagnostics));
    }
    let usual = module.type_votes.usual();
    let module = match options.form {
        Some(Form::Level2) => to_buffers(&module, Targets::ALL)?,
        _ => module,
    };
    Ok(print(&module, Style { form: options.form, types: options.types.unwrap_or(usual), source: Some(source) }))
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_is_only_warned_about_is_formatted_as_it_is_spelled() {
        let text =
            "func.func @f() {\n  %a = arith.constant 65535 : i16\n  %b = arith.constant 0xFFFF : i16\n  return\n}\n";
        assert_eq!(super::format(text, super::FormatOptions::default()), Ok(text.to_string()));
    }

    #[test]
    fn comments_inside_types_are_kept() {
        let text = "func.func @f(%a: !pto.tile_buf<vec, // a > b\n  16x16xf32, // /\n  pad=0>) {\n  return\n}\n";
        let formatted = super::format(text, super::FormatOptions::default()).expect("a program");
        assert_eq!(formatted.matches("//").count(), 2, "{formatted}");
        assert!(formatted.contains("// a > b\n"), "{formatted}");
        let again = super::format(&formatted, super::FormatOptions::default());
        assert_eq!(again, Ok(formatted));
    }

    /// No comment starts in a text, and what follows the type is read.
    #[test]
    fn slashes_in_texts_are_no_comments() {
        let text = "func.func @f(%a: !other.type<\"a//b\">, %b: i32) {\n  return\n}\n";
        assert_eq!(super::format(text, super::FormatOptions::default()), Ok(text.to_string()));
    }
}
