//! Windows of views, and sums of indices that say how large they are.

use super::handles::{Handle, another_kernel, argument, object};
use super::{Recorder, current, scalar};
use pto::ir::ValueId;
use pto::isa::{ScalarType, Type};
use pto::record::{BinaryScalarOp, CallArg, CallSite};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PySlice};

/// An addition of indices that is not recorded yet: as the end of a slice, `row:row + 16`, it stands for the size 16.
pub(super) struct Waiting {
    sum: Py<Handle>,
    left: ValueId,
    right: CallArg,
    site: CallSite,
}

impl Recorder {
    /// Records the additions that wait.
    pub(super) fn settle(&mut self, py: Python<'_>) -> PyResult<()> {
        for one in std::mem::take(&mut self.waiting) {
            self.settle_one(py, &one)?;
        }
        Ok(())
    }

    /// Records an addition that waits, and those before it.
    fn settle_up_to(&mut self, py: Python<'_>, handle: &Bound<'_, Handle>) -> PyResult<()> {
        let Some(at) = self.waiting.iter().position(|one| one.sum.as_ptr() == handle.as_ptr()) else { return Ok(()) };
        let first: Vec<Waiting> = self.waiting.drain(..=at).collect();
        first.iter().try_for_each(|one| self.settle_one(py, one).map(|_| ()))
    }

    fn settle_one(&mut self, py: Python<'_>, one: &Waiting) -> PyResult<ValueId> {
        if let Some(value) = one.sum.bind(py).get().value.get() {
            return Ok(*value);
        }
        let recording = self.recording.as_mut().ok_or_else(another_kernel)?;
        recording.go_to(one.site);
        let right = scalar(recording, ScalarType::Index, &one.right)?;
        let value = recording.binary(BinaryScalarOp::Add, one.left, right);
        let _ = one.sum.bind(py).get().value.set(value);
        Ok(value)
    }
}

/// Extents as values, and the distances between elements of rows that follow each other.
#[pyfunction]
pub(crate) fn row_major<'py>(
    py: Python<'py>,
    shape: Vec<Bound<'py, PyAny>>,
) -> PyResult<(Bound<'py, PyList>, Bound<'py, PyList>)> {
    let recorder = current(py)?;
    let mut this = recorder.bind(py).borrow_mut();
    this.here(py)?;
    let shape = this.indices(&shape)?;
    let strides = this.recording.as_mut().ok_or_else(another_kernel)?.row_major_strides(&shape);
    Ok((this.objects(py, &shape)?, this.objects(py, &strides)?))
}

/// Where a window starts along each dimension and how large it is, from the subscripts of a view with these extents.
#[pyfunction]
pub(crate) fn window<'py>(
    py: Python<'py>,
    subscripts: Vec<Bound<'py, PyAny>>,
    extents: Vec<Bound<'py, PyAny>>,
) -> PyResult<(Bound<'py, PyList>, Bound<'py, PyList>)> {
    let recorder = current(py)?;
    let mut borrowed = recorder.bind(py).borrow_mut();
    let this = &mut *borrowed;
    let waiting = std::mem::take(&mut this.waiting);
    let mut parts = Vec::new();
    for (subscript, extent) in subscripts.iter().zip(&extents) {
        parts.push(this.subscript(py, subscript, extent, &waiting)?);
    }
    // Sums that are the end of no slice are recorded as ever.
    for one in waiting.iter().filter(|one| !parts.iter().any(|p| p.taken == Some(one.sum.as_ptr() as usize))) {
        this.settle_one(py, one)?;
    }
    let recording = this.recording.as_mut().ok_or_else(another_kernel)?;
    let site = this.codes.site(py, recording)?;
    recording.go_to(site);
    let mut offsets = Vec::new();
    for part in &parts {
        offsets.push(match &part.start {
            Some(start) => this.scalar(ScalarType::Index, start)?,
            None => this.scalar(ScalarType::Index, 0i64.into_pyobject(py)?.as_any())?,
        });
    }
    let mut sizes = Vec::new();
    for (part, offset) in parts.iter().zip(&offsets) {
        let recording = this.recording.as_mut().ok_or_else(another_kernel)?;
        sizes.push(match &part.size {
            WindowSize::Of(size) => scalar(recording, ScalarType::Index, size)?,
            WindowSize::UpTo(stop) => {
                let stop = scalar(recording, ScalarType::Index, stop)?;
                recording.binary(BinaryScalarOp::Sub, stop, *offset)
            }
        });
    }
    Ok((this.objects(py, &offsets)?, this.objects(py, &sizes)?))
}

/// One dimension of a window.
struct WindowPart<'py> {
    start: Option<Bound<'py, PyAny>>,
    size: WindowSize,
    /// The sum that its size was taken from, by address.
    taken: Option<usize>,
}

/// How large a window is.
enum WindowSize {
    Of(CallArg),
    UpTo(CallArg),
}

impl Recorder {
    /// Notes an addition of indices, to be recorded when the next call comes. None where it is something else.
    pub(super) fn postpone<'py>(
        &mut self,
        py: Python<'py>,
        left: &Bound<'py, Handle>,
        right: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.settle_up_to(py, left)?;
        if let Ok(right) = right.cast::<Handle>() {
            self.settle_up_to(py, right)?;
        }
        let (left, right) = (self.value(left)?, argument(self.kernel, right)?);
        let recording = self.recording.as_mut().ok_or_else(another_kernel)?;
        let index = Type::Scalar(ScalarType::Index);
        let fits = match &right {
            CallArg::Int(_) => true,
            CallArg::Value(value) => *recording.type_of(*value) == index,
            _ => false,
        };
        if *recording.type_of(left) != index || !fits || recording.number(left).is_some() {
            return Ok(None);
        }
        let site = self.codes.site(py, recording)?;
        let sum = object(py, Handle::waiting(self.kernel), &index)?;
        let handle = sum.cast::<Handle>()?.clone().unbind();
        self.waiting.push(Waiting { sum: handle, left, right, site });
        Ok(Some(sum))
    }

    #[expect(deprecated, reason = "the other way to count references is unsafe")]
    fn subscript<'py>(
        &mut self,
        py: Python<'py>,
        subscript: &Bound<'py, PyAny>,
        extent: &Bound<'py, PyAny>,
        waiting: &[Waiting],
    ) -> PyResult<WindowPart<'py>> {
        let Ok(slice) = subscript.cast::<PySlice>() else {
            self.settle_if_waiting(py, subscript, waiting)?;
            let size = WindowSize::Of(CallArg::Int(1));
            return Ok(WindowPart { start: Some(subscript.clone()), size, taken: None });
        };
        let part = |name: &str| slice.getattr(name).map(|v| (!v.is_none()).then_some(v));
        let (start, stop, step) = (part("start")?, part("stop")?, part("step")?);
        if step.is_some_and(|step| !step.eq(1).unwrap_or(false)) {
            return Err(PyTypeError::new_err("a window has no step; a view with other strides has: x.strided(...)"));
        }
        if let Some(start) = &start {
            self.settle_if_waiting(py, start, waiting)?;
        }
        let Some(stop) = stop else {
            let extent = argument(self.kernel, extent)?;
            let size = if start.is_none() { WindowSize::Of(extent) } else { WindowSize::UpTo(extent) };
            return Ok(WindowPart { start, size, taken: None });
        };
        let is_sum = |one: &&Waiting| one.sum.as_ptr() == stop.as_ptr();
        if let (Some(start), Some(one)) = (&start, waiting.iter().find(is_sum)) {
            let base = argument(self.kernel, start)?;
            if base == CallArg::Value(one.left) {
                // Nobody else has it: the slice, the list of what waits, and this function.
                let taken = (stop.get_refcnt() <= 3).then_some(stop.as_ptr() as usize);
                return Ok(WindowPart { start: Some(start.clone()), size: WindowSize::Of(one.right.clone()), taken });
            }
        }
        self.settle_if_waiting(py, &stop, waiting)?;
        let end = argument(self.kernel, &stop)?;
        let size = match (&start, &end) {
            (None, _) => WindowSize::Of(end),
            (Some(start), CallArg::Int(end)) => match argument(self.kernel, start)? {
                CallArg::Int(begin) => WindowSize::Of(CallArg::Int(end - begin)),
                _ => WindowSize::UpTo(CallArg::Int(*end)),
            },
            _ => WindowSize::UpTo(end),
        };
        Ok(WindowPart { start, size, taken: None })
    }

    fn settle_if_waiting(&mut self, py: Python<'_>, given: &Bound<'_, PyAny>, waiting: &[Waiting]) -> PyResult<()> {
        match waiting.iter().find(|one| one.sum.as_ptr() == given.as_ptr()) {
            Some(one) => self.settle_one(py, one).map(|_| ()),
            None => Ok(()),
        }
    }
}
