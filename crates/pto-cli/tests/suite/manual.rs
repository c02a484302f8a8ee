//! Manual pages and completions come from the definition of the command line.

fn pto(args: &[&str]) -> String {
    let output = pto_testkit::commands::english(env!("CARGO_BIN_EXE_pto")).args(args).output().expect("it runs");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn every_command_has_a_manual_page() {
    let dir = tempfile::tempdir().expect("a directory");
    pto(&["man", "--out", dir.path().to_str().expect("text")]);
    let help = pto(&["--help"]);
    let commands = help.lines().skip_while(|l| *l != "Commands:").skip(1).take_while(|l| !l.is_empty());
    let names = commands.filter_map(|l| l.split_whitespace().next()).filter(|n| *n != "help");
    let mut pages = 0;
    for name in names {
        let page = std::fs::read_to_string(dir.path().join(format!("pto-{name}.1"))).expect("a page");
        assert!(page.contains(".SH DESCRIPTION"), "{name}");
        pages += 1;
    }
    assert!(pages > 12, "{pages}");
    for inner in ["pto.1", "pto-emit-cpp.1"] {
        assert!(dir.path().join(inner).exists(), "{inner}");
    }
}

#[test]
fn help_and_completions_list_the_targets() {
    assert!(pto(&["check", "--help"]).contains("a2a3, a5, cpu"));
    assert!(pto(&["completions", "bash"]).contains("a2a3 a5 cpu"));
    pto(&["check", "--target", "A3", concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/softmax.pto")]);
}

#[test]
fn colours_are_used_when_asked_for() {
    let race = |color: &str| {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide/scale.pto");
        let output =
            pto_testkit::commands::english(env!("CARGO_BIN_EXE_pto")).args(["race", file, "--color", color]).output();
        output.expect("it runs").stderr.contains(&0x1b)
    };
    assert!(race("always"));
    assert!(!race("never"));
    assert!(!race("auto"));
}
