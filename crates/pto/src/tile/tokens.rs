//! Handles of other things: pipes between cores, events, sessions, and what only the text has a type for.

use super::trace::{Handle, Ref, ResultHandle};
use crate::ir::ValueId;
use crate::isa::{Token, Type};

macro_rules! tokens {
    ($($(#[$doc:meta])+ $name:ident $token:ident)+) => {$(
        $(#[$doc])+
        #[derive(Clone, Copy, Debug)]
        pub struct $name(Ref<ValueId>);
        impl Handle for $name {
            fn value(&self) -> ValueId {
                self.0.get()
            }
        }
        impl ResultHandle for $name {
            fn ir_type() -> Type {
                Type::Token(Token::$token)
            }
            fn from_result(value: ValueId) -> Self {
                Self(Ref::new(value))
            }
        }
    )+};
}

tokens! {
    /// A pipe between the cube core and the vector cores.
    PipeHandle Pipe
    /// An event as a value.
    EventToken Event
    /// A session of asynchronous transfers.
    Session AsyncSession
    /// The event of an asynchronous transfer.
    AsyncEvent AsyncEvent
}

/// A value whose type is written as in the text: arrays of event ids, structs, local arrays, lowered buffers.
#[derive(Clone, Copy, Debug)]
pub struct Opaque(Ref<ValueId>);

impl Handle for Opaque {
    fn value(&self) -> ValueId {
        self.0.get()
    }
}

impl Opaque {
    pub(super) fn from_value(value: ValueId) -> Self {
        Self(Ref::new(value))
    }
}
