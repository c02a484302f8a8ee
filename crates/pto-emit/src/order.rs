//! The warning about accesses that nothing orders.

use pto_ir::{Module, OpId};
use pto_isa::text;
use pto_isa::{Diagnostic, codes};
use pto_opt::sync::{DependenceKind, Reason, Unordered};

/// One warning for a program: the first pair, and how many there are.
pub(crate) fn warning(module: &Module, unordered: &Unordered) -> Option<Diagnostic> {
    let first = unordered.pairs.first()?;
    let span = |id: OpId| module.op(id).name_span;
    let d = Diagnostic::new(codes::EMIT_UNORDERED, span(first.second), message(module, first))
        .warning()
        .label(span(first.first), text!("the earlier instruction"));
    let d = match unordered.pairs.len() {
        1 => d,
        2 => d.remark(text!("one more pair of instructions is unordered")),
        n => d.remark(text!("{n} more pairs of instructions are unordered", n = n - 1)),
    };
    let help = if pto_opt::sync::states_order(module) {
        text!("`pto race` runs the program and shows what is missing; `pto sync` and `--sync auto` insert it")
    } else {
        text!("flags and barriers are inserted unless `--sync none` says otherwise")
    };
    Some(d.help(help))
}

fn message(module: &Module, pair: &Reason) -> String {
    let name = |id: OpId| module.op(id).op.row().full_name();
    let tile = module.value_name(pair.value);
    let (second, first) = (name(pair.second), name(pair.first));
    let what = match pair.hazard {
        DependenceKind::ReadAfterWrite => {
            text!("`{second}` may read `%{tile}` before `{first}` has written it", second, tile, first)
        }
        DependenceKind::WriteAfterRead => {
            text!("`{second}` may overwrite `%{tile}` before `{first}` has read it", second, tile, first)
        }
        DependenceKind::WriteAfterWrite => {
            text!("`{second}` may write `%{tile}` before `{first}` has written it", second, tile, first)
        }
    };
    text!("{what}: no flag or barrier orders them", what)
}
