//! The meaning of operations, and their operands and attributes by the names of the row.

use crate::{Attr, Def, Module, OpId, Operand, ValueId};
use pto_isa::row::{Arith, CommOp, Control, CoreQuery, Fifo, LocalOp, Meaning, Movement, Storage, SyncOp};

impl Module {
    /// The meaning of an operation.
    #[inline]
    pub fn meaning(&self, id: OpId) -> Meaning {
        self.op(id).op.row().meaning
    }

    /// Its meaning, if it has regions or transfers control.
    #[inline]
    pub fn control(&self, id: OpId) -> Option<Control> {
        self.op(id).op.control()
    }

    /// Its meaning, if it is a scalar operation.
    #[inline]
    pub fn arith(&self, id: OpId) -> Option<Arith> {
        self.op(id).op.arith()
    }

    /// Its meaning, if it allocates, names or queries memory.
    #[inline]
    pub fn storage(&self, id: OpId) -> Option<Storage> {
        self.op(id).op.storage()
    }

    /// Its meaning, if it moves data unchanged.
    pub fn movement(&self, id: OpId) -> Option<Movement> {
        self.op(id).op.movement()
    }

    /// Its meaning, if it is a FIFO operation.
    pub fn fifo(&self, id: OpId) -> Option<Fifo> {
        self.op(id).op.fifo()
    }

    /// Its meaning, if it orders pipes or cores.
    pub fn sync(&self, id: OpId) -> Option<SyncOp> {
        self.op(id).op.sync()
    }

    /// Its meaning, if it is an operation between ranks.
    pub fn comm(&self, id: OpId) -> Option<CommOp> {
        self.op(id).op.comm()
    }

    /// The property of the cores that it queries.
    pub fn query(&self, id: OpId) -> Option<CoreQuery> {
        self.op(id).op.query()
    }

    /// Its meaning, if it is an operation on local arrays and structures.
    pub fn local(&self, id: OpId) -> Option<LocalOp> {
        self.op(id).op.local()
    }

    /// The operation that defines a value.
    #[inline]
    pub fn definition(&self, value: ValueId) -> Option<OpId> {
        match self.value(value).def {
            Def::Result(id, _) => Some(id),
            Def::Arg(..) | Def::Missing => None,
        }
    }

    /// The integer of a constant that defines a value.
    pub fn literal(&self, value: ValueId) -> Option<i64> {
        let id = self.definition(value).filter(|id| self.arith(*id) == Some(Arith::Constant))?;
        self.attr(id, "value")?.int()
    }

    /// The operands in the slot of this name.
    pub fn named(&self, id: OpId, slot: &str) -> impl Iterator<Item = &Operand> {
        let slot = self.op(id).op.row().slot(slot);
        self.operands(id).iter().filter(move |o| slot == Some(usize::from(o.slot)))
    }

    /// The first operand in the slot of this name.
    pub fn operand(&self, id: OpId, slot: &str) -> Option<ValueId> {
        self.named(id, slot).next().map(|o| o.value)
    }

    /// An integer attribute, if it is given.
    pub fn given_int(&self, id: OpId, name: &str) -> Option<i64> {
        self.attr(id, name)?.int()
    }

    /// An integer attribute: the given value, or the default of the row.
    ///
    /// ```
    /// use pto_ir::{Attr, Builder, OpExtras, TypeId};
    /// use pto_isa::Op;
    /// use pto_isa::row::{CoreKind, Fifo, EndForm};
    ///
    /// let mut builder = Builder::new();
    /// let both = builder.attr("dir_mask", Attr::Int(3, TypeId::UNKNOWN));
    /// let open = Op::of(Fifo::Open(EndForm::Named(CoreKind::Cube)));
    /// builder.op(open, &[], &[], OpExtras { attrs: vec![both], ..OpExtras::default() });
    /// let block = builder.innermost();
    /// let pipe = builder.module.block(block).ops[0];
    /// assert_eq!(builder.module.given_int(pipe, "slot_num"), None);
    /// assert_eq!(builder.module.int(pipe, "slot_num"), Some(4), "four slots each way");
    /// ```
    pub fn int(&self, id: OpId, name: &str) -> Option<i64> {
        match self.attr(id, name) {
            Some(given) => given.int(),
            None => self.op(id).op.row().attr(name)?.default_int(&|other| self.int(id, other)),
        }
    }

    /// The enumerator of an attribute.
    pub fn choice(&self, id: OpId, name: &str) -> Option<&'static str> {
        match self.attr(id, name) {
            Some(Attr::Enum(def, at)) => Some(def.value(usize::from(*at))),
            _ => None,
        }
    }
}
