//! What the tests of kernels in Rust share.

use pto::tile::Kernel;
use pto::{Form, Program};

/// The text of a kernel parses back to the same program, in every form.
pub fn comes_back(kernel: &Kernel) {
    for form in [Form::Level2, Form::Level1, Form::Asm, Form::Generic] {
        let text = kernel.to_text(form);
        let again = Program::parse(&text);
        assert!(again.problems().is_empty(), "{:?}\n{text}", again.problems());
        assert_eq!(again.to_text(Some(form)), text);
        if form == Form::Level2 {
            assert!(pto::ir::same(again.module(), kernel.program().module()), "{text}");
        }
    }
}
