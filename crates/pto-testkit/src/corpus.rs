//! Programs to try: those of this repository and, with `PTO_CORPUS=dir:dir`, every `.pto` file below those.

use std::path::{Path, PathBuf};

fn files(dir: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files(&path, out);
        } else if path.extension().is_some_and(|e| e == "pto") {
            out.push(path);
        }
    }
}

/// All of them, in order.
pub fn corpus() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut all = Vec::new();
    files(&root.join("tests"), &mut all);
    files(&root.join("examples"), &mut all);
    for dir in std::env::var("PTO_CORPUS").unwrap_or_default().split(':').filter(|d| !d.is_empty()) {
        files(Path::new(dir), &mut all);
    }
    all
}
