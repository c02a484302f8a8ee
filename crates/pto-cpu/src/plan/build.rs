//! From operations to steps: the parts every kind of operation uses.

use super::fixed::only_loaded;
use super::params::{EntryPoint, entry_function, param, vector_tile};
use super::roles::{SUBBLOCK_PARAM, Traits, callees, depth};
use crate::args::Options;
use crate::kernels::{self, OpKernel};
use crate::memory::{Spaces, Spare};
use crate::prepared::*;
use pto_check::Checked;
use pto_ir::{BlockId, Module, OpId, ValueId};
use pto_isa::cancel::poll;
use pto_isa::hash::{FastMap, FastSet};
use pto_isa::row::{AtomicMode, Effect, Fifo, Meaning, Movement, SyncOp};
use pto_isa::table::op;
use pto_isa::text;
use pto_isa::{Diagnostic, Error, Family, Span, TileType, Token, Type, codes};

/// Steps a plan may have; expanded calls can make a short program long.
const MAX_STEPS: usize = 1 << 24;
/// Bytes that tiles without an address may take in all.
const MAX_OWN_BYTES: u64 = 1 << 32;

/// True when the engine executes an operation: by a kernel, or itself.
pub(crate) fn runs(code: pto_isa::Op) -> bool {
    match maker(code) {
        Some(StepMaker::Sync) => code.row().effect == Effect::Sync,
        Some(_) => true,
        None => false,
    }
}

/// What makes the steps of an operation.
#[derive(Clone, Copy)]
enum StepMaker {
    Control,
    Arith,
    View,
    Sync,
    Link,
    AtomicSwitch(AtomicMode),
    Quant,
    FeatureMap,
    ImagePadding,
    Clean,
    /// Registers of copies that the table does not have: tile instructions set them up for themselves. How often an image is
    /// repeated is what the size of the destination says.
    Register,
    Trap,
    Element,
    Status,
    ScaleAddress,
    Rounding,
    PrintMemory,
    PrintScalar,
    Kernel(&'static OpKernel),
}

fn maker(code: pto_isa::Op) -> Option<StepMaker> {
    Some(match (code.row().meaning, code.row().family) {
        (Meaning::Atomic(mode), _) => StepMaker::AtomicSwitch(mode),
        (Meaning::Fifo(Fifo::Scale(_)), _) => StepMaker::Quant,
        (Meaning::Sync(SyncOp::CleanCache), _) => StepMaker::Clean,
        (Meaning::Movement(Movement::GetElement | Movement::SetElement), _) => StepMaker::Element,
        (_, Family::Control) => StepMaker::Control,
        (_, Family::Arith) => StepMaker::Arith,
        (_, Family::View) => StepMaker::View,
        (_, Family::Sync) => StepMaker::Sync,
        (_, Family::Fifo | Family::Comm) => StepMaker::Link,
        _ if code == op::setfmatrix => StepMaker::FeatureMap,
        _ if code == op::set_img2col_padding => StepMaker::ImagePadding,
        (_, Family::Config) => StepMaker::Register,
        _ if code == op::trap => StepMaker::Trap,
        _ if code == op::get_vms4_sr => StepMaker::Status,
        _ if code == op::tget_scale_addr => StepMaker::ScaleAddress,
        _ if code == op::sethf32mode || code == op::settf32mode => StepMaker::Rounding,
        _ if code == op::tprint => StepMaker::PrintMemory,
        _ if code == op::print => StepMaker::PrintScalar,
        _ => StepMaker::Kernel(kernels::find(code).filter(|kernel| !kernel.is_missing())?),
    })
}

pub(super) type PlanResult<T> = Result<T, Diagnostic>;

/// What a plan is made with.
pub(super) struct PlanBuilder<'a> {
    pub checked: &'a Checked,
    pub module: &'a Module,
    pub options: Options,
    pub plan: Plan,
    /// Where each value of the program is kept. A function that is called twice is expanded twice, one after the other.
    pub slots: Vec<ValueStorage>,
    /// The operation whose steps are being made.
    pub at: OpId,
    /// The innermost loop that the next step belongs to.
    pub inside: Option<LoopId>,
    /// Functions being expanded, the outermost first.
    pub calls: Vec<OpId>,
    pub open_calls: FastSet<OpId>,
    /// What calls call.
    pub callees: FastMap<OpId, OpId>,
    /// Registers of the loops around that keep buffers from one iteration to the next.
    pub held: Vec<TileId>,
    /// Status vector of the most recent status-writing instruction, if the program reads it.
    pub status: Option<TileId>,
    /// Where `return` goes: places to fill in, and where the results are kept.
    pub returns: Vec<Return>,
    /// What pushes of accumulators are scaled with, by pipe, the latest last.
    pub quants: Vec<(i64, Scale, Option<TileType>)>,
    /// Addresses of reserved buffers, and their bytes.
    pub reserved: Vec<(Reg, u64)>,
    /// What instructions set for later ones: a register for each name, zero when a block starts.
    pub states: Vec<(String, Reg)>,
}

pub(super) struct Return {
    pub jumps: Vec<StepId>,
    pub results: Vec<ValueStorage>,
}

pub(super) fn build(checked: &Checked, entry: Option<&str>, options: Options) -> Result<Plan, Error> {
    let built = match checked.module().with_tiles()? {
        // Rules about tiles hold for lowered buffers too, and kernels rely on them.
        Some(module) => build_tiles(&pto_check::check(module, checked.info().target)?, entry, options),
        None => build_tiles(checked, entry, options),
    };
    built.map_err(|problem| checked.module().error(problem))
}

fn build_tiles(checked: &Checked, entry: Option<&str>, options: Options) -> PlanResult<Plan> {
    let entry = entry_function(checked.module(), entry)?;
    let functions: Vec<OpId> = entry.function.into_iter().chain(entry.partner.map(|(f, _)| f)).collect();
    let depth = functions.iter().map(|f| depth(checked.module(), *f)).max().unwrap_or(1);
    if depth <= FLAT {
        return build_entry(checked, entry, &functions, options);
    }
    // Calls are expanded inside each other, and each takes some of the stack.
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(depth.saturating_mul(STACK_OF_CALL));
        let spawned = thread.spawn_scoped(scope, || build_entry(checked, entry, &functions, options));
        let too_deep = || {
            let message = text!("calls are nested {depth} deep, more than the memory for them", depth);
            Diagnostic::new(codes::RUN_UNSUPPORTED, Span::default(), message)
        };
        spawned.map_err(|_| too_deep())?.join().unwrap_or_else(|_| Err(too_deep()))
    })
}

/// Calls that are nested no deeper are expanded on the stack there is.
const FLAT: usize = 100;
const STACK_OF_CALL: usize = 64 << 10;

fn build_entry(checked: &Checked, entry: EntryPoint, functions: &[OpId], options: Options) -> PlanResult<Plan> {
    let traits = Traits::of(checked, functions);
    let Some(vectors) = traits.vector_cores() else {
        let plan = build_role(checked, &entry, Role::Whole, options)?;
        return Ok(complete(plan, traits));
    };
    let cube = build_role(checked, &entry, Role::Cube, options)?;
    let (function, body) = match entry.partner {
        Some((f, b)) => (Some(f), b),
        None => (entry.function, entry.body),
    };
    let entry = EntryPoint { function, body, partner: None, ..entry };
    let vector = build_role(checked, &entry, Role::Vector, options)?;
    Ok(complete(join(cube, vector, vectors)?, traits))
}

/// Notes what concerns all blocks.
fn complete(mut plan: Plan, traits: Traits) -> Plan {
    plan.cores.joint = traits.joint;
    plan.cores.asks = plan.polls();
    plan.mark_shared_loops();
    plan
}

/// The plans of a block's cores as one. They take the same arguments.
fn join(mut cube: Plan, mut vector: Plan, vectors: u32) -> PlanResult<Plan> {
    let common = cube.params().len().min(vector.params().len());
    let differs = (0..common).find(|&k| cube.params()[k].kind != vector.params()[k].kind);
    if let Some(k) = differs {
        let message = text!("parameter {k} of the cube function is not that of the vector function", k);
        return Err(Diagnostic::new(codes::RUN_ENTRY, cube.entry_span(), message)
            .legal(text!("two functions without an entry start together and take the same arguments")));
    }
    let (more, less) =
        if cube.params().len() < vector.params().len() { (&vector, &mut cube) } else { (&cube, &mut vector) };
    less.source.params.extend_from_slice(&more.params()[common..]);
    less.source.slots.resize(more.source.slots.len(), ValueStorage::Nothing);
    // Both are asked how many there are.
    vector.cores.vectors = vectors;
    cube.cores.vectors = vectors;
    cube.cores.partner = Some(Box::new(vector));
    Ok(cube)
}

/// The plan of one kind of core.
fn build_role(checked: &Checked, entry: &EntryPoint, role: Role, options: Options) -> PlanResult<Plan> {
    let module = checked.module();
    let Some(first) = entry.function.or_else(|| module.block(entry.body).ops.first().copied()) else {
        let message = text!("the program is empty");
        return Err(Diagnostic::new(codes::RUN_ENTRY, Span::default(), message));
    };
    let mut builder = PlanBuilder::new(checked, entry.name.clone(), first, options);
    builder.plan.cores.role = role;
    builder.plan.source.only_loaded = only_loaded(module, &module.block(entry.body).args);
    let args = module.block(entry.body).args.clone();
    for &arg in &args {
        builder.param(arg)?;
    }
    builder.calls.extend(entry.function);
    builder.open_calls.extend(entry.function);
    builder.returns.push(Return { jumps: Vec::new(), results: Vec::new() });
    match entry.function {
        Some(function) => builder.region(module.op_regions(function)[0])?,
        None => builder.block(entry.body)?,
    }
    builder.finish()
}

impl<'a> PlanBuilder<'a> {
    fn new(checked: &'a Checked, name: String, at: OpId, options: Options) -> Self {
        let module = checked.module();
        let spaces = Spaces::new(checked.info().target);
        let core_bytes = spaces.end;
        let plan = Plan {
            source: PlanSource {
                checked: checked.clone(),
                options,
                name,
                params: Vec::new(),
                only_loaded: Vec::new(),
                slots: Vec::new(),
            },
            code: StepList::default(),
            start: RegisterFile::default(),
            tiles: TileTables::default(),
            views: ViewTables::default(),
            calls: CallTables::default(),
            memory: MemoryNeeds {
                spaces,
                core_bytes,
                spare: Spare::default(),
                spare_factors: Spare::default(),
                spare_slots: Spare::default(),
            },
            cores: Cores { role: Role::Whole, vectors: 1, joint: false, asks: false, partner: None },
            sharing: LoopSharing::default(),
        };
        Self {
            checked,
            module,
            options,
            plan,
            slots: vec![ValueStorage::Nothing; module.value_count()],
            at,
            inside: None,
            calls: Vec::new(),
            open_calls: FastSet::default(),
            callees: callees(module),
            held: Vec::new(),
            status: None,
            returns: Vec::new(),
            quants: Vec::new(),
            reserved: Vec::new(),
            states: Vec::new(),
        }
    }

    fn param(&mut self, value: ValueId) -> PlanResult<()> {
        let slot = self.define(value)?;
        if let (Role::Vector, ValueStorage::Scalar(reg)) = (self.plan.cores.role, slot)
            && self.module.value_name(value) == SUBBLOCK_PARAM
        {
            return self.push(Step::SubblockIndex(reg)).map(drop);
        }
        if let ValueStorage::View(view) = slot {
            self.plan.start.views[view].layout = self.layout_of(value);
        }
        self.plan.source.params.push(param(self.module, value));
        self.plan.source.slots.push(slot);
        Ok(())
    }

    fn finish(mut self) -> PlanResult<Plan> {
        let end = self.here();
        self.push(Step::End)?;
        if let Some(r) = self.returns.pop() {
            r.jumps.iter().for_each(|&j| self.plan.code.steps[j] = Step::Jump(end));
        }
        let reads = |(at, step): (StepId, &Step)| matches!(step, Step::TileGet { .. }).then_some(at);
        self.plan.code.element_reads = self.plan.code.steps.entries().filter_map(reads).collect();
        let tile = |(at, slot): (usize, &ValueStorage)| match *slot {
            ValueStorage::Tile(tile) => Some((ValueId::from_index(at), tile, 1)),
            ValueStorage::Multi(tile, count) => Some((ValueId::from_index(at), tile, count)),
            _ => None,
        };
        self.plan.tiles.values = self.slots.iter().enumerate().filter_map(tile).collect();
        self.plan.mark_strips();
        self.plan.mark_wanted();
        Ok(self.plan)
    }

    // ---- steps ----------------------------------------------------------------------------------------------

    pub fn push(&mut self, step: Step) -> PlanResult<StepId> {
        poll();
        if self.plan.code.steps.len() >= MAX_STEPS {
            let message = text!("the program expands to more than {MAX_STEPS} steps", MAX_STEPS);
            return Err(Diagnostic::new(codes::RUN_LIMIT, self.place(), message)
                .help(text!("calls are expanded in place; call fewer functions from several places")));
        }
        self.plan.code.origins.push(self.at);
        self.plan.code.loops.mark(self.here(), self.inside);
        Ok(self.plan.code.steps.push(step))
    }

    /// The position of the next step.
    pub fn here(&self) -> StepId {
        self.plan.code.steps.next_id()
    }

    pub fn place(&self) -> Span {
        self.module.op(self.at).name_span
    }

    // ---- registers ------------------------------------------------------------------------------------------

    pub fn reg(&mut self) -> Reg {
        self.plan.start.scalars.push(0)
    }

    /// A register that holds a number from the start.
    pub fn constant(&mut self, bits: u64) -> Reg {
        self.plan.start.scalars.push(bits)
    }

    /// The register for a part of the core's state. Kernels name it among their scalars, with a `$` before it.
    pub fn state(&mut self, name: &str) -> Reg {
        if let Some((_, reg)) = self.states.iter().find(|(known, _)| known == name) {
            return *reg;
        }
        let reg = self.reg();
        self.states.push((name.to_string(), reg));
        reg
    }

    pub fn geometry(&mut self, ty: &TileType) -> GeometryId {
        let geometries = &mut self.plan.tiles.geometries;
        let known = geometries.entries().find_map(|(id, g)| (g == ty).then_some(id));
        known.unwrap_or_else(|| geometries.push(*ty))
    }

    /// An address after the memory spaces.
    pub fn own_bytes(&mut self, bytes: u64) -> PlanResult<u64> {
        let at = self.plan.memory.core_bytes;
        let end = at.saturating_add(bytes.next_multiple_of(64));
        if end > MAX_OWN_BYTES {
            let message = text!("the tiles of the program need more than {value} GiB", value = MAX_OWN_BYTES >> 30);
            return Err(Diagnostic::new(codes::RUN_LIMIT, self.place(), message));
        }
        self.plan.memory.core_bytes = end;
        Ok(at)
    }

    /// A place for a value, by its type. Tiles get their own bytes.
    pub fn define(&mut self, value: ValueId) -> PlanResult<ValueStorage> {
        let slot = match self.module.value_type(value) {
            Type::Scalar(_) | Type::Ptr(..) | Type::Token(Token::AsyncSession | Token::AsyncEvent) => {
                ValueStorage::Scalar(self.reg())
            }
            Type::Tile(ty) | Type::TileBuf(ty) => ValueStorage::Tile(self.new_tile(&ty.clone())?),
            Type::TensorView(_) | Type::PartitionView(_) | Type::Memref(_) => ValueStorage::View(self.new_view()),
            Type::Vector(v) => match vector_tile(v) {
                Some(ty) => ValueStorage::Tile(self.new_tile(&ty)?),
                None => ValueStorage::Nothing,
            },
            _ => ValueStorage::Nothing,
        };
        self.keep_in(value, slot);
        Ok(slot)
    }

    /// From the next step on, a value is kept here.
    pub fn keep_in(&mut self, value: ValueId, storage: ValueStorage) {
        self.slots[value.index()] = storage;
        let since = self.here();
        self.plan.code.values.push(KeptValue { value, since, storage });
    }

    pub fn slot(&self, value: ValueId) -> ValueStorage {
        self.slots[value.index()]
    }

    pub fn scalar(&self, value: ValueId) -> PlanResult<Reg> {
        match self.slot(value) {
            ValueStorage::Scalar(reg) => Ok(reg),
            _ => Err(self.unsupported(&text!("a {module} as a number", module = self.module.value_type(value).noun()))),
        }
    }

    pub fn tile(&self, value: ValueId) -> PlanResult<TileId> {
        match self.slot(value) {
            ValueStorage::Tile(tile) => Ok(tile),
            _ => Err(self.unsupported(&text!("a {module} as a tile", module = self.module.value_type(value).noun()))),
        }
    }

    pub fn view(&self, value: ValueId) -> PlanResult<ViewId> {
        match self.slot(value) {
            ValueStorage::View(view) => Ok(view),
            _ => Err(self.unsupported(&text!("a {module} as a view", module = self.module.value_type(value).noun()))),
        }
    }

    // ---- operands by slot name --------------------------------------------------------------------------------

    pub fn operands(&self, id: OpId, name: &str) -> Vec<ValueId> {
        self.module.named(id, name).map(|o| o.value).collect()
    }

    /// The register of a scalar operand that must be there.
    pub fn operand_reg(&self, id: OpId, name: &str) -> PlanResult<Reg> {
        match self.module.operand(id, name) {
            Some(value) => self.scalar(value),
            None => Err(self.unsupported(&text!("it without `{name}`", name))),
        }
    }

    pub fn operand_tile(&self, id: OpId, name: &str) -> PlanResult<TileId> {
        match self.module.operand(id, name) {
            Some(value) => self.tile(value),
            None => Err(self.unsupported(&text!("it without `{name}`", name))),
        }
    }

    pub fn result(&self, id: OpId) -> PlanResult<ValueId> {
        self.module.results(id).next().ok_or_else(|| self.unsupported(text!("it without a result")))
    }

    /// Defines the result as a scalar.
    pub fn result_reg(&mut self, id: OpId) -> PlanResult<Reg> {
        let value = self.result(id)?;
        self.define(value)?;
        self.scalar(value)
    }

    /// The error for what the engine does not run.
    pub fn unsupported(&self, what: &str) -> Diagnostic {
        let name = self.module.op(self.at).op.row().full_name();
        Diagnostic::new(
            codes::RUN_UNSUPPORTED,
            self.place(),
            text!("`{name}`: the engine does not run {what}", name, what),
        )
    }

    // ---- operations -------------------------------------------------------------------------------------------

    pub fn block(&mut self, block: BlockId) -> PlanResult<()> {
        for &id in &self.module.block(block).ops {
            self.op(id)?;
        }
        Ok(())
    }

    pub fn op(&mut self, id: OpId) -> PlanResult<()> {
        let outer = std::mem::replace(&mut self.at, id);
        let code = self.module.op(id).op;
        let done = match maker(code) {
            Some(StepMaker::Control) => self.control_op(id),
            Some(StepMaker::Arith) => self.arith_op(id),
            Some(StepMaker::View) => self.view_op(id),
            Some(StepMaker::Sync) => self.sync_op(id),
            Some(StepMaker::Link) => self.link_op(id),
            Some(StepMaker::AtomicSwitch(mode)) => self.atomic_switch(mode),
            Some(StepMaker::Quant) => self.quant_op(id),
            Some(StepMaker::FeatureMap) => self.feature_map(id),
            Some(StepMaker::ImagePadding) => self.image_padding(id),
            Some(StepMaker::Clean) => self.clean_op(id),
            Some(StepMaker::Register) => self.order(PipeOrder::Other),
            Some(StepMaker::Trap) => self.push(Step::Trap).map(drop),
            Some(StepMaker::Element) => self.element_op(id),
            Some(StepMaker::Status) => self.read_status(id),
            Some(StepMaker::ScaleAddress) => self.scale_address(id),
            Some(StepMaker::Rounding) => self.product_rounding(id),
            Some(StepMaker::PrintMemory) => self.print_memory(id),
            Some(StepMaker::PrintScalar) => self.print_scalar(id),
            Some(StepMaker::Kernel(kernel)) => self.kernel_op(id, kernel),
            None => Err(self.unsupported(text!("this instruction"))),
        };
        self.at = outer;
        done
    }
}
