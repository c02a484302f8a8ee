//! Pointers and views of global memory.
//!
//! A view is a start, extents and strides. It becomes a `GlobalTensor` where an instruction uses it; until then its
//! parts are only kept, and constants stay constants.

use super::types::{pointer_type, scalar_type};
use super::{EmitResult, Writer};
use pto_ir::{Attr, OpId, ValueId, stated_layout};
use pto_isa::row::{Meaning, Movement, Storage};
use pto_isa::text;
use pto_isa::{Diagnostic, Dim, GlobalLayout, MAX_RANK, MemrefType, ScalarType, Type};

/// An extent or stride: known, or the text of a value.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum ExtentText {
    Known(i64),
    Text(String),
}

impl ExtentText {
    fn text(&self) -> String {
        match self {
            Self::Known(n) => n.to_string(),
            Self::Text(t) => t.clone(),
        }
    }

    const fn known(&self) -> Option<i64> {
        match self {
            Self::Known(n) => Some(*n),
            Self::Text(_) => None,
        }
    }

    /// The product, folded where both are known.
    fn times(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Known(0), _) | (_, Self::Known(0)) => Self::Known(0),
            (Self::Known(1), x) | (x, Self::Known(1)) => x.clone(),
            (Self::Known(a), Self::Known(b)) => {
                a.checked_mul(*b).map_or_else(|| Self::Text(format!("{a}LL * {b}")), Self::Known)
            }
            (a, b) => Self::Text(format!("{} * {}", a.text(), b.text())),
        }
    }

    /// The sum, folded where both are known.
    fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Self::Known(0), x) | (x, Self::Known(0)) => x,
            (Self::Known(a), Self::Known(b)) => {
                a.checked_add(b).map_or_else(|| Self::Text(format!("{a}LL + {b}")), Self::Known)
            }
            (a, b) => Self::Text(format!("{} + {}", a.text(), b.text())),
        }
    }
}

/// A view of global memory.
#[derive(Clone, Debug)]
pub(super) struct CppView {
    elem: ScalarType,
    pointer: String,
    offset: ExtentText,
    dims: Vec<ExtentText>,
    strides: Vec<ExtentText>,
    layout: GlobalLayout,
}

impl CppView {
    /// Five extents and strides: those in front are 1, and their strides those of packed data.
    fn five(&self) -> (Vec<ExtentText>, Vec<ExtentText>) {
        let (mut dims, mut strides) = (self.dims.clone(), self.strides.clone());
        while dims.len() < MAX_RANK {
            let stride = match (dims.first(), strides.first()) {
                (Some(d), Some(s)) => d.times(s),
                _ => ExtentText::Known(1),
            };
            dims.insert(0, ExtentText::Known(1));
            strides.insert(0, stride);
        }
        (dims, strides)
    }

    /// The type: what is known is part of it.
    pub(super) fn cpp_type(&self) -> String {
        let list = |extents: &[ExtentText]| {
            extents.iter().map(|e| e.known().unwrap_or(-1).to_string()).collect::<Vec<_>>().join(", ")
        };
        let (dims, strides) = self.five();
        format!(
            "GlobalTensor<{scalar_type}, Shape<{dims}>, Stride<{strides}>, Layout::{layout}>",
            scalar_type = scalar_type(self.elem),
            dims = list(&dims),
            strides = list(&strides),
            layout = self.layout.name()
        )
    }

    /// Where it starts.
    pub(super) fn start(&self) -> String {
        match &self.offset {
            ExtentText::Known(0) => self.pointer.clone(),
            ExtentText::Known(n) => format!("{} + {n}", self.pointer),
            ExtentText::Text(t) => format!("{} + {t}", self.pointer),
        }
    }

    /// What its constructor takes.
    fn arguments(&self) -> String {
        let open = |kind: &str, extents: &[ExtentText]| {
            let fixed = extents.iter().map(|e| e.known().unwrap_or(-1).to_string()).collect::<Vec<_>>().join(", ");
            let open: Vec<String> = extents.iter().filter(|e| e.known().is_none()).map(ExtentText::text).collect();
            format!("{kind}<{fixed}>({})", open.join(", "))
        };
        let (dims, strides) = self.five();
        let is_open = |list: &[ExtentText]| list.iter().any(|e| e.known().is_none());
        match (is_open(&dims), is_open(&strides)) {
            (false, false) => self.start(),
            (true, false) => format!("{}, {}", self.start(), open("Shape", &dims)),
            _ => format!("{}, {}, {}", self.start(), open("Shape", &dims), open("Stride", &strides)),
        }
    }
}

impl Writer<'_> {
    /// A number of the program as an extent.
    fn extent(&self, value: ValueId) -> EmitResult<ExtentText> {
        match self.input.info.constant(value) {
            Some(n) => Ok(ExtentText::Known(n)),
            None => Ok(ExtentText::Text(self.text(value)?)),
        }
    }

    fn extents(&self, id: OpId, slot: &str) -> EmitResult<Vec<ExtentText>> {
        self.operands(id, slot).into_iter().map(|v| self.extent(v)).collect()
    }

    pub(super) fn make_view(&mut self, id: OpId) -> EmitResult<()> {
        let Some(ptr) = self.module.operand(id, "ptr") else {
            return Err(self.unsupported(text!("it without a pointer")));
        };
        let value = self.result(id)?;
        let Some(ty) = self.module.value_type(value).view() else { return Err(self.unsupported(text!("this type"))) };
        let (elem, stated) = (ty.elem, ty.dims.clone());
        let mut dims = self.extents(id, "shape")?;
        for (dim, stated) in dims.iter_mut().zip(&stated) {
            if let Dim::Fixed(n) = stated {
                *dim = ExtentText::Known(*n as i64);
            }
        }
        let strides = self.extents(id, "strides")?;
        if dims.len() > MAX_RANK || dims.len() != strides.len() {
            return Err(self.unsupported(text!("a view with these dimensions")));
        }
        let pointer = self.pointer(ptr)?;
        let layout = self.view_layout(value)?;
        let view = CppView { elem, pointer, offset: ExtentText::Known(0), dims, strides, layout };
        self.define_view(value, view);
        Ok(())
    }

    /// The pointer behind an operand: a pointer, or a lowered view of which only the start counts.
    fn pointer(&self, value: ValueId) -> EmitResult<String> {
        match self.values.views.get(&value) {
            Some(view) if view.offset == ExtentText::Known(0) => Ok(view.pointer.clone()),
            Some(view) => Ok(format!("({})", view.start())),
            None => self.text(value),
        }
    }

    pub(super) fn partition(&mut self, id: OpId) -> EmitResult<()> {
        let source = self.module.operand(id, "source");
        let Some(whole) = source.and_then(|s| self.values.views.get(&s)).cloned() else {
            return Err(self.unsupported(text!("a window of a view that comes from elsewhere")));
        };
        let value = self.result(id)?;
        let (offsets, mut dims) = (self.extents(id, "offsets")?, self.extents(id, "sizes")?);
        // A type may state an extent that the operand only computes, when it has as many.
        if let Some(ty) = self.module.value_type(value).view().filter(|t| t.dims.len() == dims.len()) {
            for (dim, stated) in dims.iter_mut().zip(&ty.dims) {
                if let Dim::Fixed(n) = stated {
                    *dim = ExtentText::Known(*n as i64);
                }
            }
        }
        let shift = offsets.iter().zip(&whole.strides).fold(ExtentText::Known(0), |sum, (o, s)| {
            // A sum as a factor needs its brackets.
            let factor = match o {
                ExtentText::Text(t) if t.contains(' ') => ExtentText::Text(format!("({t})")),
                other => other.clone(),
            };
            sum.plus(factor.times(s))
        });
        let offset = whole.offset.clone().plus(shift);
        let strides = whole.strides[..dims.len().min(whole.strides.len())].to_vec();
        self.define_view(value, CppView { offset, dims, strides, ..whole });
        Ok(())
    }

    /// Keeps a view, and makes a tensor of it where an instruction wants one.
    pub(super) fn define_view(&mut self, value: ValueId, view: CppView) {
        let wants = |id: &OpId| {
            !matches!(
                self.module.meaning(*id),
                Meaning::Storage(
                    Storage::View
                        | Storage::Partition
                        | Storage::ViewExtent
                        | Storage::ViewStride
                        | Storage::ViewAddress
                        | Storage::BufferExtent
                ) | Meaning::Movement(Movement::LoadElement | Movement::StoreElement)
            )
        };
        if self.facts.uses[value.index()].iter().any(wants) {
            let ty = view.cpp_type();
            let arguments = view.arguments();
            if self.flow.hoisted.is_some() {
                self.declare(value, &ty, &format!("{ty}({arguments})"), false);
            } else {
                let name = self.values.names.fresh(self.module.value_name(value));
                self.line(&format!("{ty} {name}({arguments});"));
                self.values.texts[value.index()] = Some(name);
            }
        }
        self.values.views.insert(value, view);
    }

    /// A parameter that is a whole tensor: its type says everything but the start.
    pub(super) fn view_parameter(&mut self, value: ValueId, pointer: &str) -> EmitResult<()> {
        let (elem, dims) = match self.module.value_type(value) {
            Type::TensorView(v) | Type::PartitionView(v) => (v.elem, v.dims.clone()),
            Type::Memref(m) => (m.view.elem, m.view.dims.clone()),
            _ => return Ok(()),
        };
        let fixed: Option<Vec<i64>> = dims.iter().map(|d| d.fixed().map(|n| n as i64)).collect();
        let open = elem_pointer_only(self.module.value_type(value));
        let Some(fixed) = fixed.filter(|f| f.len() <= MAX_RANK) else {
            if open {
                let view = CppView {
                    elem,
                    pointer: pointer.to_string(),
                    offset: ExtentText::Known(0),
                    dims: vec![ExtentText::Known(1)],
                    strides: vec![ExtentText::Known(1)],
                    layout: GlobalLayout::Nd,
                };
                self.values.views.insert(value, view);
                return Ok(());
            }
            return Err(Box::new(self.open_parameter(value, elem, dims.len())));
        };
        let mut strides = vec![1i64; fixed.len()];
        for at in (1..fixed.len()).rev() {
            strides[at - 1] = strides[at].saturating_mul(fixed[at]);
        }
        let dims: Vec<ExtentText> = fixed.into_iter().map(ExtentText::Known).collect();
        let strides: Vec<ExtentText> = strides.into_iter().map(ExtentText::Known).collect();
        let layout = self.layout_of(value).unwrap_or(GlobalLayout::Nd);
        let view = CppView { elem, pointer: pointer.to_string(), offset: ExtentText::Known(0), dims, strides, layout };
        self.define_view(value, view);
        Ok(())
    }

    /// A kernel takes pointers and numbers; what the type leaves open has to be among them.
    fn open_parameter(&self, value: ValueId, elem: ScalarType, rank: usize) -> Diagnostic {
        let name = self.module.value_name(value);
        let list = |letter: char| (0..rank).map(|k| format!("%{letter}{k}")).collect::<Vec<_>>().join(", ");
        let ty = format!("!pto.tensor_view<{}{}>", "?x".repeat(rank), elem.mlir());
        let (shape, strides) = (list('n'), list('s'));
        let mut d = *self.unsupported(&text!("the extents of the parameter `%{name}` are not given", name));
        d.primary.span = Some(self.module.value(value).span).filter(|s| s.end > s.start).unwrap_or(d.primary.span);
        d.help(text!("take a pointer `%p: !pto.ptr<{elem}>` and the numbers as parameters, and begin with `%{name} = pto.make_tensor_view %p, \
             shape = [{shape}], strides = [{strides}] : {ty}`", elem = elem.mlir(), name, shape, strides, ty))
    }

    /// The start of a view is now somewhere else.
    pub(super) fn rebase_view(&mut self, value: ValueId, pointer: &str) {
        if let Some(view) = self.values.views.get_mut(&value) {
            view.pointer = pointer.to_string();
        }
    }

    /// An extent or stride of a view, by a number that must be known.
    pub(super) fn view_query(&mut self, id: OpId) -> EmitResult<()> {
        let operands: Vec<ValueId> = self.module.operands(id).iter().map(|o| o.value).collect();
        let [source, index] = operands[..] else { return Err(self.unsupported(text!("these operands"))) };
        let Some(view) = self.values.views.get(&source).cloned() else {
            return Err(self.unsupported(text!("this view")));
        };
        let list = if self.module.storage(id) == Some(Storage::ViewStride) { view.strides } else { view.dims };
        let at = self.input.info.constant(index).and_then(|n| usize::try_from(n).ok());
        let Some(extent) = at.and_then(|at| list.get(at)) else {
            return Err(self.unsupported(text!("a dimension that is known only at run time")));
        };
        let value = self.result(id)?;
        self.declare(value, "int64_t", &extent.text(), true);
        Ok(())
    }

    /// The start of a view as a pointer, or as a view again.
    pub(super) fn view_address(&mut self, id: OpId) -> EmitResult<()> {
        let source = self.module.operand(id, "src");
        let Some(view) = source.and_then(|s| self.values.views.get(&s)).cloned() else {
            return Err(self.unsupported(text!("this view")));
        };
        let value = self.result(id)?;
        match self.module.value_type(value).clone() {
            Type::Ptr(s, space) => {
                self.declare(value, &pointer_type(s, space), &view.start(), false);
            }
            _ => self.define_view(value, view),
        }
        Ok(())
    }

    /// One element of a lowered buffer in global memory.
    pub(super) fn memref_access(&mut self, id: OpId) -> EmitResult<()> {
        let source = self.module.operand(id, "memref");
        let Some(view) = source.and_then(|s| self.values.views.get(&s)).cloned() else {
            return Err(self.unsupported(text!("a buffer that is not a parameter in global memory")));
        };
        let indices = self.extents(id, "indices")?;
        let at = indices.iter().zip(&view.strides).fold(view.offset.clone(), |sum, (i, s)| sum.plus(i.times(s)));
        let place = format!("{}[{}]", view.pointer, at.text());
        if let Some(stored) = self.module.operand(id, "value") {
            let text = self.text(stored)?;
            self.line(&format!("{place} = {text};"));
            return Ok(());
        }
        let value = self.result(id)?;
        let ty = self.type_of(value)?;
        self.declare(value, &ty, &place, true);
        Ok(())
    }

    /// A window of a lowered buffer in global memory, or the buffer with other extents and strides.
    pub(super) fn memref_window(&mut self, id: OpId) -> EmitResult<()> {
        let source = self.module.operand(id, "source");
        let Some(whole) = source.and_then(|s| self.values.views.get(&s)).cloned() else {
            return Err(self.unsupported(text!("a buffer that is not a parameter in global memory")));
        };
        let offsets = self.mixed(id, "offsets", "static_offsets")?;
        let dims = self.mixed(id, "sizes", "static_sizes")?;
        let steps = self.mixed(id, "strides", "static_strides")?;
        if dims.len() > MAX_RANK {
            return Err(self.unsupported(text!("a view with these dimensions")));
        }
        let (shift, strides) = if self.module.storage(id) == Some(Storage::BufferRecast) {
            (offsets.into_iter().next().unwrap_or(ExtentText::Known(0)), steps)
        } else {
            let shift =
                offsets.iter().zip(&whole.strides).fold(ExtentText::Known(0), |sum, (o, s)| sum.plus(o.times(s)));
            (shift, steps.iter().zip(&whole.strides).map(|(a, b)| a.times(b)).collect())
        };
        let offset = whole.offset.clone().plus(shift);
        let value = self.result(id)?;
        let layout = self.view_layout(value)?;
        self.define_view(value, CppView { offset, dims, strides, layout, ..whole });
        Ok(())
    }

    /// A list that is partly written in the text and partly given by operands.
    fn mixed(&self, id: OpId, slot: &str, attr: &str) -> EmitResult<Vec<ExtentText>> {
        let mut open = self.operands(id, slot).into_iter();
        let Some(Attr::Array(items)) = self.module.attr(id, attr) else { return Ok(Vec::new()) };
        let entry = |item: &Attr| match item.int() {
            Some(n) if n != i64::MIN => Ok(ExtentText::Known(n)),
            _ => match open.next() {
                Some(value) => self.extent(value),
                None => Err(self.unsupported(text!("an extent that is not given"))),
            },
        };
        items.iter().map(entry).collect()
    }

    // ---- layouts --------------------------------------------------------------------------------------------

    /// The layout of a view, stated or inferred.
    fn view_layout(&self, value: ValueId) -> EmitResult<GlobalLayout> {
        let Some(layout) = self.layout_of(value) else {
            let what = text!("a view whose strides do not say which dimension is contiguous");
            let help = text!("state it at the view: `layout = #pto.layout<nd>` or `layout = #pto.layout<dn>`");
            return Err(Box::new(self.unsupported(what).help(help)));
        };
        Ok(layout)
    }

    /// A load or store. A tensor has one layout in C++, so a transfer cannot state another one that names other elements.
    pub(super) fn move_window(&mut self, id: OpId) -> EmitResult<()> {
        let windows = self.module.operands(id).iter().filter_map(|o| self.values.views.get(&o.value));
        let folded = |view: &&CppView| view.dims.iter().rev().skip(2).any(|extent| extent.known() != Some(1));
        let stated = stated_layout(self.module, id);
        if windows.filter(folded).any(|view| stated.is_some_and(|layout| layout != view.layout)) {
            let what = text!("a layout that is not that of its view");
            return Err(Box::new(self.unsupported(what).help(text!("state the same layout at the view"))));
        }
        self.spelled(id)
    }

    fn layout_of(&self, value: ValueId) -> Option<GlobalLayout> {
        match (self.input.options.infer_layout, self.module.definition(value)) {
            (true, _) => self.input.info.layouts.of(value),
            (false, Some(id)) => stated_layout(self.module, id).or(Some(GlobalLayout::Nd)),
            (false, None) => Some(GlobalLayout::Nd),
        }
    }
}

/// A lowered buffer of one open dimension is only a pointer.
fn elem_pointer_only(ty: &Type) -> bool {
    matches!(ty, Type::Memref(MemrefType { view, .. }) if view.dims.len() == 1)
}
