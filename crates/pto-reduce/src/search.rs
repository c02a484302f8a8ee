//! The search: offers candidates, large changes first, and keeps those that still have the fault.

use crate::judge::{Judge, ProblemCounts};
use crate::size::ProgramSize;
use crate::{InputNumber, NotInteresting, Reduced, Reducer, Standing, lines, passes};
use pto_ir::{Module, Style, Sym};
use pto_isa::hash::FastSet;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::ops::Range;

/// A change that may be accepted. What is `None` stays as it is.
#[expect(clippy::large_enum_variant, reason = "one of them exists at a time, and it is moved once")]
pub(crate) enum Attempt {
    Program { module: Module, companion: Option<Module>, inputs: Option<Vec<InputNumber>> },
    Text(String),
}

impl From<Module> for Attempt {
    fn from(module: Module) -> Self {
        Self::Program { module, companion: None, inputs: None }
    }
}

/// Makes a change from some of its atoms.
pub(crate) type Apply<'f, A> = &'f (dyn Fn(&Base<'_>, &[A]) -> Option<Attempt> + Sync);

/// What candidates are made from and compared with. Threads share it.
pub(crate) struct Base<'a> {
    judge: Judge<'a>,
    pub(crate) best: Reduced,
    problems: ProblemCounts,
    companion_problems: ProblemCounts,
    unreadable: bool,
    /// The best program. Its ids stay the same while a pass changes it; spans are positions in `source`.
    pub(crate) module: Module,
    source: String,
    pub(crate) companion: Option<Module>,
    companion_source: String,
    seen: FastSet<u64>,
}

/// A candidate that has the fault.
struct Found {
    text: String,
    companion: Option<String>,
    inputs: Option<Vec<InputNumber>>,
    size: ProgramSize,
    problems: ProblemCounts,
    modules: Option<(Module, Option<Module>)>,
}

/// What became of an attempt.
#[derive(Default)]
struct Judged {
    key: Option<u64>,
    /// The predicate was asked.
    asked: bool,
    found: Option<Box<Found>>,
}

pub(crate) struct Shrinking<'a> {
    pub(crate) base: Base<'a>,
    threads: usize,
    watch: Option<&'a dyn Fn(&Standing<'_>)>,
    stop: Option<&'a (dyn Fn() -> bool + Sync)>,
}

/// A module without what only its source has: comments, locations, spellings.
fn plain(text: &str) -> Module {
    let (mut module, _) = pto_syntax::parse(text);
    module.comments.clear();
    module.forget_spellings();
    for id in module.order() {
        module.set_location(id, Sym::EMPTY);
    }
    module
}

fn print(module: &Module, source: &str) -> String {
    let style = Style { form: None, types: module.type_votes.usual(), source: Some(source) };
    pto_ir::print(module, style)
}

impl Base<'_> {
    fn read_again(&mut self) {
        self.source.clone_from(&self.best.text);
        self.module = plain(&self.source);
        if let Some(text) = &self.best.companion {
            self.companion_source.clone_from(text);
            self.companion = Some(plain(text));
        }
    }

    /// Reads the candidate that a change makes, and asks about it. Nothing here depends on other candidates but the best one.
    fn judged(&self, attempt: Attempt) -> Judged {
        let (text, inputs, modules) = match attempt {
            Attempt::Program { module, companion, inputs } => {
                // Printing takes longer than counting.
                let size = ProgramSize::of(&module, inputs.as_deref().unwrap_or(&self.best.inputs));
                if size > (ProgramSize { bytes: usize::MAX, ..self.best.after }) {
                    return Judged::default();
                }
                (print(&module, &self.source), inputs, Some((module, companion)))
            }
            Attempt::Text(text) => (text, None, None),
        };
        let companion = modules.as_ref().and_then(|(_, c)| c.as_ref()).map(|c| print(c, &self.companion_source));
        let key = key(&text, companion.as_deref(), inputs.as_deref().unwrap_or(&self.best.inputs));
        if self.seen.contains(&key) {
            return Judged::default();
        }
        let rejected = Judged { key: Some(key), ..Judged::default() };
        let read = self.judge.read(&text);
        if !self.judge.is_legal(&read, &self.problems) || read.unreadable && modules.is_some() {
            return rejected;
        }
        if let Some(text) = &companion
            && !self.judge.is_legal_companion(text, &self.companion_problems)
        {
            return rejected;
        }
        let all = inputs.as_deref().unwrap_or(&self.best.inputs);
        let size = ProgramSize { bytes: text.len(), ..ProgramSize::of(read.module(), all) };
        if size >= self.best.after {
            return rejected;
        }
        let reference = companion.as_deref().or(self.best.companion.as_deref());
        if !self.judge.holds(&read, (&text, reference), all) {
            return Judged { asked: true, ..rejected };
        }
        let problems = read.counts;
        let found = Some(Box::new(Found { text, companion, inputs, size, problems, modules }));
        Judged { key: Some(key), asked: true, found }
    }

    fn accept(&mut self, found: Found) {
        self.best.text = found.text;
        self.best.companion = found.companion.or(self.best.companion.take());
        self.best.inputs = found.inputs.unwrap_or_else(|| std::mem::take(&mut self.best.inputs));
        self.best.after = found.size;
        self.problems = found.problems;
        if let Some((module, companion)) = found.modules {
            self.module = module;
            self.companion = companion.or(self.companion.take());
        }
    }
}

/// Programs that were tried are known by a hash of everything about them.
fn key(text: &str, companion: Option<&str>, inputs: &[InputNumber]) -> u64 {
    let mut hasher = DefaultHasher::new();
    (text, companion, inputs).hash(&mut hasher);
    hasher.finish()
}

impl<'a> Shrinking<'a> {
    pub(crate) fn new(reducer: Reducer<'a>, judge: Judge<'a>) -> Result<Self, NotInteresting> {
        let Reducer { text, companion, inputs, threads, watch, stop, .. } = reducer;
        let read = judge.read(&text);
        if !judge.holds(&read, (&text, companion.as_deref()), &inputs) {
            return Err(NotInteresting);
        }
        let companion_problems = companion.as_deref().map(|c| judge.read(c).counts).unwrap_or_default();
        let size = ProgramSize { bytes: text.len(), ..ProgramSize::of(read.module(), &inputs) };
        let best = Reduced { text, companion, inputs, before: size, after: size, tried: 1, stopped: false };
        let base = Base {
            judge,
            best,
            problems: read.counts,
            companion_problems,
            unreadable: read.unreadable,
            module: Module::default(),
            source: String::new(),
            companion: None,
            companion_source: String::new(),
            seen: FastSet::default(),
        };
        Ok(Self { base, threads, watch, stop })
    }

    pub(crate) fn run(&mut self) {
        if self.base.unreadable {
            lines::run(self);
        } else {
            passes::run(self);
        }
    }

    pub(crate) fn finish(self) -> Reduced {
        self.base.best
    }

    /// Reads the best text, so that ids and spans are those of a fresh module.
    pub(crate) fn read_again(&mut self) {
        self.base.read_again();
    }

    pub(crate) fn is_stopped(&mut self) -> bool {
        self.base.best.stopped = self.base.best.stopped || self.stop.is_some_and(|stop| stop());
        self.base.best.stopped
    }

    /// Tries all atoms together, then halves, quarters, and single ones, from the last to the first. Returns whether something was accepted.
    pub(crate) fn sweep<A: Clone + Sync>(&mut self, mut atoms: Vec<A>, apply: Apply<'_, A>) -> bool {
        let before = self.base.best.after;
        let mut size = atoms.len();
        while size > 0 && !self.is_stopped() {
            let mut end = atoms.len();
            while end > 0 && !self.is_stopped() {
                let windows = windows(end, size, self.threads);
                let make = |base: &Base<'_>, window: &Range<usize>| apply(base, &atoms[window.clone()]);
                match self.first_of(&windows, &make) {
                    Some(at) => {
                        end = windows[at].start;
                        atoms.drain(windows[at].clone());
                    }
                    None => end = windows.last().map_or(0, |w| w.start),
                }
            }
            size = if size == 1 { 0 } else { size.div_ceil(2) };
        }
        self.base.best.after < before
    }

    /// Tries changes in turn until one is accepted; says which.
    pub(crate) fn first<A: Sync>(
        &mut self,
        choices: &[A],
        make: &(dyn Fn(&Base<'_>, &A) -> Option<Attempt> + Sync),
    ) -> Option<usize> {
        let mut from = 0;
        while from < choices.len() && !self.is_stopped() {
            let until = choices.len().min(from + self.threads);
            if let Some(at) = self.first_of(&choices[from..until], make) {
                return Some(from + at);
            }
            from = until;
        }
        None
    }

    /// Makes and judges some attempts at the same time, and accepts the first that has the fault.
    fn first_of<A: Sync>(
        &mut self,
        choices: &[A],
        make: &(dyn Fn(&Base<'_>, &A) -> Option<Attempt> + Sync),
    ) -> Option<usize> {
        let base = &self.base;
        let judge = |choice: &A| make(base, choice).map_or_else(Judged::default, |attempt| base.judged(attempt));
        let all: Vec<Judged> = match choices {
            [one] => vec![judge(one)],
            several => std::thread::scope(|scope| {
                let (last, others) = several.split_last().expect("there are several");
                let started: Vec<_> = others.iter().map(|choice| scope.spawn(|| judge(choice))).collect();
                let own = judge(last);
                let done = started.into_iter().map(|t| t.join().unwrap_or_else(|e| std::panic::resume_unwind(e)));
                done.chain([own]).collect()
            }),
        };
        for (at, judged) in all.into_iter().enumerate() {
            self.base.best.tried += usize::from(judged.asked);
            self.base.seen.extend(judged.key);
            let is_new = judged.found.is_some();
            if let Some(found) = judged.found {
                self.base.accept(*found);
            }
            if judged.asked
                && let Some(watch) = self.watch
            {
                watch(&Standing { best: &self.base.best, is_new });
            }
            if is_new {
                return Some(at);
            }
        }
        None
    }
}

/// The next pieces of this size before an end, from the last to the first.
fn windows(end: usize, size: usize, count: usize) -> Vec<Range<usize>> {
    let mut windows = Vec::new();
    let mut end = end;
    while end > 0 && windows.len() < count {
        let start = end.saturating_sub(size);
        windows.push(start..end);
        end = start;
    }
    windows
}
