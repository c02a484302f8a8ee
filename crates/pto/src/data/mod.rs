//! Numbers for programs: read, made up, summed up, shown, compared, written.
//!
//! An [`Array`] is what a program's memory holds: an element type, extents, and bytes in row-major order. [`npy`] and
//! [`npz`] bring it from and to NumPy.
//!
//! ```
//! use pto::data::{Array, Summary, Tolerance, compare, show};
//! use pto::isa::DType;
//!
//! let x = Array::random(DType::F16, &[4, 8], 7)?;
//! assert_eq!(x, Array::random(DType::F16, &[4, 8], 7)?);      // the same on every machine
//!
//! let y = Array::iota(DType::I32, &[2, 3])?;
//! assert_eq!(show(&y, 80), "[[0 1 2]\n [3 4 5]]");
//! assert_eq!(Summary::of(&y).mean, Some(2.5));
//! assert!(compare(&y, &y, Tolerance::usual(DType::I32))?.matches());
//! # Ok::<(), pto::data::DataError>(())
//! ```

mod array;
mod blocks;
mod compare;
mod error;
#[cfg(feature = "ndarray")]
mod nd;
pub mod npy;
#[cfg(feature = "npz")]
pub mod npz;
mod parts;
mod random;
mod rng;
mod show;
mod summary;
mod value;

pub use array::{Array, shape_text};
pub use compare::{Comparison, Difference, Numbers, Tolerance, compare};
pub use error::DataError;
#[cfg(feature = "ndarray")]
pub use nd::{NotContiguous, read_view, write_view};
pub use show::{show, show_number};
pub use summary::Summary;
pub use value::AnyNumber;
