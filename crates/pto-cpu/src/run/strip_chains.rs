//! Neighbours among the steps of a strip that are done as one, with their results in registers.

use super::collected::Collected;
use super::strip_steps::{RowCursor, RowStep, StripAction, StripStep};
use super::strips::StripDivision;
use crate::kernels::{Link, MOST_LINKS, RowFn, chain, difference_and_squares, sum_of_products};

/// Joins the steps for which there is code that does all of them.
pub(super) fn join(steps: &mut Vec<StripStep>, all: &Collected<'_>, division: &StripDivision<'_>) {
    let mut at = 0;
    while at < steps.len() {
        let rest = &steps[at..];
        let joined = [join_chain, join_squares, drop_products].iter().find_map(|join| join(rest, all, division));
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

/// Links of which each takes the results of the one before, which nothing else needs.
fn join_chain(steps: &[StripStep], all: &Collected<'_>, division: &StripDivision<'_>) -> Option<Joined> {
    let rows: Vec<&RowStep> = steps.iter().take(MOST_LINKS).map_while(rows_of).collect();
    (2..=rows.len()).rev().find_map(|count| {
        let rows = &rows[..count];
        let links: Vec<Link> = rows.iter().map_while(|step| step.link).collect();
        let (last, calls) = (rows[count - 1], steps[0].calls.start..steps[count - 1].calls.end);
        let run = chain(&links, last.level, last.is_past).filter(|_| links.len() == count)?;
        let is_gone = |dst: &RowCursor| {
            dst.is_same(&last.dst) || dst.tile.is_some_and(|tile| division.is_dead_after(all, tile, calls.end - 1))
        };
        let feeds = |pair: &[&RowStep]| {
            let (from, to) = (pair[0], pair[1]);
            to.src.is_same(&from.dst) && to.count == from.count && is_gone(&from.dst)
        };
        // What is not written must not be read, either.
        let reads_made = |at: usize| rows[..at].iter().any(|made| overlap(division, &made.dst, &rows[at].others[0]));
        let fits =
            rows.windows(2).all(feeds) && !rows.iter().any(|step| is_summed(step)) && !(1..count).any(reads_made);
        let mut others = rows[0].others;
        for (other, step) in others.iter_mut().zip(rows) {
            *other = step.others[0];
        }
        let joined = RowStep {
            run,
            others,
            dst: last.dst,
            is_past: last.is_past,
            run_and_sum: None,
            link: None,
            is_joined: false,
            ..*rows[0]
        };
        fits.then(|| (count, as_one(&steps[..count], joined)))
    })
}

/// A difference to a value, and the sum of its squares, which nothing else needs.
fn join_squares(steps: &[StripStep], all: &Collected<'_>, division: &StripDivision<'_>) -> Option<Joined> {
    let [first, second, ..] = steps else { return None };
    let (difference, squares) = (rows_of(first)?, rows_of(second)?);
    let is_square = squares.link == Some(Link::Multiply)
        && squares.src.is_same(&difference.dst)
        && squares.others[0].is_same(&difference.dst)
        && squares.count == difference.count;
    let fits = difference.link == Some(Link::SubtractValue) && !is_summed(difference) && is_square;
    let is_dead = is_sum_alone(second, squares, all, division) && !overlap(division, &squares.dst, &difference.dst);
    let run = difference_and_squares(difference.level).filter(|_| fits && is_dead)?;
    let joined = RowStep { sum: squares.sum, run_and_sum: None, link: None, run, is_joined: false, ..*difference };
    Some((2, as_one(&steps[..2], joined)))
}

/// Products that nothing but their sum is needed of.
fn drop_products(steps: &[StripStep], all: &Collected<'_>, division: &StripDivision<'_>) -> Option<Joined> {
    let step = steps.first()?;
    let products = rows_of(step)?;
    let fits = products.link == Some(Link::Multiply) && is_sum_alone(step, products, all, division);
    let run: RowFn = sum_of_products(products.level).filter(|_| fits)?;
    Some((1, as_one(&steps[..1], RowStep { run, link: None, run_and_sum: None, ..*products })))
}

/// True when nothing needs the results of a step but their sum.
fn is_sum_alone(step: &StripStep, rows: &RowStep, all: &Collected<'_>, division: &StripDivision<'_>) -> bool {
    let is_dead = |tile| division.is_dead_after(all, tile, step.calls.end - 1);
    // The sum may lie where the results would have been.
    is_summed(rows) && rows.dst.tile.is_some_and(is_dead) && !overlap(division, &rows.dst, &rows.sum)
}

/// True when two operands may share memory.
fn overlap(division: &StripDivision<'_>, a: &RowCursor, b: &RowCursor) -> bool {
    let is_window = |cursor: &RowCursor| cursor.tile.is_some_and(|tile| division.windows().step_of(tile).is_some());
    let (Some(one), Some(other)) = (a.tile, b.tile) else { return false };
    // Windows never lie in the memory of a core; two that share bytes are not in the place of tiles.
    !is_window(a) && !is_window(b) && division.rows[one].overlaps(&division.rows[other], division.count)
}

/// Several steps as one.
fn as_one(steps: &[StripStep], rows: RowStep) -> StripStep {
    let calls = steps[0].calls.start..steps[steps.len() - 1].calls.end;
    StripStep { calls, is_outside: steps.iter().any(|step| step.is_outside), action: StripAction::Rows(rows) }
}
