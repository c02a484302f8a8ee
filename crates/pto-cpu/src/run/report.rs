//! Diagnostics for the reasons to stop a run.

use super::core::Core;
use super::fail::{Fail, unwritten};
use super::iterations::{Endless, MOST_SCALAR, MOST_WITH_MEMORY};
use crate::kernels::Fault;
use crate::prepared::{Role, StepId};
use crate::printed::Printed;
use pto_isa::text;
use pto_isa::{Diagnostic, Span, codes};

/// Lines of what a block printed that are shown with the error that stopped it.
const LAST_LINES: usize = 8;

impl Fail {
    /// The error, at the operation the step belongs to.
    pub fn at(self, core: &Core, step: StepId) -> Diagnostic {
        let plan = core.plan;
        let module = plan.module();
        let op = plan.code.origins.get(step).copied();
        let span = op.map_or(Span::default(), |o| module.op(o).name_span);
        let name = op.map_or(String::new(), |o| module.op(o).op.row().full_name());
        let buffer = |at: usize| {
            plan.source
                .params
                .get(at % plan.source.params.len().max(1))
                .filter(|_| at < core.global.buffers.len())
                .map_or(text!("allocated memory").to_string(), |p| format!("`%{}`", p.name))
        };
        let new = |code, text: String| Diagnostic::new(code, span, format!("`{name}`: {text}"));
        let d = match self {
            Self::Stopped => new(codes::RUN_LIMIT, text!("the run was stopped").into()),
            Self::Endless(why) => {
                let text = match why {
                    Endless::SameState => {
                        text!("the loop never ends: it returns to the same scalars and accesses no memory").into()
                    }
                    Endless::Iterations(n) => {
                        text!("{n} iterations of loops without an instruction that works on tiles", n)
                    }
                };
                new(codes::RUN_LIMIT, text)
                    .legal(text!("at most {MOST_SCALAR} iterations of scalar code alone, {MOST_WITH_MEMORY} where it reads or writes memory", MOST_SCALAR, MOST_WITH_MEMORY))
                    .help(text!("check the condition that ends the loop"))
            }
            Self::Step(n) => new(codes::RUN_VALUE, text!("a loop step of {n}", n)).legal(text!("at least 1")),
            Self::ScalarDivision => new(codes::RUN_DIVISION, text!("division by zero").into())
                .help(text!("test the divisor before dividing")),
            Self::Trap => new(codes::RUN_TRAP, text!("the program executed a trap").into()),
            Self::Address { loc, address, bytes, size } => new(
                codes::RUN_ADDRESS,
                text!("a tile of {bytes} bytes at address {address} of `{loc}`", bytes, address, loc),
            )
            .legal(text!(
                "`{loc}` has {size} bytes on {plan}",
                loc,
                size,
                plan = plan.source.checked.info().target
            )),
            Self::PipeStuck { pipe, what } => {
                new(codes::RUN_DEADLOCK, text!("deadlock: {pipe} waits for {what}, which is never set", pipe, what))
            }
            Self::Misaligned { loc, address, align } => new(
                codes::RUN_ADDRESS,
                text!("a tile at address {address} of `{loc}`", address, loc),
            )
            .legal(text!("tiles of `{loc}` start at multiples of {align} bytes", loc, align)),
            Self::Window { at, size, tile } => new(
                codes::RUN_BOUNDS,
                text!(
                    "a window of {size}x{size2} at [{at}, {at2}] of a tile with {tile}x{tile2}",
                    size = size.0,
                    size2 = size.1,
                    at = at.0,
                    at2 = at.1,
                    tile = tile.0,
                    tile2 = tile.1
                ),
            )
            .legal(text!("a window inside the tile")),
            Self::WindowBoxes { at, unit } => {
                new(codes::RUN_BOUNDS, text!("a window at [{at}, {at2}] starts inside a box", at = at.0, at2 = at.1))
                    .legal(text!("offsets in multiples of {unit}x{unit2}", unit = unit.0, unit2 = unit.1))
            }
            Self::Valid { rows, cols, tile } => new(
                codes::RUN_VALID,
                text!(
                    "a valid region of {rows}x{cols} in a tile of {tile}x{tile2}",
                    rows,
                    cols,
                    tile = tile.0,
                    tile2 = tile.1
                ),
            )
            .legal(text!("0 to {tile} rows, 0 to {tile2} columns", tile = tile.0, tile2 = tile.1)),
            Self::Slot { slot, count } => new(codes::RUN_BOUNDS, text!("buffer {slot} of a multi-buffered tile", slot))
                .legal(text!("0 to {count}", count = count - 1)),
            Self::Extent { what, dimension, value } => {
                new(codes::RUN_VALUE, text!("{what} {dimension} is {value}", what, dimension, value))
                    .legal(text!("0 or more"))
            }
            Self::Partition { dimension, offset, size, extent } => new(
                codes::RUN_BOUNDS,
                text!(
                    "dimension {dimension} of the window is {size} at {offset}, the tensor has {extent}",
                    dimension,
                    size,
                    offset,
                    extent
                ),
            )
            .legal(text!("a window inside the tensor")),
            Self::Dimension { index, rank } => new(codes::RUN_BOUNDS, text!("dimension {index}", index))
                .legal(text!("0 to {i64}", i64 = i64::from(rank) - 1)),
            Self::NoBuffer(address) => new(
                codes::RUN_OUTSIDE,
                text!("address {address} is in no buffer", address = format_args!("{:#x}", address)),
            )
            .help(text!("global memory is reached through pointer arguments")),
            Self::Bytes { buffer: at, first, end, bytes } => new(
                codes::RUN_OUTSIDE,
                text!("bytes {first} to {end} of {buffer}, which has {bytes}", first, end, buffer = buffer(at), bytes),
            )
            .help(text!("give the argument more data, or correct shape, strides or offsets")),
            Self::SpaceBytes { loc, first, end, size } => new(
                codes::RUN_OUTSIDE,
                text!("bytes {first} to {end} of `{loc}`, which has {size}", first, end, loc, size),
            ),
            Self::ReadOnly(at) => new(
                codes::RUN_ARGUMENT,
                text!("{buffer} is written to, but was given to be read only", buffer = buffer(at)),
            )
            .help(text!("pass memory that may be written")),
            Self::Peer(text) => new(codes::RUN_RANK, text),
            Self::Index { index, extent } => new(codes::RUN_BOUNDS, text!("index {index}", index))
                .legal(text!("0 or more, less than {extent}", extent)),
            Self::Fault(fault, view) => say_fault(*fault, &new, &view.map_or(text!("the window").to_string(), buffer)),
            Self::Rule(d) => *d,
            Self::Unwritten(text) => unwritten(new(codes::RUN_UNWRITTEN, text)),
            Self::Memory(text) => new(codes::RUN_MEMORY, text),
            Self::NoMemory(bytes) => new(codes::RUN_LIMIT, text!("there are no {bytes} bytes of memory", bytes)),
            Self::OnChipView => {
                new(codes::RUN_UNSUPPORTED, text!("a window of on-chip memory where global memory is expected").into())
            }
            Self::Unaligned => new(codes::RUN_VALUE, text!("an address inside a byte").into()),
            Self::SignalId(id) => new(codes::RUN_VALUE, text!("signal {id}", id))
                .legal(text!("0 to 15; the cube core of a5 adds 16 for the second vector core")),
            Self::SignalOverflow { id, limit } => {
                new(codes::RUN_PIPE, text!("signal {id} was sent more than {limit} times without a wait", id, limit))
                    .help(text!("wait for the signal as often as it is sent"))
            }
            Self::SlotType { pushed, popped } => new(
                codes::RUN_PIPE,
                text!("elements of {popped} bits from a slot with elements of {pushed} bits", popped, pushed),
            )
            .legal(text!("the element type that was pushed")),
            Self::SlotFault(fault) => match *fault {
                Fault::OutsideBuffer { first, end, bytes } => new(
                    codes::RUN_PIPE,
                    text!("bytes {first} to {end} of a slot, which has {bytes}", first, end, bytes),
                )
                .legal(text!("slot_size = {end} or more, at both ends of the pipe", end)),
                fault => say_fault(fault, &new, text!("the slot")),
            },
            Self::NotAllocated => new(codes::RUN_PIPE, text!("a slot that was not allocated").into())
                .help(text!("`talloc` gives the next slot")),
            Self::NotExecuted => {
                new(codes::RUN_UNSUPPORTED, text!("internal error: nothing executes this step of the plan").into())
            }
            Self::NotPopped => new(codes::RUN_PIPE, text!("nothing was popped that is not free already").into())
                .help(text!("free each entry once, after its pop")),
        };
        let d = match (core.who.among.blocks > 1, core.role()) {
            (false, Role::Whole) => d,
            (true, Role::Whole) => d.label(span, text!("in block {block}", block = core.who.id.block)),
            (_, Role::Cube) => d.label(span, text!("in block {block}, on the cube core", block = core.who.id.block)),
            (_, Role::Vector) => d.label(
                span,
                text!("in block {block}, on vector core {sub}", block = core.who.id.block, sub = core.who.id.sub),
            ),
        };
        // What the block printed before leads to what went wrong.
        let printed = &core.outside.printed;
        let last = printed[printed.len().saturating_sub(LAST_LINES)..].iter().map(Printed::to_string);
        let text: String = last.collect();
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(LAST_LINES)..]
            .iter()
            .fold(d, |d, line| d.label(span, text!("printed before: {line}", line)))
    }
}

fn say_fault(fault: Fault, new: &dyn Fn(pto_isa::Code, String) -> Diagnostic, buffer: &str) -> Diagnostic {
    match fault {
        Fault::DivisionByZero { row, col } => {
            new(codes::RUN_DIVISION, text!("the divisor at [{row}, {col}] is zero", row, col))
                .help(text!("integer division by zero has no result; test or change the divisor first"))
        }
        Fault::OutsideBuffer { first, end, bytes } => new(
            codes::RUN_OUTSIDE,
            text!("bytes {first} to {end} of {buffer}, which has {bytes}", first, end, buffer, bytes),
        )
        .help(text!("give the argument more data, or correct shape, strides or offsets")),
        Fault::WindowMismatch { tile, window } => {
            let d = new(
                codes::RUN_VALID,
                text!(
                    "the tile is valid in {tile}x{tile2}, the window has {window}x{window2}",
                    tile = tile.0,
                    tile2 = tile.1,
                    window = window.0,
                    window2 = window.1
                ),
            )
            .legal(text!("a window that covers the valid region"));
            match tile.0 as u64 * tile.1 as u64 == window.0 * window.1 {
                true => d.help(text!("both have as many elements: give the tile the shape of the window with `pto.treshape`, or make a window of {tile}x{tile2}", tile = tile.0, tile2 = tile.1)),
                false => d,
            }
        }
        Fault::TooFewScales { columns, words } => {
            new(codes::RUN_VALID, text!("{words} scale words for {columns} columns", words, columns))
                .legal(text!("one word per column"))
        }
        Fault::IndexOutOfRange { row, col, index, limit } => {
            new(codes::RUN_BOUNDS, text!("the index at [{row}, {col}] is {index}", row, col, index))
                .legal(text!("0 or more, less than {limit}", limit))
        }
        Fault::Operands { takes } => new(
            codes::RUN_UNSUPPORTED,
            text!("internal error: the code of this instruction takes {takes}, and was given other operands", takes),
        ),
    }
}
