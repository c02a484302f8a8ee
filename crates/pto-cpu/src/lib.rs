//! Runs PTO programs on the host.
//!
//! A [`Plan`] is a program resolved once: kernels chosen, tiles placed, loops turned into jumps, scalars into registers.
//! It can be run any number of times on borrowed memory.
//!
//! ```
//! use pto_cpu::{Arg, Options, Plan};
//! use pto_isa::Target;
//!
//! let (module, _) = pto_syntax::parse("
//!     func.func @twice(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) {
//!       %one = arith.constant 1 : index
//!       %n = arith.constant 16 : index
//!       %xs = pto.make_tensor_view %x, shape = [%n, %n], strides = [%n, %one] : !pto.tensor_view<16x16xf32>
//!       %ys = pto.make_tensor_view %y, shape = [%n, %n], strides = [%n, %one] : !pto.tensor_view<16x16xf32>
//!       %t = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>
//!       pto.tload ins(%xs : !pto.tensor_view<16x16xf32>) outs(%t : !pto.tile_buf<vec, 16x16xf32>)
//!       pto.tadd ins(%t, %t : !pto.tile_buf<vec, 16x16xf32>, !pto.tile_buf<vec, 16x16xf32>)
//!                outs(%t : !pto.tile_buf<vec, 16x16xf32>)
//!       pto.tstore ins(%t : !pto.tile_buf<vec, 16x16xf32>) outs(%ys : !pto.tensor_view<16x16xf32>)
//!       return
//!     }");
//! let checked = pto_check::check(module, Target::A2A3).expect("a legal program");
//! let plan = Plan::new(&checked, None, Options::default()).expect("one entry");
//!
//! let x = vec![1.5f32; 256];
//! let mut y = vec![0.0f32; 256];
//! plan.launch().run(&mut [Arg::read(&x), Arg::write(&mut y)]).expect("it runs");
//! assert_eq!(y, vec![3.0; 256]);
//! ```

mod args;
pub mod clock;
mod guard;
mod held;
pub mod kernels;
pub mod machine;
mod memory;
mod pages;
mod plan;
mod prepared;
mod printed;
mod run;
mod stop;
mod written;

pub use args::{Arg, Borrowed, Number, Options, Param, ParamKind, RunReport, Timing, Uninitialised};
pub use guard::lock_words;
pub use kernels::Numerics;
pub use pages::prefer_large_pages;
pub use plan::{asked_again, asked_again_in, loaded_tile, reads_element, sources};
pub use prepared::{IterationKey, LoopIteration, LoopIterations, Plan, Role, Set};
pub use printed::{CoreCounts, Printed};
pub use run::{
    Access, Action, AddressSpace, Answer, Atomic, CACHE_LINE, CoreId, DEVICE, Detail, ElementNumber, Event, Extent,
    Flag, Formula, Kept, KeptIn, Known, Launch, Measure, Observer, PeerRanks, PeerRows, PeerStop, PeerWordChange,
    RegisterChange, RegisterSnapshot, Remains, Replay, ReplayMemory, Ring, Signal, SignalWord, StepDone, StoredWord,
    TileContents, TilePlace, ViewPlace, diagnostics_from_bytes, diagnostics_to_bytes, numbers_of,
};
pub use stop::StopWhen;

/// True when the engine executes an operation: by a kernel, or itself.
pub fn runs(op: pto_isa::Op) -> bool {
    plan::runs(op)
}
