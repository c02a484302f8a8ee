//! Functions, control flow and sections: the operations that hold regions or steer between them.

use crate::row::{AttrKind, Control, CoreKind, Custom, Effect, SlotKind, Row, attr, opt_attr};
use crate::shape::value_in;

const CONTROL: Row = Row::EMPTY.effect(Effect::Control);

family! { Control, "", control;
    /// A module: functions that belong together, with the target they are written for.
    builtin_module = "module": CONTROL.control(Control::Module)
        .attrs(&[opt_attr("sym_name", AttrKind::Any, "", "its name")])
        .alias_names(&["builtin.module"])
        .custom(Custom::Module);
    /// A function; `pto.entry` marks a kernel, `pto.kernel_kind` says which core runs it.
    func_func = "func.func": CONTROL.control(Control::Function)
        .attrs(&[
            attr("sym_name", AttrKind::Any, "its name"),
            attr("function_type", AttrKind::Any, "parameters and results"),
            opt_attr("sym_visibility", AttrKind::Str, "", "private or public"),
        ])
        .custom(Custom::Func)
        .bytecode(0x6000, 0);
    /// Leaves a function.
    func_return = "func.return": CONTROL.control(Control::Return)
        .slots(&[value_in("operands", SlotKind::Any).many()])
        .alias_names(&["return"])
        .custom(Custom::Return)
        .bytecode(0x6001, 0);
    /// Calls a function.
    func_call = "func.call": CONTROL.control(Control::Call)
        .slots(&[value_in("operands", SlotKind::Any).many()])
        .attrs(&[attr("callee", AttrKind::Symbol, "the function")])
        .alias_names(&["call"])
        .custom(Custom::Call);
    /// Counts from a lower bound up to, not including, an upper bound.
    scf_for = "scf.for": CONTROL.control(Control::For)
        .slots(&[
            value_in("lower", SlotKind::Int),
            value_in("upper", SlotKind::Int),
            value_in("step", SlotKind::Int),
            value_in("inits", SlotKind::Any).many(),
        ])
        .custom(Custom::For)
        .bytecode(0x4000, 3);
    /// Runs one of two regions.
    scf_if = "scf.if": CONTROL.control(Control::If).slots(&[value_in("condition", SlotKind::Bool)]).custom(Custom::If)
        .bytecode(0x4001, 1);
    /// Runs its second region while its first says so.
    scf_while = "scf.while": CONTROL.control(Control::While).slots(&[value_in("inits", SlotKind::Any).many()]).custom(Custom::While);
    /// Ends the first region of `scf.while`.
    scf_condition = "scf.condition": CONTROL.control(Control::Condition)
        .slots(&[value_in("condition", SlotKind::Bool), value_in("args", SlotKind::Any).many()])
        .custom(Custom::Condition);
    /// Ends a region and hands values to its operation.
    scf_yield = "scf.yield": CONTROL.control(Control::Yield).slots(&[value_in("results", SlotKind::Any).many()]).custom(Custom::Yield)
        .bytecode_counted(0x4002);
    /// Runs a region once.
    scf_execute_region = "scf.execute_region": CONTROL.control(Control::Execute).custom(Custom::ExecuteRegion);
    /// Runs the region of the case that equals an index.
    scf_index_switch = "scf.index_switch": CONTROL.control(Control::IndexSwitch)
        .slots(&[value_in("arg", SlotKind::Index)])
        .attrs(&[attr("cases", AttrKind::Ints, "case values, in the order of the regions")])
        .custom(Custom::IndexSwitch);
    /// Goes to a block.
    cf_br = "cf.br": CONTROL.control(Control::Branch).custom(Custom::Branch);
    /// Goes to one of two blocks.
    cf_cond_br = "cf.cond_br": CONTROL.control(Control::CondBranch).slots(&[value_in("condition", SlotKind::Bool)]).custom(Custom::CondBranch);
    /// Goes to the block of the case that equals a value.
    cf_switch = "cf.switch": CONTROL.control(Control::Switch).slots(&[value_in("flag", SlotKind::Int)]).custom(Custom::Switch);
    /// Operations that a tool fused; its results are tiles that later code uses.
    fusion_region = "pto.fusion_region": CONTROL.control(Control::Fusion).alias_names(&["fusion_region"]).custom(Custom::Fusion);
    /// Ends a fusion region and hands tiles to it.
    fusion_yield = "pto.yield": CONTROL.control(Control::FusionYield)
        .slots(&[value_in("values", SlotKind::Any).many()])
        .alias_names(&["yield"])
        .custom(Custom::FusionYield);
    /// Code for the cube core.
    section_cube = "pto.section.cube": CONTROL.control(Control::Section(CoreKind::Cube)).alias_names(&["section.cube"]).custom(Custom::Section)
        .bytecode_variant(0x0006, 0, 0);
    /// Code for the vector core.
    section_vector = "pto.section.vector": CONTROL.control(Control::Section(CoreKind::Vector)).alias_names(&["section.vector"]).custom(Custom::Section)
        .bytecode_variant(0x0006, 1, 0);
}
