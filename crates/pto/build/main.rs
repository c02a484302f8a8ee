//! Writes the Rust functions of the instructions: one for each row of the table, with its types and documentation.

mod docs;
mod enums;
mod example;
mod names;
mod signature;
mod types;

use pto_isa::table;
use std::error::Error;
use std::{env, fs, path::PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let (functions, examples) = intrinsics();
    fs::write(out.join("intrinsics.rs"), functions)?;
    fs::write(out.join("examples.rs"), examples)?;
    Ok(())
}

/// The functions, and the examples in their documentation as functions for tests.
fn intrinsics() -> (String, String) {
    let mut text = String::new();
    let mut sets = types::Sets::default();
    let mut examples = Vec::new();
    for op in table::isa() {
        let signature = signature::Signature::new(op, &mut sets);
        let example = example::Example::new(op, &signature);
        text += &signature.function(&docs::function(op, &signature, example.as_ref()));
        text += &signature.options();
        examples.extend(example);
    }
    text += &signature::constants();
    text += &signature::markers();
    text += &enums::all();
    text += &sets.traits();
    (text, example::tests(&examples))
}
