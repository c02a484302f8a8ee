//! Arguments of a call in Python become arguments of a run.

#![expect(unsafe_code, reason = "the memory of arrays is lent to a run")]

use crate::arrays::{ArrayMemory, numpy_name};
use crate::copies::Copies;
use crate::errors;
use crate::interrupt::interruptible;
use crate::made::MadeUp;
use pto::Arg;
use pto::cpu::{Known, Param, ParamKind, Plan};
use pto::isa::DType;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyInt, PyTuple};

/// An argument of a run.
enum BoundValue {
    Int(i64),
    Float(f64),
    Memory(ArrayMemory, DType),
}

/// The arguments of a run, and the objects they come from.
pub(crate) struct BoundCall {
    values: Vec<BoundValue>,
    /// What the result shows for each parameter: the array that was given, or made.
    pub(crate) objects: Vec<Py<PyAny>>,
    /// Arrays that were copied, with the copy: position, original, copy.
    copies: Vec<(usize, Py<PyAny>, Py<PyAny>)>,
}

/// How arguments are bound.
#[derive(Clone, Copy)]
pub(crate) struct BindOptions {
    /// Blocks of the launch; the size of memory may depend on it.
    pub(crate) blocks: u32,
    /// Seed of random data.
    pub(crate) seed: u64,
    /// Arrays that are not contiguous are copied, and what was written is copied back.
    pub(crate) copy: bool,
}

/// An argument for each parameter: by position, and by name.
fn assign<'py>(
    params: &[Param],
    args: &Bound<'py, PyTuple>,
    named: Option<&Bound<'py, PyDict>>,
) -> PyResult<Vec<Option<Bound<'py, PyAny>>>> {
    let py = args.py();
    let mut found: Vec<Option<Bound<'py, PyAny>>> = args.iter().map(Some).collect();
    if found.len() > params.len() {
        let message = format!("{} arguments; {}", found.len(), parameters(params));
        return Err(errors::argument(py, &message));
    }
    found.resize_with(params.len(), || None);
    for (name, value) in named.into_iter().flatten() {
        let name = name.str()?;
        let name = name.to_str()?;
        let Some(at) = params.iter().position(|p| p.name == name) else {
            return Err(errors::argument(py, &format!("there is no parameter `{name}`; {}", parameters(params))));
        };
        if found[at].replace(value).is_some() {
            return Err(errors::argument(py, &format!("`{name}` is given twice: by position and by name")));
        }
    }
    Ok(found)
}

fn parameters(params: &[Param]) -> String {
    let names: Vec<&str> = params.iter().map(|p| &*p.name).collect();
    if names.is_empty() { "the program takes none".into() } else { format!("the parameters are {}", names.join(", ")) }
}

/// A number for a scalar parameter.
fn number(param: &Param, object: &Bound<'_, PyAny>) -> PyResult<BoundValue> {
    let py = object.py();
    if let Ok(float) = object.cast::<PyFloat>() {
        return Ok(BoundValue::Float(float.value()));
    }
    let is_float = matches!(&param.kind, ParamKind::Scalar(s) if s.is_float());
    let int = object.cast::<PyInt>().map(|int| int.clone().into_any()).or_else(|_| object.call_method0("__index__"));
    if let Ok(int) = int {
        let small = int.extract::<i64>().or_else(|_| int.extract::<u64>().map(|n| n as i64));
        return small.map(BoundValue::Int).map_err(|_| {
            errors::argument(py, &format!("argument `{}`: the integer does not fit into 64 bits", param.name))
        });
    }
    match object.extract::<f64>() {
        Ok(x) if is_float || !object.hasattr("__array_struct__")? || x.fract() != 0.0 => Ok(BoundValue::Float(x)),
        Ok(x) => Ok(BoundValue::Int(x as i64)),
        Err(_) => {
            let given = object.get_type().name()?;
            Err(errors::argument(py, &format!("argument `{}`: a {given} for a number", param.name)))
        }
    }
}

fn no_memory(param: &Param, object: &Bound<'_, PyAny>) -> PyErr {
    let given = object.get_type().name().map_or_else(|_| "object".into(), |name| name.to_string());
    let wanted = param.kind.elem().unwrap_or(DType::U8);
    let message = format!(
        "argument `{}`: a {given} for memory of {wanted}; give a NumPy array, a torch tensor on the CPU, an object with `__dlpack__` \
         or a buffer, or one of pto.rand(), pto.zeros(), pto.fill(x), pto.arange()",
        param.name
    );
    errors::argument(object.py(), &message)
}

fn has_elements(py: Python<'_>, param: &Param, memory: &ArrayMemory) -> PyResult<()> {
    let wanted = param.kind.elem().unwrap_or(DType::U8);
    if memory.element.fits(wanted) {
        return Ok(());
    }
    let advice = match numpy_name(wanted) {
        Some(dtype) => format!("it takes {dtype}"),
        None => "it takes the bits as uint8 (numbers of 4 bits: two in a byte, the first in the low half)".into(),
    };
    let message = format!("argument `{}`: an array of {} for {wanted}; {advice}", param.name, memory.element.name());
    Err(errors::argument(py, &message))
}

fn not_contiguous(py: Python<'_>, param: &Param, memory: &ArrayMemory) -> PyErr {
    let message = format!(
        "argument `{}`: the array is not contiguous (shape {:?}, strides {:?} bytes); give a contiguous copy, or copy=True to copy it \
         in and back, or pto.span(x) if the program knows the strides",
        param.name,
        memory.shape,
        memory.strides.as_deref().unwrap_or_default()
    );
    errors::argument(py, &message)
}

impl BoundCall {
    /// Binds the arguments of a call. Memory without an argument is made up, as on the command line.
    pub(crate) fn new<'py>(
        plan: &Plan,
        args: &Bound<'py, PyTuple>,
        named: Option<&Bound<'py, PyDict>>,
        options: BindOptions,
    ) -> PyResult<Self> {
        let py = args.py();
        let params = plan.params();
        let given = assign(params, args, named)?;
        let mut call = Self { values: Vec::with_capacity(given.len()), objects: Vec::new(), copies: Vec::new() };
        let mut open = Vec::new();
        for (at, (param, object)) in params.iter().zip(given).enumerate() {
            let is_scalar = matches!(param.kind, ParamKind::Scalar(_));
            let value = match &object {
                Some(object) if is_scalar => number(param, object)?,
                None if is_scalar => return Err(errors::argument(py, &format!("`{}` has no value", param.name))),
                Some(object) => match ArrayMemory::of(object)? {
                    Some(memory) => call.lent(param, object, memory, options.copy)?,
                    None => {
                        open.push((at, MadeUp::of(object).ok_or_else(|| no_memory(param, object))?));
                        BoundValue::Int(0)
                    }
                },
                None => {
                    open.push((at, MadeUp::default()));
                    BoundValue::Int(0)
                }
            };
            call.values.push(value);
            call.objects.push(object.map_or_else(|| py.None(), Bound::unbind));
        }
        if !open.is_empty() {
            call.make_up(py, plan, &open, options)?;
        }
        Ok(call)
    }

    /// Makes arrays for parameters, with the sizes that the program needs.
    fn make_up(&mut self, py: Python<'_>, plan: &Plan, open: &[(usize, MadeUp)], options: BindOptions) -> PyResult<()> {
        let mut known = self.known();
        open.iter().for_each(|(at, _)| known[*at] = Known::Nothing);
        let measure = interruptible(py, || plan.launch().blocks(options.blocks).measure(&known))?;
        let measure = measure.map_err(|e| errors::of_run(py, &e))?;
        for (at, made) in open {
            let param = &plan.params()[*at];
            let array = made.array(py, (*at, param), &measure, options.seed)?;
            let memory = ArrayMemory::of(&array)?.ok_or_else(|| no_memory(param, &array))?;
            self.values[*at] = self.lent(param, &array, memory, false)?;
            self.objects[*at] = array.unbind();
        }
        Ok(())
    }

    /// The memory of an array for a parameter; of a copy, where it is not contiguous and that was asked for.
    fn lent(
        &mut self,
        param: &Param,
        object: &Bound<'_, PyAny>,
        mut memory: ArrayMemory,
        copy: bool,
    ) -> PyResult<BoundValue> {
        let py = object.py();
        let wanted = param.kind.elem().unwrap_or(DType::U8);
        has_elements(py, param, &memory)?;
        if memory.strides.is_some() && !object.hasattr("_pto_span")? {
            if !copy {
                return Err(not_contiguous(py, param, &memory));
            }
            let copied = py.import("pto.arrays")?.call_method1("_contiguous", (object,))?;
            memory = ArrayMemory::of(&copied)?.ok_or_else(|| no_memory(param, &copied))?;
            self.copies.push((self.values.len(), object.clone().unbind(), copied.unbind()));
        }
        if memory.span().is_none() {
            return Err(not_contiguous(py, param, &memory));
        }
        Ok(BoundValue::Memory(memory, wanted))
    }

    /// The arguments of a run.
    ///
    /// # Safety
    /// As [`ArrayMemory::arg`]: `self` keeps the arrays alive, and nobody resizes them while they are lent.
    pub(crate) unsafe fn args<'a>(&'a self, plan: &Plan) -> Vec<Arg<'a>> {
        let all = self.values.iter().zip(plan.params());
        let one = |(value, param): (&'a BoundValue, &Param)| match value {
            BoundValue::Int(n) => Arg::Int(*n),
            BoundValue::Float(x) => Arg::Float(*x),
            // SAFETY: our caller's.
            BoundValue::Memory(memory, element) => shaped(unsafe { memory.arg(*element) }, &memory.shape, param),
        };
        all.map(one).collect()
    }

    /// The bytes of every array, for runs that must not change them.
    pub(crate) fn copied(&self) -> Copies {
        fn memory(value: &BoundValue) -> Option<&ArrayMemory> {
            if let BoundValue::Memory(memory, _) = value { Some(memory) } else { None }
        }
        Copies::new(&self.values.iter().map(memory).collect::<Vec<_>>())
    }

    /// As [`BoundCall::args`], on copies of the bytes.
    pub(crate) fn args_on<'a>(&'a self, plan: &Plan, copies: &'a mut Copies) -> Vec<Arg<'a>> {
        let all = self.values.iter().enumerate().zip(plan.params());
        let one = |((at, value), param): ((usize, &'a BoundValue), &Param)| match value {
            BoundValue::Int(n) => Arg::Int(*n),
            BoundValue::Float(x) => Arg::Float(*x),
            BoundValue::Memory(memory, element) => shaped(copies.arg(at, *element), &memory.shape, param),
        };
        all.map(one).collect()
    }

    /// The numbers among the arguments.
    pub(crate) fn known(&self) -> Vec<Known> {
        let one = |value: &BoundValue| match value {
            BoundValue::Int(n) => Known::Int(*n),
            BoundValue::Float(x) => Known::Float(*x),
            BoundValue::Memory(..) => Known::Nothing,
        };
        self.values.iter().map(one).collect()
    }

    /// Copies what was written back into arrays that are not contiguous.
    pub(crate) fn copy_back(&self, py: Python<'_>, written: &[bool]) -> PyResult<()> {
        for (at, original, copy) in &self.copies {
            if written.get(*at).copied().unwrap_or(true) {
                py.import("pto.arrays")?.call_method1("_copy_back", (original, copy))?;
            }
        }
        Ok(())
    }
}

/// Says the extents of a tensor whose type leaves them open.
fn shaped<'a>(arg: Arg<'a>, shape: &'a [u64], param: &Param) -> Arg<'a> {
    match &param.kind {
        ParamKind::Tensor(_, dims) if dims.contains(&None) && dims.len() == shape.len() => arg.shape(shape),
        _ => arg,
    }
}
