//! The pages of `perf`, `plan` and `race`, as far as they can be judged without a browser.

use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Writes a report; gives the page and what the command says on standard error.
fn report(command: &str) -> (String, String) {
    let dir = tempfile::tempdir().expect("a directory");
    let page = dir.path().join("report.html");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut run = Command::new(env!("CARGO_BIN_EXE_pto"));
    run.args(command.split(' ')).arg("--html").arg(&page).current_dir(root).env("NO_COLOR", "1");
    let said = run.output().expect("pto starts").stderr;
    (std::fs::read_to_string(&page).expect("a page"), String::from_utf8_lossy(&said).into_owned())
}

/// The data in a page of `perf`.
fn data(page: &str) -> Value {
    let start = page.split("type=\"application/json\">").nth(1).expect("data");
    serde_json::from_str(start.split("</script>").next().expect("an end")).expect("JSON")
}

#[test]
fn commands_say_what_they_wrote() {
    for command in [
        "perf tests/cli/perf.pto n=64",
        "plan examples/softmax.pto",
        "race docs/guide/scale.pto",
        "view tests/cli/view.pto",
    ] {
        let (page, said) = report(command);
        let line = said.lines().find(|l| l.starts_with("wrote ")).unwrap_or_else(|| panic!("{command}: {said}"));
        assert!(line.ends_with(&format!("report.html ({} KB)", page.len().div_ceil(1000))), "{line}");
    }
}

/// 65 pieces for 64 blocks on 20 cores: blocks that run one after the other on a core are the path.
#[test]
fn cores_of_the_critical_path_are_shown_when_others_are_not() {
    let data = data(&report("perf tests/cli/perf.pto n=1040 --blocks 64 --cores 20").0);
    let lanes = data["lanes"].as_array().expect("lanes");
    let is_critical = |lane: &&Value| lane["items"].as_array().is_some_and(|items| items.iter().any(|i| i[3] == 1));
    let critical: Vec<&str> = lanes.iter().filter(is_critical).filter_map(|l| l["name"].as_str()).collect();
    for block in ["block 0 ", "block 20 ", "block 40 ", "block 60 "] {
        assert!(critical.iter().any(|name| name.starts_with(block)), "{block}: {critical:?}");
    }
    assert!(data["note"].as_str().is_some_and(|note| note.contains("12 of 64 cores")), "{}", data["note"]);
    assert!(!lanes.iter().any(|l| l["name"].as_str().is_some_and(|name| name.starts_with("block 30 "))));
}

#[test]
fn a_map_names_target_memory_and_tiles() {
    let page = report("plan examples/flash_attention.pto").0;
    for part in
        ["memory on a2a3", "<h2>UB (vec)</h2>", "<h2>L0A (left)</h2>", "line of the program", "192 KiB", "%q_l0"]
    {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn fixes_are_in_the_order_of_the_program() {
    let page = report("race docs/guide/scale.pto").0;
    let lines: Vec<u32> = page
        .split("<li><code>")
        .skip(1)
        .filter_map(|step| step.split("line ").nth(1)?.split(':').next()?.parse().ok())
        .collect();
    assert!(lines.len() >= 4 && lines.is_sorted(), "{lines:?}");
}

/// A page that would be too large ends early, and says so.
#[test]
fn a_recording_that_is_too_large_is_cut() {
    let (page, said) = report("view tests/cli/view.pto --limit 60K");
    let data = data(&page);
    let moments = data["moments"].as_array().map_or(0, Vec::len);
    assert!((1..16).contains(&moments) && page.len() <= 60 << 10, "{moments} moments, {} bytes", page.len());
    let note = format!("The page ends after {moments} of 16 moments, at its limit of 62 KB");
    assert!(said.contains(&note) && data["note"].as_str().is_some_and(|n| n.contains(&note)), "{said}");
}

/// Moments from the middle of a run bring the bytes that they find.
#[test]
fn a_part_of_a_recording_has_what_it_needs() {
    let (page, said) = report("view tests/cli/view.pto --moments 12:14 --only t,largest");
    let data = data(&page);
    assert_eq!(data["from"], 11);
    assert_eq!(data["moments"].as_array().map(Vec::len), Some(3));
    assert!(data["moments"][0][4].as_array().is_some_and(|found| !found.is_empty()), "{}", data["moments"][0]);
    assert!(said.contains("The page shows moments 12 to 14 of 16. It shows the 3 moments"), "{said}");
}
