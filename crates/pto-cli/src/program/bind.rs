//! Parameters and what they are given.

use super::Stop;
use super::memory::{MemoryNeed, bytes, memory};
use super::ranks::{self, RankNumber, remote};
use super::spec::Spec;
use crate::Failure;
use pto::cpu::machine;
use pto::cpu::{Arg, Extent, Known, Measure, Param, ParamKind, Plan};
use pto::data::{AnyNumber, Array, DataError};
use pto::isa::sort::SharedSort;
use pto::isa::text;
use pto::isa::{DType, ScalarType, Span};
use std::borrow::Cow;

/// A parameter with its argument.
#[derive(Clone)]
pub(crate) struct BoundParam {
    pub(crate) name: String,
    pub(crate) content: ArgContent,
    /// Where the numbers come from, in words.
    pub(crate) origin: String,
    /// The program alone decided how large it is.
    pub(crate) inferred: bool,
    /// See [`pto::cpu::Param::per_column`].
    pub(crate) per_column: u64,
}

/// The argument itself.
#[derive(Clone)]
pub(crate) enum ArgContent {
    Int(ScalarType, i64),
    Float(ScalarType, f64),
    Memory(Array),
    Tensor(Array),
    /// The whole tile, and the rows and columns that hold data.
    Tile(Array, (u64, u64)),
    /// The memory another rank has for a parameter.
    Remote(usize, usize),
}

impl BoundParam {
    /// What the engine gets.
    pub(crate) fn arg(&mut self) -> Arg<'_> {
        let per_column = self.per_column;
        match &mut self.content {
            ArgContent::Int(_, i) => Arg::Int(*i),
            ArgContent::Float(_, f) => Arg::Float(*f),
            ArgContent::Memory(array) => memory_of(array).0,
            ArgContent::Tensor(array) => {
                let (memory, shape) = memory_of(array);
                // The type says how many columns they are.
                if per_column > 1 { memory } else { memory.shape(shape) }
            }
            ArgContent::Tile(array, (rows, cols)) => memory_of(array).0.valid(*rows, cols.div_ceil(per_column)),
            ArgContent::Remote(rank, param) => Arg::Remote { rank: *rank, param: *param },
        }
    }

    /// The numbers in memory; of a tile, those that hold data.
    pub(crate) fn data(&self) -> Result<Option<Cow<'_, Array>>, DataError> {
        match &self.content {
            ArgContent::Int(..) | ArgContent::Float(..) | ArgContent::Remote(..) => Ok(None),
            ArgContent::Memory(array) | ArgContent::Tensor(array) => Ok(Some(Cow::Borrowed(array))),
            ArgContent::Tile(array, (rows, cols)) if array.shape() == [*rows, *cols] => Ok(Some(Cow::Borrowed(array))),
            ArgContent::Tile(array, (rows, cols)) => Ok(Some(Cow::Owned(array.corner(*rows, *cols)?))),
        }
    }

    /// True for what can be written, shown and compared.
    pub(crate) fn is_memory(&self) -> bool {
        !matches!(self.content, ArgContent::Int(..) | ArgContent::Float(..) | ArgContent::Remote(..))
    }
}

/// The numbers of an array, and its extents.
fn memory_of(array: &mut Array) -> (Arg<'_>, &[u64]) {
    let dtype = array.dtype();
    let (bytes, shape) = array.parts_mut();
    (Arg::write_bytes(bytes).of(dtype), shape)
}

/// What the arguments of a run are made from.
pub(crate) struct BindRequest<'a> {
    /// The command without arguments, for messages.
    pub(crate) command: &'a str,
    pub(crate) specs: &'a [Spec],
    pub(crate) seed: u64,
    pub(crate) blocks: u32,
    /// Their rank, if there are several.
    pub(crate) rank: Option<RankNumber>,
    /// Memory that is larger than needed is not mentioned.
    pub(crate) quiet: bool,
}

/// Gives every parameter an argument.
pub(crate) fn bind(plan: &Plan, request: &BindRequest<'_>) -> Result<(Vec<BoundParam>, Measure), Stop> {
    let measure = measured(plan, request)?;
    Ok((with_memory(plan, request, &measure)?, measure))
}

/// How much memory the program needs, given the numbers.
pub(crate) fn measured(plan: &Plan, request: &BindRequest<'_>) -> Result<Measure, Stop> {
    let bound = without_memory(plan, request)?.1;
    let known: Vec<Known> = bound.iter().map(|b| known(b.as_ref())).collect();
    let mut measure = plan.launch().blocks(request.blocks).measure(&known)?;
    share_with_remotes(&mut measure, &bound);
    Ok(measure)
}

/// The numbers among the arguments.
pub(crate) fn numbers(plan: &Plan, request: &BindRequest<'_>) -> Result<Vec<Known>, Stop> {
    Ok(without_memory(plan, request)?.1.iter().map(|b| known(b.as_ref())).collect())
}

/// By parameter: what is known of its number, and the rank and the parameter there that a pointer leads to.
type NumbersAndRemotes = (Vec<Known>, Vec<Option<(u32, u32)>>);

/// The arguments that need no memory.
pub(super) fn numbers_and_remotes(plan: &Plan, request: &BindRequest<'_>) -> Result<NumbersAndRemotes, Stop> {
    let bound = without_memory(plan, request)?.1;
    let remote = |b: &Option<BoundParam>| match b.as_ref().map(|b| &b.content) {
        Some(ArgContent::Remote(rank, param)) => Some((*rank as u32, *param as u32)),
        _ => None,
    };
    Ok((bound.iter().map(|b| known(b.as_ref())).collect(), bound.iter().map(remote).collect()))
}

/// The arguments, with memory as large as the program needs it.
pub(crate) fn with_memory(plan: &Plan, request: &BindRequest<'_>, measure: &Measure) -> Result<Vec<BoundParam>, Stop> {
    let (specs, bound) = without_memory(plan, request)?;
    let open = |i: &usize| bound[*i].is_none();
    let params = plan.params();
    let sizes = (0..params.len())
        .filter(open)
        .map(|i| (&*params[i].name, bytes(&params[i], specs[i], measure.extents[i].as_ref())));
    all_fit(sizes, request.rank.map_or(1, |r| r.count as u64), plan.entry_span())?;
    let mut all = Vec::new();
    for (i, (param, done)) in plan.params().iter().zip(bound).enumerate() {
        // Every parameter gets different random numbers, on every rank.
        let rank = request.rank.map_or(0, |r| r.number as u64);
        let seed = request.seed.wrapping_add((i as u64) << 32 | rank << 56);
        all.push(match done {
            Some(done) => done,
            None => {
                let need = MemoryNeed {
                    extent: measure.extents[i].as_ref(),
                    read: measure.reads[i],
                    is_complete: measure.is_complete,
                    quiet: request.quiet,
                };
                memory(param, specs[i], &need, seed, request.seed)?
            }
        });
    }
    Ok(all)
}

/// Refuses arguments that the machine has no memory for, before the first of them is filled.
fn all_fit<'a>(sizes: impl Iterator<Item = (&'a str, u64)>, ranks: u64, span: Span) -> Result<(), Stop> {
    let sizes: Vec<(&str, u64)> = sizes.collect();
    let all = sizes.iter().fold(0u64, |sum, (_, bytes)| sum.saturating_add(*bytes)).saturating_mul(ranks);
    let what =
        if ranks == 1 { text!("the arguments").to_string() } else { text!("the arguments of {ranks} ranks", ranks) };
    machine::has_room(all, &what, span).map_err(|problem| {
        let mut largest = sizes;
        largest.shared_sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
        let each: Vec<String> =
            largest.iter().take(4).map(|(name, bytes)| format!("`{name}` {}", machine::size(*bytes))).collect();
        problem
            .legal(each.join(", "))
            .help(text!("give smaller shapes, or correct the numbers they are computed from"))
            .into()
    })
}

/// What is written for each parameter, and the arguments that need no memory.
type Partly<'a> = (Vec<Option<&'a Spec>>, Vec<Option<BoundParam>>);

fn without_memory<'a>(plan: &Plan, request: &BindRequest<'a>) -> Result<Partly<'a>, Stop> {
    let params = plan.params();
    let specs = assign(params, request.specs)?;
    scalars_given(params, &specs, request)?;
    let mut bound: Vec<Option<BoundParam>> = Vec::new();
    for (param, spec) in params.iter().zip(&specs) {
        bound.push(match (&param.kind, spec) {
            (ParamKind::Scalar(ty), Some(spec)) => Some(scalar(param, *ty, &spec.text)?),
            (ParamKind::Pointer(_), Some(spec)) => match remote(params, &spec.text, request.rank) {
                Some(place) => {
                    let (rank, at) = place?;
                    let (name, origin) = (param.name.clone(), spec.text.clone());
                    Some(BoundParam {
                        name,
                        content: ArgContent::Remote(rank, at),
                        origin,
                        inferred: false,
                        per_column: 1,
                    })
                }
                None => None,
            },
            (ParamKind::Other(ty), _) => {
                return Err(
                    Failure(text!("`{name}` is a {ty}, which cannot be an argument", name = param.name, ty)).into()
                );
            }
            _ => None,
        });
    }
    Ok((specs, bound))
}

/// Ranks run the same program: what this one does with memory of another, others do with its own.
fn share_with_remotes(measure: &mut Measure, bound: &[Option<BoundParam>]) {
    for (at, param) in bound.iter().enumerate() {
        let Some(ArgContent::Remote(_, to)) = param.as_ref().map(|b| &b.content) else { continue };
        measure.reads[*to] |= measure.reads[at];
        let larger = larger(&measure.extents[at], &measure.extents[*to]).clone();
        measure.extents[*to] = larger;
    }
}

/// The larger of two extents.
pub(crate) fn larger<'a>(a: &'a Option<Extent>, b: &'a Option<Extent>) -> &'a Option<Extent> {
    let elements = |e: &Option<Extent>| e.as_ref().map_or(0, |e| e.elements);
    if elements(a) > elements(b) { a } else { b }
}

/// The argument of each parameter: by name, and the rest in order.
fn assign<'a>(params: &[Param], specs: &'a [Spec]) -> Result<Vec<Option<&'a Spec>>, Failure> {
    let mut found: Vec<Option<&Spec>> = vec![None; params.len()];
    for spec in specs {
        let Some(name) = &spec.name else { continue };
        let at = position(params, name)?;
        if found[at].replace(spec).is_some() {
            return Err(Failure(text!("`{name}` is given twice", name)));
        }
    }
    for spec in specs.iter().filter(|s| s.name.is_none()) {
        let Some(free) = found.iter_mut().find(|f| f.is_none()) else {
            let text = text!(
                "there is no parameter left for `{text}`; {parameters}",
                text = spec.text,
                parameters = parameters(params)
            );
            return Err(Failure(text));
        };
        *free = Some(spec);
    }
    Ok(found)
}

/// The parameter of a name.
fn position(params: &[Param], name: &str) -> Result<usize, Failure> {
    let at = params.iter().position(|p| p.name == name);
    at.ok_or_else(|| {
        Failure(text!("there is no parameter `{name}`; {parameters}", name, parameters = parameters(params)))
    })
}

fn parameters(params: &[Param]) -> String {
    match params.len() {
        0 => text!("there are none").to_string(),
        _ => text!("there are {params}", params = params.iter().map(|p| &*p.name).collect::<Vec<_>>().join(", ")),
    }
}

/// Scalars cannot be guessed; the message has the command with all of them.
fn scalars_given(params: &[Param], specs: &[Option<&Spec>], request: &BindRequest<'_>) -> Result<(), Failure> {
    let mut missing = Vec::new();
    let mut command = request.command.to_string();
    for (param, spec) in params.iter().zip(specs) {
        match (spec, &param.kind) {
            (Some(spec), _) => command += &format!(" {}={}", param.name, spec.text),
            (None, ParamKind::Scalar(ty)) => {
                missing.push(format!("`{}` ({ty})", param.name));
                command += &match &*param.name {
                    "rank" | "ranks" if command.contains(" --ranks ") => String::new(),
                    "rank" | "ranks" if request.rank.is_none() => format!(" --ranks {}", ranks::wanted(params)),
                    name => format!(" {name}={}", example(*ty)),
                };
            }
            _ => {}
        }
    }
    Err(Failure(match missing.as_slice() {
        [] => return Ok(()),
        [name] => text!("{name} has no value\n  help: {command}", name, command),
        [first @ .., last] => {
            text!("{names} and {last} have no value\n  help: {command}", names = first.join(", "), last, command)
        }
    }))
}

fn example(ty: ScalarType) -> &'static str {
    match ty {
        ScalarType::I1 => "true",
        ty if ty.is_int() => "16",
        _ => "1.0",
    }
}

fn known(bound: Option<&BoundParam>) -> Known {
    match bound.map(|b| &b.content) {
        Some(ArgContent::Int(_, i)) => Known::Int(*i),
        Some(ArgContent::Float(_, f)) => Known::Float(*f),
        _ => Known::Nothing,
    }
}

fn scalar(param: &Param, ty: ScalarType, text: &str) -> Result<BoundParam, Failure> {
    let name = &param.name;
    let Some(value) = AnyNumber::parse(text) else {
        return Err(Failure(text!("`{name}` is a scalar ({ty}), and `{text}` is not a number", name, ty, text)));
    };
    let content = if ty.is_float() {
        ArgContent::Float(ty, value.to_f64())
    } else {
        let (low, high) = range(ty);
        let wide = high > i64::MAX.into() && low < 0;
        let legal = if wide {
            text!("a 64-bit integer").to_string()
        } else {
            text!("an integer from {low} to {high}", low, high)
        };
        match value.to_int().filter(|i| (low..=high).contains(i)) {
            Some(i) => ArgContent::Int(ty, i as i64),
            None => return Err(Failure(text!("`{name}` is {ty}, {legal}, not {text}", name, ty, legal, text))),
        }
    };
    Ok(BoundParam { name: name.clone(), content, origin: value.to_string(), inferred: false, per_column: 1 })
}

/// The numbers that an integer type takes: `i32` and its like have no sign, so both readings of their bits will do.
fn range(ty: ScalarType) -> (i128, i128) {
    let unsigned = ty.elem().is_some_and(|d| !d.name().starts_with('i'));
    match (ty, ty.elem().map_or(64, DType::bits)) {
        (ScalarType::I1, _) => (0, 1),
        (_, bits) if unsigned => (0, (1 << bits) - 1),
        (_, bits) => (-(1 << (bits - 1)), (1 << bits) - 1),
    }
}
