//! The data of one program for another.

use crate::Failure;
use crate::program::{ArgContent, BoundParam, Ready};
use pto::cpu::{Param, ParamKind, Plan};
use pto::data::shape_text;
use pto::isa::text;

/// What the parameters of a program get if those of another are bound: the data of the same name, else at the same position.
pub(super) fn arguments_for(plan: &Plan, given: &Ready, names: (&str, &str)) -> Result<Vec<BoundParam>, Failure> {
    let (from, to) = (given.plan.params(), plan.params());
    let sources = to.iter().enumerate().map(|(at, _)| source_of(from, to, at, names)).collect::<Result<Vec<_>, _>>()?;
    let ranks = given.bound.len().checked_div(from.len()).unwrap_or(1);
    let mut all = Vec::new();
    for rank in 0..ranks {
        for (param, source) in to.iter().zip(&sources) {
            let bound = &given.bound[rank * from.len() + source];
            let mut copy = BoundParam { name: param.name.clone(), per_column: param.per_column, ..bound.clone() };
            if let ArgContent::Remote(rank, of) = copy.content {
                let there = sources.iter().position(|s| *s == of);
                copy.content = ArgContent::Remote(rank, there.ok_or_else(|| no_counterpart(&from[of], names))?);
            }
            fits(param, &copy, names)?;
            all.push(copy);
        }
    }
    Ok(all)
}

/// The parameter whose data one gets.
fn source_of(from: &[Param], to: &[Param], at: usize, names: (&str, &str)) -> Result<usize, Failure> {
    let param = &to[at];
    let named = from.iter().position(|p| p.name == param.name);
    let is_free = |p: &&Param| !to.iter().any(|other| other.name == p.name);
    let found = named.or_else(|| from.get(at).filter(is_free).map(|_| at));
    let found = found.ok_or_else(|| no_counterpart(param, (names.1, names.0)))?;
    let (theirs, ours) = (kind_text(&from[found].kind), kind_text(&param.kind));
    if theirs != ours {
        let (a, b) = names;
        let name = &param.name;
        return Err(Failure(text!(
            "the programs take different data: `{name}` is {ours} in {b}, and {theirs} in {a}",
            name,
            ours,
            b,
            theirs,
            a
        )));
    }
    Ok(found)
}

fn no_counterpart(param: &Param, (has, has_not): (&str, &str)) -> Failure {
    Failure(text!("{has} has a parameter `{name}`, and {has_not} has nothing for it", has, name = param.name, has_not))
}

fn kind_text(kind: &ParamKind) -> String {
    match kind {
        ParamKind::Pointer(dtype) => text!("memory of {dtype}", dtype),
        ParamKind::Tensor(dtype, _) => text!("a tensor of {dtype}", dtype),
        ParamKind::Scalar(ty) => ty.to_string(),
        ParamKind::Tile(ty) => ty.to_string(),
        ParamKind::Other(ty) => ty.clone(),
        _ => String::new(),
    }
}

/// A tensor has the extents that its type states.
fn fits(param: &Param, bound: &BoundParam, (a, b): (&str, &str)) -> Result<(), Failure> {
    let (ParamKind::Tensor(_, extents), ArgContent::Tensor(array)) = (&param.kind, &bound.content) else {
        return Ok(());
    };
    let same = |(stated, found): (&Option<u64>, &u64)| stated.is_none_or(|n| n == *found);
    if extents.len() == array.shape().len() && extents.iter().zip(array.shape()).all(same) {
        return Ok(());
    }
    let stated = extents.iter().map(|e| e.map_or("?".to_string(), |n| n.to_string())).collect::<Vec<_>>().join("x");
    Err(Failure(text!(
        "the programs take different data: `{name}` is {stated} in {b}, and {found} in {a}",
        name = param.name,
        stated,
        b,
        found = shape_text(array.shape()),
        a
    )))
}
