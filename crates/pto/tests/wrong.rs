//! Kernels that must not build, each with its exact message.
//!
//! The messages are those of one version of the compiler; others word what is around ours in their own way, so they only
//! build the kernel that is right. `TRYBUILD=overwrite cargo test -p pto --test wrong` writes the messages anew.

use std::process::Command;

/// The compiler whose messages are recorded.
const RECORDED: &str = "rustc 1.95.";

#[test]
fn wrong_kernels_do_not_build() {
    let cases = trybuild::TestCases::new();
    // With a kernel that passes, all are built, not only type-checked: the rules of tile types are broken when code is made.
    cases.pass("tests/wrong/right/*.rs");
    if version().starts_with(RECORDED) {
        cases.compile_fail("tests/wrong/*.rs");
    } else {
        println!("only the right kernel was built: the messages are those of {RECORDED}x, this is {}", version());
    }
}

fn version() -> String {
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(compiler).arg("--version").output().expect("a Rust compiler");
    String::from_utf8_lossy(&output.stdout).into_owned()
}
