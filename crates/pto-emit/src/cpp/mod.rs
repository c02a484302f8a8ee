//! From operations to lines of C++.

mod control;
mod convolution;
mod facts;
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
mod values;
mod views;

use crate::Options;
use control::Flow;
use facts::Facts;
use fifo::FifoPipes;
pub use forms::spellings;
use pto_check::{Checked, Info};
use pto_ir::{BlockId, Module, OpId, ValueId};
use pto_isa::cancel::poll;
use pto_isa::row::{Arith, Control, EntryAction, Fifo, LocalOp, Meaning, Movement, Storage};
use pto_isa::sort::SharedSort;
use pto_isa::{Diagnostic, Op, Target, codes};
use text::CppText;
use types::TypeAliases;
use values::ValueTexts;

/// What went wrong with one operation; it is reported, and the next one is tried.
pub(crate) type EmitResult<T> = Result<T, Box<Diagnostic>>;

/// The text of a translation unit while it is written.
pub(crate) struct Writer<'a> {
    module: &'a Module,
    input: Input<'a>,
    /// The operation being written.
    at: OpId,
    output: Output,
    values: ValueTexts,
    facts: Facts,
    pipes: FifoPipes,
    flow: Flow,
}

/// What is written, and how.
struct Input<'a> {
    checked: &'a Checked,
    info: &'a Info,
    options: &'a Options<'a>,
    target: Target,
}

/// What has been written.
#[derive(Default)]
struct Output {
    text: CppText,
    problems: Vec<Diagnostic>,
    aliases: TypeAliases,
    /// The operation whose line was last written as a remark.
    remarked: Option<u32>,
}

/// Writes a checked program.
pub(crate) fn emit(checked: &Checked, options: &Options<'_>) -> Result<String, Vec<Diagnostic>> {
    let mut writer = Writer::new(checked, options);
    writer.unit();
    if writer.output.problems.is_empty() {
        return Ok(writer.finish());
    }
    let mut problems = writer.output.problems;
    problems.shared_sort_by_key(|d| (d.primary.span, d.code));
    problems.dedup();
    Err(problems)
}

/// Code for the operations that are not a call.
type Own<'a> = fn(&mut Writer<'a>, OpId) -> EmitResult<()>;

/// What writes an operation, where its row does not say it.
fn own<'a>(code: Op) -> Option<Own<'a>> {
    match code.row().meaning {
        Meaning::Control(is) => Some(own_control(is)),
        Meaning::Storage(is) => own_storage(is),
        Meaning::Fifo(is) => Some(own_fifo(is)),
        Meaning::Arith(Arith::Constant) => Some(Writer::constant),
        Meaning::Movement(Movement::LoadElement | Movement::StoreElement) => Some(Writer::memref_access),
        Meaning::Movement(Movement::Load | Movement::Store | Movement::StoreScaled) => Some(Writer::move_window),
        Meaning::Local(LocalOp::DeclareArray | LocalOp::DeclareStruct | LocalOp::DeclareEventIds) => {
            Some(Writer::declare_local)
        }
        Meaning::Local(LocalOp::GetField | LocalOp::SetField) => Some(Writer::struct_field),
        Meaning::Plain => convolution::own(code),
        Meaning::Arith(_)
        | Meaning::Movement(_)
        | Meaning::Local(_)
        | Meaning::Sync(_)
        | Meaning::Comm(_)
        | Meaning::Query(_)
        | Meaning::Atomic(_) => None,
    }
}

fn own_control<'a>(is: Control) -> Own<'a> {
    match is {
        Control::Module => Writer::module_op,
        Control::Function => Writer::function,
        Control::Return => Writer::return_op,
        Control::Call => Writer::call,
        Control::For => Writer::for_op,
        Control::If => Writer::if_op,
        Control::While => Writer::while_op,
        Control::Condition => Writer::condition,
        Control::Yield | Control::FusionYield => Writer::yield_op,
        Control::Execute | Control::Fusion => Writer::region_op,
        Control::IndexSwitch => Writer::index_switch,
        Control::Branch | Control::CondBranch | Control::Switch => Writer::jump,
        Control::Section(_) => Writer::section,
    }
}

fn own_storage<'a>(is: Storage) -> Option<Own<'a>> {
    Some(match is {
        Storage::Tile | Storage::Tiles | Storage::Buffer => Writer::alloc,
        Storage::Pick => Writer::pick,
        Storage::Assign => Writer::assign,
        Storage::Window | Storage::ClippedWindow => Writer::window,
        Storage::View => Writer::make_view,
        Storage::Partition => Writer::partition,
        Storage::ViewExtent | Storage::ViewStride | Storage::BufferExtent => Writer::view_query,
        Storage::ViewAddress => Writer::view_address,
        Storage::BufferAt => Writer::buffer_at,
        Storage::BindTile | Storage::BufferCast => Writer::rebound,
        Storage::OpenBuffer => Writer::open_buffer,
        Storage::Free => Writer::nothing,
        Storage::BufferWindow | Storage::BufferRecast => Writer::memref_window,
        Storage::Retype
        | Storage::BindWindow
        | Storage::BindAlias
        | Storage::SetValid
        | Storage::GetValid
        | Storage::ValidRows
        | Storage::ValidCols
        | Storage::TileAddress
        | Storage::Offset
        | Storage::CastPointer
        | Storage::ToPointer
        | Storage::FromPointer => return None,
    })
}

fn own_fifo<'a>(is: Fifo) -> Own<'a> {
    match is {
        Fifo::Open(_) => Writer::open_pipe,
        Fifo::Reserve | Fifo::Import => Writer::reserved,
        Fifo::Scale(_) => Writer::set_scale,
        Fifo::Declare => Writer::declare_entry,
        Fifo::Entry(EntryAction::Push, _) => Writer::push,
        Fifo::Entry(EntryAction::Pop, _) => Writer::pop,
        Fifo::Entry(EntryAction::Free, _) => Writer::free,
        Fifo::Entry(EntryAction::Alloc, _) => Writer::alloc_entry,
    }
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
        let info = checked.info();
        Self {
            module,
            input: Input { checked, info, options, target: info.target },
            at: OpId::from_index(0),
            output: Output::default(),
            values: ValueTexts::new(module, options.style),
            facts: Facts::new(module),
            pipes: FifoPipes::new(checked),
            flow: Flow::default(),
        }
    }

    /// An operation that C++ does without.
    #[expect(clippy::unnecessary_wraps, reason = "one of the functions that write operations")]
    fn nothing(&mut self, _: OpId) -> EmitResult<()> {
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
            self.output.problems.push(*problem);
            // What uses the results of a failed operation is not to blame.
            for value in self.module.results(id) {
                self.values.texts[value.index()].get_or_insert_with(String::new);
            }
        }
        self.at = outer;
    }

    fn block(&mut self, block: BlockId) {
        for &id in &self.module.block(block).ops {
            poll();
            self.op(id);
        }
    }

    /// A statement of the current operation, with its line number if that has not been written yet.
    fn line(&mut self, text: &str) {
        let remark = self.remark();
        self.output.text.line(text, remark);
    }

    fn open(&mut self, text: &str) {
        let remark = self.remark();
        self.output.text.open(text, remark);
    }

    /// The line of the current operation, once.
    fn remark(&mut self) -> Option<u32> {
        let line = self.input.options.line?(self.module.op(self.at).span.start);
        if self.input.options.style == crate::CppStyle::Plain || self.output.remarked == Some(line) {
            return None;
        }
        self.output.remarked = Some(line);
        Some(line)
    }

    /// What a value is called.
    fn text(&self, value: ValueId) -> EmitResult<String> {
        match &self.values.texts[value.index()] {
            Some(text) => Ok(text.clone()),
            None => {
                let noun = self.module.value_type(value).noun();
                Err(self.unsupported(&pto_isa::text!("a {noun} that is used outside of where C++ can name it", noun)))
            }
        }
    }

    /// Declares a variable for a value; `init` is its initial value.
    fn declare(&mut self, value: ValueId, ty: &str, init: &str, constant: bool) -> String {
        let name = self.values.names.fresh(self.module.value_name(value));
        self.values.texts[value.index()] = Some(name.clone());
        let variable = types::declaration(ty, &name);
        match &mut self.flow.hoisted {
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
        self.module.named(id, name).map(|o| o.value).collect()
    }

    /// The text of an operand that must be there.
    fn operand_text(&self, id: OpId, name: &str) -> EmitResult<String> {
        match self.module.operand(id, name) {
            Some(value) => self.text(value),
            None => Err(self.unsupported(&pto_isa::text!("it without `{name}`", name))),
        }
    }

    fn result(&self, id: OpId) -> EmitResult<ValueId> {
        self.module.results(id).next().ok_or_else(|| self.unsupported(pto_isa::text!("it without a result")))
    }

    /// The error for what C++ cannot express.
    fn unsupported(&self, what: &str) -> Box<Diagnostic> {
        let op = self.module.op(self.at);
        let row = op.op.row();
        let message = pto_isa::text!(
            "`{row}` has no C++ for {target}: {what}",
            row = row.full_name(),
            target = self.input.target,
            what
        );
        let d = Diagnostic::new(codes::EMIT_UNSUPPORTED, op.name_span, message);
        Box::new(d.page(row.name))
    }

    fn finish(self) -> String {
        let mut head = String::new();
        if !self.input.options.source.is_empty() && self.input.options.style == crate::CppStyle::Readable {
            let source = self.input.options.source.replace(['\n', '\r'], " ");
            head.push_str(&format!(
                "// {source} for {target}. Numbers at the ends of lines are its lines.\n",
                target = self.input.target
            ));
        }
        head.push_str("#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n");
        if !self.output.aliases.lines.is_empty() {
            head.push_str(&format!("\n{}\n", self.output.aliases.lines.join("\n")));
        }
        head + &self.output.text.finish()
    }
}
