//! Applies the fixes that `pto race` states to the programs of `tests/race` and `tests/race_fixes`, as they stand, line by line:
//! the finding is gone, and nothing new is found.

use pto::isa::Target;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex};

/// The id, and the lines it is about: the message names cores by what tells them apart, which a fix may change.
type Finding = (String, String, String);

#[derive(Clone)]
struct Report {
    findings: Vec<Finding>,
    /// The fix of each finding that has one.
    fixes: Vec<(Finding, Vec<Edit>)>,
}

#[derive(Clone, Debug)]
struct Edit {
    line: usize,
    /// Where parameters go.
    column: usize,
    /// The last line that is removed.
    last: usize,
    change: String,
    text: String,
}

impl Edit {
    fn new(e: &Value) -> Self {
        let number = |name: &str| e[name].as_u64().map(|n| n as usize);
        let text = |name: &str| e[name].as_str().unwrap_or_default().to_string();
        let line = number("line").unwrap_or(0);
        let (column, last) = (number("column").unwrap_or(1), number("last_line").unwrap_or(line));
        Self { line, column, last, change: text("change"), text: text("text") }
    }

    /// What the help has to say: where, and what.
    fn words(&self) -> [String; 2] {
        let Self { line, last, change, text, .. } = self;
        let place = match &**change {
            "remove" if last > line => format!("remove lines {line} to {last}"),
            "remove" => format!("remove line {line}"),
            "parameter" => format!("in line {line}, in front of the first parameter: "),
            _ => format!("{change} line {line}: "),
        };
        [place, text.clone()]
    }
}

/// Several tests start from the same programs.
static REPORTS: LazyLock<Mutex<HashMap<(String, Target), Report>>> = LazyLock::new(Mutex::default);

/// What `pto race` says about the program at a path, whose text is the source.
fn race(path: &Path, source: &str, target: Target) -> Report {
    let key = (source.to_string(), target);
    let known = REPORTS.lock().expect("no test panics here").get(&key).cloned();
    known.unwrap_or_else(|| {
        let report = raced(path, source, target);
        REPORTS.lock().expect("no test panics here").insert(key, report.clone());
        report
    })
}

fn raced(path: &Path, source: &str, target: Target) -> Report {
    let stated = source.lines().filter_map(|l| l.strip_prefix("// args ")).flat_map(str::split_whitespace);
    let mut command = pto_testkit::commands::english(env!("CARGO_BIN_EXE_pto"));
    let output = command.arg("race").arg(path).args(["--json", "--target", target.name()]).args(stated).output();
    let output = output.expect("pto starts");
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{}: {e}: {}", path.display(), String::from_utf8_lossy(&output.stderr)));
    let text = |v: &Value| v.as_str().unwrap_or_default().to_string();
    let (mut findings, mut fixes) = (Vec::new(), Vec::new());
    for d in report["findings"].as_array().into_iter().flatten() {
        let line = |span: &Value| {
            let at = span["line"].as_u64().unwrap_or(1) as usize;
            source.lines().nth(at - 1).unwrap_or_default().trim().to_string()
        };
        let finding = (text(&d["id"]), line(&d["span"]), line(&d["labels"][0]));
        let edits: Vec<Edit> = d["edits"].as_array().into_iter().flatten().map(Edit::new).collect();
        if !edits.is_empty() {
            let lines: Vec<usize> = edits.iter().map(|e| e.line).collect();
            assert!(lines.is_sorted(), "{}: not in source order: {lines:?}", path.display());
            let help = text(&d["help"]);
            for edit in &edits {
                assert!(edit.words().iter().all(|w| help.contains(w)), "{}: {help}", path.display());
            }
            fixes.push((finding.clone(), edits));
        }
        findings.push(finding);
    }
    Report { findings, fixes }
}

fn apply(source: &str, edits: &[Edit]) -> String {
    let mut text = String::new();
    for (at, line) in source.lines().enumerate() {
        let here = |change: &'static str| edits.iter().filter(move |e| e.line == at + 1 && e.change == change);
        here("before").for_each(|e| text += &format!("{}\n", e.text));
        let removed = edits.iter().any(|e| e.change == "remove" && (e.line..=e.last).contains(&(at + 1)));
        if !removed {
            let mut line = line.to_string();
            here("parameter").for_each(|e| line.insert_str(e.column - 1, &e.text));
            text += &format!("{line}\n");
        }
        here("after").for_each(|e| text += &format!("{}\n", e.text));
    }
    text
}

/// `// target a2a3, a5`
fn stated_targets(source: &str) -> Vec<Target> {
    let lines = source.lines().filter_map(|l| l.strip_prefix("// target "));
    lines.flat_map(|l| l.split(',')).filter_map(|t| Target::parse(t.trim())).collect()
}

fn files() -> Vec<PathBuf> {
    let mut all = Vec::new();
    for folder in ["race", "race_fixes"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(folder);
        let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        all.extend(entries.flatten().map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "pto")));
    }
    all.sort();
    all
}

fn is_corrected(path: &Path) -> bool {
    path.to_string_lossy().ends_with(".fixed.pto")
}

/// Programs in which one race hides another: `several_….pto`.
fn has_several(path: &Path) -> bool {
    path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("several_"))
}

/// One fix after the other, as somebody would apply them who looks at the first finding only: in the end nothing is found.
#[test]
fn fixes_lead_to_a_program_without_findings() {
    let dir = tempfile::tempdir().expect("a directory");
    let changed = dir.path().join("changed.pto");
    for path in files().iter().filter(|p| p.parent().is_some_and(|p| p.ends_with("race_fixes"))) {
        let source = std::fs::read_to_string(path).expect("it can be read");
        for target in stated_targets(&source) {
            let mut text = source.clone();
            let mut report = race(path, &text, target);
            for _ in 0..12 {
                let Some((_, edits)) = report.fixes.first() else { break };
                text = apply(&text, edits);
                std::fs::write(&changed, &text).expect("it can be written");
                report = race(&changed, &text, target);
            }
            assert!(report.findings.is_empty(), "{}: {:?} in\n{text}", path.display(), report.findings);
        }
    }
}

/// Behind a wait that never ends nothing was checked.
const STOPS: [&str; 2] = ["PTO-E0712", "PTO-E0806"];

/// Applies the fix of every finding of a program. How many there were, and what went wrong.
fn check_fixes(path: &Path, source: &str, target: Target, dir: &Path) -> (usize, Vec<String>) {
    let before = race(path, source, target);
    let known: BTreeSet<&Finding> = before.findings.iter().collect();
    let mut failures = Vec::new();
    for (finding, edits) in &before.fixes {
        let changed = dir.join("changed.pto");
        let text = apply(source, edits);
        std::fs::write(&changed, &text).expect("it can be written");
        let after = race(&changed, &text, target);
        // Where others stop meanwhile is a matter of the text.
        let stopped = |f: &Finding| STOPS.contains(&&*f.0) && known.iter().any(|k| (&k.0, &k.1) == (&f.0, &f.1));
        let new = after.findings.iter().any(|f| !known.contains(f) && !stopped(f)) && !STOPS.contains(&&*finding.0);
        if after.findings.contains(finding) || new {
            let name = path.display();
            failures.push(format!(
                "{name} for {}: {finding:?}\n  {edits:?}\n  after: {:?}",
                target.name(),
                after.findings
            ));
        }
    }
    (before.fixes.len(), failures)
}

/// Which core is executed first here says nothing: the reader waits for the writer, wherever the two sections stand.
#[test]
fn advice_does_not_depend_on_the_order_of_execution() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/race_fixes");
    for name in ["barrier_of_vector_cores_only.pto", "cube_section_first.pto"] {
        let path = folder.join(name);
        let source = std::fs::read_to_string(&path).expect("it can be read");
        let report = race(&path, &source, Target::A2A3);
        let [(finding, edits)] = &report.fixes[..] else { panic!("{name}: {:?}", report.findings) };
        assert_eq!(finding.0, "PTO-E0801", "{name}");
        let mut texts: Vec<&str> = edits.iter().map(|e| &*e.text).collect();
        texts.sort_unstable();
        assert_eq!(texts, ["pto.sync.set <PIPE_MTE3>, 10", "pto.sync.wait <PIPE_MTE2>, 10"], "{name}");
    }
}

/// What a program is told, whatever the numbers of its lines: the findings, and the lines beside which something is put.
fn advice(path: &Path, source: &str, target: Target) -> BTreeSet<(String, String, String)> {
    let report = race(path, source, target);
    let line = |at: usize| source.lines().nth(at - 1).unwrap_or_default().trim().to_string();
    let edits = report.fixes.iter().flat_map(|(finding, edits)| edits.iter().map(move |e| (finding.0.clone(), e)));
    edits.map(|(id, e)| (id, line(e.line), format!("{} {}", e.change, e.text))).collect()
}

/// The program with its two sections in the other order: so the other core is executed first here.
fn with_sections_exchanged(source: &str) -> Option<String> {
    let lines: Vec<&str> = source.lines().collect();
    let opens = |kind: &str| lines.iter().position(|l| l.starts_with(&format!("  pto.section.{kind} {{")));
    let (cube, vector) = (opens("cube")?, opens("vector")?);
    let end = |from: usize| lines[from..].iter().position(|l| *l == "  }").map(|n| from + n + 1);
    let (first, second) = (cube.min(vector), cube.max(vector));
    let (first_end, second_end) = (end(first)?, end(second)?);
    let parts = [
        &lines[..first],
        &lines[second..second_end],
        &lines[first_end..second],
        &lines[first..first_end],
        &lines[second_end..],
    ];
    Some(parts.concat().join("\n") + "\n")
}

#[test]
fn advice_is_the_same_when_sections_change_places() {
    let dir = tempfile::tempdir().expect("a directory");
    let changed = dir.path().join("changed.pto");
    let mut compared = 0;
    for path in files().iter().filter(|p| !is_corrected(p)) {
        let source = std::fs::read_to_string(path).expect("it can be read");
        let Some(exchanged) = with_sections_exchanged(&source) else { continue };
        std::fs::write(&changed, &exchanged).expect("it can be written");
        for target in stated_targets(&source) {
            let (before, after) = (advice(path, &source, target), advice(&changed, &exchanged, target));
            assert_eq!(before, after, "{} for {}", path.display(), target.name());
            compared += usize::from(!before.is_empty());
        }
    }
    assert!(compared > 20, "only {compared} programs were compared");
}

/// In the fix the vector cores of all blocks store one after the other, and the last one is the last in every order a device could take.
#[test]
fn vector_cores_of_a_block_take_turns() {
    let dir = tempfile::tempdir().expect("a directory");
    let changed = dir.path().join("changed.pto");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/race_fixes/both_vector_cores_store_one_row.pto");
    let source = std::fs::read_to_string(&path).expect("it can be read");
    let report = race(&path, &source, Target::A2A3);
    let [(_, edits)] = &report.fixes[..] else { panic!("{:?}", report.findings) };
    std::fs::write(&changed, apply(&source, edits)).expect("it can be written");
    let pto = |command: &str, args: &[&str]| {
        let mut pto = pto_testkit::commands::english(env!("CARGO_BIN_EXE_pto"));
        pto.arg(command).arg(&changed).args(["--blocks", "2", "--json"]).args(args).output().expect("pto starts")
    };
    let run = pto("run", &[]);
    let values: Value = serde_json::from_slice(&run.stdout).expect("JSON");
    let summary = &values["parameters"][0]["summary"];
    assert_eq!((summary["min"].as_f64(), summary["max"].as_f64()), (Some(3.0), Some(3.0)), "{summary}");
    for seed in ["1", "2", "3"] {
        let race = pto("race", &["--schedule", "adversarial", "--seed", seed]);
        assert!(race.status.success(), "{}", String::from_utf8_lossy(&race.stdout));
    }
}

#[test]
fn fixes_make_their_findings_go_away() {
    let dir = tempfile::tempdir().expect("a directory");
    let (mut fixed, mut failures) = (0, Vec::new());
    for path in files().iter().filter(|p| !is_corrected(p) && !has_several(p)) {
        let source = std::fs::read_to_string(path).expect("it can be read");
        let mut targets = stated_targets(&source);
        if targets.is_empty() {
            targets.push(Target::A2A3);
        }
        for target in targets {
            let (count, mut wrong) = check_fixes(path, &source, target, dir.path());
            if path.parent().is_some_and(|p| p.ends_with("race_fixes")) {
                assert!(count > 0, "{}: nothing is fixed", path.display());
            }
            fixed += count;
            failures.append(&mut wrong);
        }
    }
    assert!(failures.is_empty(), "{} of {fixed}:\n{}", failures.len(), failures.join("\n"));
    assert!(fixed > 240, "only {fixed} fixes are stated");
}

/// What an access, a flag, a token, a signal, an entry, a tile or a cache line lacks is a statement; where sizes are wrong, none is missing.
const FIXED: [&str; 19] = [
    "E0712", "E0801", "E0802", "E0803", "E0804", "E0805", "E0806", "E0807", "E0808", "E0809", "E0810", "E0811",
    "E0812", "E0813", "E0814", "E0815", "E0816", "E0817", "E0818",
];

#[test]
fn every_finding_has_a_fix() {
    let mut without = BTreeSet::new();
    for path in files().iter().filter(|p| !is_corrected(p)) {
        let source = std::fs::read_to_string(path).expect("it can be read");
        let mut targets = stated_targets(&source);
        if targets.is_empty() {
            targets.push(Target::A2A3);
        }
        for target in targets {
            let report = race(path, &source, target);
            let unfixed = report.findings.iter().filter(|f| report.fixes.iter().all(|(fixed, _)| fixed != *f));
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            without.extend(unfixed.map(|f| (name.clone(), f.0.clone())));
        }
    }
    without.retain(|(_, id)| FIXED.iter().any(|o| id.ends_with(o)));
    assert!(without.is_empty(), "{without:#?}");
}

/// New statements are spelled as `pto fmt` spells them. Lines that replace or move others are spelled as those are, and types may have
/// names in the text.
#[test]
fn fixes_are_formatted() {
    let mut compared = 0;
    for path in files().iter().filter(|p| !is_corrected(p)) {
        let source = std::fs::read_to_string(path).expect("it can be read");
        let target = stated_targets(&source).first().copied().unwrap_or(Target::A2A3);
        for (_, edits) in race(path, &source, target).fixes {
            let taken = edits.iter().any(|e| e.change == "remove");
            let text = apply(&source, &edits);
            let text = pto::syntax::format(&text, Default::default()).unwrap_or_else(|e| panic!("{text}\n{e}"));
            let lines: BTreeSet<&str> = text.lines().map(str::trim).collect();
            let plain = |e: &&Edit| e.change != "parameter" && !e.text.contains('!');
            for edit in edits.iter().filter(plain).filter(|_| !taken) {
                assert!(lines.contains(&*edit.text), "{}: {} in\n{text}", path.display(), edit.text);
                compared += 1;
            }
        }
    }
    assert!(compared > 200, "only {compared} statements were compared");
}

/// Correct programs, each without one of the statements that order them.
#[test]
fn fixes_of_what_was_left_out_make_the_finding_go_away() {
    const ORDERS: [&str; 7] = [
        "pto.set_flag",
        "pto.wait_flag",
        "pto.barrier",
        "pto.sync.set",
        "pto.sync.wait",
        "pto.syncall",
        "wait_async_event",
    ];
    /// One of so many is tried; all of them take a minute.
    const EVERY: usize = 5;
    let dir = tempfile::tempdir().expect("a directory");
    let (mut seen, mut fixed, mut failures) = (0, 0, Vec::new());
    for path in files().iter().filter(|p| is_corrected(p)) {
        let source = std::fs::read_to_string(path).expect("it can be read");
        let target = stated_targets(&source).first().copied().unwrap_or(Target::A2A3);
        let source = source.replace("--all-paths", "");
        for (at, line) in source.lines().enumerate() {
            let orders = !line.trim().starts_with("//") && ORDERS.iter().any(|o| line.contains(o));
            seen += usize::from(orders);
            if !orders || seen % EVERY != 0 {
                continue;
            }
            let rest: Vec<&str> = source.lines().enumerate().filter(|(k, _)| *k != at).map(|(_, l)| l).collect();
            let text = rest.join("\n");
            let without = dir.path().join(path.file_name().unwrap_or_default());
            std::fs::write(&without, &text).expect("it can be written");
            let (count, mut wrong) = check_fixes(&without, &text, target, dir.path());
            fixed += count;
            failures.append(&mut wrong);
        }
    }
    assert!(failures.is_empty(), "{} of {fixed}:\n{}", failures.len(), failures.join("\n"));
    assert!(fixed > 100, "only {fixed} fixes are stated");
}

/// The lines that take the place of one.
type Spoil = fn(&str) -> Vec<String>;

/// How a statement that orders is spoiled.
const SPOILED: [(&str, Spoil); 5] = [
    ("twice", |l| vec![l.to_string(), l.to_string()]),
    ("another id", |l| {
        let other = if l.contains("EVENT_ID0") { l.replace("EVENT_ID0", "EVENT_ID1") } else { l.replace(", 1", ", 2") };
        vec![other]
    }),
    ("the other way", |l| {
        let Some((head, rest)) = l.split_once('[') else { return vec![l.to_string()] };
        let parts: Vec<&str> = rest.splitn(3, ", ").collect();
        let [a, b, rest] = parts[..] else { return vec![l.to_string()] };
        vec![format!("{head}[{b}, {a}, {rest}")]
    }),
    ("in a branch", |l| ["%no = arith.constant false", "scf.if %no {", l, "}"].map(String::from).into()),
    ("in a loop", |l| {
        let bounds = ["%from = arith.constant 0 : index", "%by = arith.constant 1 : index"];
        let header = ["%end = arith.constant 2 : index", "scf.for %again = %from to %end step %by {"];
        bounds.into_iter().chain(header).chain([l, "}"]).map(String::from).collect()
    }),
];

/// Correct programs, each with one statement that orders them spoiled.
#[test]
fn fixes_of_what_was_spoiled_make_the_finding_go_away() {
    const ORDERS: [&str; 6] = ["pto.set_flag[", "pto.wait_flag[", "pto.sync.", "_event[", "_buf[", "pto.tfree"];
    /// One of so many is tried; which ones depends on nothing but the program.
    const EVERY: usize = 19;
    let dir = tempfile::tempdir().expect("a directory");
    let (mut fixed, mut failures) = (0, Vec::new());
    for path in files().iter().filter(|p| is_corrected(p)) {
        let source = std::fs::read_to_string(path).expect("it can be read");
        let target = stated_targets(&source).first().copied().unwrap_or(Target::A2A3);
        let source = source.replace("--all-paths", "");
        let lines: Vec<String> = source.lines().map(String::from).collect();
        let mut seen = path.file_name().map_or(0, |name| name.len());
        for (at, line) in lines.iter().enumerate().filter(|(_, l)| ORDERS.iter().any(|o| l.contains(o))) {
            for (how, spoil) in SPOILED {
                seen += 1;
                let spoiled = spoil(line);
                if seen % EVERY != 0 || spoiled == [line.clone()] {
                    continue;
                }
                let text = [&lines[..at], &spoiled[..], &lines[at + 1..]].concat().join("\n");
                let changed = dir.path().join(path.file_name().unwrap_or_default());
                std::fs::write(&changed, &text).expect("it can be written");
                let (count, wrong) = check_fixes(&changed, &text, target, dir.path());
                fixed += count;
                failures.extend(wrong.into_iter().map(|w| format!("{how}, line {}: {w}", at + 1)));
            }
        }
    }
    assert!(failures.is_empty(), "{} of {fixed}:\n{}", failures.len(), failures.join("\n"));
    assert!(fixed > 100, "only {fixed} fixes are stated");
}
