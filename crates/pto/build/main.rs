//! Writes the Rust functions of the instructions: one for each row of the table, with its types and documentation.

mod docs;
mod enums;
mod example;
mod names;
mod signature;
mod types;

use pto_isa::table;
use std::error::Error;
use std::fmt::Write as _;
use std::{env, fs, path::PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build");
    let out = PathBuf::from(env::var("OUT_DIR")?).join("intrinsics.rs");
    fs::write(out, intrinsics())?;
    Ok(())
}

fn intrinsics() -> String {
    let mut text = String::new();
    let mut sets = types::Sets::default();
    for op in table::isa() {
        let signature = signature::Signature::new(op, &mut sets);
        text += &signature.function(&docs::function(op, &signature));
        text += &signature.options();
    }
    let _ = write!(text, "\n{}", signature::markers());
    text += &enums::all();
    text += &sets.traits();
    text
}
