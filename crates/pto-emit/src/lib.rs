//! C++ for the device, against the public PTO headers.
//!
//! [`cpp`] takes a checked program and gives the text of a translation unit: includes, functions with the marks of
//! the device compiler, tile and tensor types, addresses, control flow, and one call per instruction. How an
//! instruction is spelled is a column of its table row ([`pto_isa::row::Cpp`]); only what has no call of its own
//! (memory, views, control flow, pipes between cores) is known here.
//!
//! The same program gives the same bytes, always. What C++ cannot express is a diagnostic, and then there is no text.
//!
//! What the program leaves open is filled in first by the passes of `pto-opt`: buffers for tile values, scratch tiles, addresses for tiles and, where it is
//! asked for, flags and barriers.
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

use pto_check::Checked;
use pto_ir::OpId;
use pto_isa::table::op;
use pto_isa::{Diagnostic, Span, Target, codes};
use std::borrow::Cow;

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
    check_level(checked, options.level)?;
    let lowered = lower(checked, options.sync)?;
    cpp::emit(&lowered, options)
}

/// What C++ needs and the program leaves open: buffers for tile values, scratch tiles, addresses for tiles, and order between pipes where it is asked for.
fn lower(checked: &Checked, sync: Sync) -> Result<Cow<'_, Checked>, Vec<Diagnostic>> {
    let target = checked.info().target;
    let mut lowered = Cow::Borrowed(checked);
    if pto_opt::needs_buffers(checked) {
        lowered = Cow::Owned(pto_check::check(pto_opt::to_buffers(&lowered)?, target)?);
    }
    if let Some(with_scratch) = pto_opt::provide_scratch(&lowered) {
        lowered = Cow::Owned(pto_check::check(with_scratch, target)?);
    }
    if needs_places(&lowered) {
        let planned = pto_opt::plan_memory(&lowered, pto_opt::plan::Options::default())?;
        lowered = Cow::Owned(pto_check::check(planned.module, target)?);
    }
    if sync == Sync::Auto {
        let synced = pto_opt::insert_sync(&lowered, pto_opt::Mode::Minimal);
        lowered = Cow::Owned(pto_check::check(synced.module, target)?);
    }
    Ok(lowered)
}

/// A tile or a buffer of a pipe has no address, and its function does not give it one later.
fn needs_places(checked: &Checked) -> bool {
    let module = checked.module();
    let open = |id: &OpId| match module.op(*id).op {
        code @ (op::alloc_tile | op::alloc_multi_tile) => {
            let given = code.row().slot("addr").is_some_and(|slot| module.in_slot(*id, slot).next().is_some());
            !given && !checked.info().manual[id.index()]
        }
        op::memref_alloc => module.results(*id).any(|v| module.value_type(v).local_tile().is_some()),
        op::reserve_buffer => module.attr(*id, "base").is_none(),
        _ => false,
    };
    module.order().iter().any(open)
}

/// A stated level must be that of the program: addresses at level 3, none below.
fn check_level(checked: &Checked, level: Option<u8>) -> Result<(), Vec<Diagnostic>> {
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
