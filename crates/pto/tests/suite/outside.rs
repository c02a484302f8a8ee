//! A program outside of the workspace that uses the public interface as people do, built against the library as it is and run.

use super::wrong::{compiler, library};
use std::path::Path;
use std::process::Command;

#[test]
fn a_program_of_somebody_else_builds_and_runs() {
    let directory = tempfile::tempdir().expect("a directory");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/outside/main.rs");
    let program = directory.path().join(format!("outside{}", std::env::consts::EXE_SUFFIX));
    let library = library();
    let built = compiler()
        // Whatever a user would be warned about is an error here.
        .args(["--edition=2024", "--crate-name=outside", "-Dwarnings", "-Cdebuginfo=0"])
        .arg(format!("--extern=pto={}", library.display()))
        .arg(format!("-Ldependency={}", library.with_file_name("deps").display()))
        .arg(format!("-Ldependency={}", library.parent().expect("a directory").display()))
        .arg("-o")
        .arg(&program)
        .arg(source)
        .current_dir(directory.path())
        .output()
        .expect("the compiler starts");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let ran = Command::new(&program).current_dir(directory.path()).output().expect("it starts");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "256 numbers\n");
}
