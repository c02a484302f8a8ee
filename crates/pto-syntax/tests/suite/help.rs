//! What is said about operations that do not exist.

/// The help of the only problem of a line.
fn help(line: &str) -> Option<String> {
    let (_, problems) = pto_syntax::parse(&format!("func.func @f(%x: !pto.ptr<f32>) {{\n  {line}\n  return\n}}\n"));
    let [problem] = &problems[..] else { panic!("{} problems in `{line}`", problems.len()) };
    problem.help.clone()
}

#[test]
fn operations_of_other_tools_are_told_from_misspelt_ones() {
    let cases = [
        ("pto.tmaxx", "did you mean `tmax`, `tmaxs`?"),
        ("pto.partition_vew", "did you mean `partition_view`?"),
        (
            "pto.vmax",
            "operations on vector registers are below the tile level and not part of this tool; for tiles there is `tmax`, `tmaxs`",
        ),
        ("pto.vlds", "operations on vector registers are below the tile level and not part of this tool"),
        ("pto.pset_b8", "operations on predicates are below the tile level and not part of this tool"),
        ("pto.mte_gm_l1_frac", "single transfers between memories are below the tile level and not part of this tool"),
    ];
    for (operation, wanted) in cases {
        assert_eq!(help(&format!("{operation} %x")).as_deref(), Some(wanted), "{operation}");
    }
    assert_eq!(help("pto.nothing_like_it %x"), None);
}
