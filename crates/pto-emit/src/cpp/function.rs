//! Functions: signatures, the marks of the device compiler, and code for one kind of core.

use super::names::{Identifiers, function_name};
use super::types::{declaration, pointer_type, scalar_type};
use super::{EmitResult, Writer};
use crate::place::inside;
use pto_ir::{Attr, BlockId, OpId, ValueId};
use pto_isa::row::{Control, CoreKind, CoreQuery};
use pto_isa::text;
use pto_isa::{PtrSpace, ScalarType, Target, Token, Type};
use std::collections::HashSet;

/// The function for statements that stand outside of functions.
const BARE: &str = "kernel";

impl Writer<'_> {
    /// The whole program: functions in an order in which callees come first.
    pub(super) fn unit(&mut self) {
        let functions = self.module.functions();
        if functions.is_empty() {
            return self.bare_program();
        }
        for function in callees_first(self.module, &functions) {
            self.op(function);
        }
    }

    fn bare_program(&mut self) {
        let top = self.module.top;
        let Some(&first) = self.module.block(top).ops.first() else { return };
        self.at = first;
        self.output.text.line("", None);
        self.output.text.open(&format!("__global__ AICORE void {BARE}() {{"), None);
        self.block(top);
        self.output.text.close("}");
    }

    pub(super) fn module_op(&mut self, id: OpId) -> EmitResult<()> {
        for &region in self.module.op_regions(id) {
            for &block in &self.module.region(region).blocks {
                self.block(block);
            }
        }
        Ok(())
    }

    pub(super) fn function(&mut self, id: OpId) -> EmitResult<()> {
        let name = self.module.symbol_name(id).to_string();
        let body = self.module.op_regions(id).first().and_then(|r| self.module.region(*r).blocks.first().copied());
        self.values.names = Identifiers::new(self.input.options.style);
        self.flow.variable_types.clear();
        self.pipes.leave_function();
        self.output.remarked = None;
        let result = self.result_type(id)?;
        let entry = self.is_entry(id);
        if entry && result != "void" {
            return Err(self.unsupported(text!("an entry that returns a value")));
        }
        let Some(body) = body else { return self.prototype(id, &name, &result) };
        let args = self.module.block(body).args.clone();
        let mut params = Vec::new();
        for &arg in &args {
            params.push(self.parameter(arg, entry)?);
        }
        let private = matches!(self.module.attr(id, "sym_visibility"), Some(Attr::Str(s)) if self.module.names.text(*s) == "private");
        let mark = match (entry, private) {
            (true, _) => "__global__ AICORE",
            (false, true) => "static AICORE",
            (false, false) => "AICORE",
        };
        self.output.text.line("", None);
        let head = format!("{mark} {result} {}({}) {{", function_name(&name), params.join(", "));
        self.open(&head);
        self.parameters(&args, entry)?;
        let core = self.stated_core(id);
        self.enter_core(core, id);
        self.region_blocks(self.module.op_regions(id)[0]);
        self.leave_core(core, id);
        self.output.text.close("}");
        Ok(())
    }

    /// A function that is defined elsewhere.
    fn prototype(&mut self, id: OpId, name: &str, result: &str) -> EmitResult<()> {
        let Some(Attr::Type(ty)) = self.module.attr(id, "function_type") else { return Ok(()) };
        let Type::Function(ty) = self.module.ty(*ty).clone() else { return Ok(()) };
        let params: Vec<String> = ty.inputs.iter().map(|t| self.abstract_type(t)).collect::<EmitResult<_>>()?;
        self.output.text.line("", None);
        self.line(&format!("extern AICORE {result} {}({});", function_name(name), params.join(", ")));
        Ok(())
    }

    /// A parameter type of a prototype.
    fn abstract_type(&mut self, ty: &Type) -> EmitResult<String> {
        match ty {
            Type::Scalar(s) => Ok(scalar_type(*s).to_string()),
            Type::Ptr(s, space) => Ok(pointer_type(*s, *space)),
            Type::Tile(t) | Type::TileBuf(t) => Ok(format!("{} &", self.tile_type(t))),
            other => Err(self.unsupported(&text!("a {other} as a parameter", other = other.noun()))),
        }
    }

    fn result_type(&mut self, id: OpId) -> EmitResult<String> {
        let Some(Attr::Type(ty)) = self.module.attr(id, "function_type") else { return Ok("void".to_string()) };
        let Type::Function(ty) = self.module.ty(*ty).clone() else { return Ok("void".to_string()) };
        match &ty.results[..] {
            [] => Ok("void".to_string()),
            [Type::Scalar(s)] => Ok(scalar_type(*s).to_string()),
            [Type::Ptr(s, space)] => Ok(pointer_type(*s, *space)),
            [other] => Err(self.unsupported(&text!("a {other} as a result", other = other.noun()))),
            _ => Err(self.unsupported(text!("several results"))),
        }
    }

    /// An entry is marked as one, or is the only function with a body; one that takes tiles is for other code to call.
    fn is_entry(&self, id: OpId) -> bool {
        let marked = |f: OpId| ["pto.entry", "hacc.entry"].iter().any(|n| self.module.attr(f, n).is_some());
        let with_body = |f: &OpId| self.module.op_regions(*f).iter().any(|r| !self.module.region(*r).blocks.is_empty());
        let count = || self.module.functions().into_iter().filter(with_body).count();
        let bodies = *self.facts.bodies.get_or_init(count);
        let local = |v: &ValueId| {
            let ty = self.module.value_type(*v);
            ty.local_tile().is_some() || matches!(ty, Type::Token(_))
        };
        let takes_tiles = self.module.op_regions(id).iter().any(|r| {
            let first = self.module.region(*r).blocks.first();
            first.is_some_and(|b| self.module.block(*b).args.iter().any(local))
        });
        marked(id) || (bodies == 1 && !takes_tiles)
    }

    /// The declaration of a parameter. Indices of entries have 32 bits, as launchers of the public assembler pass them.
    fn parameter(&mut self, value: ValueId, entry: bool) -> EmitResult<String> {
        let own = self.module.value_type(value).clone();
        if let (Type::Memref(_), Some(tile)) = (&own, own.local_tile()) {
            self.values.tiles.insert(value, tile);
        }
        let ty = match own {
            Type::Scalar(ScalarType::Index) if entry => "int32_t".to_string(),
            Type::Scalar(s) => scalar_type(s).to_string(),
            Type::Ptr(s, space) => pointer_type(s, space),
            Type::TensorView(v) | Type::PartitionView(v) => pointer_type(v.elem, PtrSpace::Gm),
            Type::Memref(m) => match m.space() {
                Some(PtrSpace::Gm) => pointer_type(m.view.elem, PtrSpace::Gm),
                _ => match self.tile_of(value).filter(|_| !entry) {
                    Some(tile) => format!("{} &", self.tile_type(&tile)),
                    None => return Err(self.unsupported(text!("a buffer in a memory of the core as a parameter"))),
                },
            },
            Type::Vector(_) => "MrgSortExecutedNumList".to_string(),
            Type::Tile(t) | Type::TileBuf(t) if !entry => format!("{} &", self.tile_type(&t)),
            Type::Token(t) if !entry && t != Token::Pipe => format!("{} &", self.type_of(value)?),
            other => return Err(self.unsupported(&text!("a {other} as a parameter", other = other.noun()))),
        };
        let name = self.values.names.fresh(self.module.value_name(value));
        let text = if ty.ends_with('&') { format!("{ty}{name}") } else { declaration(&ty, &name) };
        self.values.texts[value.index()] = Some(name);
        Ok(text)
    }

    /// What the body needs of its parameters: indices in full width, and views.
    fn parameters(&mut self, args: &[ValueId], entry: bool) -> EmitResult<()> {
        for &arg in args {
            match self.module.value_type(arg) {
                Type::Scalar(ScalarType::Index) if entry && !self.facts.uses[arg.index()].is_empty() => {
                    let narrow = self.text(arg)?;
                    let wide = self.values.names.fresh(&format!("{narrow}_index"));
                    self.line(&format!("const int64_t {wide} = {narrow};"));
                    self.values.texts[arg.index()] = Some(wide);
                }
                Type::TensorView(_) | Type::PartitionView(_) | Type::Memref(_) if self.tile_of(arg).is_none() => {
                    let pointer = self.text(arg)?;
                    self.view_parameter(arg, &pointer)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    pub(super) fn return_op(&mut self, id: OpId) -> EmitResult<()> {
        match self.module.operands(id) {
            [] if self.flow.hoisted.is_some() => self.line("return;"),
            [] => {}
            [one] => {
                let text = self.text(one.value)?;
                self.line(&format!("return {text};"));
            }
            _ => return Err(self.unsupported(text!("several results"))),
        }
        Ok(())
    }

    pub(super) fn call(&mut self, id: OpId) -> EmitResult<()> {
        let Some(callee) = self.module.callee(id) else {
            return Err(self.unsupported(text!("a call of nothing")));
        };
        let callee = function_name(self.module.names.text(callee));
        let args: Vec<String> =
            self.module.operands(id).to_vec().iter().map(|o| self.argument(o.value)).collect::<EmitResult<_>>()?;
        let call = format!("{callee}({})", args.join(", "));
        let results: Vec<ValueId> = self.module.results(id).collect();
        match results[..] {
            [] => self.line(&format!("{call};")),
            [value] => {
                let ty = self.type_of(value)?;
                self.declare(value, &ty, &call, true);
            }
            _ => return Err(self.unsupported(text!("several results"))),
        }
        Ok(())
    }

    /// What is passed for a value: views as the pointer to their start.
    fn argument(&self, value: ValueId) -> EmitResult<String> {
        match self.values.views.get(&value) {
            Some(view) => Ok(view.start()),
            None => self.text(value),
        }
    }

    // ---- kinds of cores ---------------------------------------------------------------------------------------

    /// The kind of core of a function, if it or its module states one.
    fn stated_core(&self, id: OpId) -> Option<KernelCore> {
        let stated = |id: &OpId| self.module.attr(*id, "pto.kernel_kind").is_some();
        let first = || self.module.block(self.module.top).ops.iter().copied().find(stated);
        let first = *self.facts.first_kind.get_or_init(first);
        let module = || first.and_then(|m| self.module.attr(m, "pto.kernel_kind"));
        match self.module.attr(id, "pto.kernel_kind").or_else(module) {
            Some(Attr::Enum(def, at)) => Some(match def.value(usize::from(*at)) {
                "cube" => KernelCore::Cube,
                _ => KernelCore::Vector,
            }),
            _ => None,
        }
    }

    /// Code for one kind of core.
    pub(super) fn section(&mut self, id: OpId) -> EmitResult<()> {
        let core = if self.module.control(id) == Some(Control::Section(CoreKind::Cube)) {
            KernelCore::Cube
        } else {
            KernelCore::Vector
        };
        self.enter_core(Some(core), id);
        for &region in self.module.op_regions(id) {
            self.region_blocks(region);
        }
        self.leave_core(Some(core), id);
        Ok(())
    }

    fn enter_core(&mut self, core: Option<KernelCore>, id: OpId) {
        let Some(core) = core else { return };
        self.output.text.line(&format!("#if defined({})", core.word()), None);
        if core == KernelCore::Vector {
            self.output.text.line("set_mask_norm();", None);
            self.output.text.line("set_vector_mask(-1, -1);", None);
            if self.one_vector_core(id) {
                self.output.text.open("if (get_subblockid() == 0) {", None);
            }
        }
    }

    fn leave_core(&mut self, core: Option<KernelCore>, id: OpId) {
        let Some(core) = core else { return };
        if core == KernelCore::Vector && self.one_vector_core(id) {
            self.output.text.close("}");
        }
        self.output.text.line(&format!("#endif // {}", core.word()), None);
    }

    /// On A5 only the first vector core uses a pipe that does not split its tiles; the program does not state that.
    fn one_vector_core(&self, id: OpId) -> bool {
        if self.input.target != Target::A5 {
            return false;
        }
        let (mut whole, mut controlled) = (false, false);
        for inner in inside(self.module, id) {
            let code = self.module.op(inner).op;
            controlled |= code.query().is_some_and(CoreQuery::is_of_subblock);
            let split = self.module.given_int(inner, "split");
            whole |= code.row().family == pto_isa::Family::Fifo && split == Some(0);
        }
        whole && !controlled
    }

    /// The blocks of a region. Several are reached by jumps: what they define is declared in front of them.
    pub(super) fn region_blocks(&mut self, region: pto_ir::RegionId) {
        let blocks: Vec<BlockId> = self.module.region(region).blocks.clone();
        if let [only] = blocks[..] {
            let outer = self.flow.hoisted.take();
            self.block(only);
            self.flow.hoisted = outer;
            return;
        }
        let outer = self.flow.hoisted.replace(Vec::new());
        let mark = self.output.text.mark();
        let mut end: Option<String> = None;
        for (at, &block) in blocks.iter().enumerate() {
            self.label(block, at);
        }
        for (at, &block) in blocks.iter().enumerate() {
            if at > 0 {
                let label = self.flow.labels[&block].0.clone();
                self.output.text.line(&format!("{label}:;"), None);
            }
            self.block(block);
            // What leaves the region must not run into the next block.
            if at + 1 < blocks.len() && self.leaves_region(block) {
                let label = end.get_or_insert_with(|| self.values.names.fresh("end")).clone();
                self.output.text.line(&format!("goto {label};"), None);
            }
        }
        if let Some(label) = end {
            self.output.text.line(&format!("{label}:;"), None);
        }
        let declared = std::mem::replace(&mut self.flow.hoisted, outer).unwrap_or_default();
        self.output.text.insert(mark, &declared);
    }

    /// True when a block ends its region, and does not return from the function.
    fn leaves_region(&self, block: BlockId) -> bool {
        let last = self.module.block(block).ops.last();
        last.is_some_and(|id| {
            self.module.successors(*id).is_empty() && self.module.control(*id) != Some(Control::Return)
        })
    }

    /// The label of a block and the variables of its arguments.
    fn label(&mut self, block: BlockId, at: usize) {
        let label = self.values.names.fresh(&format!("bb{at}"));
        let mut variables = Vec::new();
        // The arguments of the first block belong to the function.
        for &arg in self.module.block(block).args.clone().iter().filter(|_| at > 0) {
            match self.type_of(arg) {
                Ok(ty) => variables.push(self.declare(arg, &ty, "", false)),
                Err(problem) => self.output.problems.push(*problem),
            }
        }
        self.flow.labels.insert(block, (label, variables));
    }
}

/// A kind of core.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KernelCore {
    Cube,
    Vector,
}

impl KernelCore {
    /// The macro that the device compiler defines for it.
    const fn word(self) -> &'static str {
        match self {
            Self::Cube => "__DAV_CUBE__",
            Self::Vector => "__DAV_VEC__",
        }
    }
}

/// Functions so that what is called comes before what calls it.
fn callees_first(module: &pto_ir::Module, functions: &[OpId]) -> Vec<OpId> {
    let calls = module.calls();
    let callees = |f: OpId| inside(module, f).into_iter().filter_map(|id| calls.get(&id).copied()).collect::<Vec<_>>();
    let (mut seen, mut order) = (HashSet::new(), Vec::new());
    for &f in functions {
        // Calls may be nested as deeply as there are functions, hence no recursion.
        let mut open = Vec::new();
        if seen.insert(f) {
            open.push((f, callees(f).into_iter()));
        }
        while let Some((f, rest)) = open.last_mut() {
            match rest.next() {
                Some(callee) if seen.insert(callee) => open.push((callee, callees(callee).into_iter())),
                Some(_) => {}
                None => {
                    order.push(*f);
                    open.pop();
                }
            }
        }
    }
    order
}
