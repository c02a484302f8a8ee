//! Runs the commands in every file below `tests/cli` and compares what they print.
//!
//! A file starts with `// RUN: pto check %` lines (`%` is the file). Beside it stands `NAME.out` with the exit
//! code, standard output and standard error of each command, with `TIME` where a time stands. `BLESS=1` writes those
//! files anew.

use libtest_mimic::{Failed, Trial};
use std::path::{Path, PathBuf};

pub fn trials() -> Vec<Trial> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cli");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&dir)
        .into_iter()
        .flatten()
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e == "pto"))
        .collect();
    files.sort();
    files
        .into_iter()
        .map(|path| {
            let name = format!("cli/{}", path.file_stem().unwrap_or_default().display());
            Trial::test(name, move || run(&path))
        })
        .collect()
}

fn run(path: &Path) -> Result<(), Failed> {
    let source = std::fs::read_to_string(path)?;
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut transcript = String::new();
    for line in source.lines().filter_map(|l| l.strip_prefix("// RUN: pto ")) {
        transcript += &execute(path.parent().unwrap_or(Path::new(".")), &with_file(line, &file))?;
    }
    if transcript.is_empty() {
        return Err("no `// RUN: pto …` line".into());
    }
    let expected = path.with_extension("out");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&expected, &transcript)?;
        return Ok(());
    }
    let wanted = std::fs::read_to_string(&expected).unwrap_or_default();
    if wanted == transcript {
        return Ok(());
    }
    let difference = wanted.lines().zip(transcript.lines()).find(|(a, b)| a != b);
    Err(format!("differs from {} (BLESS=1 accepts): {difference:?}\n{transcript}", expected.display()).into())
}

/// A command with the name of its file instead of `%`; a word like `%t` is the name of a value.
fn with_file(line: &str, file: &str) -> String {
    line.split(' ').map(|word| if word == "%" { file } else { word }).collect::<Vec<_>>().join(" ")
}

fn execute(dir: &Path, line: &str) -> Result<String, Failed> {
    let arguments: Vec<&str> = line.split_whitespace().collect();
    let output = pto_testkit::commands::english(env!("CARGO_BIN_EXE_pto"))
        .args(&arguments)
        .current_dir(dir)
        .env("COLUMNS", "100")
        .env("NO_COLOR", "1")
        .output()?;
    let code = output.status.code().map_or("killed".to_string(), |c| c.to_string());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut out = format!("$ pto {line}\n");
    out += &text(&output.stdout);
    let err = text(&output.stderr);
    if !err.is_empty() {
        out += "--- stderr\n";
        out += &err;
    }
    out += &format!("--- exit {code}\n");
    Ok(without_times(&out))
}

/// Times differ from run to run.
fn without_times(text: &str) -> String {
    let line = |line: &str| {
        if let Some((before, _)) = line.split_once("\"seconds\": ") {
            return format!("{before}\"seconds\": TIME,\n");
        }
        let word = ["instruction in ", "instructions in ", "candidates in "].into_iter().find(|w| line.contains(w));
        match word.and_then(|word| Some((line.split_once(word)?.0, word))) {
            Some((before, word)) => format!("{before}{word}TIME\n"),
            None => format!("{line}\n"),
        }
    };
    text.lines().map(line).collect()
}
