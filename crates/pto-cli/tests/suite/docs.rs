//! The commands of the README and of the guide do what the pages say.
//!
//! Blocks of a page run in order, in a directory that has the examples:
//! - ```` ```pto NAME ```` writes the program to the file `NAME`. A name with a directory is a file of the project, and the block is its text.
//! - ```` ```console ```` runs what is behind each `$` with `sh` and compares what it prints: `…` stands for any text in a line, and
//!   alone in a line for any number of lines. Commands of cargo other than `cargo run` are not run here.

use pto_testkit::pages::{Fenced, fenced_blocks};
use std::path::{Path, PathBuf};
use std::process::Command;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// A directory as a reader has it: the examples, the files of the guide, and `pto` on the path.
struct Reader {
    dir: tempfile::TempDir,
}

impl Reader {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        for name in ["examples", "docs"] {
            std::os::unix::fs::symlink(Path::new(ROOT).join(name), dir.path().join(name)).expect("a link");
        }
        Self { dir }
    }

    /// What a command prints, both streams together, and whether it succeeds.
    fn run(&self, command: &str) -> (String, bool) {
        let programs = PathBuf::from(env!("CARGO_BIN_EXE_pto")).parent().expect("a directory").to_path_buf();
        let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default());
        let text = command.replace("cargo run --release -- ", "pto ");
        let output = Command::new("sh")
            .args(["-c", &format!("exec 2>&1; {text}")])
            .current_dir(self.dir.path())
            .env("PATH", path)
            .env("COLUMNS", "120")
            .env("PTO_LANG", "en")
            .env_remove("CLICOLOR_FORCE")
            .output()
            .expect("sh runs");
        (String::from_utf8(output.stdout).expect("text"), output.status.success())
    }

    /// Runs the blocks of a page; the problems, with their lines.
    fn read(&self, page: &str) -> Vec<String> {
        let text = std::fs::read_to_string(Path::new(ROOT).join(page)).expect("a page");
        let mut wrong = Vec::new();
        for block in fenced_blocks(&text) {
            let found = match block.info.split_once(' ').unwrap_or((block.info, "")) {
                ("console", _) => self.console(&block),
                ("pto", name) => self.program(&block, name),
                // Blocks of Python are run by the tests of the Python package, which are what such commands install.
                ("rust" | "text" | "python" | "sh" | "cpp", _) => Vec::new(),
                (other, _) => vec![format!("no test for blocks of `{other}`")],
            };
            wrong.extend(found.into_iter().map(|w| format!("{page}:{}: {w}", block.line)));
        }
        wrong
    }

    fn program(&self, block: &Fenced<'_>, name: &str) -> Vec<String> {
        let name = if name.is_empty() { "unnamed.pto" } else { name };
        let (path, text) = (self.dir.path().join(name), block.lines.join("\n") + "\n");
        if name.contains('/') {
            let is_same = std::fs::read_to_string(&path).is_ok_and(|file| file == text);
            return if is_same { Vec::new() } else { vec![format!("{name} is not the file of that name")] };
        }
        std::fs::write(path, text).expect("it can be written");
        let (said, is_formatted) = self.run(&format!("pto fmt --check {name}"));
        if is_formatted { Vec::new() } else { vec![format!("`pto fmt --check` says:\n{said}")] }
    }

    fn console(&self, block: &Fenced<'_>) -> Vec<String> {
        let mut wrong = Vec::new();
        let starts = block.lines.iter().enumerate().filter(|(_, l)| l.starts_with("$ ")).map(|(at, _)| at);
        let starts: Vec<usize> = starts.collect();
        for (k, &at) in starts.iter().enumerate() {
            let end = starts.get(k + 1).copied().unwrap_or(block.lines.len());
            let command = block.lines[at][2..].split("   #").next().unwrap_or_default().trim();
            if command.starts_with("cargo ") && !command.starts_with("cargo run --release -- ") {
                continue;
            }
            let (expected, (found, succeeds)) = (&block.lines[at + 1..end], self.run(command));
            let expected: Vec<&str> = expected.iter().map(|l| l.trim_end()).filter(|l| !l.is_empty()).collect();
            let lines: Vec<&str> = found.lines().map(str::trim_end).filter(|l| !l.is_empty()).collect();
            // A page may leave out what a command prints, but not that it fails.
            let is_true = if expected.is_empty() { succeeds } else { is_like(&expected, &lines) };
            if !is_true {
                wrong.push(format!("`{command}` prints\n{found}"));
            }
        }
        wrong
    }
}

/// True when lines are as a page shows them.
fn is_like(shown: &[&str], lines: &[&str]) -> bool {
    match shown.split_first() {
        None => lines.is_empty(),
        Some((&"…", rest)) => (0..=lines.len()).any(|skipped| is_like(rest, &lines[skipped..])),
        Some((line, rest)) => lines.first().is_some_and(|l| is_line(line, l)) && is_like(rest, &lines[1..]),
    }
}

fn is_line(shown: &str, line: &str) -> bool {
    let mut parts = shown.split('…');
    let Some(mut rest) = parts.next().and_then(|start| line.strip_prefix(start)) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

fn is_true(page: &str) {
    let wrong = Reader::new().read(page);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_readme_is_true() {
    is_true("README.md");
}

#[test]
fn the_page_about_debugging_is_true() {
    is_true("docs/debug.md");
}

#[test]
fn the_guide_is_true() {
    is_true("docs/guide/README.md");
}

/// Pages in Chinese have the blocks of the English ones, which are tested.
#[test]
fn pages_in_chinese_have_the_same_blocks() {
    let pages = ["README", "docs/guide/README", "docs/language", "docs/decisions", "docs/numerics"];
    for (page, chinese) in pages.map(|name| (format!("{name}.md"), format!("{name}.zh.md"))) {
        let read = |name: &str| std::fs::read_to_string(Path::new(ROOT).join(name)).expect("a page");
        let (page, chinese) = (read(&page), read(&chinese));
        let (ours, theirs) = (fenced_blocks(&page), fenced_blocks(&chinese));
        assert_eq!(ours.len(), theirs.len());
        let without_comment = |line: &&str| line.split("   # ").next().unwrap_or_default().trim_end().to_string();
        for (a, b) in ours.iter().zip(&theirs) {
            let text = |block: &Fenced<'_>| block.lines.iter().map(without_comment).collect::<Vec<_>>();
            assert_eq!((a.info, text(a)), (b.info, text(b)), "line {}", b.line);
        }
        let headings = |text: &str| text.lines().filter(|l| l.starts_with('#')).count();
        assert_eq!(headings(&page), headings(&chinese));
    }
}

/// From nothing to a result, as the people we build for would do it with what the docs say.
#[test]
fn walkthroughs_work() {
    let all = std::fs::read_dir(Path::new(ROOT).join("tests/walkthroughs")).expect("a directory");
    let names: Vec<String> = all.map(|f| f.expect("a file").file_name().to_string_lossy().into_owned()).collect();
    assert!(names.len() >= 5, "{names:?}");
    let wrong: Vec<String> =
        names.iter().flat_map(|name| Reader::new().read(&format!("tests/walkthroughs/{name}"))).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Links to files of the project lead somewhere.
#[test]
fn links_lead_to_files() {
    let at_the_top = ["README.md", "README.zh.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"];
    let mut pages = at_the_top.map(str::to_string).to_vec();
    for dir in ["docs", "docs/guide"] {
        let all = std::fs::read_dir(Path::new(ROOT).join(dir)).expect("a directory");
        let names = all.map(|f| f.expect("a file").file_name().to_string_lossy().into_owned());
        pages.extend(names.filter(|n| n.ends_with(".md")).map(|n| format!("{dir}/{n}")));
    }
    let mut broken = Vec::new();
    for page in pages {
        let text = std::fs::read_to_string(Path::new(ROOT).join(&page)).expect("a page");
        let dir = Path::new(&page).parent().expect("a directory").to_path_buf();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let is_outside = link.contains("://") || link.contains(' ');
            let target = if file.is_empty() { PathBuf::from(&page) } else { dir.join(file) };
            let path = Path::new(ROOT).join(&target);
            if !is_outside && (!path.exists() || !(anchor.is_empty() || has_heading(&path, anchor))) {
                broken.push(format!("{page}: {link}"));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

/// True when a page has the heading of an anchor.
fn has_heading(path: &Path, anchor: &str) -> bool {
    let Ok(text) = std::fs::read_to_string(path) else { return false };
    let anchor_of = |heading: &str| -> String {
        let kept = heading.trim().to_lowercase().replace(' ', "-");
        kept.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect()
    };
    text.lines().filter(|l| l.starts_with('#')).any(|l| anchor_of(l.trim_start_matches('#')) == anchor)
}
