//! How the files of a crate depend on each other.
//!
//! A file imports another when one of its paths that starts with `crate`, `super` or `self`, or with a module of its own, leads
//! to an item of that file; re-exports are followed to where the item stands. Three things are left out: tests, a
//! parent's imports from the modules it declares (a parent with its children is one unit), and re-exports themselves.
//! Files that import each other in a circle can only be understood together, so a circle has three files at most.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The longest circle that is allowed.
const MOST: usize = 3;

/// The path of a module in its crate.
type ModPath = Vec<String>;

/// A source file: its code, what it re-exports under which name, and what it imports.
#[derive(Default)]
struct Source {
    code: String,
    exports: BTreeMap<String, ModPath>,
    globs: Vec<ModPath>,
    imports: Vec<ModPath>,
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Code without comments, without strings' contents that look like paths, and without tests.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// The paths of a `use` tree: `a::{b, c::d}` is `a::b` and `a::c::d`.
fn paths(tree: &str, before: &[String], out: &mut Vec<ModPath>) {
    let segments = |text: &str| {
        let text = text.split(" as ").next().unwrap_or_default();
        text.split("::").map(|s| s.trim().to_string()).filter(|s| !s.is_empty()).collect::<Vec<_>>()
    };
    let Some(open) = tree.find('{') else {
        return out.push([before, &segments(tree)].concat());
    };
    let head = [before, &segments(&tree[..open])].concat();
    let inner = &tree[open + 1..tree.rfind('}').unwrap_or(tree.len())];
    let (mut depth, mut start) = (0, 0);
    for (at, c) in inner.char_indices().chain([(inner.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                if !inner[start..at].trim().is_empty() {
                    paths(&inner[start..at], &head, out);
                }
                start = at + 1;
            }
            _ => {}
        }
    }
}

/// True where code stands in a module that is written inside its file.
fn is_inside_module(before: &str) -> bool {
    let opened =
        before.rfind("\nmod ").or_else(|| before.rfind("\npub mod ")).or_else(|| before.rfind("\npub(super) mod "));
    opened.is_some_and(|at| {
        let rest = &before[at + 1..];
        rest.lines().next().is_some_and(|line| line.ends_with('{')) && !rest.contains("\n}")
    })
}

struct Crate {
    files: BTreeMap<ModPath, Source>,
}

impl Crate {
    fn read(src: &Path) -> Self {
        let mut files = BTreeMap::new();
        let mut paths = Vec::new();
        super::tidy::files(src, "rs", &mut paths);
        for path in paths {
            let module = module_of(src, &path);
            if module.iter().all(|part| part != "tests") {
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                files.insert(module, Source { code: code(&text), ..Source::default() });
            }
        }
        let mut this = Self { files };
        for module in this.files.keys().cloned().collect::<Vec<_>>() {
            this.note_paths(&module);
        }
        this
    }

    /// A path as it is written in a module, from the root of the crate.
    fn resolve_from_root(&self, module: &ModPath, path: &[String], is_inside: bool) -> Option<ModPath> {
        match path.first()?.as_str() {
            "crate" => Some(path[1..].to_vec()),
            "super" | "self" => {
                let ups = path.iter().take_while(|s| *s == "super").count();
                let rest = path.iter().skip_while(|s| *s == "super" || *s == "self").cloned();
                let keep = module.len().checked_sub(ups.saturating_sub(usize::from(is_inside && ups > 0)))?;
                Some(module[..keep].iter().cloned().chain(rest).collect())
            }
            first => {
                let child = [&module[..], &[first.to_string()]].concat();
                self.files.contains_key(&child).then(|| [&module[..], path].concat())
            }
        }
    }

    fn note_paths(&mut self, module: &ModPath) {
        let code = self.files[module].code.clone();
        let mut source = Source::default();
        let mut rest = String::new();
        let mut last = 0;
        let is_keyword = |at: &usize| !code[..*at].ends_with(is_word);
        for at in code.match_indices("use ").map(|(at, _)| at).filter(is_keyword) {
            let line = code[..at].rfind('\n').map_or(0, |n| n + 1);
            let visibility = code[line..at].trim();
            if at < last || !(visibility.is_empty() || visibility.starts_with("pub")) {
                continue;
            }
            let Some(end) = code[at..].find(';').map(|n| at + n) else { continue };
            let is_inside = is_inside_module(&code[..at]);
            let mut all = Vec::new();
            paths(&code[at + 4..end], &[], &mut all);
            for path in all.iter().filter_map(|p| self.resolve_from_root(module, p, is_inside)) {
                let is_child = path.len() > module.len() && path.starts_with(module);
                match path.split_last() {
                    Some((name, parent)) if visibility.starts_with("pub") => {
                        if name == "*" {
                            source.globs.push(parent.to_vec());
                        } else {
                            source.exports.insert(name.clone(), path.clone());
                        }
                        if !is_child {
                            source.imports.push(path);
                        }
                    }
                    _ => source.imports.push(path),
                }
            }
            rest.push_str(&code[last..at]);
            last = end;
        }
        rest.push_str(&code[last..]);
        // Paths in the code itself.
        for start in ["crate::", "super::"] {
            for (at, _) in rest.match_indices(start) {
                if rest[..at].ends_with(|c: char| is_word(c) || c == ':') {
                    continue;
                }
                let path: String = rest[at..].chars().take_while(|c| is_word(*c) || *c == ':').collect();
                let path: ModPath = path.split("::").filter(|s| !s.is_empty()).map(str::to_string).collect();
                source.imports.extend(self.resolve_from_root(module, &path, is_inside_module(&rest[..at])));
            }
        }
        source.code = code;
        self.files.insert(module.clone(), source);
    }

    /// The files where the item at a path stands.
    fn resolve(&self, path: &[String], depth: usize, out: &mut BTreeSet<ModPath>) {
        let Some(length) = (0..=path.len()).rev().find(|n| self.files.contains_key(&path[..*n])) else { return };
        let (module, rest) = path.split_at(length);
        let source = &self.files[module];
        let Some(name) = rest.first().filter(|_| depth < 8) else {
            out.insert(module.to_vec());
            return;
        };
        if name == "*" {
            out.insert(module.to_vec());
            source.exports.values().for_each(|to| self.resolve(to, depth + 1, out));
            let all = |glob: &ModPath| [&glob[..], &["*".to_string()]].concat();
            return source.globs.iter().for_each(|glob| self.resolve(&all(glob), depth + 1, out));
        }
        if let Some(to) = source.exports.get(name) {
            return self.resolve(&[&to[..], &rest[1..]].concat(), depth + 1, out);
        }
        let declares = |glob: &&ModPath| self.files.get(&glob[..]).is_some_and(|file| declares(&file.code, name));
        match source.globs.iter().find(declares) {
            Some(glob) => out.insert(glob.clone()),
            None => out.insert(module.to_vec()),
        };
    }

    /// The files that each file imports.
    fn edges(&self) -> BTreeMap<&ModPath, BTreeSet<ModPath>> {
        let targets = |(module, source): (&'_ ModPath, &Source)| {
            let mut all = BTreeSet::new();
            source.imports.iter().for_each(|path| self.resolve(path, 0, &mut all));
            all.retain(|to| !to.starts_with(module));
            all
        };
        self.files.iter().map(|(module, source)| (module, targets((module, source)))).collect()
    }

    /// Files that import each other, directly or through others, where they are more than [`MOST`].
    fn circles(&self) -> Vec<Vec<String>> {
        let edges = self.edges();
        let reach = |from: &ModPath| {
            let (mut seen, mut open) = (BTreeSet::new(), vec![from.clone()]);
            while let Some(at) = open.pop() {
                open.extend(edges[&at].iter().filter(|to| seen.insert((*to).clone())).cloned());
            }
            seen
        };
        let reached: BTreeMap<&ModPath, BTreeSet<ModPath>> = edges.keys().map(|m| (*m, reach(m))).collect();
        let circle = |m: &&ModPath| -> BTreeSet<&ModPath> {
            reached.keys().copied().filter(|o| reached[*m].contains(*o) && reached[o].contains(*m)).collect()
        };
        let all: BTreeSet<BTreeSet<&ModPath>> = reached.keys().map(circle).filter(|c| c.len() > MOST).collect();
        all.into_iter().map(|c| c.into_iter().map(|m| m.join("/")).collect()).collect()
    }
}

fn module_of(src: &Path, file: &Path) -> ModPath {
    let relative = file.strip_prefix(src).unwrap_or(file).with_extension("");
    let mut parts: ModPath = relative.iter().map(|p| p.to_string_lossy().into_owned()).collect();
    if parts.last().is_some_and(|p| p == "mod") || parts == ["lib"] || parts == ["main"] {
        parts.pop();
    }
    parts
}

fn declares(code: &str, name: &str) -> bool {
    ["struct ", "enum ", "trait ", "fn ", "type ", "const ", "static ", "union "].iter().any(|kind| {
        let wanted = format!("{kind}{name}");
        code.match_indices(&wanted).any(|(at, _)| !code[at + wanted.len()..].starts_with(is_word))
    })
}

#[test]
fn no_circle_has_more_than_three_files() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    let mut count = 0;
    for entry in std::fs::read_dir(crates).into_iter().flatten().flatten() {
        let src: PathBuf = entry.path().join("src");
        if !src.is_dir() {
            continue;
        }
        let read = Crate::read(&src);
        count += read.edges().values().map(BTreeSet::len).sum::<usize>();
        found.extend(read.circles().into_iter().map(|c| format!("{}: {}", entry.path().display(), c.join(", "))));
    }
    assert!(count > 800, "only {count} imports were understood");
    assert!(found.is_empty(), "files that import each other in a circle:\n{}", found.join("\n"));
}

/// The parser of imports itself.
#[test]
fn imports_are_understood() {
    let mut all = Vec::new();
    paths("super::{a::{B, C as D}, e::*}", &[], &mut all);
    let all: Vec<String> = all.iter().map(|p| p.join("::")).collect();
    assert_eq!(all, ["super::a::B", "super::a::C", "super::e::*"]);
    assert!(is_inside_module("fn a() {}\nmod x86 {\n    use "));
    assert!(!is_inside_module("mod x86 {\n    fn b() {}\n}\nuse "));
}
