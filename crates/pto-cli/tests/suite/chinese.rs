//! The commands in Chinese.

use pto::isa::text::translations;
use std::collections::BTreeSet;
use std::process::{Command, Output};

fn pto(args: &[&str], environment: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pto"));
    for name in ["PTO_LANG", "LC_ALL", "LC_MESSAGES", "LANG"] {
        command.env_remove(name);
    }
    command.args(args).envs(environment.iter().copied()).output().expect("pto starts")
}

fn stdout(args: &[&str], environment: &[(&str, &str)]) -> String {
    String::from_utf8(pto(args, environment).stdout).expect("UTF-8")
}

fn is_chinese(text: &str) -> bool {
    text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c))
}

/// `MISSING=FILE` writes the texts without a translation to a file.
#[test]
fn every_help_text_has_a_translation() {
    let known: BTreeSet<String> = translations().map(|t| t.english).collect();
    let texts: BTreeSet<String> = pto_cli::command_texts().into_iter().collect();
    assert!(texts.len() > 100, "only {} texts were found", texts.len());
    let missing: Vec<String> = texts
        .iter()
        .filter(|t| !known.contains(*t))
        .map(|t| format!("en {}\n", t.replace('\\', "\\\\").replace('\n', "\\n")))
        .collect();
    if let Some(file) = std::env::var_os("MISSING") {
        std::fs::write(file, missing.concat()).expect("it can be written");
    }
    assert!(missing.is_empty(), "{} texts without a translation:\n{}", missing.len(), missing.concat());
    let unused: Vec<String> =
        translations().filter(|t| t.file == "help.txt" && !texts.contains(&t.english)).map(|t| t.english).collect();
    assert!(unused.is_empty(), "{unused:#?}");
}

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

#[test]
fn the_option_then_the_variable_then_the_locale_choose() {
    let (english, chinese) = (("LANG", "en_GB.UTF-8"), ("LANG", "zh_CN.UTF-8"));
    let help = |args: &[&str], environment: &[(&str, &str)]| stdout(&[&["run", "--help"], args].concat(), environment);
    assert!(!is_chinese(&help(&[], &[])));
    assert!(!is_chinese(&help(&[], &[("LC_ALL", "C")])));
    assert!(is_chinese(&help(&[], &[chinese])));
    assert!(is_chinese(&help(&[], &[english, ("PTO_LANG", "zh")])));
    assert!(!is_chinese(&help(&[], &[chinese, ("PTO_LANG", "en")])));
    assert!(is_chinese(&help(&["--lang", "zh"], &[("PTO_LANG", "en")])));
    assert!(!is_chinese(&help(&["--lang=en"], &[chinese])));
}

#[test]
fn json_stays_the_same() {
    let file = format!("{ROOT}/tests/cli/data/flag_missing.pto");
    for command in ["check", "race"] {
        let english = pto(&[command, &file, "--json"], &[]);
        let chinese = pto(&[command, &file, "--json", "--lang", "zh"], &[("LANG", "zh_CN.UTF-8")]);
        assert_eq!(english, chinese, "{command}");
    }
}

/// Programs are the same in every language.
#[test]
fn programs_stay_the_same() {
    let file = format!("{ROOT}/examples/softmax.pto");
    for command in [&["lower"][..], &["emit", "cpp"], &["fmt", "--stdout", "--form", "asm"]] {
        let said = |language: &str| stdout(&[command, &[&file, "--lang", language]].concat(), &[]);
        assert!(said("en").len() > 100, "{command:?}");
        assert_eq!(said("en"), said("zh"), "{command:?}");
    }
}

#[test]
fn wrong_usage_is_explained() {
    let said = |args: &[&str]| {
        let output = pto(&[args, &["--lang", "zh"]].concat(), &[]);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        String::from_utf8(output.stderr).expect("UTF-8")
    };
    for args in [
        &["rum"][..],
        &["run"],
        &["run", "x.pto", "--blocs", "2"],
        &["check", "x.pto", "--target", "a9"],
        &["run", "x.pto", "--blocks", "many"],
        &["doc", "tmax", "--all"],
        &["explain", "E9999"],
        &["run", "nowhere.pto"],
    ] {
        let text = said(args);
        assert!(is_chinese(&text) && text.starts_with("错误"), "{args:?}: {text}");
    }
}

/// What is English on purpose: names of the language, of machines and of files.
fn is_a_name(word: &str) -> bool {
    const NAMES: [&str; 28] = [
        "tile", "vec", "mat", "left", "right", "acc", "bias", "scaling", "ctrl", "index", "block", "rank", "cpu",
        "pop", "free", "case", "switch", "section", "do", "else", "memref", "pto", "lowering", "cube", "null", "zero",
        "max", "min",
    ];
    NAMES.contains(&word) || word.len() < 3
}

/// The English words of a line that are no names: outside of backquotes, quotes, options and identifiers.
fn english_words(line: &str) -> Vec<String> {
    let outside: Vec<&str> = line.split('`').step_by(2).collect();
    let text = outside.join(" ");
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_.%@!#<>=/-:".contains(c);
    let words = text.split(|c: char| !is_part(c)).map(|w| w.trim_end_matches([':', '.']));
    let plain = words.filter(|w| !w.is_empty() && w.bytes().all(|b| b.is_ascii_lowercase()) && !is_a_name(w));
    plain.map(String::from).collect()
}

/// Diagnostics of programs of all kinds: in each line at most a few English words, which are values of attributes.
#[test]
fn diagnostics_are_chinese() {
    let output = pto(
        &["check", "--lang", "zh", "--color", "never", &format!("{ROOT}/tests/files"), &format!("{ROOT}/tests/cli")],
        &[],
    );
    let text = String::from_utf8(output.stderr).expect("UTF-8");
    let said =
        text.lines().filter(|l| l.starts_with("错误[") || l.starts_with("警告[") || l.trim_start().starts_with("= "));
    let (mut lines, mut wrong) = (0, Vec::new());
    for line in said {
        lines += 1;
        let (_, said) = line.split_once(": ").unwrap_or(("", line));
        let words = english_words(said);
        let is_list = line.matches(", ").count() >= words.len();
        if words.len() > 2 && !is_list {
            wrong.push(format!("{line}\n    {words:?}"));
        }
    }
    assert!(lines > 150, "only {lines} lines: {text}");
    assert!(wrong.is_empty(), "{} of {lines}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn pages_are_chinese() {
    let page = stdout(&["doc", "tmax", "--lang", "zh"], &[]);
    for section in ["语义", "操作数", "约束", "性能"] {
        assert!(page.contains(section), "{section}: {page}");
    }
    let explanation = stdout(&["explain", "E0214", "--lang", "zh"], &[]);
    assert!(explanation.starts_with("PTO-E0214: ") && is_chinese(&explanation), "{explanation}");
}
