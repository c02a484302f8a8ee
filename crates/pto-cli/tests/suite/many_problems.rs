//! A terminal shows the first problems of a file and says how many more there are.

#[test]
fn a_terminal_shows_the_first_problems() {
    let lines: String = (0..500).map(|k| format!("  %a{k} = arith.addi %missing{k}, %missing{k} : index\n")).collect();
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("many.pto");
    std::fs::write(&path, format!("func.func @f() {{\n{lines}  return\n}}\n")).expect("a file");
    for command in [&["check"][..], &["fmt", "--check"], &["run"], &["plan"], &["emit", "cpp"]] {
        let output = pto_testkit::commands::english(env!("CARGO_BIN_EXE_pto"))
            .args(command)
            .arg(&path)
            .output()
            .expect("it runs");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(text.matches("is not defined").count(), 100, "{command:?}: {text}");
        assert!(text.contains("and 400 more problems in"), "{command:?}");
    }
    let output = pto_testkit::commands::english(env!("CARGO_BIN_EXE_pto"))
        .args(["check", "--json"])
        .arg(&path)
        .output()
        .expect("it runs");
    assert!(String::from_utf8_lossy(&output.stdout).contains("`%missing499` is not defined"));
}
