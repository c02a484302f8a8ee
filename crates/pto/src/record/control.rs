//! Loops, branches, sections and functions: what is recorded between opening and closing one is its body.

use super::{OpenFunction, Recorder};
use crate::ir::{Attr, OpExtras, RegionId, ValueId};
use crate::isa::row::{Control, CoreKind};
use crate::isa::{FnType, Op, ScalarType, Type, enums};

/// A branch with one side, which may get another.
#[derive(Clone, Copy, Debug)]
pub struct OpenBranch {
    condition: ValueId,
    then: RegionId,
}

/// A loop with a condition, whose condition is recorded and whose body is open.
#[derive(Clone, Copy, Debug)]
pub struct OpenWhile {
    before: RegionId,
}

impl Recorder {
    /// The types of values.
    pub fn types_of(&self, values: &[ValueId]) -> Vec<Type> {
        values.iter().map(|v| self.type_of(*v).clone()).collect()
    }

    /// How many loops, branches, sections and functions are open.
    pub fn depth(&self) -> usize {
        self.builder.open.len() - 1
    }

    /// Opens the body of a loop that carries values of these types. Gives its counter and the values of this iteration.
    pub fn open_loop(&mut self, carried: &[Type]) -> (ValueId, Vec<ValueId>) {
        self.builder.open_block();
        let counter = self.param("i", &Type::Scalar(ScalarType::Index));
        (counter, self.block_args(carried))
    }

    /// Ends the body of a loop with the values of the next iteration. Gives the values of the last one.
    pub fn close_loop(&mut self, bounds: [ValueId; 3], init: &[ValueId], next: &[ValueId]) -> Vec<ValueId> {
        let body = self.close_region(Some(Op::of(Control::Yield)), next);
        let types = self.types_of(init);
        let inits = init.iter().map(|v| (3, *v));
        let operands: Vec<(u8, ValueId)> = (0..3).zip(bounds).chain(inits).collect();
        self.with_regions(Op::of(Control::For), &operands, vec![body], &types)
    }

    /// Opens the condition of a loop that carries values of these types; gives the values.
    pub fn open_while(&mut self, carried: &[Type]) -> Vec<ValueId> {
        self.builder.open_block();
        self.block_args(carried)
    }

    /// Ends the condition of a loop and opens its body; gives the values there.
    pub fn open_while_body(&mut self, condition: ValueId, state: &[ValueId]) -> (OpenWhile, Vec<ValueId>) {
        let types = self.types_of(state);
        let operands: Vec<(u8, ValueId)> =
            std::iter::once((0, condition)).chain(state.iter().map(|v| (1, *v))).collect();
        self.builder.op(Op::of(Control::Condition), &operands, &[], OpExtras::default());
        let before = self.close_region(None, &[]);
        self.builder.open_block();
        (OpenWhile { before }, self.block_args(&types))
    }

    /// Ends the body of a loop with a condition; gives the values of its end.
    pub fn close_while(&mut self, open: OpenWhile, init: &[ValueId], next: &[ValueId]) -> Vec<ValueId> {
        let after = self.close_region(Some(Op::of(Control::Yield)), next);
        let types = self.types_of(init);
        let operands: Vec<(u8, ValueId)> = init.iter().map(|v| (0, *v)).collect();
        self.with_regions(Op::of(Control::While), &operands, vec![open.before, after], &types)
    }

    /// Opens a side of a branch, or a section.
    pub fn open_block(&mut self) {
        self.builder.open_block();
    }

    /// Ends the first side of a branch, which gives these values.
    pub fn close_then(&mut self, condition: ValueId, given: &[ValueId]) -> OpenBranch {
        let then = self.close_region(Some(Op::of(Control::Yield)), given);
        self.with_regions(Op::of(Control::If), &[(0, condition)], vec![then], &[]);
        OpenBranch { condition, then }
    }

    /// Opens the other side of a branch; false when something was recorded since its first side.
    pub fn open_otherwise(&mut self, branch: OpenBranch) -> bool {
        let module = &mut self.builder.module;
        let block = *self.builder.open.last().expect("a block is open");
        let last = module.block(block).ops.last().copied();
        if last.is_none_or(|id| module.op_regions(id) != [branch.then]) {
            return false;
        }
        // The branch with one side makes room for the one with two.
        module.block_mut(block).ops.pop();
        self.builder.open_block();
        true
    }

    /// Ends the other side of a branch; the branch gives what its sides give.
    pub fn close_otherwise(&mut self, branch: OpenBranch, given: &[ValueId]) -> Vec<ValueId> {
        let types = self.types_of(given);
        let otherwise = self.close_region(Some(Op::of(Control::Yield)), given);
        self.with_regions(Op::of(Control::If), &[(0, branch.condition)], vec![branch.then, otherwise], &types)
    }

    /// Ends a section for one kind of core.
    pub fn close_section(&mut self, core: CoreKind) {
        let inside = self.close_region(None, &[]);
        self.with_regions(Op::of(Control::Section(core)), &[], vec![inside], &[]);
    }

    /// Opens a function with parameters of these types; what follows goes there.
    pub fn open_function(&mut self, params: &[Type]) -> Vec<ValueId> {
        self.builder.open_block();
        self.functions.push(OpenFunction::new(self.builder.innermost()));
        params.iter().map(|ty| self.param("p", ty)).collect()
    }

    /// Ends the innermost function, which runs on one kind of core.
    pub fn close_function(&mut self, name: &str, core: CoreKind) {
        let kind = enums::KERNEL_KIND.find(core.name()).expect("both kinds are in the list") as u8;
        let private = Attr::Str(self.builder.module.names.intern("private"));
        let kind = Attr::Enum(&enums::KERNEL_KIND, kind);
        self.end_function(name, vec![("sym_visibility", private), ("pto.kernel_kind", kind)]);
    }

    /// Calls a function of the program.
    pub fn call_function(&mut self, name: &str, args: &[ValueId]) {
        let module = &mut self.builder.module;
        let callee = Attr::Symbol(module.names.intern(name));
        let attrs = vec![(module.names.intern("callee"), callee)];
        let operands: Vec<(u8, ValueId)> = args.iter().map(|v| (0, *v)).collect();
        self.builder.op(Op::of(Control::Call), &operands, &[], OpExtras { attrs, ..OpExtras::default() });
    }

    /// Ends the innermost function: constants, `return`, and the function itself at the top of the program.
    pub(super) fn end_function(&mut self, name: &str, extra: Vec<(&str, Attr)>) {
        self.builder.op(Op::of(Control::Return), &[], &[], OpExtras::default());
        let function = self.functions.pop().expect("a function is open");
        let block = self.builder.module.block_mut(function.entry);
        block.ops.splice(0..0, function.constants);
        let inputs = block.args.clone();
        let inputs = inputs.iter().map(|a| self.builder.value_type(*a).clone()).collect();
        let ty = FnType { inputs, results: Box::new([]) };
        let ty = self.builder.module.intern_type(Type::Function(Box::new(ty)));
        let name = Attr::Str(self.builder.module.names.intern(name));
        let mut attrs = vec![self.builder.attr("sym_name", name), self.builder.attr("function_type", Attr::Type(ty))];
        attrs.extend(extra.into_iter().map(|(name, value)| self.builder.attr(name, value)));
        let regions = vec![self.builder.close_block()];
        let outer = std::mem::replace(&mut self.builder.open, vec![self.builder.module.top]);
        self.builder.op(Op::of(Control::Function), &[], &[], OpExtras { attrs, regions, ..OpExtras::default() });
        self.builder.open = outer;
    }

    fn block_args(&mut self, types: &[Type]) -> Vec<ValueId> {
        types.iter().map(|ty| self.param("a", ty)).collect()
    }

    /// Ends a region, with a terminator that yields these values.
    fn close_region(&mut self, end: Option<Op>, given: &[ValueId]) -> RegionId {
        if let Some(end) = end {
            let operands: Vec<(u8, ValueId)> = given.iter().map(|v| (0, *v)).collect();
            self.builder.op(end, &operands, &[], OpExtras::default());
        }
        self.builder.close_block()
    }

    /// Records an operation with regions; its results are the values that they yield.
    fn with_regions(
        &mut self,
        chosen: Op,
        operands: &[(u8, ValueId)],
        regions: Vec<RegionId>,
        types: &[Type],
    ) -> Vec<ValueId> {
        let slot = chosen.row().slots.len() as u8;
        let named: Vec<(String, &Type)> = types.iter().map(|ty| (self.fresh("r"), ty)).collect();
        let results: Vec<(u8, &str, Type)> =
            named.iter().map(|(name, ty)| (slot, name.as_str(), (*ty).clone())).collect();
        self.builder.op(chosen, operands, &results, OpExtras { regions, ..OpExtras::default() })
    }
}
