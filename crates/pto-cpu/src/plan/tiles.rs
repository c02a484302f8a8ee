//! Tiles: where they lie, and the instructions on them.

use super::build::{PlanBuilder, PlanResult};
use crate::kernels::{Combine, OpKernel, Site};
use crate::prepared::*;
use pto_ir::{OpId, ValueId};
use pto_isa::row::{ElemRule, Harm, Movement, OperandExtent, RegionExtent, Storage, Sums};
use pto_isa::rules::{Instance, RuleArg};
use pto_isa::text;
use pto_isa::{Diagnostic, Dim, Dir, Row, Target, TileRule, TileType, Type, codes};
use std::borrow::Cow;

impl PlanBuilder<'_> {
    /// The type on the target: the box order of left operands is that of the target, regardless of the text.
    pub fn tile_type(&self, ty: &TileType) -> TileType {
        if ty.loc == pto_isa::Loc::Left && ty.is_boxed() {
            let blayout = self.checked.info().target.profile().left_order;
            return TileType { blayout, ..*ty };
        }
        *ty
    }

    /// A tile register with its own bytes.
    pub fn new_tile(&mut self, ty: &TileType) -> PlanResult<TileId> {
        let ty = self.tile_type(ty);
        self.fills_boxes(&ty)?;
        let base = self.own_bytes(ty.bytes())?;
        let geometry = self.geometry(&ty);
        let root = self.plan.start.tiles.next_id();
        self.plan.start.tiles.push(TileState { root, ..TileState::new(&ty, geometry, base) });
        Ok(root)
    }

    /// Where a tile is allocated that is an error, where it is given only a warning; but its elements would lie outside of it.
    fn fills_boxes(&self, ty: &TileType) -> PlanResult<()> {
        if ty.breaks(TileRule::BoxCols) {
            return Err(self.unsupported(&text!("{ty}, whose columns do not fill its boxes", ty)));
        }
        Ok(())
    }

    /// A tile register that will stand for a tile made elsewhere.
    pub fn handle(&mut self) -> TileId {
        self.plan.start.tiles.push(TileState::default())
    }

    /// A place for a value that is made elsewhere: tiles get no bytes of their own.
    pub fn define_handle(&mut self, value: ValueId) -> PlanResult<ValueStorage> {
        if self.module.tile(value).is_none() {
            return self.define(value);
        }
        let slot = ValueStorage::Tile(self.handle());
        self.keep_in(value, slot);
        Ok(slot)
    }

    // ---- placing --------------------------------------------------------------------------------------------

    pub fn alloc(&mut self, id: OpId) -> PlanResult<()> {
        let value = self.result(id)?;
        let (ty, count) = match self.module.value_type(value) {
            Type::Tile(t) | Type::TileBuf(t) => (self.tile_type(t), 1),
            Type::MultiTile(t, n) => (self.tile_type(t), *n),
            _ => return Err(self.unsupported(text!("an allocation of this type"))),
        };
        self.fills_boxes(&ty)?;
        let addresses = [self.operands(id, "addr"), self.operands(id, "addrs")].concat();
        let address = match addresses[..] {
            [addr] => TileAddress::At(self.scalar(addr)?),
            [_, ..] => return Err(self.unsupported(text!("a buffer with several addresses"))),
            [] => self.free_place(ty.bytes().saturating_mul(count))?,
        };
        let tile = self.handle();
        let geometry = self.geometry(&ty);
        let rows = self.extent(id, "valid_row", ty.valid_rows, ty.rows)?;
        let cols = self.extent(id, "valid_col", ty.valid_cols, ty.cols)?;
        self.keep_in(value, if count == 1 { ValueStorage::Tile(tile) } else { ValueStorage::Multi(tile, count) });
        let at = self.plan.tiles.binds.push(Bind { tile, address, geometry, rows, cols, count });
        self.push(Step::Bind(at)).map(drop)
    }

    /// The valid extent: of the type, of an operand, or the whole tile.
    pub fn extent(&self, id: OpId, slot: &str, dim: Dim, physical: u64) -> PlanResult<ExtentValue> {
        match (self.module.operand(id, slot), dim) {
            (Some(value), Dim::Dynamic) => Ok(ExtentValue::Reg(self.scalar(value)?)),
            (_, Dim::Fixed(n)) => Ok(ExtentValue::Fixed(n as u32)),
            (None, Dim::Dynamic) => Ok(ExtentValue::Fixed(physical as u32)),
        }
    }

    pub fn assign(&mut self, id: OpId) -> PlanResult<()> {
        let tile = self.operand_tile(id, "tile")?;
        let address = match (self.module.operand(id, "address"), self.module.given_int(id, "addr")) {
            (Some(value), _) => self.scalar(value)?,
            (None, Some(n)) => self.constant(n as u64),
            (None, None) => return Err(self.unsupported(text!("it without an address"))),
        };
        let out = match self.module.results(id).next() {
            Some(value) => {
                let ValueStorage::Tile(out) = self.define_handle(value)? else {
                    return Err(self.unsupported(text!("this result")));
                };
                out
            }
            None => tile,
        };
        self.push(Step::Assign { tile, address, out }).map(drop)
    }

    // ---- views of tiles ---------------------------------------------------------------------------------------

    /// `subview`, `subset`: a window that is a new value.
    pub fn window(&mut self, id: OpId) -> PlanResult<()> {
        let from = self.operand_tile(id, "source")?;
        let offsets = self.operands(id, "offsets");
        let [row, col] = offsets[..] else { return Err(self.unsupported(text!("this number of offsets"))) };
        let value = self.result(id)?;
        let Some(ty) = self.module.tile(value).copied() else { return Err(self.unsupported(text!("this result"))) };
        let given = self.module.operand(id, "valid_row").is_some() || self.module.storage(id) == Some(Storage::Window);
        let valid = if given {
            let rows = self.extent(id, "valid_row", ty.valid_rows, ty.rows)?;
            WindowValid::Given(rows, self.extent(id, "valid_col", ty.valid_cols, ty.cols)?)
        } else {
            WindowValid::Inherited
        };
        let ValueStorage::Tile(to) = self.define_handle(value)? else {
            return Err(self.unsupported(text!("this result")));
        };
        self.push_window(TileWindow {
            from,
            to,
            row: self.scalar(row)?,
            col: self.scalar(col)?,
            size: (ty.rows as u32, ty.cols as u32),
            valid,
        })
    }

    /// `tsubview`: an existing tile becomes a window.
    pub fn rebind_window(&mut self, id: OpId) -> PlanResult<()> {
        let dst = self.destination(id, "dst")?;
        let ty = self.module.tile(dst).copied();
        let Some(ty) = ty else { return Err(self.unsupported(text!("this destination"))) };
        let to = self.handle_of(dst)?;
        // What is not valid may lie outside: a window has the columns of its source, wherever it starts.
        let valid = |d: Dim, physical: u64| d.fixed().unwrap_or(physical) as u32;
        let size = (valid(ty.valid_rows, ty.rows), valid(ty.valid_cols, ty.cols));
        let is_result = self.module.results(id).any(|v| v == dst);
        let mut extents = (ExtentValue::Fixed(size.0), ExtentValue::Fixed(size.1));
        if !is_result {
            // The tile keeps what it was allocated with.
            let (rows, cols) = (self.reg(), self.reg());
            self.push(Step::GetValid { tile: to, rows, cols })?;
            let kept =
                |d: Dim, fixed: ExtentValue, reg: Reg| if d == Dim::Dynamic { ExtentValue::Reg(reg) } else { fixed };
            extents = (kept(ty.valid_rows, extents.0, rows), kept(ty.valid_cols, extents.1, cols));
        }
        self.push_window(TileWindow {
            from: self.operand_tile(id, "src")?,
            to,
            row: self.operand_reg(id, "row_idx")?,
            col: self.operand_reg(id, "col_idx")?,
            size,
            valid: WindowValid::Given(extents.0, extents.1),
        })?;
        if is_result { self.open_extents(id, dst) } else { Ok(()) }
    }

    pub fn push_window(&mut self, window: TileWindow) -> PlanResult<()> {
        let at = self.plan.tiles.windows.push(window);
        self.push(Step::Window(at)).map(drop)
    }

    /// `treshape`, `bitcast`: the same bytes under another type.
    pub fn retype(&mut self, id: OpId) -> PlanResult<()> {
        match self.module.operand(id, "src") {
            Some(source) => self.retyped(id, source).map(drop),
            None => Err(self.unsupported(text!("it without `src`"))),
        }
    }

    /// The result as another name for the bytes of a tile.
    pub fn retyped(&mut self, id: OpId, source: ValueId) -> PlanResult<TileId> {
        let from = self.tile(source)?;
        let value = self.result(id)?;
        let Some(ty) = self.module.tile(value).copied() else { return Err(self.unsupported(text!("this result"))) };
        self.fills_boxes(&ty)?;
        if let Some(whole) = self.module.tile(source).filter(|whole| ty.loc != whole.loc || ty.bytes() > whole.bytes())
        {
            return Err(self.unsupported(&text!("{ty} in the bytes of {whole}", ty, whole)));
        }
        let geometry = self.geometry(&self.tile_type(&ty));
        let ValueStorage::Tile(to) = self.define_handle(value)? else {
            return Err(self.unsupported(text!("this result")));
        };
        self.push(Step::Retype { from, to, geometry })?;
        Ok(to)
    }

    pub fn alias(&mut self, id: OpId) -> PlanResult<()> {
        let from = self.operand_tile(id, "src")?;
        let dst = self.destination(id, "dst")?;
        let to = self.handle_of(dst)?;
        self.push(Step::MoveTile { from, to }).map(drop)
    }

    pub fn pick(&mut self, id: OpId) -> PlanResult<()> {
        let source = self.module.operand(id, "source").map(|v| self.slot(v));
        let Some(ValueStorage::Multi(from, count)) = source else { return Err(self.unsupported(text!("this source"))) };
        let slot = self.operand_reg(id, "slot")?;
        let value = self.result(id)?;
        let ValueStorage::Tile(to) = self.define_handle(value)? else {
            return Err(self.unsupported(text!("this result")));
        };
        self.push(Step::Pick { from, slot, count: count as u32, to }).map(drop)
    }

    // ---- instructions -------------------------------------------------------------------------------------------

    /// The value in a slot that is written: an operand, or a result of the value form.
    pub(super) fn destination(&self, id: OpId, name: &str) -> PlanResult<ValueId> {
        let row = self.module.op(id).op.row();
        let slot = row.slot(name);
        let is_result = |v: &ValueId| Some(usize::from(self.module.value(*v).slot)) == slot;
        let operand = self.module.operand(id, name);
        let result = self.module.results(id).find(is_result);
        operand.or(result).ok_or_else(|| self.unsupported(&text!("it without `{name}`", name)))
    }

    /// The register of a tile, made when the value is new.
    fn handle_of(&mut self, value: ValueId) -> PlanResult<TileId> {
        if let ValueStorage::Tile(tile) = self.slot(value) {
            return Ok(tile);
        }
        match self.define_handle(value)? {
            ValueStorage::Tile(tile) => Ok(tile),
            _ => Err(self.unsupported(text!("this destination"))),
        }
    }

    /// One element of a tile.
    pub fn element_op(&mut self, id: OpId) -> PlanResult<()> {
        let offset = self.operand_reg(id, "offset")?;
        if self.module.movement(id) == Some(Movement::GetElement) {
            let tile = self.operand_tile(id, "src")?;
            let out = self.result_reg(id)?;
            return self.push(Step::TileGet { tile, offset, out }).map(drop);
        }
        let value = self.operand_reg(id, "val")?;
        let operand = self.module.operand(id, "dst");
        let results: Vec<ValueId> = self.module.results(id).collect();
        let tile = self.written_tile(operand, results.first().copied())?;
        for result in results {
            self.open_extents(id, result)?;
        }
        self.push(Step::TileSet { tile, offset, value }).map(drop)
    }

    /// The tile an instruction writes. In the value form it is new, and starts as a copy of what is also read.
    fn written_tile(&mut self, operand: Option<ValueId>, result: Option<ValueId>) -> PlanResult<TileId> {
        match (operand, result) {
            (Some(operand), None) => self.tile(operand),
            (operand, Some(result)) => {
                let ValueStorage::Tile(tile) = self.define(result)? else {
                    return Err(self.unsupported(text!("this result")));
                };
                if let Some(operand) = operand {
                    let from = self.tile(operand)?;
                    self.push(Step::CopyTile { from, to: tile })?;
                }
                Ok(tile)
            }
            (None, None) => Err(self.unsupported(text!("it without a destination"))),
        }
    }

    /// Where an instruction has a row and a column, they are those of a part of the larger tile: of what it changes, or
    /// else of what it reads.
    fn part(&self, id: OpId, kernel: &OpKernel) -> Option<OperandPart> {
        let index = |name| self.module.operand(id, name).and_then(|v| self.scalar(v).ok());
        let (row, col) = (index("index_row")?, index("index_col")?);
        let position = |name| kernel.tiles.iter().position(|t| *t == name);
        let (src, dst) = (position("src")?, position("dst")?);
        let slot = self.module.op(id).op.row().slot("dst")?;
        let changes = self.module.op(id).op.row().slots[slot].dir == Dir::InOut;
        let (of, like) = if changes { (dst, src) } else { (src, dst) };
        Some(OperandPart { of, like, row, col })
    }

    /// The instruction itself says that its stores combine with what is there.
    pub fn combines(&self, id: OpId) -> Option<Combine> {
        let how = self.module.choice(id, "atomicType").or_else(|| self.module.choice(id, "scatterAtomicOp"));
        how.and_then(Combine::parse)
    }

    pub fn kernel_op(&mut self, id: OpId, kernel: &'static OpKernel) -> PlanResult<()> {
        let row = self.module.op(id).op.row();
        let code = self.prepare(id, kernel)?;
        let mut step = KernelStep {
            code,
            tiles: Vec::new(),
            views: Vec::new(),
            scalars: Vec::new(),
            pipe: pto_check::pipe_of(self.module, id, self.checked.info().target),
            combines: kernel.scalars.contains(&"$atomic").then(|| self.state("atomic")),
            atomic: self.combines(id),
            part: None,
            scratch: None,
            idle_scratch: false,
            lost: Vec::new(),
            hidden: Vec::new(),
            wide: self.wide(id, row, kernel),
            sum: self.sum(id, row, kernel),
            writes: kernel.writes,
            cut: self.cut(id, kernel),
            factors: self.factor_use(id, kernel),
            records: self.record_use(id, kernel),
            wanted: 0,
            selection: RecordSelection::None,
            strips: StripRole::Alone,
            own_tiles: 0,
        };
        // Results first: their valid regions follow from operands.
        for value in self.module.results(id) {
            let slot = usize::from(self.module.value(value).slot);
            if slot < row.slots.len() {
                let operand = self.module.in_slot(id, slot).next().map(|o| o.value);
                self.written_tile(operand, Some(value))?;
                self.open_extents(id, value)?;
            } else {
                self.define(value)?;
            }
        }
        for (at, name) in kernel.tiles.iter().enumerate() {
            let mut operand = self.kernel_operand(id, name, kernel, ValueStorage::tile)?;
            // A kernel may take an operand twice; what it reads and writes counts once.
            if kernel.tiles[..at].contains(name) {
                (operand.reads, operand.writes) = (false, false);
            }
            step.tiles.push(operand);
        }
        for name in kernel.views {
            let operand = self.kernel_operand(id, name, kernel, ValueStorage::view)?;
            step.views.push(operand);
        }
        for name in kernel.scalars {
            if let Some(state) = name.strip_prefix('$') {
                let register = self.state(state);
                step.scalars.push(Some(register));
                continue;
            }
            let value = self.module.operand(id, name).filter(|v| matches!(self.slot(*v), ValueStorage::Scalar(_)));
            step.scalars.push(value.map(|v| self.kernel_scalar(id, name, v)).transpose()?);
        }
        step.part = self.part(id, kernel);
        self.work_space(id, kernel, &mut step)?;
        let counts = [step.tiles.len(), step.views.len(), step.scalars.len()];
        let most = [MAX_TILES, MAX_VIEWS, MAX_SCALARS];
        if counts.iter().zip(most).any(|(count, most)| *count > most) {
            return Err(self.unsupported(text!("so many operands")));
        }
        self.rule_check(id)?;
        let vector = step.tiles.iter().find(|o| o.writes && o.value.is_some_and(|v| self.is_vector(v)));
        let counts = vector.and_then(|o| o.register);
        let at = self.plan.calls.kernels.push(step);
        self.push(Step::Kernel(at))?;
        match counts {
            Some(from) => {
                let to = self.status()?;
                self.push(Step::CopyTile { from, to }).map(drop)
            }
            None => Ok(()),
        }
    }

    /// The memory that a device works in besides its operands; the kernels of the engine need none.
    fn work_space(&mut self, id: OpId, kernel: &OpKernel, step: &mut KernelStep) -> PlanResult<()> {
        let row = self.module.op(id).op.row();
        if row.scratch.is_none() && row.hazards.is_empty() {
            return Ok(());
        }
        let (works, harms) = self.with_instance(id, |instance| {
            let harms: Vec<Harm> = row.hazards_of(&instance).map(|h| h.harm).collect();
            (row.scratch.is_some_and(|s| s.works_in(&instance)), harms)
        });
        let target = self.checked.info().target;
        let given = row.scratch.filter(|s| s.is_used(target) && target != Target::Cpu);
        if let Some(scratch) = given.filter(|s| !kernel.tiles.contains(&s.slot)) {
            step.scratch = Some(CallOperand {
                writes: true,
                ..self.kernel_operand(id, scratch.slot, kernel, ValueStorage::tile)?
            });
            step.idle_scratch = !works;
        }
        for harm in harms {
            match harm {
                Harm::Destroys(slot) => step.lost.extend(kernel.tiles.iter().position(|name| *name == slot)),
                Harm::Hidden(memory) => step.hidden.push(memory),
                _ => {}
            }
        }
        Ok(())
    }

    /// The type of a value as the target has it.
    fn type_on_target(&self, value: ValueId) -> Cow<'_, Type> {
        let ty = self.module.value_type(value);
        let other = |tile: &TileType| Some(self.tile_type(tile)).filter(|on_target| on_target != tile);
        match ty {
            Type::Tile(tile) => other(tile).map_or(Cow::Borrowed(ty), |tile| Cow::Owned(Type::Tile(tile))),
            Type::TileBuf(tile) => other(tile).map_or(Cow::Borrowed(ty), |tile| Cow::Owned(Type::TileBuf(tile))),
            _ => Cow::Borrowed(ty),
        }
    }

    /// The instruction as rules and kernels see it.
    fn with_instance<T>(&self, id: OpId, f: impl FnOnce(Instance<'_>) -> T) -> T {
        let row = self.module.op(id).op.row();
        let operands = self.module.operands(id).iter().map(|o| (o.slot, o.value));
        let results = self.module.results(id).map(|v| (self.module.value(v).slot, v));
        let info = self.checked.info();
        let values: Vec<_> = operands.chain(results).map(|(slot, v)| (slot, v, self.type_on_target(v))).collect();
        let args: Vec<RuleArg> =
            values.iter().map(|(slot, v, ty)| RuleArg { slot: *slot, ty, value: info.constant(*v) }).collect();
        let text = |s| self.module.names.text(s);
        let attrs: Vec<_> = self.module.attrs(id).iter().map(|(n, a)| (text(*n), a.for_rules(text))).collect();
        f(Instance { row, target: info.target, manual: info.manual[id.index()], args: &args, attrs: &attrs })
    }

    /// Sources of elementwise instructions are read where the destination is valid: they may be valid in more, and on
    /// devices in less.
    fn wide(&self, id: OpId, row: &Row, kernel: &OpKernel) -> Option<WideSources> {
        let (names, dst) = row.same_region(self.checked.info().target)?;
        let region = |v: ValueId| self.module.tile(v).map(|t| (t.valid_rows.fixed(), t.valid_cols.fixed()));
        let values = self.module.operands(id).iter().map(|o| (o.slot, o.value));
        let values = values.chain(self.module.results(id).map(|v| (self.module.value(v).slot, v)));
        let mut regions = values
            .filter(|(slot, _)| names.contains(&row.slot_at(usize::from(*slot)).name))
            .filter_map(|(_, v)| region(v));
        let first = regions.next()?;
        if matches!(first, (Some(_), Some(_))) && regions.all(|other| other == first) {
            return None;
        }
        let at = |name: &str| kernel.tiles.iter().position(|tile| *tile == name);
        Some(WideSources { sources: names.iter().filter_map(|name| at(name)).collect(), dst: at(dst)? })
    }

    fn sum(&self, id: OpId, row: &Row, kernel: &OpKernel) -> Option<SumOf> {
        let at = |name: &str| kernel.tiles.iter().position(|tile| *tile == name);
        let (of, along_row, onto) = match row.sums? {
            Sums::Row(of, onto) => (of, true, onto),
            Sums::Column(of) => (of, false, None),
        };
        let continues = onto.is_some_and(|name| self.module.operand(id, name).is_some());
        Some(SumOf { of: at(of)?, along_row, dst: at("dst")?, continues })
    }

    fn is_vector(&self, value: ValueId) -> bool {
        matches!(self.module.value_type(value), Type::Vector(_))
    }

    /// The status register: four counts, as the last merge left them.
    fn status(&mut self) -> PlanResult<TileId> {
        if let Some(status) = self.status {
            return Ok(status);
        }
        let status = self.new_tile(&TileType::new(pto_isa::Loc::Vec, pto_isa::DType::I16, 1, 4))?;
        self.status = Some(status);
        Ok(status)
    }

    /// The fields of the status register, one for each result.
    pub fn read_status(&mut self, id: OpId) -> PlanResult<()> {
        let tile = self.status()?;
        for (field, value) in self.module.results(id).enumerate() {
            self.define(value)?;
            let (out, offset) = (self.scalar(value)?, self.constant(field as u64));
            self.push(Step::TileGet { tile, offset, out })?;
        }
        Ok(())
    }

    fn prepare(&self, id: OpId, kernel: &OpKernel) -> PlanResult<crate::kernels::Code> {
        let row = self.module.op(id).op.row();
        self.with_instance(id, |instance| {
            let types: Vec<String> = instance.args.iter().filter_map(|a| Some(a.ty.tile()?.to_string())).collect();
            let site = Site { instance, numerics: self.options.numerics, plain: self.options.plain, level: None };
            kernel.prepare(&site).ok_or_else(|| {
                let message = text!("`{row}`: the engine has no code for these operands", row = row.full_name());
                Diagnostic::new(codes::RUN_UNSUPPORTED, self.place(), message).remark(types.join(", ")).page(row.name)
            })
        })
    }

    /// An operand of a kernel; `register` is the register of a slot of the kind that the kernel takes.
    fn kernel_operand<R>(
        &self,
        id: OpId,
        name: &str,
        kernel: &OpKernel,
        register: impl Fn(ValueStorage) -> Option<R>,
    ) -> PlanResult<CallOperand<R>> {
        let row = self.module.op(id).op.row();
        let slot = row.slot(name);
        let is_result = |v: &ValueId| Some(usize::from(self.module.value(*v).slot)) == slot;
        let value = self.module.results(id).find(is_result).or_else(|| self.module.operand(id, name));
        let dir = slot.map_or(Dir::In, |s| row.slot_at(s).dir);
        let kept = value.map(|v| self.slot(v));
        let register = kept.and_then(register);
        let may_be_absent = match kept {
            Some(ValueStorage::View(_)) => kernel.views.contains(&name),
            Some(ValueStorage::Nothing | ValueStorage::Multi(..) | ValueStorage::Array(_) | ValueStorage::End(_)) => {
                false
            }
            Some(ValueStorage::Scalar(_) | ValueStorage::Tile(_)) | None => true,
        };
        // An absent operand is a null pointer to the kernel, so nothing else may look like one.
        if register.is_none() && !may_be_absent {
            return Err(self.unsupported(text!("this operand")));
        }
        Ok(CallOperand { register, value, reads: dir != Dir::Out, writes: dir != Dir::In })
    }

    /// A scalar as kernels take it: an f32 next to elements that are floats, else an integer. Types that no element has
    /// are converted.
    fn kernel_scalar(&mut self, id: OpId, name: &str, value: ValueId) -> PlanResult<Reg> {
        let a = self.scalar(value)?;
        let Some(from) = self.module.value_type(value).scalar().filter(|s| s.elem().is_none()) else { return Ok(a) };
        let row = self.module.op(id).op.row();
        let is_data = |slot: usize| slot < row.slots.len() && row.slots[slot].elem == ElemRule::Data;
        let operands = self.module.operands(id).iter().map(|o| (usize::from(o.slot), o.value));
        let mut all = operands.chain(self.module.results(id).map(|v| (usize::from(self.module.value(v).slot), v)));
        let tile = all.find_map(|(slot, v)| self.module.tile(v).filter(|_| is_data(slot)));
        let floats = tile.is_some_and(|t| t.dtype.is_float()) && row.slot(name).is_some_and(is_data);
        let cast = match (int_of(from), float_of(from)) {
            (Some(from), _) if floats => ScalarCast::IntToFloat { from, to: FloatType::F32, signed: !from.unsigned },
            (_, Some(from)) => ScalarCast::Float { from, to: FloatType::F32 },
            _ => return Ok(a),
        };
        let out = self.reg();
        self.push(Step::Cast { cast, a, out })?;
        Ok(out)
    }

    /// A result with an open valid region takes it from its operands, as its row says.
    pub fn open_extents(&mut self, id: OpId, value: ValueId) -> PlanResult<()> {
        let Some(ty) = self.module.tile(value) else { return Ok(()) };
        let stated = [ty.valid_rows.fixed(), ty.valid_cols.fixed()];
        if stated.iter().all(Option::is_some) {
            return Ok(());
        }
        let tile = self.tile(value)?;
        let in_slot = |slot: usize| {
            let operand = self.module.in_slot(id, slot).next()?;
            matches!(self.slot(operand.value), ValueStorage::Tile(_) | ValueStorage::View(_))
                .then(|| self.slot(operand.value))
        };
        let extents = self.module.region_extents(id, value, &|slot| in_slot(slot).is_some());
        if let Some(ValueStorage::View(view)) = extents.iter().flatten().find_map(|e| in_slot(e.measure.slots()[0]?)) {
            return self.push(Step::ValidFromView { tile, view }).map(drop);
        }
        let extent = |at: usize| match stated[at] {
            Some(n) => Ok(OpenExtent { extent: RegionExtent::fixed(n), tiles: [TileId(0); 4], index: Reg(0) }),
            None => self.open_extent(id, extents[at]),
        };
        let (rows, cols) = (extent(0)?, extent(1)?);
        if let (OperandExtent::Rows(a), OperandExtent::Cols(b)) = (rows.extent.measure, cols.extent.measure)
            && (rows.extent, cols.extent) == (RegionExtent::rows(a), RegionExtent::cols(a))
            && a == b
        {
            return self.push(Step::ValidFromTile { tile, from: rows.tiles[0] }).map(drop);
        }
        let at = self.plan.tiles.regions.push(OpenRegion { tile, rows, cols });
        self.push(Step::ValidFromTiles(at)).map(drop)
    }

    /// An extent with the tiles and the register it is taken from.
    fn open_extent(&self, id: OpId, extent: Option<RegionExtent>) -> PlanResult<OpenExtent> {
        let missing =
            || self.unsupported(text!("a result whose valid region is open and does not follow from an operand"));
        let extent = extent.ok_or_else(missing)?;
        let mut open = OpenExtent { extent, tiles: [TileId(0); 4], index: Reg(0) };
        for (tile, slot) in open.tiles.iter_mut().zip(extent.measure.slots().into_iter().flatten()) {
            let operand = self.module.in_slot(id, slot).next().ok_or_else(missing)?;
            *tile = self.tile(operand.value)?;
        }
        if let OperandExtent::RowsAfter(_, index) | OperandExtent::ColsAfter(_, index) = extent.measure {
            let operand = self.module.in_slot(id, index).next().ok_or_else(missing)?;
            open.index = self.scalar(operand.value)?;
        }
        Ok(open)
    }

    /// Rules that only the values at run time decide.
    pub fn rule_check(&mut self, id: OpId) -> PlanResult<()> {
        if self.checked.info().dynamic.binary_search(&id).is_err() && !self.checked.info().dynamic.contains(&id) {
            return Ok(());
        }
        let operands = self.module.operands(id).iter().map(|o| o.value);
        // Rules only read integers; a changed float is no reason to check again.
        let is_float = |v: ValueId| matches!(self.module.value_type(v), Type::Scalar(s) if s.is_float());
        let slot = |v: ValueId| if is_float(v) { ValueStorage::Nothing } else { self.slot(v) };
        let values: Vec<(ValueId, ValueStorage)> =
            operands.chain(self.module.results(id)).map(|v| (v, slot(v))).collect();
        let at = self.plan.calls.checks.push(RuleCheck { values });
        self.push(Step::Check(at)).map(drop)
    }
}
