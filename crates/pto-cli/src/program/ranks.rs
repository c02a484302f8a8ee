//! Several ranks in one run: each has its own arguments, and may point to those of others.

use super::Stop;
use super::bind::{BindRequest, BoundParam, larger, measured, numbers_and_remotes, with_memory};
use super::spec::Spec;
use crate::Failure;
use pto::cost::FollowedRank;
use pto::cpu::{Measure, Param, ParamKind, Plan};
use pto::isa::text;

/// A rank of a run, and how many there are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RankNumber {
    pub number: usize,
    pub count: usize,
}

/// Gives every parameter of every rank an argument, rank after rank. With several ranks, names get the rank: `x@1`.
pub(crate) fn bind_all(
    plan: &Plan,
    request: &BindRequest<'_>,
    count: usize,
) -> Result<(Vec<BoundParam>, Measure), Stop> {
    bind_some(plan, request, count, 0..count)
}

/// The same for some of the ranks. Memory is as large as all ranks together need it.
pub(crate) fn bind_some(
    plan: &Plan,
    request: &BindRequest<'_>,
    count: usize,
    wanted: std::ops::Range<usize>,
) -> Result<(Vec<BoundParam>, Measure), Stop> {
    let given: Vec<Spec> = request.specs.iter().flat_map(|spec| for_each_rank(spec, count)).collect();
    let request = &BindRequest { specs: &given, ..*request };
    for spec in request.specs {
        known_rank(spec, count)?;
    }
    enough_ranks(plan.params(), request.specs, count)?;
    let ranks: Vec<RankNumber> = (0..count).map(|number| RankNumber { number, count }).collect();
    let specs: Vec<Vec<Spec>> = ranks.iter().map(|r| of_rank(plan.params(), request.specs, *r)).collect();
    let of = |rank: RankNumber| BindRequest { specs: &specs[rank.number], rank: Some(rank), ..*request };
    let mut measure = measured(plan, &of(ranks[0]))?;
    for &rank in &ranks[1..] {
        let other = measured(plan, &of(rank))?;
        measure.instructions += other.instructions;
        measure.work += other.work;
        measure.longest_sum = measure.longest_sum.max(other.longest_sum);
        measure.reads.iter_mut().zip(other.reads).for_each(|(all, one)| *all |= one);
        measure.extents.iter_mut().zip(&other.extents).for_each(|(all, one)| *all = larger(one, all).clone());
    }
    let mut all = Vec::new();
    for &rank in &ranks[wanted] {
        let bound = with_memory(plan, &of(rank), &measure)?;
        all.extend(bound.into_iter().map(|b| BoundParam { name: format!("{}@{}", b.name, rank.number), ..b }));
    }
    Ok((all, measure))
}

/// The numbers of some ranks, without memory, and the ranks that their pointers lead to.
pub(super) fn followed(
    plan: &Plan,
    request: &BindRequest<'_>,
    count: usize,
    wanted: &[u32],
) -> Result<Vec<FollowedRank>, Stop> {
    let given: Vec<Spec> = request.specs.iter().flat_map(|spec| for_each_rank(spec, count)).collect();
    for spec in &given {
        known_rank(spec, count)?;
    }
    enough_ranks(plan.params(), &given, count)?;
    let of = |number: &u32| {
        let rank = RankNumber { number: *number as usize, count };
        let specs = of_rank(plan.params(), &given, rank);
        let request = BindRequest { specs: &specs, rank: Some(rank), ..*request };
        let (known, remote) = numbers_and_remotes(plan, &request)?;
        Ok(FollowedRank { rank: *number, known, remote })
    };
    wanted.iter().map(of).collect()
}

/// Parameters that name several ranks one by one (`x_at_0`, `x_at_1`) say how many ranks a program is for.
pub(crate) fn as_many_as_named(params: &[Param], count: usize) -> Result<(), Failure> {
    let named = params.iter().filter_map(|p| Some((p, there(params, p)?.1))).max_by_key(|(_, rank)| *rank);
    match named {
        Some((param, last)) if last > 0 && last + 1 != count => Err(Failure(text!(
            "`{name}` is memory of rank {last}: the parameters name {wanted} ranks, and there are {count}\n  help: --ranks {wanted}; a program for any number of ranks has parameters like `next`, given as next=x@{{rank+1}}",
            name = param.name,
            last,
            wanted = last + 1,
            count
        ))),
        _ => Ok(()),
    }
}

/// What stands for the number of a rank in names and files; `{rank+1}` is the next one, and the last one's is 0.
const EACH_RANK: &str = "{rank";

/// The text for one rank.
fn for_rank(text: &str, rank: usize, count: usize) -> String {
    let mut done = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(EACH_RANK) {
        let inside = &rest[at + EACH_RANK.len()..];
        let offset = inside.split_once('}').and_then(|(offset, _)| match offset {
            "" => Some((offset, 0)),
            _ if offset.starts_with(['+', '-']) => Some((offset, offset.parse::<i64>().ok()?)),
            _ => None,
        });
        let Some((written, by)) = offset else {
            done += &rest[..at + EACH_RANK.len()];
            rest = inside;
            continue;
        };
        let number = (rank as i128 + i128::from(by)).rem_euclid(count as i128);
        done += &format!("{}{number}", &rest[..at]);
        rest = &inside[written.len() + 1..];
    }
    done + rest
}

/// `x@{rank}=x{rank}.npy` stands for `x@0=x0.npy`, `x@1=x1.npy`, and so on; `x=x{rank}.npy` means the same.
fn for_each_rank(spec: &Spec, count: usize) -> Vec<Spec> {
    let Some(name) = &spec.name else { return vec![spec.clone()] };
    if !name.contains(EACH_RANK) && !spec.text.contains(EACH_RANK) {
        return vec![spec.clone()];
    }
    let name = if name.contains('@') { name.clone() } else { format!("{name}@{EACH_RANK}}}") };
    let of = |rank: usize| {
        let replaced = |text: &str| for_rank(text, rank, count);
        Spec { name: Some(replaced(&name)), text: replaced(&spec.text) }
    };
    (0..count).map(of).collect()
}

/// The same for options that name memory: `--out y@{rank}=y{rank}.npy`, `--show y@{rank}`.
pub(crate) fn options_for_each_rank(options: &[String], count: usize) -> Vec<String> {
    let of = |text: &String| -> Vec<String> {
        let ranks = if text.contains(EACH_RANK) { count } else { 1 };
        (0..ranks).map(|rank| for_rank(text, rank, count)).collect()
    };
    options.iter().flat_map(of).collect()
}

/// What is written for one rank: for all, for this one, and by the names of parameters.
fn of_rank(params: &[Param], specs: &[Spec], rank: RankNumber) -> Vec<Spec> {
    let mut own: Vec<Spec> = Vec::new();
    for spec in specs {
        match spec.name.as_deref().and_then(|n| n.rsplit_once('@')) {
            Some((name, number)) if number.parse() == Ok(rank.number) => {
                own.retain(|s| s.name.as_deref() != Some(name));
                own.push(Spec { name: Some(name.to_string()), text: spec.text.clone() });
            }
            Some(_) => {}
            None => own.push(spec.clone()),
        }
    }
    let positional = own.iter().any(|s| s.name.is_none());
    let by_name = params.iter().filter(|_| !positional).filter_map(|p| Some((p, by_name(params, p, rank)?)));
    for (param, text) in by_name.collect::<Vec<_>>() {
        if !own.iter().any(|s| s.name.as_deref() == Some(&*param.name)) {
            own.push(Spec { name: Some(param.name.clone()), text });
        }
    }
    own
}

/// Parameters that bind themselves: `rank`, `ranks`, and `x_at_2` for the memory of `x` on rank 2.
fn by_name(params: &[Param], param: &Param, rank: RankNumber) -> Option<String> {
    match (&param.kind, &*param.name) {
        (ParamKind::Scalar(_), "rank") => Some(rank.number.to_string()),
        (ParamKind::Scalar(_), "ranks") => Some(rank.count.to_string()),
        (ParamKind::Pointer(_), _) => {
            let (of, there) = there(params, param)?;
            (there < rank.count).then(|| format!("{of}@{there}"))
        }
        _ => None,
    }
}

/// What `x_at_2` means: the parameter `x` on rank 2.
fn there<'a>(params: &[Param], param: &'a Param) -> Option<(&'a str, usize)> {
    let (of, number) = param.name.rsplit_once("_at_")?;
    params.iter().any(|p| p.name == of).then_some((of, number.parse().ok()?))
}

/// The ranks that the names of parameters ask for.
pub(super) fn wanted(params: &[Param]) -> usize {
    params.iter().filter_map(|p| there(params, p)).map(|(_, rank)| rank + 1).max().unwrap_or(2)
}

/// A parameter always gets the memory that its name says.
fn enough_ranks(params: &[Param], specs: &[Spec], count: usize) -> Result<(), Failure> {
    let given =
        |p: &Param| specs.iter().any(|s| s.name.as_deref().is_none_or(|n| n.split('@').next() == Some(&p.name)));
    for param in params.iter().filter(|p| matches!(p.kind, ParamKind::Pointer(_)) && !given(p)) {
        if let Some((of, rank)) = there(params, param).filter(|(_, rank)| *rank >= count) {
            let name = &param.name;
            return Err(Failure(text!(
                "`{name}` is the memory of `{of}` on rank {rank}, and there are ranks 0 to {count}\n  help: --ranks {wanted}, or a value: {name}={of}@0",
                name,
                of,
                rank,
                count = count - 1,
                wanted = wanted(params)
            )));
        }
    }
    Ok(())
}

fn known_rank(spec: &Spec, count: usize) -> Result<(), Failure> {
    let Some((name, number)) = spec.name.as_deref().and_then(|n| n.rsplit_once('@')) else { return Ok(()) };
    match number.parse::<usize>() {
        Ok(n) if n < count => Ok(()),
        _ => Err(Failure(text!(
            "`{name}@{number}`: there is no rank {number}; there are 0 to {count}",
            name,
            number,
            count = count - 1
        ))),
    }
}

/// `x@2`: the memory that rank 2 has for `x`.
pub(crate) fn remote(
    params: &[Param],
    text: &str,
    rank: Option<RankNumber>,
) -> Option<Result<(usize, usize), Failure>> {
    let (name, number) = text.rsplit_once('@')?;
    let param = params.iter().position(|p| p.name == name)?;
    let count = rank.map_or(1, |r| r.count);
    Some(match number.parse::<usize>() {
        Ok(n) if n < count => Ok((n, param)),
        _ => Err(Failure(text!(
            "`{text}`: there is no rank {number}; there are 0 to {count}",
            text,
            number,
            count = count - 1
        ))),
    })
}
