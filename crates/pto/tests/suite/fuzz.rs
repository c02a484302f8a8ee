//! Any text gives diagnostics or a program: never a panic, a hang or a broken round trip.
//!
//! Starts from the programs of this repository (and `PTO_CORPUS`), changes them at random, and runs everything
//! the front end does on the result. `FUZZ_SECONDS` sets how long (default: 400 texts, the same each time), `FUZZ_SEED` where it starts.

use pto::ir::{self, Form, Style};
use pto::isa::Target;
use pto::{Program, checks, syntax};
use pto_testkit::random::Random;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

fn collect(dir: &Path, out: &mut Vec<String>) {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(dir).into_iter().flatten().flatten().map(|e| e.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, out);
        } else if path.extension().is_some_and(|e| e == "pto")
            && let Ok(text) = std::fs::read_to_string(&path)
            && text.len() < 20_000
        {
            out.push(text);
        }
    }
}

fn seeds() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut all = Vec::new();
    collect(&root.join("tests"), &mut all);
    collect(&root.join("examples"), &mut all);
    for dir in std::env::var("PTO_CORPUS").unwrap_or_default().split(':').filter(|d| !d.is_empty()) {
        collect(Path::new(dir), &mut all);
    }
    all
}

const SNIPPETS: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    ",",
    ":",
    "=",
    "->",
    "%a",
    "%0:2",
    "@f",
    "#pto<cmp gt>",
    "!pto.tile<...>",
    "\"",
    "//",
    "# ",
    "^bb0",
    "ins(",
    "outs(",
    "0x",
    "-1",
    "99999999999999999999",
    "1.0e",
    "loc(unknown)",
    "scf.yield",
    "return",
    "iter_args(",
    "!x = ",
    "#y = ",
    "dense<",
    "?x?xf32",
    "é",
    "\u{0}",
    "<{",
    "}>",
    "array<i32: 1>",
    "no_tmp",
];

/// One random change.
fn mutate(text: &mut String, other: &str, random: &mut Random) {
    let at = boundary(text, random);
    match random.below(8) {
        0 => text.insert_str(at, SNIPPETS[random.below(SNIPPETS.len())]),
        1 => {
            let end = (at..=text.len().min(at + 1 + random.below(12))).rev().find(|&e| text.is_char_boundary(e));
            text.replace_range(at..end.unwrap_or(at), "");
        }
        2 => text.truncate(at),
        3 => {
            let lines: Vec<&str> = other.lines().collect();
            let line = format!("\n{}\n", lines.get(random.below(lines.len())).unwrap_or(&""));
            text.insert_str(at, &line);
        }
        4 => swap_words(text, random),
        5 => {
            let from = boundary(text, random);
            let (a, b) = (at.min(from), at.max(from));
            let piece: String = text[a..b].chars().take(200).collect();
            text.insert_str(b, &piece);
        }
        6 => {
            *text =
                text.replacen("f32", ["f16", "i8", "index", "!pto.hif8", "i1"][random.below(5)], 1 + random.below(3));
        }
        _ => *text = text.replacen("16", ["0", "1", "17", "4294967295", "?"][random.below(5)], 1 + random.below(3)),
    }
}

fn boundary(text: &str, random: &mut Random) -> usize {
    let mut at = random.below(text.len() + 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn swap_words(text: &mut String, random: &mut Random) {
    let mut words: Vec<&str> = text.split(' ').collect();
    let (a, b) = (random.below(words.len()), random.below(words.len()));
    words.swap(a, b);
    *text = words.join(" ");
}

/// Everything the front end does with a text.
fn exercise(text: &str) {
    let program = Program::parse(text);
    for target in Target::ALL {
        let problems = program.inspect(target);
        for d in &problems {
            assert!(d.primary.span.start <= d.primary.span.end, "{d:?}");
            assert!(d.primary.span.end as usize <= text.len() + 1, "{d:?}");
        }
    }
    let module = program.module();
    for form in [None, Some(Form::Level1), Some(Form::Asm), Some(Form::Generic)] {
        let printed = ir::print(module, Style { form, ..Style::default() });
        let (again, problems) = syntax::parse(&printed);
        if program.problems().is_empty() {
            assert!(problems.is_empty(), "{form:?}: {} in\n{printed}", problems[0].message);
            assert!(ir::same(module, &again), "{form:?} reads back as another program:\n{printed}");
        }
    }
    if program.problems().is_empty() {
        let once = syntax::format(text, Default::default()).expect("a readable program");
        let twice = syntax::format(&once, Default::default()).expect("a formatted program");
        assert_eq!(once, twice, "formatting is not idempotent");
        let _ = checks::check(module.clone(), Target::A5);
    }
}

#[test]
fn no_text_breaks_the_front_end() {
    let number = |name: &str, default: u64| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default);
    let budget = Duration::from_secs(number("FUZZ_SECONDS", 0));
    let mut random = Random(number("FUZZ_SEED", 1));
    let seeds = seeds();
    let start = Instant::now();
    let mut runs = 0u64;
    while start.elapsed() < budget || budget.is_zero() && runs < 400 {
        let mut text = seeds[random.below(seeds.len())].clone();
        let other = &seeds[random.below(seeds.len())];
        for _ in 0..=random.below(6) {
            mutate(&mut text, other, &mut random);
        }
        let copy = text.clone();
        let result = std::panic::catch_unwind(|| exercise(&text));
        if result.is_err() {
            let path = std::env::temp_dir().join("pto-fuzz-failure.pto");
            std::fs::write(&path, &copy).expect("the failing text can be saved");
            panic!("after {runs} runs; the text is in {}", path.display());
        }
        runs += 1;
    }
    println!("{runs} texts in {:?}", start.elapsed());
}
