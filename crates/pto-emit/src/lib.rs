//! C++ for the device, against the public PTO headers.
//!
//! [`cpp`] takes a checked program and gives the text of a translation unit: includes, functions with the marks of
//! the device compiler, tile and tensor types, addresses, control flow, and one call per instruction. How an
//! instruction is spelled is a column of its table row ([`pto_isa::row::Cpp`]); only what has no call of its own
//! (memory, views, control flow, pipes between cores) is known here.
//!
//! The same program gives the same bytes, always. What C++ cannot express is a diagnostic, and then there is no text.
//!
//! A tile without an address gets one: tiles of a function lie one after another, nothing is shared ([`mod@place`]).
//! A pass that plans memory or inserts synchronisation comes before this crate, and leaves it nothing to place.
//!
//! ```
//! use pto_isa::Target;
//! let (module, problems) = pto_syntax::parse(
//!     "func.func @largest(%x: !pto.ptr<f32>) {
//!        %a = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>
//!        pto.tmax ins(%a, %a : !pto.tile_buf<vec, 16x16xf32>, !pto.tile_buf<vec, 16x16xf32>)
//!                 outs(%a : !pto.tile_buf<vec, 16x16xf32>)
//!        return
//!      }",
//! );
//! assert!(problems.is_empty());
//! let checked = pto_check::check(module, Target::A5).expect("legal");
//! let text = pto_emit::cpp(&checked, &pto_emit::Options::default()).expect("C++ can express it");
//! assert!(text.contains("__global__ AICORE void largest(__gm__ float *x) {"));
//! assert!(text.contains("TMAX(a, a, a);"));
//! ```

mod cpp;
mod place;

pub use cpp::{emits, spellings};

use pto_check::{Checked, pipe_of};
use pto_ir::convert;
use pto_isa::row::{Effect, Pipes};
use pto_isa::{Diagnostic, Family, Pipe, Span, Target, codes};
use std::collections::HashSet;

/// How the text looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Style {
    /// Names of the program where they are legal, tile types under short names, lines of the source in comments.
    #[default]
    Readable,
    /// As the public assembler writes it: values are `v1`, `v2`, …, types are written out where they stand.
    Plain,
}

/// Whether flags and barriers are inserted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Sync {
    /// As the program has them.
    #[default]
    None,
    /// Where the program lacks them.
    Auto,
}

/// What to emit.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// The name of the source in the head of the text.
    pub source: &'a str,
    /// The line of a position in the source, for comments.
    pub line: Option<&'a dyn Fn(u32) -> u32>,
    /// How the text looks.
    pub style: Style,
    /// The level the program must have; any when left out.
    pub level: Option<u8>,
    /// Whether synchronisation is inserted.
    pub sync: Sync,
    /// Views that do not state their layout get the one their strides and tiles say; else they are ND.
    pub infer_layout: bool,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self { source: "", line: None, style: Style::default(), level: None, sync: Sync::default(), infer_layout: true }
    }
}

/// The program as C++ for the target it was checked for.
///
/// # Errors
/// Everything that C++ cannot express there, in source order.
pub fn cpp(checked: &Checked, options: &Options<'_>) -> Result<String, Vec<Diagnostic>> {
    let target = checked.info().target;
    if target == Target::Cpu {
        let message = "C++ is emitted for a device, not for the host";
        return Err(vec![Diagnostic::new(codes::EMIT_UNSUPPORTED, Span::default(), message).legal("a2a3, a5")]);
    }
    if options.sync == Sync::Auto {
        check_sync(checked)?;
    }
    check_level(checked, options.level)?;
    let module = checked.module();
    if !module.order().iter().any(|&id| module.is_value_form(id)) {
        return cpp::emit(checked, options);
    }
    let buffers = pto_check::check(convert::to_buffers(module)?, target)?;
    cpp::emit(&buffers, options)
}

/// A stated level must be that of the program: addresses at level 3, none below.
fn check_level(checked: &Checked, level: Option<u8>) -> Result<(), Vec<Diagnostic>> {
    use pto_isa::table::op;
    let Some(level) = level else { return Ok(()) };
    let module = checked.module();
    let Some(addr) = op::alloc_tile.row().slot("addr") else { return Ok(()) };
    let mut problems = Vec::new();
    for id in module.order() {
        let code = module.op(id).op;
        let found = match (code, module.in_slot(id, addr).next().is_some(), level) {
            (op::alloc_tile | op::alloc_multi_tile, false, 3) => "a tile without an address at level 3",
            (op::alloc_tile | op::alloc_multi_tile, true, 1 | 2) => "a tile with an address below level 3",
            (op::tassign, _, 1 | 2) => "an address that is assigned below level 3",
            _ => continue,
        };
        let legal = if level == 3 { "`addr = …` on every tile" } else { "no addresses; or level 3" };
        problems.push(Diagnostic::new(codes::EMIT_LEVEL, module.op(id).name_span, found).legal(legal));
    }
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// Nothing inserts synchronisation yet; functions that have their own, or need none, are as they must be.
fn check_sync(checked: &Checked) -> Result<(), Vec<Diagnostic>> {
    let module = checked.module();
    let mut problems = Vec::new();
    for function in module.functions() {
        let (mut pipes, mut ordered) = (HashSet::new(), false);
        for &region in module.op_regions(function) {
            for &block in &module.region(region).blocks {
                module.walk(block, &mut |id| {
                    let row = module.op(id).op.row();
                    ordered |= row.effect == Effect::Sync && row.family == Family::Sync;
                    if row.effect == Effect::Operands || row.family == Family::Fifo {
                        // A pipe that depends on operands nobody can see is another one.
                        let unknown = (!matches!(row.pipe, Pipes::None)).then_some(Pipe::All);
                        let pipe = pipe_of(module, id, checked.info().target).or(unknown);
                        pipes.extend(pipe.filter(|p| *p != Pipe::S));
                    }
                });
            }
        }
        if pipes.len() > 1 && !ordered {
            let names: Vec<_> = Pipe::REAL.into_iter().filter(|p| pipes.contains(p)).map(Pipe::name).collect();
            let message = format!("nothing orders the pipes of this function: {}", names.join(", "));
            let d = Diagnostic::new(codes::EMIT_SYNC, module.op(function).name_span, message);
            problems.push(d.legal("flags and barriers in the program").help("write them, and emit with `--sync none`"));
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}
