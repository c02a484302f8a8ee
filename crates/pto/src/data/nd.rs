//! Arguments from arrays of the `ndarray` crate.

use crate::cpu::{Arg, Number};
use ndarray::{ArrayView, ArrayViewMut, Dimension};
use std::fmt;

/// An array that is not one piece of memory in row-major order, so that a program cannot be given it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotContiguous {
    shape: Vec<usize>,
    strides: Vec<isize>,
}

impl fmt::Display for NotContiguous {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { shape, strides } = self;
        write!(
            f,
            "the array of shape {shape:?} has strides {strides:?}; a program needs it in row-major order without gaps: "
        )?;
        f.write_str("pass `a.as_standard_layout()`")
    }
}

impl std::error::Error for NotContiguous {}

/// An array that a program only reads.
///
/// # Errors
/// When the array has gaps or is not in row-major order.
///
/// ```
/// use ndarray::Array2;
/// use pto::data::{read_view, write_view};
/// use pto::{Program, Target};
///
/// let program = Program::parse(
///     "func.func @twice(%x: !pto.ptr<f32>, %y: !pto.ptr<f32>) {
///        %one = arith.constant 1 : index
///        %n = arith.constant 16 : index
///        %xs = pto.make_tensor_view %x, shape = [%n, %n], strides = [%n, %one] : !pto.tensor_view<16x16xf32>
///        %ys = pto.make_tensor_view %y, shape = [%n, %n], strides = [%n, %one] : !pto.tensor_view<16x16xf32>
///        %t = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>
///        pto.tload ins(%xs : !pto.tensor_view<16x16xf32>) outs(%t : !pto.tile_buf<vec, 16x16xf32>)
///        pto.tadd ins(%t, %t : !pto.tile_buf<vec, 16x16xf32>, !pto.tile_buf<vec, 16x16xf32>)
///                 outs(%t : !pto.tile_buf<vec, 16x16xf32>)
///        pto.tstore ins(%t : !pto.tile_buf<vec, 16x16xf32>) outs(%ys : !pto.tensor_view<16x16xf32>)
///        return
///      }",
/// );
/// let x = Array2::from_shape_fn((16, 16), |(i, j)| (i * 16 + j) as f32);
/// let mut y = Array2::<f32>::zeros((16, 16));
/// program.run(Target::A2A3, &mut [read_view(x.view())?, write_view(y.view_mut())?]).expect("it runs");
/// assert_eq!(y, &x + &x);
///
/// let error = read_view(x.t()).unwrap_err();
/// assert!(error.to_string().contains("row-major order"));
/// # Ok::<(), pto::data::NotContiguous>(())
/// ```
#[expect(clippy::needless_pass_by_value, reason = "views are passed around like slices")]
pub fn read_view<T: Number, D: Dimension>(view: ArrayView<'_, T, D>) -> Result<Arg<'_>, NotContiguous> {
    let error = NotContiguous { shape: view.shape().to_vec(), strides: view.strides().to_vec() };
    view.to_slice().map(Arg::read).ok_or(error)
}

/// An array that a program may write.
///
/// # Errors
/// When the array has gaps or is not in row-major order.
pub fn write_view<T: Number, D: Dimension>(view: ArrayViewMut<'_, T, D>) -> Result<Arg<'_>, NotContiguous> {
    let error = NotContiguous { shape: view.shape().to_vec(), strides: view.strides().to_vec() };
    view.into_slice().map(Arg::write).ok_or(error)
}
