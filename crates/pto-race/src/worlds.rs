//! Other inputs: arguments and scalars from memory that make a program take other paths.
//!
//! Only feasible paths are taken: values are chosen that lead there, so branches that depend on the same values stay
//! correlated, and loops with the same bounds are skipped together.

use crate::cone::{Cone, Sources};
use crate::paths::{Branches, is_loop};
use pto_cpu::{Arg, CoreId, Event, Known, Launch, Observer, Plan};
use pto_ir::{Def, Module, OpId, ValueId};
use pto_isa::ordered::{OrdMap, OrdSet};
use pto_isa::row::Arith;
use pto_isa::sort::SharedSort;
use pto_isa::text;
use pto_isa::{ScalarType, Type};

/// Limit of choices.
const CHOICES: usize = 2000;
/// Instructions and iterations that are executed to see where a choice leads.
const ENOUGH: u64 = 100_000;
/// Values that are tried for each argument.
const NUMBERS: usize = 24;

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum WorldNumber {
    Int(i64),
    Bool(bool),
    Float(f64),
}

impl WorldNumber {
    fn of(ty: &Type, n: i64) -> Self {
        if ty.scalar() == Some(ScalarType::I1) { Self::Bool(n & 1 == 1) } else { Self::Int(n) }
    }

    fn arg<'a>(self) -> Arg<'a> {
        match self {
            Self::Int(n) => Arg::Int(n),
            Self::Bool(b) => Arg::Int(b.into()),
            Self::Float(x) => Arg::Float(x),
        }
    }

    /// As a register holds it.
    fn bits(self) -> u64 {
        match self {
            Self::Int(n) => n as u64,
            Self::Bool(b) => b.into(),
            Self::Float(x) => u64::from((x as f32).to_bits()),
        }
    }

    fn text(self) -> String {
        match self {
            Self::Int(n) => n.to_string(),
            Self::Bool(b) => b.to_string(),
            Self::Float(x) => x.to_string(),
        }
    }
}

/// An input that can be chosen.
#[derive(Debug)]
struct Choosable {
    place: ChosenNumber,
    name: String,
    /// Values to try, other than the given one.
    pool: Vec<WorldNumber>,
}

#[derive(Debug)]
enum ChosenNumber {
    /// A parameter.
    Param(usize),
    /// Loads of one scalar.
    Loads(Vec<OpId>),
}

/// A choice of values, by index of the input.
pub(crate) type World = Vec<(usize, WorldNumber)>;

/// All inputs that can be chosen.
#[derive(Debug)]
pub(crate) struct Worlds {
    atoms: Vec<Choosable>,
    /// The values that the loads of the first run returned.
    found: OrdMap<OpId, u64>,
    /// Numbers that the program stores decide branches: only a run shows where a choice leads.
    pub computed: bool,
}

impl Worlds {
    pub fn new(plan: &Plan, ranks: &[Vec<Arg<'_>>], first: &Branches) -> Self {
        let module = plan.checked().module();
        let cone = Sources::new(module).of_branches(first);
        let mut atoms = Vec::new();
        for (at, param) in plan.params().iter().enumerate() {
            let is_it = |v: &&ValueId| module.value_name(**v) == param.name;
            let Some(value) = cone.params.iter().find(is_it) else { continue };
            let ty = module.value_type(*value);
            let now = match same_on_all(ranks, at) {
                Some(WorldNumber::Int(n)) => Some(WorldNumber::of(ty, n)),
                other => other,
            };
            if let Some(now) = now {
                let pool = pool(&cone, ty, now);
                atoms.push(Choosable { place: ChosenNumber::Param(at), name: param.name.clone(), pool });
            }
        }
        for loads in same_scalars(module, &cone) {
            let Some(value) = module.results(loads[0]).next() else { continue };
            let Some(bits) = first.found.get(&loads[0]) else { continue };
            let ty = module.value_type(value);
            let now = match ty.scalar() {
                Some(ScalarType::Elem(d)) if d.is_float() => {
                    WorldNumber::Float(f64::from(f32::from_bits(*bits as u32)))
                }
                _ => WorldNumber::of(ty, *bits as i64),
            };
            let name = module.value_name(value).to_string();
            atoms.push(Choosable { pool: pool(&cone, ty, now), name, place: ChosenNumber::Loads(loads) });
        }
        Self { atoms, found: first.found.clone(), computed: cone.computed }
    }

    /// Choices, small changes first, and whether there are more.
    pub fn all(&self) -> (Vec<World>, bool) {
        let mut all: Vec<World> = Vec::new();
        let mut last: Vec<World> = vec![Vec::new()];
        for _ in 0..self.atoms.len() {
            let mut next = Vec::new();
            for world in &last {
                let start = world.last().map_or(0, |(atom, _)| atom + 1);
                for (at, atom) in self.atoms.iter().enumerate().skip(start) {
                    for number in &atom.pool {
                        if all.len() + next.len() >= CHOICES {
                            all.append(&mut next);
                            return (all, true);
                        }
                        let mut more = world.clone();
                        more.push((at, *number));
                        next.push(more);
                    }
                }
            }
            all.extend(next.iter().cloned());
            last = next;
        }
        (all, false)
    }

    /// The numbers that make a run take this choice.
    pub fn numbers(&self, world: &World) -> OrdMap<OpId, u64> {
        let mut numbers = OrdMap::new();
        for (at, number) in world {
            if let ChosenNumber::Loads(loads) = &self.atoms[*at].place {
                numbers.extend(loads.iter().map(|load| (*load, number.bits())));
            }
        }
        numbers
    }

    /// Changes arguments, and returns the old values.
    pub fn apply<'a>(&self, world: &World, ranks: &mut [Vec<Arg<'a>>]) -> Vec<(usize, usize, Arg<'a>)> {
        let mut before = Vec::new();
        for (at, number) in world {
            let ChosenNumber::Param(param) = self.atoms[*at].place else { continue };
            for (rank, args) in ranks.iter_mut().enumerate() {
                before.push((rank, param, std::mem::replace(&mut args[param], number.arg())));
            }
        }
        before
    }

    /// `%n` is 0 and `%m` is 1
    pub fn text(&self, world: &World) -> String {
        let one = |(at, number): &(usize, WorldNumber)| {
            let name = &self.atoms[*at].name;
            let name = if name.is_empty() { text!("a scalar from memory").into() } else { format!("`%{name}`") };
            text!("{name} is {number}", name, number = number.text())
        };
        world.iter().map(one).collect::<Vec<_>>().join(text!(" and "))
    }

    /// Where a choice leads: the ways of branches, and the executed instructions.
    pub fn look<'a>(&self, ranks: &[Vec<Arg<'_>>], launch: Launch<'a>, world: &World) -> Look<'a> {
        let mut known: Vec<Known> = ranks[0].iter().map(known_of).collect();
        for (at, number) in world {
            if let ChosenNumber::Param(param) = self.atoms[*at].place {
                known[param] = known_of(&number.arg());
            }
        }
        let mut numbers = self.found.clone();
        numbers.extend(self.numbers(world));
        let branches = Branches { numbers, ..Branches::traced() };
        let module = launch.plan().checked().module();
        let mut look = Look { module, branches, executed: OrdSet::new(), work: 0 };
        // A run that fails has already shown where the choice leads.
        let _ = launch.observe(&mut look).follow(&known);
        look
    }
}

/// Observes where a choice leads.
#[derive(Debug)]
pub(crate) struct Look<'a> {
    module: &'a Module,
    pub branches: Branches,
    pub executed: OrdSet<OpId>,
    work: u64,
}

impl Observer for Look<'_> {
    fn event(&mut self, event: &Event<'_>) {
        self.executed.insert(event.op);
    }

    fn worked(&mut self, work: u64) -> bool {
        self.work += work;
        self.work < ENOUGH
    }

    fn number(&mut self, op: OpId, value: u64) -> u64 {
        self.branches.number(op, value)
    }

    fn branch(&mut self, core: CoreId, op: OpId, taken: bool) -> bool {
        match is_loop(self.module.op(op).op) {
            true => self.branches.iterate(core, op, taken),
            false => self.branches.branch(core, op, taken),
        }
    }
}

fn known_of(arg: &Arg<'_>) -> Known {
    match arg {
        Arg::Int(n) => Known::Int(*n),
        Arg::Float(x) => Known::Float(*x),
        _ => Known::Nothing,
    }
}

/// A number that is the same for all ranks; otherwise it identifies the rank.
fn same_on_all(ranks: &[Vec<Arg<'_>>], at: usize) -> Option<WorldNumber> {
    let number = |args: &Vec<Arg<'_>>| match args.get(at)? {
        Arg::Int(n) => Some(WorldNumber::Int(*n)),
        Arg::Float(x) => Some(WorldNumber::Float(*x)),
        _ => None,
    };
    let first = number(ranks.first()?)?;
    ranks.iter().all(|args| number(args) == Some(first)).then_some(first)
}

/// Loads of one scalar, if the text shows it: from the same address by the same pointer, or of the same tile element.
fn same_scalars(module: &Module, cone: &Cone) -> Vec<Vec<OpId>> {
    let constant = |value: ValueId| match module.value(value).def {
        Def::Result(id, _) if module.arith(id) == Some(Arith::Constant) => {
            module.attr(id, "value").and_then(pto_ir::Attr::int).ok_or(value)
        }
        _ => Err(value),
    };
    let mut groups: OrdMap<Vec<Result<i64, ValueId>>, Vec<OpId>> = OrdMap::new();
    for load in &cone.loads {
        let key = module.operands(*load).iter().map(|o| constant(o.value)).collect();
        groups.entry(key).or_default().push(*load);
    }
    groups.into_values().collect()
}

/// Values worth trying: constants of comparisons and their neighbours. Near ones come first, and smaller before larger,
/// which may need more memory than there is.
fn pool(cone: &Cone, ty: &Type, now: WorldNumber) -> Vec<WorldNumber> {
    match (ty.scalar(), now) {
        (_, WorldNumber::Bool(b)) => vec![WorldNumber::Bool(!b)],
        (_, WorldNumber::Float(x)) => {
            let all = cone.floats.iter().flat_map(|c| [c - 1.0, *c, c + 1.0]).chain([0.0, 1.0]);
            all.filter(|n| *n != x).take(NUMBERS).map(WorldNumber::Float).collect()
        }
        (scalar, WorldNumber::Int(n)) => {
            let mut all: OrdSet<i64> = [0, 1, 2, 3].into();
            for c in &cone.ints {
                all.extend([c.saturating_sub(1), *c, c.saturating_add(1), c.saturating_mul(2)]);
                all.insert(c.saturating_mul(2).saturating_add(1));
                // Sums and products of two constants, for conditions on computed values.
                for d in &cone.ints {
                    all.extend([c.saturating_mul(*d), c.saturating_add(*d)]);
                }
            }
            all.extend([n.saturating_sub(1), n.saturating_add(1)]);
            all.remove(&n);
            if scalar == Some(ScalarType::Index) {
                all.retain(|c| *c >= 0);
            }
            let mut all: Vec<i64> = all.into_iter().collect();
            all.shared_sort_by_key(|c| (*c < 0, *c > n, c.abs_diff(n)));
            spread(all).into_iter().map(WorldNumber::Int).collect()
        }
    }
}

/// Limits the values: the first ones, and the smallest and largest of the rest.
fn spread(mut all: Vec<i64>) -> Vec<i64> {
    if all.len() > NUMBERS {
        let rest = all.split_off(NUMBERS - 4);
        let mut rest: Vec<i64> = rest.into_iter().collect();
        rest.shared_sort();
        let ends = rest.iter().take(2).chain(rest.iter().rev().take(2)).copied();
        all.extend(ends.filter(|c| *c < 1 << 20));
    }
    // Loops are skipped at zero.
    if let Some(at) = all.iter().position(|c| *c == 0) {
        all.swap(0, at);
    }
    all
}
