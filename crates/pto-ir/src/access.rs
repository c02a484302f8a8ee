//! What an operation is, and what it is given: by the names that its row uses.

use crate::{Attr, Def, Module, OpId, Operand, ValueId};
use pto_isa::row::{Arith, CommOp, Control, CoreQuery, Fifo, LocalOp, Meaning, Movement, Storage, SyncOp};

impl Module {
    /// What an operation is.
    pub fn meaning(&self, id: OpId) -> Meaning {
        self.op(id).op.row().meaning
    }

    /// What it is among the operations that hold regions or steer between them.
    pub fn control(&self, id: OpId) -> Option<Control> {
        self.op(id).op.control()
    }

    /// What it is among scalar operations.
    pub fn arith(&self, id: OpId) -> Option<Arith> {
        self.op(id).op.arith()
    }

    /// What it is among the operations that make, name or query memory.
    pub fn storage(&self, id: OpId) -> Option<Storage> {
        self.op(id).op.storage()
    }

    /// What it is among the operations that move data as it is.
    pub fn movement(&self, id: OpId) -> Option<Movement> {
        self.op(id).op.movement()
    }

    /// What it is among the operations on pipes between cores.
    pub fn fifo(&self, id: OpId) -> Option<Fifo> {
        self.op(id).op.fifo()
    }

    /// What it is among the operations that order pipes or cores.
    pub fn sync(&self, id: OpId) -> Option<SyncOp> {
        self.op(id).op.sync()
    }

    /// What it is among the operations between ranks.
    pub fn comm(&self, id: OpId) -> Option<CommOp> {
        self.op(id).op.comm()
    }

    /// What it asks about the cores.
    pub fn query(&self, id: OpId) -> Option<CoreQuery> {
        self.op(id).op.query()
    }

    /// What it is among the operations on local arrays and structures.
    pub fn local(&self, id: OpId) -> Option<LocalOp> {
        self.op(id).op.local()
    }

    /// The operation that defines a value.
    pub fn definition(&self, value: ValueId) -> Option<OpId> {
        match self.value(value).def {
            Def::Result(id, _) => Some(id),
            Def::Arg(..) | Def::Missing => None,
        }
    }

    /// The integer that a constant gives to a value.
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

    /// An integer attribute that is given.
    pub fn given_int(&self, id: OpId, name: &str) -> Option<i64> {
        self.attr(id, name)?.int()
    }

    /// An integer attribute: what is given, or what the row says it then is.
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

    /// The enumerator that an attribute is given.
    pub fn choice(&self, id: OpId, name: &str) -> Option<&'static str> {
        match self.attr(id, name) {
            Some(Attr::Enum(def, at)) => Some(def.value(usize::from(*at))),
            _ => None,
        }
    }
}
