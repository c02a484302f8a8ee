//! Functions, control flow and sections: the operations that hold regions or steer between them.

use crate::row::{AttrKind, Control, CoreKind, Custom, Effect, SlotKind, Row, attr, opt_attr};
use crate::shape::value_in;

const CONTROL: Row = Row::EMPTY.effect(Effect::Control);

const MODULE: &str = "\
module attributes {pto.target_arch = \"a5\"} {
  func.func @example(%a: !pto.tile_buf<vec, 16x32xf32>, %b: !pto.tile_buf<vec, 16x32xf32>) {
    pto.tmax ins(%a, %b : !pto.tile_buf<vec, 16x32xf32>, !pto.tile_buf<vec, 16x32xf32>) outs(%a : !pto.tile_buf<vec, 16x32xf32>)
    return
  }
}
";

const FUNCTIONS: &str = "\
func.func @example() attributes {pto.entry} {
  %seven = arith.constant 7 : i32
  %two = arith.constant 2 : i32
  %q, %r = func.call @divide(%seven, %two) : (i32, i32) -> (i32, i32)  // = 3, 1
  return
}

func.func private @divide(%a: i32, %b: i32) -> (i32, i32) {
  %quotient = arith.divsi %a, %b : i32
  %rest = arith.remsi %a, %b : i32
  return %quotient, %rest : i32, i32
}
";

const FOR: &str = "\
func.func @example() {
  %zero = arith.constant 0 : index
  %three = arith.constant 3 : index
  %ten = arith.constant 10 : index
  %sum = scf.for %i = %zero to %ten step %three iter_args(%s = %zero) -> (index) {  // = 18
    %next = arith.addi %s, %i : index
    scf.yield %next : index
  }
  %none = scf.for %i = %ten to %zero step %three iter_args(%s = %ten) -> (index) {  // = 10
    scf.yield %i : index
  }
  %lower = arith.constant 0 : i32
  %upper = arith.constant 4 : i32
  %step = arith.constant 1 : i32
  scf.for %i = %lower to %upper step %step : i32 {
    %twice = arith.addi %i, %i : i32
  }
  return
}
";

const IF: &str = "\
func.func @example() {
  %a = arith.constant 3 : i32
  %b = arith.constant 5 : i32
  %less = arith.cmpi slt, %a, %b : i32
  %smaller = scf.if %less -> (i32) {  // = 3
    scf.yield %a : i32
  } else {
    scf.yield %b : i32
  }
  return
}
";

const WHILE: &str = "\
func.func @example() {
  %one = arith.constant 1 : i32
  %hundred = arith.constant 100 : i32
  %power = scf.while (%x = %one) : (i32) -> i32 {  // = 128
    %more = arith.cmpi slt, %x, %hundred : i32
    scf.condition(%more) %x : i32
  } do {
  ^bb0(%x: i32):
    %twice = arith.addi %x, %x : i32
    scf.yield %twice : i32
  }
  return
}
";

const EXECUTE: &str = "\
func.func @example() {
  %a = arith.constant -3 : i32
  %zero = arith.constant 0 : i32
  %negative = arith.cmpi slt, %a, %zero : i32
  %absolute = scf.execute_region -> (i32) {  // = 3
    cf.cond_br %negative, ^change, ^done(%a : i32)
  ^change:
    %minus = arith.subi %zero, %a : i32
    cf.br ^done(%minus : i32)
  ^done(%x: i32):
    scf.yield %x : i32
  }
  return
}
";

const INDEX_SWITCH: &str = "\
func.func @example() {
  %two = arith.constant 2 : index
  %ten = arith.constant 10 : index
  %twenty = arith.constant 20 : index
  %picked = scf.index_switch %two -> (index)  // = 20
  case 1 {
    scf.yield %ten : index
  }
  case 2 {
    scf.yield %twenty : index
  }
  default {
    scf.yield %two : index
  }
  return
}
";

const BRANCHES: &str = "\
func.func @example() {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %five = arith.constant 5 : i32
  cf.br ^loop(%zero, %zero : i32, i32)
^loop(%i: i32, %sum: i32):
  %total = arith.addi %sum, %i : i32  // = 15
  %next = arith.addi %i, %one : i32
  %more = arith.cmpi sle, %next, %five : i32
  cf.cond_br %more, ^loop(%next, %total : i32, i32), ^done
^done:
  return
}
";

const SWITCH: &str = "\
func.func @example() {
  %two = arith.constant 2 : i32
  %ten = arith.constant 10 : i32
  cf.switch %two : i32, [
    default: ^done(%two : i32),
    1: ^done(%two : i32),
    2: ^done(%ten : i32)
  ]
^done(%x: i32):
  %same = arith.addi %x, %two : i32  // = 12
  return
}
";

const FUSION: &str = "\
func.func @example(%a: !pto.tile_buf<vec, 16x16xf32>) {
  %b = pto.fusion_region {
    %t = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>
    pto.tabs ins(%a : !pto.tile_buf<vec, 16x16xf32>) outs(%t : !pto.tile_buf<vec, 16x16xf32>)
    pto.yield(%t) : (!pto.tile_buf<vec, 16x16xf32>) -> ()
  } : !pto.tile_buf<vec, 16x16xf32>
  return
}
";

const SECTIONS: &str = "\
func.func @example(%x: !pto.tensor_view<16x16xf16>, %y: !pto.tensor_view<16x16xf32>) {
  pto.section.cube {
    %a = pto.alloc_tile : !pto.tile_buf<mat, 16x16xf16, blayout=col_major, slayout=row_major>
    pto.tload ins(%x : !pto.tensor_view<16x16xf16>) outs(%a : !pto.tile_buf<mat, 16x16xf16, blayout=col_major, slayout=row_major>)
  }
  pto.section.vector {
    %b = pto.alloc_tile : !pto.tile_buf<vec, 16x16xf32>
    pto.tload ins(%y : !pto.tensor_view<16x16xf32>) outs(%b : !pto.tile_buf<vec, 16x16xf32>)
  }
  return
}
";

family! { Control, "", control;
    /// A module: functions that belong together, with the target they are written for.
    ///
    /// Attributes say what the functions share: `pto.target_arch` is the target the program is for, `pto.kernel_kind` the core of functions that state none.
    /// A file may also have functions without a module around them, and modules in a module.
    builtin_module = "module": CONTROL.control(Control::Module)
        .attrs(&[opt_attr("sym_name", AttrKind::Any, "", "its name")])
        .alias_names(&["builtin.module"])
        .custom(Custom::Module)
        .example(MODULE);
    /// A function; `pto.entry` marks a kernel, `pto.kernel_kind` says which core runs it.
    ///
    /// The parameters are values of the body; a function without a body is a declaration. `pto.entry` marks the function that a launch starts: it returns nothing.
    /// `pto.kernel_kind` (`#pto.kernel_kind<cube>` or `<vector>`) says which core runs it. Functions may be called before they are defined, and must not call themselves.
    func_func = "func.func": CONTROL.control(Control::Function)
        .attrs(&[
            attr("sym_name", AttrKind::Any, "its name"),
            attr("function_type", AttrKind::Any, "parameters and results"),
            opt_attr("sym_visibility", AttrKind::Str, "", "private or public"),
        ])
        .custom(Custom::Func)
        .bytecode(0x6000, 0)
        .example(FUNCTIONS);
    /// Leaves a function.
    ///
    /// Ends the last block of a path through a function and gives its results, as many and of the types that the function states.
    func_return = "func.return": CONTROL.control(Control::Return)
        .slots(&[value_in("operands", SlotKind::Any).many()])
        .alias_names(&["return"])
        .custom(Custom::Return)
        .bytecode(0x6001, 0)
        .example(FUNCTIONS);
    /// Calls a function.
    ///
    /// Executes the body of `callee` with these arguments and gives what it returns. Tile buffers, views and pointers are passed as names of memory, nothing is copied.
    /// The engine expands calls in place: there is no stack, so a function that calls itself, directly or not, is an error (PTO-E0306).
    func_call = "func.call": CONTROL.control(Control::Call)
        .slots(&[value_in("operands", SlotKind::Any).many()])
        .attrs(&[attr("callee", AttrKind::Symbol, "the function")])
        .alias_names(&["call"])
        .custom(Custom::Call)
        .example(FUNCTIONS);
    /// Counts from a lower bound up to, not including, an upper bound.
    ///
    /// The counter starts at `lower` and grows by `step` as long as it is less than `upper`, compared as signed numbers; if it is not at the start, the body never runs.
    /// `step` is at least 1: a constant that is not is an error (PTO-E0310), a value that is not stops a run (PTO-E0710). A counter that would overflow ends the loop.
    /// Bounds and counter have one type, `index` unless another is written. `iter_args` are parameters of the body: `inits` in the first iteration, then
    /// what the last `scf.yield` gave. The results are those of the last iteration, or `inits`.
    scf_for = "scf.for": CONTROL.control(Control::For)
        .slots(&[
            value_in("lower", SlotKind::Int),
            value_in("upper", SlotKind::Int),
            value_in("step", SlotKind::Int),
            value_in("inits", SlotKind::Any).many(),
        ])
        .custom(Custom::For)
        .bytecode(0x4000, 3)
        .example(FOR);
    /// Runs one of two regions.
    ///
    /// Runs the first region if `condition` is true, else the second, if any. Each region yields the results; with results there must be an `else`.
    scf_if = "scf.if": CONTROL.control(Control::If).slots(&[value_in("condition", SlotKind::Bool)]).custom(Custom::If)
        .bytecode(0x4001, 1)
        .example(IF);
    /// Runs its second region while its first says so.
    ///
    /// Runs the first region on `inits`. Its `scf.condition` passes values on: if the condition is true, they are the parameters of the second region, and what that yields goes to the first again;
    /// if it is false, they are the results. The two regions may pass different numbers of values. The second region need not run.
    /// A run stops with PTO-E0708 if the loop can never end: scalars that come back to the same values while nothing else happens.
    scf_while = "scf.while": CONTROL.control(Control::While).slots(&[value_in("inits", SlotKind::Any).many()]).custom(Custom::While)
        .example(WHILE);
    /// Ends the first region of `scf.while`.
    ///
    /// Goes on with the second region if `condition` is true, else leaves the loop; `args` are the parameters of that region, or the results of the loop.
    scf_condition = "scf.condition": CONTROL.control(Control::Condition)
        .slots(&[value_in("condition", SlotKind::Bool), value_in("args", SlotKind::Any).many()])
        .custom(Custom::Condition)
        .example(WHILE);
    /// Ends a region and hands values to its operation.
    ///
    /// As many values as the operation has results, of their types; in `scf.while` as many as the first region has parameters. A region that yields nothing may leave it out,
    /// except those of `scf.while`.
    scf_yield = "scf.yield": CONTROL.control(Control::Yield).slots(&[value_in("results", SlotKind::Any).many()]).custom(Custom::Yield)
        .bytecode_counted(0x4002)
        .example(IF);
    /// Runs a region once.
    ///
    /// The region may have several blocks, so that branches fit where one operation is expected. The `scf.yield` that is reached gives the results.
    scf_execute_region = "scf.execute_region": CONTROL.control(Control::Execute).custom(Custom::ExecuteRegion)
        .example(EXECUTE);
    /// Runs the region of the case that equals an index.
    ///
    /// Runs the region of the first case that equals `arg`, or the default region, which must be there. Each region yields the results.
    scf_index_switch = "scf.index_switch": CONTROL.control(Control::IndexSwitch)
        .slots(&[value_in("arg", SlotKind::Index)])
        .attrs(&[attr("cases", AttrKind::Ints, "case values, in the order of the regions")])
        .custom(Custom::IndexSwitch)
        .example(INDEX_SWITCH);
    /// Goes to a block.
    ///
    /// The values become the parameters of the block. The block is one of the same region.
    cf_br = "cf.br": CONTROL.control(Control::Branch).custom(Custom::Branch)
        .example(BRANCHES);
    /// Goes to one of two blocks.
    ///
    /// Goes to the first block if `condition` is true, else to the second. Each gets its own values as parameters. Both may be the same block.
    cf_cond_br = "cf.cond_br": CONTROL.control(Control::CondBranch).slots(&[value_in("condition", SlotKind::Bool)]).custom(Custom::CondBranch)
        .example(BRANCHES);
    /// Goes to the block of the case that equals a value.
    ///
    /// Goes to the block of the first case that equals `flag`, or to the default block, which must be there, exactly once (PTO-E0311). Each gets its own values as parameters.
    cf_switch = "cf.switch": CONTROL.control(Control::Switch).slots(&[value_in("flag", SlotKind::Int)]).custom(Custom::Switch)
        .example(SWITCH);
    /// Operations that a tool fused; its results are tiles that later code uses.
    ///
    /// Runs its operations in order, once, like any others; the region only says that they were fused. `pto.yield` names the tiles that are its results.
    fusion_region = "pto.fusion_region": CONTROL.control(Control::Fusion).alias_names(&["fusion_region"]).custom(Custom::Fusion)
        .example(FUSION);
    /// Ends a fusion region and hands tiles to it.
    ///
    /// As many values as the region has results, of their types.
    fusion_yield = "pto.yield": CONTROL.control(Control::FusionYield)
        .slots(&[value_in("values", SlotKind::Any).many()])
        .alias_names(&["yield"])
        .custom(Custom::FusionYield)
        .example(FUSION);
    /// Code for the cube core.
    ///
    /// Only the cube core of a block executes it; a vector core goes on behind it. It may use values from outside, has no results, and must not be in another section.
    /// If the cores of a block do not communicate, the engine executes all sections on one core, in order.
    section_cube = "pto.section.cube": CONTROL.control(Control::Section(CoreKind::Cube)).alias_names(&["section.cube"]).custom(Custom::Section)
        .bytecode_variant(0x0006, 0, 0)
        .example(SECTIONS);
    /// Code for the vector core.
    ///
    /// Only the vector cores of a block execute it; the cube core goes on behind it. It may use values from outside, has no results, and must not be in another section.
    /// `pto.get_subblock_idx` tells the two vector cores of a block apart. If the cores of a block do not communicate, the engine executes all sections on one core, in order.
    section_vector = "pto.section.vector": CONTROL.control(Control::Section(CoreKind::Vector)).alias_names(&["section.vector"]).custom(Custom::Section)
        .bytecode_variant(0x0006, 1, 0)
        .example(SECTIONS);
}
