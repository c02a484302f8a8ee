//! Diagnostics for the reasons to stop a run.

use super::core::Core;
use super::fail::{Fail, unwritten};
use super::iterations::{Endless, MOST_SCALAR, MOST_WITH_MEMORY};
use crate::kernels::Fault;
use crate::prepared::{Role, StepId};
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
                .map_or("allocated memory".to_string(), |p| format!("`%{}`", p.name))
        };
        let new = |code, text: String| Diagnostic::new(code, span, format!("`{name}`: {text}"));
        let d = match self {
            Self::Stopped => new(codes::RUN_LIMIT, "the run was stopped".into()),
            Self::Endless(why) => {
                let text = match why {
                    Endless::SameState => {
                        "the loop never ends: it returns to the same scalars and accesses no memory".into()
                    }
                    Endless::Iterations(n) => {
                        format!("{n} iterations of loops without an instruction that works on tiles")
                    }
                };
                new(codes::RUN_LIMIT, text)
                    .legal(format!("at most {MOST_SCALAR} iterations of scalar code alone, {MOST_WITH_MEMORY} where it reads or writes memory"))
                    .help("check the condition that ends the loop")
            }
            Self::Step(n) => new(codes::RUN_VALUE, format!("a loop step of {n}")).legal("at least 1"),
            Self::ScalarDivision => {
                new(codes::RUN_DIVISION, "division by zero".into()).help("test the divisor before dividing")
            }
            Self::Trap => new(codes::RUN_TRAP, "the program executed a trap".into()),
            Self::Address { loc, address, bytes, size } => {
                new(codes::RUN_ADDRESS, format!("a tile of {bytes} bytes at address {address} of `{loc}`"))
                    .legal(format!("`{loc}` has {size} bytes on {}", plan.source.checked.info().target))
            }
            Self::PipeStuck { pipe, what } => {
                new(codes::RUN_DEADLOCK, format!("deadlock: {pipe} waits for {what}, which is never set"))
            }
            Self::Misaligned { loc, address, align } => {
                new(codes::RUN_ADDRESS, format!("a tile at address {address} of `{loc}`"))
                    .legal(format!("tiles of `{loc}` start at multiples of {align} bytes"))
            }
            Self::Window { at, size, tile } => new(
                codes::RUN_BOUNDS,
                format!(
                    "a window of {}x{} at [{}, {}] of a tile with {}x{}",
                    size.0, size.1, at.0, at.1, tile.0, tile.1
                ),
            )
            .legal("a window inside the tile"),
            Self::WindowBoxes { at, unit } => {
                new(codes::RUN_BOUNDS, format!("a window at [{}, {}] starts inside a box", at.0, at.1))
                    .legal(format!("offsets in multiples of {}x{}", unit.0, unit.1))
            }
            Self::Valid { rows, cols, tile } => {
                new(codes::RUN_VALID, format!("a valid region of {rows}x{cols} in a tile of {}x{}", tile.0, tile.1))
                    .legal(format!("0 to {} rows, 0 to {} columns", tile.0, tile.1))
            }
            Self::Slot { slot, count } => new(codes::RUN_BOUNDS, format!("buffer {slot} of a multi-buffered tile"))
                .legal(format!("0 to {}", count - 1)),
            Self::Extent { what, dimension, value } => {
                new(codes::RUN_VALUE, format!("{what} {dimension} is {value}")).legal("0 or more")
            }
            Self::Partition { dimension, offset, size, extent } => new(
                codes::RUN_BOUNDS,
                format!("dimension {dimension} of the window is {size} at {offset}, the tensor has {extent}"),
            )
            .legal("a window inside the tensor"),
            Self::Dimension { index, rank } => {
                new(codes::RUN_BOUNDS, format!("dimension {index}")).legal(format!("0 to {}", i64::from(rank) - 1))
            }
            Self::NoBuffer(address) => new(codes::RUN_OUTSIDE, format!("address {address:#x} is in no buffer"))
                .help("global memory is reached through pointer arguments"),
            Self::Bytes { buffer: at, first, end, bytes } => {
                new(codes::RUN_OUTSIDE, format!("bytes {first} to {end} of {}, which has {bytes}", buffer(at)))
                    .help("give the argument more data, or correct shape, strides or offsets")
            }
            Self::SpaceBytes { loc, first, end, size } => {
                new(codes::RUN_OUTSIDE, format!("bytes {first} to {end} of `{loc}`, which has {size}"))
            }
            Self::ReadOnly(at) => {
                new(codes::RUN_ARGUMENT, format!("{} is written to, but was given to be read only", buffer(at)))
                    .help("pass memory that may be written")
            }
            Self::Index { index, extent } => {
                new(codes::RUN_BOUNDS, format!("index {index}")).legal(format!("0 or more, less than {extent}"))
            }
            Self::Fault(fault, view) => say_fault(fault, &new, &view.map_or("the window".to_string(), buffer)),
            Self::Rule(d) => *d,
            Self::Unwritten(text) => unwritten(new(codes::RUN_UNWRITTEN, text)),
            Self::Memory(text) => new(codes::RUN_MEMORY, text),
            Self::NoMemory(bytes) => new(codes::RUN_LIMIT, format!("there are no {bytes} bytes of memory")),
            Self::OnChipView => {
                new(codes::RUN_UNSUPPORTED, "a window of on-chip memory where global memory is expected".into())
            }
            Self::Unaligned => new(codes::RUN_VALUE, "an address inside a byte".into()),
            Self::SignalId(id) => new(codes::RUN_VALUE, format!("signal {id}"))
                .legal("0 to 15; the cube core of a5 adds 16 for the second vector core"),
            Self::SignalOverflow { id, limit } => {
                new(codes::RUN_PIPE, format!("signal {id} was sent more than {limit} times without a wait"))
                    .help("wait for the signal as often as it is sent")
            }
            Self::SlotType { pushed, popped } => {
                new(codes::RUN_PIPE, format!("elements of {popped} bits from a slot with elements of {pushed} bits"))
                    .legal("the element type that was pushed")
            }
            Self::SlotFault(Fault::OutsideBuffer { first, end, bytes }) => {
                new(codes::RUN_PIPE, format!("bytes {first} to {end} of a slot, which has {bytes}"))
                    .legal(format!("slot_size = {end} or more, at both ends of the pipe"))
            }
            Self::SlotFault(fault) => say_fault(fault, &new, "the slot"),
            Self::NotAllocated => {
                new(codes::RUN_PIPE, "a slot that was not allocated".into()).help("`talloc` gives the next slot")
            }
            Self::NotExecuted => {
                new(codes::RUN_UNSUPPORTED, "internal error: nothing executes this step of the plan".into())
            }
            Self::NotPopped => new(codes::RUN_PIPE, "nothing was popped that is not free already".into())
                .help("free each entry once, after its pop"),
        };
        let d = match (core.who.blocks > 1, core.role()) {
            (false, Role::Whole) => d,
            (true, Role::Whole) => d.label(span, format!("in block {}", core.who.block)),
            (_, Role::Cube) => d.label(span, format!("in block {}, on the cube core", core.who.block)),
            (_, Role::Vector) => d.label(span, format!("in block {}, on vector core {}", core.who.block, core.who.sub)),
        };
        // What the block printed before leads to what went wrong.
        let lines: Vec<&str> = core.outside.printed.lines().collect();
        lines[lines.len().saturating_sub(LAST_LINES)..]
            .iter()
            .fold(d, |d, line| d.label(span, format!("printed before: {line}")))
    }
}

fn say_fault(fault: Fault, new: &dyn Fn(pto_isa::Code, String) -> Diagnostic, buffer: &str) -> Diagnostic {
    match fault {
        Fault::DivisionByZero { row, col } => {
            new(codes::RUN_DIVISION, format!("the divisor at [{row}, {col}] is zero"))
                .help("integer division by zero has no result; test or change the divisor first")
        }
        Fault::OutsideBuffer { first, end, bytes } => {
            new(codes::RUN_OUTSIDE, format!("bytes {first} to {end} of {buffer}, which has {bytes}"))
                .help("give the argument more data, or correct shape, strides or offsets")
        }
        Fault::WindowMismatch { tile, window } => {
            let d = new(
                codes::RUN_VALID,
                format!("the tile is valid in {}x{}, the window has {}x{}", tile.0, tile.1, window.0, window.1),
            )
            .legal("a window that covers the valid region");
            match tile.0 as u64 * tile.1 as u64 == window.0 * window.1 {
                true => d.help(format!(
                    "both have as many elements: give the tile the shape of the window with `pto.treshape`, or make a window of {}x{}",
                    tile.0, tile.1
                )),
                false => d,
            }
        }
        Fault::TooFewScales { columns, words } => {
            new(codes::RUN_VALID, format!("{words} scale words for {columns} columns")).legal("one word per column")
        }
        Fault::IndexOutOfRange { row, col, index, limit } => {
            new(codes::RUN_BOUNDS, format!("the index at [{row}, {col}] is {index}"))
                .legal(format!("0 or more, less than {limit}"))
        }
        Fault::Operands { takes } => new(
            codes::RUN_UNSUPPORTED,
            format!("internal error: the code of this instruction takes {takes}, and was given other operands"),
        ),
    }
}
