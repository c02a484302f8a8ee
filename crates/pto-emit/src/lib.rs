//! C++ for the device, against the public PTO headers.
//!
//! [`cpp`] takes a checked program and gives the text of a translation unit: includes, functions with the marks of
//! the device compiler, tile and tensor types, addresses, control flow, and one call per instruction. How an
//! instruction is spelled is a column of its table row ([`pto_isa::row::Cpp`]); only what has no call in C++
//! (memory, views, control flow, pipes between cores) is known here.
//!
//! The same program gives the same bytes, always. What C++ cannot express is a diagnostic, and then there is no text.
//!
//! What the program leaves open is filled in first by the passes of `pto-opt`: buffers for tile values, scratch tiles, addresses for tiles, and flags and
//! barriers for kernels that state no order ([`InsertSync`]). [`emit`] also gives warnings: about accesses that nothing orders.
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
mod order;
mod place;

pub use cpp::{emits, spellings};

use pto_check::Checked;
use pto_isa::row::Storage;
use pto_isa::text;
use pto_isa::{Diagnostic, Error, Severity, Span, Target, codes};

/// How the text looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CppStyle {
    /// Names of the program where they are legal, tile types under short names, lines of the source in comments.
    #[default]
    Readable,
    /// As the public assembler writes it: values are `v1`, `v2`, …, types are written out where they stand.
    Plain,
}

/// Whether flags and barriers are inserted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum InsertSync {
    /// In kernels without any order: no flag, event, barrier or buffer token, in no function that they call or that
    /// calls them. The others are emitted as they are.
    #[default]
    Unstated,
    /// Wherever they are missing, also beside flags of the program.
    Auto,
    /// Nowhere: as the program has them.
    None,
}

impl InsertSync {
    fn mode(self) -> pto_opt::SyncMode {
        match self {
            Self::Unstated => pto_opt::SyncMode::Unstated,
            Self::Auto => pto_opt::SyncMode::Minimal,
            Self::None => pto_opt::SyncMode::None,
        }
    }
}

/// What to emit.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// The name of the source in the head of the text.
    pub source: &'a str,
    /// The line of a position in the source, for comments.
    pub line: Option<&'a dyn Fn(u32) -> u32>,
    /// How the text looks.
    pub style: CppStyle,
    /// The level the program must have; any when left out.
    pub level: Option<u8>,
    /// Whether synchronisation is inserted.
    pub sync: InsertSync,
    /// Views that do not state their layout get the one their strides and tiles say; else they are ND.
    pub infer_layout: bool,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            source: "",
            line: None,
            style: CppStyle::default(),
            level: None,
            sync: InsertSync::default(),
            infer_layout: true,
        }
    }
}

/// C++, and what is known about it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Emitted {
    /// The text.
    pub text: String,
    /// The program that the text says, with everything that was filled in. Positions are those of the source.
    pub program: Checked,
    /// Functions of that program into which no flags were to be inserted.
    pub as_they_are: Vec<pto_ir::OpId>,
    /// Accesses that nothing orders, as far as the text of the program tells.
    pub unordered: pto_opt::sync::Unordered,
}

impl Emitted {
    /// The text has no flag, event, barrier or buffer token, and would need some.
    pub fn has_no_order(&self) -> bool {
        !self.unordered.pairs.is_empty() && !pto_opt::sync::states_order(self.program.module())
    }

    /// Warnings: accesses that nothing orders. The program is not executed for them, so one that is ordered in a way that cannot be seen from its text
    /// (branches that are always taken together) may get one, too.
    pub fn warnings(&self) -> Vec<Diagnostic> {
        order::warning(self.program.module(), &self.unordered).into_iter().collect()
    }
}

/// The program as C++ for the target it was checked for.
///
/// # Errors
/// Everything that C++ cannot express there, in source order.
pub fn cpp(checked: &Checked, options: &Options<'_>) -> Result<String, Error> {
    emit(checked, options).map(|emitted| emitted.text)
}

/// As [`cpp`], with what is known about the text.
///
/// ```
/// use pto_emit::{Options, InsertSync};
/// let (module, _) = pto_syntax::parse(
///     "func.func @f(%s: f32) {
///        %a = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>
///        pto.texpands ins(%s : f32) outs(%a : !pto.tile_buf<vec, 16x16xf32>)
///        pto.trelu ins(%a : !pto.tile_buf<vec, 16x16xf32>) outs(%a : !pto.tile_buf<vec, 16x16xf32>)
///        return
///      }",
/// );
/// let checked = pto_check::check(module, pto_isa::Target::A2A3).expect("legal");
/// let ordered = pto_emit::emit(&checked, &Options::default()).expect("C++ can express it");
/// assert!(ordered.text.contains("pipe_barrier(PIPE_V);") && ordered.warnings().is_empty());
/// let bare = pto_emit::emit(&checked, &Options { sync: InsertSync::None, ..Options::default() }).expect("C++ can express it");
/// assert!(bare.has_no_order() && bare.warnings().len() == 1);
/// ```
///
/// # Errors
/// Everything that C++ cannot express there, in source order.
pub fn emit(checked: &Checked, options: &Options<'_>) -> Result<Emitted, Error> {
    let target = checked.info().target;
    if target == Target::Cpu {
        let message = text!("C++ is emitted for a device, not for the host");
        return Err(Diagnostic::new(codes::EMIT_UNSUPPORTED, Span::default(), message).legal("a2a3, a5").into());
    }
    check_prints(checked).map_err(|problems| checked.module().error(problems))?;
    check_level(checked, options.level).map_err(|problems| checked.module().error(problems))?;
    // What C++ needs and the program leaves open.
    let lowered = pto_opt::lower(checked, pto_opt::plan::Options::default(), options.sync.mode())?;
    let text = cpp::emit(&lowered.program, options).map_err(|problems| checked.module().error(problems))?;
    let unordered = pto_opt::sync::unordered(&lowered.program, &lowered.as_they_are);
    Ok(Emitted { text, program: lowered.program, as_they_are: lowered.as_they_are, unordered })
}

/// What only the host prints is a warning of the check; for C++ it is an error.
fn check_prints(checked: &Checked) -> Result<(), Vec<Diagnostic>> {
    let unprintable = checked.warnings().iter().filter(|d| d.code == codes::UNPRINTABLE);
    let problems: Vec<Diagnostic> =
        unprintable.map(|d| Diagnostic { severity: Severity::Error, ..d.clone() }).collect();
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// A stated level must be that of the program: addresses at level 3, none below.
fn check_level(checked: &Checked, level: Option<u8>) -> Result<(), Vec<Diagnostic>> {
    let Some(level) = level else { return Ok(()) };
    let module = checked.module();
    let mut problems = Vec::new();
    for id in module.order() {
        let found = match (module.storage(id), module.operand(id, "addr").is_some(), level) {
            (Some(Storage::Tile | Storage::Tiles), false, 3) => text!("a tile without an address at level 3"),
            (Some(Storage::Tile | Storage::Tiles), true, 1 | 2) => text!("a tile with an address below level 3"),
            (Some(Storage::Assign), _, 1 | 2) => text!("an address that is assigned below level 3"),
            _ => continue,
        };
        let legal = if level == 3 { text!("`addr = …` on every tile") } else { text!("no addresses; or level 3") };
        problems.push(Diagnostic::new(codes::EMIT_LEVEL, module.op(id).name_span, found).legal(legal));
    }
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}
