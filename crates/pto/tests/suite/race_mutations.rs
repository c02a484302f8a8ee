//! Takes correct programs that order their pipes by hand, spoils them at one place, and asks `pto race` whether it notices.
//!
//! A *deletion* leaves out one operation that orders pipes or cores; a *move* lets it change places with the line behind it. Most
//! deletions make a program wrong; a move often changes nothing. What is not noticed must make no difference: executed
//! in several other orders that a device could take, the program computes the same.
//!
//! `cargo test -p pto --test suite -- race_mutations --nocapture` shows the score.

use pto::isa::{DType, Target};
use pto::{Arg, Launch, Options, Plan, Program, race};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex, OnceLock};

/// Deletions that change nothing, and why.
const REDUNDANT: &[(&str, &str, &str)] = &[
    (
        "barrier_left_early.fixed.pto",
        "pto.syncall() mode = <hard>, core_type = <aiv_only>",
        "all cores come to it, and there is no data",
    ),
    (
        "command_before_all_have_answered.fixed.pto",
        "pto.barrier <PIPE_ALL>",
        "the last command reads nothing, and nothing follows the last store of a block",
    ),
    (
        "popped_tile_overwritten_by_the_ring.fixed.pto",
        "pto.barrier <PIPE_MTE1>",
        "the first of two: MTE1 has told MTE2 that it is done and has waited for its answer, so it has waited for itself",
    ),
    ("signal_in_no_branch.fixed.pto", "pto.sync.set <PIPE_MTE3>, 3", UNTAKEN),
    ("signal_in_no_branch.fixed.pto", "pto.sync.wait <PIPE_MTE2>, 3", UNTAKEN),
];
const UNTAKEN: &str = "the argument does not lead there";

/// Operations that order pipes or cores.
const ORDERING: [&str; 11] = [
    "pto.set_flag",
    "pto.wait_flag",
    "pto.barrier",
    "pto.record_event",
    "pto.wait_event",
    "pto.get_buf",
    "pto.rls_buf",
    "pto.sync.set",
    "pto.sync.wait",
    "pto.syncall",
    "pto.tsync",
];

/// Bytes of each buffer in global memory: more than any of the programs needs.
const MEMORY: usize = 1 << 17;
/// Other orders in which a program that looks right is executed.
const SEEDS: u64 = 4;

#[test]
fn nearly_every_missing_order_is_found() {
    let programs = &*PROGRAMS;
    assert!(programs.len() >= 50, "{} programs", programs.len());
    let jobs: Vec<(&Case, Mutant)> =
        programs.iter().flat_map(|p| p.mutants().into_iter().map(move |m| (p, m))).collect();
    let (next, score) = (AtomicUsize::new(0), Mutex::new(Score::default()));
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((case, mutant)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let fate = case.fate(mutant);
                    score.lock().expect("no thread panics").count(case, mutant, fate);
                }
            });
        }
    });
    let score = score.into_inner().expect("no thread panics");
    println!("{} programs\n{}", programs.len(), score.text());
    score.judge();
}

#[test]
fn correct_programs_compute_the_same_in_any_order() {
    let changed = PROGRAMS.iter().filter(|case| !case.is_steady(&case.text)).map(|case| &case.name);
    assert_eq!(changed.collect::<Vec<_>>(), [""; 0]);
}

/// A correct program.
struct Case {
    name: String,
    text: String,
    target: Target,
    stated: Vec<String>,
    /// Global memory after a run in program order.
    right: OnceLock<Memory>,
}

/// A program with one change.
struct Mutant {
    deletion: bool,
    /// The line of the operation, and its text.
    line: usize,
    operation: String,
    text: String,
}

/// What became of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    Found,
    /// Not noticed, and every order gives the same.
    Harmless,
    /// Not noticed, although another order gives something else.
    Missed,
}

/// Both tests start from these.
static PROGRAMS: LazyLock<Vec<Case>> = LazyLock::new(programs);

fn programs() -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths = vec![root.join("examples/gemm.pto"), root.join("examples/matmul_manual.pto")];
    let twins = std::fs::read_dir(root.join("tests/race")).expect("tests/race").flatten().map(|e| e.path());
    paths.extend(twins.filter(|p| p.to_string_lossy().ends_with(".fixed.pto")));
    paths.sort();
    let cases = paths.iter().map(|p| Case::new(p)).filter(|c| c.text.lines().any(is_ordering));
    let correct = |c: &Case| assert_eq!(c.findings(&c.text), [""; 0], "{} is not correct", c.name);
    cases.inspect(correct).collect()
}

impl Case {
    fn new(path: &Path) -> Self {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path).expect("a program");
        let text = if name == "gemm.pto" { smaller_gemm(&text) } else { text };
        let line = |start: &str| text.lines().find_map(|l| l.strip_prefix(start)).map(str::to_string);
        let target = line("// target ").and_then(|t| Target::parse(t.split(',').next()?.trim()));
        // What stands in a loop that the data skips can be left out without harm, so here it takes three iterations.
        let iterations = |word: &str| if word == "n=0" { "n=3".to_string() } else { word.to_string() };
        let stated = line("// args ").map_or_else(Vec::new, |l| l.split_whitespace().map(iterations).collect());
        Self { name, target: target.unwrap_or(Target::A2A3), stated, text, right: OnceLock::new() }
    }

    fn mutants(&self) -> Vec<Mutant> {
        let lines: Vec<&str> = self.text.lines().collect();
        let mut all = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            let mutant = |deletion, lines: &[&str], of: usize| Mutant {
                deletion,
                line: of + 1,
                operation: self.text.lines().nth(of).unwrap_or_default().trim().to_string(),
                text: lines.join("\n"),
            };
            if is_ordering(line) {
                let mut without = lines.clone();
                without.remove(at);
                all.push(mutant(true, &without, at));
            }
            let Some(next) = lines.get(at + 1) else { continue };
            if (is_ordering(line) || is_ordering(next)) && is_plain(line) && is_plain(next) && line != next {
                let mut swapped = lines.clone();
                swapped.swap(at, at + 1);
                all.push(mutant(false, &swapped, if is_ordering(line) { at } else { at + 1 }));
            }
        }
        all
    }

    fn fate(&self, mutant: &Mutant) -> Fate {
        if !self.findings(&mutant.text).is_empty() {
            return Fate::Found;
        }
        if self.is_steady(&mutant.text) { Fate::Harmless } else { Fate::Missed }
    }

    /// True when other orders give what this program, unchanged, gives in its own.
    fn is_steady(&self, text: &str) -> bool {
        let right = self
            .right
            .get_or_init(|| self.results(&self.plan(&self.text).expect("a correct program"), None).expect("it runs"));
        self.plan(text)
            .is_ok_and(|plan| (0..SEEDS).all(|seed| self.results(&plan, Some(seed)).is_ok_and(|found| found == *right)))
    }

    /// What is wrong with a program: that it is not legal, or what `pto race` finds.
    fn findings(&self, text: &str) -> Vec<String> {
        let plan = match self.plan(text) {
            Ok(plan) => plan,
            Err(problems) => return problems,
        };
        let mut memory = Memory::new(&plan, self.ranks());
        let mut args = memory.arguments(&plan, &self.stated);
        race::Check::new(self.launch(&plan))
            .without_results()
            .run(&mut args)
            .findings
            .iter()
            .map(|d| d.message.clone())
            .collect()
    }

    fn plan(&self, text: &str) -> Result<Plan, Vec<String>> {
        let plan = Program::parse(text).plan(self.target, None, Options::default());
        plan.map_err(|problems| problems.diagnostics().iter().map(|d| d.message.clone()).collect())
    }

    /// Global memory after a run, in program order or as a seed says.
    fn results(&self, plan: &Plan, seed: Option<u64>) -> Result<Memory, String> {
        let mut memory = Memory::new(plan, self.ranks());
        let mut args = memory.arguments(plan, &self.stated);
        let launch = self.launch(plan);
        let launch = seed.into_iter().fold(launch, Launch::reordered);
        let outcome = launch.run(&mut args);
        drop(args);
        outcome.map(|_| memory).map_err(|e| e.to_string())
    }

    fn option(&self, name: &str) -> Option<u32> {
        self.stated.iter().position(|s| s == name).and_then(|at| self.stated.get(at + 1)?.parse().ok())
    }

    fn ranks(&self) -> usize {
        self.option("--ranks").unwrap_or(1) as usize
    }

    fn launch<'p>(&self, plan: &'p Plan) -> Launch<'p> {
        plan.launch().blocks(self.option("--blocks").unwrap_or(1)).threads(1).ranks(self.ranks())
    }
}

/// The global memory of every rank, by parameter.
#[derive(PartialEq)]
struct Memory(Vec<Vec<Vec<u8>>>);

impl Memory {
    fn new(plan: &Plan, ranks: usize) -> Self {
        let buffer = |p: &pto::cpu::Param| {
            let mut all = p.kind.elem().map_or_else(Vec::new, |elem| CONTENT[&elem].clone());
            // A tile or a tensor takes exactly its own bytes.
            match &p.kind {
                pto::cpu::ParamKind::Tile(ty) => all.truncate(ty.bytes() as usize),
                pto::cpu::ParamKind::Tensor(elem, dims) => {
                    let elements: u64 = dims.iter().map(|d| d.expect("an extent")).product();
                    all.truncate((elements * u64::from(elem.bits()) / 8) as usize);
                }
                _ => {}
            }
            all
        };
        Self((0..ranks).map(|_| plan.params().iter().map(buffer).collect()).collect())
    }

    /// Parameters called `rank` and `x_at_1` bind themselves; scalars are stated.
    fn arguments(&mut self, plan: &Plan, stated: &[String]) -> Vec<Arg<'_>> {
        let params = plan.params();
        let position = |name: &str| params.iter().position(|p| p.name == name);
        let argument = |at: usize, buffer, rank: usize| -> Arg<'_> {
            let name = &*params[at].name;
            if let Some((base, other)) = name.split_once("_at_") {
                let (rank, param) = (other.parse().expect("a rank"), position(base).expect("a parameter"));
                return Arg::Remote { rank, param };
            }
            let value = |s: &String| s.split_once('=').filter(|(n, _)| *n == name).and_then(|(_, v)| v.parse().ok());
            match params[at].kind.elem() {
                Some(_) => Arg::write_bytes(buffer),
                None if name == "rank" => Arg::Int(rank as i64),
                None => Arg::Int(stated.iter().find_map(value).unwrap_or_else(|| panic!("no value for {name}"))),
            }
        };
        let ranks = self.0.iter_mut().enumerate();
        let each = ranks.flat_map(|(r, all)| all.iter_mut().enumerate().map(move |(at, b)| (at, b, r)));
        each.map(|(at, b, r)| argument(at, &mut b[..], r)).collect()
    }
}

/// What buffers hold at the start, by element type.
static CONTENT: LazyLock<HashMap<DType, Vec<u8>>> =
    LazyLock::new(|| DType::ALL.into_iter().map(|elem| (elem, content(elem))).collect());

/// Small numbers that differ; whole numbers are zero, because they are indices and signals.
fn content(elem: DType) -> Vec<u8> {
    let words = 0..MEMORY as u64 / 8;
    let pair = |n: u64| u64::from((1.0 + n as f32).to_bits());
    let word = |n: u64| match elem {
        DType::F32 => pair(n % 61) | pair(n % 59 + 70) << 32,
        DType::F16 => 0x3c00_3c04_3c08_3c0c + n % 3,
        _ => 0,
    };
    words.flat_map(|n| word(n).to_le_bytes()).collect()
}

fn is_ordering(line: &str) -> bool {
    ORDERING.iter().any(|op| line.trim_start().starts_with(op))
}

/// An operation that may stand a line earlier or later.
fn is_plain(line: &str) -> bool {
    line.trim_start().starts_with("pto.") && !line.trim_end().ends_with('{')
}

/// The same program on matrices of 128x128 in parts of 32x64, so that it takes milliseconds.
fn smaller_gemm(text: &str) -> String {
    // The windows first: what was 1024 becomes 128.
    let types = [
        ("128x256x", "32x64x"),
        ("128x128x", "32x32x"),
        ("128x64x", "32x16x"),
        ("64x128x", "16x32x"),
        ("1024x1024x", "128x128x"),
    ];
    let constants = [
        ("across", 4, 2),
        ("parts", 32, 8),
        ("short", 64, 16),
        ("side", 128, 32),
        ("wide", 256, 64),
        ("n", 1024, 128),
        ("last_slice", 960, 112),
    ];
    let mut text = types.iter().fold(text.to_string(), |text, (from, to)| text.replace(from, to));
    for (name, from, to) in constants {
        let line = |n: u32| format!("%{name} = arith.constant {n} : index");
        assert!(text.contains(&line(from)), "{name}");
        text = text.replace(&line(from), &line(to));
    }
    text
}

/// How many were found.
#[derive(Default)]
struct Score {
    deletions: [usize; 3],
    moves: [usize; 3],
    /// Deletions that make no difference.
    redundant: BTreeSet<(String, usize, String)>,
    missed: BTreeSet<(String, usize, String)>,
}

impl Score {
    fn count(&mut self, case: &Case, mutant: &Mutant, fate: Fate) {
        let counts = if mutant.deletion { &mut self.deletions } else { &mut self.moves };
        counts[fate as usize] += 1;
        let place = (case.name.clone(), mutant.line, mutant.operation.clone());
        match fate {
            Fate::Missed => drop(self.missed.insert(place)),
            Fate::Harmless if mutant.deletion => drop(self.redundant.insert(place)),
            Fate::Found | Fate::Harmless => {}
        }
    }

    fn text(&self) -> String {
        let line = |what: &str, [found, harmless, missed]: [usize; 3]| {
            let all = found + harmless + missed;
            format!("{what}: {found} of {all} found, {harmless} change nothing, {missed} missed")
        };
        let list = |what: &str, places: &BTreeSet<(String, usize, String)>| {
            places.iter().map(|(file, line, op)| format!("\n  {what}: {file}:{line}: {op}")).collect::<String>()
        };
        let lines = [line("deletions", self.deletions), line("moves", self.moves)].join("\n");
        lines + &list("changes nothing", &self.redundant) + &list("missed", &self.missed)
    }

    fn judge(&self) {
        assert!(self.missed.is_empty(), "missed:\n{}", self.text());
        let [found, harmless, _] = self.deletions;
        assert!(found * 100 >= (found + harmless) * 99, "{}", self.text());
        let explained: BTreeSet<_> = REDUNDANT.iter().map(|(file, op, _)| (*file, *op)).collect();
        let seen: BTreeSet<_> = self.redundant.iter().map(|(file, _, op)| (&**file, &**op)).collect();
        assert_eq!(seen, explained, "deletions that change nothing, and those that are explained\n{}", self.text());
    }
}
