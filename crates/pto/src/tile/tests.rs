//! Every instruction whose example is a kernel: it is legal where it should be, and its text is the same program.

use super::*;
use crate::isa::table;
use crate::{Form, Program, Target};

/// An example of the documentation.
struct Example {
    name: &'static str,
    target: Target,
    /// The instruction is legal without others.
    alone: bool,
    kernel: Kernel,
}

#[allow(unused_variables, reason = "an example shows what an instruction gives back")]
mod examples {
    use super::*;
    include!(concat!(env!("OUT_DIR"), "/examples.rs"));
}

#[test]
fn examples_come_back_from_text() {
    for example in examples::ALL {
        let Example { name, kernel, .. } = example();
        for form in [Form::Level1, Form::Level2, Form::Asm, Form::Generic] {
            let text = kernel.to_text(form);
            let again = Program::parse(&text);
            assert!(again.problems().is_empty(), "{name}: {:?}\n{text}", again.problems());
            assert_eq!(again.to_text(Some(form)), text, "{name}");
        }
        let again = Program::parse(&kernel.to_text(Form::Level2));
        assert!(crate::ir::same(again.module(), kernel.program().module()), "{name}\n{}", kernel.to_text(Form::Level2));
    }
}

#[test]
fn examples_are_legal() {
    for example in examples::ALL {
        let Example { name, target, alone, kernel } = example();
        if alone {
            kernel.check(target).unwrap_or_else(|problems| panic!("{name} on {target}: {problems}"));
        }
    }
}

#[test]
fn most_instructions_have_an_example_in_rust() {
    let (shown, all) = (examples::ALL.len(), table::isa().count());
    assert!(shown * 4 >= all * 3, "{shown} of {all}");
    println!("{shown} of {all} instructions have an example in Rust");
}
