//! Neighbours among the steps of a strip that are done as one, with their results in registers.

use super::strip_steps::{RowCursor, RowStep, StripAction, StripStep};
use super::strip_windows::StripFacts;
use crate::kernels::{ChainLink, MOST_LINKS, chain, difference_and_squares, sum_of_products};

/// Joins the steps for which there is code that does all of them.
pub(super) fn join(steps: &mut Vec<StripStep>, found: StripFacts<'_, '_>) {
    let mut at = 0;
    while at < steps.len() {
        let rest = &steps[at..];
        let joined = [join_chain, join_squares, drop_products].iter().find_map(|join| join(rest, found));
        if let Some((count, step)) = joined {
            steps.splice(at..at + count, [step]);
        }
        at += 1;
    }
}

/// How many steps are done as one, and that one.
type Joined = (usize, StripStep);

fn rows_of(step: &StripStep) -> Option<&RowStep> {
    if let StripAction::Rows(rows) = &step.action { Some(rows) } else { None }
}

fn is_summed(step: &RowStep) -> bool {
    step.sum.tile.is_some()
}

/// Several steps as one.
fn as_one(steps: &[StripStep], rows: RowStep) -> StripStep {
    let calls = steps[0].calls.start..steps[steps.len() - 1].calls.end;
    let rows = RowStep { run_and_sum: None, link: None, ..rows };
    StripStep { calls, is_outside: steps.iter().any(|step| step.is_outside), action: StripAction::Rows(rows) }
}

/// As many steps with a row as possible, of which each takes the results of the one before.
fn join_chain(steps: &[StripStep], found: StripFacts<'_, '_>) -> Option<Joined> {
    let most = MOST_LINKS.min(steps.len());
    (2..=most).rev().find_map(|count| Some((count, chained(&steps[..count], found)?)))
}

fn chained(steps: &[StripStep], found: StripFacts<'_, '_>) -> Option<StripStep> {
    let first = rows_of(&steps[0])?;
    let last = rows_of(&steps[steps.len() - 1])?;
    let mut links = [ChainLink::Add; MOST_LINKS];
    let mut others = first.others;
    let mut before: Option<&RowStep> = None;
    for (at, step) in steps.iter().enumerate() {
        let step = rows_of(step)?;
        (links[at], others[at]) = (step.link?, step.others[0]);
        if is_summed(step) || before.is_some_and(|before| !feeds(before, step)) {
            return None;
        }
        before = Some(step);
    }
    let run = chain(&links[..steps.len()], last.level, last.is_past)?;
    // What the steps before the last write is left out, so nothing may need it.
    let end = steps[steps.len() - 1].calls.end - 1;
    let is_needless =
        |made: &RowCursor| made.is_same(&last.dst) || made.tile.is_some_and(|tile| found.is_dead_after(tile, end));
    for (at, made) in steps.iter().filter_map(rows_of).take(steps.len() - 1).map(|step| &step.dst).enumerate() {
        if !is_needless(made) || others[at + 1..steps.len()].iter().any(|other| other.overlaps(made, found)) {
            return None;
        }
    }
    // Rows without gaps stay one row: those of a single row of columns have one element each.
    let is_joined = steps.iter().filter_map(rows_of).all(|step| step.is_joined);
    Some(as_one(steps, RowStep { run, others, dst: last.dst, is_past: last.is_past, is_joined, ..*first }))
}

/// True when a step takes the results of another as its source.
fn feeds(from: &RowStep, to: &RowStep) -> bool {
    to.src.is_same(&from.dst) && to.count == from.count
}

/// A difference to a value, and the sum of its squares, which nothing else needs.
fn join_squares(steps: &[StripStep], found: StripFacts<'_, '_>) -> Option<Joined> {
    let [first, second, ..] = steps else { return None };
    let (difference, squares) = (rows_of(first)?, rows_of(second)?);
    let are_squares = squares.link == Some(ChainLink::Multiply)
        && feeds(difference, squares)
        && squares.others[0].is_same(&difference.dst);
    let fits = difference.link == Some(ChainLink::SubtractValue)
        && !is_summed(difference)
        && are_squares
        && is_sum_alone(second, squares, found)
        && !squares.dst.overlaps(&difference.dst, found);
    let run = difference_and_squares(difference.level).filter(|_| fits)?;
    Some((2, as_one(&steps[..2], RowStep { run, sum: squares.sum, is_joined: false, ..*difference })))
}

/// Products that nothing but their sum is needed of.
fn drop_products(steps: &[StripStep], found: StripFacts<'_, '_>) -> Option<Joined> {
    let step = steps.first()?;
    let products = rows_of(step)?;
    let fits = products.link == Some(ChainLink::Multiply) && is_sum_alone(step, products, found);
    let run = sum_of_products(products.level).filter(|_| fits)?;
    Some((1, as_one(&steps[..1], RowStep { run, ..*products })))
}

/// True when nothing needs the results of a step but their sum, which does not lie where they would have been.
fn is_sum_alone(step: &StripStep, rows: &RowStep, found: StripFacts<'_, '_>) -> bool {
    let is_dead = |tile| found.is_dead_after(tile, step.calls.end - 1);
    is_summed(rows) && rows.dst.tile.is_some_and(is_dead) && !rows.dst.overlaps(&rows.sum, found)
}
