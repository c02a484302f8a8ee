//! Runs recorded instruction cases from a folder outside the project: `PTO_CASES=<folder> cargo test -p pto --test data recorded`.
//!
//! A case is a pair of files. `name.json` has `gm_buffers` (global buffers and their sizes), `steps` (writes to memory, and
//! instructions in C++ argument order with full descriptions of their operands) and `checks`; `name.bin` has the data that
//! they point into. A case becomes one program with placed tiles, as tiles are recorded with their addresses; what the C++ calls
//! TASSIGN, TSUBVIEW and TRESHAPE do is in the addresses already. Cases with pipes become a program of two functions. There is
//! one test per instruction; what cannot be replayed is counted with its reason. With `PTO_LIST` every case is listed instead.

mod arguments;
mod comm;
mod compare;
mod instructions;
mod operands;
mod pipes;
mod recast;
mod recording;
mod words;

use libtest_mimic::{Failed, Trial};
use pto::Program;
use pto::isa::Target;
use recast::{Source, recast};
use recording::Recording;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use words::{in_pairs, in_words};

/// Cases, by the start of their names, whose recorded results follow other rules than this project's, and why.
const DIFFERENT: &[(&str, &str)] = &[
    ("taxpy__TAXPYTest.case2", "f16 products rounded before the sum"),
    ("tmuladddst__TMULADDDSTTest.case_half", "f16 products rounded before the sum"),
    ("tfusemuladdrelu__TFUSEMULADDRELUTest.case_half", "f16 products rounded before the sum"),
    ("tinsert_quant__TINSERTTest.case_42_float_half", "ReLU of NaN is 0"),
    ("textract_quant__TEXTRACTTest.case_42_float_half", "ReLU of NaN is 0"),
    ("tinsert_quant__TINSERTTest.case_43_float_half", "bit 48 of the word makes infinities finite"),
    ("tinsert_quant__TINSERTTest.case_44_float_half", "bit 48 of the word makes infinities finite"),
    ("tcvt__TCVTTest.case20", "4-bit integers saturate although told not to"),
    ("tcvt__TCVTTest.case24", "4-bit floats keep low bits without saturation"),
    ("tcvt__TCVTTest.case25", "4-bit floats rounded to integers"),
    ("tcvt__TCVTTest.case27", "4-bit floats rounded to integers"),
    ("tcvt__TCVTTest.case28", "4-bit floats keep low bits without saturation"),
    ("tcvt__TCVTTest.case29", "4-bit floats rounded to integers"),
    ("tcvt__TCVTTest.case30", "e1m2 saturates at 1"),
    ("tcvt__TCVTTest.case31", "4-bit floats rounded to integers"),
    ("tprefetch__", "a prefetch fills its tile"),
    ("tload__TLOADTest.case_float4_e1m2x2_GT_2_2_2", "column-major by name, row-major by strides"),
    ("tload__TLOADTest.case_float4_e2m1x2_GT_2_2_2", "column-major by name, row-major by strides"),
    ("tload__TLOADTest.case_float_GT_32_64_128_VT_64_128_BLK32_DYN", "column-major by name, row-major by strides"),
];

pub fn trials() -> Vec<Trial> {
    let Some(folder) = std::env::var_os("PTO_CASES") else {
        let skipped = Trial::test("recorded: set PTO_CASES to a folder with cases", || Ok(())).with_ignored_flag(true);
        return vec![skipped];
    };
    let mut groups: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for path in files(Path::new(&folder)) {
        for name in instructions(&path) {
            groups.entry(name).or_default().push(path.clone());
        }
    }
    if std::env::var_os("PTO_LIST").is_some() {
        list(&files(Path::new(&folder)));
        return Vec::new();
    }
    let trials = groups.into_iter().map(|(name, paths)| {
        let title = format!("recorded/{name} ({} cases)", paths.len());
        let supported = paths.iter().any(|p| !matches!(outcome(p), Outcome::Unsupported(_)));
        Trial::test(title, move || run_group(&paths)).with_ignored_flag(!supported)
    });
    trials.collect()
}

/// A line for each case: its name and what became of it.
fn list(paths: &[PathBuf]) {
    for path in paths {
        let what = match outcome(path) {
            Outcome::Passed => "passed".to_string(),
            Outcome::Failed(why) => format!("failed: {}", why.lines().next().unwrap_or_default()),
            Outcome::Unsupported(why) => why,
        };
        println!("{}\t{what}", path.file_stem().unwrap_or_default().to_string_lossy());
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    all.retain(|p| p.extension().is_some_and(|e| e == "json"));
    all.sort();
    all
}

fn read(path: &Path) -> Option<Value> {
    serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok()
}

fn instructions(path: &Path) -> Vec<String> {
    let case = read(path).unwrap_or_default();
    let names = case["instructions"].as_array().into_iter().flatten();
    names.filter_map(|n| n.as_str().map(String::from)).collect()
}

/// What became of a case.
enum Outcome {
    Passed,
    Failed(String),
    Unsupported(String),
}

fn run_group(paths: &[PathBuf]) -> Result<(), Failed> {
    let (mut passed, mut failed) = (0, 0);
    let mut others: BTreeMap<String, usize> = BTreeMap::new();
    let mut problems = String::new();
    for path in paths {
        let case = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let known = DIFFERENT.iter().find(|(start, _)| case.starts_with(start));
        match (outcome(path), known) {
            (Outcome::Passed, _) => passed += 1,
            (Outcome::Failed(_), Some((_, why))) => *others.entry(format!("other rules ({why})")).or_default() += 1,
            (Outcome::Unsupported(why), _) => *others.entry(format!("unsupported ({why})")).or_default() += 1,
            (Outcome::Failed(why), None) => {
                failed += 1;
                if failed <= 5 {
                    let _ = writeln!(problems, "{case}\n  {why}");
                }
            }
        }
    }
    let mut summary = format!("{passed} passed, {failed} failed");
    for (why, n) in others {
        let _ = write!(summary, "\n  {n} {why}");
    }
    if failed == 0 {
        println!("{summary}");
        return Ok(());
    }
    Err(format!("{summary}\n{problems}").into())
}

/// A case as it was recorded; where that is not legal, with the source of its moves in a memory that has them.
fn outcome(path: &Path) -> Outcome {
    let (Some(case), Ok(data)) = (read(path), std::fs::read(path.with_extension("bin"))) else {
        return Outcome::Failed("unreadable".into());
    };
    let Some(case) = in_pairs(&in_words(&case)) else {
        return Outcome::Unsupported("half a pair of 4-bit floats".into());
    };
    let recorded = replay(&case, &data);
    if !matches!(recorded, Outcome::Unsupported(_)) {
        return recorded;
    }
    let changed = [Source::Accumulator, Source::Vector].into_iter().filter_map(|source| recast(&case, source));
    changed.map(|case| replay(&case, &data)).find(|o| !matches!(o, Outcome::Unsupported(_))).unwrap_or(recorded)
}

fn replay(case: &Value, data: &[u8]) -> Outcome {
    let recording = match Recording::new(case, data) {
        Ok(recording) => recording,
        Err(why) => return Outcome::Unsupported(why),
    };
    let program = recording.program();
    let checked = match Program::parse(&program).check(Target::Cpu) {
        Ok(checked) => checked,
        Err(problems) => {
            let errors: Vec<String> = problems
                .diagnostics()
                .iter()
                .filter(|d| d.is_error())
                .map(|d| format!("{}: {}", d.code, d.message))
                .collect();
            return Outcome::Unsupported(format!("not legal: {}", errors.join("; ")));
        }
    };
    match recording.run(&checked, case, data) {
        Ok(()) => Outcome::Passed,
        Err(why) if why.starts_with("no plan") => Outcome::Unsupported(why),
        // With PTO_SHOW, also the program.
        Err(why) if std::env::var_os("PTO_SHOW").is_some() => Outcome::Failed(format!("{why}\n{program}")),
        Err(why) => Outcome::Failed(why),
    }
}
