//! Records runs of programs, and looks at any moment of them.
//!
//! A [`Recording`] lists the *moments* of a run: every instruction that was executed, in order, over all cores, with the bytes it read and
//! wrote. It also has what registers held, what was stored to global memory, and copies of the memory of cores now and then. The engine is
//! deterministic, so a [`Player`] finds what a tile held at any moment by executing a few instructions again, from the last copy on.
//!
//! ```
//! use pto_cpu::Arg;
//! use pto_trace::{Player, RecordOptions, RecordedSource};
//!
//! # fn main() -> Result<(), pto_isa::Error> {
//! let text = "func.func @twice(%x: !pto.ptr<f32>) {
//!   %c1 = arith.constant 1 : index
//!   %c8 = arith.constant 8 : index
//!   %v = pto.make_tensor_view %x, shape = [%c1, %c8], strides = [%c8, %c1] : !pto.tensor_view<1x8xf32>
//!   %t = pto.alloc_tile : !pto.tile_buf<vec, 1x8xf32>
//!   pto.tload ins(%v : !pto.tensor_view<1x8xf32>) outs(%t : !pto.tile_buf<vec, 1x8xf32>)
//!   pto.tadd ins(%t, %t : !pto.tile_buf<vec, 1x8xf32>, !pto.tile_buf<vec, 1x8xf32>) outs(%t : !pto.tile_buf<vec, 1x8xf32>)
//!   pto.tstore ins(%t : !pto.tile_buf<vec, 1x8xf32>) outs(%v : !pto.tensor_view<1x8xf32>)
//!   return
//! }";
//! let source = RecordedSource::new("twice.pto", text, pto_isa::Target::A5);
//! let mut x = vec![1.5f32; 8];
//! let (_, recording) = pto_trace::record(source, RecordOptions::default(), 1, 1, &mut [Arg::write(&mut x)])?;
//! assert_eq!(recording.len(), 3);
//!
//! let mut player = Player::new(&recording);
//! let (core, t) = (recording.cores()[0], recording.find("t")?);
//! assert_eq!(player.value(core, t, Some(0)).map(|t| t.number(0, 0)), Some(1.5)); // after the load
//! assert_eq!(player.value(core, t, Some(1)).map(|t| t.number(0, 0)), Some(3.0)); // after the addition
//! # Ok(())
//! # }
//! ```

mod bytes;
mod checkpoint;
mod codec;
mod contents;
mod diff;
mod file;
mod find;
mod moment;
mod moments;
mod occurrences;
mod options;
mod player;
mod provenance;
mod record;
mod recorder;
mod recording;
mod streams;
mod writes;

pub use contents::{Contents, ContentsKind};
pub use diff::{
    AllowedError, ArrayName, DefinedAt, DiffCause, DiffOptions, DiffReport, Divergence, DivergenceKind, ElementError,
    ElementErrors, InstructionAt, LineError, NamedArray, OperandElements, OutputError, UnmatchedLine, against, diff,
};
pub use find::{FindKind, FoundNumbers, Suspect, SuspectOperand, find};
pub use moment::{Deed, Moment};
pub use occurrences::{Occurrence, core_name};
pub use options::{RecordOptions, RecordedSource};
pub use player::Player;
pub use provenance::{AxisMap, AxisStart, ElementWrite, OperandPlace, SourceElements, SourceMap};
pub use record::{record, record_with};
pub use recorder::RunRecorder;
pub use recording::{NamedValue, Recording, find_value};
pub use writes::MemoryId;
