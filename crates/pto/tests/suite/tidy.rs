//! Rules about the code itself.

use super::source_code::{code, mentions};
use pto::isa::codes::CODES;
use pto::isa::{Target, table};
use pto::{Program, Target as Machine};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub(super) fn files(dir: &Path, extension: &str, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, extension, out);
        } else if path.extension().is_some_and(|e| e == extension) {
            out.push(path);
        }
    }
}

/// The files outside of the table and the kernels that name an operation in code, with the operations that they name: what
/// the engine or the emitter does for one instruction only. Everybody else asks the row what an operation is.
const NAMED: &[(&str, &[&str])] = &[
    (
        "pto-cpu/src/plan/build.rs",
        &[
            "get_vms4_sr",
            "print",
            "set_img2col_padding",
            "setfmatrix",
            "sethf32mode",
            "settf32mode",
            "tget_scale_addr",
            "tprint",
            "trap",
        ],
    ),
    ("pto-cpu/src/plan/products.rs", &["sethf32mode"]),
    ("pto-emit/src/cpp/convolution.rs", &["set_img2col_padding", "set_img2col_rpt", "setfmatrix", "timg2col"]),
];

/// Words that are names of operations, and in these files of something else: functions, or parts of a message.
const HOMONYMS: &[(&str, &[&str])] = &[
    ("pto-cli/src/assembler.rs", &["addptr"]),
    ("pto-cost/src/trace/record.rs", &["set_flag", "wait_flag"]),
    ("pto-cpu/src/plan/views.rs", &["memref_alloc", "memref_dim"]),
    ("pto-cpu/src/run/data.rs", &["load_scalar", "store_scalar"]),
    ("pto-cpu/src/run/execute.rs", &["load_scalar", "store_scalar"]),
    ("pto-emit/src/cpp/fifo.rs", &["declare_tile"]),
    ("pto-emit/src/cpp/tiles.rs", &["declare_tile"]),
    ("pto-ir/src/print/custom.rs", &["fusion_yield", "memref_alloc", "memref_dim", "memref_load", "memref_store"]),
    // Its names start with `comm`.
    ("pto-isa/src/table/comm.rs", &["tgather", "tscatter"]),
    // A type.
    ("pto-isa/src/types.rs", &["record_event"]),
    ("pto-race/src/core.rs", &["set_flag"]),
    ("pto-race/src/detector.rs", &["set_flag"]),
    ("pto-race/src/findings/blocks.rs", &["syncall"]),
    ("pto-race/src/findings/ended.rs", &["syncall"]),
    ("pto-race/src/findings/flags.rs", &["set_flag", "wait_flag"]),
    ("pto-race/src/links.rs", &["syncall"]),
    ("pto-syntax/src/parser/custom.rs", &["fusion_yield"]),
    ("pto-syntax/src/parser/custom_arith.rs", &["memref_alloc", "memref_dim", "memref_load", "memref_store"]),
    // Functions that are made from the table.
    ("pto/src/tile/global.rs", &["addptr", "load_scalar", "make_tensor_view", "partition_view", "store_scalar"]),
    ("pto/src/tile/tile.rs", &["tile_valid_cols", "tile_valid_rows"]),
];

/// Operations whose names are words of every program.
const WORDS: &[&str] = &["print", "barrier", "trap", "subset", "subview", "bitcast"];

/// The source files of the crates that are published: their names from the crates on, and their code.
fn sources() -> Vec<(String, String)> {
    let mut sources = all_sources();
    sources.retain(|(name, _)| !name.starts_with("pto-testkit/"));
    sources
}

/// The source files of all crates, without tests.
fn all_sources() -> Vec<(String, String)> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(root().join("crates")).into_iter().flatten().flatten() {
        for dir in ["src", "build"] {
            files(&entry.path().join(dir), "rs", &mut paths);
        }
    }
    let base = root().join("crates");
    let name = |p: &Path| p.strip_prefix(&base).unwrap_or(p).to_string_lossy().replace('\\', "/");
    let all = paths.iter().map(|p| (name(p), p));
    let kept = all.filter(|(n, _)| !n.ends_with("/tests.rs") && !n.contains("/tests/"));
    let mut sources: Vec<(String, String)> = kept.map(|(n, p)| (n, code(p))).collect();
    sources.sort();
    sources
}

/// The operations as code names them, with the files of their rows.
fn rows(sources: &[(String, String)]) -> Vec<(String, String)> {
    let mut rows = Vec::new();
    for (file, code) in sources.iter().filter(|(file, _)| file.starts_with("pto-isa/src/table/")) {
        let Some((_, family)) = code.split_once("\nfamily!") else { continue };
        let family = family.split("\n}").next().unwrap_or_default();
        // A row starts a line: `name: ` or `name = "text": `.
        let starts = family.lines().filter_map(|l| l.strip_prefix("    ").filter(|l| !l.starts_with(' ')));
        let names = starts.filter_map(|l| Some(l.split_once(": ")?.0.split(" = ").next()?.to_string()));
        rows.extend(names.map(|name| (name, file.clone())));
    }
    rows
}

/// Rows and kernels, by family.
fn is_kernel(file: &str) -> bool {
    file.starts_with("pto-cpu/src/kernels/") || file.starts_with("pto-vector/src/")
}

/// The files in a list that have a word.
fn having<'a>(list: &[(&'a str, &[&str])], word: &str) -> Vec<&'a str> {
    list.iter().filter(|(_, words)| words.contains(&word)).map(|(file, _)| *file).collect()
}

/// An operation is a row and a kernel; the lists above are all other files that name one.
#[test]
fn operations_are_named_by_their_rows_and_kernels_only() {
    let sources = sources();
    let rows = rows(&sources);
    assert_eq!(rows.len(), table::COUNT, "every row is found in the text of the table");
    let mut wrong = Vec::new();
    let mut compare = |what: &str, found: Vec<&str>, stated: Vec<&str>| {
        if found != stated {
            wrong.push(format!("{what} is in {found:?}, stated is {stated:?}"));
        }
    };
    // Few files have a word: each text is cut into words once.
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words: Vec<HashSet<&str>> = sources.iter().map(|(_, code)| code.split(|c| !is_name(c)).collect()).collect();
    for (name, row) in &rows {
        let naming = |word: &str, counts: &dyn Fn(&str) -> bool| {
            let having = sources.iter().zip(&words).filter(|(_, words)| words.contains(&**name));
            let files = having.filter(|((f, c), _)| counts(f) && mentions(c, word));
            files.map(|((f, _), _)| &**f).collect::<Vec<&str>>()
        };
        let path = format!("op::{name}");
        compare(&path, naming(&path, &|file| !is_kernel(file)), having(NAMED, name));
        if !WORDS.contains(&&**name) {
            let mut stated = [having(NAMED, name), having(HOMONYMS, name)].concat();
            stated.sort_unstable();
            compare(name, naming(name, &|file| file != row && !is_kernel(file)), stated);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// How many files know the operations that used to be known best.
#[test]
fn few_files_know_an_operation() {
    let sources = sources();
    for (name, files) in [
        ("tmax", &["pto-isa/src/table/elementwise.rs", "pto-vector/src/elementwise.rs"][..]),
        ("tload", &["pto-cpu/src/kernels/memory.rs", "pto-isa/src/table/memory.rs"]),
        ("tpush", &["pto-isa/src/table/fifo.rs"]),
        ("alloc_tile", &["pto-isa/src/table/view.rs"]),
        ("scf_for", &["pto-isa/src/table/control.rs"]),
        ("arith_constant", &["pto-isa/src/table/arith.rs"]),
    ] {
        let naming: Vec<&str> = sources.iter().filter(|(_, c)| mentions(c, name)).map(|(f, _)| &**f).collect();
        assert_eq!(naming, files, "{name}");
    }
}

/// Names that several types have, and how many files define one.
const SHARED_TYPE_NAMES: &[(&str, usize)] = &[
    // Written with the module before it: `check::Args`, `emit::Options`.
    ("Args", 18),
    ("Options", 5),
    // Kernels of `pto-vector`, named within the module of their family, and the traits of their elements.
    ("Binary", 2),
    ("Bits", 2),
    ("Code", 3),
    ("Integer", 3),
    ("Lanes", 2),
    ("Mode", 2),
    ("Pairs", 2),
    ("Scalar", 4),
    ("Steps", 2),
    ("Tiles", 2),
    ("Unary", 2),
];

/// The name that a line defines as a type. Associated types are indented, so they do not count.
fn defined_type(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace().skip_while(|w| w.starts_with("pub") || *w == "unsafe");
    let is_type = match words.next()? {
        "struct" | "enum" | "union" | "trait" => true,
        "type" => !line.starts_with(' '),
        _ => false,
    };
    let name = words.next().filter(|_| is_type)?;
    let name = &name[..name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len())];
    name.starts_with(char::is_uppercase).then_some(name)
}

/// A type name means one thing in the workspace.
#[test]
fn type_names_have_one_meaning() {
    let sources = all_sources();
    let mut files: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (file, code) in &sources {
        for name in code.lines().filter_map(defined_type) {
            files.entry(name).or_default().insert(file);
        }
    }
    assert!(files.len() > 1000, "only {} types are found", files.len());
    let stated: BTreeMap<&str, usize> = SHARED_TYPE_NAMES.iter().copied().collect();
    let mut wrong = Vec::new();
    for (name, files) in &files {
        if files.len() != stated.get(name).copied().unwrap_or(1) {
            wrong.push(format!("`{name}` is a type in {files:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(stated.keys().all(|name| files.contains_key(name)), "a stated name is no type");
}

/// The core crates have no third-party dependency, so they build anywhere.
#[test]
fn core_crates_depend_on_nothing_outside() {
    for name in ["pto-isa", "pto-ir", "pto-syntax", "pto-check", "pto-cost", "pto-emit", "pto-bytecode"] {
        let manifest = std::fs::read_to_string(root().join(format!("crates/{name}/Cargo.toml"))).expect("a manifest");
        let section = manifest.split("[dependencies]").nth(1).unwrap_or_default();
        let section = section.split("\n[").next().unwrap_or_default();
        for line in section.lines().filter(|l| !l.trim().is_empty()) {
            assert!(line.starts_with("pto-"), "{name} depends on {line}");
        }
    }
}

/// Every diagnostic can be seen: its own example has it, or a test file does.
#[test]
fn every_diagnostic_is_shown_somewhere() {
    let mut tests = Vec::new();
    files(&root().join("tests/files"), "pto", &mut tests);
    files(&root().join("tests/race"), "pto", &mut tests);
    // What stops a run; the list that `explain` prints shows nothing.
    files(&root().join("tests/cli"), "out", &mut tests);
    tests.retain(|p| p.file_stem().is_none_or(|n| n != "explain"));
    for name in ["pto", "pto-check", "pto-syntax", "pto-cpu", "pto-bytecode", "pto-trace", "pto-cli"] {
        files(&root().join(format!("crates/{name}/tests")), "rs", &mut tests);
    }
    let shown: String = tests.iter().map(|p| std::fs::read_to_string(p).unwrap_or_default()).collect();
    for entry in CODES {
        let id = entry.code.id();
        let constant = entry.code.number().to_string();
        if entry.example.is_empty() {
            // A file of more than 4 GiB is not kept in the repository, and memory does not run out on command.
            let untestable = ["18", "708"].contains(&&*constant);
            assert!(
                untestable || shown.contains(&id) || names_constant(&shown, entry.code),
                "{id} has no example and no test"
            );
            continue;
        }
        let found = Machine::ALL
            .iter()
            .any(|&t: &Target| Program::parse(entry.example).inspect(t).iter().any(|d| d.code == entry.code));
        assert!(found, "the example of {id} does not have it");
    }
}

/// Rust tests name codes by constant; the list of constants is in the source of the codes.
fn names_constant(tests: &str, code: pto::isa::Code) -> bool {
    let list = std::fs::read_to_string(root().join("crates/pto-isa/src/codes_list.rs")).unwrap_or_default();
    let wanted = format!(" = {}, ", code.number());
    list.lines()
        .find(|l| l.contains(&wanted))
        .and_then(|l| l.split_whitespace().next())
        .is_some_and(|constant| tests.contains(&format!("codes::{constant}")))
}

/// The example programs are laid out by the formatter and legal on every target, or on the one they are written for.
#[test]
fn examples_are_formatted_and_legal() {
    let mut examples = Vec::new();
    files(&root().join("examples"), "pto", &mut examples);
    assert!(examples.len() >= 4);
    for path in examples {
        let source = std::fs::read_to_string(&path).expect("an example");
        let formatted = pto::syntax::format(&source, Default::default()).expect("a readable example");
        assert_eq!(source, formatted, "{} is not formatted", path.display());
        let program = Program::parse(&source);
        for target in Machine::ALL.into_iter().filter(|t| program.stated_target().is_none_or(|stated| stated == *t)) {
            let problems = program.inspect(target);
            assert!(problems.is_empty(), "{} on {target}: {}", path.display(), problems[0].message);
        }
    }
}
