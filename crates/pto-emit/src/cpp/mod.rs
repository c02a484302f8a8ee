//! From operations to lines of C++.

mod control;
mod convolution;
mod fifo;
mod fixpipe;
mod forms;
mod function;
mod literals;
mod locals;
mod names;
mod text;
mod tiles;
mod types;
mod views;

use crate::Options;
use fifo::Pipes;
pub use forms::spellings;
use names::Names;
use pto_check::{Checked, Info};
use pto_ir::{BlockId, Module, OpId, ValueId};
use pto_isa::table::op;
use pto_isa::{Diagnostic, Op, Target, TileType, codes};
use std::cell::OnceCell;
use std::collections::HashMap;
use text::Text;
use types::Aliases;
use views::View;

/// What went wrong with one operation; it is reported, and the next one is tried.
pub(crate) type Built<T> = Result<T, Box<Diagnostic>>;

/// The text of a translation unit while it is written.
pub(crate) struct Writer<'a> {
    checked: &'a Checked,
    module: &'a Module,
    info: &'a Info,
    options: &'a Options<'a>,
    target: Target,
    out: Text,
    problems: Vec<Diagnostic>,
    aliases: Aliases,
    /// The operation being written.
    at: OpId,
    /// The operation whose line was last written as a remark.
    remarked: Option<u32>,
    /// How many functions have a body, once that was asked for.
    bodies: OnceCell<usize>,
    /// The first operation of the top level that states a kind of core.
    first_kind: OnceCell<Option<OpId>>,
    /// Names in use in the function.
    names: Names,
    /// What each value is called: an identifier or a literal.
    texts: Vec<Option<String>>,
    /// Values whose text is a literal.
    literal: Vec<bool>,
    /// Views of global memory.
    views: HashMap<ValueId, View>,
    /// Tiles that are another type in C++: extents that the type leaves open and the program fixes are fixed, and a window
    /// has the physical shape of the tile it is cut from.
    tiles: HashMap<ValueId, TileType>,
    /// The operations that use each value.
    uses: Vec<Vec<OpId>>,
    /// The loop that each body belongs to.
    loops: HashMap<BlockId, OpId>,
    pipes: Pipes,
    /// Where `yield` puts its values, the innermost region last.
    yields: Vec<Vec<String>>,
    /// The types of variables that regions fill.
    variable_types: HashMap<String, String>,
    /// Where `condition` puts its values, the innermost loop last.
    conditions: Vec<Vec<String>>,
    /// Declarations for the head of the region, while its blocks are reached by jumps.
    hoisted: Option<Vec<String>>,
    /// Labels of blocks that are reached by jumps, with the variables for their arguments.
    labels: HashMap<BlockId, (String, Vec<String>)>,
}

/// Writes a checked program.
pub(crate) fn emit(checked: &Checked, options: &Options<'_>) -> Result<String, Vec<Diagnostic>> {
    let mut writer = Writer::new(checked, options);
    writer.unit();
    if writer.problems.is_empty() {
        return Ok(writer.finish());
    }
    let mut problems = writer.problems;
    problems.sort_by_key(|d| (d.primary.span, d.code));
    problems.dedup();
    Err(problems)
}

/// Code for the operations that are not a call.
type Own<'a> = fn(&mut Writer<'a>, OpId) -> Built<()>;

/// What writes an operation, where its row does not say it.
fn own<'a>(code: Op) -> Option<Own<'a>> {
    Some(match code {
        op::arith_constant => Writer::constant,
        op::alloc_tile | op::alloc_multi_tile => Writer::alloc,
        op::multi_tile_get => Writer::pick,
        op::tassign => Writer::assign,
        op::subview | op::subset => Writer::window,
        op::make_tensor_view => Writer::make_view,
        op::partition_view => Writer::partition,
        op::get_tensor_view_dim | op::get_tensor_view_stride | op::memref_dim => Writer::view_query,
        op::tensor_view_addr => Writer::view_address,
        op::memref_load | op::memref_store => Writer::memref_access,
        op::memref_alloc => Writer::alloc,
        op::pointer_cast => Writer::buffer_at,
        op::bind_tile | op::memref_cast => Writer::rebound,
        op::declare_tile_memref => Writer::open_buffer,
        op::memref_dealloc => Writer::nothing,
        op::memref_subview | op::memref_reinterpret_cast => Writer::memref_window,
        op::declare_eventid_array | op::declare_local_array | op::declare_struct => Writer::declare_local,
        op::struct_get | op::struct_set => Writer::struct_field,
        op::aic_initialize_pipe | op::aiv_initialize_pipe | op::initialize_l2g2l_pipe | op::initialize_l2l_pipe => {
            Writer::open_pipe
        }
        op::reserve_buffer | op::import_reserved_buffer => Writer::reserved,
        op::setfmatrix | op::set_img2col_rpt | op::set_img2col_padding => Writer::convolution_register,
        op::timg2col => Writer::image_to_columns,
        op::set_quant_scalar | op::set_quant_vector => Writer::set_scale,
        op::declare_tile | op::declare_global => Writer::declare_entry,
        op::tpush | op::tpush_to_aiv | op::tpush_to_aic => Writer::push,
        op::tpop | op::tpop_from_aic | op::tpop_from_aiv => Writer::pop,
        op::tfree | op::tfree_from_aic | op::tfree_from_aiv => Writer::free,
        op::talloc | op::talloc_to_aiv | op::talloc_to_aic => Writer::alloc_entry,
        op::builtin_module => Writer::module_op,
        op::func_func => Writer::function,
        op::func_return => Writer::return_op,
        op::func_call => Writer::call,
        op::scf_for => Writer::for_op,
        op::scf_if => Writer::if_op,
        op::scf_while => Writer::while_op,
        op::scf_condition => Writer::condition,
        op::scf_yield | op::fusion_yield => Writer::yield_op,
        op::scf_execute_region | op::fusion_region => Writer::region_op,
        op::scf_index_switch => Writer::index_switch,
        op::cf_br | op::cf_cond_br | op::cf_switch => Writer::jump,
        op::section_cube | op::section_vector => Writer::section,
        _ => return None,
    })
}

/// True when there is C++ for an operation, for some operands at least.
///
/// ```
/// use pto_isa::table::op;
/// assert!(pto_emit::emits(op::tmax));
/// assert!(!pto_emit::emits(op::tpack));
/// ```
pub fn emits(code: Op) -> bool {
    let cpp = code.row().cpp;
    cpp.missing.is_empty() && (own(code).is_some() || cpp.is_known())
}

impl<'a> Writer<'a> {
    fn new(checked: &'a Checked, options: &'a Options<'a>) -> Self {
        let module = checked.module();
        let mut uses = vec![Vec::new(); module.value_count()];
        let mut loops = HashMap::new();
        for id in module.order() {
            for operand in module.operands(id) {
                uses[operand.value.index()].push(id);
            }
            if module.op(id).op == op::scf_for {
                let bodies = module.op_regions(id).iter().flat_map(|r| &module.region(*r).blocks);
                loops.extend(bodies.map(|b| (*b, id)));
            }
        }
        Self {
            checked,
            module,
            info: checked.info(),
            options,
            target: checked.info().target,
            out: Text::default(),
            problems: Vec::new(),
            aliases: Aliases::default(),
            at: OpId::from_index(0),
            remarked: None,
            bodies: OnceCell::new(),
            first_kind: OnceCell::new(),
            names: Names::new(options.style),
            texts: vec![None; module.value_count()],
            literal: vec![false; module.value_count()],
            views: HashMap::new(),
            tiles: HashMap::new(),
            uses,
            loops,
            pipes: Pipes::new(checked),
            yields: Vec::new(),
            variable_types: HashMap::new(),
            conditions: Vec::new(),
            hoisted: None,
            labels: HashMap::new(),
        }
    }

    /// An operation that C++ does without.
    #[expect(clippy::unnecessary_wraps, reason = "one of the functions that write operations")]
    fn nothing(&mut self, _: OpId) -> Built<()> {
        Ok(())
    }

    /// Writes one operation; a problem with it is noted.
    fn op(&mut self, id: OpId) {
        let outer = std::mem::replace(&mut self.at, id);
        let code = self.module.op(id).op;
        let missing = code.row().cpp.missing;
        let done = match own(code) {
            _ if !missing.is_empty() => Err(self.unsupported(missing)),
            Some(write) => write(self, id),
            None => self.spelled(id),
        };
        if let Err(problem) = done {
            self.problems.push(*problem);
            // What uses the results of a failed operation is not to blame.
            for value in self.module.results(id) {
                self.texts[value.index()].get_or_insert_with(String::new);
            }
        }
        self.at = outer;
    }

    fn block(&mut self, block: BlockId) {
        for &id in &self.module.block(block).ops {
            self.op(id);
        }
    }

    /// A statement of the current operation, with its line where it has not been written yet.
    fn line(&mut self, text: &str) {
        let remark = self.remark();
        self.out.line(text, remark);
    }

    fn open(&mut self, text: &str) {
        let remark = self.remark();
        self.out.open(text, remark);
    }

    /// The line of the current operation, once.
    fn remark(&mut self) -> Option<u32> {
        let line = self.options.line?(self.module.op(self.at).span.start);
        if self.options.style == crate::Style::Plain || self.remarked == Some(line) {
            return None;
        }
        self.remarked = Some(line);
        Some(line)
    }

    /// What a value is called.
    fn text(&self, value: ValueId) -> Built<String> {
        match &self.texts[value.index()] {
            Some(text) => Ok(text.clone()),
            None => {
                let noun = self.module.value_type(value).noun();
                Err(self.unsupported(&format!("a {noun} that is used outside of where C++ can name it")))
            }
        }
    }

    /// Declares a variable for a value; `init` is its initial value.
    fn declare(&mut self, value: ValueId, ty: &str, init: &str, constant: bool) -> String {
        let name = self.names.fresh(self.module.value_name(value));
        self.texts[value.index()] = Some(name.clone());
        let variable = types::declaration(ty, &name);
        match &mut self.hoisted {
            Some(list) => {
                list.push(format!("{variable};"));
                if !init.is_empty() {
                    self.line(&format!("{name} = {init};"));
                }
            }
            None if init.is_empty() => self.line(&format!("{variable};")),
            None if constant => self.line(&format!("const {variable} = {init};")),
            None => self.line(&format!("{variable} = {init};")),
        }
        name
    }

    /// The operands in the slot of this name.
    fn operands(&self, id: OpId, name: &str) -> Vec<ValueId> {
        let Some(slot) = self.module.op(id).op.row().slot(name) else { return Vec::new() };
        self.module.in_slot(id, slot).map(|o| o.value).collect()
    }

    fn operand(&self, id: OpId, name: &str) -> Option<ValueId> {
        self.operands(id, name).first().copied()
    }

    /// The text of an operand that must be there.
    fn operand_text(&self, id: OpId, name: &str) -> Built<String> {
        match self.operand(id, name) {
            Some(value) => self.text(value),
            None => Err(self.unsupported(&format!("it without `{name}`"))),
        }
    }

    fn result(&self, id: OpId) -> Built<ValueId> {
        self.module.results(id).next().ok_or_else(|| self.unsupported("it without a result"))
    }

    /// The error for what C++ cannot express.
    fn unsupported(&self, what: &str) -> Box<Diagnostic> {
        let op = self.module.op(self.at);
        let row = op.op.row();
        let message = format!("`{}` has no C++ for {}: {what}", row.full_name(), self.target);
        let d = Diagnostic::new(codes::EMIT_UNSUPPORTED, op.name_span, message);
        Box::new(if row.page.is_empty() { d } else { d.page(row.page) })
    }

    fn finish(self) -> String {
        let mut head = String::new();
        if !self.options.source.is_empty() && self.options.style == crate::Style::Readable {
            let source = self.options.source.replace(['\n', '\r'], " ");
            head.push_str(&format!("// {source} for {}. Numbers at the ends of lines are its lines.\n", self.target));
        }
        head.push_str("#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n");
        if !self.aliases.lines.is_empty() {
            head.push_str(&format!("\n{}\n", self.aliases.lines.join("\n")));
        }
        head + &self.out.finish()
    }
}
